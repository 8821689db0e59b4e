"""Ratings of expertise from files: one rating a line, or one participant a line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.load import input_error
from reviewscore.similarity.goldstandard import SCALE, Ratings, ratings_of
from reviewscore.similarity.tabular import Line, beside, lines
from reviewscore.sources.system_reviews import Numbered

NAMES = ("evaluations", "ratings")
_PERSON = ("reviewer_id", "reviewer", "participant", "participantid", "user")
_PAPER = re.compile(r"paper(\d+)")
_CURE = "give a file of reviewer_id, paper_id, expertise, or a folder with evaluations"


class _RatingRow(BaseModel):
    """One rating; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reviewer_id: Annotated[Numbered, Field(validation_alias=AliasChoices(*_PERSON))]
    paper_id: Annotated[Numbered, Field(validation_alias=AliasChoices("paper_id", "paper"))]
    expertise: Annotated[float, Field(validation_alias=AliasChoices("expertise", "rating"))]


def ratings_file(place: Path) -> Path:
    """The file of ratings: itself, or the one in a folder.

    Raises:
        InputError: There is none.
    """
    if not place.is_dir():
        return place
    found = next(filter(None, (beside(place, name) for name in NAMES)), None)
    if found is None:
        raise InputError(f"has no {' or '.join(NAMES)}", file=place, cure=_CURE)
    return found


def read_ratings(file: Path) -> Ratings:
    """Read ratings, in the order of the file.

    A line is one rating (reviewer_id, paper_id, expertise) or, as in the released gold standard,
    one participant (ParticipantID, Paper1, Paper2, .., Expertise1, Expertise2, ..).

    Raises:
        InputError: A line cannot be used, a rating is outside 1..5 or is given twice.
    """
    found: dict[str, dict[str, float]] = {}
    for line, record, field in _single(file):
        try:
            row = _RatingRow.model_validate(record)
        except ValidationError as error:
            raise input_error(error, file=file, line=line.number) from error
        low, high = SCALE
        if not low <= row.expertise <= high:  # also where it is no number
            raise InputError(
                f"{row.expertise:g} is outside of {low:g} to {high:g}",
                file=file, line=line.number, field=field, cure="correct the rating",
            )  # fmt: skip
        papers = found.setdefault(row.reviewer_id, {})
        if row.paper_id in papers:
            raise InputError(
                f"'{row.reviewer_id}' has rated '{row.paper_id}' before",
                file=file, line=line.number, field=field, cure="keep one of the two",
            )  # fmt: skip
        papers[row.paper_id] = row.expertise
    if not found:
        raise InputError("holds no ratings", file=file, cure=_CURE)
    return ratings_of([(person, list(papers.items())) for person, papers in found.items()])


def _single(file: Path) -> Iterator[tuple[Line, dict[str, object], str]]:
    """Lines, one rating at a time, with the field it stands in."""
    for line in lines(file):
        record = {name.lower(): value for name, value in line.record.items()}
        numbers = [match[1] for name in record if (match := _PAPER.fullmatch(name))]
        if not numbers:
            yield line, record, "expertise"
            continue
        for number in numbers:
            paper = record[f"paper{number}"]
            field = f"Expertise{number}"
            rating = record.get(field.lower())
            if _blank(paper) and _blank(rating):
                continue
            if _blank(paper) or _blank(rating):
                raise InputError(
                    f"has no {field if _blank(rating) else f'Paper{number}'}",
                    file=file, line=line.number, field=f"Paper{number}", cure="fill in both",
                )  # fmt: skip
            person = next((record[one] for one in _PERSON if one in record), None)
            yield (
                line,
                {"reviewer_id": person, "paper_id": paper, "expertise": rating},
                field,
            )


def _blank(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))
