"""Metrics of agreement by name, ``METRICS["kappa"](y, yhat)``, and rank correlation of systems.

Those of two raters take two columns of ratings, shape (units,), NaN where one is missing; units
without both do not count. Those of any number of raters (Gwet's AC1 and AC2, Krippendorff's alpha)
take ratings of shape (units, raters). Each gives a `Statistic`: its value, and the sums that
resampling needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from math import factorial, isnan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviewscore.stats.statistic import (
    SCALE,
    Degenerate,
    Floats,
    Ints,
    MissingReason,
    Statistic,
    Values,
    codes,
    ratio,
    values,
)

Weights: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"]
Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
_PAIR = 2
_TINY = 1e-12
"""Below this share of its scale a variance is rounding error."""


OfPair: TypeAlias = Callable[[Floats, Floats], Statistic]


@dataclass(frozen=True)
class Metric:
    """A metric of two columns of the same units: ``metric(y, yhat)``.

    Attributes:
        name: Its name in `METRICS`.
        title: What tables call it.
        of: Makes the statistic of the true column and the other one.
    """

    name: str
    title: str
    of: OfPair

    def __call__(self, y: Floats, yhat: Floats) -> Statistic:
        """The metric of two columns, shape (units,) each; NaN is missing."""
        return self.of(y, yhat)


METRICS: dict[str, Metric] = {}
"""Metrics of two columns by name. Of flags (1, 0): ``precision``, ``recall``, ``f1``,
``kappa-of-flags``. Of five-point scores: ``pearson``, ``spearman`` of scores as they are, ``ac2``,
``kappa`` (quadratic weights) and ``alpha`` (ordinal) of scores rounded half up."""


def metric(name: str, title: str) -> Callable[[OfPair], OfPair]:
    """Register a function of two columns under a name; give it a title for tables."""

    def register(of: OfPair) -> OfPair:
        METRICS[name] = Metric(name, title, of)
        return of

    return register


def agreement_weights(weights: Weights, q: int) -> Floats:
    """How much two categories agree, from the places they have on the scale.

    Args:
        weights: ``identity`` (1 if equal, else 0), ``linear`` (1 - d/(q-1)), ``quadratic``
            (1 - (d/(q-1))**2), or ``ordinal`` (1 - C(d+1, 2) / C(q, 2): pairs of categories
            within the span), d being the distance in places.
        q: Number of categories, at least 2.

    Returns:
        Shape (q, q), 0..1, symmetric, 1 on the diagonal.

    Raises:
        ValueError: Fewer than two categories.
    """
    if q < _PAIR:
        raise ValueError(f"{q} categories; a scale has at least two")
    place = np.arange(q, dtype=np.float64)
    distance = np.abs(place[:, None] - place[None, :])
    match weights:
        case "identity":
            return np.asarray(distance == 0, dtype=np.float64)
        case "linear":
            return np.asarray(1.0 - distance / (q - 1), dtype=np.float64)
        case "quadratic":
            return np.asarray(1.0 - (distance / (q - 1)) ** 2, dtype=np.float64)
        case "ordinal":
            return np.asarray(1.0 - distance * (distance + 1) / (q * (q - 1)), dtype=np.float64)


@metric("precision", "Precision")
def precision(y: Floats, yhat: Floats) -> Statistic:
    """Share of the units called misinformed by the judge that people call so too.

    Args:
        y: Shape (units,); 1 misinformed, 0 not, NaN unknown.
        yhat: Likewise.

    Returns:
        0..1. Undefined if the judge called no unit misinformed.
    """

    def of(hit: Floats, called: Floats, meant: Floats) -> tuple[Floats, list[Degenerate]]:
        return ratio(hit, called), [(called == 0, MissingReason.NONE_PREDICTED, None)]

    return _of_flags("precision", y, yhat, of)


@metric("recall", "Recall")
def recall(y: Floats, yhat: Floats) -> Statistic:
    """Share of the units called misinformed by people that the judge calls so too.

    Args and values as for `precision`. Undefined if people called no unit misinformed.
    """

    def of(hit: Floats, called: Floats, meant: Floats) -> tuple[Floats, list[Degenerate]]:
        return ratio(hit, meant), [(meant == 0, MissingReason.NONE_POSITIVE, None)]

    return _of_flags("recall", y, yhat, of)


@metric("f1", "F1")
def f1(y: Floats, yhat: Floats) -> Statistic:
    """F1 of the class "misinformed": 2 TP / (2 TP + FP + FN).

    Args as for `precision`.

    Returns:
        0..1, and 0 as soon as one side calls a unit misinformed and no unit is called so by both.
        Undefined if neither side does.
    """

    def of(hit: Floats, called: Floats, meant: Floats) -> tuple[Floats, list[Degenerate]]:
        total = called + meant
        return ratio(2 * hit, total), [
            (total == 0, MissingReason.NO_POSITIVES, None),
            (meant == 0, MissingReason.NONE_POSITIVE, 0.0),
            (called == 0, MissingReason.NONE_PREDICTED, 0.0),
        ]

    return _of_flags("f1", y, yhat, of)


def _of_flags(
    name: str,
    y: Floats,
    yhat: Floats,
    of: Callable[[Floats, Floats, Floats], tuple[Floats, list[Degenerate]]],
) -> Statistic:
    """A metric of how many units both, the judge, and people call misinformed."""
    both = _both(y, yhat)
    called, meant = (yhat == 1) & both, (y == 1) & both
    parts = np.stack([called & meant, called, meant, both], axis=1).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        *hits, n = sums.T
        value, reasons = of(*hits)
        return values(value, (n == 0, MissingReason.NO_UNITS, None), *reasons)

    def library() -> float:
        from sklearn.metrics import precision_recall_fscore_support

        pair = (flags[both].astype(int) for flags in (y, yhat))
        scores = precision_recall_fscore_support(
            *pair, labels=[1], average=None, zero_division=np.nan
        )
        return float(scores[("precision", "recall", "f1").index(name)][0])

    return Statistic(name, parts, from_sums, both, library if both.any() else None)


def roc_area(y: Floats, scores: Floats) -> Statistic:
    """Area under the ROC curve of scores: how often a unit with y = 1 has more than one with y = 0.

    Ties count half (Bamber 1975, J. Math. Psychol. 12, 387-415).

    Args:
        y: Shape (units,); 1 or 0, NaN unknown.
        scores: Shape (units,); NaN missing.

    Returns:
        0..1; 0.5 is chance. Undefined if all units with a score have the same y.
    """
    both = _both(y, scores)
    levels = np.unique(scores[both])
    place = np.searchsorted(levels, np.where(both, scores, 0.0)).clip(0, max(len(levels) - 1, 0))
    parts = np.zeros((len(y), 2 * len(levels)))
    rows = np.flatnonzero(both)
    parts[rows, place[rows] + len(levels) * (y[rows] == 1)] = 1.0

    def from_sums(sums: Floats) -> Values:
        lower, upper = sums[:, : len(levels)], sums[:, len(levels) :]
        below = np.cumsum(lower, axis=1) - lower / 2
        pairs = lower.sum(axis=1) * upper.sum(axis=1)
        return values(
            ratio((upper * below).sum(axis=1), pairs),
            (sums.sum(axis=1) == 0, MissingReason.NO_UNITS, None),
            (pairs == 0, MissingReason.ONE_CONSTANT, None),
        )

    return Statistic("area", parts, from_sums, both)


def calibration_error(y: Floats, probability: Floats, edges: Sequence[float]) -> Statistic:
    """Expected calibration error: how far probabilities lie from shares, by bins.

    The mean over units of ``|mean probability - share with y = 1|`` in the unit's bin (Naeini,
    Cooper and Hauskrecht 2015, Proc. AAAI 29, 2901-2907). Chance alone makes it greater than 0.

    Args:
        y: Shape (units,); 1 or 0, NaN unknown.
        probability: Shape (units,); of y = 1, NaN missing.
        edges: Between bins, rising; an edge belongs to the bin above it.

    Returns:
        0..1; 0 is best.
    """
    both = _both(y, probability)
    rows = np.flatnonzero(both)
    parts = np.zeros((len(y), len(edges) + 2))
    parts[rows, np.digitize(probability[rows], edges)] = probability[rows] - y[rows]
    parts[rows, -1] = 1.0

    def from_sums(sums: Floats) -> Values:
        apart = np.abs(sums[:, :-1]).sum(axis=1)
        none = (sums[:, -1] == 0, MissingReason.NO_UNITS, None)
        return values(ratio(apart, sums[:, -1]), none)

    return Statistic("calibration error", parts, from_sums, both, least=0.0)


def weighted_kappa(
    y: Floats,
    yhat: Floats,
    *,
    categories: tuple[float, ...] = SCALE,
    weights: Weights = "quadratic",
) -> Statistic:
    """Cohen's kappa with weights (Cohen 1968, Psychol. Bull. 70, 213-220).

    One minus observed over expected disagreement. Quadratic weights are the "Kappa" of the
    ReviewScore paper (arXiv 2509.21679, sec. 4.1), identity weights Cohen's own kappa.

    Args:
        y: Shape (units,); one of the categories, NaN missing.
        yhat: Likewise.
        categories: The whole scale. It is never inferred from the sample: a category that is
            missing there would change the weights.
        weights: ``identity``, ``linear``, ``quadratic`` or ``ordinal``.

    Returns:
        At most 1; 0 is chance. 0 by definition if one rater is constant and the other is not;
        undefined if both gave one and the same value to every unit.
    """
    q = len(categories)
    disagreement = 1.0 - agreement_weights(weights, q)
    parts, both = _joint(y, yhat, categories)

    def from_sums(sums: Floats) -> Values:
        table = sums.reshape(-1, q, q)
        rows, columns = table.sum(axis=2), table.sum(axis=1)
        n = rows.sum(axis=1)
        observed = np.einsum("bij,ij->b", table, disagreement) * n
        expected = np.einsum("bi,ij,bj->b", rows, disagreement, columns)
        constant = ((rows > 0).sum(axis=1) == 1) | ((columns > 0).sum(axis=1) == 1)
        return values(
            1.0 - ratio(observed, expected),
            (n == 0, MissingReason.NO_UNITS, None),
            (expected == 0, MissingReason.ALL_CONSTANT, None),
            (n == 1, MissingReason.ONE_UNIT, 0.0),
            (constant, MissingReason.ONE_CONSTANT, 0.0),
        )

    def library() -> float:
        from sklearn.metrics import cohen_kappa_score

        pair = (codes(by_key[both], categories) for by_key in (y, yhat))
        named = None if weights == "identity" else weights
        return float(cohen_kappa_score(*pair, labels=list(range(q)), weights=named))

    plain = weights != "ordinal" and _varied(y[both]) and _varied(yhat[both])
    return Statistic("kappa", parts, from_sums, both, library if plain else None)


def nominal_kappa(first: Floats, second: Floats, categories: int) -> Statistic:
    """Cohen's kappa of two raters whose categories have no order.

    Args:
        first: Shape (units,); 0 .. categories - 1, NaN missing.
        second: Likewise.
        categories: How many there are, used or not.
    """
    scale = tuple(float(at) for at in range(categories))
    return weighted_kappa(first, second, categories=scale, weights="identity")


@metric("pearson", "Pearson")
def pearson(y: Floats, yhat: Floats) -> Statistic:
    """Pearson's product-moment correlation, of scores as they are, not rounded.

    Args:
        y: Shape (units,), NaN missing.
        yhat: Likewise.

    Returns:
        -1..1. Undefined for one unit, and where one side is constant.
    """
    both = _both(y, yhat)
    # About the middle of the scale, so that squares do not drown differences.
    x, y = (np.where(both, by_key - 3.0, 0.0) for by_key in (y, yhat))
    parts = np.stack([both.astype(np.float64), x, y, x * x, y * y, x * y], axis=1)

    def from_sums(sums: Floats) -> Values:
        n, sx, sy, sxx, syy, sxy = sums.T
        vx, vy = n * sxx - sx * sx, n * syy - sy * sy
        # Sums that others were taken out of are off by the rounding of those: hence also n * n.
        return _correlation(n, n * sxy - sx * sy, vx, vy, (n * sxx + n * n, n * syy + n * n))

    return Statistic("pearson", parts, from_sums, both)


@metric("spearman", "Spearman")
def spearman(y: Floats, yhat: Floats) -> Statistic:
    """Spearman's rank correlation: Pearson's of the ranks, ties sharing the mean of theirs.

    In a resample the units are ranked anew. Args, values and edges as for `pearson`.
    """
    both = _both(y, yhat)
    return _ranked(np.where(both, y, np.nan), np.where(both, yhat, np.nan), np.zeros((0, 2)))


def _ranked(y: Floats, yhat: Floats, more: Floats) -> Statistic:
    """Spearman's correlation with a sum for each pair of values of its units, or of `more`."""
    both = _both(y, yhat)
    own = np.stack([y[both], yhat[both]], axis=1)
    cells, cell = np.unique(np.concatenate([own, more]), axis=0, return_inverse=True)
    parts = np.zeros((len(y), max(1, len(cells))))
    parts[np.flatnonzero(both), cell.reshape(-1)[: len(own)]] = 1.0
    levels = [np.unique(cells[:, side], return_inverse=True)[1] for side in (0, 1)]

    def from_sums(sums: Floats) -> Values:
        n = sums.sum(axis=1)
        if not len(cells):
            return values(n, (n == 0, MissingReason.NO_UNITS, None))
        ranks = [_midranks(sums, level) for level in levels]
        x, y = (rank - (n[:, None] + 1) / 2 for rank in ranks)
        vx, vy, cov = ((sums * value).sum(axis=1) for value in (x * x, y * y, x * y))
        return _correlation(n, cov, vx, vy, (n**3, n**3))

    return Statistic("spearman", parts, from_sums, both, cells=cells, on=partial(_ranked, y, yhat))


