"""PDFs are read in reading order, or refused with a reason and a cure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from reviewscore.errors import InputError
from reviewscore.papers.load import load_paper
from reviewscore.papers.pdf import pdf_text
from reviewscore.papers.quotes import find_quote

Draw = Callable[[Canvas, int], None]


def make(path: Path, draw: Draw, pages: int = 1, password: str | None = None) -> Path:
    encrypt = StandardEncryption(password, ownerPassword="o") if password else None
    canvas = Canvas(str(path), pagesize=(612, 792), encrypt=encrypt)
    for page in range(pages):
        canvas.setFont("Times-Roman", 10)
        draw(canvas, page)
        canvas.showPage()
    canvas.save()
    return path


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
    text = pdf_text(make(tmp_path / "a.pdf", one_column, pages=4))
    assert "Journal" not in text
    assert text.count("burned for a whole") == 80
    assert not any(line.strip().isdigit() for line in text.splitlines())


def test_columns_are_read_one_after_the_other_without_margin_numbers(tmp_path: Path) -> None:
    text = pdf_text(make(tmp_path / "a.pdf", two_columns))
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
    assert paper.notes == ("no section headings found",)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"hello there", "is not a PDF"),
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
        pdf_text(path)


def test_a_scanned_pdf_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "scan.pdf", lambda canvas, page: canvas.rect(72, 72, 400, 400), pages=3)
    with pytest.raises(InputError, match="no text on 3 of 3 pages; it looks scanned"):
        pdf_text(path)


def test_a_missing_pdf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        pdf_text(tmp_path / "none.pdf")
