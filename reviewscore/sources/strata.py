"""What papers and reviews are grouped by: areas, reviewers, ratings; no words are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.schema.paper import base_paper_id
from reviewscore.sources.records import table_rows

FIELDS = (
    "area", "primary_area", "subject_area", "track",
    "Please_choose_the_closest_area_that_your_submission_falls_into", "subject_areas",
)  # fmt: skip
"""Fields of a paper's record, or of an OpenReview submission, that hold its area; the first counts.

``primary_area`` is ICLR's from 2024 on and NeurIPS's, the long one ICLR's of 2023. Keywords are not
among them: authors choose them freely, so that nearly every paper would be an area of its own."""


def area_of(record: Mapping[str, object], fields: Sequence[str] = FIELDS) -> str | None:
    """The area of a paper; of a list of areas the first one.

    Args:
        record: Its fields.
        fields: Where to look, in order.
    """
    for name in fields:
        value = record.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return None


def areas_of_papers(files: Sequence[Path], field: str | None = None) -> dict[str, str]:
    """Areas by paper id without its version, from the papers' own records, as far as they say.

    Args:
        files: Files of papers.
        field: Where to look; None for `FIELDS`.

    Raises:
        InputError: A file cannot be read, or no paper has the field that was named.
    """
    fields = FIELDS if field is None else (field,)
    values = {
        base_paper_id(str(record["paper_id"])): area
        for file in files
        for _, record in table_rows(file, ("paper_id", *fields))
        if record.get("paper_id") is not None and (area := area_of(record, fields)) is not None
    }
    if field is not None and not values:
        raise InputError(
            "holds an area for no paper", file=files[0] if files else None, field=field,
            cure="name another field with --area-field, or a table with --areas",
        )  # fmt: skip
    return values


def read_pairs(file: Path, key: str, value: str) -> dict[str, str]:
    """What a table says of each key: CSV, a spreadsheet, JSONL or Parquet with two columns.

    Args:
        file: The table.
        key: Column of the keys, such as ``paper_id``.
        value: Column of what is said, such as ``area``.

    Raises:
        InputError: A column is missing, a cell is empty, or a key has two values; names file and
            line.
    """
    values: dict[str, str] = {}
    for line, record in table_rows(file, (key, value)):
        for name in (key, value):
            if name not in record or record[name] in (None, ""):
                there = ", ".join(map(str, record)) or "nothing"
                raise InputError(
                    f"is missing (there is: {there})", file=file, line=line, field=name,
                    cure=f"give a table with columns {key} and {value}",
                )  # fmt: skip
        name, said = str(record[key]), " ".join(str(record[value]).split())
        if values.setdefault(name, said) != said:
            raise InputError(
                f"'{name}' has '{said}' here and '{values[name]}' above", file=file, line=line,
                field=value, cure=f"give each {key} one {value}",
            )  # fmt: skip
    if not values:
        raise InputError("holds no rows", file=file, cure=f"give columns {key} and {value}")
    return values


_COLUMNS = ("review_id", "paper_id", "reviewer", "rating", "confidence", "scores")


@dataclass(frozen=True)
class ReviewFacts:
    """A review without its text.

    Attributes:
        paper_id: Paper that it is of, whatever the version.
        reviewer: Pseudonym; None if there is none.
        scores: ``rating`` and ``confidence`` as words, where they are given.
        scales: The scale of each as words, such as ``1 to 6``, where the form tells.
    """

    paper_id: str
    reviewer: str | None
    scores: Mapping[str, str]
    scales: Mapping[str, str] = field(default_factory=dict)


def read_review_facts(files: Sequence[Path]) -> dict[str, ReviewFacts]:
    """Facts by review id.

    Args:
        files: Files of reviews; of a review in two of them the later one counts.

    Raises:
        InputError: A file cannot be read.
    """
    fact_groups: dict[str, ReviewFacts] = {}
    for file in files:
        for _, record in table_rows(file, _COLUMNS):
            if record.get("review_id") is None:
                continue
            reviewer = record.get("reviewer")
            fact_groups[str(record["review_id"])] = ReviewFacts(
                paper_id=base_paper_id(str(record.get("paper_id"))),
                reviewer=str(reviewer) if reviewer not in (None, "") else None,
                scores={
                    name: text
                    for name in ("rating", "confidence")
                    if (text := _score(record.get(name)))
                },
                scales=_scales(record.get("scores")),
            )
    return fact_groups


def _scales(scores: object) -> dict[str, str]:
    """Lowest and highest value that a form allows, by the name of the score."""
    scales: dict[str, str] = {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        allowed = score.get("allowed") if isinstance(score, dict) else None
        values = [value for value in allowed or () if isinstance(value, int | float)]
        if values:
            scales[str(name)] = f"{min(values):g} to {max(values):g}"
    return scales


def _score(value: object) -> str | None:
    """A score as it is grouped by: ``6: marginally above`` and 6.0 are both ``6``."""
    if isinstance(value, bool) or value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, int | float):
        return f"{value:g}"
    return str(value).partition(":")[0].strip() or None
