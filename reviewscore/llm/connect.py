"""From settings to a client that can ask every model they name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.addresses import without_credentials
from reviewscore.bounds import put_in_force
from reviewscore.config import Resolved, Settings
from reviewscore.errors import MissingKeyError, SettingsError
from reviewscore.llm.budget import Budget, SpendingCap
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.confidentiality import kept_rule, settled, with_kept
from reviewscore.llm.ledger.store import FILE, CallStore
from reviewscore.llm.limiter import KEPT, KEPT_LONG, PrefixCacheWarmup, RateLimiter
from reviewscore.llm.parameters import Refusals
from reviewscore.llm.prices import Price, price_list
from reviewscore.llm.provider import (
    Provider,
    check_model,
    open_jobs,
    open_provider,
    provider_class,
    provider_name,
)

if TYPE_CHECKING:
    from reviewscore.llm.ledger.database import Ledger


@dataclass(frozen=True)
class RunContext:
    """What a client needs to know of the program around it.

    Attributes:
        idle: Whether no work goes on that may bring another request.
        say: Told what the user should know.
        renew: Whether unusable recorded replies may be asked for anew, once.
        budget: The spending cap, where several processes share one; None for one of its own.
        limiter: Finds a model's limiter, likewise.
        refused: What earlier sessions of the run have found models to refuse.
        longest: Tokens of the longest prompt with its reply, by model; as in `ProviderOptions`.
    """

    idle: Callable[[], bool] = lambda: True
    say: Callable[[str], None] = lambda _: None
    renew: bool = False
    budget: SpendingCap | None = None
    limiter: Callable[[str], RateLimiter] | None = None
    refused: Mapping[str, Sequence[str]] = field(default_factory=dict)
    longest: Mapping[str, int] = field(default_factory=dict)


def check(settings: Settings, *, keys: bool = True) -> None:
    """Refuse, before anything is made or paid for, what cannot be asked or paid.

    Args:
        settings: Name the models.
        keys: Whether the models' keys have to be there, and texts may leave this machine if they
            would; a dry run needs neither.

    Raises:
        ConfidentialityError: Texts would leave this machine, and the venue's rule forbids it or
            is not known.
        SettingsError: A model is unknown, its key is missing, it has no batch jobs, or a cap is
            set and its price is not known.
    """
    if settings.embedded:
        return
    kinds = {provider_name(name) for name in settings.models if provider_class(name).addressed}
    if settings.base_url and len(kinds) > 1:
        raise SettingsError(
            f"the address {without_credentials(settings.base_url)} cannot be that of "
            f"{' and '.join(sorted(kinds))} at once; leave --base-url (OPENAI_BASE_URL) away, and "
            "let servers on this machine listen at their usual ports"
        )
    for model in settings.models:
        answered_by_people = provider_class(model).traits.records
        batch = settings.batch and not answered_by_people
        try:
            check_model(model, base_url=settings.base_url, batch=batch, keys=keys)
        except MissingKeyError as error:
            from reviewscore.llm.local_servers import answering_words

            here = answering_words()
            raise MissingKeyError(f"{error}; {here}" if here else str(error)) from error
        if settings.max_usd is not None and price_of(settings, model) is None:
            raise SettingsError(
                f"max_usd is set, but the price of {model} is not known "
                f"({price_list(settings.prices).source}); give a price list with --prices, or "
                "leave the cap away"
            )
    if keys:
        settled(settings)


def checked(resolved: Resolved, *, kept: Path) -> Resolved:
    """Settings with the venue's rule, once they are checked.

    Args:
        resolved: The settings.
        kept: The manifest of the run; it need not be there.

    Raises:
        ConfidentialityError, SettingsError: As `check`.
    """
    settings = with_kept(resolved.settings, kept_rule(kept))
    check(settings)
    settings = settled(settings)
    if settings is resolved.settings:
        return resolved
    origins = {**resolved.origins, "confidentiality": settings.confidentiality_origin}
    return replace(resolved, settings=settings, origins=origins)


def price_of(settings: Settings, model: str) -> Price | None:
    """What a model's calls cost with these settings; None if it is not known."""
    prices = price_list(settings.prices)
    traits = provider_class(model).traits
    if traits.records or traits.free:  # whoever answers there is not paid by us
        return Price(input=0.0, cached=0.0, output=0.0)
    return prices.of(model, base_url=settings.base_url)


async def open_ledger(
    settings: Settings, own: Path, *, run: str, say: Callable[[str], None] = lambda _: None
) -> Ledger:
    """The ledger all runs share, or one of a run's own; claims of killed sessions are reclaimed.

    A run that began with its own keeps it, so that no call is paid twice and its cost adds up.

    Args:
        settings: Say which of the two, and where.
        own: The run's folder.
        run: Id that calls are booked on.
        say: Told when the run keeps its own although a database is named.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    from reviewscore.llm.ledger.database import Ledger

    alone = not settings.cache or (own / FILE).is_file()
    if alone and settings.ledger is not None:
        say(
            f"the run began with a ledger of its own ({own / FILE}) and keeps it, so that no call "
            "is paid twice; --ledger is for other runs"
        )
    location = own if alone else settings.ledger_place
    ledger = await asyncio.to_thread(Ledger, location, run=run, fresh=settings.refresh)
    try:
        await ledger.reclaim_stale_claims()
    except BaseException:
        ledger.close()
        raise
    return ledger


def limits_of(settings: Settings) -> CallLimits:
    """How calls may be made."""
    return CallLimits(
        connections=settings.max_connections,
        max_retries=settings.max_retries,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        timeout=settings.timeout,
    )


async def connect(
    settings: Settings, store: CallStore, context: RunContext | None = None
) -> Client:
    """A client for the models that the settings name.

    Args:
        settings: Names the models and limits.
        store: The record of calls.
        context: What goes on around it.

    Raises:
        SettingsError: As `check`, or calls are to go as batch jobs and the record of calls does
            not outlive the process.
    """
    check(settings)
    put_in_force(settings.bounds)
    context = context or RunContext()
    say, idle = context.say, context.idle
    refusals = Refusals(context.refused, negotiates=settings.structured == "auto", say=say)
    if settings.batch:
        store.check_lasting()
    base_url, timeout = settings.base_url, settings.timeout
    opened = partial(open_provider, base_url=base_url, timeout=timeout, refusals=refusals)
    in_jobs: dict[str, Provider] = {}  # one for all models, since open jobs may be of any of them

    def provider(model: str) -> Provider:
        settled(settings, (model,))
        if not settings.batch or provider_class(model).traits.records:
            longest = context.longest.get(model, 0)
            return opened(model, wait=settings.wait, idle=idle, longest=longest)
        name = provider_name(model)
        if name not in in_jobs:
            from reviewscore.llm.batch_jobs import BatchProvider

            api = open_jobs(model, base_url=base_url, timeout=timeout, refusals=refusals)
            in_jobs[name] = BatchProvider(api, store.batch_jobs(api.place), idle=idle, say=say)
        return in_jobs[name]

    client = Client(
        provider,
        store,
        limits=replace(limits_of(settings), limiter=context.limiter),
        budget=context.budget or Budget(settings.max_usd, spent=(await store.paid()).total),
        price=partial(price_of, settings),
        renew=context.renew,
        warmup=PrefixCacheWarmup(kept=KEPT_LONG if settings.batch else KEPT),
        say=say,
    )
    client.traffic.refused = refusals.known  # it grows as calls learn
    return client
