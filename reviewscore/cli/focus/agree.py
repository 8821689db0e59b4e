"""``reviewscore focus agree|sample``: labels by people, and an annotator beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.focus.points import AnnotatorChoice, labelling_options
from reviewscore.cli.inputs import tell
from reviewscore.cli.tabling import Tabling, tabling_options
from reviewscore.cli.terminal import print_line
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError
from reviewscore.printable import first_of

if TYPE_CHECKING:
    from reviewscore.focus.facets import FacetPoint, Labelled
    from reviewscore.focus.human_labels import FacetRatings, HumanFacets


VERB, KEPT = "focus-agree", "annotated-units"
_NAMED = 5
"""Units that were not found and are named."""


@click.command("agree", cls=options.GroupedCommand)
@click.argument("labels", type=click.Path(path_type=Path, exists=True))
@options.DATA
@options.path("--also", multiple=True, help="More reviews that labelled points are of.")
@tabling_options
@options.SKIP_BAD_LINES
@labelling_options
def command(
    labels: Path, data: Path, also: tuple[Path, ...], *, skip_bad_lines: bool, **flags: Any
) -> int:
    """Measure how far an annotator of facets agrees with people, and people with each other.

    LABELS is a folder with units.jsonl and labels.jsonl, or filled sheets of `focus sample`, named
    after who filled them in (A1.csv). DATA are the reviews that the points are of; they are found
    by their words.

    \b
    Example:  reviewscore focus agree annotations/SET reviews.parquet -o agreement
    """
    from reviewscore.focus.human_labels import agreement_tables, find_points, read_human_labels
    from reviewscore.focus.plots import draw_confusions
    from reviewscore.sources.system_reviews import read_materials
    from reviewscore.stats.writing import Setup, hashes

    tabling = Tabling.of(flags)
    annotator = AnnotatorChoice.of(flags, tabling.output, KEPT)
    tabling.check_folder(VERB, foreign=annotator.began)
    human = read_human_labels(labels, annotator.facets)
    may = annotator.permission
    read = [
        read_materials(path, skip_bad_lines=skip_bad_lines).permitted(may) for path in (data, *also)
    ]
    for materials in read:
        tell(materials)
    points = find_points(human.units, read)
    note = _coverage_note(human, points, labels)
    files = [*human.files, *(file for one in read for file in one.files)]
    labelled = annotator.label(list(points.values()), files)
    if labelled.points is None:
        return labelled.code
    ratings = _ratings(human, list(labelled.points), annotator)
    setup = Setup(
        verb=VERB,
        title="Agreement on what points are about",
        role="annotator",
        model=annotator.name,
        settings={**labelled.settings, **tabling.settings},
        inputs=hashes(files),
        notes=[*labelled.notes, note],
    )
    tabling.publish(
        agreement_tables(ratings, tabling.resampling(scheme="papers")), setup,
        draw=lambda folder: draw_confusions(ratings, folder), foreign=annotator.began,
    )  # fmt: skip
    return labelled.code


def _coverage_note(human: HumanFacets, points: dict[str, FacetPoint], labels: Path) -> str:
    """How many units were found, and which were not.

    Raises:
        InputError: None was found.
    """
    missing = [name for name in human.units if name not in points]
    if not points:
        raise InputError(
            f"none of its {len(human.units):,} units is a point of the reviews given",
            file=labels,
            cure="name the reviews that were labelled, and further ones with --also",
        )
    note = f"{len(points):,} of {len(human.units):,} labelled points are in the reviews given"
    if missing:
        note += f"; not there: {first_of(missing, _NAMED)}"
    return note


def _ratings(
    human: HumanFacets, labelled: Sequence[Labelled], annotator: AnnotatorChoice
) -> FacetRatings:
    from reviewscore.focus.facets import FacetKind
    from reviewscore.focus.human_labels import FacetRatings, coded_labels

    facets = annotator.facets
    points = [labelled_point.point for labelled_point in labelled]
    labels = {
        name: {
            kind: coded_labels([given[kind].get(point.point_id) for point in points], facets, kind)
            for kind in FacetKind
        }
        for name, given in human.labels.items()
    }
    labels[annotator.name] = {
        FacetKind.TARGET: coded_labels(
            [labelled_point.target for labelled_point in labelled], facets, FacetKind.TARGET
        ),
        FacetKind.ASPECT: coded_labels(
            [labelled_point.aspect for labelled_point in labelled], facets, FacetKind.ASPECT
        ),
    }
    return FacetRatings(facets, points, tuple(human.annotators), annotator.name, labels)


@click.command("sample", cls=Verb)
@options.DATA
@options.path("-o", "--output", required=True, help="The sheet, a CSV file.")
@options.path("--also", multiple=True, help="More reviews to draw from.")
@options.preset("--points", "number", type=click.IntRange(1), default=150, help="How many.")
@options.preset("--seed", type=click.IntRange(0), default=0, help="Of the draw.")
@options.switch("--yes", help="Write over a sheet that is there.")
def sample_command(
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
    from reviewscore.focus.profile import SystemPoints
    from reviewscore.sources.system_reviews import read_materials

    if output.exists() and not yes:
        raise InputError(
            "is there already, perhaps with labels", file=output, cure="name another, or say --yes"
        )
    points = [point for path in (data, *also) for point in SystemPoints.of(read_materials(path))]
    drawn = draw_points(points, number, seed)
    if not drawn:
        raise InputError("holds no strengths or weaknesses", file=data)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, empty_sheet(drawn), named=True)
    print_line(f"{output}: {len(drawn):,} of {len(points):,} points; fill in target and aspect")
