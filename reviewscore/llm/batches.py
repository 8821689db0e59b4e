"""The same calls as batch jobs, at about half the price: submit today, collect tomorrow.

Requests are gathered until every point waits for a reply, and handed over as one wave (split
where a job would be too large). A job is written down before it is handed over and stays open
until its replies are recorded, so that a run that was killed or interrupted finds its jobs again.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reviewscore.errors import ModelError, ProviderError, StopError
from reviewscore.llm.job import JobApi
from reviewscore.llm.ledger.jobs import JobBook, OpenJob
from reviewscore.llm.provider import Traits
from reviewscore.llm.waves import QUIET, Idle, Waiting, Waves
from reviewscore.schema.call import Completion, Request


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


class BatchProvider:
    """A provider whose calls go as batch jobs.

    Args:
        api: The provider's jobs.
        book: Where jobs are written down.
        idle: Says whether the rest of the program is at rest.
        say: Told what becomes of the jobs.
        patience: How often jobs are looked at.
        quiet: Seconds without a new request before a wave goes.
    """

    traits = Traits(paced=False)

    def __init__(
        self,
        api: JobApi,
        book: JobBook,
        *,
        idle: Idle | None = None,
        say: Callable[[str], None] | None = None,
        patience: Patience | None = None,
        quiet: float = QUIET,
    ) -> None:
        self.place = api.place
        self._api, self._book = api, book
        self._say, self._patience = say or (lambda _: None), patience or Patience()
        self._waves = Waves(self._hand_over, idle=idle, quiet=quiet)
        self._expected: dict[str, asyncio.Future[Completion]] = {}
        self._found: dict[str, Completion | ModelError] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._resuming, self._resumed = asyncio.Lock(), False

    async def complete(self, request: Request) -> Completion:
        """Wait for the reply from a job that is open already, or from the next wave.

        Raises:
            ProviderError: The provider failed on this request.
            StopError: No job can be handed over.
        """
        await self._resume()
        key = request.key(place=self.place)
        if key in self._found:
            return _reply(self._found.pop(key))
        if key in self._expected:
            future = self._waves.future()
            self._expected[key].add_done_callback(lambda done: _pass_on(done, future))
            return await future
        return await self._waves.ask(key, request)

    async def _resume(self) -> None:
        """Take up the jobs that an earlier session left; nobody asks before that is done."""
        async with self._resuming:
            if self._resumed:
                return
            await self._book.tidy()
            for job in self._book.open():
                waiting = {key: self._expect(key) for key in job.keys}
                self._start(self._collect_left(job, waiting))
            self._resumed = True

    def _expect(self, key: str) -> asyncio.Future[Completion]:
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._expected[key] = future
        future.add_done_callback(lambda done: self._arrived(key, done))
        return future

    def _arrived(self, key: str, done: asyncio.Future[Completion]) -> None:
        """Keep what came from an earlier session's job until somebody asks for it."""
        self._expected.pop(key, None)
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._found[key] = done.result()
        elif isinstance(error, ModelError) and not _again(error):
            self._found[key] = error

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _collect_left(
        self, job: OpenJob, waiting: dict[str, asyncio.Future[Completion]]
    ) -> None:
        """Collect an earlier session's job; if it never came about, its requests go anew."""
        try:
            job_id = job.job or await self._api.find(job.label, keys=job.keys, since=job.since)
            if job_id is None:
                await self._book.close(job.label)
                raise ProviderError("the job was never handed over", retryable=True, status=409)
            if job.job is None:
                await self._book.handed_over(job.label, job_id)
            self._say(f"batch job {job_id} of an earlier session: {len(job.keys)} replies wanted")
            await self._collect(job.label, job_id, waiting)
        except Exception as error:  # whoever waits must learn of it
            _fail(waiting.values(), error)

    async def _hand_over(self, wave: tuple[Waiting, ...]) -> None:
        """Hand jobs over one after the other, for the sake of memory, and collect them together."""
        jobs = []
        for group in self._by_model(wave):
            for chunk in self._chunks(group):
                waiting = {one.key: one.reply for one, _ in chunk}
                try:
                    label, job_id = await self._begin(chunk, waiting)
                except Exception as error:  # whoever waits must learn of it
                    _fail(waiting.values(), error)
                    continue
                jobs.append(asyncio.create_task(self._collect_whole(label, job_id, waiting)))
        await asyncio.gather(*jobs)

    def _by_model(self, wave: tuple[Waiting, ...]) -> list[list[Waiting]]:
        if not self._api.one_model:
            return [list(wave)]
        groups: dict[str, list[Waiting]] = {}
        for one in wave:
            groups.setdefault(one.request.model, []).append(one)
        return list(groups.values())

    def _chunks(self, wave: Sequence[Waiting]) -> Iterator[list[tuple[Waiting, bytes]]]:
        """Parts of a wave that fit into a job, with the lines they make."""
        chunk: list[tuple[Waiting, bytes]] = []
        size = 0
        for one in wave:
            line = self._api.line(one.key, one.request)
            length = len(line) + 1
            if chunk and (
                size + length > self._api.most_bytes or len(chunk) >= self._api.most_requests
            ):
                yield chunk
                chunk, size = [], 0
            chunk.append((one, line))
            size += length
        if chunk:
            yield chunk

    async def _begin(
        self,
        chunk: list[tuple[Waiting, bytes]],
        waiting: dict[str, asyncio.Future[Completion]],
    ) -> tuple[str, str]:
        """Write a job down and hand it over; returns our name of it and its id."""
        label, since = uuid.uuid4().hex, time.time()
        await self._book.announce(label, waiting, since=since)
        job_id = await self._submit([line for _, line in chunk], label, waiting, since)
        await self._book.handed_over(label, job_id)
        self._say(f"batch job {job_id}: {len(chunk)} requests handed over")
        return label, job_id

    async def _collect_whole(
        self, label: str, job_id: str, waiting: dict[str, asyncio.Future[Completion]]
    ) -> None:
        try:
            await self._collect(label, job_id, waiting)
        except Exception as error:  # whoever waits must learn of it
            _fail(waiting.values(), error)

    async def _submit(
        self,
        lines: list[bytes],
        label: str,
        waiting: dict[str, asyncio.Future[Completion]],
        since: float,
    ) -> str:
        try:
            return await self._api.submit(lines, label=label)
        except ProviderError as error:
            if not error.in_doubt:
                await self._book.close(label)
                raise
            found = await self._api.find(label, keys=frozenset(waiting), since=since)
            if found is None:
                await self._book.close(label)
                raise
            return found
        except StopError:
            await self._book.close(label)
            raise

    async def _collect(
        self, label: str, job_id: str, waiting: dict[str, asyncio.Future[Completion]]
    ) -> None:
        """Wait for a job to end and give every reply to whoever waits for it."""
        await self._until_ended(label, job_id)
        answered = failed = 0
        async for key, outcome in self._api.results(job_id):
            future = waiting.pop(key, None)
            if isinstance(outcome, ModelError):
                failed += 1
                await self._book.failed(label, key)
            else:
                answered += 1
            if future is not None:
                _settle(future, outcome)
        for key in waiting:
            await self._book.failed(label, key)
        missing = ProviderError(
            "the job ended without this reply", retryable=True, status=409, retry_after=0.0
        )
        _fail(waiting.values(), missing)
        self._say(f"batch job {job_id}: {answered} answered, {failed + len(waiting)} not")

    async def _until_ended(self, label: str, job_id: str) -> None:
        wait, failures, done = self._patience.first, 0, -1
        while True:
            await asyncio.sleep(wait)
            wait = min(wait * 2, self._patience.most)
            try:
                state = await self._api.state(job_id)
            except ProviderError as error:
                failures += 1
                if not error.retryable or failures > self._patience.failures:
                    raise StopError(
                        f"batch job {job_id} cannot be looked at ({error}); it is written down: "
                        "run the same command again to collect it"
                    ) from error
                continue
            failures = 0
            if state.status == "failed":
                await self._book.close(label)
                raise StopError(
                    f"the provider refused batch job {job_id}: {state.problem}; "
                    "mend that and run the same command again"
                )
            if state.status == "ended":
                return
            if state.done != done:
                done = state.done
                self._say(f"batch job {job_id}: {done} of {state.total} done")

    def halt(self) -> None:
        """Let everybody go; open jobs are collected by the next session."""
        self._waves.halt()

    async def close(self) -> None:
        """Close the jobs that are done with, and the connections."""
        await self._waves.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._book.tidy()
        await self._api.close()


def _again(error: ModelError) -> bool:
    return isinstance(error, ProviderError) and error.retryable


def _reply(found: Completion | ModelError) -> Completion:
    if isinstance(found, ModelError):
        raise found
    return found


def _settle(future: asyncio.Future[Completion], outcome: Completion | ModelError) -> None:
    if future.done():
        return
    if isinstance(outcome, ModelError):
        if isinstance(outcome, ProviderError) and outcome.retryable:
            outcome.retry_after = 0.0  # it waits for the next job anyway, all in the same one
        future.set_exception(outcome)
        future.exception()  # nobody may be waiting: mark it as seen
    else:
        future.set_result(outcome)


def _fail(futures: Iterable[asyncio.Future[Completion]], error: Exception) -> None:
    for future in tuple(futures):
        if not future.done():
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen


def _pass_on(done: asyncio.Future[Completion], to: asyncio.Future[Completion]) -> None:
    if to.done():
        return
    if done.cancelled():
        to.cancel()
    elif (error := done.exception()) is not None:
        to.set_exception(error)
    else:
        to.set_result(done.result())
