"""The example paper, its reviews and what is said about them agree with each other."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.papers.load import load_paper
from reviewscore.papers.quotes import find_quote
from reviewscore.papers.sentences import sentences
from reviewscore.points.split import split_review
from reviewscore.report.summary import summarise
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.session import Outcome
from reviewscore.schema.argument import ArgumentState
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import PointType
from reviewscore.sources.collection import read_collection

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
TEXT = (EXAMPLES / "paper.txt").read_text("utf-8")
EXPECTED = tuple(csv.DictReader((EXAMPLES / "expected.csv").read_text("utf-8").splitlines()))
REVIEWS = {path.stem: path.read_text("utf-8") for path in EXAMPLES.glob("reviews/R?.*")}


@lru_cache(maxsize=2)
def paper(name: str) -> Paper:
    return load_paper(EXAMPLES / name)


def table(number: int) -> dict[str, list[float]]:
    """Rows of a table of the paper: the first cell, and the numbers after it."""
    found = re.search(rf"\nTable {number}: [^\n]+\n\n(.+?)\n\n", TEXT, re.S)
    assert found is not None
    rows = [re.split(r" {2,}", line) for line in found[1].splitlines()[1:]]
    return {row[0]: [float(cell.split(" ±")[0]) for cell in row[1:]] for row in rows}


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(EXAMPLES / script), *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_generated_files_are_what_the_script_writes(tmp_path: Path) -> None:
    pytest.importorskip("reportlab", reason="the PDF is written with reportlab (extra `dev`)")
    run("make_examples.py", str(tmp_path))
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["paper.pdf", "papers.jsonl", "reviews.jsonl"]
    for name in written:
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes(), name


def test_the_collection_is_read_without_a_warning() -> None:
    collection = read_collection(EXAMPLES)
    assert not collection.warnings
    assert [review.review_id for review in collection.reviews] == [
        "crossread-R1",
        "crossread-R2",
        "crossread-R3",
    ]
    responses = [review.author_response is not None for review in collection.reviews]
    assert responses == [False, True, False]


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['review']}-{row['first_words']}")
def test_an_expected_point_stands_once_in_its_review(row: dict[str, str]) -> None:
    assert REVIEWS[row["review"]].count(row["first_words"]) == 1
    assert row["type"] in {kind.value for kind in PointType}
    assert row["misinformed"] in {"yes", "no", "taste"}
    assert row["where"] or row["misinformed"] != "yes"


def test_every_point_of_the_splitter_is_expected_and_every_expected_one_is_split() -> None:
    starts = {(f"crossread-{row['review']}", row["first_words"]) for row in EXPECTED}
    points = [
        point for review in read_collection(EXAMPLES).reviews for point in split_review(review)
    ]
    found = {
        (review, words)
        for review, words in starts
        for point in points
        if point.review_id == review and point.text.startswith(words)
    }
    assert found == starts
    assert len(points) == len(EXPECTED)


def test_the_readme_lists_the_misinformed_points() -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| (R\d) \|", readme, re.M)
    misinformed = [row["review"] for row in EXPECTED if row["misinformed"] == "yes"]
    assert listed == misinformed


@pytest.mark.parametrize("name", ["paper.txt", "paper.pdf"])
def test_sections_that_settle_a_point_are_sections_of_the_paper(name: str) -> None:
    labels = {section.label for section in paper(name).sections}
    named = {label for row in EXPECTED for label in row["where"].split("; ") if label}
    assert named <= labels


def test_text_and_pdf_have_the_same_sections() -> None:
    text, pdf = paper("paper.txt"), paper("paper.pdf")
    assert [one.label for one in text.sections] == [one.label for one in pdf.sections]
    assert text.title == pdf.title  # in the PDF it runs over two lines


def test_sentences_of_the_text_are_found_in_the_pdf() -> None:
    pdf = paper("paper.pdf")
    asked = [
        TEXT[one.start : one.end] for one in sentences(paper("paper.txt")) if one.kind == "sentence"
    ]
    missing = [one for one in asked if not find_quote(pdf, one).verified]
    assert len(asked) > 100
    assert missing == []  # also those that run over a page end, where the margin numbers stand


@pytest.mark.parametrize("number", [1, 5])
def test_means_are_the_means_of_their_rows(number: int) -> None:
    for name, (*values, mean) in table(number).items():
        assert len(values) == 4
        assert mean == pytest.approx(sum(values) / 4, abs=0.051), name


def test_headline_numbers_follow_from_the_tables() -> None:
    mean = {name: values[-1] for name, values in table(1).items()}
    ours, none, oracle = mean["CrossRead (ours)"], mean["No filter"], mean["Oracle filter"]
    confident = mean["Confident learning"]
    gap = oracle - none
    assert f"{ours - none:.1f} points over training without a filter" in TEXT
    assert f"{ours - confident:.1f} points over confident learning" in TEXT
    assert f"closes {(ours - none) / gap:.0%} of the gap" in TEXT
    assert f"confident learning {(confident - none) / gap:.0%}" in TEXT
    assert f"from {none}% to {ours}%" in TEXT


def test_tables_agree_where_they_report_the_same_setting() -> None:
    main, rates, finals = table_means(), table(3), table(6)
    for name in ("No filter", "Confident learning", "CrossRead (ours)"):
        assert rates[name][2] == main[name]
    assert finals["Boosted trees"] == [
        main["No filter"],
        main["Confident learning"],
        main["CrossRead (ours)"],
    ]


def table_means() -> dict[str, float]:
    return {name: values[-1] for name, values in table(1).items()}


def test_changes_of_the_ablation_are_differences_to_the_full_method() -> None:
    full = table_means()["CrossRead (ours)"]
    rows = table(2)
    assert rows["CrossRead"] == [full, 0.0]
    for mean, change in rows.values():
        assert change == pytest.approx(mean - full, abs=0.001)


def test_precision_and_recall_follow_from_the_counts() -> None:
    errors = 236
    assert f"{errors} errors ({errors / 2000:.1%})" in TEXT
    for marked, right in ((251, 168), (274, 151)):
        assert f"marks {marked}" in TEXT
        words = f"precision of {right / marked:.1%} and a recall of {right / errors:.1%}"
        assert words in TEXT


def test_scoring_one_point_shows_the_passage_with_the_answer() -> None:
    output = run("score_one_point.py")
    assert "What learning rate was used" in output
    assert "4.1 Setup: Boosted trees use a learning rate of 0.1" in output


def test_auditing_the_folder_prints_the_summary() -> None:
    output = run("audit_folder.py")
    assert f"{len(EXPECTED)} points of 3 reviews" in output


def test_the_written_replies_take_every_review_through_the_whole_loop(tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    replies = EXAMPLES / "exchange" / "replies.jsonl"
    (folder / "replies.jsonl").write_bytes(replies.read_bytes())

    outcome = audit(
        read_collection(EXAMPLES), tmp_path / "run", resolve({"model": f"exchange:{folder}"})
    )

    unanswered = folder / "prompts.jsonl"
    assert not unanswered.exists(), "a prompt has changed: its replies must be written anew"
    assert outcome.failed == 0
    assert outcome.manifest.complete
    scores = list(read_points(tmp_path / "run"))
    arguments = [one.argument for one in scores if one.argument is not None]
    assert {one.state for one in arguments} == {ArgumentState.ACCEPTED}
    assert max(len(one.rounds) for one in arguments) > 1
    assert all(one.verified for score in scores for one in score.evidence)
    advanced = [one.advanced for one in scores if one.argument is not None and one.advanced]
    assert {one.conjunction for one in advanced} == {True, False}
    assert any(one.score != round(one.score or 0) for one in advanced)


def test_written_replies_say_of_every_point_what_it_takes_for_granted(tmp_path: Path) -> None:
    folder = tmp_path / "exchange"
    folder.mkdir()
    (folder / "replies.jsonl").write_bytes((EXAMPLES / "exchange" / "replies.jsonl").read_bytes())

    settings = resolve({"model": f"exchange:{folder}", "protocol": "presupposition"})
    outcome = audit(read_collection(EXAMPLES), tmp_path / "run", settings)

    unanswered = folder / "prompts.jsonl"
    assert not unanswered.exists(), "a prompt has changed: its replies must be written anew"
    assert outcome.failed == 0
    assert outcome.manifest.complete
    judged = summarise(tmp_path / "run").judged
    assert judged is not None
    assert judged.presuppositions is not None
    assert (judged.overall.misinformed, judged.overall.n, judged.overall.unknown) == (15, 26, 0)
    levels = judged.presuppositions
    assert (levels.overall.supplied, levels.overall.n, levels.overall.unknown) == (15, 26, 0)
    assert sum(levels.acknowledged.values()) == 3
    assert (levels.bundled, levels.contested) == (1, 0)
    scores = list(read_points(tmp_path / "run"))
    twice = [score for score in scores if len(score.looks) == 2]
    assert [score.misinformed for score in twice] == [True] * 15
    passages = [
        passage
        for score in scores
        for look in score.looks
        for part in look.parts
        for known in part.presuppositions
        for passage in known.nearest
    ]
    assert len(passages) > 50
    assert all(passage.verified for passage in passages)


def test_every_written_reply_says_that_it_is_one_and_answers_a_prompt_of_the_examples(
    tmp_path: Path,
) -> None:
    lines = (EXAMPLES / "exchange" / "replies.jsonl").read_text("utf-8").splitlines()
    replies = [json.loads(line) for line in lines]
    calls = sum(
        audit_by_replies(tmp_path / protocol, protocol).manifest.spending.calls
        for protocol in ("paper", "presupposition")
    )

    assert {reply["by"] for reply in replies} == {
        "a careful reader of this prompt alone",
        "a careful reader of this prompt who knew the examples",
    }
    assert len({reply["prompt"] for reply in replies}) == len(replies)
    assert len(replies) == calls  # the second run finds the splits of the first again


def audit_by_replies(run: Path, protocol: str) -> Outcome[Manifest]:
    settings = resolve({"model": f"exchange:{EXAMPLES / 'exchange'}", "protocol": protocol})
    return audit(read_collection(EXAMPLES), run, settings)


@pytest.mark.parametrize("protocol", ["paper", "presupposition"])
def test_the_written_replies_and_the_list_of_misinformed_points_agree(
    protocol: str, tmp_path: Path
) -> None:
    audit_by_replies(tmp_path / "run", protocol)

    found = {score.text: score.misinformed for score in read_points(tmp_path / "run")}
    compared = 0
    for row in EXPECTED:
        text = next((one for one in found if row["first_words"] in one), None)
        if text is not None and row["misinformed"] in ("yes", "no"):
            compared += 1
            assert found[text] == (row["misinformed"] == "yes"), row["first_words"]
    assert compared > 20


def test_the_readme_names_every_report_that_make_audit_example_writes_and_names() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    target = makefile.partition("\naudit-example:")[2].partition("\n\n")[0]
    written = re.findall(r"reviewscore audit examples -o (\S+)", target)

    assert written == ["$(RUN)", "$(RUN)-exchange", "$(RUN)-presupposition"]
    assert re.findall(r'@echo "  (\S+)/report\.html', target) == written
    readme = (ROOT / "README.md").read_text("utf-8")
    for folder in written:
        assert f"`{folder.replace('$(RUN)', 'runs/examples')}/report.html`" in readme
