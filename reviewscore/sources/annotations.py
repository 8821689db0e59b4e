"""Sets of human labels, read and checked: every fault with its file, line and cure; label sheets.

A sheet is CSV (comma, semicolon or tab) or a spreadsheet (xlsx, xls, ods), in one of two forms:
long, a label a row (``unit_id, annotator, field, value``), or wide, a unit a row with a column for
each field; the annotator is a column, or the name of the spreadsheet's tab.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from reviewscore.errors import InputError
from reviewscore.schema.annotation import (
    FIELDS_OF,
    VALUES,
    Annotator,
    AnnotatorKind,
    Label,
    LabelField,
    Unit,
    UnitKind,
)
from reviewscore.schema.point_id import owner_of, place_of
from reviewscore.sources.records import SPREADSHEETS, Grid, RecordFile, RecordRow, read_csv, tabs

LABELS, UNITS, ANNOTATORS = "labels.jsonl", "units.jsonl", "annotators.jsonl"
_PSEUDONYM = re.compile(r"(?=[^\d]*\d)[A-Za-z0-9][A-Za-z0-9_-]{0,23}")
BY_PLACE = (
    "an id such as R1#3 is a point's place in its review, as runs of earlier versions have it; "
    "name the run that was labelled too, as it holds the words"
)
"""What to do about labels whose units are not known by their words."""
_KIND = "annotator_kind"
KIND_CURE = "write human for a person's label, model for that of a reader that is no person"
_HINTS = 5
"""Faults up to which a like unit is looked for among all: it takes long in a large set."""
_WHOLE = (LabelField.UNANSWERABILITY, LabelField.FACTUALITY)
"""The scales of a whole point."""
_FAITHFUL_FROM = 4
"""Premises are labelled only of reconstructions with at least this faithfulness (sec. 3.3)."""

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class AnnotationSet:
    """Human labels and what they are about.

    Attributes:
        name: Name of the folder or file.
        units: What was labelled, by identifier; None if the set does not say, so that the units
            are those of the run it is compared with.
        labels: All labels that can be used.
        annotators: What is known of the annotators, by pseudonym.
        faults: What is wrong; each such line was left out.
        warnings: What is strange but was kept.
        notes: What must be said beside figures that rest on it.
    """

    name: str
    units: Mapping[str, Unit] | None
    labels: tuple[Label, ...]
    annotators: Mapping[str, Annotator]
    faults: tuple[InputError, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def of_people(self) -> AnnotationSet:
        """The labels that people gave, alone; what models gave is counted in the notes.

        Raises:
            InputError: No person labelled anything.
        """
        human, left_out = people_alone(self.name, self.labels)
        if not left_out:
            return self
        return replace(self, labels=human, notes=(*self.notes, left_out))


class _ByReader(Protocol):
    """What says who gave it."""

    @property
    def annotator(self) -> str: ...

    @property
    def annotator_kind(self) -> AnnotatorKind: ...


_Given = TypeVar("_Given", bound=_ByReader)


def people_alone(name: str, labels: Sequence[_Given]) -> tuple[tuple[_Given, ...], str]:
    """The labels that people gave, and what is left out, in words; empty if nothing is.

    Raises:
        InputError: No person labelled anything.
    """
    human = tuple(label for label in labels if label.annotator_kind is AnnotatorKind.HUMAN)
    models = sorted({label.annotator for label in labels} - {label.annotator for label in human})
    if not models:
        return tuple(labels), ""
    if not human:
        raise InputError(
            f"{name} holds no label by a person: {', '.join(models)} are models",
            cure="--labels measures with readers of any kind, and says so",
        )
    count = len(labels) - len(human)
    return human, (
        f"{count:,} labels by models ({', '.join(models)}) are left out: --human takes "
        "people's alone, --labels takes all."
    )


@dataclass
class _Reading:
    """What has been read of a set so far."""

    faults: list[InputError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seen: dict[tuple[str, str, str], int] = field(default_factory=dict)
    kinds: dict[str, tuple[AnnotatorKind, int]] = field(default_factory=dict)


def is_pseudonym(name: str) -> bool:
    """Whether a name may stand for an annotator: short, plain, and with a number in it."""
    return _PSEUDONYM.fullmatch(name) is not None


def read_annotations(path: Path) -> AnnotationSet:
    """Read a set of labels and check each line.

    Args:
        path: A folder with ``labels.jsonl`` and, if wanted, ``units.jsonl`` and
            ``annotators.jsonl``; or a file of labels alone.

    Returns:
        The set; faulty lines are not in it but in its `faults`.

    Raises:
        InputError: There are no labels to read.
    """
    labels = path / LABELS if path.is_dir() else path
    if not labels.is_file():
        raise InputError(
            "there are no labels",
            file=labels,
            cure=f"name a folder that holds {LABELS} or points.jsonl, or a file of labels",
        )
    reading = _Reading()
    units = annotators = None
    if path.is_dir() and (path / UNITS).is_file():
        units = _units(path / UNITS, reading)
    if path.is_dir() and (path / ANNOTATORS).is_file():
        rows = RecordFile.of(path / ANNOTATORS).rows()
        read = _read(rows, path / ANNOTATORS, Annotator, reading, "annotator")
        annotators = {one.annotator: one for _, one in read}
    return _checked(path.stem, RecordFile.of(labels).rows(), labels, units, annotators, reading)


def check_labels(
    name: str, rows: Iterable[RecordRow], file: Path, units: Mapping[str, Unit] | None
) -> AnnotationSet:
    """Labels that were read from a file of another form, checked as those of a set are.

    Args:
        name: Name of the set.
        rows: Labels as records, each with its line.
        file: The file they came from, for messages.
        units: The units they may be of; None for any.
    """
    return _checked(name, rows, file, units, None, _Reading())


def read_units(folder: Path) -> dict[str, Unit] | None:
    """The units of a set; None if it does not list any.

    Raises:
        InputError: A line is no unit.
    """
    file = folder / UNITS
    if not file.is_file():
        return None
    reading = _Reading()
    units = _units(file, reading)
    if reading.faults:
        raise reading.faults[0]
    return units


def _units(file: Path, reading: _Reading) -> dict[str, Unit]:
    read = _read(RecordFile.of(file).rows(), file, Unit, reading, "unit_id")
    points = {one.unit_id for _, one in read if one.kind is UnitKind.POINT}
    units = {}
    for line, unit in read:
        if unit.kind is UnitKind.PREMISE and unit.point_id not in points:
            given = (
                "has no point" if unit.point_id is None else f"is of '{unit.point_id}', no point"
            )
            reading.faults.append(
                InputError(
                    f"the premise '{unit.unit_id}' {given} of this set",
                    file=file,
                    line=line,
                    field="point_id",
                    cure="name the point it belongs to, and list that too",
                )
            )
            continue
        units[unit.unit_id] = unit
    return units


def _checked(
    name: str,
    rows: Iterable[RecordRow],
    file: Path,
    units: Mapping[str, Unit] | None,
    annotators: Mapping[str, Annotator] | None,
    reading: _Reading,
) -> AnnotationSet:
    kept = [
        (line, label)
        for line, label in _read(rows, file, Label, reading, None)
        if _sound(label, file, line, units, reading)
    ]
    if not kept and not reading.faults:
        raise InputError("holds no label", file=file, cure="write one label a line")
    _cross_checks(kept, file, units, reading)
    _check_annotators(kept, annotators, reading)
    return AnnotationSet(
        name=name,
        units=units,
        labels=tuple(label for _, label in kept),
        annotators=annotators or {},
        faults=tuple(reading.faults),
        warnings=tuple(reading.warnings),
    )


def first_fault(faults: Sequence[InputError]) -> InputError:
    """The first fault of a set, saying how many there are.

    Raises:
        IndexError: There is none.
    """
    first, more = faults[0], len(faults) - 1
    if not more:
        return first
    return InputError(
        f"{first.problem}; {more} more line{'s' * (more > 1)} cannot be used",
        file=first.file,
        line=first.line,
        field=first.field,
        cure=f"{first.cure}; agree --check lists all, --skip-bad-lines goes on without them",
    )


def _read(
    rows: Iterable[RecordRow], file: Path, model: type[_Model], reading: _Reading, key: str | None
) -> list[tuple[int, _Model]]:
    """The records of a file; faulty lines and repeated keys become faults."""
    out: dict[str, tuple[int, _Model]] = {}
    strange: dict[str, int] = {}
    for row in rows:
        try:
            record = _record(row, model, file, strange)
        except InputError as error:
            reading.faults.append(error)
            continue
        name = str(getattr(record, key)) if key else str(len(out))
        if name in out:
            reading.faults.append(
                InputError(
                    f"'{name}' stands in line {out[name][0]} already",
                    file=file,
                    line=row.line,
                    field=key,
                    cure="keep one of the two lines",
                )
            )
            continue
        out[name] = (row.line, record)
    reading.warnings += [
        f"{file.name}: the field '{name}' is not known and was ignored ({times} lines)"
        for name, times in strange.items()
    ]
    return list(out.values())


def _record(row: RecordRow, model: type[_Model], file: Path, strange: dict[str, int]) -> _Model:
    given = row.value
    known = {
        *model.model_fields,
        *(model_field.alias for model_field in model.model_fields.values() if model_field.alias),
    }
    for name in (name for name in given if name not in known):
        strange[name] = strange.get(name, 0) + 1
    kept = {name: value for name, value in given.items() if name in known}
    value = kept.get("value", 0)
    if not isinstance(value, int | str | list) or isinstance(value, bool):
        raise InputError(
            f"{value!r} is no whole number and no word",
            file=file,
            line=row.line,
            field="value",
            cure="labels are whole numbers of a scale, or words; medians are taken here",
        )
    try:
        return model.model_validate_json(json.dumps(kept))
    except ValidationError as error:
        # Of a value with several forms the one that it comes nearest to is named.
        problem = max(error.errors(include_url=False), key=lambda fault: len(fault["loc"]))
        raise InputError(
            fault_words(problem["msg"], problem["input"]),
            file=file,
            line=row.line,
            field=".".join(map(str, filter(_is_key, problem["loc"]))) or None,
            cure=_cure(str(problem["loc"][0]) if problem["loc"] else "", problem["input"]),
        ) from error


def _is_key(part: int | str) -> bool:
    """Whether a part of a fault's place is a key or number, not what pydantic calls a form."""
    return isinstance(part, int) or (part.isidentifier() and part not in ("int", "str"))


