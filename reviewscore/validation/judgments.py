"""What a judge made of each trial, read from the folder of its run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reviewscore.files import read_lines
from reviewscore.runs.folder import ERRORS, ErrorRecord, read_points
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.verdict import Finding
from reviewscore.validation.trials import PlantedTrial


class TrialState(StrEnum):
    """What came of a trial."""

    VERDICT = "verdict"
    FINDING = "finding"  # of the embedded judge, which gives no verdict
    UNKNOWN = "unknown"  # the judge gave no verdict
    FAILED = "failed"
    NO_POINT = "no point"  # the remark was split into none, or taken for none
    PENDING = "pending"  # not judged yet


class RemarkOutcome:
    """What came of a remark, whoever knows its truth.

    Attributes:
        state: What came of it.
        points: The points that the remark was split into, in its order.
    """

    state: TrialState
    points: tuple[PointScore, ...]

    @property
    def flagged(self) -> bool | None:
        """Whether it is judged misinformed: whether any of its points is; None without a verdict.

        Of the embedded judge: whether any of them is addressed.
        """
        if self.state is TrialState.FINDING:
            return any(point.finding is Finding.ADDRESSED for point in self.points)
        if self.state is not TrialState.VERDICT:
            return None
        return any(point.misinformed for point in self.points)

    @property
    def score(self) -> int | None:
        """The lowest score of its points, 1..5; None without a verdict or a score."""
        if self.state is not TrialState.VERDICT:
            return None
        scores = [point.min_score for point in self.points]
        return min((score for score in scores if score is not None), default=None)


@dataclass(frozen=True)
class JudgedTrial(RemarkOutcome):
    """A trial and what came of it.

    Attributes:
        trial: The trial.
        state: What came of it.
        points: The points that the remark was split into, in its order.
    """

    trial: PlantedTrial
    state: TrialState
    points: tuple[PointScore, ...]

    @property
    def quotes(self) -> tuple[int, int]:
        """Verified passages that its flagged points give, and how many meet an answer."""
        given = [
            quote
            for point in self.points
            if point.misinformed
            for quote in point.evidence
            if quote.verified and not quote.acknowledges
        ]
        return len(given), sum(self._answers(quote) for quote in given)

    def shown_among(self, first: int) -> bool:
        """Whether an answer is among the first passages that the embedded judge shows of a point.

        Args:
            first: How many passages.
        """
        return any(self._answers(one) for point in self.points for one in point.passages[:first])

    def _answers(self, quote: Evidence) -> bool:
        """Whether a passage of the version meets one that answers the point."""
        start, end, answers = quote.start, quote.end, self.trial.answers
        return (
            start is not None
            and end is not None
            and any(start < known_end and known_start < end for known_start, known_end in answers)
        )


def judged_trials(
    trials: Sequence[PlantedTrial], run: Path, *, complete: bool
) -> tuple[JudgedTrial, ...]:
    """What a run made of trials, in their order.

    Args:
        trials: The trials.
        run: The run folder.
        complete: Whether the run's last session came to its end.

    Raises:
        RunFolderError: A record cannot be read.
    """
    outcomes = RunOutcomes.of(run, complete=complete)
    by_trial = _points_of(trials, outcomes.points)
    return tuple(
        JudgedTrial(trial, *outcomes.of_points(trial.review_id, own))
        for trial, own in zip(trials, by_trial, strict=True)
    )


@dataclass(frozen=True)
class RunOutcomes:
    """What a run folder holds of each review.

    Attributes:
        points: Its points, by review.
        failed: Reviews that could not be split into points.
        complete: Whether the run's last session came to its end.
    """

    points: Mapping[str, Sequence[PointScore]]
    failed: frozenset[str | None]
    complete: bool

    @classmethod
    def of(cls, run: Path, *, complete: bool) -> RunOutcomes:
        """Read a run folder.

        Raises:
            RunFolderError: A record cannot be read.
        """
        points: dict[str, list[PointScore]] = defaultdict(list)
        for point in read_points(run):
            points[point.review_id].append(point)
        failed = {
            record.review_id
            for _, line in read_lines(run / ERRORS)
            if (record := ErrorRecord.model_validate_json(line)).what == "review"
        }
        return cls(points, frozenset(failed), complete)

    def of_points(
        self, review_id: str, own: Sequence[PointScore]
    ) -> tuple[TrialState, tuple[PointScore, ...]]:
        """The state of a remark, and its points in order.

        Args:
            review_id: The review that holds it.
            own: The points that it was split into.
        """
        state = _state(own)
        if not own and review_id in self.failed:
            state = TrialState.FAILED
        elif not own and not self.complete:
            state = TrialState.PENDING
        kept = sorted((point for point in own if point.is_point), key=lambda point: point.ordinal)
        return state, tuple(kept)


def _points_of(
    trials: Sequence[PlantedTrial], points: Mapping[str, Sequence[PointScore]]
) -> list[list[PointScore]]:
    """The points of each trial; one that runs over several remarks is of the one it has most of.

    The others of these remarks were not split as a reviewer meant them, and have none.
    """
    numbers = defaultdict(list)
    for number, trial in enumerate(trials):
        numbers[trial.review_id].append(number)
    own: list[list[PointScore]] = [[] for _ in trials]
    for review_id, some in points.items():
        for point in some:
            shared = {number: _shared(trials[number], point) for number in numbers[review_id]}
            most = max(shared, key=shared.__getitem__, default=None)
            if most is not None and shared[most] > 0:
                own[most].append(point)
    return own


def _shared(trial: PlantedTrial, point: PointScore) -> int:
    """How many characters of the review a point and a remark have in common."""
    if trial.span.field != point.span.field:
        return 0
    return min(trial.span.end, point.span.end) - max(trial.span.start, point.span.start)


def _state(points: Iterable[PointScore]) -> TrialState:
    """The state of a remark that was split into these points.

    A flag on any of them is a flag; without one, each must have a verdict.
    """
    kept = [point for point in points if point.is_point]
    if not kept:
        return TrialState.NO_POINT
    if any(point.misinformed for point in kept):
        return TrialState.VERDICT
    if any(point.status is Status.ERROR for point in kept):
        return TrialState.FAILED
    if all(point.status is Status.UNSCORED for point in kept):
        return TrialState.FINDING
    known = all(point.misinformed is not None for point in kept)
    return TrialState.VERDICT if known else TrialState.UNKNOWN
