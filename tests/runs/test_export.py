"""Points as CSV, Parquet and JSONL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import SettingsError
from reviewscore.runs.export import COLUMNS, export
from reviewscore.runs.folder import read_points
from reviewscore.schema.review import Neighbours, Occurrence, PointKind
from reviewscore.schema.span import Span
from tests.report.synthetic import (
    lexical_points,
    manifest,
    many_points,
    model_points,
    named_by_content,
    naming_places,
    write_run,
)
from tests.runs.conftest import read_csv


@pytest.fixture
def run(tmp_path: Path) -> Path:
    formula = '=HYPERLINK("http://x")'
    points = [one.model_copy(update={"text": formula}) for one in model_points()]
    return write_run(tmp_path / "run", points)


def test_csv_has_a_row_a_point_and_documented_columns(run: Path, tmp_path: Path) -> None:
    rows = export(run, tmp_path / "x.csv")

    table = read_csv(tmp_path / "x.csv")
    assert rows == len(table) == len(model_points())
    assert set(table[0]) <= set(COLUMNS)


def test_no_cell_of_a_csv_is_a_formula(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "x.csv")

    cells = [cell for row in read_csv(tmp_path / "x.csv") for cell in (*row, *row.values())]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)


def test_parquet_keeps_types_and_nested_records(run: Path, tmp_path: Path) -> None:
    import pandas as pd

    export(run, tmp_path / "x.parquet")

    table = pd.read_parquet(tmp_path / "x.parquet")
    assert list(table["point_id"]) == [one.point_id for one in read_points(run)]
    with_argument = next(one for one in table["argument"] if isinstance(one, str))
    assert json.loads(with_argument)["rounds"]


def test_the_number_of_a_point_is_that_of_its_review_in_runs_old_and_new(tmp_path: Path) -> None:
    old = list(many_points(2, 12))
    new = named_by_content(old)
    for name, points in (("old", old), ("new", new)):
        export(write_run(tmp_path / name, points), tmp_path / f"{name}.csv")

    tables = {name: read_csv(tmp_path / f"{name}.csv") for name in ("old", "new")}
    assert [int(row["number"]) for row in tables["old"][:12]] == list(range(1, 13))
    assert [row["number"] for row in tables["new"][:9]] == [*"12345678", "1"]
    assert [row["point_id"] for row in tables["new"]] == [one.point_id for one in new]


def test_jsonl_is_the_records_themselves(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "x.jsonl")

    assert (tmp_path / "x.jsonl").read_text() == (run / "points.jsonl").read_text()


def test_an_unknown_ending_is_refused_with_the_known_ones(run: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\.csv"):
        export(run, tmp_path / "x.xls")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_run_without_points_exports_nothing(tmp_path: Path, ending: str) -> None:
    run = write_run(tmp_path / "empty", [])

    assert export(run, tmp_path / f"x.{ending}") == 0
    assert (tmp_path / f"x.{ending}").exists()


def test_findings_have_columns_of_their_own_and_no_score(tmp_path: Path) -> None:
    import pandas as pd

    run = write_run(tmp_path / "run", lexical_points(), made=manifest("lexical"))

    export(run, tmp_path / "x.csv")
    export(run, tmp_path / "x.parquet")

    rows = read_csv(tmp_path / "x.csv")
    assert [row["finding"] for row in rows] == [one.finding for one in lexical_points()]
    assert [row["passage_count"] for row in rows] == ["1", "2", "0", "1"]
    assert rows[1]["first_passage"] == "We repeat every run with five seeds"
    assert rows[1]["rationale"] == "Words of the point stand in this passage."
    scores = ("scale", "base", "advanced", "conjunction", "misinformed", "unquoted", "quotes",
              "first_quote", "argument_state", "premises", "conclusion")  # fmt: skip
    assert {row[name] for row in rows for name in scores} == {""}
    table = pd.read_parquet(tmp_path / "x.parquet")
    assert table[list(scores)].isna().all(axis=None)
    assert len(json.loads(table["passages"][1])) == 2


def test_columns_of_arguments_are_empty_for_other_points(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "x.csv")

    trivial = {row["type"]: row["all_trivial"] for row in read_csv(tmp_path / "x.csv")}
    assert trivial["question"] == trivial["claim"] == ""
    assert trivial["argument"] == "false"


def test_named_places_have_columns_and_those_not_at_hand_stand_apart(tmp_path: Path) -> None:
    import pandas as pd

    run = write_run(tmp_path / "run", [naming_places(), *model_points()[1:2]])

    export(run, tmp_path / "x.csv")
    export(run, tmp_path / "x.parquet")

    first, second = read_csv(tmp_path / "x.csv")
    assert first["named_places"] == "Section A; Table 9"
    assert first["places_not_at_hand"] == "Table 9"
    assert (second["named_places"], second["places_not_at_hand"]) == ("", "")
    nested = pd.read_parquet(tmp_path / "x.parquet")["places"]
    assert [one["label"] for one in json.loads(nested[0])] == ["Section A", "Section A", "Table 9"]
    assert nested.isna().tolist() == [False, True]


def test_kind_repeats_and_neighbours_have_columns(tmp_path: Path) -> None:
    import pandas as pd

    again = Occurrence(section="Summary", text="Slow.", span=Span(field="summary", start=0, end=5))
    marks = {
        "kind": PointKind.REQUEST,
        "occurrences": (again, again),
        "neighbours": Neighbours(before="We read it.", after=""),
    }
    with_marks, without = model_points()[:2]
    run = write_run(tmp_path / "run", [with_marks.model_copy(update=marks), without])

    export(run, tmp_path / "x.csv")
    export(run, tmp_path / "x.parquet")

    rows = read_csv(tmp_path / "x.csv")
    assert [(row["kind"], row["also_in"]) for row in rows] == [("request", "Summary"), ("", "")]
    table = pd.read_parquet(tmp_path / "x.parquet")
    assert json.loads(table["occurrences"][0])[0]["text"] == "Slow."
    assert json.loads(table["neighbours"][0]) == {"before": "We read it.", "after": ""}
    assert pd.isna(table["neighbours"][1])
