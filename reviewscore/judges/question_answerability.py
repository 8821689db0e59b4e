"""Could the question have been answered by reading the paper? (ReviewScore, fig. 15 and 18)."""

from __future__ import annotations

from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.named_places import named_places
from reviewscore.judges.quoted import Quote, evidence_from
from reviewscore.schema.answer import FivePoints, Several, Text
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import MISINFORMED_UP_TO, Verdict


class AnswerabilityReply(Reply):
    """Unanswerability with sources and answer."""

    reasoning: Text
    unanswerability: FivePoints
    quotes: Several[Quote]
    answer: Text | None


async def question_answerability(
    asker: Asker, point: ReviewPoint, paper: Paper, *, response: str | None
) -> Verdict:
    """Unanswerability of a question, 1 definitely answerable .. 5 definitely unanswerable.

    The answer and the quotes are kept only when the score says the paper answers the question.
    """
    judged = await asker.ask(
        "question_answerability",
        AnswerabilityReply,
        paper=paper,
        point=point.text,
        context=point.context,
        places=named_places(point, paper),
        response=response,
    )
    reply = judged.reply
    answerable = reply.unanswerability <= MISINFORMED_UP_TO
    return Verdict(
        scale="unanswerability",
        score=reply.unanswerability,
        rationale=reply.reasoning,
        answer=reply.answer if answerable else None,
        evidence=evidence_from(reply.quotes, paper) if answerable else (),
        provenance=(judged.provenance,),
    )
