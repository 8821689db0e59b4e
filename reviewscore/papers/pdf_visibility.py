"""Which characters of a PDF page people cannot see.

The page is drawn twice, with its text and without: where the two do not differ, nobody can read a
character, whatever the reason. Text of the background's colour, too small, transparent or drawn
invisibly is known from its properties as well, so that visible text over it hides nothing; and so
is text that is squeezed or piled up, or that a file gives as the meaning of one letter.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pypdfium2 import PdfPage, PdfTextPage, raw

from reviewscore.papers.hidden import Hidden, Trick
from reviewscore.schema.paper import Box

Pixels = npt.NDArray[np.uint8]
"""Shape (rows, columns, 3), blue, green and red 0..255, as PDFium draws."""

_MOST_PIXELS = 4_000_000
_INK = 10
"""Difference of a colour channel (0..255) from which on a pixel shows something of the text."""
_SAME_COLOUR = 16
_CLEAR = 12
"""Opacity (0..255) up to which text counts as fully transparent."""
_LEVEL = 0.5
"""Cosine of the angle between a level line and one that counts as level."""
_TINY = 2.0
"""Size in points below which text counts as too small to read."""
_LEAST = 4
"""Letters and digits that a hidden stretch has, at least: stray marks hide no message."""
_SCAN_SHARE = 0.5
"""Share of a page that an image covers, and of its text that is drawn invisibly, on a scan."""
_INVISIBLE_MODES = {3: Trick.RENDER_MODE, 7: Trick.CLIPPED}
_NOT_DRAWN = (0, 0xFFFE, 0xFFFF)
_LOW, _PAIRED = (0xDC00, 0xDFFF), 0x10000


@dataclass(frozen=True)
class Style:
    """How a text object of a page is drawn.

    Attributes:
        mode: Text render mode 0..7 (ISO 32000-1, table 106).
        fill: Red, green, blue and opacity 0..255; None for patterns.
        size: Height of its letters' line in points; 0 if not known.
        handle: PDFium's own, good while the page is open.
    """

    mode: int
    fill: tuple[int, int, int, int] | None
    size: float
    handle: Any


@dataclass(frozen=True)
class Glyphs:
    """The characters of a page, white space and inserted ones aside.

    Attributes:
        index: Shape (n,), place of each among the page's characters.
        code: Shape (n,), Unicode.
        box: Shape (n, 4), left, bottom, right, top in points.
        owner: Shape (n,), its text object's number in ``styles``; -1 if it has none.
        styles: How each text object is drawn.
    """

    index: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    box: npt.NDArray[np.float64]
    owner: npt.NDArray[np.int64]
    styles: tuple[Style, ...]

    @property
    def sizes(self) -> npt.NDArray[np.float64]:
        """Shape (n,), height of each character's line in points; 0 if not known."""
        return np.array([*(style.size for style in self.styles), 0.0])[self.owner]


def glyphs(text_page: PdfTextPage) -> Glyphs:
    """The drawn characters of a page with their boxes and styles."""
    edges = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = edges
    code: list[int] = []
    index, box, owner = [], [], []
    numbers: dict[int | None, int] = {}
    styles: list[Style] = []
    for at in range(text_page.count_chars()):
        unicode = raw.FPDFText_GetUnicode(text_page.raw, at)
        if unicode in _NOT_DRAWN or chr(unicode).isspace():
            continue
        if _LOW[0] <= unicode <= _LOW[1] and code:  # the second half of the character before
            code[-1] = _PAIRED + ((code[-1] & 0x3FF) << 10) + (unicode & 0x3FF)
            continue
        holder = raw.FPDFText_GetTextObject(text_page.raw, at)
        address = ctypes.cast(holder, ctypes.c_void_p).value if holder else None
        if address is not None and address not in numbers:
            numbers[address] = len(styles)
            styles.append(_style(holder, text_page, at))
        raw.FPDFText_GetCharBox(text_page.raw, at, *edges)
        index.append(at)
        code.append(unicode)
        box.append((left.value, bottom.value, right.value, top.value))
        owner.append(numbers.get(address, -1))
    return Glyphs(
        index=np.array(index, dtype=np.int64),
        code=np.array(code, dtype=np.int64),
        box=np.array(box, dtype=np.float64).reshape(-1, 4),
        owner=np.array(owner, dtype=np.int64),
        styles=tuple(styles),
    )


