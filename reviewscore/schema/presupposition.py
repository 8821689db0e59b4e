"""What a review point takes for granted about its paper, as judges and as readers say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from reviewscore.schema.marks import MarkedPassage
from reviewscore.schema.paper import Evidence
from reviewscore.schema.record import Record, Word, shortened
from reviewscore.schema.review import PointKind, PointType
from reviewscore.schema.scale import FIVE_POINTS, Score
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Provenance, UnknownReason

NOT_VISIBLE: Literal["not_visible"] = "not_visible"
"""Said in place of a truth score where the text at hand lacks the place that would decide."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""A share or a probability, 0..1."""


class Supplies(StrEnum):
    """How far a paper holds the very thing that a remark says it lacks."""

    FULLY = "fully"
    MOSTLY = "mostly"
    PARTLY = "partly"
    TOPIC_ONLY = "topic_only"  # it speaks of the topic, and the thing itself is not there
    NO = "no"

    @property
    def enough(self) -> bool:
        """Whether the lack is none."""
        return self in (Supplies.FULLY, Supplies.MOSTLY)


class Presupposition(Record):
    """Something that a remark takes for granted about its paper.

    Attributes:
        statement: It in a sentence.
        nearest: Passages of the paper that contradict it, supply what it says is lacking, or come
            nearest; those that are not in the text are marked as such.
        supplies: Of an alleged lack, how far the paper holds the thing; None of anything else.
        true: Whether it is so, 1 surely not .. 5 surely; ``not_visible`` if the text at hand lacks
            the place that would decide.
        central: Whether the remark falls with it.
        foreign: Whether it speaks of something that is not in the paper at all.
        acknowledged: Whether the authors state it themselves.
    """

    statement: str
    nearest: tuple[Evidence, ...] = ()
    supplies: Supplies | None = None
    true: Score | Literal["not_visible"]
    central: bool
    foreign: bool = False
    acknowledged: bool = False

    @property
    def invisible(self) -> bool:
        """Whether only what the text at hand lacks would decide."""
        return self.true == NOT_VISIBLE

    @property
    def contradicted(self) -> bool:
        """Whether the judge says that the paper speaks against it: it is false, or supplied."""
        return _spoken_against(self.true, self.supplies)


def _spoken_against(true: int | str, supplies: Supplies | None) -> bool:
    false = not isinstance(true, str) and FIVE_POINTS.misinformed(true)
    return false or (supplies is not None and supplies.enough)


class LabelledPresupposition(Record):
    """A presupposition as a reader who labels states and judges it.

    Attributes:
        statement: It in a sentence, in the reader's own words.
        true: Whether it is so, 1 surely not .. 5 surely; ``not_visible`` if the text at hand lacks
            the place that would decide.
        supplies: Of an alleged lack, how far the paper holds the thing; None of anything else.
        central: Whether the remark falls with it.
        passages: Passages of the paper that contradict it, supply what it says is lacking, or come
            nearest.
    """

    statement: str = Field(min_length=1)
    true: Score | Literal["not_visible"]
    supplies: Supplies | None = None
    central: bool
    passages: tuple[MarkedPassage, ...] = ()

    @property
    def invisible(self) -> bool:
        """Whether only what the text at hand lacks would decide."""
        return self.true == NOT_VISIBLE

    @property
    def contradicted(self) -> bool:
        """Whether the reader says that the paper speaks against it: it is false, or supplied."""
        return _spoken_against(self.true, self.supplies)


def supplied_by(presuppositions: Iterable[LabelledPresupposition]) -> bool | None:
    """Whether the paper speaks to a point by what a reader said of its presuppositions.

    A passage is named that contradicts a central presupposition, wherever it stands: unlike the
    rule for judges (`judges.presuppositions`), which counts only verified ones that reviewers could
    see, this one knows neither a checklist nor text that came after the reviews from the paper.
    None is unknown: nothing was stated, what would decide is not visible, or no passage shows what
    is said.
    """
    stated = list(presuppositions)
    central = [presupposition for presupposition in stated if presupposition.central]
    against = [presupposition for presupposition in central if presupposition.contradicted]
    if any(presupposition.passages for presupposition in against):
        return True
    unseen = any(presupposition.invisible for presupposition in central)
    return None if against or unseen or not stated else False


class RemarkPart(Record):
    """A part of a remark that bundles several; most remarks have but one.

    Attributes:
        text: Its words as the judge gives them; empty for the remark as a whole.
        span: Where they stand in the review; None if they are not verbatim in the remark.
        presuppositions: What it takes for granted.
        standing: Would a fair reviewer who has the nearest passages before their eyes still make
            it, as it is meant? 1 surely not .. 5 surely.
        supplied: Whether the paper speaks to it by the rule; None is unknown.
        misinformed: Whether it is flagged by the rule; None is unknown.
    """

    text: str = ""
    span: Span | None = None
    presuppositions: tuple[Presupposition, ...] = ()
    standing: Score
    supplied: bool | None = None
    misinformed: bool | None = None


class Look(Record):
    """What a judge says of a point after one reading.

    Attributes:
        judge: The model, as ``provider/name``.
        repeat: Number of its repetition, from 0.
        number: 1 for the first look; 2 for the second, alone and without the answers of the first.
        kind: What the point does; nothing is said of what is no point.
        type: Its type.
        parts: Its parts, the main one first; empty only of what is no point.
        probability: That an expert would call the point wrong about this paper, 0..1.
        rationale: Why, in the judge's words.
        provenance: Where it came from.
    """

    judge: str
    repeat: int = Field(default=0, ge=0)
    number: int = Field(default=1, ge=1, le=2)
    kind: PointKind
    type: PointType
    parts: tuple[RemarkPart, ...] = ()
    probability: Share
    rationale: str = ""
    provenance: tuple[Provenance, ...] = ()

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, shortened(self.judge)
        yield None, Word(self.kind.value)
        yield "standing", self.standing

    @property
    def main(self) -> RemarkPart | None:
        """The part that the point stands or falls with; None of what is no point."""
        return self.parts[0] if self.parts and self.kind is not PointKind.NONE else None

    @property
    def standing(self) -> int | None:
        """The standing of the main part, 1..5; None of what is no point."""
        return None if self.main is None else self.main.standing


class PresuppositionVerdict(Record):
    """What all looks at a point come to (`judges.presuppositions.verdict_of`).

    Attributes:
        kind: The commonest, as the rule counts looks or judges.
        type: That of the first look of this kind.
        supplied: Whether the paper speaks to the point; no flag. None is unknown.
        misinformed: The flag; None is unknown.
        reason: Why the flag is unknown.
        standing: Lower median of the looks, 1..5; None of what is no point.
        probability: Median of the looks, 0..1; None of what is no point.
        acknowledged: Whether the authors state a central presupposition themselves, as every look
            has it, and the point is not flagged.
        parts: The parts as the look has them whose standing is the point's, the earliest one.
        looks: All looks, each part of theirs with its own verdict by the rule.
    """

    kind: PointKind
    type: PointType
    supplied: bool | None = None
    misinformed: bool | None = None
    reason: UnknownReason | None = None
    standing: Score | None = None
    probability: Share | None = None
    acknowledged: bool = False
    parts: tuple[RemarkPart, ...] = ()
    looks: tuple[Look, ...] = Field(min_length=1)
