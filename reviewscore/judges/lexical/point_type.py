"""Question, claim or argument: the type of a review point, by rule."""

from __future__ import annotations

import re

from reviewscore.judges.lexical.asking import is_interrogative, sentences_of
from reviewscore.judges.lexical.forms import Form, form_of
from reviewscore.schema.review import PointType

_REASON = re.compile(
    r"\b(?:because|since(?! \d{4})|due to|given that|given the|owing to|therefore|thus|hence"
    r"|consequently"
    r"|as a (?:result|consequence)|which (?:makes?|means|limits?|hinders?|may|might|could|can"
    r"|is (?:crucial"
    r"|essential|important|critical|necessary|not|unrealistic|problematic)|raises?|undermines?"
    r"|reduces?"
    r"|prevents?|affects?|leads? to)|making (?:it|the)|raising (?:concerns?|questions?|doubts?)"
    r"|so that"
    r"|leading to|limiting|hindering|it follows|this (?:makes?|means|limits?|hinders?|raises?"
    r"|suggests?"
    r"|undermines?|implies|is (?:because|problematic|important|crucial))|for (?:this|that) reason|"
    r"(?:is|are) evidenced by|as evidenced|as shown (?:in|by)|for (?:example|instance)|e\.g\.|"
    r"without (?:which|this|such|these|it|a|an|the|any|\w+ing)\b[^.]*,|despite|otherwise"
    r"|considering that"
    r"|in that|as (?:it|the|they|there|this|these|most|many|all|such|some)\b (?=\w+)[^.]*\b(?:is"
    r"|are|was|were"
    r"|do|does|has|have|can|may|relies|builds|requires?|uses?|assumes?|depends?|lacks?|involves?"
    r"|needs?)\b)"
    r"|,\s*so\b|;\s*so\b|\bso (?:it|the|that|this|we|i)\b",
    re.IGNORECASE,
)


def reason_marker(sentence: str) -> re.Match[str] | None:
    """The first words in a sentence that announce a reason or a conclusion, if any."""
    return _REASON.search(sentence)


_MIN_STATEMENT = 5
"""Words; fewer do not support another sentence."""


def type_of(text: str) -> PointType:
    """Question, argument or claim, by rule (ReviewScore, arXiv 2509.21679, sec. 3.1).

    A point with a sentence that asks something is a question. Else a weakness with a stated
    reason, or of several sentences of which one can support another, is an argument.
    """
    sentences = sentences_of(text)
    if any(is_interrogative(sentence) for sentence in sentences):
        return PointType.QUESTION
    if any(reason_marker(sentence) for sentence in sentences):
        return PointType.ARGUMENT
    statements = [
        sentence
        for sentence in sentences
        if len(sentence.split()) >= _MIN_STATEMENT and form_of(sentence) is not Form.SUGGESTION
    ]
    return PointType.ARGUMENT if len(statements) > 1 else PointType.CLAIM
