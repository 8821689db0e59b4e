"""Does the reconstruction say what the reviewer said? (ReviewScore, fig. 29)."""

from __future__ import annotations

from reviewscore.judges.asker import Asker, Reply
from reviewscore.schema.argument import Faithfulness
from reviewscore.schema.review import ReviewPoint


class FaithfulnessReply(Reply):
    """Faithful or not, and why."""

    reasoning: str
    faithful: bool


async def faithfulness(
    asker: Asker, point: ReviewPoint, premises: tuple[str, ...], conclusion: str
) -> Faithfulness:
    """Judge a reconstruction; when it is not faithful, the rationale says what must change."""
    listed = "\n".join(f"P{number}: {text}" for number, text in enumerate(premises, start=1))
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
