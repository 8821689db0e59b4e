"""Learn the model from a background of reviews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError
from reviewscore.gem.lexical.background import Background, Counts, count
from reviewscore.gem.lexical.caches import Cache
from reviewscore.gem.lexical.kin import Kin, stems_of
from reviewscore.gem.lexical.mixture import components
from reviewscore.gem.lexical.mixture import learn as learn_shares
from reviewscore.gem.lexical.persistence import Persistence
from reviewscore.gem.lexical.persistence import learn as learn_persistence
from reviewscore.gem.lexical.reference import Reference
from reviewscore.gem.lexical.state import State, paper_key
from reviewscore.gem.lexical.vocabulary import (
    MARKS,
    UNSEEN,
    Coded,
    Floats,
    Ints,
    Vocabulary,
    coded,
)
from reviewscore.gem.lexical.words import Line, lines_of
from reviewscore.sources.spooled import ListView, SpooledList

_EVERYWHERE = 0.6
"""Share of reviews from which a word says nothing of a paper."""
_FOLDS = 2
_SAMPLES = 60_000
"""Words of references of each fold on which shares are learned."""
_ROOM = 1 << 15
"""Words that counts have room for at first."""


@dataclass(frozen=True)
class Known:
    """One paper of a background.

    Attributes:
        reviews: Reviews by different people, in the form that will be scored.
        synopsis: What anybody could know of the paper; None if it is not at hand.
        paper_id: Its name, remembered so that it is never scored; empty if it has none.
    """

    reviews: Sequence[str]
    synopsis: str | None = None
    paper_id: str = ""


Packed: TypeAlias = NDArray[np.int32]
"""A text as it waits on disk: the arrays of `Coded`, a row each, with the words' first numbers."""


class _Waiting:
    """The texts of usable papers, as numbers on disk, with what is counted of their words.

    Words are numbered as they are met; what they are called in the end is known when all are read.

    Args:
        papers: All papers; each is read once.
    """

    def __init__(self, papers: Iterable[Known]) -> None:
        self.reviews, self.synopses = SpooledList[list[Packed]](), SpooledList[Packed | None]()
        self.keys: list[int] = []
        self.many = 0
        self._numbers = _FirstNumbers()
        self._counts, self._often = (np.zeros(_ROOM, dtype=np.int64) for _ in range(2))
        for paper in papers:
            lines = [one for one in map(lines_of, paper.reviews) if one]
            if len(lines) > 1:
                self._add(paper, lines)

    def _add(self, paper: Known, lines: Sequence[Sequence[Line]]) -> None:
        text, numbers = paper.synopsis, self._numbers
        self.synopses.append(_packed(coded(lines_of(text), numbers)) if text else None)
        texts = [coded(one, numbers) for one in lines]
        while len(numbers) + len(MARKS) > len(self._counts):
            self._counts, self._often = (
                np.concatenate([one, np.zeros_like(one)]) for one in (self._counts, self._often)
            )
        for one in texts:
            words, times = np.unique(one.word, return_counts=True)
            self._counts[words] += times
            self._often[words] += 1
        self.reviews.append([_packed(one) for one in texts])
        self.keys.append(paper_key(paper.paper_id))
        self.many += len(texts)

    def vocabulary(self) -> tuple[Vocabulary, Ints, Ints]:
        """The vocabulary; the final number of each first one; in how many reviews each word is."""
        counts = dict(zip(self._numbers, self._counts[len(MARKS) :].tolist(), strict=False))
        vocabulary = Vocabulary.of(counts)
        final = np.concatenate([np.arange(len(MARKS)), vocabulary.numbers(counts)])
        often = np.zeros(vocabulary.size + vocabulary.unseen, dtype=np.int64)
        often[final] = self._often[: len(final)]
        self._numbers.clear()
        return vocabulary, final, often


