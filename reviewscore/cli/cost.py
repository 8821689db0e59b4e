"""How a command says what it would cost: in lines, as a table, as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, print_text
from reviewscore.config import Settings
from reviewscore.judges.asker import ROOM_TO_THINK
from reviewscore.llm.connect import price_of
from reviewscore.llm.provider import EXCHANGE, provider_class
from reviewscore.papers.page_images import DPI
from reviewscore.printable import counted
from reviewscore.runs.estimate import (
    MEAN_PREMISES,
    MEAN_ROUNDS,
    SECOND_LOOKS,
    TOKENS_PER_SECOND,
    CallEstimate,
    CostEstimate,
    own_server,
)

_THINKING = f", a reasoning model's thoughts ({ROOM_TO_THINK} times the reply) included"
_GUESSES = (
    "rounds and premises are guessed: the means of the ReviewScore paper "
    f"({MEAN_ROUNDS:.1f} and {MEAN_PREMISES:.1f} an argument)"
)
_GUESSED_ARGUMENTS = "which arguments are rebuilt is guessed by the embedded rules"
_GUESSED_LOOKS = f"second looks are guessed: {SECOND_LOOKS:.0%} of the points"


def print_estimate(
    expected: CostEstimate,
    settings: Settings,
    lines: Iterable[str] | None = None,
    *,
    beside: Mapping[str, object] | None = None,
) -> None:
    """Print what a dry run came to: lines and a table of the ways to ask, or one JSON object.

    Args:
        expected: What it came to.
        settings: How models are asked.
        lines: Those of `estimate_lines` if not given.
        beside: What else the JSON object holds.
    """
    if options.wants_json():
        record = {**estimate_record(expected, settings), **(beside or {})}
        print_text(json.dumps(record, indent=1, ensure_ascii=False))
        return
    for line in estimate_lines(expected, settings) if lines is None else lines:
        print_line(line)
    if len(expected.ways) > 1:
        print_text(f"\n{_ways_table(expected)}")


def estimate_lines(expected: CostEstimate, settings: Settings) -> list[str]:
    """What the command itself would ask, in words."""
    command = expected.command
    if command is None:
        return []
    if not command.calls:
        return ["nothing to ask"]
    total = sum(command.calls.values())
    about = "~" if command.protocol else ""
    if all(model.startswith(EXCHANGE) for model in command.models):
        prompts = f"{about}{total:,.0f} prompts; replies come from a folder, no cost"
        return [prompts, *_guesses(command)]
    stages = sorted(command.calls.items(), key=lambda pair: -pair[1])
    calls = ", ".join(f"{stage} {count:,.0f}" for stage, count in stages)
    cached = f" ({_short(command.cached_tokens)} of them likely in the provider's cache)"
    return [
        f"{about}{total:,.0f} calls: {calls}",
        f"~{_short(command.input_tokens)} tokens in{cached if command.cached_tokens else ''}, "
        f"~{_short(command.output_tokens)} out{_THINKING if command.thinks else ''}",
        _dollars(command, expected.prices, settings),
        *_time(command, settings),
        *_context(expected, settings),
        f"replies are guessed: {_guessed(command)}",
        *_guesses(command),
    ]


def page_lines(expected: CostEstimate, settings: Settings) -> list[str]:
    """How many pages judges would be shown as images, and what they come to; in words."""
    if settings.paper_as == "text":
        return []
    alone = expected.text_alone
    others = f"; {counted(alone, 'paper')} without pages, judged by text" if alone else ""
    if not expected.pages:
        return [f"pages: none{others}"]
    tokens = ", ".join(
        f"{model} ~{count / expected.pages:,.0f} tokens a page"
        for model, count in expected.page_tokens.items()
        if not model.startswith(EXCHANGE)
    )
    rule = f" ({tokens}: estimated by what is published on images)" if tokens else ""
    return [f"pages: {counted(expected.pages, 'image')} at {DPI} dpi{rule}{others}"]


def protocols_line(expected: CostEstimate) -> str:
    """What each protocol would ask of the same models, in a line; empty if nothing is asked."""
    command, texts = expected.command, []
    if command is None or not command.calls:
        return ""
    for way in (way for way in expected.ways if way.models == command.models):
        free = all(provider_class(model).traits.free for model in way.models)
        free = free or all(model.startswith(EXCHANGE) for model in way.models)
        cost = "" if way.usd is None or free else f", ${way.usd:,.2f}"
        own = " (this command)" if way is command else ""
        calls = f"~{sum(way.calls.values()):,.0f} calls"
        texts.append(f"{way.protocol} {calls}, ~{_short(way.input_tokens)} tokens in{cost}{own}")
    return f"by protocol: {'; '.join(texts)}"


def _guesses(way: CallEstimate) -> list[str]:
    """What an audit's number of calls rests on."""
    guessed = {"presuppositions_second_look": _GUESSED_LOOKS, "reconstruct_argument": _GUESSES}
    beside = [_GUESSED_ARGUMENTS] if way.protocol == "presupposition+proof" else []
    return [*beside, *(words for stage, words in guessed.items() if stage in way.calls)]


