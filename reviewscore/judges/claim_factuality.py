"""Is the claim, or the whole weakness, true of the paper? (ReviewScore, fig. 16 and 19)."""

from __future__ import annotations

from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.named_places import named_places
from reviewscore.judges.quoted import Quote, evidence_from
from reviewscore.schema.answer import FivePoints, Several, Text
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import Verdict


class FactualityReply(Reply):
    """Factuality with sources."""

    reasoning: Text
    factuality: FivePoints
    quotes: Several[Quote]


async def claim_factuality(
    asker: Asker, point: ReviewPoint, paper: Paper, *, response: str | None
) -> Verdict:
    """Factuality of a weakness as a whole, 1 definitely false .. 5 definitely true."""
    judged = await asker.ask(
        "claim_factuality",
        FactualityReply,
        paper=paper,
        point=point.text,
        context=point.context,
        places=named_places(point, paper),
        response=response,
    )
    return Verdict(
        scale="factuality",
        score=judged.reply.factuality,
        rationale=judged.reply.reasoning,
        evidence=evidence_from(judged.reply.quotes, paper),
        provenance=(judged.provenance,),
    )
