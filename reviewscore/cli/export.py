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
    required=True,
    help="x.csv, x.parquet or x.jsonl.",
)
def command(run: Path, output: Path) -> None:
    """Write the points of a run as CSV, Parquet or JSONL, by the file's ending.

    \b
    Example:  reviewscore export runs/iclr24 -o iclr24.csv
    """
    from reviewscore.store.export import export
    from reviewscore.store.run_dir import read_manifest

    read_manifest(run)  # a folder that is no run has no points to write
    rows = export(run, output)
    click.echo(f"{rows} points written to {output}")
