"""A review as distinct lines of words, each with its stance."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_ARTICLES = frozenset({"the", "this"})
_REVIEWERS = frozenset({"reviewer", "reviewers"})
_ADVERBS = frozenset({"also", "further", "strongly", "generally"})

_BULLETS = "-*•"

OTHER = "other"
STANCES = ("appreciates", "criticizes", "questions", "suggests", OTHER)
"""How a judgment begins (preprocessed reviews: arXiv 2411.07228, app. C.1)."""

_STANCE_OF = {
    "appreciates": 0, "praises": 0, "commends": 0, "likes": 0,
    "criticizes": 1, "criticises": 1, "dislikes": 1,
    "questions": 2, "asks": 2, "wonders": 2, "doubts": 2,
    "suggests": 3, "recommends": 3, "proposes": 3, "requests": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A line or sentence.

    Attributes:
        words: Lower-case words, numbers and punctuation marks.
        stance: Number of its stance in `STANCES`.
        shown: How many words it takes until the stance shows; 0 where there is none.
    """

    words: tuple[str, ...]
    stance: int
    shown: int


def lines_of(text: str) -> list[Line]:
    """The distinct lines of a text, in their order.

    A line is a sentence, or less where the text breaks the line. One that says the same words as
    an earlier one is dropped, so that saying a thing twice counts once.
    """
    seen: dict[tuple[str, ...], None] = {}
    for row in text.lower().split("\n"):
        for sentence in _SENTENCE_END.split(row):
            seen[tuple(_WORD.findall(sentence))] = None
    return [_line(words) for words in seen if words]


def _line(words: tuple[str, ...]) -> Line:
    """The line with its stance: the verb after "the reviewer"."""
    end = len(words)
    place = next((at for at, word in enumerate(words) if word not in _BULLETS), 0)
    if place < end and words[place] in _ARTICLES:
        place += 1
    if place < end and words[place] in _REVIEWERS:
        place += 1
        while place < end and words[place] in _ADVERBS:
            place += 1
        stance = _STANCE_OF.get(words[place]) if place < end else None
        if stance is not None:
            return Line(words, stance, place + 1)
    return Line(words, len(STANCES) - 1, 0)
