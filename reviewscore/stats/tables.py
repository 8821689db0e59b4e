"""Tables of estimates as Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TypeAlias

from reviewscore.printable import printable
from reviewscore.stats.estimates import Estimate, PendingEstimate

Cell: TypeAlias = PendingEstimate | str | int | None

_TELL_FROM = 0.01
"""Share of resamples without a value from which it is said."""
_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029]+")
"""Line breaks of all kinds, and tabs."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SMALLEST = 0.0005
"""Below it a p-value would be printed as 0.000, which none is."""
_NO_LABEL = re.compile(r"[^A-Za-z0-9_.:-]+")
"""What a LaTeX label is better without: names of systems, which may be anything, are in it."""
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: Name of its files, such as ``agreement-by-type``.
        title: One line above it, with the table of the ReviewScore paper it follows.
        columns: Headings; the first ones, `keys` of them, name a row.
        rows: Cells; a slot stands for its estimate, None for nothing to say.
        keys: How many columns name a row.
        share: Whether values are shares, shown as percentages.
        notes: What must be known to read it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1
    share: bool = False
    notes: tuple[str, ...] = field(default=())


def markdown(table: Table) -> str:
    """The table with its title, its notes and why cells are empty, as Markdown."""
    from tabulate import tabulate

    marks = _Marks()
    rows = [[escaped(_words(cell, table, marks)) for cell in row] for row in table.rows]
    body = tabulate(rows, [escaped(name) for name in table.columns], tablefmt="github",
                    disable_numparse=True)  # fmt: skip
    notes = [*table.notes, *marks.lines()]
    return "\n\n".join([f"## {escaped(table.title)}", body, *map(escaped, notes)]) + "\n"


def latex(table: Table) -> str:
    """The table as a LaTeX ``table`` with booktabs rules."""
    from tabulate import tabulate

    marks = _Marks()
    rows = [[_tex(_words(cell, table, marks)) for cell in row] for row in table.rows]
    body = tabulate(rows, [_tex(name) for name in table.columns], tablefmt="latex_raw",
                    disable_numparse=True)  # fmt: skip
    for rule in ("\\toprule", "\\midrule"):
        body = body.replace("\\hline", rule, 1)
    body = body.replace("\\hline", "\\bottomrule")
    notes = " ".join(map(_tex, [*table.notes, *marks.lines()]))
    return (
        "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n"
        f"\\caption{{{_tex(table.title)}. {notes}}}\n"
        f"\\label{{tab:{_NO_LABEL.sub('-', table.name)}}}\n"
        f"{body}\n\\end{{table}}\n"
    )


_ESTIMATE_COLUMNS = ("coefficient", "value", "low", "high", "n", "dropped", "reason",
                     "undefined_resamples", "p", "interval")  # fmt: skip


def as_csv(table: Table) -> str:
    """One line for each estimate, with unrounded numbers; tables without any are kept as shown."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if not any(isinstance(cell, PendingEstimate) for row in table.rows for cell in row):
        writer.writerow(table.columns)
        writer.writerows([guarded(_unrounded(cell)) for cell in row] for row in table.rows)
        return out.getvalue()
    writer.writerow([*table.columns[: table.keys], "column", *_ESTIMATE_COLUMNS])
    for row in table.rows:
        names = [guarded(_plain(cell)) for cell in row[: table.keys]]
        for heading, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True):
            if isinstance(cell, PendingEstimate):
                writer.writerow([*names, guarded(heading), *_fields(cell.answer)])
            elif cell is not None:
                writer.writerow([*names, guarded(heading), *_said(cell)])
    return out.getvalue()


def records(table: Table) -> list[dict[str, object]]:
    """Rows by heading, with estimates in full; a heading that comes again gets a number."""
    headings: list[str] = []
    for name in table.columns:
        numbered = chain([name], (f"{name} ({number})" for number in count(2)))
        headings.append(next(one for one in numbered if one not in headings))
    return [
        {
            heading: cell.answer.model_dump(mode="json")
            if isinstance(cell, PendingEstimate)
            else cell
            for heading, cell in zip(headings, row, strict=True)
        }
        for row in table.rows
    ]


def shown(estimate: Estimate, *, share: bool = False) -> str:
    """A value with its interval, as tables print it."""
    if estimate.value is None:
        return "–"
    words = _number(estimate.value, share)
    if estimate.low is not None and estimate.high is not None:
        words += f" [{_number(estimate.low, share)}, {_number(estimate.high, share)}]"
    if estimate.p is not None:
        words += f" {chance(estimate.p)}"
    return words


def chance(p: float) -> str:
    """A p-value as it is printed: small, but never 0."""
    return "p<0.001" if p < _SMALLEST else f"p={p:.3f}"


def _number(value: float, share: bool) -> str:
    return (f"{100 * value:.1f}" if share else f"{value:.3f}").replace("-", "−")


class _Marks:
    """Footnotes of one table: the same reason gets the same letter."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def of(self, reason: str) -> str:
        if reason not in self._letters:
            self._letters[reason] = chr(ord("a") + len(self._letters))
        return self._letters[reason]

    def lines(self) -> list[str]:
        return [f"({letter}) {reason}." for reason, letter in self._letters.items()]


