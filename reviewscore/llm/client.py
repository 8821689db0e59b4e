"""One call: the ledger first, then the budget, the lane, retries, and the provider."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from reviewscore.errors import ProviderError, StoppedError
from reviewscore.llm.budget import Budget
from reviewscore.llm.lane import Lane
from reviewscore.llm.ledger.book import Paid
from reviewscore.llm.prices import Price, cost_of, price_list, tokens_in, worst_case
from reviewscore.llm.provider import Provider
from reviewscore.llm.retry import TOO_OFTEN, with_retries
from reviewscore.llm.warmth import Warmth
from reviewscore.schema.call import Call, Completion, Request, prefix_key

WORTH_CACHING = 2048
"""Input tokens from which a provider should have found a shared prefix in its cache."""
_LOOK_AGAIN = 0.5
"""Seconds between looks whether another process has made the call."""


class Book(Protocol):
    """Where calls are recorded, and found again by a later run (`llm.ledger.book.Ledger`)."""

    def find(self, key: str) -> Completion | None:
        """The latest reply to an equal call."""
        ...

    async def use(self, key: str) -> None:
        """Note that this run uses a recorded call."""
        ...

    async def claim(self, key: str, usd: float | None) -> bool:
        """Announce a call before it is sent; False while another process is at it."""
        ...

    async def add(self, call: Call, *, doubtful: float | None = None) -> None:
        """Record a call; it is on the disk when this returns."""
        ...

    async def drop(self, key: str, *, doubtful: float | None = None) -> None:
        """Give up a claim after a failure."""
        ...

    def paid(self) -> Paid:
        """What the calls of this run came to."""
        ...


@dataclass
class Traffic:
    """Calls so far in this process: paid ones, those found in the ledger, and their tokens."""

    calls: int = 0
    reused: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True)
class Limits:
    """How calls may be made.

    Attributes:
        connections: Most calls under way at once, for each model.
        max_retries: How often a failed call is tried again.
        requests_per_minute: Most calls a minute, for each model; None for no limit.
        tokens_per_minute: Most tokens a minute, for each model; None for no limit.
    """

    connections: int = 8
    max_retries: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Client:
    """Makes calls to any number of models, and never pays for the same call twice.

    Args:
        provider: Finds the provider of a model.
        book: The record of calls.
        limits: How calls may be made.
        budget: The spending cap; none if not given.
        price: Finds the price of a model; the shipped list's if not given.
        renew: Whether a recorded reply that turns out to be unusable may be asked for anew, once.
        warmth: Which prefixes are cached; by default kept for minutes.
        say: Told what the user should know while calls go on.
    """

    def __init__(
        self,
        provider: Callable[[str], Provider],
        book: Book,
        *,
        limits: Limits | None = None,
        budget: Budget | None = None,
        price: Callable[[str], Price | None] | None = None,
        renew: bool = False,
        warmth: Warmth | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.traffic, self.budget = Traffic(), budget or Budget()
        self._provider, self._book, self._limits = provider, book, limits or Limits()
        self._price = price or price_list().of
        self._renew, self._from_record = renew, set[str]()
        self._warmth, self._say = warmth or Warmth(), say or (lambda _: None)
        self._providers: dict[str, Provider] = {}
        self._lanes: dict[str, Lane] = {}
        self._under_way: dict[str, asyncio.Future[Completion]] = {}
        self._told_cold = False
        self._stopping = False

    def stop(self) -> None:
        """Make no new call; those under way finish and are recorded, if that takes no hours."""
        self._stopping = True
        for provider in self._providers.values():
            provider.halt()

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
        provider = self.provider_of(request.model)
        key = request.key(place=provider.place)
        known = None if renew or provider.traits.records else self._book.find(key)
        if known is not None:
            return await self._reuse(key, known), key
        self._from_record.discard(key)
        waiting = self._under_way.get(key)
        if waiting is not None:  # an equal call is under way: share its reply
            return await asyncio.shield(waiting), key
        future = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            completion = await self._ask(provider, request, stage, key, urgency, renew=renew)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen
            raise
        finally:
            del self._under_way[key]
        future.set_result(completion)
        return completion, key

    def provider_of(self, model: str) -> Provider:
        """The provider of a model, opened at first use."""
        if model not in self._providers:
            self._providers[model] = self._provider(model)
        return self._providers[model]

    async def _reuse(self, key: str, known: Completion) -> Completion:
        self.traffic.reused += 1
        self._from_record.add(key)
        await self._book.use(key)
        return known

    async def _ask(
        self, provider: Provider, request: Request, stage: str, key: str, urgency: int, *,
        renew: bool,
    ) -> Completion:  # fmt: skip
        cached = provider.traits.warms and request.prefix
        prefix = f"{request.model} {prefix_key(request.prefix)}" if cached else ""
        async with self._warmth.turn(prefix) as warm:
            call = _Sending(self, provider, request, stage, key, urgency)
            if provider.traits.paced:
                found = await self._claimed(key, call.worst, renew=renew)
                if found is not None:
                    return await self._reuse(key, found)
            completion = await call.send()
            if provider.traits.records and self._book.find(key) == completion:
                return await self._reuse(key, completion)
            await call.record(completion)
        if warm:
            self._check_cache(completion)
        return completion

    async def _claimed(self, key: str, worst: float | None, *, renew: bool) -> Completion | None:
        """Claim a call; its reply instead, if another process makes it or has just made it."""
        while not await self._book.claim(key, worst):
            await asyncio.sleep(_LOOK_AGAIN)
            found = None if renew else self._book.find(key)
            if found is not None:
                return found
        # Between our look into the ledger and our claim another process may have finished.
        found = None if renew else self._book.find(key)
        if found is not None:
            await self._book.drop(key)
        return found

    def price(self, model: str, completion: Completion) -> float | None:
        """Dollars of a reply; None if the price is not known."""
        return cost_of(completion, self._price(model))

    def worst(self, request: Request) -> float | None:
        """Dollars that a call can cost at most; None if the price is not known."""
        batch = not self.provider_of(request.model).traits.paced
        return worst_case(request, self._price(request.model), batch=batch)

    def lane(self, provider: Provider, model: str) -> Lane | None:
        """The lane of a model; None where calls do not wait for a server."""
        if not provider.traits.paced:
            return None
        if model not in self._lanes:
            limits = self._limits
            self._lanes[model] = Lane(
                limits.connections,
                requests=limits.requests_per_minute,
                tokens=limits.tokens_per_minute,
                say=self._say,
            )
        return self._lanes[model]

    def _check_cache(self, completion: Completion) -> None:
        usage = completion.usage
        if usage.cached_tokens or usage.input_tokens < WORTH_CACHING or self._told_cold:
            return
        self._told_cold = True
        self._say(
            "the provider reports nothing read from its cache for the second call about a paper: "
            "input is billed in full, or the server does not report it"
        )

    def paid(self) -> Paid:
        """What the calls of this run came to, in all its sessions."""
        return self._book.paid()

    async def close(self) -> None:
        """Close the providers' connections."""
        for provider in self._providers.values():
            await provider.close()


