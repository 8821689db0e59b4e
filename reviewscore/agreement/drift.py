"""Differences of rates between two runs: on the same points, or on two sets of papers.

A difference is always the second run's less the first one's. Intervals draw papers: for the same
points both runs' verdicts on a paper together, for two sets of papers each set on its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.agreement.rates import ONE_PAPER, plan_of_papers, still
from reviewscore.stats.estimates import Estimate, PendingEstimate
from reviewscore.stats.resampling import Resampling, bootstrap_weights, interval, wilson
from reviewscore.stats.statistic import Floats, Reason, Statistic, Values, ratio, values

_FEWEST = 2
SECOND_SEED = 1_000_003
"""Added to the seed for the second run, whose papers are drawn on their own."""
ALIKE = "papers differ all alike, so that there is no interval"


def paired_difference(name: str, first: Floats, second: Floats, base: Floats) -> Statistic:
    """The difference of two shares of the same things: sum(second - first) / sum(base).

    Args:
        name: Of the difference.
        first: Shape (papers,); hits of the first run in each paper.
        second: Likewise of the second, among the same things.
        base: Shape (papers,); things known to both.

    Returns:
        -1..1; undefined if `base` sums to 0.
    """
    parts = np.stack([second - first, base, abs(second - first)], axis=1).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, Reason.NO_VERDICT, None))

    return Statistic(name, parts, from_sums, base > 0)


def settled_difference(slot: PendingEstimate, how: Resampling) -> Estimate:
    """A paired difference with n in points.

    Where no paper's shares differ, resamples do not vary: the interval reaches as far as Wilson's
    upper end for 0 of so many papers, to both sides. Where all differ alike, there is none.
    """
    one, papers = slot.answer, slot.statistic.n
    _, n, moved = slot.statistic.contributions.sum(axis=0)
    change: dict[str, object] = {"n": round(float(n))}
    if one.value is not None and papers < _FEWEST:
        change |= {"low": None, "high": None, "reason": ONE_PAPER}
    elif one.value is not None and moved == 0:
        reach = wilson(0, papers, level=how.level)[1]
        change |= {"low": -reach, "high": reach, "method": "wilson"}
    elif still(one):
        change |= {"low": None, "high": None, "reason": ALIKE}
    elif one.value is not None and one.low is not None and one.high is not None:
        change |= {"low": min(one.low, one.value), "high": max(one.high, one.value)}
    return one.model_copy(update=change)


@dataclass(frozen=True)
class Sample:
    """The papers of one run and what resampling makes of their sums.

    Attributes:
        each: Shape (papers, k); what each paper adds.
        total: Shape (1, k); their sums.
        drawn: Shape (resamples, k); sums of the resamples.
    """

    each: Floats
    total: Floats
    drawn: Floats

    @classmethod
    def of(cls, each: Floats, how: Resampling, *, second: bool = False) -> Sample:
        """Draw papers; those of the second run on their own."""
        papers = plan_of_papers(len(each), how).clusters
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


Of = Callable[[Floats, Floats], Floats]
"""A quantity of two runs' sums, shapes (samples, k) each, to shape (samples,); NaN undefined."""


def of_two(
    name: str,
    first: Sample,
    second: Sample,
    quantity: Of,
    how: Resampling,
    *,
    n: int,
    why: Reason = Reason.NO_VERDICT,
) -> Estimate:
    """A quantity of two independent sets of papers, with its interval.

    BCa with the acceleration of two samples (Davison and Hinkley 1997, Bootstrap Methods and their
    Application, sec. 5.3.2): each paper is left out once, the other set staying whole.

    Args:
        name: Of the quantity.
        first: Papers of the first run.
        second: Papers of the second.
        quantity: What is computed of their sums.
        how: How intervals are made.
        n: Points that it rests on, of both.
        why: What it means if the quantity is not defined.
    """
    value = float(quantity(first.total, second.total)[0])
    undefined = math.isnan(value)
    one = Estimate(coefficient=name, value=None if undefined else value, n=n)
    if undefined:
        return one.model_copy(update={"reason": why.words})
    if min(len(first.each), len(second.each)) < _FEWEST:
        return one.model_copy(update={"reason": ONE_PAPER})
    jack = [
        quantity(first.left_out, np.broadcast_to(second.total, first.each.shape)),
        quantity(np.broadcast_to(first.total, second.each.shape), second.left_out),
    ]
    centred = np.concatenate([side - np.nanmean(side) for side in jack]) + value
    ends = interval(
        value,
        quantity(first.drawn, second.drawn),
        centred,
        method=how.method,
        level=how.level,
    )
    if math.isnan(ends.low):
        return one.model_copy(update={"undefined": ends.undefined})
    low, high = min(ends.low, value), max(ends.high, value)
    return one.model_copy(
        update={"low": low, "high": high, "method": ends.method, "undefined": ends.undefined}
    )


