"""From settings to a client that can ask every model they name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.bounds import put_in_force
from reviewscore.config import Settings
from reviewscore.errors import SettingsError
from reviewscore.llm.budget import Budget
from reviewscore.llm.client import Client, Limits
from reviewscore.llm.ledger.place import FILE
from reviewscore.llm.parameters import Refusals
from reviewscore.llm.prices import Price, price_list
from reviewscore.llm.provider import (
    EXCHANGE,
    Provider,
    check_model,
    open_jobs,
    open_provider,
    provider_name,
)
from reviewscore.llm.sending import Book, Purse, Way
from reviewscore.llm.warmth import KEPT, KEPT_LONG, Warmth
from reviewscore.llm.waves import Idle

if TYPE_CHECKING:
    from reviewscore.llm.ledger.book import Ledger


@dataclass(frozen=True)
class Surroundings:
    """What a client needs to know of the program around it.

    Attributes:
        idle: Whether no work goes on that may bring another request.
        say: Told what the user should know.
        renew: Whether unusable recorded replies may be asked for anew, once.
        budget: The spending cap, where several processes share one; None for one of its own.
        lane: Finds a model's lane, likewise.
        refused: What earlier sessions of the run have found models to refuse.
    """

    idle: Idle = lambda: True
    say: Callable[[str], None] = lambda _: None
    renew: bool = False
    budget: Purse | None = None
    lane: Callable[[str], Way] | None = None
    refused: Mapping[str, Sequence[str]] = field(default_factory=dict)


def check(settings: Settings) -> None:
    """Refuse, before anything is made or paid for, what cannot be asked or paid.

    Raises:
        SettingsError: A model is unknown, its key is missing, it has no batch jobs, or a cap is
            set and its price is not known.
    """
    if settings.embedded:
        return
    prices = price_list(settings.prices)
    for model in settings.models:
        check_model(model, base_url=settings.base_url)
        if model.startswith(EXCHANGE):
            continue
        known = prices.of(model, base_url=settings.base_url)
        if settings.max_usd is not None and known is None:
            raise SettingsError(
                f"max_usd is set, but the price of {model} is not known ({prices.source}); "
                "give a price list with --prices, or leave the cap away"
            )
        if settings.batch and model.partition("/")[0] not in ("openai", "anthropic"):
            raise SettingsError(f"{model}: batch jobs are there for openai/ and anthropic/ only")


def _price(settings: Settings, model: str) -> Price | None:
    if model.startswith(EXCHANGE):  # whoever answers there is not paid by us
        return Price(input=0.0, cached=0.0, output=0.0)
    return price_list(settings.prices).of(model, base_url=settings.base_url)


def _lasting(book: Book) -> Ledger:
    """The record of calls as one that batch jobs can be written down in.

    Raises:
        SettingsError: It is held in memory.
    """
    from reviewscore.llm.ledger.book import Ledger

    if not isinstance(book, Ledger):
        raise SettingsError(
            "batch jobs take up to a day, and their replies would be lost with this process: the "
            "record of calls is in memory; open one on disk (llm.connect.open_ledger), or leave "
            "batch away"
        )
    return book


def _in_jobs(
    settings: Settings, model: str, book: Ledger, around: Surroundings, refusals: Refusals
) -> Provider:
    from reviewscore.llm.batches import BatchProvider
    from reviewscore.llm.ledger.jobs import JobBook

    api = open_jobs(model, base_url=settings.base_url, timeout=settings.timeout, refusals=refusals)
    return BatchProvider(api, JobBook(book, api.place), idle=around.idle, say=around.say)


async def open_ledger(
    settings: Settings, own: Path, *, run: str, say: Callable[[str], None] = lambda _: None
) -> Ledger:
    """The ledger all runs share, or one of a run's own; calls of killed sessions are buried.

    A run that began with its own keeps it, so that no call is paid twice and its cost adds up.

    Args:
        settings: Say which of the two, and where.
        own: The run's folder.
        run: Id that calls are booked on.
        say: Told when the run keeps its own although a database is named.

    Raises:
        RunFolderError: The ledger cannot be used.
    """
    from reviewscore.llm.ledger.book import Ledger

    alone = not settings.cache or (own / FILE).is_file()
    if alone and settings.ledger is not None:
        say(
            f"the run began with a ledger of its own ({own / FILE}) and keeps it, so that no call "
            "is paid twice; --ledger is for other runs"
        )
    place = own if alone else settings.ledger_place
    ledger = await asyncio.to_thread(Ledger, place, run=run, fresh=settings.refresh)
    try:
        await ledger.bury()
    except BaseException:
        ledger.close()
        raise
    return ledger


def limits_of(settings: Settings) -> Limits:
    """How calls may be made."""
    return Limits(
        connections=settings.max_connections,
        max_retries=settings.max_retries,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
        timeout=settings.timeout,
    )


async def connect(settings: Settings, book: Book, around: Surroundings | None = None) -> Client:
    """A client for the models that the settings name.

    Args:
        settings: Names the models and limits.
        book: The record of calls.
        around: What goes on around it.

    Raises:
        SettingsError: As `check`, or calls are to go as batch jobs and the record of calls does
            not outlive the process.
    """
    check(settings)
    put_in_force(settings.bounds)
    around = around or Surroundings()
    refusals = Refusals(around.refused, negotiates=settings.structured == "auto", say=around.say)
    ledger = _lasting(book) if settings.batch else None
    budget = around.budget or Budget(settings.max_usd, spent=(await book.paid()).total)
    in_jobs: dict[str, Provider] = {}  # one for all models, since open jobs may be of any of them

    def provider(model: str) -> Provider:
        if model.startswith(EXCHANGE):
            from reviewscore.llm.providers.exchange import ExchangeProvider

            folder = Path(model.removeprefix(EXCHANGE))
            return ExchangeProvider(folder, wait=settings.wait, idle=around.idle)
        if ledger is not None:
            name = provider_name(model)
            if name not in in_jobs:
                in_jobs[name] = _in_jobs(settings, model, ledger, around, refusals)
            return in_jobs[name]
        return open_provider(
            model, base_url=settings.base_url, timeout=settings.timeout, refusals=refusals
        )

    client = Client(
        provider,
        book,
        limits=replace(limits_of(settings), lane=around.lane),
        budget=budget,
        price=partial(_price, settings),
        renew=around.renew,
        warmth=Warmth(kept=KEPT_LONG if settings.batch else KEPT),
        say=around.say,
    )
    client.traffic.refused = refusals.known  # it grows as calls learn
    return client
