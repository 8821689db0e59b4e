"""The judges of one run, each bound to its model and prompt."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager

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
from reviewscore.judges.asker import Asker, Manner
from reviewscore.judges.judge import Judges
from reviewscore.judges.lexical import LexicalJudges
from reviewscore.judges.panel import Panel
from reviewscore.llm.client import Client
from reviewscore.llm.connect import RunContext, connect
from reviewscore.llm.ledger.store import CallsInMemory, CallStore
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
    """All judges, answered by models; implements `judges.judge.Judges`.

    Args:
        asker: Puts the questions.
        economy: Whether to ask for the type of a point, and for all premises of an argument, in
            one call each.
    """

    version: str | None = None

    def __init__(self, asker: Asker, *, economy: bool = False) -> None:
        self.name = asker.model
        self._asker, self._economy = asker, economy

    async def propose_points(
        self, review: Review, sections: tuple[str, ...]
    ) -> split_points.Proposal | None:
        """Ask the model to take the review apart."""
        return await split_points.split_points(self._asker, review, sections)

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """Question, claim or argument."""
        ask = point_type.in_one_call if self._economy else point_type.point_type
        return await ask(self._asker, point)

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

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        """Knowledge source, factuality and untrivialness of every premise of an argument."""
        if self._economy and len(premises) > 1:
            return await premise_factuality.in_one_call(
                self._asker, premises, point, paper, response=response
            )

        async def one(premise: Premise) -> PremiseVerdict:
            return await premise_factuality.premise_factuality(
                self._asker, premise, point, paper, response=response
            )

        return await premise_factuality.each_by_itself(one, premises)


@asynccontextmanager
async def open_judges(
    settings: Settings, book: CallStore, around: RunContext | None = None
) -> AsyncIterator[tuple[Judges, Client | None]]:
    """The judges that the settings name, with the client that makes their calls, if any.

    Args:
        settings: Names the models.
        book: The record of calls; not used by the embedded judge.
        around: What goes on around the client.

    Raises:
        SettingsError: A model is unknown or its key is missing.
    """
    if settings.embedded:
        yield LexicalJudges(), None
        return
    client = await connect(settings, book, around)
    try:
        yield _bench(settings, client), client
    finally:
        await client.close()


@asynccontextmanager
async def judges_alone(
    settings: Settings, purpose: str, say: Callable[[str], None] = lambda _: None
) -> AsyncIterator[Judges]:
    """The judges that the settings name, for questions that belong to no run.

    Their calls are recorded in the ledger that all runs share; without it, nowhere.

    Args:
        settings: Name the models.
        purpose: What they are asked for, as calls are booked.
        say: Told what the user should know.

    Raises:
        SettingsError, RunFolderError: A model or the ledger cannot be used.
    """
    from reviewscore.llm.ledger.database import Ledger

    with ExitStack() as stack:
        book: Ledger | CallsInMemory = CallsInMemory()
        if settings.cache and not settings.embedded:
            run = f"{purpose}-{uuid.uuid4().hex}"
            place, fresh = settings.ledger_place, settings.refresh
            book = await asyncio.to_thread(Ledger, place, run=run, fresh=fresh)
            stack.callback(book.close)
        async with open_judges(settings, book, RunContext(say=say)) as (judges, _):
            yield judges


def _bench(settings: Settings, client: Client) -> Judges:
    """One set of judges, or a panel of several."""
    members = []
    for model in dict.fromkeys((settings.model, *settings.panel)):
        for repeat in range(settings.repeats):
            manner = Manner.of(settings, repeat=repeat)
            asker = Asker(client, model=model, judges=settings.judges, manner=manner)
            members.append(ModelJudges(asker, economy=settings.protocol == "economy"))
    return members[0] if len(members) == 1 else Panel(members)
