"""Where the points of a run stand in the wordings that a review had, one after the other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewscore.config import EMBEDDED
from reviewscore.period.venue import PastRow
from reviewscore.points.split import accept_proposed, split_review
from reviewscore.runs.kept_points import place_in
from reviewscore.runs.manifest import Manifest
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.presupposition import Look
from reviewscore.schema.review import ProposedPoint, Review, ReviewPoint
from reviewscore.schema.span import Span
from reviewscore.sources.records import RecordRow, as_model
from reviewscore.sources.reviews import ReviewRow, build_review, with_boxes

Standing = Mapping[str, ReviewPoint]
"""Points that stand in a wording, by identifier."""


@dataclass(frozen=True)
class ReviewWording:
    """A review as it was in some syncs.

    Attributes:
        since: Number of the first of them.
        until: Number of the sync that replaced it; None as it is now.
        points: The points of a run that stand in it.
    """

    since: int
    until: int | None
    points: Standing


@dataclass(frozen=True)
class Splitting:
    """How a run splits reviews, by which its points are found again in other wordings.

    Attributes:
        limitations: Whether sections for limitations give points.
        by_rules: Whether no model proposes points.
    """

    limitations: bool
    by_rules: bool

    @classmethod
    def of(cls, manifest: Manifest) -> Splitting:
        """How the run of a manifest does."""
        values = {name: setting.value for name, setting in manifest.settings.items()}
        by_rules = values.get("points") == "rules" or manifest.judge == EMBEDDED
        return cls(limitations=values.get("limitations") is not False, by_rules=by_rules)

    def standing(self, review: Review, scores: Iterable[PointScore]) -> Standing:
        """Which points stand in a review, as points of it.

        By rules, those of its split; where a model splits, those of `scores` whose words are there
        with whatever white space.
        """
        if self.by_rules:
            points = split_review(review, include_limitations=self.limitations)
            return {point.point_id: point for point in points}
        found: dict[str, ReviewPoint] = {}
        for score in scores:  # each by itself: those of different wordings may overlap
            also = tuple(again.text for again in score.occurrences)
            words = ProposedPoint(text=score.text, also=also, lead_in=score.context)
            points, _ = accept_proposed(review, [words], include_limitations=self.limitations)
            found |= {point.point_id: point for point in points if point.point_id == score.point_id}
        ordered = sorted(found.values(), key=lambda point: place_in(review, point.span))
        return {
            point.point_id: point.model_copy(update={"number": number})
            for number, point in enumerate(ordered, start=1)
        }

    def wordings(
        self,
        past: Sequence[PastRow],
        current: tuple[Review, int] | None,
        scores: Iterable[PointScore],
    ) -> list[ReviewWording]:
        """The wordings that a review had, in their order.

        Args:
            past: Its rows of before.
            current: It as it is, and the sync that put it so; None if it is gone.
            scores: Scores of its points, of whatever wording.
        """
        found = [
            ReviewWording(row.since, row.until, self.standing(review_of_row(row.row), scores))
            for row in sorted(past, key=lambda row: row.since)
        ]
        if current is not None:
            found.append(ReviewWording(current[1], None, self.standing(current[0], scores)))
        return found


def review_of_row(row: Mapping[str, Any]) -> Review:
    """A review from its row in the data."""
    record = with_boxes(RecordRow(1, 0, dict(row)))
    return build_review(as_model(record, ReviewRow, Path("past.jsonl")))[0]


def stretches(point_id: str, wordings: Iterable[ReviewWording]) -> list[tuple[int, int | None]]:
    """When a point stood in its review without a break: the first sync, and the one after the last.

    The latter is None where it stands there now.

    Args:
        point_id: The point.
        wordings: Those of its review, in their order.
    """
    found: list[tuple[int, int | None]] = []
    for wording in wordings:
        if point_id not in wording.points:
            continue
        goes_on = bool(found) and found[-1][1] == wording.since
        since = found.pop()[0] if goes_on else wording.since
        found.append((since, wording.until))
    return found


def anchored(score: PointScore, point: ReviewPoint) -> PointScore:
    """A score whose point stands elsewhere in its review now; what was found out of it stays.

    Args:
        score: The score.
        point: Its point as it stands now: the same words, perhaps with other white space.
    """
    taken = ("text", "span", "number", "section", "role", "context", "neighbours", "occurrences")
    update: dict[str, object] = {name: getattr(point, name) for name in taken}
    if score.places is not None:
        places = (
            place.model_copy(update={"span": _moved(place.span, score, point)})
            for place in score.places
        )
        update["places"] = tuple(places)
    if score.looks:
        update["looks"] = tuple(_look(look, score, point) for look in score.looks)
    return score.model_copy(update=update)


def _look(look: Look, score: PointScore, point: ReviewPoint) -> Look:
    parts = (
        part
        if part.span is None
        else part.model_copy(update={"span": _moved(part.span, score, point)})
        for part in look.parts
    )
    return look.model_copy(update={"parts": tuple(parts)})


def _moved(span: Span, score: PointScore, point: ReviewPoint) -> Span:
    """A span within a point, where the point stands now."""
    start, end = span.start - score.span.start, span.end - score.span.start
    if score.text != point.text:  # letters stay in their order, white space does not count
        old, new = _letters(score.text), _letters(point.text)
        first, last = bisect_left(old, start), bisect_left(old, end) - 1
        if not 0 <= first <= last < len(new):
            return point.span
        start, end = new[first], new[last] + 1
    base = point.span.start
    return Span(field=point.span.field, start=base + start, end=base + end)


def _letters(text: str) -> list[int]:
    return [at for at, char in enumerate(text) if not char.isspace()]
