"""Which failures are tried again, and when (tenacity does the trying)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    wait_random_exponential,
)

from reviewscore.errors import ProviderError, StopError

log = logging.getLogger(__name__)
T = TypeVar("T")

LONGEST_WAIT = 60.0
"""Seconds; a provider that asks for more is not waited for."""
LONGEST_STORM = 900.0
"""Seconds for which a call is tried again while the provider says it is asked too often."""
TOO_OFTEN = 429

_BACKOFF = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)


def _worth_retrying(error: BaseException) -> bool:
    return (
        isinstance(error, ProviderError)
        and error.retryable
        and (error.retry_after is None or error.retry_after <= LONGEST_WAIT)
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    backoff = float(_BACKOFF(state))
    if isinstance(error, ProviderError) and error.retry_after is not None:
        return error.retry_after + min(backoff, error.retry_after)  # not all at the same instant
    return backoff


def _say(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    log.info("attempt %d failed (%s); trying again", state.attempt_number, error)


class _Patience:
    """When to give up: after so many failures, those for asking too often not counted."""

    def __init__(self, max_retries: int) -> None:
        self._left, self._began = max_retries, time.monotonic()

    def __call__(self, state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, ProviderError) and error.status == TOO_OFTEN:
            return time.monotonic() - self._began > LONGEST_STORM
        self._left -= 1
        return self._left < 0


async def with_retries(ask: Callable[[], Awaitable[T]], *, max_retries: int) -> tuple[T, int]:
    """Ask until it works or trying again is pointless.

    Returns:
        The result and the number of attempts it took.

    Raises:
        ProviderError: The last failure.
        StopError: The provider takes no calls for longer than is waited for, or cannot be
            reached at all: no other call would fare better.
    """
    attempts = AsyncRetrying(
        retry=retry_if_exception(_worth_retrying),
        stop=_Patience(max_retries),
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
        raise _final(error) from error
    return result, attempts.statistics.get("attempt_number", 1)


def _final(error: ProviderError) -> ProviderError | StopError:
    """A failure that ends the run where going on is pointless, else the failure itself."""
    if not error.retryable:
        return error
    if error.retry_after is not None and error.retry_after > LONGEST_WAIT:
        then = datetime.now().astimezone() + timedelta(seconds=error.retry_after)
        return StopError(
            f"the provider takes no more calls until {then.strftime('%d %B %H:%M %Z')} ({error})"
        )
    if error.status == TOO_OFTEN:
        return StopError(f"the provider takes no more calls for now ({error}); run again later")
    if error.status is None and not error.in_doubt:
        return StopError(f"{error}; the server cannot be reached: run again when it can be")
    return error
