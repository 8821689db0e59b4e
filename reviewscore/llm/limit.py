"""At most so many calls at once; where calls wait, those that others wait for go first."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count


class Limit:
    """A semaphore with urgency.

    A run ends when its longest chain of calls ends. Calls that begin or continue a long chain
    therefore go before calls that nothing waits for, which fill what room is left.

    Args:
        places: Most holders at once.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def place(self, urgency: int) -> AsyncIterator[None]:
        """Hold a place; the more urgent are served first, equals in order of asking."""
        await self._take(urgency)
        try:
            yield
        finally:
            self._give()

    async def _take(self, urgency: int) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-urgency, next(self._order), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place was given and is not wanted
                self._give()
            raise

    def _give(self) -> None:
        while self._waiting:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)  # the place passes on without becoming free
                return
        self._free += 1
