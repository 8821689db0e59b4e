"""How well the pieces of a review that a program cut meet the points that a reader marked.

Letters and digits are compared by their places, so that marks, brackets and white space at the
ends of a piece count for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewscore.schema.span import Span

MATCHED = 0.5
"""Least overlap (Jaccard) at which two readers marked the same point."""
_NEARLY_ALL = 0.75
_ALMOST_NONE = 0.2
_PART_OF_POINT = 0.25
_MOST = 0.5


class Cut(StrEnum):
    """What became of a reader's point in the program's pieces."""

    WHOLE = "whole"  # one piece holds at least three quarters of it, and of no other point most
    MERGED = "merged"  # a piece holds half of it or more, and most of another point
    CLIPPED = "clipped"  # one piece holds less than three quarters
    CUT = "cut"  # several pieces hold it
    MISSED = "missed"  # less than a fifth of it stands in any piece


@dataclass(frozen=True)
class Piece:
    """A stretch of a review, or several: what somebody marked as one point, or a program cut.

    Attributes:
        review_id: The review.
        places: Where its letters and digits stand: field and offset.
    """

    review_id: str
    places: frozenset[tuple[str, int]]

    @classmethod
    def of(cls, review_id: str, fields: Mapping[str, str], spans: Iterable[Span]) -> Piece:
        """The piece that stands at these spans of the review's fields."""
        places = (
            (span.field, at)
            for span in spans
            for at in range(span.start, span.end)
            if fields[span.field][at : at + 1].isalnum()
        )
        return cls(review_id, frozenset(places))


def _by_review(pieces: Iterable[Piece]) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for number, piece in enumerate(pieces):
        index.setdefault(piece.review_id, []).append(number)
    return index


def matches(first: Sequence[Piece], second: Sequence[Piece]) -> list[tuple[int, int]]:
    """Pairs of indices of the pieces that are the same point, each used once, closest first.

    Two pieces are the same point where their letters overlap by at least `MATCHED` (Jaccard).
    """
    others = _by_review(second)
    pairs: list[tuple[float, int, int]] = []
    for left, piece in enumerate(first):
        for right in others.get(piece.review_id, ()):
            union = len(piece.places | second[right].places)
            overlap = len(piece.places & second[right].places) / union if union else 0.0
            if overlap >= MATCHED:
                pairs.append((-overlap, left, right))
    taken: tuple[set[int], set[int]] = (set(), set())
    chosen: list[tuple[int, int]] = []
    for _, left, right in sorted(pairs):
        if left not in taken[0] and right not in taken[1]:
            taken[0].add(left)
            taken[1].add(right)
            chosen.append((left, right))
    return sorted(chosen)


@dataclass(frozen=True)
class Segmentation:
    """A reader's points against a program's pieces.

    Attributes:
        cuts: What became of each point, in the order of the points.
        pieces: For each point the piece that holds it, where it is whole, else None.
        no_points: Indices of the pieces that hold a point of the reader's neither by half of
            their own letters nor by a quarter of its.
    """

    cuts: tuple[Cut, ...]
    pieces: tuple[int | None, ...]
    no_points: tuple[int, ...]


def segmentation(points: Sequence[Piece], pieces: Sequence[Piece]) -> Segmentation:
    """What became of each point, and which pieces are none.

    Args:
        points: What a reader marked as points.
        pieces: What a program cut of the same reviews.
    """
    cut_of, points_of = _by_review(pieces), _by_review(points)
    used: set[int] = set()
    cuts: list[Cut] = []
    holders: list[int | None] = []
    for number, point in enumerate(points):
        touching = [
            index
            for index in cut_of.get(point.review_id, ())
            if _touches(point.places, pieces[index].places)
        ]
        used.update(touching)
        others = [points[at].places for at in points_of[point.review_id] if at != number]
        cut = _cut(point.places, [pieces[index].places for index in touching], others)
        cuts.append(cut)
        holders.append(touching[0] if cut is Cut.WHOLE else None)
    left = tuple(index for index in range(len(pieces)) if index not in used)
    return Segmentation(tuple(cuts), tuple(holders), left)


_Places = frozenset[tuple[str, int]]


def _touches(point: _Places, piece: _Places) -> bool:
    shared = len(point & piece)
    return bool(shared) and (shared >= _PART_OF_POINT * len(point) or shared >= _MOST * len(piece))


def _cut(point: _Places, touching: Sequence[_Places], others: Sequence[_Places]) -> Cut:
    held = len(point.intersection(frozenset().union(*touching))) / len(point) if point else 0.0
    if held < _ALMOST_NONE:
        return Cut.MISSED
    if any(_merges(point, piece, others) for piece in touching):
        return Cut.MERGED
    if len(touching) > 1:
        return Cut.CUT
    return Cut.WHOLE if held >= _NEARLY_ALL else Cut.CLIPPED


def _merges(point: _Places, piece: _Places, others: Sequence[_Places]) -> bool:
    if len(point & piece) < _MOST * len(point):
        return False
    return any(
        len(other & piece) >= _MOST * len(other) and len(other - point) > _MOST * len(other)
        for other in others
    )
