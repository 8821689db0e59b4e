"""A coefficient as a function of sums over units: computed once, resampled a thousand times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

SCALE = (1.0, 2.0, 3.0, 4.0, 5.0)
"""The categories of the five-point scale, always all of them, seen in the sample or not."""


class Reason(IntEnum):
    """Why a coefficient has no value, or one that is true by definition alone."""

    NONE = 0
    NO_UNITS = 1
    NO_PAIR = 2
    ONE_UNIT = 3
    ONE_CONSTANT = 4
    ALL_CONSTANT = 5
    NONE_PREDICTED = 6
    NONE_POSITIVE = 7
    NO_POSITIVES = 8
    NO_POINTS = 9
    NO_SETS = 10
    INFINITE = 11
    NOT_RAISED = 12
    NOT_EXPECTED = 13
    NEITHER_RAISES = 14
    NOT_GIVEN = 15
    NOT_MEANT = 16
    NEITHER_GIVES = 17
    NO_VERDICT = 18
    TYPE_MISSING = 19

    @property
    def words(self) -> str:
        """The reason in words, as tables print it."""
        return _WORDS[self]


_WORDS = {
    Reason.NONE: "",
    Reason.NO_UNITS: "no unit has a label and a score",
    Reason.NO_PAIR: "no unit has two ratings",
    Reason.ONE_UNIT: "only one unit",
    Reason.ONE_CONSTANT: "one rater gave every unit the same value",
    Reason.ALL_CONSTANT: "every rating is the same",
    Reason.NONE_PREDICTED: "the judge called no unit misinformed",
    Reason.NONE_POSITIVE: "people called no unit misinformed",
    Reason.NO_POSITIVES: "nobody called a unit misinformed",
    Reason.NO_POINTS: "no point with a known facet",
    Reason.NO_SETS: "no paper has points to compare",
    Reason.INFINITE: "infinite without smoothing: one side never raises a facet of the other",
    Reason.NOT_RAISED: "the system raises it in no paper",
    Reason.NOT_EXPECTED: "the reference raises it in no paper",
    Reason.NEITHER_RAISES: "neither side raises it in any paper",
    Reason.NOT_GIVEN: "the annotator gives it to no point",
    Reason.NOT_MEANT: "the human gives it to no point",
    Reason.NEITHER_GIVES: "nobody gives it to a point",
    Reason.NO_VERDICT: "no point has a verdict on this",
    Reason.TYPE_MISSING: "a type of points is in one run only",
}


@dataclass(frozen=True)
class Values:
    """A coefficient's values for many samples.

    Attributes:
        value: Shape (samples,); NaN where the coefficient is not defined.
        reason: Shape (samples,), codes of `Reason`; also set where a value holds by definition.
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
    """

    name: str
    contributions: Floats
    from_sums: Callable[[Floats], Values]
    counts: NDArray[np.bool_]
    library: Callable[[], float] | None = None
    cells: Floats | None = None
    on: Callable[[Floats], Statistic] | None = None
    least: float | None = None

    @property
    def n(self) -> int:
        """Units that count."""
        return int(self.counts.sum())

    def point(self) -> tuple[float, Reason]:
        """The coefficient of the units as they are, by our own code."""
        values = self.from_sums(self.contributions.sum(axis=0, keepdims=True))
        return float(values.value[0]), Reason(int(values.reason[0]))


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


def values(value: Floats, *reasons: tuple[NDArray[np.bool_], Reason, float | None]) -> Values:
    """Values with their reasons; the first condition that holds decides.

    Args:
        value: Shape (samples,), computed as if nothing were degenerate.
        reasons: Where, why, and the value by definition (None: undefined).
    """
    code = np.zeros(value.shape, dtype=np.int8)
    out = value.copy()
    for where, reason, defined in reversed(reasons):
        code[where] = reason
        out[where] = np.nan if defined is None else defined
    return Values(out, code)


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
