"""Which characters of a PDF page people cannot see.

The page is drawn with its text and without: where the two do not stand out from each other, nobody
can read a character, whatever the reason. Doubtful characters are drawn again, larger and alone,
so that neither small type nor visible text over them decides. What is too small or drawn invisibly
is known from its properties; and so is text that is squeezed or piled up, or that a file gives as
the meaning of one letter.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from pypdfium2 import PdfPage, PdfTextPage, raw

from reviewscore.papers.hidden import Trick
from reviewscore.schema.paper import Box

Pixels = npt.NDArray[np.uint8]
"""Shape (rows, columns, 3), blue, green and red 0..255, as PDFium draws."""

_MOST_PIXELS = 4_000_000
_CLOSER = 6.0
"""Pixels a point, at most, at which doubtful characters are drawn again."""
_AROUND = 8
"""Pixels around them that are drawn as well."""
LEAST_CONTRAST = 1.3
"""Contrast ratio (WCAG 2.2, 1 to 21) to what is behind it below which text cannot be read."""
_FAINT_CONTRAST = 1.45
"""Contrast below which a sentence is hidden, though a label or a mark is not: papers set no
sentences in so light a colour. Grey of 0.85 on white has 1.41."""
_OTHER_COLOUR = 128
"""Difference in red or green (0..255) from which on colours differ whatever their luminance, as
cyan links do from white paper. Fine print is not read by a difference in blue."""
_SAME_COLOUR = 16
_CLEAR = 12
"""Opacity (0..255) up to which text counts as fully transparent."""
_TINY = 2.0
"""Size in points below which text counts as too small to read."""
_TINY_SHARE = 0.2
"""Share of the size of body text below which it does as well."""
_SMALL = 4.0
"""Size in points from which on it never does."""
_LETTERS_SHARE = 0.6
"""Height or width of letters as a share of their type size, about."""
_ODD_LETTERS = (0.25, 3.0)
"""Shares beyond which the size that a font claims says nothing about its letters."""
LEAST = 4
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
        size: Type size in points; 0 if not known.
        handle: PDFium's own, good while the page is open.
        in_figure: Whether it is part of a form, as included figures are.
        level: Whether its lines run level rather than up or down.
    """

    mode: int
    fill: tuple[int, int, int, int] | None
    size: float
    handle: Any
    in_figure: bool = False
    level: bool = True


@dataclass(frozen=True)
class Glyphs:
    """The characters of a page, white space and inserted ones aside.

    Attributes:
        index: Shape (n,), place of each among the page's characters.
        code: Shape (n,), Unicode.
        box: Shape (n, 4), left, bottom, right, top in points.
        owner: Shape (n,), its text object's number in ``styles``; -1 if it has none.
        styles: How each text object is drawn.
        repeats: Text objects without characters of their own: PDFium gives the characters of a
            text that is drawn twice at one place, as for a shadow, once.
    """

    index: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    box: npt.NDArray[np.float64]
    owner: npt.NDArray[np.int64]
    styles: tuple[Style, ...]
    repeats: tuple[Any, ...] = ()

    @property
    def sizes(self) -> npt.NDArray[np.float64]:
        """Shape (n,), type size of each character in points; 0 if not known."""
        return np.array([*(style.size for style in self.styles), 0.0])[self.owner]


