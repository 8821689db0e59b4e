"""Records from JSONL, JSON, CSV, spreadsheets and Parquet, one at a time, each with its place."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
import weakref
import zipfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.bounds import Bound, BoundedLine, bounded_lines, check_size, in_force, read_bounded
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import TEMPORARY
from reviewscore.json_text import UnusableJsonError, load_json
from reviewscore.papers.file_kinds import check_head
from reviewscore.papers.hygiene import read_text, without_surrogates
from reviewscore.papers.load import input_error
from reviewscore.processes.pool import ChildPool
from reviewscore.schema.record import storable
from reviewscore.sources import spreadsheet_worker

_TEXTS = (".csv", ".tsv")
_BATCH = 32
"""Rows of a Parquet file held in memory at once, or fewer if they may be large."""
_NARROW_BATCH = 65_536
"""The same where only a few narrow columns are read."""
_MOST_HELD = 256_000_000
"""Bytes that they may have, if all of a column were in each of them."""
_READ_AHEAD = 65_536
"""Bytes of a column that are read at once; else whole row groups are held as they are packed."""
_MOST_GROWTH = 100
"""Times by which text that was written by somebody shrinks at most when it is packed."""
Model = TypeVar("Model", bound=BaseModel)
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


Records = Iterator[tuple[int, dict[str, object] | InputError]]
"""Records with their 1-based line or row, or what is wrong with them."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record as it was read.

    Attributes:
        line: 1-based line (JSONL, CSV), row (spreadsheet, Parquet) or place in the list (JSON).
        offset: Byte offset of the line in the file that `RecordFile.fetch` reads.
        record: The decoded record; None if `error` says why there is none.
        error: What is wrong with the line.
        paper_id: The paper's identifier, where the line was too large for a record but that
            could be read.
    """

    line: int
    offset: int
    record: dict[str, object] | None
    error: InputError | None = None
    paper_id: str | None = None

    @property
    def value(self) -> dict[str, object]:
        """The decoded record.

        Raises:
            InputError: There is none.
        """
        if self.record is None:
            assert self.error is not None
            raise self.error
        return self.record


def as_model(row: RecordRow, model: type[Model], file: Path) -> Model:
    """A record as a checked value.

    Raises:
        InputError: It cannot be used; names file, line, field and cure.
    """
    try:
        return model.model_validate(row.value)
    except ValidationError as error:
        raise input_error(error, file=file, line=row.line) from error


def read_records(file: Path, model: type[Model]) -> Iterator[tuple[RecordRow, Model | InputError]]:
    """The records of a file as checked values, each with its place, or what is wrong with it.

    Args:
        file: JSONL, JSON, CSV, a spreadsheet or Parquet, by its ending; see `ENDINGS`.
        model: What a record is.

    Raises:
        InputError: The file cannot be read.
    """
    for row in RecordFile.of(file).rows():
        try:
            yield row, as_model(row, model, file)
        except InputError as error:
            yield row, error


def also_on(name: str, first: int, *, file: Path, line: int, field: str, cure: str) -> InputError:
    """That a record has the identifier of an earlier one, which is on the line `first`."""
    problem = f"'{name}' is also on line {first}"
    return InputError(problem, file=file, line=line, field=field, cure=cure)


LONG_TEXT = 80
"""Characters from which on a text is taken for more than a value."""
_NAMES_SHOWN, _NAME_SHOWN = 8, 60
"""How many names of boxes are said, and characters of each."""


@dataclass
class FaultLog:
    """What could not be used, or was strange, while files of records were read.

    Attributes:
        skip_bad_lines: Whether records that cannot be used are left out, or are the end.
        warnings: What was ignored or changed, in words.
        skipped: Faults of records that were left out.
    """

    skip_bad_lines: bool = False
    warnings: list[str] = field(default_factory=list)
    skipped: list[InputError] = field(default_factory=list)
    _unknown: dict[Path, Counter[str]] = field(default_factory=dict)
    _boxes: Counter[str] = field(default_factory=Counter)

    def fault(self, error: InputError) -> None:
        """Leave a record out, or stop; what passes a bound never costs the others anything.

        Raises:
            InputError: The fault, unless such are left out.
        """
        if not self.skip_bad_lines and not isinstance(error, TooLargeError):
            raise error
        self.skipped.append(error)

    def note_fields(self, row: RecordRow, model: type[BaseModel], file: Path) -> None:
        """Note the fields of a record that its model does not have, and which hold long texts."""
        unknown = self._unknown.setdefault(file, Counter())
        for name, value in (row.record or {}).items():
            if name not in model.model_fields:
                unknown[str(name)] += isinstance(value, str) and len(value) >= LONG_TEXT

    def note_boxes(self, names: Iterable[str]) -> None:
        """Note the boxes of a review that no known form has."""
        self._boxes.update(names)

    def warn_of_boxes(self) -> None:
        """Warn, once for all files, of boxes that no known form has, with how many have each."""
        counts, self._boxes = self._boxes, Counter()
        if counts:
            named = [
                f"'{storable(name)[:_NAME_SHOWN]}' ({count:,})"
                for name, count in counts.most_common(_NAMES_SHOWN)
            ]
            more = f" and {len(counts) - _NAMES_SHOWN:,} more" if len(counts) > _NAMES_SHOWN else ""
            self.warnings.append(
                "boxes of a form that is not known are read as free text (in brackets the number "
                f"of reviews): {', '.join(named)}{more}; criticism is told from praise by rules"
            )

    def warn_of_fields(self, file: Path, known: Set[str], *, of_reviews: bool = False) -> None:
        """Warn of the unknown fields in a file.

        Args:
            file: The file.
            known: Further names that are no surprise.
            of_reviews: Whether its records are reviews, whose long texts could be read.
        """
        unknown = self._unknown.pop(file, Counter())
        names = sorted(unknown.keys() - known)
        if not names:
            return
        warning = f"{file}: unknown fields are ignored: {', '.join(names)}"
        texts = [f"'{name}' ({unknown[name]:,})" for name in names if unknown[name]]
        if texts and of_reviews:
            warning += (
                f"; {', '.join(texts)} hold long texts (in brackets in how many records): put "
                "what a reviewer wrote into `sections` to have it read"
            )
        self.warnings.append(warning)


def _decode(line: bytes, file: Path, number: int) -> object:
    """The value of a JSON text.

    Raises:
        InputError: It is not JSON in UTF-8.
    """
    try:
        value = load_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte {error.start} of the line)",
            file=file,
            line=number,
            cure="save the file as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(line.decode("utf-8-sig").rstrip()) or "Unterminated" in error.msg
        problem = "is cut off" if cut else f"is not JSON ({error.msg}, column {error.colno})"
        place = number + min(error.lineno - 1, line.rstrip().count(b"\n"))
        raise InputError(
            problem, file=file, line=place, cure="write one JSON object per line"
        ) from error
    except UnusableJsonError as error:
        raise error.of_input(file, number) from error
    if not _ESCAPED_SURROGATE.search(line):
        return value
    try:
        return without_surrogates(value)
    except RecursionError as error:
        raise InputError("is nested too deeply", file=file, line=number) from error


def _checked(value: object, file: Path, number: int) -> dict[str, object]:
    """A value that is a record.

    Raises:
        InputError: It is none.
    """
    if isinstance(value, dict):
        return value
    raise InputError(
        f"is {type(value).__name__}, not a JSON object",
        file=file,
        line=number,
        cure='write {"name": value, ...}',
    )


@dataclass(frozen=True)
class RecordFile:
    """A file whose records are read again one by one when they are asked for.

    Records of any format but JSONL are laid out in a temporary JSONL file that goes with this
    object.

    Attributes:
        file: The user's file.
        lines: The JSONL file to read from.
        unreadable: What is wrong with records, by their lines there, which are empty records.
        numbers: Line or row of each record in the user's file; empty if it is that in `lines`.
    """

    file: Path
    lines: Path
    unreadable: Mapping[int, InputError] = field(default_factory=dict)
    numbers: Sequence[int] = ()

    @classmethod
    def of(cls, file: Path) -> RecordFile:
        """The records of a file, by its ending; of an unknown one as JSONL.

        Raises:
            InputError: The file cannot be read.
        """
        reader = _READERS.get(file.suffix.lower())
        if (reader is None or file.suffix.lower() in _TEXTS) and file.is_file():
            with suppress(OSError):  # whoever reads it will say why it cannot be read
                check_head(file)
        if reader is None:
            return cls(file, file)
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=".jsonl")
        unreadable: dict[int, InputError] = {}
        numbers = array("q")
        records = cls(file, Path(name), unreadable, numbers)
        weakref.finalize(records, _remove, name)
        with os.fdopen(handle, "wb") as out:
            for number, record in reader(file):
                numbers.append(number)
                if isinstance(record, InputError):
                    unreadable[len(numbers)] = record
                    out.write(b"{}\n")
                    continue
                text = json.dumps(record, default=str, ensure_ascii=False)
                out.write(text.encode("utf-8", "surrogatepass") + b"\n")
        return records

    def rows(self, bound: Bound | None = None) -> Iterator[RecordRow]:
        """Every record in order; lines that cannot be decoded carry their error.

        Args:
            bound: How large a line may be; that of a text if not given.
        """
        offset, bound = 0, bound or in_force().text
        try:
            with self.lines.open("rb") as file:
                for at, line in enumerate(bounded_lines(file, bound), 1):
                    number = self.numbers[at - 1] if self.numbers else at
                    if line.cut:
                        error = _too_large(line, bound, self.file, number)
                        yield RecordRow(number, offset, None, error, _paper_id(line))
                    elif at in self.unreadable:
                        yield RecordRow(number, offset, None, self.unreadable[at])
                    elif line.data.strip():
                        yield self._row(line.data, offset, number)
                    offset += line.size
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}", file=self.file, cure="check the path"
            ) from error

    def _row(self, line: bytes, offset: int, number: int) -> RecordRow:
        try:
            record = _checked(_decode(line, self.file, number), self.file, number)
        except InputError as error:
            return RecordRow(number, offset, None, error)
        return RecordRow(number, offset, record)

    def fetch(self, offset: int, number: int) -> dict[str, object]:
        """The record at a byte offset.

        Raises:
            InputError: If the file is gone or has changed.
        """
        try:
            with self.lines.open("rb") as file:
                file.seek(offset)
                bound = in_force().text
                line = next(bounded_lines(file, bound), BoundedLine(b"", 0))
                if line.cut:
                    raise _too_large(line, bound, self.file, number)
                value = _decode(line.data, self.file, number)
                return _checked(value, self.file, number)
        except OSError as error:
            raise InputError(
                f"cannot be read any more: {error.strerror}", file=self.file, line=number
            ) from error


def find_table(folder: Path, name: str) -> Path | None:
    """The file of records of a name in a folder; None if there is none.

    JSONL and Parquet come first: a CSV file or spreadsheet beside them is taken for an export.

    Raises:
        InputError: There are several; which one is meant cannot be known.
    """
    return only_table(folder, name, _FIRST) or only_table(folder, name, ENDINGS)


def only_table(folder: Path, name: str, endings: Iterable[str]) -> Path | None:
    """The file of a name in a folder, whatever its ending; None if there is none.

    Raises:
        InputError: There are several; which one is meant cannot be known.
    """
    there = [file for ending in endings if (file := folder / f"{name}{ending}").is_file()]
    if len(there) > 1:
        names = " and ".join(file.name for file in there)
        problem = f"holds {names}, and only one of them can be read"
        raise InputError(problem, file=folder, cure="take the others out of the folder")
    return there[0] if there else None


_NAME = re.compile(rb'(?<!\\)"([A-Za-z_][\w ]{0,60})"\s*:')
_PAPER_ID = re.compile(rb'(?<!\\)"paper_id"\s*:\s*("(?:[^"\\]|\\.){1,1000}"|\d{1,20})')


def _too_large(line: BoundedLine, bound: Bound, file: Path, number: int) -> TooLargeError:
    """A line that passes the bound, with the field in which it does so."""
    name = None
    for match in _NAME.finditer(line.data):
        name = match[1].decode()
    problem = bound.problem(line.size, whole=True)
    return TooLargeError(problem, file=file, line=number, field=name, cure=bound.cure)


def _paper_id(line: BoundedLine) -> str | None:
    """The paper's identifier in a line that is too large for a record, if it stands early."""
    named = _PAPER_ID.search(line.data)
    if named is None:
        return None
    try:
        return str(json.loads(named[1]))
    except ValueError:
        return None


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def parquet_rows(
    file: Path, *, columns: Sequence[str] | None = None, most: int = _BATCH
) -> Records:
    """The rows of a Parquet file with their 1-based numbers, or what is wrong with them.

    Text that is held as bytes is read as UTF-8; a row in which it is not is an error of its own.

    Args:
        file: The file.
        columns: The columns that are read; None for all.
        most: How many rows are held, at most.

    Raises:
        InputError: It is no Parquet file.
        TooLargeError: As in `_rows_at_once`.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        # Arrow's own allocator keeps what a large file needed once until the program ends.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        with parquet.ParquetFile(file, pre_buffer=False, buffer_size=_READ_AHEAD) as source:
            held = _rows_at_once(source.metadata, file, most=most, columns=columns)
            names = source.schema_arrow.names
            there = None if columns is None else [name for name in columns if name in names]
            row = 0
            for batch in source.iter_batches(batch_size=held, columns=there) if there != [] else ():
                for record in _records(batch):
                    row += 1
                    try:
                        yield (
                            row,
                            {
                                name: _plain(value, file, row, name)
                                for name, value in record.items()
                            },
                        )
                    except InputError as error:
                        yield row, error
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError) as error:
        raise InputError(
            f"is not a readable Parquet file: {error}", file=file, cure="write it again"
        ) from error


def _records(batch: Any) -> list[dict[str, Any]]:
    """The rows of a batch; texts as bytes if one of them is not UTF-8."""
    import pyarrow

    try:
        records: list[dict[str, Any]] = batch.to_pylist()
    except UnicodeDecodeError:
        texts = (pyarrow.types.is_string, pyarrow.types.is_large_string)
        for number, value in enumerate(batch.schema):
            if any(is_text(value.type) for is_text in texts):
                raw = batch.column(number).cast(pyarrow.large_binary())
                batch = batch.set_column(number, value.name, raw)
        records = batch.to_pylist()
    return records


def _rows_at_once(
    metadata: Any, file: Path, *, most: int = _BATCH, columns: Sequence[str] | None = None
) -> int:
    """How many rows of a Parquet file can be held, by what its columns say of themselves.

    Args:
        metadata: The file's.
        file: The file, for messages.
        most: So many at most.
        columns: The columns that are read; None for all.

    Raises:
        TooLargeError: Even one cannot, or a column grows far beyond the file when it is unpacked.
    """
    bound, widest = in_force().text, 1
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            name = column.path_in_schema
            if columns is not None and name.partition(".")[0] not in columns:
                continue
            size = column.total_uncompressed_size
            each = size // max(1, group.num_rows)
            grown = size > bound.size and size > _MOST_GROWTH * max(1, column.total_compressed_size)
            if each > bound.size or grown:
                problem = bound.problem(size if grown else each, whole=True)
                raise TooLargeError(problem, file=file, field=name, cure=bound.cure)
            widest = max(widest, size)
    return max(1, min(most, _MOST_HELD // widest))


def _plain(value: object, file: Path, row: int, column: str) -> object:
    """Structs list every name any row has; names without a value are left out.

    Raises:
        InputError: Bytes are no text.
    """
    if isinstance(value, dict):
        return {
            name: _plain(item, file, row, column)
            for name, item in value.items()
            if item is not None
        }
    if isinstance(value, list | tuple):  # maps are lists of pairs
        return [_plain(item, file, row, column) for item in value]
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"is not UTF-8 (byte {error.start} of the value)",
                file=file,
                line=row,
                field=column,
                cure="write the column as text (string) in UTF-8",
            ) from error
    return value


SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_GRIDS = (".csv", ".tsv", *SPREADSHEETS)
_DELIMITERS = ",;\t"
_GRACE = 1.0
"""Seconds beyond its limit after which a reader of spreadsheets is stopped from outside."""
_MOST_TASKS = 100
"""Spreadsheets after which it is replaced."""

OVERFLOW = ""
"""Name of what stands to the right of all headings."""

Grid = Iterator[tuple[int, dict[str, str]]]
"""Rows with their 1-based line and cells by heading."""


def read_grid(file: Path) -> Grid:
    """Rows of a CSV file, or of all tabs of a spreadsheet.

    Raises:
        InputError: The file cannot be read.
    """
    if file.suffix.lower() not in SPREADSHEETS:
        yield from read_csv(file)
        return
    for _, grid in tabs(file):
        yield from grid


def read_csv(file: Path) -> Grid:
    """Rows of a CSV file in UTF-8, separated by comma, semicolon or tab.

    Headings are in lower case, with underscores for spaces.

    Raises:
        InputError: The file cannot be read.
    """
    columns: list[str] | None = None
    for line, cells in csv_cells(file):
        if columns is None:
            columns = _headings(cells)
            continue
        yield line, _cells(columns, cells)


def csv_cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    """All rows of such a file, the heading too: 1-based line and cells.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        text = read_bounded(file, in_force().table).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte {error.start})", file=file, cure="save it as CSV in UTF-8"
        ) from error
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    csv.field_size_limit(in_force().text.size)  # a cell may hold a paper
    before = 0
    try:
        for cells in reader:
            # A cell may hold line breaks: the row begins after the line that ended the last one.
            line, before = before + 1, reader.line_num
            yield line, cells
    except csv.Error as error:
        raise InputError(f"is no CSV ({error})", file=file, line=reader.line_num) from error


