"""``reviewscore venue``: rates of a venue by type, area and reviewer load, naming nobody."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.options import ACCEPT_CHANGED, DataPath
from reviewscore.cli.tabling import paper_figures_options
from reviewscore.cli.terminal import print_text, say
from reviewscore.cli.verb import Verb

_PATH = click.Path(path_type=Path)


@click.command("venue", cls=Verb)
@click.argument("runs", nargs=-1, required=True, type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Folder of the report.")
@click.option(
    "--data",
    multiple=True,
    type=DataPath(),
    help="Folder of papers and reviews, if it has moved or runs were merged; several times.",
)
@click.option("--areas", type=_PATH, help="Table paper_id, area (CSV, JSONL, Parquet, xlsx).")
@click.option("--area-field", help="Field of the papers' records that holds their area.")
@click.option("--reviewers", type=_PATH, help="Table review_id, reviewer of pseudonyms.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["rating", "confidence"]),
    help="A further table, by a score that reviewers gave.",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=5),
    default=10,
    show_default=True,
    help="Reviews that a row must have; smaller ones are withheld.",
)
@paper_figures_options
@ACCEPT_CHANGED
def command(
    runs: tuple[Path, ...],
    output: Path | None,
    data: tuple[Path, ...],
    areas: Path | None,
    area_field: str | None,
    reviewers: Path | None,
    by: tuple[str, ...],
    at_least: int,
    resamples: int,
    seed: int,
    as_json: bool,
    yes: bool,
    accept_changed: bool,
) -> None:
    """Report on a venue: rates with intervals by type, area and reviewer load, naming nobody.

    The runs are parts of one audit: one judge, the same settings, no point twice.

    \b
    Example:  reviewscore venue runs/part-1 runs/part-2 --areas areas.csv -o iclr24-venue
    """
    from reviewscore.report.figures import markdown
    from reviewscore.report.venue_page import venue_page, write_venue
    from reviewscore.stats.resampling import Resampling
    from reviewscore.venue.study import Strata, study_venue

    strata = Strata(data, areas, area_field, reviewers, by)
    how = Resampling(resamples, seed, "papers")
    venue, warnings = study_venue(
        runs, strata, at_least=at_least, how=how, accept_changed=accept_changed
    )
    for warning in warnings:
        say(f"warning: {warning}")
    if output is not None:
        written = write_venue(venue, output, allow_foreign=yes)
        say(f"{len(written)} files; read {written[0]} first")
    print_text(
        venue.model_dump_json(indent=1) if as_json else markdown(venue_page(venue)),
        markdown=not as_json,
    )
