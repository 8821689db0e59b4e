"""Line numbers that are printed beside the text of a PDF: known by geometry and sequence.

A column of numbers is taken for line numbers if it stands at one place on many pages, grows from
line to line by a constant step, and no text runs through it. It may stand left or right of the
text or in the gutter, number every line or every n-th, run on or begin again on each page, and be
printed beside the lines or as a ruler. Columns of tables have text above or below them, axis labels
and listings do not go on through the pages, numbers in sentences have words on both sides, and
lists and equations put marks to their numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from reviewscore.papers.pdf_visibility import Glyphs
from reviewscore.schema.paper import Box, around

_DIGITS = 4
_TOUCHING = 1.4
"""Points between a number and a mark or letter that belongs to it."""
_WORD_SPACE = 4.5
"""Points between two words of a line, at most."""
_ONE_NUMBER = 0.45
"""Gap between two digits of a number, at most, as a share of their height."""
_SAME_EDGE = 1.6
"""Points by which the edges of numbers in a column differ, at most."""
_BASELINE = 1.5
_STEPS = (1, 2, 5, 10)
_WIDEST = 8
"""Numbers that a column may lack in one place of a page."""
_PAGES_APART = 400
"""Numbers between the last of a page and the first of the next one in the column, at most."""
_LEAST = 8
_A_PAGE = 2.0
"""Numbers a page on average, at least: page numbers are one."""
_PAGES = 0.5
"""Share of the pages that have text on which the column has several numbers, at least."""
_EXTENT = 0.45
"""Share of a page's height of text that the column runs through, on average, at least."""
_CROSSED = 0.12
"""Share of the page's lines that run through a column, on average, at most."""
_ANEW, _NEW_PAGE, _LACKING = 0.5, 0.2, 0.15
"""What speaks against a series that begins anew, goes on on another page, lacks a number."""
_SAME_TYPE = 0.12
"""Share by which the heights of two columns' digits differ, at most."""
_COLUMN = 12.0
"""Points between the right edges of two numbers of one column, at most."""
_USUAL = 0.25
"""Quantile of the gaps between lines and numbers that full lines have."""
_REACH = 1.5
"""Heights of a row by which a number of a ruler may miss it."""
_EXACT = 0.75
"""Share of steps within pages that are exactly the column's."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of up to four digits that touches no other mark.

    Attributes:
        page: Place of its page, from 0.
        value: What it says.
        box: Left, bottom, right, top in points.
        places: Places of its digits among the page's characters.
    """

    page: int
    value: int
    box: Box
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """What is known of a page's characters: its numbers, and where everything stands.

    Attributes:
        numbers: Its numbers that stand free.
        boxes: Shape (n, 4), boxes of all characters.
        codes: Shape (n,), their Unicode code points.
        sizes: Shape (n,), their type sizes in points, ascent and descent included.
    """

    numbers: tuple[Number, ...]
    boxes: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.float64]


NO_GLYPHS = PageGlyphs((), np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0))


def page_glyphs(glyphs: Glyphs, page: int) -> PageGlyphs:
    """The free-standing numbers of a page and the boxes of its characters."""
    return PageGlyphs(tuple(_numbers(glyphs, page)), glyphs.box, glyphs.code, glyphs.sizes)


def _numbers(glyphs: Glyphs, page: int) -> Iterator[Number]:
    code, box = glyphs.code, glyphs.box
    if not len(code):
        return
    digit = (code >= ord("0")) & (code <= ord("9"))
    same_row = np.abs(box[1:, 1] - box[:-1, 1]) < _BASELINE
    gap = box[1:, 0] - box[:-1, 2]
    height = box[:, 3] - box[:, 1]
    near = same_row & (gap > -_TOUCHING)
    one_number = digit[1:] & digit[:-1] & near & (gap < _ONE_NUMBER * np.maximum(height[1:], 2))
    touching = near & (gap < _TOUCHING) & ~one_number
    starts = np.flatnonzero(digit & ~np.concatenate(([False], one_number)))
    ends = np.flatnonzero(digit & ~np.concatenate((one_number, [False]))) + 1
    spaced = np.concatenate(([False], near & (gap < _WORD_SPACE), [False]))
    before = np.concatenate(([False], touching))
    after = np.concatenate((touching, [False]))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start > _DIGITS or before[start] or after[end - 1]:
            continue
        if spaced[start] and spaced[end]:  # a word among words
            continue
        span = box[start:end]
        yield Number(
            page=page,
            value=int("".join(map(chr, code[start:end].tolist()))),
            box=around(span.tolist()),
            places=tuple(glyphs.index[start:end].tolist()),
        )


