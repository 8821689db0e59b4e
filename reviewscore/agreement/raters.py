"""Coefficients of any number of raters with missing ratings: Gwet AC1 and AC2, Krippendorff alpha.

Ratings have shape (units, raters), NaN where a rater gave none.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

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

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[str, ...] = get_args(Level)
_PAIR = 2


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

    def finish(sums: Floats) -> Values:
        observed = ratio(sums[:, 0], sums[:, 1])
        common = ratio(sums[:, 3:], sums[:, 2:3])
        chance = agreement.sum() / (q * (q - 1)) * (common * (1.0 - common)).sum(axis=1)
        constant = (sums[:, 3:] > 0).sum(axis=1) == 1
        return values(
            ratio(observed - chance, 1.0 - chance),
            (sums[:, 2] == 0, Reason.NO_UNITS, None),
            (sums[:, 1] == 0, Reason.NO_PAIR, None),
            (constant, Reason.ALL_CONSTANT, 1.0),
        )

    name = "ac1" if weights == "identity" else "ac2"
    return Statistic(name, parts, finish, several)


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

    def finish(sums: Floats) -> Values:
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
            (n == 0, Reason.NO_PAIR, None),
            ((common > 0).sum(axis=1) == 1, Reason.ALL_CONSTANT, None),
        )

    def library() -> float:
        return _by_library(counts, categories, level)

    varied = (counts.sum(axis=0) > 0).sum() > 1
    return Statistic("alpha", parts, finish, several, library if varied else None)


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


def _by_library(counts: Floats, categories: tuple[float, ...], level: Level) -> float:
    """The same by the `krippendorff` package; NaN where it is not installed."""
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
