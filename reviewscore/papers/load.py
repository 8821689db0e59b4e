"""A paper from a file or a record: PDF, Markdown, TEI, LaTeX, HTML, text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from reviewscore.errors import InputError
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.converted import Converted, in_one_notation, left_out
from reviewscore.papers.documents import DocumentPart, joined, of_a_revision
from reviewscore.papers.hidden import Hidden, comments
from reviewscore.papers.hygiene import TidyText, read_text, tidy, without_surrogates
from reviewscore.papers.latex import read_latex
from reviewscore.papers.line_map import UnnumberedText, without_line_numbers
from reviewscore.papers.paper_warnings import foreign_words, in_names, warnings_of
from reviewscore.papers.pdf import PdfReading, read_pdf
from reviewscore.papers.sections import Candidate, find_sections, number_of, tiled
from reviewscore.papers.tei import read_tei
from reviewscore.papers.venue_text import (
    find_checklist,
    venue_text,
    with_checklist,
    without_checklist,
)
from reviewscore.papers.versions import revised_spans, version_doubts, with_rebuttals
from reviewscore.papers.web_page import is_web_page, read_web_page
from reviewscore.schema.confidentiality import Consent
from reviewscore.schema.paper import (
    NOTHING_MISSING,
    DocumentKind,
    Missing,
    Paper,
    Section,
    TextLine,
    Zone,
)
from reviewscore.schema.record import storable
from reviewscore.text.language import ENGLISH, language_of

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


NO_HEADINGS = "no section headings found"
_MAX_TITLE = 300
_TITLE_LINES = 3
_CUT_TITLE = 2
"""Spaces in a given title from which on it may be the first line of a longer one."""
_FIRST_LINES = 40
_LANGUAGE_SAMPLE = 20_000
"""Characters at the beginning of a paper that its language is told by."""


def _nothing(value: object) -> object:
    """Empty cells of tables come as NaN; they mean that nothing was given."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124


def _text(value: object) -> object:
    """Identifiers are often numbers."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _from_cell(value: object) -> object:
    """A list or mapping, or the JSON text of it, as it is written into a table's cell."""
    value = _nothing(value)
    if isinstance(value, str):
        try:
            value = load_json(value) if value.strip() else None
        except ValueError as error:
            raise ValueError(f"is not JSON that can be used: {error}") from None
    return value


def _sections(value: object) -> object:
    """Sections as a list, a mapping from titles to texts, or the JSON text of either."""
    value = _from_cell(value)
    if isinstance(value, dict):
        return [{"title": title, "text": text or ""} for title, text in value.items()]
    return value


_OWN = (DocumentKind.SUBMISSION, DocumentKind.REVISION)
"""What a paper's own text may be, what reviewers read first."""
_MOST_DOCUMENTS = 20
"""Further documents of a paper."""


def _file_name(value: str | None) -> str | None:
    if value is not None and "\0" in value:
        raise ValueError("has a NUL, as no file's name has")
    return value


Identifier = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
Word = Annotated[str | None, BeforeValidator(_nothing)]
FileName = Annotated[Word, AfterValidator(_file_name)]
Number = Annotated[int | None, BeforeValidator(_nothing)]


def _consent(value: object) -> object:
    """A consent as it is, or nothing; what is neither must not pass for either."""
    value = _nothing(value)
    if value is None or value in get_args(Consent):
        return value
    said = json.dumps(value, default=str)[:_SAID]
    raise ValueError(f'{said} says not who may judge it; write "provider", "local" or "none"')


_SAID = 40
"""Characters of a wrong value that are shown."""
DeclaredConsent = Annotated[Consent | None, BeforeValidator(_consent)]
"""Who may judge a text, as its record says; None where it does not."""


class SectionRow(BaseModel):
    """A section as given in a record.

    Attributes:
        title: Heading; ``heading`` does too.
        text: Text below it.
    """

    title: str | None = Field(default=None, validation_alias=AliasChoices("title", "heading"))
    text: str | None = None


