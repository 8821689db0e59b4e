"""Numbers for words: those of the background, and those that it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.spelling import Spelling
from reviewscore.gem.lexical.words import OTHER, STANCES, Line

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

START, END, UNSEEN = 0, 1, 2
"""Marks: before a line, after a line, and any word that is not in the vocabulary."""
_OTHER = STANCES.index(OTHER)
MARKS = ("<s>", "</s>", "<unseen>")
SHIFT = 1 << 21
"""Two numbers become one key by key = first * SHIFT + second."""
_LEAST = -600.0
"""Least logarithm of a word's letters. Words of hundreds of signs, or lines in a script without
blanks, would have a probability of 0 in double precision; what this adds to all sums is nothing."""


@dataclass(frozen=True)
class Coded:
    """Lines as numbers, one entry for each word and each line's end.

    Attributes:
        before: Shape (n,); the word before the last one, `START` at a line's beginning.
        last: Shape (n,); the last word.
        word: Shape (n,); the word, or `END`.
        stance: Shape (n,); the line's stance, once the words before have shown it.
    """

    before: Ints
    last: Ints
    word: Ints
    stance: Ints

    def __len__(self) -> int:
        """Words and ends of lines."""
        return len(self.word)


def coded(lines: Sequence[Line], numbers: Mapping[str, int]) -> Coded:
    """Lines as numbers.

    Args:
        lines: Of a text.
        numbers: Of its words.

    Raises:
        KeyError: A word has no number.
    """
    found: list[int] = []
    for line in lines:
        found += [numbers[one] for one in line.words]
        found.append(END)
    word = np.array(found, dtype=np.int64)
    sizes = np.array([len(line.words) + 1 for line in lines], dtype=np.int64)
    starts = sizes.cumsum() - sizes
    last = np.concatenate([[START], word[:-1]]) if len(word) else word
    last[starts] = START
    before = np.concatenate([[START], last[:-1]]) if len(word) else word
    before[starts] = START
    # A word's probability may not depend on a stance that only it, or a later one, shows.
    inside = np.arange(len(word)) - np.repeat(starts, sizes)
    shown = np.repeat(np.array([line.shown for line in lines], dtype=np.int64), sizes)
    stance = np.repeat(np.array([line.stance for line in lines], dtype=np.int64), sizes)
    stance[inside < shown] = _OTHER
    return Coded(before, last, word, stance)


class Vocabulary:
    """Numbers words.

    Args:
        words: Words of the background, without the marks; numbered from 3.
        spelling: Model of the letters of all other words.
    """

    def __init__(self, words: Sequence[str], spelling: Spelling) -> None:
        self.words = list(words)
        self.spelling = spelling
        self.size = len(self.words) + len(MARKS)
        self._numbers = {word: number for number, word in enumerate(self.words, len(MARKS))}
        self._letters: list[float] = []
        # Words of the vocabulary never come as unseen: what their letters would take is shared out.
        self._left = 1.0 - spelling.share_of(self.words)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Vocabulary:
        """The words that come at least twice; those that come once teach how unseen ones are spelt.

        Args:
            counts: How often each word comes.
        """
        words = sorted(word for word, count in counts.items() if count > 1)
        once = [word for word, count in counts.items() if count == 1]
        return cls(words, Spelling.of(once or words))

    @property
    def unseen(self) -> int:
        """How many unseen words have been numbered."""
        return len(self._letters)

    def forget(self) -> None:
        """Take back the numbers of unseen words; nothing coded before may be used any more."""
        self._numbers = {word: number for number, word in enumerate(self.words, len(MARKS))}
        self._letters = []

    def _meet(self, word: str) -> int:
        """Number an unseen word, from `size` on."""
        number = self.size + len(self._letters)
        if number >= SHIFT:
            raise OverflowError("too many different words")
        self._numbers[word] = number
        self._letters.append(exp(max(self.spelling.log_probability(word), _LEAST)) / self._left)
        return number

    def letters(self, numbers: Ints) -> Floats:
        """Probability of each unseen word among unseen words; 1 for words of the vocabulary."""
        out = np.ones(len(numbers))
        for place in np.flatnonzero(numbers >= self.size):
            out[place] = self._letters[numbers[place] - self.size]
        return out

    def known(self, numbers: Ints) -> Ints:
        """The same numbers, with `UNSEEN` for words that are not in the vocabulary."""
        return np.where(numbers >= self.size, UNSEEN, numbers)

    def numbers(self, words: Iterable[str]) -> Ints:
        """The words' numbers; unseen ones are numbered as they are met."""
        numbers = self._numbers
        return np.array(
            [numbers[one] if one in numbers else self._meet(one) for one in words], dtype=np.int64
        )

    def code(self, lines: Sequence[Line]) -> Coded:
        """Lines as numbers."""
        try:
            return coded(lines, self._numbers)
        except KeyError:
            self.numbers(word for line in lines for word in line.words)
            return coded(lines, self._numbers)
