"""``reviewscore similarity``: does a reviewer know a topic, and how good is a measure of it."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.verb import Parts

_VERBS = {
    "score": "Score how near reviewers' papers are to submissions (the default).",
    "evaluate": "Judge methods against people's ratings of their own expertise.",
    "encode": "Encode papers by an encoder on this machine, for score and evaluate.",
    "sweep": "Show how a method's loss depends on how much of reviewers' papers it reads.",
    "judge": "Have a model judge, 0 to 100, how well reviewers know submissions.",
    "reviews": "Show in a run's report how near its reviewers' papers are.",
}


class _Parts(Parts):
    """``similarity DIR`` is ``similarity score DIR``; of a run, ``similarity reviews RUN``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the part that is meant where none is named: a run's, or the first."""
        if args and args[0] not in self.verbs and _is_run(Path(args[0])):
            args = ["reviews", *args]
        return super().parse_args(ctx, args)


def _is_run(folder: Path) -> bool:
    from reviewscore.runs.folder import MANIFEST, POINTS

    return (folder / MANIFEST).is_file() and (folder / POINTS).is_file()


@click.group(
    "similarity",
    cls=_Parts,
    package=__name__,
    verbs=_VERBS,
    places={
        "encode": "score",
        "sweep": "evaluate",
    },
)
def command() -> None:
    """Measure how well reviewers' past papers fit submissions, and how good such a measure is.

    \b
    Example:  reviewscore similarity examples/similarity -o similarity
    """
