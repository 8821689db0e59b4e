"""A paper: its text, sections and the spans that evidence points to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from reviewscore.printable import counted
from reviewscore.schema.confidentiality import Consent
from reviewscore.schema.page_image import ShownPages
from reviewscore.schema.record import Record, Word, shortened
from reviewscore.schema.scale import Score

_VERSION = re.compile(r"@v(?P<number>[1-9]\d{0,5})\Z")
"""What follows a paper's identifier in that of a later version of it."""


def base_paper_id(paper_id: str) -> str:
    """The paper that a version is of: ``p1`` of ``p1@v2``, and of ``p1``, which is the first."""
    return _VERSION.sub("", paper_id)


def version_number(paper_id: str) -> int:
    """Which version of its paper an identifier names, counted from 1."""
    match = _VERSION.search(paper_id)
    return int(match["number"]) if match else 1


def version_id(paper_id: str, number: int) -> str:
    """The identifier of a version of a paper; the first has the paper's own."""
    return paper_id if number == 1 else f"{paper_id}@v{number}"


class Zone(StrEnum):
    """What a section is for; it decides how much a sentence in it can prove."""

    FRONT = "front"  # title, authors, everything before the abstract
    ABSTRACT = "abstract"
    BODY = "body"
    RELATED_WORK = "related_work"
    REFERENCES = "references"
    APPENDIX = "appendix"
    BACK = "back"  # acknowledgements, author contributions
    CHECKLIST = "checklist"  # a venue's questions and guidelines with the authors' answers
    BOILERPLATE = "boilerplate"  # a venue's headers, licence lines, anonymity notes
    REBUTTAL = "rebuttal"  # answers to reviews, which reviewers did not have


class DocumentKind(StrEnum):
    """What a document of a paper is."""

    SUBMISSION = "submission"
    SUPPLEMENT = "supplement"
    CODE = "code"
    REVISION = "revision"  # handed in after the reviews


class DoubtKind(StrEnum):
    """Why a text, or a passage of it, may not be what reviewers read."""

    CAMERA_READY = "camera_ready"  # of a paper: it is published, or names its authors
    REVISED_VERSION = "revised_version"  # of a paper: it says that it was changed after reviews
    REBUTTAL_SECTION = "rebuttal_section"  # of passages, as the following ones
    REVISED_TEXT = "revised_text"
    REVISION = "revision"

    @property
    def of_passages(self) -> bool:
        """Whether it is about passages, which then carry no flag, and not about a whole paper."""
        return self in (self.REBUTTAL_SECTION, self.REVISED_TEXT, self.REVISION)


class Doubt(Record):
    """A named doubt whether reviewers read what is at hand.

    Attributes:
        kind: What kind of doubt.
        sign: What shows it, in words.
        score: What the judge said on the strength of such passages alone, 1..5; it counts for
            nothing. None for a doubt about a paper, and for the embedded judge.
    """

    kind: DoubtKind
    sign: str
    score: Score | None = Field(default=None, exclude_if=lambda value: value is None)


class PaperDocument(Record):
    """A document of a paper that has several: a stretch of the paper's text.

    Attributes:
        kind: What it is.
        name: Name of its file; empty where it came as text.
        start: Offset of its first character in the paper's text.
        end: Offset just after its last one.
        pages: Offset in the paper's text at which each of its pages begins; empty if not known.
    """

    kind: DocumentKind
    name: str = ""
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    pages: tuple[int, ...] = ()


class RevisedSpan(Record):
    """A stretch of a paper's text that says of itself that it came after the reviews.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last one.
        sign: What says so, in the paper's words.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    sign: str


Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points; the origin is the page's lower left corner."""


def around(boxes: Iterable[Box]) -> Box:
    """The box around boxes."""
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)


