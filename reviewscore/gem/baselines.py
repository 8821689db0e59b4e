"""Metrics that GEM is compared with: BARTScore, compression, and a judge that reads the paper.

BARTScore says how probable one text is after the other, a token on average (arXiv 2106.11520).
Precision is log Pr[candidate | reference], recall log Pr[reference | candidate], each divided by
the tokens of the text that is scored, in nats, at most 0; F1 is their arithmetic mean, as in the
authors' code. Any evaluation model serves: a sequence-to-sequence model, as in that paper
(`hf.SequenceModel`), or a causal one with GEM's prompt, as in GEM's (arXiv 2411.07228, sec. 4).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reviewscore.errors import ModelError, error_message, gather_results
from reviewscore.gem.estimator import Scored
from reviewscore.gem.evaluation import EvaluationModel, LogProbability, Question
from reviewscore.judges.asker import Asker, Reply
from reviewscore.runs.generation import OpenAsker, with_asker
from reviewscore.schema.answer import Grade, Text
from reviewscore.schema.paper import Paper
from reviewscore.schema.verdict import Provenance
from reviewscore.text.similarity import TextPair

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


def bart_scores(model: EvaluationModel, pairs: Sequence[TextPair]) -> list[BartScores]:
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

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """Nats a token for each pair, in order; None where a text is empty or not scored."""
        return [
            getattr(bart_score, self._variant) for bart_score in bart_scores(self._model, pairs)
        ]


def _a_token(answer: LogProbability, source: str) -> float | None:
    if answer.nats is None or not source.strip():
        return None
    return answer.nats / answer.tokens


WINDOW = 32_768
"""Bytes that zlib looks back: of longer texts only what is that near is found again."""


class Compression:
    """One minus the normalised compression distance by zlib; about 0 for texts without relation.

    Cilibrasi and Vitanyi 2005, Clustering by compression, eq. 6: the distance of x and y is
    (C(xy) - min(C(x), C(y))) / max(C(x), C(y)), with C the compressed size in bytes. The mean of
    both orders is taken. Below 1 even for equal texts, and slightly below 0 for some; a pair with
    an empty side gives no score.
    """

    name = "compression"

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """One score for each pair, in order."""
        return [similarity(pair.candidate, pair.reference) for pair in pairs]


def similarity(left: str, right: str) -> float | None:
    """One minus the normalised compression distance; None if a text is empty."""
    text, other = left.strip(), right.strip()
    if not text or not other:
        return None
    small, large = sorted((_size(text), _size(other)))
    together = (_size(f"{text}\n{other}") + _size(f"{other}\n{text}")) / 2
    return 1 - (together - small) / large


@lru_cache(maxsize=4096)
def _size(text: str) -> int:
    return len(zlib.compress(text.encode("utf-8", "surrogatepass"), 9))


NO_PAPER = "the paper's text is not given"
NO_REVIEW = "the review is empty"


class ExaminerReply(Reply):
    """Four analyses, what they come to, and the grade."""

    understanding: Text
    coverage: Text
    substantiation: Text
    constructiveness: Text
    overall_assessment: Text
    overall_score: Grade


@dataclass(frozen=True, slots=True)
class Examination:
    """What the examiner made of one review.

    Attributes:
        reply: The grade, 0 worst .. 10 best, with its analyses; None if there is none.
        provenance: Where it came from.
        reason: Why there is none; empty if there is one. A failed judgment is no grade, never 0.
    """

    reply: ExaminerReply | None
    provenance: Provenance | None = None
    reason: str = ""


class Examiner:
    """A graded judge as a metric, 0..10.

    After the judge called LMExaminer in arXiv 2411.07228, app. D.3. It does not see the
    reference, so a review is asked about once, whatever references it has.

    Args:
        open_asker: Opens what puts questions, anew for every use.
    """

    name = "examiner"

    def __init__(self, open_asker: OpenAsker) -> None:
        self._open = open_asker

    def examinations(self, pairs: Sequence[TextPair]) -> list[Examination]:
        """One for each pair, in order.

        Raises:
            StopError: Nothing more can be asked.
        """
        once = list(dict.fromkeys((pair.paper_id, pair.paper, pair.candidate) for pair in pairs))

        async def ask(asker: Asker) -> list[Examination | ModelError]:
            return await gather_results([examine(asker, *row) for row in once])

        found = [
            Examination(None, reason=error_message(error))
            if isinstance(error, ModelError)
            else error
            for error in with_asker(self._open, ask)
        ]
        known = dict(zip(once, found, strict=True))
        return [known[pair.paper_id, pair.paper, pair.candidate] for pair in pairs]

    def scored(self, pairs: Sequence[TextPair]) -> list[Scored]:
        """Grades of the pairs, in order, with the reasons of missing ones."""
        return [
            Scored(
                None if examination.reply is None else float(examination.reply.overall_score),
                examination.reason,
            )
            for examination in self.examinations(pairs)
        ]

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """Grades of the pairs, in order; None where there is none."""
        return [score.value for score in self.scored(pairs)]


async def examine(asker: Asker, paper_id: str, paper: str | None, review: str) -> Examination:
    """Grade one review.

    Raises:
        ModelError: There is no usable reply.
    """
    if not (paper or "").strip():
        return Examination(None, reason=NO_PAPER)
    if not review.strip():
        return Examination(None, reason=NO_REVIEW)
    judged = await asker.ask(
        "examiner",
        ExaminerReply,
        paper=Paper(paper_id=paper_id, title="", text=paper or ""),
        review=review,
    )
    return Examination(judged.reply, judged.provenance)
