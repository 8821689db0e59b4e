"""``reviewscore agree``: files, messages and exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.agreement.invented import judged, labels_of, truth, write_labels
from tests.agreement.presupposed import (
    by_presuppositions,
    labels_of_standing,
    run_by_presuppositions,
    with_proof,
)
from tests.commands import Invoke, invoker


@pytest.fixture
def agree(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("agree", capsys)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return judged(tmp_path / "run", truth(8, 6))


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path / "set", labels_of(truth(8, 6)))


def test_all_tables_plots_and_sheets_are_written(
    agree: Invoke, run: Path, labels: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    result = agree(run, "--human", labels, "-o", out, "--resamples", 100)

    assert result.exit_code == 0, result.stderr
    assert "Agreement with people" in result.stdout
    names = {path.name for path in (out / "tables").iterdir()}
    for table in ("agreement", "agreement-claims", "base-and-advanced", "shares",
                  "reconstruction", "data", "between-annotators", "coverage"):  # fmt: skip
        assert {f"{table}.csv", f"{table}.tex"} <= names
    plots = {path.name for path in (out / "plots").iterdir()}
    for plot in ("distributions", "confusion", "forest-agreement", "coverage", "disagreements"):
        assert {f"{plot}.svg", f"{plot}.png"} <= plots
    page = (out / "agreement.md").read_text()
    assert "## Disagreements" in page
    assert json.loads((out / "agreement.json").read_text())["labels"] == "set"


def test_the_same_command_writes_the_same_files(
    agree: Invoke, run: Path, labels: Path, tmp_path: Path
) -> None:
    for out in ("one", "two"):
        agree(run, "--human", labels, "-o", tmp_path / out, "--resamples", 100)

    for path in sorted((tmp_path / "one").rglob("*.*")):
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes(), path.name


def test_numbers_are_printed_as_json(agree: Invoke, run: Path, labels: Path) -> None:
    result = agree(run, "--human", labels, "--json", "--resamples", 100)

    (row,) = json.loads(result.stdout)["tables"]["agreement-review-points"]
    assert row["Kappa"]["n"] == 48
    assert row["Kappa"]["low"] < row["Kappa"]["value"] < row["Kappa"]["high"]


def test_a_threshold_that_is_missed_ends_with_1(agree: Invoke, run: Path, labels: Path) -> None:
    low = agree(run, "--human", labels, "--resamples", 100, "--fail-under", 0.99)
    fine = agree(run, "--human", labels, "--resamples", 100, "--fail-under", 0.1, "--metric", "f1")

    assert low.exit_code == 1
    assert "kappa is below 0.99: openai/imagined (0." in low.stderr
    assert fine.exit_code == 0


def test_check_lists_every_fault_and_ends_with_2(agree: Invoke, tmp_path: Path) -> None:
    labels = labels_of(truth(1, 3))
    bad = [*labels, {**labels[0], "annotator": "A9", "value": "x"}, {"unit_id": "p-r#1"}]
    path = write_labels(tmp_path / "bad", bad)

    result = agree("--human", path, "--check")
    fine = agree("--human", write_labels(tmp_path / "fine", labels), "--check")

    assert result.exit_code == 2
    assert result.stdout.count("labels.jsonl:") == 2
    assert "2 faults, 0 warnings" in result.stdout
    assert fine.exit_code == 0


def test_faulty_labels_stop_the_study_unless_they_are_to_be_skipped(
    agree: Invoke, run: Path, tmp_path: Path
) -> None:
    labels = labels_of(truth(8, 6))
    path = write_labels(tmp_path / "bad", [*labels, {**labels[0], "value": 9, "field": "nothing"}])

    stopped = agree(run, "--human", path)
    skipped = agree(run, "--human", path, "--skip-bad-lines", "--resamples", 100)

    assert stopped.exit_code == 2
    assert "labels.jsonl" in stopped.stderr
    assert skipped.exit_code == 0
    assert "1 labels left out; --check lists them" in skipped.stderr


def test_a_sheet_goes_out_empty_and_comes_back_as_a_set(
    agree: Invoke, run: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    out = agree(run, "--sheet", sheet)
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row |= {"annotator": "A1", "annotator_kind": "human"}
        if row["kind"] == "point":
            row["factuality"] = "4"
        else:
            row["factuality"], row["source"] = "3", "given_paper"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)

    read = agree(run, "--import", sheet, "--human", tmp_path / "mine")
    again = agree(run, "--import", sheet, "--human", tmp_path / "mine")
    used = agree(run, "--human", tmp_path / "mine", "--resamples", 100)

    assert out.exit_code == 0
    assert f"{len(rows)} units to label" in out.stdout
    assert read.exit_code == 0, read.stderr
    assert (tmp_path / "mine" / "units.jsonl").is_file()
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert used.exit_code == 0, used.stderr


def test_a_faulty_sheet_names_its_own_line(agree: Invoke, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    rows = "paper0-r1#1,A1,human,4\npaper0-r1#4,A1,human,7\n"
    sheet.write_text(f"unit_id,annotator,annotator_kind,factuality\n{rows}")

    result = agree(run, "--import", sheet, "--human", tmp_path / "mine")

    assert result.exit_code == 2
    assert "sheet.csv:3: field 'value': 7 is not on the scale of factuality" in result.stderr
    assert not (tmp_path / "mine").exists()


def test_a_sheet_is_not_read_into_a_file(agree: Invoke, run: Path, tmp_path: Path) -> None:
    head = "unit_id,annotator,annotator_kind,factuality"
    (tmp_path / "sheet.csv").write_text(f"{head}\npaper0-r1#1,A1,human,4\n")
    (tmp_path / "mine").write_text("x")

    result = agree(run, "--import", tmp_path / "sheet.csv", "--human", tmp_path / "mine")

    assert result.exit_code == 2
    assert (
        "mine: is no folder to write into; name a folder with --human or --labels" in result.stderr
    )


def test_papers_that_cannot_be_read_again_stop_only_who_names_them(
    agree: Invoke, labels: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    folder = judged(tmp_path / "moved", truth(8, 6))
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text("utf-8")) | {"data": str(tmp_path / "data")}
    file.write_text(json.dumps(manifest), "utf-8")

    fine = agree(folder, "--human", labels, "--resamples", 100)
    named = agree(folder, "--human", labels, "--resamples", 100, "--data", tmp_path / "data")

    assert fine.exit_code == 0, fine.stderr
    assert named.exit_code == 2


@pytest.mark.parametrize("protocol", ["presupposition", "presupposition+proof"])
def test_a_run_by_presuppositions_is_measured_with_standing_alone(
    agree: Invoke, run: Path, labels: Path, tmp_path: Path, protocol: str
) -> None:
    points = truth(8, 6)
    scored = [by_presuppositions(name, kind, said.whole, supplied=said.whole <= 2)
              for name, kind, said in points]  # fmt: skip
    if protocol == "presupposition+proof":
        scored = [with_proof(score) for score in scored]
    other = run_by_presuppositions(tmp_path / "presuppositions", scored, protocol)
    standing = write_labels(tmp_path / "standing", labels_of_standing(points))

    fine = agree(other, "--human", standing, "--resamples", 100, "--fail-under", 0.9)
    scores = agree(other, "--human", labels, "--resamples", 100)
    mixed = agree(other, run, "--human", standing, "--resamples", 100)

    assert fine.exit_code == 0, fine.stderr
    assert "Agreement with people on standing" in fine.stdout
    assert (scores.exit_code, mixed.exit_code) == (2, 2)
    assert "set holds no label of standing" in scores.stderr
    assert "presuppositions was judged by presuppositions and scores standing" in mixed.stderr


def test_a_seed_below_zero_is_refused(agree: Invoke, run: Path, labels: Path) -> None:
    result = agree(run, "--human", labels, "--seed", -1)

    assert result.exit_code == 2
    assert "--seed" in result.stderr


def test_a_calibration_is_written_and_named(agree: Invoke, tmp_path: Path) -> None:
    points = truth(20, 9)
    run = judged(tmp_path / "run", points, wrong=0.5)
    labels = write_labels(tmp_path / "set", labels_of(points))

    result = agree(run, "--human", labels, "-o", tmp_path / "out", "--calibrate",
                   "--resamples", 100)  # fmt: skip

    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out" / "calibration-openai-imagined.json").is_file()
    assert "## Calibration" in (tmp_path / "out" / "agreement.md").read_text()


def test_a_calibration_that_would_be_lost_is_not_learnt(agree: Invoke, tmp_path: Path) -> None:
    points = truth(2, 2)
    run = judged(tmp_path / "run", points, wrong=0.5)

    result = agree(run, "--human", write_labels(tmp_path / "set", labels_of(points)), "--calibrate")

    assert result.exit_code == 2
    assert "-o" in result.stderr


def test_a_folder_with_other_things_is_not_written_into(
    agree: Invoke, run: Path, labels: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")

    refused = agree(run, "--human", labels, "-o", tmp_path / "mine", "--resamples", 100)
    allowed = agree(run, "--human", labels, "-o", tmp_path / "mine", "--resamples", 100, "--yes")

    assert refused.exit_code == 2
    assert "holds 'thesis.tex' and is no folder of `agree`" in refused.stderr
    assert allowed.exit_code == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [((), "no labels; name them with --human"), (("--sheet", "x.csv"), "no run; name the folder")],
)
def test_what_is_missing_is_said(agree: Invoke, words: tuple[str, ...], problem: str) -> None:
    result = agree(*words)

    assert result.exit_code == 2
    assert problem in result.stderr


def test_labels_without_a_run_are_not_enough(agree: Invoke, labels: Path) -> None:
    result = agree("--human", labels)

    assert result.exit_code == 2
    assert "no run" in result.stderr


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Labels of two people and of a model reader."""
    made = labels_of(truth(8, 6))
    kinds = {"A1": "human", "A2": "human", "A3": "model"}
    labels = [{**one, "annotator_kind": kinds[str(one["annotator"])]} for one in made]
    return write_labels(tmp_path / "mixed", labels)


