"""The rates of a venue as a page, as tidy rows and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reviewscore.pages.figures import FigurePage, write_pages
from reviewscore.stats.resampling import percent
from reviewscore.stats.tables import Cell, Table, csv_text
from reviewscore.venue.outcomes import sources
from reviewscore.venue.panels import GroupRates, RatePanel, Venue

COLUMNS = {
    "table": "overall, type, area, load, rating or confidence.",
    "group": "Row of that table.",
    "measure": "Which share; empty where the row is withheld.",
    "value": "The share, 0 to 1; empty if it is not known, or withheld.",
    "low": "Lower end of its interval.",
    "high": "Upper end.",
    "n": "Points among which it was counted.",
    "method": "How the interval was made: bca, percentile or wilson.",
    "reason": "Why there is no value or no interval; withheld.",
    "points": "Points of the row, of all outcomes.",
    "reviews": "Reviews of the row that have points.",
    "papers": "Papers of the row.",
    "reviewers": "Different reviewers of the row; empty where they cannot be told apart.",
}
"""Columns of ``venue.csv``; one line for each measure of each row."""


def write_venue(venue: Venue, out: Path, *, allow_foreign: bool = False) -> list[Path]:
    """Write everything into a folder.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        StopError: The disk is full.
    """
    return write_pages(venue_page(venue), venue, out, verb="venue", csv=tidy(venue),
                       allow_foreign=allow_foreign)  # fmt: skip


def tidy(venue: Venue) -> str:
    """The rates as CSV, unrounded, with the columns of `COLUMNS`."""
    rows = (row for panel in venue.panels for cell in panel.cells for row in _rows(panel, cell))
    return csv_text(COLUMNS, rows)


def _rows(panel: RatePanel, cell: GroupRates) -> Iterator[list[object]]:
    if cell.withheld:
        yield [panel.name, cell.group, *[None] * 6, "withheld", *[None] * 4]
    size = [cell.points, cell.reviews, cell.papers, cell.reviewers]
    for measure, one in cell.rates.items():
        yield [panel.name, cell.group, measure, one.value, one.low, one.high, one.n, one.method,
               one.reason, *size]  # fmt: skip


def venue_page(venue: Venue) -> FigurePage:
    """The rates as a page for chairs."""
    whole = venue.overall
    size = "Too few reviews to show anything"
    if not whole.withheld:
        size = f"{whole.points:,} points of {whole.reviews:,} reviews of {whole.papers:,} papers"
    runs = "one run" if venue.runs == 1 else f"{venue.runs} runs"
    return FigurePage(
        title="Review points of a venue",
        eyebrow=f"reviewscore {venue.reviewscore_version}",
        lead=f"{size}, judged by {venue.judge} (protocol {venue.protocol}), from {runs}. Nobody "
        "is named: no reviewer, no paper.",
        banners=tuple(_banners(venue)),
        tables=tuple(_table(venue, panel) for panel in venue.panels),
        foot=tuple(_foot(venue)),
    )


def _banners(venue: Venue) -> Iterator[str]:
    if not venue.complete:
        yield "A run is not complete, or judged a selection: rates stand for what was judged."
    if venue.overall.withheld:
        yield (
            f"The runs hold fewer than {venue.at_least} reviews or {venue.at_least_reviewers} "
            "reviewers (or papers, where reviewers cannot be told apart): everything is withheld."
        )


def _table(venue: Venue, panel: RatePanel) -> Table:
    with_people = any(cell.reviewers is not None for cell in panel.cells)
    head = ("", "Points", "Reviews", "Papers", *(("Reviewers",) if with_people else ()))
    rows: list[tuple[Cell, ...]] = []
    for cell in panel.cells:
        people = (cell.reviewers,) if with_people else ()
        numbers: tuple[Cell, ...] = (cell.points, cell.reviews, cell.papers, *people)
        if cell.withheld:
            numbers = ("withheld", *[None] * (len(numbers) - 1))
        rows.append((cell.group, *numbers, *(cell.rates.get(name) for name in venue.titles)))
    columns = (*head, *venue.titles.values())
    return Table(panel.name, panel.title, columns, tuple(rows), kind="share", notes=panel.notes)


def _foot(venue: Venue) -> Iterator[str]:
    yield "Scores judge statements, not people; nothing here ranks reviewers, areas or papers."
    for name, meaning in venue.measures.items():
        yield f"{venue.titles[name]}: {meaning}."
    yield (
        "A rate is what this judge says of these reviews. Judges flag more, or other, points "
        "than people do: state the judge with the rate, and measure it with `reviewscore agree`"
        " on labels of your own before you act on it."
    )
    yield "Unknown is not 'no': nothing was decided. Many unknown put the rest in doubt."
    yield from venue.notes
    yield (
        f"Cite: reviewscore {venue.reviewscore_version}, judge {venue.judge}, settings "
        f"{venue.settings[:16]}, {percent(venue.level)} intervals of {venue.resamples:,} resamples "
        f"of papers, seed {venue.seed}.{sources(venue.protocol)}"
    )
