"""Score one review point: the whole journey, top to bottom (ReviewScore, fig. 1 and 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from statistics import median_low
from typing import Literal, assert_never

from reviewscore import __version__
from reviewscore.arguments.aggregate import advanced, failure
from reviewscore.arguments.reconstruct import infers, reconstruct, verbatim
from reviewscore.errors import ModelError, StopError, capture_errors, error_message
from reviewscore.judges.excerpts import on_excerpts, premise_on_excerpts
from reviewscore.judges.judge import Judges, ReviewJudges
from reviewscore.judges.presuppositions import passages_of, verdict_of
from reviewscore.papers.parts import seen_of, without_doubtful
from reviewscore.papers.places import rests_on_missing
from reviewscore.points.places import mentions, with_places
from reviewscore.points.split import accept_proposed, proposal_sections, split_review
from reviewscore.schema.argument import Argument
from reviewscore.schema.paper import Doubt, Evidence, Paper, Scope, Seen
from reviewscore.schema.point_score import Advanced, PointScore, Status, WithoutResponse
from reviewscore.schema.presupposition import Look, PresuppositionVerdict
from reviewscore.schema.review import PointKind, PointType, Review, ReviewPoint
from reviewscore.schema.verdict import (
    Finding,
    PremiseVerdict,
    Provenance,
    Rating,
    TypeVerdict,
    UnknownReason,
    Verdict,
    unseen_alone,
)

Score = Literal["base", "advanced", "both"]


async def review_points(
    review: Review,
    judges: Judges,
    *,
    limitations: bool = True,
    rules_only: bool = False,
    by_rule: tuple[ReviewPoint, ...] | None = None,
) -> tuple[tuple[ReviewPoint, ...], tuple[Provenance, ...], tuple[str, ...]]:
    """Split a review, by the judges' proposal where they make one.

    A proposal counts only where it is verbatim in the review; if none is, the rules split.

    Args:
        review: The review.
        judges: Who may propose points.
        limitations: Whether sections for limitations give points.
        rules_only: Whether nothing is to be proposed.
        by_rule: The points by the rules, where they are known already.

    Returns:
        The points, where they came from (empty for the rules), and the rejected proposals.
    """
    if by_rule is None:
        by_rule = split_review(review, include_limitations=limitations)
    if rules_only:
        return by_rule, (), ()
    opened = proposal_sections(review, include_limitations=limitations)
    sections = tuple(dict.fromkeys(section.name for section in opened))
    if not sections:
        return by_rule, (), ()
    proposal = await judges.propose_points(review, sections)
    if proposal is None:
        return by_rule, (), ()
    accepted, rejected = accept_proposed(review, proposal.points, include_limitations=limitations)
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
    if point.kind is PointKind.NONE:
        return _not_judged(with_places(point, paper), judges)
    record = await _score_point(
        with_places(point, paper), paper, judges, score=score, rounds=rounds, response=response
    )
    update: dict[str, object] = {}
    if paper.doubts:
        update["doubts"] = (*paper.doubts, *record.doubts)
    if paper.excerpt_share is not None and judges.gives_scores:
        update["seen"] = Seen(kind=Scope.EXCERPTS, share=round(paper.excerpt_share, 4))
    if paper.shown_pages is not None:
        update["seen"] = seen_of(paper)
    return record.model_copy(update=update) if update else record


async def _score_point(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    *,
    score: Score,
    rounds: int,
    response: str | None,
) -> PointScore:
    """The record of a point, without what is doubtful about its paper as a whole."""
    if (why := judges.abstention(point, paper)) is not None:
        return make_record(
            point,
            judges,
            status=Status.UNSCORED,
            finding=Finding.CANNOT_JUDGE,
            rationale=why,
        )
    typed = await judges.point_type(point)
    match typed.type:
        case PointType.ARGUMENT if score != "base" and judges.gives_scores:
            base, argument = await asyncio.gather(
                capture_errors(_base(point, paper, judges, score=score, response=response)),
                capture_errors(
                    _judged_argument(point, paper, judges, rounds=rounds, response=response)
                ),
            )
            if isinstance(base, StopError):
                raise base
            if isinstance(argument, StopError):
                raise argument
            return score_of_argument(point, typed, base, argument, judges)
        case PointType.QUESTION:
            judge = judges.question_answerability
        case PointType.CLAIM | PointType.ARGUMENT:
            judge = judges.claim_factuality
        case _:
            assert_never(typed.type)
    try:
        verdict = await judge(point, paper, response=response)
    except ModelError as error:
        return make_record(
            point,
            judges,
            type=typed.type,
            status=Status.ERROR,
            error=error_message(error),
            provenance=typed.provenance,
        )
    if verdict.finding is not None:
        if any(passage.doubt for passage in verdict.evidence):
            seen = await judge(point, without_doubtful(paper), response=response)
            verdict = _finding_on_what_was_seen(verdict, seen)
        return record_of_finding(point, typed, _without_missing(verdict, point, paper), judges)
    return score_as_whole(point, typed, on_excerpts(verdict, paper, point.text), judges, score)


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

    Where there is no response, or judges read none, this is `score_point`. Else the first pass
    leaves everything that does not depend on it on record (type, reconstruction, faithfulness), so
    that the second asks only for verdicts.

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
    judged = point.kind is not PointKind.NONE
    if response is None or not judges.reads_responses or not judged:
        return await score_point(point, paper, judges, score=score, rounds=rounds)
    first = await capture_errors(score_point(point, paper, judges, score=score, rounds=rounds))
    if isinstance(first, StopError):
        raise first
    record = await score_point(point, paper, judges, score=score, rounds=rounds, response=response)
    without = WithoutResponse()
    if isinstance(first, PointScore):
        advanced = first.advanced.score if first.advanced is not None else None
        without = WithoutResponse(base=first.base, advanced=advanced, misinformed=first.misinformed)
    return record.model_copy(update={"without_response": without})


async def score_presuppositions(
    point: ReviewPoint,
    paper: Paper,
    judges: ReviewJudges,
    *,
    proof: bool = False,
    score: Score = "both",
    rounds: int = 10,
) -> PointScore:
    """Score a point by what it takes for granted, and whether that is so.

    Args:
        point: The point.
        paper: The paper that is reviewed.
        judges: Who judges; what `by_review` brought them is used.
        proof: Whether an argument that makes an inference is rebuilt beside the verdict.
        score: ``base`` leaves the premises of such an argument unjudged.
        rounds: Most rounds of its reconstruction.

    Raises:
        ModelError: No judge gave a usable reply.
        StopError: Nothing more can be asked.
    """
    if point.kind is PointKind.NONE:
        return _not_judged(with_places(point, paper), judges)
    point, seen = with_places(point, paper), seen_of(paper)
    looks = await judges.looks(point, paper)
    verdict = verdict_of(looks.given, scope=seen.kind)
    record = score_of_looks(point, verdict, seen, paper, judges, failures=looks.failures)
    proves = proof and record.is_point and record.status is not Status.ERROR
    if not proves or record.type is not PointType.ARGUMENT:
        return record
    return await _with_argument(record, point, paper, judges, score=score, rounds=rounds)


async def _with_argument(
    record: PointScore,
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    *,
    score: Score,
    rounds: int,
) -> PointScore:
    """A verdict with the argument beside it, if there is an inference in it to prove.

    The verdict stays what it is, whatever becomes of the argument.
    """
    try:
        extraction = verbatim(await judges.extract_argument(point), point)
        if not infers(extraction, point.text):
            return record.model_copy(update={"extraction": extraction})
        argument = await reconstruct(point, paper, judges, rounds=rounds, extraction=extraction)
        if score != "base":
            argument = await _with_verdicts(argument, point, paper, judges, response=None)
    except ModelError as error:
        return record.model_copy(update={"error": error_message(error)})
    argument = _premises_on_what_was_seen(argument)
    judged = (premise.verdict for premise in argument.premises)
    failures = [verdict.error for verdict in judged if verdict is not None and verdict.error]
    return record.model_copy(update={"argument": argument, "error": "; ".join(failures) or None})


def score_of_looks(
    point: ReviewPoint,
    verdict: PresuppositionVerdict,
    seen: Seen,
    paper: Paper,
    judges: Judges,
    *,
    failures: Sequence[Rating] = (),
) -> PointScore:
    """The score of a point from all looks at it: BASE is its standing, if excerpts can show it.

    A flag is for all judges of a panel to give: with some of them failed (`failures`), the point is
    an error. They are noted beside any other outcome.
    """
    undecided = verdict.misinformed is True and bool(failures)
    flag = None if undecided else verdict.misinformed
    status = Status.SCORED if flag is not None else Status.UNKNOWN
    errors = "; ".join(f"{rating.judge}: {rating.error}" for rating in failures)
    evidence = passages_of(verdict.looks)
    speaker = next(look for look in verdict.looks if look.standing == verdict.standing)
    unshown = seen.kind is Scope.EXCERPTS and verdict.reason is UnknownReason.EXCERPTS
    base = None if unshown else verdict.standing
    judged = None
    if verdict.standing is not None:
        judged = Verdict(
            scale="standing",
            score=base,
            on_excerpts=verdict.standing if unshown else None,
            rationale=speaker.rationale,
            evidence=evidence,
            ratings=_ratings(verdict.looks, failures),
        )
    later = verdict.reason is UnknownReason.AFTER_REVIEW
    doubts = (quote.doubt for quote in evidence if quote.doubt is not None) if later else ()
    return make_record(
        point,
        judges,
        kind=verdict.kind,
        type=verdict.type,
        status=Status.ERROR if undecided else status,
        reason=verdict.reason,
        doubts=tuple(dict.fromkeys((*paper.doubts, *doubts))),
        base=base,
        misinformed=flag,
        supplied=verdict.supplied,
        standing=verdict.standing,
        probability=verdict.probability,
        acknowledged=None if judged is None else verdict.acknowledged,
        looks=verdict.looks,
        seen=seen,
        protocol="presupposition",
        rationale=speaker.rationale if judged is None else "",
        verdict=judged,
        evidence=evidence,
        error=errors if undecided else None,
    )


def _ratings(looks: Sequence[Look], failures: Sequence[Rating]) -> tuple[Rating, ...]:
    """The standing that each judge of a panel gives, the lower median of its looks; else none.

    Those who failed come last, with their errors.
    """
    by_judge: dict[tuple[str, int], list[int]] = {}
    for look in looks:
        by_judge.setdefault((look.judge, look.repeat), [])
        if look.standing is not None:
            by_judge[look.judge, look.repeat].append(look.standing)
    if len(by_judge) + len(failures) == 1:
        return ()
    ratings = (
        Rating(judge=judge, repeat=repeat, score=median_low(given) if given else None)
        for (judge, repeat), given in by_judge.items()
    )
    return *ratings, *failures


async def _base(
    point: ReviewPoint, paper: Paper, judges: Judges, *, score: Score, response: str | None
) -> Verdict | None:
    if score == "advanced":
        return None
    verdict = await judges.claim_factuality(point, paper, response=response)
    return on_excerpts(verdict, paper, point.text)


async def _judged_argument(
    point: ReviewPoint, paper: Paper, judges: Judges, *, rounds: int, response: str | None
) -> Argument:
    argument = await reconstruct(point, paper, judges, rounds=rounds)
    return await _with_verdicts(argument, point, paper, judges, response=response)


async def _with_verdicts(
    argument: Argument, point: ReviewPoint, paper: Paper, judges: Judges, *, response: str | None
) -> Argument:
    """An argument with its premises judged, if it was proved and not found unfaithful."""
    if not argument.state.passed:
        return argument
    verdicts = await judges.premises_factuality(argument.premises, point, paper, response=response)
    premises = tuple(
        premise.model_copy(update={"verdict": premise_on_excerpts(verdict, paper, premise.text)})
        for premise, verdict in zip(argument.premises, verdicts, strict=True)
    )
    return argument.model_copy(update={"premises": premises})


def _without_missing(verdict: Verdict, point: ReviewPoint, paper: Paper) -> Verdict:
    """A finding on a point whose named places are formulas or figures that the text lacks."""
    if not (paper.missing.formulas or paper.missing.figures):
        return verdict
    lacking = [rests_on_missing(paper, place.kind, place.first) for place in mentions(point.text)]
    if verdict.finding is Finding.ADDRESSED or not lacking or not all(lacking):
        return verdict
    rationale = f"{' '.join(dict.fromkeys(lacking))} {verdict.rationale}"
    return verdict.model_copy(update={"rationale": rationale})


def _finding_on_what_was_seen(verdict: Verdict, seen: Verdict) -> Verdict:
    """A finding on what reviewers could see, and beside it the passages that alone address a point.

    Args:
        verdict: The finding on all of the paper, with passages that reviewers could not see.
        seen: The finding without these.
    """
    later = [passage for passage in verdict.evidence if passage.doubt is not None]
    if verdict.finding is not Finding.ADDRESSED or seen.finding is Finding.ADDRESSED:
        return seen
    rationale = "What the paper says to this stands where reviewers could not see it."
    return seen.model_copy(
        update={
            "finding": Finding.PASSAGES,
            "evidence": (*later, *seen.evidence),
            "rationale": f"{rationale} {seen.rationale}" if seen.evidence else rationale,
            "doubt": later[0].doubt,
        }
    )


def record_of_finding(
    point: ReviewPoint, typed: TypeVerdict, verdict: Verdict, judges: Judges
) -> PointScore:
    """What judges without scores say of a point: a finding with its passages."""
    return make_record(
        point,
        judges,
        type=typed.type,
        status=Status.UNSCORED,
        doubts=_doubts(verdict),
        finding=verdict.finding,
        passages=_verified(verdict.evidence),
        rationale=verdict.rationale,
        provenance=(*typed.provenance, *verdict.provenance),
    )


def _not_judged(point: ReviewPoint, judges: Judges) -> PointScore:
    """The record of what is no review point."""
    return make_record(
        point,
        judges,
        status=Status.UNKNOWN if judges.gives_scores else Status.UNSCORED,
        reason=UnknownReason.NO_POINT,
        finding=None if judges.gives_scores else Finding.CANNOT_JUDGE,
        rationale="This is no criticism, request or question: it was not judged.",
    )


def score_as_whole(
    point: ReviewPoint, typed: TypeVerdict, verdict: Verdict, judges: Judges, score: Score
) -> PointScore:
    """The score of a point that is judged as a whole: ADVANCED is the same as BASE."""
    verdict = _on_what_was_seen(verdict)
    is_argument = typed.type is PointType.ARGUMENT
    same = None if score == "base" or is_argument else Advanced(score=verdict.score)
    return make_record(
        point,
        judges,
        type=typed.type,
        status=Status.UNKNOWN if verdict.score is None else Status.SCORED,
        reason=_reason([verdict]),
        doubts=_doubts(verdict),
        base=verdict.score,
        advanced=same,
        misinformed=verdict.misinformed,
        verdict=verdict,
        evidence=_verified(verdict.evidence),
        provenance=typed.provenance,
    )


def score_of_argument(
    point: ReviewPoint,
    typed: TypeVerdict,
    base: Verdict | ModelError | None,
    argument: Argument | ModelError,
    judges: Judges,
) -> PointScore:
    """The score of an argument: the conjunction of its premises decides whether it misinforms."""
    verdict = _on_what_was_seen(base) if isinstance(base, Verdict) else None
    rebuilt = _premises_on_what_was_seen(argument) if isinstance(argument, Argument) else None
    premises = rebuilt.premises if rebuilt is not None else ()
    proved = rebuilt is not None and rebuilt.state.passed
    result = advanced(premises) if proved else Advanced()
    if rebuilt is not None and result.conjunction is False:
        rebuilt = rebuilt.model_copy(update={"failure": failure(premises)})
    judged = [premise.verdict for premise in premises if premise.verdict is not None]
    failures = [error_message(e) for e in (base, argument) if isinstance(e, ModelError)]
    failures += [premise.error for premise in judged if premise.error is not None]
    status = Status.UNKNOWN if result.conjunction is None else Status.SCORED
    if failures and result.conjunction is None:
        status = Status.ERROR
    quotes = [] if verdict is None else list(verdict.evidence)
    quotes += [quote for premise in judged for quote in premise.evidence]
    return make_record(
        point,
        judges,
        type=typed.type,
        status=status,
        reason=_reason(judged) if status is Status.UNKNOWN else None,
        doubts=_doubts(*(() if verdict is None else (verdict,)), *judged),
        base=None if verdict is None else verdict.score,
        advanced=None if rebuilt is None else result,
        misinformed=None if result.conjunction is None else not result.conjunction,
        verdict=verdict,
        evidence=_verified(quotes),
        argument=rebuilt,
        error="; ".join(failures) or None,
        provenance=typed.provenance,
    )


def _on_what_was_seen(verdict: Verdict) -> Verdict:
    """The verdict without a score of 1 or 2 that rests on text alone that reviewers did not see."""
    doubt = unseen_alone(verdict.evidence, verdict.score)
    return verdict if doubt is None else verdict.model_copy(update={"score": None, "doubt": doubt})


def _premises_on_what_was_seen(argument: Argument) -> Argument:
    """The argument, its premises without factualities that rest on such text alone."""
    premises = []
    for premise in argument.premises:
        verdict = premise.verdict
        doubt = verdict and unseen_alone(verdict.evidence, verdict.factuality)
        if verdict is not None and doubt is not None:
            verdict = verdict.model_copy(update={"factuality": None, "doubt": doubt})
            premise = premise.model_copy(update={"verdict": verdict})  # noqa: PLW2901
        premises.append(premise)
    if tuple(premises) == argument.premises:
        return argument
    return argument.model_copy(update={"premises": tuple(premises)})


def _reason(verdicts: Sequence[Verdict | PremiseVerdict]) -> UnknownReason | None:
    """Why scores that judges gave do not count; None if they all do."""
    if any(verdict.doubt is not None for verdict in verdicts):
        return UnknownReason.AFTER_REVIEW
    if any(verdict.on_excerpts is not None for verdict in verdicts):
        return UnknownReason.EXCERPTS
    return None


def _doubts(*verdicts: Verdict | PremiseVerdict) -> tuple[Doubt, ...]:
    """The doubts about verdicts, each once."""
    return tuple(dict.fromkeys(verdict.doubt for verdict in verdicts if verdict.doubt is not None))


def _verified(quotes: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Quotes that are in the paper, each once; others are never evidence."""
    return tuple(dict.fromkeys(quote for quote in quotes if quote.verified))


def make_record(point: ReviewPoint, judges: Judges, **fields: object) -> PointScore:
    """The record of a point: its own fields, who judged, and what was found."""
    return PointScore.model_validate(
        {
            **{name: value for name, value in point if name != "consent"},
            "type": None,  # of a split it is a proposal, of a record a verdict
            "judge": judges.name,
            "judge_version": judges.version,
            "reviewscore_version": __version__,
            **fields,
        }
    )
