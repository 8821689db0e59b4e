"""What the authors answer to a point, as pages show it: their words, where, how aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewscore.schema.author_answer import AlignmentMethod, AnswerStance, AuthorAnswer
from reviewscore.schema.paper import Evidence
from reviewscore.schema.point_score import PointScore

_LEADS = {
    AnswerStance.CONTESTS: "The authors contest this:",
    AnswerStance.CHANGED: "The authors say they changed this:",
    AnswerStance.ANSWERS: "The authors answer:",
}
_BASES = {
    AlignmentMethod.QUOTE: "by quote ({sure}), since it repeats “{basis}”",
    AlignmentMethod.NUMBER: "by number ({sure}), since it names {basis}",
    AlignmentMethod.RETRIEVAL: "by shared words ({sure}): {basis}",
}
_MOST_QUOTES = 2


@dataclass(frozen=True)
class ShownAnswer:
    """A stretch of the authors' response beside a point.

    Attributes:
        lead: What the authors say of the point, in words of ours.
        words: The sentence that says so, verbatim.
        whole: All of the stretch, verbatim.
        place: Where it stands and how it was aligned.
        stance: What the authors say of the point.
    """

    lead: str
    words: str
    whole: str
    place: str
    stance: AnswerStance


def shown_answers(score: PointScore) -> tuple[ShownAnswer, ...]:
    """What the authors answer to a point; what says most first."""
    order = list(AnswerStance)
    answers = sorted(score.author_answers or (), key=lambda answer: order.index(answer.stance))
    return tuple(_shown(answer) for answer in answers)


def _shown(answer: AuthorAnswer) -> ShownAnswer:
    how = _BASES[answer.method].format(sure=answer.certainty.value, basis=answer.basis)
    place = f"response, characters {answer.start} to {answer.end}; aligned {how}"
    return ShownAnswer(_LEADS[answer.stance], answer.cue, answer.text, place, answer.stance)


def draft_paragraph(score: PointScore, evidence: Sequence[Evidence]) -> str:
    """A paragraph to copy: exact quotes of review, response and paper, each with its place.

    It says who wrote what and judges nothing. Empty without an answer.

    Args:
        score: The point with its answers.
        evidence: Passages of the paper that bear on it; verified ones are quoted.
    """
    answer = score.leading_answer
    if answer is None:
        return ""
    span, cue = score.span, f"characters {answer.cue_start} to {answer.cue_end}"
    parts = [
        f"Review {score.review_id} ({score.section}, characters {span.start} to {span.end}): "
        f"“{score.text}”",
        f"The authors (response, {cue}): “{answer.cue}”",
    ]
    quotes = dict.fromkeys(quote for quote in evidence if quote.verified)
    for quote in list(quotes)[:_MOST_QUOTES]:
        place = [quote.place] if quote.place else []
        if quote.start is not None:
            place.append(f"characters {quote.start} to {quote.end}")
        where = f" ({', '.join(place)})" if place else ""
        parts.append(f"The paper{where}: “{quote.quote}”")
    return " ".join(parts)
