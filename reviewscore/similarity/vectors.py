"""Methods as vectors: the similarity of two papers is the product of theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from reviewscore.stats.statistic import Floats

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
