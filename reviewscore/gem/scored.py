"""Scores with the reasons of those that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, runtime_checkable

from reviewscore.text.similarity import Metric, Pair

NO_SCORE = "the metric gave no score"
NOT_FINITE = "the metric gave no finite score"


@dataclass(frozen=True, slots=True)
class Scored:
    """One score.

    Attributes:
        value: The higher the better, in the metric's units; None if there is none.
        reason: Why there is none; empty if there is one.
    """

    value: float | None
    reason: str = ""


@runtime_checkable
class Explaining(Protocol):
    """A metric that says why a score is missing."""

    def scored(self, pairs: Sequence[Pair]) -> list[Scored]:
        """One for each pair, in order."""


def scored(metric: Metric, pairs: Sequence[Pair]) -> list[Scored]:
    """Scores of the pairs, in order, each missing one with its reason; infinite ones are none."""
    if isinstance(metric, Explaining):
        found = metric.scored(pairs)
    else:
        found = [
            Scored(value, "" if value is not None else NO_SCORE) for value in metric.scores(pairs)
        ]
    return [
        one if one.value is None or isfinite(one.value) else Scored(None, NOT_FINITE)
        for one in found
    ]
