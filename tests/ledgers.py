"""What tests look up in a ledger."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.ledger.tables import pack
from reviewscore.schema.call import Call, Completion, Message, Request, Usage
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


def wait_for_calls(folder: Path, count: int, *, seconds: float = 30) -> None:
    """Wait until so many calls are recorded, about so long."""
    for _ in range(int(seconds / 0.05)):
        if len(column(folder, "key")) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{folder} never got {count} calls")


PAPER = "We count frogs in nine ponds and compare the counts with those of two patient biologists."
SECRET = "The reviewer says that nobody has counted any frogs in this pond before last summer."


def paid_call(text: str = SECRET, *, prefix: str = PAPER, model: str = "openai/x") -> Call:
    """A call with a reply that repeats its text."""
    request = Request(
        model=model, system="s", prefix=prefix, task="judge",
        messages=(Message(role="user", content=text),), schema_name="R", reply_schema="{}",
    )  # fmt: skip
    completion = Completion(text=f"Reply to: {text}", model="x-1", usage=Usage(input_tokens=9))
    return Call(
        key=request.key(place="here"), place="here", stage="claim_factuality", request=request,
        completion=completion, attempts=1, started="2026-01-02T00:00:00.000+00:00", seconds=1.0,
        usd=0.5,
    )  # fmt: skip


def record(place: Location, run: str, *calls: Call) -> None:
    """Have a run use calls; it pays for those that nobody has made."""

    async def recorded() -> None:
        ledger = Ledger(place, run=run)
        for call in calls:
            if await ledger.find(call.key) is None:
                await ledger.add(call)
            else:
                await ledger.use(call.key)
        ledger.close()

    asyncio.run(recorded())


def bytes_in(folder: Path) -> bytes:
    """All bytes of the ledger's files, its write-ahead log among them."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob(f"{FILE}*")))


def traces(stored: bytes, text: str) -> list[str]:
    """What is left of a text: eight of its words, or a stretch of it as it is packed."""
    words = text.split()
    plain = [" ".join(words[at : at + 8]) for at in range(len(words) - 7)]
    packed = pack(text)
    stretches = [packed[at : at + 12] for at in range(8, len(packed) - 12)]
    return [one for one in plain if one.encode() in stored] + [
        one.hex() for one in stretches if one in stored
    ]
