"""A review, its points and their types, and the authors' response."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, assert_never

from pydantic import Field, model_validator

from reviewscore.schema.confidentiality import Consent
from reviewscore.schema.place import Place
from reviewscore.schema.point_id import content_id
from reviewscore.schema.record import Record, Word, shortened
from reviewscore.schema.scale import FACTUALITY, UNANSWERABILITY, Scale
from reviewscore.schema.span import Span


class PointType(StrEnum):
    """Type of a review point (ReviewScore, arXiv 2509.21679, sec. 3.1)."""

    QUESTION = "question"
    CLAIM = "claim"  # a weakness without a supporting reason
    ARGUMENT = "argument"  # a weakness with at least one

    @property
    def scale(self) -> Scale:
        """What a point of this type is scored on as a whole."""
        match self:
            case PointType.QUESTION:
                return UNANSWERABILITY
            case PointType.CLAIM | PointType.ARGUMENT:
                return FACTUALITY
            case _:
                assert_never(self)

    @property
    def judge(self) -> str:
        """Name of the judge, and of its prompt, that scores such a point as a whole."""
        match self:
            case PointType.QUESTION:
                return "question_answerability"
            case PointType.CLAIM | PointType.ARGUMENT:
                return "claim_factuality"
            case _:
                assert_never(self)


class PointKind(StrEnum):
    """What a remark does, beside its type."""

    CRITICISM = "criticism"  # says that something is wrong or lacking
    REQUEST = "request"  # asks for, or suggests, something more or other
    QUESTION = "question"  # asks for information
    NONE = "none"  # praise, a verdict, thanks, a pointer, a fragment: no point, never judged


class Role(StrEnum):
    """What the reviewer was asked to write in a section of the form."""

    SUMMARY = "summary"
    STRENGTHS = "strengths"
    WEAKNESSES = "weaknesses"
    MIXED = "mixed"  # strengths and weaknesses together, or a whole review in one box
    QUESTIONS = "questions"
    REQUESTS = "requests"
    LIMITATIONS = "limitations"
    LATE = "late"  # written after the discussion; never part of the first review
    SCORES = "scores"
    IGNORE = "ignore"


class Review(Record):
    """One review of one paper.

    Attributes:
        fields: The review's text boxes by name, in the order of the form. A review that came as
            one text has the single field ``text``; headings inside it are found by `points`.
        reviewer: Pseudonym; never a person's name.
        author_response: What the authors answered, if the input has it.
        consent: Who may judge it; None where its record does not say.
    """

    review_id: str
    paper_id: str
    reviewer: str | None = None
    fields: dict[str, str]
    rating: float | str | None = None
    confidence: float | str | None = None
    author_response: str | None = None
    date: str | None = None
    consent: Consent | None = Field(default=None, exclude_if=lambda value: value is None)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, self.review_id
        yield None, Word(", ".join(self.fields) or "empty")


class Occurrence(Record):
    """Another place of a review where the concern of a point is repeated.

    Attributes:
        section: Heading or field it stands under, as the reviewer's form has it.
        text: ``review.fields[span.field][span.start:span.end]``.
        span: Where it stands.
    """

    section: str
    text: str
    span: Span


class Neighbours(Record):
    """The sentences of a review around a point, verbatim; empty where its section ends.

    Attributes:
        before: The sentence before it.
        after: The sentence after it.
    """

    before: str = ""
    after: str = ""


class ProposedPoint(Record):
    """What somebody who read a review takes for a point; whether it is there is not yet checked.

    Attributes:
        text: Its words.
        kind: What it does; None if that was not said.
        type: Its type; None if that was not said.
        also: Words of the review that repeat it elsewhere.
        lead_in: Words of the review that it cannot be understood without.
    """

    text: str
    kind: PointKind | None = None
    type: PointType | None = None
    also: tuple[str, ...] = ()
    lead_in: str = ""


class ReviewPoint(Record):
    """One self-contained weakness or question, a verbatim span of a review.

    Attributes:
        point_id: The review's identifier, a dot and eight hexadecimal digits of the SHA-256 of
            the words, with ``-2``, ``-3`` for repeats (`schema.point_id`); so it is made where
            none is given, and one that is given stays.
        number: Place among the points of its review in reading order, counted from 1; None of a
            point that no splitter made.
        section: Heading or field the point stands under, as the reviewer's form has it.
        role: What that section is for.
        text: ``review.fields[span.field][span.start:span.end]``.
        kind: What it does, beside its type; None where nobody said.
        type: Its type as whoever split the review took it; None where that is left to the judge.
        context: Words of the review, mostly just before the point, that it needs to be understood
            (such as the lead-in of a list), verbatim; empty for most points.
        neighbours: The sentences around it; None where they were not looked up.
        occurrences: Other places of the review that repeat it, in reading order.
        places: Places of the paper that it names; None until it has met its paper.
        language: ISO 639 code of the language that it is written in, where that is not English.
        consent: Who may judge its review, where that said so.
    """

    point_id: str = ""
    review_id: str
    paper_id: str
    number: int | None = Field(default=None, ge=1)
    section: str
    role: Role
    text: str
    span: Span
    kind: PointKind | None = None
    type: PointType | None = None
    context: str = ""
    neighbours: Neighbours | None = None
    occurrences: tuple[Occurrence, ...] = Field(default=(), strict=False)
    places: tuple[Place, ...] | None = Field(default=None, strict=False)
    language: str | None = None
    consent: Consent | None = Field(default=None, exclude_if=lambda value: value is None)

    @model_validator(mode="before")  # after it lists of JSON are lists of Python: not strict above
    @classmethod
    def _named_by_content(cls, given: Any) -> Any:  # pydantic checks it afterwards
        if isinstance(given, dict) and not given.get("point_id"):
            review, text = given.get("review_id"), given.get("text")
            if isinstance(review, str) and isinstance(text, str):
                return {**given, "point_id": content_id(review, text)}
        return given

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, shortened(self.text)
        yield None, shortened(self.role)
