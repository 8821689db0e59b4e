"""``reviewscore focus sample``: a sheet of points for people to label."""

from __future__ import annotations

from pathlib import Path

import click

from reviewscore.cli.tabling import DATA, PATH
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError


@click.command("sample", cls=Verb)
@DATA
@click.option("-o", "--output", type=PATH, required=True, help="The sheet, a CSV file.")
@click.option("--also", multiple=True, type=PATH, help="More reviews to draw from.")
@click.option(
    "--points", "number", type=click.IntRange(1), default=150, show_default=True, help="How many."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw.")
@click.option("--yes", is_flag=True, help="Write over a sheet that is there.")
def command(
    data: Path, output: Path, also: tuple[Path, ...], number: int, seed: int, yes: bool
) -> None:
    """Draw points at random, half of them strengths, into a sheet for people to label.

    Give everybody a copy, named after a pseudonym (A1.csv), to write a target and an aspect into
    each row; `focus agree` reads the filled sheets. Whose reviews the points are of is not told.

    \b
    Example:  reviewscore focus sample reviews.parquet -o labels/A1.csv --points 150
    """
    from reviewscore.files import write_whole
    from reviewscore.focus.human_labels import draw_points, empty_sheet
    from reviewscore.focus.profile import Points
    from reviewscore.sources.system_reviews import read_materials

    if output.exists() and not yes:
        raise InputError(
            "is there already, perhaps with labels", file=output, cure="name another, or say --yes"
        )
    points = [point for one in (data, *also) for point in Points.of(read_materials(one))]
    drawn = draw_points(points, number, seed)
    if not drawn:
        raise InputError("holds no strengths or weaknesses", file=data)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, empty_sheet(drawn), named=True)
    print_line(f"{output}: {len(drawn):,} of {len(points):,} points; fill in target and aspect")