def glyphs(page: PdfPage, text_page: PdfTextPage) -> Glyphs:
    """The drawn characters of a page with their boxes and styles."""
    texts = {
        _address(handle): (handle, nested) for kind, handle, nested in page_objects(page)
        if kind == raw.FPDF_PAGEOBJ_TEXT
    }  # fmt: skip
    silent = set(texts)
    edges = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = edges
    code: list[int] = []
    index, box, owner = [], [], []
    numbers: dict[int, int] = {}
    styles: list[Style] = []
    for at in range(text_page.count_chars()):
        unicode = raw.FPDFText_GetUnicode(text_page.raw, at)
        holder = raw.FPDFText_GetTextObject(text_page.raw, at)
        address = _address(holder)
        silent.discard(address)
        if unicode in _NOT_DRAWN or chr(unicode).isspace():
            continue
        if _LOW[0] <= unicode <= _LOW[1] and code:  # the second half of the character before
            code[-1] = _PAIRED + ((code[-1] & 0x3FF) << 10) + (unicode & 0x3FF)
            continue
        if address and address not in numbers:
            numbers[address] = len(styles)
            in_figure = address in texts and texts[address][1]
            styles.append(_style(holder, text_page, at, in_figure=in_figure))
        raw.FPDFText_GetCharBox(text_page.raw, at, *edges)
        index.append(at)
        code.append(unicode)
        box.append((left.value, bottom.value, right.value, top.value))
        owner.append(numbers.get(address, -1))
    boxes = np.array(box, dtype=np.float64).reshape(-1, 4)
    return Glyphs(
        index=np.array(index, dtype=np.int64),
        code=np.array(code, dtype=np.int64),
        box=boxes,
        owner=np.array(owner, dtype=np.int64),
        styles=tuple(_by_letters(styles, code, owner, boxes)),
        repeats=tuple(texts[address][0] for address in silent),
    )


def _address(handle: Any) -> int:
    """What an object is known by; 0 if there is none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0


def _style(holder: Any, text_page: PdfTextPage, at: int, *, in_figure: bool) -> Style:
    channels = [ctypes.c_uint() for _ in range(4)]
    known = raw.FPDFPageObj_GetFillColor(holder, *channels)
    red, green, blue, opacity = (channel.value for channel in channels)
    matrix = raw.FS_MATRIX()
    size = 0.0
    if raw.FPDFText_GetMatrix(text_page.raw, at, matrix):
        size = raw.FPDFText_GetFontSize(text_page.raw, at) * math.hypot(matrix.c, matrix.d)
    return Style(
        mode=raw.FPDFTextObj_GetTextRenderMode(holder),
        fill=(red, green, blue, opacity) if known else None,
        size=abs(size),
        handle=holder,
        in_figure=in_figure,
        level=abs(matrix.d) >= abs(matrix.c),
    )


def _by_letters(
    styles: Sequence[Style],
    code: Sequence[int],
    owner: Sequence[int],
    boxes: npt.NDArray[np.float64],
) -> Iterator[Style]:
    """The styles, sizes taken from the letters themselves where a font claims quite another size.

    So do fonts whose glyphs are programs (Type 3), and fonts that are made to deceive.
    """
    sides: list[list[tuple[float, float]]] = [[] for _ in styles]
    named = [False] * len(styles)
    for at, (across, up) in enumerate((boxes[:, 2:] - boxes[:, :2]).tolist()):
        number = owner[at]
        if number >= 0:
            sides[number].append((min(across, up), max(across, up)))
            named[number] |= chr(code[at]).isalnum()
    for style, own, letters in zip(styles, sides, named, strict=True):
        shorter, longer = (sorted(each)[3 * len(own) // 4] for each in zip(*own, strict=True))
        low, high = (share * style.size for share in _ODD_LETTERS)
        if shorter > high:
            yield replace(style, size=shorter / _LETTERS_SHARE)
        elif letters and 0 < longer < low:
            yield replace(style, size=longer / _LETTERS_SHARE)
        else:
            yield style


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
    """What was seen of a page.

    Attributes:
        ground: The page without its text.
        box: Shape (n, 4), left, top, right, bottom pixel of each glyph, right and bottom outside.
        outside: Shape (n,), whether a glyph stands wholly off the drawn page.
        contrast: Shape (n,), contrast ratio of each glyph's colour and opacity to the ground, from
            1; exact below 1.45, infinite where the colour is not known.
        unseen: Shape (n,), whether people cannot tell a glyph from what is behind or before it.
    """

    ground: Pixels
    box: npt.NDArray[np.int64]
    outside: npt.NDArray[np.bool_]
    contrast: npt.NDArray[np.float32]
    unseen: npt.NDArray[np.bool_]


def draw(page: PdfPage, glyphs: Glyphs) -> Picture:
    """Draws a page with its text and without; its text objects are as before afterwards."""
    width, height = page.get_size()
    scale = min(1.0, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    with_text = _drawn(page, scale)
    with _texts_hidden(page):
        ground = _drawn(page, scale)
    box, outside = _in_pixels(page, glyphs.box, ground.shape)
    picture = Picture(ground, box, outside, _contrasts(glyphs, ground, box), outside)
    shown = _count(_stands_out(with_text, ground), box) > 0
    doubtful = _in_rows(~shown | (picture.contrast < LEAST_CONTRAST) | outside)
    unseen = doubtful.copy()
    within = doubtful & ~outside
    if within.any():
        unseen[within] = ~_seen_closer(page, glyphs, picture, np.flatnonzero(within))
    return replace(picture, unseen=unseen)


def _in_rows(marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Those of the marked characters that stand in a row of as many as a message has."""
    kept = np.zeros_like(marked)
    for first, end in runs(marked):
        kept[first:end] = end - first >= LEAST
    return kept


