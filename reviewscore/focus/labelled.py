"""Strengths and weaknesses of reviews, and the facets they were given."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.focus.facets import UNKNOWN, Polarity


@dataclass(frozen=True, slots=True)
class Point:
    """One strength or weakness.

    Attributes:
        point_id: Unique among all points.
        paper_id: Paper.
        review_id: Review.
        system: Who wrote the review: ``people``, or the name of a model.
        polarity: Praise or criticism.
        text: The point, verbatim.
    """

    point_id: str
    paper_id: str
    review_id: str
    system: str
    polarity: Polarity
    text: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A point with its facets.

    Attributes:
        point: The point.
        target: Name of its target, or `UNKNOWN`.
        aspect: Name of its aspect, or `UNKNOWN`.
        reason: Why a label is unknown; empty if none is.
    """

    point: Point
    target: str = UNKNOWN
    aspect: str = UNKNOWN
    reason: str = ""