def _style(holder: Any, text_page: PdfTextPage, at: int) -> Style:
    channels = [ctypes.c_uint() for _ in range(4)]
    known = raw.FPDFPageObj_GetFillColor(holder, *channels)
    red, green, blue, opacity = (one.value for one in channels)
    loose = raw.FS_RECTF()
    size = 0.0
    if raw.FPDFText_GetLooseCharBox(text_page.raw, at, loose):
        # Across the line: a letter such as M is wider than its line is high.
        upright = abs(math.cos(raw.FPDFText_GetCharAngle(text_page.raw, at))) > _LEVEL
        edges = (loose.top, loose.bottom) if upright else (loose.right, loose.left)
        size = abs(edges[0] - edges[1])
    return Style(
        mode=raw.FPDFTextObj_GetTextRenderMode(holder),
        fill=(red, green, blue, opacity) if known else None,
        size=size,
        handle=holder,
    )


def _mark_names(holder: Any) -> Iterator[str]:
    for number in range(max(0, raw.FPDFPageObj_CountMarks(holder))):
        mark = raw.FPDFPageObj_GetMark(holder, number)
        length = ctypes.c_ulong()
        buffer = (ctypes.c_ushort * 16)()
        if raw.FPDFPageObjMark_GetName(mark, buffer, ctypes.sizeof(buffer), length):
            yield bytes(buffer)[: max(0, length.value - 2)].decode("utf-16-le", "replace")


def _clip(holder: Any) -> Box | None:
    """The box that all clipping paths of an object have in common."""
    path = raw.FPDFPageObj_GetClipPath(holder)
    box: Box | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(max(0, raw.FPDFClipPath_CountPaths(path)) if path else 0):
        points = []
        for segment in range(max(0, raw.FPDFClipPath_CountPathSegments(path, number))):
            raw.FPDFPathSegment_GetPoint(
                raw.FPDFClipPath_GetPathSegment(path, number, segment), x, y
            )
            points.append((x.value, y.value))
        if points:
            across, up = zip(*points, strict=True)
            own = (min(across), min(up), max(across), max(up))
            last = box or own
            low = max(last[0], own[0]), max(last[1], own[1])
            box = (*low, min(last[2], own[2]), min(last[3], own[3]))
    return box


@dataclass(frozen=True)
class Picture:
    """A page drawn with its text and without.

    Attributes:
        ink: Shape (rows + 1, columns + 1), running sums of the pixels that show text.
        ground: The page without its text.
        box: Shape (n, 4), left, top, right, bottom pixel of each glyph, right and bottom outside.
        outside: Shape (n,), whether a glyph stands wholly off the drawn page.
    """

    ink: npt.NDArray[np.int32]
    ground: Pixels
    box: npt.NDArray[np.int64]
    outside: npt.NDArray[np.bool_]