class DocumentRow(BaseModel):
    """A further document of a paper as given in its record.

    Attributes:
        kind: ``supplement``, ``code``, ``revision``, or ``submission`` where the record itself
            holds no text.
        text: Its text.
        file: Its file, by its path in the folder, as of a paper; ``pdf`` does too.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: DocumentKind
    text: Word = None
    file: FileName = Field(default=None, validation_alias=AliasChoices("file", "pdf"))

    @model_validator(mode="after")
    def _has_text(self) -> DocumentRow:
        if not (self.file or (self.text and self.text.strip())):
            raise ValueError(f"the {self.kind.value} has no text; give `text`, `file` or `pdf`")
        return self

    @property
    def source_file(self) -> str | None:
        """Path of the file that the text is read from, where the record holds none."""
        return None if self.text and self.text.strip() else self.file


class PaperRow(BaseModel):
    """One record of ``papers.jsonl`` or ``papers.parquet``; unknown fields are ignored.

    Attributes:
        paper_id: Identifier, unique in the file; a number does too.
        title: Title of the paper; without it, the first heading or line of the text.
        text: Whole text of the paper.
        abstract: The abstract, where it is given apart.
        venue: Venue it was submitted to.
        year: Year of the submission: premises about the field are judged as of this year.
        decision: What became of it; never shown to judges.
        sections: Sections in order, as a list of ``title`` and ``text`` or as an object from
            titles to texts.
        pdf: The same as ``file``. Judges may be shown the pages of a PDF that either names, also
            where the record holds the text.
        file: PDF, Markdown, LaTeX (``.tex``), arXiv's HTML, TEI (``.tei.xml``) or text file, by its
            path in the folder; read where
            the record holds no text.
        authors_withheld: Whether the authors' names were taken out.
        documents: Further documents of the paper, each with its ``kind``. Where the record holds no
            text, the submission among them, else the first revision, is the paper's own.
        consent: Who may judge the paper and its reviews: ``provider`` (any model), ``local``
            (models on this machine alone) or ``none`` (nobody, not even the embedded judge).
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    paper_id: Identifier
    title: Word = None
    text: Word = None
    abstract: Word = None
    venue: Word = None
    year: Number = None
    decision: Word = None
    sections: Annotated[tuple[SectionRow, ...] | None, BeforeValidator(_sections)] = None
    pdf: FileName = None
    file: FileName = None
    authors_withheld: Annotated[bool | None, BeforeValidator(_nothing)] = None
    documents: Annotated[tuple[DocumentRow, ...] | None, BeforeValidator(_from_cell)] = None
    consent: DeclaredConsent = None
    _own_kind: DocumentKind = PrivateAttr(default=DocumentKind.SUBMISSION)

    @model_validator(mode="after")
    def _one_is_its_own(self) -> PaperRow:
        """Takes the document that is judged against out of the others."""
        given = list(self.documents or ())
        if not given:
            return self
        if len(given) > _MOST_DOCUMENTS:
            raise ValueError(f"are {len(given):,}, more than {_MOST_DOCUMENTS}; join some of them")
        kinds = [document.kind for document in given]
        has_own = self.has_text or bool(self.file or self.pdf)
        if kinds.count(DocumentKind.SUBMISSION) + has_own > 1:
            raise ValueError("has two submissions; give one, and the others as what they are")
        if has_own:
            return self
        own = next((kind for kind in _OWN if kind in kinds), None)
        if own is None:
            raise ValueError("has neither a submission nor a revision; give the paper's own text")
        document = given.pop(kinds.index(own))
        object.__setattr__(self, "text", document.text)  # frozen for all others
        object.__setattr__(self, "file", document.file)
        self._own_kind = own
        object.__setattr__(self, "documents", tuple(given))
        return self

    @property
    def own_kind(self) -> DocumentKind:
        """What the record's own text is: a submission, or a revision where there is no other."""
        return self._own_kind

    @property
    def source_files(self) -> tuple[str, ...]:
        """Paths of all files that texts are read from, the paper's own first."""
        documents = (row.source_file for row in self.documents or ())
        return tuple(filter(None, (self.source_file, *documents)))

    def moved(self, places: Mapping[str, str]) -> PaperRow:
        """The same record with its files at other places, by where they were."""
        documents = tuple(
            row.model_copy(update={"file": places.get(row.file or "", row.file)})
            for row in self.documents or ()
        )
        own = places.get(self.source_file or "")
        return self.model_copy(
            update={"documents": documents or None} | ({"file": own} if own else {})
        )

    @property
    def has_text(self) -> bool:
        """Whether the record itself holds text."""
        return bool(self.text and self.text.strip()) or any(
            section.text and section.text.strip() for section in self.sections or ()
        )

    @property
    def source_file(self) -> str | None:
        """Path of the file that the text is read from, where the record holds none."""
        return None if self.has_text else self.file or self.pdf


