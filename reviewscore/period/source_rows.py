"""What a source of a venue holds: its papers and reviews, each by sums, read again when needed."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError
from reviewscore.files import TEMPORARY, hash_file
from reviewscore.papers.load import PaperRow, text_of
from reviewscore.period.venue import What
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.review import Role
from reviewscore.sources.collection import Collection, read_collection, tables_of
from reviewscore.sources.data_folder import PDFS, file_name
from reviewscore.sources.lazy_papers import RawPaper, check_paper
from reviewscore.sources.records import RecordFile, RecordRow, also_on, as_model
from reviewscore.sources.reviews import ReviewRow, check_review_size, is_paper_folder, with_boxes
from reviewscore.sources.section_roles import field_role

Stamp = tuple[str, int, int]
"""Where a file lies in the data, its size, and when it was last changed, in nanoseconds."""
JUDGED = ("text", "sections", "abstract", "documents", "file", "pdf")
"""Fields of a paper's record that make its text."""
_OF_FILES = ("file", "pdf")
_HEAD = 65_536
"""Bytes of a line in which its identifier is looked for where it is no record."""


class AwaitedTextError(InputError):
    """A paper whose text is not there yet."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A paper or review of the source.

    Attributes:
        paper_id: The paper, or that which a review is of.
        sha: SHA-256 of what is judged of it.
        rest: SHA-256 of the whole record.
        offset: Where its record begins.
        line: Line or row of its record.
        files: Files of a paper by their paths in the source.
    """

    paper_id: str
    sha: bytes
    rest: bytes
    offset: int
    line: int
    files: Mapping[str, Stamp] = field(default_factory=dict)


@dataclass
class SourceTable:
    """The papers, or the reviews, of a source.

    Attributes:
        file: Their records.
        rows: Those that can be used, by identifier, in the order of the source.
        faults: What is wrong with the others.
        kept: Identifiers of the others, as far as they can be read.
        nameless: Whether some of them cannot, so that nobody knows what is missing.
        awaited: How many papers have no text yet; None where that is a fault.
    """

    file: RecordFile
    rows: dict[str, SourceRow] = field(default_factory=dict)
    faults: list[InputError] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    nameless: bool = False
    awaited: int | None = None

    def take(self, name: str, parse: Callable[[RecordRow], tuple[str, SourceRow]]) -> None:
        """Read all records; one that is there twice with the same content counts once.

        Args:
            name: Field of the identifier.
            parse: Identifier and sums of a record.
        """
        for record in self.file.rows():
            try:
                key, row = parse(record)
                first = self.rows.setdefault(key, row)
                if first.rest != row.rest:
                    self.kept.add(key)
                    cure = "keep the record that holds"
                    raise also_on(
                        key, first.line, file=self.file.file, line=row.line, field=name, cure=cure
                    )
            except InputError as error:
                if isinstance(error, AwaitedTextError) and self.awaited is not None:
                    self.awaited += 1
                else:
                    self.faults.append(error)
                bad = _id_of(record, name, self.file)
                self.nameless |= bad is None
                if bad is not None:
                    self.kept.add(bad)
        for key in self.kept:
            self.rows.pop(key, None)

    def record(self, row: SourceRow) -> dict[str, Any]:
        """A record, read again; without fields that say nothing."""
        return _filled(self.file.fetch(row.offset, row.line))


@dataclass
class Source:
    """A source that was read.

    Attributes:
        folder: Where files of papers lie.
        papers: Its papers.
        reviews: Its reviews.
    """

    folder: Path
    papers: SourceTable
    reviews: SourceTable

    @property
    def faults(self) -> list[InputError]:
        """What is wrong with records."""
        return [*self.papers.faults, *self.reviews.faults]

    def paper(self, row: SourceRow) -> dict[str, Any]:
        """A paper's record with the places of its files in the data."""
        record = self.papers.record(row)
        places = {name: stamp[0] for name, stamp in row.files.items()}
        if not places:
            return record
        moved = {**record, **_moved(record, places)}
        if (documents := record.get("documents")) is not None:
            listed = json.loads(documents) if isinstance(documents, str) else documents
            moved["documents"] = [{**one, **_moved(one, places)} for one in listed]
        if not any(name in moved for name in _OF_FILES) and not moved.get("documents"):
            moved["pdf"] = next(iter(places.values()))  # beside the records, called as the paper
        return moved


