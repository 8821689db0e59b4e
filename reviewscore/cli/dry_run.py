"""What is said and asked before money is spent, and all that ``--dry-run`` prints."""

from __future__ import annotations

import asyncio
import sys

import click

from reviewscore.cli.cache import error_lines
from reviewscore.config import Settings
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.parameters import reasons
from reviewscore.llm.provider import EXCHANGE
from reviewscore.papers.parts import QUESTIONS
from reviewscore.prompts import use_directory
from reviewscore.report.lines import counted, unread_words
from reviewscore.runs.estimate import MEAN_PREMISES, MEAN_ROUNDS, SPREAD, CostEstimate, estimate
from reviewscore.sources.collection import Collection

_GUESS = (
    "rounds and premises are guessed: the means of the ReviewScore paper "
    f"({MEAN_ROUNDS:.1f} and {MEAN_PREMISES:.1f} an argument)"
)
_THINKING = f", a reasoning model's thoughts ({ROOM_TO_THINK} times the reply) included"


def lines(found: CostEstimate, settings: Settings) -> list[str]:
    """The estimate in words; nothing was asked."""
    points = sum(found.points.values())
    kinds = ", ".join(counted(count, str(kind)) for kind, count in sorted(found.points.items()))
    head = " · ".join(
        counted(count, noun)
        for count, noun in ((found.papers, "paper"), (found.reviews, "review"), (points, "point"))
    )
    told = [f"{head} ({kinds})" if kinds else head]
    if settings.embedded:
        return [*told, "judge: lexical; no calls, no cost"]
    if settings.points == "auto":
        told[0] += "; counted by rules, the model's own split of the reviews decides"
    if found.unread is not None:
        more = (
            "; --paper-parts all shows everything"
            if found.unread.papers.keys() - {QUESTIONS}
            else ""
        )
        told.append(f"{unread_words(found.unread)}{more}")
    calls = sum(found.calls.values())
    if all(model.startswith(EXCHANGE) for model in settings.models):
        told.append(f"~{calls:,.0f} prompts; replies come from a folder, no cost")
        return [*told, _GUESS]
    thinks = any(reasons(model) for model in settings.models) or settings.effort is not None
    told.append(
        f"~{calls:,.0f} calls · ~{_short(found.input_tokens)} tokens in "
        f"({_short(found.cached_tokens)} of them likely in the provider's cache), "
        f"{_short(found.output_tokens)} out{_THINKING if thinks else ''}"
    )
    stages = sorted(found.calls.items(), key=lambda pair: -pair[1])
    told.append("calls: " + ", ".join(f"{stage} {count:,.0f}" for stage, count in stages))
    if found.usd is None:
        models = ", ".join(settings.models)
        told.append(f"cost: unknown; no price for {models} at this address (--prices FILE)")
    else:
        low, high = found.usd * (1 - SPREAD), found.usd * (1 + SPREAD)
        prices = f"{found.prices}{', at the price of batch jobs' if settings.batch else ''}"
        told.append(f"about ${found.usd:,.2f} (range ${low:,.2f}-{high:,.2f}; {prices})")
    from reviewscore.llm.ledger.upkeep import info

    return [*told, _GUESS, *error_lines(info(settings.ledger_place).errors)]


def estimated(collection: Collection, settings: Settings) -> CostEstimate:
    """The estimate of a run, with its own prompts."""
    with use_directory(settings.prompts_dir):
        return asyncio.run(estimate(collection, settings))


def agreed(found: CostEstimate, settings: Settings) -> bool:
    """Whether the user agrees to the cost; asked only at a terminal."""
    if found.usd is None or found.usd <= settings.confirm_above or not sys.stdin.isatty():
        return True
    return click.confirm(f"this may cost about ${found.usd:,.2f}; go on?", err=True)


def _short(tokens: float) -> str:
    for size, mark in ((1e6, "M"), (1e3, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f} {mark}"
    return f"{tokens:.0f}"
