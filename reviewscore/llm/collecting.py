"""Batch jobs that were handed over: found, waited for, and their replies given out.

What goes wrong on the way to a job says nothing about its requests, which the provider works at
all the while. So it never reaches them: the job is looked at again, and if that does not help the
run stops with the job written down for the next session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from reviewscore.errors import ModelError, ProviderError, StopError
from reviewscore.llm.job import JobApi, JobState, Search, Sent
from reviewscore.llm.ledger.jobs import JobBook
from reviewscore.schema.call import Completion

_GONE = (404, 410)
_SURELY_GONE = 3
"""Looks in a row that must say that a job is not there: it may be there a moment later."""

Replies = dict[str, asyncio.Future[Completion]]
"""Keys of requests and who waits for their replies."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Patience:
    """How often a job is looked at.

    Attributes:
        first: Seconds before the first look; every look doubles the wait.
        most: Longest wait in seconds.
        failures: Looks that may fail one after the other.
    """

    first: float = 5.0
    most: float = 60.0
    failures: int = 20

    def longer(self, wait: float) -> float:
        """The wait after a wait."""
        return min(wait * 2, self.most)


@dataclass
class Job:
    """A job of this session.

    Attributes:
        label: Our own name of it.
        since: Unix time at which it was written down.
        sent: Keys of its requests, and how they were sent.
        waiting: Who waits for replies that have not come yet.
        id: The provider's id.
    """

    label: str
    since: float
    sent: Mapping[str, Sent]
    waiting: Replies
    id: str = ""


class _LostError(Exception):
    """The provider has no such job."""


class Collector:
    """Collects jobs.

    Args:
        api: The provider's jobs.
        book: Where jobs are written down.
        say: Told what becomes of the jobs.
        patience: How often jobs are looked at.
    """

    def __init__(
        self, api: JobApi, book: JobBook, *, say: Callable[[str], None], patience: Patience
    ) -> None:
        self._api, self._book, self._say, self._patience = api, book, say, patience

    async def find(self, job: Job) -> str | None:
        """The id of a job that may have been handed over; None if it surely was not.

        Raises:
            StopError: It could not be looked for; it is still written down.
        """
        wait, told = self._patience.first, False
        keys = frozenset(job.sent)

        async def look() -> Search:
            known = await self._book.known()
            return await self._api.find(job.label, keys=keys, since=job.since, known=known)

        while True:
            await asyncio.sleep(wait)  # it may be listed a moment later only
            wait = self._patience.longer(wait)
            try:
                search = await self._patiently(
                    "the provider's batch jobs cannot be looked at", look
                )
            except _LostError as error:
                raise StopError(f"the provider's batch jobs cannot be looked at ({error})") from (
                    error
                )
            if search.job is not None or search.sure:
                return search.job
            if not told:
                told = True
                self._say(
                    "it is not known whether a batch job was handed over, and one under way may be "
                    "it; waiting until that one has ended"
                )

    async def collect(self, job: Job) -> None:
        """Wait for a job to end and give every reply to whoever waits for it.

        Raises:
            StopError: It failed, or cannot be looked at.
        """
        try:
            await self._until_ended(job)
            answered, failed = await self._patiently(
                f"the results of batch job {job.id} cannot be fetched",
                lambda: self._give_out(job),
            )
        except _LostError:
            await self._give_up(job)
            return
        missing = ProviderError(
            "the job ended without this reply", retryable=True, status=409, retry_after=0.0
        )
        await self._book.failed(job.label, job.waiting)
        fail(job.waiting.values(), missing)
        self._say(f"batch job {job.id}: {answered} answered, {failed + len(job.waiting)} not")

    async def _give_out(self, job: Job) -> tuple[int, int]:
        """Give out what has not come yet; returns how many of all have replies and how many not.

        All at once, so that whatever is asked anew goes with one job.
        """
        answered, failed = 0, list[str]()
        settled: list[tuple[asyncio.Future[Completion], Completion | ModelError]] = []
        try:
            async for key, outcome in self._api.results(job.id, job.sent):
                future = job.waiting.pop(key, None)
                if isinstance(outcome, ModelError):
                    failed.append(key)
                else:
                    answered += 1
                    outcome = outcome.model_copy(update={"job": job.id})  # noqa: PLW2901
                if future is not None:
                    settled.append((future, outcome))
        finally:  # what came before the connection broke counts as well
            await self._book.failed(job.label, failed)
            for future, outcome in settled:
                _settle(future, outcome)
        return answered, len(failed)

    async def _give_up(self, job: Job) -> None:
        """A job that the provider no longer has: it may have been paid for, and holds nothing."""
        self._say(
            f"batch job {job.id} is no longer at the provider: its {len(job.waiting)} requests "
            "go anew; what it may have cost is counted as doubtful"
        )
        await self._book.close(job.label)
        fail(
            job.waiting.values(),
            ProviderError(
                f"batch job {job.id} is no longer at the provider",
                retryable=True,
                status=_GONE[0],
                retry_after=0.0,
                in_doubt=True,
            ),
        )

    async def _until_ended(self, job: Job) -> None:
        wait, done = self._patience.first, -1
        while True:
            await asyncio.sleep(wait)
            wait = self._patience.longer(wait)
            state: JobState = await self._patiently(
                f"batch job {job.id} cannot be looked at", lambda: self._api.state(job.id)
            )
            if state.status == "failed":
                await self._book.close(job.label)
                raise StopError(
                    f"the provider refused batch job {job.id}: {state.problem}; "
                    "mend that and run the same command again"
                )
            if state.status == "ended":
                return
            if state.done != done:
                done = state.done
                self._say(f"batch job {job.id}: {done} of {state.total} done")

    async def _patiently(self, problem: str, ask: Callable[[], Awaitable[Found]]) -> Found:
        """Ask about a job again and again while that fails."""
        wait, failures, gone = self._patience.first, 0, 0
        while True:
            try:
                return await ask()
            except ProviderError as error:
                failures += 1
                gone = gone + 1 if error.status in _GONE else 0
                if gone == _SURELY_GONE:
                    raise _LostError(str(error)) from error
                if not (error.retryable or gone) or failures > self._patience.failures:
                    raise StopError(
                        f"{problem} ({error}); it is written down: run the same command again "
                        "to collect it"
                    ) from error
            await asyncio.sleep(wait)
            wait = self._patience.longer(wait)


def _settle(future: asyncio.Future[Completion], outcome: Completion | ModelError) -> None:
    if isinstance(outcome, ModelError):
        if isinstance(outcome, ProviderError) and outcome.retryable:
            outcome.retry_after = 0.0  # it waits for the next job anyway, all in the same one
        fail((future,), outcome)
    elif not future.done():
        future.set_result(outcome)


def fail(futures: Iterable[asyncio.Future[Completion]], error: Exception) -> None:
    """Let whoever still waits know why there is no reply."""
    for future in tuple(futures):
        if not future.done():
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen
