"""A review point as a reader marked it in the review, with all that the reader said of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.point_id import same_words
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS, Score
from reviewscore.schema.span import Span


def sum_of_words(text: str) -> str:
    """SHA-256 of a text with its white space normalised, in UTF-8: knows words without them."""
    return hashlib.sha256(same_words(text).encode("utf-8", "surrogatepass")).hexdigest()


class Supply(StrEnum):
    """How far the paper supplies what a point misses, asks for or asks about."""

    FULLY = "fully"
    MOSTLY = "mostly"
    PARTLY = "partly"
    TOPIC_ONLY = "topic_only"  # it speaks of the matter and supplies nothing
    NO = "no"


class PassagePlace(StrEnum):
    """Where in a paper a passage stands."""

    MAIN = "main"
    APPENDIX = "appendix"
    TABLE = "table"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    CHECKLIST = "checklist"


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


class PointLabel(Record):
    """One point of a review as one reader cut and judged it; a line of ``points.jsonl`` of a set.

    Attributes:
        source: Data that the review is of, where a set has several.
        paper_id: Its paper.
        review_id: Its review.
        spans: Where it stands in the review, usually in one piece.
        type: The point's type.
        kind: What the remark does; of kind ``none`` it is no point and in no figure.
        score: 1..5; of a question its unanswerability, else its factuality; None if not judged.
        standing: 1..5, whether a fair reviewer who has the nearest passages before their eyes
            would still make the remark: 1 surely not, 5 surely; None if not judged.
        supplies: How far the paper supplies what it misses or asks for.
        passages: What answers it, contradicts it or comes nearest in the paper.
        where: Where the first passage stands.
        acknowledged: Whether the authors say so themselves; None if not judged.
        not_visible: Whether only what the text of the paper lacks would decide.
        also: Other places of the review where the same concern stands.
        reason: Why, in a sentence.
        paper_text_sha256: SHA-256 of the paper's text as it is read, in UTF-8, in which passages
            have their offsets.
        annotator: A pseudonym with a number in it, such as ``A1``; never a name.
        annotator_kind: ``human``, or ``model`` for a reader that is no person.
        codebook: The codebook that was followed, such as ``codebook 2``.
    """

    schema_id: Literal["reviewscore.point_label/1"] = Field(
        default="reviewscore.point_label/1", alias="schema"
    )
    source: str | None = None
    paper_id: str = Field(min_length=1)
    review_id: str = Field(min_length=1)
    spans: tuple[MarkedSpan, ...] = Field(min_length=1)
    type: PointType
    kind: PointKind
    score: Score | None = None
    standing: Score | None = None
    supplies: Supply | None = None
    passages: tuple[MarkedPassage, ...] = ()
    where: PassagePlace | None = None
    acknowledged: bool | None = None
    not_visible: bool | None = None
    also: tuple[MarkedSpan, ...] = ()
    reason: str | None = None
    paper_text_sha256: str | None = None
    annotator: str
    annotator_kind: AnnotatorKind
    codebook: str | None = None

    @property
    def is_point(self) -> bool:
        """Whether it counts as a point: pieces of kind ``none`` only look like some."""
        return self.kind is not PointKind.NONE

    @property
    def misinformed(self) -> bool | None:
        """Whether the score says misinformed; None if there is none."""
        return None if self.score is None else self.score <= FIVE_POINTS.misinformed_up_to
