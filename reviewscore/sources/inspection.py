"""What there is to know about a file before anything in it is judged, as `inspect` shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from reviewscore.errors import InputError
from reviewscore.papers.addressing import Addressing, talk_of_prompts
from reviewscore.papers.hidden import Hidden, unseen_characters
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import Content, PaperRow, build_paper, paper_of, read_content, text_of
from reviewscore.papers.paper_warnings import addressed, badly_read, foreign_words, in_names
from reviewscore.papers.parts import cut_from
from reviewscore.schema.paper import Paper
from reviewscore.schema.record import Record, storable
from reviewscore.sources.records import ENDINGS, RecordFile, RecordRow, as_model
from reviewscore.sources.reviews import ReviewRow


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


class LineNumbers(Record):
    """Line numbers that are printed beside the text; they are no part of it.

    Attributes:
        count: How many lines have one.
        first: The lowest number.
        last: The highest.
        pages: Pages that have them; None where pages are not known.
    """

    count: int
    first: int
    last: int
    pages: int | None = None


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
        line_numbers: Line numbers beside the text; None if there are none.
        furniture: Running heads, page and margin numbers left out, with their number.
        hidden: Text that people cannot see; it is left out.
        addressing: Passages that address a model; they are kept, as data.
        about_prompts: In how many places it speaks of prompts and of attacks by them; what it
            only quotes of them is no alarm.
        unseen: Characters without width or with direction in the text, in words; models do not
            get them.
        named: Titles, abstracts and names that address a model, in words.
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
    line_numbers: LineNumbers | None = None
    furniture: dict[str, int] = Field(default_factory=dict)
    hidden: tuple[Hidden, ...] = ()
    addressing: tuple[Addressing, ...] = ()
    about_prompts: int = 0
    unseen: str = ""
    named: tuple[str, ...] = ()
    scripts: int = 0
    unlooked: tuple[int, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()

    @property
    def suspicious(self) -> bool:
        """Whether to look at it again: hidden text or signs, text for a model, a bad reading."""
        return (
            bool(self.badly_read)
            or any(not one.stray for one in self.hidden)
            or any(not one.quoted for one in self.addressing)
            or bool(self.named or self.unseen)
        )


def inspect_file(path: Path) -> Iterator[Inspection | InputError]:
    """What was found in a paper's file, or in each record of papers or reviews.

    A record that cannot be used gives its error, and the next one follows.

    Args:
        path: A paper's file (see `papers.load.read_content`), or a file of records of papers
            or reviews (see `records.ENDINGS`).

    Raises:
        InputError: If the file cannot be used; says what to do.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        content = read_content(path)
        yield _paper(
            storable(str(path)), paper_of(content, PaperRow(paper_id=storable(path.stem))), content
        )
        return
    for row in RecordFile.of(path).rows():
        try:
            yield _record(path, row)
        except InputError as error:
            yield error


def _record(path: Path, row: RecordRow) -> Inspection:
    if "review_id" in row.value:
        row = replace(row, record={"paper_id": "?", **row.value})
        return _review(path, as_model(row, ReviewRow, path))
    row = replace(row, record={"paper_id": storable(path.stem), **row.value})
    paper = as_model(row, PaperRow, path)
    name = f"{storable(str(path))}: {paper.paper_id}"
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
        line_numbers=_line_numbers(paper),
        furniture=dict(Counter(map(_named, pdf.furniture))) if pdf is not None else {},
        hidden=(*content.unseen, *tidied.hidden),
        addressing=addressed(paper.text, paper.pages),
        about_prompts=talk_of_prompts(paper.text),
        unseen=unseen_characters(paper.text),
        named=in_names({"title": paper.title, "abstract": paper.abstract, "file": Path(name).stem}),
        scripts=pdf.scripts if pdf is not None else 0,
        unlooked=pdf.unlooked if pdf is not None else (),
        missing=paper.missing.words,
        notes=(*foreign_words(paper.language), *paper.notes),
    )


def _line_numbers(paper: Paper) -> LineNumbers | None:
    numbered = [(line.number, line.page) for line in paper.lines if line.number is not None]
    if not numbered:
        return None
    numbers = [number for number, _ in numbered]
    pages = {page for _, page in numbered if page is not None}
    return LineNumbers(
        count=len(numbers), first=min(numbers), last=max(numbers), pages=len(pages) or None
    )


def _named(furniture: str) -> str:
    return "page numbers" if furniture.isdigit() else furniture


def _review(path: Path, row: ReviewRow) -> Inspection:
    """A review, its boxes one after the other, and then what the authors answered."""
    boxes = row.sections or {"text": row.text or ""}
    texts = [tidy(text) for text in (*boxes.values(), row.author_response or "") if text]
    whole = "\n\n".join(one.text for one in texts)
    names = {"id": row.review_id, "reviewer": row.reviewer}
    names |= {f"name of section {number}": name for number, name in enumerate(boxes, 1)}
    return Inspection(
        name=f"{storable(str(path))}: {row.review_id}",
        kind="review",
        characters=len(whole),
        hidden=tuple(hidden for one in texts for hidden in one.hidden),
        addressing=addressed(whole),
        about_prompts=talk_of_prompts(whole),
        unseen=unseen_characters(whole),
        named=in_names(names),
    )
