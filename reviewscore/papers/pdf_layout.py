"""Where the lines of a PDF page stand: rows, columns, paragraphs, floats, and the title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reviewscore.papers.pdf_line_numbers import PageGlyphs
from reviewscore.schema.paper import Box, around

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
class PrintedLine:
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
    def of_boxes(cls, text: str, boxes: Sequence[Box], start: int) -> PrintedLine:
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


def rows(lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """Joins fragments that stand beside each other, as indices and exponents are stored."""
    joined: list[PrintedLine] = []
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


def _same_row(last: PrintedLine, line: PrintedLine) -> bool:
    first = line.boxes[0]
    shared = min(last.last_top, first[3]) - max(last.bottom, first[1])
    lower = min(last.last_top - last.bottom, first[3] - first[1])
    beside = last.right - 2 * _TOUCHING <= line.left <= last.right + _GUTTER
    return beside and shared > _OVERLAP * lower


def in_reading_order(
    lines: Sequence[PrintedLine], width: float, left_edge: Callable[[int], float]
) -> list[PrintedLine]:
    """Reads two columns one after the other where the file draws them row by row.

    Files that already hold one column after the other (most do) are left alone.

    Args:
        lines: Lines in the order of the file.
        width: Width of the page in points.
        left_edge: Left edge of the character with an index, in points.
    """
    parts: list[PrintedLine] = []
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


def _halves(
    line: PrintedLine, middle: float, left_edge: Callable[[int], float]
) -> list[PrintedLine]:
    """A line cut at the gutter, if it runs over both columns."""
    boxes = line.boxes
    for index in range(1, len(boxes)):
        gap = boxes[index][0] - boxes[index - 1][2]
        if gap >= _GUTTER and boxes[index - 1][2] <= middle <= boxes[index][0]:
            cut = _first_from(line, boxes[index][0] - _TOUCHING, left_edge)
            if 0 < cut < len(line.text):
                return [
                    PrintedLine.of_boxes(line.text[:cut].rstrip(), boxes[:index], line.start),
                    PrintedLine.of_boxes(line.text[cut:], boxes[index:], line.start + cut),
                ]
    return [line]


def _first_from(line: PrintedLine, left: float, left_edge: Callable[[int], float]) -> int:
    for index, character in enumerate(line.text):
        if not character.isspace() and left_edge(line.start + index) >= left:
            return index
    return 0


def _side(line: PrintedLine, middle: float) -> str:
    if max(box[2] for box in line.boxes) <= middle + _TOUCHING:
        return "left"
    return "right" if min(box[0] for box in line.boxes) >= middle - _TOUCHING else "both"


def _by_column(parts: Sequence[PrintedLine], sides: Sequence[str]) -> list[PrintedLine]:
    """Left column, then right column, between lines that run over both."""
    ordered = sorted(zip(parts, sides, strict=True), key=lambda pair: -pair[0].top)
    result: list[PrintedLine] = []
    columns: dict[str, list[PrintedLine]] = {"left": [], "right": []}
    for line, side in ordered:
        if side == "both":
            result += [*columns["left"], *columns["right"], line]
            columns = {"left": [], "right": []}
        else:
            columns[side].append(line)
    return [*result, *columns["left"], *columns["right"]]


_EQUATION_NUMBER = re.compile(r"\(\d{1,3}[a-z]?\)")


def paragraph_gap(lines: Sequence[PrintedLine]) -> float:
    """Points between two lines of a page beyond which they stand in two paragraphs."""
    gaps = (before.bottom - after.top for before, after in pairwise(lines))
    usual = [gap for gap in gaps if -_GUTTER < gap < 2 * _GUTTER]
    return (median(usual) if usual else 0.0) + _EXTRA_GAP


def paragraphs(lines: Sequence[PrintedLine]) -> tuple[str, list[int]]:
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


def printed_rows(line: PrintedLine) -> list[tuple[int, Box]]:
    """The rows of a line as they are printed, in order: a broken word makes one line of two rows.

    Each with its offset in the line's text, white space at its ends aside, and its place.
    """
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
    return [(offset, around(row)) for offset, row in zip(offsets, boxes, strict=False)]


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


def floats_after_paragraphs(pages: Sequence[Sequence[PrintedLine]]) -> list[list[PrintedLine]]:
    """The lines of each page, floats that cut a sentence after the paragraph that they cut."""
    result: list[list[PrintedLine]] = []
    last: PrintedLine | None = None
    for page in pages:
        lines = list(page)
        for start in _tops(lines):
            before = lines[start - 1] if start else last
            if before is not None and _is_open(before):
                lines = _moved(lines, start, before)
        result.append(lines)
        last = page[-1] if page else last
    return result


def sentence_goes_on(page: Sequence[PrintedLine], after: Sequence[PrintedLine]) -> bool:
    """Whether the sentence that ends a page's text goes on with the next page's first line."""
    if not page or not after or after[0].parted or not (_is_open(page[-1]) and _is_prose(after[0])):
        return False
    first = after[0].text.strip()
    return _GOES_ON.match(first) is not None and not _CAPTION.match(first)


def _tops(lines: Sequence[PrintedLine]) -> Iterator[int]:
    """Where columns begin."""
    if lines:
        yield 0
    for place, (above, below) in enumerate(pairwise(lines), 1):
        if below.top > above.top + _JUMP:
            yield place


def _is_open(line: PrintedLine) -> bool:
    """Whether a line of prose stops in the middle of a sentence."""
    return _is_prose(line) and not _CLOSED.search(line.text.rstrip())


def _is_prose(line: PrintedLine) -> bool:
    letters = sum(letter.isalpha() for letter in line.text)
    return letters >= _PROSE and _SMALL.search(line.text) is not None


def _moved(lines: list[PrintedLine], start: int, before: PrintedLine) -> list[PrintedLine]:
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


def _continuation(column: Sequence[PrintedLine], caption: int, before: PrintedLine) -> int | None:
    """Place of the line below a float on which the sentence before it goes on."""
    must = _OPEN.search(before.text.rstrip()) is not None
    for place in range(caption + 1, len(column)):
        line = column[place]
        if column[place - 1].bottom - line.top < _GAP or not _is_prose(line):
            continue
        if _CAPTION.match(line.text.strip()):
            continue
        below = column[place : place + _NEXT_LINES]
        at_edge = line.left - min(line.left for line in below) <= _EDGE
        if at_edge and (_GOES_ON.match(line.text.strip()) or must):
            return place
        return None
    return None


_UPPER = 0.45
"""Share of the page's height above which a title stands."""
_SAME_SIZE = 0.96
_LARGER = 1.1
"""Times that a title is larger than most of the page, at least."""
_APART = 1.75
"""Heights of a line between two lines of a title, at most."""
_MOST_LINES = 5
_LEAST_LETTERS = 6
_RAISED = 0.8
"""Share of a title's size up to which the digit at its end is a footnote mark."""
_MARK = re.compile(r"[\s∗*†‡§¶⋆♦♣]+\Z")
_DIGIT_MARK = re.compile(r"[\d,\s]{1,3}\Z")
_NO_TITLE = re.compile(
    r"\s*(?:(?:proceedings|findings|transactions) (?:of|on)\b"
    r"|(?:published|accepted) (?:as|in|at|by)\b"
    r"|(?:paper )?under (?:double-blind )?review|preprint\b|submitted to|ar ?xiv ?:"
    r"|journal of .*\d|\d+(?:st|nd|rd|th) (?:annual |international )?(?:conference|workshop)"
    r"|[01](?:\.\d{1,2})*\.? +\S|\W*(?:abstract|contents|references)\W*\Z)",
    re.IGNORECASE,
)
"""Lines of proceedings, running heads and headings of sections."""
_HEADING = re.compile(r"\s*[01][. ]")
"""The first section's number."""
_UNFINISHED = re.compile(
    r"(?:[:,]|\b(?:a|an|and|by|for|from|in|of|on|or|the|to|via|with))\s*\Z", re.IGNORECASE
)
_READABLE = re.compile(r"[^\W\d_]{3,}")
_LEAST_READABLE = 0.5
"""Share of a title's characters that stand in words of three letters and more, at least."""
NO_TITLE_LINE = "no line is set as a title; the first one was taken for it"
_ENDS = re.compile(r"\W*(?:abstract|introduction|summary|1\.? introduction)\W*\Z", re.IGNORECASE)


