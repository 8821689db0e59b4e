"""What one review leaves out that other reviews of the paper raise."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from reviewscore.errors import InputError
from reviewscore.focus.coded import Coded, Review
from reviewscore.focus.distribution import FOUR
from reviewscore.focus.facets import Kind, Polarity
from reviewscore.stats.statistic import Floats


@dataclass(frozen=True)
class Missed:
    """A facet that other reviews of the paper raise and one review does not.

    Attributes:
        polarity: In their strengths or weaknesses.
        kind: Whether the facet is a target or an aspect.
        facet: Its name.
        others: Other reviews that raise it, at least 1.
    """

    polarity: Polarity
    kind: Kind
    facet: str
    others: int


@dataclass(frozen=True)
class Gaps:
    """What one review leaves out.

    Attributes:
        review: The review.
        others: Other reviews of the paper.
        unknown: Labels of its own points that are unknown: it may raise what seems missed.
        missed: Raised by most others first, then in the order of the facets.
    """

    review: Review
    others: int
    unknown: int
    missed: tuple[Missed, ...]


def gaps(coded: Coded, review: Review, *, among: Collection[str] | None = None) -> Gaps:
    """Which facets the other reviews of a paper raise that one review does not.

    Args:
        coded: The points.
        review: The review.
        among: Systems whose reviews are the others; all if None.

    Raises:
        InputError: There is no such review.
    """
    if review not in coded.reviews:
        raise InputError(
            f"no review '{review.review_id}' of paper '{review.paper_id}' by '{review.system}'",
            cure="name one of those that were read",
        )
    return _Raised(coded, among).gaps(coded.reviews.index(review))


def all_gaps(coded: Coded, *, among: Collection[str] | None = None) -> Iterator[Gaps]:
    """What each review leaves out, in the order of the reviews; see `gaps`."""
    raised = _Raised(coded, among)
    for at in range(len(coded.reviews)):
        yield raised.gaps(at)


class _Raised:
    """Which review raises which facet, and how many reviews of each paper do.

    Args:
        coded: The points.
        among: Systems whose reviews count as others; all if None.
    """

    def __init__(self, coded: Coded, among: Collection[str] | None) -> None:
        self._coded = coded
        self._other = np.array([among is None or one.system in among for one in coded.reviews])
        self._reviews = np.bincount(coded.paper_of[self._other], minlength=len(coded.papers))
        self._of = {which: _matrix(coded, *which) for which in FOUR}
        self._often = {which: self._by_paper(matrix) for which, matrix in self._of.items()}
        unknown = sum((label < 0).astype(np.int64) for label in coded.labels.values())
        self._unknown = np.bincount(coded.review, weights=unknown, minlength=len(coded.reviews))

    def _by_paper(self, matrix: Floats) -> Floats:
        """Shape (papers, facets); how many of the others raise each."""
        found = np.zeros((len(self._coded.papers), matrix.shape[1]))
        np.add.at(found, self._coded.paper_of[self._other], matrix[self._other])
        return found

    def gaps(self, at: int) -> Gaps:
        """What the review at a place leaves out."""
        coded, paper = self._coded, self._coded.paper_of[at]
        missed = [
            Missed(polarity, kind, name, int(often))
            for (polarity, kind), matrix in self._of.items()
            for name, mine, often in zip(
                coded.facets.names(kind),
                matrix[at],
                self._often[polarity, kind][paper],
                strict=True,
            )
            if often and not mine
        ]
        return Gaps(
            coded.reviews[at],
            int(self._reviews[paper]) - int(self._other[at]),
            int(self._unknown[at]),
            tuple(sorted(missed, key=lambda one: -one.others)),
        )


def _matrix(coded: Coded, polarity: Polarity, kind: Kind) -> Floats:
    """Shape (reviews, facets); 1 if the review raises the facet."""
    found = np.zeros((len(coded.reviews), len(coded.facets.of(kind))))
    label = coded.labels[kind]
    rows = (coded.weak == (polarity is Polarity.WEAKNESS)) & (label >= 0)
    found[coded.review[rows], label[rows]] = 1.0
    return found
