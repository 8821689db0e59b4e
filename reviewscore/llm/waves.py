"""Requests gathered until everybody waits for a reply, then handed over together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from reviewscore.errors import StoppedError
from reviewscore.schema.call import Completion, Request

_STOPPED = "the run is being stopped; run the same command again to go on"
QUIET = 0.2
"""Seconds without a new request after which everybody is taken to wait."""

Idle = Callable[[], bool]
"""Whether no work goes on that may bring another request (a proof, say)."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request and who waits for its reply."""

    key: str
    request: Request
    reply: asyncio.Future[Completion]


class Waves:
    """Gathers requests and hands a wave over when no more can be expected.

    Args:
        hand_over: Takes a wave and sees to it that every future in it is resolved.
        idle: Says whether the rest of the program is at rest.
        quiet: Seconds without a new request before a wave goes.
    """

    def __init__(
        self,
        hand_over: Callable[[tuple[Waiting, ...]], Awaitable[None]],
        *,
        idle: Idle | None = None,
        quiet: float = QUIET,
    ) -> None:
        self._hand_over, self._quiet = hand_over, quiet
        self.idle = idle or (lambda: True)
        self._gathered: list[Waiting] = []
        self._open: set[asyncio.Future[Completion]] = set()
        self._halted = False
        self._last = 0.0
        self._watch: asyncio.Task[None] | None = None
        self._waves: set[asyncio.Task[None]] = set()

    async def ask(self, key: str, request: Request) -> Completion:
        """Wait for the reply to a request, which goes with the next wave.

        Raises:
            StoppedError: Nobody waits any more.
        """
        future = self.future()
        self._gathered.append(Waiting(key, request, future))
        self._last = time.monotonic()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._await_quiet())
        return await future

    def future(self) -> asyncio.Future[Completion]:
        """A reply to wait for, until it comes or everything is halted."""
        if self._halted:
            raise StoppedError(_STOPPED)
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def halt(self) -> None:
        """Let everybody who waits go without a reply."""
        self._halted = True
        for future in tuple(self._open):
            if not future.done():
                future.set_exception(StoppedError(_STOPPED))
                future.exception()  # nobody may be waiting: mark it as seen

    async def _await_quiet(self) -> None:
        while self._gathered:
            await asyncio.sleep(self._quiet)
            if time.monotonic() - self._last < self._quiet or not self.idle():
                continue
            wave = tuple(one for one in self._gathered if not one.reply.done())
            self._gathered.clear()
            if wave:
                task = asyncio.create_task(self._hand_over_whole(wave))
                self._waves.add(task)
                task.add_done_callback(self._waves.discard)

    async def _hand_over_whole(self, wave: tuple[Waiting, ...]) -> None:
        try:
            await self._hand_over(wave)
        except Exception as error:  # whoever waits must learn of it, or waits for ever
            for one in wave:
                if not one.reply.done():
                    one.reply.set_exception(error)

    async def close(self) -> None:
        """Wait no more."""
        tasks = [*self._waves, *([self._watch] if self._watch is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