class TextLine(Record):
    """A line of the paper as it is printed.

    Attributes:
        start: Offset in the paper's text of its first character (of a number that stands alone,
            of the next character of the text).
        page: 1-based page; None where pages are not known.
        box: Its place on the page; None where the layout is not known.
        number: The line number printed beside it, without leading zeros; None where there is none.
        exact: Whether the number was seen with its line; else the place is reckoned from the lines
            around it.
    """

    start: int = Field(ge=0)
    page: int | None = Field(default=None, ge=1)
    box: Box | None = None
    number: int | None = Field(default=None, ge=0)
    exact: bool = True


class Missing(Record):
    """What the paper prints and its text lacks, because a converter left it out.

    Attributes:
        formulas: Placeholders of formulas.
        figures: Placeholders of figures, or captions whose figure the text cannot show.
        figures_unseen: Whether figures are missing as a whole: no text holds what they show.
    """

    formulas: int = Field(default=0, ge=0)
    figures: int = Field(default=0, ge=0)
    figures_unseen: bool = False

    @property
    def words(self) -> str:
        """Formulas and figures that are missing, such as ``26 formulas and all figures``."""
        parts = [counted(self.formulas, "formula")] if self.formulas else []
        if self.figures:
            parts.append("all figures" if self.figures_unseen else counted(self.figures, "figure"))
        return " and ".join(parts)


NOTHING_MISSING = Missing()


class Section(Record):
    """One section of a paper.

    Attributes:
        title: Heading without its number, in the paper's spelling; empty for the front matter.
        number: Number as printed (``3.1``, ``A``), if any.
        level: 1 for sections, 2 for subsections, and so on.
        start: Offset of the heading's first character in the paper's text.
        heading_end: Offset just after the heading.
        end: Offset just after the section's own text (subsections are sections of their own).
        zone: What the section is for.
    """

    title: str
    number: str | None = None
    level: int = Field(ge=1)
    start: int = Field(ge=0)
    heading_end: int = Field(ge=0)
    end: int = Field(ge=0)
    zone: Zone = Zone.BODY

    @property
    def label(self) -> str:
        """Number and title as one would cite them."""
        return " ".join(part for part in (self.number, self.title) if part) or self.zone.value


class VenueSpan(Record):
    """A stretch of a paper's text that is its venue's and not the authors'; it proves nothing.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last one.
        zone: ``checklist`` (questions and guidelines, which model judges do not see) or
            ``boilerplate`` (review notes, licences, anonymity notes).
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    zone: Zone


NOT_SHOWN = "what is not among the excerpts"
"""The part of unread stretches of a paper of which judges see excerpts."""


class UnreadSpan(Record):
    """A stretch of a paper's text that judges do not see.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last one.
        part: What it is: ``references``, ``appendix``, ``statements`` (acknowledgements, ethics
            statements, checklists), ``questions of a checklist``, or `NOT_SHOWN`.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    part: str


class Unread(Record):
    """How much of a paper judges did not see.

    Attributes:
        parts: Characters of each part that they did not see, such as ``{"references": 9120}``.
        characters: Characters of the whole paper.
        missing: What the text at hand lacks of the paper.
    """

    parts: dict[str, int]
    characters: int
    missing: Missing = NOTHING_MISSING


class UnreadTotal(Record):
    """How much of some papers judges did not see.

    Attributes:
        papers: Papers of which they did not see a part, by the part.
        unread: Characters that they did not see.
        characters: Characters of these papers.
        formulas: Formulas that the texts lack.
        papers_without_formulas: Papers whose text lacks formulas.
        papers_without_figures: Papers whose text lacks figures.
    """

    papers: dict[str, int]
    unread: int
    characters: int
    formulas: int = 0
    papers_without_formulas: int = 0
    papers_without_figures: int = 0

    @classmethod
    def over(cls, papers: Iterable[Unread]) -> UnreadTotal | None:
        """The total over papers; None if everything was read."""
        parts: Counter[str] = Counter()
        unread = characters = formulas = without_formulas = without_figures = 0
        for paper in papers:
            if paper.parts:
                parts.update(paper.parts.keys())
                unread += sum(paper.parts.values())
                characters += paper.characters
            formulas += paper.missing.formulas
            without_formulas += paper.missing.formulas > 0
            without_figures += paper.missing.figures > 0
        if not parts and not without_formulas and not without_figures:
            return None
        return cls(
            papers=dict(parts.most_common()),
            unread=unread,
            characters=characters,
            formulas=formulas,
            papers_without_formulas=without_formulas,
            papers_without_figures=without_figures,
        )


