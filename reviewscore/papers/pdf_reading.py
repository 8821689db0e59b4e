"""What reading a PDF gives, and the limits it is read under."""

from __future__ import annotations

from pydantic import Field

from reviewscore.papers.hidden import Hidden
from reviewscore.schema.paper import TextLine
from reviewscore.schema.record import Record

DRAWING = "drawing"
"""What a worker says before it draws the first page."""


class Limits(Record):
    """What one PDF may cost.

    Attributes:
        seconds: Time to read it.
        megabytes: Address space of the process that reads it.
        pages: Most pages.
    """

    seconds: float = Field(default=60.0, gt=0)
    megabytes: int = Field(default=1024, ge=256)
    pages: int = Field(default=500, ge=1)


class PdfReading(Record):
    """The text of a PDF and what happened to the rest of it.

    Attributes:
        text: Its text in reading order, paragraphs parted by empty lines.
        title: Its title, by type size and place; empty where none stands out.
        pages: Offset in ``text`` at which each page begins, ascending; one for each page.
        lines: Lines as they are printed, in reading order, with their offsets in ``text``.
        furniture: Running heads, page numbers and margin numbers that were left out.
        hidden: Text that people cannot see; it is not in ``text``.
        characters: Visible characters on the pages, white space aside, without what is hidden.
        dropped: How many of them did not come into the text, furniture aside.
        unmapped: How many of them the file gives no letter for.
        blank_pages: 1-based pages without text; an image stands there, or nothing.
        unlooked: 1-based pages whose drawing took too long to look for hidden text by eye.
        scans: 1-based pages that are images with a layer of recognised text, which is drawn
            invisibly and may say something else than the image.
        scripts: Scripts (JavaScript) in the file; they are never run.
        notes: Doubts, in words.
    """

    text: str
    pages: tuple[int, ...]
    title: str = ""
    lines: tuple[TextLine, ...] = ()
    furniture: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    characters: int = 0
    dropped: int = 0
    unmapped: int = 0
    blank_pages: tuple[int, ...] = ()
    unlooked: tuple[int, ...] = ()
    scans: tuple[int, ...] = ()
    scripts: int = 0
    notes: tuple[str, ...] = ()

    @property
    def lost(self) -> float:
        """Estimated share of the characters that did not come into the text, 0..1.

        A page without text counts as an average page if it is among pages with text: such pages
        are mostly scans or drawings of text.
        """
        with_text = max(1, len(self.pages) - len(self.blank_pages))
        unread = len(self.blank_pages) * self.characters / with_text
        whole = self.characters + unread
        return min(1.0, (self.dropped + self.unmapped + unread) / whole) if whole else 1.0


class Refusal(Record):
    """Why a PDF cannot be read, as it comes from the process that tried.

    Attributes:
        problem: What is wrong.
        cure: What the user can do.
        drawing: Whether the process had begun to draw pages when it died: it may read the file
            if it does not draw.
        size: Bytes of what was read, where they are more than were asked for.
    """

    problem: str
    cure: str
    drawing: bool = False
    size: int = 0


class Task(Record):
    """One PDF to read.

    Attributes:
        path: The file.
        limits: What it may cost.
        look: Whether pages are drawn, to find text that people cannot see.
        most: Bytes of what is read, at most; None for any number.
    """

    path: str
    limits: Limits
    look: bool = True
    most: int | None = None
