"""The tables of the ledger, the same in both databases, and the steps from earlier versions.

A new ledger is made with today's tables; whoever changes one adds a step. An older ledger is taken
from version to version, each step in a transaction that also writes the new version down, by
whoever holds the lock: a process that is killed leaves whole steps behind, and the next one goes on
with the rest. What other processes of an earlier version still read and write must keep its
meaning, since they may be at work.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    Index,
    Insert,
    Integer,
    LargeBinary,
    MetaData,
    RowMapping,
    Table,
    Text,
)
from sqlalchemy.dialects import postgresql, sqlite

from reviewscore.errors import LedgerVersionError
from reviewscore.llm.ledger.connection import Backend
from reviewscore.schema.call import Call, Completion, Request, prefix_key

METADATA = MetaData()
_BIG = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows itself only where the type is called INTEGER; its integers are all big."""
_REAL: Double[float] = Double()

calls = Table(
    "calls",
    METADATA,
    Column("id", _BIG, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("key", "place", "model", "stage", "run")),
    Column("prefix", Text, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("reply", LargeBinary, nullable=False),
    Column("answered", Text, nullable=False),
    *(Column(name, _BIG, nullable=False) for name in ("input", "cached", "written", "output")),
    Column("usd", _REAL),
    Column("batch", _BIG, nullable=False),
    Column("attempts", _BIG, nullable=False),
    Column("started", Text, nullable=False),
    Column("seconds", _REAL, nullable=False),
    Index("calls_by_key", "key").ddl_if(dialect="sqlite"),
    # SQLite's indexes hold the id anyway. PostgreSQL would else find the latest call of a key by
    # reading all calls backwards, which it takes to be short.
    Index("calls_by_key", "key", "id").ddl_if(dialect="postgresql"),
    Index("calls_by_run", "run"),
)
prefixes = Table(
    "prefixes",
    METADATA,
    Column("prefix", Text, primary_key=True),
    Column("text", LargeBinary, nullable=False),
)
uses = Table(
    "uses",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    sqlite_with_rowid=False,
)
claims = Table(
    "claims",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("run", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("usd", _REAL),
    Column("until", _REAL, nullable=False),
    sqlite_with_rowid=False,
)
doubts = Table(
    "doubts",
    METADATA,
    Column("run", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("usd", _REAL),
)
jobs = Table(
    "jobs",
    METADATA,
    Column("label", Text, primary_key=True),
    Column("place", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("job", Text),
    Column("since", _REAL, nullable=False),
    Column("owner", Text, nullable=False),
    Column("seen", _REAL, nullable=False),
    Column("open", _BIG, nullable=False),
    Index("jobs_by_id", "job"),
)
job_requests = Table(
    "job_requests",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("label", Text, primary_key=True),
    Column("sent", Text, nullable=False),
    Index("job_requests_by_label", "label"),
    sqlite_with_rowid=False,
)
estimates = Table(
    "estimates",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("model", Text, nullable=False),
    Column("calls", _REAL),
    Column("usd", _REAL),
    Column("finished", _BIG, nullable=False, server_default="0"),
)


@cache
def unless_there(table: Table, dialect: str) -> Insert:
    """An insert that leaves a row as it is that has the same key."""
    if dialect == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


def pack(text: str) -> bytes:
    """Text as it is stored: quick compression halves prompts, which repeat themselves."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(blob: bytes) -> str:
    """The text of a stored blob."""
    return zlib.decompress(blob).decode("utf-8", "surrogatepass")


def row_of(call: Call, run: str) -> dict[str, object]:
    """A call as a row, without its prefix, which is stored once for all calls."""
    usage = call.completion.usage
    request = call.request
    return {
        "key": call.key,
        "place": call.place,
        "model": request.model,
        "stage": call.stage,
        "run": run,
        "prefix": prefix_key(request.prefix) if request.prefix else "",
        "request": pack(request.model_dump_json(exclude={"prefix"})),
        "reply": pack(call.completion.model_dump_json()),
        "answered": call.completion.model.replace("\0", ""),  # PostgreSQL's text cannot hold it
        "input": usage.input_tokens,
        "cached": usage.cached_tokens,
        "written": usage.written_tokens,
        "output": usage.output_tokens,
        "usd": call.usd,
        "batch": int(call.completion.batch),
        "attempts": call.attempts,
        "started": call.started,
        "seconds": call.seconds,
    }


def call_of(row: RowMapping, prefix: str) -> Call:
    """A row as the call it was."""
    bare = Request.model_validate_json(unpack(row["request"]))
    return Call(
        key=row["key"],
        place=row["place"],
        stage=row["stage"],
        request=bare.model_copy(update={"prefix": prefix}),
        completion=Completion.model_validate_json(unpack(row["reply"])),
        attempts=row["attempts"],
        started=row["started"],
        seconds=row["seconds"],
        usd=row["usd"],
    )


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


def check(ledger: Backend, version: int) -> None:
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


def migrate(ledger: Backend, db: Connection) -> None:
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