def draw(page: PdfPage, found: Glyphs) -> Picture:
    """Draws a page twice; its text objects are as before afterwards."""
    width, height = page.get_size()
    scale = min(1.0, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    with_text = _drawn(page, scale)
    texts = [one for kind, one in page_objects(page) if kind == raw.FPDF_PAGEOBJ_TEXT]
    for one in texts:
        raw.FPDFPageObj_SetIsActive(one, False)
    ground = _drawn(page, scale)
    for one in texts:
        raw.FPDFPageObj_SetIsActive(one, True)
    apart = np.maximum(with_text, ground) - np.minimum(with_text, ground) > _INK
    shows = apart[:, :, 0] | apart[:, :, 1] | apart[:, :, 2]
    ink = np.zeros((shows.shape[0] + 1, shows.shape[1] + 1), dtype=np.int32)
    np.cumsum(shows, axis=0, dtype=np.int32, out=ink[1:, 1:])
    np.cumsum(ink[1:, 1:], axis=1, out=ink[1:, 1:])
    box, outside = _in_pixels(page, found.box, shows.shape)
    return Picture(ink, ground, box, outside)


def _drawn(page: PdfPage, scale: float) -> Pixels:
    bitmap = page.render(scale=scale, may_draw_forms=False)
    pixels: Pixels = bitmap.to_numpy().copy()
    bitmap.close()
    return pixels


def page_objects(page: PdfPage) -> Iterator[tuple[int, Any]]:
    """Kind and handle of every object of a page, those within forms included."""
    waiting = [
        raw.FPDFPage_GetObject(page.raw, number)
        for number in range(max(0, raw.FPDFPage_CountObjects(page.raw)))
    ]
    while waiting:
        one = waiting.pop()
        kind = raw.FPDFPageObj_GetType(one)
        yield kind, one
        if kind == raw.FPDF_PAGEOBJ_FORM:
            count = max(0, raw.FPDFFormObj_CountObjects(one))
            waiting += [raw.FPDFFormObj_GetObject(one, number) for number in range(count)]


def _in_pixels(
    page: PdfPage, boxes: npt.NDArray[np.float64], shape: tuple[int, ...]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Boxes in points as boxes in pixels, cut at the edges of the picture."""
    rows, columns = shape[0], shape[1]
    origin, right, up = (
        np.array(_device(page, columns, rows, *point)) for point in ((0, 0), (1000, 0), (0, 1000))
    )
    turn = np.stack([(right - origin) / 1000, (up - origin) / 1000])
    low, high = boxes[:, :2] @ turn + origin, boxes[:, 2:] @ turn + origin
    first = np.floor(np.minimum(low, high)).astype(np.int64)
    last = np.ceil(np.maximum(low, high)).astype(np.int64)
    last = np.maximum(last, first + 1)
    edge = np.array([columns, rows])
    outside = ((last <= 0) | (first >= edge)).any(axis=1)
    return np.hstack([np.clip(first, 0, edge), np.clip(last, 0, edge)]), outside


def _device(page: PdfPage, columns: int, rows: int, x: float, y: float) -> tuple[float, float]:
    fine = 64  # the library rounds to whole pixels
    across, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page.raw, 0, 0, columns * fine, rows * fine, 0, x, y, across, down)
    return across.value / fine, down.value / fine


def hidden_glyphs(found: Glyphs, picture: Picture | None) -> list[Trick | None]:
    """For each glyph how it is hidden, or None if people can see it.

    Args:
        found: The glyphs of a page.
        picture: The page drawn; None to judge by properties alone.
    """
    styled = [_by_style(style) for style in found.styles]
    tricks = [styled[owner] if owner >= 0 else None for owner in found.owner.tolist()]
    for number in overlapping(found.box, found.sizes):
        tricks[number] = tricks[number] or Trick.CROWDED
    if picture is None:
        return tricks
    unseen = _unseen(picture)
    for number in np.flatnonzero(unseen | _like_ground(found, picture)).tolist():
        owner = int(found.owner[number])
        style = found.styles[owner] if owner >= 0 else None
        if tricks[number] is not None:
            continue
        if unseen[number]:
            tricks[number] = _reason(number, style, found, picture)
        elif style is not None and _camouflaged(number, style, picture):
            tricks[number] = Trick.BACKGROUND
    return tricks


def _unseen(picture: Picture) -> npt.NDArray[np.bool_]:
    left, top, right, bottom = picture.box.T
    ink = picture.ink
    seen = ink[bottom, right] - ink[top, right] - ink[bottom, left] + ink[top, left]
    bare: npt.NDArray[np.bool_] = seen == 0
    return bare


def _like_ground(found: Glyphs, picture: Picture) -> npt.NDArray[np.bool_]:
    """Which glyphs have the colour of the ground at their middle."""
    none = (-255, -255, -255)
    colours = [none if style.fill is None else style.fill[2::-1] for style in found.styles]
    fill = np.array([*colours, none], dtype=np.int16)[found.owner]
    rows, columns = picture.ground.shape[:2]
    across = np.minimum((picture.box[:, 0] + picture.box[:, 2]) // 2, columns - 1)
    down = np.minimum((picture.box[:, 1] + picture.box[:, 3]) // 2, rows - 1)
    ground = picture.ground[down, across].astype(np.int16)
    near: npt.NDArray[np.bool_] = np.abs(ground - fill).max(axis=1) < _SAME_COLOUR
    return near


def _by_style(style: Style) -> Trick | None:
    if style.mode in _INVISIBLE_MODES:
        return _INVISIBLE_MODES[style.mode]
    if style.fill is not None and style.fill[3] <= _CLEAR and style.mode in (0, 4):
        return Trick.TRANSPARENT
    return Trick.TINY if 0 < style.size < _TINY else None


def _camouflaged(number: int, style: Style, picture: Picture) -> bool:
    """Whether a filled glyph has the colour of everything it is drawn on."""
    if style.fill is None or style.mode not in (0, 4):
        return False
    left, top, right, bottom = picture.box[number]
    ground = picture.ground[top:bottom, left:right].reshape(-1, 3).astype(np.int16)
    fill = np.array(style.fill[2::-1], dtype=np.int16)
    return bool(len(ground)) and bool((np.abs(ground - fill) < _SAME_COLOUR).all())


def _reason(number: int, style: Style | None, found: Glyphs, picture: Picture) -> Trick:
    """Why a glyph that leaves no ink cannot be seen."""
    if picture.outside[number]:
        return Trick.OFF_PAGE
    if style is None:
        return Trick.COVERED
    if "OC" in _mark_names(style.handle):
        return Trick.LAYER
    clip = _clip(style.handle)
    if clip is not None:
        box = found.box[number]
        if box[2] <= clip[0] or box[0] >= clip[2] or box[3] <= clip[1] or box[1] >= clip[3]:
            return Trick.CLIPPED
    return Trick.BACKGROUND if _camouflaged(number, style, picture) else Trick.COVERED


def is_scan(page: PdfPage, tricks: Sequence[Trick | None]) -> bool:
    """Whether a page is images with a layer of recognised text, drawn invisibly or behind them."""
    layer = sum(trick in (Trick.RENDER_MODE, Trick.COVERED) for trick in tricks)
    if not tricks or layer < _SCAN_SHARE * len(tricks):
        return False
    width, height = page.get_size()
    covered = 0.0
    edges = [ctypes.c_float() for _ in range(4)]
    for kind, one in page_objects(page):
        if kind == raw.FPDF_PAGEOBJ_IMAGE and raw.FPDFPageObj_GetBounds(one, *edges):
            left, bottom, right, top = (edge.value for edge in edges)
            covered += (right - left) * (top - bottom)  # one image, or strips of it
    return bool(covered >= _SCAN_SHARE * width * height)


def stretches(
    found: Glyphs, tricks: Sequence[Trick | None], text_of: list[str], page: int
) -> Iterator[tuple[Hidden, range]]:
    """Hidden stretches of a page and the characters they take up.

    Args:
        found: The glyphs.
        tricks: How each is hidden, or None.
        text_of: Every character of the page, by its place.
        page: 1-based number of the page.
    """
    start = 0
    while start < len(tricks):
        end = start + 1
        while end < len(tricks) and (tricks[end] is None) == (tricks[start] is None):
            end += 1
        trick = max(tricks[start:end], key=tricks[start:end].count) if tricks[start] else None
        if trick is not None:
            place = range(int(found.index[start]), int(found.index[end - 1]) + 1)
            said = " ".join("".join(text_of[at] for at in place).split())
            if sum(one.isalnum() for one in said) >= _LEAST:
                edges = found.box[start:end]
                low, high = edges[:, :2].min(axis=0), edges[:, 2:].max(axis=0)
                box = tuple(round(float(edge), 1) for edge in (*low, *high))
                yield Hidden(text=said, trick=trick, page=page, box=box), place  # type: ignore[arg-type]
        start = end


_CLOSE = 0.1
"""Share of the letters' size up to which the next one is too close; a narrow letter takes 0.2."""
_ACROSS = 0.5
"""Share of it by which the middles of a high and a low letter of a line differ, at most."""
_LEAST_OVERLAPPING = 12
"""Characters in a row, at least: ligatures, accents and formulas pile up a few."""


def overlapping(
    boxes: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The places of characters that nobody can tell apart.

    A row of characters that share one box as wide as they need (as a whole line of actual text
    does) is not among them.

    Args:
        boxes: Shape (n, 4), left, bottom, right, top of each character in order.
        sizes: Shape (n,), height of its line.
    """
    if len(boxes) < _LEAST_OVERLAPPING:
        return np.empty(0, dtype=np.int64)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    apart = np.abs(middles[1:] - middles[:-1])
    size = sizes[:-1]
    found = np.zeros(len(boxes), dtype=np.bool_)
    for along, across in ((0, 1), (1, 0)):  # lines of text, and turned ones
        near = (apart[:, along] < _CLOSE * size) & (apart[:, across] < _ACROSS * size)
        turns = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
        for first, last in turns.tolist():
            row = boxes[first : last + 1]
            reach = float((row[:, 2:].max(axis=0) - row[:, :2].min(axis=0)).max())
            if len(row) >= _LEAST_OVERLAPPING and reach < _CLOSE * float(sizes[first]) * len(row):
                found[first : last + 1] = True
    return np.flatnonzero(found)
