"""What was read before a reference: the words, pairs and triples of a candidate or a synopsis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.background import found
from reviewscore.gem.lexical.kin import Kin
from reviewscore.gem.lexical.persistence import Persistence, by_stance, content_of
from reviewscore.gem.lexical.reference import Reference
from reviewscore.gem.lexical.vocabulary import END, SHIFT, Coded, Floats, Ints, Vocabulary

_EAGER = 10.0
"""Factor on what words claim; the weight of the cache in the mixture, which is learned, makes up
for it."""
_DOUBT = 1.5
"""Power of a word's excess persistence in what it claims: small ones are noise in good part. Power
and factor were chosen on held-out papers of ICLR 2023, by matched against mismatched reviews."""
_MOST = 0.9
"""Largest share of content words that a cache may claim."""


class Cache:
    """Words that were read, as three distributions of the next word.

    Each gives to what it does not know the probability of the background, so that each sums to one.

    Args:
        coded: The text that was read.
        persistence: What was learned of words that come back.
        content: Which words of the vocabulary have content.
        vocabulary: Numbers of the words.
        kin: Other words of a stem.
    """

    def __init__(
        self,
        coded: Coded,
        persistence: Persistence,
        content: NDArray[np.bool_],
        vocabulary: Vocabulary,
        kin: Kin,
    ) -> None:
        words = content_of(coded, content, vocabulary)
        excess = persistence.excess[vocabulary.known(words)]
        held = by_stance(coded, words) @ persistence.stances
        mass: Floats = held * (excess**_DOUBT * (_EAGER / persistence.length))[:, None]
        self.words, self.mass = kin.joined(words, mass)
        self.mass *= np.minimum(1.0, _MOST / np.maximum(self.mass.sum(axis=0), 1e-300))
        self.total: Floats = self.mass.sum(axis=0)
        full = content[vocabulary.known(coded.word)] & (coded.word != END)
        after = content[vocabulary.known(coded.last)]
        earlier = content[vocabulary.known(coded.before)]
        self.pairs = _Table(coded.last, coded.word, full & after)
        self.triples = _Table(
            coded.before * SHIFT + coded.last, coded.word, full & (after | earlier)
        )

    def components(
        self, reference: Reference
    ) -> tuple[list[Floats], list[NDArray[np.bool_] | bool]]:
        """Probabilities of the reference's words from words, pairs and triples.

        Returns:
            Three arrays of shape (n,), and where each has anything to say.
        """
        pair, pair_known = self.pairs.probability(reference.last, reference)
        triple, triple_known = self.triples.probability(reference.context, reference)
        return (
            [self._single(reference), pair, triple],
            [bool(self.total.any()), pair_known, triple_known],
        )

    def _single(self, reference: Reference) -> Floats:
        """Words that were read, until the reference has said them once."""
        place, hit = found(self.words, reference.word)
        hit &= reference.fresh
        where = np.flatnonzero(hit)
        mass = self.mass[place[where]]
        stance = reference.stance
        out = np.zeros(len(reference))
        out[where] = mass[np.arange(len(where)), stance[where]]
        used = np.zeros((len(reference) + 1, self.mass.shape[1]))
        used[where + 1] = mass
        left = self.total[stance] - used.cumsum(axis=0)[np.arange(len(reference)), stance]
        claimed = reference.gate * out + (1.0 - left) * reference.background
        return np.where(reference.content, claimed, reference.background)


class _Table:
    """Which content words came after a context, and what share of them each is."""

    def __init__(self, context: Ints, word: Ints, counted: NDArray[np.bool_]) -> None:
        self.contexts, place, often = np.unique(context, return_inverse=True, return_counts=True)
        keys, counts = np.unique(place[counted] * SHIFT + word[counted], return_counts=True)
        self.keys: Ints = keys
        begin = keys // SHIFT
        self.share: Floats = counts / often[begin]
        self.total: Floats = np.bincount(
            begin, weights=self.share, minlength=len(self.contexts)
        ).astype(np.float64)

    def probability(self, context: Ints, reference: Reference) -> tuple[Floats, NDArray[np.bool_]]:
        begin, known = found(self.contexts, context)
        if not len(self.keys):
            return reference.background, np.zeros(len(reference), dtype=np.bool_)
        total = self.total[begin]
        known &= total > 0
        place, hit = found(self.keys, begin * SHIFT + reference.word)
        hit &= known
        out = np.where(known, (1.0 - total) * reference.background, reference.background)
        out[hit] += self.share[place[hit]]
        return out, known
