"""The record of calls in a database, shared by all runs, and the batch jobs that are under way."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Delete,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    update,
)

from reviewscore.errors import RunFolderError
from reviewscore.llm.ledger.connection import (
    Backend,
    LedgerConnection,
    LedgerReader,
    Writer,
    backend_of,
)
from reviewscore.llm.ledger.store import Location, Paid, describe_owner, process_name
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
from reviewscore.llm.provider import SentRequest
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
        location: Where it lies.
        run: Id of the run that calls are booked on.
        fresh: Find only what this run has paid for itself.

    Raises:
        RunFolderError: It cannot be used.
    """

    def __init__(self, location: Location, *, run: str, fresh: bool = False) -> None:
        self.run = run
        self.me = f"{process_name()}/{next(_NUMBER)}"
        self._fresh = fresh
        self.backend: Backend = backend_of(location)
        reading = LedgerConnection(self.backend)
        try:
            writing = LedgerConnection(self.backend, self.me)
        except BaseException:
            reading.close()
            raise
        self._reader, self._writer = LedgerReader(reading), Writer(writing)
        self._prefixes: set[str] = set()

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""

        def look(db: Connection) -> Completion | None:
            reply = self._reply(db, key)
            return None if reply is None else Completion.model_validate_json(unpack(reply))

        return await self.read(look)

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        await self.write(lambda db: self._use(db, key))

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Announce a call before it is sent, as `CallStore.claim` says.

        Whether a process on another computer lives cannot always be told: hence its end in time.
        """
        until = self.backend.now() + seconds
        row = {"key": key, "run": self.run, "owner": self.me, "usd": usd, "until": until}

        def write(db: Connection) -> bool:
            held = db.execute(_CLAIMED, {"key": key}).first()
            if held is not None:
                if held.owner != self.me:
                    if self._holds(db)(held.owner, held.until):
                        return False
                    _book_as_possibly_billed(db, held.run, key, held.usd)
                db.execute(_FREE, {"k": key})
            if unless_known and self._reply(db, key) is not None:
                return False
            db.execute(_CLAIM, row)
            return True

        return await self.write(write)

    async def holder(self, key: str) -> str | None:
        """Who else is making a call, in words; None if nobody is."""

        def look(db: Connection) -> str | None:
            held = db.execute(_CLAIMED, {"key": key}).first()
            if held is None or held.owner == self.me:
                return None
            return describe_owner(held.owner) if self._holds(db)(held.owner, held.until) else None

        return await self.read(look)

    async def add(self, call: Call, *, possibly_billed: float | None = None) -> None:
        """Record a call and drop its claim; it is on the disk when this returns.

        Args:
            call: The call.
            possibly_billed: Dollars that failed attempts before it may have cost.
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
            self._settle(db, call.key, possibly_billed)

        await self.write(write)
        self._prefixes.add(name)

    async def drop(self, key: str, *, possibly_billed: float | None = None) -> None:
        """Give up a claim after a failure.

        Args:
            key: The call's key.
            possibly_billed: Dollars that the failed attempts may have cost.
        """
        await self.write(lambda db: self._settle(db, key, possibly_billed))

    async def reclaim_stale_claims(self) -> None:
        """Count the calls that killed sessions had under way as spent at their worst."""

        def write(db: Connection) -> None:
            rows = db.execute(select(claims)).all()
            holds = self._holds(db) if rows else None
            for row in rows:
                if holds is not None and not holds(row.owner, row.until):
                    _book_as_possibly_billed(db, row.run, row.key, row.usd)
                    db.execute(_FREE, {"k": row.key})

        await self.write(write)

    async def paid(self) -> Paid:
        """What the calls of this run came to.

        Raises:
            RunFolderError: An amount is none, such as one below zero; names file and row.
        """
        return await self.read(lambda db: paid_by(db, self.run, self.backend.name))

    def check_lasting(self) -> None:
        """It lasts."""

    def batch_jobs(self, place: str) -> BatchJobStore:
        """The batch jobs that were handed over at a provider's place."""
        return BatchJobStore(self, place)

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Look something up, while the loop goes on."""
        result: Result = await self._reader.run(work)
        return result

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Change something; it is on the disk when this returns."""
        result: Result = await self._writer.run(work)
        return result

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

    def _settle(self, db: Connection, key: str, possibly_billed: float | None) -> None:
        """Give our claim up, and book what may have been billed beside the reply."""
        db.execute(_FREE_OURS, {"k": key, "me": self.me})
        if possibly_billed:
            _book_as_possibly_billed(db, self.run, key, possibly_billed)

    def _holds(self, db: Connection) -> Callable[[str, float], bool]:
        """Tells of claims, by owner and end, whether they still hold."""
        now, lives = self.backend.now(), self.backend.living(db)
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


def _book_as_possibly_billed(db: Connection, run: str, key: str, usd: float | None) -> None:
    db.execute(_DOUBT, {"run": run, "key": key, "usd": usd})


_SILENT = 900.0
"""Seconds after which a session that was not heard of has surely died, wherever it ran."""
_OPEN = (
    select(jobs).where(jobs.c.open == 1, jobs.c.place == bindparam("place")).order_by(jobs.c.since)
)
_KNOWN = select(jobs.c.job).where(jobs.c.place == bindparam("place"), jobs.c.job.is_not(None))
_REQUESTS = select(job_requests).where(job_requests.c.label == bindparam("label"))
_IN_JOBS = (
    select(job_requests.c.label)
    .join(jobs, jobs.c.label == job_requests.c.label)
    .where(job_requests.c.key == bindparam("key"), jobs.c.open == 1)
)
_CHANGED = update(jobs).where(jobs.c.label == bindparam("which"))
_WITHOUT = delete(job_requests).where(job_requests.c.label == bindparam("which"))
_ALL_ANSWERED = ~exists().where(job_requests.c.label == jobs.c.label)