def test_human_takes_peoples_labels_alone_and_says_what_it_leaves_out(
    agree: Invoke, run: Path, mixed: Path, tmp_path: Path
) -> None:
    result = agree(run, "--human", mixed, "--resamples", 100, "--json")

    numbers = json.loads(result.stdout)
    assert numbers["annotators"] == {"A1": "human", "A2": "human"}
    assert any("by models (A3) are left out" in note for note in numbers["notes"])
    assert "labelled by 2 people" in numbers["notes"][0]


def test_figures_that_rest_on_model_readers_call_nobody_human(
    agree: Invoke, run: Path, mixed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    result = agree(run, "--labels", mixed, "-o", out, "--resamples", 100)

    assert result.exit_code == 0, result.stderr
    numbers = json.loads((out / "agreement.json").read_text("utf-8"))
    assert numbers["annotators"]["A3"] == "model"
    assert "labelled by 2 people and 1 model reader" in numbers["notes"][0]
    assert "annotator A3 (model)" in {one["judge"] for one in numbers["tables"]["agreement"]}
    texts = {
        path.name: path.read_text("utf-8")
        for path in out.rglob("*")
        if path.suffix in (".md", ".csv", ".tex", ".svg")
    }
    assert [name for name, text in texts.items() if "human" in text.lower()] == []
    assert "Agreement with readers" in texts["agreement.md"]


def test_a_calibration_is_learnt_from_people_alone(
    agree: Invoke, run: Path, mixed: Path, tmp_path: Path
) -> None:
    refused = agree(run, "--labels", mixed, "--calibrate", "-o", tmp_path / "out")

    assert refused.exit_code == 2
    assert "a calibration says what people would say" in refused.stderr


def test_one_of_human_and_labels_is_named(agree: Invoke, run: Path, mixed: Path) -> None:
    both = agree(run, "--labels", mixed, "--human", mixed)
    none = agree(run)

    assert "choose one of the two" in both.stderr
    assert "no labels" in none.stderr
    assert both.exit_code == none.exit_code == 2
