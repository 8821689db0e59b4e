"""Rank correlation between scores of the same systems, with exact or permutation p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import factorial, isnan
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.stats.statistic import Floats, Ints

Kind: TypeAlias = Literal["spearman", "kendall"]

EXACT_UP_TO = 8
"""Systems up to which all orders (8! = 40,320) are gone through."""
FEWEST = 3
"""With two systems a rank correlation is 1 or -1 and says nothing."""
_TINY = 1e-9


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

    kind: Kind
    value: float | None
    n: int
    p: float | None = None
    method: Literal["exact", "permutation", ""] = ""
    reason: str = ""


def rank_correlation(
    left: Mapping[str, float],
    right: Mapping[str, float],
    *,
    kind: Kind = "spearman",
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
    both = [one for one in left if one in right and not isnan(left[one] + right[one])]
    x, y = (np.array([side[one] for one in both], dtype=np.float64) for side in (left, right))
    if len(both) < FEWEST:
        return RankCorrelation(kind, None, len(both), reason=f"fewer than {FEWEST} systems")
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        return RankCorrelation(kind, None, len(both), reason="all systems have the same score")
    coefficient = _spearman(x, y) if kind == "spearman" else _kendall(x, y)
    value = float(coefficient(np.arange(len(both))[None, :])[0])
    exact = len(both) <= EXACT_UP_TO
    reached = drawn = 0
    for orders in _all_orders(len(both)) if exact else _drawn_orders(len(both), draws, seed):
        reached += int((np.abs(coefficient(orders)) >= abs(value) - _TINY).sum())
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
