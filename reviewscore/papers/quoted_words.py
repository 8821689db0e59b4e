"""Where a paper's text holds words that a review quotes, letter for letter or for the most part."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from reviewscore.schema.paper import Paper, Zone

_WORD = re.compile(r"[^\W_]+")
_CITATION = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,12}\]|\\(?=[_%&#{}$])")
_SPACES = re.compile(r"\s+|…|\.{2,}")
_LONG_WORDS = 4
_LONG_CHARACTERS = 20
"""Shorter words are a place only where they stand in the paper hardly more than once."""
_MOST_OCCURRENCES = {1: 1, 2: 2, 3: 2}
_RUN_WORDS = 6
_RUN_LETTERS = 25
_RUN_SHARE = 0.4
_SURE_RUN = 10
"""So many words of a quote in a row are the paper's, however long the quote is."""


class _Letters(NamedTuple):
    """Letters and digits of a text alone, in lower case, and where each stands."""

    text: str
    offsets: array[int]


def quoted_span(paper: Paper, words: str) -> tuple[int, int] | None:
    """Where quoted words stand in what judges see of a paper, its list of references aside.

    Letters and digits count alone; citations may be missing. Of a longer quote that is not there
    as a whole, such as for a formula that is written differently, the longest part of at least six
    words counts. Up to three words must stand there at most twice, a single one once.
    """
    parts = [part for part in map(_plain, _SPACES.split(_CITATION.sub("", words))) if part]
    letters = "".join(parts)
    if not letters:
        return None
    if len(parts) < _LONG_WORDS or len(words) < _LONG_CHARACTERS:
        places = list(_occurrences(paper, letters))
        most = _MOST_OCCURRENCES.get(len(parts), 2)
        return places[0] if 0 < len(places) <= most else None
    whole = next(_occurrences(paper, letters), None)
    return whole if whole is not None else _longest_run(paper, parts)


def _longest_run(paper: Paper, parts: list[str]) -> tuple[int, int] | None:
    """The longest run of a quote's words that stands in the paper."""
    text = _letters(paper.text).text
    best, least = None, max(_RUN_WORDS, min(_SURE_RUN, _RUN_SHARE * len(parts)))
    start = 0
    while start + least <= len(parts):
        end = start + _RUN_WORDS
        while end <= len(parts) and "".join(parts[start:end]) in text:
            end += 1
        end -= 1
        run = "".join(parts[start:end])
        if end - start >= least and len(run) >= _RUN_LETTERS:
            span = next(_occurrences(paper, run), None)
            if span is not None:
                best, least = span, end - start + 1
        start += 1
    return best


def _occurrences(paper: Paper, letters: str) -> Iterator[tuple[int, int]]:
    """Each place of the authors' text where these letters are whole words."""
    index = _letters(paper.text)
    place = index.text.find(letters)
    while place >= 0:
        start = index.offsets[place]
        end = index.offsets[place + len(letters) - 1] + 1
        if _whole_words(paper.text, start, end) and _authors(paper, start, end):
            yield start, end
        place = index.text.find(letters, place + 1)


def _whole_words(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum()
    return not before and not (end < len(text) and text[end].isalnum())


def _authors(paper: Paper, start: int, end: int) -> bool:
    section = paper.section_at(start)
    in_references = section is not None and section.zone is Zone.REFERENCES
    return paper.is_read(start) and not in_references and not paper.is_venue_text(start, end)


def _plain(text: str) -> str:
    """Letters and digits in lower case; ligatures are two letters, accents are none."""
    return "".join(_WORD.findall(unicodedata.normalize("NFKD", text).casefold()))


@lru_cache(maxsize=4)
def _letters(text: str) -> _Letters:
    shown: list[str] = []
    offsets = array("q")
    cited = [match.span() for match in _CITATION.finditer(text)]
    skipped = iter([*cited, (len(text), len(text))])
    begin, stop = next(skipped)
    for word in _WORD.finditer(text):
        while word.start() >= stop and begin < len(text):
            begin, stop = next(skipped)
        if begin <= word.start() < stop:
            continue
        if word.group().isascii():
            shown.append(word.group().lower())
            offsets.extend(range(*word.span()))
            continue
        for offset, character in enumerate(word.group(), word.start()):
            plain = _plain(character)
            shown.append(plain)
            offsets.extend([offset] * len(plain))
    return _Letters("".join(shown), offsets)
