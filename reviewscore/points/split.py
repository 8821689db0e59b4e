"""A review split into its points, each a verbatim span."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewscore.points.blocks import blocks_of
from reviewscore.points.concerns import Concern, all_concerns, sifted_concerns
from reviewscore.points.sections import OpenSection, open_sections
from reviewscore.points.sentences import trim
from reviewscore.schema.review import Review, ReviewPoint, Role
from reviewscore.schema.span import Span

_DASH = re.compile(r"\s*(?:[-–—•]{1,3}|\*(?!\*)|\*-\*)\s+")
_LOOSE_END = re.compile(r"\n\s*(?:[-–—•*+=_]+\s*)+\Z")


def review_point(
    review: Review, section: OpenSection, number: int, concern: Concern, role: Role
) -> ReviewPoint:
    """A stretch of a section as a numbered point."""
    text = review.fields[section.field]
    lead = concern.context
    return ReviewPoint(
        point_id=f"{review.review_id}#{number}",
        review_id=review.review_id,
        paper_id=review.paper_id,
        section=section.name,
        role=role,
        text=text[concern.start : concern.end],
        span=Span(field=section.field, start=concern.start, end=concern.end),
        context="" if lead is None else text[lead.start : lead.end],
    )


def _concerns(
    text: str, section: OpenSection, *, include_strengths: bool
) -> Iterator[tuple[Concern, Role]]:
    """The concerns of a section in order, with the role each has there."""
    for block in blocks_of(text, section.start, section.end):
        marked = block.role if section.sifted else None
        role = section.role if marked is None else marked
        if role is Role.STRENGTHS and not include_strengths:
            continue
        if section.sifted and marked is None:
            found = sifted_concerns(text, block)
        else:
            found = all_concerns(text, block, praise=role is Role.STRENGTHS)
        for concern in found:
            yield concern, role


def split_review(
    review: Review, *, include_limitations: bool = False, include_strengths: bool = False
) -> tuple[ReviewPoint, ...]:
    """Split a review into self-contained points in reading order.

    Points come from sections for weaknesses, questions and requests, where everything but
    politeness is part of a point, and from mixed sections, where praise, summary and decisions
    are left out. Points never overlap, and each satisfies
    ``review.fields[point.span.field][point.span.start : point.span.end] == point.text``.

    Args:
        review: Any review; one that came as a single text is searched for headings.
        include_limitations: Whether sections for limitations give points.
        include_strengths: Whether sections for strengths give points.
    """
    points: list[ReviewPoint] = []
    sections = open_sections(
        review, include_limitations=include_limitations, include_strengths=include_strengths
    )
    for section in sections:
        text = review.fields[section.field]
        for concern, role in _concerns(text, section, include_strengths=include_strengths):
            dash = _DASH.match(text, concern.start, concern.end)
            start, end = trim(text, dash.end() if dash else concern.start, concern.end)
            loose = _LOOSE_END.search(text[max(start, end - 40) : end])
            if loose is not None:
                start, end = trim(text, start, end - len(loose.group()))
            if any(char.isalnum() for char in text[start:end]):
                exact = Concern(start, end, concern.context)
                points.append(review_point(review, section, len(points) + 1, exact, role))
    return tuple(points)
