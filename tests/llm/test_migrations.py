"""Ledgers of earlier versions are brought up to date, whoever begins or dies when."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from reviewscore.errors import LedgerVersionError
from reviewscore.llm.ledger import tables
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE, Location
from reviewscore.llm.ledger.tables import OLDEST, STEPS, Step, newest, pack, row_of
from reviewscore.llm.ledger.upkeep import clear, exported, info
from tests.ledgers import ALIKE, asked, at_once
from tests.llm.test_ledger import call
from tests.postgres import running

VERSION_2 = """
CREATE TABLE calls (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, place TEXT NOT NULL, model TEXT NOT NULL,
  stage TEXT NOT NULL, run TEXT NOT NULL, prefix TEXT NOT NULL, request BLOB NOT NULL,
  reply BLOB NOT NULL, answered TEXT NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL,
  written INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL, batch INTEGER NOT NULL,
  attempts INTEGER NOT NULL, started TEXT NOT NULL, seconds REAL NOT NULL);
CREATE INDEX calls_by_key ON calls (key);
CREATE INDEX calls_by_run ON calls (run);
CREATE TABLE prefixes (prefix TEXT PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE uses (
  run TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID;
CREATE TABLE claims (
  key TEXT PRIMARY KEY, run TEXT NOT NULL, owner TEXT NOT NULL, usd REAL,
  until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE doubts (run TEXT NOT NULL, key TEXT NOT NULL, usd REAL);
CREATE TABLE jobs (
  label TEXT PRIMARY KEY, place TEXT NOT NULL, run TEXT NOT NULL, job TEXT, since REAL NOT NULL,
  owner TEXT NOT NULL, seen REAL NOT NULL, open INTEGER NOT NULL);
CREATE INDEX jobs_by_id ON jobs (job);
CREATE TABLE job_requests (
  key TEXT NOT NULL, label TEXT NOT NULL, sent TEXT NOT NULL,
  PRIMARY KEY (key, label)) WITHOUT ROWID;
CREATE TABLE estimates (
  run TEXT PRIMARY KEY, model TEXT NOT NULL, calls REAL, usd REAL,
  finished INTEGER NOT NULL DEFAULT 0);
PRAGMA user_version = 2;
"""
"""A file as the first version that kept one made it."""
_TYPES = {
    "BLOB": "BYTEA", "REAL": "DOUBLE PRECISION", "INTEGER PRIMARY KEY": "BIGSERIAL PRIMARY KEY",
    "INTEGER": "BIGINT", " WITHOUT ROWID": "", "calls (key)": "calls (key, id)",
    "PRAGMA user_version = 2": "CREATE TABLE ledger_version (version INTEGER NOT NULL);"
    "INSERT INTO ledger_version VALUES (2)",
}  # fmt: skip
"""What the same version wrote otherwise in PostgreSQL."""


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A ledger of version 2."""
    if request.param == "SQLite":
        with closing(sqlite3.connect(tmp_path / FILE)) as db:
            db.executescript(VERSION_2)
        return tmp_path
    place, script = running().database(), VERSION_2
    for sqlite, postgresql in _TYPES.items():
        script = script.replace(sqlite, postgresql)
    for statement in script.split(";"):
        if statement.strip():
            asked(place, statement)
    return place


def new(tmp_path: Path, place: Location) -> Location:
    """A ledger of the same kind that was just made."""
    made: Location = tmp_path / "new" if isinstance(place, Path) else running().database()
    Ledger(made, run="one").close()
    return made


def version(place: Location) -> int:
    sql = "PRAGMA user_version" if isinstance(place, Path) else "SELECT * FROM ledger_version"
    ((found,),) = asked(place, sql)
    return int(str(found))


def shape(place: Location) -> tuple[object, ...]:
    """Columns, keys and indexes of all tables."""
    if isinstance(place, Path):
        columns = "SELECT m.name, p.name, p.pk FROM sqlite_master m, " \
            "pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1, 2"  # fmt: skip
        indexes = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql != '' "
        return asked(place, columns), asked(place, f"{indexes} ORDER BY 1")
    columns = "SELECT table_name, column_name, data_type, is_nullable " \
        "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"  # fmt: skip
    indexes = "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2"
    return asked(place, columns), asked(place, indexes)


def table(name: str, *, after: float = 0.0) -> Step:
    """A step that makes a table, and takes its time."""

    def step(db: Connection) -> None:
        time.sleep(after)
        db.exec_driver_sql(f"CREATE TABLE {name} (x INTEGER)")

    return step


def killed(db: Connection) -> None:
    """A step that does not end."""
    db.exec_driver_sql("CREATE TABLE halfway (x INTEGER)")
    os.kill(os.getpid(), signal.SIGKILL)


def open_it(place: Location, steps: tuple[Step, ...]) -> None:
    tables.STEPS = (*STEPS, *steps)
    Ledger(place, run="x").close()


def slow_steps(place: Location) -> None:
    open_it(place, (table("one", after=0.2), table("two", after=0.2)))


def killed_in_the_second(place: Location) -> None:
    open_it(place, (killed, table("two")))


async def test_a_ledger_of_the_first_version_is_used_with_what_it_holds(old: Location) -> None:
    earlier = call("of before")
    row = row_of(earlier, "zero")
    asked(old, f"INSERT INTO calls ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
          *row.values())  # fmt: skip
    asked(old, "INSERT INTO prefixes VALUES (?, ?)", row["prefix"], pack(earlier.request.prefix))

    ledger = Ledger(old, run="one")
    await ledger.add(call())
    found = [await ledger.find(one.key) for one in (earlier, call())]
    ledger.close()

    assert found == [earlier.completion, call().completion]
    assert version(old) == newest() > OLDEST
    assert list(exported(old)) == [earlier, call()]


def test_a_ledger_that_was_brought_up_to_date_has_the_tables_of_a_new_one(
    old: Location, tmp_path: Path
) -> None:
    Ledger(old, run="one").close()

    assert shape(old) == shape(new(tmp_path, old))


def test_the_requests_of_a_batch_job_are_found_by_an_index(tmp_path: Path) -> None:
    Ledger(tmp_path, run="one").close()

    for sql in ("SELECT * FROM job_requests WHERE label = 'x'",
                "DELETE FROM job_requests WHERE label = 'x'"):  # fmt: skip
        assert "job_requests_by_label" in str(asked(tmp_path, f"EXPLAIN QUERY PLAN {sql}"))


def test_processes_that_begin_at_once_take_each_step_once(old: Location) -> None:
    ALIKE.set_forkserver_preload([__name__])

    assert at_once(slow_steps, old) == [0, 0, 0, 0]  # a table is not made twice
    assert version(old) == newest() + 2


def test_a_process_that_is_killed_midway_leaves_whole_steps_and_the_next_one_goes_on(
    old: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at_once(killed_in_the_second, old, count=1) == [-signal.SIGKILL]
    assert version(old) == newest()  # the real step was done, the other one was not begun

    monkeypatch.setattr(tables, "STEPS", (*STEPS, table("halfway"), table("two")))
    Ledger(old, run="one").close()

    assert version(old) == newest()
    assert asked(old, "SELECT count(*) FROM halfway") == [(0,)]


def test_a_step_that_fails_changes_nothing(old: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: Connection) -> None:
        table("unfinished")(db)
        raise ZeroDivisionError

    monkeypatch.setattr(tables, "STEPS", (*STEPS, broken))
    with pytest.raises(ZeroDivisionError):
        Ledger(old, run="one")
    monkeypatch.undo()
    Ledger(old, run="one").close()

    assert version(old) == newest()
    assert "unfinished" not in str(shape(old))


@pytest.mark.parametrize(
    ("number", "words"),
    [(99, "a newer version of reviewscore; .*: update reviewscore, or name another"),
     (1, "no release of reviewscore; .*: name another")],
)  # fmt: skip
def test_a_version_that_is_not_known_is_refused_with_a_cure_and_left_as_it_is(
    old: Location, number: int, words: str
) -> None:
    before = shape(old)
    sql = f"PRAGMA user_version = {number}" if isinstance(old, Path) else \
        f"UPDATE ledger_version SET version = {number}"  # fmt: skip
    asked(old, sql)

    with pytest.raises(LedgerVersionError, match=words):
        Ledger(old, run="one")

    assert (shape(old), version(old)) == (before, number)


def test_the_file_as_it_was_is_kept_beside_it_for_its_owner_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript(VERSION_2)
        db.execute("INSERT INTO doubts VALUES ('one', 'k', 0.5)")
        db.commit()
    (tmp_path / f"{FILE}.v2.new").write_text("what a killed process left")

    Ledger(tmp_path, run="one").close()
    Ledger(tmp_path, run="one").close()

    kept = tmp_path / f"{FILE}.v2"
    assert sorted(one.name for one in tmp_path.glob(f"{FILE}*")) == [FILE, kept.name]
    assert kept.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(kept)) as db:
        assert db.execute("SELECT * FROM doubts").fetchall() == [("one", "k", 0.5)]
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert info(tmp_path).size >= kept.stat().st_size + (tmp_path / FILE).stat().st_size
    clear(tmp_path)
    assert not kept.exists()
