"""Line numbers in texts that another program made of a submission: taken out, kept as a map.

Converters leave the numbers that are printed beside the lines in the text: as lines of their own,
at line ends, inside sentences, glued to the first half of a broken word; and they take lines for
list items. Such numbers are known by their sequence alone: they grow through most of the text, by
steps of one (or five, or ten), at the pace at which lines follow each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from reviewscore.papers.broken_words import WrittenWords
from reviewscore.papers.line_map import line_places
from reviewscore.papers.offsets import MappedText
from reviewscore.papers.printed_numbers import PrintedNumber as _Candidate
from reviewscore.papers.printed_numbers import in_gaps, together
from reviewscore.schema.paper import TextLine

_NUMBER = re.compile(r"\d+")
_DIGITS = 4
_ROW = re.compile(r"^[ \t]*\|[^\n]*$", re.MULTILINE)
"""Rows of Markdown tables: no line of a table has a number beside it."""
_OF_NUMBERS = re.compile(r"^[0-9 \t-]+$", re.MULTILINE)
"""Lines that hold nothing but numbers."""
_BLANKS = " \t"
_AFTER = ("", " ", "\t", "\n")
"""What follows a line number: a mark, as in ``2.``, ``(3)`` or ``5%``, makes it the authors'."""

_WORD = re.compile(r"[^\W\d_]+")
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")

_LEAST = 12
"""Numbers of a series, at least."""
_WIDEST = 60
"""Numbers that a series may lack in one place: pages of floats."""
_LINE = 95
"""Characters of a printed line, about."""
_FULL_LINE = 45
"""Characters of a full line, at least: of one of two columns."""
_FAR = 400
"""Characters between two numbers in sequence beyond which text without numbers lies there."""
_SLOWEST = 250
"""Characters a number on average, at most, in a series that speaks for itself."""
_SHARE = 0.3
"""Share of the text that series which speak for themselves run through."""
_STEPPED = 0.6
"""Share of a series' steps that are exactly its step."""
_STEPS = (1, 5, 10)
_BLOCK = 3
"""Lone numbers of a block that stands out of order, at least."""
_PAGES = 300
"""Numbers beyond the last of a series that such a block may have: some pages."""
_RESTART = 130
"""Numbers of a series that begins again on each page or column, at most."""
_PASSES, _ROOM = 8, 200_000
"""Times that each candidate is looked at, and looks beyond that: for a series on each page."""
_MISSING = [0.4 * min(gap - 1, 12) for gap in range(_WIDEST + 1)]
"""What the numbers that lack between two of a series cost, by how far these are apart."""
_WEIGHT = {"alone": 2.0, "before": 1.5, "after": 1.5, "within": 1.0, "glued": 1.2}


@dataclass(frozen=True, slots=True)
class Mended:
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


def without_line_numbers(text: str) -> Mended:
    """The text without line numbers; sentences and paragraphs that they cut are joined again.

    A text without numbers that grow through it stays as it is. Linear in the length of the text.
    """
    whole = MappedText(text)
    numbers = _line_numbers(text)
    if not numbers:
        return Mended(whole)
    lines = line_places(text, numbers)
    edits = list(_removals(text, numbers))
    mapped = whole.replaced(edits)
    mapped, joined = _paragraphs(mapped)
    return Mended(
        mapped,
        tuple(
            TextLine(start=mapped.place_of(start), number=number, exact=exact)
            for number, start, exact in sorted(lines, key=lambda line: line[1])
        ),
        removed=len(numbers),
        joined=joined,
    )


def _line_numbers(text: str) -> list[_Candidate]:
    """The numbers to take out, in order."""
    candidates = list(_candidates(text))
    rows = sum(len(match.group()) for match in _ROW.finditer(text))
    numbers = [one for series in _all_series(candidates, len(text) - rows) for one in series]
    if numbers:
        numbers += in_gaps(text, candidates, numbers)
    return sorted(numbers, key=lambda number: number.start)


def _candidates(text: str) -> Iterator[_Candidate]:
    """Numbers that may be line numbers, in order."""
    rows = [match.span() for match in _ROW.finditer(text)]
    starts = [start for start, _ in rows]
    lines = [match.span() for match in _OF_NUMBERS.finditer(text)]
    firsts = [start for start, _ in lines]
    before = [0, *accumulate(end - start for start, end in rows)]
    for match in _NUMBER.finditer(text):
        if text[match.end() : match.end() + 1] not in _AFTER or len(match.group()) > _DIGITS:
            continue
        row = bisect_right(starts, match.start()) - 1
        if row >= 0 and match.start() < rows[row][1]:
            continue
        line = bisect_right(firsts, match.start()) - 1
        alone = line >= 0 and match.end() <= lines[line][1]
        kind = _kind(text, match.start(), match.end(), alone=alone)
        if kind is not None:
            place = match.start() - before[row + 1]
            yield _Candidate(int(match.group()), match.start(), match.end(), kind, place)


