"""The review aspects the finder knows: how reviewers name them and how papers head and state them.

The patterns are in `aspects.toml`. Words that name an aspect are not asked for again as parts of
the wanted content.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from reviewscore.text.patterns import word_pattern


@dataclass(frozen=True, eq=False)
class Aspect:
    """Something reviews commonly ask for; there is one of each.

    Attributes:
        name: Short name.
        asked: How a review point names it.
        heading: How a heading or caption dedicated to it reads.
        said: What a sentence about it says.
        alone: A sentence so plainly about it that it needs no heading; None if there is no such.
        flaggable: Whether a dedicated heading and a sentence can settle a point about it.
        qualifies: Whether it only qualifies another aspect that is named with it.
        may_concede: Whether a sentence that concedes something is what was asked for.
    """

    name: str
    asked: re.Pattern[str]
    heading: re.Pattern[str]
    said: re.Pattern[str]
    alone: re.Pattern[str] | None = None
    flaggable: bool = True
    qualifies: bool = False
    may_concede: bool = False

    def stands_alone(self, text: str) -> bool:
        """Whether a text is so plainly about it that it needs no heading."""
        return self.alone is not None and self.alone.search(text) is not None


def _aspects() -> tuple[Aspect, ...]:
    table = tomllib.loads(Path(__file__).with_name("aspects.toml").read_text("utf-8"))
    for entry in table["aspect"]:
        for name in entry.keys() & {"asked", "heading", "said", "alone"}:
            entry[name] = word_pattern(entry[name])
    return tuple(Aspect(**entry) for entry in table["aspect"])


ASPECTS = _aspects()
"""All aspects, most telling first."""
_NAMES = tuple((aspect, aspect.asked.search) for aspect in ASPECTS)


def aspects_in(text: str) -> tuple[tuple[Aspect, tuple[tuple[int, int], ...]], ...]:
    """The aspects a review point names, each with the spans of its words, in lexicon order."""
    pairs = []
    for aspect, names in _NAMES:
        if names(text) is None:
            continue
        spans = tuple(m.span() for m in aspect.asked.finditer(text) if m.end() > m.start())
        if spans:
            pairs.append((aspect, spans))
    return tuple(pairs)
