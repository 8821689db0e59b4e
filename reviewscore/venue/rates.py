"""Shares of points, and paired differences of them, with intervals that resample papers.

Points of one paper are alike, so that papers are drawn, each with all its points (the bootstrap of
clusters: Davison and Hinkley 1997, Bootstrap Methods and their Application, sec. 3.8). What is
resampled is a table of papers, never one of points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.resampling import Clusters, Resampling, wilson
from reviewscore.stats.statistic import Floats, Reason, Statistic, Values, ratio, values
from reviewscore.stats.two_samples import ONE_PAPER, holding_value
from reviewscore.venue.outcomes import Measure

PAPERS = Resampling(resamples=2000, scheme="papers")
"""How intervals of shares are made where nothing else is said."""
ALIKE = "papers differ all alike, so that there is no interval"
_AT_ONCE = 40
"""Cells that are resampled together: it bounds memory, and the draws of each are the same."""
_FEWEST = 2
_ROUNDING = 1e-12


def share(name: str, hits: Floats, base: Floats) -> Statistic:
    """The share of things with a property, of sums over papers: sum(hits) / sum(base).

    Args:
        name: Of the share.
        hits: Shape (papers,); things with the property in each paper.
        base: Shape (papers,); things among which they are counted.

    Returns:
        0..1; undefined if `base` sums to 0. It counts papers whose `base` is above 0.
    """
    parts = np.stack([hits, base], axis=1).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, Reason.NO_VERDICT, None))

    return Statistic(name, parts, from_sums, base > 0)


def rates(
    cells: Iterable[Floats], measured: Sequence[Measure], how: Resampling = PAPERS
) -> list[dict[str, Estimate]]:
    """Each measure of each cell of a table.

    Args:
        cells: For each cell, shape (papers, outcomes): its points by paper and outcome. All have
            the same papers.
        measured: What is measured.
        how: How intervals are made; `Resampling.scheme` is of no account: papers are drawn whole.

    Returns:
        For each cell the estimates by name of the measure; ``n`` is the number of points among
        which hits were counted.
    """
    found: list[dict[str, Estimate]] = []
    left = iter(cells)
    while chunk := list(islice(left, _AT_ONCE)):
        plan = plan_of_papers(len(chunk[0]), how)
        asked = [[_ask(plan, cell, one) for one in measured] for cell in chunk]
        plan.run()
        found += [
            {one.name: settled(slot, how) for one, slot in zip(measured, slots, strict=True)}
            for slots in asked
        ]
    return found


def plan_of_papers(papers: int, how: Resampling) -> BootstrapPlan:
    """A plan whose units are papers."""
    return BootstrapPlan(Clusters.each(papers), replace(how, scheme="papers"))


def _ask(plan: BootstrapPlan, cell: Floats, measure: Measure) -> PendingEstimate:
    hits, base = cell[:, measure.hit], cell[:, measure.of].sum(axis=1)
    return plan.ask(share(measure.name, hits, base))


def settled(slot: PendingEstimate, how: Resampling) -> Estimate:
    """The estimate of a share, with n in points and an interval only where there can be one.

    Where resamples do not vary, as where every point or none is a hit, the interval is Wilson's
    with as many independent things as there are papers, which errs to the wide side. With points of
    one paper alone there is none. An end that BCa has shifted past the share itself is the share.
    """
    one, statistic = slot.answer, slot.statistic
    n = round(float(statistic.contributions[:, 1].sum()))
    papers = statistic.n
    change: dict[str, object] = {"n": n}
    if one.value is not None and papers < _FEWEST:
        change |= {"low": None, "high": None, "reason": ONE_PAPER}
    elif one.value is not None and still(one):
        low, high = wilson(one.value * papers, papers, level=how.level)
        change |= {"low": low, "high": high, "method": "wilson"}
    return holding_value(one).model_copy(update=change)


def still(one: Estimate) -> bool:
    """Whether resamples did not vary, so that the bootstrap says nothing."""
    return one.low is not None and one.high is not None and one.high - one.low < _ROUNDING


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
    return holding_value(one).model_copy(update=change)
