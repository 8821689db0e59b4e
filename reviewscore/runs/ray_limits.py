"""Limits that all workers of a run share: calls at once, calls a minute, dollars.

One object, `SharedLimits`, keeps them; it lives in a Ray actor beside the driver. Each worker sees
it through a `RemoteBudget` and `RemoteLimiter`s, which take the places of `llm.budget.Budget` and
`llm.limiter.ConcurrencyLimiter`. What a worker holds when it is lost is freed at once, whether it
comes back or not; dollars that it had set aside count as spent, since its calls may have been
billed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import Any

from reviewscore.errors import StopError
from reviewscore.llm.budget import Budget
from reviewscore.llm.client import CallLimits
from reviewscore.llm.limiter import ConcurrencyLimiter

Ticket = tuple[int, int]
"""A worker's number, and its own number of a call."""
_ASKING = 32
"""Calls of a worker that ask for a place at once. The actor has room for so many questions only:
if it were full of calls that wait, no place could be given back."""


class SharedLimits:
    """Keeps the limits of a whole run.

    Args:
        limits: How calls may be made, all workers together.
        cap: Most dollars; None for no cap.
        spent: Dollars that the run has spent before.
    """

    def __init__(self, limits: CallLimits, cap: float | None, spent: float) -> None:
        self._limits = limits
        self._budget = Budget(cap, spent=spent)
        self._lanes: dict[str, ConcurrencyLimiter] = {}
        self._places: dict[Ticket, tuple[ConcurrencyLimiter, AsyncExitStack, float]] = {}
        self._waiting: dict[Ticket, asyncio.Task[None]] = {}
        self._reserved: dict[Ticket, float | None] = {}
        self._said: list[str] = []

    async def free(self, worker: int) -> None:
        """A worker is lost or starts anew: whatever it held is free, and it waits for nothing."""
        for ticket in [pair for pair in self._waiting if pair[0] == worker]:
            self._waiting[ticket].cancel()
        for ticket in [place for place in self._places if place[0] == worker]:
            await self.give(ticket)
        for ticket in [pair for pair in self._reserved if pair[0] == worker]:
            await self.settle(ticket, self._reserved[ticket])

    async def take(self, ticket: Ticket, model: str, urgency: int, tokens: int) -> bool:
        """Wait for a place at a model.

        Returns:
            Whether there is one; False if the worker gave up waiting, or was taken to be lost.
        """
        return await self._wait(ticket, self._take(ticket, model, urgency, tokens))

    async def _wait(self, ticket: Ticket, wanted: Coroutine[Any, Any, None]) -> bool:
        waiting = self._waiting[ticket] = asyncio.ensure_future(wanted)
        try:
            await waiting
        except asyncio.CancelledError:
            return False
        finally:
            del self._waiting[ticket]
        return True

    async def _take(self, ticket: Ticket, model: str, urgency: int, tokens: int) -> None:
        lane, held = self._lane(model), AsyncExitStack()
        await held.enter_async_context(lane.place(urgency, tokens=tokens))
        self._places[ticket] = (lane, held, time.monotonic())

    async def give(self, ticket: Ticket) -> None:
        """Give a place back, or stop waiting for it."""
        waiting = self._waiting.get(ticket)
        if waiting is not None:
            waiting.cancel()
        place = self._places.pop(ticket, None)
        if place is not None:
            await place[1].aclose()

    async def throttled(self, ticket: Ticket, wait: float | None) -> None:
        """The server says to a call that it is asked too often."""
        if ticket in self._places:
            lane, _, asked = self._places[ticket]
            lane.throttled(asked=asked, wait=wait)

    async def answered(self, ticket: Ticket, stage: str, seconds: float) -> None:
        """A reply came."""
        if ticket in self._places:
            lane, _, asked = self._places[ticket]
            lane.answered(stage, asked=asked, seconds=seconds)

    async def reserve(self, ticket: Ticket, usd: float | None) -> str | bool:
        """Set aside what a call may cost.

        Returns:
            Whether it is set aside, False if the worker was taken to be lost while it waited; or
            why the call may not be made.
        """
        try:
            return await self._wait(ticket, self._reserve(ticket, usd))
        except StopError as error:
            return str(error)

    async def _reserve(self, ticket: Ticket, usd: float | None) -> None:
        await self._budget.reserve(usd)
        self._reserved[ticket] = usd

    async def settle(self, ticket: Ticket, spent: float | None) -> None:
        """Replace what was set aside for a call by what it cost."""
        if ticket in self._reserved:
            self._budget.settle(self._reserved.pop(ticket), spent)

    async def say(self, sentence: str) -> None:
        """Keep a sentence for the user."""
        self._said.append(sentence)

    async def told(self) -> list[str]:
        """Sentences for the user that were not fetched yet."""
        texts, self._said = self._said, []
        return texts

    async def state(self) -> tuple[int, float, float]:
        """Places held, dollars spent, and dollars set aside."""
        return len(self._places), self._budget.spent, self._budget.reserved

    def _lane(self, model: str) -> ConcurrencyLimiter:
        if model not in self._lanes:
            self._lanes[model] = ConcurrencyLimiter(
                self._limits.connections,
                requests=self._limits.requests_per_minute,
                tokens=self._limits.tokens_per_minute,
                say=self._said.append,
            )
        return self._lanes[model]


