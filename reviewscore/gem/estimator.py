"""Pointwise mutual information from log-probabilities: GEM and GEM-S.

GEM(x, y) = log Pr[y | x] - log Pr[y] and GEM-S(x, y) = log Pr[y | x, z] - log Pr[y | z], in nats
(arXiv 2411.07228, sec. 3). Nothing here reaches a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Protocol, runtime_checkable

from reviewscore.gem.evaluation import EvaluationModel, LogProbability, Question
from reviewscore.text.similarity import TextMetric, TextPair

NO_SCORE = "the metric gave no score"
NOT_FINITE = "the metric gave no finite score"


@dataclass(frozen=True, slots=True)
class Scored:
    """One score.

    Attributes:
        value: The higher the better, in the metric's units; None if there is none.
        reason: Why there is none; empty if there is one.
    """

    value: float | None
    reason: str = ""


@runtime_checkable
class Explaining(Protocol):
    """A metric that says why a score is missing."""

    def scored(self, pairs: Sequence[TextPair]) -> list[Scored]:
        """One for each pair, in order."""


def scored(metric: TextMetric, pairs: Sequence[TextPair]) -> list[Scored]:
    """Scores of the pairs, in order, each missing one with its reason; infinite ones are none."""
    if isinstance(metric, Explaining):
        scoreds = metric.scored(pairs)
    else:
        scoreds = [
            Scored(value, "" if value is not None else NO_SCORE) for value in metric.scores(pairs)
        ]
    return [
        score if score.value is None or isfinite(score.value) else Scored(None, NOT_FINITE)
        for score in scoreds
    ]


@dataclass(frozen=True, slots=True)
class Information:
    """How much a candidate tells about a reference.

    Attributes:
        nats: Pointwise mutual information in nats; negative where the candidate misleads; None if
            one of the two terms could not be had.
        tokens: Tokens of the reference for the model.
        reason: Why there is no number; empty if there is one.
    """

    nats: float | None
    tokens: int = 0
    reason: str = ""


def information(given: LogProbability, alone: LogProbability) -> Information:
    """Pointwise mutual information from the conditional and the marginal term.

    Args:
        given: log Pr[y | x] or log Pr[y | x, z].
        alone: log Pr[y] or log Pr[y | z].
    """
    if given.nats is None or alone.nats is None:
        return Information(None, given.tokens or alone.tokens, given.reason or alone.reason)
    nats = given.nats - alone.nats
    if not isfinite(nats):
        return Information(None, given.tokens, "the model gave no finite log-probability")
    return Information(nats, given.tokens)


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


class Gem:
    """GEM (or GEM-S) by one evaluation model, as a metric.

    Args:
        model: Gives the log-probabilities.
        synopsis: Condition both terms on the pair's synopsis (GEM-S).
        name: Name in tables.
    """

    def __init__(self, model: EvaluationModel, *, synopsis: bool = False, name: str = "") -> None:
        self._model, self._synopsis = model, synopsis
        self.name = name or ("GEM-S" if synopsis else "GEM")

    def informations(self, pairs: Sequence[TextPair]) -> list[Information]:
        """One for each pair, in order; each marginal is asked for once."""
        known = [pair.synopsis if self._synopsis else None for pair in pairs]
        missing = [self._synopsis and not (text or "").strip() for text in known]
        given = [
            Question(pair.reference, pair.candidate, text)
            for pair, text, gone in zip(pairs, known, missing, strict=True)
            if not gone
        ]
        alone = list(
            dict.fromkeys(
                Question(question.reference, None, question.synopsis) for question in given
            )
        )
        answers = iter(self._model.answers([*alone, *given]))
        marginal = {question: next(answers) for question in alone}
        out = []
        for pair, text, gone in zip(pairs, known, missing, strict=True):
            if gone:
                out.append(Information(None, 0, "the paper has no synopsis"))
                continue
            out.append(information(next(answers), marginal[Question(pair.reference, None, text)]))
        return out

    def scored(self, pairs: Sequence[TextPair]) -> list[Scored]:
        """Nats of each pair, in order, or why there is no number."""
        return [Scored(one.nats, one.reason) for one in self.informations(pairs)]

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """Nats of each pair, in order; None where there is no number."""
        return [one.nats for one in self.informations(pairs)]
