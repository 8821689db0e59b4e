"""Sessions whose calls go as batch jobs, one after the other or side by side on one ledger."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from reviewscore.llm.batch_jobs import BatchProvider, Patience
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.database import BatchJobStore, Ledger, OpenJob
from reviewscore.llm.ledger.store import FILE, Paid
from reviewscore.llm.prices import Price
from reviewscore.llm.provider import JobApi, open_jobs, open_provider
from reviewscore.schema.call import Completion, Message, Request
from tests.loopback import Loopback

QUICK = Patience(first=0.01, most=0.02, failures=4)
MODELS = ["openai/x", "anthropic/x"]


def request(
    number: int = 0, *, model: str = "openai/x", text: str = "Why?", **fields: object
) -> Request:
    """A call as an audit makes it, by default for a question's reply as text."""
    item = f"<review-point-aaaaaaaaaaaa>\n{text} {number}\n</review-point-aaaaaaaaaaaa>"
    given: dict[str, object] = {
        "task": 'the task {"title":"QuestionReply"}',
        "schema_name": "QuestionReply",
        "reply_schema": '{"title":"QuestionReply","type":"object"}',
        "structured": "text",
    }
    return plain_request(item, model=model, **{**given, **fields})


def plain_request(text: str = "hello", **fields: object) -> Request:
    """A call whose only message is a text."""
    given: dict[str, object] = {
        "model": "scripted/x",
        "system": "role",
        "messages": (Message(role="user", content=text),),
        "schema_name": "Reply",
        "reply_schema": "{}",
    }
    return Request.model_validate({**given, **fields})


async def answer(asked: Request, url: str | None = None) -> Completion:
    """Ask the request's provider once."""
    provider = open_provider(asked.model, base_url=url, timeout=5)
    try:
        return await provider.complete(asked)
    finally:
        await provider.close()


def three(model: str = "openai/x") -> list[Request]:
    return [request(number, model=model) for number in range(3)]


def sizes(server: Loopback) -> list[int]:
    """Requests in each job that was handed over."""
    return [len(keys) for _, _, keys in server.jobs.made]


class Session:
    """A client whose calls go as batch jobs, with a ledger in a folder."""

    def __init__(
        self, folder: Path, server: Loopback, model: str = "openai/x", *,
        run: str = "one", fresh: bool = False,
    ) -> None:  # fmt: skip
        self.said: list[str] = []
        self.paid: Paid
        self.left: tuple[OpenJob, ...]
        self.ledger = Ledger(folder, run=run, fresh=fresh)
        self.api: JobApi = open_jobs(model, base_url=server.url, timeout=5)
        self.book = BatchJobStore(self.ledger, self.api.place)
        self.provider = BatchProvider(
            self.api, self.book, say=self.said.append, patience=QUICK, quiet=0.02
        )
        price = Price(input=1, cached=0.1, output=1, batch=0.5)
        limits = CallLimits(max_retries=2)
        self.client = Client(
            lambda _: self.provider, self.ledger, limits=limits, price=lambda _: price
        )

    async def ask(self, *requests: Request) -> list[object]:
        asked = (self.client.complete(one, stage="is_question") for one in requests)
        found = await asyncio.gather(*asked, return_exceptions=True)
        return [one[0] if isinstance(one, tuple) else one for one in found]

    async def close(self) -> None:
        await self.client.close()
        await self.provider.close()  # the client closes those only that it asked
        self.ledger.close()


async def interrupted(
    folder: Path, server: Loopback, *asked: Request, run: str = "one", fresh: bool = False
) -> list[object]:
    """Begin a session and stop it while its job is under way, which then ends."""
    before = len(server.jobs.made)
    server.jobs.looks = 1000
    session = Session(folder, server, asked[0].model, run=run, fresh=fresh)
    waiting = asyncio.create_task(session.ask(*asked))
    await until(lambda: len(server.jobs.made) > before)
    await asyncio.sleep(0.05)
    session.client.stop()
    left = await waiting
    await session.close()
    server.jobs.looks = 1
    return left


async def asked_once(
    folder: Path, server: Loopback, *asked: Request, **how: str | bool
) -> tuple[list[object], Session]:
    """What a session of its own answers, and that session, which has ended."""
    session = Session(folder, server, asked[0].model, **how)  # type: ignore[arg-type]
    found = await session.ask(*asked)
    session.paid, session.left = await session.ledger.paid(), await session.book.open()
    await session.close()
    return found, session


def failures(replies: list[object]) -> list[object]:
    """Those that are none."""
    return [one for one in replies if isinstance(one, Exception)]


def forget_ids(folder: Path) -> None:
    """As if the program had been killed before it learned its jobs' ids."""
    change(folder, "UPDATE jobs SET job = NULL")


def change(folder: Path, sql: str) -> None:
    """Change what a ledger holds, past the program."""
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute(sql)


async def until(true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never happened")
