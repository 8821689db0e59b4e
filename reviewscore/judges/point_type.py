"""Question, claim or argument? Two questions, as in ReviewScore, fig. 21 and 22."""

from __future__ import annotations

from typing import Literal

from reviewscore.judges.asker import Asker, Reply
from reviewscore.schema.answer import Text
from reviewscore.schema.review import PointType, ReviewPoint
from reviewscore.schema.verdict import TypeVerdict


class ArgumentReply(Reply):
    """Whether a point gives a reason."""

    reasoning: Text
    is_argument: bool


class QuestionReply(Reply):
    """Whether a point asks or states."""

    reasoning: Text
    kind: Literal["question", "claim"]


class PointTypeReply(Reply):
    """The type of a point, in one answer."""

    reasoning: Text
    kind: Literal["argument", "question", "claim"]


async def in_one_call(asker: Asker, point: ReviewPoint) -> TypeVerdict:
    """Type of a point by a single question."""
    judged = await asker.ask("point_type", PointTypeReply, point=point.text, context=point.context)
    return TypeVerdict(
        type=PointType(judged.reply.kind),
        rationale=judged.reply.reasoning,
        provenance=(judged.provenance,),
    )


async def point_type(asker: Asker, point: ReviewPoint) -> TypeVerdict:
    """Type of a point: first whether it argues, and if not, whether it asks."""
    first = await asker.ask("is_argument", ArgumentReply, point=point.text, context=point.context)
    if first.reply.is_argument:
        return TypeVerdict(
            type=PointType.ARGUMENT,
            rationale=first.reply.reasoning,
            provenance=(first.provenance,),
        )
    second = await asker.ask("is_question", QuestionReply, point=point.text, context=point.context)
    return TypeVerdict(
        type=PointType(second.reply.kind),
        rationale=second.reply.reasoning,
        provenance=(first.provenance, second.provenance),
    )
