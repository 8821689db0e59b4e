"""Flags of verbs that make tables of many systems, and how they talk beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewscore.cli.terminal import print_text, say

if TYPE_CHECKING:
    from reviewscore.sources.collection import Collection
    from reviewscore.sources.system_reviews import Materials
    from reviewscore.stats.tables import Table
    from reviewscore.stats.writing import Draw, Setup

Command = TypeVar("Command", bound=Callable[..., Any])

_SHOWN = 3
"""Faults of lines that are told in full."""

_OPTIONS = (
    click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the results."),
    click.option(
        "--level",
        type=click.FloatRange(0.5, 0.999),
        default=0.95,
        show_default=True,
        help="Of intervals.",
    ),
    click.option(
        "--resamples",
        type=click.IntRange(100),
        default=1000,
        show_default=True,
        help="Bootstrap samples, and permutations.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Of both, and of any other draw.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print all estimates as JSON."),
    click.option("--yes", is_flag=True, help="Write into a folder that holds other things."),
)


def tabling_options(command: Command) -> Command:
    """Add the flags of a verb that makes tables with intervals."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_PAPER_FIGURES = (
    click.option(
        "--resamples",
        type=click.IntRange(100),
        default=2000,
        show_default=True,
        help="Bootstrap samples of papers.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of these."),
    click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON."),
    click.option("--yes", is_flag=True, help="Write into a folder that holds other things."),
)


def paper_figures_options(command: Command) -> Command:
    """Add the flags of figures over whole runs, whose intervals draw papers."""
    for option in reversed(_PAPER_FIGURES):
        command = option(command)
    return command


def close_tables(
    tables: Sequence[Table],
    setup: Setup,
    output: Path | None,
    *,
    as_json: bool = False,
    draw: Draw | None = None,
    more: Callable[[Path], Sequence[Path]] = lambda _: (),
    shown: Sequence[Table] | None = None,
) -> None:
    """Write tables where a folder is named, and print them.

    Args:
        tables: All tables.
        setup: How they were made.
        output: The folder.
        as_json: Print all estimates as JSON, not as a page.
        draw: Draws plots into the folder.
        more: Writes further files into the folder.
        shown: What is printed; all if not given.
    """
    from reviewscore.stats import writing

    if output is not None:
        written = writing.write_tables(tables, setup, output, draw=draw, allow_foreign=True)
        say(f"{len(written) + len(more(output))} files; read {written[0]} first")
    told = writing.numbers if as_json else writing.page
    print_text(told(tables if shown is None else shown, setup), markdown=not as_json)


def tell(read: Materials | Collection) -> None:
    """Tell the user what was left out or changed as files were read."""
    for warning in read.warnings:
        say(f"warning: {warning}")
    if read.skipped:
        say(f"warning: {len(read.skipped):,} lines left out")
        for fault in read.skipped[:_SHOWN]:
            say(f"  {fault}")
