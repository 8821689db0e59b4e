"""The rates of a venue by type, area and reviewer load, with intervals, naming nobody."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from reviewscore import __version__
from reviewscore.schema.record import Record
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import FEW_PAPERS, Resampling
from reviewscore.stats.shares import PAPERS
from reviewscore.stats.statistic import Floats, Ints
from reviewscore.venue.outcomes import (
    MEASURES,
    TYPES,
    VERDICTS,
    OutcomeCounts,
    OutcomeMeasure,
    rates,
)

REVIEWERS = 5
"""Different reviewers that a cell must have to be shown."""
_PAIR = 2


@dataclass(frozen=True)
class Size:
    """How large a cell is.

    Attributes:
        reviews: Reviews in it.
        people: Different reviewers; where they cannot be told apart, papers in their stead.
    """

    reviews: int
    people: int

    def few(self, at_least: int) -> bool:
        """Whether it is too small to be shown."""
        return self.reviews < at_least or self.people < REVIEWERS


def suppressed_cells(
    sizes: Sequence[Size], pooled: Callable[[frozenset[int]], Size], *, at_least: int
) -> frozenset[int]:
    """The cells of a table that are not shown.

    Whoever takes the shown cells from the total gets the sum of the withheld ones. So these are
    two or more, and together large enough to be shown as one; the next smallest cells are added
    until they are.

    Args:
        sizes: Of each cell; none is empty.
        pooled: The size of several cells as one; a review may be in two of them.
        at_least: Reviews that a cell must have.

    Returns:
        Places in `sizes`: none, or two and more; one only of a table of one cell.
    """
    hidden = {place for place, size in enumerate(sizes) if size.few(at_least)}
    if not hidden:
        return frozenset()
    rest = sorted(
        set(range(len(sizes))) - hidden,
        key=lambda place: (sizes[place].reviews, place),
        reverse=True,
    )
    while rest and (len(hidden) < _PAIR or pooled(frozenset(hidden)).few(at_least)):
        hidden.add(rest.pop())
    return frozenset(hidden)


BUCKETS = ("1", "2", "3", "4", "5 or more")
"""Reviews by one reviewer in the venue."""
_ANONYMOUS = re.compile(
    r"(?:anon(?:ymous)?|official)?[ _-]?(?:reviewer|referee|rev|r)[ _#-]*(?:\d{1,2}|[a-z])"
    r"|(?:official_)?reviewer_[a-z0-9]{4}|\d{1,2}|[a-z]|\(anonymous\)",
    re.IGNORECASE,
)
"""Names handed out anew for each paper: Reviewer 2, AnonReviewer3, Reviewer_a1B2, R1."""
_MOST = 0.5
_FEW_REVIEWS, _FEW_PAPERS = 10, 5


@dataclass(frozen=True)
class WrittenReview:
    """A review's author, as the data names them.

    Attributes:
        paper_id: Paper that it is of.
        reviewer: Pseudonym; None if the data has none.
    """

    paper_id: str
    reviewer: str | None


@dataclass(frozen=True)
class Reviewers:
    """Who wrote which review, as far as that can be told.

    Attributes:
        of: Number of the reviewer of each review; empty if they cannot be told apart.
        load: How many reviews each of them wrote, by number.
        reason: Why they cannot be told apart; empty if they can.
        unnamed: Reviews without a pseudonym.
    """

    of: Mapping[str, int]
    load: Mapping[int, int]
    reason: str = ""
    unnamed: int = 0

    def bucket(self, review_id: str) -> str | None:
        """The bucket of a review's author; None if it is not known."""
        number = self.of.get(review_id)
        return None if number is None else BUCKETS[min(self.load[number], len(BUCKETS)) - 1]


def tell_reviewers(written: Mapping[str, WrittenReview], *, trusted: bool = False) -> Reviewers:
    """Tell reviewers apart by their pseudonyms, or say why these cannot.

    Args:
        written: All reviews of the venue by their id, those without points too.
        trusted: The pseudonyms were given for this purpose; only missing ones matter.
    """
    named = {key: review for key, review in written.items() if review.reviewer}
    unnamed = len(written) - len(named)
    reason = "no review names its reviewer by a pseudonym" if not named else ""
    if named and not trusted:
        reason = _per_paper(named)
    if reason:
        return Reviewers({}, {}, reason, unnamed)
    numbers: dict[str, int] = {}
    of = {
        key: numbers.setdefault(str(review.reviewer), len(numbers))
        for key, review in sorted(named.items())
    }
    return Reviewers(of, Counter(of.values()), unnamed=unnamed)


