"""The frame of a table or figure on a page: its caption, and what is drawn beside that.

PDFs do not say what a figure is. Its pictures and lines stand above or below the caption within the
same column; the rules of a table begin and end at the same places.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from pypdfium2 import PdfPage, raw

from reviewscore.schema.paper import Box

_DRAWN = (
    raw.FPDF_PAGEOBJ_PATH,
    raw.FPDF_PAGEOBJ_IMAGE,
    raw.FPDF_PAGEOBJ_SHADING,
    raw.FPDF_PAGEOBJ_FORM,
)
_NEAR = 30.0
"""Points between a caption and its float, or two parts of one figure, at most."""
_RULE = 3.0
"""Points that a rule is high, at most."""
_EDGE = 4.0
"""Points by which the rules of one table differ at their ends."""
_WITHIN = 0.6
"""Share of an object's width that lies in the caption's column."""
_LARGE = 0.8
"""Share of the page that nothing but its background takes."""
_MOST_OBJECTS = 50_000


def floats_frame(
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
        above: Whether to look above the caption first, as of a figure, or below it.
    """
    width, height = page.get_size()
    column = _column(caption, width)
    boxes = _objects(page)
    objects = [
        box
        for box in (drawn(boxes) if boxes else ())
        if _in_column(box, column)
        and (box[2] - box[0]) * (box[3] - box[1]) < _LARGE * width * height
        and box[3] > 0 < box[2]
        and box[0] < width
        and box[1] < height
    ]
    others = [box for box in captions if box[1] >= caption[3] or box[3] <= caption[1]]
    others = [box for box in others if _in_column(box, column)]
    for upwards in (above, not above):
        frame = _grown(caption, objects, others, upwards=upwards)
        if frame != caption:
            return frame
    return caption


def _objects(page: PdfPage) -> list[Box]:
    """The boxes of what is drawn on a page but its text."""
    edges = [ctypes.c_float() for _ in range(4)]
    boxes: list[Box] = []
    for number in range(min(_MOST_OBJECTS, max(0, raw.FPDFPage_CountObjects(page.raw)))):
        handle = raw.FPDFPage_GetObject(page.raw, number)
        if raw.FPDFPageObj_GetType(handle) in _DRAWN and raw.FPDFPageObj_GetBounds(handle, *edges):
            left, bottom, right, top = (edge.value for edge in edges)
            boxes.append((left, bottom, right, top))
    return boxes


def _column(caption: Box, width: float) -> tuple[float, float]:
    """The left and right edge of the column that a caption stands in."""
    middle = width / 2
    if caption[2] <= middle + _EDGE:
        return 0.0, middle
    return (middle, width) if caption[0] >= middle - _EDGE else (0.0, width)


def _in_column(box: Box, column: tuple[float, float]) -> bool:
    shared = min(box[2], column[1]) - max(box[0], column[0])
    return shared >= _WITHIN * (box[2] - box[0])


def _grown(caption: Box, objects: Sequence[Box], captions: Sequence[Box], *, upwards: bool) -> Box:
    """A caption's box with the objects on one side of it, the nearest first."""

    def gap(box: Box, other: Box) -> float:
        """Points from a frame to another box on that side."""
        return box[1] - other[3] if upwards else other[1] - box[3]

    edge = caption[1] if upwards else caption[3]
    stop = min((gap(caption, box) for box in captions if gap(caption, box) >= 0), default=1e9)
    ordered = sorted(
        (
            box
            for box in objects
            if gap(caption, box) >= -_EDGE and _beyond(box, edge, upwards) < stop
        ),
        key=lambda box: gap(caption, box),
    )
    frame, rule = caption, None
    for box in ordered:
        same = rule is not None and abs(box[0] - rule[0]) < _EDGE > abs(box[2] - rule[2])
        if gap(frame, box) > _NEAR and not same:
            continue
        frame = (
            min(frame[0], box[0]), min(frame[1], box[1]),
            max(frame[2], box[2]), max(frame[3], box[3]),
        )  # fmt: skip
        if rule is None and box[3] - box[1] < _RULE:
            rule = box
    return frame


def _beyond(box: Box, edge: float, upwards: bool) -> float:
    """How far a box reaches from an edge."""
    return edge - box[1] if upwards else box[3] - edge