class PrintedTitle(NamedTuple):
    """A title as it is printed.

    Attributes:
        lines: Its lines as they stand, footnote marks off; empty where none stands out.
        doubt: Why it may not be the title, in words; empty where nothing speaks against it.
    """

    lines: tuple[str, ...]
    doubt: str


def printed_title(lines: Sequence[PrintedLine], glyphs: PageGlyphs, height: float) -> PrintedTitle:
    """The title on a page: the largest lines above the abstract that are no venue's or heading's.

    Args:
        lines: Lines of the first page in reading order.
        glyphs: What is known of its characters.
        height: Height of the page.
    """
    heads = [line for line in lines if _ENDS.match(line.text)]
    lowest = max((line.top for line in heads if line.top > _UPPER * height), default=0.0)
    upper = [line for line in lines if line.bottom > max(lowest, _UPPER * height)]
    sized = [(line, _size(line, glyphs)) for line in upper if _is_level(line)]
    most = float(np.median(glyphs.sizes)) if len(glyphs.sizes) else 0.0
    sizes = sorted({size for _, size in sized if size >= _LARGER * most}, reverse=True)
    for size in sizes:
        for block in _blocks(sized, size):
            letters = sum(letter.isalpha() for line in block for letter in line.text)
            if len(block) > _MOST_LINES or letters < _LEAST_LETTERS:
                continue
            if _NO_TITLE.match(block[0].text):
                continue
            *before, last = block
            title = (*(line.text.strip() for line in before), _without_mark(last, glyphs, size))
            # Another line as large as the title: an author's, or the title goes on elsewhere.
            others = [line for line, own in sized if own >= _SAME_SIZE * size and line not in block]
            return PrintedTitle(title, _doubt(title, [line.text for line in others]))
    return PrintedTitle((), NO_TITLE_LINE)


