"""PDFs read in worker processes that are reused, stopped at their limit and replaced.

Front door: `read_pdf` for the text with its pages and what was left out.
The first PDF costs the start of a worker, a third of a second; later ones some milliseconds.
"""

from __future__ import annotations

import signal
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from reviewscore.bounds import Bound, check_size, in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers.hidden import Hidden
from reviewscore.processes.pool import AbandonedError, ChildAnswer, ChildPool
from reviewscore.schema.paper import TextLine
from reviewscore.schema.record import Record

DRAWING = "drawing"
"""What a worker says before it draws the first page."""


class PdfLimits(Record):
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
        title_doubt: Why it may not be the title, in words; empty where nothing speaks against it.
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
    title_doubt: str = ""
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


class ReadingTask(Record):
    """One PDF to read.

    Attributes:
        path: The file.
        limits: What it may cost.
        look: Whether pages are drawn, to find text that people cannot see.
        most: Bytes of what is read, at most; None for any number.
    """

    path: str
    limits: PdfLimits
    look: bool = True
    most: int | None = None


LIMITS = PdfLimits()
_HEAD = 1024
"""Bytes within which a PDF names itself."""
_HTML = (b"<!doctype html", b"<html", b"<head", b"<script")
_GRACE = 1.0
"""Seconds beyond its limit after which a worker is stopped from outside."""
HELD = 256
"""Readings kept in memory, of about 100 kB each."""
_MOST_TASKS = 200
"""PDFs after which a worker is replaced, so that what PDFium keeps does not pile up."""


def read_pdf(path: Path, *, limits: PdfLimits = LIMITS) -> PdfReading:
    """The text of a PDF file with its pages, and what did not come into the text.

    Columns are read one after the other; repeated lines at the top and bottom of pages, page
    numbers, margin line numbers and text that people cannot see are left out; words broken at
    line ends are joined, ligatures are spelled out, paragraphs and headings are parted by empty
    lines, table rows are lines. Safe to use from threads.

    Raises:
        InputError: If the file is missing, empty, damaged, encrypted, no PDF, scanned, or costs
            more than its limits; says what to do.
    """
    return shared().read(path, limits=limits)


def check_pdf(path: Path) -> None:
    """Refuse what is plainly no PDF, or too large.

    Raises:
        InputError: If the file is missing, empty, a web page, no PDF, or passes the bound.
    """
    check_size(path, in_force().pdf)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
    if not head:
        raise InputError("is empty", file=path, cure="save or download the PDF again")
    if b"%PDF-" in head:
        return
    if any(mark in head.lower() for mark in _HTML):
        raise InputError(
            "is a web page saved as a PDF, such as an error or login page",
            file=path,
            cure="open the address in a browser, and download the PDF itself",
        )
    raise InputError("is not a PDF", file=path, cure="give a PDF, or name a text file .txt or .md")


class PdfReaders:
    """A fixed number of worker processes, started when first needed; safe to use from threads.

    Args:
        workers: How many; as many as there are cores, at most 8, if not given.
        held: Readings that are kept for files that do not change: an audit needs a paper for its
            estimate, its verdicts and its report.
    """

    def __init__(self, workers: int | None = None, *, held: int = HELD) -> None:
        self.pool = ChildPool(
            "reviewscore.papers.pdf_pages",
            workers,
            grace=_GRACE,
            most_tasks=_MOST_TASKS,
            # One thread for arrays: each would reserve address space, which is limited.
            settings={"OPENBLAS_NUM_THREADS": "1"},
        )
        self._read = lru_cache(maxsize=held)(self._fresh)

    def read(self, path: Path, *, limits: PdfLimits = LIMITS) -> PdfReading:
        """Like `read_pdf`; waits while all workers are busy.

        Raises:
            InputError: As `read_pdf`.
        """
        path = Path(path)
        check_pdf(path)
        state = path.stat()
        return self._read(path, (state.st_mtime_ns, state.st_size), limits, in_force().text)

    def _fresh(self, path: Path, _: tuple[int, int], limits: PdfLimits, bound: Bound) -> PdfReading:
        task = ReadingTask(path=str(path.resolve()), limits=limits, most=bound.size)
        answer = self._answer(task)
        if isinstance(answer, Refusal) and answer.drawing and not self.pool.abandoned:
            again = self._answer(task.model_copy(update={"look": False}))
            answer = again if isinstance(again, PdfReading) else answer
        if isinstance(answer, Refusal) and answer.size:
            raise TooLargeError(
                f"its text {bound.problem(answer.size, whole=True)}", file=path, cure=bound.cure
            )
        if isinstance(answer, Refusal):
            raise InputError(answer.problem, file=path, cure=answer.cure)
        return answer

    def _answer(self, task: ReadingTask) -> PdfReading | Refusal:
        try:
            answer = self.pool.ask(task.model_dump_json(), task.limits.seconds)
        except AbandonedError:
            return Refusal(problem="was not read: interrupted", cure="start again")
        if not answer.line:
            return refusal(answer, task.limits)
        kind = Refusal if answer.line.startswith('{"problem":') else PdfReading
        return kind.model_validate_json(answer.line)

    def abandon(self) -> None:
        """Stop all workers, those that read as well; nothing is read here any more."""
        self.pool.abandon()

    def close(self) -> None:
        """Stop the workers that are idle."""
        self.pool.close()


_CURE = "print it to a new PDF, or give its text"


def refusal(answer: ChildAnswer, limits: PdfLimits) -> Refusal:
    """Why a PDF cannot be read whose worker ended over it."""
    alarmed = hasattr(signal, "SIGALRM") and answer.code == -signal.SIGALRM
    if answer.late or alarmed:
        problem = f"takes longer than {limits.seconds:g} seconds to read"
    elif answer.code == -signal.SIGSEGV:
        problem = "makes the PDF reader crash (SIGSEGV)"
    else:
        problem = "makes the PDF reader crash, or needs more memory than it may have"
    return Refusal(problem=problem, cure=_CURE, drawing=DRAWING in answer.notices)


_SHARED = [PdfReaders()]


def shared() -> PdfReaders:
    """The workers of this process, started when first needed and stopped at its end."""
    return _SHARED[0]


def abandon() -> None:
    """End what is being read, so that an interrupted program need not wait for it."""
    readers, _SHARED[0] = _SHARED[0], PdfReaders()
    readers.abandon()
