"""Line numbers of PDFs: known by geometry and sequence, and kept as a map."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from reviewscore.papers.load import load_paper
from reviewscore.papers.places import target
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import PlaceKind
from tests.papers.pdfs import make

ROWS, PAGES = 36, 3
TOP, PITCH = 700, 14
Numbering = Callable[[Canvas, int], None]


def words(page: int, row: int, column: str = "") -> str:
    """A line that fills a column; every third ends a sentence."""
    stop = "." if row % 3 == 2 else ""
    return (
        f"{column}Gauge of sheet {'ABC'[page]} tells row {chr(97 + row % 26)}{row // 26} well{stop}"
    )


def one_column(numbering: Numbering) -> Callable[[Canvas, int], None]:
    def draw(canvas: Canvas, page: int) -> None:
        for row in range(ROWS):
            canvas.drawString(110, TOP - PITCH * row, words(page, row) + " and so it goes on here")
        numbering(canvas, page)

    return draw


def two_columns(numbering: Numbering) -> Callable[[Canvas, int], None]:
    def draw(canvas: Canvas, page: int) -> None:
        for left, column in ((90, "Left "), (320, "Right ")):
            for row in range(ROWS):
                canvas.drawString(left, TOP - PITCH * row, words(page, row, column))
        numbering(canvas, page)

    return draw


def beside(  # noqa: PLR0913
    x: float, *, size: float = 6, every: int = 1, first: int = 1, anew: bool = False,
    off: float = 0.0, form: str = "d", grey: float = 0.0, start: int = 0,
) -> Numbering:  # fmt: skip
    """Numbers at one place, right-aligned."""

    def draw(canvas: Canvas, page: int) -> None:
        canvas.setFont("Helvetica", size)
        canvas.setFillGray(grey)
        for row in range(ROWS):
            number = first + row + start + (0 if anew else page * ROWS)
            if number % every == 0:
                canvas.drawRightString(x, TOP - PITCH * row + off, format(number, form))
        canvas.setFillGray(0)

    return draw


def both(*numberings: Numbering) -> Numbering:
    def draw(canvas: Canvas, page: int) -> None:
        for numbering in numberings:
            numbering(canvas, page)

    return draw


def columns(left: float, right: float) -> Numbering:
    """One series: down the left column, then down the right one."""

    def draw(canvas: Canvas, page: int) -> None:
        canvas.setFont("Helvetica", 5)
        for side, x in enumerate((left, right)):
            for row in range(ROWS):
                number = 1 + row + ROWS * (2 * page + side)
                canvas.drawRightString(x, TOP - PITCH * row, f"{number:03d}")

    return draw


LAYOUTS = {
    "left of the text": one_column(beside(100)),
    "3 points from the text": one_column(beside(107, size=8)),
    "far away and small": one_column(beside(50, size=4)),
    "right of the text, grey": one_column(beside(560, grey=0.6)),
    "every fifth line": one_column(beside(100, size=9, every=5)),
    "anew on each page": one_column(beside(100, anew=True)),
    "four digits": one_column(beside(100, first=985, form="04d")),
    "a ruler on both sides": one_column(
        both(beside(60, off=4, form="03d"), beside(580, off=4, form="03d"))
    ),
    "outside two columns": two_columns(columns(82, 560)),
    "in the gutter": two_columns(columns(312, 575)),
}
NOT_NUMBERED = {"every fifth line": 5}


def prose(paper: Paper) -> list[str]:
    return [line for line in paper.text.splitlines() if line.strip()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_line_numbers_leave_the_text_and_stay_as_a_map(layout: str, tmp_path: Path) -> None:
    draw = LAYOUTS[layout]
    without = two_columns if "two columns" in layout or "gutter" in layout else one_column
    plain = load_paper(make(tmp_path / "plain.pdf", without(lambda *_: None), PAGES))

    paper = load_paper(make(tmp_path / "numbered.pdf", draw, PAGES))

    assert prose(paper) == prose(plain)
    numbered = [line for line in paper.lines if line.number is not None]
    assert len(numbered) * NOT_NUMBERED.get(layout, 1) >= len(plain.lines) - 4
    assert any("line numbers were taken out" in note for note in paper.notes)
    for line in numbered:
        assert line.box is not None
        assert paper.text[line.start :].startswith(("Gauge", "Left", "Right"))


def test_a_line_is_found_by_its_number_with_page_and_box(tmp_path: Path) -> None:
    paper = load_paper(make(tmp_path / "a.pdf", LAYOUTS["left of the text"], PAGES))
    place = target(paper, PlaceKind.LINE, str(ROWS + 3))

    assert place is not None
    assert paper.text[place.start : place.end].startswith(words(1, 2))
    assert place.page == 2
    assert place.box is not None
    assert place.box[1] < TOP - 2 * PITCH + 5 < place.box[3]


def ranks(canvas: Canvas, page: int) -> None:
    """A table whose first column grows, an axis, and a list, in a text without line numbers."""
    for row in range(12):
        canvas.drawString(110, 640 - 14 * row, f"{row + 1}")
        canvas.drawString(150, 640 - 14 * row, f"gauge {row + 1} of {page + 40}")
    for row in range(20):
        canvas.drawString(110, 450 - 14 * row, words(page, row) + " and so it goes on here")


def listing(canvas: Canvas, page: int) -> None:
    for row in range(18):
        canvas.drawString(110, 700 - 14 * row, words(page, row) + " and so it goes on here")
    if page == 1:
        for row in range(9):
            canvas.drawString(98, 400 - 12 * row, f"{row + 1}")
            canvas.drawString(110, 400 - 12 * row, f"step ({row}) := measure")


@pytest.mark.parametrize("draw", [ranks, listing], ids=["ranks", "listing"])
def test_columns_of_the_authors_numbers_stay(
    draw: Callable[[Canvas, int], None], tmp_path: Path
) -> None:
    paper = load_paper(make(tmp_path / "a.pdf", draw, PAGES))

    assert not any(line.number for line in paper.lines)
    if draw is ranks:
        assert paper.text.count("\n7 gauge 7 of") == PAGES


def test_numbers_of_a_listing_stay_beside_line_numbers(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        listing(canvas, page)
        beside(80, size=5)(canvas, page)

    paper = load_paper(make(tmp_path / "a.pdf", draw, PAGES))

    assert "\n7 step (6) := measure" in paper.text
    assert sum(line.number is not None for line in paper.lines) >= 18 * PAGES