class RemoteBudget:
    """The spending cap of all workers, as one of them sees it; see `llm.budget.Budget`.

    Args:
        shared: The actor that keeps a `SharedLimits`.
        worker: This worker's number.
    """

    def __init__(self, shared: Any, worker: int) -> None:
        self._shared, self._worker = shared, worker
        self._tickets: dict[float | None, list[Ticket]] = {}

    async def reserve(self, usd: float | None) -> None:
        """Set aside what a call may cost; `settle` must follow.

        Raises:
            StopError: The call does not fit under the cap.
        """
        ticket = (self._worker, next(_NUMBERS))
        reserving = asyncio.ensure_future(self._reserve(ticket, usd))
        try:
            allowed = await asyncio.shield(reserving)
        except asyncio.CancelledError:  # it is given back as soon as it is there
            reserving.add_done_callback(lambda _: self._shared.settle.remote(ticket, None))
            raise
        if isinstance(allowed, str):
            raise StopError(allowed)
        self._tickets.setdefault(usd, []).append(ticket)

    async def _reserve(self, ticket: Ticket, usd: float | None) -> str | bool:
        allowed: str | bool = False
        while allowed is False:  # we were taken to be lost and are not
            allowed = await _asked(self._shared.reserve.remote(ticket, usd))
        return allowed

    def settle(self, reserved: float | None, spent: float | None) -> None:
        """A call has ended: replace what was set aside by what it cost."""
        # Which of several equal reserves is settled makes no difference.
        self._shared.settle.remote(self._tickets[reserved].pop(), spent)


class RemoteLimiter:
    """A model's lane of all workers, as one of them sees it; see `llm.limiter.ConcurrencyLimiter`.

    Args:
        shared: The actor that keeps a `SharedLimits`.
        worker: This worker's number.
        model: Whose lane it is.
    """

    def __init__(self, shared: Any, worker: int, model: str) -> None:
        self._shared, self._worker, self._model = shared, worker, model
        self._held: dict[asyncio.Task[Any] | None, Ticket] = {}
        self._asking = ConcurrencyLimiter(_ASKING)

    @asynccontextmanager
    async def place(self, urgency: int, *, tokens: int = 0) -> AsyncIterator[None]:
        """Hold a place; the more urgent are served first, whichever worker they are on."""
        ticket = (self._worker, next(_NUMBERS))
        task = asyncio.current_task()
        try:
            async with self._asking.place(urgency):
                taken = False
                while not taken:  # False: we were taken to be lost and are not
                    question = self._shared.take.remote(ticket, self._model, urgency, tokens)
                    taken = await _asked(question)
            self._held[task] = ticket
            yield
        finally:
            self._held.pop(task, None)
            self._shared.give.remote(ticket)

    def throttled(self, *, asked: float, wait: float | None) -> None:
        """The server says that it is asked too often."""
        ticket = self._held.get(asyncio.current_task())
        if ticket is not None:
            self._shared.throttled.remote(ticket, wait)

    def answered(self, stage: str, *, asked: float, seconds: float) -> None:
        """A reply came."""
        ticket = self._held.get(asyncio.current_task())
        if ticket is not None:
            self._shared.answered.remote(ticket, stage, seconds)


_NUMBERS = count()


async def _asked(reply: Any) -> Any:
    """What the actor replies.

    Raises:
        StopError: It is lost, and with it what workers hold.
    """
    from ray.exceptions import RayActorError

    try:
        return await reply
    except RayActorError as error:
        raise StopError(
            "the process that keeps the limits of all workers is lost; what is finished is kept: "
            "run the same command again to go on"
        ) from error
