"""Identifiers of review points: the review's, a dot, and eight digits of the words' SHA-256.

A remark that did not change keeps its identifier, and with it its verdict and its labels, when the
review around it changes. Before, identifiers were places (``REVIEW#3``); they are still read, and
``REVIEW#3`` is still what people call the third point of a review.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator

POINT_IDS_VERSION = 2
"""1 made identifiers of places in a review, 2 makes them of content."""

_POINT = re.compile(
    r"(?P<review>.*)(?:#(?P<place>\d{1,18})|\.[0-9a-f]{8}(?:-[1-9]\d{0,17})?)", re.DOTALL
)


def same_words(text: str) -> str:
    """A text with its white space normalised: what two wordings of one remark share."""
    return " ".join(text.split())


def content_id(review_id: str, text: str) -> str:
    """Identifier of the first point of a review that has these words."""
    digest = hashlib.sha256(same_words(text).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{review_id}.{digest[:8]}"


def content_ids(review_id: str, texts: Iterable[str]) -> Iterator[str]:
    """Identifiers of the points of a review, in reading order; a repeat ends in ``-2``, ``-3``.

    Args:
        review_id: The review.
        texts: The words of its points.
    """
    met: Counter[str] = Counter()
    for text in texts:
        name = content_id(review_id, text)
        met[name] += 1
        yield name if met[name] == 1 else f"{name}-{met[name]}"


def review_of(point_id: str) -> str | None:
    """The review that a point's identifier or short name speaks of; None if it is neither."""
    match = _POINT.fullmatch(point_id)
    return match["review"] if match else None


def place_of(point_id: str) -> int | None:
    """The place in its review that an identifier or short name says; None if it is of content."""
    match = _POINT.fullmatch(point_id)
    return int(match["place"]) if match and match["place"] else None


def is_content(point_id: str) -> bool:
    """Whether it is an identifier that is made of content."""
    return review_of(point_id) is not None and place_of(point_id) is None


def owner_of(unit_id: str) -> str | None:
    """The point that a premise's identifier, ``<point_id>/P<m>``, speaks of; None of others."""
    owner, slash, premise = unit_id.rpartition("/")
    known = slash and premise and "#" not in premise and review_of(owner) is not None
    return owner if known else None


def short_name(review_id: str, number: int) -> str:
    """What people call a point: its review and its place there, such as ``R1#3``."""
    return f"{review_id}#{number}"
