"""Which stretches of a review are review points? (ReviewScore, def. 1 and sec. 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.judges.asker import Asker, Reply
from reviewscore.schema.answer import Several, Text
from reviewscore.schema.review import Review
from reviewscore.schema.verdict import Provenance


class SplitReply(Reply):
    """Verbatim review points, in order."""

    points: Several[Text]


@dataclass(frozen=True)
class Proposal:
    """Stretches a judge takes for points; whether they are verbatim is checked by `points`."""

    texts: tuple[str, ...]
    provenance: Provenance


async def split_points(asker: Asker, review: Review, sections: tuple[str, ...]) -> Proposal:
    """Ask for a review's points.

    Args:
        asker: The model.
        review: The review.
        sections: Names of the boxes and headings that points may come from.
    """
    boxes = "\n\n".join(f"[{name}]\n{text}" for name, text in review.fields.items())
    judged = await asker.ask("split_points", SplitReply, review=boxes, sections=list(sections))
    return Proposal(texts=tuple(judged.reply.points), provenance=judged.provenance)
