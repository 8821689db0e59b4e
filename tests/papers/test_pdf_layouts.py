"""Titles over several lines, and floats that cut a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from reviewscore.papers.load import PaperRow, build_paper, load_paper
from tests.conftest import SHARED
from tests.papers.pdfs import make

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
BODY = "Tides rise and fall in all the harbours of the north and of the south coast."


def _front(canvas: Canvas, lines: list[tuple[float, str]], *, mark: str = "") -> None:
    y = 720.0
    for size, line in lines:
        canvas.setFont("Times-Roman", size)
        canvas.drawString(72, y, line)
        y -= 1.3 * size
    if mark:
        canvas.setFont("Times-Roman", 7)
        last = lines[-1]
        width = canvas.stringWidth(last[1], "Times-Roman", last[0])
        canvas.drawString(73 + width, y + 1.3 * last[0] + 5, mark)
    canvas.setFont("Times-Roman", 10)
    for line in ("A. Harbour and B. Moor", "Abstract"):
        y -= 30
        canvas.drawString(72, y, line)
    for number in range(20):
        canvas.drawString(72, y - 20 - 12 * number, f"{BODY} {number}")


@pytest.mark.parametrize(
    ("lines", "mark", "title"),
    [
        ([(17, "Early Warnings of Tides in"), (17, "Small Harbours")], "",
         "Early Warnings of Tides in Small Harbours"),
        ([(9, "Proceedings of the Tidal Congress"), (17, "Tides: A View"), (17, "by Moon-"),
          (17, "Light")], "", "Tides: A View by Moon-Light"),
        ([(17, "Tides by Moonlight")], "2", "Tides by Moonlight"),
        ([(17, "Tides of 2031")], "", "Tides of 2031"),
        ([(17, "Early Warnings of Tides in"), (17, "Many Small Harbours")], "",
         "Early Warnings of Tides in Many Small Harbours"),
    ],
)  # fmt: skip
def test_a_title_is_what_is_set_largest(
    tmp_path: Path, lines: list[tuple[float, str]], mark: str, title: str
) -> None:
    path = make(tmp_path / "t.pdf", lambda canvas, _: _front(canvas, lines, mark=mark))

    assert load_paper(path).title == title


@pytest.mark.parametrize(
    ("lines", "title", "doubt"),
    [
        ([(17, "Tides by Moonlight")], "Tides by Moonlight", ""),
        ([(17, "Proceedings of the Tidal Congress"), (17, "Tides by Moonlight")],
         "Tides by Moonlight", ""),
        ([(20, "arXiv:2031.01234 [tide.AB]"), (17, "Tides by Moonlight")],
         "Tides by Moonlight", ""),
        ([(10, "Proceedings of the Tidal Congress"), (10, "Tides by Moonlight")],
         "Tides by Moonlight", "no line is set as a title"),
        ([(10, "Tides by Moonlight"), (14, "1 On the Setting of Marks in"), (14, "Mud")],
         "Tides by Moonlight", "no line is set as a title"),
        ([(17, "Early Warnings of Tides in the")], "Early Warnings of Tides in the", "went on"),
        ([(17, "T= i > m o n x3 ~ {/ R% *q")], "T= i > m o n x3 ~ {/ R% *q", "few of its"),
        ([(17, "Tides by Moonlight"), (10, "A remark"), (10, "A remark"), (17, "A. Harbour")],
         "Tides by Moonlight", "another line"),
    ],
)  # fmt: skip
def test_a_title_that_is_not_sure_says_so(
    tmp_path: Path, lines: list[tuple[float, str]], title: str, doubt: str
) -> None:
    path = make(tmp_path / "t.pdf", lambda canvas, _: _front(canvas, lines))

    paper = load_paper(path)

    assert paper.title == title
    assert doubt in paper.title_doubt
    assert bool(paper.title_doubt) == bool(doubt)


def test_a_title_that_a_record_gives_is_no_doubt(tmp_path: Path) -> None:
    make(tmp_path / "t.pdf", lambda canvas, _: _front(canvas, [(10, "Tides by Moonlight")]))

    paper = build_paper(PaperRow(paper_id="p", title="Of Tides", file="t.pdf"), folder=tmp_path)

    assert (paper.title, paper.title_doubt) == ("Of Tides", "")


def test_a_title_that_is_not_set_apart_is_a_doubt(tmp_path: Path) -> None:
    path = make(tmp_path / "t.pdf", lambda canvas, _: _front(canvas, [(10, "Tides by Moonlight")]))

    paper = load_paper(path)

    assert paper.title == "Tides by Moonlight"
    assert any("no line is set as a title" in note for note in paper.notes)


def _column(canvas: Canvas, left: float, lines: list[tuple[float, str]]) -> None:
    y = 700.0
    canvas.setFont("Times-Roman", 10)
    for gap, line in lines:
        y -= 12 + gap
        canvas.drawString(left, y, line)


PROSE = [f"Harbour {number} is one of the many that we saw there." for number in range(30)]
FLOAT = [
    (0.0, "Table 3: Errors by coast."),
    (6.0, "Coast Error"),
    (0.0, "Alder 3"),
    (0.0, "Birch 4"),
]


def _two_columns(canvas: Canvas, last: str, first: str) -> None:
    _column(canvas, 60, [(0.0, line) for line in [*PROSE, last]])
    below = [(16.0, first), (0.0, "has not fallen for five epochs of the run.")]
    _column(canvas, 320, [*FLOAT, *below, (8.0, PROSE[0]), *((0.0, one) for one in PROSE[1:20])])


def test_a_sentence_that_a_table_cuts_is_whole_and_the_table_stands_after_it(
    tmp_path: Path,
) -> None:
    last, first = "The rate is 0.1, and the batch size", "64, and training stops when the error"
    path = make(tmp_path / "f.pdf", lambda canvas, _: _two_columns(canvas, last, first))

    paper = load_paper(path)

    assert f"{last}\n{first}\nhas not fallen for five epochs of the run.\n\nTable 3:" in paper.text
    assert "Birch 4\n\nHarbour 0" in paper.text
    starts = [line.start for line in paper.lines]
    assert starts == sorted(starts)
    table = next(one for one in paper.lines if paper.text.startswith("Alder 3", one.start))
    assert table.box is not None
    assert table.box[0] > 300


@pytest.mark.parametrize(
    ("last", "first"),
    [
        ("The rate is 0.1, and the batch size is 64.", "and training stops when the error"),
        ("The rate is 0.1, and we call the batch size B", "Training stops when the error"),
    ],
    ids=["a sentence that ended", "a sentence that does not go on"],
)
def test_other_floats_stay_where_they_stand(tmp_path: Path, last: str, first: str) -> None:
    path = make(tmp_path / "f.pdf", lambda canvas, _: _two_columns(canvas, last, first))

    assert f"{last}\nTable 3:" in load_paper(path).text


def _two_pages(canvas: Canvas, page: int, lines: tuple[str, str], number: str = "") -> None:
    if page == 0:
        _column(canvas, 60, [(0.0, line) for line in [*PROSE, lines[0]]])
        canvas.drawString(300, 40, number)
    else:
        _column(canvas, 60, [(0.0, line) for line in [lines[1], *PROSE]])


@pytest.mark.parametrize(
    ("last", "first", "between"),
    [
        ("The rate is 0.1, and the batch size is", "64 in all of the runs of that winter.", "\n"),
        ("The rate is 0.1, and the batch size", "of all of the runs of that winter is 64.", "\n"),
        (
            "The rate is 0.1, and the batch size is 64.",
            "and all of the runs of that winter end.",
            "\n\n",
        ),
        ("The rate is 0.1, and the batch size", "Table 3: Errors of the runs.", "\n\n"),
    ],
)
def test_a_sentence_that_runs_over_a_page_is_whole(
    tmp_path: Path, last: str, first: str, between: str
) -> None:
    draw = lambda canvas, page: _two_pages(canvas, page, (last, first), "17")  # noqa: E731
    paper = load_paper(make(tmp_path / "p.pdf", draw, pages=2))

    assert f"{last}{between}{first}" in paper.text
    start = paper.text.index(first)
    assert start in {line.start for line in paper.lines}
    assert paper.page_at(start) == 2


def test_the_number_of_an_equation_at_the_foot_of_a_page_is_no_page_number(
    tmp_path: Path,
) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        prose = [(0.0, one) for one in PROSE[:10]]
        _column(canvas, 60, [*prose, (0.0, f"({page + 4})"), (0.0, "Because it grows, it ends.")])
        canvas.drawString(60, 60, f"({page + 7})")
        canvas.drawString(300, 40, f"- {page + 1} -")

    text = load_paper(make(tmp_path / "e.pdf", draw, pages=2)).text

    assert [number for number in ("(4)", "(5)", "(7)", "(8)") if f"\n{number}\n" not in text] == [
        "(8)"  # it ends the text
    ]
    assert text.endswith("\n(8)")
    assert "(4)\n\nBecause" in text
    assert "- 1 -" not in text


def _normal(text: str) -> str:
    return " ".join(re.sub(r"-\s*", "", text).split())


@pytest.mark.shared
@needs_shared
@pytest.mark.parametrize("name", ["plain", "neurips", "iclr", "icml", "acl"])
def test_sentences_headings_and_title_of_a_submission_are_whole(name: str) -> None:
    wanted = json.loads((SHARED / "pdf_submissions" / "sentences.json").read_text("utf-8"))

    paper = load_paper(SHARED / "pdf_submissions" / f"{name}.pdf")

    text, titles = _normal(paper.text), {_normal(one.title) for one in paper.sections}
    assert paper.title == wanted["title"]
    assert [one for one in wanted["sentences"] if _normal(one) not in text] == []
    assert [one for one in wanted["headings"] if _normal(one) not in titles] == []


@pytest.mark.shared
@needs_shared
@pytest.mark.slow
def test_titles_of_published_papers_are_right() -> None:
    wanted = json.loads((SHARED / "pdf_dev" / "titles.json").read_text("utf-8"))

    wrong = {
        name: found
        for name, title in wanted.items()
        if (found := load_paper(SHARED / "pdf_dev" / f"{name}.pdf").title).casefold()
        != title.casefold()
    }

    assert wrong == {}
