"""Bootstrap, jackknife and permutation over papers and their units, all coefficients at once.

Weights are drawn once and multiplied with every coefficient's sums, so that two judges are always
compared on the same samples (Efron and Tibshirani 1993, An Introduction to the Bootstrap).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.agreement.statistic import Floats, Ints, Statistic, aligned

Scheme: TypeAlias = Literal["papers+units", "papers", "units"]

_CELLS = 4_000_000
"""Weights of units within papers that are drawn at once: 32 MB. Another number draws other
samples from the same seed."""
_BLOCK = 250_000
"""Weights of papers, or of units whatever their papers, held at once; the samples do not depend on
it."""


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
        for one in statistics:
            key = (one.parts.shape[1], blake2b(np.ascontiguousarray(one.parts).data).digest())
            if key not in blocks:
                blocks[key] = (at, one.parts)
                at += one.parts.shape[1]
            begin = blocks[key][0]
            self._slices.append(slice(begin, begin + one.parts.shape[1]))
        self.matrix = np.concatenate([parts for _, parts in blocks.values()], axis=1)

    def values(self, sums: Floats) -> Floats:
        """Sums of shape (samples, k) to values of shape (statistics, samples)."""
        return np.stack(
            [
                one.finish(sums[:, place]).value
                for one, place in zip(self.statistics, self._slices, strict=True)
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
    sides = [tuple(Sums([one]) for one in aligned(left, right)) for left, right in pairs]
    grouped = [
        [one.by_paper(clusters) if len(clusters) > 1 else one.matrix for one in both]
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
