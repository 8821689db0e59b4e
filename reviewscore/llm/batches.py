"""The same calls as batch jobs, at about half the price: submit today, collect tomorrow.

Requests are gathered until every point waits for a reply, and handed over as one wave (split
where a job would be too large). A job is written down before it is handed over and stays open
until its replies are recorded, so that a run that was killed or interrupted finds its jobs again.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator, Sequence

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm.collecting import Collector, Job, Patience, fail
from reviewscore.llm.job import JobApi, Line
from reviewscore.llm.ledger.jobs import JobBook, OpenJob
from reviewscore.llm.provider import Traits
from reviewscore.llm.sending import ElsewhereError
from reviewscore.llm.waves import QUIET, Idle, Waiting, Waves
from reviewscore.schema.call import Completion, Request

_SERVER_ERROR = 500
_BEAT = 60.0
"""Seconds between signs of life for other sessions."""


class _TakenError(Exception):
    """Another session has handed a request over while it waited for its wave."""


class BatchProvider:
    """A provider whose calls go as batch jobs. One serves all models of a place.

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
        self._collector = Collector(api, book, say=self._say, patience=self._patience)
        self._waves = Waves(self._hand_over, idle=idle, quiet=quiet)
        self._left: dict[str, asyncio.Future[Completion]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._taking, self._began, self._told_elsewhere = asyncio.Lock(), False, False

    async def complete(self, request: Request) -> Completion:
        """Wait for the reply from a job that is open already, or from the next wave.

        Raises:
            ProviderError: The provider failed on this request.
            StopError: No job can be handed over.
            ElsewhereError: Another session had the request in a job, which has ended by now.
        """
        await self._begin()
        key = request.key(place=self.place)
        if key not in self._left and await self._book.elsewhere(key):
            await self._await_elsewhere(key)
        if key in self._left:
            return await self._from_left(key)
        try:
            return await self._waves.ask(key, request)
        except _TakenError:
            return await self.complete(request)

    async def _begin(self) -> None:
        """Take up the jobs that an earlier session left; nobody asks before that is done."""
        async with self._taking:
            if not self._began:
                await self._take_up()
                self._start(self._beat())
                self._began = True

    async def _take_up(self) -> None:
        for job in await self._book.take_up():
            if not job.sent:
                await self._book.close(job.label)
                continue
            loop = asyncio.get_running_loop()
            waiting = {key: loop.create_future() for key in job.sent}
            self._left.update(waiting)
            self._start(self._collect_left(job, Job(job.label, job.since, job.sent, waiting)))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            await self._book.keep()

    async def _from_left(self, key: str) -> Completion:
        """A reply from an earlier session's job, kept until somebody has got it."""
        left, halted = self._left[key], self._waves.future()
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
        halted, wait = self._waves.future(), self._patience.first
        try:
            while await self._book.elsewhere(key):
                await asyncio.wait((halted,), timeout=wait)
                if halted.done():
                    halted.result()
                wait = self._patience.longer(wait)
                async with self._taking:
                    await self._take_up()
        finally:
            halted.cancel()
        if key not in self._left:
            raise ElsewhereError

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _collect_left(self, left: OpenJob, job: Job) -> None:
        """Collect an earlier session's job; if it never came about, its requests go anew."""
        try:
            job_id = left.job or await self._collector.find(job)
            if job_id is None:
                await self._book.close(job.label)
                raise ProviderError(
                    "the job was never handed over", retryable=True, status=409, retry_after=0.0
                )
            if left.job is None:
                await self._book.handed_over(job.label, job_id)
            job.id = job_id
            self._say(f"batch job {job_id} of an earlier session: {len(job.sent)} replies wanted")
            await self._collector.collect(job)
        except Exception as error:  # whoever waits must learn of it
            fail(job.waiting.values(), error)

    async def _hand_over(self, wave: tuple[Waiting, ...]) -> None:
        """Hand jobs over one after the other, for the sake of memory, and collect them together."""
        jobs = []
        for group in self._by_model(wave):
            for chunk in self._chunks(group):
                try:
                    job = await self._handed_over(chunk)
                except Exception as error:  # whoever waits must learn of it
                    fail((one.reply for one, _ in chunk), error)
                    continue
                if job is not None:
                    jobs.append(asyncio.create_task(self._collect(job)))
        await asyncio.gather(*jobs)

    def _by_model(self, wave: tuple[Waiting, ...]) -> list[list[Waiting]]:
        if not self._api.one_model:
            return [list(wave)]
        groups: dict[str, list[Waiting]] = {}
        for one in wave:
            groups.setdefault(one.request.model, []).append(one)
        return list(groups.values())

    def _chunks(self, wave: Sequence[Waiting]) -> Iterator[list[tuple[Waiting, Line]]]:
        """Parts of a wave that fit into a job, with the lines they make."""
        chunk: list[tuple[Waiting, Line]] = []
        size = 0
        for one in wave:
            line = self._api.line(one.key, one.request)
            length = len(line.text) + 1
            if chunk and (
                size + length > self._api.most_bytes or len(chunk) >= self._api.most_requests
            ):
                yield chunk
                chunk, size = [], 0
            chunk.append((one, line))
            size += length
        if chunk:
            yield chunk

    async def _handed_over(self, chunk: list[tuple[Waiting, Line]]) -> Job | None:
        """Hand a job over, again and again while the provider is not able to take it.

        Returns:
            The job; None if other sessions have all its requests in theirs.
        """
        wait, failures = self._patience.first, 0
        while True:
            label, since = uuid.uuid4().hex, time.time()
            sent = {one.key: line.sent for one, line in chunk}
            taken = await self._book.announce(label, sent, since=since)
            fail((one.reply for one, _ in chunk if one.key in taken), _TakenError())
            chunk = [(one, line) for one, line in chunk if one.key not in taken]
            if not chunk:
                await self._book.close(label)
                return None
            waiting = {one.key: one.reply for one, _ in chunk}
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
            await asyncio.sleep(wait)
            wait = self._patience.longer(wait)

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
            await self._book.close(job.label)
            raise
        except ProviderError as error:
            problem = error
            if (
                error.status is None or error.status >= _SERVER_ERROR
            ):  # it may be there all the same
                job.id = await self._collector.find(job) or ""
        if job.id:
            await self._book.handed_over(job.label, job.id)
            return None
        await self._book.close(job.label)
        if problem is not None and not problem.retryable:
            raise problem
        return problem

    async def _collect(self, job: Job) -> None:
        try:
            await self._collector.collect(job)
        except Exception as error:  # whoever waits must learn of it
            fail(job.waiting.values(), error)

    def halt(self) -> None:
        """Let everybody go; open jobs are collected by the next session."""
        self._waves.halt()

    async def close(self) -> None:
        """Close the jobs that are done with, leave the others, and close the connections."""
        await self._waves.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._book.leave()
        await self._api.close()
