"""The interval of a share of independent things."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(hits: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22, 209-212).

    It takes points as independent. Points of one paper are not quite, so that the true
    uncertainty is rather wider.

    Args:
        hits: How many have the property, 0..n.
        n: Of how many, at least 1.
        level: Share of intervals that should hold the true share, 0..1.

    Returns:
        Lower and upper end, within 0..1.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = hits / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the interval touches 0 or 1 exactly; floating point would miss it by a hair.
    low = 0.0 if hits <= 0 else (middle - reach) / scale
    return low, 1.0 if hits >= n else (middle + reach) / scale
