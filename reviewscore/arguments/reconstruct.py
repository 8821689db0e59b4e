"""The loop: draft, formalize, prove, check faithfulness, or try again with the reason.

ReviewScore (arXiv 2509.21679), sec. 3.2 and app. C.1. Only valid attempts are judged for
faithfulness; no text of a model is ever executed.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from reviewscore import prompts
from reviewscore.errors import BadReplyError, InputError
from reviewscore.judges.judge import Judges
from reviewscore.logic.explain import sentence
from reviewscore.logic.parser import parse
from reviewscore.logic.pool import shared
from reviewscore.logic.vocabulary import read_keys
from reviewscore.schema.argument import (
    Argument,
    ArgumentState,
    Draft,
    Extraction,
    Faithfulness,
    Premise,
    Round,
    Streamlined,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.review import ReviewPoint
from reviewscore.schema.verdict import Provenance


def feedback(proof: Proof | None, faithfulness: Faithfulness | None) -> str:
    """What was wrong with an attempt, and what to do about it.

    Args:
        proof: What the prover found; None if it was not asked.
        faithfulness: What the judge of faithfulness said; None if it was not asked.

    Returns:
        Instructions for the next attempt; empty if nothing was wrong.

    Raises:
        PromptError: The prompt file is missing or broken.
    """
    failed = proof is not None and not proof.shows
    unfaithful = faithfulness is not None and faithfulness.faithful is False
    if not failed and not unfaithful:
        return ""
    return prompts.render(
        "feedback",
        proof=proof if failed else None,
        rationale=faithfulness.rationale if faithfulness is not None and unfaithful else "",
        unfaithful=unfaithful,
    ).text


RECONSTRUCTION_VERSION = 1
"""Raise it when the same replies would end in another argument: the loop, the reading of formulas,
the prover and its limits, the sentences made of formulas."""
INFERENCE_VERSION = 1
"""Raise it when `infers` would say otherwise of the same words."""
_REASONS = 2
_STEP = re.compile(
    r"\bif\b[^.;!?]{3,300}[ ,]then\b"
    r"|(?<!not )(?<!n't )(?<!n’t )\b(?:(?:impl(?:y|ies)|entails?)\b(?!\s*[.?!])"
    r"|means? that\b|follows (?:from|that)\b)",
    re.IGNORECASE,
)
"""Words by which a reviewer states that one thing follows from another."""
PROVED = (ArgumentState.ACCEPTED, ArgumentState.VALID_UNJUDGED)
"""Proved and not found unfaithful: the loop ends, and only then are premises judged."""
_FAILED = {
    Validity.INVALID: ArgumentState.INVALID,
    Validity.INCONSISTENT_PREMISES: ArgumentState.INCONSISTENT,
    Validity.UNKNOWN: ArgumentState.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One round, and the premises that would go into the argument."""

    round: Round
    premises: tuple[Premise, ...]


async def reconstruct(
    point: ReviewPoint,
    paper: Paper,
    judges: Judges,
    *,
    rounds: int = 10,
    extraction: Extraction | None = None,
) -> Argument:
    """Rebuild an argument until it is valid and faithful, or the rounds run out.

    Then the last attempt is returned with its state. Judges that repeat themselves have one
    round.

    Args:
        point: The argument, as the reviewer wrote it.
        paper: The paper it is about.
        judges: Who extracts, drafts, puts back into English and judges.
        rounds: Most attempts, at least 1.
        extraction: Conclusion and reasons as `verbatim` leaves them; asked for if not given.

    Raises:
        InputError: `rounds` is less than 1.
        ModelError: A judge gave no usable reply.
    """
    if rounds < 1:
        raise InputError(f"{rounds} rounds; a reconstruction has at least 1")
    most = 1 if judges.repeats_itself else rounds
    if extraction is None:
        extraction = verbatim(await judges.extract_argument(point), point)
    before = extraction.provenance
    history: list[Round] = []
    while True:
        last = history[-1] if history else None
        draft = await judges.draft_argument(point, paper, extraction, last=last)
        attempt = await _attempt(len(history) + 1, _numbered(draft), point, judges, before)
        history.append(attempt.round)
        if attempt.round.state in PROVED or len(history) == most:
            return _argument(extraction, attempt, tuple(history))
        before = ()


def verbatim(extraction: Extraction, point: ReviewPoint) -> Extraction:
    """Keep of an extraction what the reviewer really wrote, in the reviewer's own letters.

    White space may differ. A conclusion that is not in the point is replaced by the whole point;
    such reasons are dropped.
    """
    texts = [_found(reason, point.text) for reason in extraction.reasons]
    return Extraction(
        conclusion=_found(extraction.conclusion, point.text) or point.text,
        reasons=tuple(reason for reason in texts if reason),
        provenance=extraction.provenance,
    )


def infers(extraction: Extraction, text: str) -> bool:
    """Whether an argument makes an inference: it gives two reasons or more, or states a step.

    What gives a single reason ("A, so B") is rebuilt as "A; if A then B; so B", and a proof of that
    says nothing. A step is stated where the words themselves say that one thing follows from
    another ("if .. then", "implies", "it follows that"); "therefore" and "so" only join a reason to
    its conclusion.

    Args:
        extraction: Conclusion and reasons, as `verbatim` leaves them.
        text: The point's words.
    """
    conclusion = _levelled(extraction.conclusion)
    reasons = {_levelled(reason) for reason in extraction.reasons} - {conclusion}
    own = [reason for reason in reasons if not any(reason in other for other in reasons - {reason})]
    return len(own) >= _REASONS or _STEP.search(text) is not None


