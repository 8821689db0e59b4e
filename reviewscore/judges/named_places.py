"""What stands at the places that a point names, as a model judge is told."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.schema.paper import Paper
from reviewscore.schema.place import Place, PlaceKind
from reviewscore.schema.review import ReviewPoint

MOST_OF_A_PLACE = 1500
MOST_OF_ALL = 4000
"""Characters of one place, and of all places of a point, that are shown again."""
_SURROUNDINGS = 300
"""Characters before and after quoted words, within their paragraph."""


@dataclass(frozen=True)
class NamedPlace:
    """A place as a prompt shows it.

    Attributes:
        label: The place in our own words; never the reviewer's.
        text: What stands there; None if the text at hand, as far as judges see it, lacks it.
        whole: Whether that is all of it.
    """

    label: str
    text: str | None
    whole: bool = True


def named_places(point: ReviewPoint, paper: Paper) -> tuple[NamedPlace, ...]:
    """Each place that a point names, once, with what stands there.

    Long places are cut, and where the point names more than fits, the last ones are left out: the
    paper itself stands before the judge anyway. So are those that the text lacks, where judges are
    shown its pages.
    """
    shown: dict[tuple[str, int], NamedPlace] = {}
    left = MOST_OF_ALL
    for place in point.places or ():
        start, end = _span(place, paper)
        key = (place.label, start)
        if key in shown or (start < end and left <= 0):
            continue
        cut = min(end, start + MOST_OF_A_PLACE, start + left)
        text = paper.text[start:cut] if start < end else None
        if text is None and paper.shown_pages is not None:
            continue
        shown[key] = NamedPlace(_label(place), text, whole=cut == end)
        left -= cut - start
    return tuple(shown.values())


def _span(place: Place, paper: Paper) -> tuple[int, int]:
    """The span that is shown; an empty one where judges see nothing of it."""
    where = place.target
    if where is None or not paper.is_read(where.start):
        return 0, 0
    start, end = where.start, where.end
    if place.kind is PlaceKind.QUOTE:
        start = max(paper.text.rfind("\n\n", 0, start) + 2, start - _SURROUNDINGS, 0)
        after = paper.text.find("\n\n", end)
        end = min(len(paper.text) if after < 0 else after, end + _SURROUNDINGS)
    unread = [span.start for span in paper.unread_spans if start < span.start]
    return start, min([end, *unread])


def _label(place: Place) -> str:
    if place.kind is PlaceKind.QUOTE:
        return "Around the words in quotation marks"
    if place.kind is PlaceKind.FIGURE:
        return f"{place.label} (its caption)"
    label = place.label[0].upper() + place.label[1:]
    return f"{label} (about here)" if place.target and place.target.reckoned else label