def _midranks(cells: Floats, level: NDArray[np.int64]) -> Floats:
    """The mean rank of each cell's value in each sample, shape (samples, cells)."""
    counts = cells @ np.eye(int(level.max()) + 1)[level]
    upto = counts.cumsum(axis=1)
    return np.asarray((upto - counts / 2 + 0.5)[:, level], dtype=np.float64)


def _correlation(
    n: Floats, cov: Floats, vx: Floats, vy: Floats, scale: tuple[Floats, Floats]
) -> Values:
    flat = (vx <= _TINY * scale[0]) | (vy <= _TINY * scale[1])
    under = np.sqrt(np.where(flat, 0.0, vx) * np.where(flat, 0.0, vy))
    return values(
        ratio(cov, under).clip(-1.0, 1.0),
        (n == 0, MissingReason.NO_UNITS, None),
        (n == 1, MissingReason.ONE_UNIT, None),
        (flat, MissingReason.ONE_CONSTANT, None),
    )


def _both(y: Floats, yhat: Floats) -> NDArray[np.bool_]:
    return ~np.isnan(y) & ~np.isnan(yhat)


def _varied(column: Floats) -> bool:
    return len(np.unique(column)) > 1


def _joint(
    y: Floats, yhat: Floats, categories: tuple[float, ...]
) -> tuple[Floats, NDArray[np.bool_]]:
    """One column for each pair of categories, y's first."""
    both = _both(y, yhat)
    q = len(categories)
    cell = codes(y, categories) * q + codes(yhat, categories)
    parts = np.zeros((len(y), q * q))
    where = np.flatnonzero(both)
    parts[where, cell[where]] = 1.0
    return parts, both


