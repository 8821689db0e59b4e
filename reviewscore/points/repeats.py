"""Which points of a review say again what stands in another of its sections."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from reviewscore.schema.review import ReviewPoint, Role
from reviewscore.text.stems import FUNCTION_WORDS, stems

LEAST_LIKENESS = 0.42
"""Likeness, 0..1, from which two points of different sections are the same concern."""
LEAST_SAID_AGAIN = 0.15
"""The same where a point says that it was said before: ``As I mentioned above, ..``."""
_LEAST_SHARED = 2
_LONGER = 2.5
"""How many times longer a later point must be to be the place of the concern."""
_FREQUENT = 12
"""Stems in more points of a review tell none of them apart."""

_SAID_AGAIN = re.compile(
    r"\b(?:as|like)(?: \w+){0,2} (?:mention|not|stat|discuss|describ|point|sa|list|rais|explain|"
    r"outlin)\w*(?: out)?(?: \w+){0,3} (?:above|before|earlier|previously|weakness\w*|strengths?|"
    r"section|comments?|concerns?)|\bmentioned (?:in|as|under) (?:the )?(?:\w+ )?(?:weakness|"
    r"question|concern|above)\w*|\b(?:see|cf\.?|related to|regarding|about) (?:the )?(?:my )?"
    r"(?:above|weakness\w*|W\d|Q\d)|\bagain,",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    """
    paper author work method approach model propos result experi show use perform figur tabl section
    eq equat line page discuss explain provid clear unclear clarifi lack miss limit question weak
    strength concern issu review good think
    """.split()  # noqa: SIM905
)
"""Stems that reviewers use of any concern."""


def _content(text: str) -> frozenset[str]:
    return frozenset(
        stem
        for stem in stems(text)
        if stem.lower() not in FUNCTION_WORDS
        and stem.lower() not in _GENERAL
        and (len(stem) > 1 or stem.isdigit() or stem.isupper())
    )


def _alike(points: Sequence[ReviewPoint]) -> dict[tuple[int, int], float]:
    """Likeness of the pairs of points that share rare stems: cosine of their weighted stems."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, point in enumerate(points):
        for stem in sorted(_content(point.text)):
            places[stem].append(index)
    sizes = [0.0] * len(points)
    shared: Counter[tuple[int, int]] = Counter()
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for indices in places.values():
        weight = math.log(1 + len(points) / len(indices))
        for index in indices:
            sizes[index] += weight
        if len(indices) <= _FREQUENT:
            for pair in combinations(indices, 2):
                shared[pair] += 1
                weights[pair] += weight
    return {
        pair: weight / math.sqrt(sizes[pair[0]] * sizes[pair[1]])
        for pair, weight in weights.items()
        if shared[pair] >= _LEAST_SHARED
    }


def repeated_points(points: Sequence[ReviewPoint]) -> dict[str, str]:
    """The points that repeat another one, with the point that each repeats.

    A repeat stands under another heading than what it repeats, and shares its rarer words. Of the
    two the place of the concern is the first, or the later one where that is much longer.

    Args:
        points: The points of one review in reading order.

    Returns:
        Ids of the repeats, each with the id of a point that is no repeat itself.
    """
    alike = _alike(points)
    place: dict[int, int] = {}
    for first, second in sorted(alike, key=lambda pair: (-alike[pair], pair)):
        if first in place or second in place or not _same(points, first, second, alike):
            continue
        kept, repeat = first, second
        if len(points[second].text) > _LONGER * len(points[first].text):
            kept, repeat = second, first
        if repeat not in place.values():
            place[repeat] = kept
    return {points[repeat].point_id: points[kept].point_id for repeat, kept in place.items()}


def _same(
    points: Sequence[ReviewPoint],
    first: int,
    second: int,
    alike: dict[tuple[int, int], float],
) -> bool:
    one, other = points[first], points[second]
    if (one.span.field, one.section) == (other.span.field, other.section):
        return False
    if (one.role is Role.STRENGTHS) != (other.role is Role.STRENGTHS):
        return False
    again = _SAID_AGAIN.search(other.text) is not None
    return alike[first, second] >= (LEAST_SAID_AGAIN if again else LEAST_LIKENESS)
