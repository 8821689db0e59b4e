"""Quantities of two independent sets of papers, and sums of estimates, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.stats.estimates import Estimate, estimate
from reviewscore.stats.resampling import Clusters, Resampling, bootstrap_weights
from reviewscore.stats.statistic import Floats, Reason

_FEWEST = 2
SECOND_SEED = 1_000_003
"""Added to the seed for the second set, whose papers are drawn on their own."""
ONE_PAPER = "all points are of one paper, so that there is no interval"


@dataclass(frozen=True)
class PaperSample:
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
    def of(cls, each: Floats, how: Resampling, *, second: bool = False) -> PaperSample:
        """Draw papers; those of the second run on their own."""
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


Of = Callable[[Floats, Floats], Floats]
"""A quantity of two runs' sums, shapes (samples, k) each, to shape (samples,); NaN undefined."""


def of_two(
    name: str,
    first: PaperSample,
    second: PaperSample,
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
    if math.isnan(value):
        return Estimate(coefficient=name, value=None, n=n, reason=why.words)
    if min(len(first.each), len(second.each)) < _FEWEST:
        return Estimate(coefficient=name, value=value, n=n, reason=ONE_PAPER)
    jack = [
        quantity(first.left_out, np.broadcast_to(second.total, first.each.shape)),
        quantity(np.broadcast_to(first.total, second.each.shape), second.left_out),
    ]
    centred = np.concatenate([side - np.nanmean(side) for side in jack]) + value
    made = estimate(name, value, quantity(first.drawn, second.drawn), centred, how, n=n)
    return made if made.low is None else holding_value(made)


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


def holding_value(one: Estimate) -> Estimate:
    """The estimate with an interval that holds its value: an end that BCa shifted past it is it."""
    if one.value is None or one.low is None or one.high is None:
        return one
    ends = {"low": min(one.low, one.value), "high": max(one.high, one.value)}
    return one.model_copy(update=ends)
