"""A paper prepared for look-ups: its sentences, headings and captions with stems, and BM25."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from reviewscore.papers.sentences import SentenceKind, sentences
from reviewscore.schema.paper import Paper, Section, Zone
from reviewscore.text.stems import stem, stems

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from bm25s import BM25

_READ = frozenset(
    {SentenceKind.HEADING, SentenceKind.SENTENCE, SentenceKind.CAPTION, SentenceKind.ROW}
)
_MIN_WORDS, _MAX_WORDS = 5, 75
_SPELLED = 3  # letters of a word that counts in an acronym's long form
_OTHERS = re.compile(r"\b(?:prior|existing|previous|related|earlier) \w+", re.IGNORECASE)
_ACRONYM = re.compile(r"((?:[A-Za-z]+[- ]){1,6}[A-Za-z]+)\s*\(\s*([A-Z][A-Za-z-]{1,9}?)s?\s*[),;]")


@dataclass(frozen=True)
class Passage:
    """A sentence, heading, caption or row of a table of the paper.

    Attributes:
        start: Offset of its first character in the paper's text.
        end: Offset just after its last character.
        kind: Sentence, heading, caption or row.
        section: Index of its section in ``paper.sections``; -1 in a paper without sections.
        zone: Zone of that section.
        text: Its text, cleaned.
        stems: Its stems, with those of acronyms it uses and forms it spells out; of a row, also
            those of its table's caption and header.
        context: That caption and header; empty for others.
    """

    start: int
    end: int
    kind: SentenceKind
    section: int
    zone: Zone
    text: str
    stems: frozenset[str]
    context: str = ""

    @cached_property
    def words(self) -> str:
        """Its text in small letters, a space between words."""
        return " ".join(self.text.lower().split())

    @cached_property
    def quotable(self) -> bool:
        """Whether it is neither a scrap nor a page of run-on text."""
        return _MIN_WORDS <= len(self.text.split()) <= _MAX_WORDS


@dataclass(frozen=True)
class IndexedHeading:
    """A section's heading with the passages below it.

    Attributes:
        section: The section.
        stems: Stems of its title.
        first: Index of the first passage of the section and its subsections.
        last: Index just after the last one.
    """

    section: Section
    stems: frozenset[str]
    first: int
    last: int

    @cached_property
    def of_others(self) -> bool:
        """Whether it announces somebody else's work."""
        return self.section.zone in (Zone.RELATED_WORK, Zone.REFERENCES) or bool(
            _OTHERS.search(self.section.title)
        )


