"""What the reviews of a run look at, as its report shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reviewscore.schema.record import Record


class FacetShares(Record):
    """What one system's strengths or weaknesses are about.

    Attributes:
        system: Who wrote the reviews.
        polarity: ``strength`` or ``weakness``.
        kind: ``target`` or ``aspect``.
        points: How many points count.
        shares: By facet, 0..1, in the order of the facets; empty if no point counts.
    """

    system: str
    polarity: str
    kind: str
    points: int = Field(ge=0)
    shares: dict[str, float]


class FocusSpot(Record):
    """A facet that a system overlooks or favours against the reference.

    Attributes:
        system: Who wrote the reviews.
        polarity: ``strength`` or ``weakness``.
        kind: ``target`` or ``aspect``.
        facet: The target or aspect.
        difference: System minus reference, -1..1, with its interval.
        low: Lower end of the interval of the difference; None if there is none.
        high: Upper end.
        q: The p-value adjusted for all facets.
    """

    system: str
    polarity: str
    kind: str
    facet: str
    difference: float
    low: float | None
    high: float | None
    q: float


class FocusGap(Record):
    """A facet that a review does not raise.

    Attributes:
        polarity: ``strength`` or ``weakness``.
        kind: ``target`` or ``aspect``.
        facet: The target or aspect.
        others: How many other reviews of the paper raise it, at least 1.
    """

    polarity: str
    kind: str
    facet: str
    others: int = Field(ge=1)


class ReviewGaps(Record):
    """What one review leaves out.

    Attributes:
        others: Other reviews of the paper.
        unknown: Labels of its own that could not be had: it may raise what seems left out.
        missed: Facets that most others raise first.
    """

    others: int = Field(ge=0)
    unknown: int = Field(ge=0)
    missed: tuple[FocusGap, ...]


class FocusDigest(Record):
    """The focus of a run's reviews.

    Attributes:
        annotator: Who labelled the points.
        notes: What a reader must know.
        reference: The system that others are compared with; None if nothing is compared.
        level: Of intervals, 0..1.
        inputs: SHA-256 of the files that were read.
        shares: Four of each system.
        spots: Facets that differ, largest difference of each system first.
        gaps: By review.
    """

    schema_id: Literal["reviewscore.focus-digest/1"] = Field(
        default="reviewscore.focus-digest/1", alias="schema"
    )
    annotator: str
    notes: tuple[str, ...]
    reference: str | None
    level: float
    inputs: tuple[str, ...]
    shares: tuple[FacetShares, ...]
    spots: tuple[FocusSpot, ...]
    gaps: dict[str, ReviewGaps]
