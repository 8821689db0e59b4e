"""Figures: numbers read from the cells of a row, and goals that a program can check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import measure
from benchmarks.figures import FIXED, NO_BASELINE, Figure, figure, goal_met, quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("28.5 s, 218 MB", [(28.5, "s"), (218.0, "MB")]),
        ("111/s", [(111.0, "/s")]),
        ("1,177k in 138 calls", [(1177.0, "k"), (138.0, "")]),
        ("99.3 % of 286", [(99.3, "%"), (286.0, "")]),
        ("yes", []),
        ("z3 of P1", []),
    ],
)
def test_numbers_are_read_with_their_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert expected == quantities(text)


@pytest.mark.parametrize(
    ("goal", "text", "ratio", "expected"),
    [
        ("<= 60 s, <= 1,000 MB", "28.5 s, 218 MB", 4.1, True),
        ("<= 60 s, <= 1,000 MB", "28.5 s, 2,180 MB", 4.1, False),
        (">= 0.95", "111/s", 0.94, False),
        ("<= 1.10", "60.6 s", 1.10, True),
        ("< 1 ms", "1 ms", 2.0, False),
        ("<= 5 ms", "yes", 1.0, None),
        ("<= 1.10", "60.6 s", None, None),
        ("about 1 (linear)", "0.3 s", 1.0, None),
        ("", "0.3 s", 1.0, None),
    ],
)
def test_a_goal_holds_for_the_number_of_its_unit_or_the_ratio(
    goal: str, text: str, ratio: float | None, expected: bool | None
) -> None:
    assert expected == goal_met(goal, text, ratio)


def test_a_baseline_has_the_value_of_the_same_unit_and_the_rest_as_its_name() -> None:
    found = figure("a", "28.5 s, 218 MB", "read and split only: 7.0 s, 216 MB", 4.1, "-")

    assert (found.baseline, found.baseline_value) == ("read and split only", 7.0)
    assert (found.against, found.better) == ("read and split only: 7.0 s, 216 MB", "lower")


def test_a_baseline_without_a_name_is_a_fixed_figure() -> None:
    assert figure("a", "0.1 s", "0.2 s", 0.5, "<= 1").baseline == FIXED


def test_a_figure_without_a_ratio_says_that_it_has_no_baseline() -> None:
    found = figure("a", "12.9 ms", "-", None, "<= 50 ms")

    assert (found.baseline, found.ratio, found.met) == (NO_BASELINE, None, True)


def test_more_is_better_where_the_goal_asks_for_more_and_of_rates() -> None:
    assert figure("a", "111/s", "bare 112/s", 0.99, ">= 0.95").better == "higher"
    assert figure("a", "111/s", "bare 112/s", 0.99, "").better == "higher"
    assert figure("a", "99 %", "97 %", 1.02, "", better="higher").better == "higher"


def test_a_row_is_printed_and_kept_under_a_name_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "records.jsonl"
    monkeypatch.setenv(measure.RECORDS, str(file))

    measure.head("A title")
    measure.row("25 papers", "8.2 s", "read only 2.8 s", 2.93, "-")
    measure.row("… a paper", "0.33 s", "-", None, "-")
    measure.skip("no data")
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    first, second = (Figure.model_validate(line) for line in lines[:2])

    assert "| 25 papers | 8.2 s | read only 2.8 s | 2.93 | - |" in capsys.readouterr().out
    assert (first.title, first.name, first.ratio) == ("A title", "25 papers", 2.93)
    assert second.name == "25 papers … a paper"
    assert lines[2] == {"skipped": "no data"}
