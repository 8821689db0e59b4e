"""The frame of a table or figure on a page: its caption, and what is drawn beside that.

PDFs do not say what a figure is. Its pictures and lines stand above or below the caption, in the
same column, nearer than those of the next one; the rules of a table begin and end at the same
places.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pypdfium2 import PdfPage, raw

from reviewscore.schema.paper import Box

_DRAWN = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)
_NEAR = 42.0
"""Points between a caption and its float, at most: a line of subcaptions may stand between."""
_NEXT = 18.0
"""Points between two parts of one float, at most."""
_RULE = 3.0
"""Points that a rule is high, at most."""
_EDGE = 4.0
"""Points by which the rules of one table differ at their ends."""
_WITHIN = 0.6
"""Share of an object's width that lies in the caption's column."""
_ROWS = 220.0
"""Points between two rules of one table, at most."""
_HEAD = 0.065
"""Share of a page at its top and bottom in which rules belong to its head and foot."""
_LARGE = 0.8
"""Share of the page that nothing but its background takes."""
_MOST_OBJECTS = 50_000
_FAR = 1e9
"""Points, more than on any page."""
_DEEPEST = 4
"""Forms within forms: many archives put a whole page into one."""

_Matrix = tuple[float, float, float, float, float, float]
_PLAIN: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def float_frame(
    page: PdfPage,
    caption: Box,
    captions: Sequence[Box],
    drawn: Callable[[Sequence[Box]], list[Box]],
    *,
    above: bool,
) -> Box:
    """The box around a caption and its table or figure; the caption's own where none is drawn.

    Args:
        page: The page.
        caption: Where the caption stands: left, top, right, bottom as it is drawn, in points.
        captions: All captions of the page, likewise, beyond which it does not reach.
        drawn: Gives boxes of the page's own as boxes as it is drawn.
        above: Whether it stands above its caption, as figures do, where both sides are as near.
    """
    width, height = page.get_size()
    others = [box for box in captions if box[1] >= caption[3] or box[3] <= caption[1]]
    column = _column(caption, [box for box in captions if box not in others], width)
    boxes = _objects(page)
    objects = [
        box
        for box in (drawn(boxes) if boxes else ())
        if _in_column(box, column) and _is_part(box, width, height)
    ]
    others = [box for box in others if _in_column(box, column)]
    sides = [_Side(caption, objects, others, upwards=upwards) for upwards in (above, not above)]
    nearest = min(sides, key=_Side.distance)  # the usual one of two that are as near
    return nearest.frame()


def _objects(page: PdfPage) -> list[Box]:
    """The boxes of what is drawn on a page but its text."""
    edges = [ctypes.c_float() for _ in range(4)]
    boxes: list[Box] = []
    for number, (handle, matrix) in enumerate(_handles(page)):
        if number >= _MOST_OBJECTS:
            break
        if raw.FPDFPageObj_GetType(handle) in _DRAWN and raw.FPDFPageObj_GetBounds(handle, *edges):
            left, bottom, right, top = (edge.value for edge in edges)
            boxes.append(_moved((left, bottom, right, top), matrix))
    return boxes


def _handles(page: PdfPage) -> Iterator[tuple[Any, _Matrix]]:
    """Each object of a page, and what moves it to its place there."""
    count = max(0, raw.FPDFPage_CountObjects(page.raw))
    waiting = [(raw.FPDFPage_GetObject(page.raw, at), _PLAIN, 0) for at in range(count)]
    while waiting:
        handle, matrix, depth = waiting.pop()
        if raw.FPDFPageObj_GetType(handle) != raw.FPDF_PAGEOBJ_FORM:
            yield handle, matrix
        elif depth < _DEEPEST:
            own = raw.FS_MATRIX()
            raw.FPDFPageObj_GetMatrix(handle, own)
            inner = _product((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
            waiting += [
                (raw.FPDFFormObj_GetObject(handle, at), inner, depth + 1)
                for at in range(max(0, raw.FPDFFormObj_CountObjects(handle)))
            ]


def _product(one: _Matrix, other: _Matrix) -> _Matrix:
    """What moves by one matrix and then by the other (ISO 32000-1, 8.3.4)."""
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return (
        *(a * p + b * r, a * q + b * s),
        *(c * p + d * r, c * q + d * s),
        *(e * p + f * r + t, e * q + f * s + u),
    )


def _moved(box: Box, matrix: _Matrix) -> Box:
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across = [a * x + c * y + e for x, y in corners]
    up = [b * x + d * y + f for x, y in corners]
    return min(across), min(up), max(across), max(up)


def _column(caption: Box, beside: Sequence[Box], width: float) -> tuple[float, float]:
    """The left and right edge of what a caption may belong to: a column, or what others leave."""
    middle = width / 2
    left, right = 0.0, width
    if caption[2] <= middle + _EDGE:
        right = middle
    elif caption[0] >= middle - _EDGE:
        left = middle
    for box in beside:
        if box[0] >= caption[2] - _EDGE:
            right = min(right, box[0])
        elif box[2] <= caption[0] + _EDGE:
            left = max(left, caption[0] - _NEXT)
    return left, right


def _is_part(box: Box, width: float, height: float) -> bool:
    """Whether something may be part of a float: it is on the page, and neither it nor its head."""
    if not (box[3] > 0 < box[2] and box[0] < width and box[1] < height):
        return False
    if box[3] - box[1] < _RULE and not _HEAD * height < box[1] < (1 - _HEAD) * height:
        return False
    return (box[2] - box[0]) * (box[3] - box[1]) < _LARGE * width * height


def _in_column(box: Box, column: tuple[float, float]) -> bool:
    shared = min(box[2], column[1]) - max(box[0], column[0])
    return shared >= _WITHIN * (box[2] - box[0])


class _Side:
    """What is drawn above or below a caption, up to the next one."""

    def __init__(
        self, caption: Box, objects: Sequence[Box], captions: Sequence[Box], *, upwards: bool
    ) -> None:
        self._caption, self._upwards = caption, upwards
        gaps = [self._gap(caption, box) for box in captions]
        self._stop = min((gap for gap in gaps if gap >= 0), default=_FAR)
        beside = [
            box
            for box in objects
            # What is drawn in a caption, such as an underline, is not beside it.
            if self._gap(caption, box) >= -_EDGE and _EDGE < self._reach(box) < self._stop + _EDGE
        ]
        self._objects = sorted(beside, key=lambda box: self._gap(caption, box))

    def _gap(self, box: Box, other: Box) -> float:
        """Points from a box to another one on this side."""
        return box[1] - other[3] if self._upwards else other[1] - box[3]

    def _reach(self, box: Box) -> float:
        """How far another box reaches from the caption."""
        return self._caption[1] - box[1] if self._upwards else box[3] - self._caption[3]

    def distance(self) -> tuple[bool, float]:
        """Whether what stands there is nearer to the next caption, and points to the nearest."""
        gap = self._gap(self._caption, self._objects[0]) if self._objects else _FAR
        if gap > _NEAR:
            return False, _FAR
        return self._stop - self._reach(self.frame()) < gap, gap

    def frame(self) -> Box:
        """The box around the caption and what stands there in a row."""
        frame, rule, near = self._caption, None, _NEAR
        for box in self._objects:
            same = rule is not None and abs(box[0] - rule[0]) < _EDGE > abs(box[2] - rule[2])
            if self._gap(frame, box) > (_ROWS if same else near):
                continue
            frame = union(frame, box)
            near = _NEXT
            if rule is None and box[3] - box[1] < _RULE:
                rule = box
        return frame


def union(one: Box, other: Box) -> Box:
    """The box around two boxes, whose corners are the lower and the higher values."""
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )
