"""Alterations that need no model: degradations, manipulations and attacks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from math import ceil

from reviewscore.errors import InputError
from reviewscore.gem.alterations import wording
from reviewscore.gem.alterations.alteration import (
    Alteration,
    Altered,
    Case,
    Expectation,
    Kind,
    Part,
    by_section,
    closed,
    each_sentence,
    joined,
    judgments,
    opened,
    sentences_of,
    words_of,
)
from reviewscore.gem.alterations.wording import flipped_judgment, flipped_text, reworded
from reviewscore.judges.lexical.stems import stem
from reviewscore.judges.lexical.stopwords import stop_stems
from reviewscore.sources.roles import plain_name
from reviewscore.sources.written import Form

KEPT_PERCENT = (100, 80, 60, 40, 20)
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
    for percent in KEPT_PERCENT
)
"""The ladder, from the whole review down."""


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


TOPIC_WORDS = 20
"""How many topic words are stuffed into a review."""


def _doubled(case: Case, again: Callable[[str], str]) -> Altered:
    """Each judgment or sentence, and after it what is made of it."""
    if case.form is Form.JUDGMENTS:
        lines = judgments(case.candidate)
        return Altered(
            joined([one for line in lines for one in (line, again(line))], case.candidate)
        )
    return Altered(
        by_section(
            case.candidate,
            lambda part: each_sentence(part.body, lambda text: f"{text} {again(text)}"),
        )
    )


def duplicated(case: Case, rng: random.Random) -> Altered:
    """Each judgment or sentence twice."""
    del rng
    return _doubled(case, lambda text: text)


def nearly_duplicated(case: Case, rng: random.Random) -> Altered:
    """After each judgment or sentence the same in slightly other words."""
    return _doubled(case, lambda text: reworded(text, rng))


def _with_lines(case: Case, lines: list[str]) -> Altered:
    if case.form is Form.JUDGMENTS:
        return Altered(joined([*judgments(case.candidate), *lines], case.candidate))
    return Altered(closed(case.candidate, " ".join(lines)))


def praised(case: Case, rng: random.Random) -> Altered:
    """Praise that fits any paper at the end."""
    del rng
    return _with_lines(case, list(wording.PRAISE))


def topic_words(text: str, *, most: int = TOPIC_WORDS) -> list[str]:
    """The most frequent content words, the more frequent first, then in the order of the text.

    Function words and words that any review uses of any paper do not count.
    """
    idle = stop_stems()
    counted = Counter(word for word in words_of(text) if stem(word) not in idle)
    return [word for word, _ in counted.most_common(most)]


def stuffed(case: Case, rng: random.Random) -> Altered:
    """A line with the topic words of the synopsis, or of the review where there is none."""
    del rng
    words = topic_words(case.synopsis or case.candidate)
    if not words:
        return Altered(None, "there are no topic words")
    return _with_lines(case, [wording.STUFFED.format(words=", ".join(words))])


def generic(case: Case, rng: random.Random) -> Altered:
    """A fixed review that fits any paper in its place."""
    del rng
    if case.form is Form.JUDGMENTS:
        return Altered(joined(list(wording.GENERIC_JUDGMENTS), case.candidate))
    return Altered(
        "\n".join(f"{name}:\n\n{' '.join(lines)}\n" for name, lines in wording.GENERIC.items())
    )


def synopsis_as_review(case: Case, rng: random.Random) -> Altered:
    """The synopsis in its place."""
    del rng
    text = (case.synopsis or "").strip()
    if not text:
        return Altered(None, "the paper has no synopsis")
    if case.form is Form.JUDGMENTS:
        return Altered(
            joined([one for line in judgments(text) for one in sentences_of(line)], case.candidate)
        )
    return Altered(f"Summary Of The Paper:\n\n{text}\n")


def flipped(case: Case, rng: random.Random) -> Altered:
    """Every judgment turned into its opposite."""
    del rng
    if case.form is Form.JUDGMENTS:
        return Altered(
            joined([flipped_judgment(line) for line in judgments(case.candidate)], case.candidate)
        )
    return Altered(by_section(case.candidate, lambda part: flipped_text(part.body)))


DUPLICATES = Alteration(
    "duplicated lines",
    Kind.ATTACK,
    "each judgment or sentence stands twice",
    Expectation.DOES_NOT_RISE,
    duplicated,
)
NEAR_DUPLICATES = Alteration(
    "near-duplicates",
    Kind.ATTACK,
    "after each judgment or sentence comes the same in slightly other words",
    Expectation.DOES_NOT_RISE,
    nearly_duplicated,
)
PRAISE_FILLER = Alteration(
    "praise filler",
    Kind.ATTACK,
    f"{len(wording.PRAISE)} fixed lines of praise stand at the end",
    Expectation.DOES_NOT_RISE,
    praised,
)
STUFFED_WORDS = Alteration(
    "stuffed words",
    Kind.ATTACK,
    f"the {TOPIC_WORDS} most frequent content words of the synopsis, or of the review where there "
    "is none, stand in a line at the end",
    Expectation.DOES_NOT_RISE,
    stuffed,
)
GENERIC_LINES = Alteration(
    "generic lines",
    Kind.ATTACK,
    "a fixed review that fits any paper stands in its place",
    Expectation.FALLS,
    generic,
)
SYNOPSIS_AS_REVIEW = Alteration(
    "synopsis as review",
    Kind.ATTACK,
    "the synopsis of the paper stands in its place",
    Expectation.FALLS,
    synopsis_as_review,
)
STANCE_FLIP = Alteration(
    "stance flip",
    Kind.ATTACK,
    "praise becomes blame, blame and questions become praise, suggestions become objections",
    Expectation.FALLS,
    flipped,
)


ALTERATIONS: tuple[Alteration, ...] = (
    SENTENCE_DELETION,
    SHUFFLED_PAPER,
    MEANINGLESS_ELONGATION,
    DUPLICATES,
    NEAR_DUPLICATES,
    PRAISE_FILLER,
    STUFFED_WORDS,
    GENERIC_LINES,
    SYNOPSIS_AS_REVIEW,
    STANCE_FLIP,
)
LADDER = KEPT
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