def fault_words(message: str, given: object) -> str:
    """What a check of a field says of a value, in words."""
    if message == "Field required":
        return "is missing"
    shown = f"{given!r}" if isinstance(given, str | int | float) else type(given).__name__
    return f"{shown} cannot be used: {message[0].lower()}{message[1:]}"


def _cure(name: str, given: object) -> str:
    if name == "field":
        names = [label_field.value for label_field in LabelField]
        close = difflib.get_close_matches(str(given), names, n=1)
        return f"did you mean '{close[0]}'?" if close else f"use one of {', '.join(names)}"
    if name == _KIND:
        return KIND_CURE
    return "annotations/README.md tells the format"


def _sound(
    label: Label, file: Path, line: int, units: Mapping[str, Unit] | None, reading: _Reading
) -> bool:
    """Whether a label can be used; else its fault is noted."""
    fault = _fault(label, units, hint=len(reading.faults) < _HINTS)
    fault = fault or _other_kind(label, line, reading)
    if fault is None:
        key = (label.unit_id, label.annotator, label.field.value)
        first = reading.seen.setdefault(key, line)
        if first == line:
            return True
        fault = (
            "annotator",
            f"'{label.annotator}' labelled {label.field.value} of {label.unit_id} in line "
            f"{first} already",
            "keep the later decision and delete the other line",
        )
    where, problem, cure = fault
    reading.faults.append(InputError(problem, file=file, line=line, field=where, cure=cure))
    return False


