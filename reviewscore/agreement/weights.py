"""Weights of partial agreement between the categories of a scale (Gwet 2014, table 3.2 ff.)."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from reviewscore.agreement.statistic import Floats

Weights: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"]
WEIGHTS: tuple[str, ...] = get_args(Weights)
_FEWEST = 2


def agreement_weights(weights: Weights, q: int) -> Floats:
    """How much two categories agree, from the places they have on the scale.

    Args:
        weights: ``identity`` (1 if equal, else 0), ``linear`` (1 - d/(q-1)), ``quadratic``
            (1 - (d/(q-1))**2), or ``ordinal`` (1 - C(d+1, 2) / C(q, 2): pairs of categories
            within the span), d being the distance in places.
        q: Number of categories, at least 2.

    Returns:
        Shape (q, q), 0..1, symmetric, 1 on the diagonal.

    Raises:
        ValueError: Fewer than two categories.
    """
    if q < _FEWEST:
        raise ValueError(f"{q} categories; a scale has at least two")
    place = np.arange(q, dtype=np.float64)
    distance = np.abs(place[:, None] - place[None, :])
    match weights:
        case "identity":
            return np.asarray(distance == 0, dtype=np.float64)
        case "linear":
            return np.asarray(1.0 - distance / (q - 1), dtype=np.float64)
        case "quadratic":
            return np.asarray(1.0 - (distance / (q - 1)) ** 2, dtype=np.float64)
        case "ordinal":
            return np.asarray(1.0 - distance * (distance + 1) / (q * (q - 1)), dtype=np.float64)
