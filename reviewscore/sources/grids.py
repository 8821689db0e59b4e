"""Tables as rows of cells: CSV files and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from reviewscore.bounds import check_size, in_force, read_bounded
from reviewscore.errors import InputError, TooLargeError
from reviewscore.processes.pool import ChildPool
from reviewscore.sources import grid_worker

SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
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
    return ChildPool("reviewscore.sources.grid_worker", 1, grace=_GRACE, most_tasks=_MOST_TASKS)


def _read(file: Path) -> list[tuple[str, list[list[str]]]]:
    """The tabs of a spreadsheet, read by a process that may die over it.

    Raises:
        InputError: It did, or the file is no spreadsheet.
    """
    bound = in_force().table
    task = json.dumps({"path": str(file.resolve()), "most": bound.size})
    answer = _readers().ask(task, grid_worker.SECONDS)
    if not answer.line:
        end = f"had no end within {grid_worker.SECONDS:.0f} s" if answer.late else "broke down"
        raise InputError(
            f"cannot be read: its reader {end}, as over a cell far away from all others",
            file=file,
            cure="delete what lies beyond the table, or save it as CSV",
        )
    found = json.loads(answer.line)
    if size := found.get(grid_worker.TOO_LARGE):
        raise TooLargeError(f"its cells {bound.problem(size)}", file=file, cure=bound.cure)
    if problem := found.get("problem"):
        raise InputError(problem, file=file)
    tabs_read: list[tuple[str, list[list[str]]]] = found["tabs"]
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
            size = sum(one.file_size for one in packed.infolist())
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
    found = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if name}
    beyond = " ".join(cell.strip() for cell in cells[len(columns) :]).strip()
    return {**found, OVERFLOW: beyond} if beyond else found
