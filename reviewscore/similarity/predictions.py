"""Similarities that some method has predicted, from files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from reviewscore.bounds import in_force
from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.hygiene import read_text
from reviewscore.papers.load import Identifier, input_error
from reviewscore.similarity.corpus import ONLY, Unread
from reviewscore.similarity.tabular import Line, beside, cells, lines
from reviewscore.sources.system_reviews import Numbered

NAME = "predictions"
_CURE = "give a file of reviewer_id, paper_id, similarity (and algorithm, version)"
_OPENREVIEW = ("paper_id", "reviewer_id", "similarity")
"""Columns of the scores of openreview-expertise, which have no heading."""


@dataclass(frozen=True)
class Predicted:
    """Similarities of one method.

    Attributes:
        name: The method.
        versions: By version of the data, by pair of reviewer and paper: the similarity.
        unread: Reviewers and papers that the method cannot compare.
        file: Where it was read; None if it was computed.
    """

    name: str
    versions: dict[str, dict[tuple[str, str], float]]
    unread: Unread = field(default_factory=Unread)
    file: Path | None = None


class _PredictionRow(BaseModel):
    """One prediction; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reviewer_id: Annotated[
        Numbered, Field(validation_alias=AliasChoices("reviewer_id", "reviewer", "user"))
    ]
    paper_id: Annotated[
        Numbered, Field(validation_alias=AliasChoices("paper_id", "paper", "submission"))
    ]
    similarity: Annotated[float | None, Field(validation_alias=AliasChoices("similarity", "score"))]
    algorithm: Annotated[
        str | None, Field(validation_alias=AliasChoices("algorithm", "regime"))
    ] = None
    version: Annotated[Identifier, BeforeValidator(lambda one: ONLY if one is None else one)] = ONLY


def predictions_file(folder: Path) -> Path:
    """The file of predictions in a folder.

    Raises:
        InputError: There is none.
    """
    if (found := beside(folder, NAME)) is None:
        raise InputError(f"has no {NAME}", file=folder, cure=_CURE)
    return found


def read_predictions(file: Path, name: str | None = None) -> list[Predicted]:
    """Read predictions of one or several methods.

    Args:
        file: Records of reviewer_id, paper_id, similarity, and possibly algorithm and version; a
            CSV file of paper, reviewer, score without a heading (openreview-expertise); or JSON
            of papers and scores by reviewer.
        name: What to call the method; if the file has several, it goes before their names.

    Raises:
        InputError: A line cannot be used, or a pair is given twice.
    """
    found: dict[str, Predicted] = {}
    places: dict[tuple[str, str, str, str], int] = {}
    for line in _lines(file):
        try:
            row = _PredictionRow.model_validate(line.record)
        except ValidationError as error:
            raise input_error(error, file=file, line=line.number) from error
        if row.similarity is not None and math.isinf(row.similarity):
            raise InputError(
                "is infinite", file=file, line=line.number, field="similarity",
                cure="give a number, or leave the line out",
            )  # fmt: skip
        named = " ".join(filter(None, (name, row.algorithm))) or file.stem
        key = (named, row.version, row.reviewer_id, row.paper_id)
        if key in places:
            raise InputError(
                f"reviewer '{row.reviewer_id}', paper '{row.paper_id}' is also at line "
                f"{places[key]}",
                file=file, line=line.number, field="similarity", cure="keep one of the two",
            )  # fmt: skip
        places[key] = line.number
        if row.similarity is None or math.isnan(row.similarity):
            continue  # no value is not 0: the pair is missing
        one = found.setdefault(named, Predicted(named, {}, file=file))
        one.versions.setdefault(row.version, {})[row.reviewer_id, row.paper_id] = row.similarity
    if not found:
        raise InputError("holds no predictions", file=file, cure=_CURE)
    return list(found.values())


def _lines(file: Path) -> Iterator[Line]:
    if file.suffix.lower() == ".json":
        yield from _nested(file)
        return
    if file.suffix.lower() == ".csv" and file.is_file():
        first = next(cells(file), None)
        if first is not None and len(first[1]) == len(_OPENREVIEW) and _is_number(first[1][2]):
            yield from _bare(file)
            return
    yield from lines(file)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _bare(file: Path) -> Iterator[Line]:
    for number, row in cells(file):
        if len(row) != len(_OPENREVIEW):
            raise InputError(
                f"has {len(row)} cells, not paper, reviewer, score",
                file=file, line=number, cure="take the line out",
            )  # fmt: skip
        yield Line(file, number, dict(zip(_OPENREVIEW, row, strict=True)))


def _nested(file: Path) -> Iterator[Line]:
    try:
        read = load_json(read_text(file, bound=in_force().table))
    except UnusableJsonError as error:
        raise error.of_input(file) from error
    except ValueError as error:
        raise InputError(f"is not JSON ({error})", file=file, cure=_CURE) from error
    if not isinstance(read, dict) or not all(isinstance(one, dict) for one in read.values()):
        raise InputError(
            "is no object of scores by reviewer and paper", file=file,
            cure='write {"reviewer": {"paper": 0.5}}',
        )  # fmt: skip
    pairs = ((who, paper, score) for who, papers in read.items() for paper, score in papers.items())
    for number, (who, paper, score) in enumerate(pairs, 1):
        yield Line(file, number,
                   {"reviewer_id": who, "paper_id": paper, "similarity": score})  # fmt: skip
