"""Runs on workers, by a pool of one that works in this process, and what a worker writes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewscore.config import Settings, resolve
from reviewscore.errors import InputError, ReviewScoreError, SettingsError
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.llm.connect import RunContext
from reviewscore.runs import audit as module
from reviewscore.runs import scoring_on_ray
from reviewscore.runs.ray_pool import FailedError, WorkerSetup
from reviewscore.runs.scoring_on_ray import (
    PaperReply,
    PaperTask,
    ScoringContext,
    ScoringOrders,
    open_context,
    score_paper,
)
from reviewscore.runs.shards import Shard, Shards
from reviewscore.schema.point_score import Status
from reviewscore.sources.collection import Collection, read_collection
from tests.conftest import ROOT
from tests.fake_fastembed import FakeFastembed, write_encoder
from tests.loopback import Loopback, contents
from tests.mishaps import sometimes
from tests.runs.conftest import WEAKNESSES, audited, examples, frogs, points
from tests.sources.test_shown_papers import paged


class Here:
    """Does all work itself; implements what a run needs of `runs.ray_pool.WorkerPool`."""

    size = 1

    def __init__(self, context: ScoringContext) -> None:
        self._context = context

    async def do(
        self, function: Callable[..., Awaitable[Any]], *args: object, alone: bool = False
    ) -> Any:
        try:
            return await function(self._context, *args)
        except ReviewScoreError:
            raise
        except Exception as error:
            raise FailedError(f"{type(error).__name__}: {error}") from error


@asynccontextmanager
async def _open(setup: WorkerSetup, *_: object, **__: object) -> AsyncIterator[Here]:
    async with setup(RunContext()) as context:
        yield Here(context)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring_on_ray, "open_pool", _open)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two papers, with the example's reviews each."""
    return examples(tmp_path / "data", 2)


def test_a_paper_that_fails_for_no_known_reason_is_an_error_and_the_others_go_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = audited(data, tmp_path / "alone")

    async def odd(context: ScoringContext, task: PaperTask) -> PaperReply:
        if task.paper_id == "paper/1":
            raise KeyError("odd")
        return await score_paper(context, task)

    monkeypatch.setattr(scoring_on_ray, "score_paper", odd)
    outcome = audited(data, tmp_path / "ray", engine="ray")
    assert outcome.failed == alone.manifest.counts.reviews / 2
    assert "KeyError: 'odd'" in (tmp_path / "ray" / "errors.jsonl").read_text("utf-8")
    assert 0 < len(points(tmp_path / "ray")) < len(points(tmp_path / "alone"))

    monkeypatch.setattr(scoring_on_ray, "score_paper", score_paper)
    assert audited(data, tmp_path / "ray", engine="ray").failed == 0
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def test_shards_of_a_run_that_began_on_one_process_lose_no_point(
    data: Path, tmp_path: Path
) -> None:
    audited(data, tmp_path / "alone")
    first = json.loads(points(tmp_path / "alone")[0])["point_id"]
    audited(data, tmp_path / "mixed", point=(first,))
    audited(data, tmp_path / "mixed", engine="ray")
    assert points(tmp_path / "mixed") == points(tmp_path / "alone")

    store = str(tmp_path / "mixed" / "shards")
    audited(data, tmp_path / "new", engine="ray", store=store)
    assert points(tmp_path / "new") == points(tmp_path / "alone")


def test_what_failed_is_tried_again_when_asked(
    data: Path, tmp_path: Path, server: Loopback
) -> None:
    flags = {"model": "openai/loop", "base_url": server.url, "max_retries": 0}
    audited(data, tmp_path / "alone", cache=False, **flags)
    server.mishap = sometimes(1.0, kinds=("server_error",), most=99)
    assert audited(data, tmp_path / "ray", engine="ray", **flags).failed > 0
    server.mishap = None

    outcome = audited(data, tmp_path / "ray", retry_errors=True, engine="ray", **flags)

    assert outcome.failed == 0
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def test_shards_of_an_early_version_are_taken_over_when_their_run_goes_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as early:  # it summed up more than what decides
        early.setattr(module, "sum_of", lambda _: "e" * 64)
        audited(data, tmp_path / "ray", engine="ray", limit=1)

    outcome = audited(data, tmp_path / "ray", engine="ray")

    audited(data, tmp_path / "alone")
    assert outcome.manifest.decisive_sha256 == "e" * 64
    assert points(tmp_path / "ray") == points(tmp_path / "alone")


def collection() -> Collection:
    return read_collection(ROOT / "examples")


def orders_of(out: Path, settings: Settings, judge_version: str | None) -> ScoringOrders:
    shards = str(out / "shards")
    return ScoringOrders(
        settings, out, "run", False, {}, shards, "d", None, judge_version=judge_version
    )


