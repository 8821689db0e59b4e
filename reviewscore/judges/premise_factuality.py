"""Is this premise true, and is it more than obvious? (ReviewScore, fig. 16, 17 and 20)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from reviewscore.errors import ModelError, StopError
from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.named_places import named_places
from reviewscore.judges.quoted import Quote, evidence_from
from reviewscore.judges.settled import reason, settled
from reviewscore.schema.answer import FivePoints, Sentence, Several, Steps, Text, Untrivialness
from reviewscore.schema.argument import Premise
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict, Provenance

NOT_TRIVIAL = 2


class PremiseReply(Reply):
    """Source, factuality and untrivialness."""

    reasoning: Text
    source: Literal["given_paper", "annotator_knowledge", "other_papers"]
    factuality: FivePoints
    settled_by_general_knowledge: bool
    untrivialness: Untrivialness
    quotes: Several[Quote]


class OnePremiseReply(PremiseReply):
    """The same for one of several premises."""

    premise: Sentence


class PremisesReply(Reply):
    """Verdicts on all premises of an argument."""

    verdicts: Steps[OnePremiseReply]


async def premise_factuality(
    asker: Asker, premise: Premise, point: ReviewPoint, paper: Paper, *, response: str | None
) -> PremiseVerdict:
    """Judge one premise of a weakness, as of the year of the paper.

    Unless the source is annotator knowledge, or that alone would settle the premise, its
    untrivialness is 2 whatever the model says (ReviewScore, fig. 20).
    """
    judged = await asker.ask(
        "premise_factuality",
        PremiseReply,
        paper=paper,
        premise=premise.text,
        point=point.text,
        context=point.context,
        places=named_places(point, paper),
        response=response,
        year=paper.year,
    )
    return _verdict(judged.reply, paper, judged.provenance)


async def in_one_call(
    asker: Asker,
    premises: tuple[Premise, ...],
    point: ReviewPoint,
    paper: Paper,
    *,
    response: str | None,
) -> tuple[PremiseVerdict, ...]:
    """Judge all premises of an argument at once: cheaper, but each may be swayed by the others.

    Without a usable reply every premise has a verdict with the error.
    """
    wanted = [premise.premise_id for premise in premises]

    def one_each(reply: PremisesReply) -> None:
        found = [one.premise.strip() for one in reply.verdicts]
        if found != wanted:
            raise ValueError(f"verdicts are needed for {wanted} in this order, not for {found}")

    judged = await settled(
        asker.ask(
            "premises_factuality",
            PremisesReply,
            paper=paper,
            check=one_each,
            premises="\n".join(f"{one.premise_id}: {one.text}" for one in premises),
            point=point.text,
            context=point.context,
            places=named_places(point, paper),
            response=response,
            year=paper.year,
        )
    )
    if isinstance(judged, StopError):
        raise judged
    if isinstance(judged, ModelError):
        return tuple(PremiseVerdict(error=reason(judged)) for _ in premises)
    return tuple(_verdict(one, paper, judged.provenance) for one in judged.reply.verdicts)


async def each_by_itself(
    judge: Callable[[Premise], Awaitable[PremiseVerdict]], premises: tuple[Premise, ...]
) -> tuple[PremiseVerdict, ...]:
    """Judge premises side by side; one without a usable reply has a verdict with the error.

    Raises:
        StopError: Nothing more can be asked.
    """
    found = await asyncio.gather(*(settled(judge(premise)) for premise in premises))
    verdicts = []
    for one in found:
        if isinstance(one, StopError):
            raise one
        verdicts.append(PremiseVerdict(error=reason(one)) if isinstance(one, ModelError) else one)
    return tuple(verdicts)


def _verdict(reply: PremiseReply, paper: Paper, provenance: Provenance) -> PremiseVerdict:
    source = KnowledgeSource(reply.source)
    open_scale = source is KnowledgeSource.ANNOTATOR_KNOWLEDGE or reply.settled_by_general_knowledge
    return PremiseVerdict(
        source=source,
        factuality=reply.factuality,
        untrivialness=reply.untrivialness if open_scale else NOT_TRIVIAL,
        rationale=reply.reasoning,
        evidence=evidence_from(reply.quotes, paper),
        provenance=(provenance,),
    )
