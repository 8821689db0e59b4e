"""How points spread over the facets, and how far a system's focus is from a reference's, in nats.

A focus distribution is the share of a system's points that have each facet, over all papers
(Shin et al. 2025, arXiv 2502.17086, sec. 2 and 4.3). A system has four: target and aspect, each of
strengths and of weaknesses.

Kullback-Leibler divergence in both directions (the paper, Shin et al. 2025, arXiv 2502.17086,
Table 3, does not say which it reports, nor how it averages) and Jensen-Shannon divergence
(Lin 1991, IEEE Trans. Inf. Theory 37, eq. 3.1 and 4.1), bounded by ln 2.

Divergences of samples are above 0 even where two systems have the same focus, and the more so the
fewer points there are. A resample adds as much again, so percentiles of resamples lie too high, BCa
ones too. In 150 simulated studies of 100 papers, five points of people and eight of a model on
each, with a true mean of 0.017, they held it in 3 % and in 22 %, and the basic interval, which is
used here, in 97 %. Where two systems are alike it lies below the value.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from sys import intern
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError
from reviewscore.focus.facets import UNKNOWN, FacetKind, FacetSet, Labelled, Polarity
from reviewscore.stats.estimates import BootstrapPlan, PendingEstimate
from reviewscore.stats.statistic import (
    Floats,
    Ints,
    MissingReason,
    Statistic,
    Values,
    ratio,
    values,
)

_NO_LABEL = -1


class ReviewKey(NamedTuple):
    """Which review a point is of.

    Attributes:
        system: Who wrote it.
        paper_id: Paper.
        review_id: Review; two systems or two papers may use the same name.
    """

    system: str
    paper_id: str
    review_id: str


@dataclass(frozen=True)
class CodedPoints:
    """Points as columns.

    Attributes:
        facets: The facets of the study.
        papers: Identifiers, sorted; the units of all statistics.
        systems: In the order in which they were first seen.
        reviews: All reviews, also those without a point if they were named.
        paper_of: Shape (reviews,); place of each review's paper in `papers`.
        system_of: Shape (reviews,); place of its system in `systems`.
        review: Shape (points,); place of each point's review in `reviews`.
        weak: Shape (points,); whether it is a weakness.
        labels: By kind, shape (points,); place among the facets, -1 if unknown.
    """

    facets: FacetSet
    papers: tuple[str, ...]
    systems: tuple[str, ...]
    reviews: tuple[ReviewKey, ...]
    paper_of: Ints
    system_of: Ints
    review: Ints
    weak: NDArray[np.bool_]
    labels: Mapping[FacetKind, Ints]

    def number(self, system: str) -> int:
        """Place of a system.

        Raises:
            InputError: There are no reviews of it.
        """
        if system not in self.systems:
            known = ", ".join(self.systems) or "none"
            raise InputError(f"no reviews of system '{system}'", cure=f"there are: {known}")
        return self.systems.index(system)

    def reviewed(self, system: str) -> Floats:
        """Shape (papers,); how many reviews of each paper the system wrote."""
        return self._by_paper(self.paper_of[self.system_of == self.number(system)])

    def points(self, system: str, polarity: Polarity | None = None) -> Floats:
        """Shape (papers,); its points, whether their facets are known or not."""
        return self._by_paper(self._papers_of(self._mine(system, polarity)))

    def counts(self, system: str, polarity: Polarity, kind: FacetKind) -> Floats:
        """Shape (papers, facets); its points with each facet, unknown ones left out."""
        label = self.labels[kind]
        mine = self._mine(system, polarity) & (label != _NO_LABEL)
        facets = len(self.facets.of(kind))
        flat = self._papers_of(mine) * facets + label[mine]
        cells = np.bincount(flat, minlength=len(self.papers) * facets)
        return cells.reshape(len(self.papers), facets).astype(np.float64)

    def unknown(self, system: str, polarity: Polarity, kind: FacetKind) -> Floats:
        """Shape (papers,); its points without a facet of this kind."""
        mine = self._mine(system, polarity) & (self.labels[kind] == _NO_LABEL)
        return self._by_paper(self._papers_of(mine))

    def pairs(self, system: str, polarity: Polarity) -> Ints:
        """Sorted codes of its distinct (paper, target, aspect); points without both left out."""
        mine = self._mine(system, polarity) & self._both_known()
        target, aspect = (self.labels[kind][mine] for kind in (FacetKind.TARGET, FacetKind.ASPECT))
        code = self._papers_of(mine) * len(self.facets.targets) + target
        return np.unique(code * len(self.facets.aspects) + aspect)

    def set_sizes(self, codes: Ints) -> Floats:
        """Shape (papers,); how many of the codes of `pairs` belong to each paper."""
        return self._by_paper(codes // (len(self.facets.targets) * len(self.facets.aspects)))

    def unpaired(self, system: str, polarity: Polarity) -> Floats:
        """Shape (papers,); its points without a known target or without a known aspect."""
        return self._by_paper(self._papers_of(self._mine(system, polarity) & ~self._both_known()))

    def _both_known(self) -> NDArray[np.bool_]:
        known: NDArray[np.bool_] = np.minimum(*self.labels.values()) != _NO_LABEL
        return known

    def _mine(self, system: str, polarity: Polarity | None) -> NDArray[np.bool_]:
        mine: NDArray[np.bool_] = self.system_of[self.review] == self.number(system)
        return mine if polarity is None else mine & (self.weak == (polarity is Polarity.WEAKNESS))

    def _papers_of(self, rows: NDArray[np.bool_]) -> Ints:
        return self.paper_of[self.review[rows]]

    def _by_paper(self, papers: Ints) -> Floats:
        return np.bincount(papers, minlength=len(self.papers)).astype(np.float64)


def coded(
    points: Iterable[Labelled], facets: FacetSet, *, reviews: Iterable[ReviewKey] = ()
) -> CodedPoints:
    """Points as columns.

    Args:
        points: The points, in any order; they are gone through once, and none is held.
        facets: The set that their labels are from.
        reviews: All reviews. Points do not tell of a review that has none; without this list it
            counts as a review that was not written.

    Raises:
        InputError: A label is neither of the set nor `UNKNOWN`.
    """
    review_at: dict[ReviewKey, int] = {}
    for key in reviews:  # names that reviews share are held once
        whose = ReviewKey(intern(key.system), intern(key.paper_id), key.review_id)
        review_at.setdefault(whose, len(review_at))
    of_point, weak = array("q"), array("b")
    labels = {kind: array("q") for kind in FacetKind}
    known = {
        kind: {name: at for at, name in enumerate(facets.names(kind))} | {UNKNOWN: _NO_LABEL}
        for kind in FacetKind
    }
    for labelled in points:
        point = labelled.point
        whose = ReviewKey(intern(point.system), intern(point.paper_id), point.review_id)
        of_point.append(review_at.setdefault(whose, len(review_at)))
        weak.append(point.polarity is Polarity.WEAKNESS)
        for kind, name in (
            (FacetKind.TARGET, labelled.target),
            (FacetKind.ASPECT, labelled.aspect),
        ):
            if name not in known[kind]:
                raise _no_facet(name, point.point_id, kind, facets)
            labels[kind].append(known[kind][name])
    distinct = tuple(review_at)
    papers = tuple(sorted({review_key.paper_id for review_key in distinct}))
    systems = tuple(dict.fromkeys(review_key.system for review_key in distinct))
    paper_at = {name: place for place, name in enumerate(papers)}
    system_at = {name: place for place, name in enumerate(systems)}
    return CodedPoints(
        facets,
        papers,
        systems,
        distinct,
        paper_of=_column([paper_at[review_key.paper_id] for review_key in distinct]),
        system_of=_column([system_at[review_key.system] for review_key in distinct]),
        review=_column(of_point),
        weak=np.array(weak, dtype=np.bool_),
        labels={kind: _column(places) for kind, places in labels.items()},
    )


def _column(places: Sequence[int]) -> Ints:
    return np.array(places, dtype=np.int64)


def _no_facet(name: str, point_id: str, kind: FacetKind, facets: FacetSet) -> InputError:
    return InputError(
        f"'{name}' of point '{point_id}' is no {kind} of '{facets.name}'",
        field=kind,
        cure=f"use one of its facets, or '{UNKNOWN}'",
    )


SMOOTHING = 0.5
"""Points added to each facet where a divergence needs shares above 0: the prior of Jeffreys (1946).

