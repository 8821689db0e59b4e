"""What models answer when they make an expert's points of a meta-review and reviews.

The chain of Shin et al. 2025 (arXiv 2502.17086, sec. 3.2 and app. A.1.1): extract, augment, clean.
Each check refuses what a reader of the points could not rely on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from reviewscore.judges.asker import Reply
from reviewscore.papers.hygiene import tidy
from reviewscore.papers.quotes import stands_in
from reviewscore.schema.answer import Sentence, Several

Side: TypeAlias = Literal["strength", "weakness"]

MOST = 40
"""Most points of a meta-review."""
LONGEST = 2000
"""Most characters of a point."""
QUOTED_WORDS = 3
"""Fewest words of a passage that shows that a review says something."""

_MARK = re.compile(r"\A(?:[-*•]|\d{1,2}[.)])\s+")
_SCORED = r"(?:rais|increas|lower|decreas|keep|chang|updat|maintain)\w*"
_MENTIONS = re.compile(
    r"\breviewers?\b|\breferees?\b|\bmeta-? ?review|\barea[- ]chairs?\b|\bprogram(?:me)? chairs?\b|"
    r"\bthe AC\b|\bR[1-9](?:['’]s|,? (?:and|&) R[1-9]| (?:says|notes|points|asks|finds|raises))\b|"
    r"\b(?:the|all|both|most|some|several|other|individual) reviews "
    r"(?:agree|say|state|note|mention|point|find|raise|ask|praise|criti)|"
    r"\brebuttals?\b|\bauthors?['’]? (?:responses?|repl(?:y|ies))\b|\bdiscussion (?:period|phase)|"
    r"\b(?:strong|weak|borderline|clear) (?:accept|reject)\b|"
    r"\b(?:accept|reject)(?:ing|ance|ion)? (?:of )?(?:the|this) (?:paper|work|submission)\b|"
    rf"\b{_SCORED} (?:my|their|his|her|your) (?:\w+ )?(?:scores?|ratings?)\b",
    re.IGNORECASE,
)
"""What a point that stands alone does not speak of. "R2" alone may be a measure of fit."""


class NamedPoint(Reply):
    """A point that a meta-review names, and where."""

    polarity: Side
    text: Sentence
    quote: Sentence


class NamedPointsReply(Reply):
    """All points of a meta-review, in order."""

    points: Several[NamedPoint]
    names_none: bool


class AugmentedPoint(Reply):
    """A point with the reviews' detail, and the passages that give it."""

    polarity: Side
    text: Sentence
    quotes: Several[Sentence]


class AugmentedPointsReply(Reply):
    """The points again, in the order in which they were given."""

    points: Several[AugmentedPoint]


class CleanPoint(Reply):
    """A point that stands alone."""

    polarity: Side
    text: Sentence


class CleanPointsReply(Reply):
    """The points again, in the order in which they were given."""

    points: Several[CleanPoint]


def plain(text: str) -> str:
    """A point on one line, without a list's marker."""
    return _MARK.sub("", " ".join(tidy(text).text.split()))


def numbered(points: Sequence[tuple[Side, str]]) -> str:
    """Points as a later prompt shows them, one a line."""
    return "\n".join(f"{n}. ({side}) {text}" for n, (side, text) in enumerate(points, start=1))


def check_named(reply: NamedPointsReply, meta_review: str) -> None:
    """Refuse points that the meta-review does not name.

    Raises:
        ValueError: The list is empty without a word or too long, a point is there twice or is no
            text, or its quote is not in the meta-review.
    """
    if bool(reply.points) == reply.names_none:
        raise ValueError("the list must be empty where names_none is true, and only there")
    if len(reply.points) > MOST:
        raise ValueError(f"{len(reply.points)} points; at most {MOST}")
    seen: dict[str, int] = {}
    for number, one in enumerate(reply.points, start=1):
        text = _worded(number, one.text)
        first = seen.setdefault(text.casefold(), number)
        if first != number:
            raise ValueError(f"point {number} is the same as point {first}; give it once")
        if not stands_in(meta_review, one.quote):
            raise ValueError(
                f"point {number}: its quote is not in the meta-review; copy the passage exactly, "
                "and leave the point out if there is none"
            )


def check_augmented(
    reply: AugmentedPointsReply, given: Sequence[tuple[Side, str]], reviews: Sequence[str]
) -> None:
    """Refuse points that are not those given, or with detail that no review is shown to give.

    Raises:
        ValueError: Number, order or polarity differ, a point is no text, a quote is in no review,
            or a point without a quote was changed.
    """
    _same_points(reply.points, given)
    for number, (one, (_, text)) in enumerate(zip(reply.points, given, strict=True), start=1):
        said = _worded(number, one.text)
        for quote in one.quotes:
            if len(re.findall(r"\w+", quote)) < QUOTED_WORDS:
                raise ValueError(f"point {number}: quote at least {QUOTED_WORDS} words")
            if not any(stands_in(review, quote) for review in reviews):
                raise ValueError(
                    f"point {number}: this quote is in no review: '{quote}'; copy passages "
                    "exactly, and leave out detail that no review gives"
                )
        if not one.quotes and said.casefold() != text.casefold():
            raise ValueError(
                f"point {number} was changed without a quote; quote the reviews, or repeat its "
                "text unchanged"
            )


def check_clean(reply: CleanPointsReply, given: Sequence[tuple[Side, str]]) -> None:
    """Refuse points that are not those given, or that do not stand alone.

    Raises:
        ValueError: Number, order or polarity differ, a point is no text, or it still speaks of
            reviewers, ratings, the discussion or a response.
    """
    _same_points(reply.points, given)
    for number, one in enumerate(reply.points, start=1):
        found = _MENTIONS.search(_worded(number, one.text))
        if found is not None:
            raise ValueError(
                f"point {number} still speaks of '{found[0]}'; say the same of the paper alone"
            )


def _same_points(
    found: Sequence[AugmentedPoint] | Sequence[CleanPoint], given: Sequence[tuple[Side, str]]
) -> None:
    if len(found) != len(given):
        raise ValueError(f"{len(given)} points were given, {len(found)} came back")
    sides = [one.polarity for one in found]
    for number, (now, (side, _)) in enumerate(zip(sides, given, strict=True), start=1):
        if now != side:
            raise ValueError(f"point {number} was a {side} and came back as a {now}")


def _worded(number: int, text: str) -> str:
    """A point's text on one line, if it is one."""
    line = plain(text)
    if not re.search(r"\w", line):
        raise ValueError(f"point {number}: there are no words in `text`")
    if len(line) > LONGEST:
        raise ValueError(f"point {number}: {len(line)} characters; at most {LONGEST}")
    return line
