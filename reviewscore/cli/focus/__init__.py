"""``reviewscore focus``: what reviews look at, and what they overlook."""

from __future__ import annotations

import click

from reviewscore.cli.verb import Parts

_VERBS = {
    "profile": "Count what reviews look at and compare systems with a reference (the default).",
    "gaps": "Tell what single reviews leave out that others of the same paper raise.",
    "references": "Have a model make an expert's points of meta-reviews and reviews.",
    "agree": "Measure how far an annotator agrees with people on what points are about.",
    "sample": "Draw points into a sheet for people to label.",
    "export-sft": "Write papers and reviews to fine-tune a reviewer on.",
}


@click.group(
    "focus",
    cls=Parts,
    package=__name__,
    verbs=_VERBS,
    places={
        "gaps": "profile",
        "sample": "agree",
        "references": "data",
        "export-sft": "data",
    },
)
def command() -> None:
    """See what the strengths and weaknesses of reviews are about, and what they overlook.

    \b
    Example:  reviewscore focus examples/gem -o focus
    """
