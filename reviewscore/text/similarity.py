"""How alike two texts are by their words: BLEU and ROUGE-L, by libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from sacrebleu.metrics.bleu import BLEU

Integers: TypeAlias = "npt.NDArray[np.int64]"


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
        """One score for each pair, in order; each text of a paper is read once."""
        by_key: list[float | None] = [None] * len(pairs)
        by_paper: dict[str, list[int]] = {}
        for number, pair in enumerate(pairs):
            if pair.reference.strip():
                by_paper.setdefault(pair.paper_id, []).append(number)
        for numbers in by_paper.values():
            for number, score in zip(numbers, _bleus([pairs[n] for n in numbers]), strict=True):
                by_key[number] = score
        return by_key


_ORDERS = 4


def _bleus(pairs: Sequence[TextPair]) -> Iterator[float]:
    """BLEU of pairs that share texts, 0..1."""
    bleu = _bleu()
    texts = list(
        dict.fromkeys(
            text for text_pair in pairs for text in (text_pair.candidate, text_pair.reference)
        )
    )
    places = {text: place for place, text in enumerate(texts)}
    tokens = [bleu.tokenizer(" ".join(text.split())).split() for text in texts]
    matches = {
        place: _matches(counts, place, len(texts))
        for counts in [_ngrams(tokens)]
        for place in {places[text_pair.candidate] for text_pair in pairs}
    }
    for pair in pairs:
        mine, theirs = places[pair.candidate], places[pair.reference]
        length = len(tokens[mine])
        score = bleu.compute_bleu(
            correct=matches[mine][:, theirs].tolist(),
            total=[max(0, length - order) for order in range(_ORDERS)],
            sys_len=length,
            ref_len=len(tokens[theirs]),
            smooth_method="exp",
            effective_order=True,
        )
        yield float(score.score) / 100


class _Counts(NamedTuple):
    """How often the n-grams of one order stand in each text, text after text.

    Attributes:
        ngram: Shape (entries,); number of the n-gram.
        times: Shape (entries,); how often it stands there.
        text: Shape (entries,); number of the text.
    """

    ngram: Integers
    times: Integers
    text: Integers


def _ngrams(texts: Sequence[Sequence[str]]) -> list[_Counts]:
    """The n-grams of some texts, orders 1 to 4; equal ones have the same number."""
    import numpy as np

    known: dict[str, int] = {}
    tokens = np.array([known.setdefault(t, len(known)) for text in texts for t in text], np.int64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    count_groups = []
    number = np.zeros_like(tokens)
    for order in range(_ORDERS):
        # An n-gram is the (n-1)-gram at its place and the token after that.
        within = owner[order:] == owner[: len(owner) - order]
        joined = number[: len(within)] * (len(known) + 1) + tokens[order:]
        joined[~within] = -1
        _, number = np.unique(joined, return_inverse=True)
        size = int(number.max(initial=0)) + 1
        entry, count = np.unique(
            owner[: len(within)][within] * size + number[within], return_counts=True
        )
        count_groups.append(_Counts(entry % size, count, entry // size))
    return count_groups


def _matches(counts: Sequence[_Counts], candidate: int, texts: int) -> Integers:
    """Shape (orders, texts); n-grams of a text that another has too, each as often as both do."""
    import numpy as np

    values = np.zeros((len(counts), texts), np.int64)
    for order, one in enumerate(counts):
        mine = one.text == candidate
        wanted = np.zeros(int(one.ngram.max(initial=0)) + 1, np.int64)
        wanted[one.ngram[mine]] = one.times[mine]
        common = np.minimum(wanted[one.ngram], one.times)
        values[order] = np.bincount(one.text, weights=common, minlength=texts)
    return values


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
        words = {text: _words(text) for pair in pairs for text in (pair.candidate, pair.reference)}
        return [rouge_l(words[pair.candidate], words[pair.reference]) for pair in pairs]


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