def _per_paper(named: Mapping[str, WrittenReview]) -> str:
    """Why pseudonyms hold for one paper only; empty if they may be the venue's."""
    names = [str(written_review.reviewer) for written_review in named.values()]
    alike = sum(_ANONYMOUS.fullmatch(name.strip()) is not None for name in names)
    if alike > _MOST * len(names):
        return (
            "reviewers have names that hold for one paper only, such as 'Reviewer 2' or "
            "'Reviewer_a1B2', so that two reviews by one person cannot be told"
        )
    papers: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for review in named.values():
        papers[review.paper_id][str(review.reviewer)] += 1
    often = Counter(names)
    if len(names) >= _FEW_REVIEWS and max(often.values()) == 1:
        return (
            "no reviewer has two reviews, as if names were made anew for each, so that two reviews "
            "by one person cannot be told"
        )
    # Reviewers of a venue are on few of its papers; labels such as "first" are on most.
    used = sum(len(paper) for paper in papers.values()) / (len(papers) * len(often))
    if len(papers) >= _FEW_PAPERS and used > _MOST:
        return (
            f"there are only {len(often)} names for {len(papers):,} papers, as if reviewers were "
            "numbered in each paper, so that two reviews by one person cannot be told"
        )
    return ""


OVERALL = "overall"
NO_GROUP = "not known"
TOGETHER = "the withheld ones together"
AT_LEAST = 10
"""Reviews that a cell must have to be shown, where nothing else is said."""


class GroupRates(Record):
    """One row of a table.

    Attributes:
        group: Such as an area.
        withheld: Too few, or withheld with one that is: no number is given.
        points: Points of all outcomes.
        reviews: Reviews that have such points.
        papers: Papers of these.
        reviewers: Different reviewers of these; None where they cannot be told apart.
        rates: Estimates by measure; n is in points.
    """

    group: str
    withheld: bool = False
    points: int | None = None
    reviews: int | None = None
    papers: int | None = None
    reviewers: int | None = None
    rates: dict[str, Estimate] = Field(default_factory=dict)


class RatePanel(Record):
    """One table.

    Attributes:
        name: ``overall``, ``type``, ``area``, ``load`` or another field of reviews.
        title: Its heading.
        cells: Its rows; withheld ones, and then these together, come last.
        notes: What must be known to read it.
    """

    name: str
    title: str
    cells: tuple[GroupRates, ...] = ()
    notes: tuple[str, ...] = ()


class Venue(Record):
    """All rates of a venue, as written to ``venue.json``.

    Attributes:
        reviewscore_version: Version of the program that computed them.
        judge: The model asked for.
        protocol: What its judges were asked.
        settings: Sum of the settings that all runs share (not of their inputs).
        runs: How many run folders it rests on.
        complete: Whether all runs reached their end.
        measures: What each measure is, by name.
        titles: Headings of the measures, by name.
        panels: The tables; the first one is the venue as a whole.
        at_least: Reviews that a cell must have to be shown.
        at_least_reviewers: Reviewers that it must have.
        resamples: Samples of papers drawn for intervals.
        seed: Of these draws.
        level: Of the intervals, 0 to 1.
        notes: What must be known to read any of it.
    """

    schema_id: Literal["reviewscore.venue/1"] = Field(default="reviewscore.venue/1", alias="schema")
    reviewscore_version: str = __version__
    judge: str
    protocol: str = "paper"
    settings: str = ""
    runs: int = 1
    complete: bool = True
    measures: dict[str, str]
    titles: dict[str, str]
    panels: tuple[RatePanel, ...]
    at_least: int
    at_least_reviewers: int = REVIEWERS
    resamples: int
    seed: int
    level: float
    notes: tuple[str, ...] = ()

    @property
    def overall(self) -> GroupRates:
        """The venue as a whole."""
        return self.panels[0].cells[0]


@dataclass(frozen=True)
class Grouping:
    """A partition of reviews, such as by area.

    Attributes:
        name: Such as ``area``.
        title: Heading of its table.
        of: Group by review id; reviews that are not in it are `NO_GROUP`.
        order: Groups in the order to show them; those not in it come after, by name.
        notes: What must be known to read the table.
    """

    name: str
    title: str
    of: Mapping[str, str]
    order: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CellRows:
    """The reviews of a cell and what they add, before it is decided whether it is shown."""

    group: str
    rows: Ints
    kinds: tuple[int, ...]


def _verdicts(counts: OutcomeCounts) -> Ints:
    """Shape (reviews, types, outcomes); each point once, its further marks left out."""
    return counts.points[..., : len(VERDICTS)]


