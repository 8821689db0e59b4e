"""The same calls as batch jobs, at about half the price: submit today, collect tomorrow.

Requests are gathered until every point waits for a reply (`BatchCollector`), and handed over
together, split where a job would be too large (`BatchProvider`). A job is written down before it
is handed over and stays open until its replies are recorded, so that a run that was killed or
interrupted finds its jobs again (`JobWatcher`).

What goes wrong on the way to a job says nothing about its requests, which the provider works at
all the while. So it never reaches them: the job is looked at again, and if that does not help the
run stops with the job written down for the next session.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from reviewscore.errors import ModelError, ProviderError, StopError, StoppedError
from reviewscore.llm.provider import (
    ElsewhereError,
    JobApi,
    JobLine,
    JobSearch,
    JobState,
    Provider,
    SentRequest,
    Traits,
)
from reviewscore.schema.call import Completion, Request

if TYPE_CHECKING:
    from reviewscore.llm.ledger.database import BatchJobStore, OpenJob

_STOPPED = "the run is being stopped; run the same command again to go on"
QUIET = 0.2
"""Seconds without a new request after which everybody is taken to wait."""

Idle = Callable[[], bool]
"""Whether no work goes on that may bring another request (a proof, say)."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request and who waits for its reply."""

    key: str
    request: Request
    reply: asyncio.Future[Completion]


class BatchCollector:
    """Gathers requests and hands them over together when no more can be expected.

    Args:
        hand_over: Takes requests and sees to it that every future in them is resolved.
        idle: Says whether the rest of the program is at rest.
        quiet: Seconds without a new request before they go.
    """

    def __init__(
        self,
        hand_over: Callable[[tuple[Waiting, ...]], Awaitable[None]],
        *,
        idle: Idle | None = None,
        quiet: float = QUIET,
    ) -> None:
        self._hand_over, self._quiet = hand_over, quiet
        self.idle = idle or (lambda: True)
        self._gathered: list[Waiting] = []
        self._open: set[asyncio.Future[Completion]] = set()
        self._halted = False
        self._last = 0.0
        self._watch: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, key: str, request: Request) -> Completion:
        """Wait for the reply to a request, which goes with the next batch.

        Raises:
            StoppedError: Nobody waits any more.
        """
        future = self.future()
        self._gathered.append(Waiting(key, request, future))
        self._last = time.monotonic()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._await_quiet())
        return await future

    def future(self) -> asyncio.Future[Completion]:
        """A reply to wait for, until it comes or everything is halted."""
        if self._halted:
            raise StoppedError(_STOPPED)
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def halt(self) -> None:
        """Let everybody who waits go without a reply."""
        self._halted = True
        fail(self._open, StoppedError(_STOPPED))

    async def _await_quiet(self) -> None:
        rested = True
        while self._gathered:
            await asyncio.sleep(self._quiet)
            rests = self.idle()
            if not (rests and rested):
                self._last = time.monotonic()  # what has ended since may ask a moment later
            rested = rests
            if time.monotonic() - self._last < self._quiet:
                continue
            batch = tuple(job for job in self._gathered if not job.reply.done())
            self._gathered.clear()
            if batch:
                start(self._hand_over_all(batch), self._tasks)

    async def _hand_over_all(self, batch: tuple[Waiting, ...]) -> None:
        try:
            await self._hand_over(batch)
        except Exception as error:  # whoever waits must learn of it, or waits for ever
            fail((job.reply for job in batch), error)

    async def close(self) -> None:
        """Wait no more."""
        await end({*self._tasks, *([self._watch] if self._watch is not None else [])})


def fail(futures: Iterable[asyncio.Future[Completion]], error: Exception) -> None:
    """Let whoever still waits know why there is no reply."""
    for future in tuple(futures):
        if not future.done():
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen


def start(work: Coroutine[None, None, None], tasks: set[asyncio.Task[None]]) -> None:
    """Begin some work beside the others, until it ends."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def end(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel what is still under way."""
    for task in (under_way := tuple(tasks)):
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)


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

    def waits(self) -> Iterator[float]:
        """Seconds to wait, without end."""
        wait = self.first
        while True:
            yield wait
            wait = min(wait * 2, self.most)


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
    sent: Mapping[str, SentRequest]
    waiting: Replies
    id: str = ""


class _LostError(Exception):
    """The provider has no such job."""


