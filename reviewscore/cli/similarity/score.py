"""``reviewscore similarity score``: how near reviewers' papers are to submissions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewscore.cli.similarity.choosing import (
    choosing_options,
    chosen_recipes,
    chosen_versions,
    library_of,
)
from reviewscore.cli.terminal import print_text, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Affinity, Recipe
    from reviewscore.similarity.pairs import Pair


@click.command("score", cls=Verb)
@click.argument("data", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of scores, tables.")
@choosing_options
@click.option("--profiles", type=click.Path(path_type=Path), help="Other profiles than DATA's.")
@click.option("--version", "only", help="Only this version of the profiles.")
@click.option("--top", type=click.IntRange(1), help="Only so many reviewers of a submission.")
@click.option(
    "--own-papers", type=click.Choice(["mark", "leave-out"]), default="mark", show_default=True,
    help="What to do where a submission is in a reviewer's own profile.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of ties of years and of lsa.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all tables as JSON.")
@click.option("--yes", is_flag=True, help="Write into a folder that holds other things.")
def command(
    data: Path,
    output: Path | None,
    methods: tuple[str, ...],
    encoded: Path | None,
    texts: tuple[str, ...],
    pools: tuple[str, ...],
    centre: bool | None,
    recent: int | None,
    profiles: Path | None,
    only: str | None,
    top: int | None,
    own_papers: str,
    seed: int,
    as_json: bool,
    yes: bool,
) -> None:
    """Score how near reviewers' past papers are to submissions.

    DATA is a folder with papers and profiles (.jsonl, .parquet, .csv), or with archives and
    submissions as openreview-expertise has them. With -o, scores.csv has lines of submission,
    reviewer, score as openreview-expertise writes them, pairs.csv all there is to say.

    \b
    Example:  reviewscore similarity score examples/similarity --top 3 -o similarity
    """
    from reviewscore.similarity.corpus import read_corpus
    from reviewscore.similarity.pairs import VERB, PairFiles, pairs
    from reviewscore.similarity.tables import SHOWN, overview
    from reviewscore.stats import writing as results

    if output is not None:
        results.check_folder(output, VERB, allow_foreign=yes)
    methods = methods or ("tfidf",)
    recipe = _only(chosen_recipes(methods, texts, pools, centre=centre, recent=recent, seed=seed))
    corpus = read_corpus(data, profiles=profiles)
    for warning in corpus.warnings:
        say(f"warning: {warning}")
    library, files_read = library_of(corpus, encoded)
    scored = [(one, library.affinity(recipe, one)) for one in chosen_versions(corpus, only, data)]
    _warn_of_lone(scored)
    leave_out = own_papers == "leave-out"

    def stream(version: str, one: Affinity) -> Iterator[Pair]:
        return pairs(one, conflicts[version], top=top, without_conflicts=leave_out)

    conflicts = {version: corpus.conflicts(version) for version, _ in scored}
    version, first = scored[0]
    ranked = pairs(first, conflicts[version], top=top or 3, without_conflicts=leave_out)
    tables = overview(scored, _first(ranked, SHOWN), [*map(len, conflicts.values())])
    setup = results.Setup(
        verb=VERB,
        title="Similarity of reviewers and submissions",
        role="method",
        model=recipe.name,
        settings={
            "method": recipe.base, "pool": recipe.pool, "centre": recipe.centre,
            "text": recipe.representation, "recent": recent, "top": top,
            "own_papers": own_papers, "seed": seed,
        },
        inputs=results.hashes(files_read),
        notes=list(corpus.warnings),
    )  # fmt: skip
    if output is not None:
        written = results.write_tables(tables, setup, output, allow_foreign=yes)
        files = PairFiles(output, [name for name, _ in scored])
        total = files.write((one.recipe.name, name, stream(name, one)) for name, one in scored)
        say(
            f"{total:,} pairs; {len(written) + len(files.written)} files; read {written[0]} first",
        )
    print_text(
        results.numbers(tables, setup) if as_json else results.page(tables, setup),
        markdown=not as_json,
    )


def _only(recipes: list[Recipe]) -> Recipe:
    if len(recipes) > 1:
        raise SettingsError("one method, text and pooling at a time; `evaluate` compares several")
    return recipes[0]


def _warn_of_lone(scored: list[tuple[str, Affinity]]) -> None:
    """Say where scores are less the mean over a single reviewer."""
    for version, one in scored:
        if one.recipe.levelled and len(one.reviewers) - len(one.unread.reviewers) == 1:
            say(
                f"warning: version {version} has one reviewer with papers, whose scores are all "
                "0: they are less the mean over reviewers (--no-centre)",
            )


def _first(found: Iterator[Pair], submissions: int) -> dict[str, list[Pair]]:
    """The pairs of the first submissions."""
    some: dict[str, list[Pair]] = {}
    for one in found:
        if one.submission not in some and len(some) == submissions:
            break
        some.setdefault(one.submission, []).append(one)
    return dict(islice(some.items(), submissions))
