"""What is asked before a model is paid, and how sessions end: last lines and exit codes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.main import INTERRUPTED, PARTLY, STOPPED
from reviewscore.cli.terminal import print_line, say, warn
from reviewscore.config import Settings

if TYPE_CHECKING:
    from reviewscore.runs.estimate import CostEstimate
    from reviewscore.runs.generation import GenerationManifest
    from reviewscore.runs.session import Outcome


def settings_of(model: str | None, flags: dict[str, Any]) -> Settings:
    """Settings from flags, environment and file; a model named in them is overruled."""
    return options.settings_from({"model": model, **flags}).settings


def go_on(expected: CostEstimate, settings: Settings, *, dry_run: bool) -> bool:
    """Say what would be asked; whether to ask it.

    Raises:
        SettingsError: A dry run names a model that cannot be asked; keys need not be there.
        UsageError: ``--json`` without ``--dry-run``, in a verb that has no other use for it.
    """
    from reviewscore.cli.cost import estimate_lines, print_estimate

    options.check_json(dry_run=dry_run)
    if dry_run:
        from reviewscore.llm.connect import check

        for model in () if expected.command is None else expected.command.models:
            check(settings.model_copy(update={"model": model}), keys=False)
        print_estimate(expected, settings)
        return False
    for line in estimate_lines(expected, settings):
        print_line(line, err=True)
    return agreed(expected, settings)


def agreed(expected: CostEstimate, settings: Settings) -> bool:
    """Whether the user agrees to the cost; asked only at a terminal."""
    command = expected.command
    most = None if command is None else command.usd_uncached
    if most is None or most <= settings.confirm_above or not sys.stdin.isatty():
        return True
    return click.confirm(f"this may cost about ${most:,.2f}; go on?", err=True)


def agreed_to(what: str, *, yes: bool) -> bool:
    """Whether the user agrees to something; asked at a terminal, elsewhere ``--yes`` says so.

    Args:
        what: What is done, such as ``this deletes the ledger``.
        yes: Whether ``--yes`` was given.
    """
    if yes:
        return True
    if sys.stdin.isatty():
        return click.confirm(f"{what}; go on?", err=True)
    say(f"{what}; say --yes to do it")
    return False


def close(outcome: Outcome[GenerationManifest], out: Path, *, err: bool = False) -> int:
    """Say how a session ended that wrote texts; the exit code.

    Args:
        outcome: How.
        out: The session's folder.
        err: Whether stdout is for something else.
    """
    manifest = outcome.manifest
    counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
    print_line(f"{out}: {counts}; {outcome.new:,} new, {outcome.seconds:.0f} s", err=err)
    warn(manifest.warnings)
    if manifest.spending.usd:
        print_line(f"cost so far: ${manifest.spending.usd:,.2f}", err=err)
    failed = f"{outcome.failed:,} texts failed, each with its reason in its line; --retry-errors"
    return exit_code(outcome, out, failed)


def exit_code(outcome: Outcome[Any], out: Path, failed: str) -> int:
    """Say why a session ended early or in part; the exit code.

    Args:
        outcome: How it ended.
        out: The session's folder.
        failed: What is said where some of it failed.
    """
    if outcome.interrupted:
        say(f"interrupted; what is finished is in {out}; run again to go on")
        return INTERRUPTED
    if outcome.stopped is not None:
        say(f"stopped: {outcome.stopped}")
        return STOPPED
    if outcome.failed:
        say(failed)
        return PARTLY
    return 0
