"""An argumentative weakness taken apart by rule and put together by a template."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewscore.judges.lexical.forms import QuestionForm, form_of, sentences_of
from reviewscore.schema.argument import Draft, Extraction, Premise

_MIN_WORDS = 3
_MAX_REASONS = 6

# Markers with the reason after them ("C because R") or the conclusion after them ("R, so C").
_AS_CLAUSE = (
    r"(?<!such )as (?=(?:it|the|they|there|this|these|most|many|all|such|some|no|only|both|each|we"
    r"|you)\b(?! (?:well|far|long|soon)\b)[^.]{0,160}\b"
    r"(?:is|are|was|were|do|does|has|have|can|may|relies|builds|requires?|uses?|assumes?|depends?"
    r"|lacks?|involves?|needs?)\b)"
    r"|(?<=, )as (?=(?!an? |in |for |well|such|shown|described|mentioned|noted|stated|discussed"
    r"|opposed|above|below)[^.;,]{0,80}\b(?:is|are|was|were|do|does|did|has|have|had|can|may|will)\b)"
)
_REASON_AFTER = re.compile(
    r",?\s*\b(?:because(?! of which)|since(?! \d{4}| then)|due to the fact that|due to|owing to"
    r"|given that|given|considering that|in that|as evidenced by|in view of|as a result of"
    rf"|{_AS_CLAUSE})\s*",
    re.IGNORECASE,
)
_REASON_FIRST = re.compile(
    r"^(?:because|since(?! \d{4})|due to|owing to|given that|given|considering that"
    rf"|{_AS_CLAUSE})\s*"
    r"(?P<reason>[^,]+(?:,[^,]+){0,2}?),\s+(?P<conclusion>.+)$",
    re.IGNORECASE,
)
_CONCLUSION_AFTER = re.compile(
    r"\s*[,;:.]?\s*\b(?:(?:and |which )?(?:therefore|thus|hence|consequently|accordingly"
    r"|as a result|as a consequence|for this reason|so that|it follows that|because of which)\b,?"
    r"|so\b(?= (?:it|the|that|this|we|i|they|there|all|no|one)\b)|(?=which (?:makes?|means|limits?"
    r"|hinders?|(?:may|might|could|can) (?!not\b)\w+|raises?|undermines?|reduces?|prevents?"
    r"|affects?|leads? to)\b|making\b|raising \w+|leading to\b|limiting\b|hindering\b))\s*",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"^(?:and|but|also|moreover|furthermore|however|in addition|additionally|first(?:ly)?"
    r"|second(?:ly)?|third(?:ly)?|finally|for example|for instance|e\.g\.|therefore|thus|hence|so"
    r"|consequently|as a result)\b,?\s*",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"^(?:therefore|thus|hence|so|consequently|as a (?:result|consequence)|overall|in (?:summary"
    r"|conclusion)|for (?:this|these|that) reasons?|this (?:makes?|means|limits?|hinders?|raises?"
    r"|suggests?|undermines?|implies))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Parted:
    """One sentence taken apart: its conclusion and the reasons in it, all verbatim."""

    conclusion: str
    reasons: tuple[str, ...]


def _trim(text: str) -> str:
    return text.strip(" \t\n,;:.")


def _long_enough(text: str) -> bool:
    return len(text.split()) >= _MIN_WORDS


def _part(sentence: str) -> _Parted | None:
    """Conclusion and reason of one sentence with an explicit marker; None without one."""
    first = _REASON_FIRST.match(sentence)
    if first and _long_enough(first["reason"]) and _long_enough(first["conclusion"]):
        return _Parted(_trim(first["conclusion"]), (_trim(first["reason"]),))
    for pattern, reason_last in ((_REASON_AFTER, True), (_CONCLUSION_AFTER, False)):
        for match in pattern.finditer(sentence):
            before, after = _trim(sentence[: match.start()]), _trim(sentence[match.end() :])
            if _long_enough(before) and _long_enough(after):
                conclusion, reason = (before, after) if reason_last else (after, before)
                return _Parted(conclusion, (reason,))
    return None


def conclusion_and_reasons(text: str) -> tuple[str, tuple[str, ...]]:
    """The conclusion of an argument and its reasons, as verbatim pieces of its sentences.

    A sentence with an explicit marker ("because", "therefore", "which makes") is parted at it. Of
    several sentences the one that announces itself as the conclusion is it, else the first, and
    the others are its reasons. Without any reason the tuple is empty.

    Args:
        text: The weakness in the reviewer's words; white space is collapsed.
    """
    sentences = [_trim(sentence) for sentence in sentences_of(text)]
    if not sentences:
        return _trim(" ".join(text.split())), ()
    chosen = next((i for i, s in enumerate(sentences) if i and _CONCLUDES.match(s)), 0)
    main = sentences[chosen]
    others = [s for i, s in enumerate(sentences) if i != chosen and _long_enough(s)]
    supporting = [s for s in others if form_of(s) is not QuestionForm.SUGGESTION]
    parted = _part(main)
    if parted is None and not supporting:
        for other in others:
            if inner := _part(other):
                return main, inner.reasons
        return main, ()
    conclusion = parted.conclusion if parted else main
    reasons = [*(parted.reasons if parted else ()), *supporting]
    stripped = (_OPENER.sub("", reason, count=1) for reason in reasons)
    unique = tuple(dict.fromkeys(reason for reason in stripped if _long_enough(reason)))
    return _OPENER.sub("", conclusion, count=1) or conclusion, unique[:_MAX_REASONS]


def _clause(text: str) -> str:
    """A piece of a review as it reads inside a sentence: no full stop, no capital at its start."""
    plain = text.rstrip(". ")
    second = plain[1:2]
    return plain[0].lower() + plain[1:] if plain[:1].isupper() and second.islower() else plain


def templated_draft(extraction: Extraction) -> Draft:
    """The argument as a template: each reason a premise, and one conditional that links them.

    ``R1 .. Rn`` stand for the reasons and ``C`` for the conclusion; the last premise, not stated
    by the reviewer, is ``(R1 & .. & Rn) -> C``. A weakness without reasons is its own only
    premise, and so circular.
    """
    conclusion = extraction.conclusion
    if not extraction.reasons:
        alone = Premise(premise_id="P1", text=conclusion, formula="C", explicit=True)
        return Draft(
            premises=(alone,),
            conclusion=conclusion,
            conclusion_formula="C",
            keys={"C": conclusion},
            proof="C repeats P1.",
        )
    keys = {f"R{number}": reason for number, reason in enumerate(extraction.reasons, start=1)}
    premises = [
        Premise(premise_id=f"P{number}", text=reason, formula=f"R{number}", explicit=True)
        for number, reason in enumerate(extraction.reasons, start=1)
    ]
    names = list(keys)
    antecedent = names[0] if len(names) == 1 else f"({' & '.join(names)})"
    joined = ", and ".join(_clause(reason) for reason in extraction.reasons)
    link = Premise(
        premise_id=f"P{len(names) + 1}",
        text=f"If {joined}, then {_clause(conclusion)}.",
        formula=f"{antecedent} -> C",
        explicit=False,
    )
    steps = ", ".join(premise.premise_id for premise in (*premises, link))
    return Draft(
        premises=(*premises, link),
        conclusion=conclusion,
        conclusion_formula="C",
        keys={**keys, "C": conclusion},
        proof=f"C follows from {steps} by modus ponens.",
    )
