"""The verbs of focus from outside."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from reviewscore.focus import plots
from reviewscore.focus.facets import Polarity
from reviewscore.focus.lexical import VERSION
from reviewscore.focus.points import form_of, points_of
from reviewscore.focus.profile import profile_systems
from reviewscore.schema.point_id import content_id
from reviewscore.sources.system_reviews import PEOPLE, Materials, SystemReview, TextForm
from reviewscore.stats.writing import file_name
from tests.commands import Invoke, invoker
from tests.focus.invented import QUICK, SMALL, weaknesses
from tests.loopback import Loopback

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "gem"
RAW = """Summary:

On frogs.

Strengths:

- A novel algorithm.
- The paper is well written.

Weaknesses:

- No comparison with baselines.

Questions:

- Why frogs?
"""
JUDGED = """The reviewer appreciates the idea.
The reviewer criticizes the proof.
The reviewer questions the data.
The reviewer suggests an ablation.
Something else."""


@pytest.fixture
def focus(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("focus", capsys)


def review(raw: str = RAW, judgments: str = "") -> SystemReview:
    return SystemReview("p", "p/1", "1", PEOPLE, raw, judgments)


def test_strengths_and_weaknesses_stand_under_their_headings() -> None:
    found = [(one.polarity, one.text) for one in points_of(review(), TextForm.RAW)]

    assert found == [
        (Polarity.STRENGTH, "A novel algorithm."),
        (Polarity.STRENGTH, "The paper is well written."),
        (Polarity.WEAKNESS, "No comparison with baselines."),
    ]


def test_of_judgments_those_that_appreciate_or_criticize_are_points() -> None:
    found = list(points_of(review(judgments=JUDGED), TextForm.JUDGMENTS))

    assert [one.polarity for one in found] == [Polarity.STRENGTH, Polarity.WEAKNESS]
    assert [one.point_id for one in found] == [content_id("p/1", one.text) for one in found]


def test_all_systems_are_read_in_one_form() -> None:
    both = Materials({"p": [review(judgments=JUDGED)]}, {})
    mixed = Materials({"p": [review(judgments=JUDGED), review()]}, {})

    assert form_of(both) is TextForm.JUDGMENTS
    assert form_of(mixed) is TextForm.RAW
    assert list(points_of(review(raw=" "), TextForm.RAW)) == []


def test_the_example_is_profiled_in_one_command(focus: Invoke, tmp_path: Path) -> None:
    ended = focus(EXAMPLE, "-o", tmp_path / "out", "--resamples", 100)

    assert ended.exit_code == 0, ended.stderr
    assert "embedded annotator" in ended.stdout
    assert "| careful-writer |" in ended.stdout
    out = tmp_path / "out"
    numbers = json.loads((out / "focus.json").read_text("utf-8"))
    assert numbers["settings"]["annotator_version"] == VERSION
    assert numbers["schema"] == "reviewscore.focus/1"
    points = [json.loads(line) for line in (out / "points.jsonl").read_text("utf-8").splitlines()]
    assert {one["polarity"] for one in points} == {"strength", "weakness"}
    assert all(one["target"] != "unknown" for one in points)
    plots = {path.name: path.read_bytes() for path in out.glob("*.svg")}
    assert set(plots) == {"focus-shares.svg", "focus-differences.svg"}
    page = (out / "focus.md").read_text("utf-8")
    assert all(f"]({name})" in page for name in plots)
    again = focus(EXAMPLE, "-o", out, "--resamples", 100)
    assert all((out / name).read_bytes() == drawn for name, drawn in plots.items())
    assert again.exit_code == 0
    assert again.stdout == ended.stdout


def test_reviewers_can_be_the_systems_and_numbers_are_printed_as_json(focus: Invoke) -> None:
    ended = focus(EXAMPLE, "--by", "reviewer", "--reference", "1", "--json", "--resamples", 100)

    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout)["settings"]["reference"] == "1"


def test_without_the_reference_there_are_shares_and_no_comparison(
    focus: Invoke, tmp_path: Path
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps({"paper_id": "p", "system": "m", "text": RAW}) + "\n")

    ended = focus(file, "--resamples", 100, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {"focus-shares.png"}
    assert "in percent of points" in ended.stdout
    assert "Focus of m against" not in ended.stdout


def test_a_thousand_systems_are_refused_before_anything_is_computed(
    focus: Invoke, tmp_path: Path
) -> None:
    file = tmp_path / "r.jsonl"
    some = [{"paper_id": f"p{at % 4}", "reviewer": f"R{at}", "text": RAW} for at in range(1000)]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in some))

    ended = focus(file, "--by", "reviewer", "-o", tmp_path / "out")

    assert ended.exit_code == 2
    assert "1,000 systems; at most 500 are compared" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_gaps_obey_no_names_and_write_into_no_foreign_folder(focus: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps({"paper_id": "p", "system": "a\x1b[2Jb\nc", "text": RAW}) + "\n")

    told = focus("gaps", file)
    refused = focus("gaps", file, "-o", tmp_path)

    assert "(a\\u001b[2Jb\\nc, paper p)" in told.stdout
    assert "\x1b" not in told.stdout
    assert refused.exit_code == 2
    assert "is no folder of `focus`" in refused.stderr


def test_lines_that_are_left_out_are_counted_and_named(focus: Invoke, tmp_path: Path) -> None:
    good = json.dumps({"paper_id": "p", "text": RAW})
    (tmp_path / "reviews.jsonl").write_text(f"{good}\nno JSON\n")
    (tmp_path / "papers.jsonl").write_text(json.dumps({"paper_id": "p", "text": "Words."}) + "\n")
    skip = "--skip-bad-lines"

    refused = focus(tmp_path, "--resamples", 100)
    profiled = focus(tmp_path, skip, "--resamples", 100)
    told = focus("gaps", tmp_path, skip)
    exported = focus("export-sft", tmp_path, skip, "-o", tmp_path / "out")

    assert refused.exit_code == 2
    assert "lines that could not be read and were left out: 1" in profiled.stdout
    for ended in (profiled, told, exported):
        assert ended.exit_code == 0, ended.stderr
        assert "warning: 1 lines left out" in ended.stderr
        assert "reviews.jsonl:2: is not JSON" in ended.stderr


def test_tables_and_plots_of_an_earlier_run_do_not_stay(focus: Invoke, tmp_path: Path) -> None:
    file, out = tmp_path / "r.jsonl", tmp_path / "out"
    mine = [{"paper_id": "p", "system": name, "text": RAW} for name in ("people", "m")]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in mine))
    focus(file, "--resamples", 100, "-o", out)
    (out / "tables" / "mine.csv").write_text("a\n")
    assert (out / "tables" / "focus-differences-m.tex").exists()
    file.write_text(f"{json.dumps(mine[1])}\n")

    ended = focus(file, "--resamples", 100, "-o", out)

    assert ended.exit_code == 0, ended.stderr
    assert not [path.name for path in out.rglob("*differences*")]
    assert (out / "tables" / "mine.csv").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--reference", "nobody"], "no reviews of system 'nobody'; there are: people"),
        (["--by", "paper"], "'paper' is not one of"),
    ],
)
def test_what_cannot_be_is_said_with_a_cure(focus: Invoke, words: list[str], says: str) -> None:
    ended = focus(EXAMPLE, *words)

    assert ended.exit_code == 2
    assert says in ended.stderr


def test_of_many_reasons_for_missing_labels_the_usual_ones_are_told() -> None:
    points = [
        replace(one, reason=f"reason {number}")
        for number, one in enumerate(weaknesses("people", "p", *["unknown/unknown"] * 7))
    ]

    found = profile_systems(Materials({}, {}), points, SMALL, QUICK, reference="people")

    assert found.notes[-1] == "2 points without all labels for 2 other reasons"
    assert "1 points without all labels: reason 0" in found.notes


def test_a_misspelt_part_is_told_with_the_one_that_is_meant(focus: Invoke) -> None:
    ended = focus("gap", EXAMPLE)

    assert ended.exit_code == 2
    assert "Did you mean 'gaps'?" in ended.stderr


def test_tables_of_systems_with_odd_names_keep_apart() -> None:
    assert file_name("focus-a/b") == "focus-a-b"
    assert file_name("focus-A-b", {"focus-a-b"}) == "focus-A-b-2"
    assert file_name("../..") == "table"


@pytest.mark.parametrize("name", ["focus.md", "points.jsonl", "tables"])
def test_results_are_written_through_no_link_that_lies_in_their_folder(
    focus: Invoke, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(plots, "draw", lambda *_: [])  # drawn in other tests, and slow
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    (out / "focus.json").write_text("{}")  # a folder of this verb
    outside.mkdir() if name == "tables" else outside.write_text("mine")
    (out / name).symlink_to(outside)

    ended = focus(data, "-o", out, "--resamples", 100)

    assert ended.exit_code == 2
    assert f"{out / name} is a link" in ended.stderr
    assert outside.is_dir() or outside.read_text() == "mine"
    assert not (outside.is_dir() and list(outside.iterdir()))


FEW = ("--resamples", 100)


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
