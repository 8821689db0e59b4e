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

_PLEASE = re.compile(
    r"\b(?:please|pls\.?|kindly)\s+(?:\w+ly\s+|also\s+|further\s+)?(?:clarif|explain|elaborat"
    r"|comment|specif|"
    r"justif|discuss|describe|tell|confirm|answer|respond|state|provide (?:an? )?(?:explanation"
    r"|clarif|answer|"
    r"justif)|let (?:me|us) know|correct me)\w*|^(?:clarify|explain|elaborate)\b|"
    r"\b(?:could|can|would|will) (?:the authors?|you)\b[^.;]*\b(?:clarif|explain|elaborat|comment"
    r"|specif|"
    r"justif|discuss|describe|tell|confirm|provide|share|show|give|report|compare|add|include)\w*|"
    r"\b(?:i|we)(?:'m| am| are|'re) (?:curious|wondering|not sure (?:how|why|what|whether|if"
    r"|which|where))|"
    r"\b(?:i|we) (?:wonder\b|wonder (?:if|how|why|whether|what)|(?:would|'d) (?:like|love) to "
    r"(?:know|ask|understand|hear))|\bmy (?:main |first |other )?questions? (?:is|are|to)\b|"
    r"\b(?:would be|'d be) (?:curious|interested) to (?:know|hear|see|understand)",
    re.IGNORECASE,
)


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


def _unquoted(sentence: str) -> str:
    """The sentence without quoted text, whose question marks are not the reviewer's."""
    return re.sub(r"[\"“][^\"“”]{0,300}[\"”]", "QUOTE", sentence)


def is_interrogative(sentence: str) -> bool:
    """Whether a sentence asks something, by its mark or by its words."""
    plain = _unquoted(sentence)
    if "?" in re.sub(r"\(\s*\?+\s*\)|\[\s*\?+\s*\]", "", plain):
        return True
    return _PLEASE.search(plain) is not None
