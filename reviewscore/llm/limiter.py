"""How many calls to a model go at once, how many a minute, and which one goes first."""

from __future__ import annotations

import asyncio
import heapq
import statistics
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter


SLOWER = 4.0
"""How many times slower than at its best a stage becomes before fewer calls are made at once."""
_WINDOW = 32
_TELL_AGAIN = 30.0
_MINUTE = 60.0


class RateLimiter(Protocol):
    """Lets calls to one model at one server go; processes may share one."""

    def place(self, urgency: int, *, tokens: int = 0) -> AbstractAsyncContextManager[None]:
        """Hold a place; the more urgent are served first."""
        ...

    def throttled(self, *, asked: float, wait: float | None) -> None:
        """The server says that it is asked too often."""
        ...

    def answered(self, stage: str, *, asked: float, seconds: float) -> None:
        """A reply came."""
        ...


class ConcurrencyLimiter:
    """A number of places that shrinks when the server complains and grows back by and by.

    A 429 halves the places, at most once for the calls that were under way together; each reply
    adds back a share, so that a full round of replies adds one place. Replies that take four times
    as long as at the stage's best shrink them by a tenth. Where calls wait, the more urgent go
    first: a run ends when its longest chain of calls ends.

    Args:
        places: Most calls at once.
        requests: Most requests a minute; None for no such limit.
        tokens: Most tokens a minute; None for no such limit.
        say: Told when the number of places halves.
    """

    def __init__(
        self,
        places: int,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.most, self.width = places, float(places)
        self._held = 0
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._requests, self._tokens = _per_minute(requests), _per_minute(tokens)
        self._most_tokens = tokens
        self._opens = 0.0
        self._last_cut = 0.0
        self._told = -_TELL_AGAIN
        self._recent: dict[str, deque[float]] = {}
        self._best: dict[str, float] = {}
        self._say = say

    @asynccontextmanager
    async def place(self, urgency: int, *, tokens: int = 0) -> AsyncIterator[None]:
        """Hold a place; the more urgent are served first, equals in order of asking.

        Args:
            urgency: The higher goes first.
            tokens: Tokens that the call may use, for the limit of tokens a minute.
        """
        await self._take(urgency)
        try:
            while (wait := self._opens - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            if self._requests is not None:
                await self._requests.acquire()
            if self._tokens is not None and self._most_tokens is not None:
                await self._tokens.acquire(min(tokens, self._most_tokens))
            yield
        finally:
            self._held -= 1
            self._fill()

    def throttled(self, *, asked: float, wait: float | None) -> None:
        """The server says it is asked too often.

        Args:
            asked: When the refused call was sent, as `time.monotonic` counts.
            wait: Seconds that the server asks to wait, if it said so; holds for all calls.
        """
        now = time.monotonic()
        if wait is not None:
            self._opens = max(self._opens, now + wait)
        if asked >= self._last_cut:  # calls sent before the last cut tell nothing new
            self.width, self._last_cut = max(1.0, self.width / 2), now
            if self._say is not None and now - self._told > _TELL_AGAIN:
                self._told = now
                self._say(f"the provider limits the rate: {int(self.width)} calls at once")

    def answered(self, stage: str, *, asked: float, seconds: float) -> None:
        """A reply came: grow, or shrink if replies have become much slower."""
        recent = self._recent.setdefault(stage, deque(maxlen=_WINDOW))
        recent.append(seconds)
        if len(recent) == _WINDOW:
            usual = statistics.median(recent)
            best = self._best[stage] = min(self._best.get(stage, usual), usual)
            if usual > SLOWER * best and asked >= self._last_cut:
                self.width = min(self.width, max(1.0, self.most / 8, self.width * 0.9))
                self._last_cut = time.monotonic()
                return
        self.width = min(float(self.most), self.width + 1 / self.width)
        self._fill()

    async def _take(self, urgency: int) -> None:
        if self._held < int(self.width) and not self._waiting:
            self._held += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (-urgency, next(self._order), turn))
        self._fill()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place was given and is not wanted
                self._held -= 1
                self._fill()
            raise

    def _fill(self) -> None:
        while self._waiting and self._held < int(self.width):
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                self._held += 1
                turn.set_result(None)


def _per_minute(most: int | None) -> AsyncLimiter | None:
    if most is None:
        return None
    from aiolimiter import AsyncLimiter

    return AsyncLimiter(most, _MINUTE)


KEPT = 240.0
"""Seconds a provider is trusted to keep a prefix since its last use; they promise five minutes."""
KEPT_LONG = 3300.0
"""The same where the cache is asked to last an hour."""
_MOST = 4096


@dataclass(slots=True)
class _Prefix:
    used: float | None = None
    leader: asyncio.Future[None] | None = None


class PrefixCacheWarmup:
    """Remembers which prefixes providers hold in their caches.

    When many calls with a new prefix start at once, each one pays for reading it in and none finds
    it in the cache. So one goes ahead, and the others follow when it has been answered.

    Args:
        kept: Seconds a prefix is kept since its last use.
    """

    def __init__(self, *, kept: float = KEPT) -> None:
        self._kept = kept
        self._prefixes: dict[str, _Prefix] = {}

    @asynccontextmanager
    async def turn(self, prefix: str) -> AsyncIterator[bool]:
        """Wait until the prefix is warm, or go ahead.

        Args:
            prefix: Name of the prefix at its model; empty for a call without one.

        Yields:
            Whether an earlier call has written the prefix to the cache.
        """
        if not prefix:
            yield False
            return
        state = self._prefixes.setdefault(prefix, _Prefix())
        while not self._warm(state) and state.leader is not None:
            await asyncio.shield(state.leader)
        if self._warm(state):
            yield True
            state.used = time.monotonic()
            return
        leader = state.leader = asyncio.get_running_loop().create_future()
        try:
            yield False
            state.used = time.monotonic()
        finally:
            state.leader = None
            leader.set_result(None)
            self._forget()

    def _warm(self, state: _Prefix) -> bool:
        return state.used is not None and time.monotonic() - state.used < self._kept

    def _forget(self) -> None:
        if len(self._prefixes) > _MOST:
            old = [key for key, prefix in self._prefixes.items() if not prefix.leader]
            for key in old[: _MOST // 2]:
                del self._prefixes[key]
