"""The strengths and weaknesses of reviews."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewscore.focus.facets import Polarity
from reviewscore.focus.labelled import Point
from reviewscore.points.split import split_review
from reviewscore.schema.review import Review, Role
from reviewscore.sources.system_reviews import Form, Materials, Written

_STANCE = re.compile(r"\W*the reviewer\s+(\w+)", re.IGNORECASE)
_POLARITY = {"appreciates": Polarity.STRENGTH, "criticizes": Polarity.WEAKNESS}
_ROLES = {
    Role.STRENGTHS: Polarity.STRENGTH,
    Role.WEAKNESSES: Polarity.WEAKNESS,
    Role.MIXED: Polarity.WEAKNESS,  # of mixed boxes the splitter gives the concerns alone
}


def form_of(materials: Materials) -> Form:
    """Judgments if every review has them, so that all systems are read alike; else as written."""
    return Form.JUDGMENTS if all(one.judgments for one in materials.all()) else Form.RAW


def points_of(review: Written, form: Form) -> Iterator[Point]:
    """The strengths and weaknesses of one review, in order.

    Of judgments those that appreciate and those that criticise; of a review as written the points
    that its record lists, else those under headings for strengths and weaknesses, and the concerns
    of boxes for both. Questions, suggestions and summaries are neither.

    Args:
        review: The review.
        form: Which text is read.
    """
    texts = _judged(review) if form is Form.JUDGMENTS else _written(review)
    for number, (polarity, text) in enumerate(texts, 1):
        yield Point(
            f"{review.review_id}#{number}",
            review.paper_id,
            review.review_id,
            review.system,
            polarity,
            text,
        )


def _judged(review: Written) -> Iterator[tuple[Polarity, str]]:
    for line in review.judgments.splitlines():
        found = _STANCE.match(line)
        polarity = _POLARITY.get(found.group(1).lower()) if found else None
        if polarity is not None:
            yield polarity, line.strip()


def _written(review: Written) -> Iterator[tuple[Polarity, str]]:
    if review.points:
        yield from ((Polarity(polarity), text) for polarity, text in review.points)
        return
    if not review.raw.strip():
        return
    whole = Review(
        review_id=review.review_id, paper_id=review.paper_id, fields={"text": review.raw}
    )
    for point in split_review(whole, include_strengths=True):
        polarity = _ROLES.get(point.role)
        if polarity is not None:
            yield polarity, point.text