@dataclass(frozen=True)
class OpenJob:
    """A job whose replies are not all recorded yet.

    Attributes:
        label: Our own name of the job.
        job: The provider's id; None if the program ended before it was known.
        since: Unix time at which it was written down.
        sent: Keys of its requests that have no recorded reply yet, and how they were sent.
    """

    label: str
    job: str | None
    since: float
    sent: Mapping[str, SentRequest]


class BatchJobStore:
    """The jobs of one place. Each belongs to one session, until that ends or dies.

    Args:
        ledger: Where they are written down.
        place: Where they were handed over.
    """

    def __init__(self, ledger: Ledger, place: str) -> None:
        self._ledger, self._place = ledger, place
        self._ours: set[str] = set()

    async def announce(
        self, label: str, requests: Mapping[str, SentRequest], *, since: float
    ) -> frozenset[str]:
        """Write a job down before it is handed over.

        Returns:
            Keys of requests that are in another session's job by now, and not in this one.
        """
        row = {
            **{"label": label, "place": self._place, "run": self._ledger.run, "job": None},
            **{"since": since, "owner": self._ledger.me, "seen": self._ledger.backend.now()},
            "open": 1,
        }

        def write(db: Connection) -> frozenset[str]:
            taken = frozenset(key for key in requests if self._others(db, key))
            db.execute(insert(jobs), row)
            rows = [
                {"key": key, "label": label, "sent": json.dumps(asdict(sent))}
                for key, sent in requests.items()
                if key not in taken
            ]
            if rows:
                db.execute(insert(job_requests), rows)
            return taken

        self._ours.add(label)
        return await self._ledger.write(write)

    async def handed_over(self, label: str, job: str) -> None:
        """Write the provider's id of a job down."""
        await self._change(_CHANGED.values(job=job), [{"which": label}])

    async def failed(self, label: str, keys: Iterable[str]) -> None:
        """Requests of a job have no reply and will get none from it."""
        gone = _WITHOUT.where(job_requests.c.key == bindparam("k"))
        await self._change(gone, [{"k": key, "which": label} for key in keys])

    async def close(self, label: str) -> None:
        """A job is done with, or was never handed over."""

        def write(db: Connection) -> None:
            db.execute(_CHANGED.values(open=0), {"which": label})
            db.execute(_WITHOUT, {"which": label})

        await self._ledger.write(write)
        self._ours.discard(label)

    async def take_up(self) -> tuple[OpenJob, ...]:
        """Make the open jobs ours that no session works at any more."""
        if not await self._ledger.read(self._abandoned):
            return ()

        def write(db: Connection) -> list[str]:
            labels = self._abandoned(db)
            taken = _CHANGED.values(owner=self._ledger.me, seen=self._ledger.backend.now())
            if labels:
                db.execute(taken, [{"which": label} for label in labels])
            return labels

        labels = await self._ledger.write(write)
        self._ours.update(labels)
        return tuple(job for job in await self.open() if job.label in labels)

    async def keep(self) -> None:
        """Let other sessions know that our jobs are being worked at."""
        seen = _CHANGED.values(seen=self._ledger.backend.now())
        await self._change(seen, [{"which": label} for label in self._ours])

    async def leave(self) -> None:
        """Close our jobs whose replies are all recorded, and leave the others to anybody."""
        rows = [{"which": label} for label in self._ours]

        def write(db: Connection) -> None:
            db.execute(_CHANGED.values(owner=""), rows)
            db.execute(_CHANGED.where(_ALL_ANSWERED).values(open=0), rows)

        if rows:
            await self._ledger.write(write)
        self._ours.clear()

    async def elsewhere(self, key: str) -> bool:
        """Whether a request is in an open job that is not ours."""
        return await self._ledger.read(lambda db: self._others(db, key))

    async def known(self) -> frozenset[str]:
        """Ids of all jobs of this place."""
        here = {"place": self._place}
        return await self._ledger.read(lambda db: frozenset(db.execute(_KNOWN, here).scalars()))

    async def open(self) -> tuple[OpenJob, ...]:
        """Jobs that may still hold replies, whoever works at them."""

        def look(db: Connection) -> tuple[OpenJob, ...]:
            rows = db.execute(_OPEN, {"place": self._place}).all()
            return tuple(
                OpenJob(row.label, row.job, row.since, _unanswered(db, row.label)) for row in rows
            )

        return await self._ledger.read(look)

    async def _change(self, statement: Update | Delete, rows: list[dict[str, str]]) -> None:
        def write(db: Connection) -> None:
            db.execute(statement, rows)

        if rows:
            await self._ledger.write(write)

    def _abandoned(self, db: Connection) -> list[str]:
        rows = db.execute(_OPEN, {"place": self._place}).all()
        others = [row for row in rows if row.label not in self._ours]
        if not others:
            return []
        long_ago, lives = self._ledger.backend.now() - _SILENT, self._ledger.backend.living(db)
        return [
            row.label
            for row in others
            if not row.owner or row.seen < long_ago or not lives(row.owner)
        ]

    def _others(self, db: Connection, key: str) -> bool:
        labels = db.execute(_IN_JOBS, {"key": key}).scalars()
        return any(label not in self._ours for label in labels)


def _unanswered(db: Connection, label: str) -> dict[str, SentRequest]:
    rows = db.execute(_REQUESTS, {"label": label}).all()
    return {row.key: SentRequest(**json.loads(row.sent)) for row in rows}
