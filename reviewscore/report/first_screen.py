"""What a report begins with: all points as one bar, the papers by title, the first flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewscore.pages.figures import BarPart, stacked
from reviewscore.pages.paper_list import FlagLine, PaperLine, in_order, titled
from reviewscore.report.paper_pages import PointState, Row

PAPERS_SHOWN = 6
"""Papers of a list that are not folded: with the first flags they fill a screen."""
PAPERS_LISTED = 500
"""Papers that the first page of a report lists; the further pages list all of theirs."""
_FLAGS_SHOWN = 6

_OF_SCORES: dict[PointState, str] = {
    "flag": "judged misinformed",
    "clear": "not misinformed",
    "open": "unknown",
    "lost": "failed",
}
_OF_FINDINGS: dict[PointState, str] = {
    "flag": "the paper speaks to it",
    "near": "closest passages",
    "open": "cannot judge",
    "lost": "failed",
}


@dataclass(frozen=True)
class FirstScreen:
    """The beginning of a report.

    Attributes:
        states: All points as a bar.
        papers: The papers, those that need a person first; empty for a run of one.
        elsewhere: How many more papers the further pages list.
        flags: The first flags.
        flagged: How many there are.
        names: What each paper is called in the table of points, by its id.
    """

    states: tuple[BarPart, ...]
    papers: tuple[PaperLine, ...]
    elsewhere: int
    flags: tuple[FlagLine, ...]
    flagged: int
    names: dict[str, str]


def first_screen(rows: Sequence[Row], papers: Sequence[PaperLine], *, lexical: bool) -> FirstScreen:
    """The beginning of a report.

    Args:
        rows: All points.
        papers: All papers, each with its link from the first page.
        lexical: Whether the embedded judge looked points up.
    """
    by_id = {line.paper_id: line for line in papers}
    ordered = in_order(papers)
    flagged = [row for row in rows if row.state == "flag"]
    flags = [
        _flag(row, by_id[row.paper_id], alone=len(papers) == 1)
        for row in _first(flagged, [line.paper_id for line in ordered])
    ]
    listed = ordered[:PAPERS_LISTED] if len(papers) > 1 else []
    return FirstScreen(
        states=_states(rows, _OF_FINDINGS if lexical else _OF_SCORES),
        papers=tuple(listed),
        elsewhere=len(papers) - len(listed) if listed else 0,
        flags=tuple(flags),
        flagged=len(flagged),
        names={line.paper_id: titled(line.title, line.paper_id) for line in papers},
    )


def _first(flagged: Sequence[Row], papers: Sequence[str]) -> list[Row]:
    """The first flags: the clearest one of each paper before the second of any."""
    place = {paper_id: place for place, paper_id in enumerate(papers)}
    before: Counter[str] = Counter()
    keyed = []
    for row in sorted(flagged, key=lambda row: row.headline.order):
        keyed.append(((before[row.paper_id], row.headline.order, place[row.paper_id]), row))
        before[row.paper_id] += 1
    return [row for _, row in sorted(keyed, key=lambda pair: pair[0])[:_FLAGS_SHOWN]]


def _flag(row: Row, paper: PaperLine, *, alone: bool) -> FlagLine:
    named = row.type if alone else f"{row.type} · {titled(paper.title, paper.paper_id)}"
    page = paper.link.partition("#")[0]
    return FlagLine(f"{page}#{row.anchor}", row.text, row.headline.tone, row.headline.short, named)


def _states(rows: Sequence[Row], words: Mapping[PointState, str]) -> tuple[BarPart, ...]:
    states = Counter(row.state for row in rows)
    return stacked(
        (state, states[state] / len(rows), f"{said}: {states[state]:,}")
        for state, said in words.items()
        if states[state]
    )
