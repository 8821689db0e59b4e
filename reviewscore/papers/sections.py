"""Where a paper's sections start: plain text, Markdown, or text extracted from a PDF.

Lines that look like headings are collected with a weight (`headings.py`); of the numbered ones the
heaviest sequence whose numbers go up as a table of contents does is kept, so that list items, table
rows and reference entries drop out. What each section is for follows from its title and place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reviewscore.papers.headings import Candidate, Number, candidates, is_named
from reviewscore.papers.zones import zones
from reviewscore.schema.paper import Section, Zone

_MAX_GAP = 2
"""Headings that may be missing in a row (lost in extraction) before a sequence breaks."""
_GAP_COST = 1.5
_MAX_CANDIDATES = 2000
_FIRST_LETTER = ord("A")
_MARKS = re.compile("#+")
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_SHORTEST_APPENDIX = 40
"""Characters; on 116 papers all that follows a list of references and is longer is no reference."""


def find_sections(text: str) -> tuple[Section, ...]:
    """The sections of a paper, contiguous and covering the whole text.

    Args:
        text: Plain text, Markdown, or text extracted from a PDF.

    Returns:
        Sections in reading order, the first one being the front matter (without a title) unless
        the text starts with a heading; empty for an empty text, one section when there is no
        heading at all.
    """
    if not text:
        return ()
    found = candidates(text)
    kept = sorted(
        [*_sequence([c for c in found if c.number]), *(c for c in found if not c.number)],
        key=lambda c: c.start,
    )
    kept = _levels_by_number(text, _without_early_names(kept))
    if not kept:
        return (Section(title="", level=1, start=0, heading_end=0, end=len(text), zone=Zone.BODY),)
    sections: list[Section] = []
    if kept[0].start > 0:
        sections.append(
            Section(title="", level=1, start=0, heading_end=0, end=kept[0].start, zone=Zone.FRONT)
        )
    ends = [candidate.start for candidate in kept[1:]] + [len(text)]
    for candidate, end, zone in zip(kept, ends, zones(kept), strict=True):
        sections.append(
            Section(
                title=candidate.title,
                number=candidate.printed or None,
                level=candidate.level,
                start=candidate.start,
                heading_end=min(candidate.end, end),
                end=end,
                zone=zone,
            )
        )
    return tuple(part for section in sections for part in _without_appendix(text, section))


def _without_appendix(text: str, section: Section) -> tuple[Section, ...]:
    """A list of references, apart from what follows it under a heading that was not recognised.

    The list ends with the paragraph that holds its last year.
    """
    years = list(_YEAR.finditer(text, section.heading_end, section.end))
    if section.zone is not Zone.REFERENCES or not years:
        return (section,)
    end = text.find("\n\n", years[-1].end(), section.end)
    if end < 0 or len(text[end : section.end].strip()) < _SHORTEST_APPENDIX:
        return (section,)
    start = end + len("\n\n")
    after = Section(
        title="", level=1, start=start, heading_end=start, end=section.end, zone=Zone.APPENDIX
    )
    return section.model_copy(update={"end": start}), after


def _levels_by_number(text: str, kept: Sequence[Candidate]) -> list[Candidate]:
    """Headings whose marks are all of one level (``##``): numbers decide.

    One without a number belongs to the numbered one before it.
    """
    marks = {_MARKS.match(text, one.start)[0] for one in kept[1:] if text[one.start] == "#"}  # type: ignore[index]
    if len(marks) != 1:
        return list(kept)
    result: list[Candidate] = []
    level = 0
    for one in kept:
        marked = not one.number and text[one.start] == "#"
        if marked and level and not is_named(one.title):
            one = replace(one, level=level + 1)  # noqa: PLW2901
        else:
            level = len(one.number)
        result.append(one)
    return result


def _without_early_names(kept: Sequence[Candidate]) -> list[Candidate]:
    """Drops a second abstract; only the first one is the paper's own."""
    seen = False
    result: list[Candidate] = []
    for candidate in kept:
        is_abstract = not candidate.number and candidate.title.lower() == "abstract"
        if not (is_abstract and seen):
            result.append(candidate)
        seen = seen or is_abstract or bool(candidate.number)
    return result


def _sequence(numbered: Sequence[Candidate]) -> list[Candidate]:
    """The heaviest sequence of candidates whose numbers follow each other.

    The best sequence so far is kept for each number it can end with, which bounds the work by the
    candidates times the distinct numbers.
    """
    if len(numbered) > _MAX_CANDIDATES:  # a text made of numbers; only strong ones count
        strong = sorted(numbered, key=lambda c: -c.weight)[:_MAX_CANDIDATES]
        numbered = sorted(strong, key=lambda c: c.start)
    best: dict[Number, tuple[float, int]] = {}
    previous: list[int] = [-1] * len(numbered)
    total: list[float] = [0.0] * len(numbered)
    for index, candidate in enumerate(numbered):
        number = candidate.number
        score, link = _opening(number), -1
        for other, (weight, place) in best.items():
            cost = _step(other, number)
            if cost is not None and weight - cost > score:
                score, link = weight - cost, place
        total[index] = score + candidate.weight
        previous[index] = link
        if number not in best or total[index] > best[number][0]:
            best[number] = (total[index], index)
    if not total:
        return []
    index = max(range(len(total)), key=total.__getitem__)
    if total[index] <= 0:
        return []
    chosen: list[Candidate] = []
    while index >= 0:
        chosen.append(numbered[index])
        index = previous[index]
    return chosen[::-1]


def _opening(number: Number) -> float:
    """What it costs to begin a sequence with this number (as a negative weight)."""
    if number in {(1,), (0,), (_FIRST_LETTER,)}:
        return 0.0
    if number[0] <= _MAX_GAP and len(number) == 1:
        return -_GAP_COST
    return -2 * _GAP_COST


def _step(last: Number, number: Number) -> float | None:
    """The cost of `number` coming right after `last`; None if it cannot."""
    shared = 0
    for left, right in zip(last, number, strict=False):
        if left != right:
            break
        shared += 1
    if shared == len(number):
        return None  # the same number again, or a parent after its child
    rest = number[shared + 1 :]
    if shared == len(last):  # a child of the last heading
        missing = number[shared] - 1
    elif last[0] < _FIRST_LETTER <= number[0]:  # from the body to the appendix
        missing = number[shared] - _FIRST_LETTER
    else:
        missing = number[shared] - last[shared] - 1
    if missing < 0 or missing > _MAX_GAP or len(rest) > 1:
        return None
    missing += sum(part for part in rest)  # 4 directly to 5.1 lacks the heading of 5
    return None if missing > _MAX_GAP + 1 else missing * _GAP_COST
