"""``reviewscore agree``: how far judges agree with people, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from reviewscore.cli import options
from reviewscore.cli.tabling import say_written
from reviewscore.cli.terminal import print_line, print_text, say, warn
from reviewscore.cli.verb import Verb
from reviewscore.errors import InputError, SettingsError

if TYPE_CHECKING:
    from reviewscore.agreement.judge_scores import JudgedRun
    from reviewscore.agreement.point_agreement import Drawn
    from reviewscore.agreement.study import Study
    from reviewscore.cli.point_labels import PointSets
    from reviewscore.schema.annotation import Unit
    from reviewscore.sources.annotations import AnnotationSet
    from reviewscore.stats.metrics import Level
    from reviewscore.stats.resampling import Method, Resampling, Scheme

_PAPERS = 256
"""Texts of papers kept at hand, so that a paper is not parsed once for each of its points."""
_METRICS = ("f1", "precision", "recall", "kappa", "ac2", "alpha", "pearson", "spearman")


@click.command("agree", cls=Verb)
@click.argument("runs", nargs=-1, type=options.RUN)
@options.path(
    "--human",
    multiple=True,
    help="Labels by people: a set's folder, or a file of labels; several of marked points.",
)
@options.path(
    "--labels", multiple=True, help="The same, with model readers' labels too, which is said."
)
@options.path("--reviews", multiple=True, help="Reviews that marked points are of.")
@options.path("-o", "--output", help="Folder of tables and plots.")
@options.switch("--check", help="Only check the labels: every fault, with its cure.")
@options.path(
    "--import", "sheet_in", help="Read a filled sheet (CSV, xlsx, ods) into the folder of labels."
)
@options.path(
    "--sheet", "sheet_out", help="Write an empty label sheet of the run's points and premises."
)
@options.switch("--calibrate", help="Learn a correction of the scores (with -o).")
@options.preset(
    "--level",
    type=click.Choice(["nominal", "ordinal", "interval", "ratio"]),
    default="ordinal",
    help="Level of Krippendorff's alpha between annotators.",
)
@options.preset(
    "--resamples",
    type=click.IntRange(100),
    default=1000,
    help="Bootstrap samples, and permutations.",
)
@options.preset("--seed", type=click.IntRange(0), default=0, help="Of both.")
@options.preset(
    "--resample",
    "scheme",
    type=click.Choice(["papers+units", "papers", "units", "reviews"]),
    default="papers+units",
    help="What intervals draw: papers and then points of each, whole papers, or points; of "
    "marked points whole papers, or whole reviews.",
)
@options.preset(
    "--interval",
    "method",
    type=click.Choice(["bca", "percentile"]),
    default="bca",
    help="Which 95 % interval.",
)
@options.preset(
    "--metric",
    type=click.Choice(_METRICS),
    default="kappa",
    help="What --fail-under looks at, over all points.",
)
@click.option("--fail-under", type=float, help="Exit with 1 if a judge's metric is below.")
@options.switch("--skip-bad-lines", help="Go on without labels that cannot be used.")
@click.option("--data", type=options.DataPath(), help="Papers, if they have moved.")
@options.switch("--json", "as_json", help="Print all estimates as JSON.")
@options.YES
@options.ACCEPT_CHANGED
@click.pass_context
def command(
    ctx: click.Context,
    runs: tuple[Path, ...],
    human: tuple[Path, ...],
    labels: tuple[Path, ...],
    reviews: tuple[Path, ...],
    output: Path | None,
    check: bool,
    sheet_in: Path | None,
    sheet_out: Path | None,
    calibrate: bool,
    level: str,
    resamples: int,
    seed: int,
    scheme: str,
    method: str,
    metric: str,
    fail_under: float | None,
    skip_bad_lines: bool,
    data: Path | None,
    as_json: bool,
    yes: bool,
    accept_changed: bool,
) -> None:
    """Measure how far the judges of runs agree with human labels.

    \b
    Example:  reviewscore agree runs/iclr24 --human annotations/iclr24 -o agreement
    """
    from reviewscore.sources.annotations import read_annotations

    if sheet_out is not None:
        _write_sheet(_first(runs), sheet_out, accept_changed=accept_changed)
        return
    places = _places(human, labels)
    if sheet_in is None and (sets := _point_sets(places, runs, reviews, data, accept_changed)):
        if check:
            ctx.exit(sets.check())
        _refuse(calibrate=calibrate, fail_under=fail_under is not None)
        how, drawn = _resampling_of_points(resamples, seed, scheme, method)
        from reviewscore.cli.point_labels import publish

        publish(
            sets.measure(how, drawn, people_alone=bool(human), skip_bad_lines=skip_bad_lines),
            output,
            as_json=as_json,
            yes=yes,
        )
        return
    place = _place(places, reviews)
    if calibrate and output is None and not as_json:
        raise SettingsError("--calibrate writes what it learnt; name a folder with -o")
    if sheet_in is not None:
        _import_sheet(sheet_in, place, runs, accept_changed=accept_changed)
        return
    read = read_annotations(place)
    if check:
        ctx.exit(_report_check(read))
    read = _usable(read, skip_bad_lines=skip_bad_lines, people_alone=bool(human))
    _first(runs)
    from reviewscore.agreement.study import compare, numbers, study, write_study
    from reviewscore.stats.resampling import Resampling

    if scheme == "reviews":
        raise SettingsError("--resample reviews is for marked points; draw papers, or units")
    how = Resampling(resamples, seed, cast("Scheme", scheme), cast("Method", method))
    compared = compare(runs, read, how, accept_changed=accept_changed)
    found = study(
        compared,
        level=cast("Level", level),
        with_calibration=calibrate,
        paper_text=_paper_text(compared.judges[0].run, data, accept_changed=accept_changed),
    )
    if output is not None:
        say_written(write_study(found, output, allow_foreign=yes))
    print_text(numbers(found) if as_json else _summary(found), markdown=not as_json)
    _below(ctx, found, metric, fail_under)


def _places(human: tuple[Path, ...], labels: tuple[Path, ...]) -> tuple[Path, ...]:
    if human and labels:
        raise SettingsError("--human and --labels: choose one of the two")
    if not (places := human or labels):
        raise SettingsError("no labels; name them with --human, or with --labels if models read")
    return places


def _place(places: tuple[Path, ...], reviews: tuple[Path, ...]) -> Path:
    """The one set of labels of units."""
    if len(places) > 1:
        raise SettingsError(
            "several sets are compared of marked points alone; name one set of labels of units"
        )
    if reviews:
        raise SettingsError("--reviews is for marked points; labels of units need none")
    return places[0]


def _point_sets(
    places: tuple[Path, ...],
    runs: tuple[Path, ...],
    reviews: tuple[Path, ...],
    data: Path | None,
    accept_changed: bool,
) -> PointSets | None:
    """Sets of points that readers marked; None if the labels are of a run's units.

    Raises:
        SettingsError: Some are of one kind and some of the other.
    """
    from reviewscore.cli.point_labels import PointSets
    from reviewscore.sources.point_labels import points_file

    files = {place: points_file(place) for place in places}
    known = [file for file in files.values() if file is not None]
    if known and len(known) < len(files):
        other = next(place for place, file in files.items() if file is None)
        raise SettingsError(f"{other} holds no marked points, as the other sets do")
    return PointSets(known, runs, reviews, data, accept_changed) if known else None


def _refuse(*, calibrate: bool, fail_under: bool) -> None:
    for name, given in (("--calibrate", calibrate), ("--fail-under", fail_under)):
        if given:
            raise SettingsError(f"{name} is for labels of units, not for marked points")


def _resampling_of_points(
    resamples: int, seed: int, scheme: str, method: str
) -> tuple[Resampling, Drawn]:
    from reviewscore.stats.resampling import Resampling

    if scheme == "units":
        raise SettingsError(
            "--resample units: points of a review are alike; draw papers, or reviews"
        )
    drawn: Drawn = "reviews" if scheme == "reviews" else "papers"
    return Resampling(resamples, seed, "papers", cast("Method", method)), drawn


def _usable(labels: AnnotationSet, *, skip_bad_lines: bool, people_alone: bool) -> AnnotationSet:
    """The labels that figures rest on; what is wrong with others is an error or a warning."""
    from reviewscore.sources.annotations import first_fault

    warn(labels.warnings)
    if labels.faults and not skip_bad_lines:
        raise first_fault(labels.faults)
    if labels.faults:
        say(f"warning: {len(labels.faults)} labels left out; --check lists them")
    return labels.of_people() if people_alone else labels


def _first(runs: tuple[Path, ...]) -> Path:
    if not runs:
        raise SettingsError("no run; name the folder that `audit -o` wrote")
    return runs[0]


def _units_of(
    runs: Iterable[Path], labelled: Iterable[str] | None = None, *, accept_changed: bool
) -> dict[str, Unit]:
    """What people label of runs: all of it, or what is named."""
    from reviewscore.agreement.judge_scores import read_run, units_of

    return units_of([read_run(run, None, accept_changed=accept_changed) for run in runs], labelled)


def _write_sheet(run: Path, out: Path, *, accept_changed: bool) -> None:
    from reviewscore.files import write_whole
    from reviewscore.sources.annotations import empty_sheet

    units = _units_of([run], accept_changed=accept_changed)
    write_whole(out, empty_sheet(units.values()), named=True)
    print_line(f"{out}: {len(units)} units to label; give each annotator a copy")


def _import_sheet(
    sheet: Path, folder: Path, runs: tuple[Path, ...], *, accept_changed: bool
) -> None:
    """Labels of a sheet into a set; its units are those of the set, or else of the runs."""
    from reviewscore.files import write_whole
    from reviewscore.sources.annotations import (
        LABELS,
        UNITS,
        check_labels,
        first_fault,
        read_sheet,
        read_units,
    )
    from reviewscore.sources.point_labels import points_file

    if points_file(sheet) is not None:
        cure = "`annotate import` reads it"
        raise InputError("holds marked points, not labels of units", file=sheet, cure=cure)
    units = read_units(folder)
    rows = list(read_sheet(sheet))
    if units is None and runs:
        wanted = {str((row.record or {}).get("unit_id")) for row in rows}
        units = _units_of(runs, wanted, accept_changed=accept_changed)
    annotation_set = check_labels(folder.name, rows, sheet, units)
    if annotation_set.faults:
        raise first_fault(annotation_set.faults)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cure = "name a folder with --human or --labels"
        raise InputError("is no folder to write into", file=folder, cure=cure) from error
    if (folder / LABELS).exists():
        raise InputError(
            "is there already", file=folder / LABELS, cure="name another folder of labels"
        )
    lines = (label.model_dump_json(exclude_none=True) for label in annotation_set.labels)
    write_whole(folder / LABELS, "".join(f"{line}\n" for line in lines))
    if units is not None and not (folder / UNITS).exists():
        named = (unit.model_dump_json(exclude_none=True) for unit in units.values())
        write_whole(folder / UNITS, "".join(f"{line}\n" for line in named))
    warn(annotation_set.warnings)
    print_line(f"{folder}: {len(annotation_set.labels)} labels of {len(units or {})} units")


def _report_check(labels: AnnotationSet) -> int:
    """Print every fault; 2 if there is one."""
    from reviewscore.schema.annotation import AnnotatorKind, readers_in_words

    for fault in labels.faults:
        print_line(str(fault))
    for warning in labels.warnings:
        print_line(f"warning: {warning}")
    units = "" if labels.units is None else f" of {len(labels.units):,} units"
    kinds = Counter({label.annotator: label.annotator_kind for label in labels.labels}.values())
    who = readers_in_words(kinds[AnnotatorKind.HUMAN], kinds[AnnotatorKind.MODEL])
    print_line(
        f"{labels.name}: {len(labels.labels):,} labels{units} by {who} can be used; "
        f"{len(labels.faults)} faults, {len(labels.warnings)} warnings"
    )
    return 2 if labels.faults else 0


def _paper_text(
    run: JudgedRun, data: Path | None, *, accept_changed: bool
) -> Callable[[str], str | None] | None:
    """The parsed papers of a run, where they still are.

    They only help to guess why scores differ, so that only a folder that was named must be right.
    """
    from reviewscore.runs.input_data import data_again

    collection = data_again(run.path, data, accept_changed=accept_changed).collection
    if collection is None:
        return None

    @lru_cache(maxsize=_PAPERS)
    def text(paper_id: str) -> str | None:
        handle = collection.papers.get(paper_id)
        try:
            return None if handle is None else handle.load().text
        except InputError:
            return None

    return text


def _summary(study: Study) -> str:
    """The overview for a terminal."""
    from reviewscore.stats.tables import markdown
    from reviewscore.stats.writing import points

    return markdown(study.tables[0]) + "\n" + points(study.notes)


def _below(ctx: click.Context, study: Study, metric: str, least: float | None) -> None:
    """Exit with 1 if a judge agrees less with people than was asked for."""
    if least is None:
        return
    from reviewscore.stats.tables import estimate_of

    table = next(table for table in study.tables if table.name == "agreement-review-points")
    column = [name.lower() for name in table.columns].index(metric)
    low = []
    for row in table.rows:
        estimate = estimate_of(row[column])
        value = None if estimate is None else estimate.value
        if value is None or value < least:
            low.append(f"{row[0]} ({'undefined' if value is None else f'{value:.3f}'})")
    if low:
        say(f"{metric} is below {least:g}: {', '.join(low)}")
        ctx.exit(1)
