"""Alterations that need no model: degradations, manipulations and attacks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import ceil

from reviewscore.gem.alterations import wording
from reviewscore.gem.alterations.alteration import (
    Alteration,
    AlterationCase,
    AlterationKind,
    Altered,
    Expectation,
    ReviewPart,
    by_section,
    closed,
    each_unit,
    every_other,
    joined,
    judgments,
    opened,
    sentences_of,
    words_of,
)
from reviewscore.gem.alterations.wording import flipped_judgment, flipped_text, reworded
from reviewscore.sources.section_roles import plain_name
from reviewscore.sources.system_reviews import TextForm
from reviewscore.text.stems import stem, stop_stems

KEPT_PERCENT = (100, 80, 60, 40, 20)
"""Percentages of a review that the steps of the ladder keep."""
TOPIC_WORDS = 20
"""How many topic words are stuffed into a review."""
_STRENGTHS = "strength and weaknesses"
_SPELLINGS = {plain_name("Strengths And Weaknesses"): _STRENGTHS}


def without_every_other(case: AlterationCase, _: random.Random) -> Altered:
    """Every other sentence of each section deleted, from the second; of judgments every other.

    arXiv 2411.07228, sec. 4.2 and app. D.1.1.
    """
    return Altered(every_other(case, lambda _: None))


def of_another_paper(case: AlterationCase, _: random.Random) -> Altered:
    """The review of another paper in its place."""
    if case.other is None:
        return Altered(None, "there is no review of another paper")
    if case.form is TextForm.JUDGMENTS:
        return Altered(joined(judgments(case.other), case.candidate))
    return Altered(case.other)


def kept(case: AlterationCase, rng: random.Random, *, percent: int) -> Altered:
    """A share of the sentences or judgments, drawn at random, in their order; at least one.

    With one random stream a smaller share is part of a larger one.

    Args:
        case: The review.
        rng: Draws them.
        percent: The share, 1..100.
    """
    if percent >= 100:  # noqa: PLR2004 - per cent
        return Altered(case.candidate)
    units: list[str] = []
    each_unit(case, units.append)
    order = list(range(len(units)))
    rng.shuffle(order)
    chosen = set(order[: max(1, ceil(len(units) * percent / 100))])
    number = count()
    return Altered(each_unit(case, lambda text: text if next(number) in chosen else None))


@dataclass(frozen=True, slots=True)
class Summaries:
    """What a model made of a review, one line each, without a full stop.

    Attributes:
        strengths: Two strengths of the paper, joined by "and".
        weaknesses: Two weaknesses.
    """

    strengths: str
    weaknesses: str


def elongated(
    case: AlterationCase, _: random.Random | None = None, *, summaries: Summaries | None = None
) -> Altered:
    """Fixed words that say nothing, before each section or before the judgments.

    After arXiv 2411.07228, app. D.2.2, in wording of our own.

    Args:
        case: The review.
        summaries: Worked into the introduction of the strengths and weaknesses, if given.
    """
    if case.form is TextForm.JUDGMENTS:
        lines = [*wording.FILLER_JUDGMENTS, *judgments(case.candidate)]
        return Altered(joined(lines, case.candidate))
    filled = (
        wording.SUMMARIES.format(strengths=summaries.strengths, weaknesses=summaries.weaknesses)
        if summaries
        else ""
    )

    def introduced(part: ReviewPart) -> str:
        if not part.heading and not part.body.strip():
            return part.body
        name = _SPELLINGS.get(part.name, part.name)
        introduction = wording.INTRODUCTIONS.get(name, wording.ANY_INTRODUCTION)
        return opened(part.body, introduction.replace("{summaries}", filled))

    return Altered(by_section(case.candidate, introduced))


def _doubled(case: AlterationCase, again: Callable[[str], str]) -> Altered:
    """Each judgment or sentence, and after it what is made of it."""
    if case.form is TextForm.JUDGMENTS:
        lines = judgments(case.candidate)
        both = [text for line in lines for text in (line, again(line))]
        return Altered(joined(both, case.candidate))
    return Altered(each_unit(case, lambda text: f"{text} {again(text)}"))


def duplicated(case: AlterationCase, _: random.Random) -> Altered:
    """Each judgment or sentence twice."""
    return _doubled(case, lambda text: text)


def nearly_duplicated(case: AlterationCase, rng: random.Random) -> Altered:
    """After each judgment or sentence the same in slightly other words."""
    return _doubled(case, lambda text: reworded(text, rng))


def _with_lines(case: AlterationCase, lines: list[str]) -> Altered:
    if case.form is TextForm.JUDGMENTS:
        return Altered(joined([*judgments(case.candidate), *lines], case.candidate))
    return Altered(closed(case.candidate, " ".join(lines)))


def praised(case: AlterationCase, _: random.Random) -> Altered:
    """Fixed lines of praise that fit any paper at the end."""
    return _with_lines(case, list(wording.PRAISE))


def topic_words(text: str, *, most: int = TOPIC_WORDS) -> list[str]:
    """The most frequent content words, the more frequent first, then in the order of the text.

    Function words and words that any review uses of any paper do not count.
    """
    idle = stop_stems()
    counted = Counter(word for word in words_of(text) if stem(word) not in idle)
    return [word for word, _ in counted.most_common(most)]


def stuffed(case: AlterationCase, _: random.Random) -> Altered:
    """A line with the topic words of the synopsis, or of the review where there is none."""
    words = topic_words(case.synopsis or case.candidate)
    if not words:
        return Altered(None, "there are no topic words")
    return _with_lines(case, [wording.STUFFED.format(words=", ".join(words))])


def generic(case: AlterationCase, _: random.Random) -> Altered:
    """A fixed review that fits any paper in its place."""
    if case.form is TextForm.JUDGMENTS:
        return Altered(joined(list(wording.GENERIC_JUDGMENTS), case.candidate))
    return Altered(
        "\n".join(f"{name}:\n\n{' '.join(lines)}\n" for name, lines in wording.GENERIC.items())
    )


def synopsis_as_review(case: AlterationCase, _: random.Random) -> Altered:
    """The synopsis of the paper in its place."""
    text = (case.synopsis or "").strip()
    if not text:
        return Altered(None, "the paper has no synopsis")
    if case.form is TextForm.JUDGMENTS:
        sentences = [each for line in judgments(text) for each in sentences_of(line)]
        return Altered(joined(sentences, case.candidate))
    return Altered(f"Summary Of The Paper:\n\n{text}\n")


def flipped(case: AlterationCase, _: random.Random) -> Altered:
    """Praise becomes blame, blame and questions become praise, suggestions become objections."""
    if case.form is TextForm.JUDGMENTS:
        return Altered(each_unit(case, flipped_judgment))
    return Altered(by_section(case.candidate, lambda part: flipped_text(part.body)))


_FALLS, _DOES_NOT_RISE = Expectation.FALLS, Expectation.DOES_NOT_RISE
ALTERATIONS = (
    Alteration("sentence deletion", AlterationKind.DEGRADATION, _FALLS, without_every_other),
    Alteration("shuffled paper", AlterationKind.DEGRADATION, _FALLS, of_another_paper),
    Alteration("meaningless elongation", AlterationKind.MANIPULATION, _DOES_NOT_RISE, elongated),
    Alteration("duplicated lines", AlterationKind.ATTACK, _DOES_NOT_RISE, duplicated),
    Alteration("near-duplicates", AlterationKind.ATTACK, _DOES_NOT_RISE, nearly_duplicated),
    Alteration("praise filler", AlterationKind.ATTACK, _DOES_NOT_RISE, praised),
    Alteration("stuffed words", AlterationKind.ATTACK, _DOES_NOT_RISE, stuffed),
    Alteration("generic lines", AlterationKind.ATTACK, _FALLS, generic),
    Alteration("synopsis as review", AlterationKind.ATTACK, _FALLS, synopsis_as_review),
    Alteration("stance flip", AlterationKind.ATTACK, _FALLS, flipped),
)
"""All alterations that need no model, in the order of a table."""
LADDER = tuple(
    Alteration(
        f"keep {percent} %",
        AlterationKind.DEGRADATION,
        _FALLS if percent < 100 else _DOES_NOT_RISE,  # noqa: PLR2004
        partial(kept, percent=percent),
        stream="keep",
    )
    for percent in KEPT_PERCENT
)
"""Smaller and smaller parts of a review, the whole first."""
