"""Papers as bags of stems: which texts of a paper are read, and how often each stem occurs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.similarity.corpus import Corpus, Counts, Publication
from reviewscore.similarity.wording import Wording

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_NOWHERE = -1


class Representation(StrEnum):
    """Which texts of a paper are read (arXiv 2303.16750, sec. 6.2)."""

    TITLE = "title"
    ABSTRACT = "title+abstract"
    FULL = "full"


@dataclass(frozen=True)
class Bags:
    """Papers as counts of stems.

    Attributes:
        rows: The row of each paper.
        stems: Stems of the columns.
        table: Shape (papers, stems).
        readable: Papers that can be compared: all, but of full texts those that have one.
    """

    rows: dict[str, int]
    stems: tuple[str, ...]
    table: csr_array
    readable: frozenset[str]

    @cached_property
    def empty(self) -> frozenset[str]:
        """Papers without a word."""
        bare = np.diff(self.table.indptr) == 0
        return frozenset(paper for paper, row in self.rows.items() if bare[row])


def text_of(one: Publication, representation: Representation) -> str:
    """The text of a paper that is read."""
    parts = [one.title]
    if representation is not Representation.TITLE:
        parts.append(one.abstract)
    if representation is Representation.FULL:
        parts.append(one.text)
    return " ".join(part for part in parts if part)


def bags(
    corpus: Corpus,
    papers: Sequence[str],
    representation: Representation = Representation.ABSTRACT,
    *,
    wording: Wording,
) -> Bags:
    """The bags of papers.

    Args:
        corpus: Where they are.
        papers: Identifiers, none twice.
        representation: Which texts are read; full texts are read with title and abstract.
        wording: How texts become words.
    """
    from scipy.sparse import csr_array

    places = _Places(wording)
    vocabulary = places.vocabulary
    found = array("i")
    ends = [0]
    for paper in papers:
        tokens = wording.tokens(text_of(corpus.papers[paper], representation))
        found.extend(map(places.__getitem__, tokens))
        ends.append(len(found))
    columns = np.frombuffer(found, dtype=np.int32) if found else np.zeros(0, dtype=np.int32)
    stands = columns != _NOWHERE
    columns, starts = columns[stands], np.concatenate([[0], np.cumsum(stands)])[ends]
    rows = {paper: row for row, paper in enumerate(papers)}
    readable = set(papers)
    counted = None
    if representation is Representation.FULL:
        counts = corpus.counts
        known = counts.rows if counts is not None else {}
        readable = {one for one in papers if one in known or corpus.papers[one].text}
        if counts is not None:
            counted = _counted(counts, rows, vocabulary, wording)
    shape = (len(papers), len(vocabulary))
    table = csr_array((np.ones(len(columns)), columns, starts), shape=shape)
    table.sum_duplicates()
    if counted is not None:
        table = (table + csr_array(counted, shape=shape)).tocsr()
    return Bags(rows, tuple(vocabulary), table, frozenset(readable))


class _Places(dict[str, int]):
    """The column of each word, looked up once; `_NOWHERE` for one that names nothing."""

    def __init__(self, wording: Wording) -> None:
        self.vocabulary: dict[str, int] = {}
        self._stem = wording.stem

    def __missing__(self, word: str) -> int:
        stem = self._stem(word)
        known = self.vocabulary
        place = _NOWHERE if stem is None else known.setdefault(stem, len(known))
        self[word] = place
        return place


def _counted(
    counts: Counts, rows: dict[str, int], vocabulary: dict[str, int], wording: Wording
) -> tuple[object, tuple[object, object]]:
    """Counted words as cells of the table; new stems join the vocabulary."""
    stems = [wording.counted(word) for word in counts.words]
    column = np.array(
        [-1 if one is None else vocabulary.setdefault(one, len(vocabulary)) for one in stems],
        dtype=np.int64,
    )
    row = np.full(counts.table.shape[0], -1, dtype=np.int64)
    for paper, place in counts.rows.items():
        row[place] = rows.get(paper, -1)
    cells = counts.table.tocoo()
    at, word = row[cells.row], column[cells.col]
    kept = (at >= 0) & (word >= 0)
    return cells.data[kept], (at[kept], word[kept])
