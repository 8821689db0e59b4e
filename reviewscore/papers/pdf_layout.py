"""Where the lines of a PDF page stand: rows, columns and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from reviewscore.schema.paper import Box

_TOUCHING = 1.0
"""Points between two fragments of one word."""
_OVERLAP = 0.4
"""Share of the lower fragment's height that two fragments of a row have in common."""
_GUTTER = 10.0
"""Points between two columns, at least."""
_MIN_ROWS = 6
_SIDE_SHARE = 0.6
"""Share of a page's lines that keep to one side of the middle on a page with two columns."""
_MAX_SWITCHES = 6
"""Changes of side that a page read column by column may have."""
_ROW_BREAK = re.compile("[\ufffe\x02][ \\r\\n]*")
"""What PDFium puts where a word is broken at the end of its row."""
_EXTRA_GAP = 2.5
"""Points more than usual between two lines that part paragraphs."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page.

    Attributes:
        text: Its characters.
        left: Left edge of its first row.
        right: Right edge of its last row (a broken word makes a line of two rows).
        top: Upper edge of its first row.
        bottom: Lower edge of its last row.
        last_top: Upper edge of its last row.
        boxes: The boxes of its parts.
        start: Index of its first character on the page.
        parted: Whether it begins a paragraph wherever it stands.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    last_top: float
    boxes: tuple[Box, ...]
    start: int
    parted: bool = False

    @classmethod
    def of_boxes(cls, text: str, boxes: Sequence[Box], start: int) -> Line:
        """A line from the boxes of its parts, in the order of its characters."""
        last = boxes[-1]
        row = [last, *(box for box in boxes[:-1] if box[3] > last[1] and box[1] < last[3])]
        return cls(
            text=text,
            left=boxes[0][0],
            right=max(box[2] for box in row),
            top=max(box[3] for box in boxes),
            bottom=min(box[1] for box in boxes),
            last_top=max(box[3] for box in row),
            boxes=tuple(boxes),
            start=start,
        )


def rows(lines: Sequence[Line]) -> list[Line]:
    """Joins fragments that stand beside each other, as indices and exponents are stored."""
    joined: list[Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is None or not _same_row(last, line):
            joined.append(line)
            continue
        space = " " if line.left - last.right > _TOUCHING and not last.text.endswith(" ") else ""
        joined[-1] = replace(
            last,
            text=last.text + space + line.text,
            right=line.right,
            bottom=min(last.bottom, line.bottom),
            last_top=max(last.last_top, line.top) if line.top == line.last_top else line.last_top,
            boxes=last.boxes + line.boxes,
        )
    return joined


def _same_row(last: Line, line: Line) -> bool:
    first = line.boxes[0]
    shared = min(last.last_top, first[3]) - max(last.bottom, first[1])
    lower = min(last.last_top - last.bottom, first[3] - first[1])
    beside = last.right - 2 * _TOUCHING <= line.left <= last.right + _GUTTER
    return beside and shared > _OVERLAP * lower


def in_reading_order(
    lines: Sequence[Line], width: float, left_edge: Callable[[int], float]
) -> list[Line]:
    """Reads two columns one after the other where the file draws them row by row.

    Files that already hold one column after the other (most do) are left alone.

    Args:
        lines: Lines in the order of the file.
        width: Width of the page in points.
        left_edge: Left edge of the character with an index, in points.
    """
    parts: list[Line] = []
    for line in lines:
        parts.extend(_halves(line, width / 2, left_edge))
    sides = [_side(line, width / 2) for line in parts]
    left, right = sides.count("left"), sides.count("right")
    if min(left, right) < _MIN_ROWS or left + right < _SIDE_SHARE * len(parts):
        return list(lines)
    switches = sum(1 for a, b in pairwise(sides) if {a, b} == {"left", "right"})
    if len(parts) == len(lines) and switches <= _MAX_SWITCHES:
        return list(lines)
    return _by_column(parts, sides)


def _halves(line: Line, middle: float, left_edge: Callable[[int], float]) -> list[Line]:
    """A line cut at the gutter, if it runs over both columns."""
    boxes = line.boxes
    for index in range(1, len(boxes)):
        gap = boxes[index][0] - boxes[index - 1][2]
        if gap >= _GUTTER and boxes[index - 1][2] <= middle <= boxes[index][0]:
            cut = _first_from(line, boxes[index][0] - _TOUCHING, left_edge)
            if 0 < cut < len(line.text):
                return [
                    Line.of_boxes(line.text[:cut].rstrip(), boxes[:index], line.start),
                    Line.of_boxes(line.text[cut:], boxes[index:], line.start + cut),
                ]
    return [line]


def _first_from(line: Line, left: float, left_edge: Callable[[int], float]) -> int:
    for index, character in enumerate(line.text):
        if not character.isspace() and left_edge(line.start + index) >= left:
            return index
    return 0


def _side(line: Line, middle: float) -> str:
    if max(box[2] for box in line.boxes) <= middle + _TOUCHING:
        return "left"
    return "right" if min(box[0] for box in line.boxes) >= middle - _TOUCHING else "both"


def _by_column(parts: Sequence[Line], sides: Sequence[str]) -> list[Line]:
    """Left column, then right column, between lines that run over both."""
    ordered = sorted(zip(parts, sides, strict=True), key=lambda pair: -pair[0].top)
    result: list[Line] = []
    columns: dict[str, list[Line]] = {"left": [], "right": []}
    for line, side in ordered:
        if side == "both":
            result += [*columns["left"], *columns["right"], line]
            columns = {"left": [], "right": []}
        else:
            columns[side].append(line)
    return [*result, *columns["left"], *columns["right"]]


_EQUATION_NUMBER = re.compile(r"\(\d{1,3}[a-z]?\)")


def paragraph_gap(lines: Sequence[Line]) -> float:
    """Points between two lines of a page beyond which they stand in two paragraphs."""
    gaps = (before.bottom - after.top for before, after in pairwise(lines))
    usual = [gap for gap in gaps if -_GUTTER < gap < 2 * _GUTTER]
    return (median(usual) if usual else 0.0) + _EXTRA_GAP


def paragraphs(lines: Sequence[Line]) -> tuple[str, list[int]]:
    """The text of lines in reading order, with an empty line where the gap is wider than usual.

    Returns:
        The text, and the offset in it at which each line begins.
    """
    gaps = [before.bottom - after.top for before, after in pairwise(lines)]
    wide = paragraph_gap(lines)
    pieces: list[str] = []
    starts: list[int] = []
    length = 0
    for index, line in enumerate(lines):
        if index:
            ended = _EQUATION_NUMBER.fullmatch(pieces[-1]) is not None
            parted = line.parted or ended or gaps[index - 1] > wide
            pieces.append("\n\n" if parted else "\n")
            length += len(pieces[-1])
        pieces.append(line.text.strip())
        starts.append(length)
        length += len(pieces[-1])
    return "".join(pieces), starts


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A row of a line as it is printed: a broken word makes one line of two rows.

    Attributes:
        offset: Where it begins in the line's text, white space at its ends aside.
        box: Its place on the page.
    """

    offset: int
    box: Box


def printed_rows(line: Line) -> list[PrintedRow]:
    """The rows of a line, in order."""
    boxes: list[list[Box]] = []
    for box in line.boxes:
        last = boxes[-1][-1] if boxes else None
        if last is not None and box[3] > last[1] and box[1] < last[3]:
            boxes[-1].append(box)
        else:
            boxes.append([box])
    text = line.text.strip()
    breaks = [match.end() for match in _ROW_BREAK.finditer(text)]
    offsets = [0, *breaks] if len(breaks) + 1 >= len(boxes) else [0] * len(boxes)
    return [PrintedRow(offset, around(row)) for offset, row in zip(offsets, boxes, strict=False)]


def around(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
