"""Learn the model from a background of reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError
from reviewscore.gem.lexical.background import Background, count
from reviewscore.gem.lexical.caches import Cache
from reviewscore.gem.lexical.kin import Kin, stems_of
from reviewscore.gem.lexical.mixture import components
from reviewscore.gem.lexical.mixture import learn as learn_shares
from reviewscore.gem.lexical.persistence import Persistence
from reviewscore.gem.lexical.persistence import learn as learn_persistence
from reviewscore.gem.lexical.reference import Reference
from reviewscore.gem.lexical.state import State, paper_key
from reviewscore.gem.lexical.vocabulary import MARKS, UNSEEN, Coded, Floats, Ints, Vocabulary
from reviewscore.gem.lexical.words import Line, lines_of

_EVERYWHERE = 0.6
"""Share of reviews from which a word says nothing of a paper."""
_FOLDS = 2
_SAMPLES = 60_000
"""Words of references of each fold on which shares are learned."""


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


@dataclass(frozen=True)
class _Paper:
    reviews: Sequence[Coded]
    synopsis: Coded | None


def prime(papers: Sequence[Known], *, form: str = "", seed: int = 0) -> State:
    """Learn from papers that will not be scored.

    Shares are learned on papers that the counts used for them have not seen (two folds); the
    final counts are of all papers. Where papers have no synopsis, a third review stands in for it
    while shares are learned.

    Args:
        papers: At least four, with two reviews or more each.
        form: Which form of reviews they are in, remembered.
        seed: Of the choice of folds and samples.

    Raises:
        InputError: There are too few papers.
    """
    lines = [[lines_of(text) for text in one.reviews] for one in papers]
    usable = [number for number, group in enumerate(lines) if sum(map(bool, group)) > 1]
    if len(usable) < 2 * _FOLDS:
        raise InputError(
            f"{len(usable)} papers with two reviews are too few for a background",
            cure="give at least 100 papers that are not scored",
        )
    documents = [[one for one in lines[number] if one] for number in usable]
    vocabulary = Vocabulary.of(one for group in documents for one in group)
    content = _content(vocabulary, [one for group in documents for one in group])
    coded = []
    for number, group in zip(usable, documents, strict=True):
        text = papers[number].synopsis
        synopsis = vocabulary.code(lines_of(text)) if text else None
        coded.append(_Paper([vocabulary.code(one) for one in group], synopsis))
    rng = np.random.default_rng(seed)
    stems = stems_of(vocabulary.words)
    samples = list(_samples(coded, content, vocabulary, Kin(stems, content), rng))
    counts, persistence = _learned(coded, content, vocabulary)
    return State(
        words=vocabulary.words,
        spelling=vocabulary.spelling.table,
        content=content,
        stems=stems,
        counts=counts.counts,
        persistence=persistence,
        shares=learn_shares(samples),
        form=form,
        papers=frozenset(paper_key(papers[number].paper_id) for number in usable),
        reviews=sum(len(one.reviews) for one in coded),
    )


def _content(vocabulary: Vocabulary, documents: Sequence[Sequence[Line]]) -> NDArray[np.bool_]:
    """Which words can say something of a paper: not marks, stop words, or words of every review."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    often = Counter(word for lines in documents for word in {w for one in lines for w in one.words})
    out = np.zeros(vocabulary.size, dtype=np.bool_)
    out[UNSEEN] = True
    for number, word in enumerate(vocabulary.words, len(MARKS)):
        out[number] = (
            word[0].isalnum()
            and len(word) > 1
            and word not in ENGLISH_STOP_WORDS
            and often[word] <= _EVERYWHERE * len(documents)
        )
    return out


def _learned(
    papers: Sequence[_Paper], content: NDArray[np.bool_], vocabulary: Vocabulary
) -> tuple[Background, Persistence]:
    background = Background(
        count((one for paper in papers for one in paper.reviews), vocabulary), content
    )
    reviews = [paper.reviews for paper in papers]
    learned = learn_persistence(reviews, content, vocabulary)
    # As precise as in the file, so that a model scores the same before and after it is stored.
    rounded = learned.excess.astype(np.float32).astype(np.float64)
    return background, replace(learned, excess=rounded)


def _samples(
    papers: Sequence[_Paper],
    content: NDArray[np.bool_],
    vocabulary: Vocabulary,
    kin: Kin,
    rng: np.random.Generator,
) -> Iterator[tuple[Floats, Ints]]:
    """Components of references that the background behind them has not seen."""
    order = rng.permutation(len(papers))
    folds = [order[number::_FOLDS] for number in range(_FOLDS)]
    for number in range(_FOLDS):
        others = [papers[one] for fold in (*folds[:number], *folds[number + 1 :]) for one in fold]
        background, persistence = _learned(others, content, vocabulary)
        words = 0
        for one in folds[number]:
            if words > _SAMPLES:
                break
            reviews = papers[one].reviews
            caches = [Cache(text, persistence, content, vocabulary, kin) for text in reviews]
            given = papers[one].synopsis
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
