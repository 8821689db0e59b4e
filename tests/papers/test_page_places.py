"""Where passages stand on pages: the marked area holds the words' ink, and no other's."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from reviewscore.errors import InputError
from reviewscore.papers.load import load_paper
from reviewscore.papers.page_images import drawn_page
from reviewscore.papers.page_places import PageBox, Sought, SoughtPassage, page_places
from tests.papers.pdfs import make, prose

LINES = [
    "Seven lamps burned in the harbour while no ship came in",
    "from the northern islands; a keeper wrote every hour into",
    "his book that winds were light and that nobody had asked",
    "whether oil would last until spring, though it would not.",
]
WORDS = [(line, word) for line, text in enumerate(LINES) for word in text.split()]
COLUMNS = (72.0, 340.0)


def printed(
    path: Path,
    first: int,
    last: int,
    *,
    rotation: int,
    crop: tuple[int, int],
    column: int,
    alone: bool,
) -> Path:
    """A page of two columns, turned and cropped; `alone` leaves out all but some words."""
    turned = rotation in (90, 270)
    canvas = Canvas(str(path), pagesize=(792, 612) if turned else (612, 792))
    canvas.setPageRotation(rotation)  # which exchanges the sides
    canvas.setCropBox((crop[0], crop[1], 600, 780))
    corner = {0: (0, 0), 90: (612, 0), 180: (612, 792), 270: (0, 792)}[rotation]
    canvas.translate(*corner)
    canvas.rotate(rotation)  # so that it is shown upright
    canvas.setFont("Times-Roman", 9)
    if not alone:
        for line in range(12):
            other = f"Other words fill row {line} of this column"
            canvas.drawString(COLUMNS[1 - column], 500 - 14 * line, other)
    at = 0
    for number, text in enumerate(LINES):
        left = COLUMNS[column]
        for word in text.split():
            if not alone or first <= at <= last:
                canvas.drawString(left, 440 - 14 * number, word)
            left += canvas.stringWidth(f"{word} ", "Times-Roman", 9)
            at += 1
    canvas.showPage()
    canvas.save()
    return path


def ink(path: Path) -> npt.NDArray[np.bool_]:
    picture = Image.open(io.BytesIO(drawn_page(path, 1).png)).convert("L")
    return np.asarray(picture) < 140


def area(shape: tuple[int, ...], boxes: tuple[PageBox, ...]) -> npt.NDArray[np.bool_]:
    marked = np.zeros(shape, dtype=np.bool_)
    rows, columns = shape
    for box in boxes:
        top, left = box.top * rows / 100, box.left * columns / 100
        bottom, right = top + box.height * rows / 100, left + box.width * columns / 100
        marked[int(top) : int(bottom) + 2, int(left) : int(right) + 2] = True
    return marked


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    ends=st.tuples(st.integers(0, len(WORDS) - 4), st.integers(3, len(WORDS))),
    rotation=st.sampled_from([0, 90, 180, 270]),
    crop=st.tuples(st.integers(0, 30), st.integers(0, 30)),
    column=st.integers(0, 1),
)
def test_the_marked_area_holds_the_words_and_no_others(
    tmp_path: Path, ends: tuple[int, int], rotation: int, crop: tuple[int, int], column: int
) -> None:
    first, last = ends[0], min(len(WORDS) - 1, ends[0] + ends[1])
    options = {"rotation": rotation, "crop": crop, "column": column}
    whole = printed(tmp_path / "whole.pdf", first, last, alone=False, **options)  # type: ignore[arg-type]
    words = printed(tmp_path / "words.pdf", first, last, alone=True, **options)  # type: ignore[arg-type]
    text = " ".join(word for _, word in WORDS[first : last + 1])

    (boxes,) = page_places(whole, [SoughtPassage(words=text)]).boxes

    for box in boxes:
        assert 0 <= box.left <= box.left + box.width <= 100.01
        assert 0 <= box.top <= box.top + box.height <= 100.01
    own, every = ink(words), ink(whole)
    marked = area(own.shape, boxes)
    assert own.any()
    assert not (own & ~marked).any()
    assert (every & marked).sum() <= 1.15 * own.sum()  # an edge of a neighbour, at most


def numbered(canvas: Canvas, _: int) -> None:
    for number, text in enumerate(["Seven lamps burned in the har-", "bour while no ship came"]):
        canvas.drawString(20, 700 - 12 * number, f"{41 + number:03d}")
        canvas.drawString(72, 700 - 12 * number, text)


def test_words_of_another_form_of_the_paper_are_found_and_line_numbers_are_not_marked(
    tmp_path: Path,
) -> None:
    path = make(tmp_path / "a.pdf", numbered)
    wanted = "**Seven** lamps burned in the harbour [12] while no ship"

    (boxes,) = page_places(path, [SoughtPassage(words=wanted)]).boxes

    assert len(boxes) == 2
    assert all(box.left > 100 * 60 / 612 for box in boxes)


def test_of_equal_words_those_are_taken_that_are_nearest_to_what_is_known(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        for row in (700, 300):
            canvas.drawString(72, row, "Nobody had asked whether the oil would last.")

    path, words = make(tmp_path / "a.pdf", draw, pages=3), "whether the oil would last"
    low = (72.0, 298.0, 300.0, 308.0)

    boxes = page_places(
        path,
        [
            SoughtPassage(words=words),
            SoughtPassage(words=words, page=2),
            SoughtPassage(words=words, page=3, box=low),
            SoughtPassage(words=words, share=0.9),
        ],
    ).boxes

    assert [found[0].page for found in boxes] == [1, 2, 3, 3]
    assert boxes[1][0].top < 50 < boxes[2][0].top


def test_what_is_not_there_is_marked_at_its_known_place_or_nowhere(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", numbered)
    absent, box = "A giraffe reads the newspaper at noon", (700.0, 300.0, 800.0, 310.0)

    found = page_places(
        path,
        [
            SoughtPassage(words=absent),
            SoughtPassage(words=absent, page=1, box=(61.2, 79.2, 122.4, 158.4)),
            SoughtPassage(sought=Sought.BOX, page=1, box=box),
            SoughtPassage(sought=Sought.BOX, page=9, box=box),
            SoughtPassage(sought=Sought.PAGE, page=1),
        ],
    )

    nowhere, known, beyond, other, whole = found.boxes
    assert found.sizes == ((612.0, 792.0),)
    assert nowhere == other == ()
    assert known[0].left == pytest.approx(10, abs=0.5)
    assert known[0].top == pytest.approx(80, abs=0.5)
    assert beyond[0].left + beyond[0].width == pytest.approx(100, abs=0.1)  # at the page's edge
    assert (whole[0].width, whole[0].height) == (100, 100)


def floats(canvas: Canvas, _: int) -> None:
    canvas.line(72, 760, 540, 760)  # the rule below a running head
    canvas.drawString(72, 720, "Table 1: Oil that was left, by month.")
    for row in (705, 690, 640):
        canvas.line(72, row, 400, row)
    canvas.rect(72, 400, 300, 150, fill=1)
    canvas.drawString(72, 385, "Figure 1: The harbour at night.")
    canvas.drawString(72, 350, "The keeper looked at Figure 1 and at Table 1 every hour.")
    canvas.line(72, 100, 200, 100)  # the rule above a footnote


def test_a_table_and_a_figure_are_framed_with_their_captions(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", floats)

    (table,), (figure,) = page_places(
        path,
        [
            SoughtPassage(sought=Sought.TABLE, words="Table 1: Oil that was left, by month."),
            SoughtPassage(sought=Sought.FIGURE, words="Figure 1: The harbour at night."),
        ],
    ).boxes

    def edges(box: PageBox) -> tuple[float, float]:
        return 792 * (1 - box.top / 100), 792 * (1 - (box.top + box.height) / 100)

    assert edges(table) == pytest.approx((729, 639), abs=4)
    assert edges(figure) == pytest.approx((551, 382), abs=4)


def test_a_passage_of_a_paper_read_from_its_pdf_is_found_by_page_and_line(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", prose, pages=2)
    paper = load_paper(path)
    start = paper.text.index("burned for a whole winter", paper.pages[1])

    (boxes,) = page_places(
        path, [SoughtPassage(words=paper.text[start : start + 25], page=paper.page_at(start))]
    ).boxes

    assert [box.page for box in boxes] == [2]


def test_a_damaged_pdf_is_refused_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing of the kind")

    with pytest.raises(InputError, match=r"broken\.pdf: cannot be drawn"):
        page_places(path)
    with pytest.raises(InputError, match=r"has no page 2; it has 1"):
        drawn_page(make(tmp_path / "a.pdf", numbered), 2)
