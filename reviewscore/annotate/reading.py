"""A whole review as it is read beside its paper: its points marked in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewscore.annotate.guard import point_path, review_path
from reviewscore.annotate.material import LabelPoint
from reviewscore.annotate.progress import standings_now
from reviewscore.annotate.rules import Codebook
from reviewscore.annotate.workspace import Standing, Workspace
from reviewscore.pages.point_card import Stretch, marked_field
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Occurrence


@dataclass(frozen=True)
class ReviewPlace:
    """A point of a review that is read.

    Attributes:
        number: Its place among the annotator's points of the review, from 1.
        point: The point.
        state: How far the annotator is with it: ``done``, ``begun``, ``skipped`` or ``open``.
    """

    number: int
    point: LabelPoint
    state: str


@dataclass(frozen=True)
class ShownReview:
    """A review as an annotator reads it.

    Attributes:
        review_id: The review.
        paper_id: Its paper.
        number: Its place among the annotator's reviews, from 1.
        count: How many these are.
        points: The annotator's points of it, in the order of its text.
        fields: Name and stretches of each box; empty if its text is not at hand. Stretches have
            the number of their point.
        before: The review before it; None for the first.
        after: The review after it; None for the last.
    """

    review_id: str
    paper_id: str
    number: int
    count: int
    points: tuple[ReviewPlace, ...]
    fields: tuple[tuple[str, list[Stretch]], ...]
    before: str | None
    after: str | None

    @property
    def by_number(self) -> dict[int, ReviewPlace]:
        """Its points by their number."""
        return {place.number: place for place in self.points}

    @property
    def next_open(self) -> str | None:
        """The first point that is not finished; None if all are."""
        open_ = (place for place in self.points if place.state in ("open", "begun"))
        return next((place.point.point_id for place in open_), None)

    def number_of(self, point_id: str) -> int:
        """The number of one of its points."""
        return next(place.number for place in self.points if place.point.point_id == point_id)


def reviews_of(workspace: Workspace, annotator: str) -> dict[str, list[LabelPoint]]:
    """An annotator's points by review, reviews in the order in which they are read."""
    groups: dict[str, list[LabelPoint]] = {}
    for point in workspace.points_of(annotator):
        groups.setdefault(point.unit.review_id, []).append(point)
    return groups


def path_to(workspace: Workspace, annotator: str, point_id: str) -> str:
    """Where an annotator goes on to label a point.

    By codebook 2 a review is read whole first: until one of its points was begun, its page.
    """
    review = workspace.material.points[point_id].unit.review_id
    mine = {point.point_id for point in reviews_of(workspace, annotator)[review]}
    rows = (row for row in standings_now(workspace, annotator) if row.point_id in mine)
    if workspace.codebook is Codebook.SECOND and all(row.state == "open" for row in rows):
        return review_path(annotator, review)
    return point_path(annotator, point_id)


def shown_review(
    workspace: Workspace,
    annotator: str,
    review_id: str,
    rows: Sequence[Standing] | None = None,
) -> ShownReview | None:
    """A review as an annotator reads it; None if none of its points is theirs.

    Args:
        workspace: The set.
        annotator: Who reads.
        review_id: The review.
        rows: The annotator's points (`standings_now`), where they are known.
    """
    groups = reviews_of(workspace, annotator)
    if review_id not in groups:
        return None
    order = list(groups)
    at = order.index(review_id)
    review = workspace.material.reviews.get(review_id)
    boxes = {} if review is None else review.fields
    places = list(boxes)
    points = sorted(groups[review_id], key=lambda point: _place(point, places))
    known = standings_now(workspace, annotator) if rows is None else rows
    states = {row.point_id: row.state for row in known}
    numbered = tuple(
        ReviewPlace(number, point, states[point.point_id])
        for number, point in enumerate(points, start=1)
    )
    return ShownReview(
        review_id=review_id,
        paper_id=points[0].paper_id,
        number=at + 1,
        count=len(order),
        points=numbered,
        fields=tuple(
            (name, marked_field(text, _marks(numbered, name))) for name, text in boxes.items()
        ),
        before=order[at - 1] if at else None,
        after=order[at + 1] if at + 1 < len(order) else None,
    )


def _place(point: LabelPoint, boxes: Sequence[str]) -> tuple[int, int]:
    """Where a point stands in its review; those of which that is not known come last."""
    span = point.unit.span
    if span is None or span.field not in boxes:
        return len(boxes), point.number
    return boxes.index(span.field), span.start


def _marks(points: Sequence[ReviewPlace], box: str) -> Iterator[tuple[int, Occurrence, str]]:
    """Number, place and identifier of the points in a box, and of where it repeats them."""
    for place in points:
        unit, places = place.point.unit, list(place.point.occurrences)
        if unit.span is not None:
            places.append(Occurrence(section=box, text=unit.text or "", span=unit.span))
        for at in places:
            if at.span.field == box:
                yield place.number, at, place.point.point_id


def paper_sections(paper: Paper | None) -> list[tuple[str, str]]:
    """Headings and texts of a paper; empty if it is not at hand."""
    if paper is None:
        return []
    if not paper.sections:
        return [("", paper.text)]
    return [
        (section.label if section.heading_end > section.start else "",
         paper.text[section.heading_end : section.end].strip("\n"))
        for section in paper.sections
    ]  # fmt: skip
