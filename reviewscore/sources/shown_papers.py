"""Papers as judges are shown them: as text, as images of their pages, or as both.

Images are of a paper's own PDF. Pages that hold nothing but what judges do not see anyway (such as
references) are left out. Quotes are looked up in the text all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from reviewscore.errors import InputError
from reviewscore.papers.load import Content, PaperRow, paper_of
from reviewscore.papers.page_images import PdfPages, page_images
from reviewscore.papers.parts import Parts, seen_of, shown
from reviewscore.papers.pdf import PdfReading, read_pdf
from reviewscore.schema.page_image import ShownPages
from reviewscore.schema.paper import NOTHING_MISSING, Paper, Zone
from reviewscore.sources.collection import Collection
from reviewscore.text.stems import words

PaperAs = Literal["text", "pages", "both"]
"""How judges are shown papers."""

_RUN = 6
"""Words of a run that two texts of one paper share and those of two papers do not."""
_COMPARED = 2000
"""Words of a paper's text that are looked for in its PDF."""
_SAME = 0.1
"""Share of their runs that the PDF has at the least: two papers of ICLR 2020, whose texts another
program took from their PDFs, share 0.90 and 0.85 of them with these, and 0.00 with each other's."""


def paper_as_shown(
    collection: Collection,
    paper_id: str,
    parts: Parts,
    paper_as: PaperAs,
    *,
    doubts: bool = True,
    draw: bool = True,
) -> Paper:
    """A paper as judges see it.

    Args:
        collection: Has the paper.
        paper_id: The paper.
        parts: The parts that judges see.
        paper_as: ``text``, ``pages`` or ``both``; a paper that has no pages is shown as text by
            ``both``.
        doubts: As of `papers.load.build_paper`.
        draw: Whether its pages are drawn; else only their sizes are known.

    Raises:
        InputError: There is no such paper, or it cannot be read, or its pages cannot be shown.
    """
    read = collection.paper if doubts else collection.paper_unchecked
    paper = shown(read(paper_id), parts)
    if paper_as == "text":
        return paper
    try:
        with collection.papers[paper_id].pdf() as path:
            there = _there(path, paper)
            laid_out = _laid_out(paper, there, parts, doubts=doubts)
            pages = page_images(there, _numbers(laid_out), draw=draw)
    except InputError:
        if paper_as == "pages":
            raise
        return paper
    return _with_pages(paper, pages, laid_out, text=paper_as == "both")


def _with_pages(paper: Paper, pages: PdfPages, laid_out: Paper | None, *, text: bool) -> Paper:
    """A paper with images of its pages.

    Args:
        paper: The paper, as judges see its text.
        pages: The images.
        laid_out: The paper as its PDF has it.
        text: Whether its text is shown too.
    """
    warnings = () if laid_out is None or laid_out is paper else laid_out.warnings
    doubts = () if laid_out is None else laid_out.doubts
    values = {name: getattr(paper, name) for name in Paper.model_fields}
    values |= {
        "shown_pages": ShownPages(
            images=pages.images,
            count=pages.count,
            text=text,
            share=_share(paper, laid_out, text=text),
        ),
        "doubts": tuple(dict.fromkeys((*paper.doubts, *doubts))),
        # What other documents lack stays missing: of them there are no pages.
        "missing": paper.missing if paper.documents else NOTHING_MISSING,
        "warnings": (*paper.warnings, *(f"its PDF: {warning}" for warning in warnings)),
    }
    return Paper(**values)


def _share(paper: Paper, laid_out: Paper | None, *, text: bool) -> float:
    """How much of a paper's main text and appendix is shown, 0..1.

    What the PDF has and its pages leave out is not shown. Of pages alone, neither are further
    documents, nor an appendix that stands in the text and not in the PDF; a scan, of which nobody
    knows, is taken to lack it.
    """
    share = 1.0 if laid_out is None else seen_of(laid_out).share
    if text:
        return share
    appended = laid_out is not None and any(_appendix(laid_out, own=True))
    lost = sum(_appendix(paper, own=False)) + (0 if appended else sum(_appendix(paper, own=True)))
    return min(share, 1 - lost / max(len(paper.text), 1))


def _appendix(paper: Paper, *, own: bool) -> Iterator[int]:
    """Characters of each section of a paper's appendix, in its own document or in further ones."""
    end = paper.documents[0].end if paper.documents else len(paper.text)
    for section in paper.sections:
        if section.zone is Zone.APPENDIX and (section.start < end) is own:
            yield section.end - section.start


def _there(path: Path | None, paper: Paper) -> Path:
    """The PDF of a paper.

    Raises:
        InputError: It has none.
    """
    if path is None:
        raise InputError(
            f"paper '{paper.paper_id}' has no PDF whose pages could be shown",
            field="pdf",
            cure=f"name it as `pdf` in its record, or put it beside the records as "
            f"{paper.paper_id}.pdf; or show judges its text (--paper-as text)",
        )
    return path


def _laid_out(paper: Paper, path: Path, parts: Parts, *, doubts: bool) -> Paper | None:
    """The paper as its PDF has it, with offsets of pages; None of a scan, which has no text.

    Raises:
        InputError: The PDF is that of another paper.
    """
    if paper.source == "pdf" and paper.pages:
        return paper
    try:
        reading = read_pdf(path)
    except InputError:  # whether it can be drawn is another question
        return None
    if not _same(paper, reading):
        raise InputError(
            f"does not hold the text of paper '{paper.paper_id}'",
            file=path,
            cure="give that paper's PDF, or show judges its text (--paper-as text)",
        )
    content = Content(reading.text, "pdf", reading.title, pdf=reading, lines=reading.lines)
    return shown(paper_of(content, PaperRow(paper_id=paper.paper_id), doubts=doubts), parts)


def _same(paper: Paper, reading: PdfReading) -> bool:
    """Whether a PDF is that of a paper, by the words that follow each other in both."""
    given, there = (words(text) for text in (paper.text, reading.text))
    runs = [tuple(given[at : at + _RUN]) for at in range(min(_COMPARED, len(given) - _RUN + 1))]
    known = {tuple(there[at : at + _RUN]) for at in range(len(there) - _RUN + 1)}
    return not runs or sum(run in known for run in runs) >= _SAME * len(runs)


def _numbers(laid_out: Paper | None) -> tuple[int, ...] | None:
    """The pages on which judges see something; None for all.

    A page without text is shown if what stands before it is.
    """
    if laid_out is None:
        return None
    end = laid_out.documents[0].end if laid_out.documents else len(laid_out.text)
    numbers = []
    for number, (start, stop) in enumerate(
        zip(laid_out.pages, (*laid_out.pages[1:], end), strict=True), start=1
    ):
        spans = ((max(a, start), min(b, stop)) for a, b in laid_out.read_spans)
        seen = any(laid_out.text[a:b].strip() for a, b in spans if a < b)
        blank = not laid_out.text[start:stop].strip()
        if seen or (blank and laid_out.is_read(max(start - 1, 0))):
            numbers.append(number)
    return tuple(numbers) or None
