"""A graded judge: a model that reads the paper and the review, and no reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewscore.errors import ModelError
from reviewscore.gem.scored import Scored
from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.settled import reason
from reviewscore.likeness.pair import Pair
from reviewscore.runs.generation import OpenAsker, all_settled, with_asker
from reviewscore.schema.answer import Grade, Text
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Provenance

NO_PAPER = "the paper's text is not given"
NO_REVIEW = "the review is empty"


class ExaminerReply(Reply):
    """Four analyses, what they come to, and the grade."""

    understanding: Text
    coverage: Text
    substantiation: Text
    constructiveness: Text
    overall_assessment: Text
    overall_score: Grade


@dataclass(frozen=True, slots=True)
class Examination:
    """What the examiner made of one review.

    Attributes:
        reply: The grade, 0 worst .. 10 best, with its analyses; None if there is none.
        provenance: Where it came from.
        reason: Why there is none; empty if there is one. A failed judgment is no grade, never 0.
    """

    reply: ExaminerReply | None
    provenance: Provenance | None = None
    reason: str = ""


class Examiner:
    """A graded judge as a metric, 0..10.

    After the judge called LMExaminer in arXiv 2411.07228, app. D.3. It does not see the
    reference, so a review is asked about once, whatever references it has.

    Args:
        open_asker: Opens what puts questions, anew for every use.
    """

    name = "examiner"

    def __init__(self, open_asker: OpenAsker) -> None:
        self._open = open_asker

    def examinations(self, pairs: Sequence[Pair]) -> list[Examination]:
        """One for each pair, in order.

        Raises:
            StopError: Nothing more can be asked.
        """
        once = list(dict.fromkeys((one.paper_id, one.paper, one.candidate) for one in pairs))

        async def ask(asker: Asker) -> list[Examination | ModelError]:
            return await all_settled([examine(asker, *one) for one in once])

        found = [
            Examination(None, reason=reason(one)) if isinstance(one, ModelError) else one
            for one in with_asker(self._open, ask)
        ]
        known = dict(zip(once, found, strict=True))
        return [known[one.paper_id, one.paper, one.candidate] for one in pairs]

    def scored(self, pairs: Sequence[Pair]) -> list[Scored]:
        """Grades of the pairs, in order, with the reasons of missing ones."""
        return [
            Scored(None if one.reply is None else float(one.reply.overall_score), one.reason)
            for one in self.examinations(pairs)
        ]

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        """Grades of the pairs, in order; None where there is none."""
        return [one.value for one in self.scored(pairs)]


async def examine(asker: Asker, paper_id: str, paper: str | None, review: str) -> Examination:
    """Grade one review.

    Raises:
        ModelError: There is no usable reply.
    """
    if not (paper or "").strip():
        return Examination(None, reason=NO_PAPER)
    if not review.strip():
        return Examination(None, reason=NO_REVIEW)
    judged = await asker.ask(
        "examiner",
        ExaminerReply,
        paper=Paper(paper_id=paper_id, title="", text=paper or ""),
        review=review,
    )
    return Examination(judged.reply, judged.provenance)
