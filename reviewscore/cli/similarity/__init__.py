"""``reviewscore similarity``: does a reviewer know a topic, and how good is a measure of it."""

from __future__ import annotations

from importlib import import_module

import click

_PARTS = {
    "score": "Score how near reviewers' papers are to submissions (the default).",
    "evaluate": "Judge methods against people's ratings of their own expertise.",
    "encode": "Encode papers by an encoder on this machine, for score and evaluate.",
    "sweep": "Show how a method's loss depends on how much of reviewers' papers it reads.",
}


class _Parts(click.Group):
    """``similarity DIR`` is ``similarity score DIR``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_PARTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _PARTS:
            return None
        command: click.Command = import_module(f"reviewscore.cli.similarity.{cmd_name}").command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in _PARTS and args[0] not in ("-h", "--help"):
            args = ["score", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_PARTS.items()))


@click.group("similarity", cls=_Parts)
def command() -> None:
    """Measure how well reviewers' past papers fit submissions, and how good such a measure is.

    \b
    Example:  reviewscore similarity examples/similarity -o similarity
    """
