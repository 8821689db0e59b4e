"""Flags and last lines of the verbs that have a model write texts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewscore.cli.main import INTERRUPTED, PARTLY, STOPPED
from reviewscore.cli.options import CONFIG_OPTION, ENGINE_OPTIONS, settings_from
from reviewscore.cli.terminal import print_line, say
from reviewscore.config import Settings

if TYPE_CHECKING:
    from reviewscore.runs.estimate import CallEstimate
    from reviewscore.runs.generation import GenerationManifest
    from reviewscore.runs.session import Outcome

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    CONFIG_OPTION,
    click.option(
        "--base-url",
        help="Address of a server compatible with openai/, or several with commas between.",
    ),
    click.option("--temperature", type=click.FloatRange(0, 2), help="Sampling temperature."),
    click.option(
        "--prompts-dir",
        type=click.Path(path_type=Path),
        help="Prompts instead of the shipped ones.",
    ),
    click.option("--max-connections", type=click.IntRange(1, 1024), help="Calls at once."),
    click.option("--max-usd", type=float, help="Stop before so many dollars are passed."),
    click.option(
        "--prices", type=click.Path(path_type=Path), help="Prices instead of the shipped list."
    ),
    click.option(
        "--wait", type=click.FloatRange(0), help="Seconds to wait for replies in exchange:FOLDER."
    ),
    *ENGINE_OPTIONS,
    click.option("--retry-errors", is_flag=True, help="Ask again for what failed."),
    click.option("--dry-run", is_flag=True, help="Say what it would cost, and ask nothing."),
)


def asking_options(command: Command) -> Command:
    """Add the flags about how a model is asked."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(model: str | None, flags: dict[str, Any]) -> Settings:
    """Settings from flags, environment and file; a model named in them is overruled."""
    return settings_from({"model": model, **flags}).settings


def expected_lines(found: CallEstimate) -> list[str]:
    """What would be asked, in words."""
    calls = ", ".join(f"{name} {count:,}" for name, count in found.calls.items())
    cost = "cost: unknown; no price for the model (--prices FILE)"
    if found.usd is not None:
        cost = f"about ${found.usd:,.2f} at most ({found.prices})"
    return [
        f"{found.calls.total():,} calls: {calls}" if calls else "nothing to ask",
        f"~{found.input_tokens:,} tokens in, ~{found.output_tokens:,} out (guessed)",
        cost,
    ]


def agreed(found: CallEstimate, settings: Settings) -> bool:
    """Whether the user agrees to the cost; asked only at a terminal."""
    if found.usd is None or found.usd <= settings.confirm_above or not sys.stdin.isatty():
        return True
    return click.confirm(f"this may cost about ${found.usd:,.2f}; go on?", err=True)


def close(outcome: Outcome[GenerationManifest], out: Path, *, err: bool = False) -> int:
    """Say how a session ended, and with which exit code.

    Args:
        outcome: How.
        out: The session's folder.
        err: Whether stdout is for something else.
    """
    manifest = outcome.manifest
    counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
    print_line(f"{out}: {counts}; {outcome.new:,} new, {outcome.seconds:.0f} s", err=err)
    for warning in manifest.warnings:
        say(f"warning: {warning}")
    if manifest.spending.usd:
        print_line(f"cost so far: ${manifest.spending.usd:,.2f}", err=err)
    if outcome.interrupted:
        say(f"interrupted; what is finished is in {out}; run again to go on")
        return INTERRUPTED
    if outcome.stopped is not None:
        say(f"stopped: {outcome.stopped}")
        return STOPPED
    if outcome.failed:
        say(f"{outcome.failed:,} texts failed, each with its reason in its line; --retry-errors")
        return PARTLY
    return 0
