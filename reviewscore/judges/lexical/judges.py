"""The embedded judge `lexical`: the protocol `Judges` answered by rules and look-ups.

It needs no model and no network and gives the same answer every time. It finds passages; it does
not judge what is true and gives no score, so that its verdicts hold a `finding` in its stead.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

from reviewscore.judges.lexical.argument import conclusion_and_reasons, templated_draft
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.lexical.forms import QuestionForm, form_of
from reviewscore.judges.lexical.remarks import type_of
from reviewscore.schema.argument import Draft, Extraction, Faithfulness, Premise, Round, Streamlined
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import PointType, Review, ReviewPoint
from reviewscore.schema.verdict import Finding, PremiseVerdict, Provenance, TypeVerdict, Verdict
from reviewscore.text.language import language_name

if TYPE_CHECKING:
    from reviewscore.judges.judge import Proposal
    from reviewscore.retrieval.encoder import SentenceEncoder

_NAME = "lexical"
_VERSION = "6"

_TYPE_REASONS = {
    PointType.QUESTION: "It asks something.",
    PointType.ARGUMENT: "It gives a reason for what it says.",
    PointType.CLAIM: "It gives no reason for what it says.",
}


class LexicalJudges:
    """Judges that look passages up instead of asking a model (see `reviewscore.judges.judge`).

    Args:
        encoder: Ranks passages beside the rules; None if there is none.

    Attributes:
        name: ``lexical``.
        version: Changes whenever an output can: ``6``, or ``6 with NAME`` with an encoder.
    """

    name: str = _NAME
    version: str | None = _VERSION
    repeats_itself = True
    reads_responses = False
    gives_scores = False

    def __init__(self, encoder: SentenceEncoder | None = None) -> None:
        self._encoder = encoder
        if encoder is not None:
            self.version = f"{_VERSION} with {encoder.name}"

    async def propose_points(self, review: Review, sections: tuple[str, ...]) -> Proposal | None:
        """Nothing: reviews are split by the rules of `points`."""
        return None

    def abstention(self, point: ReviewPoint, paper: Paper) -> str | None:
        """That the point or the paper is not in English, which is all that the rules read."""
        if point.language is not None:
            what, code = "point", point.language
        elif paper.language is not None:
            what, code = "paper", paper.language
        else:
            return None
        return (
            f"The {what} is in {language_name(code)}, and the embedded judge reads English alone: "
            "nothing was looked up. A model can judge it (--model)."
        )

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        """Question, claim or argument, by rule."""
        return _typed(type_of(point.text, point.role), self.version)

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Whether the paper has a passage about what is asked; the response is not read."""
        return self._verdict(point, paper, "unanswerability", "question_answerability")

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        """Whether the paper holds what a weakness says is missing; the response is not read."""
        return self._verdict(point, paper, "factuality", "claim_factuality")

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        """The verbatim conclusion and reasons, parted at the words that announce them."""
        conclusion, reasons = conclusion_and_reasons(point.text)
        return Extraction(
            conclusion=conclusion,
            reasons=reasons,
            provenance=_provenance(self.version, "extract_argument"),
        )

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        """The argument by a template: the reasons, and one conditional from them to the conclusion.

        A failed attempt changes nothing: the template has no second one.
        """
        draft = templated_draft(extraction)
        return draft.model_copy(update={"provenance": _provenance(self.version, "draft_argument")})

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        """The texts as they are: they are the reviewer's own words."""
        return Streamlined(
            premises=tuple(premise.text for premise in needed),
            conclusion=draft.conclusion,
            provenance=_provenance(self.version, "streamline"),
        )

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        """No judgement: a template cannot tell whether it was faithful."""
        return Faithfulness(
            faithful=None,
            rationale="Assembled by a template from the reviewer's own words; not judged.",
            provenance=_provenance(self.version, "faithfulness"),
        )

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        """No scores: a template's premises are not judged, and points are looked up whole."""
        unjudged = PremiseVerdict(
            rationale="The embedded judge gives no scores and looks points up whole.",
            provenance=_provenance(self.version, "premise_factuality"),
        )
        return (unjudged,) * len(premises)

    def _verdict(
        self,
        point: ReviewPoint,
        paper: Paper,
        scale: Literal["unanswerability", "factuality"],
        stage: str,
    ) -> Verdict:
        found = find(_in_context(point), paper, point.places or (), encoder=self._encoder)
        if found.finding is not Finding.ADDRESSED:
            repeats = (
                find(repeat.text, paper, encoder=self._encoder) for repeat in point.occurrences
            )
            found = next((other for other in repeats if other.finding is Finding.ADDRESSED), found)
        return Verdict(
            scale=scale,
            finding=found.finding,
            rationale=found.rationale,
            evidence=found.passages,
            provenance=_provenance(self.version, stage),
        )


@cache
def _typed(kind: PointType, version: str | None) -> TypeVerdict:
    return TypeVerdict(
        type=kind, rationale=_TYPE_REASONS[kind], provenance=_provenance(version, "point_type")
    )


@cache
def _provenance(version: str | None, stage: str) -> tuple[Provenance, ...]:
    return (Provenance(stage=stage, judge=_NAME, judge_version=version),)


_POINTER = re.compile(
    r"(?:(?<![\s,;])|(?<=\x00: ))"
    r"(?:[\s,;]*\((?:see |cf\.? |e\.g\.,? )?\x00+(?:(?:,| and|,? see)? ?\x00+)*\)|[\s,;]*\b(?:see"
    r"|cf\.?)(?: also)? \x00+(?:(?:,| and)? \x00+)*)|\A\x00+(?:(?:,| and)? \x00+)*: ?"
)
"""A remark that only says where to look, NUL in the place of what names a place."""


def _without_pointers(point: ReviewPoint) -> str:
    """The point's text less what only says where to look, such as ``(see Table 3)``."""
    text = masked = point.text
    if not point.places or "\x00" in text:
        return text
    for place in point.places:
        start, end = place.span.start - point.span.start, place.span.end - point.span.start
        if place.span.field == point.span.field and 0 <= start < end <= len(text):
            masked = masked[:start] + "\x00" * (end - start) + masked[end:]
    for pointer in reversed(list(_POINTER.finditer(masked))):  # of equal length: places hold
        text = text[: pointer.start()] + text[pointer.end() :]
    return text.strip() or point.text


def _in_context(point: ReviewPoint) -> str:
    """The point's text, after the lead-in of its list if only that says what is asked or denied."""
    lead, text = point.context.strip(), _without_pointers(point)
    if not lead.endswith(":") or form_of(text) is not QuestionForm.ASSERTION:
        return text
    settled = (
        QuestionForm.CATEGORICAL_DENIAL,
        QuestionForm.HEDGED_DENIAL,
        QuestionForm.FACTUAL_QUESTION,
    )
    return f"{lead[:-1]} {text}" if form_of(lead) in settled else text
