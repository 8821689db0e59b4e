"""A reference, coded once: its words under the background and under its own history."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.background import Background
from reviewscore.gem.lexical.vocabulary import SHIFT, Coded, Floats, Ints, Vocabulary


class Reference:
    """The words of a text and what does not depend on what was read before it.

    Attributes:
        word: Shape (n,); as are all. Numbers of the words and ends of lines.
        last: The word before.
        context: Key of the two words before.
        stance: Stance of the line.
        background: Probability under the background, letters of unseen words included.
        gate: Probability of any content word in this place.
        content: Whether the word is a content word.
        fresh: Whether the word has not come before.
        own: Probabilities from the text's own words, pairs and triples so far, three arrays.
        own_known: Where each has anything to say.
    """

    def __init__(self, coded: Coded, background: Background, vocabulary: Vocabulary) -> None:
        known = vocabulary.known
        self.word, self.last, self.stance = coded.word, coded.last, coded.stance
        self.context: Ints = coded.before * SHIFT + coded.last
        plain = known(coded.word)
        self.background, self.gate = background.probability(
            known(coded.before), known(coded.last), plain
        )
        self.background = self.background * vocabulary.letters(coded.word)
        self.content: NDArray[np.bool_] = background.content[plain]
        often = _earlier(coded.word)
        self.fresh: NDArray[np.bool_] = often == 0
        so_far: Ints = np.cumsum(self.content, dtype=np.int64) - self.content
        single = self.gate * often / np.maximum(so_far, 1)
        self.own: list[Floats] = [np.where(self.content, single, self.background)]
        self.own_known: list[NDArray[np.bool_]] = [np.greater(so_far, 0)]
        for context in (coded.last, self.context):
            before, both = _earlier(context), _earlier(context * SHIFT + coded.word)
            self.own.append(both / np.maximum(before, 1.0))
            self.own_known.append(before > 0)

    def __len__(self) -> int:
        """Words and ends of lines."""
        return len(self.word)


def _earlier(keys: Ints) -> Floats:
    """How many equal keys stand before each."""
    if not len(keys):
        return np.zeros(0)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    numbers = np.arange(len(keys))
    first = np.maximum.accumulate(np.where(starts, numbers, 0))
    out = np.empty(len(keys))
    out[order] = numbers - first
    return out
