"""What a system overlooks that a reference sees, and what a review leaves out that others raise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reviewscore.focus.distribution import FOUR, CodedPoints, ReviewKey, comparison, share
from reviewscore.focus.facets import FacetKind, Polarity
from reviewscore.schema.focus import FocusGap, ReviewGaps
from reviewscore.stats.estimates import BootstrapPlan, Estimate, PendingEstimate
from reviewscore.stats.resampling import Clusters, Resampling, swapped
from reviewscore.stats.statistic import Floats, Statistic, Values, values

RATE = 0.05
"""Share of the facets called over- or underlooked that may be so by chance."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class FacetDifference:
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
    kind: FacetKind
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
    coded: CodedPoints, system: str, reference: str, how: Resampling
) -> tuple[FacetDifference, ...]:
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
            else (coded.counts(text, polarity, kind) for text in (reference, system))
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
        FacetDifference(*place, *_two(slot), slot, q, paired)
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
    by_key: list[float | None] = []
    for pair in drawn:
        if pair is None:
            by_key.append(None)
            continue
        seen = abs(pair[0].point()[0] - pair[1].point()[0])
        chance = np.abs(next(moved))
        by_key.append(float((1 + (chance >= seen - _ROUNDING).sum()) / (1 + len(chance))))
    return by_key


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


def spots(differences: Sequence[FacetDifference], *, rate: float = RATE) -> list[FacetDifference]:
    """The facets that differ at a false discovery rate, largest difference first.

    Args:
        differences: All of one system.
        rate: 0..1; 1 gives all facets that differ at all.
    """
    kept = [
        (difference.estimate.value, difference)
        for difference in differences
        if difference.estimate.value and difference.q is not None and difference.q <= rate
    ]
    return [
        difference for _, difference in sorted(kept, key=lambda pair: (-abs(pair[0]), pair[0] > 0))
    ]


def all_gaps(coded: CodedPoints) -> Iterator[tuple[ReviewKey, ReviewGaps]]:
    """What each review leaves out that other reviews of the paper raise, in their order.

    What is raised by most others comes first, then the order of the facets counts.
    """
    unknown = sum((label < 0).astype(np.int64) for label in coded.labels.values())
    unknown = np.bincount(coded.review, weights=unknown, minlength=len(coded.reviews))
    others = np.bincount(coded.paper_of, minlength=len(coded.papers)) - 1
    raises = {which: _raises(coded, *which) for which in FOUR}
    often = {}
    for which, matrix in raises.items():
        often[which] = np.zeros((len(coded.papers), matrix.shape[1]))
        np.add.at(often[which], coded.paper_of, matrix)
    for at, review in enumerate(coded.reviews):
        paper = coded.paper_of[at]
        missed = [
            FocusGap(polarity=polarity, kind=kind, facet=name, others=int(count))
            for (polarity, kind), matrix in raises.items()
            for name, mine, count in zip(
                coded.facets.names(kind), matrix[at], often[polarity, kind][paper], strict=True
            )
            if count and not mine
        ]
        missed.sort(key=lambda gap: -gap.others)
        yield (
            review,
            ReviewGaps(others=int(others[paper]), unknown=int(unknown[at]), missed=tuple(missed)),
        )


def _raises(coded: CodedPoints, polarity: Polarity, kind: FacetKind) -> Floats:
    """Shape (reviews, facets); 1 if the review raises the facet."""
    raised = np.zeros((len(coded.reviews), len(coded.facets.of(kind))))
    label = coded.labels[kind]
    rows = (coded.weak == (polarity is Polarity.WEAKNESS)) & (label >= 0)
    raised[coded.review[rows], label[rows]] = 1.0
    return raised