def tally(ratings: Floats, categories: tuple[float, ...] = SCALE) -> Floats:
    """How many raters put each unit into each category.

    Args:
        ratings: Shape (units, raters), NaN missing.
        categories: The whole scale, in order.

    Returns:
        Shape (units, categories).

    Raises:
        ValueError: A rating is none of the categories.
    """
    counts = np.zeros((ratings.shape[0], len(categories)))
    for column in codes(ratings, categories).T:
        rated = np.flatnonzero(column >= 0)
        counts[rated, column[rated]] += 1.0
    return counts


def gwet_ac(
    ratings: Floats,
    *,
    categories: tuple[float, ...] = SCALE,
    weights: Weights = "quadratic",
) -> Statistic:
    """Gwet's AC2, which is AC1 with identity weights.

    Gwet 2008, Br. J. Math. Stat. Psychol. 61, 29-48, for AC1; Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed., chapters 2 to 5, for weights and missing ratings: the observed agreement
    is the mean over units with two or more ratings, the prevalence of a category the mean over
    units with at least one.

    Args:
        ratings: Shape (units, raters), each one of the categories, NaN missing.
        categories: The whole scale, in order; never inferred from the sample.
        weights: ``identity`` (AC1), ``linear``, ``quadratic`` or ``ordinal``.

    Returns:
        At most 1; 0 is chance. 1 by definition where every rating is the same (chance agreement
        is then 0). Undefined if no unit has two ratings.
    """
    q = len(categories)
    agreement = agreement_weights(weights, q)
    counts = tally(ratings, categories)
    raters = counts.sum(axis=1)
    several, rated = raters >= _PAIR, raters >= 1
    near = (counts * (counts @ agreement - 1.0)).sum(axis=1)
    share = np.where(several, near / np.maximum(raters * (raters - 1), 1.0), 0.0)
    prevalence = counts / np.maximum(raters, 1.0)[:, None]
    parts = np.column_stack([share, several, rated, prevalence]).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        observed = ratio(sums[:, 0], sums[:, 1])
        common = ratio(sums[:, 3:], sums[:, 2:3])
        chance = agreement.sum() / (q * (q - 1)) * (common * (1.0 - common)).sum(axis=1)
        constant = (sums[:, 3:] > 0).sum(axis=1) == 1
        return values(
            ratio(observed - chance, 1.0 - chance),
            (sums[:, 2] == 0, MissingReason.NO_UNITS, None),
            (sums[:, 1] == 0, MissingReason.NO_PAIR, None),
            (constant, MissingReason.ALL_CONSTANT, 1.0),
        )

    name = "ac1" if weights == "identity" else "ac2"
    return Statistic(name, parts, from_sums, several)


