"""Points that a model proposed, accepted only where they stand verbatim in the review."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from reviewscore.papers.hidden import WIDTHLESS
from reviewscore.points.concerns import Concern
from reviewscore.points.sections import OpenSection, open_sections
from reviewscore.points.split import review_point
from reviewscore.schema.review import Review, ReviewPoint

_Place = tuple[int, int, int]  # index of the section, start and end in its field


def _squeezed(text: str) -> tuple[str, list[int]]:
    """A text without white space and unseen characters, and where each of the others stood."""
    unseen = {at for match in WIDTHLESS.finditer(text) for at in range(*match.span())}
    places = [at for at, char in enumerate(text) if at not in unseen and not char.isspace()]
    return "".join(text[index] for index in places), places


def _find(
    wanted: str, squeezed: Sequence[tuple[str, list[int]]], taken: Sequence[list[_Place]]
) -> _Place | None:
    """The first free place of a text in the open sections."""
    for number, (text, places) in enumerate(squeezed):
        at = text.find(wanted)
        while at >= 0:
            place = (number, places[at], places[at + len(wanted) - 1] + 1)
            if _is_free(place, taken[number]):
                return place
            at = text.find(wanted, at + len(wanted))
    return None


def _is_free(place: _Place, taken: list[_Place]) -> bool:
    index = bisect_left(taken, place)
    before = index == 0 or taken[index - 1][2] <= place[1]
    return before and (index == len(taken) or place[2] <= taken[index][1])


def accept_proposed(
    review: Review, proposals: Sequence[str], *, include_limitations: bool = False
) -> tuple[tuple[ReviewPoint, ...], tuple[str, ...]]:
    """Accept the proposed points that stand verbatim where the review may hold points.

    White space and characters without width are ignored in the comparison; the stored text is the
    review's own. A proposal is rejected if it is not there, was proposed before, or overlaps one
    accepted before it.

    Args:
        review: The review that was shown to the model.
        proposals: Texts of points as the model wrote them, in its order of preference.
        include_limitations: Whether sections for limitations may hold points.

    Returns:
        The points in reading order, and the rejected proposals as they came.
    """
    sections = open_sections(review, include_limitations=include_limitations)
    squeezed: list[tuple[str, list[int]]] = []
    for section in sections:
        text, places = _squeezed(review.fields[section.field][section.start : section.end])
        squeezed.append((text, [section.start + place for place in places]))
    taken: list[list[_Place]] = [[] for _ in sections]
    rejected: list[str] = []
    known: set[str] = set()
    for proposal in proposals:
        wanted, _ = _squeezed(proposal)
        if wanted in known or re.search(r"\w", wanted) is None:
            rejected.append(proposal)
            continue
        known.add(wanted)
        place = _find(wanted, squeezed, taken)
        if place is None:
            rejected.append(proposal)
            continue
        index = bisect_left(taken[place[0]], place)
        taken[place[0]].insert(index, place)
    return _numbered(review, sections, taken), tuple(rejected)


def _numbered(
    review: Review, sections: Sequence[OpenSection], taken: Sequence[list[_Place]]
) -> tuple[ReviewPoint, ...]:
    places = [place for group in taken for place in group]
    return tuple(
        review_point(
            review,
            sections[index],
            number,
            Concern(start, end, None),
            sections[index].role,
        )
        for number, (index, start, end) in enumerate(places, start=1)
    )
