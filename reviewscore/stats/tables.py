"""Tables of estimates: one `Table`, written as Markdown, CSV, LaTeX, records or a data frame."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Literal, TypeAlias

from reviewscore.printable import markdown_escaped, on_one_line
from reviewscore.stats.estimates import Estimate, PendingEstimate

if TYPE_CHECKING:
    from pandas import DataFrame

Cell: TypeAlias = PendingEstimate | Estimate | str | int | None
Kind: TypeAlias = Literal["coefficient", "percent", "share", "difference"]
"""How numbers are printed: ``coefficient`` as they are, ``percent`` as percentages without a sign
of it, ``share`` with one, ``difference`` of shares in percentage points with plus or minus."""

_SAID_FROM = 0.01
"""Share of resamples without a value from which it is said."""
_SMALLEST = 0.0005
"""Below it a p-value would be printed as 0.000, which none is."""
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")
_NO_LABEL = re.compile(r"[^A-Za-z0-9_.:-]+")
"""What a LaTeX label is better without: names of systems, which may be anything, are in it."""
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "−": "$-$", "–": "--",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: Name of its files, such as ``agreement-by-type``.
        title: One line above it, with the table of the paper that it follows.
        columns: Headings; the first ones, `keys` of them, name a row.
        rows: Cells; None for nothing to say.
        keys: How many columns name a row.
        kind: How numbers are printed, of the whole table or of each column.
        lead: A paragraph above it.
        notes: What must be known to read it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1
    kind: Kind | tuple[Kind, ...] = "coefficient"
    lead: str = ""
    notes: tuple[str, ...] = ()

    def kind_of(self, column: int) -> Kind:
        """How numbers of a column are printed."""
        return self.kind if isinstance(self.kind, str) else self.kind[column]

    def body(self) -> Iterator[tuple[list[str], str, Cell]]:
        """Names of the row, heading and content of each cell that names no row, row by row."""
        for row in self.rows:
            names = [_plain(cell) for cell in row[: self.keys]]
            for heading, cell in zip(self.columns[self.keys :], row[self.keys :], strict=True):
                yield names, heading, cell

    def estimates(self) -> Iterator[tuple[list[str], str, Estimate]]:
        """Names of the row, heading and estimate of each cell that has one, row by row."""
        for names, heading, cell in self.body():
            if (one := estimate_of(cell)) is not None:
                yield names, heading, one


def estimate_of(cell: Cell) -> Estimate | None:
    """The estimate in a cell; None if it holds something else."""
    if isinstance(cell, PendingEstimate):
        return cell.answer
    return cell if isinstance(cell, Estimate) else None


def markdown(table: Table) -> str:
    """The table with its title and all that must be said below it, as Markdown.

    Foreign text has nothing in it that Markdown could act on.
    """
    from tabulate import tabulate

    notes = _Footnotes()
    rows = [
        [_marked(cell, table.kind_of(at), notes) for at, cell in enumerate(row)]
        for row in table.rows
    ]
    headings = [escaped(name) for name in table.columns]
    body = tabulate(rows, headings, tablefmt="github", disable_numparse=True)
    above = [f"## {escaped(table.title)}", *map(escaped, filter(None, [table.lead]))]
    below = list(map(escaped, [*table.notes, *notes.lines()]))
    facts = "\n".join(f"- {escaped(line)}" for line in basis(table))
    return "\n\n".join([*above, body, *below, *([facts] if facts else [])]) + "\n"


def latex(table: Table) -> str:
    """The table as a LaTeX ``table`` with booktabs rules."""
    from tabulate import tabulate

    notes = _Footnotes()
    rows = [
        [_tex(_words(cell, table.kind_of(at), notes)) for at, cell in enumerate(row)]
        for row in table.rows
    ]
    body = tabulate(rows, [_tex(name) for name in table.columns], tablefmt="latex_raw",
                    disable_numparse=True)  # fmt: skip
    for rule in ("\\toprule", "\\midrule"):
        body = body.replace("\\hline", rule, 1)
    body = body.replace("\\hline", "\\bottomrule")
    said = " ".join(map(_tex, [*table.notes, *notes.lines()]))
    return (
        "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n"
        f"\\caption{{{_tex(table.title)}. {said}}}\n"
        f"\\label{{tab:{_NO_LABEL.sub('-', table.name)}}}\n"
        f"{body}\n\\end{{table}}\n"
    )


ESTIMATE_COLUMNS = ("coefficient", "value", "low", "high", "n", "dropped", "reason",
                    "undefined_resamples", "p", "interval")  # fmt: skip


def tidy(table: Table) -> tuple[list[str], list[list[object]]]:
    """Headings and rows with unrounded numbers: one row for each estimate, number or word.

    Tables without any estimate are kept as they are shown.
    """
    if not any(True for _ in table.estimates()):
        return list(table.columns), [[_unrounded(cell) for cell in row] for row in table.rows]
    rows: list[list[object]] = [
        [*names, heading, *_fields(cell)]
        for names, heading, cell in table.body()
        if cell is not None
    ]
    return [*table.columns[: table.keys], "column", *ESTIMATE_COLUMNS], rows


def as_csv(table: Table) -> str:
    """The rows of `tidy` as CSV."""
    return csv_text(*tidy(table))


def frame(table: Table) -> DataFrame:
    """The rows of `tidy` as a data frame of pandas."""
    import pandas as pd

    headings, rows = tidy(table)
    return pd.DataFrame(rows, columns=_numbered(headings))


def csv_text(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """CSV in which no text is taken for a formula by a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(
        [guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return out.getvalue()


def records(table: Table) -> list[dict[str, object]]:
    """Rows by heading, with estimates in full; a heading that comes again gets a number."""
    headings = _numbered(table.columns)

    def plain(cell: Cell) -> object:
        one = estimate_of(cell)
        return cell if one is None else one.model_dump(mode="json")

    return [dict(zip(headings, map(plain, row), strict=True)) for row in table.rows]


def _numbered(names: Sequence[str]) -> list[str]:
    headings: list[str] = []
    for name in names:
        numbered = chain([name], (f"{name} ({number})" for number in count(2)))
        headings.append(next(one for one in numbered if one not in headings))
    return headings


def shown(estimate: Estimate, kind: Kind = "coefficient") -> str:
    """A value with its interval, as tables print it.

    Where many resamples have no value it says so: they are not in the interval, which is too
    narrow then.
    """
    if estimate.value is None:
        return "–"
    words = [value(estimate, kind), ends(estimate, kind)]
    words.append(f"({undefined(estimate)})" if undefined(estimate) else "")
    words.append("" if estimate.p is None else chance(estimate.p))
    return " ".join(filter(None, words))


def value(estimate: Estimate, kind: Kind = "coefficient") -> str:
    """The value alone, with its unit; a dash if there is none."""
    unit = {"coefficient": "", "percent": "", "share": " %", "difference": " points"}[kind]
    return "–" if estimate.value is None else f"{number(estimate.value, kind)}{unit}"


def undefined(estimate: Estimate) -> str:
    """The share of resamples that leave a value undefined; empty if there are hardly any."""
    known = estimate.value is not None and estimate.undefined >= _SAID_FROM
    return f"{estimate.undefined:.0%} undefined" if known else ""


def ends(estimate: Estimate, kind: Kind = "coefficient") -> str:
    """The interval in brackets; empty if there is none."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    return f"[{number(estimate.low, kind)}, {number(estimate.high, kind)}]"


def number(value: float, kind: Kind = "coefficient") -> str:
    """A number as tables print it, with a true minus."""
    if kind == "coefficient":
        text = f"{value:.3f}"
    else:
        text = f"{100 * value:+.1f}" if kind == "difference" else f"{100 * value:.1f}"
    if kind in ("share", "difference") and not text.strip("+-0."):
        text = text.strip("+-")  # what is rounded to nought has no sign
    return text.replace("-", "−")


def chance(p: float) -> str:
    """A p-value as it is printed: small, but never 0."""
    return "p<0.001" if p < _SMALLEST else f"p={p:.3f}"


def basis(table: Table) -> list[str]:
    """What the estimates rest on, a line each: n, what was left out and why, what is undefined."""
    lines = [
        _condensed(table, "n = ", lambda one: f"{one.n:,}"),
        _condensed(table, "Left out: ", left_out),
    ]
    if any(undefined(one) for *_, one in table.estimates()):
        lines.append(
            "Undefined: the share of resamples in which there is no value; the interval is of the "
            "others and too narrow."
        )
    return list(filter(None, lines))


def left_out(estimate: Estimate) -> str:
    """What does not count, by reason; empty if nothing."""
    return ", ".join(f"{many:,} {why}" for why, many in estimate.dropped.items())


def _condensed(table: Table, words: str, say: Callable[[Estimate], str]) -> str:
    """One line on all cells; what all say, or all of a column or of a row, is said once."""
    said = [(", ".join(names), heading, say(one)) for names, heading, one in table.estimates()]
    if not any(text for *_, text in said):
        return ""
    if len({text for *_, text in said}) == 1:
        return words + said[0][2]
    for place in (1, 0):  # by column, else by row
        same = dict.fromkeys((entry[place], entry[2]) for entry in said)
        if len(same) == len({key for key, _ in same}):
            return words + _grouped(same)
    rows: dict[str, list[tuple[str, str]]] = {}
    for name, heading, text in said:
        rows.setdefault(name, []).append((heading, text))
    groups = ((name, _grouped(some)) for name, some in rows.items())
    return words + "; ".join(f"{name}: {text}" for name, text in groups if text)


def _grouped(said: Iterable[tuple[str, str]]) -> str:
    """Each text once, with the names that it is said of."""
    names: dict[str, list[str]] = {}
    for name, text in said:
        names.setdefault(text, []).append(name)
    return ", ".join(f"{text} ({', '.join(some)})" for text, some in names.items() if text)


class _Footnotes:
    """Footnotes of one table: the same reason gets the same letter."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def of(self, reason: str) -> str:
        return self._letters.setdefault(reason, chr(ord("a") + len(self._letters)))

    def lines(self) -> list[str]:
        return [f"({letter}) {reason}." for reason, letter in self._letters.items()]


def _words(cell: Cell, kind: Kind, notes: _Footnotes) -> str:
    one = estimate_of(cell)
    if one is None:
        return _plain(cell)
    words = shown(one, kind)
    return f"{words} ({notes.of(one.reason)})" if one.reason else words


def _marked(cell: Cell, kind: Kind, notes: _Footnotes) -> str:
    """A cell in Markdown; our own estimates have nothing that needs a backslash."""
    words = _words(cell, kind, notes)
    return escaped(words) if estimate_of(cell) is None else words


def _plain(cell: Cell) -> str:
    one = estimate_of(cell)
    if one is not None:
        return shown(one)
    return "" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)


def _unrounded(cell: Cell) -> str:
    return str(cell) if isinstance(cell, int) else _plain(cell)


def _fields(cell: Cell) -> list[object]:
    """Of an estimate all; a count or a number is the value; words, as "no scores", the reason."""
    one = estimate_of(cell)
    if one is not None:
        dropped = "; ".join(f"{many} {name}" for name, many in one.dropped.items())
        return [one.coefficient, one.value, one.low, one.high, one.n, dropped, one.reason,
                one.undefined, one.p, one.method]  # fmt: skip
    words = _unrounded(cell)
    value, reason = (words, "") if _NUMBER.fullmatch(words) else ("", words)
    return ["", value, *[""] * 4, reason, *[""] * 3]


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; a negative number is none."""
    risky = text[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{text}" if risky and not _NUMBER.fullmatch(text) else text


def unguarded(cell: str) -> str:
    """A cell without the mark that `guarded` gave it."""
    return cell[1:] if cell[:1] == "'" and guarded(cell[1:]) == cell else cell


def escaped(text: str) -> str:
    """Words on one line of Markdown that are no markup, no cell and no command of a terminal."""
    return markdown_escaped(on_one_line(text))


def _tex(text: str) -> str:
    text = on_one_line(text)
    if text[:1] in ("[", "*"):  # at the head of a row, an argument of the line before
        return f"{{{text[0]}}}{_tex(text[1:])}"
    return text.translate(_LATEX)
