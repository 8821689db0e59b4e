"""Lines of tables, from CSV, TSV, JSONL and Parquet files alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.sources.records import RecordFile, csv_cells, heading, only_table
from reviewscore.stats.tables import guarded

ENDINGS = (".jsonl", ".parquet", ".csv", ".tsv")
_CURE = f"give a file that ends in {', '.join(ENDINGS)}"


@dataclass(frozen=True, slots=True)
class Line:
    """One record of a file.

    Attributes:
        file: The file.
        number: 1-based line, or row of a Parquet file.
        record: Values by column; of CSV, headings in lower case, and an empty cell is None.
    """

    file: Path
    number: int
    record: dict[str, object]

    def __str__(self) -> str:
        return f"{self.file.name} line {self.number}"


def beside(folder: Path, name: str) -> Path | None:
    """The file of a name in a folder, whatever its ending.

    Raises:
        InputError: There are several.
    """
    return only_table(folder, name, ENDINGS)


def lines(file: Path) -> Iterator[Line]:
    """Every record of a file.

    Raises:
        InputError: The file or a line of it cannot be read.
    """
    if not file.is_file():
        raise InputError("there is no such file", file=file, cure=_CURE)
    ending = file.suffix.lower()
    if ending in (".csv", ".tsv"):
        yield from _named(file)
    elif ending in (".jsonl", ".parquet"):
        for row in RecordFile.of(file).rows():
            if row.error is not None or row.record is None:
                raise row.error or InputError("is empty", file=file, line=row.line)
            yield Line(file, row.line, row.record)
    else:
        raise InputError("is of no known kind", file=file, cure=_CURE)


def _named(file: Path) -> Iterator[Line]:
    """Lines below a heading."""
    names: list[str] | None = None
    for number, row in cells(file):
        if names is None:
            names = [heading(cell) for cell in row]
            continue
        if len(row) > len(names):
            raise InputError(
                f"has {len(row)} cells under {len(names)} headings",
                file=file, line=number, cure="quote cells that hold the separator",
            )  # fmt: skip
        filled = [*row, *[""] * (len(names) - len(row))]
        yield Line(file, number, {name: _unguarded(cell.strip()) or None
                                  for name, cell in zip(names, filled, strict=True)})  # fmt: skip


def cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Numbers of lines and their cells, of a CSV file; lines without words are left out.

    Raises:
        InputError: The file cannot be read.
    """
    for number, row in csv_cells(file):
        if any(cell.strip() for cell in row):
            yield number, row


def _unguarded(cell: str) -> str:
    """A cell without the mark that keeps spreadsheets from taking it for a formula."""
    return cell[1:] if cell[:1] == "'" and guarded(cell[1:]) == cell else cell