class _Sending:
    """One call on its way: every attempt holds a place and a reserve, and is settled."""

    def __init__(
        self, client: Client, provider: Provider, request: Request, stage: str, key: str,
        urgency: int,
    ) -> None:  # fmt: skip
        self._client, self._provider, self._request = client, provider, request
        self._stage, self._key, self._urgency = stage, key, urgency
        self._lane = client.lane(provider, request.model)
        self.worst = client.worst(request)
        self._doubtful, self._attempts = 0.0, 1
        self._started, self._clock = datetime.now(UTC), time.perf_counter()

    async def send(self) -> Completion:
        """Ask until there is a reply.

        Raises:
            ProviderError, StopError: As `Client.complete`; the claim is given up.
        """
        try:
            completion, self._attempts = await with_retries(
                self._attempt, max_retries=self._client._limits.max_retries
            )
        except BaseException:
            await self._client._book.drop(self._key, doubtful=self._doubtful)
            raise
        return completion

    async def record(self, completion: Completion) -> None:
        """Write the call into the ledger."""
        usd = self._client.price(self._request.model, completion)
        await self._client._book.add(
            Call(
                key=self._key,
                place=self._provider.place,
                stage=self._stage,
                request=self._request,
                completion=completion,
                attempts=self._attempts,
                started=self._started.isoformat(timespec="milliseconds"),
                seconds=round(time.perf_counter() - self._clock, 3),
                usd=usd,
            ),
            doubtful=self._doubtful,
        )
        self._count(completion, usd)

    def _count(self, completion: Completion, usd: float | None) -> None:
        traffic = self._client.traffic
        traffic.calls += 1
        traffic.input_tokens += completion.usage.input_tokens
        traffic.cached_tokens += completion.usage.cached_tokens
        traffic.usd += usd or 0.0

    async def _attempt(self) -> Completion:
        if self._lane is None:
            return await self._paid_for()
        size = tokens_in(sum(map(len, self._request.opening()))) + self._request.max_tokens
        async with self._lane.place(self._urgency, tokens=size):
            return await self._paid_for()

    async def _paid_for(self) -> Completion:
        budget = self._client.budget
        if self._client._stopping:
            raise StoppedError("the run is being stopped; run the same command again to go on")
        await budget.reserve(self.worst)
        spent: float | None = None
        try:
            completion = await self._timed()
            spent = self._client.price(self._request.model, completion)
        except ProviderError as error:
            if error.in_doubt:
                spent = self.worst
                self._doubtful += self.worst or 0.0
            raise
        finally:
            budget.settle(self.worst, spent)
        return completion

    async def _timed(self) -> Completion:
        asked = time.monotonic()
        try:
            completion = await self._provider.complete(self._request)
        except ProviderError as error:
            if self._lane is not None and error.status == TOO_OFTEN:
                self._lane.throttled(asked=asked, wait=error.retry_after)
            raise
        if self._lane is not None:
            self._lane.answered(self._stage, asked=asked, seconds=time.monotonic() - asked)
        return completion