def input_error(
    error: ValidationError, *, file: Path | str | None = None, line: int | None = None
) -> InputError:
    """The first fault of a record as an error with its place and a cure."""
    fault = error.errors()[0]
    field = ".".join(str(part) for part in fault["loc"] if isinstance(part, str)) or None
    if fault["type"] == "missing":
        return InputError("is missing", file=file, line=line, field=field, cure="add the field")
    problem = fault["msg"].removeprefix("Value error, ")
    if fault["type"] != "value_error":
        problem = f"{problem[0].lower()}{problem[1:]}, not {type(fault['input']).__name__}"
    return InputError(problem, file=file, line=line, field=field, cure="correct the value")


def build_paper(
    row: PaperRow,
    *,
    source: str = "jsonl",
    folder: Path | None = None,
    year: int | None = None,
    doubts: bool = True,
) -> Paper:
    """The paper of a record.

    The text is the record's, else its sections in order, else that of its file (``file``: PDF,
    Markdown, LaTeX, HTML, TEI or text; ``pdf``: the same). Given sections are kept where they can
    be found in the text; otherwise headings are searched.

    Args:
        row: The record.
        source: Format it was read from.
        folder: What a file's path is relative to.
        year: Year to use instead of the record's.
        doubts: Whether to look for what is doubtful about it, which takes a third of the time.

    Raises:
        InputError: If there is no text, or the file cannot be used.
    """
    if row.source_file:
        content = read_content((folder or Path()) / row.source_file)
    else:
        content = Content(text_of(row), source)
    own = paper_of(content, row, _given(row), year=year, doubts=doubts)
    if row.own_kind is DocumentKind.REVISION:
        own = of_a_revision(own)
    further = []
    for document_row in row.documents or ():
        alone = PaperRow(paper_id=row.paper_id, file=document_row.source_file)
        read = paper_of(document_content(document_row, source, folder), alone, doubts=doubts)
        further.append(DocumentPart(document_row.kind, _name(document_row.source_file), read))
    return (
        joined(DocumentPart(row.own_kind, _name(row.source_file), own), further) if further else own
    )


def _name(file: str | None) -> str:
    """A file's name without its folder, which may be another on another machine."""
    return storable(Path(file).name) if file else ""


def document_content(document: DocumentRow, source: str, folder: Path | None) -> Content:
    """What is read of a further document; arguments as in `build_paper`.

    Raises:
        InputError: Its file cannot be used.
    """
    if document.source_file is None:
        return Content(document.text or "", source)
    return read_content((folder or Path()) / document.source_file, of=document.kind.value)


def text_of(row: PaperRow) -> str:
    """The text that a record holds: its text, or its sections in order; as it was given."""
    if row.text and row.text.strip():
        return row.text
    return "\n\n".join(
        f"{section_row.title or ''}\n\n{section_row.text or ''}".strip()
        for section_row in _given(row)
    )


def _given(row: PaperRow) -> list[SectionRow]:
    return [section for section in row.sections or () if section.text or section.title]


