"""Papers that were checked and are read when they are asked for, here or in another process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import TEMPORARY
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.schema.paper import Paper
from reviewscore.sources.records import ENDINGS, FaultLog, RecordFile, RecordRow, as_model

_PDF = ".pdf"


@dataclass(frozen=True, slots=True)
class RawPaper:
    """A paper's record that was read and not worked on yet.

    Attributes:
        row: The record.
        source: Format it was read from.
        folder: What its file's path is relative to.
        content: Bytes of its files, by their paths in the folder, where they travel along; None
            where they are in the folder.
    """

    row: PaperRow
    source: str
    folder: Path
    content: Mapping[str, bytes] | None = None

    def packed(self, *, pdf: bool = False) -> RawPaper:
        """The same with the bytes of its files, if it has some.

        Args:
            pdf: Whether its PDF goes along where its text is not read from that.

        Raises:
            InputError: A file cannot be read.
        """
        names = [*self.row.source_files]
        if pdf and (own := self.pdf_name) is not None and own not in names:
            names.append(own)
        if not names:
            return self
        paths = {name: self.folder / name for name in names}
        bounds = in_force()
        content = {
            name: read_bounded(path, bounds.of_file(path.name)) for name, path in paths.items()
        }
        return replace(self, content=content)

    @property
    def pdf_name(self) -> str | None:
        """Its PDF, by its path in the folder: the one that it names, or ``PAPER_ID.pdf``.

        Raises:
            InputError: The one that it names is not there, or is outside of the folder.
        """
        for name in (self.row.file, self.row.pdf):
            if name is not None and name.lower().endswith(_PDF):
                if self.content is None:
                    check_inside(name, self.folder / "papers", None, "pdf")
                return name if self.content is None or name in self.content else None
        beside = f"{self.row.paper_id}{_PDF}"
        if self.content is not None:
            return beside if beside in self.content else None
        if Path(beside).name != beside or "\0" in beside:
            return None
        try:
            check_inside(beside, self.folder / "papers", None, "pdf")
        except InputError:
            return None
        return beside

    @contextmanager
    def pdf(self) -> Iterator[Path | None]:
        """Its PDF as a file, for a while; None if it has none.

        Raises:
            InputError: As `pdf_name`.
        """
        name = self.pdf_name
        if name is None or self.content is None:
            yield None if name is None else self.folder / name
            return
        with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder:
            path = Path(folder, Path(name).name)
            path.write_bytes(self.content[name])
            yield path

    def paper(self, *, doubts: bool = True) -> Paper:
        """The paper.

        Args:
            doubts: Whether to look for what is doubtful about it.

        Raises:
            InputError: Its text cannot be used.
        """
        if self.content is None:
            return build_paper(self.row, source=self.source, folder=self.folder, doubts=doubts)
        with tempfile.TemporaryDirectory(prefix=TEMPORARY) as name:
            places: dict[str, str] = {}
            for number, (given, data) in enumerate(self.content.items()):
                place = Path(*([str(number)] if number else []), Path(given).name)
                Path(name, place).parent.mkdir(exist_ok=True)
                Path(name, place).write_bytes(data)
                places[given] = str(place)
            row = self.row.moved(places)
            return build_paper(row, source=self.source, folder=Path(name), doubts=doubts)


def raw_paper(records: RecordFile, row: RecordRow, paper_id: str) -> Callable[[], RawPaper]:
    """What reads a paper's record again when it is asked for; it keeps the place only.

    Args:
        records: The file.
        row: The record as it was read the first time.
        paper_id: Its paper.
    """
    offset, line = row.offset, row.line

    def read() -> RawPaper:
        record = records.fetch(offset, line)
        if str(record.get("paper_id")) != paper_id:
            raise InputError(
                "has changed since it was read", file=records.file, line=line, cure="start again"
            )
        ending = records.file.suffix.lower()
        source = ending.removeprefix(".") if ending in ENDINGS else "jsonl"
        paper = as_model(RecordRow(line, offset, record), PaperRow, records.file)
        return RawPaper(paper, source, records.file.parent)

    return read


@dataclass(frozen=True, slots=True)
class PaperHandle:
    """A paper that has been checked but not read into memory.

    Attributes:
        paper_id: Identifier, unique in its collection.
        title: Title as given; None if it is read from the text.
        line: 1-based line or row in its file.
        load: Reads the paper.
        raw: Reads its record, as it is given to another machine; None for a single pair.
        in_file: Whether its text lies in a file of its own, such as a PDF.
        pdf_file: Its PDF, of a single pair.
    """

    paper_id: str
    title: str | None
    line: int
    load: Callable[[], Paper] = field(repr=False)
    in_file: bool = False
    raw: Callable[[], RawPaper] | None = field(default=None, repr=False)
    pdf_file: Path | None = None

    def pdf(self) -> AbstractContextManager[Path | None]:
        """Its PDF as a file, for a while; None if it has none.

        Raises:
            InputError: It cannot be looked up.
        """
        return nullcontext(self.pdf_file) if self.raw is None else self.raw().pdf()


def read_handles(file: Path, log: FaultLog, files: list[Path]) -> dict[str, PaperHandle]:
    """Papers of a file by identifier; every record is checked, and its place kept.

    Args:
        file: The file of papers.
        log: Takes faults and warnings.
        files: Takes the files in which texts of papers lie.

    Raises:
        InputError: The file cannot be read, or (unless skipped) a record cannot be used.
    """
    records = RecordFile.of(file)
    handles: dict[str, PaperHandle] = {}
    for row in records.rows():
        if isinstance(row.error, TooLargeError) and row.paper_id and row.paper_id not in handles:
            handles[row.paper_id] = _unusable(row.paper_id, row)
            continue
        log.note_fields(row, PaperRow, file)
        try:
            paper = as_model(row, PaperRow, file)
            check_paper(paper, handles, file, row.line)
        except InputError as error:
            log.fault(error)
        else:
            files += [file.parent / name for name in paper.source_files]
            raw = raw_paper(records, row, paper.paper_id)
            handles[paper.paper_id] = handle_of(paper, raw, row.line)
    return handles


def handle_of(paper: PaperRow, raw: Callable[[], RawPaper], line: int = 1) -> PaperHandle:
    """The handle of a paper.

    Args:
        paper: Its record.
        raw: Reads that record again.
        line: Its line.
    """
    in_file = bool(paper.source_files)
    return PaperHandle(paper.paper_id, paper.title, line, partial(_load, raw), in_file, raw)


def _unusable(paper_id: str, row: RecordRow) -> PaperHandle:
    """A paper that cannot be read: its reviews fail for this reason, each by itself."""

    def fail() -> NoReturn:
        assert row.error is not None
        raise row.error

    return PaperHandle(paper_id, None, row.line, fail, raw=fail)


def _load(raw: Callable[[], RawPaper]) -> Paper:
    return raw().paper()


def check_paper(paper: PaperRow, handles: Mapping[str, PaperHandle], file: Path, line: int) -> None:
    """Refuse a paper that is there already, or has neither a text nor a file in the folder.

    All its files must be inside the folder, as their texts may be sent to a model.

    Raises:
        InputError: Names file, line, field and cure.
    """
    if paper.paper_id in handles:
        raise InputError(
            f"'{paper.paper_id}' is also on line {handles[paper.paper_id].line}",
            file=file,
            line=line,
            field="paper_id",
            cure="give every paper its own identifier",
        )
    if not paper.has_text and not paper.source_file:
        raise InputError(
            f"paper '{paper.paper_id}' has no text",
            file=file,
            line=line,
            field="text",
            cure="give `text`, `sections`, `file` or `pdf`",
        )
    if paper.source_file:
        check_inside(paper.source_file, file, line, "file" if paper.file else "pdf")
    for document in paper.documents or ():
        if document.source_file:
            check_inside(document.source_file, file, line, "documents.file")


def check_inside(name: str, file: Path, line: int | None, field: str) -> None:
    """Refuse a file of a paper that is not there, or is outside of the folder.

    Args:
        name: Its path in the folder.
        file: The file of papers in that folder.
        line: The line that names it.
        field: The field that does.

    Raises:
        InputError: Names file, line, field and cure.
    """
    path = file.parent / name
    try:
        inside = path.resolve().is_relative_to(file.parent.resolve())
        there = path.is_file()
    except (OSError, RuntimeError) as error:  # too long a name; links in a circle
        raise InputError(
            f"'{name}' cannot be read: {error}", file=file, line=line, field=field
        ) from error
    if inside and there:
        return
    problem = f"there is no file '{name}'" if inside else f"'{name}' is outside of the folder"
    cure = "give a path relative to the folder" if inside else "put it into the folder"
    raise InputError(problem, file=file, line=line, field=field, cure=cure)
