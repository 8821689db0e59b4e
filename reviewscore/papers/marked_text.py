"""The text of a paper whose format marks title, headings and tables, put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reviewscore.papers.sections import Candidate, number_of

if TYPE_CHECKING:
    from lxml.etree import _Element


IMAGE = "<!-- image -->"
"""What stands where a figure is missing, as in other converters' texts."""


@dataclass
class MarkedText:
    """A paper as it is read from TEI, LaTeX or HTML, block by block.

    Attributes:
        title: Its title; empty if it has none.
        abstract: Its abstract; empty if it has none.
        headings: Where its headings stand in ``text``.
        notes: What could not be read, in words.
    """

    title: str = ""
    abstract: str = ""
    headings: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _lead: str = ""

    @property
    def text(self) -> str:
        """Title, abstract, sections and references, parted by empty lines."""
        return "\n\n".join(self._parts)

    def add(self, block: str) -> int:
        """Appends a paragraph; the offset at which it begins."""
        start = self._length + (2 if self._parts else 0)
        if block:
            block, self._lead = f"{self._lead}{block}", ""
            self._parts.append(block)
            self._length = start + len(block)
        return start

    def lead_in(self, words: str) -> None:
        """Puts words, such as ``Lemma 1.``, before the next paragraph."""
        self._lead = f"{self._lead}{words} "

    def head(self, title: str, printed: str = "", level: int = 0) -> None:
        """Appends a heading with its number as printed; without a level, the number gives it."""
        if not title:
            return
        start = self.add(f"{printed} {title}".strip())
        number = number_of(printed)
        level = level or max(1, len(number))
        self.headings.append(Candidate(start, self._length, title, level, number, printed))


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
