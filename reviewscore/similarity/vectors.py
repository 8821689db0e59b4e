"""Methods as vectors, whose products are similarities of papers, and their pooling by reviewer."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from reviewscore.stats.statistic import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Matrix: TypeAlias = Any
"""A sparse table in rows, or an array; scipy publishes no types."""

DIMENSIONS = 100
"""Of LSA; fewer where there are fewer papers."""
K1, B = 1.5, 0.75
"""Of BM25, the defaults of bm25s."""


class Method(StrEnum):
    """How papers are compared; each is a fixed recipe."""

    TFIDF = "tfidf"
    TPMS = "tpms"
    BM25 = "bm25"
    LSA = "lsa"
    EMBEDDINGS = "embeddings"  # of an encoder, from a file


@dataclass(frozen=True)
class Vectors:
    """Vectors whose products are similarities.

    Attributes:
        submissions: Shape (submissions, dimensions).
        documents: Shape (documents, dimensions); documents are papers or whole profiles.
    """

    submissions: Matrix
    documents: Matrix


def vectors(
    method: Method,
    submissions: Matrix,
    documents: Matrix,
    distinct: Matrix,
    *,
    seed: int = 0,
) -> Vectors:
    """The vectors of submissions and documents.

    Args:
        method: The recipe.
        submissions: Shape (submissions, stems); how often each stem occurs, or shape (submissions,
            dimensions) of embeddings. Empty rows do not
            count.
        documents: Shape (documents, stems), likewise.
        distinct: Shape (papers, stems); every paper once, from which the weights of stems are
            learned (TPMS learns them from `submissions` and `documents`).
        seed: Of the decomposition of LSA.
    """
    if method is Method.LSA:
        return _lsa(submissions, documents, distinct, seed)
    return _RECIPES[method](submissions, documents, distinct)


def _document_frequency(table: csr_array) -> Floats:
    found = np.bincount(table.indices, minlength=table.shape[1])
    return found.astype(np.float64)


def _scaled(table: csr_array, data: Floats) -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((data, table.indices, table.indptr), shape=table.shape)


def unit_rows(table: csr_array) -> csr_array:
    """Rows of length 1; a row of zeros stays one."""
    squares = _row_sums(table, table.data**2)
    length = np.sqrt(np.where(squares > 0, squares, 1.0))
    return _scaled(table, table.data / np.repeat(length, np.diff(table.indptr)))


def _row_sums(table: csr_array, data: Floats) -> Floats:
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return np.bincount(rows, weights=data, minlength=table.shape[0]).astype(np.float64)


def _tfidf(submissions: csr_array, documents: csr_array, distinct: csr_array) -> Vectors:
    """Cosine of (1 + ln tf) ln(N / df) (Manning et al. 2008, Introduction to IR, sec. 6.4)."""
    frequency = _document_frequency(distinct)
    weight = np.log(max(distinct.shape[0], 1) / np.maximum(frequency, 1.0))

    def weighted(table: csr_array) -> csr_array:
        return unit_rows(_scaled(table, (1.0 + np.log(table.data)) * weight[table.indices]))

    return Vectors(weighted(submissions), weighted(documents))


def _tpms(submissions: csr_array, documents: csr_array, _distinct: csr_array) -> Vectors:
    """The open TF-IDF version of TPMS (Xu et al. 2019; arXiv 2303.16750, sec. 5.2).

    tf is 0.5 + 0.5 count / largest count of the document, idf is ln(N / df) over reviewers'
    documents and submissions, similarity is the cosine.
    """
    frequency = _document_frequency(submissions) + _document_frequency(documents)
    total = sum(int((np.diff(one.indptr) > 0).sum()) for one in (submissions, documents))
    weight = np.log(max(total, 1) / np.maximum(frequency, 1.0))

    def weighted(table: csr_array) -> csr_array:
        sizes = np.diff(table.indptr)
        filled = sizes > 0
        largest = np.ones(table.shape[0])
        if table.nnz:
            largest[filled] = np.maximum.reduceat(table.data, table.indptr[:-1][filled])
        tf = 0.5 + 0.5 * table.data / np.repeat(largest, sizes)
        return unit_rows(_scaled(table, tf * weight[table.indices]))

    return Vectors(weighted(submissions), weighted(documents))


def _bm25(submissions: csr_array, documents: csr_array, distinct: csr_array) -> Vectors:
    """BM25 with the submission's distinct stems as the query (Robertson and Zaragoza 2009).

    idf is Lucene's, ln(1 + (N - df + 0.5) / (df + 0.5)), the average length is that of documents.
    """
    frequency = _document_frequency(distinct)
    total = distinct.shape[0]
    weight = np.log1p((total - frequency + 0.5) / (frequency + 0.5))
    lengths = _row_sums(documents, documents.data)
    longest = K1 * (1.0 - B + B * lengths / max(float(lengths.sum()) / max(len(lengths), 1), 1.0))
    under = documents.data + np.repeat(longest, np.diff(documents.indptr))
    scored = _scaled(documents, weight[documents.indices] * documents.data * (K1 + 1.0) / under)
    return Vectors(_scaled(submissions, np.ones(submissions.nnz)), scored)


def _embedded(submissions: Floats, documents: Floats, _distinct: Floats) -> Vectors:
    """Cosine of the vectors that an encoder has made."""
    return Vectors(_unit(submissions), _unit(documents))


def _unit(table: Floats) -> Floats:
    length = np.linalg.norm(table, axis=1, keepdims=True)
    return table / np.where(length > 0, length, 1.0)


def _lsa(submissions: csr_array, documents: csr_array, distinct: csr_array, seed: int) -> Vectors:
    """Cosine in the space of the strongest directions of `tfidf` (Deerwester et al. 1990)."""
    from sklearn.decomposition import TruncatedSVD

    weighted = _tfidf(submissions, documents, distinct)
    learned = _tfidf(distinct, distinct, distinct).submissions
    dimensions = min(DIMENSIONS, min(learned.shape) - 1)
    if dimensions < 1:  # a single paper or stem has no directions
        return weighted
    space = TruncatedSVD(dimensions, random_state=seed).fit(learned)

    def placed(table: csr_array) -> Floats:
        return _unit(space.transform(table))

    return Vectors(placed(weighted.submissions), placed(weighted.documents))


_RECIPES: dict[Method, Callable[[Matrix, Matrix, Matrix], Vectors]] = {
    Method.TFIDF: _tfidf,
    Method.TPMS: _tpms,
    Method.BM25: _bm25,
    Method.EMBEDDINGS: _embedded,
}


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
class ScoreBlock:
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


def pooled(found: Vectors, members: Sequence[Ints], pool: Pool) -> Iterator[ScoreBlock]:
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

    def block(first: int) -> ScoreBlock:
        some = submissions[first : first + width]
        scores = np.full((len(members), some.shape[0]), np.nan)
        for group, table in zip(gathered, tables, strict=True):
            single = _products(table, some).reshape(*group.papers.shape, -1)
            scores[group.reviewers] = _POOLS[pool](single)
        return ScoreBlock(first, scores.T)

    yield from _ahead(block, range(0, submissions.shape[0], width))


def _ahead(block: Callable[[int], ScoreBlock], firsts: Sequence[int]) -> Iterator[ScoreBlock]:
    """Blocks in order, some computed by other threads while one is looked at."""
    if len(firsts) == 1:
        yield block(firsts[0])
        return
    with ThreadPoolExecutor(_THREADS) as threads:
        under_way: deque[Future[ScoreBlock]] = deque()
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
