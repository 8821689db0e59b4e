"""PDFs are read in reading order, or refused with a reason and a cure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from reviewscore.errors import InputError
from reviewscore.papers.load import PaperRow, build_paper, load_paper
from reviewscore.papers.pdf import PdfLimits, PdfReaders, PdfReading, ReadingTask, Refusal, read_pdf
from reviewscore.papers.pdf_pages import answer, read_pages
from reviewscore.papers.quotes import find_quote
from reviewscore.schema.paper import Zone
from tests.papers.pdfs import bomb, make, prose, scripted

Keep = Callable[[PdfReaders], PdfReaders]


@pytest.fixture
def closed_later() -> Iterator[Keep]:
    opened: list[PdfReaders] = []

    def keep(readers: PdfReaders) -> PdfReaders:
        opened.append(readers)
        return readers

    yield keep
    for readers in opened:
        readers.close()


def one_column(canvas: Canvas, page: int) -> None:
    canvas.drawString(72, 760, "Journal of Lamps, volume 3")
    for line in range(20):
        canvas.drawString(
            72, 700 - 12 * line, f"Lamp {line} of sheet {page} burned for a whole winter night."
        )
    canvas.drawString(300, 30, str(page + 1))


def two_columns(canvas: Canvas, page: int) -> None:
    for line in range(15):
        canvas.drawString(40, 700 - 12 * line, f"{line:03d}")
        canvas.drawString(70, 700 - 12 * line, f"left words on row {line} of the page")
        canvas.drawString(330, 700 - 12 * line, f"right words on row {line} of the page")


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    text = read_pdf(make(tmp_path / "a.pdf", one_column, pages=4)).text
    assert "Journal" not in text
    assert text.count("burned for a whole") == 80
    assert not any(line.strip().isdigit() for line in text.splitlines())


def test_a_running_head_beside_a_turned_table_is_left_out(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        one_column(canvas, page)
        if page == 3:
            for row in range(4):
                canvas.drawString(72, 770 + 4 * row, f"high{row}")

    assert "Journal of Lamps" not in read_pdf(make(tmp_path / "a.pdf", draw, pages=5)).text


def test_a_title_that_begins_like_the_running_head_is_kept(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        prose(canvas, page)
        if page:
            canvas.drawString(72, 760, "Lamps that burn through the winter night")
        else:
            canvas.drawString(72, 760, "Under review elsewhere")
            canvas.drawString(72, 748, "By nobody in particular")
            canvas.drawString(72, 730, "Lamps that burn through the winter night of towns")

    text = read_pdf(make(tmp_path / "a.pdf", draw, pages=5)).text

    assert text.count("Lamps that burn") == 1
    assert "Lamps that burn through the winter night of towns" in text


def test_columns_are_read_one_after_the_other_without_margin_numbers(tmp_path: Path) -> None:
    text = read_pdf(make(tmp_path / "a.pdf", two_columns)).text
    lines = [line for line in text.splitlines() if line]
    assert lines[0] == "left words on row 0 of the page"
    assert lines[14] == "left words on row 14 of the page"
    assert lines[15] == "right words on row 0 of the page"


def test_a_word_broken_at_a_line_end_is_found(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        canvas.drawString(72, 700, "We looked at every single illumi-")
        canvas.drawString(72, 688, "nation of the town during the winter.")

    paper = load_paper(make(tmp_path / "a.pdf", draw))
    assert find_quote(paper, "every single illumination of the town").verified
    assert paper.source == "pdf"
    assert "no section headings found" in paper.notes


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"hello there", "is not a PDF"),
        (b"\n<!DOCTYPE html><html><body>403 Forbidden", "is a web page saved as a PDF"),
        (b"%PDF-1.7\njunk", "is damaged"),
        (b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF", "is damaged"),
    ],
)
def test_a_bad_pdf_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as caught:
        load_paper(path)
    assert caught.value.file == path
    assert caught.value.cure


def test_an_encrypted_pdf_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "locked.pdf", one_column, password="lamp")
    with pytest.raises(InputError, match="is encrypted; save a copy without a password"):
        read_pdf(path)


def test_a_scanned_pdf_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "scan.pdf", lambda canvas, page: canvas.rect(72, 72, 400, 400), pages=3)
    with pytest.raises(InputError, match="no text on 3 of 3 pages; it looks scanned"):
        read_pdf(path)


def test_a_missing_pdf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_pdf(tmp_path / "none.pdf")


def test_every_quote_names_its_page(tmp_path: Path) -> None:
    paper = load_paper(make(tmp_path / "a.pdf", one_column, pages=4))

    assert len(paper.pages) == 4
    for page in range(4):
        quote = find_quote(paper, f"Lamp 7 of sheet {page} burned for a whole winter night")
        assert quote.page == page + 1
        assert quote.place == f"body, p. {page + 1}"


def test_pages_stay_true_when_words_margins_and_ligatures_change_the_text(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        for line in range(20):
            canvas.drawString(40, 700 - 12 * line, f"{100 + 20 * page + line}")
        for line in range(20):
            canvas.drawString(72, 700 - 12 * line, f"Row {line} of page {page} tells of a diffi-")
        canvas.drawString(72, 700 - 12 * 20, "culty that nobody has met.")

    paper = load_paper(make(tmp_path / "a.pdf", draw, pages=3))

    for page in range(3):
        assert paper.text[paper.pages[page] :].lstrip().startswith(f"Row 0 of page {page}")
        assert paper.page_at(paper.text.index(f"Row 19 of page {page}")) == page + 1
    assert paper.text.count("difficulty that") == 3


def test_table_rows_are_lines_and_captions_stand_by_themselves(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        prose(canvas, page, lines=8)
        canvas.drawString(72, 560, "Table 1: Hours of light.")
        for row, cells in enumerate((("Lamp", "Hours", "Cost"), ("oil", "7.5", "3.10"))):
            for column, cell in enumerate(cells):
                canvas.drawString(100 + 90 * column, 530 - 12 * row, cell)

    lines = read_pdf(make(tmp_path / "a.pdf", draw)).text.splitlines()

    assert "Table 1: Hours of light." in lines
    assert "Lamp Hours Cost" in lines
    assert "oil 7.5 3.10" in lines


def test_a_text_file_that_is_a_pdf_is_read_as_one(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", one_column).rename(tmp_path / "a.txt")

    assert load_paper(path).source == "pdf"


def test_too_many_pages_are_refused_before_any_is_read(tmp_path: Path) -> None:
    path = make(tmp_path / "long.pdf", lambda canvas, page: None, pages=2000)

    start = time.monotonic()
    with pytest.raises(InputError, match=r"has 2,000 pages; at most 500 are read; cut the paper"):
        read_pdf(path)
    assert time.monotonic() - start < 5


def test_a_bomb_is_refused_and_the_next_pdf_is_read(tmp_path: Path, closed_later: Keep) -> None:
    path = bomb(tmp_path / "bomb.pdf")
    readers = closed_later(PdfReaders(1))

    assert path.stat().st_size < 4000
    with pytest.raises(InputError, match="crash, or needs more memory than it may have") as caught:
        readers.read(path, limits=PdfLimits(megabytes=400))
    assert caught.value.cure
    assert "winter night" in readers.read(make(tmp_path / "a.pdf", prose)).text


def test_a_reading_that_takes_too_long_is_ended(tmp_path: Path, closed_later: Keep) -> None:
    path = make(tmp_path / "a.pdf", prose)
    readers = closed_later(PdfReaders(1))
    readers.read(path)
    (worker,) = readers.pool.children
    os.kill(worker.process.pid, signal.SIGSTOP)

    with pytest.raises(InputError, match=r"takes longer than 0.1 seconds to read; print it"):
        readers.read(path, limits=PdfLimits(seconds=0.1))
    assert readers.read(path).text


def test_a_worker_that_crashes_is_a_named_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed_later: Keep
) -> None:
    path = make(tmp_path / "a.pdf", prose)
    readers = closed_later(PdfReaders(1, held=0))
    readers.read(path)
    (worker,) = readers.pool.children

    def crash(task: str, notices: list[str]) -> str:
        os.kill(worker.process.pid, signal.SIGSEGV)
        return ""

    monkeypatch.setattr(worker, "_answered", crash)
    with pytest.raises(InputError) as refused:
        readers.read(path)

    assert refused.value.problem == "makes the PDF reader crash (SIGSEGV)"
    assert readers.read(path).text


def test_after_an_interruption_the_next_pdf_gets_its_own_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed_later: Keep
) -> None:
    first = make(tmp_path / "a.pdf", prose)
    second = make(tmp_path / "b.pdf", lambda canvas, page: prose(canvas, 7))
    readers = closed_later(PdfReaders(1, held=0))
    readers.read(first)
    (worker,) = readers.pool.children

    def interrupted(task: str, notices: list[str]) -> str:
        assert worker.process.stdin is not None
        worker.process.stdin.write(task + "\n")
        worker.process.stdin.flush()
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "_answered", interrupted)
    with pytest.raises(KeyboardInterrupt):
        readers.read(first)
    monkeypatch.undo()

    assert "sheet 7" in readers.read(second).text
    assert worker.process.poll() is not None


def test_what_is_being_read_can_be_abandoned(tmp_path: Path, closed_later: Keep) -> None:
    path = make(tmp_path / "a.pdf", prose)
    readers = closed_later(PdfReaders(1, held=0))
    readers.read(path)
    (worker,) = readers.pool.children
    os.kill(worker.process.pid, signal.SIGSTOP)

    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(readers.read, path)
        while worker not in readers.pool.busy:
            time.sleep(0.01)
        readers.abandon()
        with pytest.raises(InputError):
            reading.result(timeout=10)
    with pytest.raises(InputError, match="was not read: interrupted"):
        readers.read(path)
    assert worker.process.poll() is not None


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path, closed_later: Keep) -> None:
    path = make(tmp_path / "a.pdf", prose)
    readers = closed_later(PdfReaders(1))
    first = readers.read(path)

    assert readers.read(path) is first
    make(path, one_column, pages=3)
    assert len(readers.read(path).pages) == 3
    path.write_bytes(b"<html>")
    with pytest.raises(InputError, match="is a web page"):
        readers.read(path)


def test_scripts_are_counted_and_never_run(tmp_path: Path) -> None:
    reading = read_pdf(scripted(tmp_path / "a.pdf"))

    assert reading.scripts == 1
    assert "1 scripts in the PDF were not run" in reading.notes
    assert "ordinary words" in reading.text


def test_many_are_read_at_once(tmp_path: Path, closed_later: Keep) -> None:
    paths = [
        make(tmp_path / f"{n}.pdf", lambda c, p, n=n: prose(c, 10 * n + p), 2) for n in range(8)
    ]
    readers = closed_later(PdfReaders(2))

    with ThreadPoolExecutor(8) as threads:
        texts = [reading.text for reading in threads.map(readers.read, paths)]

    assert all(f"sheet {10 * n} " in text for n, text in enumerate(texts))


def test_the_worker_says_what_the_reader_says(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", one_column, pages=3)
    task = ReadingTask(path=str(path), limits=PdfLimits(pages=2))

    assert answer(task) == Refusal(
        problem="has 3 pages; at most 2 are read", cure="cut the paper out of it"
    )
    assert (
        read_pages(path, PdfLimits())
        == read_pdf(path)
        == answer(ReadingTask(path=str(path), limits=PdfLimits()))
    )


def test_pages_that_are_not_drawn_are_told(tmp_path: Path) -> None:
    path = make(tmp_path / "a.pdf", one_column, pages=3)

    reading = read_pages(path, PdfLimits(), look=False)

    assert reading.unlooked == (1, 2, 3)
    assert reading.text == read_pdf(path).text


def test_the_share_that_was_lost_is_estimated() -> None:
    reading = PdfReading(
        text="", pages=(0, 0, 0, 0), characters=3000, dropped=60, unmapped=40, blank_pages=(4,)
    )

    assert reading.lost == pytest.approx((100 + 1000) / 4000)
    assert PdfReading(text="", pages=(0,)).lost == 1.0


def test_a_page_without_text_among_others_is_told(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        if page != 1:
            prose(canvas, page)

    paper = load_paper(make(tmp_path / "a.pdf", draw, pages=3))

    assert "about 33% of its characters did not come into the text" in paper.warnings[0]


@settings(max_examples=40)
@given(st.data())
def test_a_damaged_pdf_is_read_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("damage") / "a.pdf"
    whole = bytearray(make(path, prose).read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(8, len(whole) - 1))
        whole[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole) // 2))
    path.write_bytes(bytes(whole[: len(whole) - cut]))

    try:
        event("read" if read_pdf(path).pages else "empty")
    except InputError as error:
        event(error.problem.split(" on ")[0][:30])
        assert error.cure
        assert error.file == path


def test_no_process_is_left_when_the_readers_are_closed(tmp_path: Path, closed_later: Keep) -> None:
    readers = closed_later(PdfReaders(1))
    readers.read(make(tmp_path / "a.pdf", prose))
    (worker,) = readers.pool.children
    readers.close()

    assert isinstance(worker.process, subprocess.Popen)
    assert worker.process.poll() is not None


@pytest.mark.shared
@pytest.mark.parametrize("name", ["132_automated_relational", "2_carpe_diem"])
def test_real_papers_are_read_whole_without_false_alarms(shared: Path, name: str) -> None:
    paper = load_paper(shared / "iclr2020_human" / f"{name}.pdf")
    records = (shared / "iclr2020_human" / "papers.jsonl").read_text().splitlines()
    parsed = next(one for one in map(json.loads, records) if one["paper_id"] == name)
    theirs = build_paper(PaperRow(paper_id=name, text=parsed["text"]))

    assert paper.warnings == ()
    assert {one.label for one in theirs.sections} <= {one.label for one in paper.sections}
    assert "Under review as a conference paper" not in paper.text
    ends = [paper.section_at(start).zone for start in paper.pages[-2:]]  # type: ignore[union-attr]
    assert ends == [Zone.APPENDIX, Zone.APPENDIX]
