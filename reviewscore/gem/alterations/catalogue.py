"""All alterations that need no model, in the order of a table."""

from __future__ import annotations

from reviewscore.errors import InputError
from reviewscore.gem.alterations import attacks, degradations, manipulations
from reviewscore.gem.alterations.alteration import Alteration

ALTERATIONS: tuple[Alteration, ...] = (
    degradations.SENTENCE_DELETION,
    degradations.SHUFFLED_PAPER,
    manipulations.MEANINGLESS_ELONGATION,
    attacks.DUPLICATES,
    attacks.NEAR_DUPLICATES,
    attacks.PRAISE_FILLER,
    attacks.STUFFED_WORDS,
    attacks.GENERIC_LINES,
    attacks.SYNOPSIS_AS_REVIEW,
    attacks.STANCE_FLIP,
)
LADDER: tuple[Alteration, ...] = degradations.KEPT
"""Smaller and smaller parts of a review, the whole first."""


def alteration(name: str) -> Alteration:
    """The alteration of a name.

    Raises:
        InputError: There is none; names those there are.
    """
    known = {one.name: one for one in (*ALTERATIONS, *LADDER)}
    if name not in known:
        raise InputError(f"no alteration '{name}'", cure=f"use one of {', '.join(known)}")
    return known[name]
