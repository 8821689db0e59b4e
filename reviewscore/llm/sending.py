"""One call on its way: claimed, paid for, tried again, recorded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from reviewscore.errors import ProviderError, StopError, StoppedError
from reviewscore.llm.failures import without_secrets
from reviewscore.llm.ledger.paid import Paid
from reviewscore.llm.prices import Price, cost_of, tokens_in, worst_case
from reviewscore.llm.provider import Provider
from reviewscore.llm.retry import TOO_OFTEN, with_retries
from reviewscore.schema.call import Call, Completion, Request, Usage


class Book(Protocol):
    """Where calls are recorded, and found again by a later run (`llm.ledger.book.Ledger`)."""

    async def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        ...

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        ...

    async def claim(
        self, key: str, usd: float | None, *, seconds: float, unless_known: bool = False
    ) -> bool:
        """Announce a call just before it is sent; False if it is not to be made now.

        Another process is at it, or it has a reply by now and is not wanted if it has one.
        """
        ...

    async def holder(self, key: str) -> str | None:
        """Who else is making a call, in words; None if nobody is."""
        ...

    async def add(self, call: Call, *, doubtful: float | None = None) -> None:
        """Record a call; it is on the disk when this returns."""
        ...

    async def drop(self, key: str, *, doubtful: float | None = None) -> None:
        """Give up a claim after a failure."""
        ...

    async def paid(self) -> Paid:
        """What the calls of this run came to."""
        ...


class Purse(Protocol):
    """A spending cap (`llm.budget.Budget`)."""

    async def reserve(self, usd: float | None) -> None:
        """Set aside what a call may cost; `settle` must follow."""
        ...

    def settle(self, reserved: float | None, spent: float | None) -> None:
        """A call has ended: replace what was set aside by what it cost."""
        ...


class Way(Protocol):
    """Calls to one model at one server (`llm.lane.Lane`)."""

    def place(self, urgency: int, *, tokens: int = 0) -> AbstractAsyncContextManager[None]:
        """Hold a place; the more urgent are served first."""
        ...

    def throttled(self, *, asked: float, wait: float | None) -> None:
        """The server says that it is asked too often."""
        ...

    def answered(self, stage: str, *, asked: float, seconds: float) -> None:
        """A reply came."""
        ...


_SHOWN = 200
"""Characters of a usage object that the user is shown."""
_TELL_EVERY = 10.0
"""Seconds between two words about a server that cannot be reached, however many calls fail."""


class ElsewhereError(Exception):
    """Another process is making this very call, or has just made it; never leaves the client."""


@dataclass
class Traffic:
    """Calls so far in this process: paid ones, those found in the ledger, and their tokens.

    Attributes:
        refused: What servers were found to refuse, as in `llm.parameters.Refusals`.
    """

    calls: int = 0
    reused: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    refused: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Means:
    """What calls are made with.

    Attributes:
        book: The record of calls.
        budget: The spending cap.
        price: Finds the price of a model.
        max_retries: How often a failed call is tried again.
        longest: Seconds after which a call that was sent has surely ended.
        say: Told what the user should know.
        stopping: Whether no new call may be made.
    """

    book: Book
    budget: Purse
    price: Callable[[str], Price | None]
    max_retries: int
    longest: float
    say: Callable[[str], None] = lambda _: None
    traffic: Traffic = field(default_factory=Traffic)
    stopping: bool = False
    _silent_until: float = 0.0
    _uncounted: set[str] = field(default_factory=set)

    def check_counts(self, place: str, usage: Usage) -> None:
        """Say once of a server that its counts of tokens are not taken."""
        if usage.input_tokens or usage.output_tokens or not usage.raw or place in self._uncounted:
            return
        self._uncounted.add(place)
        told = without_secrets(usage.raw)[:_SHOWN]
        self.say(
            f"{place}: its counts of tokens cannot be right ({told}) and are not taken; calls "
            "without a count are taken to cost the most they can, where their price is known"
        )

    def tell(self, error: ProviderError, attempt: int, wait: float) -> None:
        """Say that a server cannot be reached and is tried again; other failures are not told."""
        reached = error.status is not None or error.in_doubt
        if reached or time.monotonic() < self._silent_until:
            return
        self._silent_until = time.monotonic() + _TELL_EVERY
        again = f"trying again in {wait:.0f} s" if wait >= 1 else "trying again"
        self.say(f"{error}; {again} ({attempt} of {self.max_retries})")

    def check_stop(self) -> None:
        """Make no call while the run is being stopped.

        Raises:
            StoppedError: It is.
        """
        if self.stopping:
            raise StoppedError("the run is being stopped; run the same command again to go on")


class Sending:
    """One call; every attempt holds a place and a reserve, and is settled.

    Args:
        means: What it is made with.
        provider: Who is asked.
        lane: The model's lane; None where calls do not wait for a server.
        request: What is asked.
        key: The call's key.
        renew: Whether a recorded reply is to be replaced.
    """

    def __init__(
        self,
        means: Means,
        provider: Provider,
        lane: Way | None,
        request: Request,
        key: str,
        *,
        renew: bool,
    ) -> None:
        self._means, self._provider, self._lane = means, provider, lane
        self._request, self._key, self._renew = request, key, renew
        self._price = means.price(request.model)
        self._worst = worst_case(request, self._price, batch=lane is None)
        self._doubtful, self._attempts, self._claimed = 0.0, 1, False
        self._started, self._clock = datetime.now(UTC), time.perf_counter()

    async def send(self, stage: str, urgency: int) -> Completion:
        """Ask until there is a reply.

        Raises:
            ProviderError: The provider failed for good.
            StopError: Nothing more can be asked.
            ElsewhereError: Another process makes the call.
        """

        async def attempt() -> Completion:
            return await self._attempt(stage, urgency)

        try:
            completion, self._attempts = await with_retries(
                attempt,
                max_retries=self._means.max_retries,
                in_jobs=self._lane is None,
                told=self._means.tell,
            )
        except BaseException:
            if self._claimed or self._doubtful:
                await self._means.book.drop(self._key, doubtful=self._doubtful)
            raise
        return completion

    async def record(self, stage: str, completion: Completion) -> None:
        """Write the call into the book."""
        usd = cost_of(completion, self._price)
        await self._means.book.add(
            Call(
                key=self._key,
                place=self._provider.place,
                stage=stage,
                request=self._request,
                completion=completion,
                attempts=self._attempts,
                started=self._started.isoformat(timespec="milliseconds"),
                seconds=round(time.perf_counter() - self._clock, 3),
                usd=usd,
            ),
            doubtful=self._doubtful,
        )
        self._means.check_counts(self._provider.place, completion.usage)
        traffic = self._means.traffic
        traffic.calls += 1
        traffic.input_tokens += completion.usage.input_tokens
        traffic.cached_tokens += completion.usage.cached_tokens
        traffic.usd += usd or 0.0

    async def _attempt(self, stage: str, urgency: int) -> Completion:
        if self._lane is None:
            return await self._paid_for(stage)
        size = tokens_in(sum(map(len, self._request.opening()))) + self._request.max_tokens
        async with self._lane.place(urgency, tokens=size):
            return await self._paid_for(stage)

    async def _paid_for(self, stage: str) -> Completion:
        self._means.check_stop()
        budget = self._means.budget
        await budget.reserve(self._worst)
        spent, sent = None, False
        try:
            self._means.check_stop()  # it may have waited for others to settle
            await self._claim()
            sent = True
            completion = await self._timed(stage)
            spent = cost_of(completion, self._price)
            if spent is None and self._worst is not None:
                spent = self._doubt()
        except BaseException as error:
            if sent and self._may_be_billed(error):
                spent = self._doubt()
            raise
        finally:
            budget.settle(self._worst, spent)
        return completion

    def _doubt(self) -> float:
        """Count an attempt at its worst."""
        worst = self._worst or 0.0
        self._doubtful += worst
        return worst

    def _may_be_billed(self, error: BaseException) -> bool:
        """Whether a call that was sent may cost something although it brought no reply."""
        if isinstance(error, ProviderError):
            return error.in_doubt
        if isinstance(error, StopError):
            return False
        return self._lane is not None  # cancelled; what a batch job was asked is not lost

    async def _claim(self) -> None:
        """Announce the call just before it is sent, so that a kill costs what was really sent.

        Batch jobs have a record of their own, and replies in a folder cost nothing. A claim holds
        for as long as one attempt can take, so each attempt renews it.
        """
        means = self._means
        # Between the look into the book and the claim another process may have finished.
        look = not (self._claimed or self._renew or self._provider.traits.records)
        if self._lane is not None:
            if not await means.book.claim(
                self._key, self._worst, seconds=means.longest, unless_known=look
            ):
                raise ElsewhereError
            self._claimed = True
        elif look and await means.book.find(self._key) is not None:
            raise ElsewhereError

    async def _timed(self, stage: str) -> Completion:
        asked = time.monotonic()
        # One attempt may be several requests, and not every client of LiteLLM's is ours.
        longest = None if self._lane is None else self._means.longest
        try:
            async with asyncio.timeout(longest):
                completion = await self._provider.complete(self._request)
        except TimeoutError as error:
            told = f"{self._provider.place}: no whole reply after {longest:g} s"
            raise ProviderError(told, retryable=True, in_doubt=True) from error
        except ProviderError as error:
            if self._lane is not None and error.status == TOO_OFTEN:
                self._lane.throttled(asked=asked, wait=error.retry_after)
            raise
        if self._lane is not None:
            self._lane.answered(stage, asked=asked, seconds=time.monotonic() - asked)
        return completion
