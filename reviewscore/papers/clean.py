"""A paper as one would read it aloud: flowing paragraphs, with the way back to the original."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from unicodedata import normalize

from reviewscore.papers.offsets import MappedText


def plain_characters(also: Mapping[str, str]) -> dict[int, str]:
    """A table that makes quotation marks, dashes and spaces plain ones.

    Args:
        also: Further characters, by what they become.
    """
    plain = {
        "'": "‘’‚‛′",
        '"': "“”„‟″",
        "-": "‐‑‒–−",
        " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f",
    }
    pairs = (*plain.items(), *also.items())
    return {ord(character): to for to, characters in pairs for character in characters}


_SAME = plain_characters({" ": "\t", "\n": "\f\v\x85\u2028\u2029"})
_LIGATURE = re.compile("[ﬀ-ﬆ]")

_FURNITURE = (
    r"(?:Published as a (?:conference|workshop) paper at [^\n]{0,60}"
    r"|(?:Paper )?[Uu]nder (?:double-blind )?review[^\n]{0,60}"
    r"|Preprint\.? ?[^\n]{0,40}|Accepted (?:at|to|for) [^\n]{0,60}|-{3,}|Page \d{1,3}(?: of \d+)?)"
)
_NUMBER = r"\d{1,4}"
# A page break is a rule, a running header or a form feed, with page numbers and blank lines.
_INDENT = "[ ]{0,40}"
_PAGE_BREAK = re.compile(  # everything bounded, so that the search stays linear
    rf"(?:\A|\n)(?:{_INDENT}\n){{0,6}}(?:{_INDENT}{_NUMBER}{_INDENT}\n)?(?:{_INDENT}\n){{0,6}}"
    rf"{_INDENT}{_FURNITURE}"
    rf"{_INDENT}(?=\n|\Z)(?:\n{_INDENT}(?:{_FURNITURE}|{_NUMBER})?{_INDENT}(?=\n|\Z)){{0,8}}\n?"
)
_BLOCK = (
    r"(?:[-•*+▪◦–] |\d{1,2}[.)] |\([ivx\d]{1,4}\) |\||#{1,6} |\*\*|"
    r"(?:Figure|Fig\.|Table|Algorithm|Theorem|Lemma|Proposition|Definition|Corollary) [A-Z]?\d)"
)
_TYPOGRAPHY = re.compile(
    r"(?P<ligature>[ﬀ-ﬆ])"
    r"|(?P<drop>[\u00ad\u200b-\u200d\u2060\ufeff]+|\*\*+|(?<!\w)_{1,3}|_{1,3}(?!\w)"
    r"|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*]))"
)
_SPACING = re.compile(
    r"(?P<hyphen>(?<=[a-z])-[ ]*\n[ ]*(?=[a-z]))"
    rf"|(?P<block>[ ]*\n[ ]*(?={_BLOCK}))"
    r"|(?P<paragraph>[ ]*\n(?:[ ]*\n)+[ ]*)"
    r"|(?P<wrap>[ ]*\n[ ]*)"
    r"|(?P<spaces>[ ]{2,})"
)
_FULL_LINE = 60
"""Characters from which on a line counts as wrapped prose rather than a label."""


def clean(text: str) -> MappedText:
    """The reading text of a paper or of a part of it.

    Page separators, running headers and page numbers beside them, Markdown
    emphasis and hyphens at line ends are removed; wrapped lines are joined, paragraphs are parted
    by an empty line, list items and captions by a line end. Linear in the length of the text.
    """
    mapped = MappedText(text).translate(_SAME)
    mapped = mapped.rewrite(_PAGE_BREAK, _page_break)
    mapped = mapped.rewrite(_TYPOGRAPHY, _typography)
    return mapped.rewrite(_SPACING, _spacing)


def spelled_out(mapped: MappedText) -> MappedText:
    """The text with its ligatures as single letters."""
    return mapped.rewrite(_LIGATURE, lambda match: normalize("NFKC", match.group()))


def _page_break(match: re.Match[str]) -> str:
    """A line end inside a sentence, otherwise the end of a paragraph."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    return "\n" if before.isalnum() or before in {",", "-", ";", ")"} else "\n\n"


def _typography(match: re.Match[str]) -> str:
    return normalize("NFKC", match.group()) if match.lastgroup == "ligature" else ""


def _spacing(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "hyphen":
        return ""
    if kind == "block":
        return "\n\n" if match.group().count("\n") > 1 else "\n"
    if kind == "paragraph":
        return " " if _goes_on(match) else "\n\n"
    return " "


def _goes_on(match: re.Match[str]) -> bool:
    """Whether a sentence runs on after an empty line, as it does around displayed formulas."""
    text, start, end = match.string, match.start(), match.end()
    if end >= len(text) or start == 0 or not text[end].islower():
        return False
    line_start = text.rfind("\n", 0, start) + 1
    return start - line_start >= _FULL_LINE and text[start - 1] not in ".!?:|"


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
            pairs.update({f"{value}-{other}": times for value, other in pairwise(parts)})
            pairs.update(f"{part}-" for part in parts[:-1])
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
