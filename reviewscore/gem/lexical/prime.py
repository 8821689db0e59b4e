"""Learn the model from a background of reviews."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError
from reviewscore.gem.lexical.background import BackgroundModel, WordCounts, count
from reviewscore.gem.lexical.caches import (
    Cache,
    Kin,
    Persistence,
    ReferenceText,
    learn_persistence,
    stems_of,
)
from reviewscore.gem.lexical.model import ModelState, components, learn_shares, paper_key
from reviewscore.gem.lexical.words import (
    MARKS,
    UNSEEN,
    CodedWords,
    Floats,
    Ints,
    Vocabulary,
    coded,
    lines_of,
)
from reviewscore.sources.spooled import ListView, SpooledList
from reviewscore.text.stems import FUNCTION_WORDS

_EVERYWHERE = 0.6
"""Share of reviews from which a word says nothing of a paper."""
_FOLDS = 2
_SAMPLES = 60_000
"""Words of references of each fold on which shares are learned."""
_WORD_ROW = 2
"""Of the words themselves in a packed text."""


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
"""A text as it waits on disk: the arrays of `CodedWords`, a row each, with words' first numbers."""


class SplitPapers:
    """The texts of usable papers, split into words once, as numbers on disk.

    Words are numbered as they are met.

    Args:
        papers: All papers; each is read once. Those with fewer than two reviews are left out.
    """

    def __init__(self, papers: Iterable[Known]) -> None:
        self.reviews, self.synopses = SpooledList[list[Packed]](), SpooledList[Packed | None]()
        self.keys: list[int] = []
        self.numbers = _FirstNumbers()
        for paper in papers:
            lines = [split for split in map(lines_of, paper.reviews) if split]
            if len(lines) > 1:
                text = paper.synopsis
                self.synopses.append(_packed(coded(lines_of(text), self.numbers)) if text else None)
                self.reviews.append([_packed(coded(split, self.numbers)) for split in lines])
                self.keys.append(paper_key(paper.paper_id))


