"""A text without its printed line numbers, and the map from those to places in it.

A number at its line's end is seen with it. The others, which converters gather in blocks, anywhere
on their page, are reckoned: their lines lie between the nearest that were seen, and fill the
paragraphs and headings there.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil
from statistics import quantiles

from reviewscore.papers.clean import WrittenWords
from reviewscore.papers.line_numbers import (
    BLANKS,
    BREAKS,
    LINE,
    PrintedNumber,
    printed_line_numbers,
    usual_step,
)
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.paper import TextLine

_LOST = 60
"""Numbers that are lost in one place and still counted on."""
_LONGER = 1.2
"""How much longer a paper's lines may be than usual."""
_FEW = 8
"""Steps from line to line that tell how long a paper's lines are."""
_STRETCHED = 1.6
"""How much longer than usual lines may be before text without numbers must lie among them."""
_SPARSE = 0.5
"""Share of the lines that fill the paragraphs at which listings must have numbers as well."""
_LABEL = 12
"""Characters from which on a paragraph is no label of a figure."""
_LINE_OF_WORDS = re.compile(r"#|[A-Z]?[a-z]{2,}(?: [a-z]+)*[,:.]?\s*\Z")
_LISTING = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SURE = 2
"""Lines that a text has, at most, that stands alone between two numbers in sequence."""
_TOUCH = 0.25
"""Share of a line before a part's end that belongs to the next part."""
_LONGEST_WORD = 30
"""Characters of a word, at most."""
_ABSTRACT = re.compile(r"^#{1,6} *abstract\b[^\n]*\n", re.IGNORECASE | re.MULTILINE)
_ABSTRACT_LINES = 60
"""Lines that an abstract has, at most, whose numbers are lost."""
_BREAK = re.compile(r"\n[ \t]*\n|\n(?=- )")
_SPACES = " \t\n"
_UNNUMBERED = re.compile(
    r"<!--|\||```|(?:#{1,6} )?\**(?:figure|fig\.|table|algorithm|listing) ?[A-Z]?[\d.]+\b[^\n]|"
    r"\d{1,2} [A-Z]|\d{1,2} https?:",
    re.IGNORECASE,
)
"""Floats, their captions, placeholders and footnotes: no line of theirs has a number."""
_WORD = re.compile(r"[^\W\d_]+")
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_FULL_LINE = 45
"""Characters of a full line, at least: of one of two columns."""


