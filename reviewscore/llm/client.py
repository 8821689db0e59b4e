"""One call, from the question to the reply: ledger, budget, limiter, retries, provider.

`Client.complete` gives a recorded reply if there is one, or shares that of an equal call under way.
Else `_Call.make` waits until the shared prefix is cached (`limiter.PrefixCacheWarmup`) and tries
until there is a reply (`retry.with_retries`). Each attempt (`_Call.attempt`) holds a place of the
limiter, sets its worst case aside in the budget, claims the call in the ledger, and asks the
provider, which translates the request for a vendor's SDK.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from reviewscore.errors import ProviderError, StopError, StoppedError
from reviewscore.llm.budget import Budget, SpendingCap
from reviewscore.llm.context import ReadingCheck, was_cut
from reviewscore.llm.http import without_secrets
from reviewscore.llm.ledger.store import CallStore, Paid
from reviewscore.llm.limiter import ConcurrencyLimiter, PrefixCacheWarmup, RateLimiter
from reviewscore.llm.local_servers import starter
from reviewscore.llm.page_tokens import tokens_of_pages
from reviewscore.llm.prices import Price, cost_of, price_list, tokens_in, worst_case
from reviewscore.llm.provider import NO_IMAGES_CURE, ElsewhereError, Provider, refuses_images
from reviewscore.llm.retry import AT_HOME, TOO_OFTEN, with_retries
from reviewscore.schema.call import Call, Completion, Request, Usage

WORTH_CACHING = 2048
"""Input tokens from which a provider should have found a shared prefix in its cache."""
_LOOK_AGAIN = 0.5
"""Seconds between looks whether another process has made the call."""
_TELL_AFTER = 10.0
"""Seconds of waiting for another process after which the user is told."""
_TELL_EVERY = 10.0
"""Seconds between two messages about a server that cannot be reached, however many calls fail."""
_MARGIN = 60.0
"""Seconds beyond the time-out after which a call has surely ended."""
_SHOWN = 200
"""Characters of a usage object that the user is shown."""


@dataclass(frozen=True)
class CallLimits:
    """How calls may be made.

    Attributes:
        connections: Most calls under way at once, for each model.
        max_retries: How often a failed call is tried again.
        requests_per_minute: Most calls a minute, for each model; None for no limit.
        tokens_per_minute: Most tokens a minute, for each model; None for no limit.
        timeout: Seconds that one call may take.
        limiter: Finds the limiter of a model where processes share them; None for limiters of the
            client's own.
    """

    connections: int = 8
    max_retries: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 600.0
    limiter: Callable[[str], RateLimiter] | None = None


@dataclass
class Traffic:
    """Calls so far in this process: paid ones, those found in the ledger, and their tokens.

    Attributes:
        replies: Replies that were read for a record, recorded ones too.
        unusable: Those that held none: broken, cut off, of another form, withheld.
        refused: What servers were found to refuse, as in `llm.parameters.Refusals`.
    """

    calls: int = 0
    reused: int = 0
    replies: int = 0
    unusable: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    refused: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Client:
    """Makes calls to any number of models, and never pays for the same call twice.

    Args:
        provider: Finds the provider of a model.
        store: The record of calls.
        limits: How calls may be made.
        budget: The spending cap; none if not given.
        price: Finds the price of a model; the shipped list's if not given.
        renew: Whether a recorded reply that turns out to be unusable may be asked for anew, once.
        warmup: Which prefixes are cached; by default kept for minutes.
        say: Told what the user should know while calls go on.

    Attributes:
        traffic: What the calls came to so far.
    """

    def __init__(
        self,
        provider: Callable[[str], Provider],
        store: CallStore,
        *,
        limits: CallLimits | None = None,
        budget: SpendingCap | None = None,
        price: Callable[[str], Price | None] | None = None,
        renew: bool = False,
        warmup: PrefixCacheWarmup | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.store, self.limits, self.budget = store, limits or CallLimits(), budget or Budget()
        self.price, self.say = price or price_list().of, say or (lambda _: None)
        self.warmup, self.traffic = warmup or PrefixCacheWarmup(), Traffic()
        self._open, self._new_limiter = provider, self.limits.limiter or self._own_limiter
        self._renew, self._from_record = renew, set[str]()
        self._providers: dict[str, Provider] = {}
        self._limiters: dict[str, RateLimiter] = {}
        self._under_way: dict[str, asyncio.Future[Completion]] = {}
        self._stopping = self._told_cold = self._told_elsewhere = False
        self._silent_until = 0.0
        self._uncounted: set[str] = set()
        self.prompts = ReadingCheck(self.say)

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
            known = None if renew or provider.traits.records else await self.store.find(key)
            if known is not None and was_cut(provider, request, known):
                known, renew = None, True
            if known is not None:
                return await self.reuse(key, known), key
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
            completion = await _Call(self, provider, request, key, stage, urgency, renew).make()
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

    async def reuse(self, key: str, known: Completion) -> Completion:
        """Note that a recorded reply is used."""
        self.traffic.reused += 1
        self._from_record.add(key)
        await self.store.use(key)
        return known

    def may_renew(self, key: str) -> bool:
        """Whether an unusable reply came from the record and may be asked for anew."""
        return self._renew and key in self._from_record

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
        if await self.store.find(next_request.key(place=provider.place)) is None:
            self.say(
                f"{provider.place}: the reply to prompt {request.prompt_key()[:12]} could not be "
                f"used ({problem}); asked again as prompt {next_request.prompt_key()[:12]}"
            )

    def provider_of(self, model: str) -> Provider:
        """The provider of a model, opened at first use."""
        if model not in self._providers:
            self._providers[model] = self._open(model)
        return self._providers[model]

    def limiter_of(self, model: str) -> RateLimiter | None:
        """The limiter of a model; None where calls do not wait for a server."""
        if not self.provider_of(model).traits.paced:
            return None
        if model not in self._limiters:
            self._limiters[model] = self._new_limiter(model)
        return self._limiters[model]

    def _own_limiter(self, model: str) -> RateLimiter:
        return ConcurrencyLimiter(
            self.limits.connections,
            requests=self.limits.requests_per_minute,
            tokens=self.limits.tokens_per_minute,
            say=self.say,
        )

    async def from_elsewhere(self, key: str, old: Completion | None) -> Completion | None:
        """The reply to a call that another process makes; None if none came but the old one."""
        since = time.monotonic()
        while (holder := await self.store.holder(key)) is not None:
            self.check_stop()
            if not self._told_elsewhere and time.monotonic() - since > _TELL_AFTER:
                self._told_elsewhere = True
                self.say(f"waiting for {holder}, which is making the same call")
            await asyncio.sleep(_LOOK_AGAIN)
        completion = await self.store.find(key)
        return None if completion == old else completion

    def tell_unreached(
        self, error: ProviderError, attempt: int, wait: float, *, at_home: bool
    ) -> None:
        """Say that a server cannot be reached and is tried again; other failures are not told."""
        if not error.unreached or time.monotonic() < self._silent_until:
            return
        self._silent_until = time.monotonic() + _TELL_EVERY
        again = f"trying again in {wait:.0f} s" if wait >= 1 else "trying again"
        most = min(self.limits.max_retries, AT_HOME if at_home else self.limits.max_retries)
        self.say(f"{error}; {again} ({attempt} of {most})")

    def check_counts(self, place: str, usage: Usage) -> None:
        """Say once of a server that its counts of tokens are not taken."""
        if usage.input_tokens or usage.output_tokens or not usage.raw or place in self._uncounted:
            return
        self._uncounted.add(place)
        text = without_secrets(usage.raw)[:_SHOWN]
        self.say(
            f"{place}: its counts of tokens cannot be right ({text}) and are not taken; calls "
            "without a count are taken to cost the most they can, where their price is known"
        )

    def check_cache(self, usage: Usage) -> None:
        """Say once that nothing was read from a cache that should hold the prefix."""
        if usage.cached_tokens or usage.input_tokens < WORTH_CACHING or self._told_cold:
            return
        self._told_cold = True
        self.say(
            "the provider reports nothing read from its cache for the second call about a paper: "
            "input is billed in full, or the server does not report it"
        )

    def check_stop(self) -> None:
        """Make no call while the run is being stopped.

        Raises:
            StoppedError: It is.
        """
        if self._stopping:
            raise StoppedError("the run is being stopped; run the same command again to go on")

    def stop(self) -> None:
        """Make no new call; those under way finish and are recorded, if that takes no hours."""
        self._stopping = True
        for provider in self._providers.values():
            provider.halt()

    async def paid(self) -> Paid:
        """What the calls of this run came to, in all its sessions."""
        return await self.store.paid()

    async def close(self) -> None:
        """Close the providers' connections."""
        for provider in set(self._providers.values()):  # one may serve several models
            await provider.close()


