"""Numbers in a text that may be printed beside its lines, and those that fill a sequence's gaps."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

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


def together(text: str, numbers: Sequence[PrintedNumber]) -> Iterator[list[PrintedNumber]]:
    """Numbers by the places where they stand: with nothing but breaks between them."""
    group: list[PrintedNumber] = []
    for one in numbers:
        if group and text[group[-1].end : one.start].strip(BREAKS):
            yield group
            group = []
        group.append(one)
    if group:
        yield group
