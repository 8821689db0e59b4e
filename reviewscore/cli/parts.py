"""A verb of several parts, one of which is meant where none is named."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import ClassVar

import click


class Parts(click.Group):
    """A group whose parts are modules with a ``command``, imported when they are called.

    Subclasses say which: ``gem DATA`` is ``gem score DATA``.

    Attributes:
        parts: Names and what they do; the first is the one that is meant without a name.
        package: Where their modules are.
    """

    parts: ClassVar[Mapping[str, str]]
    package: ClassVar[str]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the parts, in order."""
        return list(self.parts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A part by its name."""
        if cmd_name not in self.parts:
            return None
        module = import_module(f"{self.package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first part's name before arguments that name none."""
        if args and args[0] not in self.parts and args[0] not in ("-h", "--help"):
            close = get_close_matches(args[0], self.parts, n=1, cutoff=0.75)
            if close and not Path(args[0]).exists():
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
            args = [next(iter(self.parts)), *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the parts without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.parts.items()))
