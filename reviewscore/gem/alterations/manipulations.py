"""Alterations that change how a review is worded and leave what it says, without a model."""

from __future__ import annotations

import random
from dataclasses import dataclass

from reviewscore.gem.alterations import wording
from reviewscore.gem.alterations.alteration import (
    Alteration,
    Altered,
    Case,
    Expectation,
    Kind,
)
from reviewscore.gem.alterations.layout import Part, by_section, joined, judgments, opened
from reviewscore.sources.section_roles import plain_name
from reviewscore.sources.system_reviews import Form

_STRENGTHS = "strength and weaknesses"
_SPELLINGS = {plain_name("Strengths And Weaknesses"): _STRENGTHS}


@dataclass(frozen=True, slots=True)
class Summaries:
    """What a model made of a review, one line each, without a full stop.

    Attributes:
        strengths: Two strengths of the paper, joined by "and".
        weaknesses: Two weaknesses.
    """

    strengths: str
    weaknesses: str


def elongated(case: Case, summaries: Summaries | None = None) -> Altered:
    """Fixed words that say nothing, before each section or before the judgments.

    After arXiv 2411.07228, app. D.2.2, in wording of our own.

    Args:
        case: The review.
        summaries: Worked into the introduction of the strengths and weaknesses, if given.
    """
    if case.form is Form.JUDGMENTS:
        return Altered(
            joined([*wording.FILLER_JUDGMENTS, *judgments(case.candidate)], case.candidate)
        )
    filled = (
        wording.SUMMARIES.format(strengths=summaries.strengths, weaknesses=summaries.weaknesses)
        if summaries
        else ""
    )

    def introduced(part: Part) -> str:
        if not part.heading and not part.body.strip():
            return part.body
        name = _SPELLINGS.get(part.name, part.name)
        introduction = wording.INTRODUCTIONS.get(name, wording.ANY_INTRODUCTION)
        return opened(part.body, introduction.replace("{summaries}", filled))

    return Altered(by_section(case.candidate, introduced))


def _plainly(case: Case, rng: random.Random) -> Altered:
    del rng
    return elongated(case)


MEANINGLESS_ELONGATION = Alteration(
    "meaningless elongation",
    Kind.MANIPULATION,
    "fixed words that say nothing stand before each section, or before the judgments",
    Expectation.DOES_NOT_RISE,
    _plainly,
)
