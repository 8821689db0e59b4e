"""The judges of one run, each bound to its model and prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from reviewscore.config import Settings
from reviewscore.judges import (
    claim_factuality,
    faithfulness,
    point_type,
    premise_factuality,
    question_answerability,
    reconstruction,
    split_points,
)
from reviewscore.judges.asker import Asker
from reviewscore.judges.judge import Judges
from reviewscore.judges.lexical import LexicalJudges
from reviewscore.llm.client import CallLog, Client
from reviewscore.llm.provider import open_provider
from reviewscore.schema.argument import (
    Draft,
    Extraction,
    Faithfulness,
    Premise,
    Round,
    Streamlined,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.verdict import PremiseVerdict, TypeVerdict, Verdict


class ModelJudges:
    """All judges, answered by one model; implements `judges.judge.Judges`."""

    version: str | None = None

    def __init__(self, asker: Asker) -> None:
        self.name = asker.model
        self._asker = asker

    async def propose_points(
        self, review: Review, sections: tuple[str, ...]
    ) -> split_points.Proposal | None:
        """Ask the model to take the review apart."""
        return await split_points.split_points(self._asker, review, sections)

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """Question, claim or argument."""
        return await point_type.point_type(self._asker, point)

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Unanswerability 1..5 of a question."""
        return await question_answerability.question_answerability(
            self._asker, point, paper, response=response
        )

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Factuality 1..5 of a whole weakness."""
        return await claim_factuality.claim_factuality(self._asker, point, paper, response=response)

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        """The verbatim conclusion and reasons of an argument."""
        return await reconstruction.extract_argument(self._asker, point)

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        """A reconstruction with formulas."""
        return await reconstruction.draft_argument(self._asker, point, paper, extraction, last=last)

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        """The needed formulas, put back into English."""
        return await reconstruction.streamline(self._asker, draft, needed)

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        """Whether the reconstruction says what the reviewer said."""
        return await faithfulness.faithfulness(self._asker, point, premises, conclusion)

    async def premise_factuality(
        self, premise: Premise, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> PremiseVerdict:
        """Knowledge source, factuality and untrivialness of one premise."""
        return await premise_factuality.premise_factuality(
            self._asker, premise, point, paper, response=response
        )


@asynccontextmanager
async def open_judges(
    settings: Settings, calls: Callable[[], CallLog], *, renew: bool = False
) -> AsyncIterator[tuple[Judges, Client | None]]:
    """The judges that the settings name, with the client that makes their calls, if any.

    Args:
        settings: Names the model.
        calls: Opens the record of calls; not used by the embedded judge.
        renew: Ask anew, once, where a recorded reply is unusable.

    Raises:
        SettingsError: The model is unknown or its key is missing.
    """
    if settings.embedded:
        yield LexicalJudges(), None
        return
    provider = open_provider(settings.model, base_url=settings.base_url, timeout=settings.timeout)
    client = Client(
        provider,
        calls(),
        connections=settings.max_connections,
        max_retries=settings.max_retries,
        renew=renew,
    )
    asker = Asker(
        client,
        model=settings.model,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )
    try:
        yield ModelJudges(asker), client
    finally:
        await client.close()
