"""``reviewscore export``: write the points of a run as CSV, Parquet or JSONL."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="x.csv, x.parquet or x.jsonl, or - for JSONL on stdout; RUN/points.csv if not given.",
)
def command(run: Path, output: Path | None) -> None:
    """Write the points of a run as CSV, Parquet or JSONL, by the file's ending.

    \b
    Example:  reviewscore export runs/iclr24 -o iclr24.csv
    """
    from reviewscore.report.lines import counted
    from reviewscore.store.export import export
    from reviewscore.store.run_dir import read_manifest, read_points

    read_manifest(run)  # a folder that is no run has no points to write
    if output == Path("-"):
        for score in read_points(run):
            click.echo(score.model_dump_json())
        return
    output = output or run / "points.csv"
    rows = export(run, output)
    click.echo(f"{counted(rows, 'point')} written to {output}")