def _is_empty(value: tuple[object, ...]) -> bool:
    """Whether a field says nothing; such fields of later versions are not written."""
    return not value


class Paper(Record):
    """A paper as the judges see it.

    Offsets everywhere are Python string indices into ``text``; sections are contiguous, ordered,
    and cover the whole text.

    Attributes:
        paper_id: Identifier, unique in its collection.
        title: Title of the paper.
        title_doubt: Why ``title``, where it was read from a PDF, may not be the title, in words;
            empty where nothing speaks against it.
        text: Whole text, unchanged from the input (or as extracted from the PDF).
        sections: Sections in reading order.
        year: Year of the submission; premises about the field are judged as of this year.
        language: ISO 639 code of its language, where that is not English.
        source: Format it was read from: ``jsonl``, ``parquet``, ``text``, ``markdown``, ``tei``,
            ``latex``, ``html`` or ``pdf``.
        notes: Doubts about the text, such as ``no section headings found``.
        warnings: What makes verdicts on this paper doubtful: much of it lost in reading, text
            that people cannot see, text that addresses a model.
        pages: Offset in ``text`` at which each page of the PDF begins, ascending; empty where
            pages are not known.
        lines: Lines as they are printed, in reading order: their numbers and places. Line numbers
            are no part of ``text``. Empty where neither is known.
        missing: What the text lacks of the paper.
        venue_text: Stretches of ``text`` that are the venue's and not the authors', ascending.
        unread_spans: Stretches of ``text`` that judges do not see, ascending.
        documents: The documents of a paper that has several, in the order of ``text``, what
            reviewers had first. Empty for a paper of one.
        revised_spans: Stretches of ``text`` that say of themselves that they came after the
            reviews, ascending.
        doubts: Why the text as a whole may not be what reviewers read.
        shown_pages: Its pages as images, where judges are shown those; never written down.
        consent: Who may judge it; None where its record does not say.
    """

    paper_id: str
    title: str
    text: str
    sections: tuple[Section, ...] = ()
    abstract: str | None = None
    venue: str | None = None
    year: int | None = None
    decision: str | None = None
    authors_withheld: bool | None = None
    language: str | None = None
    source: str = "jsonl"
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    lines: tuple[TextLine, ...] = ()
    missing: Missing = NOTHING_MISSING
    venue_text: tuple[VenueSpan, ...] = ()
    unread_spans: tuple[UnreadSpan, ...] = ()
    title_doubt: str = ""
    documents: tuple[PaperDocument, ...] = Field(default=(), exclude_if=_is_empty)
    revised_spans: tuple[RevisedSpan, ...] = Field(default=(), exclude_if=_is_empty)
    doubts: tuple[Doubt, ...] = Field(default=(), exclude_if=_is_empty)
    shown_pages: ShownPages | None = Field(default=None, exclude=True, repr=False)
    consent: Consent | None = Field(default=None, exclude_if=lambda value: value is None)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, self.paper_id
        yield None, shortened(self.title)
        yield None, Word(f"{len(self.text):,} characters")

    @model_validator(mode="after")
    def _sections_tile_the_text(self) -> Paper:
        position = 0
        for section in self.sections:
            if section.start != position or not (
                section.start <= section.heading_end <= section.end
            ):
                raise ValueError(f"section '{section.label}' does not start where the last ends")
            position = section.end
        if self.sections and position != len(self.text):
            raise ValueError("the sections do not cover the text")
        return self

    @property
    def unread(self) -> Unread | None:
        """How much of it judges do not see; None if they see everything that it prints."""
        parts: dict[str, int] = {}
        for span in self.unread_spans:
            parts[span.part] = parts.get(span.part, 0) + span.end - span.start
        if not parts and not self.missing.words:
            return None
        return Unread(parts=parts, characters=len(self.text), missing=self.missing)

    @cached_property
    def read_text(self) -> str:
        """The text that judges see."""
        return "".join(self.text[start:end] for start, end in self.read_spans)

    @cached_property
    def excerpt_share(self) -> float | None:
        """The share that judges see of what they would else see, 0..1; None if all of that."""
        hidden = sum(span.end - span.start for span in self.unread_spans if span.part == NOT_SHOWN)
        read = sum(end - start for start, end in self.read_spans)
        return read / (read + hidden) if hidden else None

    @cached_property
    def read_spans(self) -> list[tuple[int, int]]:
        """The stretches of ``text`` that judges see, ascending, each as start and end."""
        edges = [0, *(edge for span in self.unread_spans for edge in (span.start, span.end))]
        ends = [*edges[1:], len(self.text)]
        return [pair for pair in zip(edges[::2], ends[::2], strict=True) if pair[0] < pair[1]]

    def is_read(self, offset: int) -> bool:
        """Whether judges see the character at an offset of ``text``."""
        return not any(span.start <= offset < span.end for span in self.unread_spans)

    def span_in_text(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of `read_text` as one of ``text``; None if something unread lies within it."""
        before = 0
        for first, last in self.read_spans:
            shift = first - before
            before += last - first
            if start < before:
                return (start + shift, end + shift) if end <= before else None
        return None

    def is_venue_text(self, start: int, end: int) -> bool:
        """Whether a stretch of ``text``, as a whole or by half, is the venue's."""
        shared = sum(
            max(0, min(span.end, end) - max(span.start, start)) for span in self.venue_text
        )
        return 2 * shared >= end - start > 0

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self.sections]

    def section_at(self, offset: int) -> Section | None:
        """The section that holds a character, or None in a paper without sections."""
        if not self.sections:
            return None
        return self.sections[max(0, bisect_right(self._starts, offset) - 1)]

    def page_at(self, offset: int) -> int | None:
        """The 1-based page that holds a character, counted in its document; None if not known."""
        document = self.document_at(offset)
        pages = self.pages if document is None else document.pages
        return max(1, bisect_right(pages, offset)) if pages else None

    def document_at(self, offset: int) -> PaperDocument | None:
        """The document that holds a character; None in a paper of one document."""
        held = (document for document in self.documents if document.start <= offset < document.end)
        return next(held, None)

    def doubt_at(self, start: int, end: int) -> Doubt | None:
        """Why reviewers could not see a stretch of ``text``; None if nothing speaks for that.

        A stretch of which half or more came after the reviews counts.
        """
        document = self.document_at(start)
        later = self.documents[1:]  # where there is nothing else, the first may be a revision
        if document in later and document.kind is DocumentKind.REVISION:
            return Doubt(kind=DoubtKind.REVISION, sign=document.name or "given as text")
        section = self._rebuttal_at(start)
        if section is not None:
            return Doubt(kind=DoubtKind.REBUTTAL_SECTION, sign=section.label)
        for span in self.revised_spans:
            if 2 * (min(span.end, end) - max(span.start, start)) >= end - start > 0:
                return Doubt(kind=DoubtKind.REVISED_TEXT, sign=span.sign)
        return None

    def _rebuttal_at(self, offset: int) -> Section | None:
        """The section that answers reviews, subsections and all, and holds a character."""
        place = max(0, bisect_right(self._starts, offset) - 1)
        if not self.sections or self.sections[place].zone is not Zone.REBUTTAL:
            return None
        top = self.sections[place]
        for section in reversed(self.sections[:place]):
            if section.zone is not Zone.REBUTTAL:
                break
            top = section if section.level < top.level else top
        return top

    @cached_property
    def as_reviewed(self) -> Paper:
        """The paper without its revision, if it has one beside its submission."""
        for before, document in pairwise(self.documents):
            if document.kind is DocumentKind.REVISION:
                return self.cut_at(before.end)
        return self

    @cached_property
    def submission(self) -> Paper:
        """The first document of a paper that has several, at the same offsets; else the paper."""
        return self.cut_at(self.documents[0].end) if self.documents else self

    def cut_at(self, end: int) -> Paper:
        """The paper up to an offset at which one of its documents ends."""
        values = {name: getattr(self, name) for name in Paper.model_fields}
        spans = ("sections", "venue_text", "unread_spans", "revised_spans", "documents")
        values |= {
            name: tuple(value for value in values[name] if value.end <= end) for name in spans
        }
        lines = tuple(line for line in self.lines if line.start < end)
        return Paper(**{**values, "text": self.text[:end], "lines": lines})


