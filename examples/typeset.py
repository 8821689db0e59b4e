"""Sets the text of the example paper as a PDF that looks like a conference submission.

One column, a running header, page numbers, grey margin line numbers, justified lines and words
hyphenated at line ends: what a reader of PDFs has to cope with. Equal text gives equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from reportlab.lib.colors import Color, black
from reportlab.lib.pagesizes import letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

HEADER = "Under review as a conference paper at Invented Conference 2024"

ROMAN, BOLD, ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"
LEFT, WIDTH, TOP, BOTTOM = 108.0, 396.0, 716.0, 58.0
"""Text area in points; the origin is the page's lower left corner."""
GREY = Color(0.6, 0.6, 0.6)
NUMBER_EVERY = 5
SHORTEST_PART = 3
"""Letters of a word on either side of a hyphen, at least."""
_TEXT_ROOM, _TABLE_ROOM = 60.0, 110.0
"""Points below a heading without which it goes to the next page."""
LOOSE = 1.5
"""Width of a space, in usual spaces, from which on a word is broken to fill the line."""

Kind = Literal["title", "authors", "abstract", "heading", "formula", "item", "table", "text"]


class Block(NamedTuple):
    """A paragraph, heading, formula or table of the paper."""

    kind: Kind
    text: str


class Word(NamedTuple):
    """A word in its font."""

    text: str
    font: str


class Style(NamedTuple):
    """How a paragraph is set; lengths in points."""

    size: float = 10.0
    leading: float = 11.2
    indent: float = 0.0
    first: float = 0.0
    align: Literal["justify", "left", "centre"] = "justify"
    after: float = 5.5


_HEADING = re.compile(r"(?:\d(?:\.\d)?|[A-Z](?:\.\d)?) [A-Z][^.]{2,70}$")
_NAMED = ("Abstract", "References", "Ethics and Reproducibility Statement")
_RUN_IN = re.compile(r"(?!We )((?:[A-Z][\w-]+)(?: [\w-]+){0,4}\.) ")
_CELLS = re.compile(r" {2,}")
_VOWELS = "aeiouy"
_KEPT = ("th", "ch", "sh", "ph", "ck", "st", "tr", "pr", "br", "cr", "gr", "fr", "cl", "pl", "bl",
         "gl", "fl", "dr", "qu", "wh", "gh")  # fmt: skip
"""Pairs of consonants that a hyphen does not part."""


def blocks(text: str) -> list[Block]:
    """The blocks of the paper's plain text, which are parted by empty lines."""
    found: list[Block] = []
    for number, part in enumerate(re.split(r"\n\s*\n", text.strip("\n"))):
        last = found[-1] if found else None
        if last is not None and last.kind == "table" and "\n" not in last.text:
            found[-1] = Block("table", f"{last.text}\n{part}")
        else:
            found.append(Block(_kind(number, part, last), part))
    return found


def _kind(number: int, part: str, last: Block | None) -> Kind:
    if number == 0:
        return "title"
    if number == 1:
        return "authors"
    if part in _NAMED or _HEADING.match(part):
        return "heading"
    if last is not None and last.text == "Abstract":
        return "abstract"
    if part.startswith("Table ") and re.match(r"Table \d+: ", part):
        return "table"
    return {" ": "formula", "-": "item"}.get(part[0], "text")  # type: ignore[return-value]


def break_places(word: str) -> list[int]:
    """Offsets in a word where it may be broken, the last one first.

    A simple rule stands in for a dictionary: between two consonants that stand between vowels,
    and after a hyphen that the word has already.
    """
    hyphens = [at + 1 for at, letter_ in enumerate(word[:-1]) if letter_ == "-"]
    if hyphens:
        return hyphens[::-1]
    bare = word.rstrip(".,;:)")
    if not bare.isalpha() or not bare.islower():
        return []
    places = range(len(bare) - SHORTEST_PART, SHORTEST_PART - 1, -1)
    return [at for at in places if _is_seam(bare, at)]


def _is_seam(word: str, at: int) -> bool:
    pair = word[at - 1 : at + 1]
    if any(letter_ in _VOWELS for letter_ in pair) or pair in _KEPT:
        return False
    return word[at - 2] in _VOWELS and word[at + 1] in _VOWELS


def _width(words: list[Word], size: float) -> float:
    space = float(stringWidth(" ", ROMAN, size))
    letters = sum(float(stringWidth(word.text, word.font, size)) for word in words)
    return letters + space * max(0, len(words) - 1)


