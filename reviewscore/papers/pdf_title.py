"""The title of a PDF: the lines on its first page that are set largest, above the abstract."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from reviewscore.papers.pdf_layout import Line
from reviewscore.papers.pdf_line_numbers import PageGlyphs

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
_ENDS = re.compile(r"\W*(?:abstract|introduction|summary|1\.? introduction)\W*\Z", re.IGNORECASE)


def title_lines(lines: Sequence[Line], glyphs: PageGlyphs, height: float) -> tuple[str, ...]:
    """The lines of a title as they stand, footnote marks off; empty where none stands out.

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
        block = list(_block(sized, size))
        letters = sum(letter.isalpha() for line in block for letter in line.text)
        if block and len(block) <= _MOST_LINES and letters >= _LEAST_LETTERS:
            *before, last = block
            return (*(line.text.strip() for line in before), _without_mark(last, glyphs, size))
    return ()


def _is_level(line: Line) -> bool:
    """Whether a line runs from left to right, as a stamp at the margin does not."""
    return any(box[2] - box[0] > box[3] - box[1] for box in line.boxes)


def _inside(line: Line, glyphs: PageGlyphs) -> npt.NDArray[np.bool_]:
    middles = (glyphs.boxes[:, :2] + glyphs.boxes[:, 2:]) / 2
    inside = np.zeros(len(middles), dtype=np.bool_)
    for left, bottom, right, top in line.boxes:
        across = (middles[:, 0] >= left) & (middles[:, 0] <= right)
        inside |= across & (middles[:, 1] >= bottom) & (middles[:, 1] <= top)
    return inside


def _size(line: Line, glyphs: PageGlyphs) -> float:
    """The size of a line's letters; of small capitals that of the large ones among them."""
    inside = np.flatnonzero(_inside(line, glyphs)).tolist()
    letters = (glyphs.sizes[at] for at in inside if chr(glyphs.codes[at]).isalpha())
    return float(max(letters, default=0.0))


def _block(sized: Sequence[tuple[Line, float]], size: float) -> Iterator[Line]:
    """The first lines of a size that follow each other."""
    last: Line | None = None
    for line, own in sized:
        if not _SAME_SIZE * size <= own <= size / _SAME_SIZE:
            if last is not None:
                return
            continue
        if last is not None and not 0 < last.bottom - line.bottom < _APART * _height(line, last):
            return
        yield line
        last = line


def _height(line: Line, last: Line) -> float:
    rows = max(1, round((line.top - line.bottom) / max(1.0, last.last_top - last.bottom)))
    return (last.last_top - last.bottom) * max(1.0, rows) + 6.0


def _without_mark(line: Line, glyphs: PageGlyphs, size: float) -> str:
    """The last line without the mark of a footnote."""
    text = _MARK.sub("", line.text)
    inside = np.flatnonzero(_inside(line, glyphs))
    if len(inside) and text[-1:].isdigit():
        last = inside[np.argmax(glyphs.boxes[inside, 2])]
        if glyphs.sizes[last] <= _RAISED * size:
            text = _DIGIT_MARK.sub("", text)
    return text.strip()
