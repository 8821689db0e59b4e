"""Fetching: pages, waits, refusals, going on, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.sources.collection import read_collection
from reviewscore.sources.openreview.thread_store import scrubbed
from tests.commands import Ended, Invoke, invoker
from tests.fetching.server import HTML, JSON, Answer, Replay, load

VENUE = "ICLR.cc/2025/Conference"


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def more(count: int) -> list[dict[str, Any]]:
    """Further submissions of the venue."""
    made = []
    for number in range(count):
        record = json.loads(json.dumps(load("v2_iclr2025_thread")["submission"]).replace(
            "Sub25", f"Sub{number:04}").replace("Rev25a", f"Rev{number:04}"))  # fmt: skip
        made.append(record)
    return made


def test_a_venue_is_fetched_audited_and_reported_in_three_commands(
    openreview: Replay, fetch: Invoke, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched = fetch(VENUE, "-o", tmp_path / "data")
    audited = invoker("audit", capsys)(tmp_path / "data", "-o", tmp_path / "run")
    reported = invoker("report", capsys)(tmp_path / "run", "-o", tmp_path / "page.html")

    assert fetched.exit_code == 0, fetched.stderr
    assert "1 paper, 1 review, 1 PDF" in fetched.stdout
    assert "camera-ready" in fetched.stderr
    assert audited.exit_code == 0, audited.stderr
    assert "unknown fields" not in audited.stderr
    assert reported.exit_code == 0
    assert "Rev25a" in (tmp_path / "page.html").read_text("utf-8")


def test_forums_of_both_apis_are_found_without_saying_which(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    ended = fetch("SubN24", "Sub18", "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 0, ended.stderr
    papers = {one["paper_id"]: one for one in lines(tmp_path / "data" / "papers.jsonl")}
    assert set(papers) == {"SubN24", "Sub18"}
    assert papers["Sub18"]["decision"] == "Accept (Poster)"
    reviews = {one["paper_id"]: one for one in lines(tmp_path / "data" / "reviews.jsonl")}
    assert reviews["Sub18"]["author_response"].startswith("The router never sees the label")
    assert reviews["SubN24"]["license"] == "CC BY 4.0"


def test_a_venue_of_the_first_api_is_found_in_its_lists(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    ended = fetch("ICLR.cc/2018/Conference", "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 0, ended.stderr
    assert [one["paper_id"] for one in lines(tmp_path / "data" / "papers.jsonl")] == ["Sub18"]


def test_pages_are_followed_to_the_end_and_every_request_names_us(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra, openreview.page = more(7), 3

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert "8 papers, 8 reviews" in ended.stdout
    afters = [query.get("after") for path, query in openreview.asked if path == "/v2/notes"]
    assert afters == [None, "Sub0002", "Sub0005", "Sub25"]
    assert all("reviewscore/" in one["User-Agent"] for one in openreview.headers)
    assert not any("profile" in path for path, _ in openreview.asked)


def test_a_fetch_that_is_stopped_goes_on_where_it_was(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra, openreview.page = more(5), 2
    first = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs", "--limit", 2)
    before = len(openreview.asked)
    second = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert "2 papers" in first.stdout
    assert "6 papers, 6 reviews" in second.stdout
    again = [query for path, query in openreview.asked[before:] if path == "/v2/notes"]
    assert sum(len(one) > 0 for one in again) == 4
    ids = [one["paper_id"] for one in lines(tmp_path / "data" / "papers.jsonl")]
    assert len(ids) == len(set(ids)) == 6


def test_a_line_half_written_by_a_kill_is_fetched_again(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    raw = tmp_path / "data" / "raw"
    (raw / "threads.jsonl").write_bytes((raw / "threads.jsonl").read_bytes()[:-20])
    (raw / "places.json").unlink()

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert "1 paper, 1 review" in ended.stdout


def test_raw_data_that_was_damaged_is_named(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    (tmp_path / "data" / "raw" / "threads.jsonl").write_text("{}\n")

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 2
    assert "delete it to fetch anew" in ended.stderr


@pytest.mark.parametrize("name", ["fetch.json", "raw/threads.jsonl", "raw/places.json"])
def test_nothing_is_fetched_through_a_link_that_lies_in_the_folder(
    openreview: Replay, fetch: Invoke, tmp_path: Path, name: str
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    file, outside = tmp_path / "data" / name, tmp_path / "outside"
    (tmp_path / "data" / "raw" / "places.json").write_text("{}")  # lists are read again
    file.rename(outside)
    file.symlink_to(outside)
    before = outside.read_bytes()

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 2
    assert f"{file} is a link out of its folder" in ended.stderr
    assert outside.read_bytes() == before


def test_a_list_of_places_without_an_end_is_not_read(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    places = tmp_path / "data" / "raw" / "places.json"
    with places.open("ab") as file:
        file.truncate(21_000_000)

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 2
    assert "places.json" in ended.stderr
    assert "max_text_mb" in ended.stderr


def test_a_submission_that_was_deleted_is_left_out_and_told(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(1)
    openreview.extra[0]["ddate"] = 1600000000000

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert "1 paper, 1 review" in ended.stdout
    assert "'Sub0000' was deleted" in ended.stderr


def refusal(name: str) -> tuple[int, bytes, dict[str, str]]:
    found = load(name)
    return found["http_status"], json.dumps(found["body"]).encode(), JSON


def test_a_challenge_is_said_in_words_and_ends_with_code_4(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.mishaps = [refusal("error_403_challenge")] * 2

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 4
    assert "OPENREVIEW_USERNAME" in ended.stderr
    assert "--from-export" in ended.stderr


def test_a_limit_that_is_far_away_stops_with_what_is_done_kept(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra, openreview.page = more(3), 2
    status, body, headers = refusal("error_429_rate_limit")
    limited = (status, body, {**headers, "Date": "Thu, 01 Jan 2026 08:00:00 GMT"})
    true = openreview.answer
    count = iter(range(99))

    def answer(path: str, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        return limited if "after" in query and next(count) == 0 else true(path, query)

    openreview.answer = answer  # type: ignore[method-assign]
    first = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    second = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert first.exit_code == 4
    assert "until 2026-01-01T09:00" in first.stderr
    assert "2 papers" in first.stdout
    assert second.exit_code == 0
    assert "4 papers" in second.stdout


def test_short_waits_and_passing_faults_are_sat_out(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.mishaps = [
        (429, b"{}", {**JSON, "Retry-After": "3"}),
        (503, b"busy", HTML),
        (500, b"", {}),
    ]

    ended = fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    assert ended.exit_code == 0, ended.stderr
    assert "waiting 3 s" in ended.stderr


@pytest.mark.parametrize(
    ("mishap", "says"),
    [
        ((200, b"<!doctype html><p>Solve this", HTML), "answered with a web page"),
        ((200, b"{", JSON), "answered with no JSON"),
        ((200, b"[]", JSON), "answered with list"),
        ((401, b"{}", JSON), "login has run out"),
        ((403, b'{"message": "Forbidden"}', JSON), "OpenReview refuses: Forbidden"),
    ],
)
def test_answers_that_are_none_are_named(
    openreview: Replay, fetch: Invoke, tmp_path: Path,
    mishap: tuple[int, bytes, dict[str, str]], says: str,
) -> None:  # fmt: skip
    openreview.mishaps = [mishap]

    ended = fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    assert ended.exit_code == 4
    assert says in ended.stderr


def test_a_server_that_is_not_there_is_said_so(
    fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, openreview: Replay
) -> None:
    monkeypatch.setenv("OPENREVIEW_API_BASEURL", "http://127.0.0.1:9")

    ended = fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    assert ended.exit_code == 4
    assert "has not answered 5 times" in ended.stderr


def test_a_page_that_repeats_ends_the_fetch(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.stuck = True

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 4
    assert "same page" in ended.stderr


def test_pages_that_go_round_end_the_fetch(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    plain, asked = openreview.answer, 0

    def round_and_round(path: str, query: dict[str, str]) -> Answer:
        nonlocal asked
        if "invitation" not in query or asked > 50:
            return plain(path, query)
        asked += 1
        return 200, json.dumps({"notes": [{"id": "AB"[asked % 2]}]}).encode(), JSON

    openreview.answer = round_and_round  # type: ignore[method-assign]
    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 4
    assert "same page" in ended.stderr
    assert asked < 10


def test_nothing_visible_is_no_success(openreview: Replay, fetch: Invoke, tmp_path: Path) -> None:
    ended = fetch("Secret.cc/2025/Conference", "-o", tmp_path / "data")
    unknown = fetch("NoSuchForum", "-o", tmp_path / "other")

    assert ended.exit_code == 3
    assert "nothing of this venue is visible to you" in ended.stderr
    assert unknown.exit_code == 2
    assert "no forum 'NoSuchForum' is visible" in unknown.stderr


def test_a_pdf_that_is_none_is_told_and_the_rest_goes_on(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.extra = more(1)
    true = openreview.pdf
    openreview.pdf = lambda name: (
        (200, b"<html>challenge</html>", HTML) if name == "Sub25" else true(name)
    )

    ended = fetch(VENUE, "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert "no PDF of Sub25: what came is no PDF" in ended.stderr
    assert (tmp_path / "data" / "pdfs" / "Sub0000.pdf").is_file()


def test_another_fetch_does_not_go_into_the_same_folder(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")

    other = fetch("Sub18", "-o", tmp_path / "data")
    foreign = fetch("Sub18", "-o", tmp_path / "mine")

    assert (other.exit_code, foreign.exit_code) == (2, 2)
    assert "holds another fetch" in other.stderr
    assert "holds 'thesis.txt'" in foreign.stderr
    assert "--yes" not in foreign.stderr


def test_no_name_of_a_person_is_kept(openreview: Replay, fetch: Invoke, tmp_path: Path) -> None:
    fetch("Sub17", "-o", tmp_path / "data", "--no-pdfs")

    kept = b"".join(one.read_bytes() for one in (tmp_path / "data").rglob("*.json*"))
    assert b"Writer" not in kept
    assert b"example.org" not in kept
    assert scrubbed({"id": "x", "signatures": ["~A_B1", "a@b.org", "V/Reviewer_x"]})[
        "signatures"
    ] == ["~", "~", "Reviewer_x"]


def test_the_token_is_sent_and_no_profile_is_asked_for(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENREVIEW_TOKEN", "Bearer t0p-s3cret")

    fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    assert openreview.headers[0]["Authorization"] == "Bearer t0p-s3cret"
    assert {path for path, _ in openreview.asked} == {"/v1/notes"}
    kept = b"".join(one.read_bytes() for one in (tmp_path / "data").rglob("*") if one.is_file())
    assert b"s3cret" not in kept


def test_exported_notes_in_any_order_and_kind_of_file_make_the_same_data(
    fetch: Invoke, tmp_path: Path
) -> None:
    export = tmp_path / "export"
    (export / "deep").mkdir(parents=True)
    record = load("v2_iclr2024_thread")["submission"]
    replies = record.pop("details")["replies"]
    (export / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in replies))
    (export / "deep" / "b.json").write_text(json.dumps({"notes": [record, record]}))
    (export / "c.json").write_text("<!DOCTYPE html><html>log in</html>")
    (export / "d.json").write_text(json.dumps(load("error_403_challenge")))
    (export / "e.jsonl").write_text('{"id": 3}\nnot json\n')
    (export / "Sub24.pdf").write_bytes(b"%PDF-1.4 copied")

    ended = fetch("--from-export", export, "-o", tmp_path / "data")

    assert ended.exit_code == 0, ended.stderr
    assert "1 paper, 1 review, 1 PDF" in ended.stdout
    assert "is a web page, not JSON" in ended.stderr
    assert "an object that is no note" in ended.stderr
    assert "e.jsonl:2" in ended.stderr
    (review,) = lines(tmp_path / "data" / "reviews.jsonl")
    whole = fetch("--from-export", _whole(tmp_path), "-o", tmp_path / "whole")
    assert whole.exit_code == 0
    assert lines(tmp_path / "whole" / "reviews.jsonl") == [review]
    assert lines(tmp_path / "data" / "metareviews.jsonl")[0]["paper_id"] == "Sub24"


def _whole(folder: Path) -> Path:
    file = folder / "whole.json"
    file.write_text(json.dumps(load("v2_iclr2024_thread")))
    return file


def test_an_export_without_a_submission_is_refused(fetch: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(load("v2_iclr2024_thread")["submission"]["details"]["replies"]))

    def ended(*words: object) -> Ended:
        return fetch("--from-export", *words, "-o", tmp_path / "data")

    assert "holds no submission" in ended(file).stderr
    assert "no such file" in ended(tmp_path / "nowhere").stderr
    assert "name one source" in ended(file, "ICLR.cc/2025/Conference").stderr


def test_what_is_fetched_is_read_like_any_other_data(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch(VENUE, "-o", tmp_path / "data")

    found = read_collection(tmp_path / "data")

    assert found.warnings == []
    assert found.reviews[0].rating == 3.0
    assert found.papers["Sub25"].load().text.startswith("Routing with Two Experts")
