"""``reviewscore focus agree`` and ``sample``: files, messages and exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from reviewscore.focus import plots
from tests.commands import Invoke, invoker
from tests.loopback import Loopback

FEW = ("--resamples", 100)


@pytest.fixture
def focus(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("focus", capsys)


@pytest.fixture
def sheets(focus: Invoke, data: Path, tmp_path: Path) -> Path:
    """A folder with two filled sheets of the same points."""
    folder = tmp_path / "labels"
    drawn = focus("sample", data, "-o", folder / "A1.csv", "--points", 8)
    assert drawn.exit_code == 0, drawn.stderr
    rows = list(csv.DictReader((folder / "A1.csv").read_text("utf-8").splitlines()))
    for name, aspects in (("A1", "novelty clarity validity"), ("A2", "novelty clarity")):
        words = aspects.split()
        for number, row in enumerate(rows):
            row["target"] = "paper" if "written" in row["text"] else "method"
            row["aspect"] = words[number % len(words)]
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return folder


def test_sheets_are_drawn_filled_in_and_compared_with_the_annotator(
    focus: Invoke, sheets: Path, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    ended = focus("agree", sheets, data, "-o", out, *FEW)
    again = focus("agree", sheets, data, "--json", *FEW)

    assert ended.exit_code == 0, ended.stderr
    assert "8 of 8 labelled points are in the reviews given" in ended.stdout
    assert "embedded annotator" in ended.stdout
    assert "| A1 " in ended.stdout
    told = json.loads(again.stdout)
    assert told["schema"] == "reviewscore.focus-agree/1"
    assert set(told["inputs"]) == {"A1.csv", "A2.csv", "reviews.jsonl"}
    first = told["tables"]["focus-agreement"][0]
    assert first["kappa"]["n"] == 8
    assert first["kappa"]["low"] is not None
    for ending in ("csv", "tex"):
        assert (out / "tables" / f"focus-confusion-aspect-A1-A2.{ending}").is_file()
    drawn = {path.name for path in out.glob("*.svg")}
    assert len(drawn) == 6
    assert "focus-confusion-target-A1-lexical.svg" in drawn
    focus("agree", sheets / "A1.csv", data, "-o", out, *FEW)
    assert len(list(out.glob("*.svg"))) == 2, "those with A2 are gone"


def test_a_model_is_asked_about_the_labelled_points_alone_and_only_once(
    focus: Invoke,
    sheets: Path,
    data: Path,
    tmp_path: Path,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", loopback.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(plots, "draw_confusions", lambda *_: [])
    words = ("agree", sheets / "A1.csv", data, "--model", "openai/loop", *FEW)

    priced = focus(*words, "--dry-run")
    ended = focus(*words, "-o", tmp_path / "out")
    asked = len(loopback.bodies)
    again = focus(*words, "-o", tmp_path / "out")

    assert " calls: " in priced.stdout
    assert ended.exit_code == 0, ended.stderr
    assert "openai/loop" in ended.stdout
    assert again.stdout == ended.stdout
    assert 0 < asked == len(loopback.bodies)
    assert (tmp_path / "out" / "annotated-units" / "labels.jsonl").is_file()


def test_units_that_are_not_there_are_counted_and_named(
    focus: Invoke, sheets: Path, data: Path, tmp_path: Path
) -> None:
    file = data / "reviews.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:2]))
    rest = tmp_path / "rest.jsonl"
    rest.write_text("".join(lines[2:]))

    part = focus("agree", sheets, data, *FEW)
    whole = focus("agree", sheets, data, "--also", rest, *FEW)
    rest.write_text(json.dumps({"paper_id": "x", "text": "Weaknesses:\n\n- Nothing alike.\n"}))
    none = focus("agree", sheets, rest, *FEW)

    assert "of 8 labelled points are in the reviews given; not there: " in part.stdout
    assert "8 of 8 labelled points" in whole.stdout
    assert none.exit_code == 2
    assert "none of its 8 units" in none.stderr
    assert "--also" in none.stderr


def test_a_sheet_that_is_there_is_not_written_over(
    focus: Invoke, sheets: Path, data: Path, tmp_path: Path
) -> None:
    kept = (sheets / "A1.csv").read_bytes()

    refused = focus("sample", data, "-o", sheets / "A1.csv")

    assert refused.exit_code == 2
    assert "is there already" in refused.stderr
    assert (sheets / "A1.csv").read_bytes() == kept
    assert focus("sample", data, "-o", sheets / "A1.csv", "--yes").exit_code == 0
    empty = tmp_path / "empty.jsonl"
    empty.write_text(json.dumps({"paper_id": "x", "text": "Summary:\n\nOn frogs.\n"}))
    nothing = focus("sample", empty, "-o", tmp_path / "A9.csv")
    assert nothing.exit_code == 2
    assert "no strengths or weaknesses" in nothing.stderr


def test_labels_of_other_facets_need_their_file(focus: Invoke, sheets: Path, data: Path) -> None:
    text = (sheets / "A1.csv").read_text("utf-8").replace(",paper,", ",manuscript,")
    (sheets / "A1.csv").write_text(text)

    ended = focus("agree", sheets, data, *FEW)

    assert ended.exit_code == 2
    assert "field 'target': 'manuscript' is no target of the facets 'papers'" in ended.stderr
    assert "--facets" in ended.stderr


def test_help_shows_the_parts(focus: Invoke) -> None:
    told = focus("--help").stdout

    for name in ("profile", "agree", "sample"):
        assert name in told
        assert "Example:" in focus(name, "--help").stdout
