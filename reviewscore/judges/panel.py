"""Several judges on one item: repeats, models, and the median of what they say.

The first judge splits reviews, types points and rebuilds arguments, so that all judge the same
items. Every judge scores each item and votes on faithfulness. The median of the scores counts, the
lower one when their number is even (the median per item of several judges); votes are settled by
majority, a tie is not faithful. A judge without a usable reply is left out and noted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from statistics import median_low
from typing import TypeVar

from reviewscore.errors import ModelError, StopError, capture_errors, error_message, gather_results
from reviewscore.judges.by_review import ReviewPoints
from reviewscore.judges.judge import Judges, Looks, Proposal, ReviewJudges
from reviewscore.schema.argument import Draft, Extraction, Faithfulness, Premise, Round, Streamlined
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.verdict import PremiseVerdict, Rating, TypeVerdict, Verdict

Found = TypeVar("Found", Verdict, Faithfulness)


class Panel:
    """Several judges as one; implements `judges.judge.ReviewJudges`.

    Args:
        members: The judges; at least two. Members of the same name are repeats of one model.
    """

    version: str | None = None
    repeats_itself = False
    reads_responses = True
    gives_scores = True

    def __init__(self, members: Sequence[ReviewJudges]) -> None:
        self._members = tuple(members)
        names = Counter(member.name for member in members)
        self.name = " + ".join(
            f"{name} x{count}" if count > 1 else name for name, count in names.items()
        )
        self._seats = tuple(_seats([member.name for member in members]))

    async def propose_points(self, review: Review, sections: tuple[str, ...]) -> Proposal | None:
        """The first judge's proposal."""
        return await self._members[0].propose_points(review, sections)

    async def by_review(self, reviews: Sequence[ReviewPoints], paper: Paper) -> None:
        """Ask every judge about all points of reviews.

        Raises:
            StopError: Nothing more can be asked.
        """
        await gather_results(member.by_review(reviews, paper) for member in self._members)

    def forget(self, points: Iterable[ReviewPoint]) -> None:
        """Have every judge forget what is kept of points."""
        points = tuple(points)
        for member in self._members:
            member.forget(points)

    async def looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """The looks of all judges, one judge's after the other's, and who failed.

        A judge whose second look fails has none.

        Raises:
            ModelError: No judge gave a usable reply.
            StopError: Nothing more can be asked.
        """
        return await self._looks(member.looks(point, paper) for member in self._members)

    async def second_looks(self, point: ReviewPoint, paper: Paper) -> Looks:
        """The second looks of all judges, and who failed; as `looks`."""
        return await self._looks(member.second_looks(point, paper) for member in self._members)

    async def _looks(self, asked: Iterable[Awaitable[Looks]]) -> Looks:
        results = await gather_results(asked)
        answered = [looks for looks in results if not isinstance(looks, ModelError)]
        if not answered:
            raise next(error for error in results if isinstance(error, ModelError))
        failures = tuple(
            Rating(judge=name, repeat=repeat, error=error_message(error))
            for (name, repeat), error in zip(self._seats, results, strict=True)
            if isinstance(error, ModelError)
        )
        return Looks(tuple(look for looks in answered for look in looks.given), failures)

    def abstention(self, point: ReviewPoint, paper: Paper) -> str | None:
        """Nothing: a panel is of models."""
        return None

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """The first judge's type."""
        return await self._members[0].point_type(point)

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        """The first judge's extraction."""
        return await self._members[0].extract_argument(point)

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        """The first judge's reconstruction."""
        return await self._members[0].draft_argument(point, paper, extraction, last=last)

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        """The first judge's English."""
        return await self._members[0].streamline(draft, needed)

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Median unanswerability of a question."""
        return await self._scored(
            lambda judges: judges.question_answerability(point, paper, response=response)
        )

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Median factuality of a whole weakness."""
        return await self._scored(
            lambda judges: judges.claim_factuality(point, paper, response=response)
        )

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        """The majority's vote; a tie is not faithful."""
        votes = await self._asked(lambda judges: judges.faithfulness(point, premises, conclusion))
        given = [vote for vote in votes if not isinstance(vote, ModelError)]
        cast = [
            faithfulness.faithful for faithfulness in given if faithfulness.faithful is not None
        ]
        if not cast:
            return given[0]
        outcome = sum(cast) * 2 > len(cast)
        speaker = next(faithfulness for faithfulness in given if faithfulness.faithful is outcome)
        provenance = tuple(step for faithfulness in given for step in faithfulness.provenance)
        return speaker.model_copy(update={"votes": tuple(cast), "provenance": provenance})

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        """Median factuality and untrivialness of each premise, and the commonest source."""
        verdict_groups = await asyncio.gather(
            *(
                member.premises_factuality(premises, point, paper, response=response)
                for member in self._members
            )
        )
        return tuple(self._premise(verdicts) for verdicts in zip(*verdict_groups, strict=True))

    async def _asked(self, ask: Callable[[Judges], Awaitable[Found]]) -> list[Found | ModelError]:
        """What every judge says.

        Raises:
            StopError: Nothing more can be asked.
            ModelError: No judge gave a usable reply.
        """
        found = await asyncio.gather(*(capture_errors(ask(member)) for member in self._members))
        answers: list[Found | ModelError] = []
        for one in found:
            if isinstance(one, StopError):
                raise one
            answers.append(one)
        if all(isinstance(answer, ModelError) for answer in answers):
            raise next(answer for answer in answers if isinstance(answer, ModelError))
        return answers

    async def _scored(self, ask: Callable[[Judges], Awaitable[Verdict]]) -> Verdict:
        answers = await self._asked(ask)
        ratings = tuple(
            Rating(judge=name, repeat=repeat, error=error_message(model_error))
            if isinstance(model_error, ModelError)
            else Rating(judge=name, repeat=repeat, score=model_error.score)
            for (name, repeat), model_error in zip(self._seats, answers, strict=True)
        )
        given = [answer for answer in answers if not isinstance(answer, ModelError)]
        scores = [verdict.score for verdict in given if verdict.score is not None]
        middle = median_low(scores) if scores else None
        speaker = next(verdict for verdict in given if verdict.score == middle)
        provenance = tuple(step for verdict in given for step in verdict.provenance)
        return speaker.model_copy(update={"ratings": ratings, "provenance": provenance})

    def _premise(self, verdicts: tuple[PremiseVerdict, ...]) -> PremiseVerdict:
        ratings = tuple(
            Rating(
                judge=name,
                repeat=repeat,
                score=verdict.factuality,
                untrivialness=verdict.untrivialness,
                error=verdict.error,
            )
            for (name, repeat), verdict in zip(self._seats, verdicts, strict=True)
        )
        given = [verdict for verdict in verdicts if verdict.error is None]
        if not given:
            return verdicts[0].model_copy(update={"ratings": ratings})
        scores = [verdict.factuality for verdict in given if verdict.factuality is not None]
        weights = [verdict.untrivialness for verdict in given if verdict.untrivialness is not None]
        middle = median_low(scores) if scores else None
        speaker = next(verdict for verdict in given if verdict.factuality == middle)
        sources = Counter(verdict.source for verdict in given)
        update = {
            "source": max(sources, key=lambda source: sources[source]),
            "untrivialness": median_low(weights) if weights else None,
            "ratings": ratings,
            "provenance": tuple(step for verdict in given for step in verdict.provenance),
        }
        return speaker.model_copy(update=update)


def _seats(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each judge's name and the number of its repeat."""
    seen: Counter[str] = Counter()
    seats = []
    for name in names:
        seats.append((name, seen[name]))
        seen[name] += 1
    return seats
