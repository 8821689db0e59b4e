"""Score one review point: the whole journey, top to bottom (ReviewScore, fig. 1 and 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

from reviewscore import __version__
from reviewscore.arguments.aggregate import advanced
from reviewscore.arguments.reconstruct import reconstruct
from reviewscore.judges.judge import Judges
from reviewscore.points import accept_proposed, open_sections, split_review
from reviewscore.schema.argument import Argument, ArgumentState, Premise
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.point_score import Advanced, PointScore, Status
from reviewscore.schema.review import PointType, Review, ReviewPoint
from reviewscore.schema.verdict import Provenance, TypeVerdict, Verdict

Score = Literal["base", "advanced", "both"]

PROVED = (ArgumentState.ACCEPTED, ArgumentState.VALID_UNJUDGED)
"""Premises are judged only in arguments that are proved and not found unfaithful."""


async def review_points(
    review: Review, judges: Judges, *, limitations: bool = False, rules_only: bool = False
) -> tuple[tuple[ReviewPoint, ...], tuple[Provenance, ...], tuple[str, ...]]:
    """Split a review, by the judges' proposal where they make one.

    A proposal counts only where it is verbatim in the review; if none is, the rules split.

    Returns:
        The points, where they came from (empty for the rules), and the rejected proposals.
    """
    by_rule = split_review(review, include_limitations=limitations)
    sections = tuple(dict.fromkeys(section.name for section in open_sections(review)))
    if rules_only or not sections:
        return by_rule, (), ()
    proposal = await judges.propose_points(review, sections)
    if proposal is None:
        return by_rule, (), ()
    accepted, rejected = accept_proposed(review, proposal.texts)
    return accepted or by_rule, (proposal.provenance,), rejected


async def score_point(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    *,
    score: Score = "both",
    rounds: int = 10,
    response: str | None = None,
) -> PointScore:
    """Score one review point against its paper.

    Args:
        point: The point.
        paper: The paper that is reviewed.
        judges: Who judges.
        score: BASE, ADVANCED, or both; they differ for arguments only.
        rounds: Most rounds of a reconstruction.
        response: The authors' response, where judges may see it.

    Raises:
        ModelError: A judge gave no usable reply.
    """
    kind = await judges.point_type(point)
    if kind.type is PointType.QUESTION:
        verdict = await judges.question_answerability(point, paper, response=response)
        return _whole(point, kind, verdict, judges, score)
    if kind.type is PointType.CLAIM:
        verdict = await judges.claim_factuality(point, paper, response=response)
        return _whole(point, kind, verdict, judges, score)
    if score == "base":
        verdict = await judges.claim_factuality(point, paper, response=response)
        return _whole(point, kind, verdict, judges, score)
    base, argument = await asyncio.gather(
        _base(point, paper, judges, score=score, response=response),
        _judged_argument(point, paper, judges, rounds=rounds, response=response),
    )
    return _argument(point, kind, base, argument, judges)


async def _base(
    point: ReviewPoint, paper: Paper, judges: Judges, *, score: Score, response: str | None
) -> Verdict | None:
    if score == "advanced":
        return None
    return await judges.claim_factuality(point, paper, response=response)


async def _judged_argument(
    point: ReviewPoint, paper: Paper, judges: Judges, *, rounds: int, response: str | None
) -> Argument:
    argument = await reconstruct(point, paper, judges, rounds=rounds)
    if argument.state not in PROVED:
        return argument
    premises = await asyncio.gather(
        *(_judged_premise(one, point, paper, judges, response) for one in argument.premises)
    )
    return argument.model_copy(update={"premises": tuple(premises)})


async def _judged_premise(
    premise: Premise, point: ReviewPoint, paper: Paper, judges: Judges, response: str | None
) -> Premise:
    verdict = await judges.premise_factuality(premise, point, paper, response=response)
    return premise.model_copy(update={"verdict": verdict})


def _whole(
    point: ReviewPoint, kind: TypeVerdict, verdict: Verdict, judges: Judges, score: Score
) -> PointScore:
    """The score of a point that is judged as a whole: ADVANCED is the same as BASE."""
    is_argument = kind.type is PointType.ARGUMENT
    same = None if score == "base" or is_argument else Advanced(score=verdict.score)
    return point_score(
        point,
        judges,
        type=kind.type,
        status=Status.UNKNOWN if verdict.score is None else Status.SCORED,
        base=verdict.score,
        advanced=same,
        misinformed=verdict.misinformed,
        verdict=verdict,
        evidence=_verified(verdict.evidence),
        provenance=kind.provenance,
    )


def _argument(
    point: ReviewPoint,
    kind: TypeVerdict,
    base: Verdict | None,
    argument: Argument,
    judges: Judges,
) -> PointScore:
    """The score of an argument: the conjunction of its premises decides whether it misinforms."""
    result = advanced(argument.premises) if argument.state in PROVED else Advanced()
    quotes = [] if base is None else list(base.evidence)
    for premise in argument.premises:
        quotes += premise.verdict.evidence if premise.verdict else ()
    return point_score(
        point,
        judges,
        type=kind.type,
        status=Status.UNKNOWN if result.conjunction is None else Status.SCORED,
        base=None if base is None else base.score,
        advanced=result,
        misinformed=None if result.conjunction is None else not result.conjunction,
        verdict=base,
        evidence=_verified(quotes),
        argument=argument,
        provenance=kind.provenance,
    )


def _verified(quotes: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Quotes that are in the paper, each once; others are never evidence."""
    return tuple(dict.fromkeys(quote for quote in quotes if quote.verified))


def point_score(point: ReviewPoint, judges: Judges, **found: object) -> PointScore:
    """The record of a point: its own fields, who judged, and what was found."""
    fields = {
        "point_id": point.point_id,
        "review_id": point.review_id,
        "paper_id": point.paper_id,
        "section": point.section,
        "role": point.role,
        "text": point.text,
        "context": point.context,
        "span": point.span,
        "judge": judges.name,
        "judge_version": judges.version,
        "reviewscore_version": __version__,
    }
    return PointScore.model_validate({**fields, **found})
