"""``reviewscore gem``: how informative reviews are, without a gold standard."""

from __future__ import annotations

import click

from reviewscore.cli.verb import Parts

_VERBS = {
    "score": "Score reviews by what they tell of other reviews of the paper (the default).",
    "validate": "Alter reviews: do metrics notice, and can they be cheated?",
    "compare": "Compare how two evaluation models rank the same systems.",
    "prepare": "Have a model reduce reviews to judgments, and list what papers state.",
    "generate": "Have models review papers, to be compared with people and each other.",
    "export-pairs": "Write prompts and continuations to fine-tune an evaluation model on.",
    "prime": "Learn a background once and write it to a file.",
}


@click.group(
    "gem",
    cls=Parts,
    package=__name__,
    verbs=_VERBS,
    places={
        "compare": "score",
        "prepare": "data",
        "generate": "data",
        "export-pairs": "data",
        "prime": "data",
    },
)
def command() -> None:
    """Measure how much reviews tell of what other reviewers of the same paper say.

    \b
    Example:  reviewscore gem reviews.parquet -o gem
    """
