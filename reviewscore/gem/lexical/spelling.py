"""Words that the background has not seen: a model of their letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-'_"
_END, _OTHER, _START = len(LETTERS), len(LETTERS) + 1, len(LETTERS) + 2
_SYMBOLS = len(LETTERS) + 2
"""Symbols that can come next: the letters, the end, and one for all other characters."""
_OTHER_CHARACTERS = 0x110000 - len(LETTERS)
"""How many characters share the symbol for all others, evenly."""
SHAPE = (_SYMBOLS + 1, _SYMBOLS + 1, _SYMBOLS)
"""Of the counts: two symbols or start marks, and the symbol after them."""
_INDEX = {letter: number for number, letter in enumerate(LETTERS)}
_PSEUDO = 0.5
_BACK = 5.0


def _symbols(word: str) -> list[int]:
    return [_INDEX.get(letter, _OTHER) for letter in word]


class Spelling:
    """A trigram model over letters, smoothed towards bigrams, unigrams and the uniform one.

    The probabilities of all words sum to one (the empty word included), since every step's do.

    Args:
        table: Of shape `SHAPE`; how often a symbol came after two others.
    """

    def __init__(self, table: NDArray[np.float64]) -> None:
        self.table = table

    @classmethod
    def of(cls, words: Iterable[str]) -> Spelling:
        """Count the letters of words, each once."""
        counts: Counter[tuple[int, int, int]] = Counter()
        for word in set(words):
            line = [_START, _START, *_symbols(word), _END]
            counts.update(zip(line, line[1:], line[2:], strict=False))
        table = np.zeros(SHAPE)
        for (first, second, third), count in counts.items():
            table[first, second, third] = count
        return cls(table)

    @cached_property
    def _logs(self) -> list[Any]:
        """Log-probabilities of each symbol after two others, as nested lists: quick to look up."""
        counts = self.table
        one = counts.sum(axis=(0, 1)) + _PSEUDO
        one = one / one.sum()
        pairs = counts.sum(axis=0)
        two = (pairs + _BACK * one) / (pairs.sum(axis=-1, keepdims=True) + _BACK)
        three = (counts + _BACK * two[None]) / (counts.sum(axis=-1, keepdims=True) + _BACK)
        three = three / three.sum(axis=-1, keepdims=True)
        return list(np.log(three).tolist())

    def log_probability(self, word: str) -> float:
        """Log-probability of a word's letters and of its end, in nats."""
        logs, total, first, second = self._logs, 0.0, _START, _START
        for symbol in [*_symbols(word), _END]:
            total += logs[first][second][symbol]
            if symbol == _OTHER:
                total -= log(_OTHER_CHARACTERS)
            first, second = second, symbol
        return float(total)

    def share_of(self, words: Sequence[str]) -> float:
        """Probability that a word is one of these, 0..1."""
        return float(sum(np.exp([self.log_probability(word) for word in words])))
