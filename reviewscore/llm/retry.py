"""Which failures are tried again, and when (tenacity does the trying)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from reviewscore.errors import ProviderError, StopError

log = logging.getLogger(__name__)
T = TypeVar("T")

LONGEST_WAIT = 60.0
"""Seconds; a provider that asks for more is not waited for."""
LONGEST_STORM = 900.0
"""Seconds a call waits between attempts that all the same fail for asking too often."""
TOO_OFTEN = 429
AT_HOME = 2
"""How often a server of this machine that is not there is tried again: a second or so."""

_BACKOFF = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)


def _worth_retrying(error: BaseException) -> bool:
    return (
        isinstance(error, ProviderError)
        and error.retryable
        and (error.retry_after is None or error.retry_after <= LONGEST_WAIT)
    )


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _wait(state: RetryCallState) -> float:
    """The wait asked for, and some more, so that not all come back at the same instant.

    A server that asks for none, again and again, is given the time that it does not ask for.
    """
    error, backoff = _error(state), float(_BACKOFF(state))
    asked = error.retry_after if isinstance(error, ProviderError) else None
    return backoff if asked is None else max(backoff, asked + min(backoff, asked))


def _wait_for_job(state: RetryCallState) -> float:
    """The wait asked for, to the second, so that all go with the same job."""
    error = _error(state)
    asked = error.retry_after if isinstance(error, ProviderError) else None
    return _wait(state) if asked is None else asked


Told = Callable[[ProviderError, int, float], None]
"""Told of a failure before it is tried again: which attempt it was, and the seconds to wait."""


def _say(state: RetryCallState, function: Told | None) -> None:
    error = _error(state)
    log.info("attempt %d failed (%s); trying again", state.attempt_number, error)
    if function is not None and isinstance(error, ProviderError):
        function(error, state.attempt_number, state.next_action.sleep if state.next_action else 0.0)


class _Patience:
    """When to give up: after so many failures, those for asking too often not counted.

    Those count by the time waited since the first of them in a row. Time in which the call stood
    in a queue of ours, or the server worked at it, says nothing about a server that is too busy.
    """

    def __init__(self, max_retries: int, *, counted: bool, at_home: bool) -> None:
        self._left, self._counted = max_retries, counted
        self._absent = AT_HOME if at_home else max_retries
        self._storm: float | None = None

    def __call__(self, state: RetryCallState) -> bool:
        error = _error(state)
        if not self._counted and isinstance(error, ProviderError) and error.status == TOO_OFTEN:
            if self._storm is None:
                self._storm = state.idle_for
            return state.idle_for - self._storm > LONGEST_STORM
        self._storm = None
        self._left -= 1
        if isinstance(error, ProviderError) and error.unreached:
            self._absent -= 1
        return min(self._left, self._absent) < 0


async def with_retries(
    ask: Callable[[], Awaitable[T]],
    *,
    max_retries: int,
    in_jobs: bool = False,
    told: Told | None = None,
    start: Callable[[], str] | None = None,
) -> tuple[T, int]:
    """Ask until it works or trying again is pointless.

    Args:
        ask: Asks once.
        max_retries: How often a failure is followed by another attempt.
        in_jobs: Attempts go with batch jobs, which take hours: each one counts.
        told: Told of each failure that is tried again.
        start: Says what starts the server, where that is on this machine: if nothing listens there,
            waiting is of no use.

    Returns:
        The result and the number of attempts it took.

    Raises:
        ProviderError: The last failure.
        StopError: The provider takes no calls for longer than is waited for, or cannot be
            reached at all: no other call would fare better.
    """
    # Most calls work at once: tenacity, which costs as much as the rest of a call, sees failures.
    try:
        return await ask(), 1
    except ProviderError as error:
        first: list[ProviderError] = [error]

    async def attempt() -> T:
        if first:
            raise first.pop()
        return await ask()

    attempts = AsyncRetrying(
        retry=retry_if_exception(_worth_retrying),
        stop=_Patience(max_retries, counted=in_jobs, at_home=start is not None),
        wait=_wait_for_job if in_jobs else _wait,
        before_sleep=lambda state: _say(state, told),
        sleep=asyncio.sleep,
        reraise=True,
    )
    try:
        result: T = await attempts(attempt)
    except ProviderError as error:
        raise _final(error, start) from error
    return result, attempts.statistics.get("attempt_number", 1)


def _final(error: ProviderError, start: Callable[[], str] | None) -> ProviderError | StopError:
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
    if error.unreached:
        cure = start() if start is not None else "run again when the server can be reached"
        return StopError(f"{error}; {cure}")
    return error
