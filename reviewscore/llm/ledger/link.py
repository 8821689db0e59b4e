"""A connection to the ledger that is made again when it is lost, whichever database it is."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_exponential

from reviewscore.errors import ReviewScoreError, StopError
from reviewscore.llm.ledger.place import Place

Result = TypeVar("Result")
_PATIENCE = 30.0
"""Seconds for which a lost connection is made again before the run stops."""
TROUBLE = (SQLAlchemyError, OSError, struct.error)
"""What drivers raise; pg8000 lets errors of the socket and of cut messages through as they are."""


class Home(Protocol):
    """What differs between the databases."""

    name: str
    """The ledger as users know it; shows no password."""
    beat: float | None
    """Seconds after which a silent connection is tried; None where it cannot be lost."""

    def connect(self, me: str) -> Connection:
        """A new connection without a transaction; tables are made, their version is checked.

        Args:
            me: Whose life the connection is a sign of; empty for nobody's.

        Raises:
            RunFolderError: The ledger is of another version.
        """
        ...

    def begin(self, db: Connection) -> str | None:
        """Begin to write, as the only one; returns a mark by which a commit can be looked up."""
        ...

    def committed(self, db: Connection, mark: str) -> bool:
        """Whether the transaction of a mark was committed; asked while no other one writes."""
        ...

    def living(self, db: Connection) -> Callable[[str], bool]:
        """Tells of owners whether they may still be at work."""
        ...

    def now(self) -> float:
        """Unix time, the same for all who share the ledger as far as that can be had."""
        ...

    def size(self, db: Connection) -> int:
        """Bytes on the disk."""
        ...

    def clear(self) -> int:
        """Delete everything; returns the bytes set free."""
        ...

    def lost(self, error: Exception) -> bool:
        """Whether an error may be gone when the same is tried on a new connection."""
        ...

    def unusable(self, error: Exception) -> ReviewScoreError:
        """What to say when it cannot be opened."""
        ...

    def failed(self, error: Exception) -> ReviewScoreError:
        """What to say when it cannot be read or written."""
        ...


def cause_of(error: Exception) -> BaseException:
    """The driver's own error, without the statement that SQLAlchemy adds."""
    found = error.orig if isinstance(error, DBAPIError) else None
    return found or error


def home_of(place: Place) -> Home:
    """The database that a place names.

    Raises:
        RunFolderError: Its driver is not installed.
    """
    if isinstance(place, str):
        from reviewscore.llm.ledger.postgresql import PostgreSQL

        return PostgreSQL(place)
    from reviewscore.llm.ledger.sqlite import SQLiteFile

    return SQLiteFile(place)


@dataclass
class _Last:
    """The last try of a transaction: its mark, and what it came to if it was committed."""

    mark: str | None = None
    result: Any = field(default=None)


class Link:
    """One connection, for one thread at a time.

    Args:
        home: The database.
        me: As in `Home.connect`.

    Raises:
        RunFolderError: The ledger cannot be opened.
    """

    def __init__(self, home: Home, me: str = "") -> None:
        self.home, self._me = home, me
        self._connection: Connection | None = None
        try:
            self._live()
        except TROUBLE as error:
            raise home.unusable(error) from error

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
                mark = self.home.begin(db)
                if last.mark is not None and self.home.committed(db, last.mark):
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
            if not self.home.lost(error):
                raise self.home.failed(error) from error

        def again() -> Result:
            try:
                return work()
            except TROUBLE:
                self._drop()
                raise

        tries = Retrying(
            stop=stop_after_delay(_PATIENCE),
            wait=wait_exponential(multiplier=0.1, max=2.0),
            retry=retry_if_exception(lambda one: isinstance(one, TROUBLE) and self._may(one)),
            reraise=True,
        )
        try:
            return tries(again)
        except TROUBLE as error:
            if not self.home.lost(error):
                raise self.home.failed(error) from error
            raise StopError(
                f"the ledger {self.home.name} was lost and did not come back within "
                f"{_PATIENCE:.0f} s ({self.home.failed(error)}); what is finished is kept: "
                "run the same command again when it is there"
            ) from error

    def _may(self, error: BaseException) -> bool:
        return isinstance(error, Exception) and self.home.lost(error)

    def _live(self) -> Connection:
        if self._connection is None:
            self._connection = self.home.connect(self._me)
        return self._connection

    def _drop(self) -> None:
        """Throw the connection away with whatever state it is in."""
        if self._connection is not None:
            with suppress(*TROUBLE):
                self._connection.invalidate()
            with suppress(*TROUBLE):
                self._connection.close()
            self._connection = None
