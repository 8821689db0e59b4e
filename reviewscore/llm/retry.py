"""Which failures are tried again, and when (tenacity does the trying)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from reviewscore.errors import ProviderError, StopError

log = logging.getLogger(__name__)
T = TypeVar("T")

LONGEST_WAIT = 60.0
"""Seconds; a provider that asks for more is not waited for."""

_BACKOFF = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)


def _worth_retrying(error: BaseException) -> bool:
    return (
        isinstance(error, ProviderError)
        and error.retryable
        and (error.retry_after is None or error.retry_after <= LONGEST_WAIT)
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ProviderError) and error.retry_after is not None:
        return error.retry_after
    return _BACKOFF(state)


def _say(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    log.info("attempt %d failed (%s); trying again", state.attempt_number, error)


async def with_retries(ask: Callable[[], Awaitable[T]], *, max_retries: int) -> tuple[T, int]:
    """Ask until it works or trying again is pointless.

    Returns:
        The result and the number of attempts it took.

    Raises:
        ProviderError: The last failure.
        StopError: The provider asks to wait longer than is waited for; says until when.
    """
    attempts = AsyncRetrying(
        retry=retry_if_exception(_worth_retrying),
        stop=stop_after_attempt(max_retries + 1),
        wait=_wait,
        before_sleep=_say,
        sleep=asyncio.sleep,
        reraise=True,
    )
    try:
        async for attempt in attempts:
            with attempt:
                result = await ask()
    except ProviderError as error:
        wait = error.retry_after
        if error.retryable and wait is not None and wait > LONGEST_WAIT:
            then = (datetime.now().astimezone() + timedelta(seconds=wait)).strftime(
                "%d %B %H:%M %Z"
            )
            raise StopError(f"the provider takes no more calls until {then} ({error})") from error
        raise
    return result, attempts.statistics.get("attempt_number", 1)