def krippendorff_alpha(
    ratings: Floats,
    *,
    categories: tuple[float, ...] = SCALE,
    level: Level = "ordinal",
) -> Statistic:
    """Krippendorff's alpha: one minus observed over expected disagreement.

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C to F: coincidences of
    the pairable values, a unit with m of them counting each of its pairs 1 / (m - 1) times.

    Args:
        ratings: Shape (units, raters), each one of the categories, NaN missing.
        categories: All values of the scale, in order; their numbers count for ``interval`` and
            ``ratio``.
        level: ``nominal``, ``ordinal``, ``interval`` or ``ratio``.

    Returns:
        At most 1; 0 is chance. Undefined if no unit has two ratings, and where every pairable
        rating is the same: without variation nothing can be said of reliability.
    """
    counts = tally(ratings, categories)
    raters = counts.sum(axis=1)
    several = raters >= _PAIR
    counts[~several] = 0.0
    each = counts / np.maximum(raters - 1.0, 1.0)[:, None]
    first, second = np.triu_indices(len(categories), k=1)
    parts = np.concatenate([counts, each[:, first] * counts[:, second]], axis=1)
    fixed = None if level == "ordinal" else _distance(level, categories)
    q = len(categories)

    def from_sums(sums: Floats) -> Values:
        common, mixed = sums[:, :q], sums[:, q:]
        n = common.sum(axis=1)
        if fixed is None:
            # Ordinal distance is the distance of mid-ranks: sum of n_g from c to k less half of
            # both ends (Krippendorff 2011, section E).
            middle = common.cumsum(axis=1) - common / 2
            apart = (middle[:, first] - middle[:, second]) ** 2
        else:
            apart = np.broadcast_to(fixed[first, second], mixed.shape)
        observed = (mixed * apart).sum(axis=1)
        expected = (common[:, first] * common[:, second] * apart).sum(axis=1)
        return values(
            1.0 - ratio((n - 1.0) * observed, expected),
            (n == 0, MissingReason.NO_PAIR, None),
            ((common > 0).sum(axis=1) == 1, MissingReason.ALL_CONSTANT, None),
        )

    def library() -> float:
        """NaN where the package is not installed."""
        try:
            import krippendorff
        except ImportError:
            return float("nan")
        return float(
            krippendorff.alpha(
                value_counts=counts.astype(int),
                value_domain=list(categories),
                level_of_measurement=level,
            )
        )

    varied = (counts.sum(axis=0) > 0).sum() > 1
    return Statistic("alpha", parts, from_sums, several, library if varied else None)


