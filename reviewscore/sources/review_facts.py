"""What stands beside the words of reviews: reviewer, rating, confidence; no words are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewscore.sources.areas import table_rows

_COLUMNS = ("review_id", "paper_id", "reviewer", "rating", "confidence")


@dataclass(frozen=True)
class ReviewFacts:
    """A review without its text.

    Attributes:
        paper_id: Paper that it is of.
        reviewer: Pseudonym; None if there is none.
        scores: ``rating`` and ``confidence`` as words, where they are given.
    """

    paper_id: str
    reviewer: str | None
    scores: Mapping[str, str]


def read_review_facts(files: Sequence[Path]) -> dict[str, ReviewFacts]:
    """Facts by review id.

    Args:
        files: Files of reviews; of a review in two of them the later one counts.

    Raises:
        InputError: A file cannot be read.
    """
    found: dict[str, ReviewFacts] = {}
    for file in files:
        for _, record in table_rows(file, _COLUMNS):
            if record.get("review_id") is None:
                continue
            reviewer = record.get("reviewer")
            found[str(record["review_id"])] = ReviewFacts(
                paper_id=str(record.get("paper_id")),
                reviewer=str(reviewer) if reviewer not in (None, "") else None,
                scores={
                    name: text
                    for name in ("rating", "confidence")
                    if (text := _score(record.get(name)))
                },
            )
    return found


def _score(value: object) -> str | None:
    """A score as it is grouped by: ``6: marginally above`` and 6.0 are both ``6``."""
    if isinstance(value, bool) or value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, int | float):
        return f"{value:g}"
    return str(value).partition(":")[0].strip() or None
