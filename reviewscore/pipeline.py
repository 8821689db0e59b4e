"""Score one review point: the whole journey, top to bottom (ReviewScore, fig. 1 and 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Literal

from reviewscore import __version__
from reviewscore.arguments.aggregate import advanced
from reviewscore.arguments.reconstruct import reconstruct
from reviewscore.errors import ModelError, StopError
from reviewscore.judges.judge import Judges
from reviewscore.judges.settled import reason, settled
from reviewscore.papers.places import rests_on_missing
from reviewscore.points import accept_proposed, open_sections, split_review
from reviewscore.points.places import mentions, with_places
from reviewscore.schema.argument import Argument, ArgumentState
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.point_score import Advanced, PointScore, Status, Unaided
from reviewscore.schema.review import PointType, Review, ReviewPoint
from reviewscore.schema.verdict import Finding, Provenance, TypeVerdict, Verdict

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
    opened = open_sections(review, include_limitations=limitations)
    sections = tuple(dict.fromkeys(section.name for section in opened))
    if rules_only or not sections:
        return by_rule, (), ()
    proposal = await judges.propose_points(review, sections)
    if proposal is None:
        return by_rule, (), ()
    accepted, rejected = accept_proposed(review, proposal.texts, include_limitations=limitations)
    if not accepted:
        return by_rule, (), rejected
    return accepted, (proposal.provenance,), rejected


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

    What a judge leaves without a usable reply makes the record an error only where the rest does
    not decide: an argument with one premise judged false is misinformed whatever the others are.

    Args:
        point: The point.
        paper: The paper that is reviewed.
        judges: Who judges.
        score: BASE, ADVANCED, or both; they differ for arguments only.
        rounds: Most rounds of a reconstruction.
        response: The authors' response, where judges may see it.

    Raises:
        ModelError: A judge gave no usable reply on the type of the point.
        StopError: Nothing more can be asked.
    """
    point = with_places(point, paper)
    kind = await judges.point_type(point)
    ask = judges.claim_factuality
    if kind.type is PointType.QUESTION:
        ask = judges.question_answerability
    # The embedded judge looks a point up whole: a template's argument is nobody's.
    embedded = judges.version is not None
    if kind.type is not PointType.ARGUMENT or score == "base" or embedded:
        try:
            verdict = await ask(point, paper, response=response)
        except ModelError as error:
            return _failed(point, kind, judges, error)
        if verdict.finding is not None:
            verdict = _without_missing(verdict, point, paper)
            return _finding(point, kind, verdict, judges)
        return _whole(point, kind, verdict, judges, score)
    base, argument = await asyncio.gather(
        settled(_base(point, paper, judges, score=score, response=response)),
        settled(_judged_argument(point, paper, judges, rounds=rounds, response=response)),
    )
    for one in (base, argument):
        if isinstance(one, StopError):
            raise one
    assert not isinstance(base, StopError)
    assert not isinstance(argument, StopError)
    return _argument(point, kind, base, argument, judges)


async def score_with_response(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    *,
    score: Score = "both",
    rounds: int = 10,
    response: str | None,
) -> PointScore:
    """Score a point with the authors' response, and beside it what is said without.

    Where there is no response this is `score_point`. Else the first pass leaves everything that
    does not depend on it on record (type, reconstruction, faithfulness), so that the second asks
    only for verdicts. The embedded judge does not read responses.

    Args:
        point: The point.
        paper: The paper that is reviewed.
        judges: Who judges.
        score: As in `score_point`.
        rounds: As in `score_point`.
        response: The authors' response (ReviewScore, sec. 4.4); None if there is none to show.

    Raises:
        ModelError, StopError: As `score_point`.
    """
    if response is None or judges.version is not None:
        return await score_point(point, paper, judges, score=score, rounds=rounds)
    alone = await settled(score_point(point, paper, judges, score=score, rounds=rounds))
    if isinstance(alone, StopError):
        raise alone
    found = await score_point(point, paper, judges, score=score, rounds=rounds, response=response)
    unaided = Unaided()
    if isinstance(alone, PointScore):
        advanced = alone.advanced.score if alone.advanced is not None else None
        unaided = Unaided(base=alone.base, advanced=advanced, misinformed=alone.misinformed)
    return found.model_copy(update={"without_response": unaided})


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
    verdicts = await judges.premises_factuality(argument.premises, point, paper, response=response)
    premises = tuple(
        premise.model_copy(update={"verdict": verdict})
        for premise, verdict in zip(argument.premises, verdicts, strict=True)
    )
    return argument.model_copy(update={"premises": premises})


def _failed(point: ReviewPoint, kind: TypeVerdict, judges: Judges, error: ModelError) -> PointScore:
    """The record of a point whose type is known and nothing else."""
    return point_score(
        point,
        judges,
        type=kind.type,
        status=Status.ERROR,
        error=reason(error),
        provenance=kind.provenance,
    )


def _finding(point: ReviewPoint, kind: TypeVerdict, verdict: Verdict, judges: Judges) -> PointScore:
    """What the embedded judge says of a point: a finding with its passages, and no score."""
    return point_score(
        point,
        judges,
        type=kind.type,
        status=Status.UNSCORED,
        finding=verdict.finding,
        passages=_verified(verdict.evidence),
        rationale=verdict.rationale,
        provenance=(*kind.provenance, *verdict.provenance),
    )


def _without_missing(verdict: Verdict, point: ReviewPoint, paper: Paper) -> Verdict:
    """A finding on a point whose named places are formulas or figures that the text lacks."""
    named = mentions(point.text)
    lacking = [rests_on_missing(paper, place.kind, place.first) for place in named]
    if verdict.finding is Finding.ADDRESSED or not lacking or not all(lacking):
        return verdict
    reason = f"{' '.join(dict.fromkeys(lacking))} Nothing was looked up in its stead."
    return verdict.model_copy(
        update={"finding": Finding.CANNOT_JUDGE, "rationale": reason, "evidence": ()}
    )


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
    base: Verdict | ModelError | None,
    argument: Argument | ModelError,
    judges: Judges,
) -> PointScore:
    """The score of an argument: the conjunction of its premises decides whether it misinforms."""
    verdict = None if isinstance(base, ModelError) else base
    rebuilt = None if isinstance(argument, ModelError) else argument
    premises = rebuilt.premises if rebuilt is not None else ()
    proved = rebuilt is not None and rebuilt.state in PROVED
    result = advanced(premises) if proved else Advanced()
    judged = [premise.verdict for premise in premises if premise.verdict is not None]
    failures = [reason(one) for one in (base, argument) if isinstance(one, ModelError)]
    failures += [one.error for one in judged if one.error is not None]
    status = Status.UNKNOWN if result.conjunction is None else Status.SCORED
    if failures and result.conjunction is None:
        status = Status.ERROR
    quotes = [] if verdict is None else list(verdict.evidence)
    quotes += [quote for one in judged for quote in one.evidence]
    return point_score(
        point,
        judges,
        type=kind.type,
        status=status,
        base=None if verdict is None else verdict.score,
        advanced=None if rebuilt is None else result,
        misinformed=None if result.conjunction is None else not result.conjunction,
        verdict=verdict,
        evidence=_verified(quotes),
        argument=rebuilt,
        error="; ".join(failures) or None,
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
        "places": point.places,
        "judge": judges.name,
        "judge_version": judges.version,
        "reviewscore_version": __version__,
    }
    return PointScore.model_validate({**fields, **found})
