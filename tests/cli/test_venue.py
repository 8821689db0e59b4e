"""Merge, venue, compare and export of many runs as commands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewscore.files import hash_file
from reviewscore.venue.compare_page import COLUMNS as COMPARED
from reviewscore.venue.venue_page import COLUMNS
from tests.commands import Ended, invoker
from tests.report.synthetic import lexical_points, manifest, write_run
from tests.report.venues import venue_points, venue_run

Verb = Callable[..., Ended]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Verb:
    def run(verb: str, *words: object) -> Ended:
        return invoker(verb, capsys)(*words)

    return run


SCALES = {"a": [*range(1, 11)], "b": [*range(1, 7)]}


def two_parts(folder: Path, *, scales: bool = False) -> list[Path]:
    """A venue of 40 papers in two runs, with its data beside them; the scales of two forms."""
    data = folder / "data"
    data.mkdir()
    papers, reviews = [], []
    for name in "ab":
        papers += [{"paper_id": f"{name}{n}", "title": "A Secret Title", "text": "Words.",
                    "primary_area": f"area {n % 3}"} for n in range(20)]  # fmt: skip
        reviews += [{"review_id": f"{name}{n}/r{k}", "paper_id": f"{name}{n}", "text": "Words.",
                     "reviewer": f"hidden-{(n + 7 * k) % 25}", "rating": "6: weak accept",
                     **({"scores": {"rating": {"value": 6, "allowed": SCALES[name]}}}
                        if scales else {})}
                    for n in range(20) for k in range(3)]  # fmt: skip
    for file, rows in (("papers", papers), ("reviews", reviews)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (data / f"{file}.jsonl").write_text(lines, "utf-8")
    inputs = tuple(hash_file(data / f"{file}.jsonl") for file in ("papers", "reviews"))
    return [
        venue_run(
            folder / name,
            venue_points(20, name=name, seed=ord(name)),
            data=str(data),
            inputs=inputs,
        )
        for name in "ab"
    ]


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))


def test_a_venue_in_parts_and_merged_gives_the_same_rates(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path)
    merged = call("merge", *runs, "-o", tmp_path / "whole")
    data = ("--data", tmp_path / "data")

    parts = call("venue", *runs, "--resamples", 200, "--json")
    whole = call("venue", tmp_path / "whole", *data, "--resamples", 200, "--json")

    assert (merged.exit_code, parts.exit_code, whole.exit_code) == (0, 0, 0)
    assert "480 points of 120 reviews" in merged.stdout
    assert json.loads(parts.stdout)["panels"] == json.loads(whole.stdout)["panels"]
    assert [panel["name"] for panel in json.loads(parts.stdout)["panels"]] == [
        "overall",
        "type",
        "area",
        "load",
    ]


def test_ratings_of_two_scales_are_never_one_group(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path, scales=True)

    ended = call("venue", *runs, "--by", "rating", "--resamples", 200, "-o", tmp_path / "out")

    assert ended.exit_code == 0
    rows = rows_of(tmp_path / "out" / "venue.csv")
    groups = {row["group"] for row in rows if row["table"] == "rating"}
    assert groups == {"6 (1 to 10)", "6 (1 to 6)"}


def test_the_report_of_a_venue_is_four_files_that_name_nobody(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path)

    ended = call("venue", *runs, "--by", "rating", "--resamples", 200, "-o", tmp_path / "out")

    assert ended.exit_code == 0
    names = ["venue.csv", "venue.html", "venue.json", "venue.md"]
    assert names == sorted(one.name for one in (tmp_path / "out").iterdir())
    for name in names:
        text = (tmp_path / "out" / name).read_text("utf-8")
        assert not any(
            word in text for word in ("Secret", "hidden-", "a0/r0", "b19", str(tmp_path))
        )
    rows = rows_of(tmp_path / "out" / "venue.csv")
    assert list(COLUMNS) == list(rows[0])
    assert {"overall", "type", "area", "load", "rating"} == {row["table"] for row in rows}
    assert "6" in {row["group"] for row in rows if row["table"] == "rating"}
    whole = next(row for row in rows if row["measure"] == "misinformed")
    assert float(whole["low"]) < float(whole["value"]) < float(whole["high"])


def test_areas_and_reviewers_come_from_tables_where_they_are_given(
    call: Verb, tmp_path: Path
) -> None:
    runs = two_parts(tmp_path)
    areas, reviewers = tmp_path / "areas.csv", tmp_path / "reviewers.csv"
    areas.write_text("paper_id,area\n" + "".join(f"a{n},maths\n" for n in range(20)), "utf-8")
    reviewers.write_text(
        "review_id,reviewer\n" + "".join(f"a{n}/r{k},{n}\n" for n in range(20) for k in range(3)),
        "utf-8",
    )

    ended = call("venue", *runs, "--areas", areas, "--reviewers", reviewers, "--resamples", 200,
                 "--json")  # fmt: skip

    panels = {panel["name"]: panel for panel in json.loads(ended.stdout)["panels"]}
    assert [cell["group"] for cell in panels["area"]["cells"]] == ["maths", "not known"]
    assert [
        next((cell["reviews"] for cell in panels["load"]["cells"] if cell["group"] == group), None)
        for group in ("3", "1")
    ] == [60, None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("paper_id,topic\na0,x\n", "areas.csv:2: field 'area': is missing (there is: paper_id"),
        ("paper_id,area\na0,x\na0,y\n", "areas.csv:3: field 'area': 'a0' has 'y' here and 'x'"),
        ("paper_id,area\nzz,x\n", "names nothing that is in the runs (such as a0)"),
        ("paper_id,area\n", "holds no rows"),
    ],
)
def test_a_table_of_areas_that_cannot_be_used_is_named_with_its_line(
    call: Verb, tmp_path: Path, text: str, words: str
) -> None:
    runs = two_parts(tmp_path)
    (tmp_path / "areas.csv").write_text(text, "utf-8")

    ended = call("venue", *runs, "--areas", tmp_path / "areas.csv")

    assert ended.exit_code == 2
    assert words in ended.stderr


def test_a_field_that_no_paper_has_is_no_area(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path)

    ended = call("venue", *runs, "--area-field", "continent")

    assert ended.exit_code == 2
    assert "papers.jsonl: field 'continent': holds an area for no paper" in ended.stderr
    assert "--areas" in ended.stderr


def test_without_data_the_venue_says_which_tables_it_cannot_make(
    call: Verb, tmp_path: Path
) -> None:
    run = venue_run(tmp_path / "run", venue_points(20), complete=False)

    ended = call("venue", run, "--resamples", 200)

    assert ended.exit_code == 0
    assert "no table of reviewer load: the reviews are not at hand" in ended.stderr
    assert "no table of areas" in ended.stderr
    assert "is not complete" in ended.stderr
    assert "A run is not complete" in ended.stdout


def test_data_of_a_part_only_is_told(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path)
    reviews = tmp_path / "data" / "reviews.jsonl"
    lines = reviews.read_text("utf-8").splitlines(keepends=True)
    reviews.write_text("".join(lines[:60]), "utf-8")

    other = call("venue", *runs, "--resamples", 200)
    ended = call("venue", *runs, "--resamples", 200, "--data", tmp_path / "data")

    assert "the papers are not at hand (--data)" in other.stderr
    assert "60 of 120 reviews are not in the data (--data)" in ended.stderr


def test_figures_on_the_terminal_have_no_backslashes(call: Verb, tmp_path: Path) -> None:
    ended = call("venue", *two_parts(tmp_path), "--resamples", 200)

    rows = [line for line in ended.stdout.splitlines() if line.startswith("| all points")]
    assert len(rows) == 1
    assert "\\" not in rows[0]


def test_no_rate_is_made_of_the_embedded_judges_findings(call: Verb, tmp_path: Path) -> None:
    finder = write_run(tmp_path / "run", lexical_points(), made=manifest("lexical"))
    other = venue_run(tmp_path / "model", venue_points(3))
    labels = [
        {
            "unit_id": "tides-r1#1",
            "annotator": "A1",
            "annotator_kind": "human",
            "field": "type",
            "value": "question",
        }
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))

    refused = [
        call("venue", finder),
        call("compare", finder, other),
        call("compare", other, finder),
        call("agree", finder, "--human", tmp_path / "labels.jsonl"),
    ]

    for ended in refused:
        assert ended.exit_code == 2
        assert "no rate is made of its findings" in ended.stderr
        assert "--model provider/name" in ended.stderr
        assert ended.stdout == ""


def test_runs_of_two_judges_are_no_venue(call: Verb, tmp_path: Path) -> None:
    a = venue_run(tmp_path / "a", venue_points(3, name="a"))
    b = venue_run(tmp_path / "b", venue_points(3, name="b"), decisive={"model": "x/y", "rounds": 4})

    ended = call("venue", a, b)

    assert ended.exit_code == 2
    assert "was made otherwise" in ended.stderr
    assert "`compare` them" in ended.stderr


def test_a_comparison_is_written_with_the_points_that_were_asked_for(
    call: Verb, tmp_path: Path
) -> None:
    points = venue_points(15)
    other = [one.model_copy(update={"base": 1, "misinformed": True}) if n % 5 == 0 and one.base
             else one for n, one in enumerate(points)]  # fmt: skip
    a, b = venue_run(tmp_path / "a", points), venue_run(tmp_path / "b", other)

    ended = call("compare", a, b, "--points", 4, "--resamples", 200, "-o", tmp_path / "out")

    assert ended.exit_code == 0
    assert "Two runs on the same points" in ended.stdout
    assert len(rows_of(tmp_path / "out" / "points.csv")) == 4
    assert list(COMPARED) == list(rows_of(tmp_path / "out" / "compare.csv")[0])
    call("compare", a, b, "--resamples", 200, "-o", tmp_path / "out")
    assert not (tmp_path / "out" / "points.csv").exists()


def test_an_export_of_many_runs_needs_a_name(call: Verb, tmp_path: Path) -> None:
    runs = two_parts(tmp_path)

    without = call("export", *runs)
    lines = call("export", *runs, "-o", "-").stdout.splitlines()

    assert without.exit_code == 2
    assert "-o" in without.stderr
    assert len(lines) == 480
    assert {"a", "b"} == {json.loads(line)["run"] for line in lines}
