"""From similarities of single papers to that of a reviewer, block by block of submissions."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from reviewscore.similarity.vectors import Matrix, Vectors
from reviewscore.stats.statistic import Floats, Ints

_BLOCK_BYTES = 64_000_000
"""Memory of the similarities of one block."""
_WIDEST = 1024
"""Submissions of one block."""
_DENSE_CELLS = 4_000_000
"""Cells of a sparse table that are written out at a time."""
_WRITTEN = 3
"""What it costs to write one cell out, in multiplications."""
_THREADS = min(os.cpu_count() or 1, 4)
"""Blocks under way at once; arrays compute without Python's lock."""
_LARGE = 2_000_000_000
"""Multiplications above which numbers are of single precision, which halves time and memory."""
_WORTH_NARROWING = 0.8
"""Share of columns above which the others are left in."""
_UPPER = 75.0


class Pool(StrEnum):
    """How similarities of a reviewer's papers become one (arXiv 2303.16750, sec. 5.2)."""

    MEAN = "mean"
    MAX = "max"
    P75 = "p75"  # 75th percentile, with linear interpolation
    TOP3 = "top3"  # s1 + s2/2 + s3/3 of the highest; 0 for those that are not there (app. B)
    DOCUMENT = "document"  # all papers are one text


@dataclass(frozen=True)
class Block:
    """Similarities of some submissions.

    Attributes:
        first: Row of the first submission.
        scores: Shape (some submissions, reviewers); NaN for a reviewer without a paper.
    """

    first: int
    scores: Floats


@dataclass(frozen=True)
class _Group:
    """Reviewers with equally many papers.

    Attributes:
        reviewers: Shape (reviewers,); their places.
        papers: Shape (papers of each, reviewers); rows of documents.
    """

    reviewers: Ints
    papers: Ints


def _groups(members: Sequence[Ints]) -> list[_Group]:
    sizes = np.array([len(one) for one in members], dtype=np.int64)
    return [
        _Group(where, np.stack([members[int(one)] for one in where], axis=1))
        for size in np.unique(sizes[sizes > 0])
        if len(where := np.flatnonzero(sizes == size))
    ]


