"""``reviewscore similarity score``: how near reviewers' papers are to submissions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli.similarity.choosing import (
    PROFILES,
    VERSION,
    choosing_options,
    chosen_recipes,
    chosen_versions,
    library_of,
)
from reviewscore.cli.tabling import DATA, PATH, Tabling
from reviewscore.cli.terminal import say
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError

if TYPE_CHECKING:
    from reviewscore.similarity.affinity import Affinity, Recipe
    from reviewscore.similarity.pairs import PaperPair


@click.command("score", cls=Verb)
@DATA
@click.option("-o", "--output", type=PATH, help="Folder of scores, tables.")
@choosing_options
@PROFILES
@VERSION
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
    profiles: Path | None,
    only: str | None,
    top: int | None,
    own_papers: str,
    seed: int,
    as_json: bool,
    yes: bool,
    **choice: Any,
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
    from reviewscore.stats.writing import Setup, hashes

    tabling = Tabling(output, as_json, yes)
    tabling.check_folder(VERB)
    encoded, recent = choice.pop("encoded"), choice["recent"]
    choice["methods"] = choice["methods"] or ("tfidf",)
    recipe = _only(chosen_recipes(**choice, seed=seed))
    corpus = read_corpus(data, profiles=profiles)
    for warning in corpus.warnings:
        say(f"warning: {warning}")
    library, files_read = library_of(corpus, encoded)
    scored = [(one, library.affinity(recipe, one)) for one in chosen_versions(corpus, only, data)]
    _warn_of_lone(scored)
    leave_out = own_papers == "leave-out"
    conflicts = {version: corpus.conflicts(version) for version, _ in scored}

    def stream(version: str, one: Affinity, top: int | None = top) -> Iterator[PaperPair]:
        return pairs(one, conflicts[version], top=top, without_conflicts=leave_out)

    def write_pairs(folder: Path) -> tuple[str, list[Path]]:
        files = PairFiles(folder, [name for name, _ in scored])
        total = files.write((one.recipe.name, name, stream(name, one)) for name, one in scored)
        return f"{total:,} pairs; ", files.written

    nearest = _first(stream(*scored[0], top=top or 3), SHOWN)
    setup = Setup(
        verb=VERB,
        title="Similarity of reviewers and submissions",
        role="method",
        model=recipe.name,
        settings={
            "method": recipe.base, "pool": recipe.pool, "centre": recipe.centre,
            "text": recipe.representation, "recent": recent, "top": top,
            "own_papers": own_papers, "seed": seed,
        },
        inputs=hashes(files_read),
        notes=list(corpus.warnings),
    )  # fmt: skip
    tables = overview(scored, nearest, [*map(len, conflicts.values())])
    tabling.publish(tables, setup, beside=write_pairs)


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


def _first(found: Iterator[PaperPair], submissions: int) -> dict[str, list[PaperPair]]:
    """The pairs of the first submissions."""
    some: dict[str, list[PaperPair]] = {}
    for one in found:
        if one.submission not in some and len(some) == submissions:
            break
        some.setdefault(one.submission, []).append(one)
    return dict(islice(some.items(), submissions))
