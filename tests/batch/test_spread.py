"""Runs on workers, by a crew of one that works in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewscore.batch import Outcome, account, audit, spread
from reviewscore.batch.far import Bench, PaperTask, Told, score_paper
from reviewscore.config import resolve
from reviewscore.engine.crew import FailedError
from reviewscore.engine.worker import Blueprint
from reviewscore.errors import ReviewScoreError
from reviewscore.llm.connect import RunContext
from reviewscore.sources.files import read_collection
from tests.conftest import ROOT
from tests.loopback import Loopback
from tests.mishaps import sometimes


class Here:
    """Does all work itself; implements what a run needs of `engine.crew.Crew`."""

    size = 1

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    async def do(
        self, function: Callable[..., Awaitable[Any]], *args: object, alone: bool = False
    ) -> Any:
        try:
            return await function(self._bench, *args)
        except ReviewScoreError:
            raise
        except Exception as error:
            raise FailedError(f"{type(error).__name__}: {error}") from error


@asynccontextmanager
async def _open(blueprint: Blueprint, *_: object, **__: object) -> AsyncIterator[Here]:
    async with blueprint(RunContext()) as bench:
        yield Here(bench)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "open_crew", _open)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two papers, with the example's reviews each."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("papers", "reviews"):
        lines = (ROOT / "examples" / f"{name}.jsonl").read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        for row in list(rows):
            other = {**row, "paper_id": "other"}
            if name == "reviews":
                other["review_id"] = f"other-{row['review_id']}"
            rows.append(other)
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return folder


def run(data: Path, out: Path, *, retry_errors: bool = False, **flags: object) -> Outcome:
    return audit(read_collection(data), out, resolve(flags), retry_errors=retry_errors)


def points(out: Path) -> list[bytes]:
    return sorted((out / "points.jsonl").read_bytes().splitlines())


def test_a_paper_that_fails_for_no_known_reason_is_an_error_and_the_others_go_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run(data, tmp_path / "alone")

    async def odd(bench: Bench, task: PaperTask) -> Told:
        if task.paper_id == "other":
            raise KeyError("odd")
        return await score_paper(bench, task)

    monkeypatch.setattr(spread, "score_paper", odd)
    outcome = run(data, tmp_path / "ray", engine="ray")
    assert outcome.failed == alone.manifest.counts.reviews / 2
    assert "KeyError: 'odd'" in (tmp_path / "ray" / "errors.jsonl").read_text("utf-8")
    assert 0 < len(points(tmp_path / "ray")) < len(points(tmp_path / "alone"))

    monkeypatch.setattr(spread, "score_paper", score_paper)
    assert run(data, tmp_path / "ray", engine="ray").failed == 0
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def test_shards_of_a_run_that_began_on_one_process_lose_no_point(
    data: Path, tmp_path: Path
) -> None:
    run(data, tmp_path / "alone")
    first = json.loads(points(tmp_path / "alone")[0])["point_id"]
    run(data, tmp_path / "mixed", point=(first,))
    run(data, tmp_path / "mixed", engine="ray")
    assert points(tmp_path / "mixed") == points(tmp_path / "alone")

    store = str(tmp_path / "mixed" / "shards")
    run(data, tmp_path / "new", engine="ray", store=store)
    assert points(tmp_path / "new") == points(tmp_path / "alone")


def test_what_failed_is_tried_again_when_asked(data: Path, tmp_path: Path) -> None:
    server = Loopback().start()
    flags = {"model": "openai/loop", "base_url": server.url, "max_retries": 0}
    run(data, tmp_path / "alone", cache=False, **flags)
    server.mishap = sometimes(1.0, kinds=("server_error",), most=99)
    assert run(data, tmp_path / "ray", engine="ray", **flags).failed > 0
    server.mishap = None

    outcome = run(data, tmp_path / "ray", retry_errors=True, engine="ray", **flags)

    server.stop()
    assert outcome.failed == 0
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def test_shards_of_an_early_version_are_taken_over_when_their_run_goes_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as early:  # it summed up more than what decides
        early.setattr(account, "sum_of", lambda _: "e" * 64)
        run(data, tmp_path / "ray", engine="ray", limit=1)

    outcome = run(data, tmp_path / "ray", engine="ray")

    run(data, tmp_path / "alone")
    assert outcome.manifest.decisive_sha256 == "e" * 64
    assert points(tmp_path / "ray") == points(tmp_path / "alone")
