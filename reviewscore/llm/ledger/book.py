"""The ledger as a run uses it: look up, claim, record, count."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from reviewscore.llm.ledger import owner
from reviewscore.llm.ledger.tables import connect, pack, row_of, unpack
from reviewscore.llm.ledger.writer import Writer
from reviewscore.schema.call import Call, Completion, prefix_key

_ANSWERED = (
    "DELETE FROM job_requests WHERE key = ? AND label IN (SELECT label FROM jobs WHERE job = ?)"
)
"""A request of a batch job is done with when its reply is recorded, in the same transaction."""
_NUMBER = count()
"""Tells ledgers of one process apart: what one of them claims, the others have to wait for."""


@dataclass(frozen=True)
class Paid:
    """What the calls of a run came to, whichever session made them.

    Attributes:
        usd: Dollars of the calls whose price was known.
        unpriced: Calls without a known price.
        doubtful: Dollars at most of calls that were sent and may have been billed although no
            reply was seen (broken connections, killed sessions, calls given up midway), or
            whose server counted no tokens.
        models: Models as the providers named them.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    batched: int = 0
    doubtful: float = 0.0
    models: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Dollars, doubtful ones at their worst."""
        return self.usd + self.doubtful


class Ledger:
    """Calls on disk, shared by all runs; nothing of it is held in memory.

    Args:
        folder: Where the file lies.
        run: Id of the run that calls are booked on.
        fresh: Find only what this run has paid for itself.

    Raises:
        RunFolderError: The file cannot be used.
    """

    def __init__(self, folder: Path, *, run: str, fresh: bool = False) -> None:
        self.run = run
        self._fresh = fresh
        self._me = f"{owner.me()}/{next(_NUMBER)}"
        self._reader = connect(folder)
        self._reader.row_factory = sqlite3.Row
        self._connection = connect(folder)
        self._writer = Writer(self._connection)
        self._prefixes: set[str] = set()

    def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        own = " AND run = ?" if self._fresh else ""
        values = (key, self.run) if self._fresh else (key,)
        row = self._reader.execute(
            f"SELECT reply FROM calls WHERE key = ?{own} ORDER BY id DESC LIMIT 1",
            values,
        ).fetchone()
        return None if row is None else Completion.model_validate_json(unpack(row["reply"]))

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        await self._writer.run(lambda db: _use(db, self.run, key))

    async def claim(self, key: str, usd: float | None, *, seconds: float) -> bool:
        """Announce that this process makes a call, before it is sent.

        Args:
            key: The call's key.
            usd: Its worst case in dollars; counted as spent if the process dies.
            seconds: How long the call can take; after that the claim holds no more, since whether
                a process on another computer lives cannot be told.

        Returns:
            Whether the call is ours; False while another living process is at it.
        """
        until = time.time() + seconds
        row = (key, self.run, self._me, usd, until)
        claimed: bool = await self._writer.run(lambda db: _claim(db, row))
        return claimed

    def holder(self, key: str) -> str | None:
        """Who else is making a call, in words; None if nobody is."""
        sql = "SELECT owner, until FROM claims WHERE key = ?"
        row = self._reader.execute(sql, (key,)).fetchone()
        if row is None or row["owner"] == self._me or not _holds(*row):
            return None
        return owner.in_words(row["owner"])

    async def add(self, call: Call, *, doubtful: float | None = None) -> None:
        """Record a call and drop its claim; it is on the disk when this returns.

        Args:
            call: The call.
            doubtful: Dollars that failed attempts before it may have cost; None for none.
        """
        row = row_of(call, self.run)
        prefix = call.request.prefix
        name = prefix_key(prefix) if prefix else ""
        blob = pack(prefix) if name and name not in self._prefixes else None

        def write(db: sqlite3.Connection) -> None:
            if blob is not None:
                db.execute("INSERT OR IGNORE INTO prefixes VALUES (?, ?)", (name, blob))
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO calls VALUES (NULL, {marks})", row)
            _use(db, self.run, call.key)
            if call.completion.job is not None:
                db.execute(_ANSWERED, (call.key, call.completion.job))
            self._settle(db, call.key, doubtful)

        await self._writer.run(write)
        self._prefixes.add(name)

    async def drop(self, key: str, *, doubtful: float | None = None) -> None:
        """Give up a claim after a failure.

        Args:
            key: The call's key.
            doubtful: Dollars that the failed attempts may have cost; None for none.
        """
        await self._writer.run(lambda db: self._settle(db, key, doubtful))

    def _settle(self, db: sqlite3.Connection, key: str, doubtful: float | None) -> None:
        """Give our claim up, and book what may have been billed beside the reply."""
        db.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, self._me))
        if doubtful:
            db.execute("INSERT INTO doubts VALUES (?, ?, ?)", (self.run, key, doubtful))

    async def bury(self) -> None:
        """Count the calls that killed sessions had under way as spent at their worst."""
        await self._writer.run(_bury)

    def paid(self) -> Paid:
        """What the calls of this run came to."""
        return paid_by(self._reader, self.run)

    @property
    def writer(self) -> Writer:
        """For the parts of the ledger that are kept elsewhere (batch jobs)."""
        return self._writer

    @property
    def reader(self) -> sqlite3.Connection:
        """A connection for reading, in the thread of the caller."""
        return self._reader

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._writer.close()
        self._connection.close()
        self._reader.close()


def paid_by(db: sqlite3.Connection, run: str) -> Paid:
    """What the calls of a run came to."""
    sums = db.execute(
        "SELECT count(*), sum(input), sum(cached), sum(written), sum(output), sum(usd), "
        "sum(usd IS NULL), sum(batch) FROM calls WHERE run = ?",
        (run,),
    ).fetchone()
    (doubtful,) = db.execute("SELECT sum(usd) FROM doubts WHERE run = ?", (run,)).fetchone()
    models = db.execute("SELECT DISTINCT answered FROM calls WHERE run = ?", (run,)).fetchall()
    calls, read, cached, written, output, usd, unpriced, batched = (value or 0 for value in sums)
    return Paid(
        calls=calls,
        input_tokens=read,
        cached_tokens=cached,
        written_tokens=written,
        output_tokens=output,
        usd=float(usd),
        unpriced=unpriced,
        batched=batched,
        doubtful=float(doubtful or 0.0),
        models=tuple(sorted(name for (name,) in models)),
    )


def _use(db: sqlite3.Connection, run: str, key: str) -> None:
    db.execute("INSERT OR IGNORE INTO uses VALUES (?, ?)", (run, key))


def _claim(db: sqlite3.Connection, row: tuple[str, str, str, float | None, float]) -> bool:
    key, me = row[0], row[2]
    held = db.execute("SELECT run, owner, usd, until FROM claims WHERE key = ?", (key,)).fetchone()
    if held is not None and held[1] != me:
        run, holder, usd, until = held
        if _holds(holder, until):
            return False
        db.execute("INSERT INTO doubts VALUES (?, ?, ?)", (run, key, usd))
    db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", row)
    return True


def _holds(holder: str, until: float) -> bool:
    return time.time() < until and owner.alive(holder)


def _bury(db: sqlite3.Connection) -> None:
    rows = db.execute("SELECT key, run, owner, usd, until FROM claims").fetchall()
    for key, run, holder, usd, until in rows:
        if not _holds(holder, until):
            db.execute("INSERT INTO doubts VALUES (?, ?, ?)", (run, key, usd))
            db.execute("DELETE FROM claims WHERE key = ?", (key,))
