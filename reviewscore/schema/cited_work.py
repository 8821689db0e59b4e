"""Works that a review names, and what is known of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from reviewscore.schema.place import Target
from reviewscore.schema.record import Record
from reviewscore.schema.span import Span


class CitedWork(Record):
    """A work that a review names, once or more.

    Attributes:
        words: The first of its namings, verbatim.
        mentions: Where the review names it, in reading order.
        authors: Surnames as the review has them, the first author first.
        year: Year, where the review says it.
        letter: Letter after the year, as in ``2020a``.
        title: Its title, as the review has it.
        name: Name of the method or data set that it is known by.
        arxiv: Identifier at arXiv, without a version.
        doi: Digital object identifier, in lower case.
        url: Address of its page.
        number: Number in the paper's own list of references.
    """

    words: str
    mentions: tuple[Span, ...]
    authors: tuple[str, ...] = ()
    year: int | None = None
    letter: str = ""
    title: str = ""
    name: str = ""
    arxiv: str = ""
    doi: str = ""
    url: str = ""
    number: int | None = None


class Listing(StrEnum):
    """Whether something lists a work; none of them is a verdict on a review."""

    FOUND = "found"
    AMBIGUOUS = "ambiguous"  # several fit, or one fits in part
    NOT_FOUND = "not_found"
    NO_LIST = "no_list"  # the text at hand has no list of references
    UNKNOWN = "unknown"  # nobody could say


class ListedWork(Record):
    """Whether the paper's own list of references has a work.

    Attributes:
        listing: Whether it has.
        entries: Where the entries that fit stand in the paper's text.
    """

    listing: Listing
    entries: tuple[Target, ...] = ()


class WorkRecord(Record):
    """A work that a review of a run names: a line of ``references.jsonl``.

    Attributes:
        review_id: The review.
        paper_id: The paper reviewed.
        work: The work, with the places where the review names it.
        in_paper: Whether the paper's list of references has it.
        outside: Whether a public index of publications has it; None if none was asked.
    """

    schema_id: Literal["reviewscore.reference/1"] = Field(
        default="reviewscore.reference/1", alias="schema"
    )
    review_id: str
    paper_id: str
    work: CitedWork
    in_paper: ListedWork
    outside: Listing | None = None
