"""Calls that another process makes, or gave up making, and what a call that was cut off costs."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewscore.errors import StoppedError
from reviewscore.llm import client as module
from reviewscore.llm.budget import Budget
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.database import Ledger
from reviewscore.llm.ledger.store import FILE
from reviewscore.llm.prices import Price, worst_case
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.call import Request
from tests.sessions import plain_request as request

PRICE = Price(input=1.0, cached=0.1, output=1.0)


def claimed_elsewhere(folder: Path, asked: Request, *, seconds: float) -> None:
    """A claim as a process on another computer leaves it when it is killed."""
    key, until = asked.key(place="scripted"), time.time() + seconds
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("INSERT INTO claims VALUES (?, 'other', 'node7/12/1', 5.0, ?)", (key, until))
        db.commit()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.02)
    monkeypatch.setattr(module, "_TELL_AFTER", 0.05)


@pytest.mark.usefixtures("quick")
async def test_a_process_that_died_on_another_computer_is_waited_for_and_then_no_more(
    tmp_path: Path,
) -> None:
    ledger, told = Ledger(tmp_path, run="one"), list[str]()
    provider = ScriptedProvider(lambda asked: asked.messages[0].content)
    limits = CallLimits(connections=1, requests_per_minute=3)
    asker = Client(lambda _: provider, ledger, limits=limits, say=told.append)
    claimed_elsewhere(tmp_path, request("a"), seconds=0.5)

    waiting = asyncio.create_task(asker.complete(request("a"), stage="s"))
    await asyncio.sleep(0.2)
    other, _ = await asyncio.wait_for(asker.complete(request("b"), stage="s"), 0.2)
    waited = not waiting.done()
    mine, _ = await asyncio.wait_for(waiting, 5)
    ledger.close()

    assert waited
    assert (other.text, mine.text) == ("b", "a")
    assert told == ["waiting for process 12 on node7, which is making the same call"]


@pytest.mark.usefixtures("quick")
async def test_who_waits_for_another_process_can_be_stopped(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, run="one")
    asker = Client(lambda _: ScriptedProvider([]), ledger)
    claimed_elsewhere(tmp_path, request(), seconds=60)

    waiting = asyncio.create_task(asker.complete(request(), stage="s"))
    await asyncio.sleep(0.1)
    asker.stop()

    with pytest.raises(StoppedError):
        await asyncio.wait_for(waiting, 5)
    ledger.close()


@pytest.mark.usefixtures("quick")
async def test_two_ledgers_of_one_process_send_the_same_call_once(tmp_path: Path) -> None:
    async def slow(_: Request) -> str:
        await asyncio.sleep(0.1)
        return "one"

    provider = ScriptedProvider(slow)
    ledgers = [Ledger(tmp_path, run=name) for name in ("one", "two")]
    askers = [Client(lambda _: provider, ledger) for ledger in ledgers]

    replies = await asyncio.gather(*(one.complete(request(), stage="s") for one in askers))
    for ledger in ledgers:
        ledger.close()

    assert [reply.text for reply, _ in replies] == ["one", "one"]
    assert len(provider.requests) == 1


@pytest.mark.parametrize("sent", [True, False])
async def test_a_call_that_is_cancelled_counts_at_its_worst_if_it_was_sent(
    tmp_path: Path, sent: bool
) -> None:
    ledger, begun = Ledger(tmp_path, run="one"), asyncio.Event()

    async def endless(_: Request) -> str:
        begun.set()
        await asyncio.sleep(60)
        return "never"

    budget = Budget(cap=1.0)
    provider, limits = ScriptedProvider(endless), CallLimits(connections=1)
    asker = Client(lambda _: provider, ledger, limits=limits, budget=budget, price=lambda _: PRICE)
    first = asyncio.create_task(asker.complete(request("a"), stage="s"))
    await begun.wait()
    queued = asyncio.create_task(asker.complete(request("b"), stage="s"))
    await asyncio.sleep(0.01)

    (first if sent else queued).cancel()
    await asyncio.wait([first if sent else queued])
    doubtful, worst = (await ledger.paid()).doubtful, worst_case(request("a"), PRICE)
    spent = budget.spent
    for task in (first, queued):
        task.cancel()
    await asyncio.gather(first, queued, return_exceptions=True)
    ledger.close()

    assert doubtful == spent == (worst if sent else 0.0)


async def test_an_error_of_our_own_after_sending_counts_as_billed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, run="one")
    provider = ScriptedProvider([RuntimeError("a bug")])
    asker = Client(lambda _: provider, ledger, price=lambda _: PRICE)

    with pytest.raises(RuntimeError, match="a bug"):
        await asker.complete(request(), stage="s")
    doubtful = (await ledger.paid()).doubtful
    ledger.close()

    assert doubtful == worst_case(request(), PRICE)
