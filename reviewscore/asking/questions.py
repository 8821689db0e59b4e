"""Questions of this part to a model: through the project's client, recorded and paid like all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias, TypeVar

from reviewscore.config import Settings
from reviewscore.errors import ModelError, SettingsError, StopError
from reviewscore.judges.asker import Asker, Manner
from reviewscore.judges.settled import settled
from reviewscore.llm.connect import RunContext, connect
from reviewscore.llm.ledger.store import CallStore

T = TypeVar("T")

OpenAsker: TypeAlias = Callable[[], AbstractAsyncContextManager[Asker]]
"""Opens what puts questions; a client lives as long as one event loop, so each use opens one."""


@asynccontextmanager
async def open_asker(
    settings: Settings, book: CallStore, around: RunContext | None = None
) -> AsyncIterator[Asker]:
    """What puts questions to the model that the settings name.

    Raises:
        SettingsError: No model is named, it is unknown, or its key is missing.
    """
    if settings.embedded:
        raise SettingsError("this needs a model; name one with --model")
    client = await connect(settings, book, around)
    manner = Manner.of(settings)
    try:
        yield Asker(client, model=settings.model, judges=settings.judges, manner=manner)
    finally:
        await client.close()


async def all_settled(work: Sequence[Awaitable[T]]) -> list[T | ModelError]:
    """What came of each question, in order; one that failed does not discard the others.

    Raises:
        StopError: Nothing more can be asked; what was answered is on record.
    """
    found = await asyncio.gather(*(settled(one) for one in work))
    out: list[T | ModelError] = []
    for one in found:
        if isinstance(one, StopError):
            raise one
        out.append(one)
    return out


def with_asker(open_one: OpenAsker, work: Callable[[Asker], Coroutine[Any, Any, T]]) -> T:
    """Run work that asks, from code that is not asynchronous."""

    async def run() -> T:
        async with open_one() as asker:
            return await work(asker)

    return asyncio.run(run())
