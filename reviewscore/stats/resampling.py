"""Bootstrap, jackknife and permutation over papers and their units, and the intervals they give.

Weights are drawn once and multiplied with every statistic's sums, so that two judges are always
compared on the same samples (Efron and Tibshirani 1993, An Introduction to the Bootstrap).
Intervals: percentile, BCa and basic; of a share of 0 or 1 Wilson's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.stats.statistic import Floats, Ints, Statistic, aligned

Scheme: TypeAlias = Literal["papers+units", "papers", "units"]
Method: TypeAlias = Literal["bca", "percentile", "basic", "wilson", "mover"]

_CELLS = 4_000_000
"""Weights of units within papers that are drawn at once: 32 MB. Another number draws other
samples from the same seed."""
_BLOCK = 250_000
"""Weights of papers, or of units whatever their papers, held at once; the samples do not depend on
it."""


FEW_PAPERS = 10
"""Below so many papers, resampling papers says little of papers that are not in the sample."""
_NORMAL = NormalDist()
_ROUNDING = 1e-12
"""Values of a coefficient closer than this are the same."""


@dataclass(frozen=True)
class Resampling:
    """How intervals are made.

    Attributes:
        resamples: Bootstrap samples, and permutations.
        seed: Of the generator.
        scheme: What is drawn.
        method: Which interval.
        level: Share of intervals that should hold the true value.
    """

    resamples: int = 1000
    seed: int = 0
    scheme: Scheme = "papers+units"
    method: Method = "bca"
    level: float = 0.95

    @property
    def percent(self) -> str:
        """The level in percent, unrounded: 99.9 % is not 100 %."""
        return percent(self.level)


def percent(level: float) -> str:
    """A level of intervals in percent, unrounded."""
    return f"{100 * level:.6g}%"


@dataclass(frozen=True)
class Clusters:
    """Which paper each unit belongs to.

    Attributes:
        of: Shape (units,); number of the paper, 0 .. papers - 1.
        sizes: Shape (papers,); units of each.
    """

    of: Ints
    sizes: Ints

    @classmethod
    def by(cls, names: Sequence[str]) -> Clusters:
        """Number the papers of the units."""
        _, of = np.unique(np.asarray(names, dtype=str), return_inverse=True)
        of = of.reshape(-1).astype(np.int64)
        return cls(of, np.bincount(of).astype(np.int64))

    @classmethod
    def each(cls, papers: int) -> Clusters:
        """Papers that are the units themselves."""
        return cls(np.arange(papers, dtype=np.int64), np.ones(papers, dtype=np.int64))

    def __len__(self) -> int:
        """Number of papers."""
        return len(self.sizes)


def bootstrap_weights(
    clusters: Clusters, resamples: int, *, seed: int = 0, scheme: Scheme = "papers+units"
) -> Iterator[Floats]:
    """How often each unit is drawn in each bootstrap sample.

    Args:
        clusters: The papers of the units.
        resamples: Number of samples.
        seed: Of the generator; the same seed gives the same samples.
        scheme: ``papers+units`` draws papers with replacement, then as many units as each has
            from it, with replacement; ``papers`` takes each drawn paper whole; ``units`` takes
            no notice of papers.

    Yields:
        Shape (some samples, units); together `resamples` rows.
    """
    rng = np.random.default_rng(seed)
    units = len(clusters.of)
    chunk = max(1, (_CELLS if scheme == "papers+units" else _BLOCK) // max(units, 1))
    order = np.argsort(clusters.of, kind="stable")
    starts = np.concatenate([[0], clusters.sizes.cumsum()[:-1]])
    for begin in range(0, resamples, chunk):
        rows = min(chunk, resamples - begin)
        if scheme == "units":
            sample = np.repeat(np.arange(rows), units)
            drawn = rng.integers(units, size=rows * units)
            flat = np.bincount(sample * units + drawn, minlength=rows * units)
            yield flat.reshape(rows, units).astype(np.float64)
            continue
        papers = rng.integers(len(clusters), size=(rows, len(clusters)))
        if scheme == "papers":
            yield _count(papers, rows, len(clusters))[:, clusters.of]
            continue
        papers = papers.astype(np.int32)
        weights = np.empty((rows, units))
        some = max(1, _BLOCK // max(units, 1))
        for first in range(0, rows, some):  # what is worked with is several times as large
            part = papers[first : first + some]
            sizes = clusters.sizes[part]
            sample = np.repeat(np.arange(len(part)), sizes.sum(axis=1))
            each = np.repeat(sizes.reshape(-1), sizes.reshape(-1))
            offset = np.repeat(starts[part].reshape(-1), sizes.reshape(-1))
            drawn = order[offset + (rng.random(len(each)) * each).astype(np.int64)]
            flat = np.bincount(sample * units + drawn, minlength=len(part) * units)
            weights[first : first + some] = flat.reshape(len(part), units)
        yield weights


def _count(drawn: Ints, rows: int, kinds: int) -> Floats:
    flat = (np.arange(rows)[:, None] * kinds + drawn).reshape(-1)
    return np.bincount(flat, minlength=rows * kinds).reshape(rows, kinds).astype(np.float64)


class Sums:
    """The sums of many coefficients side by side, each part multiplied once.

    Args:
        statistics: Coefficients over the same units.
    """

    def __init__(self, statistics: Sequence[Statistic]) -> None:
        self.statistics = statistics
        blocks: dict[tuple[int, bytes], tuple[int, Floats]] = {}
        self._slices: list[slice] = []
        at = 0
        for statistic in statistics:
            key = (
                statistic.contributions.shape[1],
                blake2b(np.ascontiguousarray(statistic.contributions).data).digest(),
            )
            if key not in blocks:
                blocks[key] = (at, statistic.contributions)
                at += statistic.contributions.shape[1]
            begin = blocks[key][0]
            self._slices.append(slice(begin, begin + statistic.contributions.shape[1]))
        self.matrix = np.concatenate([parts for _, parts in blocks.values()], axis=1)

    def values(self, sums: Floats) -> Floats:
        """Sums of shape (samples, k) to values of shape (statistics, samples)."""
        return np.stack(
            [
                statistic.from_sums(sums[:, place]).value
                for statistic, place in zip(self.statistics, self._slices, strict=True)
            ]
        )

    def by_paper(self, clusters: Clusters) -> Floats:
        """What each paper adds, shape (papers, k)."""
        out = np.zeros((len(clusters), self.matrix.shape[1]))
        np.add.at(out, clusters.of, self.matrix)
        return out


def bootstrap(
    statistics: Sequence[Statistic],
    clusters: Clusters,
    *,
    resamples: int = 1000,
    seed: int = 0,
    scheme: Scheme = "papers+units",
) -> Floats:
    """Values of each coefficient in each bootstrap sample.

    Returns:
        Shape (statistics, resamples); NaN where a sample leaves a coefficient undefined.
    """
    sums = Sums(statistics)
    return np.concatenate(
        [
            sums.values(weights @ sums.matrix)
            for weights in bootstrap_weights(clusters, resamples, seed=seed, scheme=scheme)
        ],
        axis=1,
    )


def jackknife(statistics: Sequence[Statistic], clusters: Clusters) -> Floats:
    """Values of each coefficient with one paper left out at a time.

    With a single paper one unit is left out at a time.

    Returns:
        Shape (statistics, papers) or, with a single paper, (statistics, units).
    """
    sums = Sums(statistics)
    each = sums.by_paper(clusters) if len(clusters) > 1 else sums.matrix
    return sums.values(sums.matrix.sum(axis=0) - each)


def swapped(
    pairs: Sequence[tuple[Statistic, Statistic]],
    clusters: Clusters,
    *,
    permutations: int = 1000,
    seed: int = 0,
) -> Floats:
    """Differences of paired coefficients after swapping the two sides paper by paper.

    If two judges are alike, each paper's two sets of scores could as well have come the other way
    round (Good 2005, Permutation, Parametric and Bootstrap Tests, sec. 3.4). With a single paper
    units are swapped.

    Returns:
        Shape (pairs, permutations); NaN where a permutation leaves one side undefined.

    Raises:
        ValueError: A pair is of different kinds or of different units.
    """
    rng = np.random.default_rng(seed)
    groups = len(clusters) if len(clusters) > 1 else len(clusters.of)
    sides = [
        tuple(Sums([statistic]) for statistic in aligned(left, right)) for left, right in pairs
    ]
    grouped = [
        [sums.by_paper(clusters) if len(clusters) > 1 else sums.matrix for sums in both]
        for both in sides
    ]
    rows = max(1, _BLOCK // max(groups, 1))
    blocks = []
    for begin in range(0, permutations, rows):
        some = min(rows, permutations - begin)
        swap = (rng.random((some, groups)) < 0.5).astype(np.float64)  # noqa: PLR2004 - a coin
        differences = []
        for both, each in zip(sides, grouped, strict=True):
            moved = swap @ (each[1] - each[0])
            first = both[0].values(both[0].matrix.sum(axis=0) + moved)
            second = both[1].values(both[1].matrix.sum(axis=0) - moved)
            differences.append((first - second)[0])
        blocks.append(np.stack(differences))
    return np.concatenate(blocks, axis=1)


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