class _FirstNumbers(dict[str, int]):
    """Numbers words as they are met."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self) + len(MARKS)
        return number


def _packed(text: CodedWords) -> Packed:
    return np.stack([text.before, text.last, text.word, text.stance]).astype(np.int32)


def _unpacked(text: Packed, final: Ints) -> CodedWords:
    before, last, word = final[text[:-1]]
    return CodedWords(before, last, word, text[-1].astype(np.int64))


class _Texts:
    """The reviews of some papers, paper by paper, as often as they are wanted.

    Args:
        packed: All papers' reviews.
        final: The final number of each word.
        papers: Which of them.
    """

    def __init__(self, packed: Sequence[list[Packed]], final: Ints, papers: Sequence[int]) -> None:
        self._packed, self._final = ListView(packed, papers), final

    def __iter__(self) -> Iterator[list[CodedWords]]:
        for texts in self._packed:
            yield [_unpacked(text, self._final) for text in texts]


def prime(papers: Iterable[Known], *, form: str = "", seed: int = 0) -> ModelState:
    """Learn from papers that will not be scored; as `prime_on`, which has the rest.

    Args:
        papers: At least four, with two reviews or more each; each is read once.
        form: Which form of reviews they are in, remembered.
        seed: Of the choice of folds and samples.
    """
    return prime_on(SplitPapers(papers), form=form, seed=seed)


def prime_on(
    split: SplitPapers, left_out: Container[int] = (), *, form: str = "", seed: int = 0
) -> ModelState:
    """Learn from papers that will not be scored.

    Shares are learned on papers that the counts used for them have not seen (two folds); the
    final counts are of all papers. Where papers have no synopsis, a third review stands in for it
    while shares are learned.

    Args:
        split: The papers' texts.
        left_out: Keys of papers that are not learned from.
        form: Which form of reviews they are in, remembered.
        seed: Of the choice of folds and samples.

    Raises:
        InputError: There are too few papers.
    """
    chosen = [number for number, key in enumerate(split.keys) if key not in left_out]
    if len(chosen) < 2 * _FOLDS:
        raise InputError(
            f"{len(chosen)} papers with two reviews are too few for a background",
            cure="give at least 100 papers that are not scored",
        )
    priming = _Priming(split, chosen)
    shares = learn_shares(priming.samples(np.random.default_rng(seed)))
    counts, persistence = priming.learned(range(len(chosen)))
    return ModelState(
        words=priming.vocabulary.words,
        spelling=priming.vocabulary.spelling.table,
        content=priming.content,
        stems=priming.stems,
        counts=counts,
        persistence=persistence,
        shares=shares,
        form=form,
        papers=frozenset(split.keys[number] for number in chosen),
        reviews=priming.many,
    )


class _Priming:
    """What is known of the words of chosen papers, and what is learned from it.

    Args:
        split: The papers' texts.
        chosen: Which of them.

    Attributes:
        many: How many reviews they have.
        content: Shape (vocabulary,); which words have content.
        stems: Shape (vocabulary,); words with equal numbers have one stem.
    """

    def __init__(self, split: SplitPapers, chosen: Sequence[int]) -> None:
        self._reviews, self._synopses = (
            ListView(split.reviews, chosen), ListView(split.synopses, chosen),
        )  # fmt: skip
        size = len(MARKS) + len(split.numbers)
        counts, often = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        met = _FirstMet(size)
        self.many = 0
        for reviews, synopsis in zip(self._reviews, self._synopses, strict=True):
            for text in reviews if synopsis is None else (synopsis, *reviews):
                met.add(text[_WORD_ROW])
            for text in reviews:
                words, times = np.unique(text[_WORD_ROW], return_counts=True)
                counts[words] += times
                often[words] += 1
            self.many += len(reviews)
        names, order = list(split.numbers), met.order()
        named = {names[number - len(MARKS)]: int(counts[number]) for number in order.tolist()}
        self.vocabulary = Vocabulary.of(named)
        self._final: Ints = np.arange(size)
        self._final[order] = self.vocabulary.numbers(named)
        in_reviews = np.zeros(self.vocabulary.size + self.vocabulary.unseen, dtype=np.int64)
        in_reviews[self._final[order]] = often[order]
        self.content = _content(self.vocabulary, in_reviews, self.many)
        self.stems = stems_of(self.vocabulary.words)
        self._kin = Kin(self.stems, self.content)

    def learned(self, papers: Sequence[int]) -> tuple[WordCounts, Persistence]:
        """Counts and persistence of some of the papers."""
        texts = _Texts(self._reviews, self._final, papers)
        counts = count((text for reviews in texts for text in reviews), self.vocabulary)
        learned = learn_persistence(texts, self.content, self.vocabulary)
        # As precise as in the file, so that a model scores the same before and after it is stored.
        rounded = learned.excess.astype(np.float32).astype(np.float64)
        return counts, replace(learned, excess=rounded)

    def samples(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Ints]]:
        """Components of references that the background behind them has not seen."""
        order = rng.permutation(len(self._reviews))
        folds = [order[number::_FOLDS] for number in range(_FOLDS)]
        for number, fold in enumerate(folds):
            others = np.concatenate([*folds[:number], *folds[number + 1 :]]).tolist()
            counts, persistence = self.learned(others)
            background = BackgroundModel(counts, self.content)
            words = 0
            texts = _Texts(self._reviews, self._final, fold.tolist())
            for paper, reviews in zip(fold, texts, strict=True):
                if words > _SAMPLES:
                    break
                words += sum(map(len, reviews))
                yield from self._of_paper(reviews, self._synopses[paper], persistence, background)
            del counts, background  # two of them are never held at once

    def _of_paper(
        self,
        reviews: Sequence[CodedWords],
        synopsis: Packed | None,
        persistence: Persistence,
        background: BackgroundModel,
    ) -> Iterator[tuple[Floats, Ints]]:
        """Components of each review given nothing, the next one, a synopsis, and both."""

        def cache(text: CodedWords) -> Cache:
            return Cache(text, persistence, self.content, self.vocabulary, self._kin)

        caches = list(map(cache, reviews))
        abstract = None if synopsis is None else cache(_unpacked(synopsis, self._final))
        for place, text in enumerate(reviews):
            reference = ReferenceText(text, background, self.vocabulary)
            candidate = caches[(place + 1) % len(reviews)]
            third = caches[(place + 2) % len(reviews)] if len(reviews) > 2 else None  # noqa: PLR2004
            known = abstract or third
            for given, read in product((None, known), (None, candidate)):
                yield components(reference, read, given)


class _FirstMet:
    """The order in which words of texts are met.

    Args:
        size: Above all numbers of words.
    """

    def __init__(self, size: int) -> None:
        self._met = np.zeros(size, dtype=np.bool_)
        self._met[: len(MARKS)] = True
        self._parts: list[Ints] = []

    def add(self, words: Packed) -> None:
        """Meet the words of a text."""
        new, first = np.unique(words[~self._met[words]], return_index=True)
        self._met[new] = True
        self._parts.append(new[np.argsort(first)].astype(np.int64))

    def order(self) -> Ints:
        """Numbers of all words that were met."""
        return np.concatenate(self._parts)


def _content(vocabulary: Vocabulary, often: Ints, reviews: int) -> NDArray[np.bool_]:
    """Which words can say something of a paper: not marks, stop words, or words of every review.

    Args:
        vocabulary: The words.
        often: In how many reviews each is.
        reviews: How many there are.
    """
    out = np.zeros(vocabulary.size, dtype=np.bool_)
    out[UNSEEN] = True
    for number, word in enumerate(vocabulary.words, len(MARKS)):
        out[number] = (
            word[0].isalnum()
            and len(word) > 1
            and word not in FUNCTION_WORDS
            and often[number] <= _EVERYWHERE * reviews
        )
    return out
