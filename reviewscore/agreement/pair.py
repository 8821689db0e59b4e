"""Coefficients of two raters: precision, recall, F1, weighted kappa, Pearson, Spearman.

Each takes two columns of ratings, shape (units,), NaN where one is missing; units without both do
not count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reviewscore.agreement.statistic import (
    SCALE,
    Floats,
    Reason,
    Statistic,
    Values,
    codes,
    ratio,
    values,
)
from reviewscore.agreement.weights import Weights, agreement_weights

_TINY = 1e-12
"""Below this share of its scale a variance is rounding error."""


def precision(human: Floats, judge: Floats) -> Statistic:
    """Share of the units called misinformed by the judge that people call so too.

    Args:
        human: Shape (units,); 1 misinformed, 0 not, NaN unknown.
        judge: Likewise.

    Returns:
        0..1. Undefined if the judge called no unit misinformed.
    """

    def finish(sums: Floats) -> Values:
        hit, false, _, n = sums.T
        empty = hit + false == 0
        return values(
            ratio(hit, hit + false),
            (n == 0, Reason.NO_UNITS, None),
            (empty, Reason.NONE_PREDICTED, None),
        )

    return _binary("precision", human, judge, finish)


def recall(human: Floats, judge: Floats) -> Statistic:
    """Share of the units called misinformed by people that the judge calls so too.

    Args and values as for `precision`. Undefined if people called no unit misinformed.
    """

    def finish(sums: Floats) -> Values:
        hit, _, missed, n = sums.T
        empty = hit + missed == 0
        return values(
            ratio(hit, hit + missed),
            (n == 0, Reason.NO_UNITS, None),
            (empty, Reason.NONE_POSITIVE, None),
        )

    return _binary("recall", human, judge, finish)


def f1(human: Floats, judge: Floats) -> Statistic:
    """F1 of the class "misinformed": 2 TP / (2 TP + FP + FN).

    Args as for `precision`.

    Returns:
        0..1, and 0 as soon as one side calls a unit misinformed and no unit is called so by both.
        Undefined if neither side does.
    """

    def finish(sums: Floats) -> Values:
        hit, false, missed, n = sums.T
        total = 2 * hit + false + missed
        return values(
            ratio(2 * hit, total),
            (n == 0, Reason.NO_UNITS, None),
            (total == 0, Reason.NO_POSITIVES, None),
            (hit + missed == 0, Reason.NONE_POSITIVE, 0.0),
            (hit + false == 0, Reason.NONE_PREDICTED, 0.0),
        )

    return _binary("f1", human, judge, finish)


def _binary(
    name: str, human: Floats, judge: Floats, finish: Callable[[Floats], Values]
) -> Statistic:
    both = _both(human, judge)
    hit, false, missed = (
        (human == 1) & (judge == 1),
        (human == 0) & (judge == 1),
        (human == 1) & (judge == 0),
    )
    parts = np.stack([hit & both, false & both, missed & both, both], axis=1).astype(np.float64)

    def library() -> float:
        from sklearn.metrics import precision_recall_fscore_support

        scores = precision_recall_fscore_support(
            human[both].astype(int),
            judge[both].astype(int),
            labels=[1],
            average=None,
            zero_division=np.nan,
        )
        return float(scores[("precision", "recall", "f1").index(name)][0])

    return Statistic(name, parts, finish, both, library if both.any() else None)


def weighted_kappa(
    human: Floats,
    judge: Floats,
    *,
    categories: tuple[float, ...] = SCALE,
    weights: Weights = "quadratic",
) -> Statistic:
    """Cohen's kappa with weights (Cohen 1968, Psychol. Bull. 70, 213-220).

    One minus observed over expected disagreement. Quadratic weights are the "Kappa" of the
    ReviewScore paper (arXiv 2509.21679, sec. 4.1), identity weights Cohen's own kappa.

    Args:
        human: Shape (units,); one of the categories, NaN missing.
        judge: Likewise.
        categories: The whole scale. It is never inferred from the sample: a category that is
            missing there would change the weights.
        weights: ``identity``, ``linear``, ``quadratic`` or ``ordinal``.

    Returns:
        At most 1; 0 is chance. 0 by definition if one rater is constant and the other is not;
        undefined if both gave one and the same value to every unit.
    """
    q = len(categories)
    disagreement = 1.0 - agreement_weights(weights, q)
    parts, both = _joint(human, judge, categories)

    def finish(sums: Floats) -> Values:
        table = sums.reshape(-1, q, q)
        rows, columns = table.sum(axis=2), table.sum(axis=1)
        n = rows.sum(axis=1)
        observed = np.einsum("bij,ij->b", table, disagreement) * n
        expected = np.einsum("bi,ij,bj->b", rows, disagreement, columns)
        constant = ((rows > 0).sum(axis=1) == 1) | ((columns > 0).sum(axis=1) == 1)
        return values(
            1.0 - ratio(observed, expected),
            (n == 0, Reason.NO_UNITS, None),
            (expected == 0, Reason.ALL_CONSTANT, None),
            (n == 1, Reason.ONE_UNIT, 0.0),
            (constant, Reason.ONE_CONSTANT, 0.0),
        )

    def library() -> float:
        from sklearn.metrics import cohen_kappa_score

        pair = (codes(one[both], categories) for one in (human, judge))
        named = None if weights == "identity" else weights
        return float(cohen_kappa_score(*pair, labels=list(range(q)), weights=named))

    plain = weights != "ordinal" and _varied(human[both]) and _varied(judge[both])
    return Statistic("kappa", parts, finish, both, library if plain else None)


def pearson(human: Floats, judge: Floats) -> Statistic:
    """Pearson's product-moment correlation, of scores as they are, not rounded.

    Args:
        human: Shape (units,), NaN missing.
        judge: Likewise.

    Returns:
        -1..1. Undefined for one unit, and where one side is constant.
    """
    both = _both(human, judge)
    # About the middle of the scale, so that squares do not drown differences.
    x, y = (np.where(both, one - 3.0, 0.0) for one in (human, judge))
    parts = np.stack([both.astype(np.float64), x, y, x * x, y * y, x * y], axis=1)

    def finish(sums: Floats) -> Values:
        n, sx, sy, sxx, syy, sxy = sums.T
        vx, vy = n * sxx - sx * sx, n * syy - sy * sy
        # Sums that others were taken out of are off by the rounding of those: hence also n * n.
        return _correlation(n, n * sxy - sx * sy, vx, vy, (n * sxx + n * n, n * syy + n * n))

    return Statistic("pearson", parts, finish, both)


def spearman(human: Floats, judge: Floats) -> Statistic:
    """Spearman's rank correlation: Pearson's of the ranks, ties sharing the mean of theirs.

    In a resample the units are ranked anew. Args, values and edges as for `pearson`.
    """
    both = _both(human, judge)
    return _ranked(np.where(both, human, np.nan), np.where(both, judge, np.nan), np.zeros((0, 2)))


def _ranked(human: Floats, judge: Floats, more: Floats) -> Statistic:
    """Spearman's correlation with a sum for each pair of values of its units, or of `more`."""
    both = _both(human, judge)
    own = np.stack([human[both], judge[both]], axis=1)
    cells, cell = np.unique(np.concatenate([own, more]), axis=0, return_inverse=True)
    parts = np.zeros((len(human), max(1, len(cells))))
    parts[np.flatnonzero(both), cell.reshape(-1)[: len(own)]] = 1.0
    levels = [np.unique(cells[:, side], return_inverse=True)[1] for side in (0, 1)]

    def finish(sums: Floats) -> Values:
        n = sums.sum(axis=1)
        if not len(cells):
            return values(n, (n == 0, Reason.NO_UNITS, None))
        ranks = [_midranks(sums, level) for level in levels]
        x, y = (rank - (n[:, None] + 1) / 2 for rank in ranks)
        vx, vy, cov = ((sums * one).sum(axis=1) for one in (x * x, y * y, x * y))
        return _correlation(n, cov, vx, vy, (n**3, n**3))

    return Statistic(
        "spearman", parts, finish, both, cells=cells, on=partial(_ranked, human, judge)
    )


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
        (n == 0, Reason.NO_UNITS, None),
        (n == 1, Reason.ONE_UNIT, None),
        (flat, Reason.ONE_CONSTANT, None),
    )


def _both(human: Floats, judge: Floats) -> NDArray[np.bool_]:
    return ~np.isnan(human) & ~np.isnan(judge)


def _varied(column: Floats) -> bool:
    return len(np.unique(column)) > 1


def _joint(
    human: Floats, judge: Floats, categories: tuple[float, ...]
) -> tuple[Floats, NDArray[np.bool_]]:
    """One column for each pair of categories, human's first."""
    both = _both(human, judge)
    q = len(categories)
    cell = codes(human, categories) * q + codes(judge, categories)
    parts = np.zeros((len(human), q * q))
    where = np.flatnonzero(both)
    parts[where, cell[where]] = 1.0
    return parts, both
