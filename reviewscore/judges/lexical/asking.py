"""Sentences of a review point, and which of them ask something."""

from __future__ import annotations

import re

_MARK = re.compile(
    r"^\s*(?:[-*•–—+]+\s+|\(?(?:[wWqQ]\d{1,2}|\d{1,2}|[a-hA-H]|[ivx]{1,4})[.):]\s*)+|^\s*[*_]{1,3}"
)
_SPLIT = re.compile(
    r"(?<=[.!?])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_]*[A-Z0-9])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)"
)
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|et al|etc|cf|vs|Fig|Figs|Eq|Eqs|Sec|Tab|Thm|Prop|resp|approx|w\.r\.t|No|p|pp)"
    r"\.$"
)

_EXPLAIN = r"(?:clarif|explain|elaborat|comment|specif|justif|describe|tell|confirm)\w*"
_PLEASE = re.compile(
    rf"\b(?:please|pls\.?|kindly)\s+(?:\w+ly\s+|also\s+|further\s+)?(?:{_EXPLAIN}|answer|respond"
    r"|state|let (?:me|us) know|correct me|provide (?:an? )?(?:explanation|clarif|answer|justif))"
    r"|^(?:clarify|explain|elaborate)\b"
    rf"|\b(?:could|can|would|will) (?:the )?(?:authors?|you)\b[^.;]*\b(?:{_EXPLAIN}|discuss|provide"
    r"|share|show|give|report|compare|add|include)\b"
    r"|\b(?:i|we)(?:'m| am| are|'re) (?:curious|wondering)|\b(?:i|we) wonder\b"
    r"|\b(?:i|we) (?:would|'d) (?:like|love) to (?:know|ask|understand|hear)"
    r"|\bmy (?:main |first |other )?questions? (?:is|are|to)\b"
    r"|\b(?:would be|'d be) (?:curious|interested) to (?:know|hear|see|understand)",
    re.IGNORECASE,
)
"""Words that ask without a question mark."""
_QUOTED = re.compile(r"[\"“][^\"“”]{0,300}[\"”]|(?<!\w)['‘][^'‘’]{5,300}['’](?!\w)")
_NO_WORDS = re.compile(r"\(\s*\?+\s*\)|\[\s*\?+\s*\]")
_TITLE_WORDS = 4
_TITLE_CAPITALS = 0.8
"""Share of words with a capital from which on a sentence is the title of a work."""


def strip_marks(text: str) -> str:
    """The text on one line without list marks, numbering or surrounding emphasis."""
    plain = " ".join(text.split())
    while (shorter := _MARK.sub("", plain, count=1).strip()) != plain:
        plain = shorter
    return plain.strip("*_ ").strip()


def sentences_of(text: str) -> tuple[str, ...]:
    """Sentences of a review point, in order, list marks removed (verbatim otherwise)."""
    pieces: list[str] = []
    for piece in _SPLIT.split(text):
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] += " " + piece
        elif piece.strip():
            pieces.append(piece)
    plain = (strip_marks(piece) for piece in pieces)
    return tuple(piece for piece in plain if any(letter.isalpha() for letter in piece))


def _is_title(sentence: str) -> bool:
    """Whether a sentence is the title of a work, most of its words with a capital."""
    found = re.findall(r"[A-Za-z]{4,}", sentence)
    capitals = sum(word[0].isupper() for word in found)
    return len(found) >= _TITLE_WORDS and capitals > _TITLE_CAPITALS * len(found)


def is_interrogative(sentence: str) -> bool:
    """Whether a sentence asks something, by its mark or by its words.

    Question marks in quoted text and in the titles of works are not the reviewer's.
    """
    plain = _NO_WORDS.sub("", _QUOTED.sub("QUOTE", sentence))
    if "?" in plain:
        return not _is_title(plain)
    return _PLEASE.search(plain) is not None
