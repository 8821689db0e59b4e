"""Whether a judge's probabilities and scores say how often a planted remark is misinformed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from reviewscore.schema.record import Record
from reviewscore.schema.scale import FIVE_POINTS
from reviewscore.stats.estimates import BootstrapPlan, Estimate
from reviewscore.stats.metrics import calibration_error
from reviewscore.stats.resampling import Clusters, Resampling
from reviewscore.stats.shares import ONE_PAPER, plan_of_papers, share
from reviewscore.stats.statistic import Floats
from reviewscore.validation.judgments import JudgedTrial, TrialState

EDGES = (0.2, 0.4, 0.6, 0.8)
"""Between bins of probabilities; an edge belongs to the bin above it."""

Said: TypeAlias = Literal["probability", "score"]
"""What a judge says of a remark."""


class ReliabilityBin(Record):
    """Remarks of which a judge says much the same.

    Attributes:
        label: What it says of them.
        said: The mean of the probabilities that it gives, 0..1; None of scores.
        share: Share of them that are misinformed.
    """

    label: str
    said: float | None
    share: Estimate


class Reliability(Record):
    """How often remarks are misinformed, by what a judge says of them.

    Attributes:
        of: What it says.
        bins: Bins that hold a remark, those with the fewest misinformed ones to be expected first.
        error: The calibration error of probabilities, 0..1; None of scores.
    """

    of: Said
    bins: tuple[ReliabilityBin, ...]
    error: Estimate | None = None


def probability_of(judged: JudgedTrial) -> float | None:
    """The highest probability that a point of a trial is misinformed; None without a verdict."""
    if judged.state is not TrialState.VERDICT:
        return None
    known = (point.probability for point in judged.points)
    return max((value for value in known if value is not None), default=None)


def reliability_of(judged: Sequence[JudgedTrial], how: Resampling) -> tuple[Reliability, ...]:
    """How often trials are misinformed by probability and by score; of what a judge gives.

    Args:
        judged: The trials.
        how: How intervals are made; papers are drawn whole.
    """
    made = []
    said = [
        (one, probability) for one in judged if (probability := probability_of(one)) is not None
    ]
    if said:
        trials, given = [one for one, _ in said], np.array([value for _, value in said])
        made.append(_of_probabilities(trials, given, how))
    scored = [one for one in judged if one.score is not None]
    if scored:
        scores = np.array([one.score for one in scored], dtype=np.int64)
        bins = [
            (f"score {score}", np.flatnonzero(scores == score))
            for score in reversed(FIVE_POINTS.values)
        ]
        made.append(Reliability(of="score", bins=_bins(scored, bins, None, how)))
    return tuple(made)


def _of_probabilities(trials: Sequence[JudgedTrial], given: Floats, how: Resampling) -> Reliability:
    ends = (0.0, *EDGES, 1.0)
    place = np.digitize(given, EDGES)
    bins = [
        (f"{low:g} to {high:g}", np.flatnonzero(place == at))
        for at, (low, high) in enumerate(pairwise(ends))
    ]
    truth = np.array([float(one.trial.misinformed) for one in trials])
    papers = [one.trial.point.paper_id for one in trials]
    plan = BootstrapPlan(Clusters.by(papers), replace(how, scheme="papers"))
    slot = plan.ask(calibration_error(truth, given, EDGES))
    plan.run()
    error = slot.answer
    if len(set(papers)) == 1:
        error = error.model_copy(update={"low": None, "high": None, "reason": ONE_PAPER})
    return Reliability(of="probability", bins=_bins(trials, bins, given, how), error=error)


def _bins(
    trials: Sequence[JudgedTrial],
    bins: Sequence[tuple[str, np.ndarray]],
    given: Floats | None,
    how: Resampling,
) -> tuple[ReliabilityBin, ...]:
    papers = sorted({one.trial.point.paper_id for one in trials})
    number = {paper: place for place, paper in enumerate(papers)}
    plan = plan_of_papers(len(papers), how)
    slots = []
    for label, rows in bins:
        sums = np.zeros((len(papers), 2))
        for row in rows:
            one = trials[row].trial
            sums[number[one.point.paper_id]] += (one.misinformed, 1)
        if len(rows):
            said = None if given is None else float(given[rows].mean())
            slots.append((label, said, plan.ask(share("misinformed", sums[:, 0], sums[:, 1]))))
    plan.run()
    return tuple(
        ReliabilityBin(label=label, said=said, share=slot.answer) for label, said, slot in slots
    )
