"""The sentences of a paragraph of English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

# Where sentencex stops though the sentence goes on.
_FALSE_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|[Ff]igs?|[Ee]qs?n?s?|[Ss]ecs?|[Tt]abs?|[Aa]lgs?|[Aa]pp|[Tt]hms?"
    r"|[Cc]h|[Pp]rop|[Dd]ef|[Rr]efs?|w\.r\.t|resp|approx|[Nn]o|[Vv]ol|pp?|et)\.|\b[A-Z]\.)\s*\Z"
)
_POINT = re.compile(r"\d\s+\.\s*\Z")
_DECIMAL = re.compile(r"\s*\d")
_GOES_ON = re.compile(r"[\"')\]]*\s*[a-z,;]")


def sentence_spans(paragraph: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, without white space at its ends.

    The boundaries are those of the library sentencex, but for abbreviations of papers, ``3 . 4``,
    and ends before a lower-case letter.
    """
    from sentencex import get_sentence_boundaries

    cuts = [0]
    for boundary in get_sentence_boundaries("en", paragraph):
        end = boundary["end_index"]
        if end >= len(paragraph):
            break
        before = paragraph[max(0, end - 12) : end]
        number = _POINT.search(before) and _DECIMAL.match(paragraph, end)  # "3 . 4"
        if not (number or _FALSE_END.search(before) or _GOES_ON.match(paragraph, end)):
            cuts.append(end)
    for low, high in pairwise([*cuts, len(paragraph)]):
        sentence = paragraph[low:high]
        if sentence.strip():
            yield high - len(sentence.lstrip()), low + len(sentence.rstrip())
