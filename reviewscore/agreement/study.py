"""Human-model agreement of runs: read, lay side by side, compute, write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reviewscore.agreement.calibrate import PEOPLE, calibrate
from reviewscore.agreement.disagree import Disagreement, disagreements, sheet_columns, sheet_rows
from reviewscore.agreement.human_labels import HumanLabels, gather, note_on_models
from reviewscore.agreement.judge_scores import (
    NO_PREMISES,
    JudgedRun,
    JudgeScores,
    align,
    names,
    notes_on_run,
    read_run,
    types_of,
    units_of,
)
from reviewscore.agreement.plots import figures
from reviewscore.agreement.standing import standing_tables
from reviewscore.agreement.tables import LabelsAndScores, study_tables
from reviewscore.errors import InputError, SettingsError
from reviewscore.files import write_whole
from reviewscore.printable import counted
from reviewscore.runs.folder import read_manifest
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.parts import by_presuppositions, check_scored
from reviewscore.schema.annotation import AnnotatorKind, Unit, UnitKind
from reviewscore.schema.argument import Failure
from reviewscore.schema.calibration import Calibration
from reviewscore.schema.paper import base_paper_id
from reviewscore.sources.annotations import BY_PLACE, AnnotationSet, by_place
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.metrics import Level
from reviewscore.stats.plots import save_all
from reviewscore.stats.resampling import FEW_PAPERS, Clusters, Resampling
from reviewscore.stats.tables import Table, chance, csv_text, escaped, markdown
from reviewscore.stats.writing import as_json, file_name, points, sections, write_report


@dataclass(frozen=True)
class Study:
    """What came out.

    Attributes:
        compared: Labels and scores side by side.
        tables: All tables, in the order of the report.
        disagreements: Of each judge, by its name.
        calibrations: Of each judge, where they were asked for.
        notes: What must be said beside the tables.
    """

    compared: LabelsAndScores
    tables: tuple[Table, ...]
    disagreements: dict[str, list[Disagreement]]
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def compare(
    runs: Sequence[Path],
    labels: AnnotationSet,
    resampling: Resampling | None = None,
    *,
    accept_changed: bool = False,
) -> LabelsAndScores:
    """Lay labels and the scores of runs side by side.

    Args:
        runs: Run folders.
        labels: Labels, of people alone (`AnnotationSet.of_people`) or of readers of any kind.
        resampling: How intervals are made.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: A folder is no run folder, its records were changed, or one cannot be
            read.
        SettingsError: A run is of the embedded judge, which gives no score, or runs score on
            scales that differ.
        InputError: No labelled unit is in any run, or no label is on the scale of the runs.
    """
    made = [(path, read_manifest(path, accept_changed=accept_changed)) for path in runs]
    check_scored(made, "agree", rates=False)
    on_standing = standing_alone(made)
    wanted = None if labels.units is None else labels.units.values()
    read = [read_run(path, wanted, accept_changed=accept_changed) for path in runs]
    units = labels.units or units_of(read, (label.unit_id for label in labels.labels))
    types = types_of(read, (unit for unit in units.values() if unit.kind is UnitKind.POINT))
    people = gather(labels.name, labels.labels, units, labels.annotators, types)
    _check_scale(people, labels, made[0][0], on_standing=on_standing)
    people = people.as_standing() if on_standing else people
    how = resampling or Resampling()
    judges = tuple(
        align(name, run, people.points, people.premises, people.types)
        for name, run in zip(names(read), read, strict=True)
    )
    _check_overlap(people, judges, labels, read)
    return LabelsAndScores(
        people=people,
        judges=judges,
        points=BootstrapPlan(_by_paper(people.points), how),
        premises=BootstrapPlan(_by_paper(people.premises), how),
        notes=labels.notes,
    )


def _by_paper(units: Iterable[Unit]) -> Clusters:
    """Units as they are drawn: a paper whole, with all its versions."""
    return Clusters.by([base_paper_id(unit.paper_id) for unit in units])


def standing_alone(runs: Sequence[tuple[Path, Manifest]]) -> bool:
    """Whether all runs score standing, as runs by presuppositions do; False if none does.

    Raises:
        SettingsError: Some do, and others score unanswerability and factuality.
    """
    scoring = {by_presuppositions(manifest): path for path, manifest in runs}
    if len(scoring) > 1:
        raise SettingsError(
            f"{scoring[True]} was judged by presuppositions and scores standing, "
            f"{scoring[False]} scores unanswerability and factuality: figures of the "
            "two cannot stand in one table; measure each in a call of its own"
        )
    return True in scoring


def _check_scale(
    people: HumanLabels, labels: AnnotationSet, run: Path, *, on_standing: bool
) -> None:
    """Refuse labels that are all of another scale than the runs' scores."""
    scores, standing = ((~np.isnan(own)).any() for own in (people.whole, people.standing))
    if on_standing and not standing and people.points:
        raise InputError(
            f"{labels.name} holds no label of standing, which is what {run} scores (it was judged "
            "by presuppositions)",
            cure="label standing too (`annotate --codebook 2`), or measure a run of another "
            "protocol with these labels",
        )
    if not on_standing and standing and not scores and not people.premises:
        raise InputError(
            f"{labels.name} holds labels of standing and none of unanswerability or factuality, "
            f"which is what {run} scores",
            cure="measure a run of `--protocol presupposition` with these labels",
        )


