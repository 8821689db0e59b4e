"""The ledger as a run uses it: look up, claim, record, count."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
)

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger import owner
from reviewscore.llm.ledger.link import Home, Link, home_of
from reviewscore.llm.ledger.paid import Paid
from reviewscore.llm.ledger.place import Place
from reviewscore.llm.ledger.tables import (
    calls,
    claims,
    doubts,
    job_requests,
    jobs,
    pack,
    prefixes,
    row_of,
    unless_there,
    unpack,
    uses,
)
from reviewscore.llm.ledger.threads import Reader, Writer
from reviewscore.schema.call import Call, Completion, prefix_key

Result = TypeVar("Result")

_FOUND = (
    select(calls.c.reply)
    .where(calls.c.key == bindparam("key"))
    .order_by(calls.c.id.desc())
    .limit(1)
)
_FOUND_OWN = _FOUND.where(calls.c.run == bindparam("run"))
_RECORD = insert(calls)
_DOUBT = insert(doubts)
_CLAIM = insert(claims)
_CLAIMED = select(claims).where(claims.c.key == bindparam("key"))
_FREE = delete(claims).where(claims.c.key == bindparam("k"))
_FREE_OURS = _FREE.where(claims.c.owner == bindparam("me"))
_ANSWERED = delete(job_requests).where(
    job_requests.c.key == bindparam("k"),
    job_requests.c.label.in_(select(jobs.c.label).where(jobs.c.job == bindparam("j"))),
)
"""A request of a batch job is done with when its reply is recorded, in the same transaction."""
_AMOUNTS = ("input", "cached", "written", "output", "usd")
_SUMS = select(
    func.count(),
    *(func.sum(calls.c[name]) for name in _AMOUNTS),
    func.count() - func.count(calls.c.usd),
    func.sum(calls.c.batch),
).where(calls.c.run == bindparam("run"))
_DOUBTFUL = select(func.sum(doubts.c.usd)).where(doubts.c.run == bindparam("run"))
_MODELS = select(calls.c.answered).where(calls.c.run == bindparam("run")).distinct()


def _no_amounts(table: Table, *names: str) -> Select[Any]:
    """The first row of a run with an amount that no program wrote: below 0, not finite, a text.

    Databases sort infinity, NaN and texts after all finite numbers, or hold them as NULL.
    """
    row = table.c.id if "id" in table.c else literal(None)
    wrong = (
        and_(table.c[name].is_not(None), not_(table.c[name].between(0, sys.float_info.max)))
        for name in names
    )
    mine = table.c.run == bindparam("run")
    return select(row, table.c.key, *(table.c[name] for name in names)).where(mine, or_(*wrong))


_IMPOSSIBLE = {
    "calls": (_no_amounts(calls, *_AMOUNTS).limit(1), _AMOUNTS),
    "doubts": (_no_amounts(doubts, "usd").limit(1), ("usd",)),
}
_PARTING = 1.0
"""Seconds for which a look-up is waited for at the end; nobody wants its answer any more."""
_NUMBER = count()
"""Tells ledgers of one process apart: what one of them claims, the others have to wait for."""


class Ledger:
    """Calls on disk, shared by all runs; nothing of it is held in memory.

    Args:
        place: Where it lies.
        run: Id of the run that calls are booked on.
        fresh: Find only what this run has paid for itself.

    Raises:
        RunFolderError: It cannot be used.
    """

    def __init__(self, place: Place, *, run: str, fresh: bool = False) -> None:
        self.run = run
        self.me = f"{owner.me()}/{next(_NUMBER)}"
        self._fresh = fresh
        self.home: Home = home_of(place)
        reading = Link(self.home)
        try:
            writing = Link(self.home, self.me)
        except BaseException:
            reading.close()
            raise
        self._reader, self._writer = Reader(reading), Writer(writing)
        self._prefixes: set[str] = set()

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""

        def look(db: Connection) -> Completion | None:
            reply = self._reply(db, key)
            return None if reply is None else Completion.model_validate_json(unpack(reply))

        return await self.read(look)

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        await self._writer.run(lambda db: self._use(db, key))

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Announce that this process makes a call, before it is sent.

        Args:
            key: The call's key.
            usd: Its worst case in dollars; counted as spent if the process dies.
            seconds: How long the call can take; after that the claim holds no more, since whether
                a process on another computer lives cannot always be told.
            unless_known: Whether a call that has a reply by now is not to be made.

        Returns:
            Whether the call is ours; False while another living process is at it, or if it is not
            to be made.
        """
        until = self.home.now() + seconds
        row = {"key": key, "run": self.run, "owner": self.me, "usd": usd, "until": until}

        def write(db: Connection) -> bool:
            held = db.execute(_CLAIMED, {"key": key}).first()
            if held is not None:
                if held.owner != self.me:
                    if self._holds(db)(held.owner, held.until):
                        return False
                    _doubt(db, held.run, key, held.usd)
                db.execute(_FREE, {"k": key})
            if unless_known and self._reply(db, key) is not None:
                return False
            db.execute(_CLAIM, row)
            return True

        claimed: bool = await self._writer.run(write)
        return claimed

    async def holder(self, key: str) -> str | None:
        """Who else is making a call, in words; None if nobody is."""

        def look(db: Connection) -> str | None:
            held = db.execute(_CLAIMED, {"key": key}).first()
            if held is None or held.owner == self.me:
                return None
            return owner.in_words(held.owner) if self._holds(db)(held.owner, held.until) else None

        return await self.read(look)

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

        def write(db: Connection) -> None:
            if blob is not None:
                put = unless_there(prefixes, db.dialect.name)
                db.execute(put, {"prefix": name, "text": blob})
            db.execute(_RECORD, row)
            self._use(db, call.key)
            if call.completion.job is not None:
                db.execute(_ANSWERED, {"k": call.key, "j": call.completion.job})
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

    async def bury(self) -> None:
        """Count the calls that killed sessions had under way as spent at their worst."""

        def write(db: Connection) -> None:
            rows = db.execute(select(claims)).all()
            holds = self._holds(db) if rows else None
            for row in rows:
                if holds is not None and not holds(row.owner, row.until):
                    _doubt(db, row.run, row.key, row.usd)
                    db.execute(_FREE, {"k": row.key})

        await self._writer.run(write)

    async def paid(self) -> Paid:
        """What the calls of this run came to.

        Raises:
            RunFolderError: An amount is none, such as one below zero; names file and row.
        """
        return await self.read(lambda db: paid_by(db, self.run, self.home.name))

    @property
    def writer(self) -> Writer:
        """For the parts of the ledger that are kept elsewhere (batch jobs)."""
        return self._writer

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Look something up, while the loop goes on."""
        found: Result = await self._reader.run(work)
        return found

    def close(self) -> None:
        """Finish what is being written and close the connections."""
        self._reader.close(seconds=_PARTING)
        self._writer.close()

    def _reply(self, db: Connection, key: str) -> bytes | None:
        """The latest reply to an equal call, as it is stored."""
        if self._fresh:
            return db.execute(_FOUND_OWN, {"key": key, "run": self.run}).scalar()
        return db.execute(_FOUND, {"key": key}).scalar()

    def _use(self, db: Connection, key: str) -> None:
        db.execute(unless_there(uses, db.dialect.name), {"run": self.run, "key": key})

    def _settle(self, db: Connection, key: str, doubtful: float | None) -> None:
        """Give our claim up, and book what may have been billed beside the reply."""
        db.execute(_FREE_OURS, {"k": key, "me": self.me})
        if doubtful:
            _doubt(db, self.run, key, doubtful)

    def _holds(self, db: Connection) -> Callable[[str, float], bool]:
        """Tells of claims, by owner and end, whether they still hold."""
        now, lives = self.home.now(), self.home.living(db)
        return lambda holder, until: now < until and lives(holder)


def paid_by(db: Connection, run: str, name: str) -> Paid:
    """What the calls of a run came to.

    Args:
        db: The ledger.
        run: The run.
        name: The ledger as users know it.

    Raises:
        RunFolderError: An amount is none; a sum with it could hide what was spent.
    """
    values = {"run": run}
    for table, (statement, columns) in _IMPOSSIBLE.items():
        row = db.execute(statement, values).first()
        if row is not None:
            raise RunFolderError(_impossible(name, table, columns, tuple(row)))
    sums = db.execute(_SUMS, values).one()
    made, read, cached, written, output, usd, unpriced, batched = (value or 0 for value in sums)
    return Paid(
        calls=int(made),
        input_tokens=int(read),
        cached_tokens=int(cached),
        written_tokens=int(written),
        output_tokens=int(output),
        usd=float(usd),
        unpriced=int(unpriced),
        batched=int(batched),
        doubtful=float(db.execute(_DOUBTFUL, values).scalar() or 0.0),
        models=tuple(sorted(db.execute(_MODELS, values).scalars())),
    )


def _impossible(ledger: str, table: str, columns: tuple[str, ...], row: tuple[object, ...]) -> str:
    number, key, *amounts = row
    said = ", ".join(f"{name} {value!r}" for name, value in zip(columns, amounts, strict=True))
    place = f"call {str(key)[:80]!r}" if number is None else f"row {number}"
    return (
        f"the ledger {ledger} holds an amount that is none in table {table}, {place} ({said}): "
        "it was changed by hand, and what was spent cannot be told from it; use another run "
        "folder, or move this ledger away"
    )


def _doubt(db: Connection, run: str, key: str, usd: float | None) -> None:
    db.execute(_DOUBT, {"run": run, "key": key, "usd": usd})
