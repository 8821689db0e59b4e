"""How near reviewers' own papers are to the papers they review, as a run's report shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reviewscore.schema.record import Record


class OwnPaper(Record):
    """A paper of a reviewer.

    Attributes:
        title: Its title, or its identifier if it has none.
        similarity: Of this paper alone with the paper under review; higher is nearer.
    """

    title: str
    similarity: float


class ReviewSimilarity(Record):
    """How near a reviewer's papers are to the paper of one review.

    Attributes:
        reviewer: Pseudonym in the review; None if it has none.
        value: The similarity, on the method's own scale; None if it is not known, never 0.
        among_reviewers: Percent of the reviewers with a profile that are not nearer to this paper,
            this one included, 0..100; None if there is nobody to compare with.
        among_papers: Percent of the run's papers that are not nearer to this reviewer, this one
            included, 0..100; None if there is no other paper.
        own: Whether the paper itself is in the reviewer's profile.
        nearest: The reviewer's nearest papers, nearest first.
        why: Why there is no value; empty if there is one.
    """

    reviewer: str | None
    value: float | None = None
    among_reviewers: float | None = Field(default=None, ge=0, le=100)
    among_papers: float | None = Field(default=None, ge=0, le=100)
    own: bool = False
    nearest: tuple[OwnPaper, ...] = ()
    why: str = ""


class SimilarityDigest(Record):
    """The similarities of a run's reviews.

    Attributes:
        method: Name of the recipe.
        centred: Whether 0 is the mean of the paper's similarities over all reviewers.
        notes: What a reader must know.
        inputs: SHA-256 of the run's files of papers and reviews.
        profiles: SHA-256 of the files of profiles.
        reviewers: Reviewers with a similarity, who percentiles are among.
        papers: Papers of the run with a similarity, likewise.
        reviews: By review.
    """

    schema_id: Literal["reviewscore.similarity-digest/1"] = Field(
        default="reviewscore.similarity-digest/1", alias="schema"
    )
    method: str
    centred: bool
    notes: tuple[str, ...]
    inputs: tuple[str, ...]
    profiles: tuple[str, ...]
    reviewers: int = Field(ge=0)
    papers: int = Field(ge=0)
    reviews: dict[str, ReviewSimilarity]
