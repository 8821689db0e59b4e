"""What a paper's file holds, whatever its format: PDF, Markdown, TEI or plain text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.headings import Candidate
from reviewscore.papers.hygiene import read_text, without_surrogates
from reviewscore.papers.pdf import read_pdf
from reviewscore.papers.pdf_reading import PdfReading
from reviewscore.papers.tei import read_tei

_HEAD = 400
_MARKDOWN = {".md", ".markdown"}
_XML = {".xml", ".tei"}
_HTML = ("<!doctype html", "<html")


@dataclass(frozen=True)
class Content:
    """The text of a paper and what is known of it.

    Attributes:
        text: Its text.
        source: ``text``, ``markdown``, ``tei`` or ``pdf``.
        title: Its title, where the format marks it.
        abstract: Its abstract, where the format marks it.
        headings: Where its headings stand, where the format marks them.
        pdf: What was read of the PDF, if it is one.
    """

    text: str
    source: str
    title: str = ""
    abstract: str = ""
    headings: tuple[Candidate, ...] = ()
    pdf: PdfReading | None = None


def read_content(path: Path) -> Content:
    """The text in a paper's file; its ending names the format, a PDF is known by its content.

    Args:
        path: A ``.pdf``, ``.md``, ``.tei.xml`` or text file.

    Raises:
        InputError: If the file is missing, empty, or cannot be used; says what to do.
    """
    suffix = path.suffix.lower()
    if suffix == ".pdf" or _begins(path).startswith(b"%PDF-"):
        reading = read_pdf(path)
        return Content(reading.text, "pdf", pdf=reading)
    if suffix in _XML:
        tei = read_tei(path)
        return Content(tei.text, "tei", tei.title, tei.abstract, tuple(tei.headings))
    text = read_text(path)
    if not text.strip():
        raise InputError("is empty", file=path, cure="give the paper's text")
    if text.lstrip()[:_HEAD].lower().startswith(_HTML):
        raise InputError(
            "is a web page, such as an error or login page",
            file=path,
            cure="give the paper's text, Markdown, TEI or PDF",
        )
    source = "markdown" if suffix in _MARKDOWN else "text"
    return Content(str(without_surrogates(text)), source)


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(5)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
