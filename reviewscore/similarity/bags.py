"""Papers as bags of stems: how a text becomes words, and how often each stem occurs."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from reviewscore.similarity.corpus import Corpus, Publication, TermCounts
from reviewscore.text.stems import stem

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_SHORTEST = 2
_KEPT = 500_000
"""Words whose stems are remembered."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
"""Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W\d_{_UNSPACED}]+")
_SPACED = re.compile(r"[^\W\d_]+")
_HEAD = re.compile(rf"[{_UNSPACED}]")
_ASCII = 128
_LOWER = bytes(ord(chr(code).lower()) if chr(code).isalpha() and code < _ASCII else 32
               for code in range(256))  # fmt: skip
"""ASCII letters in lower case, all else a space."""
_LETTERS = re.compile("[a-zA-Z]+")
# TPMS keeps these apart before accents go; it spells a lone diaeresis as o.
_TPMS_LETTERS = str.maketrans({"æ": "ae", "ø": "o", "¨": "o", "ß": "ss", "Ø": "o"})
_TPMS_STOPS = """
accordingly aside away briefly came certain certainly computer does edit fify following gave gets
given giving gone got hardly having just kept kg knowledge largely like mainly make mg ml nearly
necessarily normally noted obtain obtained owing particularly past poorly possible possibly
potentially predominantly present previously primarily probably prompt promptly quickly quite
readily really recently refs regarding regardless relatively respectively resulted resulting
results rst said second seen shall showed shown shows significantly similar similarly slightly
somewhat soon specifically state states strongly substantially successfully sufficiently theirs
unless use used usefully usefulness using usually various widely
"""
_NOT_TPMS = {"fifty"}


@dataclass(frozen=True)
class Wording:
    """A way to read words.

    Attributes:
        name: Its name.
        tokens: The words of a text, in order, as they are looked up.
        stem: The stem of such a word; None if it names nothing.
        counted: The stem of a word that somebody else has read and counted; None likewise.
    """

    name: str
    tokens: Callable[[str], list[str]]
    stem: Callable[[str], str | None]
    counted: Callable[[str], str | None]

    def words(self, text: str) -> list[str]:
        """The stems of a text, in order."""
        return [string for token in self.tokens(text) if (string := self.stem(token)) is not None]


@cache
def _stops() -> frozenset[str]:
    """Function words of scikit-learn's English list."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


@cache
def _tpms_stops() -> frozenset[str]:
    """The stop list of TPMS: it differs from scikit-learn's in these words."""
    return (_stops() | frozenset(_TPMS_STOPS.split())) - _NOT_TPMS


def _plain_stem(word: str) -> str | None:
    if word in _stops():
        return None
    if _HEAD.match(word):
        return word
    return stem(word) if len(word) >= _SHORTEST else None


def _plain_tokens(text: str) -> list[str]:
    if text.isascii():
        return _ascii_tokens(text)
    plain = unicodedata.normalize("NFKC", text).lower()
    if not _HEAD.search(plain):
        return _SPACED.findall(plain)
    texts: list[str] = []
    for word in _RUN.findall(plain):
        if _HEAD.match(word):  # pairs of letters stand for words that are not parted
            texts += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        else:
            texts.append(word)
    return texts


def _ascii_tokens(text: str) -> list[str]:
    # Most texts are in ASCII, and this takes a fifth of the time of a regular expression.
    return text.encode("ascii").translate(_LOWER).decode("ascii").split()


def _tpms_tokens(text: str) -> list[str]:
    if text.isascii():
        return _ascii_tokens(text)
    spelled = unicodedata.normalize("NFD", text.translate(_TPMS_LETTERS))
    text = "".join(letter for letter in spelled if unicodedata.category(letter) != "Mn")
    return [word.lower() for word in _LETTERS.findall(text)]


@cache
def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    stem_of: Callable[[str], str] = PorterStemmer().stem
    return stem_of


@lru_cache(maxsize=_KEPT)
def porter_stem(word: str) -> str:
    """The stem of a word in lower-case Latin letters, by Porter's stemmer (1980) in NLTK's dialect.

    The open TPMS was computed with it; snowballstemmer's differs in some endings (``ties``).
    """
    return _porter()(word)


def _tpms_stem(word: str) -> str | None:
    return None if len(word) < _SHORTEST or word in _tpms_stops() else porter_stem(word)


PLAIN = Wording("plain", _plain_tokens, _plain_stem, _plain_stem)
"""Words of letters of any script, two or more, but for function words; English stems."""
TPMS = Wording("tpms", _tpms_tokens, _tpms_stem, porter_stem)
"""The reading of the open TPMS (arXiv 2303.16750, sec. 5.2); counted words are not filtered."""


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


def text_of(publication: Publication, representation: Representation) -> str:
    """The text of a paper that is read."""
    parts = [publication.title]
    if representation is not Representation.TITLE:
        parts.append(publication.abstract)
    if representation is Representation.FULL:
        parts.append(publication.text)
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
        readable = {paper for paper in papers if paper in known or corpus.papers[paper].text}
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
    counts: TermCounts, rows: dict[str, int], vocabulary: dict[str, int], wording: Wording
) -> tuple[object, tuple[object, object]]:
    """Counted words as cells of the table; new stems join the vocabulary."""
    stems = [wording.counted(word) for word in counts.words]
    column = np.array(
        [-1 if text is None else vocabulary.setdefault(text, len(vocabulary)) for text in stems],
        dtype=np.int64,
    )
    row = np.full(counts.table.shape[0], -1, dtype=np.int64)
    for paper, place in counts.rows.items():
        row[place] = rows.get(paper, -1)
    cells = counts.table.tocoo()
    at, word = row[cells.row], column[cells.col]
    kept = (at >= 0) & (word >= 0)
    return cells.data[kept], (at[kept], word[kept])
