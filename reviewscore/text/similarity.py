"""How alike two texts are by their words: BLEU and ROUGE-L, by libraries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU


@dataclass(frozen=True, slots=True)
class TextPair:
    """A candidate review and the reference it is scored against.

    Attributes:
        paper_id: The paper both are about.
        candidate: The text that is scored, x.
        reference: Another reviewer's text on the paper, y.
        synopsis: What anybody could know of the paper.
        paper: The paper's text, for judges that read it.
    """

    paper_id: str
    candidate: str
    reference: str
    synopsis: str | None = None
    paper: str | None = None


class TextMetric(Protocol):
    """Scores candidates, the higher the better; in units of its own."""

    @property
    def name(self) -> str:
        """Name of the metric, as in a table."""

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """One score for each pair, in order; None where there is none."""


_TOKEN = re.compile(r"[a-z0-9]+")


class Bleu:
    """Sentence-level BLEU of the candidate against the reference, 0..1.

    By sacrebleu (Post 2018, A Call for Clarity in Reporting BLEU Scores): its tokenizer 13a,
    orders 1 to 4, exponential smoothing, only orders that the candidate is long enough for, case
    kept. A candidate without a token has 0; a reference without one gives no score.
    """

    name = "BLEU"

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """One score for each pair, in order."""
        bleu = _bleu()
        return [_bleu_of(bleu, pair) for pair in pairs]


def _bleu_of(bleu: BLEU, pair: TextPair) -> float | None:
    if not pair.reference.strip():
        return None
    if not pair.candidate.strip():
        return 0.0
    candidate, reference = (" ".join(text.split()) for text in (pair.candidate, pair.reference))
    return float(bleu.sentence_score(candidate, [reference]).score) / 100


@lru_cache(maxsize=1)
def _bleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)


class RougeL:
    """ROUGE-L, the F-measure of the longest common subsequence of words, 0..1.

    Lin 2004, ROUGE: a package for automatic evaluation of summaries, sec. 3.1, with recall and
    precision of equal weight; the two texts as one sentence each. Words are runs of letters a to z
    and digits in lower case, unstemmed, as in the package rouge-score. The subsequence is found by
    RapidFuzz. A candidate without a word has 0; a reference without one gives no score.
    """

    name = "ROUGE-L"

    def scores(self, pairs: Sequence[TextPair]) -> list[float | None]:
        """One score for each pair, in order."""
        return [rouge_l(_words(pair.candidate), _words(pair.reference)) for pair in pairs]


def rouge_l(candidate: Sequence[str], reference: Sequence[str]) -> float | None:
    """F-measure of the longest common subsequence of two sequences of words, 0..1.

    None if the reference is empty.
    """
    from rapidfuzz.distance import LCSseq

    if not reference:
        return None
    common = int(LCSseq.similarity(candidate, reference))
    return 2 * common / (len(candidate) + len(reference))


def _words(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())
