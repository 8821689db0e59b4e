"""The Markdown report: short, ordered by need, and safe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.printable import markdown_escaped
from reviewscore.report.markdown import LOWEST, markdown_report
from tests.report.synthetic import (
    lexical_points,
    manifest,
    many_points,
    model_points,
    naming_places,
    without_quotes,
    write_run,
)


@given(st.text())
def test_no_text_can_act_as_markup(text: str) -> None:
    safe = markdown_escaped(text)

    assert "\n" not in safe
    for sign in ">*[]`|@&_~":
        assert safe.count(sign) == safe.count(f"\\{sign}")
    assert not re.search(r"(?<!\\)<[A-Za-z/!?]", safe)
    assert not re.match(r"[-+#=]|[0-9]{1,9}[.)]", safe)
    assert not re.search(r"(?<!\\):\S|[Ww]{3}\.", safe)


@pytest.mark.parametrize(
    "text", ["questions: 9 (0 failed)", "hyper-parameters, 3.5 %", "a + b!", "p<0.001"]
)
def test_ordinary_words_stay_readable(text: str) -> None:
    assert markdown_escaped(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("- no list", r"\- no list"),
        ("# no heading", r"\# no heading"),
        ("1. no list", r"1\. no list"),
        ("2031) no list", r"2031\) no list"),
        ("https://x.org", r"https\://x.org"),
        ("www.x.org", r"www\.x.org"),
        (":smile:", r"\:smile:"),
    ],
)
def test_what_would_act_is_markdown_escaped(text: str, safe: str) -> None:
    assert safe == markdown_escaped(text)


def test_misinformed_points_come_first_and_people_are_not_judged(tmp_path: Path) -> None:
    text = markdown_report(write_run(tmp_path / "run", model_points()))

    assert text.startswith("# Review audit")
    first = text.index("judged misinformed")
    assert first < text.rindex("not judged misinformed")
    assert "Scores judge statements, not people" in text


def test_a_run_of_the_embedded_judge_says_what_it_is_and_gives_no_share(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", lexical_points(), made=manifest("lexical"))

    text = markdown_report(run)

    assert "evidence finder" in text
    assert "misinformed" not in text
    assert "%" not in text
    assert text.index("the paper speaks to this (passage)") < text.index("closest passages, which")
    assert "“The learning rate is 0.003”" in text


def test_at_most_twenty_points_are_shown(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", many_points(3, 30))

    assert markdown_report(run).count("\n### ") == LOWEST


def test_selections_and_unfinished_runs_are_said(tmp_path: Path) -> None:
    made = manifest(selection={"limit": 3}, complete=False)

    text = markdown_report(write_run(tmp_path / "run", model_points(), made=made))

    assert "Only a selection" in text
    assert "not complete" in text


def test_a_run_without_points_has_a_report(tmp_path: Path) -> None:
    assert "## Summary" in markdown_report(write_run(tmp_path / "run", []))


def test_a_verdict_without_a_verified_quote_says_so(tmp_path: Path) -> None:
    points = [without_quotes(one) for one in model_points()]

    text = markdown_report(write_run(tmp_path / "run", points))
    quoted = markdown_report(write_run(tmp_path / "quoted", model_points()))

    assert "1 without a verified quote" in text
    assert "No quote for this was found in the paper" in text
    assert "Answer as the judge gives it" in text
    assert "Answer found in the paper" in quoted
    assert "No quote" not in quoted


def test_a_point_says_which_places_it_names(tmp_path: Path) -> None:
    text = markdown_report(write_run(tmp_path / "run", [naming_places()]))

    assert "Names: Section A, p. 2; Table 9 (not in the text at hand)" in text
