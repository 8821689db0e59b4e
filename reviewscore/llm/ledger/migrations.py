"""From the ledger's tables as an earlier version made them to today's: small steps, in order.

A new ledger is made with today's tables (`tables`). An older one is taken from version to version,
each step in a transaction that also writes the new version down, by whoever holds the lock: a
process that is killed leaves whole steps behind, and the next one goes on with the rest. What
other processes of an earlier version still read and write must keep its meaning, since they may
be at work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Connection

from reviewscore.errors import LedgerVersionError
from reviewscore.llm.ledger.tables import job_requests

Step = Callable[[Connection], None]

OLDEST = 2
"""The first version that there are ledgers of."""


def requests_by_label(db: Connection) -> None:
    """An index that finds the requests of a batch job without reading those of all jobs."""
    for index in job_requests.indexes:
        index.create(db)


STEPS: tuple[Step, ...] = (requests_by_label,)
"""The first one leads from `OLDEST` to the version after it; new steps are put at the end."""


def newest() -> int:
    """The version that this program works with."""
    return OLDEST + len(STEPS)


class Versioned(Protocol):
    """What a database gives for its steps."""

    name: str
    """The ledger as users know it."""
    another: str
    """What to do to use another ledger."""

    def version(self, db: Connection) -> int:
        """The version of its tables."""
        ...

    def set_version(self, db: Connection, version: int) -> None:
        """Write the version down, in the transaction that is under way."""
        ...

    def begin_step(self, db: Connection) -> None:
        """Begin a transaction beside which nobody else writes or takes steps."""
        ...


def check(ledger: Versioned, version: int) -> None:
    """Refuse a version that this program knows nothing of.

    Raises:
        LedgerVersionError: It is newer, or older than any step; says what to do.
    """
    if OLDEST <= version <= newest():
        return
    made = "a newer version of reviewscore" if version > newest() else "no release of reviewscore"
    cure = "update reviewscore, or " if version > newest() else ""
    raise LedgerVersionError(
        f"the tables of the ledger {ledger.name} have version {version} and were made by {made}; "
        f"this one knows {OLDEST} to {newest()}: {cure}{ledger.another}"
    )


def migrate(ledger: Versioned, db: Connection) -> None:
    """Take all steps that are missing.

    Raises:
        LedgerVersionError: As `check`.
    """
    while True:
        version = ledger.version(db)
        db.rollback()  # it was only read
        check(ledger, version)
        if version == newest():
            return
        with db.begin():
            ledger.begin_step(db)
            if ledger.version(db) == version:  # nobody was quicker
                STEPS[version - OLDEST](db)
                ledger.set_version(db, version + 1)
