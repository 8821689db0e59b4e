"""What was read before a reference, and how likely its words come back in the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.background import BackgroundModel, found
from reviewscore.gem.lexical.words import (
    END,
    MARKS,
    SHIFT,
    STANCES,
    UNSEEN,
    CodedWords,
    Floats,
    Ints,
    Vocabulary,
)
from reviewscore.sources.spooled import SpooledList

_PRIOR = 10.0
"""How many readings the mean of equally frequent words counts for."""
_STANCE_PRIOR = 50.0


@dataclass(frozen=True)
class Persistence:
    """What was learned of words that come back.

    Attributes:
        excess: Shape (vocabulary,); how much likelier a word is in a review (0..1) if another one
            of the same paper has it; 0 where it is not, and for words without content. The entry
            of `UNSEEN` is for words that no other paper's reviews have.
        stances: Shape (stances, stances), mean 1 a row: how much likelier a word that was read
            under the row's stance comes back under the column's than any content word does.
        length: Mean number of content words in a review, repetitions included.
    """

    excess: Floats
    stances: Floats
    length: float


def content_of(coded: CodedWords, content: NDArray[np.bool_], vocabulary: Vocabulary) -> Ints:
    """The distinct content words of a text, sorted."""
    distinct = np.unique(coded.word)
    return distinct[content[vocabulary.known(distinct)]]


def learn_persistence(
    papers: Iterable[Sequence[CodedWords]], content: NDArray[np.bool_], vocabulary: Vocabulary
) -> Persistence:
    """Learn from papers with at least two reviews each; they are gone through twice."""
    size = vocabulary.size + vocabulary.unseen
    full = content[vocabulary.known(np.arange(size))]
    within, read, reviews_with, papers_with = (np.zeros(size) for _ in range(4))
    usual = np.zeros(len(STANCES))
    reviews = 0
    waiting = SpooledList[list[Ints]]()
    for texts in papers:
        group = [_content_words(text, full) for text in texts]
        waiting.append(group)
        reviews += len(group)
        for text in texts:
            usual += np.bincount(text.stance[full[text.word]], minlength=len(STANCES))
        papers_with[np.unique(np.concatenate(group))] += 1
        for number, values in enumerate(group):
            reviews_with[values] += 1
            read[values] += len(group) - 1
            for other in group[number + 1 :]:
                within[np.intersect1d(values, other, assume_unique=True)] += 2
    likely = _smoothed(within, read, papers_with)
    base = reviews_with / max(reviews, 1)
    excess = np.maximum(likely - base, 0.0)[: vocabulary.size] * content
    alone = papers_with == 1  # what an unseen word of a new paper is like
    excess[UNSEEN] = within[alone].sum() / max(read[alone].sum(), 1.0)
    part = np.zeros(size)
    np.divide(np.maximum(likely - base, 0.0), likely, out=part, where=likely > 0)
    stances = _stances(zip(papers, waiting, strict=True), part, usual)
    return Persistence(excess, stances, max(float(usual.sum()) / max(reviews, 1), 1.0))


def _content_words(text: CodedWords, full: NDArray[np.bool_]) -> Ints:
    """As `content_of`; `full` says of every number whether its word has content."""
    distinct = np.unique(text.word)
    return distinct[full[distinct]]


def _smoothed(within: Floats, read: Floats, papers_with: Floats) -> Floats:
    """Share of readings after which a word comes back, drawn to that of equally frequent ones."""
    kind = np.floor(np.log2(np.maximum(papers_with, 1))).astype(np.int64)
    mean = np.bincount(kind, weights=within) / np.maximum(np.bincount(kind, weights=read), 1.0)
    likely: Floats = (within + _PRIOR * mean[kind]) / (read + _PRIOR)
    return likely


def _stances(
    papers: Iterable[tuple[Sequence[CodedWords], Sequence[Ints]]], part: Floats, usual: Floats
) -> Floats:
    """Under which stance words come back, beyond those that come back by chance.

    Args:
        papers: Each paper's reviews with their distinct content words.
        part: Of each word, which part of its coming back is not by chance.
        usual: How many content words stand under each stance.
    """
    many = len(STANCES)
    back = np.zeros((many, many))
    for reviews, distinct in papers:
        tables = [by_stance(words, own) for words, own in zip(reviews, distinct, strict=True)]
        shared: dict[tuple[int, int], tuple[Ints, Ints]] = {}
        for number, other in combinations(range(len(tables)), 2):
            _, left, right = np.intersect1d(
                distinct[number], distinct[other], assume_unique=True, return_indices=True
            )
            shared[number, other], shared[other, number] = (left, right), (right, left)
        for (number, other), (left, right) in sorted(shared.items(), key=itemgetter(0)):
            weight = part[distinct[number][left]]
            back += (tables[number][left] * weight[:, None]).T @ tables[other][right]
    usual = (usual + 1e-9) / (usual + 1e-9).sum()
    share = (back + _STANCE_PRIOR * usual) / (back.sum(axis=1, keepdims=True) + _STANCE_PRIOR)
    factors: Floats = share / usual
    return factors


def by_stance(coded: CodedWords, distinct: Ints) -> Floats:
    """Shape (distinct words, stances), rows sum to 1: under which stances each word stands.

    Args:
        coded: A text.
        distinct: Some of its words, sorted.
    """
    many = len(STANCES)
    place, inside = found(distinct, coded.word)
    inside &= coded.word != END
    flat = np.bincount(place[inside] * many + coded.stance[inside], minlength=len(distinct) * many)
    table = flat.reshape(len(distinct), many).astype(np.float64)
    share: Floats = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    return share


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


class ReferenceText:
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

    def __init__(
        self, coded: CodedWords, background: BackgroundModel, vocabulary: Vocabulary
    ) -> None:
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
        coded: CodedWords,
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
        self, reference: ReferenceText
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

    def _single(self, reference: ReferenceText) -> Floats:
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

    def probability(
        self, context: Ints, reference: ReferenceText
    ) -> tuple[Floats, NDArray[np.bool_]]:
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
