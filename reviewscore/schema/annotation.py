"""Labels that people gave: what was labelled, by whom, and which label."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.presupposition import LabelledPresupposition
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS, STANDING, UNTRIVIALNESS, Score
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import KnowledgeSource


class LabelField(StrEnum):
    """What a label says of its unit; the codebook in ``annotations/`` tells how to choose it."""

    TYPE = "type"
    UNANSWERABILITY = "unanswerability"
    FACTUALITY = "factuality"
    FAITHFULNESS = "faithfulness"
    SOURCE = "source"
    UNTRIVIALNESS = "untrivialness"
    KIND = "kind"
    STANDING = "standing"
    PRESUPPOSITIONS = "presuppositions"


class AnnotatorKind(StrEnum):
    """Who labels: a person, or a capable reader that is none and is never called one."""

    HUMAN = "human"
    MODEL = "model"


def readers_in_words(people: int, models: int) -> str:
    """How many annotators of which kind there are; a model is never called a person."""
    parts = (
        (people, "person" if people == 1 else "people"),
        (models, "model reader" if models == 1 else "model readers"),
    )
    return " and ".join(f"{count:,} {noun}" for count, noun in parts if count) or "nobody"


class UnitKind(StrEnum):
    """What people label."""

    POINT = "point"
    PREMISE = "premise"


FIELDS_OF = {
    UnitKind.POINT: (
        LabelField.TYPE,
        LabelField.UNANSWERABILITY,
        LabelField.FACTUALITY,
        LabelField.FAITHFULNESS,
        LabelField.KIND,
        LabelField.STANDING,
        LabelField.PRESUPPOSITIONS,
    ),
    UnitKind.PREMISE: (LabelField.SOURCE, LabelField.FACTUALITY, LabelField.UNTRIVIALNESS),
}
"""The fields that can be labelled of each kind of unit."""

VALUES: dict[LabelField, tuple[int | str, ...]] = {
    LabelField.TYPE: tuple(point_type.value for point_type in PointType),
    LabelField.UNANSWERABILITY: tuple(FIVE_POINTS.values),
    LabelField.FACTUALITY: tuple(FIVE_POINTS.values),
    LabelField.FAITHFULNESS: tuple(FIVE_POINTS.values),
    LabelField.SOURCE: tuple(source.value for source in KnowledgeSource),
    LabelField.UNTRIVIALNESS: tuple(UNTRIVIALNESS.values),
    LabelField.KIND: tuple(kind.value for kind in PointKind),
    LabelField.STANDING: tuple(STANDING.values),
}
"""All values that a label of each field can have; presuppositions are no values of a scale."""


class Unit(Record):
    """One review point or premise that people labelled.

    Attributes:
        unit_id: The point's identifier (`schema.point_id`), of a premise with ``/P<m>`` after it.
        kind: ``point`` or ``premise``.
        paper_id: Its paper.
        review_id: Its review.
        point_id: Of a premise, the point it belongs to.
        span: Of a point, where it stands in its review: with `text` or `sha256`, it finds the
            point again in a run that names its points otherwise.
        text: The point's or premise's words, where the licence of the text allows it.
        sha256: SHA-256 of the text in UTF-8, where it does not. A unit of a run with other words
            is another unit.
        subset: Part of the set it belongs to, such as ``pilot``.
    """

    schema_id: Literal["reviewscore.unit/1"] = Field(default="reviewscore.unit/1", alias="schema")
    unit_id: str = Field(min_length=1)
    kind: UnitKind = UnitKind.POINT
    paper_id: str = Field(min_length=1)
    review_id: str = Field(min_length=1)
    point_id: str | None = None
    span: Span | None = None
    text: str | None = None
    sha256: str | None = None
    subset: str | None = None


class Label(Record):
    """What one annotator said of one unit.

    Attributes:
        unit_id: The unit.
        annotator: A pseudonym with a number in it, such as ``A1``; never a name.
        annotator_kind: ``human``, or ``model`` for a reader that is no person.
        field: What is labelled.
        value: One of `VALUES` of that field; of ``presuppositions`` a list of them.
        justification: Why, with the passage it rests on.
        codebook: The codebook that was followed, such as ``codebook 1``.
        at: When, as UTC in ISO 8601.
        saw_scores: True if the annotator had asked to see a model's scores of the point before.
        seconds: Time that the annotator looked at the point for this label.
    """

    unit_id: str = Field(min_length=1)
    annotator: str
    annotator_kind: AnnotatorKind
    field: LabelField
    value: int | str | tuple[LabelledPresupposition, ...]
    justification: str | None = None
    codebook: str | None = None
    at: str | None = None
    saw_scores: bool | None = None
    seconds: float | None = Field(default=None, ge=0)

    @property
    def number(self) -> float:
        """The value as a number of its scale; NaN if it is none."""
        return float(self.value) if isinstance(self.value, int) else math.nan

    @property
    def presuppositions(self) -> tuple[LabelledPresupposition, ...]:
        """What the point takes for granted, if that is what was labelled."""
        return self.value if isinstance(self.value, tuple) else ()


class Annotator(Record):
    """What is known of an annotator (ReviewScore, arXiv 2509.21679, table 8).

    Attributes:
        annotator: The pseudonym.
        group: Those who labelled the same papers.
        publications: Number of publications in the field.
        relevance: 1..5 for each paper, how near it is to the annotator's own work: 5 direct
            expertise, 4 an adjacent topic, 3 the same broad area, 2 hardly related, 1 outside.
    """

    annotator: str
    group: str | None = None
    publications: int | None = Field(default=None, ge=0)
    relevance: dict[str, Score] = Field(default_factory=dict)
