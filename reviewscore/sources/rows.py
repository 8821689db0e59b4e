"""A review's record as users write it, and the review made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from reviewscore.bounds import in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.json_text import load_json
from reviewscore.papers.hygiene import TidyText, tidy
from reviewscore.papers.load import Identifier, Word
from reviewscore.papers.paper_warnings import addressed, for_models, in_names
from reviewscore.schema.review import Review

_MOST_BYTES = 4
"""Bytes of a character in UTF-8 at most."""
_NAMES = ("name", "title", "heading", "field")


def _scalar(value: object) -> object:
    """Ratings come as numbers, as texts such as `8: accept`, or wrapped as `{"value": ...}`."""
    if isinstance(value, dict) and set(value) == {"value"}:
        value = value["value"]
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN marks an empty cell
        return None
    return value


def _box(value: object) -> object:
    """One text box: a text, a list of points, or a value wrapped by an API."""
    if isinstance(value, dict) and set(value) == {"value"}:
        value = value["value"]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None if value != value else str(value)  # noqa: PLR0124 - NaN
    return value


def _boxes(value: object) -> object:
    """Text boxes as a mapping, a list of named texts, or the JSON text of either."""
    value = _scalar(value)
    if isinstance(value, str):
        try:
            value = load_json(value) if value.strip() else None
        except ValueError as error:
            raise ValueError(f"is not JSON that can be used: {error}") from None
    if isinstance(value, list):
        value = {_name_of(item, number): _text_of(item) for number, item in enumerate(value, 1)}
    if isinstance(value, dict):
        return {name: box for name, box in ((n, _box(b)) for n, b in value.items()) if box}
    return value


def _name_of(item: object, number: int) -> str:
    if isinstance(item, dict):
        for name in _NAMES:
            if isinstance(item.get(name), str):
                return str(item[name])
    return f"section {number}"


def _text_of(item: object) -> object:
    return item.get("text") if isinstance(item, dict) else item


Score = Annotated[float | str | None, BeforeValidator(_scalar)]
Boxes = Annotated[dict[str, str] | None, BeforeValidator(_boxes)]
Pseudonym = Annotated[
    str | None, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)
]


class ReviewRow(BaseModel):
    """One record of ``reviews.jsonl`` or ``reviews.parquet``; unknown fields are ignored.

    Attributes:
        review_id: Identifier, unique in the file; a number does too.
        paper_id: The paper it reviews.
        reviewer: A pseudonym, such as ``R1``; never a name.
        sections: Text boxes of the form by name, an object or a list of named texts; ``fields``
            does too.
        text: The whole review, where it has no boxes.
        rating: The reviewer's score as the form has it; never shown to judges.
        confidence: The reviewer's confidence, likewise.
        author_response: What the authors answered; shown to judges only with
            ``--author-response``.
        date: When it was written.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    review_id: Identifier
    paper_id: Identifier
    reviewer: Pseudonym = None
    sections: Boxes = Field(default=None, validation_alias=AliasChoices("sections", "fields"))
    text: Word = None
    rating: Score = None
    confidence: Score = None
    author_response: Word = None
    date: Annotated[
        str | None,
        BeforeValidator(lambda value: value.isoformat() if hasattr(value, "isoformat") else value),
    ] = None


def check_review_size(review_id: str, texts: Mapping[str, str]) -> None:
    """Refuse a review that is too large.

    Raises:
        TooLargeError: It is; names the largest of its texts.
    """
    bound = in_force().review
    if sum(map(len, texts.values())) * _MOST_BYTES <= bound.size:
        return
    sizes = {name: len(text.encode("utf-8", "replace")) for name, text in texts.items()}
    if (size := sum(sizes.values())) > bound.size:
        problem = f"review '{review_id[:100]}' {bound.problem(size, whole=True)}"
        raise TooLargeError(problem, field=max(sizes, key=sizes.__getitem__), cure=bound.cure)


def build_review(row: ReviewRow) -> tuple[Review, tuple[str, ...]]:
    """The review of a record, and what was changed in its text.

    Raises:
        TooLargeError: If its texts are larger than a review may be.
        InputError: If no text box holds any text.
    """
    boxes = row.sections or {}
    if not any(text.strip() for text in boxes.values()):
        boxes = {"text": row.text or ""}
    check_review_size(row.review_id, {**boxes, "author_response": row.author_response or ""})
    tidied = {tidy(name).text: tidy(text) for name, text in boxes.items() if text.strip()}
    if not tidied:
        raise InputError(
            f"review '{row.review_id}' is empty",
            field="sections",
            cure="give `sections` or `text`, or take the line out",
        )
    response = tidy(row.author_response or "")
    names = {"id": row.review_id, "reviewer": row.reviewer}
    names |= {f"name of section {number}": name for number, name in enumerate(tidied, 1)}
    notes = (
        *(
            f"review '{row.review_id}', {what}: {note}"
            for what, text in (*tidied.items(), ("authors' response", response))
            for note in _notes(text)
        ),
        *(f"review '{row.review_id}', {said}" for said in in_names(names)),
    )
    review = Review(
        review_id=row.review_id,
        paper_id=row.paper_id,
        reviewer=row.reviewer,
        fields={name: text.text for name, text in tidied.items()},
        rating=row.rating,
        confidence=row.confidence,
        author_response=response.text.strip() or None,
        date=row.date,
    )
    return review, notes


def _notes(text: TidyText) -> tuple[str, ...]:
    """What was changed in a text, and what it says to a model, in words."""
    return tuple(filter(None, (*text.notes, for_models(addressed(text.text)))))
