"""``reviewscore gem score|compare``: GEM, GEM-S and GEM-raw of reviews, with intervals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.gem.evaluator import (
    chosen,
    evaluator_options,
    find_evaluators,
    permission,
    setup_of,
)
from reviewscore.cli.inputs import named_files, tell
from reviewscore.cli.tabling import Tabling, tabling_options
from reviewscore.cli.terminal import print_text, say
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError, RunFolderError

if TYPE_CHECKING:
    from reviewscore.gem.ranking import Ranking
    from reviewscore.gem.score import Scores, Variant
    from reviewscore.sources.system_reviews import Materials
    from reviewscore.stats.resampling import Resampling
    from reviewscore.stats.tables import Table


VARIANTS = ("gem", "gem-s", "gem-s-assw", "gem-s-stand-in", "raw")


@click.command("score", cls=Verb)
@options.DATA
@tabling_options
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="Reviews of another system on the same papers: NAME=FILE.",
)
@click.option(
    "--variant",
    "wanted",
    multiple=True,
    type=click.Choice(VARIANTS),
    help="Which scores; by default all for which the data has texts.",
)
@evaluator_options
@click.option(
    "--candidate",
    help="This reviewer's reviews alone are people's candidates, all others are references.",
)
@options.path(
    "--sizes", help="CSV system,parameters_billions: plots scores against size (with -o)."
)
@options.path(
    "--benchmarks", help="CSV of other benchmarks, a column each: how alike they rank the systems."
)
@options.SKIP_BAD_LINES
def command(
    data: Path,
    systems: tuple[str, ...],
    wanted: tuple[str, ...],
    candidate: str | None,
    sizes: Path | None,
    benchmarks: Path | None,
    skip_bad_lines: bool,
    **flags: Any,
) -> None:
    """Score reviews by how much they tell of other people's reviews of the same paper.

    DATA is a file of reviews (.jsonl, .parquet) or a folder with one. Records hold paper_id,
    reviewer, text or sections, and judgments (one a line); reviews of models hold their name as
    system.

    \b
    Example:  reviewscore gem reviews.parquet --system my-model=mine.jsonl -o gem
    """
    from reviewscore.gem.ranking import draw_by_size, read_columns, read_sizes, score_tables
    from reviewscore.gem.score import VERB, score_systems, write_scores
    from reviewscore.sources.system_reviews import read_materials

    tabling = Tabling.of(flags)
    tabling.check_folder(VERB)
    choice = chosen(flags)
    materials = read_materials(data, others=named_files(systems), skip_bad_lines=skip_bad_lines)
    materials = materials.permitted(permission(choice))
    tell(materials)
    variants = _variants(materials, wanted, data)
    known_sizes = read_sizes(sizes) if sizes else {}
    columns = read_columns(benchmarks) if benchmarks else {}
    with find_evaluators(choice, materials) as evaluators:
        scores = score_systems(materials, variants, evaluators, candidate=candidate)
        settings = {"candidate": candidate, **tabling.settings, **choice.settings()}
        read = [*materials.files, *evaluators.files, *filter(None, (sizes, benchmarks))]
        setup = setup_of("Informativeness of reviews (GEM)", evaluators, settings, read)
    how = tabling.resampling()
    tables = score_tables(scores, how)
    if not tables:
        raise _nothing(scores, data)
    rankings, more = _ranked(scores, how, columns)
    tables += more

    def draw(folder: Path) -> list[Path]:
        return draw_by_size(rankings, known_sizes, folder) if rankings else []

    def beside(folder: Path) -> tuple[str, list[Path]]:
        return "", [write_scores(scores, folder)]

    tabling.publish(tables, setup, draw=draw, foreign=True, beside=beside)


def _nothing(scores: list[Scores], data: Path) -> InputError:
    """Why there is no score at all."""
    reasons = sum((count for score in scores for count in score.dropped.values()), Counter[str]())
    text = "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    return InputError(
        f"no review could be scored ({text})",
        file=data,
        cure="give reviews by two people or more of papers that are not in the background",
    )


def _ranked(
    scores: list[Scores], how: Resampling, columns: Mapping[str, Mapping[str, float]]
) -> tuple[list[Ranking], list[Table]]:
    """Systems ranked, where there are several, and how other benchmarks rank them."""
    from reviewscore.gem.ranking import PaperScores, compare_benchmarks, rank

    by_paper = [PaperScores.of(score) for score in scores]
    if len({name for scores in by_paper for name in scores.systems}) < 2:  # noqa: PLR2004 - a rank
        return [], []
    rankings = [rank(scores, how) for scores in by_paper]
    tables = [ranking.table for ranking in rankings]
    if columns:
        means = {scores.variant: scores.means() for scores in by_paper}
        tables.append(compare_benchmarks(means, columns))
    return rankings, tables


def _variants(materials: Materials, wanted: tuple[str, ...], data: Path) -> list[Variant]:
    """What to score: all that is possible, or what was asked for."""
    from reviewscore.gem.score import GEM, GEM_RAW, GEM_S, possible

    if not wanted:
        variants = list(possible(materials))
        if GEM not in variants:
            say(
                "no judgments in the data, so GEM-raw alone, which counts style too; "
                "`reviewscore gem prepare` has a model write them",
            )
        return variants
    named = {
        "gem": GEM,
        "gem-s": GEM_S["abstract"],
        "gem-s-assw": GEM_S["assw"],
        "gem-s-stand-in": GEM_S["stand-in"],
        "raw": GEM_RAW,
    }
    can = set(possible(materials)) | {GEM_S["stand-in"]}
    for text in wanted:
        if named[text] not in can:
            raise InputError(
                f"has no texts for {named[text].name}", file=data, cure="add them, or ask for less"
            )
    return [named[string] for string in wanted]


@click.command("compare", cls=Verb)
@click.argument("left", type=options.PATH)
@click.argument("right", type=options.PATH)
def compare_command(left: Path, right: Path) -> None:
    """Compare how two evaluation models rank the same systems.

    LEFT and RIGHT are folders that `gem -o` wrote.

    \b
    Example:  reviewscore gem compare gem-lexical gem-llama
    """
    from reviewscore.gem.ranking import compare_models, read_scores
    from reviewscore.stats.tables import markdown

    names = (_name(left), _name(right))
    table = compare_models(read_scores(left), read_scores(right), names=names)
    if not table.rows:
        raise InputError("has no score in common with the first", file=right, cure="score alike")
    print_text(markdown(table), markdown=True)


def _name(folder: Path) -> str:
    """The evaluation model, and the folder."""
    from reviewscore.files import read_whole
    from reviewscore.gem.score import VERB
    from reviewscore.stats.writing import numbers_name

    try:
        model = json.loads(read_whole(folder / numbers_name(VERB)) or b"")["model"]
    except (RunFolderError, ValueError, KeyError, TypeError):
        return folder.name
    return f"{model} ({folder.name})"