def by_place(unit_ids: Iterable[str]) -> bool:
    """Whether an identifier is a place in a review, as they were once."""
    return any(place_of(owner_of(unit_id) or unit_id) is not None for unit_id in unit_ids)


def _other_kind(label: Label, line: int, reading: _Reading) -> tuple[str, str, str] | None:
    """Field, problem and cure of a label whose annotator was of the other kind before."""
    kind, first = reading.kinds.setdefault(label.annotator, (label.annotator_kind, line))
    if kind is label.annotator_kind:
        return None
    problem = (
        f"'{label.annotator}' is {label.annotator_kind.value}, but {kind.value} in line {first}"
    )
    return _KIND, problem, "a pseudonym is a person's or a model's: give the other another"


def _kind(unit_id: str, units: Mapping[str, Unit] | None) -> UnitKind:
    if units is not None:
        return units[unit_id].kind
    return UnitKind.POINT if owner_of(unit_id) is None else UnitKind.PREMISE


def _fault(
    label: Label, units: Mapping[str, Unit] | None, *, hint: bool
) -> tuple[str, str, str] | None:
    """Field, problem and cure of a label that cannot be used."""
    allowed = VALUES.get(label.field, ())
    scale = ", ".join(str(one) for one in allowed)
    if not is_pseudonym(label.annotator):
        cure = "use a pseudonym with a number, such as A1; no names and no addresses"
        return "annotator", f"'{label.annotator}' is no pseudonym", cure
    listed = isinstance(label.value, tuple)
    if listed is not (label.field is LabelField.PRESUPPOSITIONS):
        cure = f"use one of {scale}" if listed else "write a list of objects, each with a statement"
        return "value", f"{label.field.value} is {'no' if listed else 'a'} list", cure
    if listed:
        return _unit_fault(label, units, hint=hint)
    if isinstance(label.value, str) and isinstance(allowed[0], int):
        cure = f"write one of {scale} without quotes"
        return "value", f"'{label.value}' is text, but {label.field.value} is a number", cure
    if label.value not in allowed:
        cure = f"use one of {scale}"
        return "value", f"{label.value!r} is not on the scale of {label.field.value}", cure
    return _unit_fault(label, units, hint=hint)


