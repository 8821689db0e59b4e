"""What there is to know about a file before anything in it is judged, as `inspect` shows it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from reviewscore.errors import InputError
from reviewscore.papers.addressing import Addressing, talk_of_prompts
from reviewscore.papers.documents import of_a_revision
from reviewscore.papers.hidden import Hidden, unseen_characters
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.load import (
    Content,
    PaperRow,
    build_paper,
    document_content,
    paper_of,
    read_content,
    text_of,
)
from reviewscore.papers.paper_warnings import addressed, badly_read, foreign_words, in_names
from reviewscore.papers.parts import cut_from
from reviewscore.papers.versions import doubt_words
from reviewscore.schema.paper import DocumentKind, Paper, Zone
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
        title_doubt: Why it may not be the title, in words; empty where nothing speaks against it.
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
        version: Why it may not be what reviewers read, in words.
        after_review: Sections and passages that came after the reviews, in words; no flag rests on
            them.
    """

    name: str
    kind: str
    title: str = ""
    title_doubt: str = ""
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
    version: tuple[str, ...] = ()
    after_review: tuple[str, ...] = ()

    @property
    def suspicious(self) -> bool:
        """Whether to look at it again: hidden text or signs, text for a model, a bad reading."""
        return (
            bool(self.badly_read)
            or any(not hidden_text.stray for hidden_text in self.hidden)
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
    if path.is_dir():
        raise _folder(path)
    if path.suffix.lower() not in ENDINGS:
        content = read_content(path, of="file")
        yield _paper(
            storable(str(path)), paper_of(content, PaperRow(paper_id=storable(path.stem))), content
        )
        return
    for row in RecordFile.of(path).rows():
        try:
            yield from _record(path, row)
        except InputError as error:
            yield error


_SHOWN = 3
_LOOKED_AT = frozenset({".pdf", ".md", ".tex", ".tei", ".xml", ".html", ".txt", *ENDINGS})
"""Endings of files of a folder that one would look at."""


def _folder(folder: Path) -> InputError:
    """That a folder is no file, and what to type to look at its files."""
    try:
        files = [path for path in folder.iterdir() if path.is_file() and path.name[0] != "."]
    except OSError as error:
        return InputError(f"cannot be read: {error.strerror}", file=folder)
    names = Counter(file.suffix.lower() for file in files if file.suffix.lower() in _LOOKED_AT)
    if not names:
        return InputError(
            "is a folder without papers or reviews", file=folder, cure="name their files"
        )
    chosen = [f"{shlex.quote(str(folder))}/*{ending}" for ending, _ in names.most_common(_SHOWN)]
    return InputError(
        "is a folder; its files are looked at by name",
        file=folder,
        cure=f"type reviewscore inspect {' '.join(chosen)}",
    )


def _record(path: Path, row: RecordRow) -> Iterator[Inspection]:
    """A review, or a paper and then each of its further documents."""
    if "review_id" in row.value:
        row = replace(row, record={"paper_id": "?", **row.value})
        yield _review(path, as_model(row, ReviewRow, path))
        return
    row = replace(row, record={"paper_id": storable(path.stem), **row.value})
    paper = as_model(row, PaperRow, path)
    name = f"{storable(str(path))}: {paper.paper_id}"
    if paper.source_file:
        content = read_content(path.parent / paper.source_file)
        own = paper_of(content, paper)
    else:
        content = Content(text_of(paper), "jsonl")
        own = build_paper(paper.model_copy(update={"documents": None}))
    revision = paper.own_kind is DocumentKind.REVISION
    yield _paper(name, of_a_revision(own) if revision else own, content)
    for document in paper.documents or ():
        content = document_content(document, "jsonl", path.parent)
        alone = PaperRow(paper_id=paper.paper_id, file=document.source_file)
        about = f"{name}, {document.kind.value} {document.source_file or ''}".strip()
        yield _paper(about, paper_of(content, alone), content)


def _paper(name: str, paper: Paper, content: Content) -> Inspection:
    pdf = content.pdf
    tidied = tidy(content.text)
    end = cut_from(paper)
    return Inspection(
        name=name,
        kind=content.source,
        title=paper.title,
        title_doubt=paper.title_doubt,
        characters=len(paper.text),
        pages=len(pdf.pages) if pdf is not None else None,
        lost=pdf.lost if pdf is not None else None,
        badly_read=badly_read(paper.text, pdf),
        sections=tuple(
            SeenSection(
                label=section.label,
                zone=section.zone.value,
                characters=section.end - section.start,
                page=paper.page_at(section.start),
                shown=end is None or section.start < end,
            )
            for section in paper.sections
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
        version=tuple(map(doubt_words, paper.doubts)),
        after_review=tuple(_after_review(paper)),
    )


def _after_review(paper: Paper) -> Iterator[str]:
    """What came after the reviews, each place in words."""
    for section in paper.sections:
        if section.zone is Zone.REBUTTAL:
            yield f"section {section.label}{_page(paper, section.start)}"
    for span in paper.revised_spans:
        size = f"{span.end - span.start:,} characters"
        yield f"{size}{_page(paper, span.start)}, marked “{span.sign}”"


def _page(paper: Paper, offset: int) -> str:
    page = paper.page_at(offset)
    return f", character {offset:,}" if page is None else f", p. {page}"


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
    whole = "\n\n".join(tidy_text.text for tidy_text in texts)
    names = {"id": row.review_id, "reviewer": row.reviewer}
    names |= {f"name of section {number}": name for number, name in enumerate(boxes, 1)}
    return Inspection(
        name=f"{storable(str(path))}: {row.review_id}",
        kind="review",
        characters=len(whole),
        hidden=tuple(hidden for text in texts for hidden in text.hidden),
        addressing=addressed(whole),
        about_prompts=talk_of_prompts(whole),
        unseen=unseen_characters(whole),
        named=in_names(names),
    )
