"""Pages of a PDF as images, drawn in the worker processes that read PDFs.

Front door: `page_images`.

What is drawn is what people see: text that a PDF hides, its metadata and its scripts are in no
image, as they would be in the file itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers.pdf import LIMITS, PdfLimits, Refusal, check_pdf, refusal, shared
from reviewscore.processes.pool import AbandonedError
from reviewscore.schema.page_image import PageImage
from reviewscore.schema.record import Record

DPI = 110
"""Pixels an inch. A4 and US letter then have 910 x 1287 and 935 x 1210 pixels: the most that no
model of Anthropic's scales down (1,568 pixels a side and 1,568 patches of 28 x 28), and more than
OpenAI's tiles keep (768 pixels of the shorter side)."""
LONGEST_SIDE, MOST_PIXELS = 1568, 1_200_000
"""Pixels of the longer side, and of all of a page, which larger pages are drawn smaller for."""
MOST_PAGES = 100
"""Pages that are shown: Anthropic takes as many images in a call."""
MOST_BYTES = 20_000_000
"""Bytes of all PNGs of a paper: in base64 with the text they stay below the 32 MB of a call that
Anthropic takes."""
_POINTS = 72
"""Points an inch."""
_HELD = 8
"""Papers whose images are kept in memory, a few megabytes each."""
_CURE = "show judges its text (--paper-as text), or less of it (--paper-parts main)"


class Resolution(Record):
    """How finely pages are drawn.

    Attributes:
        dpi: Pixels an inch.
        longest: Pixels of the longer side, at most.
        pixels: All pixels of a page, at most; larger pages are drawn smaller.
    """

    dpi: int = DPI
    longest: int = LONGEST_SIDE
    pixels: int = MOST_PIXELS

    def scale(self, width: float, height: float) -> float:
        """Pixels a point of a page of this width and height in points."""
        return min(
            self.dpi / _POINTS,
            self.longest / max(width, height),
            math.sqrt(self.pixels / (width * height)),
        )


FOR_MODELS = Resolution()


class DrawingTask(Record):
    """Pages of one PDF to draw.

    Attributes:
        draw: The file.
        limits: What it may cost.
        pages: 1-based numbers; None for all.
        images: Whether images are made, or only their sizes are told.
        most: Bytes of all images, at most.
        resolution: How finely.
    """

    draw: str
    limits: PdfLimits
    pages: tuple[int, ...] | None = None
    images: bool = True
    most: int
    resolution: Resolution = FOR_MODELS


class DrawnPage(Record):
    """A page as it comes from the process that drew it.

    Attributes:
        page: Its 1-based number.
        width: Pixels.
        height: Pixels.
        png: The image in base64; empty where only sizes were asked for.
    """

    page: int
    width: int
    height: int
    png: str = ""


class Drawing(Record):
    """Pages of a PDF.

    Attributes:
        count: Pages that the PDF has.
        pages: Those that were asked for.
    """

    count: int
    pages: tuple[DrawnPage, ...]


class PdfPages(Record):
    """The images of a PDF's pages.

    Attributes:
        count: Pages that the PDF has.
        images: Those that were asked for.
    """

    count: int
    images: tuple[PageImage, ...]


def page_images(path: Path, numbers: Iterable[int] | None = None, *, draw: bool = True) -> PdfPages:
    """Pages of a PDF as images; safe to use from threads.

    Args:
        path: The PDF.
        numbers: 1-based numbers of the pages, ascending; None for all.
        draw: Whether they are drawn; else their sizes alone are told, which takes no time.

    Raises:
        InputError: The file cannot be drawn, or has too many pages for that.
    """
    path = Path(path)
    check_pdf(path)
    state = path.stat()
    wanted = None if numbers is None else tuple(numbers)
    images = _images if draw else _images.__wrapped__
    return images(path.resolve(), (state.st_mtime_ns, state.st_size), wanted, draw)


def drawn_page(
    path: Path, number: int, resolution: Resolution = FOR_MODELS, *, limits: PdfLimits = LIMITS
) -> PageImage:
    """One page of a PDF as an image, which is drawn each time it is asked for.

    Args:
        path: The PDF.
        number: The page's 1-based number.
        resolution: How finely it is drawn.
        limits: What that may cost.

    Raises:
        InputError: The file cannot be drawn, or has no such page.
    """
    check_pdf(path)
    task = DrawingTask(
        draw=str(path.resolve()),
        limits=limits,
        pages=(number,),
        most=MOST_BYTES,
        resolution=resolution,
    )
    (page,) = Drawing.model_validate_json(worked(task, path, limits)).pages
    return PageImage.of_png(page.page, page.width, page.height, page.png)


@lru_cache(maxsize=_HELD)
def _images(
    path: Path, _: tuple[int, int], numbers: tuple[int, ...] | None, draw: bool
) -> PdfPages:
    drawing = _drawn(path, numbers, images=draw)
    images = (
        PageImage.of_png(page.page, page.width, page.height, page.png) for page in drawing.pages
    )
    return PdfPages(count=drawing.count, images=tuple(images))


def _drawn(path: Path, numbers: tuple[int, ...] | None, *, images: bool) -> Drawing:
    limits = LIMITS.model_copy(update={"pages": MOST_PAGES})
    task = DrawingTask(draw=str(path), limits=limits, pages=numbers, images=images, most=MOST_BYTES)
    return Drawing.model_validate_json(worked(task, path, limits))


def worked(task: Record, path: Path, limits: PdfLimits) -> str:
    """What a worker answers to a task about the pages of a PDF, in JSON.

    Raises:
        InputError: It refuses, or ended over it.
    """
    try:
        answer = shared().pool.ask(task.model_dump_json(), limits.seconds)
    except AbandonedError as error:
        raise InputError("was not drawn: interrupted", file=path, cure="start again") from error
    if not answer.line:
        failed = refusal(answer, limits)
        raise InputError(failed.problem, file=path, cure=_CURE)
    if not answer.line.startswith('{"problem":'):
        return answer.line
    refused = Refusal.model_validate_json(answer.line)
    kind = TooLargeError if refused.size else InputError
    raise kind(refused.problem, file=path, cure=refused.cure or _CURE)
