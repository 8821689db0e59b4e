"""Words that a line's end broke: whether a hyphen stands between their halves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TENS = re.compile(r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\Z")
_UNITS = re.compile(
    r"(?:one|two|three|four|five|six|seven|eight|nine|"
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\Z"
)
_SYLLABLE = 2
"""Letters that half a word may have and be a word by chance."""
_LONGEST_HALF = 12
"""Letters of a first half whose words are counted."""
_USUAL = 3
"""Compounds that a first half begins where the authors write it with a hyphen."""


class WrittenWords:
    """The words of a text, whole and as parts of compounds.

    Args:
        text: The text; comments of Markdown, such as placeholders of formulas, do not count.
        halves: Halves of broken words in it, which are no words.
    """

    def __init__(self, text: str, halves: Iterable[str] = ()) -> None:
        bare = _COMMENT.sub(" ", text)
        words, compounds = _WORD.findall(bare), _COMPOUND.findall(bare)
        self._plain, self._compounds = set(words), Counter(compounds)
        self._words, self._halves = words, list(halves)

    @cached_property
    def _count(self) -> Counter[str]:
        """Words by how often they are written, whatever their case."""
        count = Counter(word.casefold() for word in self._words)
        count.subtract(half.casefold() for half in self._halves)
        return count

    @cached_property
    def _pairs(self) -> Counter[str]:
        """Neighbouring words in compounds, by how often, and first words, by how many compounds."""
        pairs: Counter[str] = Counter()
        for compound, times in self._compounds.items():
            parts = compound.casefold().split("-")
            pairs.update({f"{one}-{other}": times for one, other in pairwise(parts)})
            pairs.update(f"{one}-" for one in parts[:-1])
        return pairs

    @cached_property
    def _begun(self) -> Counter[str]:
        """Beginnings of words, each of so many."""
        sizes = range(_SYLLABLE + 1, _LONGEST_HALF + 1)
        return Counter(word[:size] for word in self._count for size in sizes if len(word) > size)

    def writes_hyphen(self, left: str, right: str) -> bool:
        """Whether the text has the compound of two halves, and never their word."""
        return f"{left}-{right}" in self._compounds and left + right not in self._plain

    def between(self, left: str, right: str) -> str:
        """The hyphen, or nothing, between halves where no hyphen can be seen.

        The text's own way of writing decides; else two words, or a first half that the text writes
        with a hyphen, keep it, and so does a capital.
        """
        first, second = left.casefold(), right.casefold()
        whole, apart = self._count[first + second], self._pairs[f"{first}-{second}"]
        if whole > 0 or apart > 0:
            return "-" if apart > whole else ""
        known = self._known(first) and self._known(second)
        if right[0].isupper():
            return "-" if known or not (left.isupper() and right.isupper()) else ""
        usual = max(_USUAL - 1, self._begun[first]) < self._pairs[f"{first}-"]
        return "-" if known or usual or (_TENS.match(first) and _UNITS.match(second)) else ""

    def _known(self, word: str) -> bool:
        return len(word) > _SYLLABLE and self._count[word] > 0
