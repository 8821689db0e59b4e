"""A stretch of a review."""

from __future__ import annotations

from pydantic import Field

from reviewscore.schema.record import Record


class Span(Record):
    """Where something stands in a review: ``review.fields[field][start:end]``.

    Attributes:
        field: Text box of the review.
        start: Offset of the first character in it.
        end: Offset just after the last character.
    """

    field: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
