"""Texts that a converter made of a PDF: what it left out, and what it wrote in another notation.

Placeholders of formulas and figures stay where they stand and are counted; tables in HTML become
rows as in Markdown, and entities become their characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from reviewscore.papers.marked_text import markdown_rows
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.paper import NOTHING_MISSING, Missing

FORMULA = re.compile(
    r"<!--\s*(?:formula|equation|math)(?:[-\s](?:not|was|is)?[-\s]?\w{1,12}){0,3}\s*-->"
    r"|\b(?:DISPLAY|INLINE)FORM\d+\b|^EQUATION(?:[ \t]*\(\d+\))?[ \t]*$",
    re.MULTILINE,
)
"""What stands where a formula stood."""
FIGURE = re.compile(
    r"<!--\s*(?:image|picture|figure)(?:[-\s]\w{1,12}){0,3}\s*-->"
    r"|!\[[^\]\n]{0,1000}\]\([^)\n]{0,2000}\)|<img\b[^>]{0,2000}>"
    r"|\*\*==> picture \[[^\]\n]{1,30}\] intentionally omitted <==\*\*"
)
"""What stands where a figure stood."""
_INLINE_IMAGE = re.compile(r"!\[([^\]\n]{0,1000})\]\(data:image/[^)\s]*\)")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#39|#x27|#34|#160);")
_BARE = re.compile(r"(?<=[A-Za-z] )&(?= [A-Za-z])")
"""An ampersand as people write it; converters that write entities leave none."""
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TABLE_END = "</table>"
_LONGEST_TABLE = 500_000


def is_placeholder(comment: str) -> bool:
    """Whether a comment of Markdown stands for a formula or figure, and so hides nothing."""
    return bool(FORMULA.fullmatch(comment) or FIGURE.fullmatch(comment))


_GAP_SIGNS = ("<", "![", "**==>", "FORM", "EQUATION")
"""Each match of `FORMULA` or `FIGURE` begins with one of these, or holds it."""


def gaps_in_words(text: str) -> str:
    """A text for people, what stands for a formula or figure in words."""
    if not any(sign in text for sign in _GAP_SIGNS):
        return text
    return FIGURE.sub("[figure missing]", FORMULA.sub("[formula missing]", text))


@dataclass(frozen=True, slots=True)
class Converted:
    """A text in one notation, and what it lacks.

    Attributes:
        text: The text.
        missing: What a converter left out of it.
        notes: What was done to it, in words.
    """

    text: str
    missing: Missing = NOTHING_MISSING
    notes: tuple[str, ...] = ()


def in_one_notation(text: str) -> Converted:
    """A converter's text with its tables as rows and its entities as characters.

    A text without either stays as it is. Linear in the length of the text.
    """
    notes = []
    plain = _INLINE_IMAGE.sub(lambda match: f"![{match[1]}](image)", text)
    tables = list(_tables(plain))
    if tables:
        plain = MappedText(plain).replaced(tables).text
        notes.append(f"{len(tables)} tables in HTML were turned into rows")
    entities = len(_ENTITY.findall(plain))
    if entities > len(_BARE.findall(plain)):
        plain = _ENTITY.sub(lambda match: unescape(match.group()), plain)
        notes.append(f"{entities} entities, such as {_ENTITY.findall(text)[0]}, were decoded")
    return Converted(plain, left_out(plain), tuple(notes))


def left_out(text: str) -> Missing:
    """What the placeholders in a text say is missing.

    A converter that leaves out one figure leaves out all; not every figure has a placeholder of
    its own.
    """
    figures = len(FIGURE.findall(text))
    return Missing(formulas=len(FORMULA.findall(text)), figures=figures, figures_unseen=figures > 0)


def _tables(text: str) -> Iterator[tuple[int, int, str]]:
    """Edits that turn tables in HTML into rows, in order."""
    lowered = text.lower()
    reached = 0
    for match in _TABLE.finditer(text):
        start = match.start()
        if start < reached:
            continue
        end = lowered.find(_TABLE_END, start, start + _LONGEST_TABLE)
        if end < 0:
            continue
        reached = end + len(_TABLE_END)
        rows = markdown_rows(text[start:reached])
        if rows:
            before = "" if text[:start].endswith("\n\n") or start == 0 else "\n\n"
            after = "" if text.startswith("\n\n", reached) or reached == len(text) else "\n\n"
            yield start, reached, f"{before}{rows}{after}"