def _check_overlap(
    people: HumanLabels,
    judges: Sequence[JudgeScores],
    labels: AnnotationSet,
    runs: Sequence[JudgedRun],
) -> None:
    if any(score is not None for judge in judges for score in judge.scores):
        return
    label = next(iter(people.points), None)
    ours = label.unit_id if label else labels.labels[0].unit_id if labels.labels else "none"
    theirs = next((name for run in runs for name in run.points), "other points")
    unknown = labels.units is None and by_place((ours, theirs))
    raise InputError(
        f"no point that was labelled in {labels.name} (such as {ours}) is in "
        f"{', '.join(str(run.path) for run in runs)} (such as {theirs})",
        cure=BY_PLACE if unknown else "compare runs with labels of the same reviews",
    )


def study(
    compared: LabelsAndScores,
    *,
    level: Level = "ordinal",
    with_calibration: bool = False,
    paper_text: Callable[[str], str | None] | None = None,
) -> Study:
    """Compute all tables, disagreements and, if asked for, calibrations.

    Args:
        compared: Labels and scores side by side.
        level: Level of measurement of Krippendorff's alpha between annotators.
        with_calibration: Learn a calibration of each judge.
        paper_text: The parsed text of a paper, where it is at hand.

    Raises:
        SettingsError: A calibration is asked for of labels that are not all people's, or of
            standing.
    """
    if with_calibration and not compared.people.by_people:
        raise SettingsError(
            f"a calibration says what people would say; {compared.people.name} holds labels by "
            "models: calibrate on people's alone, with --human"
        )
    if with_calibration and compared.people.on_standing:
        raise SettingsError(
            "a calibration corrects unanswerability and factuality; runs by presuppositions score "
            "standing, and audits by presuppositions apply none"
        )
    tables = [*study_tables(compared, level), *standing_tables(compared)]
    compared.points.run()
    compared.premises.run()
    return Study(
        compared=compared,
        tables=tuple(tables),
        disagreements={
            judge.name: disagreements(compared, judge, paper_text=paper_text)
            for judge in compared.judges
        },
        calibrations={
            judge.name: calibrate(compared, judge)
            for judge in (compared.judges if with_calibration else ())
        },
        notes=tuple(_notes(compared)),
    )


def _notes(compared: LabelsAndScores) -> list[str]:
    """How the tables came about, and what limits them."""
    how, people = compared.points.resampling, compared.people
    papers = len(compared.points.clusters)
    labelled = {
        unit.unit_id
        for unit, there in zip(people.premises, people.premises_labelled, strict=True)
        if there
    }
    drawn = {
        "papers+units": "papers, then points of each",
        "papers": "whole papers",
        "units": "points, as if they were independent",
    }[how.scheme]
    notes = [
        f"{len(people.points):,} points and {len(labelled):,} premises of "
        f"{counted(papers, 'paper')}, labelled by {people.counted}. "
        f"The {'human ' * people.by_people}label is their median, the lower one of two in the "
        "middle.",
        f"In brackets: {how.percent} {'BCa' if how.method == 'bca' else 'percentile'} intervals "
        f"of {how.resamples:,} bootstrap samples of {drawn}; seed {how.seed}. Differences have the "
        f"p-value of {how.resamples:,} permutations that swap the two sides paper by paper"
        f"{', with a single paper point by point' if papers == 1 else ''}.",
    ]
    if people.models:
        notes.append(note_on_models(people.models))
    notes += compared.notes
    if people.strangers:
        cure = f"; {BY_PLACE}" if by_place(people.strangers) else ""
        notes.append(
            f"{counted(len(people.strangers), 'labelled unit')} (such as {people.strangers[0]}) "
            f"are in none of the runs and in no table{cure}."
        )
    if people.no_points:
        notes.append(
            f"{counted(people.no_points, 'point')} of kind none to most annotators: in no table "
            "but that of kinds."
        )
    untyped = sum(kind is None for kind in people.types) - people.no_points
    if untyped:
        left_out = (
            "chose: in no table but that of standing and kind"
            if people.on_standing
            else "chose and whose scale they used: in no table"
        )
        notes.append(f"{counted(untyped, 'point')} without a type that most annotators {left_out}.")
    if papers < FEW_PAPERS:
        notes.append(f"Only {counted(papers, 'paper')}: the intervals say little of other papers.")
    if len(people.annotators) == 1:
        notes.append(
            f"One annotator: nothing shows how far {people.readers} agree among themselves."
        )
    for judge in compared.judges:
        notes += _notes_on(judge, labelled)
    return notes


