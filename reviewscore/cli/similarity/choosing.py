"""Flags that say how papers are compared, shared by the verbs of similarity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli import options
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Library, Recipe
    from reviewscore.similarity.corpus import Corpus


TEXTS = ("title", "title+abstract", "full")
POOLS = ("mean", "max", "p75", "top3", "document")
choosing_options = options.together(
    click.option(
        "--method", "methods", multiple=True,
        help="tfidf, tpms, bm25, lsa, acl-style, embeddings, or some joined by +, whose average "
        "counts; several times to compare.",
    ),
    options.path(
        "--embeddings", "encoded",
        help="Vectors of papers by an encoder such as SPECTER2: paper_id, embedding.",
    ),
    click.option(
        "--text", "texts", multiple=True, type=click.Choice(TEXTS),
        help="What is read of papers; several times to compare.",
    ),
    click.option(
        "--pool", "pools", multiple=True, type=click.Choice(POOLS),
        help="How similarities of a reviewer's papers become one; several times to compare.",
    ),
    click.option(
        "--centre/--no-centre", default=None,
        help="Take each submission's mean over reviewers off, or not; each method has its own.",
    ),
    click.option(
        "--recent", type=click.IntRange(1), help="Only so many papers of each reviewer, by year."
    ),
)  # fmt: skip
"""Flags about how papers are compared."""

PROFILES = options.path("--profiles", help="Other profiles than DATA's.")
VERSION = click.option("--version", "only", help="Only this version of the profiles.")


def chosen_recipes(
    methods: Sequence[str],
    texts: Sequence[str] = (),
    pools: Sequence[str] = (),
    *,
    centre: bool | None = None,
    recent: int | None = None,
    seed: int = 0,
) -> list[Recipe]:
    """Every combination that was asked for.

    Raises:
        SettingsError: There is no such method.
    """
    from reviewscore.similarity.affinity import recipe
    from reviewscore.similarity.bags import Representation
    from reviewscore.similarity.vectors import Pool

    return [
        recipe(method).varied(
            pool=None if pool is None else Pool(pool), centre=centre,
            representation=Representation(text), recent=recent, seed=seed,
        )
        for method in methods
        for text in texts or ("title+abstract",)
        for pool in pools or (None,)
    ]  # fmt: skip


def chosen_versions(corpus: Corpus, only: str | None, data: Path) -> list[str]:
    """The versions of the profiles that were asked for: one, or all.

    Raises:
        InputError: There is no such version.
    """
    if only is None:
        return list(corpus.profiles)
    if only not in corpus.profiles:
        raise InputError(
            f"no version '{only}'", file=data, field="version",
            cure=f"there are: {', '.join(corpus.profiles)}",
        )  # fmt: skip
    return [only]


def library_of(corpus: Corpus, encoded: Path | None) -> tuple[Library, list[Path]]:
    """The corpus with its embeddings, and the files they come from.

    Raises:
        InputError: The file of embeddings cannot be used.
    """
    from reviewscore.similarity.affinity import Library
    from reviewscore.similarity.encoder import read_embeddings

    if encoded is None:
        return Library(corpus), list(corpus.files)
    return Library(corpus, read_embeddings(encoded, corpus.papers)), [*corpus.files, encoded]
