"""``reviewscore focus gaps``: what single reviews leave out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from reviewscore.cli.focus.points import Annotator, labelling_options, read, reading_options
from reviewscore.cli.focus.profile import KEPT
from reviewscore.cli.options import GroupedCommand
from reviewscore.cli.terminal import print_line, say
from reviewscore.errors import InputError


@click.command("gaps", cls=GroupedCommand)
@reading_options
@click.option(
    "--review", "wanted", multiple=True, metavar="ID", help="This review; all if none is named."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record a review.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of a model's labels.")
@labelling_options
def command(wanted: tuple[str, ...], as_json: bool, output: Path | None, **flags: Any) -> int:
    """Tell which facets other reviews of the paper raise and a review does not.

    What a review leaves out need not be a fault: reviewers share the work, and others may err.

    \b
    Example:  reviewscore focus gaps examples/gem --review sparse-replay-R1
    """
    from reviewscore.focus.blind_spots import all_gaps
    from reviewscore.focus.distribution import ReviewKey, coded
    from reviewscore.focus.points import VERB
    from reviewscore.report.focus import gap_words
    from reviewscore.stats.writing import check_folder

    found = read(flags)
    annotator = Annotator.of(flags, output, KEPT)
    if output is not None:
        check_folder(output, VERB, allow_foreign=annotator.began)
    reviews = [ReviewKey(one.system, one.paper_id, one.review_id) for one in found.materials.all()]
    unknown = set(wanted) - {one.review_id for one in reviews}
    if unknown:
        raise InputError(
            f"no review '{min(unknown)}'",
            file=found.materials.files[0] if found.materials.files else None,
            cure="name one by its review_id; without --review all are shown",
        )
    labels = annotator.label(found.points, found.materials.files)
    if labels.points is None:
        return labels.code
    for note in labels.notes:
        say(note)
    for review, gaps in all_gaps(coded(labels.points, annotator.facets, reviews=reviews)):
        if wanted and review.review_id not in wanted:
            continue
        if as_json:
            record = {**review._asdict(), **gaps.model_dump()}
            print_line(json.dumps(record, ensure_ascii=False))
            continue
        name = f"{review.review_id} ({review.system}, paper {review.paper_id})"
        for line in (name, *(f"  {words}" for words in gap_words(gaps))):
            print_line(line)
    return labels.code
