"""``reviewscore sync`` as it is typed, and venue folders where verbs take runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reviewscore.errors import InputError
from tests.commands import Invoke, invoker

PAPER = {"paper_id": "p1", "title": "On routers", "text": "We train one router on two data sets."}
REVIEW = {"review_id": "r1", "paper_id": "p1", "sections": {"weaknesses": "There is no baseline."}}


@pytest.fixture
def sync(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("sync", capsys)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "papers.jsonl").write_text(json.dumps(PAPER) + "\n")
    (folder / "reviews.jsonl").write_text(json.dumps(REVIEW) + "\n")
    return folder


def test_a_sync_prints_what_changed_and_what_to_type_next(
    sync: Invoke, source: Path, tmp_path: Path
) -> None:
    first = sync(source, "-o", tmp_path / "v")
    again = sync(source, "-o", tmp_path / "v")
    as_json = sync(source, "-o", tmp_path / "v", "--json", "-q")

    assert [one.exit_code for one in (first, again, as_json)] == [0, 0, 0]
    lines = first.stdout.splitlines()
    assert lines[1].split() == ["papers", "reviews"]
    assert lines[2].split() == ["new", "1", "1"]
    assert lines[3] == f"next: reviewscore audit {tmp_path / 'v'}"
    assert again.stdout.endswith("nothing changed\n")
    assert json.loads(as_json.stdout)["number"] == 3


def test_a_broken_source_is_refused_and_taken_in_part_when_asked(
    sync: Invoke, source: Path, tmp_path: Path
) -> None:
    with (source / "reviews.jsonl").open("a") as file:
        file.write('{"review_id": "r2", "paper_id": "p9", "sections": {"text": "Words."}}\n')

    refused = sync(source, "-o", tmp_path / "v")
    partly = sync(source, "-o", tmp_path / "v", "--skip-bad-lines")

    assert refused.exit_code == 2
    assert "reviews.jsonl:2" in refused.stderr
    assert "--skip-bad-lines" in refused.stderr
    assert partly.exit_code == 3
    assert "1 line could not be used; 0 rows kept as before" in partly.stdout


def test_a_source_that_is_not_there_is_no_venue_of_openreview(sync: Invoke, tmp_path: Path) -> None:
    ended = sync(tmp_path / "nowhere", "-o", tmp_path / "v")

    assert ended.exit_code == 2
    assert "there is no such folder" in ended.stderr


def test_verbs_that_take_a_run_take_the_run_of_a_venue(
    sync: Invoke, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    venue = tmp_path / "v"
    sync(source, "-o", venue)
    early = invoker("export", capsys)(venue, "-o", "-")
    invoker("audit", capsys)(venue / "data", "-o", venue / "run")
    exported = invoker("export", capsys)(venue, "-o", "-")
    reported = invoker("report", capsys)(venue, "-o", tmp_path / "page.html")
    purged = invoker("purge", capsys)(venue, "--dry-run")

    assert early.exit_code == 2
    assert "was not audited yet; type reviewscore audit" in early.stderr
    assert json.loads(exported.stdout.splitlines()[0])["review_id"] == "r1"
    assert reported.exit_code == 0, reported.stderr
    assert "There is no baseline" in (tmp_path / "page.html").read_text("utf-8")
    assert str(venue / "run") in purged.stdout


@pytest.mark.parametrize(
    "named", ["my.dir/reviews", "./gone", "../2027.old/x", "data.v2/2027", "gone", "a.b/2027x/c"]
)
def test_a_mistyped_path_is_an_error_and_asks_nobody(
    sync: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setattr("reviewscore.sources.openreview.refresh.refresh", _asked)

    ended = sync(named, "-o", tmp_path / "v")

    assert ended.exit_code == 2
    assert f"{named}: there is no such folder" in ended.stderr
    assert "check the path; a venue is written as ICLR.cc/2027/Conference" in ended.stderr


@pytest.mark.parametrize(
    "named",
    ["ICLR.cc/2027/Conference", "thecvf.com/CVPR/2024/Conference", "TMLR",
     "NeurIPS.cc/2025/Datasets_and_Benchmarks_Track"],
)  # fmt: skip
def test_what_is_taken_for_a_venue_of_openreview_is_said(
    sync: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setattr("reviewscore.sources.openreview.refresh.refresh", _asked)

    ended = sync(named, "-o", tmp_path / "v")

    assert f"{named} is not there, so it is taken for a venue of OpenReview" in ended.stderr
    assert "the network was asked" in ended.stderr


def _asked(*_: object, **__: object) -> None:
    raise InputError("the network was asked")


def test_purge_names_what_stays_of_a_venue_and_what_removes_it(
    sync: Invoke, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    venue = tmp_path / "v"
    sync(source, "-o", venue)
    invoker("audit", capsys)(venue, "--model", "lexical", "-q")
    (source / "reviews.jsonl").write_text(json.dumps(REVIEW | {"review_id": "r2"}) + "\n")
    sync(source, "-o", venue)
    invoker("audit", capsys)(venue, "--model", "lexical", "-q")
    (venue / "as-of-1.html").write_text("<p>")

    printed = invoker("purge", capsys)(venue, "--dry-run").stdout

    (line,) = (line for line in printed.splitlines() if "reviewscore withdraw" in line)
    for name in ("data", "syncs/*/past.jsonl", "syncs/*/*retired.jsonl", "as-of-*"):
        assert f"{name} (" in line
    assert "pages (" not in line
    assert f"`reviewscore withdraw {venue} NAME`" in line
