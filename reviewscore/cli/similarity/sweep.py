"""``reviewscore similarity sweep``: loss by the length of profiles and by what is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.similarity.choosing import TEXTS, chosen_recipes
from reviewscore.cli.tabling import PATH, Tabling, tabling_options
from reviewscore.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewscore.stats.tables import Table


@click.command("sweep", cls=Verb)
@click.argument("ratings", type=PATH)
@tabling_options
@click.option("--method", default="tpms", show_default=True, help="Which method, as for score.")
@click.option(
    "--text", "texts", multiple=True, type=click.Choice(TEXTS),
    help="What is read of papers; several times; title and title+abstract by default.",
)  # fmt: skip
@click.option("--profiles", type=PATH,
              help="Profiles; those beside the ratings by default.")  # fmt: skip
@click.option("--longest", type=click.IntRange(1, 100), default=20, show_default=True,
              help="Papers in the longest profile.")  # fmt: skip
def command(
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
    from reviewscore.similarity.tables import Honesty, draw_sweep, tables
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
    at_longest = [one.varied(recent=longest) for one in recipes]
    compared = compare(rated, [predicted(library, one, rated) for one in at_longest], common=True)
    base = next((one.name for one in at_longest if one.representation == TEXTS[1]),
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
    tabling.publish(shown, setup, draw=lambda folder: draw_sweep(losses, lengths, folder))


def _table(losses: Mapping[str, Sequence[float]], lengths: Sequence[int]) -> Table:
    from reviewscore.similarity.tables import IN_SAMPLE, PAPER
    from reviewscore.stats.tables import Table

    return Table(
        "similarity-sweep",
        f"Loss by length of profiles, {IN_SAMPLE}, without intervals ({PAPER}, Figure 2)",
        ("papers", *losses),
        tuple(
            (str(length), *(f"{values[at]:.4f}" for values in losses.values()))
            for at, length in enumerate(lengths)
        ),
        notes=("Means over versions of the profiles; lower is better.",
               f"Variants tried: {len(losses) * len(lengths)}; intervals: see the longest."),
    )  # fmt: skip
