"""In which language each stretch of a review is, and the points of those that are not English.

Where a review is not in English the rules for English (praise, politeness, lead-ins, reasons) say
nothing. Then every list entry, and every sentence elsewhere, is a point: nothing is left out but
headings, which go with what stands under them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from reviewscore.points.blocks import Block, is_reference, lines_of
from reviewscore.points.concerns import Concern
from reviewscore.schema.review import Review
from reviewscore.text.language import ENGLISH, is_odd_in_english, language_of, reads_as_english
from reviewscore.text.sentences import TextSpan, sentences


class LanguageStretch(NamedTuple):
    """Lines of a text box in one language: ``text[start:end]``.

    Attributes:
        start: Offset of the first line.
        end: Offset just after the last one.
        language: ISO 639 code; None for English, and where nothing tells.
    """

    start: int
    end: int
    language: str | None


class ReviewLanguages:
    """In which language each line of a review is.

    A line that does not tell goes with the line before it, else with the review as a whole.

    Args:
        review: The review.
    """

    def __init__(self, review: Review) -> None:
        self._review = review
        self._boxes: dict[str, list[LanguageStretch]] = {}

    @cached_property
    def _of_review(self) -> str | None:
        return language_of("\n".join(self._review.fields.values()))

    def stretches(self, field: str, start: int, end: int) -> Iterator[LanguageStretch]:
        """A part of a text box, ``start:end``, by language; in order, nothing left out."""
        if field not in self._boxes:
            self._boxes[field] = self._read(self._review.fields[field])
        known = self._boxes[field]
        for stretch in islice(known, bisect_right(known, start, key=_end), None):
            if stretch.start >= end:
                return
            yield stretch._replace(start=max(start, stretch.start), end=min(end, stretch.end))

    def at(self, field: str, offset: int) -> str | None:
        """The language at an offset of a text box; None for English."""
        return next((each.language for each in self.stretches(field, offset, offset + 1)), None)

    def _read(self, text: str) -> list[LanguageStretch]:
        if reads_as_english(text) and not any(map(_is_foreign, text.split("\n"))):
            return [LanguageStretch(0, len(text), None)]
        lines = [(start, end, _language(text[start:end])) for start, end in _lines(text)]
        current = next((code for *_, code in lines if code is not None), None) or self._of_review
        stretches: list[LanguageStretch] = []
        for start, end, code in lines:
            current = code or current
            shown = None if current == ENGLISH else current
            if stretches and stretches[-1].language == shown:
                stretches[-1] = stretches[-1]._replace(end=end)
            else:
                stretches.append(LanguageStretch(start, end, shown))
        return stretches


def _end(stretch: LanguageStretch) -> int:
    return stretch.end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        end = min(len(text), start + len(line) + 1)
        yield start, end
        start = end


def _language(line: str) -> str | None:
    """The language of a line; an entry of a list of literature has none of its own."""
    entry = line.strip(" \t\r\n-–—*•")
    return None if is_reference(entry, Block(0, len(entry), entry=True)) else language_of(line)


def _is_foreign(line: str) -> bool:
    """Whether a line amid English is in another language."""
    return is_odd_in_english(line) and _language(line) not in (None, ENGLISH)


_MARK = re.compile(
    r"(?:[（(]?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[）)、．]|[①-⑳]|[・‧◆■□○]|第[一二三四五六七八九十]{1,3}[,，、])\s*"
)
"""Marks of list entries in Chinese, Japanese and Korean."""
_STOPS = tuple(".?!;:…。！？；：؟؛।|")
_CLOSING = "\"'”’»)]}*_）】」』 \t"
_LEADS = (":", "：")
_FULL_LINE = 40
"""Columns from which on a line that ends in no stop may go on in the next."""
_LONGEST_HEADING = 80
_HEADING_WORDS, _HEADING_COLUMNS = 3, 32
_WIDE = 2
"""Columns of a letter beyond Latin."""


def plain_concerns(text: str, stretch: LanguageStretch) -> Iterator[tuple[Concern, Block]]:
    """The points of a stretch that is not in English: list entries, else sentences.

    A heading, and a sentence that ends with a colon, go with the next ones as their context; one
    that nothing follows is a point itself.
    """
    lead: TextSpan | None = None
    used = True
    for block in _plain_blocks(text, stretch):
        parts: Iterable[TextSpan] = [TextSpan(block.start, block.end)]
        if not block.entry:
            parts = sentences(text, block.start, block.end, language=stretch.language or ENGLISH)
        if used and not block.entry:
            lead = None
        for part in parts:
            if _is_lead_in(text, part) or (not block.entry and _is_bare_heading(text, part)):
                if lead is not None and not used:
                    yield Concern(*lead, None), block
                lead, used = part, False
                continue
            yield Concern(*part, lead), block
            used = True
    if lead is not None and not used:
        yield Concern(*lead, None), Block(*lead, entry=False)


def _is_lead_in(text: str, part: TextSpan) -> bool:
    own = text[part.start : part.end].rstrip(_CLOSING)
    heading = own.startswith(("#", "**")) and not own.endswith(_STOPS)
    return own.endswith(_LEADS) or (heading and len(own) <= _LONGEST_HEADING)


def _is_bare_heading(text: str, part: TextSpan) -> bool:
    """A line of a few words without a stop; one that nothing follows stays a point."""
    own = text[part.start : part.end].rstrip()
    columns = sum(_WIDE if char > "\u036f" else 1 for char in own)
    few = len(own.split()) <= _HEADING_WORDS and columns <= _HEADING_COLUMNS
    return few and "\n" not in own and not own.endswith(_STOPS)


def _plain_blocks(text: str, stretch: LanguageStretch) -> list[Block]:
    """List entries and paragraphs; a long line without a stop at its end goes on in the next."""
    blocks: list[Block] = []
    gap = True
    for line in lines_of(text, stretch.start, stretch.end):
        if line.blank:
            gap = True
            continue
        mark = _MARK.match(text, line.body, line.end)
        body = line.body if mark is None or mark.end() == line.end else mark.end()
        marked = bool(line.style) or mark is not None
        if blocks and not gap and not marked and _goes_on(text, blocks[-1], line.start):
            blocks[-1] = replace(blocks[-1], end=line.end)
        else:
            blocks.append(Block(body, line.end, marked, line.role, style=line.style))
        gap = False
    return [block for block in blocks if block.end > block.start]


def _goes_on(text: str, block: Block, following: int) -> bool:
    own = text[block.start : block.end]
    if own.rstrip(_CLOSING).endswith(_STOPS):
        return False
    last = own.rpartition("\n")[2]
    columns = len(last) + sum((_WIDE - 1) for char in last if char > "\u036f")
    return block.entry or columns >= _FULL_LINE or text[following].islower()
