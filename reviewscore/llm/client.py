"""One call: the ledger first, then the budget, the lane, retries, and the provider."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from reviewscore.llm.budget import Budget
from reviewscore.llm.lane import Lane
from reviewscore.llm.ledger.paid import Paid
from reviewscore.llm.prices import Price, price_list
from reviewscore.llm.provider import Provider
from reviewscore.llm.sending import Book, ElsewhereError, Means, Purse, Sending, Way
from reviewscore.llm.warmth import Warmth
from reviewscore.schema.call import Completion, Request, prefix_key

WORTH_CACHING = 2048
"""Input tokens from which a provider should have found a shared prefix in its cache."""
_LOOK_AGAIN = 0.5
"""Seconds between looks whether another process has made the call."""
_TELL_AFTER = 10.0
"""Seconds of waiting for another process after which the user is told."""
_MARGIN = 60.0
"""Seconds beyond the time-out after which a call has surely ended."""


@dataclass(frozen=True)
class Limits:
    """How calls may be made.

    Attributes:
        connections: Most calls under way at once, for each model.
        max_retries: How often a failed call is tried again.
        requests_per_minute: Most calls a minute, for each model; None for no limit.
        tokens_per_minute: Most tokens a minute, for each model; None for no limit.
        timeout: Seconds that one call may take.
        lane: Finds the lane of a model where processes share lanes; None for lanes of the
            client's own.
    """

    connections: int = 8
    max_retries: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 600.0
    lane: Callable[[str], Way] | None = None


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
        budget: Purse | None = None,
        price: Callable[[str], Price | None] | None = None,
        renew: bool = False,
        warmth: Warmth | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._provider, self._book, self._limits = provider, book, limits or Limits()
        self._means = Means(
            book=book,
            budget=budget or Budget(),
            price=price or price_list().of,
            max_retries=self._limits.max_retries,
            longest=self._limits.timeout + _MARGIN,
            say=say or (lambda _: None),
        )
        self.traffic = self._means.traffic
        self._renew, self._from_record = renew, set[str]()
        self._warmth, self._say = warmth or Warmth(), say or (lambda _: None)
        self._providers: dict[str, Provider] = {}
        self._lanes: dict[str, Way] = {}
        self._under_way: dict[str, asyncio.Future[Completion]] = {}
        self._told_cold = self._told_elsewhere = False

    def stop(self) -> None:
        """Make no new call; those under way finish and are recorded, if that takes no hours."""
        self._means.stopping = True
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
        while True:
            known = None if renew or provider.traits.records else await self._book.find(key)
            if known is not None:
                return await self._reuse(key, known), key
            self._from_record.discard(key)
            waiting = self._under_way.get(key)
            if waiting is None:
                break
            await asyncio.wait((waiting,))  # an equal call is under way: share its reply
            if not waiting.cancelled():
                return waiting.result(), key
        future = asyncio.get_running_loop().create_future()
        self._under_way[key] = future
        try:
            completion = await self._ask(provider, request, stage, key, urgency, renew=renew)
        except asyncio.CancelledError:
            future.cancel()  # it was not the others who were cancelled: one of them goes on
            raise
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # nobody may be waiting: mark it as seen
            raise
        finally:
            del self._under_way[key]
        future.set_result(completion)
        return completion, key

    async def asks_again(self, request: Request, next_request: Request, problem: str) -> None:
        """Tell whoever writes replies into a folder that one cannot be used.

        Args:
            request: What was asked.
            next_request: What is asked now; nothing is told if it was answered already.
            problem: What is wrong with the reply.
        """
        provider = self.provider_of(request.model)
        if not provider.traits.records:
            return
        if await self._book.find(next_request.key(place=provider.place)) is not None:
            return
        self._say(
            f"{provider.place}: the reply to prompt {request.prompt_key()[:12]} could not be used "
            f"({problem}); asked again as prompt {next_request.prompt_key()[:12]}"
        )

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
        lane = self._lane(provider, request.model)
        old = await self._book.find(key) if renew else None
        async with self._warmth.turn(prefix) as warm:
            while True:
                call = Sending(self._means, provider, lane, request, key, renew=renew)
                try:
                    completion = await call.send(stage, urgency)
                    break
                except ElsewhereError:
                    found = await self._from_elsewhere(key, old)
                    if found is not None:
                        return await self._reuse(key, found)
            if provider.traits.records and await self._book.find(key) == completion:
                return await self._reuse(key, completion)
            await call.record(stage, completion)
        if warm:
            self._check_cache(completion)
        return completion

    async def _from_elsewhere(self, key: str, old: Completion | None) -> Completion | None:
        """The reply to a call that another process makes; None if none came."""
        since = time.monotonic()
        while (holder := await self._book.holder(key)) is not None:
            self._means.check_stop()
            if not self._told_elsewhere and time.monotonic() - since > _TELL_AFTER:
                self._told_elsewhere = True
                self._say(f"waiting for {holder}, which is making the same call")
            await asyncio.sleep(_LOOK_AGAIN)
        found = await self._book.find(key)
        return None if found == old else found

    def _lane(self, provider: Provider, model: str) -> Way | None:
        if not provider.traits.paced:
            return None
        if model not in self._lanes:
            new = self._limits.lane or self._lane_of_its_own
            self._lanes[model] = new(model)
        return self._lanes[model]

    def _lane_of_its_own(self, model: str) -> Lane:
        limits = self._limits
        return Lane(
            limits.connections,
            requests=limits.requests_per_minute,
            tokens=limits.tokens_per_minute,
            say=self._say,
        )

    def _check_cache(self, completion: Completion) -> None:
        usage = completion.usage
        if usage.cached_tokens or usage.input_tokens < WORTH_CACHING or self._told_cold:
            return
        self._told_cold = True
        self._say(
            "the provider reports nothing read from its cache for the second call about a paper: "
            "input is billed in full, or the server does not report it"
        )

    async def paid(self) -> Paid:
        """What the calls of this run came to, in all its sessions."""
        return await self._book.paid()

    async def close(self) -> None:
        """Close the providers' connections."""
        for provider in set(self._providers.values()):  # one may serve several models
            await provider.close()
