"""What people do with a ledger: look at it, take calls out of it, empty it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reviewscore.llm.ledger.tables import FILE, call_of, connect, unpack
from reviewscore.schema.call import Call


@dataclass(frozen=True)
class ModelUse:
    """What the calls to one model came to."""

    model: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    usd: float | None


@dataclass(frozen=True)
class Info:
    """What a ledger holds.

    Attributes:
        size: Bytes on the disk, with SQLite's own side files.
        open_jobs: Batch jobs whose replies are not all recorded.
        errors: Real cost of each finished run as a multiple of its estimate (calls where the
            price was not known); runs that used no tokens, such as of written replies, left out.
    """

    path: Path
    size: int
    runs: int
    models: tuple[ModelUse, ...]
    open_jobs: int
    errors: tuple[float, ...]


def info(folder: Path) -> Info:
    """What a ledger holds; nothing is made where there is none."""
    path = folder / FILE
    if not path.is_file():
        return Info(path, 0, 0, (), 0, ())
    size = sum(one.stat().st_size for one in folder.glob(f"{FILE}*"))
    with closing(connect(folder)) as db:
        models = tuple(
            ModelUse(*row)
            for row in db.execute(
                "SELECT model, count(*), sum(input), sum(cached), sum(output), "
                "CASE WHEN sum(usd IS NULL) THEN NULL ELSE sum(usd) END "
                "FROM calls GROUP BY model ORDER BY model"
            )
        )
        (runs,) = db.execute("SELECT count(DISTINCT run) FROM calls").fetchone()
        (jobs,) = db.execute("SELECT count(*) FROM jobs WHERE open = 1").fetchone()
        return Info(path, size, runs, models, jobs, past_errors(db))


def past_errors(db: sqlite3.Connection) -> tuple[float, ...]:
    """Real cost of each finished run as a multiple of its estimate."""
    rows = db.execute(
        "SELECT e.usd, e.calls, sum(c.usd), count(*) FROM estimates e "
        "JOIN calls c ON c.run = e.run WHERE e.finished = 1 GROUP BY e.run "
        "HAVING sum(c.input) + sum(c.output) > 0"
    ).fetchall()
    found = []
    for usd, calls, spent, made in rows:
        if usd and spent is not None:
            found.append(spent / usd)
        elif calls:
            found.append(made / calls)
    return tuple(found)


def note_estimate(
    folder: Path, run: str, model: str, *, calls: float, usd: float | None, finished: bool
) -> None:
    """Remember what a run was estimated to need, so that later estimates can be judged.

    Args:
        folder: Where the ledger lies.
        run: The run; its first estimate counts.
        model: What was estimated for.
        calls: Estimated calls.
        usd: Estimated dollars; None if the price was not known.
        finished: Whether the run was finished whole, and paid for all its calls itself.
    """
    with closing(connect(folder)) as db:
        db.execute(
            "INSERT OR IGNORE INTO estimates (run, model, calls, usd) VALUES (?, ?, ?, ?)",
            (run, model, calls, usd),
        )
        db.execute("UPDATE estimates SET finished = ? WHERE run = ?", (finished, run))


def exported(folder: Path, *, run: str | None = None) -> Iterator[Call]:
    """Calls with their whole requests, in the order they were made.

    Args:
        folder: Where the ledger lies.
        run: Only calls that this run has used, whichever run paid for them.
    """
    if not (folder / FILE).is_file():
        return
    where = " WHERE key IN (SELECT key FROM uses WHERE run = ?)" if run is not None else ""
    with closing(connect(folder)) as db:
        db.row_factory = sqlite3.Row
        values = (run,) if run is not None else ()
        for row in db.execute(f"SELECT * FROM calls{where} ORDER BY id", values):
            yield call_of(row, _prefix(db, row["prefix"]))


def _prefix(db: sqlite3.Connection, name: str) -> str:
    if not name:
        return ""
    (blob,) = db.execute("SELECT text FROM prefixes WHERE prefix = ?", (name,)).fetchone()
    return unpack(blob)


def clear(folder: Path) -> int:
    """Delete a ledger with everything in it; returns the bytes set free."""
    files = list(folder.glob(f"{FILE}*"))
    size = sum(one.stat().st_size for one in files)
    for one in files:
        one.unlink()
    return size
