"""The model's part in rebuilding an argument: extract, draft with formulas, put back into English.

ReviewScore, sec. 3.2 and appendix C.1, fig. 23, 24 and 28. The loop around it is in `arguments`.
"""

from __future__ import annotations

from reviewscore import prompts
from reviewscore.judges.asker import Asker, Reply
from reviewscore.logic.explain import unsaid
from reviewscore.logic.parser import parse
from reviewscore.logic.vocabulary import read_keys
from reviewscore.schema.answer import Formula, Keys, Sentence, Steps, Text
from reviewscore.schema.argument import Draft, Extraction, Premise, Round, Streamlined
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint


class ExtractReply(Reply):
    """The reviewer's own words for conclusion and reasons."""

    conclusion: Sentence
    reasons: Steps[Sentence]


class KeyReply(Reply):
    """A predicate, proposition or constant, and what it means."""

    symbol: Formula
    meaning: Formula


class PremiseDraft(Reply):
    """A premise in English and as a formula."""

    text: Sentence
    formula: Formula
    explicit: bool


class ReconstructionReply(Reply):
    """A reconstruction with formulas."""

    keys: Keys[KeyReply]
    premises: Steps[PremiseDraft]
    intermediate_conclusions: Steps[Sentence]
    conclusion: Sentence
    conclusion_formula: Formula
    proof: Text


class StreamlineReply(Reply):
    """Formulas in English, in the order they were given."""

    premises: Steps[Sentence]
    conclusion: Sentence


async def extract_argument(asker: Asker, point: ReviewPoint) -> Extraction:
    """Ask for the verbatim conclusion and reasons."""
    judged = await asker.ask(
        "extract_argument", ExtractReply, point=point.text, context=point.context
    )
    return Extraction(
        conclusion=judged.reply.conclusion,
        reasons=tuple(judged.reply.reasons),
        provenance=(judged.provenance,),
    )


async def draft_argument(
    asker: Asker, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
) -> Draft:
    """Ask for a reconstruction; after a failed round, with that attempt and what was wrong."""
    judged = await asker.ask(
        "reconstruct_argument",
        ReconstructionReply,
        paper=paper,
        point=point.text,
        conclusion=extraction.conclusion,
        reasons="\n".join(f"- {reason}" for reason in extraction.reasons) or "(none stated)",
        formulas=prompts.render("formulas").text,
        last_attempt="" if last is None else _as_text(last),
        feedback="" if last is None else last.feedback,
        attempt=1 if last is None else last.number + 1,
    )
    reply = judged.reply
    premises = tuple(
        Premise(premise_id=f"P{number}", text=one.text, formula=one.formula, explicit=one.explicit)
        for number, one in enumerate(reply.premises, start=1)
    )
    return Draft(
        premises=premises,
        intermediate_conclusions=tuple(reply.intermediate_conclusions),
        conclusion=reply.conclusion,
        conclusion_formula=reply.conclusion_formula,
        keys={key.symbol: key.meaning for key in reply.keys},
        proof=reply.proof,
        provenance=(judged.provenance,),
    )


def _as_text(attempt: Round) -> str:
    lines = [f"{symbol} ::: {meaning}" for symbol, meaning in attempt.keys.items()]
    lines += [f"{one.premise_id}: {one.formula} ::: {one.text}" for one in attempt.premises]
    lines.append(f"C: {attempt.conclusion_formula} ::: {attempt.conclusion}")
    return "\n".join(lines)


async def streamline(asker: Asker, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
    """Ask for the English of the needed formulas, one sentence each."""
    formulas = [premise.formula for premise in needed]

    def one_each(reply: StreamlineReply) -> None:
        if len(reply.premises) != len(needed):
            raise ValueError(
                f"{len(needed)} premises were given but {len(reply.premises)} came back; "
                "return one sentence for each, in the same order"
            )
        texts = [*reply.premises, reply.conclusion]
        _check_said(texts, [*formulas, draft.conclusion_formula], draft.keys)

    judged = await asker.ask(
        "streamline",
        StreamlineReply,
        check=one_each,
        keys="\n".join(f"{symbol}: {meaning}" for symbol, meaning in draft.keys.items()),
        premises="\n".join(formulas),
        conclusion=draft.conclusion_formula,
    )
    return Streamlined(
        premises=tuple(judged.reply.premises),
        conclusion=judged.reply.conclusion,
        provenance=(judged.provenance,),
    )


def _check_said(texts: list[str], formulas: list[str], keys: dict[str, str]) -> None:
    """Refuse English that leaves out what a name of its formula means.

    Raises:
        ValueError: Names the sentences and what they leave out.
    """
    known, _ = read_keys(keys)
    problems = []
    for number, (text, formula) in enumerate(zip(texts, formulas, strict=True), start=1):
        place = f"premise {number}" if number < len(texts) else "the conclusion"
        problems += [
            f"{place} does not say what {name} means ({known[name].meaning})"
            for name in unsaid(text, parse(formula), known)
        ]
    if problems:
        raise ValueError("; ".join(problems))
