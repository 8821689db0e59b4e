"""Places of a paper that a review names, such as ``l. 212`` or ``Table 3``."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from reviewscore.schema.paper import Box
from reviewscore.schema.record import Record
from reviewscore.schema.span import Span


class PlaceKind(StrEnum):
    """What kind of place is named."""

    LINE = "line"
    PAGE = "page"
    SECTION = "section"
    APPENDIX = "appendix"
    TABLE = "table"
    FIGURE = "figure"
    EQUATION = "equation"
    THEOREM = "theorem"
    LEMMA = "lemma"
    PROPOSITION = "proposition"
    COROLLARY = "corollary"
    DEFINITION = "definition"
    ASSUMPTION = "assumption"
    ALGORITHM = "algorithm"
    FOOTNOTE = "footnote"
    QUOTE = "quote"  # words of the paper in quotation marks


class Target(Record):
    """What stands at a place: ``paper.text[start:end]``.

    Attributes:
        start: Offset of the first character.
        end: Offset just after the last character.
        page: 1-based page, where pages are known.
        box: The place on that page, where the layout is known.
        reckoned: Whether a line was counted on from others, as its number was not seen with it; it
            is then near by, with some lines around it.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = Field(default=None, ge=1)
    box: Box | None = None
    reckoned: bool = False


class Place(Record):
    """A place of the paper that a review point names.

    Attributes:
        kind: What kind of place.
        label: The place in one spelling, such as ``lines 212-215``, ``Table 3b``, ``Section 4.2``,
            ``Section "Related Work"``.
        span: Where the review names it.
        target: What stands there; None if the text at hand does not hold it, which is never held
            against the reviewer.
    """

    kind: PlaceKind
    label: str
    span: Span
    target: Target | None = None
