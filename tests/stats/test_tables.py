"""Tables as Markdown, CSV and LaTeX: what is printed, and that names in them are only names."""

from __future__ import annotations

import csv
import io

import pytest

from reviewscore.agreement.plots import _forest
from reviewscore.stats.estimates import Estimate, PendingEstimate, mean
from reviewscore.stats.tables import Cell, Table, as_csv, escaped, latex, markdown, records, shown
from tests.stats.ratings import column

FORMULA = "=1+1|<img src=x>"


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
        ("<img src=x>", "&lt;img src=x>"),
        ("p<0.001", "p<0.001"),
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("two\nlines", "two lines"),
        ("\x1b[2J", "\\\\u001b[2J"),
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

    assert "=1+1\\|&lt;img src=x>" in made


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