def wrapped(words: list[Word], width: float, size: float, *, first: float) -> Iterator[list[Word]]:
    """Lines of words that fit a width, words broken where a line would be too loose."""
    line: list[Word] = []
    queue = list(reversed(words))
    room = width - first
    while queue:
        word = queue.pop()
        if _width([*line, word], size) <= room:
            line.append(word)
            continue
        parts = _parted(line, word, room, size)
        if parts is not None:
            line.append(parts[0])
            word = parts[1]
        yield line
        queue.append(word)
        line, room = [], width
    yield line


def _parted(line: list[Word], word: Word, room: float, size: float) -> tuple[Word, Word] | None:
    space = float(stringWidth(" ", ROMAN, size))
    slack = (room - _width(line, size)) / max(1, len(line) - 1)
    if slack < (LOOSE - 1) * space:
        return None
    for at in break_places(word.text):
        head = word.text[:at] if word.text[at - 1] == "-" else word.text[:at] + "-"
        if _width([*line, Word(head, word.font)], size) <= room:
            return Word(head, word.font), Word(word.text[at:], word.font)
    return None


@dataclass
class Press:
    """Sets blocks on pages from top to bottom.

    Attributes:
        canvas: The PDF.
        y: Baseline of the last line, in points.
        lines: Lines set so far, counted over all pages.
        margin: Number and baseline of the numbered lines of this page.
    """

    canvas: Canvas
    y: float = TOP
    lines: int = 0
    margin: list[tuple[int, float]] = field(default_factory=list)

    def set_block(self, block: Block, following: Block | None, *, references: bool) -> None:
        """Sets one block; a heading stays with what follows."""
        if block.kind == "table":
            self._table(block.text)
        elif block.kind == "heading":
            table = following is not None and following.kind == "table"
            self._need(_TABLE_ROOM if table else _TEXT_ROOM)
            self._heading(block.text)
        elif block.kind == "authors":
            self._authors(block.text)
        else:
            words, style = _styled(block, references=references)
            self._paragraph(words, style, mark=block.kind == "item")

    def finish(self) -> None:
        """Ends the last page and the file."""
        self._end_page()
        self.canvas.save()

    def _authors(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            font = BOLD if number == 0 else ROMAN
            self._paragraph([Word(word, font) for word in line.split()], Style(after=1.0))
        self.y -= 13.0

    def _heading(self, text: str) -> None:
        if text.startswith("A "):  # the appendix begins on a page of its own
            self._need(TOP)
        level = 2 if re.match(r"[\dA-Z]\.\d ", text) else 1
        size = 10.5 if level == 2 else 12.0
        self.y -= 7.0 if level == 1 else 3.0
        align: Literal["left", "centre"] = "centre" if text == "Abstract" else "left"
        style = Style(size=size, leading=size + 1.5, align=align, after=5.0)
        self._paragraph([Word(word, BOLD) for word in text.split()], style)

    def _paragraph(self, words: list[Word], style: Style, *, mark: bool = False) -> None:
        width = WIDTH - 2 * style.indent if style.align != "left" else WIDTH - style.indent
        lines = list(wrapped(words, width, style.size, first=style.first))
        if len(lines) > 1:
            self._need(2 * style.leading)
        for number, line in enumerate(lines):
            if number == len(lines) - 2 or number == 0:
                self._need(style.leading * min(2, len(lines)))
            self._need(style.leading)
            self.y -= style.leading
            self._count()
            x = LEFT + style.indent + (style.first if number == 0 else 0.0)
            if mark and number == 0:
                self.canvas.setFont(ROMAN, style.size)
                self.canvas.drawString(x - 10.0, self.y, "•")
            self._line(line, x, style, last=number == len(lines) - 1, first=number == 0)
        self.y -= style.after

    def _line(self, line: list[Word], x: float, style: Style, *, last: bool, first: bool) -> None:
        width = WIDTH - style.indent * (2 if style.align != "left" else 1)
        width -= style.first if first else 0.0
        free = width - _width(line, style.size)
        if style.align == "centre":
            x += free / 2
        stretch = 0.0
        if style.align == "justify" and not last and len(line) > 1:
            stretch = free / (len(line) - 1)
        text = self.canvas.beginText(x, self.y)
        text.setWordSpace(stretch)
        for font, words in groupby(line, key=lambda word: word.font):
            text.setFont(font, style.size)
            text.textOut(" ".join(word.text for word in words) + " ")
        text.setWordSpace(0)  # it would outlive the line
        self.canvas.drawText(text)

    def _table(self, text: str) -> None:
        caption, *lines = text.split("\n")
        table = [_CELLS.split(line.strip()) for line in lines]
        size, leading, gap = 9.0, 11.5, 16.0
        self._need(leading * (len(table) + 3))
        self.y -= 3.0
        style = Style(size=9.5, align="centre", after=4.0)
        self._paragraph([Word(word, ROMAN) for word in caption.split()], style)
        spans = [
            max(stringWidth(cell, BOLD, size) for cell in column)
            for column in zip(*table, strict=True)
        ]
        whole = sum(spans) + gap * (len(spans) - 1)
        start = LEFT + (WIDTH - whole) / 2
        self._rule(start, whole, 0.8)
        for number, cells in enumerate(table):
            self.y -= leading
            self._count()
            font = BOLD if number == 0 or "CrossRead" in cells[0] else ROMAN
            self.canvas.setFont(font, size)
            x = start
            for index, (cell, span) in enumerate(zip(cells, spans, strict=True)):
                if index == 0:
                    self.canvas.drawString(x, self.y, cell)
                else:
                    self.canvas.drawCentredString(x + span / 2, self.y, cell)
                x += span + gap
            if number in (0, len(table) - 1):
                self._rule(start, whole, 0.5 if number == 0 else 0.8)
        self.y -= 5.0

    def _rule(self, x: float, width: float, weight: float) -> None:
        self.canvas.setLineWidth(weight)
        self.canvas.line(x, self.y - 3.5, x + width, self.y - 3.5)
        self.y -= 2.0

    def _count(self) -> None:
        if self.lines % NUMBER_EVERY == 0:
            self.margin.append((self.lines, self.y))
        self.lines += 1

    def _need(self, height: float) -> None:
        if self.y - height < BOTTOM:
            self._end_page()
            self.y = TOP

    def _end_page(self) -> None:
        canvas = self.canvas
        canvas.setFont(ROMAN, 9)
        canvas.drawString(LEFT, 738.0, HEADER)
        canvas.setLineWidth(0.5)
        canvas.line(LEFT, 733.0, LEFT + WIDTH, 733.0)
        canvas.drawCentredString(LEFT + WIDTH / 2, 40.0, str(canvas.getPageNumber()))
        canvas.setFillColor(GREY)
        canvas.setFont(ROMAN, 7.5)
        for number, y in self.margin:
            canvas.drawRightString(LEFT - 22.0, y, f"{number:03d}")
        canvas.setFillColor(black)
        self.margin.clear()
        canvas.showPage()


def _styled(block: Block, *, references: bool) -> tuple[list[Word], Style]:
    """The words of a block in their fonts, and its style."""
    text = block.text.removeprefix("- ").strip()
    font = {"title": BOLD, "formula": ITALIC}.get(block.kind, ROMAN)
    words = [Word(word, font) for word in text.split()]
    run_in = _RUN_IN.match(text)
    if block.kind == "text" and run_in and not references:
        count = len(run_in[1].split())
        words[:count] = [Word(word.text, BOLD) for word in words[:count]]
    if references:
        return words, Style(size=9.5, leading=10.8, indent=12.0, first=-12.0, align="left")
    styles: dict[str, Style] = {
        "title": Style(size=16.0, leading=19.0, align="left", after=12.0),
        "abstract": Style(indent=30.0),
        "formula": Style(align="centre", after=7.0),
        "item": Style(indent=20.0, align="left", after=3.5),
    }
    return words, styles.get(block.kind, Style())


def write_pdf(text: str, path: Path) -> None:
    """Writes the paper's plain text as a PDF.

    Args:
        text: Blocks parted by empty lines; the first is the title, the second the authors.
        path: The file to write.
    """
    # Uncompressed: compressed bytes would differ between builds of zlib.
    canvas = Canvas(str(path), pagesize=letter, invariant=1, pageCompression=0)
    parts = blocks(text)
    canvas.setTitle(parts[0].text)
    canvas.setAuthor("Anonymous authors")
    press = Press(canvas)
    references = False
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if part.kind == "heading":
            references = part.text == "References"
        press.set_block(part, following, references=references)
    press.finish()
