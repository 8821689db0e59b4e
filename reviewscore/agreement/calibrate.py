"""A judge's scores corrected by human labels, and what that gains on papers it was not fitted to.

Nested cross-validation by paper (Varma and Simon 2006, BMC Bioinformatics 7:91): the outer folds
measure, the inner ones choose the threshold, and no paper is ever on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from reviewscore import __version__
from reviewscore.agreement.judge_scores import JudgeScores
from reviewscore.agreement.tables import LabelsAndScores
from reviewscore.schema.calibration import Calibration, Curve, Gain, TypeCalibration
from reviewscore.schema.review import PointType
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.stats.estimates import BootstrapPlan, mean
from reviewscore.stats.metrics import METRICS, f1
from reviewscore.stats.statistic import Floats, Ints

FOLDS = 5
LEAST_POINTS = 30
"""Labelled points of a type below which a curve would be fitted to noise."""
LEAST_EACH = 5
"""Misinformed points, and others, below which a threshold would be."""
LEAST_PAPERS = 6
"""Papers below which nested folds by paper would have single papers on a side."""
PEOPLE = "share by people"
_THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True)
class _Sample:
    """Labelled points of one type, as the judge sees it.

    Attributes:
        rows: Their rows among all points.
        lowest: Shape (n,); the score that the flag depends on.
        score: Shape (n,); the judge's five-point score.
        flag: Shape (n,); whether people call it misinformed.
        human: Shape (n,); people's five-point score.
        paper: Shape (n,); number of the paper.
    """

    rows: Ints
    lowest: Floats
    score: Floats
    flag: Floats
    human: Floats
    paper: Ints

    def some(self, take: NDArray[np.bool_] | Ints) -> _Sample:
        return _Sample(*(getattr(self, column.name)[take] for column in fields(self)))


def calibrate(compared: LabelsAndScores, judge: JudgeScores) -> Calibration:
    """A calibration of a judge, with what it gains on papers it was not fitted to."""
    types: dict[str, TypeCalibration] = {}
    left_out: dict[str, str] = {}
    after = np.full((2, len(judge.scores)), np.nan)
    for kind in PointType:
        sample = _sample(compared, judge, kind)
        if why := _too_little(sample):
            left_out[kind.value] = why
            continue
        types[kind.value] = _learn(sample)
        after[:, sample.rows] = _out_of_fold(sample)
    return Calibration(
        reviewscore_version=__version__,
        judge=" + ".join(judge.run.models),
        learnt_from=compared.people.name,
        types=types,
        left_out=left_out,
        gains=_gains(compared, judge, after) if types else (),
    )


def _sample(compared: LabelsAndScores, judge: JudgeScores, kind: PointType) -> _Sample:
    people, of = compared.people, compared.points.clusters.of
    # By the judge's own type, since at work there is no other.
    known = np.asarray([score is not None and score.type is kind for score in judge.scores])
    known = known & compared.of(tuple(PointType))
    columns = np.stack([judge.min_score, judge.advanced, people.flags, people.advanced])
    rows = np.flatnonzero(known & ~np.isnan(columns).any(axis=0))
    lowest, score, flag, human = columns[:, rows]
    return _Sample(rows, lowest, score, flag, human, of[rows])


def _too_little(sample: _Sample) -> str:
    """Why a type cannot be calibrated; empty if it can."""
    n, hits = len(sample.rows), int(sample.flag.sum())
    papers = len(np.unique(sample.paper))
    if n < LEAST_POINTS:
        return f"{n} labelled points with a score; {LEAST_POINTS} are needed"
    if min(hits, n - hits) < LEAST_EACH:
        return (
            f"{hits} of {n} points are misinformed by people; "
            f"{LEAST_EACH} of either kind are needed"
        )
    if papers < LEAST_PAPERS:
        return f"points of {papers} papers; {LEAST_PAPERS} are needed"
    return ""


def _learn(sample: _Sample) -> TypeCalibration:
    ends = (FIVE_POINTS.low, FIVE_POINTS.high)
    return TypeCalibration(
        probability=_curve(sample.lowest, sample.flag, rising=False, bounds=(0.0, 1.0)),
        threshold=_threshold(sample),
        score=_curve(sample.score, sample.human, rising=True, bounds=ends),
        n=len(sample.rows),
        papers=len(np.unique(sample.paper)),
        misinformed=int(sample.flag.sum()),
    )


def _curve(x: Floats, y: Floats, *, rising: bool, bounds: tuple[float, float]) -> Curve:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(
        y_min=bounds[0], y_max=bounds[1], increasing=rising, out_of_bounds="clip"
    ).fit(x, y)
    # Interpolated sums can leave the bounds by a rounding error.
    heights = fitted.y_thresholds_.clip(*bounds)
    return Curve(x=tuple(fitted.X_thresholds_.tolist()), y=tuple(heights.tolist()))


def _threshold(sample: _Sample) -> float:
    """The threshold with the best F1 over inner folds; of equal ones the middle."""
    guessed = np.full(len(sample.rows), np.nan)
    for learn, test in _folds(sample):
        part = sample.some(learn)
        curve = _curve(part.lowest, part.flag, rising=False, bounds=(0.0, 1.0))
        guessed[test] = np.interp(sample.lowest[test], curve.x, curve.y)
    scores = []
    for threshold in _THRESHOLDS:
        called = guessed >= threshold
        hits = float((called & (sample.flag == 1)).sum())
        # All misinformed points can lie in the papers held out: then no threshold is better.
        scores.append(2 * hits / max(1.0, float(called.sum() + sample.flag.sum())))
    best = [value for value, score in zip(_THRESHOLDS, scores, strict=True) if score == max(scores)]
    return best[len(best) // 2]


def _out_of_fold(sample: _Sample) -> Floats:
    """Flag and score of each point by a calibration that saw no point of its paper, (2, n)."""
    out = np.full((2, len(sample.rows)), np.nan)
    for learn, test in _folds(sample):
        learnt = _learn(sample.some(learn))
        chance, score = learnt.probability, learnt.score
        out[0, test] = np.interp(sample.lowest[test], chance.x, chance.y) >= learnt.threshold
        out[1, test] = np.interp(sample.score[test], score.x, score.y)
    return out


def _folds(sample: _Sample) -> list[tuple[Ints, Ints]]:
    from sklearn.model_selection import GroupKFold

    count = min(FOLDS, len(np.unique(sample.paper)))
    return list(GroupKFold(n_splits=count).split(sample.rows, groups=sample.paper))


def _gains(compared: LabelsAndScores, judge: JudgeScores, after: Floats) -> tuple[Gain, ...]:
    """Agreement with people before and after; `after` are flags and scores, shape (2, points)."""
    plan = BootstrapPlan(compared.points.clusters, compared.points.resampling)
    there = ~np.isnan(after[0])
    human, flags = (
        np.where(there, column, np.nan)
        for column in (compared.people.advanced, compared.people.flags)
    )
    kappa = METRICS["kappa"]
    pairs = {
        "F1": (f1(flags, judge.flags), f1(flags, after[0])),
        "Kappa": (kappa(human, judge.advanced), kappa(human, after[1])),
        "share": (mean("share", np.where(there, judge.flags, np.nan)), mean("share", after[0])),
    }
    slots = {
        name: (plan.ask(before), plan.ask(changed), plan.ask(changed, minus=before))
        for name, (before, changed) in pairs.items()
    }
    people_slot = plan.ask(mean("share", flags))
    plan.run()
    gains = [
        Gain(metric=name, before=before.answer.value, after=changed.answer.value,
             low=gain.answer.low, high=gain.answer.high, p=gain.answer.p, n=gain.answer.n)
        for name, (before, changed, gain) in slots.items()
    ]  # fmt: skip
    share = people_slot.answer
    people = Gain(metric=PEOPLE, before=share.value, after=share.value, n=share.n)
    return (*gains, people)