class _FirstNumbers(dict[str, int]):
    """Numbers words as they are met."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self) + len(MARKS)
        return number


def _packed(text: Coded) -> Packed:
    return np.stack([text.before, text.last, text.word, text.stance]).astype(np.int32)


def _unpacked(text: Packed, final: Ints) -> Coded:
    before, last, word = final[text[:-1]]
    return Coded(before, last, word, text[-1].astype(np.int64))


class _Texts:
    """The reviews of some papers, paper by paper, as often as they are wanted.

    Args:
        waiting: All papers.
        final: The final number of each word.
        papers: Which of them.
    """

    def __init__(self, waiting: _Waiting, final: Ints, papers: Sequence[int]) -> None:
        self._packed, self._final = ListView(waiting.reviews, papers), final

    def __iter__(self) -> Iterator[list[Coded]]:
        for texts in self._packed:
            yield [_unpacked(one, self._final) for one in texts]


def prime(papers: Iterable[Known], *, form: str = "", seed: int = 0) -> State:
    """Learn from papers that will not be scored.

    Shares are learned on papers that the counts used for them have not seen (two folds); the
    final counts are of all papers. Where papers have no synopsis, a third review stands in for it
    while shares are learned.

    Args:
        papers: At least four, with two reviews or more each; each is read once.
        form: Which form of reviews they are in, remembered.
        seed: Of the choice of folds and samples.

    Raises:
        InputError: There are too few papers.
    """
    waiting = _Waiting(papers)
    if len(waiting.keys) < 2 * _FOLDS:
        raise InputError(
            f"{len(waiting.keys)} papers with two reviews are too few for a background",
            cure="give at least 100 papers that are not scored",
        )
    vocabulary, final, often = waiting.vocabulary()
    content = _content(vocabulary, often, waiting.many)
    rng = np.random.default_rng(seed)
    stems = stems_of(vocabulary.words)
    kin = Kin(stems, content)
    shares = learn_shares(_samples(waiting, final, content, vocabulary, kin, rng))
    everything = _Texts(waiting, final, range(len(waiting.keys)))
    counts, persistence = _learned(everything, content, vocabulary)
    return State(
        words=vocabulary.words,
        spelling=vocabulary.spelling.table,
        content=content,
        stems=stems,
        counts=counts,
        persistence=persistence,
        shares=shares,
        form=form,
        papers=frozenset(waiting.keys),
        reviews=waiting.many,
    )


def _content(vocabulary: Vocabulary, often: Ints, reviews: int) -> NDArray[np.bool_]:
    """Which words can say something of a paper: not marks, stop words, or words of every review.

    Args:
        vocabulary: The words.
        often: In how many reviews each is.
        reviews: How many there are.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    out = np.zeros(vocabulary.size, dtype=np.bool_)
    out[UNSEEN] = True
    for number, word in enumerate(vocabulary.words, len(MARKS)):
        out[number] = (
            word[0].isalnum()
            and len(word) > 1
            and word not in ENGLISH_STOP_WORDS
            and often[number] <= _EVERYWHERE * reviews
        )
    return out


def _learned(
    texts: _Texts, content: NDArray[np.bool_], vocabulary: Vocabulary
) -> tuple[Counts, Persistence]:
    counts = count((one for reviews in texts for one in reviews), vocabulary)
    learned = learn_persistence(texts, content, vocabulary)
    # As precise as in the file, so that a model scores the same before and after it is stored.
    rounded = learned.excess.astype(np.float32).astype(np.float64)
    return counts, replace(learned, excess=rounded)


def _samples(
    waiting: _Waiting,
    final: Ints,
    content: NDArray[np.bool_],
    vocabulary: Vocabulary,
    kin: Kin,
    rng: np.random.Generator,
) -> Iterator[tuple[Floats, Ints]]:
    """Components of references that the background behind them has not seen."""
    order = rng.permutation(len(waiting.keys))
    folds = [order[number::_FOLDS] for number in range(_FOLDS)]
    for number in range(_FOLDS):
        others = np.concatenate([*folds[:number], *folds[number + 1 :]]).tolist()
        counts, persistence = _learned(_Texts(waiting, final, others), content, vocabulary)
        background = Background(counts, content)
        words = 0
        for one, reviews in zip(
            folds[number], _Texts(waiting, final, folds[number].tolist()), strict=True
        ):
            if words > _SAMPLES:
                break
            caches = [Cache(text, persistence, content, vocabulary, kin) for text in reviews]
            packed = waiting.synopses[one]
            given = None if packed is None else _unpacked(packed, final)
            for place, text in enumerate(reviews):
                reference = Reference(text, background, vocabulary)
                words += len(reference)
                candidate = caches[(place + 1) % len(reviews)]
                third = caches[(place + 2) % len(reviews)] if len(reviews) > 2 else None  # noqa: PLR2004
                synopsis = (
                    Cache(given, persistence, content, vocabulary, kin)
                    if given is not None
                    else third
                )
                for x, z in (
                    (None, None),
                    (candidate, None),
                    (None, synopsis),
                    (candidate, synopsis),
                ):
                    yield components(reference, x, z)
        del counts, background  # two of them are never held at once