def _context(expected: CostEstimate, settings: Settings) -> list[str]:
    """The context that models on servers of one's own need, in words."""
    command = expected.command
    if command is None or not any(own_server(model, settings) for model in command.models):
        return []
    room = command.context - command.longest_prompt
    texts = [
        f"longest prompt: ~{command.longest_prompt:,} tokens; with {room:,} for the reply a "
        f"context of {command.context:,} is needed"
    ]
    sizes = sorted(expected.prompts.values())
    if len(sizes) > 1:
        longest = max(expected.prompts, key=lambda paper: expected.prompts[paper])
        half, most = sizes[(len(sizes) - 1) // 2], sizes[(9 * len(sizes) - 1) // 10]
        texts[0] += (
            f" (paper {longest}); half of the {len(sizes):,} papers go into {half + room:,}, nine "
            f"tenths into {most + room:,}"
        )
    return texts


def _dollars(way: CallEstimate, prices: str, settings: Settings) -> str:
    if all(provider_class(model).traits.free for model in way.models):
        return f"no cost: {' and '.join(way.models)} on a server of your own"
    if way.usd is None or way.usd_uncached is None:
        models = ", ".join(model for model in way.models if price_of(settings, model) is None)
        return f"cost: unknown; no price for {models} at this address (--prices FILE)"
    source = f"{prices}{', at the price of batch jobs' if settings.batch else ''}"
    if not way.cached_tokens:
        return f"about ${way.usd:,.2f}, with nothing from a cache ({source})"
    share = way.cached_tokens / way.input_tokens
    return (
        f"about ${way.usd:,.2f} if {share:.0%} of the input comes from the provider's cache, as "
        f"simulated; ${way.usd_uncached:,.2f} if nothing does ({source})"
    )


def _time(way: CallEstimate, settings: Settings) -> list[str]:
    """How long it takes at the limits, in words; nothing where that is not known."""
    if settings.batch:
        return [
            "time: unknown; each wave of batch jobs takes up to a day, and rounds follow rounds"
        ]
    own = any(own_server(model, settings) for model in way.models)
    if own and settings.speed is None:
        unknown = (
            "time: not known for a server of your own; give --speed READ/WRITE, tokens a second"
        )
        return [unknown, *([_least(way, settings)] if way.hours.least is not None else [])]
    return [] if way.hours.least is None else [_least(way, settings)]


def _least(way: CallEstimate, settings: Settings) -> str:
    """The hours that limits and speeds ask for, in words."""
    names = {
        "requests": f"{settings.requests_per_minute:,} requests a minute"
        if settings.requests_per_minute else "",
        "tokens": f"{settings.tokens_per_minute:,} tokens a minute, reply limits counted"
        if settings.tokens_per_minute else "",
        "connections": f"{settings.max_connections} calls at once, replies guessed to come at "
        f"{TOKENS_PER_SECOND:g} tokens/s",
        "speed": f"{settings.speed} tokens/s read and written, with papers kept in the server's "
        "cache",
        "speed_uncached": "the same with every paper read anew for every call",
    }  # fmt: skip
    each = (
        f"{_hours(value)} by {names[name]}"
        for name, value in vars(way.hours).items()
        if value is not None
    )
    return f"at least {_hours(way.hours.least or 0.0)}: {'; '.join(each)}"


def _guessed(way: CallEstimate) -> str:
    """Tokens of replies by prompt, in words: the commonest length once."""
    lengths = {name: round(tokens) for name, tokens in way.replies.items()}
    usual, _ = Counter(lengths.values()).most_common(1)[0]
    others = [f"{name} {tokens:,}" for name, tokens in lengths.items() if tokens != usual]
    return ", ".join([f"{usual:,} tokens each", *others])


def _ways_table(expected: CostEstimate) -> str:
    """One line for each way to ask; an audit's have their protocol."""
    from tabulate import tabulate

    audit = any(way.protocol for way in expected.ways)
    names = ("model", *(["protocol"] if audit else []))
    counts = ("calls", "tokens in", "cached", "out", "$ as simulated", "$ none cached", "at least")
    rows = [
        (
            f"{' + '.join(way.models)}{' (this command)' if way is expected.command else ''}",
            *([way.protocol] if audit else []),
            f"{sum(way.calls.values()):,.0f}",
            *map(_short, (way.input_tokens, way.cached_tokens, way.output_tokens)),
            *("unknown" if usd is None else f"{usd:,.2f}" for usd in (way.usd, way.usd_uncached)),
            "unknown" if way.hours.least is None else _hours(way.hours.least),
        )
        for way in expected.ways
    ]
    sides = [*(["left"] * len(names)), *(["right"] * len(counts))]
    text: str = tabulate(rows, (*names, *counts), "simple", disable_numparse=True, colalign=sides)
    return text


def estimate_record(expected: CostEstimate, settings: Settings) -> dict[str, object]:
    """A dry run as an object of JSON; what is not known is null."""
    audit = {
        "papers": expected.papers,
        "reviews": expected.reviews,
        "points": {str(kind): count for kind, count in sorted(expected.points.items())},
        "guesses": {"rounds": MEAN_ROUNDS, "premises": MEAN_PREMISES},
    }
    return {
        "schema": "reviewscore.cost_estimate/1",
        **(audit if expected.points else {}),
        **({"pages": _page_counts(expected)} if settings.paper_as != "text" else {}),
        "prices": expected.prices or None,
        "batch": settings.batch,
        "limits": {
            "requests_per_minute": settings.requests_per_minute,
            "tokens_per_minute": settings.tokens_per_minute,
            "max_connections": settings.max_connections,
            "speed": settings.speed,
        },
        "ways": [
            {
                **asdict(way),
                "models": list(way.models),
                "this_command": way is expected.command,
                "hours": {**asdict(way.hours), "at_least": way.hours.least},
            }
            for way in expected.ways
        ],
    }


def _page_counts(expected: CostEstimate) -> dict[str, object]:
    return {
        "images": expected.pages,
        "dpi": DPI,
        "tokens": expected.page_tokens,
        "text_alone": expected.text_alone,
    }


def _short(tokens: float) -> str:
    for size, mark in ((1e6, "M"), (1e3, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f} {mark}"
    return f"{tokens:.0f}"


def _hours(hours: float) -> str:
    return f"{hours:,.1f} h" if hours >= 1 else f"{max(hours * 60, 1):.0f} min"
