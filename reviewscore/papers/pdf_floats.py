"""Tables and figures at the top of a column or page that cut a sentence: put after its paragraph.

A float is only moved where all signs agree: the text before it stops in the middle of a sentence,
its caption stands in it, and below it, after a gap, the sentence goes on at the column's edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from reviewscore.papers.pdf_layout import Line, paragraph_gap

_CAPTION = re.compile(r"(?:Table|Figure|Fig\.|Algorithm) ?[A-Z]?\d{1,2}(?:\.\d+)? ?[:.|]")
_JUMP = 60.0
"""Points by which a line stands above the one before it at the top of a column."""
_GAP = 8.0
"""Points between a float and the text below it, at least."""
_EDGE = 2.0
"""Points by which lines of a paragraph differ at their left edge."""
_NEXT_LINES = 6
_CLOSED = re.compile(r"https?:\S*\Z|[.!?:;…][\"”’')\]\d]*\Z")
_OPEN = re.compile(
    r"(?:,|[a-z]-|[\ufffe\x02]|\b(?:the|an?|of|and|or|in|on|for|with|to|by|is|are|was|were|that|"
    r"which|as|at|from|than|our|their|its|we|this|these|be|not|can|into|between))\Z"
)
_GOES_ON = re.compile(r"[a-z(]|\d[\d.,%]*[,;]? +[a-z(]")
_SMALL = re.compile(
    r"\b(?:the|an?|of|and|or|in|on|for|with|to|by|is|are|was|were|that|which|as|at|from|than|our|"
    r"we|this|these|be|not|can|it|when|has|have)\b"
)
_PROSE = 20
"""Letters of a line of prose, at least."""


def floats_after_paragraphs(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of each page, floats that cut a sentence after the paragraph that they cut."""
    result: list[list[Line]] = []
    last: Line | None = None
    for page in pages:
        lines = list(page)
        for start in _tops(lines):
            before = lines[start - 1] if start else last
            if before is not None and _is_open(before):
                lines = _moved(lines, start, before)
        result.append(lines)
        last = page[-1] if page else last
    return result


def sentence_goes_on(page: Sequence[Line], after: Sequence[Line]) -> bool:
    """Whether the sentence that ends a page's text goes on with the next page's first line."""
    if not page or not after or after[0].parted or not (_is_open(page[-1]) and _is_prose(after[0])):
        return False
    first = after[0].text.strip()
    return _GOES_ON.match(first) is not None and not _CAPTION.match(first)


def _tops(lines: Sequence[Line]) -> Iterator[int]:
    """Where columns begin."""
    if lines:
        yield 0
    for place, (above, below) in enumerate(pairwise(lines), 1):
        if below.top > above.top + _JUMP:
            yield place


def _is_open(line: Line) -> bool:
    """Whether a line of prose stops in the middle of a sentence."""
    return _is_prose(line) and not _CLOSED.search(line.text.rstrip())


def _is_prose(line: Line) -> bool:
    letters = sum(letter.isalpha() for letter in line.text)
    return letters >= _PROSE and _SMALL.search(line.text) is not None


def _moved(lines: list[Line], start: int, before: Line) -> list[Line]:
    """The lines with the float at the top of a column after the paragraph that it cuts."""
    stop = next((top for top in _tops(lines) if top > start), len(lines))
    column = lines[start:stop]
    captions = [place for place, line in enumerate(column) if _CAPTION.match(line.text.strip())]
    if not captions or (captions[0] > 0 and _is_prose(column[0])):
        return lines
    goes_on = _continuation(column, captions[0], before)
    if goes_on is None:
        return lines
    wide = paragraph_gap(lines)
    end = goes_on + 1
    while end < len(column) and column[end - 1].bottom - column[end].top <= wide:
        end += 1
    if end == len(column) and stop == len(lines):
        return lines  # the paragraph goes on on the next page
    rest = column[end:]
    if rest:
        rest[0] = replace(rest[0], parted=True)
    block = [replace(column[0], parted=True), *column[1:goes_on]]
    return [*lines[:start], *column[goes_on:end], *block, *rest, *lines[stop:]]


def _continuation(column: Sequence[Line], caption: int, before: Line) -> int | None:
    """Place of the line below a float on which the sentence before it goes on."""
    must = _OPEN.search(before.text.rstrip()) is not None
    for place in range(caption + 1, len(column)):
        line = column[place]
        if column[place - 1].bottom - line.top < _GAP or not _is_prose(line):
            continue
        if _CAPTION.match(line.text.strip()):
            continue
        below = column[place : place + _NEXT_LINES]
        at_edge = line.left - min(one.left for one in below) <= _EDGE
        if at_edge and (_GOES_ON.match(line.text.strip()) or must):
            return place
        return None
    return None
