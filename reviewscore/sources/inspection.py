"""What there is to know about a file before anything in it is judged: front door of `inspect`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from reviewscore.errors import InputError
from reviewscore.papers.addressing import Addressing
from reviewscore.papers.content import Content, read_content
from reviewscore.papers.hidden import Hidden
from reviewscore.papers.hygiene import read_text, tidy
from reviewscore.papers.parts import cut_from
from reviewscore.papers.quality import badly_read
from reviewscore.papers.rows import PaperRow, build_paper, input_error, paper_of, text_of
from reviewscore.papers.suspicions import addressed
from reviewscore.schema.paper import Paper
from reviewscore.schema.record import Record
from reviewscore.sources.records import Row, Shelf, decode
from reviewscore.sources.rows import ReviewRow

_RECORDS = (".jsonl", ".json", ".parquet")


class SeenSection(Record):
    """A section that was found.

    Attributes:
        label: Number and title.
        zone: What it is for, such as ``body`` or ``appendix``.
        characters: Length of its own text.
        page: 1-based page on which it begins, where known.
        shown: Whether judges see it with ``--paper-parts main``.
    """

    label: str
    zone: str
    characters: int
    page: int | None = None
    shown: bool = True


class Inspection(Record):
    """What was found in a paper or review.

    Attributes:
        name: The file, and the record's identifier in it.
        kind: ``pdf``, ``markdown``, ``tei``, ``latex``, ``html``, ``text``, ``jsonl`` or
            ``review``.
        title: Title of a paper.
        characters: Length of the text.
        pages: Pages of a PDF.
        lost: Estimated share of a PDF's characters that did not come into the text, 0..1.
        badly_read: Why judges may be wrong on it; empty if nothing speaks for that.
        sections: Sections in reading order.
        furniture: Running heads, page and margin numbers left out, with their number.
        hidden: Text that people cannot see; it is left out.
        addressing: Passages that address a model; they are kept, as data.
        scripts: Scripts in a PDF; they are never run.
        unlooked: Pages whose drawing took too long to look for hidden text by eye.
        missing: Formulas and figures that the text lacks, in words.
        notes: Further doubts.
    """

    name: str
    kind: str
    title: str = ""
    characters: int
    pages: int | None = None
    lost: float | None = None
    badly_read: str = ""
    sections: tuple[SeenSection, ...] = ()
    furniture: dict[str, int] = Field(default_factory=dict)
    hidden: tuple[Hidden, ...] = ()
    addressing: tuple[Addressing, ...] = ()
    scripts: int = 0
    unlooked: tuple[int, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()

    @property
    def suspicious(self) -> bool:
        """Whether somebody should look at it: hidden text, text for a model, or a bad reading."""
        return (
            bool(self.badly_read)
            or any(not one.stray for one in self.hidden)
            or any(not one.quoted for one in self.addressing)
        )


def inspect_file(path: Path) -> Iterator[Inspection | InputError]:
    """What was found in a paper's file, or in each record of papers or reviews.

    A record that cannot be used gives its error, and the next one follows.

    Args:
        path: A paper's file (see `papers.content.read_content`), or ``.jsonl``, ``.json`` or
            ``.parquet`` with papers or reviews.

    Raises:
        InputError: If the file cannot be used; says what to do.
    """
    path = Path(path)
    if path.suffix.lower() not in _RECORDS:
        content = read_content(path)
        yield _paper(str(path), paper_of(content, PaperRow(paper_id=path.stem)), content)
        return
    if path.suffix.lower() == ".json":
        yield _record(path, Row(1, 0, decode(read_text(path).encode(), path, 1)))
        return
    for row in Shelf.of(path).rows():
        try:
            yield _record(path, row)
        except InputError as error:
            yield error


def _record(path: Path, row: Row) -> Inspection:
    if row.error is not None or row.record is None:
        assert row.error is not None
        raise row.error
    try:
        if "review_id" in row.record:
            return _review(path, ReviewRow.model_validate({"paper_id": "?", **row.record}))
        paper = PaperRow.model_validate({"paper_id": path.stem, **row.record})
    except ValidationError as error:
        raise input_error(error, file=path, line=row.line) from error
    name = f"{path}: {paper.paper_id}"
    if paper.source_file:
        content = read_content(path.parent / paper.source_file)
        return _paper(name, paper_of(content, paper), content)
    return _paper(name, build_paper(paper), Content(text_of(paper), "jsonl"))


def _paper(name: str, paper: Paper, content: Content) -> Inspection:
    pdf = content.pdf
    tidied = tidy(content.text)
    end = cut_from(paper)
    return Inspection(
        name=name,
        kind=content.source,
        title=paper.title,
        characters=len(paper.text),
        pages=len(pdf.pages) if pdf is not None else None,
        lost=pdf.lost if pdf is not None else None,
        badly_read=badly_read(paper.text, pdf),
        sections=tuple(
            SeenSection(
                label=one.label,
                zone=one.zone.value,
                characters=one.end - one.start,
                page=paper.page_at(one.start),
                shown=end is None or one.start < end,
            )
            for one in paper.sections
        ),
        furniture=dict(Counter(map(_named, pdf.furniture))) if pdf is not None else {},
        hidden=(*content.unseen, *tidied.hidden),
        addressing=addressed(paper.text, paper.pages),
        scripts=pdf.scripts if pdf is not None else 0,
        unlooked=pdf.unlooked if pdf is not None else (),
        missing=paper.missing.words,
        notes=paper.notes,
    )


def _named(furniture: str) -> str:
    return "page numbers" if furniture.isdigit() else furniture


def _review(path: Path, row: ReviewRow) -> Inspection:
    """A review, its boxes one after the other."""
    boxes = row.sections or {"text": row.text or ""}
    texts = [tidy(text) for text in boxes.values()]
    whole = "\n\n".join(one.text for one in texts)
    return Inspection(
        name=f"{path}: {row.review_id}",
        kind="review",
        characters=len(whole),
        hidden=tuple(hidden for one in texts for hidden in one.hidden),
        addressing=addressed(whole),
    )