class _Counted:
    """Counts with reviewers, and what cells of them hold."""

    def __init__(
        self,
        counts: OutcomeCounts,
        reviewers: Reviewers | None,
        measures: Sequence[OutcomeMeasure],
    ) -> None:
        self.counts, self.measures = counts, measures
        of = {} if reviewers is None or reviewers.reason else reviewers.of
        self.reviewer_of = np.array([of.get(name, -1) for name in counts.reviews], dtype=np.int64)

    def people(self, rows: Ints) -> int | None:
        """Different reviewers with a name; None where nobody has one."""
        values = np.unique(self.reviewer_of[rows])
        return int((values >= 0).sum()) or None

    def size(self, rows: Ints) -> Size:
        """Reviews and people; of reviews without a name, papers stand for people."""
        nameless = rows[self.reviewer_of[rows] < 0]
        papers = len(np.unique(self.counts.paper_of[nameless]))
        return Size(len(rows), max(self.people(rows) or 0, papers))

    def by_paper(self, cell_rows: CellRows) -> Floats:
        """Points of a cell by paper and mark."""
        of_reviews = self.counts.points[cell_rows.rows][:, list(cell_rows.kinds)].sum(axis=1)
        table = np.zeros((len(self.counts.papers), of_reviews.shape[1]))
        np.add.at(table, self.counts.paper_of[cell_rows.rows], of_reviews)
        return table

    def cell(self, cell_rows: CellRows, estimates: dict[str, Estimate]) -> GroupRates:
        return GroupRates(
            group=cell_rows.group,
            points=int(_verdicts(self.counts)[cell_rows.rows][:, list(cell_rows.kinds)].sum()),
            reviews=len(cell_rows.rows),
            papers=len(np.unique(self.counts.paper_of[cell_rows.rows])),
            reviewers=self.people(cell_rows.rows),
            rates=estimates,
        )


def rates_of_venue(
    counts: OutcomeCounts,
    groupings: Sequence[Grouping] = (),
    *,
    reviewers: Reviewers | None = None,
    at_least: int = AT_LEAST,
    how: Resampling = PAPERS,
    measures: Sequence[OutcomeMeasure] = MEASURES,
) -> tuple[RatePanel, ...]:
    """The tables of a venue: overall, by type, and by each grouping.

    No table crosses two groupings, so that what is withheld in one cannot be had from another. A
    cell of fewer than `at_least` reviews, or of fewer different reviewers than
    `REVIEWERS`, is withheld, with others where that is needed to hide it.

    Args:
        counts: Points by review, type and outcome.
        groupings: Partitions of the reviews.
        reviewers: Who wrote which review; where that cannot be told, a cell must have as many
            different papers instead.
        at_least: Reviews that a cell must have to be shown.
        how: How intervals are made.
        measures: What is measured.
    """
    counted = _Counted(counts, reviewers, measures)
    everything = np.arange(len(counts.reviews))
    kinds = tuple(range(len(TYPES)))
    whole = CellRows("all points", everything, kinds)
    panels = [_panel(counted, OVERALL, "Overall", [whole], at_least, how, ())]
    if panels[0].cells[0].withheld:
        return tuple(panels)
    typed = [
        CellRows(f"{name}s", rows, (code,))
        for code, name in enumerate(TYPES[:-1])
        if len(rows := np.flatnonzero(counts.points[:, code].sum(axis=1)))
    ]
    untyped = int(_verdicts(counts)[:, -1].sum())
    failed = (f"{untyped:,} points failed before their type was known.",) if untyped else ()
    panels.append(_panel(counted, "type", "By type of point", typed, at_least, how, failed))
    for grouping in groupings:
        all_rows = [CellRows(name, rows, kinds) for name, rows in _groups(counts, grouping)]
        panels.append(
            _panel(counted, grouping.name, grouping.title, all_rows, at_least, how, grouping.notes)
        )
    return tuple(panels)


def with_rates(panels: Sequence[RatePanel], further: Sequence[RatePanel]) -> tuple[RatePanel, ...]:
    """Tables with the rates of other tables in their rows, where both show the row.

    Args:
        panels: The tables.
        further: Tables of some of the same reviews, whose withheld rows stay so.
    """
    others = {(panel.name, cell.group): cell.rates for panel in further for cell in panel.cells
              if cell.group != TOGETHER}  # fmt: skip

    def joined(name: str, cell: GroupRates) -> GroupRates:
        more = {} if cell.withheld else others.get((name, cell.group), {})
        return cell.model_copy(update={"rates": cell.rates | more})

    return tuple(
        panel.model_copy(update={"cells": tuple(joined(panel.name, cell) for cell in panel.cells)})
        for panel in panels
    )


