"""The sentences of a paper (English), and of a review with offsets in its raw text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import merge
from itertools import pairwise
from typing import NamedTuple

_READ_AT_ONCE = 6_000
_LOOKED_AHEAD = 2_000
"""Characters of a paragraph that sentencex reads at once, and those behind a boundary that it needs
to see: what its search costs grows with the square of the text where quotation marks stay open."""


_NUMBERED = (
    r"(?:[Ff]igs?|[Ee]q(?:ns?|s)?|[Ss]ec(?:ts?|s)?|[Tt]abs?|[Tt]hms?|[Pp]rops?|[Dd]efs?|[Ll]em"
    r"|[Aa]lgs?|[Cc]or|[Aa]pp[sx]?|[Rr]efs?|[Nn]os?|[Cc]h)\."
)
"""What papers number, shortened: such a word begins no sentence."""
_OPENER = (
    r"(?:The|This|That|These|Those|There|It|Its|We|I(?= [a-z])|They|If|When|While|Since|As|For|But"
    r"|However|Moreover|Furthermore|Thus|Therefore|Hence|Also|Similarly|What|Which|Why|Does)\b"
)
"""Words that begin a sentence and are no name behind an initial (He, Do and How are names)."""
_SURE_END = re.compile(
    r"(?:(?<=[^\s.:;?!(\[][ /])(?:[a-uw-z]|(?:[A-Zv]|i\.i\.d|etc)"
    rf"(?=\.[\"'”’)\]*_]*\s+{_OPENER}))|(?<=[\w,][ -])(?:me|may|art|ok|ill|id|arc|no))"
    rf"\.[\"'”’)\]*_]*(?=\s+[\"'“‘(\[*_]*(?!{_NUMBERED}|[A-Z][-.]?\d)[A-Z])"
)
"""Ends of sentences that sentencex takes for shortened words: small letters ("we vary k. Then ..")
and some words ("state of the art. Then .."). A letter behind another stop is a part of a shortened
word ("e. g.") or the mark of an entry, a capital before a name is an initial."""


def _boundaries(text: str, language: str = "en") -> Iterator[tuple[int, bool]]:
    """Where a sentence may end, in order, and whether that is sure; the end of the text is last.

    The boundaries are those of sentencex, and in English the sure ones that it misses.
    """
    library = ((end, False) for end in _library_boundaries(text, language))
    if language != "en":
        return library
    sure = [(match.end(), True) for match in _SURE_END.finditer(text)]
    return merge(sure, library) if sure else library


def _library_boundaries(text: str, language: str) -> Iterator[int]:
    """Where sentencex ends a sentence of a text, in order; the end of the text is the last.

    A longer text is read stretch by stretch, each from the last boundary that is sure.
    """
    from sentencex import get_sentence_boundaries

    start = 0
    while len(text) - start > _READ_AT_ONCE:
        stretch = text[start : start + _READ_AT_ONCE]
        sure = start + _READ_AT_ONCE - _LOOKED_AHEAD
        ends = (
            start + boundary["end_index"] for boundary in get_sentence_boundaries(language, stretch)
        )
        settled = [end for end in ends if end <= sure]
        yield from settled
        start = settled[-1] if settled else sure
    for boundary in get_sentence_boundaries(language, text[start:] if start else text):
        yield start + boundary["end_index"]


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
    and ends before a lower-case letter; behind single letters a sentence ends too.
    """
    cuts = [0]
    for end, sure in _boundaries(paragraph):
        if end >= len(paragraph):
            break
        before = paragraph[max(0, end - 12) : end]
        number = _POINT.search(before) and _DECIMAL.match(paragraph, end)  # "3 . 4"
        if sure or not (number or _FALSE_END.search(before) or _GOES_ON.match(paragraph, end)):
            cuts.append(end)
    for low, high in pairwise([*cuts, len(paragraph)]):
        sentence = paragraph[low:high]
        if sentence.strip():
            yield high - len(sentence.lstrip()), low + len(sentence.rstrip())


class TextSpan(NamedTuple):
    """A half-open range of character offsets."""

    start: int
    end: int


