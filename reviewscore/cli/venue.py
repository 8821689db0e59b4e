"""``reviewscore venue``: rates of a venue by type, area and reviewer load, naming nobody."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from reviewscore.cli import options
from reviewscore.cli.tabling import Tabling, paper_figures_options
from reviewscore.cli.terminal import warn
from reviewscore.cli.verb import Verb


@click.command("venue", cls=Verb)
@click.argument("runs", nargs=-1, required=True, type=options.PATH)
@options.path("-o", "--output", help="Folder of the report; of --fairness x.html, x.md or x.csv.")
@click.option(
    "--data",
    multiple=True,
    type=options.DataPath(),
    help="Folder of papers and reviews, if it has moved or runs were merged; several times.",
)
@options.path("--areas", help="Table paper_id, area (CSV, JSONL, Parquet, xlsx).")
@click.option("--area-field", help="Field of the papers' records that holds their area.")
@options.path("--reviewers", help="Table review_id, reviewer of pseudonyms.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["rating", "confidence"]),
    help="A further table, by a score that reviewers gave.",
)
@options.preset(
    "--at-least",
    type=click.IntRange(min=5),
    default=10,
    help="Reviews that a row must have; smaller ones are withheld.",
)
@options.switch(
    "--fairness",
    help="By length, rating, confidence, articles and area of reviews: whom do flags fall on?",
)
@click.option(
    "--judged",
    multiple=True,
    type=options.PATH,
    help="Sheet of a random sample of flags, filled in, for --fairness; several times.",
)
@paper_figures_options
@options.ACCEPT_CHANGED
def command(
    runs: tuple[Path, ...],
    data: tuple[Path, ...],
    areas: Path | None,
    area_field: str | None,
    reviewers: Path | None,
    by: tuple[str, ...],
    at_least: int,
    fairness: bool,
    judged: tuple[Path, ...],
    accept_changed: bool,
    **flags: Any,
) -> None:
    """Report on a venue: rates with intervals by type, area and reviewer load, naming nobody.

    The runs are parts of one audit: one judge and protocol, the same settings, no point twice. Of
    a venue folder, its run is meant.

    \b
    Example:  reviewscore venue runs/part-1 runs/part-2 --areas areas.csv -o iclr24-venue
    """
    from reviewscore.pages.figures import markdown
    from reviewscore.period.fairness import fairness_page, study_fairness, write_fairness
    from reviewscore.period.venue import run_of
    from reviewscore.venue.study import Strata, study_venue
    from reviewscore.venue.venue_page import venue_page, write_venue

    if judged and not fairness:
        raise click.UsageError("--judged is for --fairness.")
    strata = Strata(data, areas, area_field, reviewers, by)
    tabling = Tabling.of(flags)
    how = tabling.resampling(scheme="papers")
    study, page, write = study_venue, venue_page, write_venue
    runs = runs if fairness else tuple(map(run_of, runs))
    if fairness:
        study = partial(study_fairness, judged=judged)
        page, write = fairness_page, write_fairness
    venue, warnings = study(runs, strata, at_least=at_least, how=how, accept_changed=accept_changed)
    warn(warnings)
    tabling.publish_record(venue, lambda: markdown(page(venue)), partial(write, venue))
