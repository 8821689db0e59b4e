"""``reviewscore similarity evaluate``: methods against people's ratings of their expertise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.similarity.choosing import choosing_options, chosen_recipes, library_of
from reviewscore.cli.tabling import PATH, Tabling, tabling_options
from reviewscore.cli.terminal import say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Recipe
    from reviewscore.similarity.comparison import Predicted
    from reviewscore.similarity.goldstandard import Ratings


@click.command("evaluate", cls=Verb)
@click.argument("ratings", type=PATH)
@click.argument("predictions", nargs=-1)
@tabling_options
@choosing_options
@click.option("--profiles", type=PATH,
              help="Profiles for --method; those beside the ratings by default.")  # fmt: skip
@click.option("--baseline", help="The method others are compared with; tpms or the first.")
@click.option("--common", is_flag=True, help="Leave out pairs that a method has no value for.")
@click.option(
    "--variants-tried", type=click.IntRange(1),
    help="How many variants you have measured on these participants, these included.",
)  # fmt: skip
def command(
    ratings: Path,
    predictions: tuple[str, ...],
    profiles: Path | None,
    baseline: str | None,
    common: bool,
    variants_tried: int | None,
    **flags: Any,
) -> None:
    """Judge methods by how they order the papers that people rated their expertise in.

    RATINGS is a file of reviewer_id, paper_id, expertise (1..5), or a folder with `evaluations`.
    PREDICTIONS are files, or NAME=FILE, of reviewer_id, paper_id, similarity and possibly
    algorithm and version; scores of openreview-expertise fit too. With --method, recipes are
    computed from papers and profiles in the folder. With neither, `predictions` there is read.

    \b
    Example:  reviewscore similarity evaluate examples/similarity --method tfidf --method tpms
    """
    from reviewscore.similarity.comparison import compare
    from reviewscore.similarity.goldstandard import ratings_file, read_ratings
    from reviewscore.similarity.pairs import VERB
    from reviewscore.similarity.tables import Honesty, tables
    from reviewscore.stats.writing import Setup, hashes

    tabling, encoded = Tabling.of(flags), flags.pop("encoded")
    tabling.check_folder(VERB)
    file = ratings_file(ratings)
    rated = read_ratings(file)
    found, read = _predicted(ratings, predictions, wanted=not flags["methods"])
    recipes = chosen_recipes(**flags, seed=tabling.seed)
    if recipes:
        own, more = _computed(ratings, profiles, encoded, recipes, rated)
        found, read = [*found, *own], [*read, *more]
    compared = compare(rated, found, common=common)
    named = (one for one in compared.names if one.partition(",")[0] == "tpms")
    base = baseline or next(named, compared.names[0])
    if base not in compared.names:
        raise InputError(f"no method '{base}'", cure=f"there are: {', '.join(compared.names)}")
    tried = max(variants_tried or 0, len(found))
    how = tabling.resampling(method="percentile")
    shown = tables(compared, base, how, Honesty(tried, _said(recipes, variants_tried)))
    setup = Setup(
        verb=VERB,
        title="Similarity against ratings of expertise",
        role="baseline",
        model=base,
        settings={
            "methods": ", ".join(compared.names), "baseline": base, "common": common,
            "variants_tried": tried, **tabling.settings,
        },
        inputs=hashes([file, *read]),
        notes=compared.notes,
    )  # fmt: skip
    tabling.publish(shown, setup)


def _predicted(
    place: Path, named: tuple[str, ...], *, wanted: bool
) -> tuple[list[Predicted], list[Path]]:
    """Predictions of files, and the files."""
    from reviewscore.similarity.comparison import predictions_file, read_predictions

    pairs = [(name if sign else None, Path(file if sign else name))
             for name, sign, file in (one.partition("=") for one in named)]  # fmt: skip
    if not pairs and wanted:
        pairs = [(None, predictions_file(place if place.is_dir() else place.parent))]
    found = [one for name, file in pairs for one in read_predictions(file, name)]
    return found, [file for _, file in pairs]


def _computed(
    place: Path,
    profiles: Path | None,
    encoded: Path | None,
    recipes: list[Recipe],
    rated: Ratings,
) -> tuple[list[Predicted], list[Path]]:
    """Recipes computed on the corpus beside the ratings, and its files."""
    from reviewscore.similarity.comparison import predicted
    from reviewscore.similarity.corpus import read_corpus

    corpus = read_corpus(place if place.is_dir() else place.parent, profiles=profiles)
    for warning in corpus.warnings:
        say(f"warning: {warning}")
    library, files = library_of(corpus, encoded)
    return [predicted(library, one, rated) for one in recipes], files


def _said(recipes: list[Recipe], variants: int | None) -> tuple[str, ...]:
    from reviewscore.similarity.comparison import TRIED

    words = [] if variants else ["The count is that of this table alone; tell with "
                                 "--variants-tried what was measured before."]  # fmt: skip
    if recipes:
        words.append(
            f"Recipes are fixed; while they were built, {TRIED} variants were measured on the 58 "
            "participants of the released gold standard."
        )
    return tuple(words)
