"""Which other paper each paper is paired with."""

from __future__ import annotations

import random
from collections.abc import Sequence

from reviewscore.errors import InputError


def derangement(paper_ids: Sequence[str], *, seed: int = 0) -> list[int]:
    """A random permutation without a fixed point, every one equally likely.

    Args:
        paper_ids: The papers, each once.
        seed: Of the generator.

    Returns:
        For each paper the place of another one; each paper is used once.

    Raises:
        InputError: There are fewer than two papers, or a paper comes twice.
    """
    count = len(paper_ids)
    if count < 2:  # noqa: PLR2004 - a paper and another one
        raise InputError("one paper cannot be paired with another one", cure="give two or more")
    if len(set(paper_ids)) < count:
        raise InputError("a paper comes twice", cure="give one candidate a paper")
    rng = random.Random(seed)
    places = list(range(count))
    while True:  # about one shuffle in e leaves nothing in its place, for any count above two
        rng.shuffle(places)
        if all(place != own for own, place in enumerate(places)):
            return places
