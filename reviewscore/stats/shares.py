"""Shares of points, and their differences in one or two sets of papers, with intervals.

Points of one paper are alike, so that papers are drawn, each with all its points (the bootstrap of
clusters: Davison and Hinkley 1997, Bootstrap Methods and their Application, sec. 3.8). What is
resampled is a table of papers, never one of points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from reviewscore.stats.estimates import BootstrapPlan, Estimate, estimate
from reviewscore.stats.resampling import Clusters, Resampling, bootstrap_weights, wilson
from reviewscore.stats.statistic import Floats, MissingReason, Statistic, quotient, ratio

PAPERS = Resampling(resamples=2000, scheme="papers")
"""How intervals of shares are made where nothing else is said."""
SECOND_SEED = 1_000_003
"""Added to the seed for the second of two sets, whose papers are drawn on their own."""
ONE_PAPER = "all points are of one paper, so that there is no interval"
ALIKE = "papers differ all alike, so that there is no interval"
_FEWEST = 2
_ROUNDING = 1e-12


def plan_of_papers(papers: int, how: Resampling) -> BootstrapPlan:
    """A plan whose units are papers."""
    return BootstrapPlan(Clusters.each(papers), replace(how, scheme="papers"))


def share(name: str, hits: Floats, base: Floats) -> Statistic:
    """The share of points with a property, of sums over papers: sum(hits) / sum(base).

    Args:
        name: Of the share.
        hits: Shape (papers,); points with the property in each paper.
        base: Shape (papers,); points among which they are counted.

    Returns:
        0..1; undefined if `base` sums to 0. It counts papers whose `base` is above 0; its estimate
        counts points.
    """
    made = quotient(name, hits, base, base > 0, MissingReason.NO_VERDICT)
    return replace(made, settle=partial(_settled, paired=False))


def paired_difference(name: str, first: Floats, second: Floats, base: Floats) -> Statistic:
    """The difference of two shares of the same points: sum(second - first) / sum(base).

    Args:
        name: Of the difference.
        first: Shape (papers,); hits of the first run in each paper.
        second: Likewise of the second, among the same points.
        base: Shape (papers,); points known to both.

    Returns:
        -1..1; undefined if `base` sums to 0.
    """
    made = quotient(name, second - first, base, base > 0, MissingReason.NO_VERDICT)
    return replace(made, settle=partial(_settled, paired=True))


def between_papers(statistic: Statistic, made: Estimate, level: float) -> Estimate:
    """The estimate of a statistic whose units are papers; without an interval if it is of one."""
    papers = np.count_nonzero(statistic.contributions.sum(axis=1))
    if made.value is None or papers >= _FEWEST:
        return made
    return made.model_copy(update={"low": None, "high": None, "reason": ONE_PAPER})


def _settled(statistic: Statistic, made: Estimate, level: float, *, paired: bool) -> Estimate:
    """The estimate with n in points and an interval only where there can be one.

    With points of one paper alone there is none. Where resamples do not vary, as where every point
    or none is a hit, the interval is Wilson's with as many independent observations as there are
    papers, which errs to the wide side. Of a paired difference that no paper shows, it reaches as
    far as Wilson's upper end for 0 of so many papers, to both sides; where all papers differ
    alike, there is none. An end that BCa has shifted past the value itself is the value.
    """
    over, n = statistic.contributions.T
    papers = statistic.n
    change: dict[str, object] = {"n": round(float(n.sum()))}
    if made.value is not None and papers < _FEWEST:
        change |= {"low": None, "high": None, "reason": ONE_PAPER}
    elif made.value is not None and paired and not over.any():
        reach = wilson(0, papers, level=level)[1]
        change |= {"low": -reach, "high": reach, "method": "wilson"}
    elif paired and _still(made):
        change |= {"low": None, "high": None, "reason": ALIKE}
    elif made.value is not None and _still(made):
        low, high = wilson(made.value * papers, papers, level=level)
        change |= {"low": low, "high": high, "method": "wilson"}
    return _holding_value(made).model_copy(update=change)


def _still(made: Estimate) -> bool:
    """Whether resamples did not vary, so that the bootstrap says nothing."""
    return made.low is not None and made.high is not None and made.high - made.low < _ROUNDING


def _holding_value(made: Estimate) -> Estimate:
    """The estimate with an interval that holds its value: an end that BCa shifted past it is it."""
    if made.value is None or made.low is None or made.high is None:
        return made
    ends = {"low": min(made.low, made.value), "high": max(made.high, made.value)}
    return made.model_copy(update=ends)


Cut: TypeAlias = Callable[[Floats], Floats]
"""Sums of one set, shape (samples, k), to hits and bases, shape (samples, 2)."""
Quantity: TypeAlias = Callable[[Floats, Floats], Floats]
"""A quantity of two sets' sums, shapes (samples, k), to shape (samples,); NaN undefined."""


@dataclass(frozen=True)
class PaperSample:
    """A set of papers and what resampling makes of their sums.

    Attributes:
        each: Shape (papers, k); what each paper adds.
        total: Shape (1, k); their sums.
        drawn: Shape (resamples, k); sums of the resamples.
    """

    each: Floats
    total: Floats
    drawn: Floats

    @classmethod
    def of(cls, each: Floats, how: Resampling, *, second: bool = False) -> PaperSample:
        """Draw papers; those of the second set on their own."""
        papers = Clusters.each(len(each))
        seed = how.seed + (SECOND_SEED if second else 0)
        drawn = [
            weights @ each
            for weights in bootstrap_weights(papers, how.resamples, seed=seed, scheme="papers")
        ]
        return cls(each, each.sum(axis=0, keepdims=True), np.concatenate(drawn))

    @property
    def left_out(self) -> Floats:
        """Shape (papers, k); the sums without each paper."""
        return self.total - self.each

    def share(self, cut: Cut, how: Resampling) -> Estimate:
        """A share in this set alone, by the resamples that were drawn."""
        statistic = share("share", *cut(self.each).T)
        value, reason = statistic.point()
        assert statistic.settle is not None
        made = estimate(
            statistic.name, value, _rate(cut(self.drawn)), _rate(cut(self.left_out)), how,
            n=statistic.n, reason=reason.words,
        )  # fmt: skip
        return statistic.settle(statistic, made, how.level)


