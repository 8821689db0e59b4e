"""How long a call is tried again, and how often."""

from __future__ import annotations

import asyncio
import time

import pytest

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm import retry
from reviewscore.llm.http import seconds_to_wait
from reviewscore.llm.retry import with_retries


def too_often(*, retry_after: float | None = 0.0) -> ProviderError:
    return ProviderError("slow down", retryable=True, status=429, retry_after=retry_after)


async def test_a_call_that_waited_long_for_its_place_survives_its_first_429(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry, "LONGEST_STORM", 0.1)
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.01)
    outcomes = iter([too_often(), too_often(), None])

    async def ask() -> str:
        await asyncio.sleep(0.2)  # in the lane's queue
        if error := next(outcomes):
            raise error
        return "ok"

    assert await with_retries(ask, max_retries=0) == ("ok", 3)


async def test_a_server_that_never_takes_the_call_stops_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry, "LONGEST_STORM", 0.1)
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.01)

    async def ask() -> str:
        raise too_often(retry_after=0.04)

    with pytest.raises(StopError, match="no more calls for now"):
        await asyncio.wait_for(with_retries(ask, max_retries=0), 10)


async def test_another_outcome_ends_a_storm_of_429s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "LONGEST_STORM", 0.1)
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.0)
    busy = ProviderError("busy", retryable=True, status=503)
    storm = [too_often(retry_after=0.08)] * 2
    outcomes = iter([*storm, busy, *storm, busy, *storm])

    async def ask() -> str:
        if error := next(outcomes, None):
            raise error
        return "ok"

    assert await with_retries(ask, max_retries=2) == ("ok", 9)


async def test_a_server_that_asks_for_no_wait_is_given_more_and_more_time() -> None:
    asked: list[float] = []

    async def ask() -> str:
        asked.append(time.monotonic())
        raise too_often()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(with_retries(ask, max_retries=0), 1)

    assert len(asked) < 30


async def test_what_may_work_later_is_tried_again() -> None:
    tries = iter([ProviderError("busy", retryable=True, retry_after=0.0), None])

    async def ask() -> str:
        error = next(tries)
        if error:
            raise error
        return "ok"

    assert await with_retries(ask, max_retries=2) == ("ok", 2)


async def test_a_provider_that_asks_for_a_long_wait_stops_the_run_with_the_time() -> None:
    async def ask() -> str:
        raise ProviderError("come back", retryable=True, retry_after=3600.0)

    with pytest.raises(StopError, match=r"no more calls until \d\d \w+ \d\d:\d\d"):
        await with_retries(ask, max_retries=5)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ProviderError("bad request", retryable=False), 1),
        (ProviderError("gone", retryable=False, retry_after=3600.0), 1),
        (ProviderError("busy", retryable=True, retry_after=0.0, status=503), 4),
    ],
)
async def test_retries_end_and_what_cannot_work_soon_has_none(
    error: ProviderError, expected: int
) -> None:
    tries = 0

    async def ask() -> str:
        nonlocal tries
        tries += 1
        raise error

    with pytest.raises(ProviderError, match=str(error)):
        await with_retries(ask, max_retries=3)
    assert tries == expected


async def test_in_batch_jobs_the_wait_is_exact_and_every_failure_counts() -> None:
    tries = 0

    async def ask() -> str:
        nonlocal tries
        tries += 1
        raise too_often()

    before = time.monotonic()
    with pytest.raises(StopError):
        await with_retries(ask, max_retries=8, in_jobs=True)

    assert tries == 9
    assert time.monotonic() - before < 0.2


@pytest.mark.parametrize("header", ["inf", "nan", "1e12"])
def test_a_wait_of_a_year_and_more_makes_no_sense(header: str) -> None:
    assert seconds_to_wait({"retry-after": header}) is None