_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|et al|al|etc|cf|vs|resp|approx|w\.r\.t|viz|ca|Figs?|Eqs?|Eqns?|"
    r"Secs?|"
    r"Sects?|Tabs?|Thms?|Props?|Defs?|Lem|Alg|Cor|Apps?|Appx|Refs?|Nos?|Ch|Chap|pp?|Vol|Dr|Prof|"
    r"St|Mr|Ms|incl|esp|w\.l\.o\.g|s\.t|a\.k\.a|i\.i\.d|p\.s|[A-Z])\.\s*$",
    re.IGNORECASE,
)
_ENDS_ANYWAY = re.compile(r"(?:etc|et al|al|i\.i\.d)\.\s*$", re.IGNORECASE)
_COUNT = re.compile(r"(?:^|[.:;?!,]\s|(?<!\d )\b(?:and|or)\s)\s*\d{1,2}\.\s*$")
"""A number with a stop that counts what follows ("1. .. and 2. ..")."""
_PLACE = re.compile(rf"\b{_NUMBERED}\s\d{{1,2}}\.\s*$")
_GUARDED = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$[^$\n]{1,300}\$|https?://[^\s)\]]+|\([^()\n]{1,300}\)|"
    r"\[[^\[\]\n]{1,200}\]"
)
_BLANK = re.compile(r"\s*")
_LATE_MARK = re.compile(r"[?!]++(?=\s)")
"""A mark that stands apart after a full stop ends the sentence before it."""


def _first_sign(text: str, start: int, end: int) -> str:
    """The first letter or digit at or after an offset."""
    for index in range(start, min(end, start + 40)):
        if text[index].isalnum():
            return text[index]
    return ""


def _joins(text: str, start: int, cut: int, end: int) -> bool:
    """Whether a proposed boundary at `cut` falls inside a sentence."""
    before = text[max(start, cut - 40) : cut]
    sign = _first_sign(text, cut, end)
    if not sign:
        return True  # only punctuation is left
    if _COUNT.search(before) and not _PLACE.search(before):
        return True
    if _ABBREVIATION.search(before):
        return not (_ENDS_ANYWAY.search(before) and sign.isupper())
    return sign.islower() and not before.rstrip().endswith(("?", "!"))


def sentences(text: str, start: int, end: int, *, language: str = "en") -> list[TextSpan]:
    """Split ``text[start:end]`` into sentences, white space at their ends left out.

    Boundaries are those of the sentencex library, except inside formulas, links and brackets and
    after abbreviations that reviewers use (``Eq.``, ``et al.``), and in English those behind
    single letters (``we vary k.``).

    Args:
        text: The text.
        start: Offset at which to begin.
        end: Offset at which to end.
        language: ISO 639 code of its language, any.
    """
    part = text[start:end]
    guarded = [(match.start(), match.end()) for match in _GUARDED.finditer(part)]
    cuts: list[int] = []
    guard, last, blank = 0, 0, -1
    for position, sure in _boundaries(part, language):
        if position > blank:  # else it stands in white space that was skipped already
            skipped = _BLANK.match(part, position)
            blank = position if skipped is None else skipped.end()
        late = _LATE_MARK.match(part, blank)
        cut = position if late is None else late.end()
        while guard < len(guarded) and guarded[guard][1] <= cut:
            guard += 1
        inside = guard < len(guarded) and guarded[guard][0] < cut
        if cut >= len(part) or inside or (not sure and _joins(part, last, cut, len(part))):
            continue
        cuts.append(cut)
        last = cut
    edges = [0, *cuts, len(part)]
    spans = (trim(text, start + a, start + b) for a, b in pairwise(edges))
    return [stretch for stretch in spans if stretch.end > stretch.start]


def trim(text: str, start: int, end: int) -> TextSpan:
    """The stretch without white space and control characters at its ends."""
    while start < end and (text[start].isspace() or not text[start].isprintable()):
        start += 1
    while end > start and (text[end - 1].isspace() or not text[end - 1].isprintable()):
        end -= 1
    return TextSpan(start, end)
