"""Batch jobs through the real SDKs: waves, failures, and sessions that died."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.errors import ModelError, StopError, StoppedError
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.provider import SentRequest
from tests.loopback import Loopback
from tests.sessions import (
    MODELS,
    QUICK,
    Session,
    asked_once,
    failures,
    forget_ids,
    interrupted,
    request,
    sizes,
    three,
)


@pytest.mark.parametrize("model", MODELS)
async def test_all_that_wait_together_go_in_one_job_at_half_the_price(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    asked = [request(number, model=model) for number in range(5)]

    replies, session = await asked_once(tmp_path, server, *asked)

    paid = session.paid
    assert [one.batch for one in replies] == [True] * 5  # type: ignore[attr-defined]
    assert sizes(server) == [5]
    assert (paid.calls, paid.batched) == (5, 5)
    assert paid.usd < (paid.input_tokens + paid.output_tokens) / 1e6
    assert any("5 requests handed over" in one for one in session.said)
    assert any("5 answered, 0 not" in one for one in session.said)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fate", ["errored", "expired", "missing"])
async def test_a_request_that_failed_in_its_job_goes_with_the_next(
    server: Loopback, tmp_path: Path, model: str, fate: str
) -> None:
    session = Session(tmp_path, server, model)
    bad = request(1, model=model)
    server.jobs.spoil[bad.key(place=session.api.place)] = fate

    replies = await session.ask(request(0, model=model), bad, request(2, model=model))
    await session.close()

    assert failures(replies) == []
    assert sizes(server) == [3, 1]


@pytest.mark.parametrize("model", MODELS)
async def test_a_request_cancelled_at_the_provider_is_an_error_of_that_request(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    session = Session(tmp_path, server, model)
    bad = request(1, model=model)
    server.jobs.spoil[bad.key(place=session.api.place)] = "canceled"

    good, failed = await session.ask(request(0, model=model), bad)
    await session.close()

    assert not isinstance(good, Exception)
    assert isinstance(failed, ModelError)
    assert "cancelled at the provider" in str(failed)


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_that_outlived_its_session_is_collected_and_not_paid_again(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    asked = three(model)
    left = await interrupted(tmp_path, server, *asked)

    replies, second = await asked_once(tmp_path, server, *asked)

    assert all(isinstance(one, StoppedError) for one in left)
    assert failures(replies) == []
    assert len(server.jobs.made) == 1
    assert any("of an earlier session: 3 replies" in one for one in second.said)


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_whose_id_was_never_recorded_is_found_at_the_provider(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    asked = three(model)
    await interrupted(tmp_path, server, *asked)
    forget_ids(tmp_path)

    replies, _ = await asked_once(tmp_path, server, *asked)

    assert failures(replies) == []
    assert len(server.jobs.made) == 1


async def test_a_job_that_was_announced_and_never_made_goes_anew(
    server: Loopback, tmp_path: Path
) -> None:
    asked = request(0)
    first = Session(tmp_path, server)
    sent = {asked.key(place=first.api.place): SentRequest("openai/x")}
    await first.book.announce("lost", sent, since=0.0)
    await first.book.leave()
    await first.close()

    (reply,), _ = await asked_once(tmp_path, server, asked)

    assert not isinstance(reply, Exception)
    assert sizes(server) == [1]


@pytest.mark.parametrize("bound", ["requests", "bytes"])
async def test_jobs_are_split_by_size_and_by_model(
    server: Loopback, tmp_path: Path, bound: str
) -> None:
    session = Session(tmp_path, server)
    if bound == "requests":
        session.api.most_requests = 3
    else:
        session.api.most_bytes = 3 * len(session.api.line("k" * 64, request(0)).text) + 10

    await session.ask(*map(request, range(7)), request(9, model="openai/another"))
    await session.close()

    assert sorted(sizes(server)) == [1, 1, 3, 3]


async def test_a_job_found_wanting_stops_the_run_with_the_reason(
    server: Loopback, tmp_path: Path
) -> None:
    server.jobs.fail = True

    (failed,), _ = await asked_once(tmp_path, server, request(0))

    assert isinstance(failed, StopError)
    assert "queue is full" in str(failed)


async def test_a_refused_hand_over_is_tried_again_and_leaves_no_open_job(
    server: Loopback, tmp_path: Path
) -> None:
    server.jobs.refuse = 500

    (failed,), _ = await asked_once(tmp_path, server, request(0))

    assert isinstance(failed, StopError)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT count(*), sum(open) FROM jobs").fetchone() == (
            QUICK.failures + 1,
            0,
        )
