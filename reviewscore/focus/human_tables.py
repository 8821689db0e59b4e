"""How far an annotator of facets agrees with people, and people with each other.

Cohen's kappa (Cohen 1960, Educ. Psychol. Meas. 20, 37-46) without weights, since facets have no
order, as in Shin et al. 2025 (arXiv 2502.17086, Table 2), and confusion matrices (app. A.2.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reviewscore.focus.facets import UNKNOWN, FacetSet, Kind, Polarity
from reviewscore.focus.labelled import Point
from reviewscore.stats.estimates import BootstrapPlan, mean
from reviewscore.stats.metrics import f1, precision, recall, weighted_kappa
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.statistic import Floats, Ints, Reason, Statistic, Values
from reviewscore.stats.tables import Cell, Table

AGREEMENT, CONFUSION = "focus-agreement", "focus-confusion"

_PAPER = "arXiv 2502.17086"
_SUBSETS = ((None, "all"), (Polarity.STRENGTH, "strengths"), (Polarity.WEAKNESS, "weaknesses"))


@dataclass(frozen=True)
class Ratings:
    """Labels of points by several raters.

    Attributes:
        facets: What labels are.
        points: The points.
        humans: Names of those who are people.
        annotator: Name of the one that is measured.
        labels: By rater and kind, shape (points,); place among the facets, NaN where there is no
            label or an unknown one.
    """

    facets: FacetSet
    points: Sequence[Point]
    humans: tuple[str, ...]
    annotator: str
    labels: Mapping[str, Mapping[Kind, Floats]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each human with the annotator, then humans with each other."""
        beside = [(human, self.annotator) for human in self.humans]
        return beside + list(combinations(self.humans, 2))

    def of(self, polarity: Polarity | None) -> NDArray[np.bool_]:
        """Shape (points,); whether the point is of a polarity."""
        return np.array([polarity in (None, one.polarity) for one in self.points], dtype=np.bool_)


def coded_labels(names: Sequence[str | None], facets: FacetSet, kind: Kind) -> Floats:
    """Labels as places among the facets; NaN for None and `UNKNOWN`.

    Raises:
        KeyError: A name is neither.
    """
    place: dict[str | None, float] = {name: float(at) for at, name in enumerate(facets.names(kind))}
    return np.array([{**place, None: np.nan, UNKNOWN: np.nan}[one] for one in names])


def nominal_kappa(first: Floats, second: Floats, categories: int) -> Statistic:
    """Cohen's kappa of two raters whose categories have no order.

    Args:
        first: Shape (units,); 0 .. categories - 1, NaN missing.
        second: Likewise.
        categories: How many there are, used or not.
    """
    scale = tuple(float(at) for at in range(categories))
    return weighted_kappa(first, second, categories=scale, weights="identity")


def same(first: Floats, second: Floats) -> Statistic:
    """Share of the units to which both gave the same label; args as `nominal_kappa`."""
    both = ~np.isnan(first) & ~np.isnan(second)
    return mean("agreement", np.where(both, (first == second).astype(np.float64), np.nan))


def facet_scores(human: Floats, annotator: Floats, place: int) -> tuple[Statistic, ...]:
    """Precision, recall and F1 of one facet, what the human says being true.

    Args:
        human: Shape (units,); places of facets, NaN missing.
        annotator: Likewise.
        place: The facet.
    """
    sides = [
        np.where(np.isnan(one), np.nan, (one == place).astype(np.float64))
        for one in (human, annotator)
    ]
    return tuple(_of_facets(score(*sides)) for score in (precision, recall, f1))


_WHY = {
    Reason.NONE_PREDICTED: Reason.NOT_GIVEN,
    Reason.NONE_POSITIVE: Reason.NOT_MEANT,
    Reason.NO_POSITIVES: Reason.NEITHER_GIVES,
}


def _of_facets(statistic: Statistic) -> Statistic:
    """The same with reasons that speak of facets."""

    def from_sums(sums: Floats) -> Values:
        found = statistic.from_sums(sums)
        code = found.reason.copy()
        for old, new in _WHY.items():
            code[found.reason == old] = new
        return Values(found.value, code)

    return replace(statistic, from_sums=from_sums)


