"""Kind notes to a reviewer: a passage that may bear on a point, and a question about it.

Written from a few patterns, never by a model, and checked by rules: a note is polite, specific,
holds an exact quote, gives no score, and says nothing twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewscore.report.sheet import Entry, SheetQuote
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.review import PointType

_MOST_QUOTES = 2
_OPENINGS = {
    PointType.QUESTION: (
        "You ask something that the paper may answer.",
        "There is a passage that may hold the answer to this question.",
        "Perhaps this passage is what you are looking for.",
    ),
    PointType.CLAIM: (
        "A passage seems to bear on this point.",
        "The paper says something about this.",
        "It may be worth another look at the paper here.",
    ),
    PointType.ARGUMENT: (
        "This point builds on something that a passage seems to see otherwise.",
        "One of the reasons given here touches a passage of the paper.",
        "A passage may change what this point rests on.",
    ),
}
_CLOSINGS = {
    PointType.QUESTION: (
        "Does it answer your question, or is there something it leaves open?",
        "Would you say that this settles it, or do you mean something else?",
        "Is this enough of an answer, or would you like to ask for more?",
    ),
    PointType.CLAIM: (
        "Does it address your concern, or would you put the point differently in view of it?",
        "Do you see your concern met by it, wholly or in part?",
        "Would you keep the point as it is, or say what is still missing?",
    ),
    PointType.ARGUMENT: (
        "Does your point still hold in view of it, or would you word it differently?",
        "Would you draw the same conclusion with this in mind?",
        "Does it touch the heart of your point, or only a detail?",
    ),
}
_UNKIND = re.compile(
    r"\b(?:wrong|false|misinformed|mistake\w*|error\w*|careless\w*|ignor\w+|fail\w*|incorrect\w*"
    r"|overlook\w*|missed|obvious\w*|clearly|should have|must|never|bad|poor\w*|\d(?:\.\d)?/5"
    r"|score\w*)\b",
    re.IGNORECASE,
)
"""Words that have no place in our own sentences of a note."""


def notes(points: Sequence[tuple[PointScore, tuple[SheetQuote, ...]]]) -> tuple[Entry, ...]:
    """A note for each point that has a verified quote; those that break a rule are left out.

    Args:
        points: Flagged points of one review with their verified quotes.
    """
    made: list[Entry] = []
    seen: set[str] = set()
    for point, quotes in points:
        fresh = tuple(one for one in quotes if one.text not in seen)[:_MOST_QUOTES]
        if not fresh:
            continue
        entry = _note(point, fresh, len(made))
        if not faults(entry):
            made.append(entry)
            seen |= {one.text for one in fresh}
    return tuple(made)


def _note(point: PointScore, quotes: tuple[SheetQuote, ...], number: int) -> Entry:
    kind = point.type or PointType.CLAIM
    if point.finding is not None and kind is PointType.ARGUMENT:
        kind = PointType.CLAIM  # the embedded judge says nothing of reasons
    opening = _OPENINGS[kind][number % len(_OPENINGS[kind])]
    # Openings and closings turn at different speeds, so that pairs of them seldom return.
    closing = _CLOSINGS[kind][(number // len(_OPENINGS[kind]) + number) % len(_CLOSINGS[kind])]
    return Entry(point.text, (opening,), quotes, closing, point.short_name)


def faults(note: Entry) -> tuple[str, ...]:
    """Which rules a note breaks; empty for a note that may be sent."""
    ours = " ".join((*note.own, note.closing))
    found = []
    if not note.quotes:
        found.append("it has no quote")
    if not note.closing.endswith("?"):
        found.append("it does not end with a question")
    if _UNKIND.search(ours):
        found.append("its words are not kind, or tell a score")
    if not note.said.strip():
        found.append("it does not say what it is about")
    return tuple(found)
