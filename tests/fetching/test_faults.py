"""Fetching where servers, disks and users do not do as they should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reviewscore import files
from reviewscore.sources.openreview import server as servers
from tests.commands import Invoke
from tests.fetching.server import HTML, JSON, Answer, Replay, load
from tests.fetching.test_fetch import VENUE, lines, more

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN: Answer = (403, b'{"name": "ForbiddenError", "message": "Not for you"}', JSON)


def test_a_fetch_killed_at_any_file_operation_goes_on_and_makes_the_same(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra, openreview.page = more(2), 2
    fetch(VENUE, "-o", tmp_path / "whole")

    ended = subprocess.run(
        [sys.executable, "-m", "tests.fetching.killed", tmp_path / "killed", VENUE],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    kills = json.loads(ended.stdout)
    assert kills > 12
    names = ("papers.jsonl", "reviews.jsonl", "metareviews.jsonl", "raw/threads.jsonl")
    for folder in sorted((tmp_path / "killed").iterdir()):
        assert [(folder / one).read_bytes() for one in names] == [
            (tmp_path / "whole" / one).read_bytes() for one in names
        ], folder.name
        assert len(list((folder / "pdfs").glob("*.pdf"))) == 3
        assert json.loads((folder / "fetch.json").read_text())["complete"] is True


def test_one_forum_that_is_not_visible_does_not_cost_the_others_and_more_may_be_added(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    first = fetch("Sub18", "Typo", "-o", tmp_path / "data", "--no-pdfs")
    second = fetch("Sub18", "SubN24", "-o", tmp_path / "data", "--no-pdfs")

    assert first.exit_code == 3
    assert "1 paper, 1 review" in first.stdout
    assert "no forum 'Typo' is visible" in first.stderr
    assert second.exit_code == 0
    assert "2 papers" in second.stdout


def test_a_note_that_is_not_shown_is_that_note_alone(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    true = openreview.answer
    openreview.answer = lambda path, query: (  # type: ignore[method-assign]
        FORBIDDEN if query.get("id") == "Sub25" and path.startswith("/v2") else true(path, query)
    )

    ended = fetch("Sub25", "Sub18", "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 3
    assert "no forum 'Sub25' is visible" in ended.stderr
    assert "1 paper" in ended.stdout


def test_a_pdf_that_is_not_shown_does_not_stop_the_rest(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(1)
    true = openreview.pdf
    openreview.pdf = lambda name: FORBIDDEN if name == "Sub0000" else true(name)

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert "no PDF of Sub0000: OpenReview does not show you /pdf" in ended.stderr
    assert "1 paper without a text; `audit --skip-bad-lines` goes on without" in ended.stderr
    assert (tmp_path / "data" / "pdfs" / "Sub25.pdf").is_file()


def test_web_pages_in_place_of_pdfs_end_the_asking(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(9)
    openreview.pdf = lambda _: (200, b"<!doctype html><html>solve this", HTML)

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 4
    assert "web pages in place of PDFs" in ended.stderr
    assert sum(path == "/v2/pdf" for path, _ in openreview.asked) == 5


def test_a_full_disk_stops_with_a_sentence(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = files.write_whole

    def write(path: Path, data: bytes) -> None:
        if path.suffix == ".pdf":
            raise files._failure(path, OSError(28, "No space left on device"))
        true(path, data)

    monkeypatch.setattr("reviewscore.sources.openreview.thread_store.write_whole", write)

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 4
    assert "free some space" in ended.stderr
    assert "1 paper, 1 review" in ended.stdout


def test_a_file_that_cannot_be_written_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(files.RunFolderError, match=r"x\.pdf"):
        files.write_whole(tmp_path / "nowhere" / "x.pdf", b"%PDF")


@pytest.mark.parametrize(
    ("mishap", "says"),
    [
        ((400, b'{"message": "bad after"}', JSON), "is not at its end"),
        ((200, b'{"name": "TimeoutError"}', JSON), "without a list of notes"),
    ],
)
def test_a_list_that_breaks_off_is_not_taken_for_its_end(
    openreview: Replay, fetch: Invoke, tmp_path: Path, mishap: Answer, says: str
) -> None:
    openreview.extra, openreview.page = more(3), 2
    true = openreview.answer
    openreview.answer = lambda path, query: (  # type: ignore[method-assign]
        mishap if "after" in query else true(path, query)
    )
    first = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    openreview.answer = true  # type: ignore[method-assign]
    second = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert first.exit_code == 4
    assert says in first.stderr
    assert "2 papers" in first.stdout
    assert (second.exit_code, "4 papers" in second.stdout) == (0, True)


def test_a_list_that_was_read_to_its_end_is_not_asked_for_again_and_that_is_said(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    before = len(openreview.asked)
    openreview.extra = more(1)

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert [path for path, _ in openreview.asked[before:]] == ["/v2/pdf"]
    assert "what was added or changed since is not looked for" in ended.stderr


def test_with_as_many_forums_as_wanted_no_list_is_asked_for(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(3)
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs", "--limit", 2)
    before = len(openreview.asked)
    again = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs", "--limit", 2)
    nothing = openreview.asked[before:]
    raised = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs", "--limit", 3)

    lowered = fetch(VENUE, "-o", tmp_path / "data", "--limit", 1)

    assert nothing == []
    assert "1 paper, 1 review, 1 PDF" in lowered.stdout
    assert "2 papers" in again.stdout
    assert "3 papers" in raised.stdout


def old_style(name: str, invitation: str) -> dict[str, object]:
    record: dict[str, object] = load("v1_iclr2018_thread")["submission"]
    return {**record, "id": name, "forum": name, "invitation": invitation, "details": {}}


def test_on_the_first_api_only_the_list_itself_counts_and_originals_are_left_alone(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    venue = "ICLR.cc/2018/Conference"
    openreview.extra = [
        old_style("Original", f"{venue}/-/Submission"),
        old_style("Desk", f"{venue}/-/Desk_Rejected_Submission"),
        old_style("Other", f"{venue}/-/Blind_Submission_Revision"),
    ]
    openreview.prefixes = True

    fetch(venue, "-o", tmp_path / "data", "--no-pdfs")

    papers = {one["paper_id"] for one in lines(tmp_path / "data" / "papers.jsonl")}
    assert papers == {"Sub18", "Desk"}


@pytest.mark.parametrize(
    "name",
    ["https://openreview.net/forum?id=Sub18&noteId=x", "https://openreview.net/forum?id=Rev18a"],
)
def test_an_address_or_a_reviews_id_leads_to_its_forum(
    openreview: Replay, fetch: Invoke, tmp_path: Path, name: str
) -> None:
    reply = load("v1_iclr2018_thread")["submission"]["details"]["replies"][0]
    openreview.extra = [{**reply, "id": "Rev18a"}]

    ended = fetch(name, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 0, ended.stderr
    (paper,) = lines(tmp_path / "data" / "papers.jsonl")
    assert paper["paper_id"] == "Sub18"


@pytest.mark.parametrize(
    "form",
    [
        {"id": "x", "edit": {"note": {"content": {"rating": {"value": {"param": {"enum": [1]}}}}}}},
        {"id": "x", "reply": {"content": {"rating": {"value-radio": ["1: bad"]}}}},
        {"id": "x", "reply": 3},
        None,
    ],
)
def test_the_definition_of_the_form_is_kept_and_asked_for_once(
    openreview: Replay, fetch: Invoke, tmp_path: Path, form: dict[str, object] | None
) -> None:
    openreview.form = form

    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    before = len(openreview.asked)
    again = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    kept = json.loads((tmp_path / "data" / "raw" / "form.json").read_text())
    assert list(kept.get("content", {})) == (["rating"] if "rating" in str(form) else [])
    assert len(openreview.asked) == before
    assert again.exit_code == 0


def test_a_form_that_is_refused_stops_nothing(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    true = openreview.answer
    openreview.answer = lambda path, query: (  # type: ignore[method-assign]
        (403, b"", HTML) if "invitations" in path else true(path, query)
    )

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 0
    assert "the definition of the review form could not be had" in ended.stderr
    assert not (tmp_path / "data" / "raw" / "form.json").exists()


def test_an_address_without_an_id_is_refused(fetch: Invoke, tmp_path: Path) -> None:
    ended = fetch("https://openreview.net/about", "-o", tmp_path / "data")

    assert ended.exit_code == 2
    assert "names no forum or venue" in ended.stderr


def test_data_of_one_kind_of_source_do_not_replace_those_of_another(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs")
    export = tmp_path / "x.json"
    export.write_text(json.dumps(load("v2_iclr2024_thread")))

    ended = fetch("--from-export", export, "-o", tmp_path / "data")

    assert ended.exit_code == 2
    assert "holds data of another source (openreview)" in ended.stderr
    assert lines(tmp_path / "data" / "papers.jsonl")[0]["paper_id"] == "Sub18"


def test_a_login_that_nobody_answers_is_no_refusal_and_tells_no_password(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "me@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "hunter2")
    monkeypatch.setenv("OPENREVIEW_API_BASEURL", "http://127.0.0.1:9")

    ended = fetch("Sub18", "-o", tmp_path / "data", "--api", "1")

    assert ended.exit_code == 4
    assert "does not answer to the login" in ended.stderr
    assert "Retrying" not in ended.stdout
    assert "hunter2" not in ended.stdout + ended.stderr
    kept = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert b"hunter2" not in kept
    assert b"me@example.org" not in kept


def test_a_login_that_is_refused_is_told_in_words(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "me@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "hunter2")

    ended = fetch("Sub18", "-o", tmp_path / "data", "--api", "1")

    assert ended.exit_code == 2
    assert "refused the login" in ended.stderr
    assert "hunter2" not in ended.stderr


def test_a_time_without_a_zone_is_utc(
    monkeypatch: pytest.MonkeyPatch, openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    body = json.dumps({"details": {"resetTime": "2026-01-01T09:00:00"}}).encode()
    openreview.mishaps = [(429, body, {**JSON, "Date": "Thu, 01 Jan 2026 08:59:00 GMT"})]
    monkeypatch.setenv("TZ", "America/New_York")
    servers.time.tzset()

    ended = fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    monkeypatch.undo()
    servers.time.tzset()
    assert "waiting 60 s" in ended.stderr
