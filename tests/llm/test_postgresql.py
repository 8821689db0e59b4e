"""The ledger in PostgreSQL: servers that restart, owners that die elsewhere, and passwords."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from reviewscore.config import Settings
from reviewscore.errors import RunFolderError, StopError
from reviewscore.llm.connect import open_ledger
from reviewscore.llm.ledger import connection, database, postgresql
from reviewscore.llm.ledger.database import BatchJobStore, Ledger, OpenJob
from reviewscore.llm.ledger.driver import LOST, Driver
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.provider import SentRequest
from tests.commands import invoker
from tests.conftest import ROOT
from tests.ledgers import asked
from tests.llm.test_ledger import call
from tests.loopback import Loopback
from tests.postgres import PASSWORD, QUOTED, running

LOCKS = (
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""Locks by which owners are known to be connected."""


@pytest.fixture
def place() -> str:
    return running().empty()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost connections are noticed and given up soon."""
    monkeypatch.setattr(postgresql.PostgreSQL, "beat", 0.02)
    monkeypatch.setattr(postgresql, "GRACE", 0.3)


def elsewhere(place: str, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """A ledger that a process on another computer has opened."""
    with monkeypatch.context() as patched:
        patched.setattr(database, "process_name", lambda: "node7/12/1")
        return Ledger(place, run="other")


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await true():
            await asyncio.sleep(0.02)


async def test_a_server_that_restarts_midway_costs_no_call_and_doubles_none(place: str) -> None:
    ledger, calls = Ledger(place, run="one"), [call(f"item {n}") for n in range(300)]
    server = running()

    async def record() -> None:
        for one in calls:
            await ledger.add(one)
            await ledger.find(one.key)

    recording = asyncio.create_task(record())

    async def some() -> bool:
        return len(asked(place, "SELECT id FROM calls")) > 20

    await until(some)
    await asyncio.to_thread(lambda: (server.stop(), server.start()))
    await recording
    found = [await ledger.find(one.key) for one in calls]
    ledger.close()

    keys = [key for (key,) in asked(place, "SELECT key FROM calls")]
    assert None not in found
    assert sorted(keys) == sorted(one.key for one in calls)


@pytest.mark.parametrize("committed", [True, False])
async def test_a_commit_whose_answer_was_lost_is_looked_up_before_it_is_repeated(
    place: str, committed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, real, broken = Ledger(place, run="one"), Driver.commit, list[Driver]()

    def commit(self: Driver) -> None:
        if broken:
            return real(self)
        broken.append(self)
        if committed:
            real(self)
        with suppress(OSError):
            self._usock.shutdown(2)
        raise LOST("network error")

    monkeypatch.setattr(Driver, "commit", commit)

    await ledger.add(call(), possibly_billed=0.25)
    paid = await ledger.paid()
    ledger.close()

    assert broken
    assert (paid.calls, paid.doubtful) == (1, 0.25)


async def test_a_server_that_stays_away_stops_the_run_which_can_go_on_later(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_PATIENCE", 0.2)
    ledger, server = Ledger(place, run="one"), running()
    server.stop()

    try:
        with pytest.raises(StopError, match="run the same command again") as written:
            await ledger.add(call())
        with pytest.raises(StopError, match="did not come back") as read:
            await ledger.find(call().key)
        with pytest.raises(RunFolderError, match="does the server run") as opened:
            Ledger(place, run="two")
    finally:
        server.start()
    await ledger.add(call())
    found = await ledger.find(call().key)
    ledger.close()

    assert found is not None
    for told in (written, read, opened):
        assert PASSWORD not in str(told.value)
        assert QUOTED not in str(told.value)


async def test_an_owner_elsewhere_lives_for_as_long_as_it_is_connected(
    place: str, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "GRACE", 0.05)
    ours, other = Ledger(place, run="one"), elsewhere(place, monkeypatch)
    await other.claim("k", 2.0, seconds=600)
    await ours.holder("k")
    await asyncio.sleep(0.1)  # longer than the grace of who is not connected

    while_alive = await ours.holder("k")
    monkeypatch.setattr(postgresql, "GRACE", 600.0)
    other.close()
    just_dead = await ours.claim("k", 1.0, seconds=60)
    monkeypatch.setattr(postgresql, "GRACE", 0.05)

    async def nobody() -> bool:
        return await ours.holder("k") is None

    await until(nobody)
    dead = await ours.claim("k", 1.0, seconds=60)
    ours.close()

    assert while_alive == "process 12 on node7"
    assert not just_dead
    assert dead
    assert asked(place, "SELECT run, usd FROM doubts") == [("other", 2.0)]


async def test_who_comes_back_first_after_a_restart_takes_no_claim_of_the_others(
    place: str, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "GRACE", 600.0)
    ours, other = Ledger(place, run="one"), elsewhere(place, monkeypatch)
    await other.claim("k", 2.0, seconds=600)
    server, before = running(), len(asked(place, LOCKS))

    await asyncio.to_thread(lambda: (server.stop(), server.start()))
    taken = []

    async def back() -> bool:
        taken.append(await ours.claim("k", 1.0, seconds=60))
        return len(asked(place, LOCKS)) == before

    await until(back)  # its beat brings the other's lock back
    monkeypatch.setattr(postgresql, "GRACE", 0.0)
    taken.append(await ours.claim("k", 1.0, seconds=60))
    other.close()
    ours.close()

    assert before == 2
    assert len(taken) >= 2
    assert not any(taken)


async def test_a_batch_job_of_a_session_that_died_elsewhere_is_taken_up_soon(
    place: str, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = Ledger(place, run="one"), elsewhere(place, monkeypatch)
    sent = {"k": SentRequest("x")}
    await BatchJobStore(other, "here").announce("label", sent, since=time.time())
    book = BatchJobStore(ours, "here")

    while_alive = await book.take_up()
    other.close()
    when_dead: tuple[OpenJob, ...] = ()

    async def taken_up() -> bool:
        nonlocal when_dead
        when_dead = await book.take_up()
        return bool(when_dead)

    await until(taken_up)
    ours.close()

    assert while_alive == ()
    assert [job.label for job in when_dead] == ["label"]


def test_a_wrong_password_is_refused_and_not_shown(place: str) -> None:
    with pytest.raises(RunFolderError, match="password authentication failed") as refused:
        Ledger(place.replace(QUOTED, "wr0ng-one"), run="one")

    assert "wr0ng-one" not in str(refused.value)


def test_a_missing_password_is_said(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)

    with pytest.raises(RunFolderError, match=r"no password was given \(PGPASSWORD"):
        Ledger(place.replace(f":{QUOTED}", ""), run="one")


def test_the_password_can_come_from_the_environment(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)

    Ledger(place.replace(f":{QUOTED}", ""), run="one").close()


def test_a_server_without_encryption_is_refused_where_it_is_asked_for(place: str) -> None:
    with pytest.raises(RunFolderError, match="SSL"):
        Ledger(f"{place}?sslmode=verify-full", run="one")


def test_a_strangers_table_of_the_same_name_is_left_alone() -> None:
    place = running().database()
    asked(place, "CREATE TABLE jobs (title text)")

    with pytest.raises(RunFolderError, match='relation "jobs" already exists'):
        Ledger(place, run="one")

    assert asked(place, "SELECT to_regclass('calls') IS NULL") == [(True,)]


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "find_spec", lambda _: None)

    with pytest.raises(RunFolderError, match=r"pip install '\.\[postgresql\]'"):
        Ledger("postgresql://host/name", run="one")


def test_what_opens_no_ledger_loads_no_sqlalchemy() -> None:
    modules = "reviewscore.cli.main, reviewscore.cli.audit, reviewscore.runs.generation"
    line = f"import sys, {modules}; sys.exit('sqlalchemy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", line], cwd=ROOT, check=False).returncode == 0


async def test_a_run_that_began_with_its_own_ledger_keeps_it_and_says_so(
    place: str, tmp_path: Path
) -> None:
    Ledger(tmp_path, run="one").close()
    told: list[str] = []

    ledger = await open_ledger(Settings(ledger=place), tmp_path, run="one", say=told.append)
    ledger.close()

    assert ledger.backend.name == str(tmp_path / FILE)
    assert len(told) == 1
    assert "keeps it" in told[0]


def test_a_run_with_its_ledger_in_a_database_shows_and_stores_no_password(
    place: str,
    server: Loopback,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "run"
    asks = ("--model", "openai/loop", "--base-url", server.url, "--ledger", place)
    audit, cache = invoker("audit", capsys), invoker("cache", capsys)

    ended = [
        audit(ROOT / "examples", "-o", out, *asks),
        audit(ROOT / "examples", "-o", tmp_path / "again", *asks),
        audit(ROOT / "examples", "--dry-run", *asks),
        audit(ROOT / "examples", "--show-config", *asks),
        cache("info", "--ledger", place),
        cache("export", out, "--ledger", place, "-o", tmp_path / "calls.jsonl"),
    ]
    calls = len(asked(place, "SELECT id FROM calls"))
    monkeypatch.setenv("REVIEWSCORE_LEDGER", place)
    ended += [invoker("doctor", capsys)(), cache("clear"), cache("clear", "--yes")]

    assert [one.exit_code for one in ended] == [0, 0, 0, 0, 0, 0, 0, 2, 0]
    assert calls == sum(server.served.values()) == len(server.served)
    assert len((tmp_path / "calls.jsonl").read_text().splitlines()) == calls
    assert not (tmp_path / "ledger" / FILE).exists()
    assert asked(place, "SELECT count(*) FROM calls") == [(0,)]
    shown = "".join(one.stdout + one.stderr for one in ended)
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    shown += "".join(one.read_text("utf-8", "replace") for one in files)
    assert "postgresql://127.0.0.1" in shown
    assert QUOTED not in shown
    assert PASSWORD not in shown
