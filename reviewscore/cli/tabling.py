"""Flags of verbs that make tables of many systems, and how they talk beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewscore.cli.terminal import print_text, say

if TYPE_CHECKING:
    from reviewscore.config import Plain
    from reviewscore.sources.collection import Collection
    from reviewscore.sources.system_reviews import Materials
    from reviewscore.stats.resampling import Method, Resampling, Scheme
    from reviewscore.stats.tables import Table
    from reviewscore.stats.writing import Draw, Setup

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
DATA = click.argument("data", type=PATH)
SKIP_BAD_LINES = click.option(
    "--skip-bad-lines", is_flag=True, help="Go on without lines that cannot be used."
)

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


@dataclass(frozen=True)
class Tabling:
    """Where tables go and how their intervals are made, as the flags of `tabling_options` say.

    Attributes:
        output: Folder of the results; None prints them only.
        as_json: Print all numbers, not the page.
        yes: Write beside other things too.
        level: Of intervals.
        resamples: Bootstrap samples, and permutations.
        seed: Of both.
    """

    output: Path | None
    as_json: bool
    yes: bool
    level: float = 0.95
    resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Tabling:
        """What flags say; they are taken out of `flags`."""
        return cls(**{field.name: flags.pop(field.name) for field in fields(cls)})

    @property
    def settings(self) -> dict[str, Plain]:
        """What can change an interval."""
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed}

    def resampling(self, *, scheme: Scheme = "papers+units", method: Method = "bca") -> Resampling:
        """How intervals are made."""
        from reviewscore.stats.resampling import Resampling

        return Resampling(self.resamples, self.seed, scheme, method, self.level)

    def check_folder(self, verb: str, *, foreign: bool = False) -> None:
        """Refuse a folder of other things, unless they may be there, before anything is computed.

        Raises:
            RunFolderError: The folder holds other things, or cannot be written.
        """
        from reviewscore.stats.writing import check_folder

        if self.output is not None:
            check_folder(self.output, verb, allow_foreign=self.yes or foreign)

    def publish(
        self,
        tables: Sequence[Table],
        setup: Setup,
        *,
        draw: Draw | None = None,
        foreign: bool = False,
        beside: Callable[[Path], tuple[str, list[Path]]] = lambda _: ("", []),
    ) -> None:
        """Write tables into the folder, if one is named, and print them.

        Args:
            tables: The tables.
            setup: How they were made.
            draw: Draws the plots.
            foreign: Whether other things may be in the folder, whatever the flags say.
            beside: Writes further files; returns words about them, and the files.
        """
        from reviewscore.stats.writing import numbers, page, write_tables

        if self.output is not None:
            written = write_tables(
                tables, setup, self.output, draw=draw, allow_foreign=self.yes or foreign
            )
            words, more = beside(self.output)
            say(f"{words}{len(written) + len(more)} files; read {written[0]} first")
        made = numbers if self.as_json else page
        print_text(made(tables, setup), markdown=not self.as_json)


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
