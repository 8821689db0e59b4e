"""Premise scores to one argument score (ReviewScore, arXiv 2509.21679, sec. 3.1).

Two ways: the logical conjunction, which decides whether the argument is misinformed, and the
average of factuality weighted by untrivialness. Unknown stays unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from reviewscore.errors import InputError
from reviewscore.schema.argument import Premise
from reviewscore.schema.point_score import Advanced
from reviewscore.schema.scale import FIVE_POINTS

AGGREGATION_VERSION = 1
"""Raise it when the same verdicts would give a point another score, status or flag."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """An average of premise scores.

    Attributes:
        score: 1..5, 5 is best, not rounded; None is unknown.
        all_trivial: All weights were 0, so `score` is the plain mean.
    """

    score: float | None
    all_trivial: bool = False


def conjunction(scores: Sequence[int | None]) -> bool | None:
    """Whether every premise is true, that is has factuality 3, 4 or 5.

    Args:
        scores: Factuality of each premise, 1..5; None is unknown.

    Returns:
        False as soon as one known premise is false; otherwise None if a score is missing or there
        are no premises.
    """
    if any(score is not None and FIVE_POINTS.misinformed(score) for score in scores):
        return False
    return None if not scores or None in scores else True


def weighted(factualities: Sequence[int | None], untrivialness: Sequence[int | None]) -> Weighted:
    """The average factuality, each premise weighted by its untrivialness: sum(u f) / sum(u).

    Where all weights are 0 it is the plain mean, marked so. A missing factuality or weight makes
    it unknown, and so does the lack of premises.

    Args:
        factualities: 1..5 for each premise; None is unknown.
        untrivialness: 0..2 for each premise, in the same order; None is unknown.

    Raises:
        InputError: The two differ in length.
    """
    if len(factualities) != len(untrivialness):
        raise InputError(
            f"{len(factualities)} factualities but {len(untrivialness)} weights; "
            "each premise has one of both"
        )
    scores = [score for score in factualities if score is not None]
    weights = [weight for weight in untrivialness if weight is not None]
    if not scores or len(scores) < len(factualities) or len(weights) < len(untrivialness):
        return Weighted(None)
    total = sum(weights)
    if total == 0:
        return Weighted(sum(scores) / len(scores), all_trivial=True)
    return Weighted(sum(u * f for u, f in zip(weights, scores, strict=True)) / total)


def advanced(premises: Sequence[Premise]) -> Advanced:
    """The ADVANCED ReviewScore of an argument, from the verdicts on its premises."""
    verdicts = [premise.verdict for premise in premises]
    factualities = [None if verdict is None else verdict.factuality for verdict in verdicts]
    average = weighted(
        factualities, [None if verdict is None else verdict.untrivialness for verdict in verdicts]
    )
    return Advanced(
        score=average.score,
        conjunction=conjunction(factualities),
        all_trivial=average.all_trivial,
    )


def round_half_up(score: float) -> int:
    """The nearest integer of a score that is not negative; halves go up (2.5 is 3)."""
    return int(Decimal(score).quantize(Decimal(1), rounding=ROUND_HALF_UP))