class Scope(StrEnum):
    """How much of a paper judges saw."""

    WHOLE = "whole"  # main text and appendix; references and checklists are not counted
    MAIN = "main"  # the appendix, or a part of it, was not shown
    EXCERPTS = "excerpts"  # the passages nearest to the point, and the abstract


class Seen(Record):
    """How much of a paper the judges of a point saw.

    Attributes:
        kind: ``whole``, ``main`` or ``excerpts``.
        share: Of the paper's characters, less what no judge is shown of it; 0..1.
        missing: What the text at hand lacks of the paper; None where nobody said.
        pages: How many pages they saw as images; None where they read text alone.
    """

    kind: Scope
    share: float = Field(ge=0, le=1)
    missing: Missing | None = Field(default=None, exclude_if=lambda value: value is None)
    pages: int | None = Field(default=None, ge=1, exclude_if=lambda value: value is None)


class Evidence(Record):
    """A passage of the paper that a verdict rests on.

    Attributes:
        quote: The paper's own characters, ``paper.text[start:end]``; if not verified, what the
            judge claimed to quote.
        start: Offset of the first character; None if the quote is not in the paper.
        end: Offset just after the last character.
        section: Label of the section it stands in.
        page: 1-based page of the PDF on which it begins; None where pages are not known.
        verified: Whether the quote was found in the paper, exactly or after normalising white
            space, hyphenation and ligatures. An unverified quote is never shown as evidence.
        of_venue: Whether the quote was found in text that is the venue's, such as the guidelines
            of a checklist, and is not verified for that reason.
        document: The document of the paper that it stands in; None if the paper has but one.
            ``page`` counts in it, ``start`` and ``end`` in the text of all.
        doubt: Why reviewers could not see it; such a passage carries no flag. None if nothing
            speaks for that.
        source: Of what a judge says that it read off a table or a figure and that is not in the
            text, which; such a reading is not verified and carries no flag. Likewise of a figure's
            caption that stands for a reading, which is verified. None of any other quote.
        acknowledges: Whether it confirms what the point criticises ("the authors state this too");
            such a passage is never an answer. Left out where it does not.
    """

    quote: str
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    section: str | None = None
    page: int | None = Field(default=None, ge=1)
    verified: bool
    of_venue: bool = False
    document: DocumentKind | None = Field(default=None, exclude_if=lambda value: value is None)
    doubt: Doubt | None = Field(default=None, exclude_if=lambda value: value is None)
    source: Literal["table", "figure"] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    acknowledges: bool = Field(default=False, exclude_if=lambda value: not value)

    @property
    def place(self) -> str:
        """Document, section and page, as far as known, such as ``supplement, A Proofs, p. 4``."""
        page = None if self.page is None else f"p. {self.page}"
        apart = self.document not in (None, DocumentKind.SUBMISSION)
        document = self.document.value if apart and self.document is not None else None
        return ", ".join(part for part in (document, self.section, page) if part)
