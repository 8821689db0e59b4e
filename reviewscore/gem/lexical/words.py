"""A review as distinct lines of words, each with its stance."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_LEAD = re.compile(r"(?:the |this )?reviewers? (?:also |further |strongly |generally )*(\w+)")

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
    """

    words: tuple[str, ...]
    stance: int


def lines_of(text: str) -> list[Line]:
    """The distinct lines of a text, in their order.

    A line is a sentence, or less where the text breaks the line. One that says the same words as
    an earlier one is dropped, so that saying a thing twice counts once.
    """
    seen: dict[tuple[str, ...], int] = {}
    for row in text.lower().split("\n"):
        for sentence in _SENTENCE_END.split(row):
            words = tuple(_WORD.findall(sentence))
            if words and words not in seen:
                seen[words] = _stance(sentence)
    return [Line(words, stance) for words, stance in seen.items()]


def _stance(sentence: str) -> int:
    found = _LEAD.match(sentence.lstrip("-*• \t"))
    other = len(STANCES) - 1
    return _STANCE_OF.get(found.group(1), other) if found else other
