"""``reviewscore similarity RUN``: how near the reviewers of a finished run are to its papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.cli.similarity.choosing import TEXTS, chosen_recipes
from reviewscore.cli.terminal import print_line, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Recipe
    from reviewscore.similarity.corpus import Corpus
    from reviewscore.sources.collection import Collection

_SHOWN = 5
"""Reviewers without a similarity who are named at a terminal; the report names all."""


@click.command("reviews", cls=Verb)
@click.argument("run", type=options.RUN)
@options.path(
    "--profiles",
    required=True,
    help="Folder of papers and profiles; reviewers are named as in the reviews.",
)
@options.preset("--method", default="tfidf", help="As of `similarity score`.")
@options.preset(
    "--text", type=click.Choice(TEXTS), default="title+abstract", help="What is read of papers."
)
@click.option("--data", type=options.DataPath(),
              help="Folder of papers and reviews, if it has moved.")  # fmt: skip
@options.ACCEPT_CHANGED
def command(
    run: Path, profiles: Path, method: str, text: str, data: Path | None, *, accept_changed: bool
) -> None:
    """Show in a run's report how near each reviewer's own papers are to the paper reviewed.

    RUN is a folder of `audit`, which does the same with --profiles.

    \b
    Example:  reviewscore similarity runs/iclr24 --profiles profiles
    """
    from reviewscore.cli.inputs import collection_of
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.vectors import Method

    recipes = chosen_recipes([method], [text])
    if Method.EMBEDDINGS in recipes[0].methods:
        raise SettingsError("vectors of papers are for `similarity score` and `evaluate`")
    collection = collection_of(run, data, accept_changed=accept_changed)
    if collection is None:
        raise InputError("the papers of this run are not where they were", cure="--data DIR")
    corpus = read_corpus(profiles, submitted=False)
    for line in note(run, collection, corpus, recipes[0], accept_changed=accept_changed):
        print_line(line)
    say(f"`reviewscore report {run}` shows it")


def note(
    run: Path,
    collection: Collection,
    profiles: Corpus,
    recipe: Recipe | None = None,
    *,
    accept_changed: bool,
) -> list[str]:
    """Compute the similarities of a run's reviews and write them into its folder.

    Returns:
        It in short, line by line.
    """
    from reviewscore.report.similarity import similarity_lines
    from reviewscore.similarity.digest import add_digest

    similarity_digest = add_digest(run, collection, profiles, recipe, accept_changed=accept_changed)
    return [f"similarity: {line}" for line in similarity_lines(similarity_digest, shown=_SHOWN)]