def tabs(file: Path) -> Iterator[tuple[str, Grid]]:
    """The tabs of a spreadsheet by name, those with rows below their headings.

    Raises:
        InputError: The file cannot be read.
    """
    _check_unpacked(file)
    for name, rows in _read(file):
        if len(rows) > 1:
            yield name, _grid(rows)


@lru_cache(maxsize=1)
def _readers() -> ChildPool:
    return ChildPool(
        "reviewscore.sources.spreadsheet_worker", 1, grace=_GRACE, most_tasks=_MOST_TASKS
    )


def _read(file: Path) -> list[tuple[str, list[list[str]]]]:
    """The tabs of a spreadsheet, read by a process that may die over it.

    Raises:
        InputError: It did, or the file is no spreadsheet.
    """
    bound = in_force().table
    task = json.dumps({"path": str(file.resolve()), "most": bound.size})
    answer = _readers().ask(task, spreadsheet_worker.SECONDS)
    if not answer.line:
        end = (
            f"had no end within {spreadsheet_worker.SECONDS:.0f} s" if answer.late else "broke down"
        )
        raise InputError(
            f"cannot be read: its reader {end}, as over a cell far away from all others",
            file=file,
            cure="delete what lies beyond the table, or save it as CSV",
        )
    value = json.loads(answer.line)
    if size := value.get(spreadsheet_worker.TOO_LARGE):
        raise TooLargeError(f"its cells {bound.problem(size)}", file=file, cure=bound.cure)
    if problem := value.get("problem"):
        raise InputError(problem, file=file)
    tabs_read: list[tuple[str, list[list[str]]]] = value["tabs"]
    return tabs_read