def _distance(level: Level, categories: tuple[float, ...]) -> Floats:
    """Squared distance of two categories, shape (categories, categories)."""
    scale = np.asarray(categories, dtype=np.float64)
    apart = scale[:, None] - scale[None, :]
    if level == "nominal":
        return np.asarray(apart != 0, dtype=np.float64)
    if level == "interval":
        return np.asarray(apart**2, dtype=np.float64)
    relative = ratio(apart, scale[:, None] + scale[None, :])
    return np.asarray(relative**2, dtype=np.float64)


def rounded(scores: Floats) -> Floats:
    """The nearest integer, halves up (2.5 is 3), NaN kept."""
    return np.asarray(np.floor(scores + 0.5), dtype=np.float64)


@metric("ac2", "AC2")
def _ac2_of_scores(y: Floats, yhat: Floats) -> Statistic:
    """Of units that have both scores, so that units left out do not shift its chance."""
    both = np.stack([y, yhat], axis=1)
    known = np.where(np.isnan(both).any(axis=1, keepdims=True), np.nan, both)
    return gwet_ac(rounded(known))


@metric("kappa", "Kappa")
def _kappa_of_scores(y: Floats, yhat: Floats) -> Statistic:
    return weighted_kappa(rounded(y), rounded(yhat))


@metric("alpha", "Alpha")
def _alpha_of_scores(y: Floats, yhat: Floats) -> Statistic:
    return krippendorff_alpha(rounded(np.stack([y, yhat], axis=1)))