def paper_of(
    content: Content,
    row: PaperRow,
    given: Sequence[SectionRow] = (),
    *,
    year: int | None = None,
    doubts: bool = True,
) -> Paper:
    """The paper of what was read and what its record says of it; arguments as in `build_paper`.

    Raises:
        InputError: If there is no text.
    """
    tidied = tidy(content.text)
    # A PDF's line numbers are known by their places, before there is a text; TEI has none.
    laid_out = content.pdf is not None or bool(content.headings)
    converted = Converted(tidied.text, content.missing)
    if not laid_out:
        converted = in_one_notation(tidied.text)
    mended = UnnumberedText(tidied.mapped) if laid_out else without_line_numbers(converted.text)
    text, notes = mended.mapped.text, [*tidied.notes, *converted.notes, *mended.notes]
    if not text.strip():
        raise InputError(
            f"paper '{row.paper_id}' has no text", field="text", cure="give its text or its PDF"
        )
    checklist = find_checklist(text)
    bare = without_checklist(text, checklist)
    sections = with_checklist(_sections_of(bare, tidied, content, given, notes), checklist)
    if not any(section.heading_end > section.start for section in sections):
        notes.append(NO_HEADINGS)
    sections = with_rebuttals(sections, text)
    venue = venue_text(text, checklist)
    pdf = content.pdf
    pages = tuple(map(tidied.mapped.place_of, pdf.pages)) if pdf is not None else ()
    abstract = row.abstract or content.abstract
    language = None if (told := language_of(text[:_LANGUAGE_SAMPLE])) == ENGLISH else told
    warnings: tuple[str, ...] = ()
    if doubts:
        names = {"title": row.title or content.title, "abstract": abstract, "id": row.paper_id,
                 "file": row.source_file}  # fmt: skip
        unseen = (*content.unseen, *tidied.hidden)
        warnings = (
            *foreign_words(language),
            *warnings_of(text, unseen, pdf, pages),
            *in_names(names),
        )
    return Paper(
        paper_id=row.paper_id,
        title=_best_title(row.title or "", _title_read(content, text)) or row.paper_id,
        title_doubt="" if row.title or pdf is None else pdf.title_doubt,
        text=text,
        sections=sections,
        abstract=tidy(abstract).text if abstract else _abstract(text, sections),
        venue=row.venue,
        year=row.year if year is None else year,
        decision=row.decision,
        authors_withheld=row.authors_withheld,
        consent=row.consent,
        language=language,
        source=content.source,
        notes=(*notes, *content.notes, *(pdf.notes if pdf is not None else ())),
        warnings=warnings,
        pages=pages,
        lines=mended.lines
        or tuple(
            line.model_copy(update={"start": tidied.mapped.place_of(line.start)})
            for line in content.lines
        ),
        missing=converted.missing,
        venue_text=venue,
        revised_spans=revised_spans(text, sections, venue),
        doubts=version_doubts(text, sections, pdf.furniture if pdf is not None else ()),
    )


def _sections_of(
    text: str,
    tidied: TidyText,
    content: Content,
    given: Sequence[SectionRow],
    notes: list[str],
) -> tuple[Section, ...]:
    """The sections as given, as the format marks them, or as they are found."""
    if given:
        sections = _located(text, given)
        if sections is not None:
            return sections
        notes.append("the given sections are not in the text; headings were searched")
    if content.headings:
        place = tidied.mapped.place_of
        headings = content.headings
        moved = [
            replace(heading, start=place(heading.start), end=place(heading.end))
            for heading in headings
        ]
        return tuple(tiled(text, moved))
    return find_sections(text)


def _located(text: str, given: Sequence[SectionRow]) -> tuple[Section, ...] | None:
    """The given sections in the text, or None if one of them cannot be found in order."""
    headings: list[Candidate] = []
    position = 0
    for section in given:
        title = tidy(section.title or "").text.strip()
        span = _heading_span(text, title, tidy(section.text or "").text, position)
        if span is None:
            return None
        start, end = span
        parts = re.match(r"(?:(\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})*)\.?\s+)?(.*)", title, re.S)
        printed, name = (parts[1] or "", parts[2]) if parts else ("", title)
        level = printed.count(".") + 1
        headings.append(Candidate(start, end, name, level, number_of(printed), printed))
        position = max(end, start + 1)
    return tuple(tiled(text, headings))


def _heading_span(text: str, title: str, body: str, position: int) -> tuple[int, int] | None:
    if title:
        words = r"\s+".join(map(re.escape, title.split()))
        pattern = rf"^[ \t#*_]*(?:[\dA-Z][\d.]*\s+)?(?P<title>{words})[*_:. \t]*$"
        match = re.compile(pattern, re.MULTILINE | re.IGNORECASE).search(text, position)
        if match:
            return match.span("title") if match.start() == match.start("title") else match.span()
    opening = body.strip()[:80]
    start = text.find(opening, position) if opening else -1
    return None if start < 0 else (start, start)


def _abstract(text: str, sections: Sequence[Section]) -> str | None:
    for section in sections:
        if section.zone is Zone.ABSTRACT:
            return text[section.heading_end : section.end].strip() or None
    return None


def _one_line(title: str) -> str:
    # Extraction leaves `WO## RD` where a heading was broken within a word.
    joined = re.sub(r"(?<=\w)#+ (?=\w)", "", tidy(title).text)
    return re.sub(r"\s+", " ", joined).strip()[:_MAX_TITLE]


