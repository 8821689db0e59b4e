"""What a judge said: score, rationale, evidence and where it came from."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.paper import Doubt, Evidence
from reviewscore.schema.record import Record
from reviewscore.schema.review import PointType
from reviewscore.schema.scale import FIVE_POINTS, Score, Weight


class KnowledgeSource(StrEnum):
    """What a premise is judged against (ReviewScore, sec. 3.1, fig. 20)."""

    GIVEN_PAPER = "given_paper"
    ANNOTATOR_KNOWLEDGE = "annotator_knowledge"  # of the field, before the paper's year
    OTHER_PAPERS = "other_papers"


class Finding(StrEnum):
    """What the embedded `lexical` judge says of a point; it gives no score and judges no truth."""

    ADDRESSED = "addressed"  # a passage answers a categorical denial or a factual question
    PASSAGES = "passages"  # the closest passages, the closest first; nothing is said of them
    CANNOT_JUDGE = "cannot_judge"  # quality, suggestions, degrees, or no passage near it


class UnknownReason(StrEnum):
    """Why a point has no verdict, where that is not for want of an answer."""

    AFTER_REVIEW = "after_review"  # it rests on text alone that reviewers could not see
    NO_POINT = "no_point"  # its kind is `none`: it was not judged, and counts in no rate
    CONTESTED = "contested"  # looks differ on whether it is misinformed
    NOT_VISIBLE = "not_visible"  # the text at hand lacks the place that would decide
    EXCERPTS = "excerpts"  # it says more than the part of the paper that was seen can show
    UNPROVED = "unproved"  # it would not stand, and no verified passage shows why


class Provenance(Record):
    """Where a value came from. Holds no times, so that a resumed run repeats its records.

    Attributes:
        stage: What was asked: ``point_type``, ``claim_factuality``, ...
        judge: ``lexical`` or the model asked for, as ``provider/name``.
        judge_version: Version of the embedded judge; None for models.
        model_answered: The model that the provider says answered.
        reply_id: The provider's identifier of the reply.
        call_sha256: Key of the call in the ledger.
        prompt_id: Prompt file used, as ``judge/v1``.
        prompt_sha256: SHA-256 of that file's bytes.
        rendered_sha256: SHA-256 of the prompt as sent.
        parameters: What else was sent (temperature, reply limit, structured-output mode).
    """

    stage: str
    judge: str
    judge_version: str | None = None
    model_answered: str | None = None
    reply_id: str | None = None
    call_sha256: str | None = None
    prompt_id: str | None = None
    prompt_sha256: str | None = None
    rendered_sha256: str | None = None
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)


class TypeVerdict(Record):
    """Type of a review point, and why."""

    type: PointType
    rationale: str = ""
    provenance: tuple[Provenance, ...] = ()


class Rating(Record):
    """What one judge of a panel said of an item.

    Attributes:
        judge: The model, as ``provider/name``.
        repeat: Number of the repetition, from 0.
        score: 1..5; None is unknown.
        untrivialness: 0..2, of premises.
        error: Why there is no score, when the judge gave no usable reply.
    """

    judge: str
    repeat: int = 0
    score: Score | None = None
    untrivialness: Weight | None = None
    error: str | None = None


def spread(ratings: tuple[Rating, ...]) -> int | None:
    """Highest less lowest score of a panel; None where fewer than two judges scored."""
    scores = [rating.score for rating in ratings if rating.score is not None]
    return max(scores) - min(scores) if len(scores) > 1 else None


def panel_split(ratings: tuple[Rating, ...]) -> bool:
    """Whether some judges of a panel call an item misinformed and others do not."""
    sides = {
        FIVE_POINTS.misinformed(rating.score) for rating in ratings if rating.score is not None
    }
    return len(sides) > 1


class Verdict(Record):
    """A score on the five-point scale, or an honest absence of one.

    Attributes:
        scale: ``unanswerability`` (1 definitely answerable .. 5 definitely unanswerable by the
            paper) or ``factuality`` (1 definitely false .. 5 definitely true); 3 is no verdict. Or
            ``standing`` (1 would surely not stand before a fair reviewer .. 5 surely would), which
            flags nothing by itself.
        score: 1..5; None is unknown.
        finding: What the `lexical` judge, which gives no score, says instead; None for models.
        rationale: Why, in the judge's words.
        answer: For an answerable question, the answer from the paper.
        evidence: Passages of the paper, those not found in it marked as such.
        ratings: What each judge of a panel said; `score` is their lower median. Empty for one.
        provenance: Where it came from: what was asked of whom, with which prompt.
        doubt: Why a score of 1 or 2 does not count: all verified quotes for it stand where
            reviewers could not see them. `score` is empty then, and the doubt holds it.
        on_excerpts: The score of a judge who saw excerpts of the paper alone, where that says more
            than excerpts can show. It does not count, and `score` is empty.
    """

    scale: Literal["unanswerability", "factuality", "standing"]
    score: Score | None = None
    finding: Finding | None = None
    rationale: str = ""
    answer: str | None = None
    evidence: tuple[Evidence, ...] = ()
    ratings: tuple[Rating, ...] = ()
    provenance: tuple[Provenance, ...] = ()
    doubt: Doubt | None = Field(default=None, exclude_if=lambda value: value is None)
    on_excerpts: Score | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def misinformed(self) -> bool | None:
        """Whether the score is 1 or 2; None if there is no score."""
        return None if self.score is None else FIVE_POINTS.misinformed(self.score)


def unseen_alone(evidence: Iterable[Evidence], score: int | None) -> Doubt | None:
    """The doubt about a score of 1 or 2 whose verified quotes reviewers could not see, all of them.

    A score without a verified quote rests on none of these, and one good quote carries a flag.

    Args:
        evidence: What the verdict quotes.
        score: Its score, 1..5.
    """
    if score is None or not FIVE_POINTS.misinformed(score):
        return None
    doubts = [quote.doubt for quote in evidence if quote.verified]
    if not doubts or doubts[0] is None or None in doubts:
        return None
    return doubts[0].model_copy(update={"score": score})


class PremiseVerdict(Record):
    """Factuality and untrivialness of one premise.

    Attributes:
        source: What it was judged against; None when the judge cannot tell.
        factuality: 1 definitely false .. 5 definitely true; None is unknown.
        untrivialness: 0 definitely trivial, 1 probably trivial, 2 definitely not trivial.
        rationale: Why, in the judge's words.
        evidence: Passages of the paper, those not found in it marked as such.
        error: Why there is no verdict, when the judge gave no usable reply.
        ratings: What each judge of a panel said; the values are their lower medians, the source
            the commonest one. Empty for one judge.
        provenance: Where it came from: what was asked of whom, with which prompt.
        doubt: As of a `Verdict`; `factuality` is empty then.
        on_excerpts: As of a `Verdict`; `factuality` is empty then.
    """

    source: KnowledgeSource | None = None
    factuality: Score | None = None
    untrivialness: Weight | None = None
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()
    error: str | None = None
    ratings: tuple[Rating, ...] = ()
    provenance: tuple[Provenance, ...] = ()
    doubt: Doubt | None = Field(default=None, exclude_if=lambda value: value is None)
    on_excerpts: Score | None = Field(default=None, exclude_if=lambda value: value is None)