@contextmanager
def open_source(
    path: Path,
    known: Mapping[str, Mapping[str, Stamp]],
    removed: Mapping[What, set[str]],
    *,
    awaits_texts: bool = False,
) -> Iterator[Source]:
    """Read what a folder holds, or a pair of files of records.

    Args:
        path: A folder of any format that `read_collection` reads, or a file of papers or reviews.
        known: Papers that were there before, with their files: those that did not change are not
            read again.
        removed: Papers and reviews that are left out.
        awaits_texts: Whether papers without a text wait for it, and their reviews with them.

    Raises:
        InputError: A file is missing or cannot be read.
    """
    with _tables(path) as (papers_file, reviews_file, folder, unread):
        source = Source(
            folder,
            SourceTable(RecordFile.of(papers_file), awaited=0 if awaits_texts else None),
            SourceTable(RecordFile.of(reviews_file)),
        )
        source.papers.take("paper_id", lambda row: _paper(row, source, known))
        source.reviews.faults += unread
        source.reviews.nameless = bool(unread)
        gone = removed["paper"]
        for name in gone:
            source.papers.rows.pop(name, None)
        held = known.keys() if source.papers.nameless else source.papers.kept & known.keys()
        there = source.papers.rows.keys() | held
        mentioned = there | known.keys() | gone | source.papers.kept
        source.reviews.take("review_id", lambda row: _review(row, source, mentioned))
        here = {
            name: row
            for name, row in source.reviews.rows.items()
            if row.paper_id in there and name not in removed["review"]
        }
        source.reviews.rows = here
        yield source


@contextmanager
def _tables(path: Path) -> Iterator[tuple[Path, Path, Path, list[InputError]]]:
    """Files of papers and of reviews, the folder of papers' files, and faults of single files."""
    if not is_paper_folder(path):
        papers, reviews = tables_of(path)
        yield papers, reviews, papers.parent, []
        return
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as name:
        collection = read_collection(path)
        files = Path(name, "papers.jsonl"), Path(name, "reviews.jsonl")
        for file, records in zip(files, _records_of(collection), strict=True):
            with file.open("w", encoding="utf-8") as out:
                out.writelines(f"{json.dumps(record)}\n" for record in records)
        yield *files, path, collection.unread


def _records_of(collection: Collection) -> Iterator[Iterator[dict[str, Any]]]:
    """The papers and the reviews of a folder of PDFs as records."""
    rows = (handle.raw().row for handle in collection.papers.values() if handle.raw is not None)
    yield (row.model_dump(mode="json", exclude_none=True) for row in rows)
    yield (
        {**review.model_dump(exclude={"fields"}, exclude_none=True), "sections": review.fields}
        for review in collection.reviews
    )


