"""The points of two runs as columns, and those that both have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewscore.runs.folder import read_points
from reviewscore.runs.parts import Part
from reviewscore.schema.point_score import PointScore
from reviewscore.stats.statistic import Floats, Ints, Statistic
from reviewscore.venue.outcomes import TYPES, UNTYPED, outcome

Sums = NDArray[np.uint64]


@dataclass(frozen=True)
class Columns:
    """The points of a run, as columns of shape (points,).

    Attributes:
        names: Sum of each point's identifier.
        words: Sum of its words.
        reviews: Sum of its review's identifier.
        papers: Sum of its paper's identifier.
        types: Codes of `outcomes.TYPES`.
        outcomes: Codes of `outcomes.outcome`.
        base: BASE score 1..5; 0 is unknown.
    """

    names: Sums
    words: Sums
    reviews: Sums
    papers: Sums
    types: Ints
    outcomes: Ints
    base: Ints

    def __len__(self) -> int:
        """Number of points."""
        return len(self.names)

    def at(self, rows: NDArray[Any]) -> Columns:
        """Some of the points."""
        return Columns(
            self.names[rows], self.words[rows], self.reviews[rows], self.papers[rows],
            self.types[rows], self.outcomes[rows], self.base[rows],
        )  # fmt: skip


def columns_of(part: Part) -> Columns:
    """The points of a run, about 50 bytes of each.

    Raises:
        RunFolderError: A record cannot be read.
    """
    rows = np.fromiter(
        (_row(score) for score in read_points(part.path)),
        dtype=[("name", "u8"), ("words", "u8"), ("review", "u8"), ("paper", "u8"), ("type", "i1"),
               ("outcome", "i1"), ("base", "i1")],
    )  # fmt: skip
    return Columns(
        rows["name"].copy(), rows["words"].copy(), rows["review"].copy(), rows["paper"].copy(),
        rows["type"].astype(np.int64), rows["outcome"].astype(np.int64),
        rows["base"].astype(np.int64),
    )  # fmt: skip


def _row(score: PointScore) -> tuple[int, int, int, int, int, int, int]:
    kind = TYPES.index(score.type.value if score.type else UNTYPED)
    names = (score.point_id, score.text, score.review_id, score.paper_id)
    name, words, review, paper = map(_sum, names)
    return name, words, review, paper, kind, outcome(score), score.base or 0


def _sum(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Pairs:
    """Points that two runs share, side by side.

    Attributes:
        first: The points in the first run.
        second: The same points in the second, in the same order.
        paper_of: Shape (points,); number of each point's paper.
        papers: How many papers they are of.
        only_first: Points that only the first run has.
        only_second: Points that only the second has.
        reworded: Points with one identifier and other words: not paired.
    """

    first: Columns
    second: Columns
    paper_of: Ints
    papers: int
    only_first: int
    only_second: int
    reworded: int

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.first)

    @property
    def overlap(self) -> float:
        """Pairs among the points of the smaller run, 0..1; 0 if it has none."""
        shared = len(self) + self.reworded
        smaller = min(self.only_first, self.only_second) + shared
        return len(self) / smaller if smaller else 0.0

    def by_paper(self, statistic: Statistic, rows: Ints) -> Statistic:
        """A coefficient of some of the points with papers as its units; it still counts points."""
        papers = self.paper_of[rows]
        weights = [
            np.bincount(papers, column, minlength=self.papers)
            for column in statistic.contributions.T
        ]
        return replace(statistic, contributions=np.stack(weights, axis=1))

    def per_paper(self, of_points: NDArray[Any]) -> Floats:
        """The sum over each paper's points, shape (papers,)."""
        weights = of_points.astype(np.float64)
        return np.bincount(self.paper_of, weights, minlength=self.papers).astype(np.float64)


def pair(first: Columns, second: Columns) -> Pairs:
    """Pair points by identifier where their words are the same."""
    shared, left, right = np.intersect1d(first.names, second.names, return_indices=True)
    same = first.words[left] == second.words[right]
    ours, theirs = first.at(left[same]), second.at(right[same])
    _, paper_of = np.unique(ours.papers, return_inverse=True)
    papers = int(paper_of.max()) + 1 if len(paper_of) else 0
    return Pairs(
        first=ours,
        second=theirs,
        paper_of=paper_of.reshape(-1).astype(np.int64),
        papers=papers,
        only_first=len(first) - len(shared),
        only_second=len(second) - len(shared),
        reworded=int((~same).sum()),
    )


def cross(rows: Ints, columns: Ints, kinds: int) -> tuple[tuple[int, ...], ...]:
    """How often each pair of codes 0 .. kinds - 1 comes, rows by columns."""
    counts = np.bincount(rows * kinds + columns, minlength=kinds * kinds).reshape(kinds, kinds)
    return tuple(tuple(int(one) for one in row) for row in counts)


def furthest(pairs: Pairs, most: int) -> Ints:
    """Places of the pairs that differ most, the largest difference first.

    Scores of one scale differ by 1 to 4; then come points on which only the verdict differs.

    Args:
        pairs: The pairs.
        most: How many at most.
    """
    ours, theirs = pairs.first, pairs.second
    other = ours.outcomes != theirs.outcomes
    known = (ours.base > 0) & (theirs.base > 0) & ((ours.types == 0) == (theirs.types == 0))
    apart: Floats = np.where(known, abs(ours.base - theirs.base), 0) + 0.5 * other
    order = np.lexsort((pairs.first.names, -apart))
    return order[apart[order] > 0][:most]


def found_again(
    part: Part, pairs: Pairs, places: Sequence[int], make: Callable[[PointScore], dict[str, str]]
) -> dict[int, dict[str, str]]:
    """What a run says of some pairs, by place; the run is read once more."""
    wanted = {int(pairs.first.names[place]): int(place) for place in places}
    return dict(_found(part, wanted, make)) if wanted else {}


def _found(
    part: Part, wanted: dict[int, int], make: Callable[[PointScore], dict[str, str]]
) -> Iterator[tuple[int, dict[str, str]]]:
    for score in read_points(part.path):
        place = wanted.get(_sum(score.point_id))
        if place is not None:
            yield place, make(score)