@dataclass(frozen=True)
class TwoSamples:
    """Two independent sets of papers whose resamples are drawn once for all that is asked."""

    first: PaperSample
    second: PaperSample
    how: Resampling

    @classmethod
    def of(cls, first: Floats, second: Floats, how: Resampling) -> TwoSamples:
        """Draw papers of two sets, shapes (papers, k)."""
        return cls(PaperSample.of(first, how), PaperSample.of(second, how, second=True), how)

    def shares(self, cut: Cut) -> dict[str, Estimate]:
        """A share in the ``first`` and in the ``second`` set, and the ``difference``."""
        own = [sample.share(cut, self.how) for sample in (self.first, self.second)]
        n = own[0].n + own[1].n
        made = self.estimate(
            "difference", lambda first, second: _rate(cut(second)) - _rate(cut(first)), n=n
        )
        if any(result.low is None or result.method == "wilson" for result in own):
            # Resamples of a share of 0 or 1 do not vary, so that the bootstrap says too little;
            # of Wilson's intervals the combined one is Newcombe's method 10.
            made = combined(made, ((-1.0, own[0]), (1.0, own[1])))
        return {"first": own[0], "second": own[1], "difference": made}

    def estimate(
        self,
        name: str,
        quantity: Quantity,
        *,
        n: int,
        why: MissingReason = MissingReason.NO_VERDICT,
    ) -> Estimate:
        """A quantity of both sets, with its interval.

        BCa with the acceleration of two samples (Davison and Hinkley 1997, Bootstrap Methods and
        their Application, sec. 5.3.2): each paper is left out once, the other set staying whole.

        Args:
            name: Of the quantity.
            quantity: What is computed of their sums.
            n: Points that it rests on, of both.
            why: What it means if the quantity is not defined.
        """
        first, second = self.first, self.second
        value = float(quantity(first.total, second.total)[0])
        if math.isnan(value):
            return Estimate(coefficient=name, value=None, n=n, reason=why.words)
        if min(len(first.each), len(second.each)) < _FEWEST:
            return Estimate(coefficient=name, value=value, n=n, reason=ONE_PAPER)
        jack = [
            quantity(first.left_out, np.broadcast_to(second.total, first.each.shape)),
            quantity(np.broadcast_to(first.total, second.each.shape), second.left_out),
        ]
        centred = np.concatenate([side - np.nanmean(side) for side in jack]) + value
        drawn = quantity(first.drawn, second.drawn)
        return _holding_value(estimate(name, value, drawn, centred, self.how, n=n))


def _rate(sums: Floats) -> Floats:
    """Hits over bases, shape (samples, 2) to (samples,)."""
    return ratio(sums[:, 0], sums[:, 1])


def combined(total: Estimate, parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """A weighted sum of estimates with an interval made of theirs.

    MOVER (Zou and Donner 2008, Stat. Med. 27, 1693-1702, eq. 4): it takes the parts as independent
    and the weights as known. If a part has no interval, neither has the sum.

    Args:
        total: The sum.
        parts: Weights, and the estimates with their intervals.
    """
    if total.value is None:
        return total
    below = above = 0.0
    for weight, part in parts:
        if part.value is None or part.low is None or part.high is None:
            lost = {"low": None, "high": None, "reason": part.reason or ONE_PAPER}
            return total.model_copy(update=lost)
        down, up = part.value - part.low, part.high - part.value
        below += (weight * (down if weight > 0 else up)) ** 2
        above += (weight * (up if weight > 0 else down)) ** 2
    low, high = total.value - math.sqrt(below), total.value + math.sqrt(above)
    return total.model_copy(update={"low": low, "high": high, "method": "mover"})


def by_composition(kinds: int) -> dict[str, Quantity]:
    """Two parts that a difference of rates is the sum of (Kitagawa 1955, J. Am. Stat. Assoc. 50).

    ``within``: what rates within the types differ by, types weighted by the mean of both sets'
    shares: the difference standardised by composition. ``mix``: what the shares of the types
    differ by, each with the mean of both sets' rates.

    Sums are ``kinds`` hits and then ``kinds`` bases, one of each type. A type that neither set has
    adds nothing; with one that a single set has, both parts are undefined.

    Args:
        kinds: How many types there are.
    """

    def part(first: Floats, second: Floats, *, within: bool) -> Floats:
        bases = first[:, kinds:], second[:, kinds:]
        old, new = (ratio(sums[:, :kinds], sums[:, kinds:]) for sums in (first, second))
        before, after = (ratio(base, base.sum(axis=1, keepdims=True)) for base in bases)
        each = (before + after) / 2 * (new - old) if within else (old + new) / 2 * (after - before)
        neither = (bases[0] == 0) & (bases[1] == 0)
        return np.asarray(np.where(neither, 0.0, each).sum(axis=1), dtype=np.float64)

    return {"within": partial(part, within=True), "mix": partial(part, within=False)}
