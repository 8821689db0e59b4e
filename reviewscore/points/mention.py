"""A place that a review's text names, before anybody has looked for it in a paper."""

from __future__ import annotations

from dataclasses import dataclass

from reviewscore.schema.place import PlaceKind


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that a text names.

    Attributes:
        kind: What kind of place.
        first: Its label, such as ``212``, ``3b``, ``D.7``; quoted words as they stand there.
        last: The last label of a range; the first one otherwise.
        start: Offset of its first character in the text.
        end: Offset just after its last character.
        page: Page that is named with a line.
        sure: Whether a place is meant even if the paper lacks it; quoted words and names of
            sections may be anybody's.
    """

    kind: PlaceKind
    first: str
    last: str
    start: int
    end: int
    page: int | None = None
    sure: bool = True
