"""Tables as Markdown, CSV and LaTeX: what is printed, and that names in them are only names."""

from __future__ import annotations

import csv
import io
from typing import get_args

import pytest

from reviewscore.agreement.plots import _forest
from reviewscore.stats.estimates import Estimate, PendingEstimate, mean
from reviewscore.stats.tables import (
    Cell,
    Kind,
    Table,
    as_csv,
    basis,
    escaped,
    frame,
    latex,
    markdown,
    records,
    shown,
)
from tests.stats.ratings import column

FORMULA = "=1+1|<img src=x>"
KINDS: tuple[Kind, ...] = get_args(Kind)


def slot(**changes: object) -> PendingEstimate:
    """An estimate that has been computed."""
    values: dict[str, object] = {"coefficient": "share", "value": 0.25, "n": 4}
    estimate = Estimate.model_validate(values | changes)
    return PendingEstimate(mean("share", column(0, 0, 0, 1)), estimate=estimate)


def table(*rows: tuple[Cell, ...], columns: tuple[str, ...] = ("group", FORMULA)) -> Table:
    return Table("data", "Title", columns, rows)


def lines(made: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(made))))


@pytest.mark.parametrize(
    ("p", "words"),
    [(0.0002, "p<0.001"), (0.0006, "p=0.001"), (0.0496, "p=0.050"), (1.0, "p=1.000")],
)
def test_a_p_value_is_never_printed_as_zero(p: float, words: str) -> None:
    estimate = slot(p=p).answer

    assert shown(estimate) == f"0.250 {words}"


def test_a_heading_is_no_formula_in_a_spreadsheet() -> None:
    (row,) = lines(table(("a", slot())))

    assert row["column"] == f"'{FORMULA}"


def test_counts_in_csv_are_numbers_and_words_are_reasons() -> None:
    said: tuple[Cell, ...] = ("a", 1234, "0.50", "no scores", slot())

    rows = lines(table(said, columns=("group", "n", "sd", "kappa", "share")))

    assert [(row["value"], row["reason"]) for row in rows] == [
        ("1234", ""), ("0.50", ""), ("", "no scores"), ("0.25", ""),
    ]  # fmt: skip
    assert as_csv(table(("a", 1234))).splitlines()[1] == "a,1234"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<img src=x>", "\\<img src=x\\>"),
        ("p<0.001", "p<0.001"),
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("two\nlines", "two lines"),
        ("\x1b[2J", "\\\\u001b\\[2J"),
    ],
)
def test_a_name_in_markdown_is_no_markup(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_a_name_in_latex_is_no_argument_of_the_line_before() -> None:
    made = latex(table(("[2cm]\nx", "*"), ("\\input{x}", "50 %_&")))

    assert "\n {[}2cm] x " in made
    assert "& {*} " in made
    assert "\\textbackslash{}input\\{x\\} & 50 \\%\\_\\&" in made


def test_a_name_in_markdown_stays_in_its_cell() -> None:
    made = markdown(table((FORMULA, "x")))

    assert "=1+1\\|\\<img src=x\\>" in made


def test_a_forest_that_is_cut_says_so() -> None:
    rows = [("judge", *(slot() for _ in range(61)))]
    wide = table(*rows, columns=("judge", *(f"k{n}" for n in range(61))))
    narrow = table(*[one[:60] for one in rows], columns=wide.columns[:60])

    assert "the first 60 of 61 estimates" in _forest(wide).get_suptitle()
    assert _forest(narrow).get_suptitle() == "Title"


def test_a_name_in_a_latex_label_is_no_command() -> None:
    odd = Table("focus-}\\input{x}%\n", "Title", ("group",), (("a",),))

    (label,) = (line for line in latex(odd).splitlines() if "label" in line)

    assert label == r"\label{tab:focus--input-x-}"


def test_columns_of_the_same_name_all_get_into_the_numbers() -> None:
    (row,) = records(table(("a", slot(), 3), columns=("group", "group", "group")))

    assert list(row) == ["group", "group (2)", "group (3)"]
    assert row["group"] == "a"
    assert row["group (3)"] == 3


def test_a_value_that_many_resamples_lack_says_so() -> None:
    steady = slot(value=1.0, low=1.0, high=1.0, undefined=0.004)
    unsteady = slot(value=1.0, low=1.0, high=1.0, undefined=0.37)
    made = table(("a", steady, unsteady), columns=("group", "one", "two"))

    (line,) = (line for line in markdown(made).splitlines() if line.startswith("| a"))

    assert "1.000 [1.000, 1.000] |" in line
    assert "1.000 [1.000, 1.000] (37% undefined) |" in line
    assert "37\\% undefined" in latex(made)
    assert basis(made)[-1].startswith("Undefined: ")
    assert len(basis(table(("a", steady, steady), columns=made.columns))) == 1


def test_what_cells_rest_on_and_what_was_left_out_is_one_line_each() -> None:
    few, many = slot(n=3, dropped={"unlabelled": 1}), slot(n=4)
    columns = ("group", "one", "two")

    alike = basis(table(("a", many, many), ("b", many, many), columns=columns))
    by_column = basis(table(("a", few, many), ("b", few, many), columns=columns))
    by_row = basis(table(("a", few, few), ("b", many, many), columns=columns))
    mixed = basis(table(("a", few, many), ("b", many, many), columns=columns))

    assert alike == ["n = 4"]
    assert by_column == ["n = 3 (one), 4 (two)", "Left out: 1 unlabelled (one)"]
    assert by_row == ["n = 3 (a), 4 (b)", "Left out: 1 unlabelled (a)"]
    assert mixed == ["n = a: 3 (one), 4 (two); b: 4 (one, two)", "Left out: a: 1 unlabelled (one)"]


def test_a_table_is_a_data_frame_of_its_estimates() -> None:
    found = frame(table(("a", slot(low=0.1, high=0.5)), ("b", slot())))

    assert found["group"].tolist() == ["a", "b"]
    assert found["value"].tolist() == [0.25, 0.25]
    assert found["low"].isna().tolist() == [False, True]


def test_estimates_of_each_kind_are_printed_in_their_unit() -> None:
    one = slot(value=0.125, low=-0.0001, high=0.25).answer

    assert [shown(one, kind) for kind in KINDS] == [
        "0.125 [−0.000, 0.250]",
        "12.5 [−0.0, 25.0]",
        "12.5 % [0.0, 25.0]",
        "+12.5 points [0.0, +25.0]",
    ]
