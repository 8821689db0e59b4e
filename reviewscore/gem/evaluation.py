"""What every evaluation model answers, and what every metric scores.

Names as in GEM (Xu, Lu, Schoenebeck and Kong 2024, arXiv 2411.07228): a *candidate* x is scored by
how much it tells about a *reference* y, another reviewer's text on the same paper; a *synopsis* is
what anybody could know of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Question:
    """How probable is this continuation?

    Attributes:
        reference: The text whose probability is asked, y.
        candidate: What was read before, x; None asks for the marginal.
        synopsis: What is known of the paper; None if nothing is.
    """

    reference: str
    candidate: str | None = None
    synopsis: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The logarithm of a probability.

    Attributes:
        nats: log Pr[reference | candidate, synopsis], natural logarithm, summed over the tokens of
            the reference, at most 0; None if it could not be had.
        tokens: How many tokens the reference has for this model.
        reason: Why there is no number; empty if there is one.
    """

    nats: float | None
    tokens: int = 0
    reason: str = ""


class EvaluationModel(Protocol):
    """Gives log-probabilities of a given continuation."""

    @property
    def name(self) -> str:
        """Kind and name, as in a report: ``lexical-cache``, ``hf/..``, ``openai/..``."""

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        """One answer for each question, in order; a bad question never spoils another one.

        Raises:
            ReviewScoreError: The model as a whole cannot be used.
        """
