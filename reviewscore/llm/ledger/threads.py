"""Work at the ledger from threads of its own, so that a database that waits keeps no loop waiting.

One thread writes and one looks up, each with a connection. Each does all that is waiting at once:
a hop to a thread and back costs more than a look-up in a file, and a transaction ends with a wait
for the disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger.link import Link

Work = Callable[[Connection], Any]

_MOST = 512
"""Writes in one transaction, and look-ups at once."""


@dataclass(slots=True)
class _Job:
    work: Work
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class _Thread:
    """Does what is handed in, in order."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self._closed = False
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def run(self, work: Work) -> Any:
        """Do some work and wait until it is done.

        Args:
            work: As in `Link.read` or `Link.write`.

        Raises:
            StopError: The disk is full, or the database was lost and did not come back.
            RunFolderError: The ledger cannot be used, or was closed.
        """
        if self._closed:  # nobody would do it
            raise RunFolderError("the ledger is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._queue.put(_Job(work, loop, future))
        return await asyncio.shield(future)

    def close(self, *, seconds: float | None = None) -> None:
        """Finish what was handed in, and close the connection.

        Args:
            seconds: How long to wait for that; None for as long as it takes.
        """
        self._closed = True
        self._queue.put(None)
        self._thread.join(seconds)

    def _next(self) -> _Job | None:
        return self._queue.get()

    def _do(self, work: Work) -> Any:
        raise NotImplementedError

    def _serve(self) -> None:
        try:
            while (first := self._next()) is not None:
                jobs, ends = [first], False
                while len(jobs) < _MOST and not self._queue.empty():
                    job = self._queue.get()
                    if job is None:
                        ends = True
                        break
                    jobs.append(job)
                self._finish(jobs)
                if ends:
                    return
        finally:
            self._link.close()

    def _finish(self, jobs: list[_Job]) -> None:
        error: Exception | None = None
        results: list[Any] = []
        try:
            results = self._do(lambda db: [job.work(db) for job in jobs])
        except Exception as problem:  # whoever waits must learn of it, or waits for ever
            error = problem
        done = list(zip(jobs, results, strict=True)) if error is None else []
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            jobs[0].loop.call_soon_threadsafe(_resolve, jobs, done, error)


class Writer(_Thread):
    """Runs writes one after the other; each is on the disk when its future is done.

    Writes that come in while a transaction waits for the disk go into the next one together, so
    that hundreds of calls a second cost a few waits.

    Args:
        link: The ledger; used by nobody else from now on.
    """

    def __init__(self, link: Link) -> None:
        super().__init__(link, "ledger")

    def _next(self) -> _Job | None:
        """Wait for a write; meanwhile the connection is a sign of life, so it is kept."""
        while True:
            try:
                return self._queue.get(timeout=self._link.home.beat)
            except queue.Empty:
                self._link.touch()

    def _do(self, work: Work) -> Any:
        return self._link.write(work)


class Reader(_Thread):
    """Looks things up.

    Args:
        link: The ledger; used by nobody else from now on.
    """

    def __init__(self, link: Link) -> None:
        super().__init__(link, "ledger look-ups")

    def _do(self, work: Work) -> Any:
        return self._link.read(work)


def _resolve(jobs: list[_Job], done: list[tuple[_Job, Any]], error: Exception | None) -> None:
    for job, result in done:
        if not job.future.done():
            job.future.set_result(result)
    for job in jobs:
        if error is not None and not job.future.done():
            job.future.set_exception(error)
            job.future.exception()  # nobody may be waiting any more: mark it as seen
