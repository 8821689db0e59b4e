"""Labelled points as columns of numbers, so that a hundred thousand of them are counted at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reviewscore.errors import InputError
from reviewscore.focus.facets import UNKNOWN, FacetSet, Kind, Polarity
from reviewscore.focus.labelled import Labelled
from reviewscore.stats.statistic import Floats, Ints

_NO_LABEL = -1


class Review(NamedTuple):
    """Which review a point is of.

    Attributes:
        system: Who wrote it.
        paper_id: Paper.
        review_id: Review; two systems or two papers may use the same name.
    """

    system: str
    paper_id: str
    review_id: str


@dataclass(frozen=True)
class Coded:
    """Points as columns.

    Attributes:
        facets: The facets of the study.
        papers: Identifiers, sorted; the units of all statistics.
        systems: In the order in which they were first seen.
        reviews: All reviews, also those without a point if they were named.
        paper_of: Shape (reviews,); place of each review's paper in `papers`.
        system_of: Shape (reviews,); place of its system in `systems`.
        review: Shape (points,); place of each point's review in `reviews`.
        weak: Shape (points,); whether it is a weakness.
        labels: By kind, shape (points,); place among the facets, -1 if unknown.
    """

    facets: FacetSet
    papers: tuple[str, ...]
    systems: tuple[str, ...]
    reviews: tuple[Review, ...]
    paper_of: Ints
    system_of: Ints
    review: Ints
    weak: NDArray[np.bool_]
    labels: Mapping[Kind, Ints]

    def number(self, system: str) -> int:
        """Place of a system.

        Raises:
            InputError: There are no reviews of it.
        """
        if system not in self.systems:
            known = ", ".join(self.systems) or "none"
            raise InputError(f"no reviews of system '{system}'", cure=f"there are: {known}")
        return self.systems.index(system)

    def reviewed(self, system: str) -> Floats:
        """Shape (papers,); how many reviews of each paper the system wrote."""
        return self._by_paper(self.paper_of[self.system_of == self.number(system)])

    def points(self, system: str, polarity: Polarity | None = None) -> Floats:
        """Shape (papers,); its points, whether their facets are known or not."""
        return self._by_paper(self._papers_of(self._mine(system, polarity)))

    def counts(self, system: str, polarity: Polarity, kind: Kind) -> Floats:
        """Shape (papers, facets); its points with each facet, unknown ones left out."""
        label = self.labels[kind]
        mine = self._mine(system, polarity) & (label != _NO_LABEL)
        facets = len(self.facets.of(kind))
        flat = self._papers_of(mine) * facets + label[mine]
        cells = np.bincount(flat, minlength=len(self.papers) * facets)
        return cells.reshape(len(self.papers), facets).astype(np.float64)

    def unknown(self, system: str, polarity: Polarity, kind: Kind) -> Floats:
        """Shape (papers,); its points without a facet of this kind."""
        mine = self._mine(system, polarity) & (self.labels[kind] == _NO_LABEL)
        return self._by_paper(self._papers_of(mine))

    def pairs(self, system: str, polarity: Polarity) -> Ints:
        """Sorted codes of its distinct (paper, target, aspect); points without both left out."""
        mine = self._mine(system, polarity) & self._both_known()
        target, aspect = (self.labels[kind][mine] for kind in (Kind.TARGET, Kind.ASPECT))
        code = self._papers_of(mine) * len(self.facets.targets) + target
        return np.unique(code * len(self.facets.aspects) + aspect)

    def set_sizes(self, codes: Ints) -> Floats:
        """Shape (papers,); how many of the codes of `pairs` belong to each paper."""
        return self._by_paper(codes // (len(self.facets.targets) * len(self.facets.aspects)))

    def unpaired(self, system: str, polarity: Polarity) -> Floats:
        """Shape (papers,); its points without a known target or without a known aspect."""
        return self._by_paper(self._papers_of(self._mine(system, polarity) & ~self._both_known()))

    def _both_known(self) -> NDArray[np.bool_]:
        known: NDArray[np.bool_] = np.minimum(*self.labels.values()) != _NO_LABEL
        return known

    def _mine(self, system: str, polarity: Polarity | None) -> NDArray[np.bool_]:
        mine: NDArray[np.bool_] = self.system_of[self.review] == self.number(system)
        return mine if polarity is None else mine & (self.weak == (polarity is Polarity.WEAKNESS))

    def _papers_of(self, rows: NDArray[np.bool_]) -> Ints:
        return self.paper_of[self.review[rows]]

    def _by_paper(self, papers: Ints) -> Floats:
        return np.bincount(papers, minlength=len(self.papers)).astype(np.float64)


def coded(points: Iterable[Labelled], facets: FacetSet, *, reviews: Iterable[Review] = ()) -> Coded:
    """Points as columns.

    Args:
        points: The points, in any order; they are gone through once, and none is held.
        facets: The set that their labels are from.
        reviews: All reviews. Points do not tell of a review that has none; without this list it
            counts as a review that was not written.

    Raises:
        InputError: A label is neither of the set nor `UNKNOWN`.
    """
    review_at: dict[Review, int] = {}
    for one in reviews:  # names that reviews share are held once
        whose = Review(intern(one.system), intern(one.paper_id), one.review_id)
        review_at.setdefault(whose, len(review_at))
    of_point, weak = array("q"), array("b")
    labels = {kind: array("q") for kind in Kind}
    known = {
        kind: {name: at for at, name in enumerate(facets.names(kind))} | {UNKNOWN: _NO_LABEL}
        for kind in Kind
    }
    for labelled in points:
        point = labelled.point
        whose = Review(intern(point.system), intern(point.paper_id), point.review_id)
        of_point.append(review_at.setdefault(whose, len(review_at)))
        weak.append(point.polarity is Polarity.WEAKNESS)
        for kind, name in ((Kind.TARGET, labelled.target), (Kind.ASPECT, labelled.aspect)):
            if name not in known[kind]:
                raise _no_facet(name, point.point_id, kind, facets)
            labels[kind].append(known[kind][name])
    distinct = tuple(review_at)
    papers = tuple(sorted({one.paper_id for one in distinct}))
    systems = tuple(dict.fromkeys(one.system for one in distinct))
    paper_at = {name: place for place, name in enumerate(papers)}
    system_at = {name: place for place, name in enumerate(systems)}
    return Coded(
        facets,
        papers,
        systems,
        distinct,
        paper_of=_column([paper_at[one.paper_id] for one in distinct]),
        system_of=_column([system_at[one.system] for one in distinct]),
        review=_column(of_point),
        weak=np.array(weak, dtype=np.bool_),
        labels={kind: _column(places) for kind, places in labels.items()},
    )


def _column(places: Sequence[int]) -> Ints:
    return np.array(places, dtype=np.int64)


def _no_facet(name: str, point_id: str, kind: Kind, facets: FacetSet) -> InputError:
    return InputError(
        f"'{name}' of point '{point_id}' is no {kind} of '{facets.name}'",
        field=kind,
        cure=f"use one of its facets, or '{UNKNOWN}'",
    )
