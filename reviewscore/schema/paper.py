"""A paper: its text, sections and the spans that evidence points to."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property

from pydantic import Field, model_validator

from reviewscore.schema.record import Record, Word, shortened


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
        parts = [_counted(self.formulas, "formula")] if self.formulas else []
        if self.figures:
            parts.append("all figures" if self.figures_unseen else _counted(self.figures, "figure"))
        return " and ".join(parts)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


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


class UnreadSpan(Record):
    """A stretch of a paper's text that judges do not see.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last one.
        part: What it is: ``references``, ``appendix``, ``statements`` (acknowledgements, ethics
            statements, checklists) or ``questions of a checklist``.
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
        return "".join(self.text[start:end] for start, end in self._read_spans)

    @cached_property
    def _read_spans(self) -> list[tuple[int, int]]:
        edges = [0, *(edge for span in self.unread_spans for edge in (span.start, span.end))]
        ends = [*edges[1:], len(self.text)]
        return [pair for pair in zip(edges[::2], ends[::2], strict=True) if pair[0] < pair[1]]

    def is_read(self, offset: int) -> bool:
        """Whether judges see the character at an offset of ``text``."""
        return not any(span.start <= offset < span.end for span in self.unread_spans)

    def span_in_text(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of `read_text` as one of ``text``; None if something unread lies within it."""
        before = 0
        for first, last in self._read_spans:
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
        """The 1-based page of the PDF that holds a character; None where pages are not known."""
        return max(1, bisect_right(self.pages, offset)) if self.pages else None


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
    """

    quote: str
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    section: str | None = None
    page: int | None = Field(default=None, ge=1)
    verified: bool
    of_venue: bool = False

    @property
    def place(self) -> str:
        """Section and page, as far as they are known, such as ``3.1 Setup, p. 4``."""
        page = None if self.page is None else f"p. {self.page}"
        return ", ".join(part for part in (self.section, page) if part)