def line_numbers(pages: Sequence[PageGlyphs]) -> list[list[Number]]:
    """The columns of line numbers in a document, each in reading order."""
    left = [number for page in pages for number in page.numbers]
    with_text = sum(1 for page in pages if len(page.boxes))
    columns: list[list[Number]] = []
    while len(left) >= _LEAST:
        column = max(
            (
                series
                for aligned in _aligned(left, with_text)
                for step in _STEPS
                if (series := _series(aligned, step))
                and _is_column(series, step, pages)
                and all(_alike(series, column) for column in columns)
            ),
            key=len,
            default=None,
        )
        if column is None:
            break
        columns.append(column)
        taken = set(map(id, column))
        left = [number for number in left if id(number) not in taken]
    return columns


def _aligned(numbers: Sequence[Number], pages: int) -> Iterator[list[Number]]:
    """Numbers that share a left or a right edge, the fullest columns first."""
    for edge in (2, 0):
        bins: Counter[int] = Counter(round(number.box[edge]) for number in numbers)
        for place, _ in bins.most_common(24):
            if sum(bins[place + off] for off in (-2, -1, 0, 1, 2)) < _LEAST:
                continue
            group = [number for number in numbers if abs(number.box[edge] - place) <= _SAME_EDGE]
            on_page = Counter(number.page for number in group)
            many = sum(1 for count in on_page.values() if count >= _A_PAGE)
            if len(group) >= _LEAST and many >= _PAGES * pages / 2:
                yield sorted(group, key=lambda number: (number.page, -number.box[1]))


