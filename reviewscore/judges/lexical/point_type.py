"""Question, claim or argument: the type of a review point, by rule."""

from __future__ import annotations

from reviewscore.judges.lexical.argument import conclusion_and_reasons
from reviewscore.judges.lexical.asking import is_interrogative, sentences_of
from reviewscore.schema.review import PointType


def type_of(text: str) -> PointType:
    """Question, argument or claim, by rule (ReviewScore, arXiv 2509.21679, sec. 3.1).

    A point with a sentence that asks something is a question. Else a weakness from which at least
    one reason can be taken is an argument: one announced by its words, or a second statement.
    """
    if any(is_interrogative(sentence) for sentence in sentences_of(text)):
        return PointType.QUESTION
    _, reasons = conclusion_and_reasons(text)
    return PointType.ARGUMENT if reasons else PointType.CLAIM