def _unit_fault(
    label: Label, units: Mapping[str, Unit] | None, *, hint: bool
) -> tuple[str, str, str] | None:
    """Field, problem and cure of a label whose unit is not known, or is not labelled so."""
    if units is not None and label.unit_id not in units:
        close = difflib.get_close_matches(label.unit_id, units, n=1) if hint else []
        like = f"; did you mean '{close[0]}'?" if close else ""
        if hint and by_place([label.unit_id]) and not by_place(units):
            like = f"; {BY_PLACE}"
        cure = f"list it in {UNITS}, or correct it{like}"
        return "unit_id", f"there is no unit '{label.unit_id}'", cure
    kind = _kind(label.unit_id, units)
    if label.field not in FIELDS_OF[kind]:
        names = ", ".join(label_field.value for label_field in FIELDS_OF[kind])
        return "field", f"{label.field.value} is not labelled of a {kind.value}", f"use {names}"
    return None


def _cross_checks(
    kept: list[tuple[int, Label]],
    file: Path,
    units: Mapping[str, Unit] | None,
    reading: _Reading,
) -> None:
    """What no line shows by itself: points on two scales, premises that were to be skipped."""
    points = [(n, label) for n, label in kept if _kind(label.unit_id, units) is UnitKind.POINT]
    scales: dict[str, dict[LabelField, int]] = {}
    for line, label in points:
        if label.field in _WHOLE:
            scales.setdefault(label.unit_id, {}).setdefault(label.field, line)
    both = {unit: lines for unit, lines in scales.items() if len(lines) > 1}
    for unit, lines in both.items():
        reading.faults.append(
            InputError(
                f"'{unit}' is labelled on two scales, unanswerability in line "
                f"{lines[LabelField.UNANSWERABILITY]} and factuality",
                file=file,
                line=lines[LabelField.FACTUALITY],
                field="field",
                cure="a question has unanswerability, a weakness factuality: agree on its type",
            )
        )
    kept[:] = [
        (n, label) for n, label in kept if label.unit_id not in both or label.field not in _WHOLE
    ]
    low = {
        (label.unit_id, label.annotator)
        for _, label in points
        if label.field is LabelField.FAITHFULNESS and label.number < _FAITHFUL_FROM
    }
    useless = sum(
        (label.unit_id.rpartition("/")[0], label.annotator) in low
        for _, label in kept
        if _kind(label.unit_id, units) is UnitKind.PREMISE
    )
    if useless:
        reading.warnings.append(
            f"{useless} labels of premises are of reconstructions that their annotator rated "
            f"below {_FAITHFUL_FROM}; the codebook asks to skip these"
        )


