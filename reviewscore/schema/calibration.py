"""A judge's scores corrected by human labels: learnt by `agree`, applied by `audit`."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from reviewscore.schema.record import Record
from reviewscore.schema.scale import FIVE_POINTS, MeanScore

if TYPE_CHECKING:
    from reviewscore.schema.point_score import PointScore


class Curve(Record):
    """A monotone, piecewise linear map.

    Attributes:
        x: Scores, rising.
        y: The value at each; between two it is interpolated, outside it is the nearest end's.
    """

    x: tuple[float, ...] = Field(min_length=1)
    y: tuple[float, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _paired(self) -> Self:
        rising = all(a < b for a, b in zip(self.x, self.x[1:], strict=False))
        if len(self.x) != len(self.y) or not rising:
            raise ValueError("x must rise and have as many numbers as y")
        return self

    def at(self, score: float) -> float:
        """The value at a score."""
        after = bisect_right(self.x, score)
        if after == 0:
            return self.y[0]
        if after == len(self.x):
            return self.y[-1]
        low, high = self.x[after - 1], self.x[after]
        share = (score - low) / (high - low)
        return self.y[after - 1] + share * (self.y[after] - self.y[after - 1])


class Gain(Record):
    """What calibration changed, measured on papers it had not seen.

    Attributes:
        metric: ``F1`` or ``Kappa``, or ``share`` of misinformed points.
        before: Of the scores as they are.
        after: Of the calibrated ones.
        low: Lower end of the 95 % interval of the gain.
        high: Upper end.
        p: Two-sided permutation p-value of the gain.
        n: Points.
    """

    metric: str
    before: float | None
    after: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int


class TypeCalibration(Record):
    """How the scores of one type of points are corrected.

    Attributes:
        probability: Probability that people call a point misinformed, by its BASE score or, of an
            argument, by the lowest factuality of a premise.
        threshold: A point is called misinformed from this probability on.
        score: The mean score that people give, by the judge's score.
        n: Labelled points it was learnt from.
        papers: Their papers.
        misinformed: How many of them people call misinformed.
    """

    probability: Curve
    threshold: float = Field(ge=0, le=1)
    score: Curve
    n: int
    papers: int
    misinformed: int

    @model_validator(mode="after")
    def _on_scale(self) -> Self:
        for name, curve, low, high in (
            ("probability", self.probability, 0, 1),
            ("score", self.score, FIVE_POINTS.low, FIVE_POINTS.high),
        ):
            if not all(low <= value <= high for value in curve.y):
                raise ValueError(f"y of {name} must lie between {low} and {high}")
        return self


class Calibration(Record):
    """What `agree --calibrate` learnt of one judge.

    Attributes:
        reviewscore_version: Version of reviewscore that wrote it.
        judge: The judge whose scores it corrects; of a panel all models, joined by " + ".
        learnt_from: Name of the set of labels.
        types: By type of point; types that are not here stay as they are.
        left_out: Why other types are not here.
        gains: What it changes, out of fold.
    """

    schema_id: Literal["reviewscore.calibration/1"] = Field(
        default="reviewscore.calibration/1", alias="schema"
    )
    reviewscore_version: str
    judge: str
    learnt_from: str
    types: dict[str, TypeCalibration]
    left_out: dict[str, str] = Field(default_factory=dict)
    gains: tuple[Gain, ...] = ()


class Calibrated(Record):
    """A point's score after calibration, beside the judge's own.

    Attributes:
        score: 1..5, what people would say on average; None is unknown.
        probability: That people would call it misinformed; None is unknown.
        misinformed: Whether that reaches the threshold; None is unknown.
    """

    score: MeanScore | None = None
    probability: float | None = Field(default=None, ge=0, le=1)
    misinformed: bool | None = None


def calibrated(point: PointScore, calibration: Calibration) -> Calibrated | None:
    """A point's calibrated score; None if its type was not calibrated."""
    known = calibration.types.get(point.type.value) if point.type else None
    if known is None:
        return None
    lowest = point.min_score
    score = point.advanced.score if point.advanced else point.base
    probability = None if lowest is None else known.probability.at(lowest)
    return Calibrated(
        score=None if score is None else known.score.at(score),
        probability=probability,
        misinformed=None if probability is None else probability >= known.threshold,
    )
