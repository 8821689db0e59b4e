"""Focus: how the points of a system spread over the facets.

A focus distribution is the share of a system's points that have each facet, over all papers
(Shin et al. 2025, arXiv 2502.17086, sec. 2 and 4.3). A system has four: target and aspect, each of
strengths and of weaknesses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reviewscore.focus.coded import Coded
from reviewscore.focus.facets import Kind, Polarity
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate
from reviewscore.stats.statistic import Floats, Reason, Statistic, Values, ratio, values

SMOOTHING = 0.5
"""Points added to each facet where a divergence needs shares above 0: the prior of Jeffreys (1946).

The paper does not say how it smooths.
"""

FOUR = tuple((polarity, kind) for kind in Kind for polarity in Polarity)
"""The four distributions of a system, in the order of tables."""

SHARE = "share"


@dataclass(frozen=True)
class Distribution:
    """One focus distribution.

    Attributes:
        system: Whose.
        polarity: Of its strengths or of its weaknesses.
        kind: Targets or aspects.
        facets: Names of all facets of the kind, in order, used or not.
        counts: Shape (papers, facets); points with each facet.
        unknown: Points left out because their facet is unknown.
        dropped: Papers that do not count, by reason.
    """

    system: str
    polarity: Polarity
    kind: Kind
    facets: tuple[str, ...]
    counts: Floats
    unknown: int
    dropped: dict[str, int]

    @property
    def totals(self) -> Floats:
        """Shape (facets,); points with each facet."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    @property
    def points(self) -> int:
        """Points with a known facet."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        """Shape (facets,), 0..1, unsmoothed, sum 1; all NaN if there is no point."""
        return shares(self.totals)

    @property
    def reason(self) -> Reason:
        """Why there are no shares; `Reason.NONE` if there are."""
        return Reason.NONE if self.points else Reason.NO_POINTS

    def share(self, facet: str) -> Statistic:
        """The share of a facet: its points over all points, summed over papers.

        Raises:
            ValueError: It is no facet of the set.
        """
        return share(self.counts, self.facets.index(facet))

    def ask(self, plan: BootstrapPlan) -> tuple[PendingEstimate, ...]:
        """A slot for the share of each facet, in order."""
        return tuple(plan.ask(self.share(name), self.dropped) for name in self.facets)


def distribution(coded: Coded, system: str, polarity: Polarity, kind: Kind) -> Distribution:
    """One focus distribution of a system.

    Raises:
        InputError: There are no reviews of the system.
    """
    counts = coded.counts(system, polarity, kind)
    unknown = coded.unknown(system, polarity, kind)
    reviewed = coded.reviewed(system) > 0
    without = reviewed & (counts.sum(axis=1) == 0)
    dropped = {
        "papers without a review of it": int((~reviewed).sum()),
        f"papers with no {polarity} of it": int((without & (unknown == 0)).sum()),
        f"papers with no known {kind}": int((without & (unknown > 0)).sum()),
    }
    names = coded.facets.names(kind)
    return Distribution(system, polarity, kind, names, counts, int(unknown.sum()), dropped)


def distributions(coded: Coded, system: str) -> tuple[Distribution, ...]:
    """The four focus distributions of a system, in the order of `FOUR`.

    Raises:
        InputError: There are no reviews of the system.
    """
    return tuple(distribution(coded, system, polarity, kind) for polarity, kind in FOUR)


def share(counts: Floats, facet: int, *, name: str = SHARE) -> Statistic:
    """The share of one facet as a coefficient of papers.

    Points are summed over papers first, as the paper does, so that a paper with many points weighs
    more. Without any point it is undefined.

    Args:
        counts: Shape (papers, facets); a paper without points does not count.
        facet: Place of the facet.
        name: Of the coefficient.
    """

    def from_sums(sums: Floats) -> Values:
        total = sums.sum(axis=1)
        return values(ratio(sums[:, facet], total), (total == 0, Reason.NO_POINTS, None))

    return Statistic(name, counts, from_sums, counts.sum(axis=1) > 0)


def shares(totals: Floats, smoothing: float = 0.0) -> Floats:
    """Counts as shares.

    Args:
        totals: Shape (..., facets); points with each facet.
        smoothing: Points added to each facet, at least 0.

    Returns:
        Same shape, 0..1, sum 1; NaN where there is no point, whatever the smoothing.
    """
    totals = np.asarray(totals, dtype=np.float64)
    seen = totals.sum(axis=-1, keepdims=True)
    added = totals + smoothing
    under = np.broadcast_to(seen + smoothing * totals.shape[-1], totals.shape)
    return np.where(seen > 0, ratio(added, under), np.nan)


def points_per_review(coded: Coded, system: str, polarity: Polarity | None = None) -> Statistic:
    """Mean number of points in a review, points without known facets included.

    Args:
        coded: The points.
        system: Whose.
        polarity: Strengths or weaknesses; all points if None.

    Raises:
        InputError: There are no reviews of the system.
    """
    return _per("points per review", coded.points(system, polarity), coded.reviewed(system))


def points_per_paper(coded: Coded, system: str, polarity: Polarity | None = None) -> Statistic:
    """Mean number of points on a paper that the system reviewed, all its reviews together.

    Args:
        coded: The points.
        system: Whose.
        polarity: Strengths or weaknesses; all points if None.

    Raises:
        InputError: There are no reviews of the system.
    """
    reviewed = (coded.reviewed(system) > 0).astype(np.float64)
    return _per("points per paper", coded.points(system, polarity), reviewed)


def _per(name: str, points: Floats, of: Floats) -> Statistic:
    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, Reason.NO_SETS, None))

    return Statistic(name, np.stack([points, of], axis=1), from_sums, of > 0)
