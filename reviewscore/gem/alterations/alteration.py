"""An alteration: its name, what it does, what a good metric makes of it, and the function."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewscore.gem.derangement import derangement
from reviewscore.sources.system_reviews import Form

EMPTY = "the candidate is empty"


class Kind(StrEnum):
    """Why a review is altered."""

    DEGRADATION = "degradation"  # takes information away
    MANIPULATION = "manipulation"  # changes the wording and leaves the content
    ATTACK = "attack"  # what somebody would do to raise a score without reading the paper


class Expectation(StrEnum):
    """What the score of a good metric does."""

    FALLS = "falls"  # significantly
    DOES_NOT_RISE = "does not rise"  # not significantly


@dataclass(frozen=True, slots=True)
class Case:
    """One candidate review and what alterations need beside it.

    Attributes:
        paper_id: The paper it is about.
        candidate: The review.
        form: How it is written.
        synopsis: What anybody could know of the paper, such as its abstract.
        other: The review of another paper, in the same form.
    """

    paper_id: str
    candidate: str
    form: Form
    synopsis: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Altered:
    """An altered candidate.

    Attributes:
        text: The candidate; None if the alteration could not be made.
        reason: Why there is no text; empty if there is one.
    """

    text: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """What an alteration is, however it is made.

    Attributes:
        name: As in a table.
        kind: Why it is done.
        does: What it does, in words.
        expectation: What the score of a good metric does.
    """

    name: str
    kind: Kind
    does: str
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Alteration(Described):
    """An alteration that needs no model.

    Attributes:
        make: Alters a candidate; draws from the generator alone.
        stream: Name of the random stream; alterations with one stream draw the same numbers for
            a paper. Its own name if empty.
    """

    make: Callable[[Case, random.Random], Altered]
    stream: str = ""

    def altered(self, case: Case, *, seed: int = 0) -> Altered:
        """The altered candidate; equal seeds give equal texts, whatever other cases there are."""
        if not case.candidate.strip():
            return Altered(None, EMPTY)
        stream = f"{seed}\n{self.stream or self.name}\n{case.paper_id}"
        return self.make(case, random.Random(stream))


def with_others(cases: Sequence[Case], *, seed: int = 0) -> list[Case]:
    """The cases, each with the candidate of another paper.

    Args:
        cases: One for each paper.
        seed: Of the derangement.

    Raises:
        InputError: There are fewer than two papers, or a paper comes twice.
    """
    places = derangement([case.paper_id for case in cases], seed=seed)
    return [
        replace(case, other=cases[place].candidate)
        for case, place in zip(cases, places, strict=True)
    ]