def moved_over(one: Estimate, first: Estimate, second: Estimate) -> Estimate:
    """The difference of two shares, one of which is 0 or 1, with an interval made of both's.

    Resamples of such a share do not vary, so that the bootstrap says too little; the intervals of
    both are combined (MOVER: Zou and Donner 2008, Stat. Med. 27, 1693-1702, eq. 4, which for
    Wilson's is Newcombe's method 10). If one has no interval, neither has the difference.
    """
    return combined(one, ((-1.0, first), (1.0, second)))


def combined(one: Estimate, parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """A weighted sum of estimates with an interval made of theirs (MOVER, as in `moved_over`).

    It takes the parts as independent and the weights as known.

    Args:
        one: The sum.
        parts: Weights, and the estimates with their intervals.
    """
    if one.value is None:
        return one
    below = above = 0.0
    for weight, part in parts:
        if part.value is None or part.low is None or part.high is None:
            lost = {"low": None, "high": None, "reason": part.reason or ONE_PAPER}
            return one.model_copy(update=lost)
        down, up = part.value - part.low, part.high - part.value
        below += (weight * (down if weight > 0 else up)) ** 2
        above += (weight * (up if weight > 0 else down)) ** 2
    low, high = one.value - math.sqrt(below), one.value + math.sqrt(above)
    return one.model_copy(update={"low": low, "high": high, "method": "mover"})


def rate_difference(hit: int, base: int) -> Of:
    """The difference of the shares ``sums[hit] / sums[base]``."""

    def quantity(first: Floats, second: Floats) -> Floats:
        return ratio(second[:, hit], second[:, base]) - ratio(first[:, hit], first[:, base])

    return quantity


@dataclass(frozen=True)
class Split:
    """A difference of rates in two parts that add up to it.

    Kitagawa 1955, J. Am. Stat. Assoc. 50, 1168-1194.

    Attributes:
        within: What rates within the types differ by, types weighted by the mean of both runs'
            shares: the difference standardised by composition.
        mix: What the shares of the types differ by, each with the mean of both runs' rates.
    """

    within: Of
    mix: Of


def by_composition(kinds: int) -> Split:
    """The two parts of a difference of rates.

    Sums are ``kinds`` hits and then ``kinds`` bases, one of each type. A type that neither run has
    adds nothing; with one that a single run has, both parts are undefined.

    Args:
        kinds: How many types there are.
    """

    def read(sums: Floats) -> tuple[Floats, Floats]:
        base = sums[:, kinds:]
        return ratio(sums[:, :kinds], base), ratio(base, base.sum(axis=1, keepdims=True))

    def part(first: Floats, second: Floats, *, within: bool) -> Floats:
        (old_rate, old_share), (new_rate, new_share) = read(first), read(second)
        if within:
            each = (old_share + new_share) / 2 * (new_rate - old_rate)
        else:
            each = (old_rate + new_rate) / 2 * (new_share - old_share)
        neither = (first[:, kinds:] == 0) & (second[:, kinds:] == 0)
        total: Floats = np.where(neither, 0.0, each).sum(axis=1)
        return total

    return Split(
        within=lambda first, second: part(first, second, within=True),
        mix=lambda first, second: part(first, second, within=False),
    )