@dataclass(slots=True)
class _Ends:
    """Where series may go on: their weights, and the best ends by value and by page."""

    numbers: Sequence[Number]
    step: int
    weight: list[float]
    by_value: dict[int, int]
    before_page: int | None = None
    on_page: int | None = None
    page: int = -1

    def begin(self, page: int) -> None:
        """Note that the numbers that follow stand on a page."""
        if page != self.page:
            ends = [end for end in (self.before_page, self.on_page) if end is not None]
            self.before_page = max(ends, key=self.weight.__getitem__, default=None)
            self.on_page, self.page = None, page

    def best(self, number: Number) -> tuple[float, int | None]:
        """The weight of the heaviest series that a number goes on with, and its last number."""
        best, at = 0.0, None
        for gap in range(1, _PAGES_APART // self.step + 1):
            place = self.by_value.get(number.value - gap * self.step)
            if place is not None:
                value = self.weight[place] - self._cost(self.numbers[place], number, gap)
                if value > best:
                    best, at = value, place
            if gap >= _WIDEST and at is not None:
                break
        if self.before_page is not None and number.value <= self.step:  # the column begins anew
            value = self.weight[self.before_page] - _ANEW
            if value > best:
                best, at = value, self.before_page
        return best, at

    def _cost(self, last: Number, number: Number, gap: int) -> float:
        if last.page != number.page:
            return _NEW_PAGE
        if gap > _WIDEST or last.box[1] <= number.box[1]:
            return float("inf")
        return _LACKING * (gap - 1)

    def add(self, place: int) -> None:
        """Note a number as an end of series."""
        number = self.numbers[place]
        kept = self.by_value.get(number.value)
        lighter = kept is not None and self.weight[place] < self.weight[kept]
        if kept is None or not lighter or self.numbers[kept].page < number.page - 1:
            self.by_value[number.value] = place
        if self.on_page is None or self.weight[place] > self.weight[self.on_page]:
            self.on_page = place


def _series(numbers: Sequence[Number], step: int) -> list[Number]:
    """The longest sequence that grows by a step, lacks little, and may begin anew on a page."""
    ends = _Ends(numbers, step, [1.0] * len(numbers), {})
    link: list[int | None] = []
    for place, number in enumerate(numbers):
        ends.begin(number.page)
        best, at = ends.best(number)
        ends.weight[place] += best
        link.append(at)
        ends.add(place)
    last: int | None = max(range(len(numbers)), key=ends.weight.__getitem__, default=None)
    series = []
    while last is not None:
        series.append(numbers[last])
        last = link[last]
    return series[::-1]


def _is_column(series: Sequence[Number], step: int, pages: Sequence[PageGlyphs]) -> bool:
    """Whether a sequence of numbers at one edge is a column of line numbers."""
    by_page: dict[int, list[Number]] = defaultdict(list)
    for number in series:
        by_page[number.page].append(number)
    with_text = sum(1 for page in pages if len(page.boxes))
    several = sum(1 for column in by_page.values() if len(column) > 1)
    if len(series) < max(_LEAST, _A_PAGE * len(by_page)) or several < _PAGES * with_text:
        return False
    within = [(a, b) for a, b in pairwise(series) if a.page == b.page]
    if sum(1 for a, b in within if b.value - a.value == step) < _EXACT * len(within):
        return False
    extent = crossed = 0.0
    for place, column in by_page.items():
        boxes = pages[place].boxes
        height = float(boxes[:, 3].max() - boxes[:, 1].min())
        spread = max(integer.box[3] for integer in column) - min(
            integer.box[1] for integer in column
        )
        # The last page, or a column of it, may hold a few lines only.
        extent += len(column) * (spread / height if height else 0.0)
        crossed += len(column) * _crossed(column, boxes)
    return extent >= _EXTENT * len(series) and crossed <= _CROSSED * len(series)


def _alike(series: Sequence[Number], column: Sequence[Number]) -> bool:
    """Whether a further column is set in the same type as one that was found."""
    return abs(_height(series) - _height(column)) <= _SAME_TYPE * _height(column)


def _height(series: Sequence[Number]) -> float:
    return float(np.median([number.box[3] - number.box[1] for number in series]))


def _crossed(column: Sequence[Number], boxes: npt.NDArray[np.float64]) -> float:
    """Share of the lines beside a column that run through it."""
    left, bottom, right, top = around([number.box for number in column])
    beside = boxes[(boxes[:, 3] > bottom) & (boxes[:, 1] < top)]
    rows = np.unique(np.round(beside[:, 1] / 4))
    through = beside[(beside[:, 2] > left + 0.3) & (beside[:, 0] < right - 0.3)]
    own = {round(number.box[1] / 4) + near for number in column for near in (-1, 0, 1)}
    crossing = set(np.round(through[:, 1] / 4).astype(int).tolist()) - own
    return len(crossing) / max(1, len(rows))


def numbered_rows(numbers: Sequence[Number], rows: Sequence[Box]) -> list[list[int]]:
    """The line numbers that stand beside each row of text on a page.

    A ruler that does not keep to the lines may give a row several numbers, or none.

    Args:
        numbers: The line numbers of the page.
        rows: Boxes of its rows of text.
    """
    beside: list[list[int]] = [[] for _ in rows]
    for column in _columns_of(numbers):
        side = _side(column, rows)
        for number in column:
            middle = (number.box[1] + number.box[3]) / 2
            distances = [
                (
                    round(max(box[1] - middle, middle - box[3], 0.0), 1),
                    max(box[0] - number.box[2], number.box[0] - box[2], 0.0)
                    if _is_beside(number, box, side)
                    else float("inf"),
                )
                for box in rows
            ]
            nearest = min(range(len(rows)), key=distances.__getitem__, default=None)
            if nearest is not None:
                box = rows[nearest]
                if distances[nearest][0] <= _REACH * (box[3] - box[1]):
                    beside[nearest].append(number.value)
    return beside


def _columns_of(numbers: Sequence[Number]) -> list[list[Number]]:
    """The numbers of a page, those above each other together."""
    columns: list[list[Number]] = []
    for integer in sorted(numbers, key=lambda number: number.box[2]):
        if columns and integer.box[2] - columns[-1][-1].box[2] <= _COLUMN:
            columns[-1].append(integer)
        else:
            columns.append([integer])
    return columns


def _is_beside(number: Number, box: Box, side: str) -> bool:
    if side == "left":
        return box[0] < number.box[0]
    return box[2] > number.box[2] if side == "right" else True


def _side(column: Sequence[Number], rows: Sequence[Box]) -> str:
    """On which side of a column, such as one in the gutter, the lines stand that it numbers.

    Full lines end at one distance from their numbers; the nearer side is theirs.
    """
    gaps: dict[str, list[float]] = {"left": [], "right": []}
    for number in column:
        level = [box for box in rows if box[1] < number.box[3] and box[3] > number.box[1]]
        left = [number.box[0] - box[2] for box in level if box[2] <= number.box[0]]
        right = [box[0] - number.box[2] for box in level if box[0] >= number.box[2]]
        if left:
            gaps["left"].append(min(left))
        if right:
            gaps["right"].append(min(right))
    if not gaps["left"] or not gaps["right"]:
        return "left" if gaps["left"] else "right" if gaps["right"] else "any"
    return min(gaps, key=lambda side: float(np.quantile(gaps[side], _USUAL)))
