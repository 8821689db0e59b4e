"""``reviewscore compare``: drift between two judges, settings or years, with intervals."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from reviewscore.cli import options
from reviewscore.cli.tabling import Tabling, paper_figures_options
from reviewscore.cli.terminal import warn
from reviewscore.cli.verb import Verb


@click.command("compare", cls=Verb)
@click.argument("first", type=options.RUN)
@click.argument("second", type=options.RUN)
@options.path("-o", "--output", help="Folder of the comparison.")
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Point by point, or as two sets of papers; by default as many points as both share say.",
)
@options.preset(
    "--points",
    type=click.IntRange(0),
    default=0,
    help="List so many points that differ most, by their ids (with -o).",
)
@paper_figures_options
@options.ACCEPT_CHANGED
def command(
    first: Path,
    second: Path,
    paired: bool | None,
    points: int,
    accept_changed: bool,
    **flags: Any,
) -> None:
    """Measure the drift from one run to another: other judge, other settings, or other year.

    Runs of the same points are compared point by point, others as two sets of papers; runs of two
    protocols on identical points alone. Two folders of `validate` say which of two judges is right
    oftener on the same planted remarks.

    \b
    Example:  reviewscore compare runs/iclr24 runs/iclr25 -o drift
              reviewscore compare runs/judge-a runs/judge-b --points 50 -o judges
              reviewscore compare trust-a trust-b -o better
    """
    from reviewscore.errors import SettingsError
    from reviewscore.pages.figures import markdown
    from reviewscore.validation.comparison import validations_named
    from reviewscore.venue.compare import compare_runs
    from reviewscore.venue.compare_page import comparison_page, write_comparison

    tabling = Tabling.of(flags)
    if points and tabling.output is None:
        raise SettingsError("--points writes a file; name the folder with -o")
    if validations_named(first, second):
        if points or paired is False or accept_changed:
            raise SettingsError(
                "two validations are compared trial by trial, from their own numbers: leave out "
                "--points, --unpaired and --accept-changed"
            )
        _compare_judges(first, second, tabling)
        return
    runs = compare_runs(
        first,
        second,
        paired=paired,
        points=points,
        how=tabling.resampling(scheme="papers"),
        accept_changed=accept_changed,
    )
    warn(runs.warnings)
    drift = runs.found
    tabling.publish_record(
        drift, lambda: markdown(comparison_page(drift)), partial(write_comparison, runs)
    )


def _compare_judges(first: Path, second: Path, tabling: Tabling) -> None:
    """Compare two judges by their validations."""
    from reviewscore.pages.figures import markdown
    from reviewscore.validation.comparison import compare_validations
    from reviewscore.validation.comparison_page import comparison_page, write_comparison

    found = compare_validations(first, second, tabling.resampling(scheme="papers"))
    warn([
        f"{judge.place} is not complete, or judged a selection"
        for judge in (found.first, found.second)
        if not judge.complete
    ])  # fmt: skip
    tabling.publish_record(
        found, lambda: markdown(comparison_page(found)), partial(write_comparison, found)
    )
