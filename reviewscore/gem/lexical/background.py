"""The background: an interpolated Kneser-Ney trigram model of reviews.

Kneser and Ney 1995 (ICASSP 1, 181-184) in the interpolated form of Chen and Goodman 1999
(Computer Speech & Language 13, 359-394, sec. 4.1.6): one discount an order, n1 / (n1 + 2 n2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.vocabulary import SHIFT, START, Coded, Floats, Ints, Vocabulary

_MOST_PAIRS = 160_000
"""Pairs of words kept; beyond, those that came after one word only are dropped."""


@dataclass(frozen=True)
class Counts:
    """What is stored of a background; all integers but the discounts.

    Attributes:
        triples: Sorted keys of the triples that came at least twice.
        triple_counts: How often each came.
        triple_totals: For each pair that begins one of them, in order: how often the pair came
            before any word.
        pairs: Sorted keys of pairs.
        pair_counts: After how many different words each pair came.
        pair_totals: Shape (vocabulary,); the sum of that over all pairs a word begins.
        singles: Shape (vocabulary,); after how many different words each word came.
        discounts: Of triples, pairs and single words, 0..1.
    """

    triples: Ints
    triple_counts: Ints
    triple_totals: Ints
    pairs: Ints
    pair_counts: Ints
    pair_totals: Ints
    singles: Ints
    discounts: Floats


def count(documents: Iterable[Coded], vocabulary: Vocabulary) -> Counts:
    """Count the words of documents."""
    known, size = vocabulary.known, vocabulary.size
    keys = np.concatenate(
        [
            (known(one.before) * SHIFT + known(one.last)) * SHIFT + known(one.word)
            for one in documents
        ]
    )
    triples, triple_counts = np.unique(keys, return_counts=True)
    pairs, pair_counts = np.unique(triples % (SHIFT * SHIFT), return_counts=True)
    singles = np.bincount(pairs % SHIFT, minlength=size)
    discounts = np.array([_discount(one) for one in (triple_counts, pair_counts, singles)])
    begin, place = np.unique(triples // SHIFT, return_inverse=True)
    totals = np.bincount(place, weights=triple_counts).astype(np.int64)
    pair_totals = np.bincount(pairs // SHIFT, weights=pair_counts, minlength=size)
    kept = triple_counts > 1
    most = pair_counts > (1 if len(pairs) > _MOST_PAIRS else 0)
    still = np.isin(begin, triples[kept] // SHIFT)
    return Counts(
        triples=triples[kept],
        triple_counts=triple_counts[kept],
        triple_totals=totals[still],
        pairs=pairs[most],
        pair_counts=pair_counts[most],
        pair_totals=pair_totals.astype(np.int64),
        singles=singles,
        discounts=discounts,
    )


def _discount(counts: NDArray[np.int64]) -> float:
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())  # noqa: PLR2004
    return once / (once + 2 * twice) if once and twice else 0.5


def found(keys: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Where wanted keys stand among sorted ones, and whether they are there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


class Background:
    """Probabilities of words after two others, from counts.

    Args:
        counts: Of the documents.
        content: Shape (vocabulary,); whether a word is a content word.
    """

    def __init__(self, counts: Counts, content: NDArray[np.bool_]) -> None:
        of_triple, of_pair, of_single = (float(one) for one in counts.discounts)
        self.counts, self.content = counts, content
        self._one = _single(counts.singles, of_single)
        # Pairs: what each keeps after the discount, and what is left for single words.
        begin = counts.pairs // SHIFT
        totals = np.maximum(counts.pair_totals, 1).astype(np.float64)
        self._two = (counts.pair_counts - of_pair) / totals[begin]
        size = len(counts.singles)
        self._left_two = 1.0 - np.bincount(begin, weights=self._two, minlength=size)
        # Triples likewise.
        self._begins, place = np.unique(counts.triples // SHIFT, return_inverse=True)
        self._three = (counts.triple_counts - of_triple) / counts.triple_totals[place]
        self._left_three = 1.0 - np.bincount(
            place, weights=self._three, minlength=len(self._begins)
        )
        # How likely any content word is, after each context.
        kept = np.where(content[counts.pairs % SHIFT], self._two, 0.0)
        self._gate_one = float(self._one[content].sum())
        of_pairs = np.bincount(begin, weights=kept, minlength=size)
        self._gate_two: Floats = of_pairs + self._left_two * self._gate_one
        kept = np.where(content[counts.triples % SHIFT], self._three, 0.0)
        of_triples = np.bincount(place, weights=kept, minlength=len(self._begins))
        self._gate_three: Floats = (
            of_triples + self._left_three * self._gate_two[self._begins % SHIFT]
        )

    def probability(self, before: Ints, last: Ints, word: Ints) -> tuple[Floats, Floats]:
        """Probability of words of the vocabulary after two others.

        Args:
            before: Shape (n,); numbers below the vocabulary's size, as all here.
            last: Shape (n,).
            word: Shape (n,).

        Returns:
            Each word's probability, and that of any content word in its place; both (n,), 0..1.
        """
        pair = last * SHIFT + word
        place, hit = found(self.counts.pairs, pair)
        two: Floats = self._left_two[last] * self._one[word]
        two[hit] += self._two[place[hit]]
        gate: Floats = self._gate_two[last]
        begin, known = found(self._begins, before * SHIFT + last)
        place, hit = found(self.counts.triples, before * (SHIFT * SHIFT) + pair)
        known_at = begin[known]
        two[known] *= self._left_three[known_at]
        two[hit] += self._three[place[hit]]
        gate[known] = self._gate_three[known_at]
        return two, gate


def _single(singles: Ints, discount: float) -> Floats:
    """Single words: discounted, the rest shared out evenly; a line's start never comes."""
    counts = singles.astype(np.float64)
    counts[START] = 0.0
    even = np.ones(len(counts))
    even[START] = 0.0
    even /= even.sum()
    kept = np.maximum(counts - discount, 0.0)
    total = counts.sum()
    if total <= 0:
        return even
    kept /= total
    share: Floats = kept + (1.0 - kept.sum()) * even
    return share