def _notes_on(judge: JudgeScores, labelled: set[str]) -> list[str]:
    """What limits the figures of one judge; `labelled` are the labelled premises."""
    notes = notes_on_run(judge.name, judge.run)
    lost = sum(why == NO_PREMISES and u in labelled for u, why in judge.missing.items())
    if lost:
        notes.append(
            f"{judge.name}: {lost:,} of {len(labelled):,} labelled premises are not in its "
            "reconstructions, which have other premises."
        )
    inferred = sum(score is not None and score.failure is Failure.LINK for score in judge.scores)
    if inferred:
        notes.append(
            f"{judge.name}: {counted(inferred, 'argument')} misinformed as published "
            f"{'fails' if inferred == 1 else 'fail'} by the inference alone, the facts hold; "
            "agreement by facts alone stands beside the published one in a table of its own."
        )
    return notes


STEM, SHEET_FILE = "agreement", "disagreements.csv"


def write_study(study: Study, out: Path, *, allow_foreign: bool = False) -> list[Path]:
    """Write everything into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    written = write_report(
        study.tables,
        out,
        verb="agree",
        stem=STEM,
        numbers=numbers(study),
        page=lambda plots: page(study, plots),
        draw=lambda folder: save_all(
            figures(study.compared, study.tables, study.disagreements), folder / "plots"
        ),
        allow_foreign=allow_foreign,
    )
    rows = (row for differ in study.disagreements.values() for row in sheet_rows(differ))
    columns = sheet_columns(study.compared.people)
    write_whole(out / SHEET_FILE, csv_text(columns, rows))
    names: list[str] = []
    for judge, calibration in study.calibrations.items():
        if calibration.types:  # else too few labels: the page says so
            plain = re.sub(r"[^A-Za-z0-9.]+", "-", judge).strip("-").lower() or "judge"
            names.append(file_name(f"calibration-{plain}", names))
            write_calibration(out / f"{names[-1]}.json", calibration)
    return [*written, out / SHEET_FILE, *(out / f"{name}.json" for name in names)]


def page(study: Study, plots: str = "") -> str:
    """All tables, notes and plots as one Markdown page."""
    return sections(
        "Human-model agreement"
        if study.compared.people.by_people
        else f"Agreement of judges with {study.compared.people.readers}",
        points(study.notes),
        *map(markdown, study.tables),
        _calibration_section(study.calibrations) if study.calibrations else "",
        _disagreement_section(study),
        plots,
    )


def numbers(study: Study) -> str:
    """All estimates and notes as JSON."""
    people = study.compared.people
    kinds = {
        name: (AnnotatorKind.MODEL if name in people.models else AnnotatorKind.HUMAN).value
        for name in people.annotators
    }
    runs = {
        judge.name: {"folder": judge.run.path.name, "run_id": judge.run.manifest.run_id}
        for judge in study.compared.judges
    }
    return as_json(
        "reviewscore.agreement/1",
        {"labels": people.name, "annotators": kinds, "runs": runs, "notes": study.notes},
        study.tables,
        {
            "calibrations": {
                name: calibration.model_dump(mode="json")
                for name, calibration in study.calibrations.items()
            },
            "disagreements": {
                name: [disagreement.model_dump(mode="json") for disagreement in differ]
                for name, differ in study.disagreements.items()
            },
        },
    )


def _disagreement_section(study: Study) -> str:
    lines = ["## Disagreements\n"]
    for judge in study.compared.judges:
        differ = study.disagreements[judge.name]
        flips = sum(disagreement.flips is True for disagreement in differ)
        # 1 and 0 are 1 apart; what is unknown is never 1 apart from anything.
        unlisted = int((abs(judge.flags - study.compared.people.flags) == 1).sum()) - flips
        lines.append(
            f"- {escaped(judge.name)}: {len(differ):,} listed, whose scores differ by one or more "
            f"or lie on the two sides of misinformed, as {flips:,} do."
            + (f" {unlisted:,} more do, but lack a score to compare." if unlisted else "")
        )
    lines.append(
        f"\n{SHEET_FILE} lists them with guesses of what lies behind; fill in its column "
        "kind_by_hand to settle them.\n"
    )
    return "\n".join(lines)


def _calibration_section(calibrations: dict[str, Calibration]) -> str:
    parts = ["## Calibration\n", "Gains on papers that the calibration had not seen.\n"]
    for judge, calibration in calibrations.items():
        name = escaped(judge)
        for gain in calibration.gains:
            if gain.before is None or gain.after is None:
                continue
            if gain.metric == PEOPLE:
                parts.append(f"- {name}: people call {gain.before:.3f} of them misinformed")
                continue
            ends = "" if gain.low is None else f" [{gain.low:+.3f}, {gain.high:+.3f}]"
            p = "" if gain.p is None else f", {chance(gain.p)}"
            parts.append(
                f"- {name}, {gain.metric}: {gain.before:.3f} becomes {gain.after:.3f} "
                f"(gain {gain.after - gain.before:+.3f}{ends}{p}, n={gain.n:,})"
            )
        parts += [f"- {name}: {kind}s are left as they are: {why}"
                  for kind, why in calibration.left_out.items()]  # fmt: skip
    return "\n".join(parts) + "\n"


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration as `audit --calibration` reads it.

    Raises:
        RunFolderError: The file cannot be written.
    """
    write_whole(path, calibration.model_dump_json(indent=2) + "\n")
