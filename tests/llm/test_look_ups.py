"""Look-ups in a ledger that makes one wait: nothing else waits, and Ctrl-C is answered."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from reviewscore.config import Settings
from reviewscore.errors import RunFolderError, SettingsError, StopError
from reviewscore.llm.connect import connect
from reviewscore.llm.ledger.connection import LedgerConnection
from reviewscore.llm.ledger.database import BatchJobStore, Ledger
from reviewscore.llm.ledger.store import CallsInMemory, Location
from reviewscore.runs.session import Session, interruptible
from tests.llm.test_ledger import call

AWAY = 0.4
"""Seconds for which the database is away."""

LookUp = Callable[[Ledger], Awaitable[object]]
LOOK_UPS: dict[str, LookUp] = {
    "find": lambda ledger: ledger.find("k"),
    "holder": lambda ledger: ledger.holder("k"),
    "paid": lambda ledger: ledger.paid(),
    "elsewhere": lambda ledger: BatchJobStore(ledger, "here").elsewhere("k"),
    "known": lambda ledger: BatchJobStore(ledger, "here").known(),
    "take_up": lambda ledger: BatchJobStore(ledger, "here").take_up(),
}


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A database that is away at each look-up; the threads that waited for it."""
    threads, read = list[int](), LedgerConnection.read

    def slow(self: LedgerConnection, work: Callable[[Any], Any]) -> Any:
        threads.append(threading.get_ident())
        time.sleep(AWAY)
        return read(self, work)

    monkeypatch.setattr(LedgerConnection, "read", slow)
    return threads


@pytest.mark.parametrize("name", LOOK_UPS)
async def test_other_tasks_go_on_while_a_look_up_waits(
    tmp_path: Path, away: list[int], name: str
) -> None:
    ledger, gaps = Ledger(tmp_path, run="one"), [0.0]
    waiting = asyncio.ensure_future(LOOK_UPS[name](ledger))

    while not waiting.done():
        began = time.monotonic()
        await asyncio.sleep(0.01)
        gaps.append(time.monotonic() - began)
    ledger.close()

    assert away
    assert threading.get_ident() not in away
    assert max(gaps) < AWAY / 2


async def test_look_ups_that_wait_together_are_answered_together_by_one_thread(
    tmp_path: Path, away: list[int]
) -> None:
    ledger, began = Ledger(tmp_path, run="one"), time.monotonic()
    await ledger.add(call())

    found = await asyncio.gather(*(ledger.find(call().key) for _ in range(300)))
    seconds = time.monotonic() - began
    ledger.close()

    assert found == [call().completion] * 300
    assert len(set(away)) == 1
    assert len(away) <= 2
    assert seconds < 4 * AWAY


async def test_ctrl_c_is_answered_while_a_look_up_waits(tmp_path: Path, away: list[int]) -> None:
    answered: list[float] = []
    session = Session(settings=Settings(), say=lambda _: answered.append(time.monotonic()))
    ledger = Ledger(tmp_path, run="one")
    with interruptible(session):
        waiting = asyncio.create_task(ledger.find("k"))
        await asyncio.sleep(0.05)
        began = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
        await waiting
    ledger.close()

    assert session.interrupted
    assert session.stopping
    assert session.stopped is None
    assert answered[0] - began < AWAY / 2


def test_a_loop_that_ends_before_its_look_up_leaves_no_thread_behind(
    tmp_path: Path, away: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewscore.llm.ledger.database._PARTING", 0.01)
    ledger = Ledger(tmp_path, run="one")

    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ledger.find("k"), 0.05)

    asyncio.run(given_up())
    began = time.monotonic()
    ledger.close()

    assert time.monotonic() - began < AWAY / 2  # nobody waits for an answer that nobody wants
    for thread in threading.enumerate():
        if thread.name == "ledger look-ups":
            thread.join(4 * AWAY)
            assert not thread.is_alive()


async def test_a_look_up_that_fails_tells_everybody_and_the_next_one_goes_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, read, failed = Ledger(tmp_path, run="one"), LedgerConnection.read, list[int]()

    def broken(self: LedgerConnection, work: Callable[[Any], Any]) -> Any:
        if not failed:
            failed.append(1)
            time.sleep(0.05)
            raise StopError("the database is away")
        return read(self, work)

    monkeypatch.setattr(LedgerConnection, "read", broken)
    first = asyncio.create_task(ledger.find("k"))
    with pytest.raises(StopError, match="away"):
        await first

    assert await ledger.find("k") is None
    ledger.close()


async def test_a_call_that_was_answered_meanwhile_is_claimed_only_to_renew_it(
    place: Location,
) -> None:
    ledger = Ledger(place, run="one")
    await ledger.add(call())
    key = call().key

    assert not await ledger.claim(key, 1.0, seconds=60, unless_known=True)
    assert await ledger.claim(key, 1.0, seconds=60)
    ledger.close()
    fresh = Ledger(place, run="two", fresh=True)
    assert await fresh.claim(f"{key}2", 1.0, seconds=60, unless_known=True)
    fresh.close()


async def test_batch_jobs_with_a_record_in_memory_are_refused_with_a_cure(tmp_path: Path) -> None:
    settings = Settings(model="openai/x", batch=True, base_url="http://127.0.0.1:9/v1")

    with pytest.raises(SettingsError, match=r"in memory; open one on disk \(llm.connect.open_"):
        await connect(settings, CallsInMemory())

    ledger = Ledger(tmp_path, run="one")
    client = await connect(settings, ledger)
    await client.close()
    ledger.close()


async def test_a_look_up_in_a_ledger_that_was_closed_is_an_error_and_no_wait(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path, run="r")
    ledger.close()

    with pytest.raises(RunFolderError, match="closed"):
        await ledger.find("key")