def runs(marked: npt.NDArray[np.bool_]) -> list[list[int]]:
    """First place and end of each row of marked places."""
    turns: list[list[int]] = (
        np.flatnonzero(np.diff(marked, prepend=False, append=False)).reshape(-1, 2).tolist()
    )
    return turns


@dataclass(frozen=True)
class Closeup:
    """A part of a page that is drawn larger.

    Attributes:
        scale: Pixels a point.
        margins: What is cut off of the page: left, bottom, right, top in points.
        shape: Rows and columns that the whole page would have.
    """

    scale: float
    margins: tuple[float, float, float, float]
    shape: tuple[int, int]

    @classmethod
    def of(cls, page: PdfPage, picture: Picture, places: npt.NDArray[np.int64]) -> Closeup:
        """The part of a page in which some of its characters stand."""
        rows, columns = picture.ground.shape[:2]
        left, top = np.maximum(picture.box[places, :2].min(axis=0) - _AROUND, 0).tolist()
        right, bottom = picture.box[places, 2:].max(axis=0) + _AROUND
        right, bottom = min(int(right), columns), min(int(bottom), rows)
        width, height = page.get_size()
        point = columns / width  # pixels a point at which the page was drawn
        pixels = (right - left) * (bottom - top) / point**2
        scale = min(_CLOSER, (_MOST_PIXELS / max(1.0, pixels)) ** 0.5)
        margins = (left / point, (rows - bottom) / point, (columns - right) / point, top / point)
        return cls(scale, margins, (math.ceil(height * scale), math.ceil(width * scale)))

    def draw(self, page: PdfPage, but: Sequence[Any] = ()) -> Pixels:
        """The part without its text, but for some text objects."""
        with _texts_hidden(page, but):
            return _drawn(page, self.scale, self.margins)

    def in_pixels(
        self, page: PdfPage, boxes: npt.NDArray[np.float64], drawn: Pixels
    ) -> npt.NDArray[np.int64]:
        """Boxes in points as boxes in the pixels of the part."""
        box, _ = _in_pixels(page, boxes, self.shape)
        corner = [math.ceil(self.margins[side] * self.scale) for side in (0, 3)]
        edge = [drawn.shape[1], drawn.shape[0]]
        inside: npt.NDArray[np.int64] = np.clip(box - corner * 2, 0, edge * 2)
        return inside


