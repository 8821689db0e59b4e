"""Ask for many coefficients, then compute all of them with their intervals in one go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from pydantic import Field

from reviewscore.schema.record import Record
from reviewscore.stats.resampling import (
    Clusters,
    Method,
    Resampling,
    bootstrap,
    interval,
    jackknife,
    swapped,
)
from reviewscore.stats.statistic import Floats, MissingReason, Statistic, quotient


class Estimate(Record):
    """A coefficient with all that belongs to it.

    Attributes:
        coefficient: Its name.
        value: The coefficient; None if undefined, with a `reason`.
        low: Lower end of the interval; None if there is none.
        high: Upper end.
        n: Units that count.
        dropped: Units of this row that do not count, by reason.
        reason: Why there is no value, or that the value holds by definition alone.
        undefined: Share of resamples in which the coefficient had no value.
        p: Of a difference, the two-sided permutation p-value; None otherwise.
        method: How the interval was made.
    """

    coefficient: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    dropped: dict[str, int] = Field(default_factory=dict)
    reason: str = ""
    undefined: float = 0.0
    p: float | None = None
    method: Method = "bca"


@dataclass
class PendingEstimate:
    """A place in a table that gets its estimate when all are computed.

    Attributes:
        statistic: What is asked for.
        dropped: Units that do not count, by reason.
        minus: Of a difference, the coefficient that is subtracted.
        estimate: The answer; None until `BootstrapPlan.run`.
    """

    statistic: Statistic
    dropped: Mapping[str, int] = field(default_factory=dict)
    minus: Statistic | None = None
    estimate: Estimate | None = None

    @property
    def answer(self) -> Estimate:
        """The estimate, once it has been computed."""
        assert self.estimate is not None, "asked for before BootstrapPlan.run"
        return self.estimate


class BootstrapPlan:
    """Collects coefficients of one set of units and computes them on the same resamples.

    Args:
        clusters: The papers of the units.
        resampling: How intervals are made.
    """

    def __init__(self, clusters: Clusters, resampling: Resampling) -> None:
        self.clusters, self.resampling = clusters, resampling
        self._slots: list[PendingEstimate] = []

    def ask(
        self,
        statistic: Statistic,
        dropped: Mapping[str, int] | None = None,
        *,
        minus: Statistic | None = None,
    ) -> PendingEstimate:
        """A slot for a coefficient, or for the difference of two."""
        slot = PendingEstimate(statistic, dropped or {}, minus)
        self._slots.append(slot)
        return slot

    def run(self) -> None:
        """Fill all slots."""
        if not self._slots:
            return
        asked = [slot.statistic for slot in self._slots]
        asked += [slot.minus for slot in self._slots if slot.minus is not None]
        how = self.resampling
        drawn = bootstrap(
            asked, self.clusters, resamples=how.resamples, seed=how.seed, scheme=how.scheme
        )
        left_out = jackknife(asked, self.clusters)
        p_values = self._p_values()
        subtracted = iter(range(len(self._slots), len(asked)))
        for row, slot in enumerate(self._slots):
            replicates, without = drawn[row], left_out[row]
            if slot.minus is not None:
                other = next(subtracted)
                replicates, without = replicates - drawn[other], without - left_out[other]
            slot.estimate = self._estimate(slot, replicates, without, p_values.get(row))

    def _p_values(self) -> dict[int, float]:
        """Of the differences of one coefficient."""
        pairs = {
            row: (slot.statistic, slot.minus)
            for row, slot in enumerate(self._slots)
            if slot.minus is not None and slot.minus.name == slot.statistic.name
        }
        if not pairs:
            return {}
        how = self.resampling
        moved = swapped(
            list(pairs.values()), self.clusters, permutations=how.resamples, seed=how.seed
        )
        p_values = {}
        for (row, (left, right)), chance in zip(pairs.items(), moved, strict=True):
            seen = abs(left.point()[0] - right.point()[0])
            known = np.abs(chance[~np.isnan(chance)])
            if not math.isnan(seen) and len(known):
                # Rounding must not turn an equal difference into a smaller one.
                p_values[row] = float((1 + (known >= seen - 1e-12).sum()) / (1 + len(known)))
        return p_values

    def _estimate(
        self, slot: PendingEstimate, drawn: Floats, left_out: Floats, p: float | None
    ) -> Estimate:
        value, reason = _value(slot.statistic)
        if slot.minus is not None:
            other, why = _value(slot.minus)
            value, reason = value - other, reason or why
        made = estimate(
            slot.statistic.name,
            value,
            drawn,
            left_out,
            self.resampling,
            n=slot.statistic.n,
            reason=reason.words,
            least=slot.statistic.least if slot.minus is None else None,
        )
        dropped = {name: count for name, count in slot.dropped.items() if count}
        made = made.model_copy(update={"dropped": dropped, "p": p})
        settle = slot.statistic.settle if slot.minus is None else None
        return made if settle is None else settle(slot.statistic, made, self.resampling.level)


def estimate(
    name: str,
    value: float,
    drawn: Floats,
    left_out: Floats,
    how: Resampling,
    *,
    n: int,
    reason: str = "",
    least: float | None = None,
) -> Estimate:
    """A value with the interval that its replicates give.

    Args:
        name: Of the value.
        value: NaN if undefined.
        drawn: Shape (resamples,); its bootstrap replicates.
        left_out: Shape (papers,); the value without each paper.
        how: How the interval is made.
        n: Units that count.
        reason: Why there is no value, or that it holds by definition alone.
        least: The smallest value, where chance moves the value away from it (`Statistic.least`).
    """
    method: Method = how.method if least is None else "basic"
    ends = interval(value, drawn, left_out, method=method, level=how.level)
    return Estimate(
        coefficient=name,
        value=_or_none(value),
        low=_or_none(_at_least(least, ends.low)),
        high=_or_none(_at_least(least, ends.high)),
        n=n,
        reason=reason,
        undefined=ends.undefined,
        method=ends.method,
    )


def mean(name: str, scores: Floats) -> Statistic:
    """The mean of numbers, such as a share of 0 and 1; NaN does not count."""
    known = ~np.isnan(scores)
    return quotient(name, np.where(known, scores, 0.0), known, known, MissingReason.NO_UNITS)


def only(statistic_units: Floats, rows: Floats) -> Floats:
    """Scores with those outside `rows` (0 or NaN) taken out."""
    return np.where(rows == 1, statistic_units, np.nan)


def _value(statistic: Statistic) -> tuple[float, MissingReason]:
    """The estimate, by the well-known library where there is one."""
    value, reason = statistic.point()
    if statistic.library is not None and reason is MissingReason.NONE:
        known = statistic.library()
        value = value if math.isnan(known) else known
    return value, reason


def _at_least(least: float | None, end: float) -> float:
    return end if least is None or math.isnan(end) else max(least, end)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
