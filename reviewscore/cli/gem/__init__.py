"""``reviewscore gem``: how informative reviews are, without a gold standard."""

from __future__ import annotations

from importlib import import_module

import click

_PARTS = {
    "score": "Score reviews of people and models by what they tell of other reviews (the default).",
    "validate": "Alter reviews and see whether metrics notice, and whether they can be cheated.",
    "compare": "Compare how two evaluation models rank the same systems.",
    "prepare": "Have a model reduce reviews to judgments, and list what papers state.",
    "generate": "Have models review papers, to be compared with people and each other.",
    "export-pairs": "Write prompts and continuations to fine-tune an evaluation model on.",
    "prime": "Learn a background once and write it to a file.",
}


class _Parts(click.Group):
    """``gem DATA`` is ``gem score DATA``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_PARTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _PARTS:
            return None
        module = import_module(f"reviewscore.cli.gem.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in _PARTS and args[0] not in ("-h", "--help"):
            args = ["score", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_PARTS.items()))


@click.group("gem", cls=_Parts)
def command() -> None:
    """Measure how much reviews tell of what other reviewers of the same paper say.

    \b
    Example:  reviewscore gem reviews.parquet -o gem
    """
