"""What the authors' response says to one review point, and how that was aligned."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from reviewscore.schema.record import Record


class AlignmentMethod(StrEnum):
    """How a stretch of a response was aligned with a point."""

    QUOTE = "quote"  # the response repeats words of the point
    NUMBER = "number"  # it names the point's label or number
    RETRIEVAL = "retrieval"  # it shares telling words with the point


class AlignmentCertainty(StrEnum):
    """How sure an alignment is."""

    SURE = "sure"
    LIKELY = "likely"
    POSSIBLE = "possible"


class AnswerStance(StrEnum):
    """What authors say of a point, by plain cues in their own words; no judgement of ours."""

    CONTESTS = "contests"
    CHANGED = "changed"
    ANSWERS = "answers"


class AuthorAnswer(Record):
    """A stretch of the authors' response that answers a point; the point's record has its span.

    It is data to show: no evidence, and nothing that a verdict rests on.

    Attributes:
        text: The stretch, verbatim: ``review.author_response[start:end]``.
        start: Offset of its first character in the response as it is read.
        end: Offset just after its last character.
        method: How it was aligned.
        certainty: How sure that is.
        basis: What the alignment rests on: words repeated, the label, or the shared stems.
        stance: What the authors say of the point, by plain cues.
        cue_start: Offset in the response of the sentence that holds the cue, or of the first
            sentence of the authors' own where there is no cue.
        cue_end: Offset just after it.
    """

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    method: AlignmentMethod
    certainty: AlignmentCertainty
    basis: str
    stance: AnswerStance
    cue_start: int = Field(ge=0)
    cue_end: int = Field(ge=0)

    @model_validator(mode="after")
    def _spans_fit(self) -> Self:
        if self.end - self.start != len(self.text):
            raise ValueError("start and end are not those of the text")
        if not self.start <= self.cue_start < self.cue_end <= self.end:
            raise ValueError("the cue's sentence is not within the text")
        return self

    @property
    def cue(self) -> str:
        """The sentence that stands for the answer, verbatim."""
        return self.text[self.cue_start - self.start : self.cue_end - self.start]
