"""Recipes put to the test on a gold standard, and how they change with the length of profiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reviewscore.similarity.affinity import Affinity, Library
from reviewscore.similarity.comparison import compare
from reviewscore.similarity.corpus import Unread
from reviewscore.similarity.goldstandard import LOSS, Ratings, measures
from reviewscore.similarity.predictions import Predicted
from reviewscore.similarity.recipe import Recipe

TRIED = 25
"""Variants of recipes that were measured on the 58 released participants while this was built;
which ones is told in ``benchmarks/README.md``. The default was fixed before."""


def predicted(library: Library, recipe: Recipe, ratings: Ratings) -> Predicted:
    """What a recipe predicts for all rated pairs, for every version of the profiles.

    A pair that the recipe has no similarity for is left out.
    """
    versions: dict[str, dict[tuple[str, str], float]] = {}
    unread = Unread()
    for seed, version in enumerate(library.corpus.profiles):
        # Versions of the data are draws of ties of years; other draws need other seeds.
        drawn = recipe if recipe.recent is None else recipe.varied(seed=recipe.seed + seed)
        found = library.affinity(drawn, version)
        unread.submissions.update(found.unread.submissions)
        unread.reviewers.update(found.unread.reviewers)
        versions[version] = dict(_rated(found, ratings))
    return Predicted(recipe.name, versions, unread)


def _rated(found: Affinity, ratings: Ratings) -> Iterator[tuple[tuple[str, str], float]]:
    columns = {name: place for place, name in enumerate(found.reviewers)}
    columns |= {name.strip("~"): place for name, place in columns.items()}
    rows: dict[str, list[tuple[str, str]]] = {}
    for who, paper in ratings.pairs:
        if who in columns:
            rows.setdefault(paper, []).append((who, paper))
    for block in found.blocks():
        for place, scores in enumerate(block.scores, block.first):
            for pair in rows.get(found.submissions[place], ()):
                value = scores[columns[pair[0]]]
                if not np.isnan(value):
                    yield pair, float(value)


def sweep(
    library: Library, recipes: Sequence[Recipe], lengths: Sequence[int], ratings: Ratings
) -> dict[str, list[float]]:
    """Loss of recipes by the length of profiles (arXiv 2303.16750, Figure 2).

    Args:
        library: The corpus.
        recipes: What is compared, on the pairs that all of them have a similarity for.
        lengths: How many recent papers are kept.
        ratings: What people say.

    Returns:
        By name of the recipe, the loss at each length, mean over versions.
    """
    methods = [
        predicted(library, recipe.varied(recent=length), ratings)
        for recipe in recipes
        for length in lengths
    ]
    found = compare(ratings, methods, common=True)
    losses = [one[LOSS].point()[0] for one in measures(found.ratings, found.similarity, ())]
    step = len(lengths)
    return {recipe.name: losses[at * step : (at + 1) * step] for at, recipe in enumerate(recipes)}
