"""Writes to the ledger from a thread of its own, all that is waiting in one transaction."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from reviewscore.llm.ledger.link import Link

Work = Callable[[Connection], Any]

_MOST = 512
"""Writes in one transaction."""


@dataclass(slots=True)
class _Job:
    work: Work
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class Writer:
    """Runs writes one after the other; each is on the disk when its future is done.

    A transaction ends with a wait for the disk. Writes that come in during that wait go into the
    next transaction together, so that hundreds of calls a second cost a few waits.

    Args:
        link: The ledger; used by nobody else from now on.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="ledger", daemon=True)
        self._thread.start()

    async def run(self, work: Work) -> Any:
        """Do a write and wait until it is on the disk.

        Args:
            work: As in `Link.write`.

        Raises:
            StopError: The disk is full, or the database was lost and did not come back.
            RunFolderError: The ledger cannot be written.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._queue.put(_Job(work, loop, future))
        return await asyncio.shield(future)

    def close(self) -> None:
        """Finish what was handed in."""
        self._queue.put(None)
        self._thread.join()

    def _next(self) -> _Job | None:
        """Wait for a write; meanwhile the connection is a sign of life, so it is kept."""
        while True:
            try:
                return self._queue.get(timeout=self._link.home.beat)
            except queue.Empty:
                self._link.touch()

    def _serve(self) -> None:
        while (first := self._next()) is not None:
            jobs, ends = [first], False
            while len(jobs) < _MOST and not self._queue.empty():
                job = self._queue.get()
                if job is None:
                    ends = True
                    break
                jobs.append(job)
            self._commit(jobs)
            if ends:
                return

    def _commit(self, jobs: list[_Job]) -> None:
        error: Exception | None = None
        results: list[Any] = []
        try:
            results = self._link.write(lambda db: [job.work(db) for job in jobs])
        except Exception as problem:  # whoever waits must learn of it, or waits for ever
            error = problem
        done = list(zip(jobs, results, strict=True)) if error is None else []
        jobs[0].loop.call_soon_threadsafe(_resolve, jobs, done, error)


def _resolve(jobs: list[_Job], done: list[tuple[_Job, Any]], error: Exception | None) -> None:
    for job, result in done:
        if not job.future.done():
            job.future.set_result(result)
    for job in jobs:
        if error is not None and not job.future.done():
            job.future.set_exception(error)
            job.future.exception()  # nobody may be waiting any more: mark it as seen