async def judged(
    out: Path, reviews: Sequence[int], done: Sequence[str] = (), *, point: Sequence[str] = ()
) -> Shard:
    """The shard after some reviews of the example were judged."""
    settings = resolve({"engine": "ray", "point": tuple(point)}).settings
    orders = orders_of(out, settings, LexicalJudges.version)
    found = collection()
    (paper_id,) = found.papers
    handle = found.papers[paper_id]
    assert handle.raw is not None
    task = PaperTask(
        paper_id,
        handle.title,
        handle.raw().packed(),
        tuple(found.reviews[one] for one in reviews),
        dict.fromkeys(done, Status.UNKNOWN),
    )
    async with open_context(orders, RunContext()) as context:
        assert (await score_paper(context, task)).finished
    shard = Shards(orders.store).read(paper_id)
    assert shard is not None
    return shard


async def test_a_worker_with_another_encoder_than_the_run_judges_nothing(tmp_path: Path) -> None:
    orders = orders_of(tmp_path, Settings(engine="ray"), "6 with mini 01234567")

    with pytest.raises(SettingsError, match=r"is version 6 on this machine.*6 with mini 01234567"):
        async with open_context(orders, RunContext()):
            pass


def test_a_run_on_workers_has_the_records_of_one_process(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeFastembed().install(monkeypatch)
    folder = write_encoder(tmp_path / "mini")

    audited(data, tmp_path / "ray", engine="ray", encoder=str(folder))
    audited(data, tmp_path / "alone", encoder=str(folder))

    assert points(tmp_path / "ray") == points(tmp_path / "alone")
    assert fake.loaded == [folder]


async def test_a_shard_keeps_what_it_has_of_reviews_that_are_not_asked_for(tmp_path: Path) -> None:
    both = await judged(tmp_path, (0, 1))
    again = await judged(tmp_path, (0,))

    assert again.whole
    assert again.reviews == both.reviews
    assert again.points == both.points
    assert sorted(one.point_id for one in again.scores) == sorted(
        one.point_id for one in both.scores
    )


async def test_a_shard_that_lacks_points_scored_elsewhere_is_not_whole(tmp_path: Path) -> None:
    alone = await judged(tmp_path / "alone", (0,))
    first, *others = (one.point_id for one in alone.scores)

    shard = await judged(tmp_path / "mixed", (0,), [first])
    assert not shard.whole
    assert [one.point_id for one in shard.scores] == others

    shard = await judged(tmp_path / "mixed", (0,), others)
    assert shard.whole
    assert {one.point_id for one in shard.scores} == {first, *others}


async def test_a_shard_of_chosen_points_is_whole_once_all_are_there(tmp_path: Path) -> None:
    alone = await judged(tmp_path / "alone", (0,))
    chosen = [one.point_id for one in alone.scores][:1]

    assert not (await judged(tmp_path / "one", (0,), point=chosen)).whole
    assert (await judged(tmp_path / "one", (0,), chosen)).whole


async def test_a_paper_that_changed_meanwhile_is_told_with_its_line(tmp_path: Path) -> None:
    for name in ("papers", "reviews"):
        text = (ROOT / "examples" / f"{name}.jsonl").read_text("utf-8")
        (tmp_path / f"{name}.jsonl").write_text(text, "utf-8")
    (handle,) = read_collection(tmp_path).papers.values()
    row = {"paper_id": handle.paper_id, "text": 7}
    (tmp_path / "papers.jsonl").write_text(json.dumps(row), "utf-8")
    assert handle.raw is not None

    with pytest.raises(InputError, match=r"papers\.jsonl:1: field 'text'"):
        handle.raw()


def test_workers_draw_the_pages_of_papers_that_travel_and_score_alike(
    tmp_path: Path, server: Loopback
) -> None:
    review = {"sections": {"weaknesses": WEAKNESSES}}
    folder = frogs(tmp_path / "paged", [review])
    paged(folder / "frogs.pdf")
    flags = {"paper_as": "pages", "protocol": "presupposition", "cache": False}

    audited(folder, tmp_path / "alone", server, **flags)
    asked = [contents(body) for body in server.bodies]
    server.bodies.clear()
    outcome = audited(folder, tmp_path / "ray", server, engine="ray", **flags)

    assert not outcome.failed
    assert points(tmp_path / "ray") == points(tmp_path / "alone")
    assert [contents(body) for body in server.bodies] == asked
    turn = server.bodies[-1]["messages"][1]  # type: ignore[index]
    assert [part["type"] for part in turn["content"]].count("image_url") == 4
