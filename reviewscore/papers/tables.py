"""Tables as rows of Markdown: a header, a rule, and a line for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_COLUMNS = 60


def rows_of_cells(cells: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; its first row is its header. Empty for a table without cells.

    Args:
        cells: The cells of each row.
    """
    rows = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in cells]
    rows = [row for row in rows if any(row)]
    if not rows:
        return ""
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def markdown_rows(table: str) -> str:
    """A table in HTML as rows of Markdown; empty for a table without cells."""
    from lxml.html import fragment_fromstring

    return rows_of_cells(list(table_cells(fragment_fromstring(table, create_parent="div"))))


def table_cells(table: _Element) -> Iterator[list[str]]:
    """The cells of each row of an HTML table; one that spans columns is followed by empty ones."""
    for row in table.iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            span = cell.get("colspan", "1")
            cells.append("".join(cell.itertext()))
            cells += [""] * (min(int(span), _MOST_COLUMNS) - 1 if span.isdecimal() else 0)
        yield cells[:_MOST_COLUMNS]