def _seen_closer(
    page: PdfPage, glyphs: Glyphs, picture: Picture, places: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which of some characters stand out if they are drawn larger and without other text."""
    closeup = Closeup.of(page, picture, places)
    owners = set(glyphs.owner[places].tolist()) - {-1}
    handles = [glyphs.styles[number].handle for number in owners]
    with_text = closeup.draw(page, [*handles, *glyphs.repeats])
    ground = closeup.draw(page)
    box = closeup.in_pixels(page, glyphs.box[places], ground)
    return _count(_stands_out(with_text, ground), box) > 0


def _drawn(
    page: PdfPage, scale: float, margins: tuple[float, float, float, float] = (0, 0, 0, 0)
) -> Pixels:
    """A page at some pixels a point, without margins (left, bottom, right, top) in points."""
    bitmap = page.render(scale=scale, crop=margins, may_draw_forms=False)
    pixels: Pixels = bitmap.to_numpy().copy()
    bitmap.close()
    return pixels


@contextmanager
def _texts_hidden(page: PdfPage, but: Sequence[Any] = ()) -> Iterator[None]:
    """Draw a page without its text objects, but for some."""
    kept = {_address(handle) for handle in but}
    texts = [
        handle
        for kind, handle, _ in page_objects(page)
        if kind == raw.FPDF_PAGEOBJ_TEXT and _address(handle) not in kept
    ]
    for handle in texts:
        raw.FPDFPageObj_SetIsActive(handle, False)
    try:
        yield
    finally:
        for handle in texts:
            raw.FPDFPageObj_SetIsActive(handle, True)


_DARK = 0.04045
"""Channel (0..1) up to which light grows in proportion to it (WCAG 2.2, relative luminance)."""
_CHANNEL = np.arange(256) / 255
_LINEAR = np.where(_CHANNEL <= _DARK, _CHANNEL / 12.92, ((_CHANNEL + 0.055) / 1.055) ** 2.4)
_WEIGHTS = np.array([0.0722, 0.7152, 0.2126])
"""Of blue, green and red."""
_PARTS = (_LINEAR[:, None] * _WEIGHTS).astype(np.float32)


def luminance(pixels: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Relative luminance of pixels (..., 3), 0 black to 1 white (WCAG 2.2)."""
    light: npt.NDArray[np.float32] = (
        _PARTS[pixels[..., 0], 0] + _PARTS[pixels[..., 1], 1] + _PARTS[pixels[..., 2], 2]
    )
    return light


def contrast(values: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """How much pixels (..., 3) stand out from others: their contrast ratio (WCAG 2.2), 1 to 21.

    It is infinite where they differ much in red or green, which is seen at any luminance.
    """
    bright, dark = luminance(values), luminance(other)
    brighter, darker = np.maximum(bright, dark), np.minimum(bright, dark)
    ratio = ((brighter + 0.05) / (darker + 0.05)).astype(np.float32)
    apart = np.abs(values[..., 1:].astype(np.int16) - other[..., 1:]).max(axis=-1)
    ratio[apart >= _OTHER_COLOUR] = np.inf
    return ratio


def _stands_out(with_text: Pixels, ground: Pixels) -> npt.NDArray[np.bool_]:
    """Which pixels of two pictures of one shape can be told apart; shape (rows, columns)."""
    apart = with_text != ground
    changed = apart[:, :, 0] | apart[:, :, 1] | apart[:, :, 2]
    out = np.zeros(changed.shape, dtype=np.bool_)
    out[changed] = contrast(with_text[changed], ground[changed]) >= LEAST_CONTRAST
    return out


def _count(marked: npt.NDArray[np.bool_], box: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """How many pixels of each box (n, 4) are marked."""
    sums = np.zeros((marked.shape[0] + 1, marked.shape[1] + 1), dtype=np.int32)
    np.cumsum(marked, axis=0, dtype=np.int32, out=sums[1:, 1:])
    np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
    left, top, right, bottom = box.T
    counts: npt.NDArray[np.int32] = (
        sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    )
    return counts


def page_objects(page: PdfPage) -> Iterator[tuple[int, Any, bool]]:
    """Kind and handle of every object of a page, and whether it is part of a form."""
    waiting = [
        (raw.FPDFPage_GetObject(page.raw, number), False)
        for number in range(max(0, raw.FPDFPage_CountObjects(page.raw)))
    ]
    while waiting:
        handle, nested = waiting.pop()
        kind = raw.FPDFPageObj_GetType(handle)
        yield kind, handle, nested
        if kind == raw.FPDF_PAGEOBJ_FORM:
            count = max(0, raw.FPDFFormObj_CountObjects(handle))
            waiting += [
                (raw.FPDFFormObj_GetObject(handle, number), True) for number in range(count)
            ]


def _in_pixels(
    page: PdfPage, boxes: npt.NDArray[np.float64], shape: tuple[int, ...]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Boxes in points as boxes in pixels, cut at the edges of the picture."""
    corners = in_picture(page, boxes, shape)
    first = np.floor(corners[:, :2]).astype(np.int64)
    last = np.ceil(corners[:, 2:]).astype(np.int64)
    last = np.maximum(last, first + 1)
    edge = np.array([shape[1], shape[0]])
    outside = np.any((last <= 0) | (first >= edge), axis=1)
    return np.hstack([np.clip(first, 0, edge), np.clip(last, 0, edge)]), outside


def in_picture(
    page: PdfPage, boxes: npt.NDArray[np.float64], shape: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    """Where boxes stand in a picture of the page as it is drawn: turned, and cropped.

    Args:
        page: The page.
        boxes: Shape (n, 4), left, bottom, right, top in points.
        shape: Rows and columns of the picture.

    Returns:
        Shape (n, 4), left, top, right, bottom in columns and rows, not cut at its edges.
    """
    rows, columns = shape[0], shape[1]
    origin, right, up = (
        np.array(_device(page, columns, rows, *point)) for point in ((0, 0), (1000, 0), (0, 1000))
    )
    turn = np.stack([(right - origin) / 1000, (up - origin) / 1000])
    low, high = boxes[:, :2] @ turn + origin, boxes[:, 2:] @ turn + origin
    return np.hstack([np.minimum(low, high), np.maximum(low, high)])


def _device(page: PdfPage, columns: int, rows: int, x: float, y: float) -> tuple[float, float]:
    fine = 64  # the library rounds to whole pixels
    across, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page.raw, 0, 0, columns * fine, rows * fine, 0, x, y, across, down)
    return across.value / fine, down.value / fine


def hidden_glyphs(
    glyphs: Glyphs, picture: Picture | None, body: Callable[[], float]
) -> list[Trick | None]:
    """For each glyph how it is hidden, or None if people can see it.

    Args:
        glyphs: The glyphs of a page.
        picture: The page drawn; None to judge by properties alone.
        body: Gives the type size of the document's body text in points; asked for on pages with
            small type alone.
    """
    small = any(_TINY <= style.size < _SMALL for style in glyphs.styles)
    tiny = min(_SMALL, max(_TINY, _TINY_SHARE * body())) if small else _TINY
    styled = [_by_style(style, tiny) for style in glyphs.styles]
    tricks = [styled[owner] if owner >= 0 else None for owner in glyphs.owner.tolist()]
    for number in overlapping(glyphs.box, glyphs.sizes):
        tricks[number] = tricks[number] or Trick.CROWDED
    if picture is None:
        return tricks
    for number in np.flatnonzero(picture.unseen).tolist():
        owner = int(glyphs.owner[number])
        style = glyphs.styles[owner] if owner >= 0 else None
        tricks[number] = tricks[number] or _reason(number, style, glyphs, picture)
    return tricks


def faint_glyphs(picture: Picture) -> npt.NDArray[np.bool_]:
    """Which glyphs are so light that a sentence of them is hidden, though a label is not."""
    # Those of less contrast were drawn again, and are hidden or are seen for another reason.
    faint: npt.NDArray[np.bool_] = picture.contrast < _FAINT_CONTRAST
    return faint & (picture.contrast >= LEAST_CONTRAST)


def _contrasts(
    glyphs: Glyphs, ground: Pixels, box: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """The largest contrast of each glyph's colour to the ground, at its middle and at its edges.

    Its opacity is reckoned with. Infinite where the colour is not known, or only outlines are
    drawn. The edges are looked at where the middle has little contrast.
    """
    plain = [
        style.fill if style.fill is not None and style.mode in (0, 4) else None
        for style in glyphs.styles
    ]
    known = np.array([*(fill is not None for fill in plain), False])[glyphs.owner]
    fill = np.array([*(fill or (0, 0, 0, 0) for fill in plain), (0, 0, 0, 0)])[glyphs.owner]
    most = np.full(len(fill), np.inf, dtype=np.float32)
    most[known] = 0
    for across, down in product((0.5, 0.0, 1.0), repeat=2):
        at = np.flatnonzero(most < _FAINT_CONTRAST)
        left, top, right, bottom = box[at].T
        row = np.clip(np.rint(top + down * (bottom - top - 1)), 0, ground.shape[0] - 1)
        column = np.clip(np.rint(left + across * (right - left - 1)), 0, ground.shape[1] - 1)
        behind = ground[row.astype(np.int64), column.astype(np.int64)]
        colour, opacity = fill[at, 2::-1], fill[at, 3:] / 255
        shown = np.rint(opacity * colour + (1 - opacity) * behind).astype(np.uint8)
        most[at] = np.maximum(most[at], contrast(shown, behind))
    return most


def _by_style(style: Style, tiny: float) -> Trick | None:
    if style.mode in _INVISIBLE_MODES:
        return _INVISIBLE_MODES[style.mode]
    if style.fill is not None and style.fill[3] <= _CLEAR and style.mode in (0, 4):
        return Trick.TRANSPARENT
    return Trick.TINY if 0 < style.size < tiny else None


def _camouflaged(number: int, style: Style, picture: Picture) -> bool:
    """Whether a filled glyph has the colour of everything it is drawn on."""
    if style.fill is None or style.mode not in (0, 4):
        return False
    left, top, right, bottom = picture.box[number]
    ground = picture.ground[top:bottom, left:right].reshape(-1, 3).astype(np.int16)
    fill = np.array(style.fill[2::-1], dtype=np.int16)
    return bool(len(ground)) and bool((np.abs(ground - fill) < _SAME_COLOUR).all())


def _reason(number: int, style: Style | None, shown_glyphs: Glyphs, picture: Picture) -> Trick:
    """Why a glyph that leaves no ink cannot be seen."""
    if picture.outside[number]:
        return Trick.OFF_PAGE
    if style is None:
        return Trick.COVERED
    if "OC" in _mark_names(style.handle):
        return Trick.LAYER
    clip = _clip(style.handle)
    if clip is not None:
        box = shown_glyphs.box[number]
        if box[2] <= clip[0] or box[0] >= clip[2] or box[3] <= clip[1] or box[1] >= clip[3]:
            return Trick.CLIPPED
    if _camouflaged(number, style, picture):
        return Trick.BACKGROUND
    return Trick.FAINT if picture.contrast[number] < LEAST_CONTRAST else Trick.COVERED


def is_scan(page: PdfPage, tricks: Sequence[Trick | None]) -> bool:
    """Whether a page is images with a layer of recognised text, drawn invisibly or behind them."""
    layer = sum(trick in (Trick.RENDER_MODE, Trick.COVERED) for trick in tricks)
    if not tricks or layer < _SCAN_SHARE * len(tricks):
        return False
    width, height = page.get_size()
    covered = 0.0
    edges = [ctypes.c_float() for _ in range(4)]
    for kind, handle, _ in page_objects(page):
        if kind == raw.FPDF_PAGEOBJ_IMAGE and raw.FPDFPageObj_GetBounds(handle, *edges):
            left, bottom, right, top = (edge.value for edge in edges)
            covered += (right - left) * (top - bottom)  # one image, or strips of it
    return bool(covered >= _SCAN_SHARE * width * height)


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
    values = np.zeros(len(boxes), dtype=np.bool_)
    for along, across in ((0, 1), (1, 0)):  # lines of text, and turned ones
        near = (apart[:, along] < _CLOSE * size) & (apart[:, across] < _ACROSS * size)
        turns = np.flatnonzero(np.diff(near, prepend=False, append=False)).reshape(-1, 2)
        for first, last in turns.tolist():
            row = boxes[first : last + 1]
            reach = float((row[:, 2:].max(axis=0) - row[:, :2].min(axis=0)).max())
            if len(row) >= _LEAST_OVERLAPPING and reach < _CLOSE * float(sizes[first]) * len(row):
                values[first : last + 1] = True
    return np.flatnonzero(values)
