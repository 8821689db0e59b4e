"""Several servers of one's own that serve the same model, such as a vLLM on each machine."""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass

from reviewscore.errors import ProviderError
from reviewscore.llm.provider import Provider
from reviewscore.schema.call import Completion, Request, prefix_key

_DOWN = 30.0
"""Seconds for which a server that could not be reached is passed over."""
_CROWDED = 1.25
"""A server that has so many times its share of the calls under way gets no more."""


@dataclass(eq=False)
class _Server:
    provider: Provider
    under_way: int = 0
    down_until: float = 0.0


class ServersProvider:
    """Gives each call to one of several servers; implements `provider.Provider`.

    Calls with the same paper go to the same server, which has it in its cache, unless that one is
    crowded or down (rendezvous hashing with bounded loads).

    Args:
        providers: One for each server. The first one's place stands for all in records, so that
            machines can join or leave a run.
    """

    def __init__(self, providers: tuple[Provider, ...]) -> None:
        self._servers = [_Server(one) for one in providers]
        self.place, self.traits = providers[0].place, providers[0].traits

    async def complete(self, request: Request) -> Completion:
        """Ask one of the servers once.

        Raises:
            ProviderError: As its provider does; a server that was not reached is passed over when
                the call is tried again.
        """
        server = self._choose(request)
        server.under_way += 1
        try:
            return await server.provider.complete(request)
        except ProviderError as error:
            if error.status is None:
                server.down_until = time.monotonic() + _DOWN
            raise
        finally:
            server.under_way -= 1

    def halt(self) -> None:
        """Stop waiting for replies that may take hours."""
        for server in self._servers:
            server.provider.halt()

    async def close(self) -> None:
        """Release connections."""
        await asyncio.gather(*(server.provider.close() for server in self._servers))

    def _choose(self, request: Request) -> _Server:
        now = time.monotonic()
        up = [one for one in self._servers if one.down_until <= now] or self._servers
        most = _CROWDED * (sum(one.under_way for one in up) + 1) / len(up)
        text = prefix_key(request.prefix) if request.prefix else request.prompt_key()
        order = sorted(up, key=lambda one: _rank(text, one.provider.place))
        return next((one for one in order if one.under_way + 1 <= max(1.0, most)), order[0])


def _rank(text: str, place: str) -> bytes:
    return hashlib.sha256(f"{text} {place}".encode()).digest()
