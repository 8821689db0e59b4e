"""Ratings that several tests of agreement use: tables spelt out, and ratings drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from reviewscore.stats.metrics import Level, Weights
from reviewscore.stats.statistic import Floats

NAN = float("nan")
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
LEVELS: tuple[Level, ...] = get_args(Level)


def column(*values: float | None) -> Floats:
    """One rater's ratings; None is missing."""
    return np.array([NAN if value is None else value for value in values], dtype=np.float64)


def by_rater(*raters: Sequence[float | None]) -> Floats:
    """Shape (units, raters), from one list per rater."""
    return np.stack([column(*one) for one in raters], axis=1)


def crossed(table: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """The two columns of ratings, 1 .. q, whose table this is, the first rater's in rows."""
    counts = np.array(table)
    rows, columns = np.indices(counts.shape) + 1.0
    return np.repeat(rows.ravel(), counts.ravel()), np.repeat(columns.ravel(), counts.ravel())


def dealt(counts: Sequence[Sequence[int]]) -> Floats:
    """Ratings 1 .. q of the raters of each unit, from how many chose each category."""
    return np.array([np.repeat(np.arange(1.0, len(row) + 1.0), row) for row in counts])


def scale(q: int) -> tuple[float, ...]:
    """Categories 1 .. q."""
    return tuple(float(one) for one in range(1, q + 1))


def drawn(seed: int, units: int, raters: int, *, missing: float = 0.0, q: int = 5) -> Floats:
    """Raters who mostly agree, shape (units, raters), a share of ratings missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, q + 1, size=(units, 1))
    ratings = np.clip(truth + rng.integers(-1, 2, size=(units, raters)), 1, q).astype(np.float64)
    ratings[rng.random(ratings.shape) < missing] = NAN
    return ratings


def matrices(
    *, raters: int = 4, missing: bool = True, units: int = 12
) -> st.SearchStrategy[Floats]:
    """Any ratings 1 .. 5 of a few raters."""
    rating = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, *([NAN] if missing else [])])
    return st.integers(2, raters).flatmap(
        lambda wide: st.lists(
            st.lists(rating, min_size=wide, max_size=wide), min_size=1, max_size=units
        ).map(lambda rows: np.array(rows, dtype=np.float64))
    )
