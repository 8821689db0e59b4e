"""What runs in a worker process: it opens what it works with, and does what it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from reviewscore import __version__
from reviewscore.engine.limits import FarBudget, FarLane
from reviewscore.errors import ReviewScoreError
from reviewscore.llm.client import Limits
from reviewscore.llm.connect import RunContext

T = TypeVar("T")

Blueprint = Callable[[RunContext], AbstractAsyncContextManager[Any]]
"""Opens what a worker works with, such as judges and their client; pickled."""


@dataclass(frozen=True)
class Shared:
    """What all workers of a run share.

    Attributes:
        limits: How calls may be made, all workers together.
        cap: Most dollars; None for no cap.
        spent: Dollars that the run has spent before.
    """

    limits: Limits
    cap: float | None = None
    spent: float = 0.0


class Worker:
    """What runs in a worker process; made by Ray, and made anew where it is lost.

    Args:
        number: Tells workers apart.
        keeper: Name of the actor with the limits.
        blueprint: Opens what it works with.
    """

    def __init__(self, number: int, keeper: str, blueprint: Blueprint) -> None:
        import ray

        self._number, self._blueprint = number, blueprint
        self._shared = ray.get_actor(keeper)
        self._open = AsyncExitStack()
        self._bench: Any = None
        self._opening = asyncio.Lock()

    async def begin(self) -> tuple[str, str | None]:
        """Open what it works with, once.

        Returns:
            Version of the package here, and why it cannot work; None if it can.
        """
        async with self._opening:
            if self._bench is not None:
                return __version__, None
            await self._shared.free.remote(self._number)
            around = RunContext(
                say=self._shared.say.remote,
                budget=FarBudget(self._shared, self._number),
                limiter=lambda model: FarLane(self._shared, self._number, model),
            )
            try:
                self._bench = await self._open.enter_async_context(self._blueprint(around))
            except ReviewScoreError as error:
                return __version__, str(error)
        return __version__, None

    async def do(
        self, function: Callable[..., Awaitable[T]], args: tuple[Any, ...]
    ) -> tuple[T | None, ReviewScoreError | None]:
        """Call a function with what this worker works with, and arguments.

        Returns:
            What it returns, or an error of ours that it raises: Ray would wrap that.
        """
        try:
            return await function(self._bench, *args), None
        except ReviewScoreError as error:
            return None, error

    async def end(self) -> None:
        """Close what it works with."""
        async with self._opening:
            self._bench = None
            await self._open.aclose()
