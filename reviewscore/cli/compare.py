"""``reviewscore compare``: drift between two judges, settings or years, with intervals."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.options import ACCEPT_CHANGED
from reviewscore.cli.tabling import paper_figures_options
from reviewscore.cli.terminal import print_text, say
from reviewscore.cli.verb import Verb

_PATH = click.Path(path_type=Path)


@click.command("compare", cls=Verb)
@click.argument("first", type=_PATH)
@click.argument("second", type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Folder of the comparison.")
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Point by point, or as two sets of papers; by default as many points as both share say.",
)
@click.option(
    "--points",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="List so many points that differ most, by their ids (with -o).",
)
@paper_figures_options
@ACCEPT_CHANGED
def command(
    first: Path,
    second: Path,
    output: Path | None,
    paired: bool | None,
    points: int,
    resamples: int,
    seed: int,
    as_json: bool,
    yes: bool,
    accept_changed: bool,
) -> None:
    """Measure the drift from one run to another: other judge, other settings, or other year.

    Runs of the same points are compared point by point, others as two sets of papers.

    \b
    Example:  reviewscore compare runs/iclr24 runs/iclr25 -o drift
              reviewscore compare runs/judge-a runs/judge-b --points 50 -o judges
    """
    from reviewscore.errors import SettingsError
    from reviewscore.report.compare_page import comparison_page, write_comparison
    from reviewscore.report.figures import markdown
    from reviewscore.stats.resampling import Resampling
    from reviewscore.venue.compare import compare_runs

    if points and output is None:
        raise SettingsError("--points writes a file; name the folder with -o")
    found = compare_runs(
        first,
        second,
        paired=paired,
        points=points,
        how=Resampling(resamples, seed, "papers"),
        accept_changed=accept_changed,
    )
    for warning in found.warnings:
        say(f"warning: {warning}")
    if output is not None:
        written = write_comparison(found, output, allow_foreign=yes)
        say(f"{len(written)} files; read {written[0]} first")
    numbers = found.found.model_dump_json(indent=1)
    print_text(numbers if as_json else markdown(comparison_page(found.found)), markdown=not as_json)