def _levelled(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" .,;:")


def _found(words: str, text: str) -> str | None:
    match = re.search(r"\s+".join(map(re.escape, words.split())), text)
    return match[0] if match and match[0] else None


def _numbered(draft: Draft) -> Draft:
    """The draft with premises P1, P2, ...: a proof needs ids that differ."""
    premises = tuple(
        premise.model_copy(update={"premise_id": f"P{number}"})
        for number, premise in enumerate(draft.premises, start=1)
    )
    return draft.model_copy(update={"premises": premises})


async def _attempt(
    number: int,
    draft: Draft,
    point: ReviewPoint,
    judges: Judges,
    before: tuple[Provenance, ...],
) -> _Attempt:
    formulas = {premise.premise_id: premise.formula for premise in draft.premises}
    proof = await asyncio.to_thread(
        shared().prove, formulas, draft.conclusion_formula, keys=draft.keys
    )
    if not proof.shows:
        attempt = _round(number, draft, proof, None, provenance=(*before, *draft.provenance))
        return _Attempt(attempt, draft.premises)
    needed = tuple(premise for premise in draft.premises if premise.premise_id in proof.needed)
    english = by_templates(draft, needed) or await judges.streamline(draft, needed)
    proved = _proved(draft, proof, english)
    premises = tuple(premise for premise in proved.premises if premise.needed)
    verdict = await judges.faithfulness(point, premises, proved.conclusion)
    provenance = (*before, *draft.provenance, *english.provenance, *verdict.provenance)
    attempt = _round(number, proved, proof, verdict, provenance=provenance)
    return _Attempt(attempt, premises)


def by_templates(draft: Draft, needed: tuple[Premise, ...]) -> Streamlined | None:
    """The needed premises and the conclusion in English without a model.

    Args:
        draft: A draft whose formulas were read and proved.
        needed: Its premises that the proof needs.

    Returns:
        One sentence each; None if a key cannot stand in a sentence, or a formula is so nested
        that its sentence would need brackets.
    """
    keys, _ = read_keys(draft.keys)
    formulas = [*[premise.formula for premise in needed], draft.conclusion_formula]
    sentences = [sentence(parse(formula), keys) for formula in formulas]
    if any(text is None or "(" in text for text in sentences):
        return None
    *premises, conclusion = [text or "" for text in sentences]
    return Streamlined(premises=tuple(premises), conclusion=conclusion)


def _state(proof: Proof, verdict: Faithfulness | None) -> ArgumentState:
    if proof.validity is Validity.ILL_FORMED:
        return ArgumentState.ILL_TYPED if proof.ill_typed else ArgumentState.ILL_FORMED
    if proof.validity is not Validity.VALID:
        return _FAILED[proof.validity]
    if proof.tautological_conclusion:
        return ArgumentState.TAUTOLOGICAL
    if proof.circular:
        return ArgumentState.CIRCULAR
    if verdict is None or verdict.faithful is None:
        return ArgumentState.VALID_UNJUDGED
    return ArgumentState.ACCEPTED if verdict.faithful else ArgumentState.UNFAITHFUL


def _proved(draft: Draft, proof: Proof, english: Streamlined) -> Draft:
    """The draft with its needed premises and its conclusion in the English of their formulas."""
    if len(english.premises) != len(proof.needed):
        raise BadReplyError(
            f"{len(proof.needed)} premises were to be put into English, "
            f"but {len(english.premises)} came back",
            reply="\n".join(english.premises),
        )
    texts = iter(english.premises)
    premises = tuple(
        premise.model_copy(update={"needed": True, "text": next(texts)})
        if premise.premise_id in proof.needed
        else premise.model_copy(update={"needed": False})
        for premise in draft.premises
    )
    return draft.model_copy(update={"premises": premises, "conclusion": english.conclusion})


def _round(
    number: int,
    draft: Draft,
    proof: Proof,
    verdict: Faithfulness | None,
    *,
    provenance: tuple[Provenance, ...],
) -> Round:
    return Round(
        number=number,
        premises=draft.premises,
        intermediate_conclusions=draft.intermediate_conclusions,
        conclusion=draft.conclusion,
        conclusion_formula=draft.conclusion_formula,
        keys=draft.keys,
        proof=draft.proof,
        state=_state(proof, verdict),
        finding=proof,
        faithful=None if verdict is None else verdict.faithful,
        faithfulness_rationale="" if verdict is None else verdict.rationale,
        votes=() if verdict is None else verdict.votes,
        feedback=feedback(proof, verdict),
        provenance=provenance,
    )


def _argument(extraction: Extraction, last: _Attempt, history: tuple[Round, ...]) -> Argument:
    return Argument(
        verbatim_conclusion=extraction.conclusion,
        verbatim_reasons=extraction.reasons,
        premises=last.premises,
        intermediate_conclusions=last.round.intermediate_conclusions,
        conclusion=last.round.conclusion,
        conclusion_formula=last.round.conclusion_formula,
        keys=last.round.keys,
        proof=last.round.proof,
        state=last.round.state,
        validity=last.round.finding.validity,
        faithful=last.round.faithful,
        rounds=history,
    )
