"""The background: an interpolated Kneser-Ney trigram model of reviews.

Kneser and Ney 1995 (ICASSP 1, 181-184) in the interpolated form of Chen and Goodman 1999
(Computer Speech & Language 13, 359-394, sec. 4.1.6): one discount an order, n1 / (n1 + 2 n2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.words import SHIFT, START, CodedWords, Floats, Ints, Vocabulary

Often: TypeAlias = NDArray[np.int32]

_MOST_PAIRS = 160_000
"""Pairs of words kept; beyond, those that came after one word only are dropped."""
_AT_ONCE = 250_000
"""Words whose triples are counted together."""


@dataclass(frozen=True)
class WordCounts:
    """What is stored of a background; all integers but the discounts.

    How often something came takes four bytes, since there are millions of triples.

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
    triple_counts: Often
    triple_totals: Ints
    pairs: Ints
    pair_counts: Often
    pair_totals: Ints
    singles: Ints
    discounts: Floats


def count(documents: Iterable[CodedWords], vocabulary: Vocabulary) -> WordCounts:
    """Count the words of documents."""
    size = vocabulary.size
    triples, triple_counts = _counted(_keys(documents, vocabulary))
    after = triples % (SHIFT * SHIFT)
    after.sort()
    pairs, pair_counts = _runs(after)
    del after
    singles = np.bincount(pairs % SHIFT, minlength=size)
    discounts = np.array([_discount(values) for values in (triple_counts, pair_counts, singles)])
    pair_totals = np.bincount(pairs // SHIFT, weights=pair_counts, minlength=size)
    kept = triple_counts > 1
    most = pair_counts > (1 if len(pairs) > _MOST_PAIRS else 0)
    starts = _starts(triples // SHIFT)
    totals = np.add.reduceat(triple_counts, starts, dtype=np.int64)
    still = np.logical_or.reduceat(kept, starts)
    return WordCounts(
        triples=triples[kept],
        triple_counts=triple_counts[kept],
        triple_totals=totals[still],
        pairs=pairs[most],
        pair_counts=pair_counts[most],
        pair_totals=pair_totals.astype(np.int64),
        singles=singles,
        discounts=discounts,
    )


def _keys(documents: Iterable[CodedWords], vocabulary: Vocabulary) -> Iterator[Ints]:
    """Keys of the triples of documents, so many at a time."""
    known = vocabulary.known
    waiting: list[Ints] = []
    words = 0
    for document in documents:
        waiting.append(
            (known(document.before) * SHIFT + known(document.last)) * SHIFT + known(document.word)
        )
        words += len(document)
        if words >= _AT_ONCE:
            yield np.concatenate(waiting)
            waiting, words = [], 0
    yield np.concatenate([*waiting, np.zeros(0, dtype=np.int64)])


def _counted(parts: Iterable[Ints]) -> tuple[Ints, Often]:
    """The distinct keys of all parts, sorted, and how often each came.

    Only the distinct ones are held, so that a text that comes again takes no room.
    """
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    for part in parts:
        part.sort()
        more, often = _runs(part)
        place, hit = found(keys, more)
        counts[place[hit]] += often[hit]
        new = ~hit
        at = np.searchsorted(keys, more[new])
        keys, counts = np.insert(keys, at, more[new]), np.insert(counts, at, often[new])
    return keys, counts


def _starts(ordered: Ints) -> Ints:
    """Where each run of equal numbers begins."""
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return np.flatnonzero(first)


def _runs(ordered: Ints) -> tuple[Ints, Often]:
    """Distinct numbers of a sorted array, and how often each is there."""
    starts = _starts(ordered)
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int32)


def _discount(counts: NDArray[np.integer[Any]]) -> float:
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())  # noqa: PLR2004
    return once / (once + 2 * twice) if once and twice else 0.5


def found(keys: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Where wanted keys stand among sorted ones, and whether they are there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


class BackgroundModel:
    """Probabilities of words after two others, from counts.

    Args:
        counts: Of the documents.
        content: Shape (vocabulary,); whether a word is a content word.
    """

    def __init__(self, counts: WordCounts, content: NDArray[np.bool_]) -> None:
        of_triple, of_pair, of_single = (float(discount) for discount in counts.discounts)
        self.counts, self.content = counts, content
        self._one = _single(counts.singles, of_single)
        # Pairs: what each keeps after the discount, and what is left for single words.
        begin = counts.pairs // SHIFT
        totals = np.maximum(counts.pair_totals, 1).astype(np.float64)
        self._two = (counts.pair_counts - of_pair) / totals[begin]
        size = len(counts.singles)
        self._left_two = 1.0 - np.bincount(begin, weights=self._two, minlength=size)
        # Triples likewise; what each keeps is worked out when it is wanted.
        self._of_triple = of_triple
        begins = counts.triples // SHIFT
        starts = _starts(begins)
        self._begins = begins[starts]
        del begins
        # How likely any content word is, after each context.
        kept = np.where(content[counts.pairs % SHIFT], self._two, 0.0)
        self._gate_one = float(self._one[content].sum())
        of_pairs = np.bincount(begin, weights=kept, minlength=size)
        self._gate_two: Floats = of_pairs + self._left_two * self._gate_one
        self._left_three, of_triples = self._sums(starts)
        self._gate_three: Floats = (
            of_triples + self._left_three * self._gate_two[self._begins % SHIFT]
        )

    def _sums(self, starts: Ints) -> tuple[Floats, Floats]:
        """What the triples of each beginning leave for pairs, and what their content words keep.

        Args:
            starts: Where the triples of each beginning start.
        """
        counts, ends = self.counts, np.append(starts, len(self.counts.triples))
        left, full = np.ones(len(starts)), np.zeros(len(starts))
        for first in range(0, len(starts), _AT_ONCE):
            past = min(first + _AT_ONCE, len(starts))
            sizes = np.diff(ends[first : past + 1])
            place = np.repeat(np.arange(past - first), sizes)
            inside = slice(ends[first], ends[past])
            three = self._three(inside, first + place)
            left[first:past] -= np.bincount(place, weights=three, minlength=past - first)
            kept = np.where(self.content[counts.triples[inside] % SHIFT], three, 0.0)
            full[first:past] = np.bincount(place, weights=kept, minlength=past - first)
        return left, full

    def _three(self, triples: Ints | slice, begins: Ints) -> Floats:
        """What triples keep after the discount, as shares of their beginnings."""
        counts = self.counts
        share: Floats = (counts.triple_counts[triples] - self._of_triple) / counts.triple_totals[
            begins
        ]
        return share

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
        two[hit] += self._three(place[hit], begin[hit])
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
