"""Focus of a run's reviews: computed from the run, shown in its report, review by review."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import RunFolderError
from reviewscore.report.focus import Focus, gap_words, often_missed
from reviewscore.runs.folder import DIGEST, read_manifest
from reviewscore.schema.focus import FocusGap, ReviewGaps
from tests.commands import Invoke, invoker

BODY = "We count frogs in ponds. We compare with no baseline. The threshold is fixed. " * 20
NOVEL = "- The idea is not novel and close to earlier work."
UNCLEAR = "- The writing is unclear and hard to follow."


def data(folder: Path, *, hostile: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "papers.jsonl").write_text(
        json.dumps({"paper_id": "p", "title": "Frogs", "text": BODY}) + "\n"
    )
    reviews = [
        ("r1", "m", UNCLEAR),
        ("r2", "n", NOVEL),
        ("r3", "n", f"{NOVEL}\n{UNCLEAR}{hostile}"),
    ]
    lines = [
        {"review_id": name, "paper_id": "p", "reviewer": reviewer,
         "sections": {"strengths": "- A novel algorithm.", "weaknesses": text}}
        for name, reviewer, text in reviews
    ]  # fmt: skip
    (folder / "reviews.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return folder


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    out = tmp_path / "run"
    ended = invoker("audit", capsys)(data(tmp_path / "data"), "-o", out)
    assert ended.exit_code == 0, ended.stderr
    return out


@pytest.fixture
def focus(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("focus", capsys)


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("report", capsys)


def test_a_report_shows_focus_once_it_was_computed(
    run: Path, focus: Invoke, report: Invoke
) -> None:
    before = (run / "report.html").read_text("utf-8")
    ended = focus(run, "--by", "reviewer", "--reference", "n", "--resamples", 100)
    report(run)
    after = (run / "report.html").read_text("utf-8")

    assert ended.exit_code == 0, ended.stderr
    assert (run / "focus" / "focus.md").is_file()
    assert "What the reviews look at" not in before
    assert "What the reviews look at" in after
    assert "Against n" in after
    assert "novelty (aspect) in weaknesses: raised by 2 of 2 other reviews" in after
    assert "style=" not in after.replace("style-src", "")


def test_reviews_of_a_run_are_people_unless_reviewers_are_systems(
    run: Path, focus: Invoke, report: Invoke
) -> None:
    focus(run, "--resamples", 100)
    report(run)

    found = Focus.of(run, read_manifest(run))
    assert found.digest is not None
    assert {one.system for one in found.digest.shares} == {"people"}
    assert found.digest.reference is None
    assert "Against" not in (run / "report.html").read_text("utf-8")


def test_focus_of_other_files_is_told_and_not_shown(
    run: Path, tmp_path: Path, focus: Invoke, report: Invoke
) -> None:
    other = data(tmp_path / "other", hostile="\n- More.")
    refused = focus(run, "--data", other, "--resamples", 100)
    focus(run, "--resamples", 100)
    digest = json.loads((run / DIGEST).read_text("utf-8"))
    (run / DIGEST).write_text(json.dumps(digest | {"inputs": ["0" * 64]}))
    report(run)

    assert (refused.exit_code, "'reviews.jsonl' is not what" in refused.stderr) == (2, True)
    page = (run / "report.html").read_text("utf-8")
    assert "computed of other files" in page
    assert "What the reviews look at</h2>" not in page


def test_a_digest_that_is_none_is_an_error_with_its_cure(run: Path) -> None:
    (run / DIGEST).write_text("{}")

    with pytest.raises(RunFolderError, match="run `reviewscore focus"):
        Focus.of(run, read_manifest(run))


def test_names_of_systems_are_text_in_the_report(
    tmp_path: Path, focus: Invoke, report: Invoke, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data(tmp_path / "data")
    rows = (folder / "reviews.jsonl").read_text().replace('"m"', '"<script>alert(1)</script>"')
    (folder / "reviews.jsonl").write_text(rows)
    invoker("audit", capsys)(folder, "-o", tmp_path / "run")
    focus(tmp_path / "run", "--by", "reviewer", "--reference", "n", "--resamples", 100)
    report(tmp_path / "run")

    assert "<script>alert(1)" not in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_what_goes_with_files_alone_or_runs_alone_is_refused_elsewhere(
    run: Path, tmp_path: Path, focus: Invoke
) -> None:
    with_system = focus(run, "--system", "m=x.jsonl")
    with_data = focus(tmp_path / "data", "--data", tmp_path)

    assert (with_system.exit_code, with_data.exit_code) == (2, 2)
    assert "--system goes with a file of reviews" in with_system.stderr
    assert "--data is for runs" in with_data.stderr


def test_gaps_are_told_review_by_review(run: Path, tmp_path: Path, focus: Invoke) -> None:
    every = focus("gaps", tmp_path / "data")
    one = focus("gaps", run, "--review", "r1", "--json")
    none = focus("gaps", tmp_path / "data", "--review", "r9")

    assert "embedded annotator" in every.stderr
    assert [line for line in every.stdout.splitlines() if not line.startswith(" ")] == [
        f"{name} (people, paper p)" for name in ("r1", "r2", "r3")
    ]
    record = json.loads(one.stdout)
    assert (record["review_id"], record["others"]) == ("r1", 2)
    assert {gap["facet"] for gap in record["missed"]} >= {"novelty"}
    assert none.exit_code == 2
    assert "no review 'r9'" in none.stderr


def gap(others: int) -> FocusGap:
    return FocusGap(polarity="weakness", kind="aspect", facet="novelty", others=others)


def test_what_most_others_raise_is_shown_beside_a_review() -> None:
    def shown(others: int, raised: int) -> bool:
        gaps = ReviewGaps(others=others, unknown=0, missed=(gap(raised),))
        return bool(often_missed(gaps))

    assert [shown(2, 2), shown(4, 2), shown(5, 2), shown(1, 1)] == [True, True, False, False]


def test_a_review_alone_or_with_unknown_labels_says_so() -> None:
    assert gap_words(ReviewGaps(others=0, unknown=0, missed=())) == [
        "no other review of the paper to compare with"
    ]
    assert gap_words(ReviewGaps(others=2, unknown=0, missed=())) == [
        "nothing that another review raises"
    ]
    assert gap_words(ReviewGaps(others=2, unknown=1, missed=(gap(1),))) == [
        "novelty (aspect) in weaknesses: raised by 1 of 2 other reviews",
        "1 label of its own points unknown",
    ]
