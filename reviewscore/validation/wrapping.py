"""Paragraphs that a converter wrapped at a width, filled anew where a cut left a short line.

A short line in the middle of a paragraph shows that something was taken out there. Nothing but a
blank for a line end, and the other way round, is exchanged, so that all offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from statistics import median

_PROSE, _FEWEST_LINES = 60, 20
"""Lines of fewer characters tell no width; so many longer ones do."""
_NEAR, _SHARE_NEAR = (0.8, 1.25), 0.6
"""Lines of a wrapped text are about as long as the median one; so many of them must be."""
_WIDEST = 1.04
"""Of the median line, where the widest lines of a text with words of all lengths lie."""
_STRUCTURE = re.compile(r"\s*(?:[#|>•*+–-]|\d{1,2}[.)]\s|\(\w{1,3}\)\s|<!--|$)")
"""How lines begin that are no running text."""


def wrapped_anew(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """What to exchange so that the paragraphs of some places are filled from there on.

    Args:
        text: The text.
        places: Offsets at which something was taken out, in order.

    Yields:
        Start, end and new text of single white-space characters, in order and apart; nothing for
        paragraphs that are not wrapped.
    """
    done, width = 0, _width(text)
    if width is None:
        return
    for place in places:
        if place < done:
            continue
        start, last = _rest_of_paragraph(text, place)
        end = _before_hyphen(text, start, last)
        yield from _filled(text, start, end, width)
        done = end


def _rest_of_paragraph(text: str, place: int) -> tuple[int, int]:
    """From the beginning of the line of a place to the end of its running text."""
    start, last = text.rfind("\n", 0, place) + 1, _line_end(text, place)
    while last < len(text) and not _STRUCTURE.match(text[last + 1 : _line_end(text, last + 1)]):
        last = _line_end(text, last + 1)
    return start, last


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _width(text: str) -> int | None:
    """The width at which a text is wrapped; None if it is not, so that a line is a paragraph."""
    lengths = [len(line) for line in text.split("\n") if len(line) >= _PROSE]
    if len(lengths) < _FEWEST_LINES:
        return None
    middle = int(median(lengths))
    near = sum(_NEAR[0] * middle <= length <= _NEAR[1] * middle for length in lengths)
    return int(_WIDEST * middle) if near >= _SHARE_NEAR * len(lengths) else None


def _before_hyphen(text: str, start: int, last: int) -> int:
    """The end of the first line that ends within a word, which cannot be moved; else the end."""
    hyphen = text.find("-\n", start, last)
    return last if hyphen < 0 else hyphen + 1


def _filled(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int, str]]:
    line = start
    gaps = [match.start() for match in re.finditer(r"(?<=\S)[ \n](?=\S)", text[start:end])]
    for gap, following in pairwise([*gaps, end - start]):
        over = start + following - line > width
        if text[start + gap] != (wanted := "\n" if over else " "):
            yield start + gap, start + gap + 1, wanted
        if over:
            line = start + gap + 1
