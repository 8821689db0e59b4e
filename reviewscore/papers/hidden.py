"""Text that people cannot see: what it is called, where it stands, what it says.

In a PDF it is found by looking (`pdf_visibility`); in any text by characters that are never drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from reviewscore.papers.converted import is_placeholder
from reviewscore.printable import ALWAYS_UNSEEN, SELECTORS, UNSEEN_ONE
from reviewscore.schema.paper import Box
from reviewscore.schema.record import Record


class Trick(StrEnum):
    """How a text is kept from people's eyes."""

    RENDER_MODE = "invisible render mode"
    TRANSPARENT = "fully transparent"
    TINY = "too small to read"
    OFF_PAGE = "outside of the page"
    LAYER = "in a layer that is switched off"
    BACKGROUND = "in the colour of the background"
    FAINT = "with hardly any contrast to the background"
    CLIPPED = "clipped away"
    COVERED = "behind an image or a shape"
    CROWDED = "on the spot of one or few characters"
    TAGS = "tag characters"
    ZERO_WIDTH = "zero-width characters"
    COMMENT = "in a comment that Markdown does not show"
    MARKED = "marked as hidden"


WORD = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff]")
LEAST_WORDS = 3
"""Words that a message has, at least; a character of a script without spaces is one."""
_UNREAD = re.compile(r"\((\d+) (?:characters without a shape|bytes)\)")
_LEAST_CODED = 24
"""Characters without a shape that may hold a message; web pages leave fewer behind."""


class Hidden(Record):
    """A stretch of text that people cannot see.

    Attributes:
        text: What it says; decoded where it was coded in characters without a shape.
        trick: How it is hidden.
        page: 1-based page of the PDF; None outside of PDFs.
        box: Where it stands on the page.
        start: Offset in the text it was taken out of; None in PDFs.
        harmless: Why it is no message, in words, such as that a picture shows the same words at
            its place; empty if nothing says so. It never holds a text that addresses a model.
    """

    text: str
    trick: Trick
    page: int | None = None
    box: Box | None = None
    start: int | None = None
    harmless: str = ""

    @property
    def stray(self) -> bool:
        """Whether it is no message: the numbers of an axis that was cropped away, one word."""
        if self.harmless:
            return True
        coded = _UNREAD.fullmatch(self.text)
        if coded:
            return int(coded[1]) < _LEAST_CODED
        return self.trick is not Trick.TAGS and len(WORD.findall(self.text)) < LEAST_WORDS

    @property
    def place(self) -> str:
        """Page and box, or offset, in words."""
        if self.page is None:
            return "" if self.start is None else f"character {self.start}"
        if self.box is None:
            return f"p. {self.page}"
        return f"p. {self.page}, box {' '.join(f'{edge:.0f}' for edge in self.box)}"


_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f|[\U000e0000-\U000e007f]+")
"""Tag characters; those after a black flag make the flags of regions and are left alone."""

WIDTHLESS = re.compile(f"[{ALWAYS_UNSEEN}\u200c\u200d{SELECTORS}\U000e0000-\U000e007f]+")
"""Characters without width, or with nothing but a direction, in a row."""

_SOFT_HYPHEN = "\u00ad"
_KINDS = 6


def without_unseen(text: str) -> str:
    """A text without characters that have no width, or nothing but a direction.

    Joiners stay in the scripts that need them, as in Persian and Hindi, and within pictures made of
    several; variation selectors stay after pictures and ideographs. Linear in the text's length.
    """
    if text.isascii():
        return text
    return UNSEEN_ONE.sub(lambda match: match["flag"] or "", text)


def unseen_characters(text: str) -> str:
    """How many such characters a text has, which, and where the first stands, in words.

    Empty if it has none. Soft hyphens, which typesetting leaves behind, are not counted.
    """
    if text.isascii():
        return ""
    matches = [
        match
        for match in UNSEEN_ONE.finditer(text)
        if not match["flag"] and match.group() != _SOFT_HYPHEN
    ]
    if not matches:
        return ""
    kinds = sorted({f"U+{ord(match.group()):04X}" for match in matches})
    named = ", ".join(kinds[:_KINDS]) + (", ..." if len(kinds) > _KINDS else "")
    many = "character" if len(matches) == 1 else "characters"
    return (
        f"{len(matches)} {many} without width or with direction ({named}; the first at character "
        f"{matches[0].start()}), which models do not get"
    )


