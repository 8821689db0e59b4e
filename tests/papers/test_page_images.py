"""Pages of PDFs as images: what is drawn, at what size, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers import page_images as drawing
from reviewscore.papers.page_images import page_images
from tests.papers.pdfs import bomb, make, prose, with_trick


def picture(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


def sized(path: Path, width: float, height: float) -> Path:
    canvas = Canvas(str(path), pagesize=(width, height))
    canvas.drawString(10, 10, "Some words.")
    canvas.save()
    return path


def test_pages_are_drawn_in_order_and_equal_pages_have_equal_hashes(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        prose(canvas, page % 2)

    pages = page_images(make(tmp_path / "a.pdf", draw, pages=4), [1, 3, 4])

    assert pages.count == 4
    assert [image.page for image in pages.images] == [1, 3, 4]
    first, second, third = (image.sha256 for image in pages.images)
    assert first == second != third
    for image in pages.images:
        assert picture(image.png).size == image.size == (935, 1210)


def test_pages_without_colour_are_grey_and_others_keep_theirs(tmp_path: Path) -> None:
    def draw(canvas: Canvas, page: int) -> None:
        canvas.setFillColorRGB(*((0.8, 0, 0) if page else (0.3, 0.3, 0.3)))
        canvas.rect(100, 100, 200, 200, fill=1)

    grey, red = page_images(make(tmp_path / "a.pdf", draw, pages=2)).images

    assert picture(grey.png).mode == "L"
    assert picture(red.png).getpixel((300, 900)) == (204, 0, 0)


@pytest.mark.parametrize(
    "trick",
    ["white", "behind a shape", "off the page", "cropped", "invisible render mode", "clipped",
     "transparent"],
)  # fmt: skip
def test_what_people_cannot_see_is_in_no_image(tmp_path: Path, trick: str) -> None:
    clean, sly = page_images(with_trick(tmp_path / "sly.pdf", trick)).images

    def colours(png: bytes, top: int, bottom: int) -> int:
        found = picture(png).convert("L").crop((0, top, 900, bottom)).getcolors(100_000)
        return len(found or ())

    assert colours(clean.png, 120, 450) > 20  # the edges of letters
    assert colours(sly.png, 640, 820) <= 2  # the ground, and the shape that covers the words


@pytest.mark.parametrize(
    ("page", "width", "height"),
    [
        ((595, 842), 910, 1287),
        ((842, 595), 1287, 910),
        ((2384, 3370), 922, 1303),
        ((72, 3000), 38, 1568),
    ],
)
def test_larger_pages_are_drawn_smaller(
    tmp_path: Path, page: tuple[float, float], width: int, height: int
) -> None:
    path = sized(tmp_path / "a.pdf", *page)

    (drawn,) = page_images(path).images
    (told,) = page_images(path, draw=False).images

    assert drawn.size == told.size == (width, height)
    assert width * height <= 1.01 * drawing.MOST_PIXELS
    assert told.base64 == told.sha256 == ""


def test_too_many_pages_and_too_many_bytes_are_refused_with_a_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MOST_PAGES", 3)
    path = make(tmp_path / "a.pdf", prose, pages=4)

    with pytest.raises(InputError, match="has 4 pages to show; at most 3") as many:
        page_images(path)
    assert "--paper-as text" in str(many.value)
    assert len(page_images(path, [1, 2, 4]).images) == 3

    monkeypatch.setattr(drawing, "MOST_BYTES", 1000)
    with pytest.raises(TooLargeError, match=r"more than 0\.001 MB by page 1") as large:
        page_images(path, [1])
    assert "--paper-parts main" in str(large.value)


def test_files_that_cannot_be_drawn_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing of the kind")

    with pytest.raises(InputError, match=r"broken\.pdf: cannot be drawn"):
        page_images(broken)
    with pytest.raises(InputError, match=r"locked\.pdf: cannot be drawn .*password"):
        page_images(make(tmp_path / "locked.pdf", prose, password="secret"))
    with pytest.raises(InputError, match=r"bomb\.pdf: "):
        page_images(bomb(tmp_path / "bomb.pdf"))
