"""Batch jobs are neither lost nor paid twice, whatever happens on the way to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.errors import StopError
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger import database
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.provider import SentRequest
from reviewscore.schema.call import Completion
from tests.loopback import Loopback
from tests.sessions import (
    MODELS,
    QUICK,
    Session,
    asked_once,
    change,
    failures,
    forget_ids,
    interrupted,
    request,
    sizes,
    three,
    until,
)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "breaks",
    [
        *({"results": [kind, kind]} for kind in ("reset", "half", "server_error")),
        {"create": ["late"]},  # its answer is lost
        {"create": ["reset", "too_often", "server_error"]},
        {"state": ["gone", "gone"]},  # for a moment
    ],
    ids=str,
)
async def test_what_fails_between_a_session_and_its_job_is_tried_again(
    server: Loopback, tmp_path: Path, model: str, breaks: dict[str, list[str]]
) -> None:
    server.jobs.breaks = breaks

    replies, session = await asked_once(tmp_path, server, *three(model))

    assert failures(replies) == []
    assert sizes(server) == [3]
    assert (session.paid.calls, session.paid.doubtful) == (3, 0)


ENDLESS = ["server_error"] * (QUICK.failures + 1)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        ({"results": ENDLESS}, "run the same command again"),
        ({"create": ["late"], "list": ENDLESS}, ""),  # it may have been handed over
    ],
)
async def test_a_job_that_cannot_be_reached_waits_for_the_next_session(
    server: Loopback, tmp_path: Path, model: str, breaks: dict[str, list[str]], words: str
) -> None:
    server.jobs.breaks = {name: [*kinds] for name, kinds in breaks.items()}

    stopped, _ = await asked_once(tmp_path, server, *three(model))
    replies, _ = await asked_once(tmp_path, server, *three(model))

    assert all(words in str(one) for one in stopped)
    assert all(isinstance(one, StopError) for one in stopped)
    assert failures(replies) == []
    assert sizes(server) == [3]


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_of_unknown_id_is_looked_for_until_the_provider_answers(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    await interrupted(tmp_path, server, *three(model))
    forget_ids(tmp_path)
    server.jobs.breaks["list"] = ["reset", "server_error"]

    replies, _ = await asked_once(tmp_path, server, *three(model))

    assert failures(replies) == []
    assert sizes(server) == [3]


async def test_a_refreshing_run_that_was_interrupted_finds_its_job_again(
    server: Loopback, tmp_path: Path
) -> None:
    await asked_once(tmp_path, server, request(0))
    await interrupted(tmp_path, server, request(0), run="two", fresh=True)

    third = Session(tmp_path, server, run="two", fresh=True)
    left = await third.book.open()
    replies = await third.ask(request(0))
    paid = await third.ledger.paid()
    await third.close()

    assert len(left) == 1
    assert failures(replies) == []
    assert sizes(server) == [1, 1]
    assert paid.calls == 1


@pytest.mark.parametrize("run", ["one", "two"])
async def test_a_recorded_reply_closes_the_job_that_it_came_from(
    server: Loopback, tmp_path: Path, run: str
) -> None:
    await interrupted(tmp_path, server, request(0))

    (reply,), _ = await asked_once(tmp_path, server, request(0), run=run)

    later = Session(tmp_path, server)
    left = await later.book.open()
    await later.close()

    assert isinstance(reply, Completion)
    assert reply.job == server.jobs.made[0][0]
    assert left == ()


async def test_a_second_model_leaves_the_job_alone_that_is_just_being_handed_over(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewscore.llm.batch_jobs.Patience", lambda: QUICK)
    settings = resolve({"model": "openai/x", "panel": ("openai/y",), "base_url": server.url,
                        "batch": True}).settings  # fmt: skip
    ledger = Ledger(tmp_path, run="one")
    client = await connect(settings, ledger)
    server.jobs.breaks["upload"] = ["slow"]
    first = asyncio.create_task(client.complete(request(0), stage="s"))
    await asyncio.sleep(0.5)

    second = asyncio.create_task(client.complete(request(0, model="openai/y"), stage="s"))
    await asyncio.gather(first, second)
    await client.close()
    ledger.close()

    assert client.provider_of("openai/x") is client.provider_of("openai/y")
    assert sizes(server) == [1, 1]


@pytest.mark.parametrize("model", MODELS)
async def test_two_sessions_side_by_side_pay_an_equal_request_once(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    server.jobs.looks = 20
    first, second = Session(tmp_path, server, model), Session(tmp_path, server, model, run="two")

    asked = [request(number, model=model) for number in range(2)]
    replies = await asyncio.gather(first.ask(*asked), second.ask(*asked))
    await first.close()
    await second.close()

    assert failures([*replies[0], *replies[1]]) == []
    assert sum(sizes(server)) == 2
    assert any("another session" in one for one in first.said + second.said)


Replies = asyncio.Task[list[object]]
SideBySide = tuple[Session, Replies, Session, Replies]


@pytest.fixture
async def side_by_side(server: Loopback, tmp_path: Path) -> AsyncIterator[SideBySide]:
    """A session whose job is under way, and another that waits for it."""
    server.jobs.looks = 1000
    first, second = Session(tmp_path, server), Session(tmp_path, server, run="two")
    one = asyncio.create_task(first.ask(request(0)))
    await until(lambda: bool(server.jobs.made))
    other = asyncio.create_task(second.ask(request(0)))
    await until(lambda: bool(second.said))
    yield first, one, second, other
    await second.close()


async def test_a_session_that_waits_for_another_takes_its_jobs_up_when_it_is_stopped(
    server: Loopback, side_by_side: SideBySide
) -> None:
    first, one, _, other = side_by_side
    first.client.stop()
    await one
    await first.close()
    server.jobs.looks = 1

    assert failures(await other) == []
    assert sizes(server) == [1]


async def test_a_session_waiting_for_another_can_be_stopped(side_by_side: SideBySide) -> None:
    first, one, second, other = side_by_side
    second.client.stop()
    (stopped,) = await other
    first.client.stop()
    await one
    await first.close()

    assert isinstance(stopped, StopError)


async def test_jobs_of_a_session_not_heard_of_for_long_are_taken_up(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await interrupted(tmp_path, server, request(0))
    change(tmp_path, "UPDATE jobs SET owner = 'another-computer/1/1'")
    monkeypatch.setattr(database, "_SILENT", 0.3)

    replies, _ = await asked_once(tmp_path, server, request(0))

    assert failures(replies) == []
    assert sizes(server) == [1]


async def test_signs_of_life_keep_jobs_from_being_taken_up(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_SILENT", 0.2)
    first, second = Session(tmp_path, server), Session(tmp_path, server)
    await first.book.announce("one", {"k": SentRequest("openai/x")}, since=0.0)

    await first.book.keep()
    kept = await second.book.take_up()
    await asyncio.sleep(0.3)
    silent = await second.book.take_up()
    await first.close()
    await second.close()

    assert kept == ()
    assert [job.label for job in silent] == ["one"]


async def foreign(server: Loopback, size: int) -> None:
    """Hand over a batch that is none of ours."""
    stranger = Session(Path("stranger"), server, "anthropic/x")
    lines = [stranger.api.line(f"{number:064x}", request(0)).text for number in range(size)]
    await stranger.api.submit(lines, label="")
    await stranger.close()


@pytest.mark.parametrize("size", [3, 7])
@pytest.mark.parametrize("handed_over", [True, False])
async def test_an_anthropic_batch_is_told_from_those_of_others(
    server: Loopback, tmp_path: Path, size: int, handed_over: bool
) -> None:
    server.jobs.looks = 8
    await foreign(server, size)
    server.jobs.breaks["create"] = ["late" if handed_over else "reset"]

    replies, session = await asked_once(tmp_path, server, *three("anthropic/x"))

    assert failures(replies) == []
    assert sizes(server) == [size, 3]
    if not handed_over:
        assert ("waiting until that one has ended" in " ".join(session.said)) == (size == 3)
        assert not any("msgbatch_0" in one for one in session.said)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("asked", ["state", "results"])
async def test_requests_of_a_job_that_the_provider_no_longer_has_go_anew(
    server: Loopback, tmp_path: Path, model: str, asked: str
) -> None:
    await interrupted(tmp_path, server, *three(model))
    server.jobs.breaks[asked] = ["gone"] * 3

    replies, session = await asked_once(tmp_path, server, *three(model))

    assert failures(replies) == []
    assert sizes(server) == [3, 3]
    assert session.paid.doubtful > 0
    assert len(session.left) == 1
    assert "no longer at the provider" in " ".join(session.said)