def _check_unpacked(file: Path) -> None:
    """Refuse a spreadsheet that is too large, or grows too large when it is unpacked.

    Raises:
        InputError: It is, or cannot be read.
    """
    bound = in_force().table
    check_size(file, bound)
    if not zipfile.is_zipfile(file):  # the older format is not packed
        return
    try:
        with zipfile.ZipFile(file) as packed:
            size = sum(info.file_size for info in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(f"is no spreadsheet that can be read ({error})", file=file) from error
    if size > bound.size:
        raise TooLargeError(bound.problem(size, whole=True), file=file, cure=bound.cure)


def _grid(rows: Sequence[list[str]]) -> Grid:
    columns = _headings(rows[0])
    for line, row in enumerate(rows[1:], start=2):
        yield line, _cells(columns, row)


def heading(cell: str) -> str:
    """A heading as it is looked up: in lower case, with underscores for spaces."""
    return cell.strip().lower().replace(" ", "_")


def _headings(cells: Sequence[str]) -> list[str]:
    """Names of columns; of columns with one name the later ones are numbered."""
    names: list[str] = []
    for cell in cells:
        name = plain = heading(cell)
        number = 1
        while name and name in names:
            number += 1
            name = f"{plain}_{number}"
        names.append(name)
    return names


def _cells(columns: list[str], cells: list[str]) -> dict[str, str]:
    values = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if name}
    beyond = " ".join(cell.strip() for cell in cells[len(columns) :]).strip()
    return {**values, OVERFLOW: beyond} if beyond else values


