"""Alterations that take information away, without a model."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from math import ceil

from reviewscore.gem.alterations.alteration import (
    Alteration,
    Altered,
    Case,
    Expectation,
    Kind,
)
from reviewscore.gem.alterations.layout import Part, by_section, each_sentence, joined, judgments
from reviewscore.sources.system_reviews import Form

LADDER = (100, 80, 60, 40, 20)
"""Percentages of a review that the steps of the ladder keep."""


def without_every_other(case: Case, rng: random.Random) -> Altered:
    """Every other sentence of each section deleted, from the second; of judgments every other.

    arXiv 2411.07228, sec. 4.2 and app. D.1.1.
    """
    del rng
    if case.form is Form.JUDGMENTS:
        return Altered(joined(judgments(case.candidate)[::2], case.candidate))

    def odd(part: Part) -> str:
        number = count(1)
        return each_sentence(part.body, lambda text: text if next(number) % 2 else None)

    return Altered(by_section(case.candidate, odd))


def of_another_paper(case: Case, rng: random.Random) -> Altered:
    """The review of another paper in its place."""
    del rng
    if case.other is None:
        return Altered(None, "there is no review of another paper")
    if case.form is Form.JUDGMENTS:
        return Altered(joined(judgments(case.other), case.candidate))
    return Altered(case.other)


def kept(percent: int) -> Callable[[Case, random.Random], Altered]:
    """Keep a share of the sentences or judgments, drawn at random, in their order.

    With one random stream a smaller share is part of a larger one. At least one is kept.

    Args:
        percent: The share, 1..100.
    """

    def make(case: Case, rng: random.Random) -> Altered:
        if percent >= 100:  # noqa: PLR2004 - per cent
            return Altered(case.candidate)
        if case.form is Form.JUDGMENTS:
            lines = judgments(case.candidate)
            chosen = _chosen(len(lines), percent, rng)
            return Altered(
                joined([line for at, line in enumerate(lines) if at in chosen], case.candidate)
            )
        seen: list[str] = []
        _each(case.candidate, seen.append)
        chosen = _chosen(len(seen), percent, rng)
        number = count()
        return Altered(_each(case.candidate, lambda text: text if next(number) in chosen else None))

    return make


def _each(review: str, change: Callable[[str], str | None]) -> str:
    return by_section(review, lambda part: each_sentence(part.body, change))


def _chosen(units: int, percent: int, rng: random.Random) -> set[int]:
    order = list(range(units))
    rng.shuffle(order)
    return set(order[: max(1, ceil(units * percent / 100))])


SENTENCE_DELETION = Alteration(
    "sentence deletion",
    Kind.DEGRADATION,
    "every other sentence of each section, or every other judgment, is deleted, from the second",
    Expectation.FALLS,
    without_every_other,
)
SHUFFLED_PAPER = Alteration(
    "shuffled paper",
    Kind.DEGRADATION,
    "the review of another paper stands in its place",
    Expectation.FALLS,
    of_another_paper,
)
KEPT = tuple(
    Alteration(
        f"keep {percent} %",
        Kind.DEGRADATION,
        f"{percent} % of the sentences or judgments are kept, drawn at random, at least one; the "
        "steps are nested",
        Expectation.FALLS if percent < 100 else Expectation.DOES_NOT_RISE,  # noqa: PLR2004
        kept(percent),
        stream="keep",
    )
    for percent in LADDER
)
"""The ladder, from the whole review down."""
