"""A review as distinct lines of words, numbers for words, and letters of unseen words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_ARTICLES = frozenset({"the", "this"})
_REVIEWERS = frozenset({"reviewer", "reviewers"})
_ADVERBS = frozenset({"also", "further", "strongly", "generally"})

_BULLETS = "-*•"

OTHER = "other"
STANCES = ("appreciates", "criticizes", "questions", "suggests", OTHER)
"""How a judgment begins (preprocessed reviews: arXiv 2411.07228, app. C.1)."""

_STANCE_OF = {
    "appreciates": 0, "praises": 0, "commends": 0, "likes": 0,
    "criticizes": 1, "criticises": 1, "dislikes": 1,
    "questions": 2, "asks": 2, "wonders": 2, "doubts": 2,
    "suggests": 3, "recommends": 3, "proposes": 3, "requests": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodedLine:
    """A line or sentence.

    Attributes:
        words: Lower-case words, numbers and punctuation marks.
        stance: Number of its stance in `STANCES`.
        shown: How many words it takes until the stance shows; 0 where there is none.
    """

    words: tuple[str, ...]
    stance: int
    shown: int


def lines_of(text: str) -> list[CodedLine]:
    """The distinct lines of a text, in their order.

    A line is a sentence, or less where the text breaks the line. One that says the same words as
    an earlier one is dropped, so that saying a thing twice counts once.
    """
    seen: dict[tuple[str, ...], None] = {}
    for row in text.lower().split("\n"):
        for sentence in _SENTENCE_END.split(row):
            seen[tuple(_WORD.findall(sentence))] = None
    return [_line(words) for words in seen if words]


def _line(words: tuple[str, ...]) -> CodedLine:
    """The line with its stance: the verb after "the reviewer"."""
    end = len(words)
    place = next((at for at, word in enumerate(words) if word not in _BULLETS), 0)
    if place < end and words[place] in _ARTICLES:
        place += 1
    if place < end and words[place] in _REVIEWERS:
        place += 1
        while place < end and words[place] in _ADVERBS:
            place += 1
        stance = _STANCE_OF.get(words[place]) if place < end else None
        if stance is not None:
            return CodedLine(words, stance, place + 1)
    return CodedLine(words, len(STANCES) - 1, 0)


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


class WordSpelling:
    """A trigram model over letters, smoothed towards bigrams, unigrams and the uniform one.

    The probabilities of all words sum to one (the empty word included), since every step's do.

    Args:
        table: Of shape `SHAPE`; how often a symbol came after two others.
    """

    def __init__(self, table: NDArray[np.float64]) -> None:
        self.table = table

    @classmethod
    def of(cls, words: Iterable[str]) -> WordSpelling:
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
        value = counts.sum(axis=(0, 1)) + _PSEUDO
        value = value / value.sum()
        pairs = counts.sum(axis=0)
        two = (pairs + _BACK * value) / (pairs.sum(axis=-1, keepdims=True) + _BACK)
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


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

START, END, UNSEEN = 0, 1, 2
"""Marks: before a line, after a line, and any word that is not in the vocabulary."""
_OTHER_STANCE = STANCES.index(OTHER)
MARKS = ("<s>", "</s>", "<unseen>")
SHIFT = 1 << 21
"""Two numbers become one key by key = first * SHIFT + second."""
_LEAST = -600.0
"""Least logarithm of a word's letters. Words of hundreds of signs, or lines in a script without
blanks, would have a probability of 0 in double precision; what this adds to all sums is nothing."""


@dataclass(frozen=True)
class CodedWords:
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


def coded(lines: Sequence[CodedLine], numbers: Mapping[str, int]) -> CodedWords:
    """Lines as numbers.

    Args:
        lines: Of a text.
        numbers: Of its words.

    Raises:
        KeyError: A word has no number.
    """
    counts: list[int] = []
    for line in lines:
        counts += [numbers[word] for word in line.words]
        counts.append(END)
    word = np.array(counts, dtype=np.int64)
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
    stance[inside < shown] = _OTHER_STANCE
    return CodedWords(before, last, word, stance)


class Vocabulary:
    """Numbers words.

    Args:
        words: Words of the background, without the marks; numbered from 3.
        spelling: Model of the letters of all other words.
    """

    def __init__(self, words: Sequence[str], spelling: WordSpelling) -> None:
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
        return cls(words, WordSpelling.of(once or words))

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
            [numbers[word] if word in numbers else self._meet(word) for word in words],
            dtype=np.int64,
        )

    def code(self, lines: Sequence[CodedLine]) -> CodedWords:
        """Lines as numbers."""
        try:
            return coded(lines, self._numbers)
        except KeyError:
            self.numbers(word for line in lines for word in line.words)
            return coded(lines, self._numbers)
