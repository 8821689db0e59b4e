"""Whatever goes wrong on the way, the finished run equals the undisturbed one."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import resolve
from reviewscore.llm import retry
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.runs.session import Outcome, Quiet
from reviewscore.sources.collection import read_collection
from tests.conftest import ROOT, THOROUGH
from tests.ledgers import column
from tests.loopback import Body, Loopback, completion
from tests.mishaps import KINDS, sometimes
from tests.runs.conftest import audited, command, environment, points, small_disk

EXAMPLES = ROOT / "examples"
KILLS = 100 if THOROUGH else 20


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between tries are as long as they are only for the sake of real servers."""
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.001)


def run(out: Path, server: Loopback, **flags: object) -> Outcome:
    return audited(EXAMPLES, out, server, cache=False, **flags)


@pytest.fixture
def undisturbed(tmp_path: Path, server: Loopback) -> Path:
    """A run in which nothing went wrong; of the same server, whose address is in the records."""
    out = tmp_path / "undisturbed"
    assert run(out, server).failed == 0
    server.served.clear()
    return out


@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
def test_a_run_with_failures_of_a_kind_equals_the_undisturbed_one(
    kind: str, undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    server.mishap = sometimes(0.3, kinds=KINDS if kind == "mixed" else (kind,), most=8)

    outcome = run(tmp_path / "run", server, max_connections=16)

    assert outcome.failed == 0
    assert outcome.manifest.complete
    assert points(tmp_path / "run") == points(undisturbed)
    assert max(server.served.values()) == 1  # each reply was read at once
    assert outcome.manifest.spending.calls == len(server.served)


@pytest.mark.parametrize(
    ("share", "kind", "most", "flags"),
    [
        (1.0, "too_often", 8, {"max_retries": 0}),  # a storm is weathered however long it is
        (0.1, "slow", 1, {"timeout": 0.5}),
    ],
)
def test_storms_of_429s_and_replies_that_take_too_long_do_no_harm(
    undisturbed: Path, server: Loopback, tmp_path: Path,
    share: float, kind: str, most: int, flags: dict[str, float],
) -> None:  # fmt: skip
    server.mishap = sometimes(share, kinds=(kind,), most=most)

    outcome = run(tmp_path / "run", server, max_connections=32, **flags)

    assert outcome.failed == 0
    assert points(tmp_path / "run") == points(undisturbed)


BAD_TEXTS = {
    "malformed JSON": '{"reasoning": "because',
    "JSON of the wrong shape": '{"verdict": [1, 2, {}]}',
    "nothing": "",
    "ten megabytes": "{" * 10_000_000,
    "a page": "<html>please log in</html>",
}


@pytest.mark.parametrize("what", BAD_TEXTS)
def test_a_reply_that_is_no_answer_is_asked_for_again(
    what: str, undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        messages = body["messages"]
        assert isinstance(messages, list)
        if len(messages) > 2 or hash_of(body) % (16 if what == "ten megabytes" else 4):
            return None
        return web.json_response(completion(BAD_TEXTS[what], key="k" * 16, size=40))

    server.quirk = quirk

    outcome = run(tmp_path / "run", server)

    assert outcome.failed == 0
    assert judged(tmp_path / "run") == judged(undisturbed)


def hash_of(body: Body) -> int:
    return sum(json.dumps(body["messages"]).encode())


def judged(out: Path) -> list[tuple[object, ...]]:
    """What was found out, whichever call it came from."""
    return sorted(
        (one.point_id, str(one.type), str(one.status), one.base, str(one.advanced), one.misinformed)
        for one in read_points(out)
    )


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"prompt_tokens": -5, "completion_tokens": 10**12, "total_tokens": 0},
        {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8,
         "prompt_tokens_details": {"cached_tokens": 999}},
    ],
)  # fmt: skip
def test_wrong_token_counts_change_no_verdict_and_no_sum_below_zero(
    usage: object, undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    whole = server.answer

    def answer(body: Body) -> web.Response:
        response = whole(body)
        assert isinstance(response.text, str)
        content = json.loads(response.text)
        content["usage"] = usage
        return web.json_response(content)

    server.answer = answer  # type: ignore[method-assign]

    outcome = run(tmp_path / "run", server)

    spent = outcome.manifest.spending
    assert judged(tmp_path / "run") == judged(undisturbed)
    assert 0 <= spent.cached_tokens <= spent.input_tokens
    assert spent.output_tokens >= 0


def test_a_clock_that_jumps_changes_nothing(
    undisturbed: Path, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, real = random.Random(1), time.time
    monkeypatch.setattr(time, "time", lambda: real() + rng.uniform(-1e6, 1e6))
    server.mishap = sometimes(0.3, kinds=("too_often", "server_error"), most=8)

    outcome = run(tmp_path / "run", server)

    assert outcome.failed == 0
    assert points(tmp_path / "run") == points(undisturbed)
    assert all(seconds >= 0 for _, seconds in outcome.manifest.times)


def test_a_server_whose_name_is_not_known_stops_the_run_and_loses_nothing(
    undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    flags = {
        "model": "openai/loopback",
        "base_url": "http://no-such-host.invalid/v1",
        "confidentiality": "provider",
        "cache": False,
    }

    outcome = audit(
        read_collection(EXAMPLES), out, resolve({**flags, "max_retries": 1, "max_connections": 2})
    )

    assert outcome.stopped is not None
    assert "cannot be reached" in outcome.stopped
    assert not outcome.manifest.complete
    assert not (out / "points.jsonl").read_bytes()
    assert run(out, server).failed == 0  # the folder was not spoilt
    assert points(out) == points(undisturbed)


class Listener(Quiet):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, sentence: str) -> None:
        self.heard.append(sentence)


def test_a_server_that_cannot_be_reached_is_told_at_once_and_stops_the_run(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    flags = {"model": "openai/loopback", "base_url": url, "max_retries": 3}
    listener = Listener()

    outcome = audit(read_collection(EXAMPLES), tmp_path / "run", resolve(flags), progress=listener)

    first = next(one for one in listener.heard if "127.0.0.1:9" in one)
    assert "cannot be reached (connection refused" in first
    assert "trying again (1 of 2)" in first  # it is on this machine: waiting is of no use
    assert sum("trying again" in one for one in listener.heard) == 1  # not once a call
    stopped = outcome.stopped or ""
    assert f"{url} cannot be reached (connection refused" in stopped
    assert "start the model's server there" in stopped
    assert "timed out" not in stopped
    assert outcome.manifest.counts.reviews == 3  # all are counted


def test_a_full_disk_under_the_ledger_stops_the_run_which_then_goes_on(
    undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "run"

    stopped = subprocess.run(
        command(EXAMPLES, out, server.url),
        env=environment(),
        preexec_fn=small_disk(300_000),
        capture_output=True,
        text=True,
        check=False,
    )
    recorded = len(column(out, "key"))
    finished = subprocess.run(command(EXAMPLES, out, server.url), env=environment(), check=False)

    assert stopped.returncode == 4, stopped.stderr
    assert "run the same command again" in stopped.stderr
    assert 0 < recorded < len(column(out, "key"))
    assert finished.returncode == 0
    assert points(out) == points(undisturbed)


def test_two_processes_on_one_ledger_pay_each_call_once(
    undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    server.latency = 0.05
    server.mishap = sometimes(0.3, kinds=("server_error", "too_often"), most=8)
    own = environment(REVIEWSCORE_CACHE="yes", REVIEWSCORE_CACHE_DIR=str(tmp_path / "shared"))
    outs = [tmp_path / "one", tmp_path / "two"]

    running = [subprocess.Popen(command(EXAMPLES, out, server.url), env=own) for out in outs]
    codes = [process.wait(120) for process in running]

    assert codes == [0, 0]
    assert max(server.served.values()) == 1
    keys = column(tmp_path / "shared", "key")
    assert len(keys) == len(set(keys)) == len(server.served)
    for out in outs:
        assert points(out) == points(undisturbed)


@pytest.mark.slow
def test_a_run_killed_at_many_random_instants_equals_the_undisturbed_one(
    undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    rng, out, connections, kills = random.Random(7), tmp_path / "run", 2, 0
    server.latency = 0.25
    line = command(EXAMPLES, out, server.url, "--max-connections", str(connections))
    for _ in range(KILLS):
        process = subprocess.Popen(line, env=environment())
        before = sum(server.tries.values()) + sum(server.served.values())
        while process.poll() is None and sum(server.served.values()) == before:
            time.sleep(0.005)
            if time.sleep(rng.uniform(0, 0.03)) is None and rng.random() < 0.02:
                break  # now and then even before its first reply
        time.sleep(rng.uniform(0, 0.5))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    server.latency = 0.0
    subprocess.run(line, env=environment(), check=True)

    keys = column(out, "key")
    assert kills >= KILLS / 2
    assert len(keys) == len(set(keys)) == read_manifest(out).spending.calls
    assert sum(server.served.values()) <= len(keys) + kills * connections
    assert points(out) == points(undisturbed)


QUICK = """
import functools, sys
import reviewscore.llm.batch_jobs as batches
from reviewscore.cli.main import main
batches.Patience = functools.partial(batches.Patience, first=0.05, most=0.1)
main(sys.argv[1:])
"""


def test_a_run_killed_while_its_jobs_are_under_way_finds_them_again(
    undisturbed: Path, server: Loopback, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    line = [sys.executable, "-c", QUICK, *command(EXAMPLES, out, server.url, "--batch")[3:]]
    for jobs in (1, 3):
        server.jobs.looks = 1 if jobs > 1 else 10_000  # a job before the one it dies with ends
        process = subprocess.Popen(line, env=environment())
        while len(server.jobs.made) < jobs:
            assert process.poll() is None
            time.sleep(0.01)
        server.jobs.looks = 10_000
        process.send_signal(signal.SIGKILL)
        process.wait()
    server.jobs.looks = 1

    subprocess.run(line, env=environment(), check=True)

    handed_over = [key for _, _, keys in server.jobs.made for key in keys]
    assert len(handed_over) == len(set(handed_over))
    assert judged(out) == judged(undisturbed)
    spent = read_manifest(out).spending
    assert spent.calls == spent.batched == len(handed_over)
