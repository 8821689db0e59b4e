"""What a paper's file holds, whatever its format: PDF, Markdown, TEI, LaTeX, HTML or text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.converted import left_out
from reviewscore.papers.headings import Candidate
from reviewscore.papers.hidden import Hidden, comments
from reviewscore.papers.hygiene import read_text, without_surrogates
from reviewscore.papers.latex import read_latex
from reviewscore.papers.pdf import read_pdf
from reviewscore.papers.pdf_reading import PdfReading
from reviewscore.papers.tei import read_tei
from reviewscore.papers.web_page import is_web_page, read_web_page
from reviewscore.schema.paper import NOTHING_MISSING, Missing, TextLine

_MARKDOWN = {".md", ".markdown"}
_XML = {".xml", ".tei"}
_LATEX = {".tex", ".latex"}


@dataclass(frozen=True)
class Content:
    """The text of a paper and what is known of it.

    Attributes:
        text: Its text.
        source: ``text``, ``markdown``, ``tei``, ``latex``, ``html`` or ``pdf``.
        title: Its title, where the format marks it.
        abstract: Its abstract, where the format marks it.
        headings: Where its headings stand, where the format marks them.
        hidden: What is left out of ``text`` because its format does not show it.
        pdf: What was read of the PDF, if it is one.
        lines: Lines as they are printed, in reading order, with their offsets in ``text``.
        missing: What ``text`` lacks of the paper.
        notes: What was done to the text, and doubts, in words.
    """

    text: str
    source: str
    title: str = ""
    abstract: str = ""
    headings: tuple[Candidate, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    pdf: PdfReading | None = None
    lines: tuple[TextLine, ...] = ()
    missing: Missing = NOTHING_MISSING
    notes: tuple[str, ...] = ()

    @property
    def unseen(self) -> tuple[Hidden, ...]:
        """Everything that people cannot see and that is not in the text."""
        return (*self.hidden, *(self.pdf.hidden if self.pdf is not None else ()))


def read_content(path: Path, *, of: str = "paper") -> Content:
    """The text in a paper's file; its ending names the format, a PDF is known by its content.

    Args:
        path: A ``.pdf``, ``.md``, ``.tei.xml``, ``.tex``, ``.html`` or text file.
        of: Whose text it is, for messages: that of a ``paper``, ``review`` or ``response``.

    Raises:
        InputError: If the file is missing, empty, or cannot be used; says what to do.
    """
    try:
        special = path.exists() and not (path.is_file() or path.is_dir())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if special:  # reading it might never end
        raise InputError("is not an ordinary file", file=path, cure="save it to a file first")
    suffix = path.suffix.lower()
    if suffix == ".pdf" or _begins(path).startswith(b"%PDF-"):
        reading = read_pdf(path)
        return Content(reading.text, "pdf", reading.title, pdf=reading, lines=reading.lines)
    if suffix in _XML:
        tei = read_tei(path)
        return Content(tei.text, "tei", tei.title, tei.abstract, tuple(tei.headings))
    text = read_text(path)
    if not text.strip():
        raise InputError("is empty", file=path, cure=f"give the {of}'s text")
    if suffix in _LATEX or is_web_page(text):
        marked = read_latex(path) if suffix in _LATEX else read_web_page(path)
        return Content(
            marked.text,
            "latex" if suffix in _LATEX else "html",
            marked.title,
            marked.abstract,
            tuple(marked.headings),
            missing=left_out(marked.text),
            notes=tuple(marked.notes),
        )
    text = str(without_surrogates(text))
    if suffix not in _MARKDOWN:
        return Content(text, "text")
    shown, hidden = comments(text)
    return Content(shown, "markdown", hidden=hidden)


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(5)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
