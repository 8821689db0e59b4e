"""What OpenReview sends is held up to a bound, and comes from OpenReview's own hosts alone."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.errors import SettingsError, StopError, TooLargeError
from reviewscore.sources.openreview import server as servers
from reviewscore.sources.openreview import transport
from reviewscore.sources.openreview.server import Server
from reviewscore.sources.openreview.thread_store import fetch_pdfs
from reviewscore.sources.openreview.transport import UnusableError, is_own
from tests.commands import Invoke
from tests.endless import LINGERING, NO_HTTP, Endless, Verbatim, bomb
from tests.fetching.server import JSON, Replay, pdf, replaying
from tests.fetching.test_fetch import VENUE, lines, more

SLACK = 12_000_000
"""Bytes that may wait in the buffers of both sides of a connection."""
PDF = b"%PDF-1.4\n"
Serve = Callable[[Endless], Server]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    started: list[Endless] = []

    def start(server: Endless) -> Server:
        started.append(server.start())
        monkeypatch.setenv("OPENREVIEW_API_BASEURL", server.url)
        monkeypatch.setenv("OPENREVIEW_API_BASEURL_V2", f"{server.url}/v2")
        put_in_force(Bounds(max_page_mb=1, max_pdf_mb=2))
        return Server(2, lambda _: None, 0.0, lambda _: None)

    yield start
    for server in started:
        server.stop()


@pytest.mark.parametrize("status", [200, 404])
def test_a_page_without_an_end_is_given_up_at_the_bound(serve: Serve, status: int) -> None:
    endless = Endless(status=status)
    server = serve(endless)
    tracemalloc.start()

    with pytest.raises(TooLargeError, match="larger than the 1 MB that max_page_mb allows"):
        server.get("/notes", {"id": "a"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert endless.sent[0] < SLACK
    assert peak < 30_000_000  # openreview-py is loaded in it


def test_a_small_page_that_grows_is_given_up_at_the_bound(serve: Serve) -> None:
    small = bomb(40_000_000)
    server = serve(Endless(small, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(TooLargeError):
        server.get("/warm", {})
    tracemalloc.start()

    with pytest.raises(TooLargeError, match=r"given up after 1\.\d MB"):
        server.get("/notes", {"id": "a"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(small) < 100_000
    assert peak < 4_000_000


def test_a_pdf_without_an_end_is_a_failure_of_that_paper_and_leaves_no_file(
    serve: Serve, tmp_path: Path
) -> None:
    endless = Endless(begins=PDF)
    server = serve(endless)

    ended = fetch_pdfs({"Abc": 2, "Def": 2}, tmp_path, say=print, server=lambda _: server)

    assert ended.stopped is None
    assert list(ended.without) == ["Abc", "Def"]
    assert "max_pdf_mb" in ended.without["Def"]
    assert max(endless.sent) < SLACK
    assert endless.asked == 2
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_pdf_is_not_fetched_to_its_end(serve: Serve, tmp_path: Path) -> None:
    endless = Endless()
    server = serve(endless)

    ended = fetch_pdfs({"Abc": 2}, tmp_path, say=print, server=lambda _: server)

    assert ended.without == {"Abc": "what came is no PDF"}
    assert endless.sent[0] < SLACK


@pytest.mark.parametrize("how", LINGERING)
def test_an_answer_that_has_not_come_whole_in_time_is_given_up(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(transport, "_LONGEST", 0.3)
    said, again, drip = LINGERING[how]
    endless = Verbatim(said=said, again=again, drip=drip)
    server = serve(endless)

    with pytest.raises(StopError, match=r"127.0.0.1 had not come whole after 0\.3 s; try again"):
        server.get("/notes", {"id": "a"})

    assert endless.asked == 1


def test_a_pdf_that_drips_does_not_cost_the_others(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(transport, "_LONGEST", 0.2)
    server = serve(Endless(begins=pdf(), drip=0.02))

    ended = fetch_pdfs({"Abc": 2, "Def": 2}, tmp_path, say=print, server=lambda _: server)

    assert ended.stopped is None
    assert ["had not come whole" in why for why in ended.without.values()] == [True, True]
    assert list(tmp_path.iterdir()) == []


def test_bodies_of_nothing_are_bounded_too(serve: Serve) -> None:
    said, again, _ = LINGERING["empty members without an end"]
    server = serve(Verbatim(said=said, again=again))

    with pytest.raises(TooLargeError, match="larger than the 1 MB that max_page_mb allows"):
        server.get("/notes", {"id": "a"})


@pytest.mark.parametrize("how", NO_HTTP)
def test_an_answer_that_is_no_http_is_a_failure_in_words(serve: Serve, how: str) -> None:
    server = serve(Verbatim(said=NO_HTTP[how]))
    try:  # requests makes something of some of them
        assert server.get("/notes", {"id": "a"}) == {}
    except StopError as error:
        assert server.address in str(error)


def test_a_login_is_bounded_too(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", "me@example.org")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "hunter2")
    endless = Endless()
    server = serve(endless)

    with pytest.raises(StopError, match="max_page_mb") as caught:
        server.get("/notes", {"id": "a"})

    assert "hunter2" not in str(caught.value)
    assert endless.sent[0] < SLACK


def test_a_forum_that_is_too_large_does_not_cost_the_others(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWSCORE_MAX_PAGE_MB", "0.03")
    openreview.mishaps = [(200, json.dumps({"notes": [{"id": "a" * 40_000}]}).encode(), JSON)]

    ended = fetch("Sub18", "SubN24", "-o", tmp_path / "data", "--no-pdfs")

    assert ended.exit_code == 3
    assert "no forum Sub18: the answer of 127.0.0.1 is larger than the 0.03 MB" in ended.stderr
    assert [one["paper_id"] for one in lines(tmp_path / "data" / "papers.jsonl")] == ["SubN24"]
    assert list(json.loads((tmp_path / "data" / "fetch.json").read_text())["failed"]) == ["Sub18"]


def test_a_page_of_a_list_that_is_too_large_comes_in_parts_and_one_forum_is_left_out(
    openreview: Replay, fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openreview.extra = more(6)
    fetch(VENUE, "-o", tmp_path / "whole", "--no-pdfs")
    names = [one["paper_id"] for one in lines(tmp_path / "whole" / "papers.jsonl")]
    large = openreview.extra[2]
    large["content"]["abstract"] = {"value": "a" * 50_000}
    monkeypatch.setenv("REVIEWSCORE_MAX_PAGE_MB", "0.04")
    openreview.without_details = True

    ended = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")
    again = fetch(VENUE, "-o", tmp_path / "data", "--no-pdfs")

    assert (ended.exit_code, again.exit_code) == (3, 3)
    assert f"no forum {large['id']}: the answer of 127.0.0.1 is larger" in ended.stderr
    assert f"no forum {large['id']}: the answer of 127.0.0.1 is larger" in again.stderr
    papers = lines(tmp_path / "data" / "papers.jsonl")
    assert [one["paper_id"] for one in papers] == [one for one in names if one != large["id"]]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("what", ["notes", "pdf"])
def test_no_redirect_to_another_host_is_followed(
    openreview: Replay, fetch: Invoke, tmp_path: Path, status: int, what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OPENREVIEW_TOKEN", "planted-token")
    with replaying() as elsewhere:
        away = (status, b"", {"Location": f"{elsewhere.url}/v1/{what}?id=Sub18"})
        if what == "notes":
            openreview.mishaps = [away]
        else:
            openreview.pdf = lambda _: away

        ended = fetch("Sub18", "-o", tmp_path / "data", "--api", "1")

        assert elsewhere.asked == []
    assert ended.exit_code == (4 if what == "notes" else 3)
    assert "none of OpenReview's own hosts" in ended.stderr
    assert "planted-token" not in ended.stderr


@pytest.mark.parametrize("target", ["http://[::1", "http://[", "//[x]:y/"])
def test_a_redirect_to_what_is_no_address_is_not_followed(serve: Serve, target: str) -> None:
    server = serve(Endless(b"", status=302, headers={"Location": target}))

    with pytest.raises(StopError, match="none of OpenReview's own hosts"):
        server.get("/notes", {"id": "a"})


def test_a_redirect_to_the_other_of_its_own_hosts_is_followed(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    openreview.mishaps = [(302, b"", {"Location": f"{openreview.url}/v1/notes?id=Sub18"})]

    ended = fetch("Sub18", "-o", tmp_path / "data", "--no-pdfs", "--api", "1")

    assert ended.exit_code == 0, ended.stderr


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("https://api.openreview.net/notes", True),
        ("https://openreview.net/pdf?id=a", True),
        ("http://127.0.0.1:8080/v2/pdf", True),
        ("http://openreview.net/pdf", False),
        ("https://openreview.net:8443/pdf", False),
        ("https://openreview.net.evil.org/pdf", False),
        ("https://evilopenreview.net/pdf", False),
        ("https://openreview.net@evil.org/pdf", False),
        ("https://evil.org\\.openreview.net/pdf", False),
        ("https://evil.org%2F.openreview.net/pdf", False),
        ("//openreview.net/pdf", False),
        ("https://evil.org/openreview.net", False),
        ("http://127.0.0.1:8081/", False),
        ("https://127.0.0.1:8080/", False),
        ("http://[::1", False),
        ("file:///etc/passwd", False),
    ],
)
def test_whose_host_it_is(address: str, own: bool) -> None:
    assert is_own(address, ("http://127.0.0.1:8080/v2",)) is own


def test_an_answer_that_drips_ends(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewscore.sources.openreview.transport._LONGEST", 0.3)
    server = serve(Endless(drip=0.05, most=200))

    with pytest.raises(StopError, match="had not come whole"):
        server.get("/notes", {"id": "a"})


LONG = "a" * 5000


def test_an_id_that_is_none_is_its_own_failure_and_breaks_no_later_fetch(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    ended = fetch("Sub18", LONG, "a b", "x\x00y", "-o", tmp_path / "data")
    alone = fetch(LONG, "-o", tmp_path / "other")
    again = fetch("Sub18", "-o", tmp_path / "data")

    assert ended.exit_code == 3
    assert f"no forum {'a' * 40}.. (5,000 characters): is no id of a forum" in ended.stderr
    assert "no forum a b: is no id" in ended.stderr
    assert "1 paper" in ended.stdout
    assert alone.exit_code == 2
    assert "give what stands after ?id=" in alone.stderr
    assert again.exit_code == 0, again.stderr
    assert all(query.get("id") != LONG for _, query in openreview.asked)


def test_a_folder_that_holds_such_an_id_already_can_be_gone_on_with(
    openreview: Replay, fetch: Invoke, tmp_path: Path
) -> None:
    fetch("Sub18", "-o", tmp_path / "data")
    threads = tmp_path / "data" / "raw" / "threads.jsonl"
    line = json.loads(threads.read_text().splitlines()[0])
    line["note"] |= {"id": LONG, "forum": LONG}
    with threads.open("a") as file:
        file.write(json.dumps(line) + "\n")

    ended = fetch("SubN24", "-o", tmp_path / "data")

    assert ended.exit_code == 3, ended.stderr
    assert "its id cannot be a file name" in ended.stderr
    assert "3 papers" in ended.stdout


@pytest.mark.parametrize("name", ["reviews.csv", "data/reviews.xlsx", "R.PARQUET"])
def test_a_table_is_not_taken_for_a_venue(
    openreview: Replay, fetch: Invoke, tmp_path: Path, name: str
) -> None:
    ended = fetch(name, "-o", tmp_path / "data")

    assert ended.exit_code == 2
    assert f"type reviewscore fetch --from-table {name} -o FOLDER" in ended.stderr
    assert openreview.asked == []
    assert not (tmp_path / "data").exists()


def test_notes_are_not_taken_for_a_venue(fetch: Invoke, tmp_path: Path) -> None:
    assert "--from-export notes.jsonl" in fetch("notes.jsonl", "-o", tmp_path / "data").stderr


def test_after_a_plain_install_the_way_to_fetch_is_said(
    fetch: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "requests", None)
    monkeypatch.setattr(servers, "find_spec", lambda name: None)

    for names in ((VENUE,), ("Sub18",)):
        ended = fetch(*names, "-o", tmp_path / "data")
        assert ended.exit_code == 2
        assert "type pip install '.[openreview]'" in ended.stderr
    assert not (tmp_path / "data").exists()
    with pytest.raises(SettingsError):
        servers.check_installed()


def test_a_damaged_answer_is_named(serve: Serve) -> None:
    server = serve(Endless(b"no gzip", headers={"Content-Encoding": "gzip"}))

    with pytest.raises(StopError, match="its gzip is damaged"):
        server.get("/notes", {"id": "a"})
    with pytest.raises(UnusableError, match="its gzip is damaged"):
        server.file("/pdf", {"id": "a"}, lambda pieces: list(pieces) and None)
    assert pdf().startswith(PDF[:5])
