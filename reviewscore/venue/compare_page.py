"""The drift between two runs as a page, as tidy rows and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reviewscore.files import write_whole
from reviewscore.pages.figures import FigurePage, write_pages
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import percent
from reviewscore.stats.tables import Cell, Kind, Table, csv_text
from reviewscore.venue.compare import SHEET, ComparedRuns, Comparison, Side
from reviewscore.venue.drift import Cross, DriftSection
from reviewscore.venue.outcomes import sources

SHEET_FILE = "points.csv"
_NAMED = 5
COLUMNS = ("table", "group", "column", "kind", "value", "low", "high", "n", "method", "reason")
"""Columns of ``compare.csv``: a line for each estimate, unrounded; shares lie between 0 and 1."""


def write_comparison(
    compared: ComparedRuns, out: Path, *, allow_foreign: bool = False
) -> list[Path]:
    """Write everything into a folder; ``points.csv`` only where points were asked for.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        StopError: The disk is full.
    """
    found = compared.found
    written = write_pages(comparison_page(found), found, out, verb="compare", csv=tidy(found),
                          allow_foreign=allow_foreign)  # fmt: skip
    sheet = out / SHEET_FILE
    if not compared.sheet:
        sheet.unlink(missing_ok=True)  # of an earlier comparison
        return written
    write_whole(sheet, csv_text(SHEET, ([row[name] for name in SHEET] for row in compared.sheet)))
    return [*written, sheet]


def tidy(found: Comparison) -> str:
    """All estimates as CSV, with the columns of `COLUMNS`."""
    return csv_text(COLUMNS, _rows(found))


def _rows(found: Comparison) -> Iterator[list[object]]:
    def numbers(one: Estimate) -> list[object]:
        return [one.value, one.low, one.high, one.n, one.method, one.reason]

    for side, run in (("first", found.first), ("second", found.second)):
        for name, one in run.rates.items():
            yield [f"run-{side}", "all points", name, "share", *numbers(one)]
    for section in found.sections:
        for line in section.lines:
            for name, one in line.estimates.items():
                yield [section.name, line.group, name, section.kinds[name], *numbers(one)]


def comparison_page(found: Comparison) -> FigurePage:
    """The drift as a page for researchers and chairs."""
    return FigurePage(
        title="Two runs on the same points" if found.paired else "Two runs on two sets of papers",
        eyebrow=f"reviewscore {found.reviewscore_version}",
        lead=f"First run: {_who(found.first)}. Second run: {_who(found.second)}. {_why(found)}",
        banners=tuple(_banners(found)),
        tables=(
            _own(found),
            *(_table(section) for section in found.sections),
            *(_cross(one) for one in found.crosses),
            _made(found),
        ),
        foot=tuple(_foot(found)),
    )


def _who(side: Side) -> str:
    made = f"protocol {side.protocol}, reviewscore {side.reviewscore_version}"
    return f"{side.name}, judged by {side.judge} ({made})"


def _why(found: Comparison) -> str:
    return f"{found.why[:1].upper()}{found.why[1:]}."


def _banners(found: Comparison) -> Iterator[str]:
    if found.made_otherwise:
        names = ", ".join(one.name for one in found.made_otherwise[:_NAMED])
        more = ", ..." if len(found.made_otherwise) > _NAMED else ""
        yield (
            f"The runs were made otherwise ({names}{more}; listed below): that may explain any "
            "difference."
        )
    if not found.paired and not found.made_otherwise:
        yield (
            "Judge, settings and prompts are the same; reviews, papers and forms are not. A "
            "difference may be of reviewers, of papers, or of what the form asks for."
        )
    for side in (found.first, found.second):
        if not side.complete:
            yield f"{side.name} is not complete, or judged a selection."


def _own(found: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (side.name, side.points, side.reviews, side.papers,
         *(side.rates[name] for name in found.titles))
        for side in (found.first, found.second)
    ]  # fmt: skip
    columns = ("Run", "Points", "Reviews", "Papers", *found.titles.values())
    lead = "All of its points."
    if found.first.protocol != found.second.protocol:
        lead = "Of the points that both have: a flag of one protocol is not what it is of another."
    return Table("runs", "Each run by itself", columns, tuple(rows), kind="share", lead=lead)


def _table(section: DriftSection) -> Table:
    rows = tuple(
        (line.group, *(line.estimates.get(name) for name in section.columns))
        for line in section.lines
    )
    kinds: tuple[Kind, ...] = ("share", *(section.kinds[name] for name in section.columns))
    columns = ("", *section.columns.values())
    return Table(section.name, section.title, columns, rows, kind=kinds, notes=section.notes)


def _cross(one: Cross) -> Table:
    """The table without values that neither run has."""
    used = [
        place
        for place in range(len(one.values))
        if any(one.counts[place]) or any(row[place] for row in one.counts)
    ]
    rows: list[tuple[Cell, ...]] = [
        (one.values[row], *(one.counts[row][column] for column in used)) for row in used
    ]
    columns = ("First run", *(f"second: {one.values[column]}" for column in used))
    return Table(
        one.name, one.title, columns, tuple(rows), lead="Points; rows are the first run's values."
    )


def _made(found: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (one.name, _value(one.before), _value(one.now)) for one in found.made_otherwise
    ]
    if not rows:
        rows = [("nothing", None, None)]
    note = "The input files differ." if found.inputs_differ else "The input files are the same."
    return Table(
        "settings",
        "How the runs were made otherwise",
        ("Setting", "First run", "Second run"),
        tuple(rows),
        notes=(note,),
    )


def _value(value: object) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) < 64 else f"{text[:16]}…"  # noqa: PLR2004 - a sum is 64 long


def _foot(found: Comparison) -> Iterator[str]:
    yield "Scores judge statements, not people."
    yield (
        "A difference is the second run's value less the first one's, in percentage points. Its "
        "interval is what counts: where it holds 0, these runs show no drift, which is not "
        "to say that there is none."
    )
    yield from found.notes
    yield (
        f"Cite: reviewscore {found.reviewscore_version}, settings {found.first.settings[:16]} and "
        f"{found.second.settings[:16]}, {percent(found.level)} intervals of {found.resamples:,} "
        f"resamples of papers, seed {found.seed}."
        f"{sources(found.first.protocol, found.second.protocol)}"
    )
