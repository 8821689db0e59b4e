"""Line numbers in texts that another program made of a submission: known by their sequence.

Converters leave the numbers that are printed beside the lines in the text: as lines of their own,
at line ends, inside sentences, glued to the first half of a broken word; and they take lines for
list items. Such numbers are known by their sequence alone: they grow through most of the text, by
steps of one (or five, or ten), at the pace at which lines follow each other.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

_NUMBER = re.compile(r"\d+")
_DIGITS = 4
_ROW = re.compile(r"^[ \t]*\|[^\n]*$", re.MULTILINE)
"""Rows of Markdown tables: no line of a table has a number beside it."""
_OF_NUMBERS = re.compile(r"^[0-9 \t-]+$", re.MULTILINE)
"""Lines that hold nothing but numbers."""
BLANKS = " \t"
_AFTER = ("", " ", "\t", "\n")
"""What follows a line number: a mark, as in ``2.``, ``(3)`` or ``5%``, makes it the authors'."""
_LEAST = 12
"""Numbers of a series, at least."""
_WIDEST = 60
"""Numbers that a series may lack in one place: pages of floats."""
LINE = 95
"""Characters of a printed line, about."""
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
BREAKS = " \t\n-"
"""Between numbers that stand together: spaces, ends of lines, and dashes of list items."""
_PAGE = 9000
"""Characters between a number and its nearest neighbours in the sequence: a page, with floats."""
_NEAR = 400
"""Characters between two numbers in sequence, with a formula between them."""
_LINE_AT_MOST = 160
"""Characters of a printed line, at most."""
_RUN = 3
"""Numbers in sequence inside running text that are no chance."""
_TIGHT = 12
"""Characters a number, at least, in such a sequence: short lines of a listing."""
_NARROW = 80
"""Numbers that a sequence may lack where a number that ends its line alone fills the gap."""
_GLUED = re.compile(r"(?<=[^\W\d_]{2})\d{1,4}(?=\s|\Z)")
_NAMED = re.compile(
    r"(?:\b(?:tables?|figures?|fig|sections?|sec|equations?|eqs?|appendix|algorithms?|theorems?|"
    r"lemmas?|chapters?|pages?|steps?|lines?|version|to|of|in|and|or|is|at|by)\.?|[=<>≤≥≈×+*/^_±∼-])"
    r"[ \t(]*\Z",
    re.IGNORECASE,
)
"""Before a number that is named or counted with: the authors' own."""


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number that may be a line number.

    Attributes:
        number: Its value.
        start: Offset of its first digit.
        end: Offset just after its last digit.
        kind: How it stands in its line: ``alone``, ``before`` or ``after`` its text, ``within``
            it, ``glued`` to a word, or ``broken`` where the word that it is glued to ends the line.
        place: Characters before it, those of tables aside.
    """

    number: int
    start: int
    end: int
    kind: str
    place: int


def printed_line_numbers(text: str) -> list[PrintedNumber]:
    """The line numbers in a text, in order; none where no numbers grow through it."""
    candidates = list(_candidates(text))
    rows = sum(len(match.group()) for match in _ROW.finditer(text))
    numbers = [one for series in _all_series(candidates, len(text) - rows) for one in series]
    if numbers:
        numbers += in_gaps(text, candidates, numbers)
    return sorted(numbers, key=lambda number: number.start)


def _candidates(text: str) -> Iterator[PrintedNumber]:
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
            yield PrintedNumber(int(match.group()), match.start(), match.end(), kind, place)


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
    left = text[max(0, start - 40) : start].rstrip(BLANKS)
    first = not left or left.endswith("\n") or left.endswith("\n-") or left == "-"
    right = text[end : end + 40].lstrip(BLANKS)
    last = not right or right.startswith("\n")
    if first:
        return "alone" if last else "before"
    return "after" if last else "within"


def _all_series(candidates: list[PrintedNumber], length: int) -> list[list[PrintedNumber]]:
    """The series of line numbers; none if they run through too little of the text.

    Args:
        candidates: In order.
        length: Characters of the text, tables aside.
    """
    values = {one.number for one in candidates}
    for step in _STEPS:
        found: list[list[PrintedNumber]] = []
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
    candidates: Sequence[PrintedNumber], series: Sequence[Sequence[PrintedNumber]], step: int
) -> Iterator[list[PrintedNumber]]:
    """Blocks of lone numbers that stand out of order; each line number is printed once."""
    known = {one.number for chain in series for one in chain}
    highest = max(known)
    block: list[PrintedNumber] = []
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
    series: Sequence[PrintedNumber], found: Sequence[Sequence[PrintedNumber]], *, apart: bool
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
        restarts and abs(series[0].number - found[0][0].number) <= 1 and _pace(series) >= LINE / 4
    )


def _pace(series: Sequence[PrintedNumber]) -> float:
    """Characters a number."""
    return (series[-1].place - series[0].place) / max(1, series[-1].number - series[0].number)


def _covered(spans: Sequence[tuple[int, int]]) -> int:
    """Characters in the union of spans that are in order."""
    total = reached = 0
    for start, end in spans:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _heaviest(candidates: Sequence[PrintedNumber], step: int) -> Iterator[list[PrintedNumber]]:
    """The heaviest sequences of numbers that grow by multiples of a step, in linear time.

    The heaviest first, and then those that share nothing with it, until one would.
    """
    weight, before = _weighed(candidates, step)
    taken = bytearray(len(candidates))
    for end in sorted(range(len(weight)), key=weight.__getitem__, reverse=True):
        if taken[end]:
            continue
        series: list[PrintedNumber] = []
        at: int | None = end
        while at is not None and not taken[at]:
            taken[at] = 1
            series.append(candidates[at])
            at = before[at]
        if at is not None:
            return
        yield series[::-1]


def _weighed(
    candidates: Sequence[PrintedNumber], step: int
) -> tuple[list[float], list[int | None]]:
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


def _cost(last: PrintedNumber, one: PrintedNumber, gap: int, step: int) -> float:
    """What speaks against two numbers following each other in a series."""
    distance = one.place - last.place
    far = min(max(0.0, distance - _FAR * gap * step) / 2000, 8.0)
    uneven = 0.0
    if gap == 1 and last.kind != "alone" and one.kind != "alone":
        uneven = 0.6 * min(abs(distance - LINE * step) / (LINE * step), 2.0)
    return _MISSING[gap] + far + uneven


def _aged(kept: PrintedNumber, one: PrintedNumber) -> float:
    """How much heavier an earlier end of a series must be to be preferred to a later one."""
    return min(6.0, (one.place - kept.place) / 1500)


def _supported(series: Sequence[PrintedNumber], step: int) -> list[PrintedNumber]:
    """A series without the numbers in running text that are not next to their neighbours."""
    kept = []
    for place, one in enumerate(series):
        neighbours = (*series[max(0, place - 1) : place], *series[place + 1 : place + 2])
        next_to = any(abs(other.number - one.number) <= step for other in neighbours)
        if one.kind in ("alone", "after") or next_to:
            kept.append(one)
    return kept


def in_gaps(
    text: str, candidates: Sequence[PrintedNumber], numbers: Sequence[PrintedNumber]
) -> list[PrintedNumber]:
    """Numbers that fill gaps of a sequence which is known to run through the text, in order.

    Converters gather a page's loose numbers in one place, without those that they left at the ends
    of its lines; such a run stands before or after the numbers around it. Linear in the text, but
    for sorting.

    Args:
        text: The text.
        candidates: Numbers that may be line numbers, in order.
        numbers: Those that are.
    """
    by_value = {number.number: number for number in numbers}
    values = sorted(by_value)
    step = usual_step(values)
    taken = {number.start for number in numbers}
    seen = {number.start for number in candidates}
    loose = [one for one in _glued(text, candidates) if one.start not in seen]
    open_ = [
        one
        for one in sorted([*candidates, *loose], key=lambda one: one.start)
        if one.start not in taken
        and one.number not in by_value
        and values[0] < one.number < values[-1]
        and _on_page(one, values, by_value)
    ]
    filled: dict[int, PrintedNumber] = {}
    for run in _runs(open_, step):
        for one in run:
            if one.number in filled:
                continue
            if _is_series(run) or _stands_right(text, one, values, by_value, step):
                filled[one.number] = one
    return sorted(filled.values(), key=lambda one: one.start)


def usual_step(values: Sequence[int]) -> int:
    """The step from a line number to the next, of values in order."""
    steps = Counter(after - before for before, after in pairwise(values))
    return steps.most_common(1)[0][0] if steps else 1


def _glued(text: str, candidates: Sequence[PrintedNumber]) -> Iterator[PrintedNumber]:
    """Numbers after the first half of a word, also at the end of a line."""
    starts = [one.start for one in candidates]
    for match in _GLUED.finditer(text):
        near = bisect_left(starts, match.start())
        last = candidates[max(0, near - 1)]
        place = last.place + match.start() - last.start
        line_end = text[match.end() : match.end() + 1] != " "
        kind = "broken" if line_end else "glued"
        yield PrintedNumber(int(match.group()), match.start(), match.end(), kind, place)


def _neighbours(
    one: PrintedNumber, values: Sequence[int], by_value: dict[int, PrintedNumber]
) -> tuple[PrintedNumber, PrintedNumber]:
    at = bisect_left(values, one.number)
    return by_value[values[at - 1]], by_value[values[at]]


def _on_page(one: PrintedNumber, values: Sequence[int], by_value: dict[int, PrintedNumber]) -> bool:
    around = _neighbours(one, values, by_value)
    return min(abs(other.place - one.place) for other in around) <= _PAGE


def _runs(numbers: Sequence[PrintedNumber], step: int) -> Iterator[list[PrintedNumber]]:
    """Numbers that follow each other in value and place."""
    run: list[PrintedNumber] = []
    for one in numbers:
        follows = run and one.number == run[-1].number + step
        if not follows or one.place - run[-1].place > _NEAR:
            if run:
                yield run
            run = []
        run.append(one)
    if run:
        yield run


def _is_series(run: Sequence[PrintedNumber]) -> bool:
    """Whether numbers that follow each other speak for themselves; ``12 of 13`` does not."""
    if len(run) < _RUN and not any(one.kind in ("alone", "after") for one in run):
        return False
    pace = (run[-1].place - run[0].place) / max(1, len(run) - 1)
    return len(run) > 1 and (pace >= _TIGHT or run[0].kind == "alone")


def _stands_right(
    text: str,
    one: PrintedNumber,
    values: Sequence[int],
    by_value: dict[int, PrintedNumber],
    step: int,
) -> bool:
    """Whether a single number stands a line from its neighbour, or ends a line where it may."""
    below, above = _neighbours(one, values, by_value)
    if below.number == one.number - step and 0 < one.place - below.place <= _LINE_AT_MOST:
        return True
    if above.number == one.number + step and 0 < above.place - one.place <= _LINE_AT_MOST:
        return True
    if one.kind not in ("alone", "after") or above.number - below.number > _NARROW * step:
        return False
    return one.kind == "alone" or not _NAMED.search(text, max(0, one.start - 40), one.start)
