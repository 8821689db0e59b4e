"""Batch jobs through the real SDKs: waves, failures, and sessions that died."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.errors import ModelError, StopError, StoppedError
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.provider import SentRequest
from tests.loopback import Body, Loopback
from tests.sessions import MODELS, QUICK, Session, interrupted, request


@pytest.mark.parametrize("model", MODELS)
async def test_all_that_wait_together_go_in_one_job_at_half_the_price(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    session = Session(tmp_path, server, model)

    replies = await session.ask(*(request(number, model=model) for number in range(5)))
    paid = await session.ledger.paid()
    await session.close()

    assert [one.batch for one in replies] == [True] * 5  # type: ignore[attr-defined]
    assert [len(keys) for _, _, keys in server.jobs.made] == [5]
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

    assert not [one for one in replies if isinstance(one, Exception)]
    assert [len(keys) for _, _, keys in server.jobs.made] == [3, 1]


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
    asked = [request(number, model=model) for number in range(3)]
    left = await interrupted(tmp_path, server, *asked)

    second = Session(tmp_path, server, model)
    replies = await second.ask(*asked)
    await second.close()

    assert all(isinstance(one, StoppedError) for one in left)
    assert not [one for one in replies if isinstance(one, Exception)]
    assert len(server.jobs.made) == 1
    assert any("of an earlier session: 3 replies" in one for one in second.said)


@pytest.mark.parametrize("model", MODELS)
async def test_a_job_whose_id_was_never_recorded_is_found_at_the_provider(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    asked = [request(number, model=model) for number in range(3)]
    await interrupted(tmp_path, server, *asked)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("UPDATE jobs SET job = NULL")
        db.commit()

    second = Session(tmp_path, server, model)
    replies = await second.ask(*asked)
    await second.close()

    assert not [one for one in replies if isinstance(one, Exception)]
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

    second = Session(tmp_path, server)
    (reply,) = await second.ask(asked)
    await second.close()

    assert not isinstance(reply, Exception)
    assert [len(keys) for _, _, keys in server.jobs.made] == [1]


async def test_jobs_are_split_by_size_and_by_model(server: Loopback, tmp_path: Path) -> None:
    session = Session(tmp_path, server)
    session.api.most_requests = 2

    await session.ask(*(request(number) for number in range(5)), request(9, model="openai/another"))
    await session.close()

    assert sorted(len(keys) for _, _, keys in server.jobs.made) == [1, 1, 2, 2]


async def test_jobs_are_split_by_bytes(server: Loopback, tmp_path: Path) -> None:
    session = Session(tmp_path, server)
    session.api.most_bytes = 3 * len(session.api.line("k" * 64, request(0)).text) + 10

    await session.ask(*(request(number) for number in range(7)))
    await session.close()

    assert sorted(len(keys) for _, _, keys in server.jobs.made) == [1, 3, 3]


async def test_a_job_found_wanting_stops_the_run_with_the_reason(
    server: Loopback, tmp_path: Path
) -> None:
    server.jobs.fail = True
    session = Session(tmp_path, server)

    (failed,) = await session.ask(request(0))
    await session.close()

    assert isinstance(failed, StopError)
    assert "queue is full" in str(failed)


async def test_a_refused_hand_over_is_tried_again_and_leaves_no_open_job(
    server: Loopback, tmp_path: Path
) -> None:
    server.jobs.refuse = 500
    session = Session(tmp_path, server)

    (failed,) = await session.ask(request(0))
    await session.close()

    assert isinstance(failed, StopError)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT count(*), sum(open) FROM jobs").fetchone() == (
            QUICK.failures + 1,
            0,
        )


@pytest.mark.parametrize("model", MODELS)
async def test_what_a_model_refuses_in_a_job_is_left_out_of_the_next(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    from aiohttp import web

    def quirk(body: Body, _: int) -> web.Response | None:
        if "temperature" in body:
            problem = {"error": {"message": "temperature is not supported with this model"}}
            return web.json_response(problem, status=400)
        return None

    server.quirk = quirk
    session = Session(tmp_path, server, model)

    replies = await session.ask(*(request(number, model=model) for number in range(3)))
    await session.close()

    assert not [one for one in replies if isinstance(one, Exception)]
    assert [len(keys) for _, _, keys in server.jobs.made] == [3, 3]


async def test_a_model_of_the_other_endpoint_goes_there_with_the_next_job(
    server: Loopback, tmp_path: Path
) -> None:
    from aiohttp import web

    def quirk(body: Body, seen: int) -> web.Response | None:
        if "temperature" in body:  # only chat completions bring it to this door
            words = "This model is only supported in v1/responses and not in v1/chat/completions."
            return web.json_response({"error": {"message": words}}, status=404)
        return None

    server.quirk = quirk
    session = Session(tmp_path, server)

    (reply,) = await session.ask(request(0))
    await session.close()

    assert reply.usage.cached_tokens > 0  # type: ignore[attr-defined]
    assert [job["endpoint"] for job in server.jobs.jobs.values()] == [
        "/v1/chat/completions",
        "/v1/responses",
    ]
