"""Audits on the workers of a Ray cluster equal those of one process, whatever is lost."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.cli.main import PARTLY
from reviewscore.config import resolve
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.runs import scoring_on_ray
from reviewscore.runs.audit import audit
from reviewscore.runs.session import Outcome
from reviewscore.sources.collection import read_collection, single
from tests.commands import invoker
from tests.conftest import ROOT
from tests.loopback import Body, Loopback
from tests.mishaps import KINDS, sometimes
from tests.quirks import complains
from tests.ray_cluster import cluster
from tests.runs.conftest import audited, examples, points, write_lines

pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
PAPERS = 8


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster(2) as found:
        yield found


@pytest.fixture(autouse=True)
def _on_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Several papers like the example's, one of them a PDF, with three reviews each."""
    folder = examples(tmp_path / "data", PAPERS)
    shutil.copy(ROOT / "examples" / "paper.pdf", folder / "one.pdf")
    first, *others = map(json.loads, (folder / "papers.jsonl").read_text("utf-8").splitlines())
    first = {"paper_id": first["paper_id"], "title": first["title"], "pdf": "one.pdf"}
    write_lines(folder / "papers.jsonl", [first, *others])
    return folder


def on_ray(data: Path, out: Path, **flags: object) -> Outcome:
    return audited(data, out, engine="ray", workers=2, **flags)


def asked(server: Loopback, **flags: object) -> dict[str, object]:
    return {"model": "openai/loop", "base_url": server.url, "max_connections": 16, **flags}


