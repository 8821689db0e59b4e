"""The text of a PDF, in reading order and without page furniture."""

from __future__ import annotations

import re
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.errors import InputError
from reviewscore.papers.clean import LIGATURES, without_margin_numbers
from reviewscore.papers.pdf_layout import Line, in_reading_order, paragraphs, rows

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_LOCK = threading.Lock()
"""PDFium must not be entered by two threads at once."""

_HEAD = 1024
"""Bytes within which a PDF names itself."""
_MIN_PAGE_CHARACTERS = 25
"""Visible characters below which a page counts as an image."""
_EDGE_LINES = 2
_REPEATS = 3
_REPEAT_SHARE = 0.4
_PAGE_NUMBER = re.compile(r"\W{0,3}(?:page )?(?:\d{1,4}|[ivxlc]{1,6})(?: of \d{1,4})?\W{0,3}", re.I)
_LINE = re.compile(r"[^\r\n]+")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[\ufffe\x02][ \r\n]*([^\W\d_]+)")
_HYPHEN_MARK = re.compile(r"[\ufffe\x02][ \r\n]*")


def pdf_text(path: Path) -> str:
    """The text of a PDF file.

    Columns are read one after the other, repeated lines at the top and bottom of pages, page
    numbers and margin line numbers are left out, words broken at line ends are joined, ligatures
    are spelled out, paragraphs and headings are parted by empty lines.

    Raises:
        InputError: If the file is missing, empty, damaged, encrypted, no PDF, or scanned.
    """
    _check(path)
    with _LOCK:
        document = _open(path)
        try:
            pages = [_lines(page) for page in document]
        finally:
            document.close()
    _check_for_text(path, pages)
    furniture = _repeated(pages)
    texts = [paragraphs(_body(lines, furniture)) for lines in pages]
    text = without_margin_numbers("\n\n".join(filter(None, texts)))
    text = re.sub(r"\n{3,}", "\n\n", text)  # what the margin numbers leave behind
    return _whole_words(text).translate(LIGATURES)


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
    if not head:
        raise InputError("is empty", file=path, cure="save or download the PDF again")
    if b"%PDF-" not in head:
        raise InputError(
            "is not a PDF", file=path, cure="give a PDF, or name a text file .txt or .md"
        )


def _open(path: Path) -> PdfDocument:
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(path)
        if len(document) > 0:
            return document
    except PdfiumError as error:
        if "password" in str(error).lower():
            raise InputError(
                "is encrypted", file=path, cure="save a copy without a password"
            ) from error
        raise _damaged(path) from error
    raise _damaged(path)


def _damaged(path: Path) -> InputError:
    return InputError(
        "is damaged and cannot be opened", file=path, cure="save or download the PDF again"
    )


def _check_for_text(path: Path, pages: list[list[Line]]) -> None:
    bare = sum(1 for lines in pages if _visible(lines) < _MIN_PAGE_CHARACTERS)
    if 2 * bare > len(pages):
        raise InputError(
            f"has no text on {bare} of {len(pages)} pages; it looks scanned",
            file=path,
            cure="run text recognition over it (such as ocrmypdf) and try again",
        )


def _visible(lines: list[Line]) -> int:
    return sum(len(line.text.replace(" ", "")) for line in lines)


def _lines(page: PdfPage) -> list[Line]:
    """The lines of a page in reading order, fragments of a row (such as indices) joined."""
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

    try:
        text_page = page.get_textpage()
    except PdfiumError:  # one broken page does not cost the paper
        return []
    text = text_page.get_text_range()
    found: list[Line] = []

    def place(index: int) -> int:
        """The number of a character on the page; characters without a letter are not in text."""
        return max(0, int(FPDFText_GetCharIndexFromTextIndex(text_page.raw, index)))

    for match in _LINE.finditer(text):
        start, end = place(match.start()), place(match.end() - 1) + 1
        count = text_page.count_rects(start, end - start)
        boxes = [text_page.get_rect(index) for index in range(count)]
        if boxes and match.group().strip():
            found.append(Line.of_boxes(match.group(), boxes, match.start()))

    def left_edge(index: int) -> float:
        left: float = text_page.get_charbox(place(index))[0]
        return left

    return in_reading_order(rows(found), page.get_width(), left_edge)


def _edges(lines: list[Line]) -> list[Line]:
    """The topmost and bottommost lines of a page."""
    ordered = sorted(lines, key=lambda line: -line.top)
    return ordered[:_EDGE_LINES] + ordered[-_EDGE_LINES:]


def _pattern(line: Line) -> str:
    return re.sub(r"^\d+\b|\b\d+$", "#", line.text.strip())


def _repeated(pages: list[list[Line]]) -> set[str]:
    """What stands at the top or bottom of many pages, numbers aside."""
    counts = Counter(
        pattern for lines in pages for pattern in {_pattern(line) for line in _edges(lines)}
    )
    enough = max(_REPEATS, _REPEAT_SHARE * len(pages))
    return {pattern for pattern, count in counts.items() if count >= min(enough, len(pages))} - (
        set() if len(pages) > 1 else set(counts)
    )


def _body(lines: list[Line], furniture: set[str]) -> list[Line]:
    edges = {id(line) for line in _edges(lines)}
    return [
        line
        for line in lines
        if id(line) not in edges
        or not (_pattern(line) in furniture or _PAGE_NUMBER.fullmatch(line.text.strip()))
    ]


def _whole_words(text: str) -> str:
    """Joins words broken at line ends; a hyphen stays if the paper writes it elsewhere."""
    words = set(re.findall(r"(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)+", text))
    plain = set(re.findall(r"[^\W\d_]+", text))

    def joined(match: re.Match[str]) -> str:
        hyphenated, whole = f"{match[1]}-{match[2]}", match[1] + match[2]
        return hyphenated if hyphenated in words and whole not in plain else whole

    return _HYPHEN_MARK.sub("-", _BROKEN_WORD.sub(joined, text))
