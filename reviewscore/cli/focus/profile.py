"""``reviewscore focus profile|gaps``: what reviews look at, and what single ones leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewscore.cli import options
from reviewscore.cli.focus.points import (
    WHENCE,
    AnnotatorChoice,
    Read,
    labelling_options,
    read,
    reading_options,
)
from reviewscore.cli.tabling import Tabling, tabling_options
from reviewscore.cli.terminal import print_line, say
from reviewscore.errors import InputError

if TYPE_CHECKING:
    from reviewscore.text.similarity import TextMetric


KEPT = "annotated"
"""Folder of a model's labels within that of the results."""
MOST = 500
"""Systems in one study: their intervals are held in memory together, and take minutes."""


@click.command("profile", cls=options.GroupedCommand)
@reading_options
@tabling_options
@click.option("--reference", help="The system that others are compared with; people by default.")
@click.option(
    "--bertscore", metavar="MODEL",
    help="Compare texts by this encoder too (hf/NAME or ./FOLDER; needs the extra hf).",
)  # fmt: skip
@labelling_options
def command(reference: str | None, bertscore: str | None, **flags: Any) -> int:
    """Count what the strengths and weaknesses of reviews are about, and compare systems.

    DATA is a file of reviews (.jsonl, .parquet) or a folder with one, as for `gem`; or a run of
    `audit`, whose report then shows what its reviews look at and what each leaves out. Targets:
    problem, prior research, method, theory, experiment, conclusion, paper. Aspects: impact,
    novelty, clarity, validity, not-specific.

    \b
    Example:  reviewscore focus examples/gem -o focus
              reviewscore focus runs/iclr24 --by reviewer
    """
    from reviewscore.focus.plots import draw
    from reviewscore.focus.points import VERB, PointLines
    from reviewscore.focus.profile import profile_systems, write_digest
    from reviewscore.runs.folder import FOCUS
    from reviewscore.sources.system_reviews import PEOPLE
    from reviewscore.stats.writing import Setup, hashes

    by, reviews, tabling = flags["by"], read(flags), Tabling.of(flags)
    run = reviews.run
    if tabling.output is None and run is not None:
        tabling = replace(tabling, output=run / FOCUS)
    annotator = AnnotatorChoice.of(flags, tabling.output, KEPT)
    tabling.check_folder(VERB, foreign=annotator.began)
    reviews = reviews.permitted(annotator.permission)
    _check_systems(reviews, reference)
    reference = reference or PEOPLE
    metrics = _metrics(bertscore)
    labels = annotator.label(reviews.points, reviews.materials.files)
    if labels.points is None:
        return labels.code
    lines = PointLines()
    profile = profile_systems(
        reviews.materials, lines.noted(labels.points), annotator.facets,
        tabling.resampling(scheme="papers"),
        reference=reference, form=reviews.form, metrics=metrics,
    )  # fmt: skip
    skipped = len(reviews.materials.skipped)
    setup = Setup(
        verb=VERB,
        title="Focus of reviews",
        role="annotator",
        model=annotator.name,
        settings={
            **labels.settings, "by": by, "reference": reference, "form": str(reviews.form),
            "bertscore": bertscore, **tabling.settings,
        },
        inputs=hashes(reviews.materials.files),
        notes=[
            *labels.notes, f"points come from {WHENCE[reviews.form]}", *profile.notes,
            *([f"lines that could not be read and were left out: {skipped:,}"] if skipped else []),
        ],
    )  # fmt: skip

    def write_beside(folder: Path) -> tuple[str, list[Path]]:
        if run is not None:
            write_digest(run, profile, setup, reference)
        return "", [lines.write(folder)]

    tabling.publish(
        profile.tables, setup,
        draw=lambda folder: draw(profile.coded, profile.differences, reference, folder),
        foreign=annotator.began, beside=write_beside,  # by now, labels of this session too
    )  # fmt: skip
    if run is not None:
        say(f"`reviewscore report {run}` shows it")
    return labels.code


def _check_systems(reviews: Read, reference: str | None) -> None:
    systems, file = reviews.materials.systems(), next(iter(reviews.materials.files), None)
    if len(systems) > MOST:
        raise InputError(
            f"{len(systems):,} systems; at most {MOST} are compared", file=file,
            cure="give the reviews of fewer, or leave out --by reviewer",
        )  # fmt: skip
    if reference is not None and reference not in systems:
        raise InputError(
            f"no reviews of system '{reference}'", file=file,
            cure=f"there are: {', '.join(systems)}",
        )  # fmt: skip


def _metrics(bertscore: str | None) -> list[TextMetric]:
    """How texts are compared: as in Table 3 of the paper, its encoder where one is named."""
    from reviewscore.text.similarity import Bleu, RougeL

    if bertscore is None:
        return [RougeL(), Bleu()]
    from reviewscore.hf.bertscore import BertScore
    from reviewscore.hf.models import ENCODER, load

    return [RougeL(), Bleu(), BertScore(load(bertscore, ENCODER))]


@click.command("gaps", cls=options.GroupedCommand)
@reading_options
@click.option(
    "--review", "wanted", multiple=True, metavar="ID", help="This review; all if none is named."
)
@options.switch("--json", "as_json", help="Print one JSON record a review.")
@options.path("-o", "--output", help="Folder of a model's labels.")
@labelling_options
def gaps_command(wanted: tuple[str, ...], as_json: bool, output: Path | None, **flags: Any) -> int:
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
    annotator = AnnotatorChoice.of(flags, output, KEPT)
    found = found.permitted(annotator.permission)
    if output is not None:
        check_folder(output, VERB, allow_foreign=annotator.began)
    reviews = [
        ReviewKey(review.system, review.paper_id, review.review_id)
        for review in found.materials.all()
    ]
    unknown = set(wanted) - {review.review_id for review in reviews}
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