def command(data: Path, out: Path, *words: str) -> subprocess.Popen[bytes]:
    """The same as a user starts it."""
    line = ["-m", "reviewscore", "audit", data, "-o", out, "--engine", "ray", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, *map(str, line), *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def until(true: Callable[[], bool], *, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def workers() -> list[int]:
    """Processes of this cluster's workers; there may be other clusters on the machine."""
    ours, found = os.environ["RAY_AUTH_TOKEN"].encode(), []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::Worker" in one.read_bytes() and ours in one.with_name("environ").read_bytes():
                found.append(int(one.parent.name))
        except OSError:  # it has just ended
            continue
    return found


def test_the_records_are_those_of_one_process_and_a_second_session_finds_them(
    data: Path, tmp_path: Path
) -> None:
    alone = audited(data, tmp_path / "alone")
    before = on_ray(data, tmp_path / "ray", limit=4)  # one paper and the first review of another
    outcome = on_ray(data, tmp_path / "ray")

    assert points(tmp_path / "ray") == points(tmp_path / "alone")
    assert outcome.manifest.counts == alone.manifest.counts
    assert sorted(outcome.manifest.warnings) == sorted(alone.manifest.warnings)
    assert before.manifest.counts.papers == 2

    # The driver's machine is lost, and the store is not.
    store = str(tmp_path / "ray" / "shards")
    again = on_ray(data, tmp_path / "elsewhere", store=store)
    assert points(tmp_path / "elsewhere") == points(tmp_path / "alone")
    assert again.manifest.counts == alone.manifest.counts

    with pytest.raises(RunFolderError, match="made otherwise"):
        on_ray(data, tmp_path / "other", store=store, limitations=False)


def test_a_model_is_asked_once_whatever_fails_and_a_lost_worker_changes_nothing(
    data: Path, tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    audited(data, tmp_path / "alone", **asked(server, cache=False))
    undisturbed = dict(server.served)
    server.served.clear()
    server.most = 0
    server.mishap = sometimes(0.1, kinds=KINDS, most=2)
    server.latency = 0.05
    shards = tmp_path / "ray" / "shards"

    lost: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        until(lambda: ended.is_set() or len(list(shards.glob("*.parquet"))) >= 1)
        for worker in workers()[:1]:
            with suppress(ProcessLookupError):  # the run may have ended first
                os.kill(worker, signal.SIGKILL)
                lost.append(worker)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        outcome = on_ray(data, tmp_path / "ray", **asked(server))
    finally:
        ended.set()
        killer.join()

    assert lost, "the run ended before a worker of it could be killed"
    assert points(tmp_path / "ray") == points(tmp_path / "alone")
    assert server.served.keys() == undisturbed.keys()
    # What the lost worker had under way may have been asked again; nothing else.
    assert sum(server.served.values()) - len(server.served) <= 16
    assert outcome.manifest.spending.calls == len(server.served)
    assert server.most <= 16  # both workers together


def test_a_lost_driver_goes_on_where_it_was(data: Path, tmp_path: Path, server: Loopback) -> None:
    audited(data, tmp_path / "alone", **asked(server, cache=False))
    server.served.clear()
    server.latency = 0.05
    out = tmp_path / "ray"
    words = ["--model", "openai/loop", "--base-url", server.url, "--max-connections", "8"]
    dead = threading.Event()

    def some() -> bool:
        return len(list((out / "shards").glob("*.parquet"))) >= 2

    async def wait(request: web.Request, body: Body, seen: int) -> None:
        """Answer nobody from then on, however late we are to kill it."""
        while some() and not dead.is_set():
            await asyncio.sleep(0.02)

    server.mishap = wait
    first = command(data, out, *words)
    until(some)
    first.send_signal(signal.SIGKILL)
    first.wait()
    until(lambda: not workers())
    dead.set()
    answered = sum(server.served.values())
    assert answered < len(points(tmp_path / "alone")) * 10

    second = command(data, out, *words)
    assert second.wait(300) == 0

    assert points(out) == points(tmp_path / "alone")
    assert sum(server.served.values()) - len(server.served) <= 8


def test_the_cap_holds_for_all_workers_together(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'source = "mine"\ndate = "today"\n[models]\nloop = {input = 10, cached = 10, output = 10}\n'
    )
    flags = asked(server, prices=prices)

    outcome = on_ray(data, tmp_path / "ray", max_usd=0.7, **flags)

    assert outcome.stopped is not None
    assert "--max-usd" in outcome.stopped
    spent = outcome.manifest.spending.usd
    assert spent is not None
    assert 0 < spent <= 0.7
    assert not outcome.manifest.complete


def test_a_paper_that_kills_its_worker_is_given_up_and_the_others_are_not(
    data: Path, tmp_path: Path
) -> None:
    collection = read_collection(data)
    alone = audited(data, tmp_path / "alone")

    async def deadly(
        context: scoring_on_ray.ScoringContext, task: scoring_on_ray.PaperTask
    ) -> scoring_on_ray.PaperReply:
        if task.paper_id == "paper/3":
            os._exit(1)
        return await scoring_on_ray.score_paper(context, task)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scoring_on_ray, "score_paper", deadly)
        outcome = audit(collection, tmp_path / "ray", resolve({"engine": "ray", "workers": 2}))

    assert outcome.failed == 3  # its reviews
    assert "died each time" in (tmp_path / "ray" / "errors.jsonl").read_text("utf-8")
    left = [one for one in points(tmp_path / "alone") if b'"paper_id":"paper/3"' not in one]
    assert points(tmp_path / "ray") == left
    assert on_ray(data, tmp_path / "ray").manifest.counts == alone.manifest.counts
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def test_what_cannot_be_spread_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="reply at once"):
        on_ray(data, tmp_path / "x", model=f"exchange:{tmp_path}")
    pair = single(ROOT / "examples" / "paper.pdf", ROOT / "README.md")
    with pytest.raises(SettingsError, match="folders of many papers"):
        audit(pair, tmp_path / "x", resolve({"engine": "ray"}))
    with pytest.raises(SettingsError, match="--engine ray"):
        resolve({"workers": 2})


def test_questions_of_other_verbs_are_put_on_workers_with_the_same_texts(
    tmp_path: Path, server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    gem = invoker("gem", capsys)

    server.quirk = complains("no such model", 404, record="StatedReply")
    words = ["prepare", ROOT / "examples", "--model", "openai/loop", "--base-url", server.url]
    here = gem(*words, "-o", tmp_path / "here")
    there = gem(*words, "-o", tmp_path / "there", "--engine", "ray", "--workers", "2")

    assert here.exit_code == there.exit_code == PARTLY  # one answer never comes
    for name in ("reviews.jsonl", "synopses.jsonl"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    account = json.loads((tmp_path / "there" / "prepare.json").read_text("utf-8"))
    assert account["spending"]["reused"] == 3  # the workers found them in the ledger
    assert account["spending"]["calls"] == 0
