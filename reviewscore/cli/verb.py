"""What all commands and groups share: strict arguments, output that is lost, late imports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from reviewscore.cli.terminal import waiting, want_output


class Verb(click.Command):
    """A command that drops nothing it was given, and nothing that it was to print.

    Click takes the last of several values without a word; where values name files, folders,
    models or addresses, the others would be lost. Numbers, choices and switches may be overruled.
    Nor does it take `nan` or `inf`, which no range keeps out, for a number.
    An empty name, such as that of a variable which is not set, would be the current folder.

    Args:
        arguments: As for a command of click.
        writes_files: Whether it writes files where no ``-o`` names them.
        options: As for a command of click.
    """

    def __init__(self, *arguments: Any, writes_files: bool = False, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._writes_files = writes_files

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an empty name, and one that is given twice to an option that takes one."""
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for param in given:
            value = values.get(param.name or "")
            if _names(param) and "" in (value if isinstance(value, list | tuple) else [value]):
                ctx.fail(f"{_shown(param, ctx)} is empty and names nothing.")
            if isinstance(param, click.Option) and _names(param) and not param.multiple:
                count = given.count(param)
                if count > 1:
                    flag = _shown(param, ctx)
                    ctx.fail(f"{flag} is given {count} times and takes one value.")
        left = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if isinstance(value, float) and not math.isfinite(value):
                ctx.fail(f"{_shown(param, ctx)} takes a number, not {value}.")
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; its output is wanted where it writes no files.

        A place that cannot be written is said before any work is done for it.
        """
        output = ctx.params.get("output")
        if output is not None and str(output) != "-":
            from reviewscore.files import check_place  # costs what help need not pay

            check_place(Path(output))
        if str(output) == "-" if output is not None else not self._writes_files:
            want_output()
        typed = any(str(value) == "-" for value in ctx.params.values())  # it may wait for the user
        quiet = typed or bool(ctx.params.get("quiet"))
        with waiting(f"{ctx.info_name}: at work", quiet=quiet, plain=False):
            return super().invoke(ctx)


def _names(param: click.Parameter) -> bool:
    """Whether a value of it is the name of something."""
    naming = isinstance(param.type, click.Path | click.File | type(click.STRING))
    return naming and not (isinstance(param, click.Option) and param.is_flag)


def _shown(param: click.Parameter, ctx: click.Context) -> str:
    """A flag in full, or an argument as the help has it."""
    return max(param.opts, key=len) if isinstance(param, click.Option) else param.make_metavar(ctx)


class LazyGroup(click.Group):
    """A group that imports the module of a command only when it is used, so ``--help`` is quick.

    Args:
        arguments: As for a group of click.
        package: Where the modules are.
        verbs: Names of the commands and what they do, in the order of the help.
        places: Modules of commands that share one; the others are in one of their name.
        options: As for a group of click.
    """

    def __init__(
        self,
        *arguments: Any,
        package: str,
        verbs: Mapping[str, str],
        places: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.verbs = verbs
        self._package, self._places = package, places or {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import what the command needs, which the first time takes seconds."""
        quiet = not {"-q", "--quiet"}.isdisjoint(args)
        with waiting("loading", quiet=quiet, plain=False):
            return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in order."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name: ``command`` of its module, or ``NAME_command`` of a shared one."""
        if cmd_name not in self.verbs:
            return None
        name = cmd_name.replace("-", "_")
        place = self._places.get(cmd_name)
        module = import_module(f"{self._package}.{place or name}")
        command: click.Command = getattr(module, f"{name}_command" if place else "command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, without importing them, and the group's own flags."""
        verbs = [
            CompletionItem(name, help=does)
            for name, does in self.verbs.items()
            if name.startswith(incomplete)
        ]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))


class Parts(LazyGroup):
    """A verb of several parts, the first of which is meant where none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first part's name before arguments that name none."""
        if args and args[0] not in self.verbs and args[0] not in ("-h", "--help"):
            close = get_close_matches(args[0], self.verbs, n=1, cutoff=0.75)
            if close and not Path(args[0]).exists():
                ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
            args = [next(iter(self.verbs)), *args]
        return super().parse_args(ctx, args)