@dataclass(frozen=True, slots=True)
class UnnumberedText:
    """A text without its line numbers.

    Attributes:
        mapped: The text, with the way back to what was read.
        lines: Its printed lines that have a number, in reading order.
        removed: How many numbers were taken out.
        joined: How many list items became lines of a paragraph again.
    """

    mapped: MappedText
    lines: tuple[TextLine, ...] = ()
    removed: int = 0
    joined: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, in words."""
        if not self.removed:
            return ()
        known = [line.number for line in self.lines if line.number is not None]
        notes = [
            f"{self.removed} line numbers ({min(known)} to {max(known)}) were taken out of the text"
        ]
        if self.joined:
            notes.append(f"{self.joined} list items were lines of a paragraph, and are again")
        return tuple(notes)


def without_line_numbers(text: str) -> UnnumberedText:
    """The text without line numbers; sentences and paragraphs that they cut are joined again.

    A text without numbers that grow through it stays as it is. Linear in the length of the text.
    """
    whole = MappedText(text)
    numbers = printed_line_numbers(text)
    if not numbers:
        return UnnumberedText(whole)
    lines = line_places(text, numbers)
    edits = list(_removals(text, numbers))
    mapped = whole.replaced(edits)
    mapped, joined = _paragraphs(mapped)
    return UnnumberedText(
        mapped,
        tuple(
            TextLine(start=mapped.place_of(start), number=number, exact=exact)
            for number, start, exact in sorted(lines, key=lambda line: line[1])
        ),
        removed=len(numbers),
        joined=joined,
    )


def _removals(text: str, numbers: Sequence[PrintedNumber]) -> Iterator[tuple[int, int, str]]:
    """Edits that take the numbers out and join the sentences that they cut, in order."""
    glued = [number for number in numbers if number.kind in ("glued", "broken")]
    halves = [
        half for number in glued for half in _halves(text, number, _word_after(text, number.end))
    ]
    words = WrittenWords(text, halves) if glued else None
    last = 0
    for group in together(text, numbers):
        if words is not None and group[0].kind in ("glued", "broken"):
            yield _word_joined(text, group, words)
        elif any(number.kind in ("alone", "after") for number in group):
            yield _break(text, group, last)
        elif group[0].kind == "before":
            yield group[0].start, _skip(text, group[-1].end, BLANKS), ""
        else:
            start = group[0].start
            while start > 0 and text[start - 1] in BLANKS:
                start -= 1
            yield start, group[-1].end, ""
        last = group[-1].end


def _skip(text: str, end: int, characters: str) -> int:
    while end < len(text) and text[end] in characters:
        end += 1
    return end


def _halves(text: str, number: PrintedNumber, end: int) -> tuple[str, str]:
    """The words before a number that is glued to the first of them, and at an offset after it."""
    first = _LAST_WORD.search(text, max(0, number.start - 40), number.start)
    second = _WORD.match(text, end)
    return first.group() if first else "", second.group() if second else ""


def _word_after(text: str, end: int) -> int:
    """Where the next word begins; its line may have become a list item."""
    end = _skip(text, end, " \t\n")
    return end + 2 if text.startswith("- ", end) else end


def together(text: str, numbers: Sequence[PrintedNumber]) -> Iterator[list[PrintedNumber]]:
    """Numbers by the places where they stand: with nothing but breaks between them."""
    group: list[PrintedNumber] = []
    for number in numbers:
        if group and text[group[-1].end : number.start].strip(BREAKS):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _word_joined(
    text: str, group: Sequence[PrintedNumber], words: WrittenWords
) -> tuple[int, int, str]:
    """Numbers that stand between the halves of a word, with what stands there instead."""
    start, end = group[0].start, _word_after(text, group[-1].end)
    apart = "\n\n" in text[start:end]
    left, right = _halves(text, group[0], end)
    if right and (right[0].islower() or not apart or words.writes_hyphen(left, right)):
        return start, end, words.between(left, right)
    if text[end : end + 1].isdigit() and not apart:
        return start, end, "-"
    return start, group[-1].end, ""


def _break(text: str, group: Sequence[PrintedNumber], last: int) -> tuple[int, int, str]:
    """Numbers that end a line or stand alone, with the empty lines; a cut sentence runs on.

    Args:
        text: The text.
        group: The numbers.
        last: End of the number before them.
    """
    start, end = group[0].start, _skip(text, group[-1].end, " \t\n")
    alone = group[0].kind == "alone"
    while start > 0 and text[start - 1] in (" \t\n-" if alone else BLANKS):
        if text[start - 1] == "-" and text[start - 2 : start - 1] not in ("\n", ""):
            break  # a dash that ends a line is the text's
        start -= 1
    if start == 0 or end == len(text):
        return start, end, ""
    parted = alone or "\n\n" in text[start:end]
    if parted and _runs_on(text, last, start, end):
        return start, end, " "
    if alone or (len(group) > 1 and parted):
        return start, end, "\n\n"
    return start, group[-1].end, ""


_HEAD = re.compile(r"[ \t]*(?:#|\||<!--|```)")
_CAPTION = re.compile(
    r"[ \t]*\**(?:figure|fig\.?|table|algorithm|listing) ?[A-Z]?\d[\d.]*(?:[^.\n]|\.(?! ))*\Z",
    re.IGNORECASE,
)
"""A caption of less than a sentence: no sentence of it is cut."""
_CLOSED = re.compile(r"[.!?:;][\"”’')\]]*\Z")
_DANGLING = re.compile(r"\b(?:the|an?|in|of|to|by|for|with|from|as|is|are|that|have|let)\Z")
_CONJUNCTION = re.compile(r"(?:and|or|where|because|which|then)\b")
"""After a preposition: a formula stood between them."""
_WORDS = re.compile(r"[^\W\d_]{3}")
"""What a line of a formula lacks."""


def _runs_on(text: str, last: int, start: int, end: int) -> bool:
    """Whether a sentence is cut between two offsets: at the end of a full line.

    Args:
        text: The text.
        last: End of the number before.
        start: Where the text before ends.
        end: Where the text after begins.
    """
    begin = text.rfind("\n", 0, start) + 1
    line = text[begin:start].rstrip()
    if not text[end].islower() or start - max(begin, last) < _FULL_LINE:
        return False  # a formula may have stood there
    if _HEAD.match(line) or _CLOSED.search(line) or _CAPTION.match(line):
        return False
    stop = text.find("\n", end)
    after = text[end:] if stop < 0 else text[end:stop]
    if _DANGLING.search(line) and _CONJUNCTION.match(after):
        return False
    return _WORDS.search(line) is not None and _WORDS.search(after) is not None


_MOSTLY = 0.8
"""Share of a list's items that are lines of a paragraph from which on all may be."""
_FULL = 0.8
"""Share of the usual length from which on an item may be a whole line."""
_ITEMS = re.compile(r"(?:^- [^\n]*\n?)+", re.MULTILINE)
_ENTRY = re.compile(r"- (?:\[|\(?\w{1,3}[.)] |[•·*] )")
"""An item with a mark of its own: an entry of the references, a numbered item."""


