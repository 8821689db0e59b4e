"""A span with a little text around it: of a review, or of the paper that is quoted."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import Review

PAPER_CONTEXT = 120
"""Characters of the paper shown before and after a quote."""

REVIEW_CONTEXT = 160
"""Characters of the review shown before and after a point."""

_SLACK = 30


@dataclass(frozen=True)
class Excerpt:
    """A marked span between what stands before and after it."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True)
class Stretch:
    """A stretch of a review's field: of a point, or (``number`` is None) between points."""

    text: str
    number: int | None = None
    anchor: str | None = None


def excerpt(text: str, start: int, end: int, *, reach: int) -> Excerpt:
    """A span with up to `reach` characters on both sides, cut between words."""
    left, right = max(0, start - reach), min(len(text), end + reach)
    before, after = text[left:start], text[end:right]
    if left > 0:
        cut = before.find(" ", 0, _SLACK)
        before = "… " + before[cut + 1 :].lstrip()
    if right < len(text):
        cut = after.rfind(" ", max(0, len(after) - _SLACK))
        after = (after[:cut] if cut >= 0 else after).rstrip() + " …"
    return Excerpt(before, text[start:end], after)


def packed(paper: Paper) -> str:
    """A paper's text, deflated, in base64: unpacked by the page when somebody asks for it."""
    return base64.b64encode(zlib.compress(paper.text.encode("utf-8", "replace"), 9)).decode()


def quote_in_paper(quote: Evidence, paper: Paper | None) -> Excerpt | None:
    """A verified quote in its surroundings; None if they are not at hand.

    The paper may have changed since it was judged: then the quote stands alone.
    """
    if paper is None or not quote.verified or quote.start is None or quote.end is None:
        return None
    if paper.text[quote.start : quote.end] != quote.quote:
        return None
    document = paper.document_at(quote.start)
    if document is None:
        return excerpt(paper.text, quote.start, quote.end, reach=PAPER_CONTEXT)
    start, end = quote.start - document.start, quote.end - document.start
    own = paper.text[document.start : document.end]
    return excerpt(own, start, end, reach=PAPER_CONTEXT)


def point_in_review(score: PointScore, review: Review | None) -> Excerpt:
    """A point in its surroundings, or by itself if the review is not at hand or has changed."""
    text = "" if review is None else review.fields.get(score.span.field, "")
    if score.text and text[score.span.start : score.span.end] == score.text:
        return excerpt(text, score.span.start, score.span.end, reach=REVIEW_CONTEXT)
    return Excerpt(f"{score.context} " if score.context else "", score.text, "")


def marked_field(text: str, points: Iterable[tuple[int, PointScore, str]]) -> list[Stretch]:
    """A field of a review cut into points and what stands between them.

    Args:
        text: The field.
        points: Number, score and anchor of each point of the field. A point that overlaps an
            earlier one, or is not where it is said to be, is left unmarked.
    """
    stretches: list[Stretch] = []
    position = 0
    for number, score, anchor in sorted(points, key=lambda one: one[1].span.start):
        start, end = score.span.start, score.span.end
        if start < position or not score.text or text[start:end] != score.text:
            continue
        if start > position:
            stretches.append(Stretch(text[position:start]))
        stretches.append(Stretch(text[start:end], number, anchor))
        position = end
    if position < len(text):
        stretches.append(Stretch(text[position:]))
    return stretches