def _groups(counts: OutcomeCounts, grouping: Grouping) -> list[tuple[str, Ints]]:
    names, group_of = np.unique(
        [grouping.of.get(review, NO_GROUP) for review in counts.reviews], return_inverse=True
    )
    place = {str(name): number for number, name in enumerate(names)}
    ordered = [name for name in grouping.order if name in place]
    ordered += sorted(place.keys() - {*ordered, NO_GROUP})
    ordered += [NO_GROUP] if NO_GROUP in place and NO_GROUP not in ordered else []
    return [(name, np.flatnonzero(group_of == place[name])) for name in ordered]


def _panel(
    counted: _Counted,
    name: str,
    title: str,
    all_rows: Sequence[CellRows],
    at_least: int,
    how: Resampling,
    notes: tuple[str, ...],
) -> RatePanel:
    hidden = suppressed_cells(
        [counted.size(all_row.rows) for all_row in all_rows],
        lambda places: counted.size(_union(all_rows, places)),
        at_least=at_least,
    )
    shown = [rows for place, rows in enumerate(all_rows) if place not in hidden]
    if len(hidden) > 1 and shown:
        kinds = {kind for place in hidden for kind in all_rows[place].kinds}
        shown.append(CellRows(TOGETHER, _union(all_rows, hidden), tuple(sorted(kinds))))
    tables = [counted.by_paper(cell_rows) for cell_rows in shown]
    estimates = rates(tables, how, counted.measures)
    cells = list(map(counted.cell, shown, estimates))
    together = [cells.pop()] if len(hidden) > 1 and shown else []
    cells += [GroupRates(group=all_rows[place].group, withheld=True) for place in sorted(hidden)]
    few = (f"Withheld: fewer than {at_least} reviews or {REVIEWERS} different reviewers, or the "
           "next smallest, so that none can be had by subtraction.",) if hidden else ()  # fmt: skip
    return RatePanel(name=name, title=title, cells=(*cells, *together), notes=(*notes, *few))


def _union(all_rows: Sequence[CellRows], places: frozenset[int]) -> Ints:
    return np.unique(np.concatenate([all_rows[place].rows for place in sorted(places)]))


def by_load(reviewers: Reviewers, *, given: bool) -> Grouping | None:
    """Reviews by how many reviews their author wrote; None where that cannot be told.

    Args:
        reviewers: Who wrote which review.
        given: Whether pseudonyms were given for this purpose.
    """
    if reviewers.reason:
        return None
    source = "a file given for it" if given else "the field `reviewer` of the reviews"
    notes = [
        "Load is the number of reviews of the venue that one reviewer wrote, those without points "
        f"too, by {source}. Intervals draw papers; that reviews by one person are alike is not in "
        "them."
    ]
    if reviewers.unnamed:
        notes.append(f"Reviews that name no reviewer stand under '{NO_GROUP}'.")
    of = {review: bucket for review in reviewers.of if (bucket := reviewers.bucket(review))}
    return Grouping("load", "By reviews that the reviewer wrote", of, BUCKETS, tuple(notes))


def notes_on(
    counts: OutcomeCounts, panels: Sequence[RatePanel], how: Resampling, at_least: int
) -> list[str]:
    """How the rates came about, and what limits them."""
    papers = len(counts.papers)
    notes = [
        f"In brackets: {how.percent} BCa bootstrap intervals of {how.resamples:,} samples of "
        f"papers, each with all its points; seed {how.seed}. Where samples do not vary, as where "
        "every point or none is a hit, Wilson's interval with one observation per paper.",
        f"A row has at least {at_least} reviews by {REVIEWERS} different reviewers (or, where "
        f"reviewers cannot be told apart, of {REVIEWERS} papers). Reports of two sets of runs that "
        "differ in a few reviews can be subtracted from each other: publish one.",
    ]
    rows = sum(not cell.withheld for panel in panels for cell in panel.cells)
    if rows > 5:  # noqa: PLR2004 - as many as most tables of types have
        notes.append(
            f"{rows} rows are shown, each with intervals of its own: of {rows} intervals, "
            f"{rows * (1 - how.level):.1f} on average miss the true value by chance alone. "
            "Rows may differ for reasons other than the reviews."
        )
    if papers < FEW_PAPERS:
        few = "Only 1 paper" if papers == 1 else f"Only {papers} papers"
        notes.append(f"{few}: the intervals say little of other papers.")
    if counts.no_points:
        notes.append(f"In no count: {counts.no_points:,} that are no review points (kind none).")
    if counts.repeated:
        notes.append(f"{counts.repeated:,} points were in two runs, word for word; counted once.")
    return notes
