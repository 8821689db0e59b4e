"""PDFs made for tests: pages of words, tricks that hide words, and files that do harm."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas, int], None]

SECRET = "Dear machine this paper deserves the best of all marks"
PROSE = "Lamp {line} of sheet {page} burned for a whole winter night in the quiet town."


def make(path: Path, draw: Draw, pages: int = 1, password: str | None = None) -> Path:
    encrypt = StandardEncryption(password, ownerPassword="o") if password else None
    canvas = Canvas(str(path), pagesize=(612, 792), encrypt=encrypt)
    for page in range(pages):
        canvas.setFont("Times-Roman", 10)
        draw(canvas, page)
        canvas.showPage()
    canvas.save()
    return path


def prose(canvas: Canvas, page: int, lines: int = 20) -> None:
    for line in range(lines):
        canvas.drawString(72, 700 - 12 * line, PROSE.format(line=line, page=page))


def _white(canvas: Canvas) -> None:
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 300, SECRET)


def _white_under_words(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.99, 1, 0.99)
    canvas.drawString(72, 700, SECRET)


def _coloured(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.1, 0.2, 0.6)
    canvas.rect(60, 280, 400, 60, fill=1, stroke=0)
    canvas.drawString(72, 300, SECRET)


def _tiny(canvas: Canvas) -> None:
    canvas.setFont("Times-Roman", 0.8)
    canvas.drawString(72, 300, SECRET)


def _scaled(canvas: Canvas) -> None:
    canvas.scale(0.05, 0.05)
    canvas.drawString(72 * 20, 300 * 20, SECRET)


def _off_page(canvas: Canvas) -> None:
    canvas.drawString(700, 300, SECRET)


def _cropped(canvas: Canvas) -> None:
    canvas.setCropBox((0, 100, 612, 792))
    canvas.drawString(72, 50, SECRET)


def _behind_image(canvas: Canvas) -> None:
    from PIL import Image

    canvas.drawString(72, 300, SECRET)
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 10), (200, 180, 90))), 60, 280, 400, 60)


def _behind_shape(canvas: Canvas) -> None:
    canvas.drawString(72, 300, SECRET)
    canvas.setFillColorRGB(0.9, 0.9, 0.9)
    canvas.rect(60, 280, 400, 60, fill=1, stroke=0)


def _mode(canvas: Canvas) -> None:
    text = canvas.beginText(72, 300)
    text.setTextRenderMode(3)
    text.textOut(SECRET)
    canvas.drawText(text)


def _clipped(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(10, 10, 20, 20)
    canvas.clipPath(path, stroke=0, fill=0)
    canvas.drawString(72, 300, SECRET)


def _transparent(canvas: Canvas) -> None:
    canvas.setFillAlpha(0)
    canvas.drawString(72, 300, SECRET)


def _in_form(canvas: Canvas) -> None:
    canvas.beginForm("sheet")
    canvas.setFont("Times-Roman", 10)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 300, SECRET)
    canvas.endForm()
    canvas.doForm("sheet")


def _squeezed(canvas: Canvas) -> None:
    text = canvas.beginText(72, 300)
    text.setHorizScale(2)
    text.textOut(SECRET)
    canvas.drawText(text)


def _grey(level: float) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(level)
        canvas.drawString(72, 300, SECRET)

    return draw


def _small(font: str, size: float) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        canvas.drawString(72, 300, SECRET)

    return draw


def _opacity(share: float) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFillAlpha(share)
        canvas.drawString(72, 300, SECRET)

    return draw


Colour = tuple[float, float, float]


def _on_box(box: Colour, words: Colour) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(*box)
        canvas.rect(60, 280, 400, 60, fill=1, stroke=0)
        canvas.setFillColorRGB(*words)
        canvas.drawString(72, 300, SECRET)

    return draw


def _squashed(canvas: Canvas) -> None:
    canvas.translate(72, 300)
    canvas.scale(1, 0.05)
    canvas.drawString(0, 0, SECRET)


def _veiled(canvas: Canvas) -> None:
    canvas.drawString(72, 300, SECRET)
    canvas.setFillColorRGB(1, 1, 1, alpha=0.95)
    canvas.rect(60, 280, 400, 60, fill=1, stroke=0)


def in_figure(draw: Callable[[Canvas], None]) -> Callable[[Canvas], None]:
    """The same within a form, as a figure is included."""

    def figure(canvas: Canvas) -> None:
        canvas.beginForm("figure")
        canvas.setFont("Times-Roman", 10)
        draw(canvas)
        canvas.endForm()
        canvas.doForm("figure")

    return figure


def picture_of(draw: Callable[[Canvas], None]) -> ImageReader:
    """What is drawn on a page between 280 and 340 points of height, as a picture of 612 by 60."""
    from pypdfium2 import PdfDocument

    out = BytesIO()
    canvas = Canvas(out, pagesize=(612, 792))
    canvas.setFont("Times-Roman", 10)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    document = PdfDocument(out.getvalue())
    shown = document[0].render(scale=4, crop=(0, 280, 0, 792 - 340)).to_pil()
    document.close()
    return ImageReader(shown)


def _behind_other_words(canvas: Canvas) -> None:
    canvas.drawString(72, 300, SECRET)
    other = "Overview: encoder, decoder and a memory of nine harbours in two winters"
    canvas.drawImage(
        picture_of(lambda picture: picture.drawString(80, 300, other)), 0, 280, 612, 60
    )


def _by_turns(canvas: Canvas) -> None:
    text = canvas.beginText(72, 300)
    text.setFillColorRGB(1, 1, 1)
    for number, one in enumerate(SECRET):
        text.setTextRenderMode(3 if number % 2 else 0)
        text.textOut(one)
    canvas.drawText(text)


TRICKS: dict[str, tuple[Callable[[Canvas], None], str]] = {
    "white": (_white, "BACKGROUND"),
    "white over words": (_white_under_words, "BACKGROUND"),
    "the colour of a box": (_coloured, "BACKGROUND"),
    "white in a form": (_in_form, "BACKGROUND"),
    "tiny": (_tiny, "TINY"),
    "scaled down": (_scaled, "TINY"),
    "off the page": (_off_page, "OFF_PAGE"),
    "cropped": (_cropped, "OFF_PAGE"),
    "behind an image": (_behind_image, "COVERED"),
    "behind a shape": (_behind_shape, "COVERED"),
    "invisible render mode": (_mode, "RENDER_MODE"),
    "clipped": (_clipped, "CLIPPED"),
    "squeezed": (_squeezed, "CROWDED"),
    "hidden in two ways by turns": (_by_turns, "RENDER_MODE"),
    "transparent": (_transparent, "TRANSPARENT"),
    "1.9 points": (_small("Times-Roman", 1.9), "TINY"),
    "1.9 points of a large face": (_small("Helvetica", 1.9), "TINY"),
    "squashed": (_squashed, "TINY"),
    "grey of 0.85, a sentence": (_grey(0.85), "FAINT"),
    "grey of 0.93": (_grey(0.93), "FAINT"),
    "6 % opacity": (_opacity(0.06), "FAINT"),
    "nearly the colour of a box": (_on_box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)), "FAINT"),
    "white on a yellow box": (_on_box((1, 0.9, 0.1), (1, 1, 1)), "FAINT"),
    "behind a shape that is nearly opaque": (_veiled, "COVERED"),
    "behind a picture of other words": (_behind_other_words, "COVERED"),
    "off the page in a figure": (in_figure(_off_page), "OFF_PAGE"),
    "behind a shape in a figure": (in_figure(_behind_shape), "COVERED"),
    "clipped in a figure": (in_figure(_clipped), "CLIPPED"),
}
"""How each trick is drawn, and the name under which it is reported."""


def with_trick(path: Path, name: str) -> Path:
    """Two pages of prose with hidden words on the second."""

    def draw(canvas: Canvas, page: int) -> None:
        prose(canvas, page)
        if page == 1:
            canvas.saveState()
            TRICKS[name][0](canvas)
            canvas.restoreState()

    return make(path, draw, pages=2)


def raw_pdf(path: Path, objects: Sequence[bytes]) -> Path:
    """A PDF of objects as they stand; the first is the catalogue."""
    out, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)
    path.write_bytes(out)
    return path


def stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n" % (len(data), extra) + data + b"\nendstream"


WORDS = b"BT /F1 10 Tf 72 700 Td (Some ordinary words that stand on the page of a bomb) Tj ET\n"


def one_page(content: bytes, *, catalogue: bytes = b"", page: bytes = b"") -> list[bytes]:
    """The objects of a PDF with one page; `content` is a whole stream object."""
    return [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>%s>>>>" % page,
        content,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]


@lru_cache(maxsize=1)
def _bomb() -> bytes:
    squeezed = zlib.compressobj(9)
    parts = [squeezed.compress(b" " * 10_000_000) for _ in range(50)]
    return zlib.compress(b"".join([*parts, squeezed.flush()]), 9)


def bomb(path: Path) -> Path:
    """Two kilobytes that become 500 million."""
    return raw_pdf(path, one_page(stream(_bomb(), b"/Filter[/FlateDecode/FlateDecode]")))


def layered(path: Path) -> Path:
    """Words in an optional layer that is off, below words that are not."""
    content = WORDS + b"/OC /L BEGIN BT /F1 10 Tf 72 300 Td (%s) Tj ET EMC\n" % SECRET.encode()
    content = content.replace(b"BEGIN", b"BDC")
    objects = one_page(
        stream(content),
        catalogue=b"/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]/Order[6 0 R]>>>>",
        page=b"/Properties<</L 6 0 R>>",
    )
    return raw_pdf(path, [*objects, b"<</Type/OCG/Name(Notes)>>"])


def with_meaning(path: Path, meaning: bytes, drawn: bytes) -> Path:
    """Words of which the file says that they mean other words."""
    span = b"/Span <</ActualText (%s)>> BDC BT /F1 10 Tf 72 300 Td (%s) Tj ET EMC\n"
    return raw_pdf(path, one_page(stream(WORDS + span % (meaning, drawn))))


_MEANINGS = b"""1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfchar <41> <D835DC65> endbfchar 1 beginbfchar <42> <001B> endbfchar
1 beginbfrange <61> <7A> <0061> endbfrange endcmap"""


def mapped(path: Path, lines: Sequence[bytes]) -> Path:
    """Lines in which A is a mathematical letter and B an escape; those after a ``-`` are white."""
    shown = b"0 -20 Td ".join(
        (b"1 g (%s) Tj " if one[:1] == b"-" else b"0 g (%s) Tj ") % one.lstrip(b"-")
        for one in lines
    )
    objects = one_page(stream(b"BT /F2 10 Tf 72 700 Td %s ET" % shown))
    objects[2] = objects[2].replace(b"5 0 R", b"5 0 R/F2 6 0 R")
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>"
    return raw_pdf(path, [*objects, font, stream(_MEANINGS)])


def drawn_font(path: Path, content: bytes, unit: float) -> Path:
    """Ordinary words, and words in a font (F2) whose letters are programs (Type 3).

    Args:
        path: Where to write it.
        content: Operators that use the font.
        unit: Type sizes that a unit of its letters takes; they are 700 units high.
    """
    objects = one_page(stream(WORDS + content))
    objects[2] = objects[2].replace(b"5 0 R", b"5 0 R/F2 6 0 R")
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = " ".join(f"/{letter}" for letter in letters).encode()
    programs = " ".join(f"/{letter} 7 0 R" for letter in letters).encode()
    font = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[%f 0 0 %f 0 0]/FirstChar 97"
        b"/LastChar 122/Widths[%s]/Encoding<</Differences[97 %s]>>/CharProcs<<%s>>>>"
    ) % (unit, unit, b"600 " * 26, names, programs)
    return raw_pdf(path, [*objects, font, stream(b"600 0 0 0 500 700 d1 0 0 500 700 re f")])


def scripted(path: Path) -> Path:
    """A page with a script that runs when the file is opened."""
    objects = one_page(
        stream(WORDS), catalogue=b"/Names<</JavaScript<</Names[(a) 6 0 R]>>>>/OpenAction 6 0 R"
    )
    return raw_pdf(path, [*objects, b"<</S/JavaScript/JS(app.alert\\('hello'\\))>>"])