class PaperIndex:
    """Everything the finder looks up in one paper. Build it with `index_of`.

    Attributes:
        paper: The paper.
        acronyms: Stems of acronyms to the stems of what they stand for.
        passages: Its passages, in reading order.
        headings: Its headings, in reading order.
        own: Stems that run through the whole paper.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        units = [
            unit for unit in sentences(paper) if unit.kind in _READ and paper.is_read(unit.start)
        ]
        places = {section.start: number for number, section in enumerate(paper.sections)}
        self.acronyms = _acronyms([unit.text for unit in units])
        self.passages = tuple(
            Passage(
                start=unit.start,
                end=unit.end,
                kind=unit.kind,
                section=places[unit.section.start] if unit.section else -1,
                zone=unit.section.zone if unit.section else Zone.BODY,
                text=unit.text,
                stems=self._with_acronyms(frozenset(stems(f"{unit.text}\n{unit.context}"))),
                context=unit.context,
            )
            for unit in units
        )
        self.headings = _headings(paper, self.passages)
        self.own = self._own_words()

    def _with_acronyms(self, texts: frozenset[str]) -> frozenset[str]:
        """Stems with the long form of each acronym, and the acronym of each long form."""
        extra: set[str] = set()
        for acronym, long_form in self.acronyms.items():
            if acronym in texts:
                extra.update(long_form)
            elif long_form <= texts:
                extra.add(acronym)
        return texts | extra if extra else texts

    def _own_words(self) -> frozenset[str]:
        """Stems that run through the whole paper: its subject, too common to prove anything."""
        counts: dict[str, int] = {}
        said = [passage for passage in self.passages if passage.kind is not SentenceKind.ROW]
        for passage in said:
            for word in passage.stems:
                counts[word] = counts.get(word, 0) + 1
        floor = max(8, 0.12 * len(said))
        return frozenset(word for word, count in counts.items() if count >= floor)

    def title_of(self, passage: Passage) -> str:
        """Title of the section a passage stands in; empty if there is none."""
        return self.paper.sections[passage.section].title if passage.section >= 0 else ""

    @cached_property
    def bm25(self) -> Bm25:
        """BM25 over the passages, each alone."""
        return bm25_of([sorted(passage.stems) for passage in self.passages])


@dataclass(frozen=True, eq=False)
class Bm25:
    """BM25 scores of some bags of words; build it with `bm25_of`."""

    engine: BM25
    size: int

    def scores(self, query: Sequence[str]) -> npt.NDArray[np.float64]:
        """Score of each bag, 0 or more; shape (bags,). Words that no bag holds count for nothing.

        Args:
            query: Words; one given twice counts twice.
        """
        import numpy as np

        vocabulary = self.engine.vocab_dict
        known = [vocabulary[word] for word in query if word in vocabulary]
        if not known:
            return np.zeros(self.size)
        parts = self.engine.scores
        starts, bags, shares = parts["indptr"], parts["indices"], parts["data"]
        # The sum that `get_scores` gives, which adds up several times slower.
        scores = np.zeros(parts["num_docs"], shares.dtype)
        for number in known:
            of_word = slice(starts[number], starts[number + 1])
            scores[bags[of_word]] += shares[of_word]  # a bag stands once in a word's list
        return np.asarray(scores, float)


def bm25_of(bags: Sequence[Sequence[str]]) -> Bm25:
    """BM25 over bags of words (Lucene's form: no negative score; k1 1.5, b 0.75)."""
    with warnings.catch_warnings():  # in a notebook it would miss widgets for bars never shown
        warnings.filterwarnings("ignore", message="IProgress not found")
        import bm25s

    engine = bm25s.BM25(method="lucene", backend="numpy")
    engine.index([list(bag) or [""] for bag in bags] or [[""]], show_progress=False)
    return Bm25(engine, len(bags))


def _acronyms(texts: list[str]) -> dict[str, frozenset[str]]:
    """Stems of acronyms to the stems of what they stand for, as the paper defines them."""
    text_groups: dict[str, frozenset[str]] = {}
    for text in texts:
        if "(" not in text:
            continue
        for match in _ACRONYM.finditer(text):
            letters = [letter for letter in match.group(2).lower() if letter.isalpha()]
            spelled = re.split(r"[- ]+", match.group(1))[-len(letters) :]
            if len(letters) > 1 and [word[0].lower() for word in spelled] == letters:
                long_form = frozenset(stem(word) for word in spelled if len(word) >= _SPELLED)
                if len(long_form) > 1:
                    text_groups.setdefault(stem(match.group(2)), long_form)
    return text_groups


def _headings(paper: Paper, passages: tuple[Passage, ...]) -> tuple[IndexedHeading, ...]:
    """The headings of a paper, each with the range of the passages under it."""
    starts = [passage.start for passage in passages]
    from bisect import bisect_left

    headings: list[IndexedHeading] = []
    for number, section in enumerate(paper.sections):
        if not section.title or section.zone is Zone.CHECKLIST:
            continue  # a checklist's headings are its venue's
        if not paper.is_read(section.start):
            continue
        end = section.end
        for later in paper.sections[number + 1 :]:
            if later.level <= section.level:
                break
            end = later.end
        first, last = bisect_left(starts, section.heading_end), bisect_left(starts, end)
        headings.append(IndexedHeading(section, frozenset(stems(section.title)), first, last))
    return tuple(headings)


_CACHE: OrderedDict[str, PaperIndex] = OrderedDict()
_CACHED_PAPERS = 4


def index_of(paper: Paper) -> PaperIndex:
    """The index of a paper; the last few are kept, by the hash of what decides it."""
    for kept in _CACHE.values():
        if kept.paper is paper:
            return kept
    hashed = hashlib.sha256(paper.text.encode("utf-8", "surrogatepass"))
    sections = [(s.start, s.end, s.title, s.zone.value) for s in paper.sections]
    unread = [(span.start, span.end) for span in paper.unread_spans]
    hashed.update(repr((sections, unread)).encode())
    hashed.update(repr([(span.start, span.end) for span in paper.venue_text]).encode())
    key = hashed.hexdigest()
    index = _CACHE.get(key)
    if index is None:
        index = _CACHE[key] = PaperIndex(paper)
        if len(_CACHE) > _CACHED_PAPERS:
            _CACHE.popitem(last=False)
    _CACHE.move_to_end(key)
    return index
