"""``agree --labels`` with marked points, and ``annotate import``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.cli.main import PARTLY, WRONG_USE
from tests.agreement.invented import labels_of, truth, write_labels
from tests.agreement.marked import marks, reviews, write, write_reviews
from tests.commands import Invoke, invoker

KNOWN = reviews()


@pytest.fixture
def agree(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("agree", capsys)


@pytest.fixture
def annotate(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("annotate", capsys)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_reviews(tmp_path / "data", KNOWN)


@pytest.fixture
def sheets(tmp_path: Path) -> list[Path]:
    passage = ["The rate was 0.003 for all harbours."]
    return [
        write(tmp_path / f"{name}.jsonl", marks(KNOWN, name, passages=passage))
        for name in ("A1", "B1")
    ]


def test_sheets_become_a_set_that_is_measured(
    annotate: Invoke, agree: Invoke, data: Path, sheets: list[Path], tmp_path: Path
) -> None:
    made = annotate("import", *sheets, "--reviews", data, "-o", tmp_path / "set")

    assert made.exit_code == 0, made.stderr
    assert "points.jsonl: 48 points of 12 reviews by 2 model readers" in made.stdout
    text = (tmp_path / "set" / "points.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert "Invented." in {line["reason"] for line in lines}
    assert "harbours" not in json.dumps([line["spans"] + line["passages"] for line in lines])
    measured = agree("--labels", tmp_path / "set", "--reviews", data, "--resamples", 100)
    assert measured.exit_code == 0, measured.stderr
    assert "Agreement of readers with each other" in measured.stdout


def test_words_are_kept_with_text_alone(
    annotate: Invoke, data: Path, sheets: list[Path], tmp_path: Path
) -> None:
    annotate("import", sheets[0], "--reviews", data, "-o", tmp_path / "set", "--with-text")

    assert (
        '"quote":"The rate was 0.003 for all harbours."'
        in (tmp_path / "set" / "points.jsonl").read_text()
    )


def test_bad_lines_are_named_and_the_rest_is_read(
    annotate: Invoke, data: Path, tmp_path: Path
) -> None:
    lines = marks(KNOWN)
    del lines[0]["annotator_kind"]
    lines[2]["spans"] = ["No such words."]
    lines[4]["review_id"] = lines[5]["review_id"] = "stranger"
    sheet = write(tmp_path / "A1.jsonl", lines)

    ended = annotate("import", sheet, "--reviews", data, "-o", tmp_path / "set")

    assert ended.exit_code == PARTLY
    assert f"{sheet}:1: field 'annotator_kind': is missing; write human" in ended.stderr
    assert f"{sheet}:3: field 'spans': 'No such words.' cannot be found" in ended.stderr
    assert ended.stderr.count("the review 'stranger' is not among those given") == 1
    assert "20 points of 11 reviews by 1 model reader; 4 faults" in ended.stdout


def test_a_sheet_without_a_usable_line_makes_no_set(
    annotate: Invoke, data: Path, tmp_path: Path
) -> None:
    sheet = write(tmp_path / "A1.jsonl", [{"review_id": "x", "spans": ["Why?"]}])

    ended = annotate("import", sheet, "--reviews", data, "-o", tmp_path / "set")

    assert ended.exit_code == WRONG_USE
    assert f"{sheet}:1: field 'type': is missing" in ended.stderr
    assert "no line could be used" in ended.stderr
    assert not (tmp_path / "set").exists()


def test_sheets_of_units_and_of_points_are_not_taken_for_each_other(
    annotate: Invoke, agree: Invoke, data: Path, sheets: list[Path], tmp_path: Path
) -> None:
    units = write_labels(tmp_path / "units", labels_of(truth(1, 3))) / "labels.jsonl"

    of_units = annotate("import", units, "--reviews", data, "-o", tmp_path / "set")
    of_points = agree("--import", sheets[0], "--labels", tmp_path / "set")

    assert of_units.exit_code == of_points.exit_code == WRONG_USE
    assert "holds no marked points, with `spans`" in of_units.stderr
    assert "`annotate import` reads it" in of_points.stderr


def test_a_set_is_not_written_over(
    annotate: Invoke, data: Path, sheets: list[Path], tmp_path: Path
) -> None:
    for _ in range(2):
        ended = annotate("import", sheets[0], "--reviews", data, "-o", tmp_path / "set")

    assert ended.exit_code == WRONG_USE
    assert "is there already; name another folder" in ended.stderr


def test_readers_are_measured_with_a_run_of_the_embedded_judge(
    agree: Invoke,
    data: Path,
    sheets: list[Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    invoker("audit", capsys)(data, "-o", tmp_path / "run")
    out = tmp_path / "out"

    ended = agree(
        tmp_path / "run", "--labels", sheets[0], "--labels", sheets[1], "-o", out,
        "--resamples", 100, "--resample", "reviews", "--json",
    )  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    tables = json.loads(ended.stdout)["tables"]
    cuts = tables["points-in-pieces"]
    assert [row["reader"] for row in cuts] == ["A1", "B1"]
    assert [(row["run"], row["points"]) for row in cuts] == [("lexical", 24)] * 2
    became = [cuts[0][name]["value"] for name in ("whole", "merged", "clipped", "cut", "missed")]
    assert sum(became) == pytest.approx(1)
    assert became[0] > 0.5
    assert (out / "agreement.md").is_file()
    assert "intervals by review" in (out / "agreement.md").read_text()


def test_a_run_of_some_points_says_so_and_answers_for_the_reviews_that_it_read(
    agree: Invoke,
    data: Path,
    sheets: list[Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    invoker("audit", capsys)(data, "-o", tmp_path / "run", "--paper", "tides0")

    ended = agree(tmp_path / "run", "--labels", sheets[0], "--resamples", 100, "--json")

    made = json.loads(ended.stdout)
    assert "lexical: the run is not complete, or a selection." in made["notes"]
    assert made["tables"]["points-in-pieces"][0]["reviews"] == 2


def test_a_run_of_other_words_is_refused(
    agree: Invoke,
    data: Path,
    sheets: list[Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    invoker("audit", capsys)(data, "-o", tmp_path / "run")
    changed = {
        name: one.model_copy(update={"fields": {"weaknesses": "x" + one.fields["weaknesses"]}})
        for name, one in KNOWN.items()
    }
    other = write_reviews(tmp_path / "other", changed)
    sheet = write(tmp_path / "C1.jsonl", [one for one in marks(changed, "C1")])

    ended = agree(tmp_path / "run", "--labels", sheet, "--reviews", other)

    assert ended.exit_code == WRONG_USE
    assert "is not what" in ended.stderr
    assert "name the data of the run with --data" in ended.stderr


def test_people_are_kept_alone_with_human(
    agree: Invoke, data: Path, tmp_path: Path, sheets: list[Path]
) -> None:
    people = write(
        tmp_path / "H.jsonl",
        [*marks(KNOWN, "H1", annotator_kind="human"), *marks(KNOWN, "H2", annotator_kind="human"),
         *marks(KNOWN, "M1")],
    )  # fmt: skip

    ended = agree("--human", people, "--reviews", data, "--resamples", 100)
    models = agree("--human", sheets[0], "--reviews", data)

    assert ended.exit_code == 0, ended.stderr
    assert "24 labels by models (M1) are left out" in ended.stdout
    assert "M1" not in ended.stdout.partition("##")[2]
    assert models.exit_code == WRONG_USE
    assert "holds no label by a person: A1 are models" in models.stderr


def test_faults_are_listed_or_passed_over(agree: Invoke, data: Path, tmp_path: Path) -> None:
    lines = marks(KNOWN)
    lines[2]["spans"] = ["No such words."]
    lines[7]["kind"] = "praise"
    paths = [write(tmp_path / "A.jsonl", lines), write(tmp_path / "B.jsonl", marks(KNOWN, "B1"))]
    words = ["--labels", paths[0], "--labels", paths[1], "--reviews", data, "--resamples", 100]

    stopped, listed, over = (
        agree(*words),
        agree(*words, "--check"),
        agree(*words, "--skip-bad-lines"),
    )

    assert stopped.exit_code == WRONG_USE
    assert "A.jsonl:3: field 'spans'" in stopped.stderr
    assert "1 more line cannot be used" in stopped.stderr
    assert listed.exit_code == 2
    assert "A.jsonl:8: field 'kind'" in listed.stdout
    assert "A: 22 points of 12 reviews by 1 model reader can be used; 2 faults" in listed.stdout
    assert over.exit_code == 0
    assert "2 lines or parts of lines left out" in over.stderr
    assert agree(*words[2:], "--check").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--labels", "A1.jsonl"], "points are compared in their reviews; name these"),
        (["--labels", "A1.jsonl", "--reviews", "elsewhere"], "hold none of those that were labell"),
        (["--labels", "A1.jsonl", "--reviews", "data"], "there is nothing to compare"),
        (["--labels", "A1.jsonl", "--labels", "units"], "units holds no marked points"),
        (["--labels", "units", "--labels", "units"], "several sets are compared of marked points"),
        (["--labels", "units", "--reviews", "data"], "--reviews is for marked points"),
        (["--labels", "A1.jsonl", "--human", "units"], "choose one of the two"),
        (["--labels", "A1.jsonl", "--resample", "units"], "points of a review are alike"),
        (["--labels", "A1.jsonl", "--fail-under", "0.5"], "--fail-under is for labels of units"),
        (["--labels", "A1.jsonl", "--calibrate"], "--calibrate is for labels of units"),
        (["run", "--labels", "units", "--resample", "reviews"], "--resample reviews is for marked"),
    ],
)
def test_what_does_not_go_together_is_refused(
    agree: Invoke,
    data: Path,
    sheets: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_labels(tmp_path / "units", labels_of(truth(1, 3)))
    write_reviews(tmp_path / "elsewhere", {
        "x": KNOWN["tides0-r1"].model_copy(update={"review_id": "x"})
    })  # fmt: skip

    ended = agree(*words)

    assert ended.exit_code == WRONG_USE
    assert said in ended.stderr
