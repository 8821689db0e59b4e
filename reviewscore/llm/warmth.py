"""The first call with a shared prefix goes alone, so that the others find it in the cache."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

KEPT = 240.0
"""Seconds a provider is trusted to keep a prefix since its last use; they promise five minutes."""
KEPT_LONG = 3300.0
"""The same where the cache is asked to last an hour."""
_MOST = 4096


@dataclass(slots=True)
class _Prefix:
    used: float | None = None
    leader: asyncio.Future[None] | None = None


class Warmth:
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
            old = [key for key, one in self._prefixes.items() if not one.leader]
            for key in old[: _MOST // 2]:
                del self._prefixes[key]
