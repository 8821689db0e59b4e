"""What came after a point was made, or after its paper was read, and stands beside it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from reviewscore.schema.record import Record


class LaterKind(StrEnum):
    """What came later."""

    REVISED = "revised"  # the paper; the point is judged against the version that was reviewed
    REWORDED = "reworded"  # the point, by its reviewer
    TAKEN_BACK = "taken_back"  # by its reviewer, in later text; no verdict
    REVIEWER_ANSWERS = "reviewer_answers"  # the flag, by its reviewer
    AUTHORS_ANSWER = "authors_answer"  # the flag, by an author of the paper

    @property
    def answers(self) -> bool:
        """Whether it is an answer to a flag."""
        return self in (LaterKind.REVIEWER_ANSWERS, LaterKind.AUTHORS_ANSWER)


class LaterRemark(Record):
    """Something that came later and bears on a point; it never changes a verdict.

    Attributes:
        kind: What it is.
        at: The day on which it was found, ISO 8601; None if that is not known.
        text: What the point said before, what its reviewer says later, or the answer; empty for a
            revision.
        version: Of a revision, the version of the paper that the review is of.
        versions: Of a revision, how many versions there are.
    """

    kind: LaterKind
    at: str | None = None
    text: str = ""
    version: int = Field(default=1, ge=1)
    versions: int = Field(default=1, ge=1)
