"""What judgments of a labelled set say of a judge, beside what calling everything wrong says.

A share is of remarks that have a verdict; unknown is counted apart. Papers are resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from reviewscore import __version__
from reviewscore.config import Settings
from reviewscore.files import hash_file
from reviewscore.runs.folder import changed_records
from reviewscore.runs.manifest import Manifest, sum_of
from reviewscore.runs.unvalidated import judge_of, latest_validation
from reviewscore.schema.record import Record
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.schema.validation import ValidationRecord
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import f1
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import plan_of_papers, share
from reviewscore.stats.statistic import Floats, MissingReason, Statistic, Values, ratio, values
from reviewscore.validation.families import family_of
from reviewscore.validation.figures import area_of, counts_by_truth, with_interval
from reviewscore.validation.judgments import TrialState
from reviewscore.validation.labelled import JudgedRemark, LabelledTrials, judged_remarks

SENSITIVITY, SPECIFICITY, PRECISION, F1 = "sensitivity", "specificity", "precision", "f1"
AREA, VERDICTS, DIFFERENCE = "area", "verdicts", "difference"
ADDRESSED_WRONG, ADDRESSED_FAIR = "addressed_misinformed", "addressed_fair"
OF_MODELS = (SENSITIVITY, SPECIFICITY, DIFFERENCE, AREA, PRECISION, F1, VERDICTS)
OF_THE_FINDER = (ADDRESSED_WRONG, ADDRESSED_FAIR, DIFFERENCE, VERDICTS)
FLAG_ALL, COIN = "flag all", "a coin"


class LabelledGroup(Record):
    """Figures of some of the remarks.

    Attributes:
        group: Which; empty for all.
        misinformed: How many the labels call misinformed.
        fair: How many they call fair.
        papers: Of how many papers.
        estimates: Figures by the name of the measure.
    """

    group: str
    misinformed: int
    fair: int
    papers: int
    estimates: dict[str, Estimate]


class LabelledResult(Record):
    """A remark without its words, so that two judges can be compared on the same ones.

    Attributes:
        name: Its name in the set.
        paper_id: Its paper's name in the set.
        part: Which part of the set it is of.
        misinformed: What the labels say.
        state: What came of it.
        points: Points that it was split into.
        flagged: Whether it was judged misinformed, of ``lexical`` addressed; None without that.
        score: The lowest score, 1..5; None without one.
    """

    name: str
    paper_id: str
    part: str
    misinformed: bool
    state: TrialState
    points: int
    flagged: bool | None
    score: int | None


class LabelledValidation(Record):
    """All numbers of a judge on a labelled set.

    Attributes:
        reviewscore_version: Version of the program that made them.
        labelled_set: The set, as ``--on`` names it.
        judge: ``lexical``, or the model; of a panel all of them with ``+`` between.
        families: Families of the models that judge.
        at: When the figures were made: a time as `datetime.isoformat` writes it.
        made_with: Sum of the settings and prompts that it was judged with, inputs apart.
        inputs: SHA-256 of the files of the set, by name.
        embedded: Whether the judge is ``lexical``, which has measures of its own.
        protocol: How the judge was asked; empty for the embedded one.
        complete: Whether all was judged.
        changed: Files of records that something else has changed.
        whole: Figures of all remarks.
        parts: Figures of its parts, if it has several.
        baselines: What flagging everything, and tossing a fair coin, give on the remarks that have
            a verdict: expected values by formula, without an interval.
        states: Remarks by state, of misinformed and of fair ones.
        scores: Remarks by score 1..5, of misinformed and of fair ones.
        several: Remarks that were split into several points.
        excluded: Remarks that are in no figure, by the reason.
        left_out: What could not be used.
        notes: What must be said of the labels.
        planted: The latest validation of this judge on planted remarks; None if there is none.
        planted_alike: Whether that was made with the same settings and prompts.
        usd: What the run has cost; None for the embedded judge and where it is not known.
        calls: Calls that were answered.
        reused: Of these, calls answered from the ledger, which cost nothing.
        resamples: Samples of papers drawn for intervals.
        seed: Of names, of order and of these draws.
        level: Of the intervals, 0 to 1.
        trials: Every remark.
    """

    schema_id: Literal["reviewscore.validate_on/1"] = Field(
        default="reviewscore.validate_on/1", alias="schema"
    )
    reviewscore_version: str = __version__
    labelled_set: str
    judge: str
    families: tuple[str, ...]
    at: str
    made_with: str
    inputs: dict[str, str]
    embedded: bool
    protocol: str
    complete: bool
    changed: tuple[str, ...] = ()
    whole: LabelledGroup
    parts: tuple[LabelledGroup, ...]
    baselines: tuple[LabelledGroup, ...]
    states: dict[str, tuple[int, int]]
    scores: dict[int, tuple[int, int]]
    several: int
    excluded: dict[str, int]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    planted: ValidationRecord | None = None
    planted_alike: bool = False
    usd: float | None = None
    calls: int = 0
    reused: int = 0
    resamples: int
    seed: int
    level: float
    trials: tuple[LabelledResult, ...]


def labelled_validation(
    given: LabelledTrials, run: Path, settings: Settings, *, manifest: Manifest, how: Resampling
) -> LabelledValidation:
    """All numbers of a judge on a labelled set.

    Args:
        given: What was judged.
        run: The folder of its run.
        settings: What the run was made with.
        manifest: The run's manifest.
        how: How intervals are made; its seed drew names and order too.

    Raises:
        RunFolderError: A record cannot be read.
    """
    embedded = settings.embedded
    complete = manifest.complete and not manifest.selection
    judged = judged_remarks(given.trials, run, complete=complete)
    # What waits is in no figure, so that a part of a run is not taken for all of it.
    ended = [one for one in judged if one.state is not TrialState.PENDING]
    states = counts_by_truth((one.state, one.trial.misinformed) for one in judged)
    scores = counts_by_truth((one.score, one.trial.misinformed) for one in judged)
    made_with = sum_of(manifest.decisive, inputs=False)
    planted = latest_validation(settings)
    return LabelledValidation(
        labelled_set=given.kind.name,
        judge=judge_of(settings),
        families=() if embedded else tuple(sorted({family_of(one) for one in settings.models})),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        made_with=made_with,
        inputs={str(file): hash_file(file).sha256 for file in given.inputs},
        embedded=embedded,
        protocol="" if embedded else settings.protocol,
        complete=complete,
        changed=changed_records(run, manifest),
        whole=group_of("", ended, embedded=embedded, how=how),
        parts=_parts(ended, embedded=embedded, how=how),
        baselines=() if embedded else baselines_of(ended),
        states={state.value: states[state] for state in TrialState if state in states},
        scores={score: scores[score] for score in FIVE_POINTS.values if score in scores},
        several=sum(len(one.points) > 1 for one in judged),
        excluded=given.excluded,
        left_out=tuple(map(str, given.faults)),
        notes=given.notes,
        planted=planted,
        planted_alike=planted is not None and planted.made_with == made_with,
        usd=None if embedded else manifest.spending.usd,
        calls=manifest.spending.calls,
        reused=manifest.spending.reused,
        resamples=how.resamples,
        seed=how.seed,
        level=how.level,
        trials=tuple(map(_result, judged)),
    )


def _parts(
    judged: Sequence[JudgedRemark], *, embedded: bool, how: Resampling
) -> tuple[LabelledGroup, ...]:
    names = sorted({one.trial.part for one in judged})
    if len(names) <= 1:
        return ()
    return tuple(
        group_of(name or "not named", [one for one in judged if one.trial.part == name],
                 embedded=embedded, how=how)
        for name in names
    )  # fmt: skip


@dataclass(frozen=True)
class _PaperSums:
    """Remarks with a verdict or finding, counted by paper; each of shape (papers,).

    Attributes:
        hits: Misinformed ones that are flagged.
        wrong: Misinformed ones.
        alarms: Fair ones that are flagged.
        fair: Fair ones.
        known: All with a verdict.
        given: All.
    """

    hits: Floats
    wrong: Floats
    alarms: Floats
    fair: Floats
    known: Floats
    given: Floats

    @classmethod
    def of(cls, judged: Sequence[JudgedRemark]) -> _PaperSums:
        papers = sorted({one.trial.paper_id for one in judged})
        number = {paper: place for place, paper in enumerate(papers)}
        sums = np.zeros((6, len(papers)))
        for one in judged:
            wrong, flagged = one.trial.misinformed, one.flagged
            known = flagged is not None
            sums[:, number[one.trial.paper_id]] += (
                wrong and known and bool(flagged), wrong and known,
                not wrong and known and bool(flagged), not wrong and known, known, True,
            )  # fmt: skip
        return cls(*sums)


def group_of(
    name: str, judged: Sequence[JudgedRemark], *, embedded: bool, how: Resampling
) -> LabelledGroup:
    """Figures of remarks, with intervals by paper.

    Args:
        name: Of the group.
        judged: The remarks.
        embedded: Whether the judge is ``lexical``.
        how: How intervals are made; papers are drawn whole.
    """
    sums = _PaperSums.of(judged)
    asked = {
        VERDICTS: share(VERDICTS, sums.known, sums.given),
        DIFFERENCE: _difference(sums),
        ADDRESSED_WRONG: share(ADDRESSED_WRONG, sums.hits, sums.wrong),
        ADDRESSED_FAIR: share(ADDRESSED_FAIR, sums.alarms, sums.fair),
        SENSITIVITY: share(SENSITIVITY, sums.hits, sums.wrong),
        SPECIFICITY: share(SPECIFICITY, sums.fair - sums.alarms, sums.fair),
        PRECISION: share(PRECISION, sums.hits, sums.hits + sums.alarms),
    }
    wanted = OF_THE_FINDER if embedded else OF_MODELS
    plan = plan_of_papers(len(sums.given), how)
    slots = {measure: plan.ask(asked[measure]) for measure in wanted if measure in asked}
    plan.run()
    estimates = {measure: slot.answer for measure, slot in slots.items()}
    difference = estimates[DIFFERENCE].model_copy(update={"n": round(float(sums.known.sum()))})
    estimates[DIFFERENCE] = with_interval(difference, len(sums.given))
    if not embedded:
        if estimates[PRECISION].value is None and sums.known.any():
            none = {"reason": MissingReason.NONE_PREDICTED.words}
            estimates[PRECISION] = estimates[PRECISION].model_copy(update=none)
        estimates[F1] = _f1(judged, how)
        estimates[AREA] = area_of(
            [one.trial.misinformed for one in judged], [one.score for one in judged],
            [one.trial.paper_id for one in judged], how,
        )  # fmt: skip
    return LabelledGroup(
        group=name,
        misinformed=sum(one.trial.misinformed for one in judged),
        fair=sum(not one.trial.misinformed for one in judged),
        papers=len(sums.given),
        estimates={measure: estimates[measure] for measure in wanted},
    )


def _difference(sums: _PaperSums) -> Statistic:
    """How much oftener misinformed remarks are flagged than fair ones (Youden 1950, Cancer 3)."""
    parts = np.stack([sums.hits, sums.wrong, sums.alarms, sums.fair], axis=1)

    def from_sums(drawn: Floats) -> Values:
        hits, wrong, alarms, fair = drawn.T
        none = (wrong == 0) | (fair == 0)
        return values(ratio(hits, wrong) - ratio(alarms, fair),
                      (none, MissingReason.NO_VERDICT, None))  # fmt: skip

    return Statistic(DIFFERENCE, parts, from_sums, sums.known > 0)


def _f1(judged: Sequence[JudgedRemark], how: Resampling) -> Estimate:
    known = [one for one in judged if one.flagged is not None]
    truth = np.array([float(one.trial.misinformed) for one in known])
    flags = np.array([float(bool(one.flagged)) for one in known])
    if not known:
        return Estimate(coefficient=F1, value=None, n=0, reason=MissingReason.NO_VERDICT.words)
    papers = Clusters.by([one.trial.paper_id for one in known])
    plan = BootstrapPlan(papers, how)
    slot = plan.ask(f1(truth, flags))
    plan.run()
    return with_interval(slot.answer, len(papers))


def baselines_of(judged: Sequence[JudgedRemark]) -> tuple[LabelledGroup, ...]:
    """What flagging everything and a fair coin give, on the remarks that have a verdict.

    With P misinformed of n, a judge that flags each with probability q has the expected
    sensitivity q, specificity 1 - q and precision P / n; its F1, of expected counts, is
    2 q P / (q n + P). Neither tells remarks apart: the area is 0.5 and the difference 0.
    """
    known = [one for one in judged if one.flagged is not None]
    n, wrong = len(known), sum(one.trial.misinformed for one in known)
    papers = len({one.trial.paper_id for one in known})
    if not wrong or wrong == n:
        return ()

    def group(name: str, q: float) -> LabelledGroup:
        expected = {
            SENSITIVITY: (q, wrong), SPECIFICITY: (1 - q, n - wrong), DIFFERENCE: (0.0, n),
            AREA: (0.5, n), PRECISION: (wrong / n, n), F1: (2 * q * wrong / (q * n + wrong), n),
        }  # fmt: skip
        estimates = {
            measure: Estimate(coefficient=measure, value=value, n=of)
            for measure, (value, of) in expected.items()
        }
        return LabelledGroup(
            group=name, misinformed=wrong, fair=n - wrong, papers=papers, estimates=estimates
        )

    return group(FLAG_ALL, 1.0), group(COIN, 0.5)


def _result(judged: JudgedRemark) -> LabelledResult:
    trial = judged.trial
    return LabelledResult(
        name=trial.name, paper_id=trial.paper_id, part=trial.part, misinformed=trial.misinformed,
        state=judged.state, points=len(judged.points), flagged=judged.flagged, score=judged.score,
    )  # fmt: skip
