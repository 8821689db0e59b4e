"""Batch jobs are neither lost nor paid twice, whatever happens on the way to them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.errors import StopError
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger import database
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.provider import SentRequest
from reviewscore.schema.call import Completion
from tests.loopback import Loopback
from tests.sessions import (
    MODELS,
    QUICK,
    Session,
    failures,
    interrupted,
    request,
    sizes,
    three,
    until,
)

Asked = asyncio.Task[list[object]]


def forget_ids(folder: Path) -> None:
    """As if the program had been killed before it learned its jobs' ids."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("UPDATE jobs SET job = NULL")
        db.commit()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["reset", "half", "server_error"])
async def test_results_that_could_not_be_fetched_are_fetched_again(
    server: Loopback, tmp_path: Path, model: str, kind: str
) -> None:
    server.jobs.breaks["results"] = [kind, kind]
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    paid = await session.ledger.paid()
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3]
    assert (paid.calls, paid.doubtful) == (3, 0)


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_whose_results_cannot_be_fetched_waits_for_the_next_session(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    server.jobs.breaks["results"] = ["server_error"] * (QUICK.failures + 1)
    first = Session(tmp_path, server, model)
    stopped = await first.ask(*three(model))
    await first.close()

    second = Session(tmp_path, server, model)
    replies = await second.ask(*three(model))
    await second.close()

    assert all("run the same command again" in str(one) for one in stopped)
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
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3]


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_whose_hand_over_lost_its_answer_is_found(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    server.jobs.breaks["create"] = ["late"]
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    paid = await session.ledger.paid()
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3]
    assert paid.doubtful == 0


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_that_may_have_been_handed_over_stays_open_if_it_cannot_be_looked_for(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    server.jobs.breaks = {"create": ["late"], "list": ["server_error"] * (QUICK.failures + 1)}
    first = Session(tmp_path, server, model)
    stopped = await first.ask(*three(model))
    await first.close()

    second = Session(tmp_path, server, model)
    replies = await second.ask(*three(model))
    await second.close()

    assert all(isinstance(one, StopError) for one in stopped)
    assert failures(replies) == []
    assert sizes(server) == [3]


@pytest.mark.parametrize("model", MODELS)
async def test_a_hand_over_that_failed_is_made_again_with_the_same_requests(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    server.jobs.breaks["create"] = ["reset", "too_often", "server_error"]
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    paid = await session.ledger.paid()
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3]
    assert paid.doubtful == 0


async def test_a_refreshing_run_that_was_interrupted_finds_its_job_again(
    server: Loopback, tmp_path: Path
) -> None:
    first = Session(tmp_path, server)
    await first.ask(request(0))
    await first.close()
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
    session = Session(tmp_path, server, run=run)
    (reply,) = await session.ask(request(0))
    await session.close()

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


async def waiting_for_another(
    server: Loopback, folder: Path
) -> tuple[Session, Asked, Session, Asked]:
    """A session whose job does not end, and one that waits for its reply, each with its task."""
    server.jobs.looks = 1000
    first, second = Session(folder, server), Session(folder, server, run="two")
    one = asyncio.create_task(first.ask(request(0)))
    await until(lambda: bool(server.jobs.made))
    other = asyncio.create_task(second.ask(request(0)))
    await until(lambda: bool(second.said))
    return first, one, second, other


async def test_a_session_that_waits_for_another_takes_its_jobs_up_when_it_is_stopped(
    server: Loopback, tmp_path: Path
) -> None:
    first, one, second, other = await waiting_for_another(server, tmp_path)
    first.client.stop()
    await one
    await first.close()
    server.jobs.looks = 1

    replies = await other
    await second.close()

    assert failures(replies) == []
    assert sizes(server) == [1]


async def test_a_session_waiting_for_another_can_be_stopped(
    server: Loopback, tmp_path: Path
) -> None:
    first, one, second, other = await waiting_for_another(server, tmp_path)

    second.client.stop()
    (stopped,) = await other
    first.client.stop()
    await one
    await second.close()
    await first.close()

    assert isinstance(stopped, StopError)


async def test_jobs_of_a_session_not_heard_of_for_long_are_taken_up(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await interrupted(tmp_path, server, request(0))
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("UPDATE jobs SET owner = 'another-computer/1/1'")
        db.commit()
    monkeypatch.setattr(database, "_SILENT", 0.3)
    session = Session(tmp_path, server)

    replies = await session.ask(request(0))
    await session.close()

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


async def asked_beside_a_stranger(
    server: Loopback, folder: Path, size: int, *, breaks: str
) -> Session:
    """Ask in a batch that breaks, after one that is none of ours; all three replies have come."""
    server.jobs.looks = 8
    stranger = Session(Path("stranger"), server, "anthropic/x")
    lines = [stranger.api.line(f"{number:064x}", request(0)).text for number in range(size)]
    await stranger.api.submit(lines, label="")
    await stranger.close()
    server.jobs.breaks["create"] = [breaks]
    session = Session(folder, server, "anthropic/x")
    replies = await session.ask(*three("anthropic/x"))
    await session.close()
    assert failures(replies) == []
    return session


@pytest.mark.parametrize("size", [3, 7])
async def test_an_anthropic_batch_is_found_beside_those_of_others(
    server: Loopback, tmp_path: Path, size: int
) -> None:
    await asked_beside_a_stranger(server, tmp_path, size, breaks="late")

    assert sizes(server) == [size, 3]


@pytest.mark.parametrize("size", [3, 7])
async def test_an_anthropic_batch_of_somebody_else_is_not_taken_for_ours(
    server: Loopback, tmp_path: Path, size: int
) -> None:
    session = await asked_beside_a_stranger(server, tmp_path, size, breaks="reset")

    assert sizes(server) == [size, 3]
    assert ("waiting until that one has ended" in " ".join(session.said)) == (size == 3)
    assert not any("msgbatch_0" in one for one in session.said)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("asked", ["state", "results"])
async def test_requests_of_a_job_that_the_provider_no_longer_has_go_anew(
    server: Loopback, tmp_path: Path, model: str, asked: str
) -> None:
    await interrupted(tmp_path, server, *three(model))
    server.jobs.breaks[asked] = ["gone"] * 3
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    paid, left = await session.ledger.paid(), await session.book.open()
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3, 3]
    assert paid.doubtful > 0
    assert len(left) == 1
    assert "no longer at the provider" in " ".join(session.said)


async def test_a_job_that_is_not_there_for_a_moment_is_looked_at_again(
    server: Loopback, tmp_path: Path
) -> None:
    server.jobs.breaks["state"] = ["gone"] * 2
    session = Session(tmp_path, server)

    replies = await session.ask(request(0))
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [1]
