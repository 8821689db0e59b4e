"""What tests look up in a ledger."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from reviewscore.llm.ledger.store import FILE, Location
from tests.postgres import running

ALIKE = multiprocessing.get_context("forkserver")
"""Processes that share nothing, but were forked from one that had loaded the modules."""


def at_once(work: Callable[[Location], None], place: Location, count: int = 4) -> list[int | None]:
    """Exit codes of processes that do the same work on a ledger at the same time."""
    begun = [ALIKE.Process(target=work, args=(place,)) for _ in range(count)]
    for one in begun:
        one.start()
    for one in begun:
        one.join(60)
    return [one.exitcode for one in begun]


def asked(place: Location, sql: str, *values: object) -> list[tuple[object, ...]]:
    """What a statement with question marks finds or does in a ledger, past the program."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place / FILE, timeout=30)) as db, db:
            return db.execute(sql, values).fetchall()
    with closing(running().connect(place.rpartition("/")[2])) as connection:
        cursor = connection.cursor()
        cursor.execute(sql.replace("?", "%s"), values)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []


def column(folder: Path, name: str) -> list[str]:
    """A column of all calls in a folder's ledger, in the order they were recorded."""
    path = folder / "ledger.sqlite"
    if not path.is_file():
        return []
    with closing(sqlite3.connect(path, timeout=30)) as db:
        try:
            return [value for (value,) in db.execute(f"SELECT {name} FROM calls ORDER BY id")]
        except sqlite3.OperationalError:  # its tables are being made
            return []


def wait_for_calls(folder: Path, count: int) -> None:
    """Wait until so many calls are recorded."""
    for _ in range(600):
        if len(column(folder, "key")) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{folder} never got {count} calls")
