"""Flags of verbs that make tables of many systems, and how they talk beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_text, say
from reviewscore.printable import counted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reviewscore.config import Plain
    from reviewscore.stats.resampling import Method, Resampling, Scheme
    from reviewscore.stats.tables import Table
    from reviewscore.stats.writing import Draw, Setup


_SHOWN = 3
"""Faults of lines that are told in full."""

tabling_options = options.together(
    options.path("-o", "--output", help="Folder of the results."),
    options.preset(
        "--level", type=click.FloatRange(0.5, 0.999), default=0.95, help="Of intervals."
    ),
    options.preset(
        "--resamples",
        type=click.IntRange(100),
        default=1000,
        help="Bootstrap samples, and permutations.",
    ),
    options.preset(
        "--seed", type=click.IntRange(0), default=0, help="Of both, and of any other draw."
    ),
    options.switch("--json", "as_json", help="Print all estimates as JSON."),
    options.YES,
)
"""Flags of a verb that makes tables with intervals."""


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
    as_json: bool = False
    yes: bool = False
    level: float = 0.95
    resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Tabling:
        """What flags say, those that the verb has; they are taken out of `flags`."""
        return cls(
            **{field.name: flags.pop(field.name) for field in fields(cls) if field.name in flags}
        )

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
        shown: Sequence[Table] | None = None,
    ) -> None:
        """Write tables into the folder, if one is named, and print them.

        Args:
            tables: The tables.
            setup: How they were made.
            draw: Draws the plots.
            foreign: Whether other things may be in the folder, whatever the flags say.
            beside: Writes further files; returns words about them, and the files.
            shown: What is printed; all if not given.
        """
        from reviewscore.stats.writing import numbers, page, write_tables

        if self.output is not None:
            written = write_tables(
                tables, setup, self.output, draw=draw, allow_foreign=self.yes or foreign
            )
            words, more = beside(self.output)
            say_written([*written, *more], words)
        made = numbers if self.as_json else page
        print_text(made(tables if shown is None else shown, setup), markdown=not self.as_json)

    def publish_record(
        self, record: BaseModel, page: Callable[[], str], write: Callable[..., Sequence[Path]]
    ) -> None:
        """Write what was found into the folder, if one is named, and print it.

        Args:
            record: All numbers.
            page: Makes the page for a terminal, in Markdown.
            write: Writes files into a folder; takes ``allow_foreign``.
        """
        if self.output is not None:
            say_written(write(self.output, allow_foreign=self.yes))
        text = record.model_dump_json(indent=1) if self.as_json else page()
        print_text(text, markdown=not self.as_json)


paper_figures_options = options.together(
    options.preset(
        "--resamples", type=click.IntRange(100), default=2000, help="Bootstrap samples of papers."
    ),
    options.preset("--seed", type=click.IntRange(0), default=0, help="Of these."),
    options.switch("--json", "as_json", help="Print all numbers as JSON."),
    options.YES,
)
"""Flags of figures over whole runs, whose intervals draw papers."""


def say_written(files: Sequence[Path], words: str = "") -> None:
    """Say how many files there are, and which to read first."""
    say(f"{words}{counted(len(files), 'file')}; read {files[0]} first")
