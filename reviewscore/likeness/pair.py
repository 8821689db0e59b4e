"""What every metric of likeness scores: a candidate text and a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Pair:
    """A candidate review and the reference it is scored against.

    Attributes:
        paper_id: The paper both are about.
        candidate: The text that is scored, x.
        reference: Another reviewer's text on the paper, y.
        synopsis: What anybody could know of the paper.
        paper: The paper's text, for judges that read it.
    """

    paper_id: str
    candidate: str
    reference: str
    synopsis: str | None = None
    paper: str | None = None


class Metric(Protocol):
    """Scores candidates, the higher the better; in units of its own."""

    @property
    def name(self) -> str:
        """Name of the metric, as in a table."""

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        """One score for each pair, in order; None where there is none."""
