"""Where passages stand on the pages of a PDF, as the pages are drawn.

Front door: `page_places`. Passages are looked for by their letters in what the PDF prints, so that
they are found whatever the text was read from: the PDF itself, or another form of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from reviewscore.papers.page_images import worked
from reviewscore.papers.pdf import LIMITS, PdfLimits, check_pdf
from reviewscore.schema.paper import Box
from reviewscore.schema.record import Record

LONGEST = 6000
"""Characters of a passage that are looked for."""


class Sought(StrEnum):
    """What is looked for on the pages."""

    WORDS = "words"
    TABLE = "table"  # the one whose caption the words are
    FIGURE = "figure"
    BOX = "box"  # a known place
    PAGE = "page"  # a whole page


class SoughtPassage(Record):
    """Something whose place on the pages is wanted.

    Attributes:
        sought: What it is.
        words: Its words, or those of the caption.
        page: 1-based page on which it begins, where that is known.
        box: Where it begins on that page, in points, where that is known.
        share: How far into the paper it stands, 0..1: words that occur several times are taken
            where they are nearest to all that is known.
    """

    sought: Sought = Sought.WORDS
    words: str = Field(default="", max_length=LONGEST)
    page: int | None = Field(default=None, ge=1)
    box: Box | None = None
    share: float = Field(default=0.0, ge=0, le=1)


class PageBox(Record):
    """A rectangle on a page as it is drawn, in per cent of its width and height.

    Attributes:
        page: The page's 1-based number.
        left: Its left edge.
        top: Its upper edge, from the top.
        width: How wide it is.
        height: How high it is.
    """

    page: int = Field(ge=1)
    left: float = Field(ge=0, le=100)
    top: float = Field(ge=0, le=100)
    width: float = Field(gt=0, le=100)
    height: float = Field(gt=0, le=100)


class PlacingTask(Record):
    """Passages to look for in a PDF.

    Attributes:
        place: The file.
        limits: What it may cost.
        passages: The passages.
    """

    place: str
    limits: PdfLimits
    passages: tuple[SoughtPassage, ...] = ()


class PagePlaces(Record):
    """The pages of a PDF, and where passages stand on them.

    Attributes:
        sizes: Width and height of each page as it is drawn, in points.
        boxes: The rectangles of each passage in the order of its words; none where it was not
            found.
    """

    sizes: tuple[tuple[float, float], ...]
    boxes: tuple[tuple[PageBox, ...], ...] = ()


def page_places(
    path: Path, passages: Sequence[SoughtPassage] = (), *, limits: PdfLimits = LIMITS
) -> PagePlaces:
    """The sizes of a PDF's pages, and where passages stand on them; safe to use from threads.

    A passage is cut to its own words. Without passages no page is read, which takes no time.

    Args:
        path: The PDF.
        passages: What is looked for.
        limits: What that may cost.

    Raises:
        InputError: The file cannot be opened, or has too many pages.
    """
    check_pdf(path)
    task = PlacingTask(place=str(path.resolve()), limits=limits, passages=tuple(passages))
    return PagePlaces.model_validate_json(worked(task, path, limits))
