"""Is this premise true, and is it more than obvious? (ReviewScore, fig. 16, 17 and 20)."""

from __future__ import annotations

from typing import Literal

from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.quoted import Quote, evidence_from
from reviewscore.schema.argument import Premise
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import KnowledgeSource, PremiseVerdict

NOT_TRIVIAL = 2


class PremiseReply(Reply):
    """Source, factuality and untrivialness."""

    reasoning: str
    source: Literal["given_paper", "annotator_knowledge", "other_papers"]
    factuality: Literal[1, 2, 3, 4, 5]
    settled_by_general_knowledge: bool
    untrivialness: Literal[0, 1, 2]
    quotes: list[Quote]


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
        response=response,
        year=paper.year,
    )
    reply = judged.reply
    source = KnowledgeSource(reply.source)
    open_scale = source is KnowledgeSource.ANNOTATOR_KNOWLEDGE or reply.settled_by_general_knowledge
    return PremiseVerdict(
        source=source,
        factuality=reply.factuality,
        untrivialness=reply.untrivialness if open_scale else NOT_TRIVIAL,
        rationale=reply.reasoning,
        evidence=evidence_from(reply.quotes, paper),
        provenance=(judged.provenance,),
    )
