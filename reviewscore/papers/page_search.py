"""Finds passages on the pages of a PDF by PDFium, in a worker process; see `page_places`."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage, raw

from reviewscore.papers.page_floats import float_frame, union
from reviewscore.papers.page_places import PageBox, PagePlaces, PlacingTask, Sought, SoughtPassage
from reviewscore.papers.pdf import Refusal
from reviewscore.papers.pdf_visibility import in_picture
from reviewscore.papers.quotes import letters_of
from reviewscore.schema.paper import Box, around

_SEED = 14
"""Letters in a row by which a part of a passage is known that is not there as a whole."""
_STEP = 3
"""Letters that are passed over where no such part begins."""
_FURTHER = 8000
"""Letters within which the next part of a passage is looked for first."""
_GAP = 60
"""Letters between two parts, such as of a formula, that are marked with them."""
_ENOUGH = 0.4
"""Share of a passage's letters that are found, at least."""
_OCCURRENCES = 20
"""Places of the same words that are compared with what is known of the passage's."""
_CAPTION = 500
"""Letters of a caption that are looked for."""
_LOOSE = 12
"""Letters that may stand between a part of a passage and the next one, such as a line number."""
_ROW = 0.3
"""Share of the lower one's height that two rectangles of one line have in common."""
_WORD_GAP = 12.0
"""Points between two rectangles of one line, at most."""
_MARGIN = 1.0
"""Points around words that are marked with them."""
_LEAST = 3.0
"""Points that a rectangle is wide and high, at least, so that it is seen."""
_OPENING, _CLOSING = "([{“‘\"'", ".,;:!?)]}”’\"'%"
_GRID = 10_000
"""Columns and rows in which the library is asked where points of a page are drawn."""
_MOST_BOXES = 200
"""Rectangles of one passage."""
_CAPTION_LINE = re.compile(
    r"^(?:Table|Figure|Fig\.|Algorithm) ?[A-Z]?\d{1,2}(?:\.\d+)? ?[:.|]", re.M
)


def placed(task: PlacingTask) -> PagePlaces | Refusal:
    """Where the passages of a task stand, or why nothing is known."""
    try:
        document = PdfDocument(Path(task.place))
    except PdfiumError as error:
        return Refusal(problem=f"cannot be drawn ({error})", cure="")
    try:
        if len(document) > task.limits.pages:
            many = f"has {len(document):,} pages; at most {task.limits.pages:,} are shown"
            return Refusal(problem=many, cure="")
        sizes = tuple(document.get_page_size(number) for number in range(len(document)))
        search = _Search(document)
        boxes = tuple(tuple(search.boxes(passage)) for passage in task.passages)
        return PagePlaces(sizes=sizes, boxes=boxes)
    except (PdfiumError, ValueError) as error:
        return Refusal(problem=f"cannot be read ({error})", cure="")
    except MemoryError:
        problem = f"needs more than {task.limits.megabytes:,} MB of memory to read"
        return Refusal(problem=problem, cure="")
    finally:
        document.close()


class _Run(NamedTuple):
    """Letters of the document in a row: the first, and the one after the last."""

    start: int
    end: int


class _Part(NamedTuple):
    """A part of a passage: where it stands in the document, and its ends in the passage."""

    place: int
    begin: int
    end: int

    @property
    def stop(self) -> int:
        """Where it ends in the document."""
        return self.place + self.end - self.begin


@dataclass(frozen=True)
class _Printed:
    """The letters and digits that a PDF prints, one page after the other.

    Attributes:
        text: All of them, in lower case.
        starts: Where each page begins among them.
        offsets: Of each page, where each of its letters stands in its text.
    """

    text: str
    starts: list[int]
    offsets: list[array[int]]

    def page(self, place: int) -> int:
        """The page of a letter, from 0."""
        return bisect_right(self.starts, place) - 1

    def by_page(self, run: _Run) -> Iterator[tuple[int, int, int]]:
        """Pages of a run, with the offsets in their texts of its first and last letter there."""
        for page in range(self.page(run.start), self.page(run.end - 1) + 1):
            start, offsets = self.starts[page], self.offsets[page]
            first, last = max(0, run.start - start), min(len(offsets), run.end - start) - 1
            if first <= last:
                yield page, offsets[first], offsets[last]