def _kind(text: str, start: int, end: int, *, alone: bool) -> str | None:
    """How a number stands in its line; None where no line number would stand.

    Args:
        text: The text.
        start: Offset of its first digit.
        end: Offset just after its last digit.
        alone: Whether nothing but numbers stands in its line.
    """
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before.isalpha():
        whole = text[max(0, start - 2) : start].isalpha()
        return "glued" if whole and after == " " and text[end + 1 : end + 2].isalpha() else None
    if before not in _AFTER:
        return None
    if alone and (
        text[end + 1 : end + 2].isdigit() or text[max(0, start - 2) : start - 1].isdigit()
    ):
        return "alone"
    left = text[max(0, start - 40) : start].rstrip(_BLANKS)
    first = not left or left.endswith("\n") or left.endswith("\n-") or left == "-"
    right = text[end : end + 40].lstrip(_BLANKS)
    last = not right or right.startswith("\n")
    if first:
        return "alone" if last else "before"
    return "after" if last else "within"


def _all_series(candidates: list[_Candidate], length: int) -> list[list[_Candidate]]:
    """The series of line numbers; none if they run through too little of the text.

    Args:
        candidates: In order.
        length: Characters of the text, tables aside.
    """
    values = {one.number for one in candidates}
    for step in _STEPS:
        found: list[list[_Candidate]] = []
        linked = sum(1 for value in values if value + step in values)
        if linked < _STEPPED * max(_LEAST - 1, _SHARE * length / (_SLOWEST * step)):
            continue  # most texts have no line numbers, and this tells them at once
        left, covered, room = candidates, bytearray(10**_DIGITS + 1), _room(len(candidates))
        while len(left) >= _LEAST and room > 0:
            room -= len(left)
            taken: set[int] = set()
            for series in _heaviest(left, step):
                exact = sum(1 for a, b in pairwise(series) if b.number - a.number == step)
                if len(series) < _LEAST or exact < _STEPPED * (len(series) - 1):
                    room = 0
                    break
                first, last = series[0].number, series[-1].number
                if _belongs(series, found, apart=not any(covered[first : last + 1])):
                    found.append(series)
                    covered[first : last + 1] = b"\x01" * (last + 1 - first)
                taken.update(one.start for one in series)
            left = [one for one in left if one.start not in taken]
        spans = sorted(
            (one[0].place, one[-1].place) for one in found if _pace(one) <= _SLOWEST * step
        )
        if _covered(spans) >= _SHARE * length:
            kept = [_supported(series, step) for series in found]
            return [*kept, *_blocks_apart(candidates, kept, step)]
    return []


def _room(candidates: int) -> int:
    """How many candidates are looked at in all, so that the search stays linear."""
    return _PASSES * candidates + _ROOM


def _blocks_apart(
    candidates: Sequence[_Candidate], series: Sequence[Sequence[_Candidate]], step: int
) -> Iterator[list[_Candidate]]:
    """Blocks of lone numbers that stand out of order; each line number is printed once."""
    known = {one.number for chain in series for one in chain}
    highest = max(known)
    block: list[_Candidate] = []
    for one in [*candidates, None]:
        new = one is not None and one.kind == "alone" and one.number not in known
        if one is not None and new and block and one.number == block[-1].number + step:
            block.append(one)
            continue
        if len(block) >= _BLOCK and block[-1].number <= highest + _PAGES:
            yield block
            known.update(number.number for number in block)
            highest = max(highest, block[-1].number)
        block = [one] if one is not None and new else []


def _belongs(
    series: Sequence[_Candidate], found: Sequence[Sequence[_Candidate]], *, apart: bool
) -> bool:
    """Whether a further series goes on where others end, or begins again as they do.

    Args:
        series: The series.
        found: Those found before.
        apart: Whether its numbers lie between those of the others.
    """
    if not found:
        return True
    if apart:
        return all(one.kind == "alone" for one in series) or _pace(series) <= _SLOWEST
    restarts = len(found[0]) <= _RESTART and len(series) <= _RESTART
    return (
        restarts and abs(series[0].number - found[0][0].number) <= 1 and _pace(series) >= _LINE / 4
    )


def _pace(series: Sequence[_Candidate]) -> float:
    """Characters a number."""
    return (series[-1].place - series[0].place) / max(1, series[-1].number - series[0].number)