def _json_records(file: Path) -> Records:
    """A record, a list of records, or (as some call it) one a line."""
    text = read_text(file, bound=in_force().table)
    if not text.strip():
        return
    try:
        values = _decode(text.encode(), file, 1)
    except InputError as error:
        if "Extra data" not in error.problem:
            raise
        yield from ((row.line, row.record or row.value) for row in RecordFile(file, file).rows())
        return
    for number, value in enumerate(values if isinstance(values, list) else [values], 1):
        try:
            yield number, _checked(value, file, number)
        except InputError as error:
            yield number, error


def _grid_records(file: Path) -> Records:
    """A row as a record: empty cells are not given, ``sections.weaknesses`` is a part of one."""
    for line, cells in read_grid(file):
        if not any(cells.values()):
            continue
        record: dict[str, Any] = {}
        for name, cell in cells.items():
            outer, _, inner = name.partition(".")
            if cell and inner:
                record.setdefault(outer, {})[inner] = cell
            elif cell:
                record[name] = cell
        try:
            check_overflow(cells, file, line)
            yield line, record
        except InputError as error:
            yield line, error


def check_overflow(cells: Mapping[str, object], file: Path, line: int) -> None:
    """Refuse a row with more cells than there are headings.

    Raises:
        InputError: It has more.
    """
    if cells.get(OVERFLOW):
        raise InputError(
            f"has more cells than there are headings ('{str(cells[OVERFLOW])[:40]}')",
            file=file,
            line=line,
            cure="put texts that hold the delimiter into quotes",
        )


