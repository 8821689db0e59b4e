"""The scales that points and premises are scored on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers from one end to the other, each with a meaning.

    Attributes:
        name: What is scored.
        low: The lowest score.
        high: The highest score.
        labels: What each score says, the lowest first.
    """

    name: str
    low: int
    high: int
    labels: tuple[str, ...] = ()

    @property
    def values(self) -> range:
        """All scores, lowest first."""
        return range(self.low, self.high + 1)

    @property
    def middle(self) -> int:
        """The score that takes no side."""
        return (self.low + self.high) // 2

    @property
    def misinformed_up_to(self) -> int:
        """The highest score that calls a point misinformed: 2 of 5 (ReviewScore, def. 3)."""
        return self.middle - 1

    def __contains__(self, score: object) -> bool:
        return score in self.values

    def misinformed(self, score: float) -> bool:
        """Whether a score lies in the misinformed half."""
        return score <= self.misinformed_up_to

    def __getitem__(self, score: int) -> str:
        """What a score says."""
        return self.labels[self.values.index(score)]


FIVE_POINTS = Scale("five points", 1, 5)
UNANSWERABILITY = Scale(
    "unanswerability",
    1,
    5,
    (
        "definitely answerable by the paper",
        "likely answerable by the paper",
        "no verdict",
        "likely not answerable by the paper",
        "definitely not answerable by the paper",
    ),
)
FACTUALITY = Scale(
    "factuality",
    1,
    5,
    (
        "definitely false of the paper",
        "likely false of the paper",
        "no verdict",
        "likely true of the paper",
        "definitely true of the paper",
    ),
)
PREMISE_FACTUALITY = Scale(
    "factuality",
    1,
    5,
    ("definitely false", "likely false", "no verdict", "likely true", "definitely true"),
)
STANDING = Scale(
    "standing",
    1,
    5,
    (
        "a fair reviewer who knows the passages would surely not make this remark",
        "a fair reviewer who knows the passages would probably not make this remark",
        "it is open whether a fair reviewer would still make this remark",
        "a fair reviewer would probably still make this remark",
        "a fair reviewer would surely still make this remark",
    ),
)
UNTRIVIALNESS = Scale(
    "untrivialness", 0, 2, ("definitely trivial", "probably trivial", "not trivial")
)

Score = Annotated[int, Field(ge=FIVE_POINTS.low, le=FIVE_POINTS.high)]
MeanScore = Annotated[float, Field(ge=FIVE_POINTS.low, le=FIVE_POINTS.high)]
"""A score that need not be a whole number, such as an average."""
Weight = Annotated[int, Field(ge=UNTRIVIALNESS.low, le=UNTRIVIALNESS.high)]
"""An untrivialness."""
