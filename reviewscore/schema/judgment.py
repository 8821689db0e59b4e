"""What a person says of a flag, or answers to it, as a line of a run's judgments."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.record import Record

LONGEST_NOTE = 4000
"""Characters of a note or an answer."""


class FlagOpinion(StrEnum):
    """What a person says."""

    AGREE = "agree"  # with the verdict that was shown
    DISAGREE = "disagree"
    UNSURE = "unsure"
    MISINFORMED = "misinformed"  # the point, of which no verdict was shown
    NOT_MISINFORMED = "not misinformed"
    RETRACTED = "retracted"  # what the person said before


class JudgmentKind(StrEnum):
    """What a line is."""

    JUDGMENT = "judgment"
    ANSWER = "answer"  # of the reviewer or an author to a flag; no judgment of it


class SpeakerRole(StrEnum):
    """As what a person speaks."""

    CHAIR = "chair"
    REVIEWER = "reviewer"
    AUTHOR = "author"


class FlagQuestion(StrEnum):
    """What was asked; answers to the two are never pooled."""

    FLAG = "flag"  # whether the verdict that is shown is right
    MISINFORMED = "misinformed"  # whether the point is, in the words of the codebook


class PointSampling(StrEnum):
    """How a point came before a person."""

    FLAGS = "flags"  # next in the list of flags
    SEARCH = "search"  # next in, or picked from, a filtered list
    BROWSED = "browsed"  # found on the page of its paper
    RANDOM = "random"  # drawn at random, and taken in the order of the draw


class FlagJudgment(Record):
    """One line of ``judgments.jsonl``.

    Attributes:
        judgment_id: Its own identifier, by which copies of it are one.
        who: Pseudonym.
        by: As what they speak.
        kind: Whether it judges or answers.
        point_id: The point.
        paper_id: Its paper.
        review_id: Its review.
        asked: What was asked.
        verdict: What is said; of an answer None, or that it was taken back.
        note: The reason, or the answer's words.
        saw_verdict: Whether the person had seen the verdict of the point.
        order: The how-manieth of this person since the app was started.
        sampling: How the point came before them.
        weight: For how many points a randomly drawn one stands; None of others.
        flagged: Whether the point was a flag.
        was: Its verdict at that time.
        at: When, UTC, ISO 8601 with microseconds.
    """

    schema_id: Literal["reviewscore.judgment/1"] = Field(
        default="reviewscore.judgment/1", alias="schema"
    )
    judgment_id: str = Field(default_factory=lambda: uuid.uuid4().hex)
    who: str
    by: SpeakerRole = SpeakerRole.CHAIR
    kind: JudgmentKind = JudgmentKind.JUDGMENT
    point_id: str
    paper_id: str
    review_id: str
    asked: FlagQuestion = FlagQuestion.FLAG
    verdict: FlagOpinion | None = None
    note: str = Field(default="", max_length=LONGEST_NOTE)
    saw_verdict: bool = True
    order: int = Field(default=1, ge=1)
    sampling: PointSampling = PointSampling.BROWSED
    weight: float | None = None
    flagged: bool = False
    was: str = ""
    at: str = Field(
        default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$",
    )

    @property
    def stands(self) -> bool:
        """Whether something is said, and not taken back."""
        return self.verdict is not FlagOpinion.RETRACTED

    @property
    def thinks_misinformed(self) -> bool | None:
        """Whether the person takes the point for misinformed; None if unsure, or for an answer.

        Whoever disagrees that a point is not misinformed takes it for misinformed.
        """
        if self.verdict in (FlagOpinion.MISINFORMED, FlagOpinion.NOT_MISINFORMED):
            return self.verdict is FlagOpinion.MISINFORMED
        if self.verdict in (FlagOpinion.AGREE, FlagOpinion.DISAGREE):
            return self.flagged == (self.verdict is FlagOpinion.AGREE)
        return None