@dataclass
class _Call:
    """One call; every attempt holds a place and a reserve, and is settled."""

    client: Client
    provider: Provider
    request: Request
    key: str
    stage: str
    urgency: int
    renew: bool

    def __post_init__(self) -> None:
        self.limiter = self.client.limiter_of(self.request.model)
        self.price = self.client.price(self.request.model)
        self.worst = worst_case(self.request, self.price, batch=self.limiter is None)
        self.longest = self.client.limits.timeout + _MARGIN

    async def make(self) -> Completion:
        """Make the call and record it, unless another process makes it.

        Raises:
            ProviderError: The provider failed for good.
            StopError: Nothing more can be asked.
        """
        client, store, traits = self.client, self.client.store, self.provider.traits
        cached = traits.warms and self.request.prefix
        prefix = f"{self.request.model} {self.request.shared_key}" if cached else ""
        old = await store.find(self.key) if self.renew else None
        async with client.warmup.turn(prefix) as warm:
            while True:
                try:
                    completion = await self.reply()
                    break
                except ElsewhereError:
                    other = await client.from_elsewhere(self.key, old)
                    if other is not None:
                        return await client.reuse(self.key, other)
            if traits.records and await store.find(self.key) == completion:
                return await client.reuse(self.key, completion)
            await self.record(completion)
        if warm and not traits.free:
            client.check_cache(completion.usage)
        return completion

    async def reply(self) -> Completion:
        """Ask until there is a reply; a claim is dropped if there is none."""
        self.started, self.clock = datetime.now(UTC), time.perf_counter()
        self.possibly_billed, self.claimed = 0.0, False
        start = starter(self.request.model, self.provider.place)
        try:
            completion, self.attempts = await with_retries(
                self.attempt,
                max_retries=self.client.limits.max_retries,
                in_jobs=self.limiter is None,
                told=partial(self.client.tell_unreached, at_home=start is not None),
                start=start,
            )
        except BaseException:
            if self.claimed or self.possibly_billed:
                await self.client.store.drop(self.key, possibly_billed=self.possibly_billed)
            raise
        return completion

    async def attempt(self) -> Completion:
        """Ask once, when there is a place and money for it."""
        client, limiter, asked = self.client, self.limiter, False
        request = self.request
        size = tokens_in(sum(map(len, request.opening()))) + request.max_tokens
        size += tokens_of_pages(request.model, [page.size for page in request.pages])
        async with limiter.place(self.urgency, tokens=size) if limiter else nullcontext():
            client.check_stop()
            await client.budget.reserve(self.worst)
            spent: float | None = None
            try:
                client.check_stop()  # it may have waited for others to settle
                await self.claim()
                asked = True
                completion = await self.ask()
                await client.prompts.check(self.provider, self.request, completion)
                spent = cost_of(completion, self.price)
                if spent is None and self.worst is not None:
                    spent = self.count_worst()
            except BaseException as error:
                if asked and self.may_be_billed(error):
                    spent = self.count_worst()
                raise
            finally:
                client.budget.settle(self.worst, spent)
        return completion

    async def claim(self) -> None:
        """Announce the call just before it is sent, so that a kill costs what was really sent.

        Batch jobs have a record of their own, and replies in a folder cost nothing. A claim holds
        for as long as one attempt can take, so each attempt renews it.

        Raises:
            ElsewhereError: Another process makes the call, or has just made it.
        """
        # Between the look into the record and the claim another process may have finished.
        look = not (self.claimed or self.renew or self.provider.traits.records)
        store = self.client.store
        if self.limiter is not None:
            if not await store.claim(self.key, self.worst, seconds=self.longest, unless_known=look):
                raise ElsewhereError
            self.claimed = True
        elif look and await store.find(self.key) is not None:
            raise ElsewhereError

    async def ask(self) -> Completion:
        """Ask the provider, and let the limiter know how that went."""
        asked, limiter = time.monotonic(), self.limiter
        try:
            # One attempt may be several requests, and not every client of LiteLLM's is ours.
            async with asyncio.timeout(None if limiter is None else self.longest):
                completion = await self.provider.complete(self.request)
        except TimeoutError as error:
            text = f"{self.provider.place}: no whole reply after {self.longest:g} s"
            raise ProviderError(text, retryable=True, in_doubt=True) from error
        except ProviderError as error:
            if limiter is not None and error.status == TOO_OFTEN:
                limiter.throttled(asked=asked, wait=error.retry_after)
            if self.request.pages and refuses_images(error, self.request.model):
                raise StopError(
                    f"{self.request.model} takes no images of pages ({error}); {NO_IMAGES_CURE}"
                ) from error
            raise
        if limiter is not None:
            limiter.answered(self.stage, asked=asked, seconds=time.monotonic() - asked)
        return completion

    def count_worst(self) -> float:
        """Count an attempt at the most that it may have cost."""
        worst = self.worst or 0.0
        self.possibly_billed += worst
        return worst

    def may_be_billed(self, error: BaseException) -> bool:
        """Whether a call that was sent may cost something although it brought no reply."""
        if isinstance(error, ProviderError):
            return error.in_doubt
        if isinstance(error, StopError):
            return False
        return self.limiter is not None  # cancelled; what a batch job was asked is not lost

    async def record(self, completion: Completion) -> None:
        """Write the call down and count it."""
        usage, usd = completion.usage, cost_of(completion, self.price)
        await self.client.store.add(
            Call(
                key=self.key,
                place=self.provider.place,
                stage=self.stage,
                request=self.request,
                completion=completion,
                attempts=self.attempts,
                started=self.started.isoformat(timespec="milliseconds"),
                seconds=round(time.perf_counter() - self.clock, 3),
                usd=usd,
            ),
            possibly_billed=self.possibly_billed,
        )
        self.client.check_counts(self.provider.place, usage)
        traffic = self.client.traffic
        traffic.calls += 1
        traffic.input_tokens += usage.input_tokens
        traffic.cached_tokens += usage.cached_tokens
        traffic.usd += usd or 0.0
