"""Batch jobs in the ledger: written down before they are handed over, so that none is lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from reviewscore.llm.job import Sent
from reviewscore.llm.ledger.book import Ledger
from reviewscore.llm.ledger.tables import job_requests, jobs

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
_ANSWERED = ~exists().where(job_requests.c.label == jobs.c.label)


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
    sent: Mapping[str, Sent]


class JobBook:
    """The jobs of one place. Each belongs to one session, until that ends or dies.

    Args:
        ledger: Where they are written down.
        place: Where they were handed over.
    """

    def __init__(self, ledger: Ledger, place: str) -> None:
        self._ledger, self._place = ledger, place
        self._ours: set[str] = set()

    async def announce(
        self, label: str, requests: Mapping[str, Sent], *, since: float
    ) -> frozenset[str]:
        """Write a job down before it is handed over.

        Returns:
            Keys of requests that are in another session's job by now, and not in this one.
        """
        row = {
            **{"label": label, "place": self._place, "run": self._ledger.run, "job": None},
            **{"since": since, "owner": self._ledger.me, "seen": self._ledger.home.now()},
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
        taken: frozenset[str] = await self._ledger.writer.run(write)
        return taken

    async def handed_over(self, label: str, job: str) -> None:
        """Write the provider's id of a job down."""
        changed = _CHANGED.values(job=job)
        await self._ledger.writer.run(lambda db: _done(db.execute(changed, {"which": label})))

    async def failed(self, label: str, keys: Iterable[str]) -> None:
        """Requests of a job have no reply and will get none from it."""
        rows = [{"k": key, "which": label} for key in keys]
        gone = _WITHOUT.where(job_requests.c.key == bindparam("k"))
        if rows:
            await self._ledger.writer.run(lambda db: _done(db.execute(gone, rows)))

    async def close(self, label: str) -> None:
        """A job is done with, or was never handed over."""

        def write(db: Connection) -> None:
            db.execute(_CHANGED.values(open=0), {"which": label})
            db.execute(_WITHOUT, {"which": label})

        await self._ledger.writer.run(write)
        self._ours.discard(label)

    async def take_up(self) -> tuple[OpenJob, ...]:
        """Make the open jobs ours that no session works at any more."""
        if not await self._ledger.read(self._abandoned):
            return ()

        def write(db: Connection) -> list[str]:
            labels = self._abandoned(db)
            taken = _CHANGED.values(owner=self._ledger.me, seen=self._ledger.home.now())
            if labels:
                db.execute(taken, [{"which": label} for label in labels])
            return labels

        labels = await self._ledger.writer.run(write)
        self._ours.update(labels)
        return tuple(job for job in await self.open() if job.label in labels)

    async def keep(self) -> None:
        """Let other sessions know that our jobs are being worked at."""
        rows = [{"which": label} for label in self._ours]
        seen = _CHANGED.values(seen=self._ledger.home.now())
        if rows:
            await self._ledger.writer.run(lambda db: _done(db.execute(seen, rows)))

    async def leave(self) -> None:
        """Close our jobs whose replies are all recorded, and leave the others to anybody."""
        rows = [{"which": label} for label in self._ours]

        def write(db: Connection) -> None:
            db.execute(_CHANGED.values(owner=""), rows)
            db.execute(_CHANGED.where(_ANSWERED).values(open=0), rows)

        if rows:
            await self._ledger.writer.run(write)
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

    def _abandoned(self, db: Connection) -> list[str]:
        rows = db.execute(_OPEN, {"place": self._place}).all()
        others = [row for row in rows if row.label not in self._ours]
        if not others:
            return []
        long_ago, lives = self._ledger.home.now() - _SILENT, self._ledger.home.living(db)
        return [
            row.label
            for row in others
            if not row.owner or row.seen < long_ago or not lives(row.owner)
        ]

    def _others(self, db: Connection, key: str) -> bool:
        labels = db.execute(_IN_JOBS, {"key": key}).scalars()
        return any(label not in self._ours for label in labels)


def _unanswered(db: Connection, label: str) -> dict[str, Sent]:
    rows = db.execute(_REQUESTS, {"label": label}).all()
    return {row.key: Sent(**json.loads(row.sent)) for row in rows}


def _done(_: object) -> None:
    """Results of statements belong to the connection and are not handed to whoever waits."""
