"""A page of tables whose cells are estimates with intervals, as Markdown or as one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from reviewscore import __version__
from reviewscore.pages.environment import own_environment, render
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.tables import (
    Cell,
    Kind,
    Table,
    ends,
    escaped,
    estimate_of,
    number,
    undefined,
    value,
)
from reviewscore.stats.tables import markdown as table_markdown
from reviewscore.stats.writing import points, sections, write_files

_SPAN = 0.1


@dataclass(frozen=True)
class BarPart:
    """A box of a stacked bar.

    Attributes:
        colour: Name of its colour in the style.
        left: Its left edge, in percent of the bar.
        width: Its width, likewise.
        words: What it stands for.
    """

    colour: str
    left: float
    width: float
    words: str


def stacked(shares: Iterable[tuple[str, float, str]]) -> tuple[BarPart, ...]:
    """Boxes side by side; of each its colour, its share (0..1) and what it stands for."""
    parts, left = [], 0.0
    for colour, share, words in shares:
        parts.append(BarPart(colour, round(left, 2), round(100 * share, 2), words))
        left += 100 * share
    return tuple(parts)


@dataclass(frozen=True)
class IntervalBar:
    """An interval drawn on the scale of its column: places from 0 to 100.

    Attributes:
        left: Its lower end.
        width: Its width.
        at: The value.
        zero: What it is held against: a mark, or nought where it lies within the scale.
    """

    left: float
    width: float
    at: float
    zero: float | None


@dataclass(frozen=True)
class Drawn:
    """An estimate as a page shows it.

    Attributes:
        value: The value in words, with its unit.
        ends: The interval in words; empty if there is none.
        beside: What it rests on, and why there is no value or no interval.
        bar: Its interval drawn.
    """

    value: str
    ends: str
    beside: str
    bar: IntervalBar | None

    @classmethod
    def of(
        cls, estimate: Estimate, kind: Kind, scale: tuple[float, float], mark: float | None = None
    ) -> Drawn:
        """Draw an estimate of a column on the column's scale, with a mark to hold it against."""
        beside = "; ".join(
            filter(None, [f"n = {estimate.n:,}", estimate.reason, undefined(estimate)])
        )
        return cls(value(estimate, kind), ends(estimate, kind), beside, _bar(estimate, scale, mark))


def drawn(
    table: Table, shares: tuple[float, float] | None = None
) -> tuple[tuple[Drawn | str | int | None, ...], ...]:
    """The rows of a table, with each column's intervals drawn on one scale.

    Args:
        table: The table.
        shares: The scale of all shares of the page, so that lengths compare across columns and
            tables (see `FigurePage.shares`); None for a scale for each column.
    """
    scales = [
        shares
        if shares is not None and table.kind_of(at) == "share"
        else _scale((row[at] for row in table.rows), table.kind_of(at))
        for at in range(len(table.columns))
    ]

    def cell(at: int, cell: Cell) -> Drawn | str | int | None:
        if isinstance(cell, str | int | None):
            return cell
        estimate = estimate_of(cell)
        return None if estimate is None else Drawn.of(estimate, table.kind_of(at), scales[at])

    return tuple(tuple(cell(at, one) for at, one in enumerate(row)) for row in table.rows)


@dataclass(frozen=True)
class IntervalPlot:
    """Intervals drawn below each other on one scale; the tables hold their numbers.

    Attributes:
        table: What is drawn: estimates of one kind, or a name alone in a row for those below it.
        marks: Where an estimate of each row would lie by what is expected of it; empty for none.
    """

    table: Table
    marks: tuple[float | None, ...] = ()

    @property
    def scale(self) -> tuple[float, float]:
        """From 0 to 1 for shares; of differences as far to both sides as the longest interval."""
        if self.table.kind_of(1) == "share":
            return 0.0, 1.0
        far = max(map(abs, _scale((cell for row in self.table.rows for cell in row), "share")))
        return -far, far

    @property
    def ends(self) -> tuple[str, str, str]:
        """The least, the middle and the greatest of the scale in words."""
        low, high = self.scale
        kind = self.table.kind_of(1)
        sign = " %" if kind == "share" else ""
        left, middle, right = (
            f"{number(end, kind).removesuffix('.0')}{sign}" for end in (low, (low + high) / 2, high)
        )
        return left, middle, right

    @property
    def rows(self) -> Iterator[tuple[str, tuple[Drawn | None, ...]]]:
        """Name and intervals of each row; a name alone has none."""
        marks = self.marks or (None,) * len(self.table.rows)
        for (name, *cells), mark in zip(self.table.rows, marks, strict=True):
            found = [estimate_of(cell) for cell in cells]
            yield (
                str(name),
                tuple(
                    None if one is None else Drawn.of(one, self.table.kind_of(1), self.scale, mark)
                    for one in found
                ),
            )


