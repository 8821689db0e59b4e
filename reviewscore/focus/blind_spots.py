"""What a system overlooks that a reference sees, and what a review leaves out that others raise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.errors import InputError
from reviewscore.focus.distribution import FOUR, Coded, Review, comparison, share
from reviewscore.focus.facets import Kind, Polarity
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.resampling import Clusters, Resampling, swapped
from reviewscore.stats.statistic import Floats, Statistic, Values, values

RATE = 0.05
"""Share of the facets called over- or underlooked that may be so by chance."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """How a system's share of one facet differs from the reference's.

    Attributes:
        polarity: In strengths or in weaknesses.
        kind: Whether the facet is a target or an aspect.
        facet: Its name.
        system: The system's share on shared papers, 0..1; None if it has no point.
        reference: The reference's.
        slot: System minus reference with its interval and p; no p if neither raises the facet.
        q: The p-value adjusted for all facets of the system (Benjamini and Hochberg 1995).
        paired: Whether both reviewed the same papers; else all papers of each count.
    """

    polarity: Polarity
    kind: Kind
    facet: str
    system: float | None
    reference: float | None
    slot: PendingEstimate
    q: float | None
    paired: bool = True

    @property
    def estimate(self) -> Estimate:
        """The difference with its interval and p-value."""
        return self.slot.answer


def differences(
    coded: Coded, system: str, reference: str, how: Resampling
) -> tuple[Difference, ...]:
    """Differences of shares on the papers that both reviewed, in the order of the facets.

    The interval resamples papers with both their sides. The p-value turns round the sign of each
    paper's contribution to the difference, see `contributions`. Where no paper was reviewed by
    both, all papers of each count: what is compared then are two sets of papers too.

    Args:
        coded: The points.
        system: Whose blind spots.
        reference: Against whom.
        how: How intervals and p-values are made; papers are drawn whatever it says.

    Raises:
        InputError: There are no reviews of one of them.
    """
    pair = comparison(coded, system, reference)
    clusters = Clusters.by(coded.papers)
    plan = BootstrapPlan(clusters, how)
    places, slots, drawn = [], [], []
    paired = bool(pair.shared.any())
    counted = pair.shared if paired else coded.reviewed(system) + coded.reviewed(reference) > 0
    for polarity, kind in FOUR:
        theirs, mine = (
            pair.sides(polarity, kind)
            if paired
            else (coded.counts(one, polarity, kind) for one in (reference, system))
        )
        for at, facet in enumerate(coded.facets.names(kind)):
            # Names differ so that the plan does not swap raw counts, see `contributions`.
            slot = plan.ask(
                share(mine, at, name="difference of shares"),
                pair.dropped if paired else None,
                minus=share(theirs, at),
            )
            places.append((polarity, kind, facet))
            slots.append(slot)
            drawn.append(contributions(mine, theirs, at))
    plan.run()
    for slot, p in zip(slots, _p_values(drawn, clusters, how), strict=True):
        slot.estimate = slot.answer.model_copy(update={"p": p, "n": int(counted.sum())})
    adjusted = false_discovery([slot.answer.p for slot in slots])
    return tuple(
        Difference(*place, *_two(slot), slot, q, paired)
        for place, slot, q in zip(places, slots, adjusted, strict=True)
    )


def contributions(mine: Floats, theirs: Floats, facet: int) -> tuple[Statistic, Statistic] | None:
    """What each paper adds to the difference of two shares, as two sides that can be swapped.

    A share is a quotient of sums over papers. Swapping the counts themselves would give both sides
    the same number of points, and with it a spread that is too small for a system with five points
    beside people with thirty: at a level of 5 % it calls 15 % of equal ones different. With s the
    share of all points together, the contributions
    (count - s * points of the paper) / (all points of the side) sum to the two shares less s, keep
    each side's own spread, and are the swapped counts where both sides have as many points.

    Args:
        mine: Shape (papers, facets); counts of the system.
        theirs: Shape (papers, facets); counts of the reference.
        facet: Place of the facet.

    Returns:
        Sums over papers; None if a side has no point, or neither raises the facet.
    """
    totals = [float(side.sum()) for side in (mine, theirs)]
    raised = float(mine[:, facet].sum() + theirs[:, facet].sum())
    if not all(totals) or not raised:
        return None
    expected = raised / sum(totals)
    left, right = (
        _sum((side[:, facet] - expected * side.sum(axis=1)) / total)
        for side, total in zip((mine, theirs), totals, strict=True)
    )
    return left, right


def _sum(added: Floats) -> Statistic:
    def from_sums(sums: Floats) -> Values:
        return values(sums[:, 0])

    return Statistic("sum", added[:, None], from_sums, np.ones(len(added), dtype=np.bool_))


def _p_values(
    drawn: Sequence[tuple[Statistic, Statistic] | None], clusters: Clusters, how: Resampling
) -> list[float | None]:
    """Two-sided p-values; None where there is nothing to test."""
    pairs = [pair for pair in drawn if pair is not None]
    if not pairs:
        return [None] * len(drawn)
    moved = iter(swapped(pairs, clusters, permutations=how.resamples, seed=how.seed))
    found: list[float | None] = []
    for pair in drawn:
        if pair is None:
            found.append(None)
            continue
        seen = abs(pair[0].point()[0] - pair[1].point()[0])
        chance = np.abs(next(moved))
        found.append(float((1 + (chance >= seen - _ROUNDING).sum()) / (1 + len(chance))))
    return found


def false_discovery(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values of one family (Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57).

    Args:
        p_values: 0..1; None is no test and no member of the family.

    Returns:
        In the same order; None where there was no test.
    """
    from scipy.stats import false_discovery_control

    known = [p for p in p_values if p is not None]
    adjusted = iter(false_discovery_control(known, method="bh") if known else ())
    return [None if p is None else float(next(adjusted)) for p in p_values]