def _paper(
    record: RecordRow, source: Source, known: Mapping[str, Mapping[str, Stamp]]
) -> tuple[str, SourceRow]:
    file, line = source.papers.file.file, record.line
    row = as_model(record, PaperRow, file)
    if not row.has_text and not row.source_file:
        raise AwaitedTextError(
            f"paper '{row.paper_id}' has no text",
            file=file,
            line=line,
            field="text",
            cure="give `text`, `sections`, `file` or `pdf`",
        )
    place = source.folder / file.name  # of records that were made for a folder of PDFs, too
    check_paper(row, {}, place, line)
    if base_paper_id(row.paper_id) != row.paper_id:
        raise InputError(
            f"'{row.paper_id}' ends as later versions of a paper do",
            file=file,
            line=line,
            field="paper_id",
            cure="rename it: @v2, @v3 .. are kept for versions",
        )
    names = {*row.source_files}
    with suppress(InputError):  # a PDF beside the text that is not there is nobody's text
        names |= {RawPaper(row, "", source.folder).pdf_name or ""} - {""}
    before = known.get(row.paper_id, {})
    files = {
        name: _stamped(source.folder / name, row.paper_id, before.get(name))
        for name in sorted(names)
    }
    judged = (
        row.abstract,
        text_of(row) if row.has_text else "",
        [(section.title, bool(section.text)) for section in row.sections or ()],
        [(one.kind, one.text, files.get(one.file or "", one.file)) for one in row.documents or ()],
        row.own_kind,
        sorted(stamp[0] for stamp in files.values()),
    )
    judged_sum, rest = _sum(judged), _sum([_filled(record.value), judged[-1]])
    return row.paper_id, SourceRow(row.paper_id, judged_sum, rest, record.offset, line, files)


def _stamped(file: Path, paper_id: str, before: Stamp | None) -> Stamp:
    """Where a file lies in the data, by its content; it is read only if it may have changed."""
    now = file.stat()
    if before is not None and before[1:] == (now.st_size, now.st_mtime_ns):
        return before
    name = f"{file_name(paper_id)}-{hash_file(file).sha256[:12]}{file.suffix}"
    return f"{PDFS}/{name}", now.st_size, now.st_mtime_ns


def _review(record: RecordRow, source: Source, papers: set[str]) -> tuple[str, SourceRow]:
    file = source.reviews.file.file
    row = as_model(with_boxes(record), ReviewRow, file)
    boxes = boxes_of(row)
    check_review_size(row.review_id, {**boxes, "author_response": row.author_response or ""})
    problem = None
    if not any(text.strip() for text in boxes.values()):
        problem, name, cure = "is empty", "sections", "give `sections` or `text`"
    elif row.paper_id not in papers:
        problem, name = f"is of paper '{row.paper_id}', which cannot be used", "paper_id"
        cure = "add the paper"
    if problem is not None:
        raise InputError(
            f"review '{row.review_id}' {problem}",
            file=file,
            line=record.line,
            field=name,
            cure=f"{cure}, or take the line out",
        )
    judged = [(name, text) for name, text in boxes.items() if not is_late(name)]
    rest = _sum(_filled(record.value))
    found = SourceRow(row.paper_id, _sum([row.paper_id, judged]), rest, record.offset, record.line)
    return row.review_id, found


def boxes_of(row: ReviewRow) -> dict[str, str]:
    """The boxes of a review that hold text, by name."""
    boxes = {name: text for name, text in (row.sections or {}).items() if text.strip()}
    return boxes or {"text": row.text or ""}


def is_late(name: str) -> bool:
    """Whether a box was written after the discussion, which is never judged."""
    return field_role(name) is Role.LATE


def _moved(record: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, str]:
    return {name: places[record[name]] for name in _OF_FILES if record.get(name) in places}


def _filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without fields that say nothing; empty cells of tables come as NaN."""
    return {
        name: value
        for name, value in record.items()
        if value not in (None, "", {}, []) and value == value  # noqa: PLR0124
    }


def _sum(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _id_of(row: RecordRow, name: str, file: RecordFile) -> str | None:
    """The identifier of a record that cannot be used; None if it cannot be read."""
    if row.record is not None:
        value = row.record.get(name)
        return str(value) if isinstance(value, str | int) and value != "" else None
    with file.lines.open("rb") as lines:
        lines.seek(row.offset)
        raw = lines.readline(_HEAD)
    match = re.search(rb'"%s"\s*:\s*("(?:[^"\\]|\\.){1,1000}"|\d{1,20})' % name.encode(), raw)
    try:
        return None if match is None else str(json.loads(match[1]))
    except ValueError:
        return None
