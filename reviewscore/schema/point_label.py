"""A review point as a reader marked it in the review, with all that the reader said of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.annotation import AnnotatorKind
from reviewscore.schema.marks import MarkedPassage, MarkedSpan
from reviewscore.schema.presupposition import LabelledPresupposition, Supplies
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS, Score


class PassagePlace(StrEnum):
    """Where in a paper a passage stands."""

    MAIN = "main"
    APPENDIX = "appendix"
    TABLE = "table"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    CHECKLIST = "checklist"


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
        presuppositions: What it takes for granted, where the reader said so.
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
    supplies: Supplies | None = None
    passages: tuple[MarkedPassage, ...] = ()
    where: PassagePlace | None = None
    presuppositions: tuple[LabelledPresupposition, ...] = Field(
        default=(), exclude_if=lambda value: not value
    )
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
        return None if self.score is None else FIVE_POINTS.misinformed(self.score)

    @property
    def would_not_stand(self) -> bool | None:
        """Whether the standing is 1 or 2; None if there is none."""
        return None if self.standing is None else FIVE_POINTS.misinformed(self.standing)
