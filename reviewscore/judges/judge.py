"""What a set of judges offers, whether a model or the embedded `lexical` judge answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from reviewscore.judges.by_review import ReviewPoints
from reviewscore.schema.argument import Draft, Extraction, Faithfulness, Premise, Round, Streamlined
from reviewscore.schema.paper import Paper
from reviewscore.schema.presupposition import Look
from reviewscore.schema.review import ProposedPoint, Review, ReviewPoint
from reviewscore.schema.verdict import PremiseVerdict, Provenance, Rating, TypeVerdict, Verdict


@dataclass(frozen=True)
class Proposal:
    """What a judge takes for points; whether they are verbatim is checked by `points`."""

    points: tuple[ProposedPoint, ...]
    provenance: Provenance


class Judges(Protocol):
    """The judges of one run.

    Every method asks one question and returns one record that carries its provenance. Methods
    raise `ModelError` when there is no usable answer. ``response`` is the authors' response to
    the review, given only when the run asks for it.

    Attributes:
        name: ``lexical`` or the model as ``provider/name``.
        version: Version of an embedded judge; None for models.
        repeats_itself: Whether asking again, with what was wrong, brings nothing new.
        reads_responses: Whether verdicts may change with the authors' response.
        gives_scores: Whether verdicts hold scores; else they hold findings, and points are looked
            up whole.
    """

    name: str
    version: str | None
    repeats_itself: bool
    reads_responses: bool
    gives_scores: bool

    async def propose_points(self, review: Review, sections: tuple[str, ...]) -> Proposal | None:
        """Stretches of the review taken for points; None leaves splitting to the rules."""
        ...

    def abstention(self, point: ReviewPoint, paper: Paper) -> str | None:
        """Why these judges say nothing of a point, in a sentence or two; None if they judge it."""
        ...

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """Question, claim or argument."""
        ...

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Unanswerability 1..5 of a question."""
        ...

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Factuality 1..5 of a whole weakness."""
        ...

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        """The verbatim conclusion and reasons of an argument."""
        ...

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        """Premises, conclusion and formulas; ``last`` is the failed attempt with its feedback."""
        ...

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        """The needed premises and the conclusion, put back into English from their formulas."""
        ...

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        """Whether the reconstruction says what the reviewer said."""
        ...

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        """Knowledge source, factuality and untrivialness of each premise, in order.

        A premise that the judge gives no usable reply on has a verdict with its `error`.
        """
        ...


@dataclass(frozen=True)
class Looks:
    """Looks at the presuppositions of a point.

    Attributes:
        given: The looks, one judge's after the other's.
        failures: Judges of a panel who gave no usable reply, each with its error.
    """

    given: tuple[Look, ...]
    failures: tuple[Rating, ...] = ()


@runtime_checkable
class ReviewJudges(Judges, Protocol):
    """Judges that can be asked about all points of reviews at once, and for presuppositions.

    What one reply says of each point is kept until the other methods ask for it, or until it is
    forgotten; these ask about a point alone where nothing is kept.
    """

    async def by_review(self, reviews: Sequence[ReviewPoints], paper: Paper) -> None:
        """Ask about all points of reviews of a paper."""
        ...

    def forget(self, points: Iterable[ReviewPoint]) -> None:
        """Forget what is kept of points."""
        ...

    async def looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """All looks at the presuppositions of a point; at least one."""
        ...

    async def second_looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """A second look at a point by each judge, alone, whatever the first one came to."""
        ...