def pooled(found: Vectors, members: Sequence[Ints], pool: Pool) -> Iterator[Block]:
    """Similarities of all reviewers with each submission.

    Large sets are computed in single precision, all others in double.

    Args:
        found: Vectors of submissions and documents.
        members: For each reviewer, the rows of its documents (with `Pool.DOCUMENT` one row).
        pool: How they are pooled.
    """
    groups, found = _groups(members), _lighter(_narrowed(found))
    if pool in (Pool.MEAN, Pool.DOCUMENT):
        gathered = [_Group(one.reviewers, np.arange(len(one.reviewers))[None]) for one in groups]
        tables = [_means(found.documents, one.papers) for one in groups]
    else:
        gathered = groups
        tables = [found.documents[one.papers.reshape(-1)] for one in groups]
    widest = max((one.papers.size for one in gathered), default=1)
    width = max(1, min(_WIDEST, _BLOCK_BYTES // (16 * max(widest, len(members)))))
    submissions = found.submissions

    def block(first: int) -> Block:
        some = submissions[first : first + width]
        scores = np.full((len(members), some.shape[0]), np.nan)
        for group, table in zip(gathered, tables, strict=True):
            single = _products(table, some).reshape(*group.papers.shape, -1)
            scores[group.reviewers] = _POOLS[pool](single)
        return Block(first, scores.T)

    yield from _ahead(block, range(0, submissions.shape[0], width))


def _ahead(block: Callable[[int], Block], firsts: Sequence[int]) -> Iterator[Block]:
    """Blocks in order, some computed by other threads while one is looked at."""
    if len(firsts) == 1:
        yield block(firsts[0])
        return
    with ThreadPoolExecutor(_THREADS) as threads:
        under_way: deque[Future[Block]] = deque()
        for first in firsts:
            under_way.append(threads.submit(block, first))
            if len(under_way) > _THREADS:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _products(documents: Matrix, submissions: Matrix) -> Floats:
    """All products, shape (documents, submissions).

    A sparse table times a dense one is faster than two sparse ones whose product is dense; of the
    two, the one stays sparse that makes less work so.
    """
    if not hasattr(documents, "tocsr"):
        return np.asarray(documents @ submissions.T)
    rows, columns = documents.shape[0], submissions.shape[0]
    writing_out = _WRITTEN * rows * documents.shape[1]
    if documents.nnz * columns <= submissions.nnz * rows + writing_out:
        return np.asarray(documents @ np.ascontiguousarray(submissions.toarray().T))
    out = np.empty((rows, columns), dtype=documents.dtype)
    step = max(1, _DENSE_CELLS // max(documents.shape[1], 1))
    for first in range(0, rows, step):
        dense = np.ascontiguousarray(documents[first : first + step].toarray().T)
        out[first : first + step] = (submissions @ dense).T
    return out


def _narrowed(found: Vectors) -> Vectors:
    """Without the stems that only one side has: they add nothing to a product."""
    if not hasattr(found.documents, "tocsr"):
        return found
    here, there = (
        np.bincount(one.indices, minlength=one.shape[1]) > 0
        for one in (found.submissions, found.documents)
    )
    columns = np.flatnonzero(here & there)
    if len(columns) > _WORTH_NARROWING * len(here):  # a copy for little
        return found
    return Vectors(found.submissions[:, columns], found.documents[:, columns])


def _lighter(found: Vectors) -> Vectors:
    """In single precision (seven digits) where there is much to compute."""
    sparse = hasattr(found.documents, "tocsr")
    cells = found.documents.nnz if sparse else found.documents.size
    if cells * found.submissions.shape[0] <= _LARGE:
        return found
    return Vectors(found.submissions.astype(np.float32), found.documents.astype(np.float32))


def _means(documents: Matrix, papers: Ints) -> Matrix:
    """The mean vector of each reviewer: its product is the mean of products."""
    if not hasattr(documents, "tocsr"):
        return documents[papers].mean(axis=0)
    from scipy.sparse import csr_array

    size, reviewers = papers.shape
    share = csr_array(
        (
            np.full(papers.size, 1.0 / size, dtype=documents.dtype),
            (np.tile(np.arange(reviewers), size), papers.reshape(-1)),
        ),
        shape=(reviewers, documents.shape[0]),
    )
    return (share @ documents).tocsr()


def _top3(single: Floats) -> Floats:
    first = np.full(single.shape[1:], -np.inf, dtype=single.dtype)
    second, third = first.copy(), first.copy()
    for one in single:
        lower = np.minimum(first, one)
        np.maximum(first, one, out=first)
        lowest = np.minimum(second, lower)
        np.maximum(second, lower, out=second)
        np.maximum(third, lowest, out=third)
    total: Floats = first
    for divisor, more in ((2.0, second), (3.0, third)):
        total = total + np.where(np.isfinite(more), more, 0) / divisor
    return total


_POOLS: dict[Pool, Callable[[Floats], Floats]] = {
    Pool.MEAN: lambda single: single[0],
    Pool.DOCUMENT: lambda single: single[0],
    Pool.MAX: lambda single: single.max(axis=0),
    Pool.P75: lambda single: np.percentile(single, _UPPER, axis=0).astype(np.float64),
    Pool.TOP3: _top3,
}
"""From shape (papers, reviewers, submissions) to (reviewers, submissions)."""


def centred(scores: Floats) -> Floats:
    """Similarities less the mean of the submission over reviewers, NaN left out.

    A submission in plain words is near to everybody; what counts is who is nearer than others.
    """
    known = ~np.isnan(scores)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    means: Floats = np.where(known, scores, 0.0).sum(axis=1, keepdims=True) / count
    return scores - means
