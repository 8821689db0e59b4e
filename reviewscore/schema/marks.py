"""Stretches of reviews and papers that readers marked: places with the sum of their words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pydantic import Field

from reviewscore.schema.point_id import same_words
from reviewscore.schema.record import Record
from reviewscore.schema.span import Span


def sum_of_words(text: str) -> str:
    """SHA-256 of a text with its white space normalised, in UTF-8: knows words without them."""
    return hashlib.sha256(same_words(text).encode("utf-8", "surrogatepass")).hexdigest()


class MarkedSpan(Span):
    """A stretch of a review that a reader marked: ``review.fields[field][start:end]``.

    Attributes:
        sha256: Of its words (`sum_of_words`), by which it is found again where offsets moved.
        quote: The words, where the licence of the review allows it.
    """

    sha256: str
    quote: str | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def at(cls, fields: Mapping[str, str], field: str, start: int, end: int) -> MarkedSpan:
        """The stretch of a review's field from one offset to another."""
        return cls(field=field, start=start, end=end, sha256=sum_of_words(fields[field][start:end]))


class MarkedPassage(Record):
    """A passage of a paper that a reader named: ``paper.text[start:end]``.

    Attributes:
        start: Offset of the first character in the text of the paper as it is read.
        end: Offset just after the last one.
        sha256: Of its words (`sum_of_words`).
        quote: The words, where the licence of the paper allows it.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    sha256: str
    quote: str | None = Field(default=None, exclude_if=lambda value: value is None)