@metric("kappa-of-flags", "Kappa")
def _kappa_of_flags(y: Floats, yhat: Floats) -> Statistic:
    return weighted_kappa(y, yhat, categories=(0.0, 1.0), weights="identity")


RankKind: TypeAlias = Literal["spearman", "kendall"]

EXACT_UP_TO = 8
"""Systems up to which all orders (8! = 40,320) are gone through."""
FEWEST = 3
"""With two systems a rank correlation is 1 or -1 and says nothing."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """A rank correlation of two sets of scores.

    Attributes:
        kind: Spearman's rho (ties share their mean rank) or Kendall's tau-b.
        value: -1..1; None if undefined, with a `reason`.
        n: Systems that have both scores.
        p: Two-sided: how often a chance order of one side is as strongly correlated.
        method: How p was found: over all orders, or over drawn ones (at least 1 / (draws + 1)).
        reason: Why there is no value.
    """

    kind: RankKind
    value: float | None
    n: int
    p: float | None = None
    method: Literal["exact", "permutation", ""] = ""
    reason: str = ""


def rank_correlation(
    left: Mapping[str, float],
    right: Mapping[str, float],
    *,
    kind: RankKind = "spearman",
    draws: int = 20_000,
    seed: int = 0,
) -> RankCorrelation:
    """Correlate two scores of the same systems, such as those by two evaluation models.

    Args:
        left: Score by system; systems without a score on the other side, and NaN, do not count.
        right: Likewise.
        kind: Which coefficient.
        draws: Permutations where there are more than `EXACT_UP_TO` systems.
        seed: Of the draws.
    """
    both = [text for text in left if text in right and not isnan(left[text] + right[text])]
    x, y = (np.array([side[text] for text in both], dtype=np.float64) for side in (left, right))
    if len(both) < FEWEST:
        return RankCorrelation(kind, None, len(both), reason=f"fewer than {FEWEST} systems")
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        return RankCorrelation(kind, None, len(both), reason="all systems have the same score")
    coefficient = _spearman(x, y) if kind == "spearman" else _kendall(x, y)
    value = float(coefficient(np.arange(len(both))[None, :])[0])
    exact = len(both) <= EXACT_UP_TO
    reached = drawn = 0
    for orders in _all_orders(len(both)) if exact else _drawn_orders(len(both), draws, seed):
        reached += int((np.abs(coefficient(orders)) >= abs(value) - _ROUNDING).sum())
        drawn += len(orders)
    p = reached / drawn if exact else (1 + reached) / (1 + drawn)
    return RankCorrelation(kind, value, len(both), p, "exact" if exact else "permutation")


def _spearman(x: Floats, y: Floats) -> Callable[[Ints], Floats]:
    """The coefficient for orders of y, shape (orders, n) to (orders,)."""
    from scipy.stats import rankdata

    a, b = (rankdata(side) - (len(x) + 1) / 2 for side in (x, y))
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return lambda orders: np.asarray(b[orders] @ a / scale, dtype=np.float64)


def _kendall(x: Floats, y: Floats) -> Callable[[Ints], Floats]:
    """Tau-b (Kendall 1945, Biometrika 33, 239-251) for orders of y."""
    a, b = (np.sign(side[:, None] - side[None, :]) for side in (x, y))
    scale = float(np.sqrt((a * a).sum() * (b * b).sum()))

    def coefficient(orders: Ints) -> Floats:
        moved = b[orders[:, :, None], orders[:, None, :]]
        return np.asarray((moved * a).sum(axis=(1, 2)) / scale, dtype=np.float64)

    return coefficient


_AT_ONCE = 2000


def _all_orders(n: int) -> list[Ints]:
    orders = np.array(list(permutations(range(n))), dtype=np.int64).reshape(factorial(n), n)
    return [orders[at : at + _AT_ONCE] for at in range(0, len(orders), _AT_ONCE)]


def _drawn_orders(n: int, draws: int, seed: int) -> list[Ints]:
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=1)
    return [orders[at : at + _AT_ONCE] for at in range(0, draws, _AT_ONCE)]
