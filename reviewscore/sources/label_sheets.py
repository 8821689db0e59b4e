"""Label sheets: empty ones for annotators to fill in, and filled ones read back as labels.

A sheet is CSV (comma, semicolon or tab) or a spreadsheet (xlsx, xls, ods), in one of two forms:
long, a label a row (``unit_id, annotator, field, value``), or wide, a unit a row with a column for
each field; the annotator is a column, or the name of the spreadsheet's tab.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.schema.annotation import FIELDS_OF, LabelField, Unit
from reviewscore.sources.grids import SPREADSHEETS, Grid, read_csv, tabs
from reviewscore.sources.records import Row

_EXTRA = ("justification", "codebook", "at")
_WHOLE = re.compile(r"(-?\d+)(?:[.,]0+)?")
_NOT_ASKED = "-"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
_HEAD = ("unit_id", "annotator", "paper_id", "kind", "text")


def read_sheet(file: Path) -> Iterator[Row]:
    """The labels of a filled sheet as records, each with its line.

    Empty cells are labels that were not given. Whole numbers that a spreadsheet wrote as 4.0 or
    4,0 are numbers again; anything else stays as it is and is refused by the checks.

    Raises:
        InputError: The file cannot be read, or has neither form.
    """
    if file.suffix.lower() in SPREADSHEETS:
        for tab, grid in tabs(file):
            yield from _labels(grid, file, tab)
        return
    yield from _labels(read_csv(file), file, None)


def _labels(grid: Grid, file: Path, tab: str | None) -> Iterator[Row]:
    fields = [one.value for one in LabelField]
    for line, cells in grid:
        if not any(cells.values()):
            continue
        if "unit_id" not in cells:
            raise InputError(
                f"has no column 'unit_id'{f' in tab {tab}' if tab else ''}",
                file=file,
                line=1,
                cure="the first row names the columns; agree RUN --sheet FILE writes an empty one",
            )
        common = {
            "unit_id": _bare(cells.get("unit_id", "")),
            "annotator": cells.get("annotator") or tab,
        }
        common |= {name: cells[name] for name in _EXTRA if cells.get(name)}
        common = {name: value for name, value in common.items() if value is not None}
        if "field" in cells:
            value = {"value": _value(cells["value"])} if cells.get("value") else {}
            yield _row(line, {**common, "field": cells["field"], **value})
            continue
        given = [name for name in fields if cells.get(name, _NOT_ASKED) not in ("", _NOT_ASKED)]
        for name in given:
            yield _row(line, {**common, "field": name, "value": _value(cells[name])})


def _row(line: int, record: Mapping[str, object]) -> Row:
    return Row(line, 0, dict(record))


def _value(cell: str) -> int | str:
    number = _WHOLE.fullmatch(cell)
    return int(number[1]) if number else cell


def empty_sheet(units: Iterable[Unit]) -> str:
    """A wide sheet as CSV, a unit a row, to be filled in by one annotator.

    Cells for fields that do not apply to a unit hold a dash, so that they are passed over.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fields = [one.value for one in LabelField]
    writer.writerow([*_HEAD, *fields, *_EXTRA[:2]])
    for unit in units:
        open_fields = {one.value for one in FIELDS_OF[unit.kind]}
        blanks = ["" if name in open_fields else _NOT_ASKED for name in fields]
        names = (_guarded(one) for one in (unit.unit_id, "", unit.paper_id))
        row = [*names, unit.kind.value, _guarded(unit.text or ""), *blanks, "", ""]
        writer.writerow(row)
    return out.getvalue()


def _guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula; identifiers may begin with a dash."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _bare(name: str) -> str:
    return name[1:] if name[:1] == "'" and name[1:].startswith(_FORMULA) else name