@dataclass(frozen=True)
class FigurePage:
    """A page.

    Attributes:
        title: Its heading.
        eyebrow: A line above it.
        lead: What it is.
        banners: What a reader must know before any number.
        tables: Its tables.
        foot: How to read it, as a list.
        pictures: What stands before the tables and shows their numbers at a glance.
    """

    title: str
    eyebrow: str
    lead: str
    banners: tuple[str, ...]
    tables: tuple[Table, ...]
    foot: tuple[str, ...]
    pictures: tuple[IntervalPlot, ...] = ()

    @property
    def shares(self) -> tuple[float, float]:
        """The least and the greatest that bars of shares show, the same in all tables."""
        cells = (
            cell
            for table in self.tables
            for row in table.rows
            for at, cell in enumerate(row)
            if table.kind_of(at) == "share"
        )
        return _scale(cells, "share")


def markdown(page: FigurePage) -> str:
    """The page as Markdown; foreign text has nothing in it that Markdown could act on."""
    above = [escaped(page.lead), *(f"> {escaped(banner)}" for banner in page.banners)]
    return sections(
        page.title,
        "\n".join(f"{line}\n" for line in above),
        *map(table_markdown, page.tables),
        f"## How to read this\n\n{points(page.foot)}",
    )


def write_pages(
    page: FigurePage,
    record: BaseModel,
    out: Path,
    *,
    verb: str,
    csv: str,
    allow_foreign: bool = False,
) -> list[Path]:
    """Write a page as HTML and Markdown, its numbers as CSV and JSON, into a folder.

    Args:
        page: The page.
        record: All its numbers.
        out: The folder.
        verb: The command, which names the files.
        csv: The numbers as rows.
        allow_foreign: Write beside other things too.

    Returns:
        The files written, the page to read first.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
        StopError: The disk is full.
    """
    numbers = record.model_dump_json(indent=1) + "\n"
    made = {"html": html(page), "md": markdown(page), "csv": csv, "json": numbers}
    texts = {f"{verb}.{ending}": text for ending, text in made.items()}
    return write_files(texts, out, verb=verb, allow_foreign=allow_foreign)


def html(page: FigurePage) -> str:
    """The page as one HTML file that needs no network."""
    template = own_environment().get_template("figures.html")
    return render(template, page=page, drawn=drawn, version=__version__)


def _scale(cells: Iterable[Cell], kind: Kind) -> tuple[float, float]:
    """The least and the greatest that bars show; 0 is always on it.

    Shares span ten points at least, so that a narrow interval near 0 looks like one.
    """
    reach = [0.0]
    for cell in cells:
        if (estimate := estimate_of(cell)) is not None:
            reach += [_SPAN] if kind == "share" else []
            reach += [
                end for end in (estimate.value, estimate.low, estimate.high) if end is not None
            ]
    low, high = min(reach), max(reach)
    return (low, high) if high > low else (low, low + 1.0)


def _bar(
    estimate: Estimate, scale: tuple[float, float], mark: float | None = None
) -> IntervalBar | None:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    low, high = scale

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    left = place(estimate.low)
    zero = place(0.0) if low < 0 else None if mark is None else place(mark)
    return IntervalBar(left, round(place(estimate.high) - left, 2), place(estimate.value), zero)
