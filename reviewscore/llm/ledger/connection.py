"""Connections to the ledger, made again when they are lost, and the threads that use them.

One thread writes and one looks up, each with a connection, so that a database that waits keeps no
loop waiting. Each does all that is waiting at once: a hop to a thread and back costs more than a
look-up in a file, and a transaction ends with a wait for the disk.
"""

from __future__ import annotations

import asyncio
import queue
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_exponential

from reviewscore.errors import ReviewScoreError, RunFolderError, StopError
from reviewscore.llm.ledger.store import Location

Result = TypeVar("Result")
_PATIENCE = 30.0
"""Seconds for which a lost connection is made again before the run stops."""
TROUBLE = (SQLAlchemyError, OSError, struct.error)
"""What drivers raise; pg8000 lets errors of the socket and of cut messages through as they are."""


class Backend(ABC):
    """What differs between the databases.

    Attributes:
        name: The ledger as users know it; shows no password.
        another: What to do to use another ledger.
        beat: Seconds after which a silent connection is tried; None where it cannot be lost.
    """

    name: str
    another: str
    beat: float | None = None

    @abstractmethod
    def connect(self, me: str) -> Connection:
        """A new connection without a transaction; tables are made, their version is checked.

        Args:
            me: Whose life the connection is a sign of; empty for nobody's.

        Raises:
            RunFolderError: The ledger is of another version.
        """

    @abstractmethod
    def version(self, db: Connection) -> int:
        """The version of the tables."""

    @abstractmethod
    def set_version(self, db: Connection, version: int) -> None:
        """Write the version down, in the transaction that is under way."""

    @abstractmethod
    def begin_step(self, db: Connection) -> None:
        """Begin a transaction beside which nobody else writes or migrates."""

    @abstractmethod
    def begin(self, db: Connection) -> str | None:
        """Begin to write, as the only one; returns a mark by which a commit can be looked up."""

    def committed(self, db: Connection, mark: str) -> bool:
        """Whether the transaction of a mark was committed; asked while no other one writes."""
        return False

    @abstractmethod
    def living(self, db: Connection) -> Callable[[str], bool]:
        """Tells of owners whether they may still be at work."""

    @abstractmethod
    def now(self) -> float:
        """Unix time, the same for all who share the ledger as far as that can be had."""

    @abstractmethod
    def size(self, db: Connection) -> int:
        """Bytes on the disk."""

    @abstractmethod
    def clear(self) -> int:
        """Delete everything; returns the bytes set free."""

    def copies(self) -> tuple[Backend, ...]:
        """Copies of the ledger as it was before it was brought up to date."""
        return ()

    @abstractmethod
    def overwrite_deleted(self, db: Connection) -> None:
        """Have rows that this connection deletes overwritten, where the database can do that."""

    @abstractmethod
    def compact(self, db: Connection) -> str:
        """Take what was deleted out of the database's files.

        Returns:
            Why some of it may still be there, and what to do; empty if nothing is.
        """

    def lost(self, error: Exception) -> bool:
        """Whether an error may be gone when the same is tried on a new connection."""
        return False

    @abstractmethod
    def unusable(self, error: Exception) -> ReviewScoreError:
        """What to say when it cannot be opened."""

    @abstractmethod
    def failed(self, error: Exception) -> ReviewScoreError:
        """What to say when it cannot be read or written."""


def cause_of(error: Exception) -> BaseException:
    """The driver's own error, without the statement that SQLAlchemy adds."""
    exception = error.orig if isinstance(error, DBAPIError) else None
    return exception or error


def backend_of(location: Location) -> Backend:
    """The database that a location names.

    Raises:
        RunFolderError: Its driver is not installed.
    """
    if isinstance(location, str):
        from reviewscore.llm.ledger.postgresql import PostgreSQL

        return PostgreSQL(location)
    from reviewscore.llm.ledger.sqlite import SQLiteFile

    return SQLiteFile(location)


@dataclass
class _Last:
    """The last try of a transaction: its mark, and what it came to if it was committed."""

    mark: str | None = None
    result: Any = field(default=None)


