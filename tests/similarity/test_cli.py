"""``reviewscore similarity``: files, messages and exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.commands import Invoke
from tests.similarity.invented import write_jsonl

QUICK = ("--resamples", 100)
PLOTS = (".svg", ".png")


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_score_is_the_default_and_writes_all_pairs(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    ended = similarity(folder, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    pairs, scores = rows(tmp_path / "out" / "pairs.csv"), rows(tmp_path / "out" / "scores.csv")
    assert len(pairs) == 1 + 9
    assert [one[:2] for one in scores[:1]] == [["frogs", "ann"]]
    assert [(one[3], one[2], one[4]) for one in pairs[1:]] == [tuple(one) for one in scores]
    assert "| frogs" in ended.stdout
    assert "9 pairs" in ended.stderr


def test_the_nearest_reviewers_are_written_first(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    similarity("score", folder, "--top", 1, "-o", tmp_path / "out")

    assert [one[:2] for one in rows(tmp_path / "out" / "scores.csv")] == [
        ["frogs", "ann"], ["cakes", "bob"], ["floods", "cyd"],
    ]  # fmt: skip


def test_own_scores_can_be_evaluated(similarity: Invoke, folder: Path, tmp_path: Path) -> None:
    similarity("score", folder, "-o", tmp_path / "out")

    for name in ("pairs.csv", "scores.csv"):
        ended = similarity("evaluate", folder, tmp_path / "out" / name, *QUICK)
        assert ended.exit_code == 0, ended.stderr
        assert "8 ratings by 3 participants" in ended.stdout


def test_methods_are_compared_with_the_baseline(similarity: Invoke, folder: Path) -> None:
    ended = similarity(
        "evaluate", folder, "--method", "tfidf", "--method", "tpms", *QUICK, "--json"
    )

    told = json.loads(ended.stdout)
    loss = told["tables"]["similarity-loss"]
    assert told["settings"]["baseline"] == "tpms"
    assert [row["method"] for row in loss][:2] == ["tfidf", "tpms"]
    assert loss[2]["basis"] == "leave-participants-out"
    assert loss[1]["finding"] == "baseline"
    assert loss[0]["difference to tpms"]["low"] is not None
    assert len(told["tables"]) == 6


def test_tpms_is_the_baseline_whatever_it_reads(similarity: Invoke, folder: Path) -> None:
    ended = similarity("evaluate", folder, "--method", "tfidf", "--method", "tpms",
                       "--text", "title", "--common", *QUICK)  # fmt: skip

    assert "baseline: tpms, titles" in ended.stdout


def test_combinations_are_counted_as_variants_and_earlier_ones_are_added(
    similarity: Invoke, folder: Path
) -> None:
    asked = ["evaluate", folder, "--method", "tfidf", "--pool", "max", "--pool", "mean", *QUICK]

    assert "Variants tried on these participants: 2." in similarity(*asked).stdout
    told = similarity(*asked, "--variants-tried", 40).stdout
    assert "Variants tried on these participants: 40." in told


def test_evaluate_writes_page_numbers_and_a_file_for_each_table(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    ended = similarity("evaluate", folder, "--method", "bm25", *QUICK, "-o", tmp_path / "out")

    assert ended.exit_code == 0, ended.stderr
    assert {one.name for one in (tmp_path / "out").iterdir() if one.suffix not in PLOTS} == {
        "similarity.md", "similarity.json", "tables",
    }  # fmt: skip
    assert len(list((tmp_path / "out" / "tables").glob("*.tex"))) == 6


def test_a_sweep_has_a_table_and_a_plot(similarity: Invoke, folder: Path, tmp_path: Path) -> None:
    ended = similarity("sweep", folder, "--method", "tfidf", "--longest", 2, *QUICK,
                       "-o", tmp_path / "out")  # fmt: skip

    assert ended.exit_code == 0, ended.stderr
    assert "Variants tried on these participants: 4" in ended.stdout
    assert (tmp_path / "out" / "similarity-sweep.svg").stat().st_size > 0
    assert len(rows(tmp_path / "out" / "tables" / "similarity-sweep.csv")) == 3


def test_a_missing_prediction_is_told_or_left_out_for_all(similarity: Invoke, folder: Path) -> None:
    path = folder / "predictions.csv"
    path.write_text("frogs,ann,0.5\ncakes,ann,0.1\n")

    refused = similarity("evaluate", folder, *QUICK)
    common = similarity("evaluate", folder, "--common", *QUICK)

    assert refused.exit_code == 2
    assert "predictions.csv: field 'similarity': 'predictions' has no similarity for 6 of 8" in (
        refused.stderr
    )
    assert common.exit_code == 0, common.stderr
    assert "1 participants and 2 pairs are left" in common.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["score", "DIR", "--method", "tfdif"], "unknown method 'tfdif'; use one of tfidf, tpms"),
        (["score", "DIR", "--pool", "mean", "--pool", "max"], "one method, text and pooling"),
        (["score", "DIR", "--version", "9"], "no version '9'; there are: 1"),
        (["score", "DIR/none"], "there is no such folder"),
        (["evaluate", "DIR"], "has no predictions"),
        (["evaluate", "DIR", "--method", "tfidf", "--baseline", "x"], "no method 'x'; there are: "),
        (["evaluate", "DIR", "a=DIR/none.csv"], "there is no such file"),
        (["sweep", "DIR", "--longest", "0"], "--longest"),
    ],
)
def test_what_cannot_be_is_said_with_a_cure(
    similarity: Invoke, folder: Path, words: list[str], says: str
) -> None:
    ended = similarity(*(one.replace("DIR", str(folder)) for one in words))

    assert ended.exit_code == 2
    assert says in ended.stderr


def test_a_folder_of_other_things_is_refused_before_anything_is_computed(
    similarity: Invoke, folder: Path
) -> None:
    for words in (["score"], ["evaluate", "--method", "tfidf"], ["sweep"]):
        ended = similarity(words[0], folder, *words[1:], "-o", folder)
        assert ended.exit_code == 2
        assert "is no folder of `similarity`" in ended.stderr


def test_the_group_lists_its_verbs(similarity: Invoke) -> None:
    ended = similarity("--help")

    assert all(name in ended.stdout for name in ("score", "evaluate", "sweep"))


def test_a_version_never_names_a_file_outside_the_folder(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    profiles = folder / "profiles.jsonl"
    known = [json.loads(one) for one in profiles.read_text("utf-8").splitlines()]
    write_jsonl(profiles, [{**one, "version": version} for one in known
                           for version in ("../../x", ".._..?x", "2")])  # fmt: skip

    ended = similarity(folder, "-o", tmp_path / "deep" / "out")

    assert ended.exit_code == 0, ended.stderr
    assert sorted(one.name for one in (tmp_path / "deep" / "out").glob("scores-*")) == [
        "scores-.._.._x.csv", "scores-.._.._x_.csv", "scores-2.csv",
    ]  # fmt: skip
    assert [one.name for one in (tmp_path / "deep").iterdir()] == ["out"]


def test_no_cell_of_the_pairs_is_a_formula_and_they_are_read_back_as_they_were(
    similarity: Invoke, folder: Path, tmp_path: Path
) -> None:
    hostile = '=HYPERLINK("http://x")'
    for name in ("profiles.jsonl", "evaluations.csv"):
        path = folder / name
        quoted = (
            hostile.replace('"', '\\"')
            if name.endswith("jsonl")
            else ("\"'" + hostile.replace('"', '""') + '"')
        )
        path.write_text(path.read_text("utf-8").replace("ann", quoted), "utf-8")

    similarity("score", folder, "-o", tmp_path / "out")
    told = similarity("evaluate", folder, tmp_path / "out" / "pairs.csv", *QUICK)

    cells = [cell for row in rows(tmp_path / "out" / "pairs.csv") for cell in row]
    assert f"'{hostile}" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    assert rows(tmp_path / "out" / "scores.csv")[0][1] == hostile
    assert told.exit_code == 0, told.stderr
    assert "8 ratings by 3 participants" in told.stdout


def test_own_papers_are_counted_for_each_version(similarity: Invoke, folder: Path) -> None:
    with (folder / "profiles.jsonl").open("a") as file:
        for who, paper in (("ann", "frogs"), ("bob", "cakes"), ("cyd", "toads")):
            file.write(json.dumps({"reviewer_id": who, "paper_id": paper, "version": "2"}) + "\n")

    told = json.loads(similarity("score", folder, "--json").stdout)

    assert [row["own papers"] for row in told["tables"]["similarity-scored"]] == [0, 2]


def test_scores_of_a_lone_reviewer_are_said_to_mean_nothing(
    similarity: Invoke, folder: Path
) -> None:
    write_jsonl(folder / "profiles.jsonl", [{"reviewer_id": "ann", "paper_id": "toads"}])

    centred, plain = similarity(folder), similarity(folder, "--no-centre")

    assert "one reviewer with papers, whose scores are all 0" in centred.stderr
    assert "one reviewer" not in plain.stderr