def _covered(spans: Sequence[tuple[int, int]]) -> int:
    """Characters in the union of spans that are in order."""
    total = reached = 0
    for start, end in spans:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _heaviest(candidates: Sequence[_Candidate], step: int) -> Iterator[list[_Candidate]]:
    """The heaviest sequences of numbers that grow by multiples of a step, in linear time.

    The heaviest first, and then those that share nothing with it, until one would.
    """
    weight, before = _weighed(candidates, step)
    taken = bytearray(len(candidates))
    for end in sorted(range(len(weight)), key=weight.__getitem__, reverse=True):
        if taken[end]:
            continue
        series: list[_Candidate] = []
        at: int | None = end
        while at is not None and not taken[at]:
            taken[at] = 1
            series.append(candidates[at])
            at = before[at]
        if at is not None:
            return
        yield series[::-1]


def _weighed(candidates: Sequence[_Candidate], step: int) -> tuple[list[float], list[int | None]]:
    """How heavy the series is that ends with each candidate, and which one is before it there."""
    best: dict[int, int] = {}  # number -> candidate that ends the heaviest series with it
    weight: list[float] = []
    before: list[int | None] = []
    heaviest = 0.0
    for place, one in enumerate(candidates):
        top, link = 0.0, None
        for gap in range(1, _WIDEST + 1):
            if heaviest - _MISSING[gap] <= top:
                break  # what lacks only grows
            last = best.get(one.number - gap * step)
            if last is None or weight[last] - _MISSING[gap] <= top:
                continue
            value = weight[last] - _cost(candidates[last], one, gap, step)
            if value > top:
                top, link = value, last
        weight.append(top + _WEIGHT[one.kind])
        heaviest = max(heaviest, weight[place])
        before.append(link)
        kept = best.get(one.number)
        if kept is None or weight[place] >= weight[kept] - _aged(candidates[kept], one):
            best[one.number] = place
    return weight, before


def _cost(last: _Candidate, one: _Candidate, gap: int, step: int) -> float:
    """What speaks against two numbers following each other in a series."""
    distance = one.place - last.place
    far = min(max(0.0, distance - _FAR * gap * step) / 2000, 8.0)
    uneven = 0.0
    if gap == 1 and last.kind != "alone" and one.kind != "alone":
        uneven = 0.6 * min(abs(distance - _LINE * step) / (_LINE * step), 2.0)
    return _MISSING[gap] + far + uneven


def _aged(kept: _Candidate, one: _Candidate) -> float:
    """How much heavier an earlier end of a series must be to be preferred to a later one."""
    return min(6.0, (one.place - kept.place) / 1500)


def _supported(series: Sequence[_Candidate], step: int) -> list[_Candidate]:
    """A series without the numbers in running text that are not next to their neighbours."""
    kept = []
    for place, one in enumerate(series):
        neighbours = (*series[max(0, place - 1) : place], *series[place + 1 : place + 2])
        next_to = any(abs(other.number - one.number) <= step for other in neighbours)
        if one.kind in ("alone", "after") or next_to:
            kept.append(one)
    return kept


def _removals(text: str, numbers: Sequence[_Candidate]) -> Iterator[tuple[int, int, str]]:
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
            yield group[0].start, _skip(text, group[-1].end, _BLANKS), ""
        else:
            start = group[0].start
            while start > 0 and text[start - 1] in _BLANKS:
                start -= 1
            yield start, group[-1].end, ""
        last = group[-1].end


def _skip(text: str, end: int, characters: str) -> int:
    while end < len(text) and text[end] in characters:
        end += 1
    return end


def _halves(text: str, number: _Candidate, end: int) -> tuple[str, str]:
    """The words before a number that is glued to the first of them, and at an offset after it."""
    first = _LAST_WORD.search(text, max(0, number.start - 40), number.start)
    second = _WORD.match(text, end)
    return first.group() if first else "", second.group() if second else ""


def _word_after(text: str, end: int) -> int:
    """Where the next word begins; its line may have become a list item."""
    end = _skip(text, end, " \t\n")
    return end + 2 if text.startswith("- ", end) else end


def _word_joined(
    text: str, group: Sequence[_Candidate], words: WrittenWords
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


def _break(text: str, group: Sequence[_Candidate], last: int) -> tuple[int, int, str]:
    """Numbers that end a line or stand alone, with the empty lines; a cut sentence runs on.

    Args:
        text: The text.
        group: The numbers.
        last: End of the number before them.
    """
    start, end = group[0].start, _skip(text, group[-1].end, " \t\n")
    alone = group[0].kind == "alone"
    while start > 0 and text[start - 1] in (" \t\n-" if alone else _BLANKS):
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
        goes_on = [_goes_on(one, other) for one, other in pairwise(items)]
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
