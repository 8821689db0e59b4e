"""Human-model agreement of one or more runs: read, compare, compute, write (front door).

The whole of it: labels and runs are laid side by side (`people`, `judge`), every table asks for its
coefficients (`human_model`, `data_tables`, `coverage`), and all are computed on the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.agreement.calibrate import calibrate, with_gains
from reviewscore.agreement.coverage import coverage
from reviewscore.agreement.data_tables import annotators, between_people, counts, reconstructions
from reviewscore.agreement.disagree import Disagreement, disagreements
from reviewscore.agreement.human_labels import HumanLabels, gather
from reviewscore.agreement.human_model import (
    Compared,
    by_type,
    judges_compared,
    overview,
    responses,
    scores_compared,
    shares,
)
from reviewscore.agreement.judge_scores import (
    NO_PREMISES,
    JudgeScores,
    Run,
    align,
    names,
    read_run,
    types_of,
    units_of,
)
from reviewscore.errors import InputError
from reviewscore.runs.folder import changed_words, read_manifest
from reviewscore.runs.parts import check_scored
from reviewscore.schema.annotation import UnitKind
from reviewscore.schema.calibration import Calibration
from reviewscore.sources.annotations import AnnotationSet
from reviewscore.stats.estimates import BootstrapPlan
from reviewscore.stats.metrics import Level
from reviewscore.stats.resampling import FEW_PAPERS, Clusters, Resampling
from reviewscore.stats.tables import Table


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

    compared: Compared
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
) -> Compared:
    """Lay human labels and the scores of runs side by side.

    Args:
        runs: Run folders.
        labels: Human labels.
        resampling: How intervals are made.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: A folder is no run folder, its records were changed, or one cannot be
            read.
        SettingsError: A run is of the embedded judge, which gives no score.
        InputError: No labelled unit is in any run.
    """
    made = [(path, read_manifest(path, accept_changed=accept_changed)) for path in runs]
    check_scored(made, "agree")
    wanted = None if labels.units is None else labels.units.values()
    read = [read_run(path, wanted, accept_changed=accept_changed) for path in runs]
    units = labels.units or units_of(read, (one.unit_id for one in labels.labels))
    types = types_of(read, (one for one in units.values() if one.kind is UnitKind.POINT))
    people = gather(labels.name, labels.labels, units, labels.annotators, types)
    how = resampling or Resampling()
    judges = tuple(
        align(name, run, people.points, people.premises, people.types)
        for name, run in zip(names(read), read, strict=True)
    )
    _check_overlap(people, judges, labels, read)
    return Compared(
        people=people,
        judges=judges,
        points=BootstrapPlan(Clusters.by([one.paper_id for one in people.points]), how),
        premises=BootstrapPlan(Clusters.by([one.paper_id for one in people.premises]), how),
    )


def _check_overlap(
    people: HumanLabels, judges: Sequence[JudgeScores], labels: AnnotationSet, runs: Sequence[Run]
) -> None:
    if any(score is not None for judge in judges for score in judge.scores):
        return
    label = next(iter(people.points), None)
    ours = label.unit_id if label else labels.labels[0].unit_id if labels.labels else "none"
    theirs = next((name for run in runs for name in run.points), "other points")
    raise InputError(
        f"no point that people labelled in {labels.name} (such as {ours}) is in "
        f"{', '.join(str(run.path) for run in runs)} (such as {theirs})",
        cure="compare runs with labels of the same reviews",
    )


def study(
    compared: Compared,
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
    """
    found = [
        overview(compared),
        *by_type(compared),
        scores_compared(compared),
        shares(compared),
        judges_compared(compared),
        responses(compared),
        reconstructions(compared),
        counts(compared),
        annotators(compared.people),
        between_people(compared, level),
        coverage(compared),
    ]
    compared.points.run()
    compared.premises.run()
    return Study(
        compared=compared,
        tables=tuple(one for one in found if one is not None),
        disagreements={
            judge.name: disagreements(compared, judge, paper_text=paper_text)
            for judge in compared.judges
        },
        calibrations=_calibrations(compared) if with_calibration else {},
        notes=tuple(_notes(compared)),
    )


def _calibrations(compared: Compared) -> dict[str, Calibration]:
    found = {}
    for judge in compared.judges:
        learnt, plan, slots = calibrate(compared, judge)
        if plan is not None:
            plan.run()
            learnt = with_gains(learnt, slots)
        found[judge.name] = learnt
    return found


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _notes(compared: Compared) -> list[str]:
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
        f"{_many(papers, 'paper')}, labelled by {_many(len(people.annotators), 'annotator')}. "
        "The human label is their median, the lower one of two in the middle.",
        f"In brackets: {how.percent} {'BCa' if how.method == 'bca' else 'percentile'} intervals "
        f"of {how.resamples:,} bootstrap samples of {drawn}; seed {how.seed}. Differences have the "
        f"p-value of {how.resamples:,} permutations that swap the two sides paper by paper"
        f"{', with a single paper point by point' if papers == 1 else ''}.",
    ]
    if people.strangers:
        notes.append(
            f"{_many(len(people.strangers), 'labelled unit')} (such as {people.strangers[0]}) "
            "are in none of the runs and in no table."
        )
    untyped = sum(kind is None for kind in people.types)
    if untyped:
        notes.append(
            f"{_many(untyped, 'point')} without a type that most annotators chose and whose scale "
            "they used: in no table."
        )
    if papers < FEW_PAPERS:
        notes.append(f"Only {_many(papers, 'paper')}: the intervals say little of other papers.")
    if len(people.annotators) == 1:
        notes.append("One annotator: nothing shows how far people agree among themselves.")
    for judge in compared.judges:
        notes += _notes_on(judge, labelled)
    return notes


def _notes_on(judge: JudgeScores, labelled: set[str]) -> list[str]:
    """What limits the figures of one judge; `labelled` are the labelled premises."""
    notes = []
    if judge.run.changed:
        notes.append(
            f"{judge.name}: {changed_words(judge.run.changed)}; what is counted of it may be "
            "nobody's verdict."
        )
    if not judge.run.manifest.complete or judge.run.manifest.selection:
        notes.append(f"{judge.name}: the run is not complete, or a selection.")
    lost = sum(why == NO_PREMISES and u in labelled for u, why in judge.missing.items())
    if lost:
        notes.append(
            f"{judge.name}: {lost:,} of {len(labelled):,} labelled premises are not in its "
            "reconstructions, which have other premises."
        )
    return notes