def _check_annotators(
    kept: Iterable[tuple[int, Label]],
    annotators: Mapping[str, Annotator] | None,
    reading: _Reading,
) -> None:
    """Mixed codebooks, and annotators of whom nothing is known."""
    labels = [label for _, label in kept]
    books = {label.codebook for label in labels}
    if len(books) > 1:
        names = ", ".join(sorted("none" if book is None else f"'{book}'" for book in books))
        reading.warnings.append(f"labels follow different codebooks: {names}")
    strangers = {label.annotator for label in labels} - (annotators or {}).keys()
    if annotators is not None and strangers:
        reading.warnings.append(f"not in {ANNOTATORS}: {', '.join(sorted(strangers))}")


_EXTRA = (_KIND, "justification", "codebook", "at")
_WHOLE_NUMBER = re.compile(r"(-?\d+)(?:[.,]0+)?")
_NOT_ASKED = "-"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
_HEAD = ("unit_id", "annotator", _KIND, "paper_id", "kind", "text")
_COLUMNS = {
    label_field: "point_kind" if label_field is LabelField.KIND else label_field.value
    for label_field in LabelField
}
"""Columns of a wide sheet by field; ``kind`` is the kind of the unit there."""


def read_sheet(file: Path) -> Iterator[RecordRow]:
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


def _labels(grid: Grid, file: Path, tab: str | None) -> Iterator[RecordRow]:
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
            yield RecordRow(line, 0, {**common, "field": cells["field"], **value})
            continue
        for label_field, column in _COLUMNS.items():
            if cells.get(column, _NOT_ASKED) not in ("", _NOT_ASKED):
                given = {"field": label_field.value, "value": _value(cells[column])}
                yield RecordRow(line, 0, {**common, **given})


def _value(cell: str) -> int | str | list[object]:
    """A cell as a value: a whole number, a list that is written as JSON, or a word."""
    number = _WHOLE_NUMBER.fullmatch(cell)
    if number is None and cell.startswith("["):
        with contextlib.suppress(json.JSONDecodeError):
            listed = json.loads(cell)
            return listed if isinstance(listed, list) else cell
    return int(number[1]) if number else cell


def empty_sheet(units: Iterable[Unit]) -> str:
    """A wide sheet as CSV, a unit a row, to be filled in by one annotator.

    Cells for fields that do not apply to a unit hold a dash, so that they are passed over.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_HEAD, *_COLUMNS.values(), *_EXTRA[1:3]])
    for unit in units:
        asked = FIELDS_OF[unit.kind]
        blanks = ["" if label_field in asked else _NOT_ASKED for label_field in LabelField]
        names = (_guarded(text) for text in (unit.unit_id, "", "", unit.paper_id))
        row = [*names, unit.kind.value, _guarded(unit.text or ""), *blanks, "", ""]
        writer.writerow(row)
    return out.getvalue()


def _guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula; identifiers may begin with a dash."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _bare(name: str) -> str:
    return name[1:] if name[:1] == "'" and name[1:].startswith(_FORMULA) else name
