"""How much of a paper was lost in reading it, as far as its text and its file tell."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from reviewscore.papers.pdf_reading import PdfReading

MOST_LOST = 0.05
"""Share of the characters of a PDF from which on a paper counts as badly read."""
_MOST_UNMAPPED = 0.01
_MOST_VOWELLESS = 0.12
_MOST_BROKEN = 0.12
_LEAST_WORDS = 200
_UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]|\\(cid:\\d+\\)")
_WORD = re.compile(r"(?<![^\W_])[a-z]{3,}(?![^\W_])")
_VOWEL = re.compile("[aeiouy]")
_PIECE = re.compile(r"(?<!\S)[b-hj-z](?= [a-z]{2,})")
_SAMPLE = 400_000
"""Characters that are looked at; a longer text is judged by its beginning."""


@dataclass(frozen=True)
class Quality:
    """Signs of loss in a text, as shares.

    Attributes:
        unmapped: Characters without a letter (U+FFFD, private use, ``(cid:12)``) among all that
            are no white space.
        vowelless: Words of small Latin letters without a vowel, among those of three and more.
        broken: Single small letters before a word, as ``w ord`` leaves them, per word.
        words: Words that were looked at.
    """

    unmapped: float
    vowelless: float
    broken: float
    words: int


def quality(text: str) -> Quality:
    """Signs of loss in a text; shares of nothing are 0."""
    text = text[:_SAMPLE]
    visible = len(text) - sum(count for one, count in Counter(text).items() if one.isspace())
    words = _WORD.findall(text)
    vowelless = sum(1 for word in words if not _VOWEL.search(word))
    count = len(words)
    return Quality(
        unmapped=len(_UNMAPPED.findall(text)) / visible if visible else 0.0,
        vowelless=vowelless / count if count else 0.0,
        broken=len(_PIECE.findall(text)) / count if count else 0.0,
        words=count,
    )


def badly_read(text: str, pdf: PdfReading | None = None) -> str:
    """Why a paper counts as badly read, in words; empty if it does not.

    Args:
        text: Its text.
        pdf: What was read of its PDF, if it is one.
    """
    found = []
    if pdf is not None and pdf.lost > MOST_LOST:
        found.append(f"about {pdf.lost:.0%} of its characters did not come into the text")
    signs = quality(text)
    if signs.unmapped > _MOST_UNMAPPED:
        found.append(f"{signs.unmapped:.1%} of its characters have no letter")
    if signs.words >= _LEAST_WORDS and signs.vowelless > _MOST_VOWELLESS:
        found.append(f"{signs.vowelless:.0%} of its words have no vowel")
    if signs.words >= _LEAST_WORDS and signs.broken > _MOST_BROKEN:
        found.append(f"{signs.broken:.0%} of its words are broken")
    return "; ".join(found)
