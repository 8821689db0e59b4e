"""Words of one stem: a review that says "models" makes "modeling" likelier in another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reviewscore.gem.lexical.background import found
from reviewscore.gem.lexical.vocabulary import MARKS, Floats, Ints

_SHARE = 0.15
"""What a word's kin claim together, as a share of what the word claims itself; chosen on held-out
papers of ICLR 2023."""


def stems_of(words: Sequence[str]) -> Ints:
    """Shape (vocabulary,), the marks included: words with equal numbers have one stem."""
    import snowballstemmer

    stems = snowballstemmer.stemmer("english").stemWords(list(words))
    # An array of texts would give each of them the room of the longest.
    numbers = {stem: number for number, stem in enumerate(sorted({"", *stems}))}
    return np.array([*[numbers[""]] * len(MARKS), *map(numbers.__getitem__, stems)], dtype=np.int64)


class Kin:
    """Finds the other content words of a stem.

    Args:
        stems: Of the vocabulary.
        content: Shape (vocabulary,); which words have content.
    """

    def __init__(
        self, stems: Ints, content: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    ) -> None:
        numbers = np.flatnonzero(content)
        numbers = numbers[numbers >= len(MARKS)]
        self._members = numbers[np.argsort(stems[numbers], kind="stable")]
        ordered = stems[self._members]
        kinds, self._starts, sizes = np.unique(ordered, return_index=True, return_counts=True)
        self._sizes: Ints = sizes.astype(np.int64)
        self._family = np.full(len(stems), -1, dtype=np.int64)
        place = np.searchsorted(kinds, ordered)
        self._family[self._members] = np.where(self._sizes[place] > 1, place, -1)

    def joined(self, words: Ints, mass: Floats) -> tuple[Ints, Floats]:
        """Words and what they claim, with their kin that are not among them.

        Args:
            words: Shape (n,), sorted; content words that were read, unseen ones too.
            mass: Shape (n, stances).

        Returns:
            Words, sorted, and what each claims.
        """
        family = np.where(words < len(self._family), self._family[words % len(self._family)], -1)
        read = np.flatnonzero(family >= 0)
        if not len(read):
            return words, mass
        sizes = self._sizes[family[read]]
        source = np.repeat(read, sizes)
        ends = sizes.cumsum()
        inside = np.arange(len(source)) - np.repeat(ends - sizes, sizes)
        kin = self._members[np.repeat(self._starts[family[read]], sizes) + inside]
        new = ~found(words, kin)[1]
        share = mass[source[new]] * (_SHARE / (self._sizes[family[source[new]]] - 1))[:, None]
        both = np.concatenate([words, kin[new]])
        every, place = np.unique(both, return_inverse=True)
        out = np.zeros((len(every), mass.shape[1]))
        np.add.at(out, place, np.concatenate([mass, share]))
        return every, out