def _words(cell: Cell, table: Table, marks: _Marks) -> str:
    if not isinstance(cell, PendingEstimate):
        return _plain(cell)
    estimate = cell.answer
    words = shown(estimate, share=table.share)
    return f"{words} ({marks.of(estimate.reason)})" if estimate.reason else words


def _plain(cell: Cell) -> str:
    if isinstance(cell, PendingEstimate):
        return shown(cell.answer)
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell


def _unrounded(cell: Cell) -> str:
    return str(cell) if isinstance(cell, int) else _plain(cell)


def _said(cell: Cell) -> list[str]:
    """A count or a number as the value; words, such as "no scores", as the reason."""
    words = _unrounded(cell)
    number = _NUMBER.fullmatch(words)
    value, reason = (words, "") if number else ("", words)
    return ["", value, *[""] * 4, reason, *[""] * 3]


def _fields(estimate: Estimate) -> list[object]:
    dropped = "; ".join(f"{count} {name}" for name, count in estimate.dropped.items())
    return [
        estimate.coefficient, estimate.value, estimate.low, estimate.high, estimate.n, dropped,
        estimate.reason, estimate.undefined, estimate.p, estimate.method,
    ]  # fmt: skip


_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; a negative number is none."""
    risky = text[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{text}" if risky and not _NUMBER.fullmatch(text) else text


def on_one_line(text: str) -> str:
    """Words without line breaks; what a terminal would obey is shown as its escape."""
    return printable(_BREAKS.sub(" ", text))


def escaped(text: str) -> str:
    """Words on one line of Markdown that are no markup, no cell and no command."""
    text = on_one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return _TAG.sub("&lt;", text)


def _tex(text: str) -> str:
    text = on_one_line(text)
    if text[:1] in ("[", "*"):  # at the head of a row, an argument of the line before
        return f"{{{text[0]}}}{_tex(text[1:])}"
    return text.translate(_LATEX).replace("−", "$-$").replace("–", "--")


def counted(table: Table) -> list[str]:
    """For each row, how many units each of its estimates rests on."""
    lines = []
    for row in table.rows:
        columns: dict[int, list[str]] = {}
        for heading, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True):
            if isinstance(cell, PendingEstimate):
                columns.setdefault(cell.answer.n, []).append(heading)
        name = ", ".join(_plain(cell) for cell in row[: table.keys])
        if len(columns) == 1:
            lines.append(f"{name}: n = {next(iter(columns)):,}")
        elif columns:
            parts = (f"{n:,} ({', '.join(headings)})" for n, headings in columns.items())
            lines.append(f"{name}: n = {', '.join(parts)}")
    return lines


def unsteady(table: Table) -> list[str]:
    """Estimates that many resamples leave without a value, so that their interval is too narrow."""
    return [
        f"{', '.join(_plain(one) for one in row[: table.keys])}, {heading}: "
        f"without a value in {cell.answer.undefined:.0%} of the resamples"
        for row in table.rows
        for heading, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, PendingEstimate)
        and cell.answer.value is not None
        and cell.answer.undefined >= _TELL_FROM
    ]


def left_out(table: Table) -> list[str]:
    """For each row, which units did not count and why; equal lines once."""
    lines: dict[str, None] = {}
    for row in table.rows:
        name = ", ".join(_plain(cell) for cell in row[: table.keys])
        for heading, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True):
            if isinstance(cell, PendingEstimate) and cell.answer.dropped:
                one = cell.answer
                parts = ", ".join(f"{count:,} {why}" for why, count in one.dropped.items())
                total = sum(one.dropped.values())
                lines[
                    f"{name}, {heading}: {total:,} of {one.n + total:,} units left out ({parts})"
                ] = None
    return list(lines)
