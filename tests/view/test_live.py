"""A run that is watched while it is written, whoever began it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewscore.llm.client import Traffic
from reviewscore.runs.folder import ERRORS, MANIFEST, ErrorRecord
from reviewscore.runs.progress_file import PROGRESS, STALE, NotedProgress, RunProgress, progress_of
from reviewscore.runs.session import Quiet
from reviewscore.view import live
from reviewscore.view.live import live_state
from reviewscore.view.shelf import state_of
from tests.loopback import Loopback
from tests.view.owned_app import REVIEW, App, paper

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/enter/(\S+)")


class Held:
    """Holds a model's answers until they are let go, but for the first few."""

    def __init__(self, free: int = 0) -> None:
        self.go, self._free = threading.Event(), free

    async def __call__(self, *_: object) -> None:
        self._free -= 1
        while self._free < 0 and not self.go.is_set():
            await asyncio.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A paper and reviews, one argument in each."""
    data = tmp_path / "data"
    (data / "reviews").mkdir(parents=True)
    (data / "frogs.txt").write_text(paper()[1][1].decode(), "utf-8")
    for number in range(4):
        text = f"{REVIEW}\nQuestions:\n- How many ponds did biologist {number} visit?\n"
        (data / "reviews" / f"R{number}.txt").write_text(text, "utf-8")
    return data


@contextmanager
def auditing(data: Path, run: Path, loopback: Loopback, *more: str) -> Iterator[Any]:
    """An audit at a terminal of its own."""
    command = [
        *(sys.executable, "-m", "reviewscore", "audit", f"--paper={data / 'frogs.txt'}"),
        *(f"--review={data / 'reviews'}", "-o", str(run), "--model", "openai/scripted"),
        *("--base-url", loopback.url, "--max-connections", "1", *more),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def key_of(app: App, run: Path) -> str:
    """What links call a run that has just been made."""
    shelved = app.runs.shelf.at(run)
    assert shelved is not None
    return shelved.key


def events(port: int, path: str, cookie: str) -> Iterator[dict[str, Any]]:
    """The states that a stream of events tells, until it says that it ends."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Cookie": cookie})
    stream = connection.getresponse()
    assert stream.status == 200, stream.read()
    for line in stream:
        if line == b"event: end\n":
            break
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))
    connection.close()


def entered(port: int, key: str) -> str:
    """The cookie of whoever opens an address."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/enter/{key}")
    cookie = connection.getresponse().headers["set-cookie"].partition(";")[0]
    connection.close()
    return cookie


def link_of(port: int, cookie: str) -> str:
    """Where the only run is shown."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/", headers={"Cookie": cookie})
    found = connection.getresponse().headers["location"]
    connection.close()
    return found


def test_audit_with_view_opens_the_app_which_tells_of_points_as_they_come(
    folder: Path, tmp_path: Path, loopback: Loopback
) -> None:
    held = Held(free=6)
    loopback.mishap = held  # type: ignore[assignment] # it spoils nothing

    with auditing(folder, tmp_path / "run", loopback, "--view") as audit:
        said = ""
        while not (found := ADDRESS.search(said)):
            said += audit.stderr.readline().decode()
        port, cookie = int(found[1]), entered(int(found[1]), found[2])
        seen = []
        for state in events(port, f"{link_of(port, cookie)}/live", cookie):
            seen.append(state)
            if "of about" in state["lines"][0]:
                held.go.set()
        while "Ctrl-C ends it" not in said:
            said += audit.stderr.readline().decode()
        again = list(events(port, f"{link_of(port, cookie)}/live", cookie))
        audit.send_signal(signal.SIGINT)
        code = audit.wait(60)

    assert code == 0
    assert (seen[0]["state"], seen[-1]["state"]) == ("being written", "finished")
    assert seen[-1]["newest"][0]["link"].startswith("/run/run-")
    assert [state["state"] for state in again] == ["finished"]
    with pytest.raises(OSError):
        entered(port, "gone")


def test_an_app_that_is_ended_stops_the_audits_it_began(app: App, loopback: Loopback) -> None:
    held = Held()
    loopback.mishap = held  # type: ignore[assignment]
    judge = {"judge": "other", "model": "openai/scripted", "base_url": loopback.url}
    name = app.send([paper()], pasted=REVIEW, **judge).url.path.rpartition("/")[2]
    app.until(name, "ready")
    app.post(f"/new/{name}", act="start")
    while not loopback.under_way:
        time.sleep(0.02)
    threading.Timer(0.5, held.go.set).start()

    stopped = app.view.jobs.close()

    job = app.view.jobs.get(name)
    assert stopped == 1
    assert not job.busy
    app.until(name, "stopped")


def test_a_run_says_how_far_it_is_what_it_cost_and_what_failed(app: App) -> None:
    name = app.send([paper()], pasted=REVIEW).url.path.rpartition("/")[2]
    app.until(name, "ready")
    app.post(f"/new/{name}", act="start")
    app.until(name, "done")
    run = app.view.jobs.get(name).run
    opened = app.runs.get(key_of(app, run))
    manifest = opened.manifest
    growing = manifest.model_copy(update={"growing": True, "complete": False})
    (run / MANIFEST).write_text(growing.model_dump_json(), "utf-8")
    known = RunProgress(expected=8, done=2, seconds=30.0, calls=5, reused=1, usd=0.25)
    (run / PROGRESS).write_text(known.model_dump_json(), "utf-8")
    fault = ErrorRecord(what="review", review_id="R9", kind="X", message=f"{run}/x <b> is odd")
    (run / ERRORS).write_text(f'{fault.model_dump_json()}\n{{"half', "utf-8")

    state = live_state(opened)
    page = app.client.get(f"/run/{opened.key}").text
    long_ago = time.time() - 2 * STALE
    os.utime(run / PROGRESS, (long_ago, long_ago))

    assert state.share == 0.25
    assert state.lines == (
        "2 of about 8 points (25%)",
        "4 points a minute, about 1 min 30 s left",
        "$0.25 spent; 5 calls made, 1 found in the ledger",
    )
    assert state.errors == ("R9: run/x <b> is odd",)
    assert "run/x &lt;b&gt; is odd" in page
    assert 'data-live="/run/' in page
    assert progress_of(run) is None
    assert state_of(run, growing) == "stopped"


def test_streams_are_few_and_not_for_everybody(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    name = app.send([paper()], pasted=REVIEW).url.path.rpartition("/")[2]
    app.until(name, "ready")
    app.post(f"/new/{name}", act="start")
    app.until(name, "done")
    address = f"/run/{key_of(app, app.view.jobs.get(name).run)}/live"
    allowed = app.client.get(address).status_code
    monkeypatch.setattr(live, "_MOST_STREAMS", 0)

    too_many = app.client.get(address)
    app.client.cookies.clear()

    assert (allowed, too_many.status_code) == (200, 503)
    assert app.client.get(address).status_code == 403


def test_calls_are_told_before_the_first_point_is_finished(tmp_path: Path) -> None:
    traffic = Traffic()
    with NotedProgress(Quiet(), tmp_path, 0) as noted:
        noted.follow(traffic)
        traffic.calls, traffic.reused = 3, 1
        noted.expect(8)
        known = progress_of(tmp_path)

    assert known == RunProgress(
        expected=8, calls=3, reused=1, seconds=known.seconds if known else 0
    )
