"""Reads a PDF by PDFium: lines, furniture, hidden text, and the text with its pages.

It runs in a worker process (`main`: one task a line in, one line of JSON each out; see `pdf`),
because a PDF may eat memory and time or crash its reader, and none of that may reach the program.
It reads the file it is told to read and nothing else.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage, raw

from reviewscore.errors import InputError
from reviewscore.papers.clean import WrittenWords, spelled_out
from reviewscore.papers.hidden import Hidden
from reviewscore.papers.offsets import MappedText
from reviewscore.papers.page_drawing import drawn
from reviewscore.papers.page_images import DrawingTask
from reviewscore.papers.page_places import PlacingTask
from reviewscore.papers.page_search import placed
from reviewscore.papers.pdf import DRAWING, PdfLimits, PdfReading, ReadingTask, Refusal
from reviewscore.papers.pdf_hidden_text import HiddenPage
from reviewscore.papers.pdf_layout import (
    PrintedLine,
    PrintedTitle,
    floats_after_paragraphs,
    in_reading_order,
    paragraphs,
    printed_rows,
    printed_title,
    rows,
    sentence_goes_on,
)
from reviewscore.papers.pdf_line_numbers import (
    NO_GLYPHS,
    Number,
    PageGlyphs,
    line_numbers,
    numbered_rows,
    page_glyphs,
)
from reviewscore.papers.pdf_visibility import draw, glyphs, hidden_glyphs, is_scan
from reviewscore.processes.serve import end_after, limit_memory, serve
from reviewscore.schema.paper import Box, TextLine

_MIN_PAGE_CHARACTERS = 25
"""Visible characters below which a page counts as an image."""
_LOOKING_SHARE = 0.25
"""Share of the time limit after which pages are no longer drawn."""
_SAMPLED_PAGES = 4
"""Pages, about, from which the size of body text is taken."""
_EDGE_LINES = 2
_REPEATS = 3
_LONG = 25
"""Characters of a running head that no line of the text repeats by chance."""
_REPEAT_SHARE = 0.4
_PAGE_NUMBER = re.compile(
    r"(?!\(\d+\)\Z)\W{0,3}(?:page )?(?:\d{1,5}|[ivxlc]{1,6})(?: of \d{1,4})?[^\w.]{0,3}", re.I
)
"""A number in parentheses is an equation's."""
_NUMBER_AFTER_HYPHEN = re.compile(r"(?<=[\ufffe\x02])\s*(\d{1,5})\s*\Z")
_LINE = re.compile(r"[^\r\n]+")
_AFTER_NUMBER = re.compile(r"\s*\d*\s+([^\s\d].*)")
_SPACES = re.compile(r"\A\n+|\n{3,}")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[\ufffe\x02][ \r\n]*([^\W\d_]+)")
_BROKEN_COMPOUND = re.compile(r"(?<=[a-z])[\ufffe\x02][ \r\n]*(?=[A-Z])")
_HYPHEN_MARK = re.compile(r"[\ufffe\x02][ \r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HIGH = re.compile("[\ud800-\udbff]")
_CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
_NO_LETTER = re.compile("[\x00\x01\x03-\x1f\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]")
"""Private use and control characters; U+0002 stands for a hyphen."""


@dataclass(frozen=True)
class _PageText:
    """The lines of one page, in reading order, and what was seen of it."""

    lines: list[PrintedLine]
    hidden: tuple[Hidden, ...] = ()
    characters: int = 0
    dropped: int = 0
    unmapped: int = 0
    scan: bool = False
    unlooked: bool = False
    glyphs: PageGlyphs = NO_GLYPHS
    doomed: frozenset[int] = frozenset()
    """Places of hidden characters."""
    numbers: tuple[Number, ...] = ()
    """Its line numbers, which are no part of its lines."""


def read_pages(
    path: Path,
    limits: PdfLimits,
    *,
    look: bool = True,
    drawing: Callable[[], None] = lambda: None,
) -> PdfReading:
    """The text of a PDF and what happened to the rest of it.

    Args:
        path: The file.
        limits: Most pages; a quarter of the time is for drawing pages.
        look: Whether pages are drawn, to find text that people cannot see.
        drawing: Told before the first page is drawn.

    Raises:
        InputError: If the file is damaged, encrypted, scanned, or has too many pages.
    """
    document = _open(path)
    try:
        if len(document) > limits.pages:
            raise InputError(
                f"has {len(document):,} pages; at most {limits.pages:,} are read",
                file=path,
                cure="cut the paper out of it",
            )
        until = time.monotonic() + limits.seconds * _LOOKING_SHARE
        pages = []
        body = cache(partial(_body_size, document))
        for number in range(len(document)):
            looking = look and time.monotonic() < until
            pages.append(_page_text(document, number, drawing if looking else None, body))
            if looking:
                drawing = _already_said
        pages = _without_line_numbers(document, pages)
        title = printed_title(pages[0].lines, pages[0].glyphs, document.get_page_size(0)[1])
        scripts = max(0, int(raw.FPDFDoc_GetJavaScriptActionCount(document.raw)))
    finally:
        document.close()
    blank = tuple(n for n, page in enumerate(pages, 1) if page.characters < _MIN_PAGE_CHARACTERS)
    if 2 * len(blank) > len(pages) and not any(page.hidden for page in pages):
        raise InputError(
            f"has no text on {len(blank)} of {len(pages)} pages; it looks scanned",
            file=path,
            cure="run text recognition over it (such as ocrmypdf) and try again",
        )
    return _reading(pages, blank, scripts, title)


def _without_line_numbers(document: PdfDocument, pages: list[_PageText]) -> list[_PageText]:
    """The pages without the numbers that are printed beside their lines, where there are any."""
    by_page: dict[int, list[Number]] = {}
    for column in line_numbers([page.glyphs for page in pages]):
        for number in column:
            by_page.setdefault(number.page, []).append(number)
    return [
        _reread(document, number, page, tuple(by_page[number])) if number in by_page else page
        for number, page in enumerate(pages)
    ]


def _reread(
    document: PdfDocument, number: int, page: _PageText, numbers: tuple[Number, ...]
) -> _PageText:
    places = {place for number in numbers for place in number.places}
    opened = document[number]
    text_page = opened.get_textpage()
    try:
        lines = _lines(opened, text_page, page.doomed | places)
    finally:
        text_page.close()
        opened.close()
    visible = page.characters - len(places - page.doomed)
    dropped = _dropped(visible, lines)
    return replace(page, lines=lines, numbers=numbers, characters=visible, dropped=dropped)


def _dropped(visible: int, lines: Sequence[PrintedLine]) -> int:
    """How many of a page's visible characters did not come into its lines."""
    return max(0, visible - sum(len("".join(line.text.split())) for line in lines))


def _open(path: Path) -> PdfDocument:
    try:
        document = PdfDocument(path)
        if len(document) > 0:
            return document
    except PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise InputError(
                "is encrypted", file=path, cure="save a copy without a password"
            ) from error
        raise _damaged(path) from error
    raise _damaged(path)


def _damaged(path: Path) -> InputError:
    return InputError(
        "is damaged and cannot be opened", file=path, cure="save or download the PDF again"
    )


def _reading(
    pages: list[_PageText], blank: tuple[int, ...], scripts: int, title: PrintedTitle
) -> PdfReading:
    """The pages put together, furniture left out."""
    repeated = _repeated([page.lines for page in pages])
    # On the first page the title may be what later runs along the head.
    pages[1:] = [replace(page, lines=_without_heads(page.lines, repeated)) for page in pages[1:]]
    bodies = [_body(page.lines, repeated, first=page is pages[0]) for page in pages]
    kept = {id(line) for body in bodies for line in body}
    bodies = floats_after_paragraphs(bodies)
    furniture = [line.text.strip() for page in pages for line in page.lines if id(line) not in kept]
    parts, starts, length = [], [], 0
    rows: list[tuple[int, int, Box, int | None]] = []
    for number, (page, body, after) in enumerate(
        zip(pages, bodies, [*bodies[1:], []], strict=True), 1
    ):
        starts.append(length)
        part, offsets = paragraphs(body)
        if part:
            parts += [part, "\n" if sentence_goes_on(body, after) else "\n\n"]
            rows += _printed(page, number, body, [length + offset for offset in offsets])
            length += len(part) + len(parts[-1])
    mapped = MappedText("".join(parts[:-1])).rewrite(_SURROGATE, lambda _: "\ufffd")
    levelled = mapped.rewrite(_SPACES, lambda match: "\n\n" if match.start() else "")
    text = spelled_out(_whole_words(levelled, levelled.text))
    count = sum(len(page.numbers) for page in pages)
    notes = []
    if scripts:
        notes.append(f"{scripts} scripts in the PDF were not run")
    if count:
        notes.append(f"{count} line numbers were taken out of the text")
    if title.doubt:
        notes.append(title.doubt if not title.lines else f"the title is not sure: {title.doubt}")
    return PdfReading(
        text=text.text,
        title=_title(title.lines, levelled.text),
        title_doubt=title.doubt,
        pages=tuple(text.place_of(start) for start in starts),
        lines=tuple(
            TextLine(start=text.place_of(start), page=page, box=_rounded(box), number=printed)
            for start, page, box, printed in rows
        ),
        furniture=tuple(furniture) + ((f"{count} line numbers",) if count else ()),
        hidden=tuple(hidden_text for page in pages for hidden_text in page.hidden),
        characters=sum(page.characters for page in pages),
        dropped=sum(page.dropped for page in pages),
        unmapped=sum(page.unmapped for page in pages),
        blank_pages=blank,
        unlooked=tuple(number for number, page in enumerate(pages, 1) if page.unlooked),
        scans=tuple(number for number, page in enumerate(pages, 1) if page.scan),
        scripts=scripts,
        notes=tuple(notes),
    )


def _printed(
    page: _PageText, number: int, body: Sequence[PrintedLine], offsets: Sequence[int]
) -> Iterator[tuple[int, int, Box, int | None]]:
    """Offset, page, box and line number of each printed row of a page."""
    rows = [
        (offset + start, box)
        for line, offset in zip(body, offsets, strict=True)
        for start, box in printed_rows(line)
    ]
    beside = numbered_rows(page.numbers, [box for _, box in rows])
    for (offset, box), numbers in zip(rows, beside, strict=True):
        for printed in tuple(numbers) or (None,):
            yield offset, number, box, printed


def _rounded(box: Box) -> Box:
    left, bottom, right, top = (round(edge, 1) for edge in box)
    return left, bottom, right, top


def _already_said() -> None:
    """The caller knows that pages are drawn."""


def _page_text(
    document: PdfDocument,
    number: int,
    drawing: Callable[[], None] | None,
    body: Callable[[], float],
) -> _PageText:
    try:
        page = document[number]
        text_page = page.get_textpage()
    except PdfiumError:  # one broken page does not cost the paper
        return _PageText([])
    try:
        return _seen_text(page, text_page, number + 1, drawing, body)
    finally:
        text_page.close()
        page.close()


def _seen_text(
    page: PdfPage,
    text_page: PdfTextPage,
    number: int,
    drawing: Callable[[], None] | None,
    body: Callable[[], float],
) -> _PageText:
    """The lines of a page that people can see, and the stretches that they cannot."""
    shown_glyphs = glyphs(page, text_page)
    picture = None
    if drawing is not None and len(shown_glyphs.index):
        drawing()
        try:
            picture = draw(page, shown_glyphs)
        except (PdfiumError, ValueError):  # a page that cannot be drawn
            picture = None
    tricks = hidden_glyphs(shown_glyphs, picture, body)
    scan = is_scan(page, tricks)
    hidden: tuple[Hidden, ...] = ()
    doomed: frozenset[int] = frozenset()
    if not scan:
        characters = partial(_characters, text_page)
        hidden, doomed = HiddenPage(
            page, number, shown_glyphs, tricks, characters, picture
        ).hidden()
    lines = _lines(page, text_page, doomed)
    visible = [chr(code) for at, code in zip(shown_glyphs.index, shown_glyphs.code, strict=True)
               if int(at) not in doomed]  # fmt: skip
    return _PageText(
        lines=lines,
        hidden=hidden,
        characters=len(visible),
        dropped=_dropped(len(visible), lines),
        unmapped=sum(1 for code in visible if _NO_LETTER.match(code)),
        scan=scan,
        unlooked=picture is None and len(shown_glyphs.index) > 0,
        glyphs=page_glyphs(shown_glyphs, number - 1),
        doomed=doomed,
    )


def _body_size(document: PdfDocument) -> float:
    """The type size of most text on some pages all over a document, in points; 0 without text."""
    sizes = []
    for number in range(0, len(document), max(1, len(document) // _SAMPLED_PAGES)):
        try:
            page = document[number]
            text_page = page.get_textpage()
        except PdfiumError:
            continue
        sizes.append(glyphs(page, text_page).sizes)
        text_page.close()
        page.close()
    every = np.concatenate(sizes) if sizes else np.empty(0)
    return float(np.median(every)) if len(every) else 0.0


def _characters(text_page: PdfTextPage) -> list[str]:
    """What stands at each place of a page; a pair of surrogates stands at its first place.

    Control characters come as spaces, since what is hidden is shown on terminals.
    """
    count = text_page.count_chars()
    codes = [int(raw.FPDFText_GetUnicode(text_page.raw, at)) for at in range(count)]
    texts = [_CONTROL.sub(" ", chr(code)) if code else "" for code in codes]
    for at, (text, other) in enumerate(pairwise([*texts, ""])):
        if _SURROGATE.match(text):
            pair = (text + other).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
            texts[at] = pair if _HIGH.match(text) and pair else ""
    return texts


def _lines(page: PdfPage, text_page: PdfTextPage, doomed: Set[int]) -> list[PrintedLine]:
    """The lines of a page in reading order, fragments of a row (such as indices) joined.

    Args:
        page: The page.
        text_page: Its text.
        doomed: Places of characters to leave out.
    """
    text = text_page.get_text_range()

    # PDFium counts in UTF-16: a mathematical letter counts twice.
    units = [0, *accumulate(2 if value > "\uffff" else 1 for value in text)]

    def place(index: int) -> int:
        """The number of a character on the page; characters without a letter are not in text."""
        return max(0, int(raw.FPDFText_GetCharIndexFromTextIndex(text_page.raw, units[index])))

    if doomed:  # a line end in its place parts what stands before and after
        text = "".join("\r" if place(at) in doomed else value for at, value in enumerate(text))
    lines: list[PrintedLine] = []
    for match in _LINE.finditer(text):
        for begin, stop in _parted(match, lambda at: text_page.get_charbox(place(at))):
            start, end = place(begin), place(stop - 1) + 1
            count = text_page.count_rects(start, end - start)
            boxes = [text_page.get_rect(index) for index in range(count)]
            if boxes and text[begin:stop].strip():
                lines.append(PrintedLine.of_boxes(text[begin:stop], boxes, begin))

    def left_edge(index: int) -> float:
        left: float = text_page.get_charbox(place(index))[0]
        return left

    return in_reading_order(rows(lines), page.get_width(), left_edge)


def _parted(line: re.Match[str], box: Callable[[int], Box]) -> Iterator[tuple[int, int]]:
    """Where the parts of a line begin and end.

    PDFium takes the number of a page for the rest of a word that is broken at the page's end.
    """
    number = _NUMBER_AFTER_HYPHEN.search(line.group())
    cut = line.start() + number.start(1) if number else line.end()
    if number and number.start() > 1:
        before, after = box(line.start() + number.start() - 2), box(cut)
        if before[1] - after[3] <= before[3] - before[1]:  # no further than the next line
            cut = line.end()
    yield line.start(), cut
    if cut < line.end():
        yield cut, line.end()


def _edges(lines: list[PrintedLine]) -> list[PrintedLine]:
    """The topmost and bottommost lines of a page."""
    ordered = sorted(lines, key=lambda line: -line.top)
    return ordered[:_EDGE_LINES] + ordered[-_EDGE_LINES:]


def _pattern(line: PrintedLine) -> str:
    return re.sub(r"^\d+\b|\b\d+$", "#", line.text.strip())


def _repeated(pages: list[list[PrintedLine]]) -> set[str]:
    """What stands at the top or bottom of many pages, numbers aside."""
    counts = Counter(
        pattern for lines in pages for pattern in {_pattern(line) for line in _edges(lines)}
    )
    enough = max(_REPEATS, _REPEAT_SHARE * len(pages))
    return {pattern for pattern, count in counts.items() if count >= min(enough, len(pages))} - (
        set() if len(pages) > 1 else set(counts)
    )


def _body(lines: list[PrintedLine], furniture: set[str], *, first: bool) -> list[PrintedLine]:
    edges = {id(line) for line in _edges(lines)}
    # Away from the edges (beside a turned table) only a long line is known by its words.
    long = {text for text in furniture if len(text) >= _LONG and not first}
    return [
        line
        for line in lines
        if not _is_furniture(line, furniture if id(line) in edges else long, edge=id(line) in edges)
    ]


def _without_heads(lines: list[PrintedLine], furniture: set[str]) -> list[PrintedLine]:
    """The lines, a running head that runs into the line of a turned table parted from it."""
    heads = [text.removesuffix("#").strip() for text in furniture if len(text) >= _LONG]
    parted: list[PrintedLine] = []
    for line in lines:
        text = line.text.strip()
        head = next((head for head in heads if text.startswith(head)), None)
        rest = None if head is None else _AFTER_NUMBER.fullmatch(text[len(head) :])
        if rest is None:
            parted.append(line)
        else:
            cut = len(text) - len(rest[1])
            parted += [replace(line, text=text[:cut].strip()), replace(line, text=rest[1])]
    return parted


def _is_furniture(line: PrintedLine, furniture: set[str], *, edge: bool) -> bool:
    """Whether a line repeats, or is a page number at the edge of its page."""
    numbered = edge and _PAGE_NUMBER.fullmatch(line.text.strip()) is not None
    return numbered or _pattern(line) in furniture


def _title(lines: Sequence[str], paper: str) -> str:
    """The lines of a title as one; a compound that ends a line keeps its hyphen."""
    joined = re.sub(r"(?<=\w)- (?=\w)", "-", " ".join(lines))
    joined = _BROKEN_COMPOUND.sub("-", joined)
    words = spelled_out(_whole_words(MappedText(_SURROGATE.sub("\ufffd", joined)), paper)).text
    return " ".join(words.split())


def _whole_words(mapped: MappedText, paper: str) -> MappedText:
    """Joins words broken at line ends; a hyphen stays if the paper writes it elsewhere.

    Args:
        mapped: The text.
        paper: The whole text of the paper.
    """
    words = WrittenWords(paper)

    def joined(match: re.Match[str]) -> str:
        return match[1] + ("-" if words.writes_hyphen(match[1], match[2]) else "") + match[2]

    return mapped.rewrite(_BROKEN_WORD, joined).rewrite(_HYPHEN_MARK, lambda _: "-")


_GRACE = 2.0
"""Seconds after its limit at which a worker that nobody stopped ends itself."""


def main() -> None:
    """Read or draw PDFs named on standard input, one task a line, until it ends."""
    serve(_answer)


def _answer(line: str, notify: Callable[[str], None]) -> str:
    task = _task(line)
    limit_memory(task.limits.megabytes, "RLIMIT_AS")
    end_after(task.limits.seconds + _GRACE)
    if isinstance(task, DrawingTask):
        return drawn(task).model_dump_json()
    if isinstance(task, PlacingTask):
        return placed(task).model_dump_json()
    return answer(task, drawing=lambda: notify(DRAWING)).model_dump_json()


def _task(line: str) -> DrawingTask | PlacingTask | ReadingTask:
    """A task, by the first field of its JSON."""
    if line.startswith('{"draw":'):
        return DrawingTask.model_validate_json(line)
    if line.startswith('{"place":'):
        return PlacingTask.model_validate_json(line)
    return ReadingTask.model_validate_json(line)


def answer(task: ReadingTask, drawing: Callable[[], None] = lambda: None) -> PdfReading | Refusal:
    """The reading of one PDF, or why there is none.

    Args:
        task: The PDF and its limits.
        drawing: Told before the first page is drawn.
    """
    try:
        reading = read_pages(Path(task.path), task.limits, look=task.look, drawing=drawing)
        texts = (
            reading.text,
            *reading.furniture,
            *(hidden_text.text for hidden_text in reading.hidden),
        )
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        if task.most is not None and size > task.most:
            return Refusal(problem="holds too much text", cure="", size=size)
        return reading
    except InputError as error:
        return Refusal(problem=error.problem, cure=error.cure or "")
    except MemoryError:
        return Refusal(
            problem=f"needs more than {task.limits.megabytes:,} MB of memory to read",
            cure="print it to a new PDF, or give its text",
        )