def _paragraphs(mapped: MappedText) -> tuple[MappedText, int]:
    """List items that are lines of a paragraph as that paragraph, and how many there were."""
    edits: list[tuple[int, int, str]] = []
    joined = 0
    for match in _ITEMS.finditer(mapped.text):
        starts = [match.start() + at for at in _item_starts(match.group())]
        items = [
            mapped.text[start:end].rstrip("\n") for start, end in pairwise([*starts, match.end()])
        ]
        before = mapped.text[max(0, match.start() - 200) : match.start()].rstrip("\n")
        opening = (
            bool(before)
            and _goes_on(before, items[0])
            and not _HEAD.match(before.rpartition("\n")[2])
        )
        goes_on = [_goes_on(text, other) for text, other in pairwise(items)]
        inside = [
            any(goes_on[max(0, at - 1) : at + 1]) or (at == 0 and opening)
            for at in range(len(items))
        ]
        usual = sorted(map(len, items))[len(items) // 2]
        if sum(inside) >= _MOSTLY * len(inside):
            inside = [True] * len(inside)
        for at, start in enumerate(starts):
            if at == 0:
                if opening:
                    edits.append((_line_before(mapped.text, start), start + 2, " "))
                    joined += 1
                elif inside[0] and goes_on and goes_on[0] and not _ENTRY.match(items[0]):
                    edits.append((start, start + 2, ""))
                    joined += 1
                continue
            full = len(items[at - 1]) >= _FULL * usual
            line = inside[at - 1] and inside[at] and full and not _ENTRY.match(items[at])
            if goes_on[at - 1] or line:
                edits.append((start - 1, start + 2, " "))
                joined += 1
    return mapped.replaced(edits), joined


def _line_before(text: str, start: int) -> int:
    """The end of the last line before an offset that is not empty."""
    while start > 0 and text[start - 1] == "\n":
        start -= 1
    return start


def _item_starts(run: str) -> list[int]:
    return [match.start() for match in re.finditer(r"^- ", run, re.MULTILINE)]


def _goes_on(before: str, item: str) -> bool:
    """Whether a list item is the next line of what stands before it."""
    if _ENTRY.match(item) or _CLOSED.search(before.rstrip()):
        return False
    first = item[2:3]
    return first.islower() or first in "(,0123456789" or before.rstrip()[-1:] in ",(-"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that was seen with its number: its value, start and end.

    Attributes:
        number: The number.
        start: Where the line begins.
        end: Where it ends.
        exact: Whether its number alone stands with it.
    """

    number: int
    start: int
    end: int
    exact: bool = True


def line_places(text: str, numbers: Sequence[PrintedNumber]) -> Iterator[tuple[int, int, bool]]:
    """Number and offset of each line, and whether the number was seen with it.

    Numbers that are lost among others are counted on. Linear in the text, but for sorting.

    Args:
        text: The text, with the numbers.
        numbers: The line numbers in it, in order.
    """
    pages = list(_pages(numbers))
    ends = [0, *(page[-1].end for page in pages[:-1]), len(text)]
    counted_on = all(usual_step(sorted(map(_value, page))) == 1 for page in pages)
    listings = [match.span() for match in _LISTING.finditer(text)]
    for page, (first, last) in zip(pages, pairwise(ends), strict=True):
        yield from _page_places(text, page, (first, last), listings, counted_on=counted_on)


def _value(number: PrintedNumber) -> int:
    return number.number


def _pages(numbers: Sequence[PrintedNumber]) -> Iterator[list[PrintedNumber]]:
    """The numbers of the paper; where they begin again, of each page or column."""
    page: list[PrintedNumber] = []
    seen: set[int] = set()
    for printed_number in numbers:
        if printed_number.number in seen:
            yield page
            page, seen = [], set()
        page.append(printed_number)
        seen.add(printed_number.number)
    if page:
        yield page


def _page_places(
    text: str,
    numbers: Sequence[PrintedNumber],
    span: tuple[int, int],
    listings: Sequence[tuple[int, int]],
    *,
    counted_on: bool,
) -> Iterator[tuple[int, int, bool]]:
    """As `line_places`, of numbers that differ, between two offsets."""
    first, last = span
    lines = list(_seen(text, numbers, first))
    yield from ((line.number, line.start, line.exact) for line in lines)
    exact = {line.number for line in lines}
    anchors = _growing(lines)
    aside = set(lines) - set(anchors)
    prose = _Prose(
        text,
        _usual_length(anchors),
        sorted(
            [(number.start, number.end) for number in numbers]
            + [(line.start, line.end) for line in aside]
        ),
        listings,
    )
    wanted = sorted(set(map(_value, numbers)) - exact)
    for before, after in pairwise([None, *anchors, None]):
        low = 0 if before is None else bisect_left(wanted, before.number)
        high = len(wanted) if after is None else bisect_left(wanted, after.number)
        gap = wanted[low:high]
        if before is not None and after is not None and counted_on:
            all_of_it = range(before.number + 1, after.number)
            if 0 < len(all_of_it) - len(gap) <= _LOST:
                gap = [number for number in all_of_it if number not in exact]
        if gap:
            start = first if before is None else before.end
            end = last if after is None else after.start
            yield from _between(prose, gap, before, after, (start, max(start, end)))


def _seen(text: str, numbers: Sequence[PrintedNumber], first: int) -> Iterator[_Line]:
    """The lines whose numbers stand with them, in order."""
    kinds = Counter(number.kind for number in numbers)
    leading = kinds["before"] > kinds["after"] + kinds["within"]
    last, further, seen = first, -1, -1
    for place, printed_number in enumerate(numbers):
        if printed_number.kind == "alone" or place < further:
            last = printed_number.end
            continue
        further = place + 1
        if leading or printed_number.kind == "before":
            stop = numbers[further].start if further < len(numbers) else len(text)
            line_end = text.find("\n", printed_number.end, stop)
            yield _Line(
                printed_number.number, printed_number.end, stop if line_end < 0 else line_end
            )
            last, seen = printed_number.end, printed_number.number
            continue
        follows = seen == printed_number.number - 1
        begin = max(last, text.rfind("\n\n", last, printed_number.start))
        lines = round((printed_number.start - begin) / LINE)
        while further < len(numbers) and numbers[further].number == numbers[further - 1].number + 1:
            between = text[numbers[further - 1].end : numbers[further].start]
            beside = "\n" not in between or (follows and further - place < lines)
            if between.strip(BREAKS) or not beside:
                break
            further += 1
        count = further - place
        reach = LINE * (count * _LONGER + (1 if follows else 0))
        yield from _lines_before(
            text, numbers[place:further], max(begin, printed_number.start - int(reach))
        )
        last, seen = printed_number.end, numbers[further - 1].number


def _lines_before(text: str, beside: Sequence[PrintedNumber], start: int) -> Iterator[_Line]:
    """The lines that end with a number, or with the numbers of several lines of a paragraph."""
    end, count = beside[0].start, len(beside)
    edges = [_word_start(text, start + place * (end - start) // count) for place in range(count)]
    for printed_number, (low, high) in zip(beside, pairwise([*edges, beside[0].end]), strict=True):
        yield _Line(printed_number.number, low, high, exact=count == 1)


def _word_start(text: str, offset: int) -> int:
    """The next start of a word, if it is near."""
    if offset == 0 or text[offset].isspace() or text[offset - 1].isspace():
        return offset
    return max(offset, text.find(" ", offset, offset + _LONGEST_WORD) + 1)


def _growing(lines: Sequence[_Line]) -> list[_Line]:
    """The most lines whose numbers grow through the text."""
    tails: list[int] = []
    ends: list[int] = []
    links: list[int] = []
    for place, line in enumerate(lines):
        at = bisect_left(tails, line.number)
        links.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [line.number]
        ends[at : at + 1] = [place]
    chain = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chain.append(lines[place])
        place = links[place]
    return chain[::-1]


def _usual_length(anchors: Sequence[_Line]) -> float:
    """Characters of a printed line of this paper."""
    steps = [
        after.start - before.start
        for before, after in pairwise(anchors)
        if after.number == before.number + 1 and 0 < after.start - before.start < 2 * LINE
    ]
    if len(steps) < _FEW:
        return LINE
    return max(quantiles(steps, n=4)[-1], LINE / 3)  # those of listings and items are short


@dataclass(frozen=True, slots=True)
class _Part:
    """A paragraph, heading or list item: start, end, and about how many printed lines it has."""

    start: int
    end: int
    height: float


@dataclass(frozen=True, slots=True)
class _Prose:
    """The text that has line numbers.

    Attributes:
        text: The whole text.
        usual: Characters of a line.
        skipped: Spans in it that are no part of it, in order.
        listings: Spans of code and algorithms, in order.
    """

    text: str
    usual: float
    skipped: Sequence[tuple[int, int]]
    listings: Sequence[tuple[int, int]]

    def parts(self, start: int, end: int, *, listings: bool) -> list[_Part]:
        """The paragraphs, headings and list items of a span, and its listings if they count."""
        ends = [match.start() for match in _BREAK.finditer(self.text, start, end)]
        parts: list[_Part] = []
        for before, high in pairwise([start, *ends, end]):
            body = self.text[before:high].lstrip(_SPACES)
            low = high - len(body)
            letters = self._letters(low, high)
            if not letters or _UNNUMBERED.match(body) or (self._listed(low) and not listings):
                continue
            if letters < _LABEL and not _LINE_OF_WORDS.match(body):
                continue
            lines = letters / self.usual
            whole = round(lines) if high == end else ceil(lines)  # the last one may be cut
            parts.append(_Part(low, high, 1.0 if body[0] == "#" else max(1.0, whole)))
        return parts

    def _listed(self, offset: int) -> bool:
        at = bisect_right(self.listings, (offset, len(self.text))) - 1
        return at >= 0 and offset < self.listings[at][1]

    def _letters(self, low: int, high: int) -> int:
        """Characters of a part that belong to it."""
        at = max(0, bisect_left(self.skipped, (low, low)) - 1)
        letters = len(self.text[low:high].strip(BREAKS))
        while at < len(self.skipped) and self.skipped[at][0] < high:
            start, end = self.skipped[at]
            letters -= max(0, min(end, high) - max(start, low))
            at += 1
        return max(0, letters)


def _between(
    prose: _Prose,
    gap: Sequence[int],
    before: _Line | None,
    after: _Line | None,
    span: tuple[int, int],
) -> Iterator[tuple[int, int, bool]]:
    """Lines between two that were seen, or before the first, or after the last one."""
    start, end = span
    first = gap[0] if before is None else before.number + 1
    count = gap[-1] - first + 1 if after is None else after.number - first
    begins = None if before is not None else _ABSTRACT.search(prose.text, start, end)
    if begins is not None and 0 < first <= _ABSTRACT_LINES:
        start, count, first = begins.end(), count + first - 1, 1
    parts = prose.parts(start, end, listings=False)
    if sum(part.height for part in parts) < _SPARSE * count:
        parts = prose.parts(start, end, listings=True)
    reached = list(accumulate((part.height for part in parts), initial=0.0))
    total = reached[-1]
    scale = total / count
    shift = 0.0
    if scale > _STRETCHED:  # text without numbers lies there
        scale = 1.0
        shift = total - count if after is not None and before is None else 0.0
    elif after is None and before is not None:
        scale = min(scale, 1.0)
    sure = before is not None and after is not None and count == 1 and 0 < total <= _SURE
    for number in gap:
        if not parts:
            yield number, start, False
            continue
        height = shift + (number - first) * scale
        at = min(max(0, bisect_right(reached, height + _TOUCH) - 1), len(parts) - 1)
        part = parts[at]
        share = max(0.0, height - reached[at]) / part.height
        offset = part.start + int(min(share, 1.0) * (part.end - part.start))
        yield number, _word_start(prose.text, offset), sure