_SHAPELESS = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff\u180e]{4,}")
"""Four or more in a row have no use in any script; single ones part or join letters."""

_VARIATIONS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
UNSEEN = re.compile(f"{_TAGS.pattern}|{_SHAPELESS.pattern}|{_VARIATIONS.pattern}")
"""What `shapeless` finds, and flags of regions."""

_BITS = 8
_FLAG = "\U0001f3f4"


_COMMENT = re.compile(
    r"(?P<shown>^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}(?P=fence)|.*\Z))"
    r"|<!--(?P<closed>.*?)(?:-->|(?P<open>\Z))"
    r"|^\[(?://|comment)\]: # [(\"'](?P<link>[^\n]*)[)\"']$",
    re.DOTALL | re.MULTILINE,
)
"""Comments, and the code blocks in which they are shown."""
_OPEN = re.compile(r"^ {0,3}<!--", re.MULTILINE)
"""A comment that hides the rest of the text if it is not closed."""


def comments(text: str) -> tuple[str, tuple[Hidden, ...]]:
    """A Markdown text without its comments, and the comments; linear in its length."""
    hidden_texts: list[Hidden] = []

    def without(match: re.Match[str]) -> str:
        said, start, kept = match["closed"] or match["link"] or "", match.start(), ""
        if match["shown"] is not None or is_placeholder(match[0]):
            return match[0]
        if match["open"] is not None:
            line = text.rfind("\n", 0, start) + 1
            rest = _OPEN.search(text, line)
            if rest is None:
                return match[0]
            kept, said, start = text[start : rest.start()], text[rest.end() :], rest.start()
        if said.strip():
            hidden_texts.append(
                Hidden(text=" ".join(said.split()), trick=Trick.COMMENT, start=start)
            )
        return kept

    shown = _COMMENT.sub(without, text)
    return shown, tuple(hidden_texts)


def is_flag(run: str) -> bool:
    """Whether tag characters make the flag of a region."""
    return run.startswith(_FLAG)


def shapeless(text: str) -> Iterator[Hidden]:
    """Runs of characters without a shape in a text, decoded where they spell something.

    Tag characters are ASCII moved up; variation selectors are bytes; of zero-width characters the
    two commonest are read as bits. Single zero-width characters are no finding.
    """
    for match in UNSEEN.finditer(text):
        run = match.group()
        if is_flag(run):
            continue
        if "\U000e0000" <= run[0] <= "\U000e007f":
            said = "".join(chr(ord(text) - 0xE0000) for text in run if text >= "\U000e0020")
            yield Hidden(text=said, trick=Trick.TAGS, start=match.start())
        else:
            said = _from_bytes(run) if _VARIATIONS.fullmatch(run) else _from_bits(run)
            yield Hidden(text=said, trick=Trick.ZERO_WIDTH, start=match.start())


def _from_bytes(run: str) -> str:
    codes = [ord(text) - (0xFE00 if text <= "\ufe0f" else 0xE0100 - 16) for text in run]
    return _readable(bytes(codes))


def _from_bits(run: str) -> str:
    """The text of two zero-width characters taken as 0 and 1, or their number if it is none."""
    kinds = sorted(set(run), key=run.count)[-2:]
    for zero in kinds:
        bits = "".join("0" if text == zero else "1" for text in run if text in kinds)
        whole = [bits[at : at + _BITS] for at in range(0, len(bits) - _BITS + 1, _BITS)]
        said = _readable(bytes(int(text, 2) for text in whole))
        if len(kinds) > 1 and len(whole) > 1 and not said.startswith("("):
            return said
    return f"({len(run)} characters without a shape)"


def _readable(raw: bytes) -> str:
    said = raw.decode("utf-8", "replace")
    return said if said.isprintable() and "\ufffd" not in said else f"({len(raw)} bytes)"
