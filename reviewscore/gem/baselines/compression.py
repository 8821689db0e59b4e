"""How much better two texts compress together than apart."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

from reviewscore.text.similarity import Pair

WINDOW = 32_768
"""Bytes that zlib looks back: of longer texts only what is that near is found again."""


class Compression:
    """One minus the normalised compression distance by zlib; about 0 for texts without relation.

    Cilibrasi and Vitanyi 2005, Clustering by compression, eq. 6: the distance of x and y is
    (C(xy) - min(C(x), C(y))) / max(C(x), C(y)), with C the compressed size in bytes. The mean of
    both orders is taken. Below 1 even for equal texts, and slightly below 0 for some; a pair with
    an empty side gives no score.
    """

    name = "compression"

    def scores(self, pairs: Sequence[Pair]) -> list[float | None]:
        """One score for each pair, in order."""
        return [similarity(pair.candidate, pair.reference) for pair in pairs]


def similarity(left: str, right: str) -> float | None:
    """One minus the normalised compression distance; None if a text is empty."""
    one, other = left.strip(), right.strip()
    if not one or not other:
        return None
    small, large = sorted((_size(one), _size(other)))
    together = (_size(f"{one}\n{other}") + _size(f"{other}\n{one}")) / 2
    return 1 - (together - small) / large


@lru_cache(maxsize=4096)
def _size(text: str) -> int:
    return len(zlib.compress(text.encode("utf-8", "surrogatepass"), 9))
