"""Label sheets: written empty, filled in by people and their spreadsheets, read back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import InputError
from reviewscore.schema.annotation import Unit, UnitKind
from reviewscore.sources.annotations import check_labels, empty_sheet, read_sheet

UNITS = [
    Unit(unit_id="p-r#1", paper_id="p", review_id="p-r", text="=Only one dataset."),
    Unit(
        unit_id="p-r#1/P1", kind=UnitKind.PREMISE, paper_id="p", review_id="p-r", point_id="p-r#1"
    ),
]


def records(path: Path) -> list[tuple[int, dict[str, object] | None]]:
    return [(row.line, row.record) for row in read_sheet(path)]


def test_an_empty_sheet_asks_each_unit_for_its_own_fields() -> None:
    rows = list(csv.DictReader(io.StringIO(empty_sheet(UNITS))))

    assert rows[0]["text"] == "'=Only one dataset."
    assert (rows[0]["factuality"], rows[0]["source"]) == ("", "-")
    assert (rows[1]["source"], rows[1]["type"]) == ("", "-")


def test_identifiers_that_begin_with_a_dash_survive_a_spreadsheet(tmp_path: Path) -> None:
    # Identifiers of OpenReview may, and a spreadsheet would show #NAME? instead.
    units = [Unit(unit_id="-3Qj-r#1", paper_id="-3Qj", review_id="-3Qj-r", text="Small.")]
    text = empty_sheet(units)
    (row,) = csv.DictReader(io.StringIO(text))
    path = tmp_path / "filled.csv"
    path.write_text(text.replace("-3Qj-r#1,,,", "-3Qj-r#1,A1,human,").replace(",,,,", ",,4,,", 1))

    assert (row["unit_id"], row["paper_id"]) == ("'-3Qj-r#1", "'-3Qj")
    assert {(record or {})["unit_id"] for _, record in records(path)} == {"-3Qj-r#1"}


def test_an_empty_sheet_that_is_filled_in_comes_back_as_labels(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(empty_sheet(UNITS))))
    who = {"annotator": "M1", "annotator_kind": "model"}
    rows[0] |= {**who, "type": "claim", "factuality": "4", "justification": "See 4.1."}
    rows[1] |= {**who, "factuality": "5.0"}
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path = tmp_path / "filled.csv"
    path.write_text(out.getvalue(), "utf-8")

    found = records(path)

    common = {"unit_id": "p-r#1", **who, "justification": "See 4.1."}
    assert found == [
        (2, {**common, "field": "type", "value": "claim"}),
        (2, {**common, "field": "factuality", "value": 4}),
        (3, {"unit_id": "p-r#1/P1", **who, "field": "factuality", "value": 5}),
    ]


def test_the_kind_of_a_point_has_a_column_of_its_own_beside_that_of_the_unit(
    tmp_path: Path,
) -> None:
    (row, _) = csv.DictReader(io.StringIO(empty_sheet(UNITS)))
    stated = '[{"statement": "S", "true": 1, "central": true}]'
    row |= {"annotator": "A1", "annotator_kind": "human", "point_kind": "request",
            "standing": "2", "presuppositions": stated}  # fmt: skip
    path = tmp_path / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)

    found = check_labels("s", read_sheet(path), path, {unit.unit_id: unit for unit in UNITS})

    assert row["kind"] == "point"
    assert found.faults == ()
    assert [(one.field.value, one.value) for one in found.labels[:2]] == [
        ("kind", "request"), ("standing", 2),
    ]  # fmt: skip
    assert found.labels[2].presuppositions[0].statement == "S"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_long_sheets_with_any_delimiter_and_a_mark_of_byte_order_are_read(
    tmp_path: Path, delimiter: str
) -> None:
    head = delimiter.join(["Unit ID", "Annotator", "Field", "Value"])
    line = delimiter.join(["p-r#1", "A2", "factuality", "3"])
    path = tmp_path / "long.csv"
    path.write_text(f"﻿{head}\r\n{line}\r\n\r\n", "utf-8", newline="")

    assert records(path) == [
        (2, {"unit_id": "p-r#1", "annotator": "A2", "field": "factuality", "value": 3})
    ]


def test_a_decimal_comma_of_a_whole_number_is_a_number_and_a_half_is_left_to_the_checks(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.csv"
    path.write_text("unit_id;annotator;field;value\nu;A1;factuality;4,0\nu;A2;factuality;3,5\n")

    values = [(record or {})["value"] for _, record in records(path)]

    assert values == [4, "3,5"]


def test_line_breaks_inside_cells_do_not_shift_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "unit_id,annotator,field,value,justification\n"
        'u1,A1,factuality,4,"first\nsecond"\nu2,A1,factuality,2,\n'
    )

    assert [line for line, _ in records(path)] == [2, 4]


def test_a_sheet_without_unit_ids_says_what_the_first_row_must_hold(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("name,score\nx,3\n")

    with pytest.raises(InputError, match=r"s\.csv:1: has no column 'unit_id'.*--sheet"):
        records(path)


def test_a_sheet_in_another_encoding_says_how_to_save_it(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes("unit_id,annotator\nü,A1\n".encode("latin-1"))

    with pytest.raises(InputError, match=r"is not UTF-8.*save it as CSV in UTF-8"):
        records(path)


def test_a_file_that_is_no_spreadsheet_says_so(tmp_path: Path) -> None:
    path = tmp_path / "s.xlsx"
    path.write_bytes(b"not a spreadsheet")

    with pytest.raises(InputError, match="is no spreadsheet that can be read"):
        records(path)


def test_a_spreadsheet_has_a_tab_for_each_annotator() -> None:
    path = Path(__file__).parents[1] / "data" / "agreement" / "labels.xlsx"

    found = records(path)

    assert found == [
        (2, {"unit_id": "p-r#1", "annotator": "A1", "field": "factuality", "value": 4}),
        (3, {"unit_id": "p-r#2", "annotator": "A1", "field": "unanswerability", "value": 1}),
        (2, {"unit_id": "p-r#1", "annotator": "A2", "field": "factuality", "value": 2}),
    ]


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_words(tmp_path_factory: pytest.TempPathFactory,
                                              text: str) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("any") / "s.csv"
    path.write_text(text, "utf-8", errors="replace", newline="")

    try:
        found = records(path)
    except InputError as error:
        assert "s.csv" in str(error)
        return
    assert all(record is not None for _, record in found)
