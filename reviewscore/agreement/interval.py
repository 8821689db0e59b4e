"""Intervals from bootstrap replicates: percentile, BCa and basic; of a share of 0 or 1: Wilson."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.agreement.statistic import Floats

Method: TypeAlias = Literal["bca", "percentile", "basic", "wilson", "mover"]

_NORMAL = NormalDist()
_ROUNDING = 1e-12
"""Values of a coefficient closer than this are the same."""


@dataclass(frozen=True)
class Interval:
    """An interval for a coefficient.

    Attributes:
        low: Lower end; NaN if there is no interval.
        high: Upper end.
        method: How it was made; ``percentile`` also where BCa could not be.
        undefined: Share of resamples in which the coefficient had no value, 0..1. They are left
            out, so a large share makes the interval too narrow.
    """

    low: float
    high: float
    method: Method
    undefined: float


def interval(
    value: float,
    replicates: Floats,
    left_out: Floats,
    *,
    method: Method = "bca",
    level: float = 0.95,
) -> Interval:
    """The interval of a coefficient.

    BCa (bias-corrected and accelerated: Efron 1987, J. Am. Stat. Assoc. 82, 171-185) shifts the
    percentiles by the bias of the replicates and by the skewness that the jackknife shows. Where
    all replicates lie on one side of the value, or the jackknife does not vary, it becomes the
    percentile interval.

    The basic interval (Davison and Hinkley 1997, Bootstrap Methods and their Application,
    sec. 5.2) reflects the percentiles at the value. It is for a coefficient whose replicates are
    biased as the value itself is: the two cancel, and the value may lie outside.

    Args:
        value: The coefficient of the whole sample.
        replicates: Shape (resamples,); its bootstrap replicates, NaN where undefined.
        left_out: Shape (papers,); the coefficient without each paper, NaN where undefined.
        method: ``bca``, ``percentile`` or ``basic``.
        level: Share of intervals that should hold the true value, 0..1.

    Returns:
        The interval; its ends are NaN if the value or all replicates are undefined.
    """
    known = replicates[~np.isnan(replicates)]
    undefined = (len(replicates) - len(known)) / len(replicates) if len(replicates) else 1.0
    if np.isnan(value) or not len(known):
        return Interval(float("nan"), float("nan"), "percentile", undefined)
    tail = (1.0 - level) / 2
    if method == "basic":
        low, high = 2 * value - np.quantile(known, (1.0 - tail, tail))
        return Interval(float(low), float(high), "basic", undefined)
    ends = _shifted(value, known, left_out, tail) if method == "bca" else None
    low, high = np.quantile(known, ends or (tail, 1.0 - tail))
    used: Method = "bca" if ends else "percentile"
    return Interval(float(low), float(high), used, undefined)


def _shifted(
    value: float, known: Floats, left_out: Floats, tail: float
) -> tuple[float, float] | None:
    """The percentiles to take for BCa; None where it is not defined."""
    # Replicates of a discrete coefficient often equal the value: half of them count as below.
    lower, upto = known < value - _ROUNDING, known <= value + _ROUNDING
    below = float((lower.mean() + upto.mean()) / 2)
    jack = left_out[~np.isnan(left_out)]
    if not 0.0 < below < 1.0 or len(jack) < 2:  # noqa: PLR2004 - skewness of one value
        return None
    apart = jack.mean() - jack
    spread = float((apart**2).sum())
    if spread <= len(jack) * _ROUNDING**2:
        return None
    acceleration = float((apart**3).sum()) / (6.0 * spread**1.5)
    bias = _NORMAL.inv_cdf(below)
    ends = []
    for share in (tail, 1.0 - tail):
        z = bias + _NORMAL.inv_cdf(share)
        under = 1.0 - acceleration * z
        if under <= 0:
            return None
        ends.append(_NORMAL.cdf(bias + z / under))
    return ends[0], ends[1]
