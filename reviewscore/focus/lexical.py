"""The embedded annotator: facets by words and their weights, without a model.

It knows the default facets alone, reads words and not meaning, and says so wherever it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reviewscore.focus.facets import DEFAULT, Kind
from reviewscore.focus.labelled import Labelled, Point
from reviewscore.focus.lexicon import compiled

NAME = "lexical"
_LEAD = re.compile(r"^\W*the reviewer\s+\w+\s+")
_LONGEST = 2_000
"""Characters of a point that are read: what it is about stands at its beginning."""
_USUAL = {Kind.TARGET: "method", Kind.ASPECT: "validity"}
"""Where no word speaks for a facet."""


def annotate(points: Iterable[Point]) -> Iterator[Labelled]:
    """Label points, in order."""
    for point in points:
        target, aspect = facets_of(point.text)
        yield Labelled(point, target, aspect)


def facets_of(text: str) -> tuple[str, str]:
    """Target and aspect of a point: the facets whose words weigh most, the first one of equals."""
    words = _LEAD.sub("", text[:_LONGEST].lower(), count=1)
    return _best(Kind.TARGET, words), _best(Kind.ASPECT, words)


def _best(kind: Kind, text: str) -> str:
    weights = dict.fromkeys(DEFAULT.names(kind), 0.0)
    for name, weight, pattern in compiled(kind.value):
        if pattern.search(text):
            weights[name] += weight
    best = max(weights.values())
    return (
        next(name for name, weight in weights.items() if weight == best) if best else _USUAL[kind]
    )
