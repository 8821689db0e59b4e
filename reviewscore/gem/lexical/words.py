"""A review as distinct lines of words, each with its stance."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_LEAD = re.compile(r"(?:the |this )?reviewers? (?:also |further |strongly |generally )*(\w+)")

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
    begin = next((place for place, word in enumerate(words) if word not in _BULLETS), 0)
    found = _LEAD.match(" ".join(words[begin:]))
    stance = _STANCE_OF.get(found.group(1)) if found else None
    if found is None or stance is None:
        return Line(words, STANCES.index(OTHER), 0)
    return Line(words, stance, begin + len(found.group().split()))