def _doubt(title: Sequence[str], others: Sequence[str]) -> str:
    """Why some lines may not be the title, in words; empty if nothing speaks against it."""
    text = " ".join(title)
    solid = len("".join(text.split()))
    if sum(map(len, _READABLE.findall(text))) < _LEAST_READABLE * solid:
        return "few of its characters are words"
    if _UNFINISHED.search(text):
        return "it ends as if it went on"
    rivals = [
        text for text in others
        if sum(letter.isalpha() for letter in text) >= _LEAST_LETTERS and not _NO_TITLE.match(text)
    ]  # fmt: skip
    return "another line of the page is set as large" if rivals else ""


def _is_level(line: PrintedLine) -> bool:
    """Whether a line runs from left to right, as a stamp at the margin does not."""
    return any(box[2] - box[0] > box[3] - box[1] for box in line.boxes)


def _inside(line: PrintedLine, glyphs: PageGlyphs) -> npt.NDArray[np.bool_]:
    middles = (glyphs.boxes[:, :2] + glyphs.boxes[:, 2:]) / 2
    inside = np.zeros(len(middles), dtype=np.bool_)
    for left, bottom, right, top in line.boxes:
        across = (middles[:, 0] >= left) & (middles[:, 0] <= right)
        inside |= across & (middles[:, 1] >= bottom) & (middles[:, 1] <= top)
    return inside


def _size(line: PrintedLine, glyphs: PageGlyphs) -> float:
    """The size of a line's letters; of small capitals that of the large ones among them."""
    inside = np.flatnonzero(_inside(line, glyphs)).tolist()
    letters = (glyphs.sizes[at] for at in inside if chr(glyphs.codes[at]).isalpha())
    return float(max(letters, default=0.0))


def _blocks(sized: Sequence[tuple[PrintedLine, float]], size: float) -> Iterator[list[PrintedLine]]:
    """The lines of a size, those that follow each other together."""
    block: list[PrintedLine] = []
    for line, own in sized:
        same = _SAME_SIZE * size <= own <= size / _SAME_SIZE
        apart = block and not (
            0 < block[-1].bottom - line.bottom < _APART * _height(line, block[-1])
        )
        venue = block and _NO_TITLE.match(block[0].text) and not _HEADING.match(block[0].text)
        if block and (not same or apart or venue):
            yield block
            block = []
        if same:
            block.append(line)
    if block:
        yield block


def _height(line: PrintedLine, last: PrintedLine) -> float:
    rows = max(1, round((line.top - line.bottom) / max(1.0, last.last_top - last.bottom)))
    return (last.last_top - last.bottom) * max(1.0, rows) + 6.0


def _without_mark(line: PrintedLine, glyphs: PageGlyphs, size: float) -> str:
    """The last line without the mark of a footnote."""
    text = _MARK.sub("", line.text)
    inside = np.flatnonzero(_inside(line, glyphs))
    if len(inside) and text[-1:].isdigit():
        last = inside[np.argmax(glyphs.boxes[inside, 2])]
        if glyphs.sizes[last] <= _RAISED * size:
            text = _DIGIT_MARK.sub("", text)
    return text.strip()
