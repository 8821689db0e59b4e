"""Scores that stand in a review that was edited, while its other points are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewscore.config import Settings
from reviewscore.judges.judge import ReviewJudges
from reviewscore.judges.presuppositions import verdict_of
from reviewscore.papers.parts import seen_of
from reviewscore.pipeline import score_of_looks, score_point
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, PointType, Review, ReviewPoint
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import UnknownReason


def _nowhere(_: PointScore) -> None:
    """Keep nothing."""


@dataclass(frozen=True)
class KeptPoints:
    """Scores that a run holds of reviews that were edited.

    Attributes:
        scores: The scores, by review.
        retire: Keeps a score that is about to be replaced.
    """

    scores: Mapping[str, Sequence[PointScore]] = field(default_factory=dict)
    retire: Callable[[PointScore], None] = _nowhere


def point_of(score: PointScore) -> ReviewPoint:
    """The point that a score is of, as it was split."""
    shared = ReviewPoint.model_fields.keys() & PointScore.model_fields.keys()
    return ReviewPoint.model_validate({name: getattr(score, name) for name in shared})


def with_kept(
    points: Sequence[ReviewPoint], kept: Sequence[PointScore], review: Review
) -> tuple[ReviewPoint, ...]:
    """A new split of a review by a model, in which the points that are kept stay as they are.

    Args:
        points: The new split; what overlaps with points that are kept is left out.
        kept: The scores of these.
        review: The review.

    Returns:
        Both in reading order, numbered anew.
    """
    if not kept:
        return tuple(points)
    both = {score.point_id: point_of(score) for score in kept}
    taken = [point.span for point in both.values()]
    both |= {
        point.point_id: point
        for point in points
        if point.point_id in both or not any(overlap(point.span, span) for span in taken)
    }
    ordered = sorted(both.values(), key=lambda point: place_in(review, point.span))
    return tuple(point.model_copy(update={"number": n}) for n, point in enumerate(ordered, start=1))


def place_in(review: Review, span: Span) -> tuple[int, int]:
    """Sorts spans of a review as they are read."""
    return list(review.fields).index(span.field), span.start


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans of a review share a character."""
    return one.field == other.field and one.start < other.end and other.start < one.end


async def contested(
    old: PointScore, point: ReviewPoint, paper: Paper, judges: ReviewJudges, settings: Settings
) -> PointScore | None:
    """What becomes of a score that stands, once its review was asked about as a whole again.

    Where the new reply says the opposite of whether the point is misinformed, it is asked about
    alone; where that does not say what the score says either, nobody knows.

    Args:
        old: The score.
        point: Its point.
        paper: The paper, as judges see it.
        judges: Who judges; they hold what the reply about the review says.
        settings: How they do.

    Returns:
        The score with an unknown verdict; None if the old one stands.

    Raises:
        ModelError: There is no usable reply.
        StopError: Nothing more can be asked.
    """
    rebuilt = old.argument is not None and not old.looks
    if old.misinformed is None or rebuilt or point.kind is PointKind.NONE:
        return (
            None  # of an argument its premises decide, of which a reply about reviews says nothing
        )
    if not settings.presupposes:
        return await _contested_base(old, point, paper, judges)
    scope = seen_of(paper).kind
    looks = (await judges.looks(point, paper)).given
    if verdict_of(looks, scope=scope).misinformed is not (not old.misinformed):
        return None
    second = tuple(look for look in looks if look.number > 1)
    if not second and settings.second_look_between is not None:
        second = (await judges.second_looks(point, paper)).given
        looks += second
    if second and verdict_of(second, scope=scope).misinformed is old.misinformed:
        return None
    verdict = verdict_of((*old.looks, *looks), scope=scope)
    new = score_of_looks(point, verdict, seen_of(paper), paper, judges)
    shown = ("author_answers", "argument", "extraction", "provenance", "places")
    return _unknown(new, kind=old.kind, **{name: getattr(old, name) for name in shown})


async def _contested_base(
    old: PointScore, point: ReviewPoint, paper: Paper, judges: ReviewJudges
) -> PointScore | None:
    """The same of a BASE score."""
    again = await score_point(point, paper, judges, score="base")
    if again.misinformed is not (not old.misinformed):
        return None
    judges.forget([point])
    question = old.type is PointType.QUESTION
    ask = judges.question_answerability if question else judges.claim_factuality
    alone = await ask(point, paper, response=None)
    if alone.misinformed is old.misinformed:
        return None
    verdict = None if old.verdict is None else old.verdict.model_copy(update={"score": None})
    return _unknown(old, base=None, advanced=None, verdict=verdict)


def _unknown(score: PointScore, **fields: object) -> PointScore:
    unknown = {"misinformed": None, "status": Status.UNKNOWN, "reason": UnknownReason.CONTESTED}
    return score.model_copy(update={**fields, **unknown})
