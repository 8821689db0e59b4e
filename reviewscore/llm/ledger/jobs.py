"""Batch jobs in the ledger: written down before they are handed over, so that none is lost."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from reviewscore.llm.job import Sent
from reviewscore.llm.ledger import owner
from reviewscore.llm.ledger.book import Ledger

_SILENT = 900.0
"""Seconds after which a session that was not heard of has surely died, wherever it ran."""
_OPEN = (
    "SELECT label, job, since, owner, seen FROM jobs WHERE open = 1 AND place = ? ORDER BY since"
)


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

        def write(db: sqlite3.Connection) -> frozenset[str]:
            taken = frozenset(key for key in requests if self._others(db, key))
            row = (label, self._place, self._ledger.run, None, since, owner.me(), since, 1)
            db.execute("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            rows = [
                (key, label, json.dumps(asdict(sent)))
                for key, sent in requests.items()
                if key not in taken
            ]
            db.executemany("INSERT INTO job_requests VALUES (?, ?, ?)", rows)
            return taken

        self._ours.add(label)
        taken: frozenset[str] = await self._ledger.writer.run(write)
        return taken

    async def handed_over(self, label: str, job: str) -> None:
        """Write the provider's id of a job down."""
        sql = "UPDATE jobs SET job = ? WHERE label = ?"
        await self._ledger.writer.run(lambda db: db.execute(sql, (job, label)))

    async def failed(self, label: str, keys: Iterable[str]) -> None:
        """Requests of a job have no reply and will get none from it."""
        rows = [(key, label) for key in keys]
        sql = "DELETE FROM job_requests WHERE key = ? AND label = ?"
        await self._ledger.writer.run(lambda db: db.executemany(sql, rows))

    async def close(self, label: str) -> None:
        """A job is done with, or was never handed over."""

        def write(db: sqlite3.Connection) -> None:
            db.execute("UPDATE jobs SET open = 0 WHERE label = ?", (label,))
            db.execute("DELETE FROM job_requests WHERE label = ?", (label,))

        await self._ledger.writer.run(write)
        self._ours.discard(label)

    async def take_up(self) -> tuple[OpenJob, ...]:
        """Make the open jobs ours that no session works at any more."""
        if not self._abandoned(self._ledger.reader):
            return ()

        def write(db: sqlite3.Connection) -> list[str]:
            labels = self._abandoned(db)
            rows = [(owner.me(), time.time(), label) for label in labels]
            db.executemany("UPDATE jobs SET owner = ?, seen = ? WHERE label = ?", rows)
            return labels

        labels = await self._ledger.writer.run(write)
        self._ours.update(labels)
        return tuple(job for job in self.open() if job.label in labels)

    async def keep(self) -> None:
        """Let other sessions know that our jobs are being worked at."""
        rows = [(time.time(), label) for label in self._ours]
        sql = "UPDATE jobs SET seen = ? WHERE label = ?"
        await self._ledger.writer.run(lambda db: db.executemany(sql, rows))

    async def leave(self) -> None:
        """Close our jobs whose replies are all recorded, and leave the others to anybody."""
        rows = [(label,) for label in self._ours]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE jobs SET owner = '' WHERE label = ?", rows)
            db.executemany(
                "UPDATE jobs SET open = 0 WHERE label = ? AND NOT EXISTS "
                "(SELECT 1 FROM job_requests WHERE job_requests.label = jobs.label)",
                rows,
            )

        await self._ledger.writer.run(write)
        self._ours.clear()

    def elsewhere(self, key: str) -> bool:
        """Whether a request is in an open job that is not ours."""
        return self._others(self._ledger.reader, key)

    def known(self) -> frozenset[str]:
        """Ids of all jobs of this place."""
        sql = "SELECT job FROM jobs WHERE place = ? AND job IS NOT NULL"
        rows = self._ledger.reader.execute(sql, (self._place,)).fetchall()
        return frozenset(row["job"] for row in rows)

    def open(self) -> tuple[OpenJob, ...]:
        """Jobs that may still hold replies, whoever works at them."""
        rows = self._ledger.reader.execute(_OPEN, (self._place,)).fetchall()
        return tuple(
            OpenJob(row["label"], row["job"], row["since"], self._unanswered(row["label"]))
            for row in rows
        )

    def _unanswered(self, label: str) -> dict[str, Sent]:
        rows = self._ledger.reader.execute(
            "SELECT key, sent FROM job_requests WHERE label = ?", (label,)
        ).fetchall()
        return {row["key"]: Sent(**json.loads(row["sent"])) for row in rows}

    def _abandoned(self, db: sqlite3.Connection) -> list[str]:
        return [
            label
            for label, _, _, holder, seen in db.execute(_OPEN, (self._place,)).fetchall()
            if label not in self._ours
            and (not holder or seen < time.time() - _SILENT or not owner.alive(holder))
        ]

    def _others(self, db: sqlite3.Connection, key: str) -> bool:
        rows = db.execute(
            "SELECT label FROM job_requests JOIN jobs USING (label) WHERE key = ? AND open = 1",
            (key,),
        ).fetchall()
        return any(label not in self._ours for (label,) in rows)