The paper does not say how it smooths.
"""

FOUR = tuple((polarity, kind) for kind in FacetKind for polarity in Polarity)
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
    kind: FacetKind
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

    def share(self, facet: str) -> Statistic:
        """The share of a facet: its points over all points, summed over papers.

        Raises:
            ValueError: It is no facet of the set.
        """
        return share(self.counts, self.facets.index(facet))

    def ask(self, plan: BootstrapPlan) -> tuple[PendingEstimate, ...]:
        """A slot for the share of each facet, in order."""
        return tuple(plan.ask(self.share(name), self.dropped) for name in self.facets)


def distribution(
    coded: CodedPoints, system: str, polarity: Polarity, kind: FacetKind
) -> Distribution:
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
        return values(ratio(sums[:, facet], total), (total == 0, MissingReason.NO_POINTS, None))

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


def points_per(
    what: Literal["review", "paper"],
    coded: CodedPoints,
    system: str,
    polarity: Polarity | None = None,
) -> Statistic:
    """Mean number of points, those without known facets included.

    Args:
        what: In a review, or on a paper that the system reviewed, all its reviews together.
        coded: The points.
        system: Whose.
        polarity: Strengths or weaknesses; all points if None.

    Raises:
        InputError: There are no reviews of the system.
    """
    reviewed = coded.reviewed(system)
    of = reviewed if what == "review" else (reviewed > 0).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, MissingReason.NO_SETS, None))

    parts = np.stack([coded.points(system, polarity), of], axis=1)
    return Statistic(f"points per {what}", parts, from_sums, of > 0)


class FacetMeasure(StrEnum):
    """Which divergence."""

    REFERENCE_TO_SYSTEM = "KL(reference || system)"  # large where the system overlooks
    SYSTEM_TO_REFERENCE = "KL(system || reference)"  # large where it adds what people do not
    JENSEN_SHANNON = "JS"  # symmetric, needs no smoothing


@dataclass(frozen=True)
class PairedCounts:
    """The counts of a system and of a reference on the papers that both reviewed.

    Attributes:
        shared: Shape (papers,); whether both reviewed the paper.
        counts: By polarity and kind, shape (papers, 2 facets): those of the reference, then those
            of the system; zero on papers that are not shared.
        dropped: Papers that do not count, by reason.
    """

    shared: NDArray[np.bool_]
    counts: dict[tuple[Polarity, FacetKind], Floats]
    dropped: dict[str, int]

    @property
    def defined(self) -> tuple[tuple[Polarity, FacetKind], ...]:
        """The distributions in which both sides have a point."""
        return tuple(
            which
            for which, counts in self.counts.items()
            if not _empty(counts.sum(axis=0, keepdims=True))[0]
        )

    def sides(self, polarity: Polarity, kind: FacetKind) -> tuple[Floats, Floats]:
        """Counts of the reference and of the system, each of shape (papers, facets)."""
        reference, system = np.split(self.counts[polarity, kind], 2, axis=1)
        return reference, system


def comparison(coded: CodedPoints, system: str, reference: str) -> PairedCounts:
    """Pair a system with a reference.

    Raises:
        InputError: There are no reviews of one of them.
    """
    mine, theirs = coded.reviewed(system) > 0, coded.reviewed(reference) > 0
    shared = mine & theirs
    counts = {}
    for polarity, kind in FOUR:
        sides = [coded.counts(name, polarity, kind) for name in (reference, system)]
        counts[polarity, kind] = np.concatenate(sides, axis=1) * shared[:, None]
    dropped = unshared(mine, theirs)
    return PairedCounts(shared, counts, dropped)


def unshared(mine: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> dict[str, int]:
    """Papers that one side or both did not review, by reason."""
    return {
        "papers without a review of the system": int((~mine & theirs).sum()),
        "papers without a review of the reference": int((mine & ~theirs).sum()),
        "papers without a review of either": int((~mine & ~theirs).sum()),
    }


def divergence(
    pair: PairedCounts,
    measure: FacetMeasure,
    polarity: Polarity,
    kind: FacetKind,
    *,
    smoothing: float = SMOOTHING,
) -> Statistic:
    """The divergence of one distribution, in nats.

    Undefined if one side has no point, and, without smoothing, if it is infinite.

    Args:
        pair: The two sides.
        measure: Which divergence.
        polarity: Strengths or weaknesses.
        kind: Targets or aspects.
        smoothing: Points added to each facet on both sides for Kullback-Leibler, at least 0;
            Jensen-Shannon is of the shares as they are.
    """
    counts = pair.counts[polarity, kind]

    def from_sums(sums: Floats) -> Values:
        return _finished(_value(measure, sums, smoothing), _empty(sums))

    return Statistic(str(measure), counts, from_sums, counts.sum(axis=1) > 0, least=0.0)


def mean_divergence(pair: PairedCounts, measure: FacetMeasure) -> Statistic:
    """The plain mean of the divergences of the four distributions, in nats.

    Distributions in which one side has no point at all in any paper are left out, so that a system
    that only criticises has the mean of its two; with none left it is undefined. A resample that
    empties a distribution of the others has no value.

    Args:
        pair: The two sides.
        measure: Which divergence.
    """
    counts = np.concatenate(list(pair.counts.values()), axis=1)
    ends = np.cumsum([count.shape[1] for count in pair.counts.values()])
    starts = dict(zip(pair.counts, (0, *ends[:-1]), strict=True))
    places = [
        slice(starts[which], starts[which] + pair.counts[which].shape[1]) for which in pair.defined
    ]

    def from_sums(sums: Floats) -> Values:
        if not places:
            nothing = np.full(len(sums), np.nan)
            return _finished(nothing, np.ones(len(sums), dtype=np.bool_))
        each = [_value(measure, sums[:, place], SMOOTHING) for place in places]
        empty = np.any([_empty(sums[:, place]) for place in places], axis=0)
        return _finished(np.mean(each, axis=0), empty)

    return Statistic(str(measure), counts, from_sums, counts.sum(axis=1) > 0, least=0.0)


def ask(
    plan: BootstrapPlan, pair: PairedCounts, measure: FacetMeasure
) -> tuple[PendingEstimate, ...]:
    """Slots for the mean and then for each of the four distributions, in the order of `FOUR`."""
    mean = plan.ask(mean_divergence(pair, measure), pair.dropped)
    return mean, *(plan.ask(divergence(pair, measure, *which), pair.dropped) for which in FOUR)


def kullback_leibler(p: Floats, q: Floats) -> Floats:
    """KL(p || q) in nats; infinite where q lacks a facet that p has.

    Args:
        p: Shape (..., facets); shares, sum 1.
        q: Same shape.

    Returns:
        Shape (...), at least 0; NaN where a share is.
    """
    safe_p, safe_q = np.where(p > 0, p, 1.0), np.where(q > 0, q, 1.0)
    terms = np.where(p > 0, np.where(q > 0, p * np.log(safe_p / safe_q), np.inf), 0.0)
    by_key = np.where(np.isnan(p + q).any(axis=-1), np.nan, terms.sum(axis=-1))
    # Rounding may bring equal distributions a trace below 0.
    return np.maximum(by_key, 0.0)


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """Jensen-Shannon divergence in nats (not its root, the distance).

    Args:
        p: Shape (..., facets); shares, sum 1.
        q: Same shape.

    Returns:
        Shape (...), 0..ln 2, equal for (p, q) and (q, p); NaN where a share is.
    """
    middle = (p + q) / 2
    by_key = (kullback_leibler(p, middle) + kullback_leibler(q, middle)) / 2
    return np.minimum(by_key, np.log(2.0))


def _value(measure: FacetMeasure, sums: Floats, smoothing: float) -> Floats:
    """Shape (samples,), of sums of shape (samples, 2 facets)."""
    if measure is FacetMeasure.JENSEN_SHANNON:
        p, q = (shares(side) for side in np.split(sums, 2, axis=1))
        return jensen_shannon(p, q)
    p, q = (shares(side, smoothing) for side in np.split(sums, 2, axis=1))
    if measure is FacetMeasure.REFERENCE_TO_SYSTEM:
        return kullback_leibler(p, q)
    return kullback_leibler(q, p)


def _empty(sums: Floats) -> NDArray[np.bool_]:
    reference, system = np.split(sums, 2, axis=1)
    empty: NDArray[np.bool_] = (reference.sum(axis=1) == 0) | (system.sum(axis=1) == 0)
    return empty


def _finished(value: Floats, empty: NDArray[np.bool_]) -> Values:
    return values(
        value,
        (empty, MissingReason.NO_POINTS, None),
        (np.isinf(value), MissingReason.INFINITE, None),
    )