def table_rows(
    file: Path, columns: Sequence[str] | None = None
) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Rows of a table with their 1-based line; of CSV and spreadsheets as texts.

    Args:
        file: The table.
        columns: What is read of Parquet, whose columns are narrow; None for all.

    Raises:
        InputError: The file cannot be read.
    """
    ending = file.suffix.lower()
    if not file.is_file():
        raise InputError("there is no such file", file=file, cure="check the path")
    if ending in _GRIDS:
        yield from read_grid(file)
    elif ending == ".parquet" and columns is not None:
        for line, record in parquet_rows(file, columns=columns, most=_NARROW_BATCH):
            if isinstance(record, InputError):
                raise record
            yield line, record
    elif ending in ENDINGS:
        yield from ((row.line, row.value) for row in RecordFile.of(file).rows())
    else:
        raise InputError(
            f"unknown ending '{ending}'", file=file, cure="use .csv, .jsonl, .parquet or .xlsx"
        )


_READERS: dict[str, Callable[[Path], Records]] = {
    ".parquet": parquet_rows,
    ".json": _json_records,
    **dict.fromkeys(_GRIDS, _grid_records),
}
"""What reads the records of a file, by its ending; JSONL is read in place."""
_FIRST = (".jsonl", ".parquet")
ENDINGS = (".jsonl", *_READERS)
"""Endings of files of records."""
