"""One call: the run's own record of calls first, then the limit, then retries and the provider."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

from reviewscore.errors import StopError
from reviewscore.llm.limit import Limit
from reviewscore.llm.provider import Provider
from reviewscore.llm.retry import with_retries
from reviewscore.schema.call import Call, Completion, Request


class CallLog(Protocol):
    """Where calls are recorded, and found again by a later run."""

    def find(self, key: str) -> Completion | None:
        """The reply to an earlier equal call."""
        ...

    def add(self, call: Call) -> None:
        """Record a call; must be on disk when it returns."""
        ...


class CallsInMemory:
    """A record of calls that lasts as long as the process."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}

    def find(self, key: str) -> Completion | None:
        """The reply to an earlier equal call."""
        call = self._calls.get(key)
        return None if call is None else call.completion

    def add(self, call: Call) -> None:
        """Remember a call."""
        self._calls[call.key] = call


class StoppedError(StopError):
    """No new call is made because the run is being stopped."""


@dataclass
class Traffic:
    """Calls so far in this process: paid ones, and those found in the record."""

    calls: int = 0
    reused: int = 0


class Client:
    """Makes calls, at most so many at once, and never pays for the same call twice.

    Args:
        provider: Who answers.
        calls: The record of calls.
        connections: Most calls under way at once.
        max_retries: How often a failed call is tried again.
        renew: Whether a recorded reply that turns out to be unusable may be asked for anew, once.
    """

    def __init__(
        self,
        provider: Provider,
        calls: CallLog,
        *,
        connections: int,
        max_retries: int = 5,
        renew: bool = False,
    ) -> None:
        self.traffic = Traffic()
        self._renew, self._from_record = renew, set[str]()
        self._provider, self._calls, self._max_retries = provider, calls, max_retries
        self._limit = Limit(connections)
        self._under_way: dict[str, asyncio.Future[Completion]] = {}
        self._stopping = False

    def stop(self) -> None:
        """Make no new call; those under way finish and are recorded."""
        self._stopping = True

    def may_renew(self, key: str) -> bool:
        """Whether an unusable reply came from the record and may be asked for anew."""
        return self._renew and key in self._from_record

    async def complete(
        self, request: Request, *, stage: str, urgency: int = 0, renew: bool = False
    ) -> tuple[Completion, str]:
        """Get a reply, from the record or the provider.

        Args:
            request: What is asked.
            stage: Its name, for the record.
            urgency: Where calls wait for a connection, the higher goes first.
            renew: Ask the provider even if there is a recorded reply, which is replaced.

        Returns:
            The completion and the call's key.

        Raises:
            ProviderError: The provider failed for good.
            StopError: Nothing more can be asked.
        """
        key = request.key(place=self._provider.place)
        known = None if renew else self._calls.find(key)
        if known is not None:
            self.traffic.reused += 1
            self._from_record.add(key)
            return known, key
        self._from_record.discard(key)
        waiting = self._under_way.get(key)
        if waiting is not None:  # an equal call is under way: share its reply
            return await asyncio.shield(waiting), key
        future = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            completion = await self._pay(request, stage, key, urgency)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen
            raise
        finally:
            del self._under_way[key]
        future.set_result(completion)
        return completion, key

    async def _pay(self, request: Request, stage: str, key: str, urgency: int) -> Completion:
        async with self._limit.place(urgency):
            if self._stopping:
                raise StoppedError("the run is being stopped; run the same command again to go on")
            started, clock = datetime.now(UTC), time.perf_counter()
            completion, attempts = await with_retries(
                lambda: self._provider.complete(request), max_retries=self._max_retries
            )
            seconds = time.perf_counter() - clock
        self._calls.add(
            Call(
                key=key,
                stage=stage,
                request=request.model_copy(update={"prefix": ""}),
                prefix_sha256=sha256(request.prefix.encode()).hexdigest(),
                completion=completion,
                attempts=attempts,
                started=started.isoformat(timespec="milliseconds"),
                seconds=round(seconds, 3),
            )
        )
        self.traffic.calls += 1
        return completion

    async def close(self) -> None:
        """Close the provider's connections."""
        await self._provider.close()
