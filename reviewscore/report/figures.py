"""A page of tables whose cells are estimates with intervals, as Markdown or as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reviewscore import __version__
from reviewscore.report.html import page_environment
from reviewscore.report.markdown import escaped
from reviewscore.stats.estimates import Estimate

_SPAN = 0.1
Kind: TypeAlias = Literal["share", "difference", "coefficient"]


@dataclass(frozen=True)
class Bar:
    """An interval drawn on the scale of its column: places from 0 to 100."""

    left: float
    width: float
    at: float
    zero: float | None


@dataclass(frozen=True)
class Figure:
    """An estimate as a cell.

    Attributes:
        estimate: Value, interval, n.
        kind: ``share`` (shown in percent), ``difference`` of shares (in percentage points, with a
            sign) or ``coefficient`` (as it is).
        bar: Its interval drawn; None until it has a column.
    """

    estimate: Estimate
    kind: Kind
    bar: Bar | None = None

    @property
    def value(self) -> str:
        """The value in words."""
        one = self.estimate.value
        if one is None:
            return "–"
        unit = {"share": " %", "difference": " points", "coefficient": ""}[self.kind]
        return self._number(one) + unit

    @property
    def ends(self) -> str:
        """The interval in words; empty if there is none."""
        low, high = self.estimate.low, self.estimate.high
        if self.estimate.value is None or low is None or high is None:
            return ""
        return f"[{self._number(low)}, {self._number(high)}]"

    @property
    def beside(self) -> str:
        """What it rests on, and why there is no value or no interval."""
        return f"n = {self.estimate.n:,}" + (
            f"; {self.estimate.reason}" if self.estimate.reason else ""
        )

    def _number(self, value: float) -> str:
        if self.kind == "coefficient":
            text = f"{value:.3f}"
        elif self.kind == "share":
            text = f"{100 * value:.1f}"
        else:
            text = f"{100 * value:+.1f}"
        if not text.strip("+-0."):
            text = text.strip("+-")  # what is rounded to nought has no sign
        return text.replace("-", "−")


Cell: TypeAlias = Figure | str | int | None


@dataclass(frozen=True)
class FigureTable:
    """One table.

    Attributes:
        heading: Its heading.
        columns: Names of columns; the first one names a row.
        rows: Cells; None is nothing to say.
        lead: A paragraph above it.
        notes: Lines below it.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lead: str = ""
    notes: tuple[str, ...] = ()

    @property
    def drawn(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, with each column's intervals drawn on one scale."""
        scales = [_scale([row[place] for row in self.rows]) for place in range(len(self.columns))]
        return tuple(
            tuple(
                replace(cell, bar=_bar(cell.estimate, scale)) if isinstance(cell, Figure) else cell
                for cell, scale in zip(row, scales, strict=True)
            )
            for row in self.rows
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
    """

    title: str
    eyebrow: str
    lead: str
    banners: tuple[str, ...]
    tables: tuple[FigureTable, ...]
    foot: tuple[str, ...]


def markdown(page: FigurePage) -> str:
    """The page as Markdown; foreign text has nothing in it that Markdown could act on."""
    parts = [f"# {escaped(page.title)}", escaped(page.lead)]
    parts += [f"> {escaped(one)}" for one in page.banners]
    for table in page.tables:
        parts.append(f"## {escaped(table.heading)}")
        parts += [escaped(table.lead)] if table.lead else []
        lines = [" | ".join(map(escaped, table.columns)), " | ".join("---" for _ in table.columns)]
        lines += [" | ".join(_marked(cell) for cell in row) for row in table.rows]
        parts.append("\n".join(f"| {line} |" for line in lines))
        parts += ["\n".join(f"- {escaped(one)}" for one in table.notes)] if table.notes else []
    parts += ["## How to read this", "\n".join(f"- {escaped(one)}" for one in page.foot)]
    return "\n\n".join(parts) + "\n"


def html(page: FigurePage) -> str:
    """The page as one HTML file that needs no network."""
    template = page_environment().get_template("figures.html")
    return template.render({"page": page, "version": __version__})


def _marked(cell: Cell) -> str:
    """A cell in Markdown; our own figures have nothing that needs a backslash."""
    if isinstance(cell, Figure):
        return " ".join(filter(None, [cell.value, cell.ends, f"({escaped(cell.beside)})"]))
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else escaped(cell)


def _scale(cells: Sequence[Cell]) -> tuple[float, float]:
    """The least and the greatest that a column's bars show; 0 is always on it.

    Shares span ten points at least, so that a narrow interval near 0 looks like one.
    """
    ends = [0.0]
    for cell in cells:
        if isinstance(cell, Figure):
            one = cell.estimate
            ends += [_SPAN] if cell.kind == "share" else []
            ends += [end for end in (one.value, one.low, one.high) if end is not None]
    low, high = min(ends), max(ends)
    return (low, high) if high > low else (low, low + 1.0)


def _bar(one: Estimate, scale: tuple[float, float]) -> Bar | None:
    if one.value is None or one.low is None or one.high is None:
        return None
    low, high = scale

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    left = place(one.low)
    zero = place(0.0) if low < 0 else None
    return Bar(left, round(place(one.high) - left, 2), place(one.value), zero)
