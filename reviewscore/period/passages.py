"""Passages of texts that are to be nowhere any more, found in files and prompts of any form.

A text is taken as its words, in lower case: how it is broken into lines, escaped for JSON (however
often) or HTML, or what marks stand between its words makes no difference.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from reviewscore.papers.hidden import without_unseen

WORDS = 8
"""Consecutive words that make a passage."""
_ANCHOR, _STEP = 4, 5
"""Of any eight words, some four begin at a place that five divides: only there is it looked."""
_FEWEST = 4
"""Different words of letters in a passage; numbers of lines and cells of tables are none."""
_ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[nrtbf])")
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")

Passage = tuple[str, ...]


def words_of(text: str) -> list[str]:
    """The words of a text, of JSON or of HTML without its tags, in lower case."""
    if "\\" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    if "&" in text:
        text = html.unescape(text)
    return _WORD.findall(text.lower())


class Passages:
    """All passages of some texts.

    Args:
        texts: The texts.

    Attributes:
        left: How many passages there are, less those that were forgotten.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        both = (form for text in texts for form in {text, without_unseen(text)})
        self._passages = {passage for text in both for passage in _passages(words_of(text))}
        self._anchors = {
            passage[start : start + _ANCHOR] for passage in self._passages for start in range(_STEP)
        }

    @property
    def left(self) -> int:
        """How many passages are looked for."""
        return len(self._passages)

    def forget(self, passages: Iterable[Passage]) -> None:
        """Look no more for passages that stand in a text that stays."""
        self._passages.difference_update(passages)

    def found(self, text: str) -> set[Passage]:
        """The passages that stand in a text; those of HTML in attributes too."""
        found = self._among(words_of(text))
        if "</" in text:
            found |= self._among(words_of(_TAG.sub(" ", text)))
        return found

    def share(self, text: str) -> float:
        """Share of a text's own passages that are among these, 0..1."""
        words = words_of(text)
        own = set(_passages(words))
        return len(own & self._passages) / len(own) if own else 0.0

    def _among(self, words: list[str]) -> set[Passage]:
        columns = (words[start::_STEP] for start in range(_ANCHOR))
        anchors = self._anchors
        found = set()
        for place, anchor in enumerate(zip(*columns, strict=False)):
            if anchor in anchors:
                middle = place * _STEP
                for start in range(max(0, middle - WORDS + _ANCHOR), middle + 1):
                    found.add(tuple(words[start : start + WORDS]))
        return found & self._passages


def _passages(words: list[str]) -> Iterator[Passage]:
    for passage in zip(*(words[start:] for start in range(WORDS)), strict=False):
        if len({word for word in passage if len(word) > 1 and word.isalpha()}) >= _FEWEST:
            yield passage
