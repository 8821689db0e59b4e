"""Flags that set something, shared by the verbs that judge; each has a setting of its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

MODEL_OPTIONS = (
    click.option("--model", help="Who judges: lexical, or openai/NAME."),
    click.option("--base-url", help="Address of a server compatible with openai/."),
    click.option("--rounds", type=click.IntRange(1, 10), help="Most rounds of a reconstruction."),
    click.option("--max-connections", type=click.IntRange(1, 1024), help="Calls at once."),
    click.option(
        "--prompts-dir",
        type=click.Path(path_type=Path),
        help="Prompts instead of the shipped ones.",
    ),
)

AUDIT_OPTIONS = (
    click.option("--score", type=click.Choice(["base", "advanced", "both"]), help="Which score."),
    click.option(
        "--author-response/--no-author-response",
        default=None,
        help="Show judges the authors' response where the input has one.",
    ),
    click.option(
        "--limitations/--no-limitations",
        default=None,
        help="Take points from the reviewer's remarks on limitations too.",
    ),
    click.option("--limit", type=click.IntRange(min=1), help="Only so many reviews."),
    click.option("--point", multiple=True, help="Only this point (its id)."),
    click.option(
        "--skip-bad-lines",
        is_flag=True,
        default=None,
        help="Go on without lines that cannot be read, and count them.",
    ),
)


def model_options(command: Command) -> Command:
    """Add the flags about who judges and how."""
    for option in reversed(MODEL_OPTIONS):
        command = option(command)
    return command


def settings_options(command: Command) -> Command:
    """Add the flags about who judges and what is judged."""
    for option in reversed(AUDIT_OPTIONS):
        command = option(command)
    return model_options(command)
