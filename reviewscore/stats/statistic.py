"""A coefficient as a function of sums over units: computed once, resampled a thousand times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from reviewscore.stats.estimates import Estimate

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

SCALE = (1.0, 2.0, 3.0, 4.0, 5.0)
"""The categories of the five-point scale, always all of them, seen in the sample or not."""


class MissingReason(IntEnum):
    """Why a coefficient has no value, or one that is true by definition alone.

    Attributes:
        words: The reason as tables print it.
    """

    words: str

    def __new__(cls, code: int, words: str = "") -> Self:
        """A code with its words."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.words = words
        return made

    NONE = 0, ""
    NO_UNITS = 1, "no unit has a label and a score"
    NO_PAIR = 2, "no unit has two ratings"
    ONE_UNIT = 3, "only one unit"
    ONE_CONSTANT = 4, "one rater gave every unit the same value"
    ALL_CONSTANT = 5, "every rating is the same"
    NONE_PREDICTED = 6, "the judge called no unit misinformed"
    NONE_POSITIVE = 7, "people called no unit misinformed"
    NO_POSITIVES = 8, "nobody called a unit misinformed"
    NO_POINTS = 9, "no point with a known facet"
    NO_SETS = 10, "no paper has points to compare"
    INFINITE = 11, "infinite without smoothing: one side never raises a facet of the other"
    NOT_RAISED = 12, "the system raises it in no paper"
    NOT_EXPECTED = 13, "the reference raises it in no paper"
    NEITHER_RAISES = 14, "neither side raises it in any paper"
    NOT_GIVEN = 15, "the annotator gives it to no point"
    NOT_MEANT = 16, "the human gives it to no point"
    NEITHER_GIVES = 17, "nobody gives it to a point"
    NO_VERDICT = 18, "no point has a verdict on this"
    TYPE_MISSING = 19, "a type of points is in one run only"


@dataclass(frozen=True)
class Values:
    """A coefficient's values for many samples.

    Attributes:
        value: Shape (samples,); NaN where the coefficient is not defined.
        reason: Shape (samples,), codes of `MissingReason`; set too where a value holds by
            definition.
    """

    value: Floats
    reason: NDArray[np.int8]


@dataclass(frozen=True)
class Statistic:
    """A coefficient of a set of units.

    A sample with weights W, shape (samples, units), has the values ``from_sums(W @
    contributions)``. So the same code gives the estimate (all weights 1), bootstrap replicates
    (counts) and the jackknife.

    Attributes:
        name: Such as ``kappa``.
        contributions: Shape (units, k); what each unit adds to the k sums. Units that do not count
            for this coefficient have a row of zeros.
        from_sums: Sums of shape (samples, k) to values.
        counts: Shape (units,); whether the unit counts for this coefficient.
        library: The same number from a well-known library, where there is one: it gives the
            estimate, ours the replicates. NaN where the library has none.
        cells: Shape (k, 2), where the sums depend on the ratings: the pair of values that each
            sum counts.
        on: The same coefficient with sums for more cells than its own units have.
        least: The smallest value, of a coefficient such as a divergence that chance alone moves
            away from it: its interval is the basic one and does not go below.
        settle: Gives an estimate its n and its interval where the bootstrap alone cannot, from
            this statistic, the estimate and the level of intervals.
    """

    name: str
    contributions: Floats
    from_sums: Callable[[Floats], Values]
    counts: NDArray[np.bool_]
    library: Callable[[], float] | None = None
    cells: Floats | None = None
    on: Callable[[Floats], Statistic] | None = None
    least: float | None = None
    settle: Callable[[Statistic, Estimate, float], Estimate] | None = None

    @property
    def n(self) -> int:
        """Units that count."""
        return int(self.counts.sum())

    def point(self) -> tuple[float, MissingReason]:
        """The coefficient of the units as they are, by our own code."""
        values = self.from_sums(self.contributions.sum(axis=0, keepdims=True))
        return float(values.value[0]), MissingReason(int(values.reason[0]))


def aligned(left: Statistic, right: Statistic) -> tuple[Statistic, Statistic]:
    """Two coefficients of one kind with sums that stand for the same, so that they can be mixed.

    Raises:
        ValueError: They are of different kinds or of different units.
    """
    mine, theirs = left.cells, right.cells
    if mine is not None and theirs is not None and left.on and right.on:
        left, right = left.on(theirs), right.on(mine)
    if left.name != right.name or left.contributions.shape != right.contributions.shape:
        raise ValueError("only a coefficient of one kind over the same units can be swapped")
    return left, right


Degenerate: TypeAlias = tuple[NDArray[np.bool_], MissingReason, float | None]
"""Where a coefficient is degenerate, why, and its value by definition (None: undefined)."""


def values(value: Floats, *reasons: Degenerate) -> Values:
    """Values with their reasons; the first condition that holds decides.

    Args:
        value: Shape (samples,), computed as if nothing were degenerate.
        reasons: The degenerate samples.
    """
    code = np.zeros(value.shape, dtype=np.int8)
    out = value.copy()
    for where, reason, defined in reversed(reasons):
        code[where] = reason
        out[where] = np.nan if defined is None else defined
    return Values(out, code)


def quotient(
    name: str, over: Floats, under: Floats, counts: NDArray[np.bool_], reason: MissingReason
) -> Statistic:
    """The sum of one number of the units over the sum of another.

    Args:
        name: Of the coefficient.
        over: Shape (units,).
        under: Shape (units,).
        counts: Shape (units,); which units count.
        reason: Why there is no value where `under` sums to 0.
    """
    parts = np.stack([over, under], axis=1).astype(np.float64)

    def from_sums(sums: Floats) -> Values:
        return values(ratio(sums[:, 0], sums[:, 1]), (sums[:, 1] == 0, reason, None))

    return Statistic(name, parts, from_sums, counts)


def ratio(over: Floats, under: Floats) -> Floats:
    """A quotient, NaN without a warning where the divisor is 0."""
    safe = np.where(under == 0, 1.0, under)
    return np.where(under == 0, np.nan, over / safe)


def codes(ratings: Floats, categories: tuple[float, ...]) -> Ints:
    """The place of each rating among the categories, -1 for a missing one.

    Args:
        ratings: Any shape; NaN is missing.
        categories: All values of the scale, in order.

    Raises:
        ValueError: A rating is none of the categories. A median of 3.5 is not rounded here.
    """
    scale = np.asarray(categories, dtype=np.float64)
    place = np.searchsorted(scale, ratings).clip(0, len(scale) - 1)
    missing = np.isnan(ratings)
    strange = ~missing & (scale[place] != ratings)
    if strange.any():
        raise ValueError(f"{ratings[strange].flat[0]:g} is none of the categories {categories}")
    return np.where(missing, -1, place).astype(np.int64)