class _Search:
    """Looks for passages in one document."""

    def __init__(self, document: PdfDocument) -> None:
        self._document = document
        self._letters: _Printed | None = None
        self._open: tuple[int, _OpenPage] | None = None

    def boxes(self, passage: SoughtPassage) -> list[PageBox]:
        """The rectangles of a passage; none if it was not found."""
        known = passage.page is not None and passage.page <= len(self._document)
        if passage.sought is Sought.PAGE:
            return (
                [PageBox(page=passage.page, left=0, top=0, width=100, height=100)]
                if (known and passage.page is not None)
                else []
            )
        if passage.sought is not Sought.BOX:
            found = self._of_words(passage)
            if found:
                return found[:_MOST_BOXES]
        if not known or passage.page is None or passage.box is None:
            return []
        return self._page(passage.page - 1).shares([passage.box])

    def _of_words(self, passage: SoughtPassage) -> list[PageBox]:
        wanted = letters_of(passage.words).text
        if passage.sought is not Sought.WORDS:
            wanted = wanted[:_CAPTION]
        runs = self._runs(wanted, passage) if wanted else []
        lines = [
            (page, box)
            for run in runs
            for page, first, last in self._printed.by_page(run)
            for box in self._page(page).lines(first, last)
        ]
        if lines and passage.sought is not Sought.WORDS:
            page = lines[0][0]
            caption = around([box for number, box in lines if number == page])
            return [self._page(page).framed(caption, passage.sought)]
        by_page: dict[int, list[Box]] = {}
        for page, box in lines:
            by_page.setdefault(page, []).append(box)
        return [
            share for page, boxes in by_page.items() for share in self._page(page).shares(boxes)
        ]

    @property
    def _printed(self) -> _Printed:
        if self._letters is None:
            texts, starts, offsets, length = [], [], [], 0
            for number in range(len(self._document)):
                letters = letters_of(self._page(number).text)
                texts.append(letters.text)
                offsets.append(letters.offsets)
                starts.append(length)
                length += len(letters.text)
            self._letters = _Printed("".join(texts), starts, offsets)
        return self._letters

    def _page(self, number: int) -> _OpenPage:
        """A page; the one before is closed, as each takes about a megabyte."""
        if self._open is None or self._open[0] != number:
            if self._open is not None:
                self._open[1].close()
            self._open = number, _OpenPage(self._document, number)
        return self._open[1]

    def _runs(self, wanted: str, passage: SoughtPassage) -> list[_Run]:
        """The letters of a passage as a whole, or in parts."""
        place = self._nearest(wanted, passage)
        if place is not None:
            return [_Run(place, place + len(wanted))]
        low, high, text = *self._around(passage), self._printed.text
        parts: list[_Part] = []
        at, after = 0, low
        while at + _SEED <= len(wanted):
            place = self._next(wanted[at : at + _SEED], after, low, high)
            if place < 0:
                at += _STEP
                continue
            begin = at
            done = parts[-1].end if parts else 0
            while begin > done and place > low and text[place - 1] == wanted[begin - 1]:
                begin, place = begin - 1, place - 1
            end = _same(text, place, wanted, begin)
            parts.append(_Part(place, begin, end))
            at, after = end, place + end - begin
        if sum(part.end - part.begin for part in parts) < _ENOUGH * len(wanted):
            return []
        return _joined(self._completed(parts, wanted))

    def _completed(self, parts: Sequence[_Part], wanted: str) -> list[_Part]:
        """The parts, and the short ends of lines that stand between them."""
        text = self._printed.text
        whole: list[_Part] = []
        for before, after in pairwise([None, *parts, None]):
            low, high = before.end if before else 0, after.begin if after else len(wanted)
            rest, reach = wanted[low:high], high - low + _LOOSE
            place = -1
            if 1 < len(rest) <= 2 * _SEED:
                if before is not None:
                    place = text.find(rest, before.stop, before.stop + reach)
                if place < 0 and after is not None:
                    place = text.find(rest, max(0, after.place - reach), after.place)
            if place >= 0:
                whole.append(_Part(place, low, high))
            if after is not None:
                whole.append(after)
        return whole

    def _around(self, passage: SoughtPassage) -> tuple[int, int]:
        """Where the letters begin and end of the pages on which a passage may stand."""
        starts = [*self._printed.starts, len(self._printed.text)]
        if passage.page is None or passage.page >= len(starts):
            return 0, len(self._printed.text)
        return starts[max(0, passage.page - 1)], starts[min(len(starts) - 1, passage.page + 1)]

    def _next(self, seed: str, after: int, low: int, high: int) -> int:
        text = self._printed.text
        near = text.find(seed, after, min(high, after + _FURTHER))
        return near if near >= 0 else text.find(seed, low, high)

    def _nearest(self, wanted: str, passage: SoughtPassage) -> int | None:
        """The place of these letters that is nearest to what is known of the passage's."""
        text, page = self._printed.text, passage.page
        expected = int(passage.share * len(text))
        if page is not None and page <= len(self._printed.starts):
            expected = self._printed.starts[page - 1]
            end = expected + len(self._printed.offsets[page - 1]) + len(wanted) - 1
            places = list(islice(_occurrences(text, wanted, expected, end), _OCCURRENCES))
            if places:
                return min(places, key=lambda place: self._off(place, passage))
        before = text.rfind(wanted, 0, expected + len(wanted))
        after = text.find(wanted, expected)
        known = [place for place in (before, after) if place >= 0]
        return min(known, key=lambda place: abs(place - expected), default=None)

    def _off(self, place: int, passage: SoughtPassage) -> float:
        """Points between where words stand and where they are said to; 0 where nothing is said."""
        if passage.box is None:
            return 0.0
        page, first, last = next(self._printed.by_page(_Run(place, place + 1)))
        lines = self._page(page).lines(first, last)
        return abs(lines[0][3] - passage.box[3]) if lines else 0.0


