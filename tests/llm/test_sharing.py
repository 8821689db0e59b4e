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
from reviewscore.llm.client import Client, Limits
from reviewscore.llm.ledger.book import Ledger
from reviewscore.llm.ledger.tables import FILE
from reviewscore.llm.prices import Price
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.call import Message, Request

PRICE = Price(input=1.0, cached=0.1, output=1.0)


def request(text: str = "hello") -> Request:
    return Request(
        model="scripted/x",
        system="be brief",
        messages=(Message(role="user", content=text),),
        schema_name="Reply",
        reply_schema="{}",
    )


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
    limits = Limits(connections=1, requests_per_minute=3)
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
