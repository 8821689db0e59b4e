"""Batch jobs in the ledger: written down before they are handed over, so that none is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from reviewscore.llm.ledger.book import Ledger


@dataclass(frozen=True)
class OpenJob:
    """A job whose replies are not all recorded yet.

    Attributes:
        label: Our own name of the job.
        job: The provider's id; None if the program ended before it was known.
        since: Unix time at which it was written down.
        keys: Requests in it that have no recorded reply yet.
    """

    label: str
    job: str | None
    since: float
    keys: frozenset[str]


class JobBook:
    """The jobs of one place.

    Args:
        ledger: Where they are written down.
        place: Where they were handed over.
    """

    def __init__(self, ledger: Ledger, place: str) -> None:
        self._ledger, self._place = ledger, place

    async def announce(self, label: str, keys: Iterable[str], *, since: float) -> None:
        """Write a job down before it is handed over."""
        rows = [(key, label) for key in keys]

        def write(db: sqlite3.Connection) -> None:
            values = (label, self._place, self._ledger.run, None, since, 1)
            db.execute("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?)", values)
            db.executemany("INSERT INTO job_requests VALUES (?, ?)", rows)

        await self._ledger.writer.run(write)

    async def handed_over(self, label: str, job: str) -> None:
        """Write the provider's id of a job down."""
        sql = "UPDATE jobs SET job = ? WHERE label = ?"
        await self._ledger.writer.run(lambda db: db.execute(sql, (job, label)))

    async def failed(self, label: str, key: str) -> None:
        """A request of a job has no reply and will get none from it."""
        sql = "DELETE FROM job_requests WHERE key = ? AND label = ?"
        await self._ledger.writer.run(lambda db: db.execute(sql, (key, label)))

    async def close(self, label: str) -> None:
        """A job is done with, or was never handed over."""

        def write(db: sqlite3.Connection) -> None:
            db.execute("UPDATE jobs SET open = 0 WHERE label = ?", (label,))
            db.execute("DELETE FROM job_requests WHERE label = ?", (label,))

        await self._ledger.writer.run(write)

    async def tidy(self) -> None:
        """Close the jobs whose replies are all recorded."""
        for job in self.open():
            if not job.keys:
                await self.close(job.label)

    def open(self) -> tuple[OpenJob, ...]:
        """Jobs that may still hold replies."""
        rows = self._ledger.reader.execute(
            "SELECT label, job, since FROM jobs WHERE open = 1 AND place = ? ORDER BY since",
            (self._place,),
        ).fetchall()
        return tuple(
            OpenJob(row["label"], row["job"], row["since"], self._unanswered(row["label"]))
            for row in rows
        )

    def _unanswered(self, label: str) -> frozenset[str]:
        rows = self._ledger.reader.execute(
            "SELECT key FROM job_requests WHERE label = ? "
            "AND NOT EXISTS (SELECT 1 FROM calls WHERE calls.key = job_requests.key)",
            (label,),
        ).fetchall()
        return frozenset(row["key"] for row in rows)
