"""BARTScore: how probable one text is after the other, a token on average (arXiv 2106.11520).

Precision is log Pr[candidate | reference], recall log Pr[reference | candidate], each divided by
the tokens of the text that is scored, in nats, at most 0; F1 is their arithmetic mean, as in the
authors' code. Any evaluation model serves: a sequence-to-sequence model, as in that paper
(`gem.hf_seq2seq`), or a causal one with GEM's prompt, as in GEM's (arXiv 2411.07228, sec. 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reviewscore.gem.evaluation import Answer, EvaluationModel, Question
from reviewscore.text.similarity import Pair

Variant = Literal["precision", "recall", "f1"]


@dataclass(frozen=True, slots=True)
class BartScores:
    """The three variants for one pair, in nats a token; None where there is no number.

    Attributes:
        precision: The candidate after the reference.
        recall: The reference after the candidate.
    """

    precision: float | None
    recall: float | None

    @property
    def f1(self) -> float | None:
        """Mean of the two."""
        if self.precision is None or self.recall is None:
            return None
        return (self.precision + self.recall) / 2


def bart_scores(model: EvaluationModel, pairs: Sequence[Pair]) -> list[BartScores]:
    """All variants for each pair, in order; synopses are not used."""
    forth = [Question(pair.candidate, pair.reference) for pair in pairs]
    back = [Question(pair.reference, pair.candidate) for pair in pairs]
    answers = [
        _a_token(answer, question.candidate or "")
        for question, answer in zip([*forth, *back], model.answers([*forth, *back]), strict=True)
    ]
    return [
        BartScores(precision, recall)
        for precision, recall in zip(answers[: len(pairs)], answers[len(pairs) :], strict=True)
    ]


class BartScore:
    """One variant of BARTScore as a metric.

    Args:
        model: Gives the log-probabilities.
        variant: Which direction; ``f1`` is the mean of both.
        name: Name in tables.
    """

    def __init__(
        self, model: EvaluationModel, variant: Variant = "recall", *, name: str = ""
    ) -> None:
        self._model, self._variant = model, variant
        self.name = name or f"BARTScore-{'F1' if variant == 'f1' else variant.capitalize()}"

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        """Nats a token for each pair, in order; None where a text is empty or not scored."""
        return [getattr(one, self._variant) for one in bart_scores(self._model, pairs)]


def _a_token(answer: Answer, source: str) -> float | None:
    if answer.nats is None or not source.strip():
        return None
    return answer.nats / answer.tokens
