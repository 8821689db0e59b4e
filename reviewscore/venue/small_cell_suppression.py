"""Cells of a table that are too small to be shown, and those that must go with them.

The rule of statistical offices for tables of counts (Hundepool et al. 2012, Statistical Disclosure
Control, ch. 4): a cell of few is withheld, and then a second one, so that neither can be had by
taking the shown ones from the total.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

REVIEWERS = 5
"""Different reviewers that a cell must have to be shown."""
_PAIR = 2


@dataclass(frozen=True)
class Size:
    """How large a cell is.

    Attributes:
        reviews: Reviews in it.
        people: Different reviewers; where they cannot be told apart, papers in their stead.
    """

    reviews: int
    people: int

    def few(self, at_least: int) -> bool:
        """Whether it is too small to be shown."""
        return self.reviews < at_least or self.people < REVIEWERS


def suppressed_cells(
    sizes: Sequence[Size], pooled: Callable[[frozenset[int]], Size], *, at_least: int
) -> frozenset[int]:
    """The cells of a table that are not shown.

    Whoever takes the shown cells from the total gets the sum of the withheld ones. So these are
    two or more, and together large enough to be shown as one; the next smallest cells are added
    until they are.

    Args:
        sizes: Of each cell; none is empty.
        pooled: The size of several cells as one; a review may be in two of them.
        at_least: Reviews that a cell must have.

    Returns:
        Places in `sizes`: none, or two and more; one only of a table of one cell.
    """
    hidden = {place for place, size in enumerate(sizes) if size.few(at_least)}
    if not hidden:
        return frozenset()
    rest = sorted(
        set(range(len(sizes))) - hidden,
        key=lambda place: (sizes[place].reviews, place),
        reverse=True,
    )
    while rest and (len(hidden) < _PAIR or pooled(frozenset(hidden)).few(at_least)):
        hidden.add(rest.pop())
    return frozenset(hidden)
