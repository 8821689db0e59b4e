"""``reviewscore similarity evaluate|sweep``: methods against ratings of expertise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.similarity.choosing import TEXTS, choosing_options, chosen_recipes, library_of
from reviewscore.cli.tabling import Tabling, tabling_options
from reviewscore.cli.terminal import warn
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewscore.stats.tables import Table
if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Recipe
    from reviewscore.similarity.comparison import Predicted
    from reviewscore.similarity.goldstandard import Ratings


@click.command("evaluate", cls=Verb)
@click.argument("ratings", type=options.PATH)
@click.argument("predictions", nargs=-1)
@tabling_options
@choosing_options
@options.path("--profiles", help="Profiles for --method; those beside the ratings by default.")
@click.option("--baseline", help="The method others are compared with; tpms or the first.")
@options.switch("--common", help="Leave out pairs that a method has no value for.")
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
    from reviewscore.similarity.plots import draw_methods
    from reviewscore.similarity.tables import Honesty, tables
    from reviewscore.stats.writing import Setup, hashes

    tabling, encoded = Tabling.of(flags), flags.pop("encoded")
    tabling.check_folder(VERB)
    file = ratings_file(ratings)
    rated = read_ratings(file)
    found, read = _predicted(ratings, predictions, wanted=not flags["methods"])
    recipes = chosen_recipes(**flags, seed=tabling.seed)
    warnings: tuple[str, ...] = ()
    if recipes:
        own, more, warnings = _computed(ratings, profiles, encoded, recipes, rated)
        found, read = [*found, *own], [*read, *more]
    compared = compare(rated, found, common=common)
    named = (name for name in compared.names if name.partition(",")[0] == "tpms")
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
        notes=[*warnings, *compared.notes],
    )  # fmt: skip
    tabling.publish(shown, setup, draw=lambda folder: draw_methods(shown, folder))


def _predicted(
    place: Path, named: tuple[str, ...], *, wanted: bool
) -> tuple[list[Predicted], list[Path]]:
    """Predictions of files, and the files."""
    from reviewscore.similarity.comparison import predictions_file, read_predictions

    pairs = [(name if sign else None, Path(file if sign else name))
             for name, sign, file in (text.partition("=") for text in named)]  # fmt: skip
    if not pairs and wanted:
        pairs = [(None, predictions_file(place if place.is_dir() else place.parent))]
    predictions = [
        prediction for name, file in pairs for prediction in read_predictions(file, name)
    ]
    return predictions, [file for _, file in pairs]


def _computed(
    place: Path,
    profiles: Path | None,
    encoded: Path | None,
    recipes: list[Recipe],
    rated: Ratings,
) -> tuple[list[Predicted], list[Path], tuple[str, ...]]:
    """Recipes computed on the corpus beside the ratings, its files, and what is odd in it."""
    from reviewscore.similarity.comparison import predicted
    from reviewscore.similarity.corpus import read_corpus

    corpus = read_corpus(place if place.is_dir() else place.parent, profiles=profiles)
    warn(corpus.warnings)
    library, files = library_of(corpus, encoded)
    return [predicted(library, recipe, rated) for recipe in recipes], files, tuple(corpus.warnings)


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


@click.command("sweep", cls=Verb)
@click.argument("ratings", type=options.PATH)
@tabling_options
@options.preset("--method", default="tpms", help="Which method, as for score.")
@click.option(
    "--text", "texts", multiple=True, type=click.Choice(TEXTS),
    help="What is read of papers; several times; title and title+abstract by default.",
)  # fmt: skip
@options.path("--profiles", help="Profiles; those beside the ratings by default.")
@options.preset(
    "--longest", type=click.IntRange(1, 100), default=20, help="Papers in the longest profile."
)
def sweep_command(
    ratings: Path, method: str, texts: tuple[str, ...], profiles: Path | None, longest: int,
    **flags: Any,
) -> None:  # fmt: skip
    """Show how a method's loss depends on the length of profiles and on what is read of papers.

    RATINGS is a file or folder as for `evaluate`, with papers and profiles beside it. Only pairs
    count that all texts have a similarity for.

    \b
    Example:  reviewscore similarity sweep examples/similarity --method tfidf --longest 5
    """
    from reviewscore.similarity.affinity import Library
    from reviewscore.similarity.comparison import compare, predicted, sweep
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.goldstandard import ratings_file, read_ratings
    from reviewscore.similarity.pairs import VERB
    from reviewscore.similarity.plots import draw_methods
    from reviewscore.similarity.tables import Honesty, tables
    from reviewscore.stats.writing import Setup, hashes

    tabling = Tabling.of(flags)
    tabling.check_folder(VERB)
    file = ratings_file(ratings)
    rated = read_ratings(file)
    corpus = read_corpus(file.parent, profiles=profiles)
    library = Library(corpus)
    read = texts or TEXTS[:2]
    recipes = chosen_recipes([method], read, seed=tabling.seed)
    lengths = range(1, longest + 1)
    losses = sweep(library, recipes, lengths, rated)
    at_longest = [recipe.varied(recent=longest) for recipe in recipes]
    compared = compare(
        rated, [predicted(library, recipe, rated) for recipe in at_longest], common=True
    )
    base = next((recipe.name for recipe in at_longest if recipe.representation == TEXTS[1]),
                at_longest[0].name)  # fmt: skip
    how = tabling.resampling(method="percentile")
    honesty = Honesty(len(recipes) * longest, ("All lengths and texts of the sweep are counted.",))
    shown = [*tables(compared, base, how, honesty, cutoffs=()), _table(losses, lengths)]
    setup = Setup(
        verb=VERB,
        title="Similarity by length of profiles and by text",
        role="method",
        model=method,
        settings={"texts": ", ".join(read), "longest": longest, **tabling.settings},
        inputs=hashes([file, *corpus.files]),
        notes=[*corpus.warnings, *compared.notes],
    )  # fmt: skip
    tabling.publish(
        shown, setup,
        draw=lambda folder: draw_methods(shown, folder, losses=losses, lengths=lengths),
    )  # fmt: skip


def _table(losses: Mapping[str, Sequence[float]], lengths: Sequence[int]) -> Table:
    from reviewscore.similarity.tables import IN_SAMPLE, PAPER, SWEEP
    from reviewscore.stats.tables import Table

    return Table(
        SWEEP,
        f"Loss by length of profiles, {IN_SAMPLE}, without intervals ({PAPER}, Figure 2)",
        ("papers", *losses),
        tuple(
            (str(length), *(f"{values[at]:.4f}" for values in losses.values()))
            for at, length in enumerate(lengths)
        ),
        notes=("Means over versions of the profiles; lower is better.",
               f"Variants tried: {len(losses) * len(lengths)}; intervals: see the longest."),
    )  # fmt: skip