def _two(slot: PendingEstimate) -> tuple[float | None, float | None]:
    assert slot.minus is not None
    system, reference = (side.point()[0] for side in (slot.statistic, slot.minus))
    return (
        None if np.isnan(system) else system,
        None if np.isnan(reference) else reference,
    )


@dataclass(frozen=True)
class Spots:
    """Facets in which a system differs from the reference, largest difference first.

    Attributes:
        overlooked: The system's share is smaller.
        favoured: The system's share is larger.
    """

    overlooked: tuple[Difference, ...]
    favoured: tuple[Difference, ...]


def spots(found: Sequence[Difference], *, rate: float = RATE) -> Spots:
    """The facets that differ at a false discovery rate.

    Args:
        found: All differences of one system.
        rate: 0..1; 1 gives all facets that differ at all.
    """
    kept = [
        (one.estimate.value, one)
        for one in found
        if one.estimate.value and one.q is not None and one.q <= rate
    ]
    ranked = [one for _, one in sorted(kept, key=lambda pair: -abs(pair[0]))]
    return Spots(
        tuple(one for one in ranked if (one.estimate.value or 0) < 0),
        tuple(one for one in ranked if (one.estimate.value or 0) > 0),
    )


@dataclass(frozen=True)
class Missed:
    """A facet that other reviews of the paper raise and one review does not.

    Attributes:
        polarity: In their strengths or weaknesses.
        kind: Whether the facet is a target or an aspect.
        facet: Its name.
        others: Other reviews that raise it, at least 1.
    """

    polarity: Polarity
    kind: Kind
    facet: str
    others: int


@dataclass(frozen=True)
class Gaps:
    """What one review leaves out.

    Attributes:
        review: The review.
        others: Other reviews of the paper.
        unknown: Labels of its own points that are unknown: it may raise what seems missed.
        missed: Raised by most others first, then in the order of the facets.
    """

    review: Review
    others: int
    unknown: int
    missed: tuple[Missed, ...]


def gaps(coded: Coded, review: Review, *, among: Collection[str] | None = None) -> Gaps:
    """Which facets the other reviews of a paper raise that one review does not.

    Args:
        coded: The points.
        review: The review.
        among: Systems whose reviews are the others; all if None.

    Raises:
        InputError: There is no such review.
    """
    if review not in coded.reviews:
        raise InputError(
            f"no review '{review.review_id}' of paper '{review.paper_id}' by '{review.system}'",
            cure="name one of those that were read",
        )
    return _Raised(coded, among).gaps(coded.reviews.index(review))


def all_gaps(coded: Coded, *, among: Collection[str] | None = None) -> Iterator[Gaps]:
    """What each review leaves out, in the order of the reviews; see `gaps`."""
    raised = _Raised(coded, among)
    for at in range(len(coded.reviews)):
        yield raised.gaps(at)


class _Raised:
    """Which review raises which facet, and how many reviews of each paper do.

    Args:
        coded: The points.
        among: Systems whose reviews count as others; all if None.
    """

    def __init__(self, coded: Coded, among: Collection[str] | None) -> None:
        self._coded = coded
        self._other = np.array([among is None or one.system in among for one in coded.reviews])
        self._reviews = np.bincount(coded.paper_of[self._other], minlength=len(coded.papers))
        self._of = {which: _matrix(coded, *which) for which in FOUR}
        self._often = {which: self._by_paper(matrix) for which, matrix in self._of.items()}
        unknown = sum((label < 0).astype(np.int64) for label in coded.labels.values())
        self._unknown = np.bincount(coded.review, weights=unknown, minlength=len(coded.reviews))

    def _by_paper(self, matrix: Floats) -> Floats:
        """Shape (papers, facets); how many of the others raise each."""
        found = np.zeros((len(self._coded.papers), matrix.shape[1]))
        np.add.at(found, self._coded.paper_of[self._other], matrix[self._other])
        return found

    def gaps(self, at: int) -> Gaps:
        """What the review at a place leaves out."""
        coded, paper = self._coded, self._coded.paper_of[at]
        missed = [
            Missed(polarity, kind, name, int(often))
            for (polarity, kind), matrix in self._of.items()
            for name, mine, often in zip(
                coded.facets.names(kind),
                matrix[at],
                self._often[polarity, kind][paper],
                strict=True,
            )
            if often and not mine
        ]
        return Gaps(
            coded.reviews[at],
            int(self._reviews[paper]) - int(self._other[at]),
            int(self._unknown[at]),
            tuple(sorted(missed, key=lambda one: -one.others)),
        )


def _matrix(coded: Coded, polarity: Polarity, kind: Kind) -> Floats:
    """Shape (reviews, facets); 1 if the review raises the facet."""
    found = np.zeros((len(coded.reviews), len(coded.facets.of(kind))))
    label = coded.labels[kind]
    rows = (coded.weak == (polarity is Polarity.WEAKNESS)) & (label >= 0)
    found[coded.review[rows], label[rows]] = 1.0
    return found