def _joined(parts: Sequence[_Part]) -> list[_Run]:
    """Parts as runs, those with little between them as one, such as a formula.

    What stands between two parts that follow each other in the passage is none of its own: a line
    number, or the foot of a page.
    """
    runs: list[_Run] = []
    last: _Part | None = None
    for part in parts:
        near = last is not None and 0 <= part.place - last.stop <= _GAP
        if last is not None and near and part.begin > last.end:
            runs[-1] = _Run(runs[-1].start, part.stop)
        else:
            runs.append(_Run(part.place, part.stop))
        last = part
    return runs


def _occurrences(text: str, wanted: str, low: int, high: int) -> Iterator[int]:
    """Each place between two others where these letters stand."""
    while (place := text.find(wanted, low, high)) >= 0:
        yield place
        low = place + 1


def _same(text: str, place: int, wanted: str, at: int) -> int:
    """The end in `wanted` of what stands both there from `at` on and in a text from `place` on."""
    while at < len(wanted) and place < len(text) and text[place] == wanted[at]:
        at, place = at + 1, place + 1
    return at


class _OpenPage:
    """A page with its text."""

    def __init__(self, document: PdfDocument, number: int) -> None:
        self.number = number
        self.page: PdfPage = document[number]
        self.text_page: PdfTextPage = self.page.get_textpage()
        self.text: str = self.text_page.get_text_range()
        # PDFium counts in UTF-16: a mathematical letter counts twice.
        self._units = [0, *accumulate(2 if value > "\uffff" else 1 for value in self.text)]

    def close(self) -> None:
        """Let go of it."""
        self.text_page.close()
        self.page.close()

    def lines(self, first: int, last: int) -> list[Box]:
        """The boxes of its text from one letter to another, line by line, in points.

        Marks that open and close words belong to them.
        """
        while first > 0 and self.text[first - 1] in _OPENING:
            first -= 1
        while last + 1 < len(self.text) and self.text[last + 1] in _CLOSING:
            last += 1
        start, end = (
            max(0, raw.FPDFText_GetCharIndexFromTextIndex(self.text_page.raw, self._units[at]))
            for at in (first, last)
        )
        count = self.text_page.count_rects(start, max(1, end - start + 1))
        return [self.text_page.get_rect(number) for number in range(max(0, count))]

    def _drawn(self, boxes: Sequence[Box]) -> list[Box]:
        """Boxes as left, top, right, bottom in points of the page as it is drawn."""
        width, height = self.page.get_size()
        corners = in_picture(self.page, np.array(boxes, dtype=np.float64), (_GRID, _GRID))
        corners *= np.array([width, height, width, height]) / _GRID
        return [(left, top, right, bottom) for left, top, right, bottom in corners.tolist()]

    def shares(self, boxes: Sequence[Box]) -> list[PageBox]:
        """Boxes on the page as it is drawn, those of one line as one."""
        lines: list[Box] = []
        for box in self._drawn(boxes) if boxes else ():
            if lines and _same_line(lines[-1], box):
                lines[-1] = union(lines[-1], box)
            else:
                lines.append(box)
        return [self._share(line) for line in lines]

    def framed(self, caption: Box, sought: Sought) -> PageBox:
        """The frame of the table or figure with a caption."""
        text = self.text.replace("\r", "\n")
        captions = [
            lines
            for match in _CAPTION_LINE.finditer(text)
            if (lines := self.lines(match.start(), match.end() - 1))
        ]
        stops = self._drawn([around(lines) for lines in captions]) if captions else []
        (own,) = self._drawn([caption])
        return self._share(
            float_frame(self.page, own, stops, self._drawn, above=sought is Sought.FIGURE)
        )

    def _share(self, box: Box) -> PageBox:
        """A box in points of the page as it is drawn in per cent; at its edge if it is beyond."""
        edges = []
        for low, high, side in zip(box[:2], box[2:], self.page.get_size(), strict=True):
            middle = min(max((low + high) / 2, 0.0), side)
            first = max(0.0, min(low - _MARGIN, middle - _LEAST / 2, side - _LEAST))
            last = min(side, max(high + _MARGIN, middle + _LEAST / 2, first + _LEAST))
            edges.append((100 * first / side, 100 * (last - first) / side))
        (left, width), (top, height) = edges
        return PageBox(
            page=self.number + 1,
            left=round(left, 2),
            top=round(top, 2),
            width=max(0.01, round(width, 2)),
            height=max(0.01, round(height, 2)),
        )


def _same_line(last: Box, box: Box) -> bool:
    shared = min(last[3], box[3]) - max(last[1], box[1])
    lower = min(last[3] - last[1], box[3] - box[1])
    beside = box[0] - last[2] <= _WORD_GAP and last[0] - box[2] <= _WORD_GAP
    return beside and shared >= _ROW * lower
