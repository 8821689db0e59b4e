"""``reviewscore export``: write the points of runs as CSV, Parquet or JSONL."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli import options
from reviewscore.cli.terminal import print_line, waiting
from reviewscore.cli.verb import Verb
from reviewscore.errors import SettingsError


@click.command("export", cls=Verb, writes_files=True)
@click.argument("runs", nargs=-1, required=True, type=options.RUN)
@options.path(
    "-o",
    "--output",
    help="x.csv, x.parquet or x.jsonl, or - for JSONL on stdout; RUN/points.csv if not given.",
)
@options.ACCEPT_CHANGED
def command(runs: tuple[Path, ...], output: Path | None, *, accept_changed: bool) -> None:
    """Write the points of one run or many as CSV, Parquet or JSONL, by the file's ending.

    Of several runs the first column names the run, and a point that is in two has a row of each.

    \b
    Example:  reviewscore export runs/iclr24 -o iclr24.csv
              reviewscore export runs/part-1 runs/part-2 -o iclr24.parquet
    """
    from reviewscore.files import own_file
    from reviewscore.printable import counted
    from reviewscore.runs.export import export, records
    from reviewscore.runs.folder import check_destination
    from reviewscore.runs.parts import read_parts

    read_parts(
        runs, accept_changed=accept_changed
    )  # a folder that is no run has no points to write
    if output == Path("-"):
        for line in records(runs, accept_changed=accept_changed):
            print_line(line)
        return
    if output is None and len(runs) > 1:
        raise SettingsError("several runs; name the file to write with -o")
    output = output or own_file(runs[0] / "points.csv")
    check_destination(output)
    with waiting("writing points"):
        rows = export(runs, output, accept_changed=accept_changed)
    print_line(f"{counted(rows, 'point')} written to {output}")
