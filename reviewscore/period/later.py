"""What came later than a point: it was reworded or taken back, or its paper was revised."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from reviewscore.period.history import History, retired_by, stretches
from reviewscore.period.taken_back import TakenBack
from reviewscore.period.venue import TAKEN_BACK, VenueFolder, lines_of
from reviewscore.points.responses import align_response
from reviewscore.runs.kept_points import point_of
from reviewscore.schema.author_answer import AlignmentCertainty
from reviewscore.schema.later_remark import LaterKind, LaterRemark
from reviewscore.schema.paper import base_paper_id, version_number
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record
from reviewscore.schema.review import Review
from reviewscore.text.similarity import RougeL, TextPair

EDITS = "edits.jsonl"
LaterOf = Callable[[PointScore], tuple[LaterRemark, ...]]
_ALIKE = 0.4
"""ROUGE-L from which on a new point is taken for an old one that was reworded."""


class EditedPoint(Record):
    """A point that is another one in new words.

    Attributes:
        point_id: The point.
        edited_from: What it was.
        sync: Number of the sync that brought the new words.
    """

    point_id: str
    edited_from: str
    sync: int


def linked(
    history: History, scores: Mapping[str, Sequence[PointScore]], known: Iterable[EditedPoint]
) -> list[EditedPoint]:
    """Links from points to what they were before their reviewers reworded them.

    In each review, the two that are most alike are linked first, and each only once. A point that
    stood beside the one that went is none that came from it.

    Args:
        history: Of reviews that were edited.
        scores: The scores of their points now, by review.
        known: Links that were found before, which stand.
    """
    found = list(known)
    new_ids = {link.point_id for link in found}
    old_ids = {link.edited_from for link in found}
    for review_id, current in scores.items():
        there = old_ids | {score.point_id for score in current}
        gone = [each for each in history.retired[review_id] if each.point_id not in there]
        new = [score for score in current if score.point_id not in new_ids]
        if not gone or not new:
            continue
        wordings = history.wordings(review_id, current)
        since = {
            score.point_id: held[-1][0]
            for score in new
            if (held := stretches(score.point_id, wordings))
        }
        pairs = [
            (old, score)
            for old in gone
            for score in new
            if since.get(score.point_id, 0) >= old.until
        ]
        texts = [TextPair(review_id, score.text, old.score.text) for old, score in pairs]
        alike = zip(RougeL().scores(texts), pairs, strict=True)
        for share, (old, score) in sorted(alike, key=lambda one: -(one[0] or 0.0)):
            if (share or 0.0) < _ALIKE or old.point_id in old_ids or score.point_id in new_ids:
                continue
            old_ids.add(old.point_id)
            new_ids.add(score.point_id)
            sync = since[score.point_id]
            found.append(EditedPoint(point_id=score.point_id, edited_from=old.point_id, sync=sync))
    return found


def with_points(
    remarks: Iterable[TakenBack],
    scores: Mapping[str, Sequence[PointScore]],
    review: Callable[[str], Review],
) -> list[TakenBack]:
    """What was taken back, with the point that it is about where it names exactly one.

    Later text names a point as a response does: by its words, by its number, or by telling words.

    Args:
        remarks: What was taken back.
        scores: Scores of the points of reviews, by review.
        review: Gives a review by its id.
    """
    named = []
    for remark in remarks:
        points = tuple(map(point_of, scores.get(remark.review_id, ())))
        if remark.point_id is None and points:
            later = review(remark.review_id).model_copy(update={"author_response": remark.text})
            about = [
                name
                for name, answers in align_response(later, points).answers.items()
                if any(answer.certainty is not AlignmentCertainty.POSSIBLE for answer in answers)
            ]
            if len(about) == 1:
                remark = remark.model_copy(update={"point_id": about[0]})  # noqa: PLW2901
        named.append(remark)
    return named


def later_of(venue: VenueFolder) -> LaterOf:
    """What gives everything that came later than a point of a venue."""
    days = {sync.number: sync.at[:10] for sync in venue.syncs()}
    versions: dict[str, int] = {}
    for row in venue.index():
        if row.what == "paper":
            base = base_paper_id(row.id)
            versions[base] = max(versions.get(base, 1), row.version)
    marks: dict[str, list[LaterRemark]] = defaultdict(list)
    edits = {edit.edited_from: edit for edit in lines_of(venue.path / EDITS, EditedPoint)}
    for each in retired_by(venue) if edits else ():
        if (edit := edits.pop(each.point_id, None)) is not None:
            text, at = each.score.text, days.get(edit.sync)
            mark = LaterRemark(kind=LaterKind.REWORDED, at=at, text=text)
            marks[edit.point_id].append(mark)
    for remark in lines_of(venue.path / TAKEN_BACK, TakenBack):
        if remark.point_id is not None:
            mark = LaterRemark(kind=LaterKind.TAKEN_BACK, at=remark.at[:10], text=remark.text)
            marks[remark.point_id].append(mark)

    def later(score: PointScore) -> tuple[LaterRemark, ...]:
        version = version_number(score.paper_id)
        newest = versions.get(base_paper_id(score.paper_id), version)
        revised = LaterRemark(kind=LaterKind.REVISED, version=version, versions=newest)
        return (*((revised,) if newest > version else ()), *marks.get(score.point_id, ()))

    return later
