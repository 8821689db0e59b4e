"""Lines that a converter made of one width, made so again where a cut left shorter or longer ones.

A short line in the middle of a paragraph shows that something was taken out there, and so does a
table's row that is not as wide as the others. Lines that are filled differ from those that a
typesetter made, so all paragraphs of a text are filled, whether something was taken out or not.
Nothing but white space is exchanged: of paragraphs a blank for a line end, and the other way round,
so that all offsets stay; of tables the blanks beside the words of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from itertools import pairwise
from statistics import median

_PROSE, _FEWEST_LINES = 60, 20
"""Lines of fewer characters tell no width; so many longer ones do."""
_NEAR, _SHARE_NEAR = (0.8, 1.25), 0.6
"""Lines of a wrapped text are about as long as the median one; so many of them must be."""
_WIDEST = 1.04
"""Of the median line, where the widest lines of a text with words of all lengths lie."""
_FULL = 0.8
"""Of the width: a line of fewer characters was not ended by it."""
_STRUCTURE = re.compile(r"\s*(?:[#|>•*+–-]|\d{1,2}[.)]\s|\(\w{1,3}\)\s|<!--|$)")
"""How lines begin that are no running text."""
_COUNTED = re.compile(r"\s*(?:\d{1,2}[.)]|\(\w{1,3}\))\s")
"""How lines begin that are running text where the line above is full."""
_DIVIDED = re.compile(r"-[*_]*\n")
"""A line that ends within a word; emphasis that goes on below is closed at the line end."""
_GAP = re.compile(r"(?<=\S)\n(?=\S)|(?<=[^\s(\[]) (?=[^\s)\]])")
"""Where a line ends, or may end: converters set blanks into brackets, where none does."""
_JOINED = 1.25
"""Of the width: so long is a line that a converter joined with the next one, at a hyphen."""
_RULE = re.compile(r"\|(?:-{3,}\|)+")
"""The line below the header of a table whose cells are padded, as wide as they are."""


def wrapped_anew(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """What to exchange so that all paragraphs of a wrapped text are filled.

    A line of less than the width ends a paragraph, unless something was taken out there.

    Args:
        text: The text.
        places: Offsets at which something was taken out, in order.

    Yields:
        Start, end and new text of single white-space characters, in order and apart; nothing for a
        text that is not wrapped.
    """
    done, width = 0, _width(text)
    if width is None:
        return
    full = {match.start() for match in re.finditer(rf"(?m)^.{{{int(_FULL * width)},}}$", text)}
    lines = (text.rfind("\n", 0, place) + 1 for place in places)
    prose = full | {match.start() for match in re.finditer(r"(?m)^.*[a-z]-[*_]*$", text)}
    torn = {line for line in lines if not prose.isdisjoint(_beside(text, line))}
    for start in sorted(torn | full):
        if start < done or (start not in torn and _STRUCTURE.match(text, start)):
            continue
        last = _end_of_paragraph(text, start, width, torn)
        end = _before_hyphen(text, start, last)
        yield from _filled(text, start, end, width)
        done = end


def _beside(text: str, line: int) -> tuple[int, int, int]:
    """Where the line above, a line itself and the one below begin: short ones are no paragraph."""
    return text.rfind("\n", 0, max(0, line - 1)) + 1, line, _line_end(text, line) + 1


def _end_of_paragraph(text: str, start: int, width: int, torn: Container[int]) -> int:
    """The end of the running text that goes on in a line."""
    line, last = start, _line_end(text, start)
    while last < len(text) and (line in torn or last - line >= _FULL * width):
        below = text[last + 1 : _line_end(text, last + 1)]
        counted = _COUNTED.match(below)
        full = counted and last - line + 1 + len(counted[0].rstrip()) > width
        if not full and _STRUCTURE.match(below):
            break
        line, last = last + 1, last + 1 + len(below)
    return last


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
    divided = _DIVIDED.search(text, start, last)
    return last if divided is None else divided.end() - 1


def _filled(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int, str]]:
    """Exchanges that fill the lines of a stretch; as many as before are of two lines joined."""
    line, joined = start, -1
    above, below = start, _line_end(text, start)
    gaps = [match.start() for match in _GAP.finditer(text, start, end)]
    for gap, following in pairwise([*gaps, end]):
        wanted = " "
        while gap > below:
            above, below = below + 1, _line_end(text, below + 1)
        if following - line > width:
            line = gap + 1
            if below in (gap, joined) or below - above <= _JOINED * width:
                wanted = "\n"
            else:
                joined = below
        if text[gap] != wanted:
            yield gap, gap + 1, wanted


def padded_anew(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """What to exchange so that the rows at some places are as wide as their padded tables.

    Args:
        text: The text.
        places: Offsets at which something was taken out, in order.

    Yields:
        Start, end and new text of stretches of blanks, in order and apart; nothing for cells whose
        words are wider than the column, and for tables that are not padded.
    """
    done = 0
    for place in places:
        start, end = text.rfind("\n", 0, place) + 1, _line_end(text, place)
        widths = _columns(text, start) if place >= done and text[start:end].count("|") > 1 else ()
        done = max(done, end)
        cells = [match.span(1) for match in re.finditer(r"\|([^|\n]*)(?=\|)", text[start:end])]
        if len(cells) != len(widths):
            continue
        for (low, high), width in zip(cells, widths, strict=True):
            yield from _padded(text, start + low, start + high, width)


def _columns(text: str, start: int) -> tuple[int, ...]:
    """Widths of the columns of the table that has a line; none if it is not padded."""
    while start > 0 and text[start] == "|":
        start = text.rfind("\n", 0, start - 1) + 1
        if _RULE.fullmatch(rule := text[start : _line_end(text, start)]):
            return tuple(map(len, rule.strip("|").split("|")))
    return ()


def _padded(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int, str]]:
    """Blanks more or fewer in a cell, on the side where there are more."""
    cell = text[start:end]
    words = cell.strip(" ")
    missing = width - len(cell)
    if not (missing and words and len(words) + 2 <= width):
        return
    lead = len(cell) - len(cell.lstrip(" "))
    if lead > len(cell) - lead - len(words):
        kept = max(1, lead + missing)
        yield start, start + lead, " " * kept
        missing -= kept - lead
        start, lead = start + lead, 0
    if missing:
        last = start + lead + len(words)
        yield last, end, " " * (end - last + missing)
