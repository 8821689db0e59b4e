"""What every evaluation model answers, and whether it gives one number for one question.

Names as in GEM (Xu, Lu, Schoenebeck and Kong 2024, arXiv 2411.07228): a *candidate* x is scored by
how much it tells about a *reference* y, another reviewer's text on the same paper; a *synopsis* is
what anybody could know of the paper.

Scores are differences of large sums: a model whose sums depend on what else is computed at the
same time (servers batch what comes in together) would turn that into differences between reviews.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reviewscore import prompts
from reviewscore.errors import SettingsError


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
class LogProbability:
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

    def answers(self, questions: Sequence[Question]) -> list[LogProbability]:
        """One answer for each question, in order; a bad question never spoils another one.

        Raises:
            ReviewScoreError: The model as a whole cannot be used.
        """


WARN_ABOVE = 1e-4
"""Nats a token between two sums of one question above which the user is told."""
REFUSE_ABOVE = 1e-2
"""Nats a token above which the model is refused: on a reference of 500 tokens that is 5 nats, as
much as good and bad reviews differ by."""


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What two rounds of the same questions showed.

    Attributes:
        difference: Largest difference between two sums of one question, in nats a token.
        questions: How many questions were asked in each round.
    """

    difference: float
    questions: int

    @property
    def warning(self) -> str:
        """What the user should know; empty if there is nothing."""
        if self.difference <= WARN_ABOVE:
            return ""
        return (
            f"equal questions get sums that differ by up to {self.difference:.2g} nats a token: "
            "the model computes with low precision or in changing batches; small differences "
            "between scores mean nothing"
        )


def check_steadiness(model: EvaluationModel) -> Steadiness:
    """Ask the same questions twice, the second time in another order.

    The texts are sentences of our own prompt, so that nothing foreign is sent. A model behind a
    record of its answers has to be asked past it.

    Args:
        model: The model; it has to compute each time it is asked.

    Raises:
        SettingsError: A question gets no number, or one that is no log-probability, or two that
            differ by more than `REFUSE_ABOVE`.
        ReviewScoreError: The model cannot be used at all.
    """
    asked = _questions()
    first = model.answers(asked)
    second = model.answers(asked[::-1])[::-1]
    worst = max(_apart(model, pair) for pair in zip(first, second, strict=True))
    if worst > REFUSE_ABOVE:
        raise SettingsError(
            f"{model.name}: two sums of one question differ by {worst:.2g} nats a token, more than "
            f"{REFUSE_ABOVE:g}; a server may need a higher precision or fewer requests at once"
        )
    return Steadiness(worst, len(asked))


def _apart(model: EvaluationModel, pair: Sequence[LogProbability]) -> float:
    """How far two answers to one question are apart, in nats a token."""
    sums = []
    for answer in pair:
        if answer.nats is None:
            text = answer.reason or "no reason was given"
            raise SettingsError(f"{model.name} gives no log-probability of a short text: {text}")
        if answer.nats > 0 or answer.tokens < 1:
            raise SettingsError(
                f"{model.name} gives {answer.nats:g} for {answer.tokens} tokens, which is no "
                "log-probability"
            )
        sums.append(answer.nats)
    if pair[0].tokens != pair[1].tokens:
        raise SettingsError(f"{model.name} counts the tokens of one text in two ways")
    return abs(sums[0] - sums[1]) / pair[0].tokens


def _questions() -> list[Question]:
    task = prompts.render("gem_predict", synopsis="", candidate="").task
    text, two, three, *_ = (sentence.strip() for sentence in task.split(". "))
    return [
        Question(text),
        Question(two),
        Question(two, text),
        Question(two, text, three),
        Question(text, three),
    ]