def confusion(first: Floats, second: Floats, categories: int) -> Ints:
    """Shape (categories, categories); points by the first's label (row) and the second's."""
    both = ~np.isnan(first) & ~np.isnan(second)
    cell = first[both].astype(np.int64) * categories + second[both].astype(np.int64)
    counts = np.bincount(cell, minlength=categories**2).astype(np.int64)
    return counts.reshape(categories, categories)


def agreement_tables(ratings: Ratings, how: Resampling) -> list[Table]:
    """All tables: kappa and agreement, facet by facet, confusion matrices.

    Args:
        ratings: The labels.
        how: How intervals are made.
    """
    plan = BootstrapPlan(Clusters.by([one.paper_id for one in ratings.points]), how)
    found = [_kappas(ratings, plan)]
    found += [_by_facet(ratings, plan, kind) for kind in Kind]
    found += [_confusion(ratings, kind, *pair) for kind in Kind for pair in ratings.pairs]
    plan.run()
    return found


def _kappas(ratings: Ratings, plan: BootstrapPlan) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind in Kind:
        q = len(ratings.facets.of(kind))
        for pair in ratings.pairs:
            for polarity, word in _SUBSETS:
                mine = ratings.of(polarity)
                first, second = (np.where(mine, ratings.labels[one][kind], np.nan) for one in pair)
                dropped = {
                    f"points without a label by {name}": int((mine & np.isnan(side)).sum())
                    for name, side in zip(pair, (first, second), strict=True)
                }
                kappa = plan.ask(nominal_kappa(first, second, q), dropped)
                agreed = plan.ask(same(first, second))
                rows.append((kind, *pair, word, kappa.statistic.n, kappa, agreed))
    return Table(
        AGREEMENT,
        f"Agreement on facets, with {plan.resampling.percent} intervals ({_PAPER}, Table 2)",
        ("label", "human", "other", "points", "n", "kappa", "agreement"),
        tuple(rows),
        keys=4,
        notes=(
            "Kappa is Cohen's, without weights: 1 is full agreement, 0 what chance would give. "
            "Agreement is the share of points with the same label. Points that one of the two did "
            "not label, or whose label is unknown, do not count.",
        ),
    )


def _by_facet(ratings: Ratings, plan: BootstrapPlan, kind: Kind) -> Table:
    rows: list[tuple[Cell, ...]] = []
    theirs = ratings.labels[ratings.annotator][kind]
    for human in ratings.humans:
        mine = ratings.labels[human][kind]
        both = ~np.isnan(mine) & ~np.isnan(theirs)
        for place, facet in enumerate(ratings.facets.names(kind)):
            counts = (int((side[both] == place).sum()) for side in (mine, theirs))
            slots = (plan.ask(one) for one in facet_scores(mine, theirs, place))
            rows.append((human, facet, *counts, *slots))
    return Table(
        f"focus-agreement-{kind}",
        f"{ratings.annotator} on each {kind}, what people say being true, with "
        f"{plan.resampling.percent} intervals",
        ("human", kind, "by the human", "by the annotator", "precision", "recall", "F1"),
        tuple(rows),
        keys=2,
    )


def confusion_name(kind: Kind, human: str, other: str) -> str:
    """Name of a confusion matrix's table and plot."""
    return f"{CONFUSION}-{kind}-{human}-{other}"


def _confusion(ratings: Ratings, kind: Kind, human: str, other: str) -> Table:
    names = ratings.facets.names(kind)
    counts = confusion(ratings.labels[human][kind], ratings.labels[other][kind], len(names))
    rows: list[tuple[Cell, ...]] = [
        (name, *map(int, line), int(line.sum())) for name, line in zip(names, counts, strict=True)
    ]
    rows.append(("all", *map(int, counts.sum(axis=0)), int(counts.sum())))
    return Table(
        confusion_name(kind, human, other),
        f"{kind.title()}s of points: {human} in rows, {other} in columns ({_PAPER}, app. A.2.4)",
        (f"{human} \\ {other}", *names, "all"),
        tuple(rows),
    )
