"""Does the reconstruction say what the reviewer said? (ReviewScore, fig. 29)."""

from __future__ import annotations

from reviewscore.judges.asker import Asker, Reply
from reviewscore.schema.answer import Text
from reviewscore.schema.argument import Faithfulness, Premise
from reviewscore.schema.review import ReviewPoint


class FaithfulnessReply(Reply):
    """Faithful or not, and why."""

    reasoning: Text
    faithful: bool


async def faithfulness(
    asker: Asker, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
) -> Faithfulness:
    """Judge a reconstruction; when it is not faithful, the rationale says what must change.

    Premises keep their ids, so that the next attempt knows which ones the rationale speaks of.
    """
    listed = "\n".join(f"{premise.premise_id}: {premise.text}" for premise in premises)
    judged = await asker.ask(
        "faithfulness",
        FaithfulnessReply,
        point=point.text,
        context=point.context,
        premises=listed,
        conclusion=conclusion,
    )
    return Faithfulness(
        faithful=judged.reply.faithful,
        rationale=judged.reply.reasoning,
        provenance=(judged.provenance,),
    )