class JobWatcher:
    """Collects jobs.

    Args:
        api: The provider's jobs.
        store: Where jobs are written down.
        say: Told what becomes of the jobs.
        patience: How often jobs are looked at.
    """

    def __init__(
        self, api: JobApi, store: BatchJobStore, *, say: Callable[[str], None], patience: Patience
    ) -> None:
        self._api, self._store, self._say, self._patience = api, store, say, patience

    async def find(self, job: Job) -> str | None:
        """The id of a job that may have been handed over; None if it surely was not.

        Raises:
            StopError: It could not be looked for; it is still written down.
        """
        told, keys = False, frozenset(job.sent)

        async def look() -> JobSearch:
            known = await self._store.known()
            return await self._api.find(job.label, keys=keys, since=job.since, known=known)

        problem = "the provider's batch jobs cannot be looked at"
        waits = self._patience.waits()
        while True:
            await asyncio.sleep(next(waits))  # it may be listed a moment later only
            try:
                search = await self._patiently(problem, look)
            except _LostError as error:
                raise StopError(f"{problem} ({error})") from error
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
        await self._store.failed(job.label, job.waiting)
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
            await self._store.failed(job.label, failed)
            for future, outcome in settled:
                _settle(future, outcome)
        return answered, len(failed)

    async def _give_up(self, job: Job) -> None:
        """A job that the provider no longer has: it may have been paid for, and holds nothing."""
        self._say(
            f"batch job {job.id} is no longer at the provider: its {len(job.waiting)} requests "
            "go anew; what it may have cost is counted as doubtful"
        )
        await self._store.close(job.label)
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
        done, waits = -1, self._patience.waits()
        while True:
            await asyncio.sleep(next(waits))
            state: JobState = await self._patiently(
                f"batch job {job.id} cannot be looked at", lambda: self._api.state(job.id)
            )
            if state.status == "failed":
                await self._store.close(job.label)
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
        failures, gone, waits = 0, 0, self._patience.waits()
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
            await asyncio.sleep(next(waits))


def _settle(future: asyncio.Future[Completion], outcome: Completion | ModelError) -> None:
    if isinstance(outcome, ModelError):
        if isinstance(outcome, ProviderError) and outcome.retryable:
            outcome.retry_after = 0.0  # it waits for the next job anyway, all in the same one
        fail((future,), outcome)
    elif not future.done():
        future.set_result(outcome)


_SERVER_ERROR = 500
_BEAT = 60.0
"""Seconds between signs of life for other sessions."""


class _TakenError(Exception):
    """Another session has handed a request over while it waited here."""


