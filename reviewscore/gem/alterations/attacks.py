"""What somebody would do to raise a score without reading the paper, without a model."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from reviewscore.gem.alterations import wording
from reviewscore.gem.alterations.alteration import (
    Alteration,
    Altered,
    Case,
    Expectation,
    Kind,
)
from reviewscore.gem.alterations.layout import (
    by_section,
    closed,
    each_sentence,
    joined,
    judgments,
    sentences_of,
    words_of,
)
from reviewscore.gem.alterations.rewording import reworded
from reviewscore.gem.alterations.stance import flipped_judgment, flipped_text
from reviewscore.sources.written import Form
from reviewscore.text.stems import stem
from reviewscore.text.stopwords import stop_stems

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