def _title_read(content: Content, text: str) -> str:
    """The title as its place and type show it, else as it is marked, or the first lines."""
    if content.pdf is not None and content.title:
        return _one_line(content.title)
    return _best_title(content.title, read_title(text))


def _best_title(given: str, read: str) -> str:
    """The given title, completed by what was read where only its first line was given."""
    given = _one_line(given)
    if not given or _RUNNING_HEAD.match(given):
        return read
    cut = given.count(" ") >= _CUT_TITLE and read.casefold().startswith(given.casefold())
    cut = cut and read.count(" ") > given.count(" ")
    return read if cut else given


def read_title(text: str) -> str:
    """The title of a paper: its first line or heading, with the lines that continue it."""
    lines = iter(text.splitlines()[:_FIRST_LINES])
    first = next((line for line in lines if line.strip() and not _RUNNING_HEAD.match(line)), "")
    parts = [first]
    blank = False
    for line in lines:
        if not line.strip():
            if blank or not first.isupper():  # large capitals stand far apart in a PDF
                break
            blank = True
        elif len(parts) == _TITLE_LINES or not _continues_title(first, line.strip()):
            break
        else:
            parts.append(line)
    return _one_line(" ".join(part.strip().strip("#*_ ") for part in parts))


def _continues_title(first: str, line: str) -> bool:
    if first.lstrip().startswith("#"):
        return line.startswith("#")
    if _NO_TITLE.match(line):
        return False
    if first.isupper():
        return line.isupper() and " " in line
    # Names stand under many titles, so a line in mixed case must visibly go on.
    return line[0].islower() or _UNFINISHED.search(first) is not None


_RUNNING_HEAD = re.compile(
    r"\s*(?:published as|(?:paper )?under (?:double-blind )?review|preprint|accepted|-{3,}"
    r"|(?:proceedings|findings) of\b)|\W*$",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(
    r"(?:[:,-]|\b(?:and|by|for|from|in|of|on|the|to|via|with))\s*$", re.IGNORECASE
)
_NO_TITLE = re.compile(r"(?:abstract|anonymous|\d+\.? )", re.IGNORECASE)


READING_VERSION = 3
"""Raise it when a paper's file would be read into another text, or judges would see other parts
of it: offsets count in the text as it was read."""
_RECORDS = {".json", ".jsonl"}


def load_paper(path: Path, *, year: int | None = None) -> Paper:
    """The paper in a file; its format follows from the ending, a PDF is known by its content.

    Args:
        path: A ``.txt``, ``.md``, ``.tex``, ``.html``, ``.tei.xml``, ``.pdf``, ``.json`` file, or a
            ``.jsonl`` with one paper.
        year: Year of the submission, if the file does not say or is wrong.

    Raises:
        InputError: If the file is missing, empty, or cannot be used; says what to do.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder", file=path, cure="name one paper's file")
    if path.suffix.lower() in _RECORDS:
        return _from_record(path, year)
    name = path.name.removesuffix(path.suffix).removesuffix(".tei")
    return paper_of(read_content(path), PaperRow(paper_id=storable(name)), year=year)


def _from_record(path: Path, year: int | None) -> Paper:
    text = read_text(path).strip()
    if not text:
        raise InputError("is empty", file=path, cure="write one JSON record with text")
    try:
        record = load_json(text)
    except json.JSONDecodeError as error:
        many = error.msg == "Extra data"
        raise InputError(
            "holds more than one record" if many else f"is not JSON: {error.msg}",
            file=path,
            line=error.lineno,
            cure="name a folder with papers.jsonl and reviews.jsonl" if many else "correct it",
        ) from error
    except UnusableJsonError as error:
        raise error.of_input(path) from error
    if not isinstance(record, dict):
        raise InputError("is not one JSON object", file=path, cure='write {"text": "..."}')
    record = without_surrogates({"paper_id": storable(path.stem), **record})
    try:
        row = PaperRow.model_validate(record)
    except ValidationError as error:
        raise input_error(error, file=path) from error
    if not row.has_text and not row.source_file:
        raise InputError("has no text", file=path, field="text", cure="add the paper's text")
    return build_paper(row, folder=path.parent, year=year)