class LedgerConnection:
    """One connection, for one thread at a time.

    Args:
        backend: The database.
        me: As in `Backend.connect`.

    Raises:
        RunFolderError: The ledger cannot be opened.
    """

    def __init__(self, backend: Backend, me: str = "") -> None:
        self.backend, self._me = backend, me
        self._connection: Connection | None = None
        try:
            self._live()
        except TROUBLE as error:
            raise backend.unusable(error) from error

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """Look something up.

        Raises:
            StopError: The database was lost and did not come back.
            RunFolderError: The ledger cannot be read.
        """
        return self._kept(lambda: work(self._live()))

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """Run one transaction; it is on the disk when this returns, and there once.

        A connection may be lost while the commit is under way. Before the work is done again, the
        database is asked whether that commit came through.

        Args:
            work: Done again after a lost connection, so it changes nothing but the database.

        Raises:
            StopError: The disk is full, or the database was lost and did not come back.
            RunFolderError: The ledger cannot be written.
        """
        last = _Last()

        def once() -> Result:
            db = self._live()
            with db.begin():
                mark = self.backend.begin(db)
                if last.mark is not None and self.backend.committed(db, last.mark):
                    result: Result = last.result
                    return result
                result = work(db)
                last.mark, last.result = mark, result
            return result

        return self._kept(once)

    def touch(self) -> None:
        """Find out whether the connection is still there; if it is lost, try to make it again."""
        for _ in range(2):
            try:
                db = self._live()
                db.exec_driver_sql("SELECT 1")
                db.rollback()
                return
            except (*TROUBLE, ReviewScoreError):  # whoever writes next will say so
                self._drop()

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            with suppress(*TROUBLE):
                self._connection.close()
            self._connection = None

    def _kept(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except TROUBLE as error:
            self._drop()
            if not self.backend.lost(error):
                raise self.backend.failed(error) from error

        def again() -> Result:
            try:
                return work()
            except TROUBLE:
                self._drop()
                raise

        tries = Retrying(
            stop=stop_after_delay(_PATIENCE),
            wait=wait_exponential(multiplier=0.1, max=2.0),
            retry=retry_if_exception(
                lambda exception: isinstance(exception, TROUBLE) and self._may(exception)
            ),
            reraise=True,
        )
        try:
            return tries(again)
        except TROUBLE as error:
            if not self.backend.lost(error):
                raise self.backend.failed(error) from error
            raise StopError(
                f"the ledger {self.backend.name} was lost and did not come back within "
                f"{_PATIENCE:.0f} s ({self.backend.failed(error)}); what is finished is kept: "
                "run the same command again when it is there"
            ) from error

    def _may(self, error: BaseException) -> bool:
        return isinstance(error, Exception) and self.backend.lost(error)

    def _live(self) -> Connection:
        if self._connection is None:
            self._connection = self.backend.connect(self._me)
        return self._connection

    def _drop(self) -> None:
        """Throw the connection away with whatever state it is in."""
        if self._connection is not None:
            with suppress(*TROUBLE):
                self._connection.invalidate()
            with suppress(*TROUBLE):
                self._connection.close()
            self._connection = None


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

    def __init__(self, link: LedgerConnection, name: str) -> None:
        self._link = link
        self._closed = False
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def run(self, work: Work) -> Any:
        """Do some work and wait until it is done.

        Args:
            work: As in `LedgerConnection.read` or `LedgerConnection.write`.

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

    def __init__(self, link: LedgerConnection) -> None:
        super().__init__(link, "ledger")

    def _next(self) -> _Job | None:
        """Wait for a write; meanwhile the connection is a sign of life, so it is kept."""
        while True:
            try:
                return self._queue.get(timeout=self._link.backend.beat)
            except queue.Empty:
                self._link.touch()

    def _do(self, work: Work) -> Any:
        return self._link.write(work)


class LedgerReader(_Thread):
    """Looks things up.

    Args:
        link: The ledger; used by nobody else from now on.
    """

    def __init__(self, link: LedgerConnection) -> None:
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
