"""Excerpts of a paper that is longer than what a judge can read: the passages nearest to a point.

They are a `Paper` like any other, at the same offsets, of which everything else is unread: places,
quotes and evidence are looked up in what is shown alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewscore.papers.parts import hiding_all_but
from reviewscore.retrieval.index import PaperIndex, Passage, index_of
from reviewscore.retrieval.ranking import ranked_passages
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.review import ReviewPoint

_OPENING = 1500
"""Characters of the beginning that are shown of a paper without an abstract, and of one place."""
_OPENING_SHARE = 4
"""The abstract takes no more than this part of the budget, and so do the places named."""
_GAP = 150
"""Characters between two excerpts that are shown too: another frame would take as many."""


@dataclass(frozen=True)
class TextRange:
    """A stretch of the paper's text.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last character.
    """

    start: int
    end: int


@dataclass(frozen=True)
class PlacedExcerpt:
    """An excerpt as a judge sees it.

    Attributes:
        place: Section, page and line numbers, as far as they are known.
        text: The paper's own characters.
    """

    place: str
    text: str


def passages_within(
    paper: Paper, text: str, budget_characters: int, *, beside: Sequence[TextRange] = ()
) -> tuple[TextRange, ...]:
    """The passages of a paper that are nearest to a text, best first, within a budget.

    Each is a sentence, caption or row of a table with its neighbours in the same section.

    Args:
        paper: The paper, as judges see it.
        text: What is looked for, such as a review point.
        budget_characters: Most characters of all of them together, each counted once.
        beside: What is shown anyhow; it counts too.
    """
    index, taken = index_of(paper), list(beside)
    left = budget_characters - _characters(_merged(taken))
    for number in ranked_passages(index, text):
        passage = _with_neighbours(index, number)
        new = _characters(_merged([*taken, passage])) - _characters(_merged(taken))
        if new == 0:
            continue
        if new > left:
            single = index.passages[number]
            passage = TextRange(single.start, single.end)
            new = _characters(_merged([*taken, passage])) - _characters(_merged(taken))
            if new > left:
                break
        taken.append(passage)
        left -= new
    return tuple(taken[len(beside) :])


def excerpts_for(point: ReviewPoint, paper: Paper, budget_characters: int) -> Paper:
    """The paper as a judge of limited reach sees it for one point.

    The abstract (or the beginning) is always shown, then the places that the point names, then
    the passages nearest to it, in reading order. A paper that fits is shown as it is.

    Args:
        point: The point, with its places.
        paper: The paper, as judges see it.
        budget_characters: Most characters that are shown; at least 1,000.
    """
    if len(paper.read_text) <= budget_characters:
        return paper
    most = budget_characters // _OPENING_SHARE
    kept = [_opening(paper, most)]
    for place in point.places or ():
        where = place.target
        if where is not None and paper.is_read(where.start):
            kept.append(TextRange(where.start, min(where.end, where.start + _OPENING)))
    kept = _within(kept, 2 * most)
    sought = f"{point.text} {point.context}"
    kept += passages_within(paper, sought, budget_characters, beside=kept)
    return hiding_all_but(paper, [(span.start, span.end) for span in _merged(kept)])


def placed_excerpts(paper: Paper) -> tuple[PlacedExcerpt, ...]:
    """What is shown of a paper, stretch by stretch in reading order, each with its place."""
    return tuple(
        PlacedExcerpt(_place(paper, start, end), paper.text[start:end].strip("\n"))
        for start, end in paper.read_spans
        if paper.text[start:end].strip()
    )


def _place(paper: Paper, start: int, end: int) -> str:
    section, page = paper.section_at(start), paper.page_at(start)
    first = bisect_left([line.start for line in paper.lines], start)
    last = bisect_right([line.start for line in paper.lines], end - 1)
    numbers = [line.number for line in paper.lines[first:last] if line.number is not None]
    parts = [
        section.label if section is not None and section.title else "",
        f"p. {page}" if page is not None else "",
        f"lines {numbers[0]}-{numbers[-1]}" if numbers else "",
    ]
    return ", ".join(part for part in parts if part) or "of the paper"


def _opening(paper: Paper, most: int) -> TextRange:
    """The abstract, or the beginning of what is read."""
    for section in paper.sections:
        if section.zone is Zone.ABSTRACT and paper.is_read(section.start):
            return TextRange(section.start, min(section.end, section.start + most))
    start, end = paper.read_spans[0]
    return TextRange(start, min(end, start + _OPENING, start + most))


def _with_neighbours(index: PaperIndex, number: int) -> TextRange:
    """A passage with the one before and the one after it, in its section."""
    passages, middle = index.passages, index.passages[number]

    def near(other: int) -> Passage:
        known = 0 <= other < len(passages) and passages[other].section == middle.section
        return passages[other] if known else middle

    before, after = near(number - 1), near(number + 1)
    if after.end - before.start > 2 * _OPENING:  # formulas or tables lie between
        return TextRange(middle.start, middle.end)
    return TextRange(before.start, after.end)


def _within(spans: Sequence[TextRange], budget: int) -> list[TextRange]:
    """The first spans that together keep to a budget."""
    kept: list[TextRange] = []
    for span in spans:
        if _characters(_merged([*kept, span])) <= budget:
            kept.append(span)
    return kept


def _merged(spans: Iterable[TextRange]) -> list[TextRange]:
    """Spans in reading order; those that touch as one."""
    merged: list[TextRange] = []
    for span in sorted(spans, key=lambda span: span.start):
        if merged and span.start <= merged[-1].end + _GAP:
            last = merged.pop()
            merged.append(TextRange(last.start, max(last.end, span.end)))
        else:
            merged.append(span)
    return merged


def _characters(spans: Iterable[TextRange]) -> int:
    return sum(span.end - span.start for span in spans)
