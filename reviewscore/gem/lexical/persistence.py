"""How likely a word of one review comes back in another review of the same paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from reviewscore.gem.lexical.background import found
from reviewscore.gem.lexical.vocabulary import END, UNSEEN, Coded, Floats, Ints, Vocabulary
from reviewscore.gem.lexical.words import STANCES
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


def content_of(coded: Coded, content: NDArray[np.bool_], vocabulary: Vocabulary) -> Ints:
    """The distinct content words of a text, sorted."""
    distinct = np.unique(coded.word)
    return distinct[content[vocabulary.known(distinct)]]


def learn(
    papers: Iterable[Sequence[Coded]], content: NDArray[np.bool_], vocabulary: Vocabulary
) -> Persistence:
    """Learn from papers with at least two reviews each; they are gone through twice."""
    size = vocabulary.size + vocabulary.unseen
    full = content[vocabulary.known(np.arange(size))]
    within, read, reviews_with, papers_with = (np.zeros(size) for _ in range(4))
    usual = np.zeros(len(STANCES))
    reviews = 0
    waiting = SpooledList[list[Ints]]()
    for texts in papers:
        group = [_content_words(one, full) for one in texts]
        waiting.append(group)
        reviews += len(group)
        for text in texts:
            usual += np.bincount(text.stance[full[text.word]], minlength=len(STANCES))
        papers_with[np.unique(np.concatenate(group))] += 1
        for number, one in enumerate(group):
            reviews_with[one] += 1
            read[one] += len(group) - 1
            for other in group[number + 1 :]:
                within[np.intersect1d(one, other, assume_unique=True)] += 2
    likely = _smoothed(within, read, papers_with)
    base = reviews_with / max(reviews, 1)
    excess = np.maximum(likely - base, 0.0)[: vocabulary.size] * content
    alone = papers_with == 1  # what an unseen word of a new paper is like
    excess[UNSEEN] = within[alone].sum() / max(read[alone].sum(), 1.0)
    part = np.zeros(size)
    np.divide(np.maximum(likely - base, 0.0), likely, out=part, where=likely > 0)
    stances = _stances(zip(papers, waiting, strict=True), part, usual)
    return Persistence(excess, stances, max(float(usual.sum()) / max(reviews, 1), 1.0))


def _content_words(text: Coded, full: NDArray[np.bool_]) -> Ints:
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
    papers: Iterable[tuple[Sequence[Coded], Sequence[Ints]]], part: Floats, usual: Floats
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
        tables = [by_stance(one, own) for one, own in zip(reviews, distinct, strict=True)]
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


def by_stance(coded: Coded, distinct: Ints) -> Floats:
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
