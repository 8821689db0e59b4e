"""The strengths and weaknesses of reviews, found and written down."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewscore.files import drafted
from reviewscore.focus.facets import FacetPoint, Labelled, Polarity
from reviewscore.points.split import split_review
from reviewscore.schema.point_id import content_ids
from reviewscore.schema.review import Review, Role
from reviewscore.sources.system_reviews import Materials, SystemReview, TextForm

_STANCE = re.compile(r"\W*the reviewer\s+(\w+)", re.IGNORECASE)
_POLARITY = {"appreciates": Polarity.STRENGTH, "criticizes": Polarity.WEAKNESS}
_ROLES = {
    Role.STRENGTHS: Polarity.STRENGTH,
    Role.WEAKNESSES: Polarity.WEAKNESS,
    Role.MIXED: Polarity.WEAKNESS,  # of mixed boxes the splitter gives the concerns alone
}


def form_of(materials: Materials) -> TextForm:
    """Judgments if every review has them, so that all systems are read alike; else as written."""
    return (
        TextForm.JUDGMENTS if all(review.judgments for review in materials.all()) else TextForm.RAW
    )


def points_of(review: SystemReview, form: TextForm) -> Iterator[FacetPoint]:
    """The strengths and weaknesses of one review, in order.

    Of judgments those that appreciate and those that criticise; of a review as written the points
    that its record lists, else those under headings for strengths and weaknesses, and the concerns
    of boxes for both. Questions, suggestions and summaries are neither.

    Args:
        review: The review.
        form: Which text is read.
    """
    texts = [*(_judged(review) if form is TextForm.JUDGMENTS else _written(review))]
    names = content_ids(review.review_id, (text for _, text in texts))
    for name, (polarity, text) in zip(names, texts, strict=True):
        yield FacetPoint(name, review.paper_id, review.review_id, review.system, polarity, text)


def _judged(review: SystemReview) -> Iterator[tuple[Polarity, str]]:
    for line in review.judgments.splitlines():
        hit = _STANCE.match(line)
        polarity = _POLARITY.get(hit.group(1).lower()) if hit else None
        if polarity is not None:
            yield polarity, line.strip()


def _written(review: SystemReview) -> Iterator[tuple[Polarity, str]]:
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


VERB, POINTS = "focus", "points.jsonl"
_IN_MEMORY = 1_000_000
"""Bytes of lines that are held in memory; more lie in a temporary file without a name."""


class PointLines:
    """Writes points down as they pass, so that none is held for the file that they end in."""

    def __init__(self) -> None:
        self._lines = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed below
        weakref.finalize(self, self._lines.close)

    def noted(self, labelled: Iterable[Labelled]) -> Iterator[Labelled]:
        """The same points, written down."""
        for labelled_point in labelled:
            self._lines.write(_line(labelled_point).encode("utf-8") + b"\n")
            yield labelled_point

    def write(self, out: Path) -> Path:
        """Write all of them, one record a line, into a folder that is there."""
        path = out / POINTS
        self._lines.seek(0)
        with drafted(path) as draft, draft.open("wb") as file:
            shutil.copyfileobj(self._lines, file)
        return path


def _line(labelled_point: Labelled) -> str:
    point = labelled_point.point
    record = {
        "point_id": point.point_id,
        "paper_id": point.paper_id,
        "review_id": point.review_id,
        "system": point.system,
        "polarity": point.polarity,
        "text": point.text,
        "target": labelled_point.target,
        "aspect": labelled_point.aspect,
        **({"reason": labelled_point.reason} if labelled_point.reason else {}),
    }
    return json.dumps(record, ensure_ascii=False)