class BatchProvider(Provider):
    """A provider whose calls go as batch jobs. One serves all models of a place.

    Args:
        api: The provider's jobs.
        store: Where jobs are written down.
        idle: Says whether the rest of the program is at rest.
        say: Told what becomes of the jobs.
        patience: How often jobs are looked at.
        quiet: Seconds without a new request before they go.
    """

    traits = Traits(paced=False)

    def __init__(
        self,
        api: JobApi,
        store: BatchJobStore,
        *,
        idle: Idle | None = None,
        say: Callable[[str], None] | None = None,
        patience: Patience | None = None,
        quiet: float = QUIET,
    ) -> None:
        self.place = api.place
        self._api, self._store = api, store
        self._say, self._patience = say or (lambda _: None), patience or Patience()
        self._watcher = JobWatcher(api, store, say=self._say, patience=self._patience)
        self._collector = BatchCollector(self._hand_over, idle=idle, quiet=quiet)
        self._left: dict[str, asyncio.Future[Completion]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._taking, self._began, self._told_elsewhere = asyncio.Lock(), False, False

    async def complete(self, request: Request) -> Completion:
        """Wait for the reply from a job that is open already, or from the next batch.

        Raises:
            ProviderError: The provider failed on this request.
            StopError: No job can be handed over.
            ElsewhereError: Another session had the request in a job, which has ended by now.
        """
        await self._begin()
        key = request.key(place=self.place)
        if key not in self._left and await self._store.elsewhere(key):
            await self._await_elsewhere(key)
        if key in self._left:
            return await self._from_left(key)
        try:
            return await self._collector.ask(key, request)
        except _TakenError:
            return await self.complete(request)

    async def _begin(self) -> None:
        """Take up the jobs that an earlier session left; nobody asks before that is done."""
        async with self._taking:
            if not self._began:
                await self._take_up()
                start(self._beat(), self._tasks)
                self._began = True

    async def _take_up(self) -> None:
        for job in await self._store.take_up():
            if not job.sent:
                await self._store.close(job.label)
                continue
            loop = asyncio.get_running_loop()
            waiting = {key: loop.create_future() for key in job.sent}
            self._left.update(waiting)
            ours = Job(job.label, job.since, job.sent, waiting)
            start(self._collect_left(job, ours), self._tasks)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            await self._store.keep()

    async def _from_left(self, key: str) -> Completion:
        """A reply from an earlier session's job, kept until somebody has got it."""
        left, halted = self._left[key], self._collector.future()
        try:
            await asyncio.wait((left, halted), return_when=asyncio.FIRST_COMPLETED)
            if not left.done():
                return halted.result()
            self._left.pop(key, None)
            return left.result()
        finally:
            halted.cancel()

    async def _await_elsewhere(self, key: str) -> None:
        """Wait while another session has a request in a job; its jobs are ours if it dies."""
        if not self._told_elsewhere:
            self._told_elsewhere = True
            self._say("another session has some of the same requests in a batch job; waiting")
        halted, waits = self._collector.future(), self._patience.waits()
        try:
            while await self._store.elsewhere(key):
                await asyncio.wait((halted,), timeout=next(waits))
                if halted.done():
                    halted.result()
                async with self._taking:
                    await self._take_up()
        finally:
            halted.cancel()
        if key not in self._left:
            raise ElsewhereError

    async def _collect_left(self, left: OpenJob, job: Job) -> None:
        """Collect an earlier session's job; if it never came about, its requests go anew."""
        try:
            job.id = left.job or await self._watcher.find(job) or ""
            if not job.id:
                await self._store.close(job.label)
                raise ProviderError(
                    "the job was never handed over", retryable=True, status=409, retry_after=0.0
                )
            if left.job is None:
                await self._store.handed_over(job.label, job.id)
            self._say(f"batch job {job.id} of an earlier session: {len(job.sent)} replies wanted")
        except Exception as error:  # whoever waits must learn of it
            fail(job.waiting.values(), error)
        else:
            await self._collect(job)

    async def _hand_over(self, batch: tuple[Waiting, ...]) -> None:
        """Hand jobs over one after the other, for the sake of memory, and collect them together."""
        jobs = []
        for chunk in self._chunks(batch):
            try:
                job = await self._handed_over(chunk)
            except Exception as error:  # whoever waits must learn of it
                fail((job.reply for job, _ in chunk), error)
                continue
            if job is not None:
                jobs.append(asyncio.create_task(self._collect(job)))
        await asyncio.gather(*jobs)

    def _chunks(self, batch: tuple[Waiting, ...]) -> Iterator[list[tuple[Waiting, JobLine]]]:
        """Parts of a batch that fit into a job, with the lines they make."""
        groups: dict[str, list[Waiting]] = {}
        for job in batch:
            groups.setdefault(job.request.model if self._api.one_model else "", []).append(job)
        for group in groups.values():
            chunk: list[tuple[Waiting, JobLine]] = []
            size = 0
            for job in group:
                line = self._api.line(job.key, job.request)
                size += len(line.text) + 1
                if chunk and (size > self._api.most_bytes or len(chunk) >= self._api.most_requests):
                    yield chunk
                    chunk, size = [], len(line.text) + 1
                chunk.append((job, line))
            yield chunk

    async def _handed_over(self, chunk: list[tuple[Waiting, JobLine]]) -> Job | None:
        """Hand a job over, again and again while the provider is not able to take it.

        Returns:
            The job; None if other sessions have all its requests in theirs.
        """
        failures, waits = 0, self._patience.waits()
        while True:
            label, since = uuid.uuid4().hex, time.time()
            sent = {job.key: line.sent for job, line in chunk}
            taken = await self._store.announce(label, sent, since=since)
            fail((job.reply for job, _ in chunk if job.key in taken), _TakenError())
            chunk = [(job, line) for job, line in chunk if job.key not in taken]
            if not chunk:
                await self._store.close(label)
                return None
            waiting = {job.key: job.reply for job, _ in chunk}
            job = Job(label, since, {key: sent[key] for key in waiting}, waiting)
            problem = await self._submit(job, [line.text for _, line in chunk])
            if problem is None:
                self._say(f"batch job {job.id}: {len(chunk)} requests handed over")
                return job
            failures += 1
            if failures > self._patience.failures:
                raise StopError(
                    f"the provider takes no batch jobs for now ({problem}); run again later"
                ) from problem
            await asyncio.sleep(next(waits))

    async def _submit(self, job: Job, lines: list[bytes]) -> ProviderError | None:
        """Hand a job over and learn its id; returns why that failed if it may work later.

        Raises:
            ProviderError: It will not work later either.
            StopError: Nothing can be handed over, or it is not known whether this job was.
        """
        problem: ProviderError | None = None
        try:
            job.id = await self._api.submit(lines, label=job.label)
        except StopError:
            await self._store.close(job.label)
            raise
        except ProviderError as error:
            problem = error
            there = error.status is None or error.status >= _SERVER_ERROR
            if there:  # it may be, all the same
                job.id = await self._watcher.find(job) or ""
        if job.id:
            await self._store.handed_over(job.label, job.id)
            return None
        await self._store.close(job.label)
        if problem is not None and not problem.retryable:
            raise problem
        return problem

    async def _collect(self, job: Job) -> None:
        try:
            await self._watcher.collect(job)
        except Exception as error:  # whoever waits must learn of it
            fail(job.waiting.values(), error)

    def halt(self) -> None:
        """Let everybody go; open jobs are collected by the next session."""
        self._collector.halt()

    async def close(self) -> None:
        """Close the jobs that are done with, leave the others, and close the connections."""
        await self._collector.close()
        await end(self._tasks)
        await self._store.leave()
        await self._api.close()
