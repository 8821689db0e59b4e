"""Where in a paper a named place is: a line, a section, a table, words in quotation marks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from reviewscore.papers.quoted_words import quoted_span
from reviewscore.papers.section_names import section_named
from reviewscore.papers.statements import algorithm_end, statement_end
from reviewscore.schema.paper import Box, Paper, Section, TextLine, Zone
from reviewscore.schema.place import PlaceKind, Target

_CAPTIONS = {
    PlaceKind.TABLE: r"(?:Supplementary |Extended Data )?(?:Table|Tab\.|Tbl\.)",
    PlaceKind.FIGURE: r"(?:Supplementary |Extended Data )?(?:Figure|Fig\.)",
    PlaceKind.ALGORITHM: r"(?:Algorithm|Alg\.|Procedure)",
    PlaceKind.THEOREM: "Theorem",
    PlaceKind.LEMMA: "Lemma",
    PlaceKind.PROPOSITION: "Proposition",
    PlaceKind.COROLLARY: "Corollary",
    PlaceKind.DEFINITION: "Definition",
    PlaceKind.ASSUMPTION: "Assumption",
}
_STATEMENTS = frozenset(_CAPTIONS) - {PlaceKind.TABLE, PlaceKind.FIGURE, PlaceKind.ALGORITHM}
_BY_NUMBER = re.compile(r"\d|[A-Z]\.?\d|[A-Z]\Z|[IVX]+(?:-[A-Z])?\Z")
_MARKS = r"^[ \t]*(?:[#>*_ \t-]{1,8})?"
_CAPTION_RESTS = (
    (_MARKS, r"(?:[ \t]*[.:|–—-]|\*\*|__|[ \t]*$)"),
    (_MARKS, r"[ \t]*(?:[(\[]|[ \t](?=[A-Z]))"),
    (r"\|[ \t]*", r"(?=[ \t]*[.:(|]|[ \t]+[A-Z])"),  # in a cell of a table
    (r"(?<=[.!?] )", r"(?=\.|[ ]\([A-Z][^)\n]*\)[ ]?\.)"),  # a statement within a paragraph
    (r"(?<=\w )(?<!\b(?:in|of|to|by|as|on) )(?<!\b(?:see|and|the) )(?<!\bfrom )", r"(?=: [A-Z])"),
)
"""What stands before and after the name where it begins something, the surest first; the last is a
caption that is glued to the labels of its figure."""
_MARKED = re.compile(r"^#{1,6} ", re.MULTILINE)
_ROW = re.compile(r"[ \t]*\|[^\n]*(?:\n|\Z)")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")
_LONGEST = 4000
"""Characters of a place, at most, but for sections and pages."""
_LOST_LINES = 6
"""Numbers in a row that a converter may have lost, so that their lines are part of the next."""
_NEAR_LINES = 4
"""Lines before and after one that was not seen with its number."""
_PART = re.compile(r"(?<=\d)(?:[a-h]|\.[a-h]|\([ivx]+\))\Z")


def target(
    paper: Paper, kind: PlaceKind, first: str, last: str | None = None, *, page: int | None = None
) -> Target | None:
    """What stands at a place of the paper; None if the text at hand does not hold it.

    Args:
        paper: The paper.
        kind: What kind of place.
        first: Its label, such as ``212``, ``3b``, ``D.7``, the name of a section, or quoted words.
        last: Last label of a range.
        page: Page that is named with a line, 1-based.
    """
    reckoned = False
    match kind:
        case PlaceKind.LINE:
            lines = _lines(paper, int(first), int(last or first), page)
            span, reckoned = lines or (None, False)
        case PlaceKind.PAGE:
            span = _pages(paper, int(first), int(last or first))
        case PlaceKind.SECTION | PlaceKind.APPENDIX:
            span = _section(paper, kind, first)
        case PlaceKind.EQUATION:
            span = _equation(paper, first)
        case PlaceKind.FOOTNOTE:
            span = _footnote(paper, first)
        case PlaceKind.QUOTE:
            span = quoted_span(paper, first)
        case _:
            span = _captioned(paper, kind, first)
    if span is None or span[0] >= span[1]:
        return None
    start, end = _trimmed(paper.text, *span)
    if start >= end:
        return None
    return Target(
        start=start,
        end=end,
        page=paper.page_at(start),
        box=box_of(paper, start, end),
        reckoned=reckoned,
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def box_of(paper: Paper, start: int, end: int) -> Box | None:
    """The box around the lines of a span that stand on its first page; None where unknown."""
    starts = [line.start for line in paper.lines]
    begin = max(0, bisect_right(starts, start) - 1)
    lines = paper.lines[begin : max(bisect_left(starts, end), begin + 1)]
    placed = [line for line in lines if line.box is not None]
    boxes = [line.box for line in placed if line.page == placed[0].page and line.box is not None]
    if not boxes:
        return None
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _lines(
    paper: Paper, first: int, last: int, page: int | None
) -> tuple[tuple[int, int], bool] | None:
    """From the first line with a number to the last, and whether they were reckoned.

    Numbers are printed beside some lines or all.

    Where a page is named and the pages of lines are known, the first line must be on that page.
    """
    first, last = whole_range(first, last)
    here = series = list(paper.lines)
    if page is not None and any(line.page is not None for line in series):
        here = [line for line in paper.lines if line.page == page]
        series = here + _going_on(here, [line for line in paper.lines if line.page == page + 1])
    begin, end = _place_of(here, first), _place_of(here, last) or _place_of(series, last)
    if begin is None or end is None:
        return None
    reckoned = not (begin[1] and end[1])
    around = _NEAR_LINES if reckoned else 0
    start = series[max(0, begin[0] - around)].start
    last_line = series[min(end[0] + around, len(series) - 1)]
    # A row may have several numbers of a ruler.
    stop = next(
        (line.start for line in series[end[0] + 1 :] if line.start > last_line.start),
        _line_end(paper, last_line),
    )
    return (start, max(stop, start + 1)), reckoned


def _going_on(here: Sequence[TextLine], overleaf: list[TextLine]) -> list[TextLine]:
    """The lines of the next page, where its numbers go on; none where they begin anew."""
    last = max((line.number for line in here if line.number is not None), default=0)
    anew = any(line.number is not None and line.number <= last for line in overleaf)
    return [] if anew else overleaf


def whole_range(first: int, last: int) -> tuple[int, int]:
    """The ends of a range, the lower one first and the last one in full: ``212-15`` ends at 215."""
    digits = len(str(last))
    if last < first and digits < len(str(first)):
        whole = int(str(first)[:-digits] + str(last))
        last = whole if whole > first else last
    return min(first, last), max(first, last)


def _place_of(lines: Sequence[TextLine], number: int) -> tuple[int, bool] | None:
    """Place of the line with a number, and whether that is sure.

    A line without a printed number is counted on from the last one that has it; where a converter
    lost a few numbers, it is one of the lines around.
    """
    for place, line in enumerate(lines):
        if line.number == number:
            return place, line.exact
    numbered = [(place, line.number) for place, line in enumerate(lines) if line.number is not None]
    for (place, here), (further, there) in pairwise(numbered):
        if here < number < there and there - here <= max(further - place, _LOST_LINES):
            sure = lines[place].exact and there - here == further - place
            return min(place + number - here, further - 1), sure
    first = numbered[0] if numbered else None
    if first is not None and 0 < number < first[1] and first[1] - number <= first[0]:
        return first[0] - (first[1] - number), True
    return None


def _line_end(paper: Paper, line: TextLine) -> int:
    end = paper.text.find("\n", line.start)
    return len(paper.text) if end < 0 else end


def _pages(paper: Paper, first: int, last: int) -> tuple[int, int] | None:
    begin, after = whole_range(first, last)
    if not 1 <= begin <= len(paper.pages) or (begin != first and after > len(paper.pages)):
        return None
    first, after = begin, min(after, len(paper.pages))
    end = paper.pages[after] if after < len(paper.pages) else len(paper.text)
    return paper.pages[first - 1], end


def _section(paper: Paper, kind: PlaceKind, label: str) -> tuple[int, int] | None:
    """A section with its subsections, by the number printed before its title, or by the title."""
    if _BY_NUMBER.match(label) is None:
        place = section_named(paper.sections, label)
        return None if place is None else _whole_section(paper, place)
    wanted = _plain(label)
    for place, section in enumerate(paper.sections):
        if section.number is None or _plain(section.number) != wanted:
            continue
        if kind is PlaceKind.APPENDIX and section.zone is not Zone.APPENDIX and wanted.isdigit():
            continue
        return _whole_section(paper, place)
    return _heading(paper, label)


def _whole_section(paper: Paper, place: int) -> tuple[int, int]:
    section = paper.sections[place]
    inside = list(_while_below(section, paper.sections[place + 1 :]))
    return section.start, inside[-1].end if inside else section.end


def _heading(paper: Paper, label: str) -> tuple[int, int] | None:
    """A Markdown heading with a number that was not read as a section's, up to the next one."""
    found = re.search(rf"^#{{1,6}} {re.escape(label)}\.? [^\n]+", paper.text, re.MULTILINE)
    if found is None:
        return None
    after = _MARKED.search(paper.text, found.end())
    return found.start(), len(paper.text) if after is None else after.start()


def _while_below(section: Section, further: Iterable[Section]) -> Iterator[Section]:
    for one in further:
        if one.level <= section.level:
            return
        yield one


def _plain(label: str) -> str:
    """A label without marks that people leave out: ``A1`` is ``A.1``."""
    return re.sub(r"(?<=[A-Za-z])\.?(?=\d)", ".", label.strip(" .:")).upper()


def _captioned(paper: Paper, kind: PlaceKind, label: str) -> tuple[int, int] | None:
    """The paragraph that begins with the place's name, and the rows of a table beside it."""
    number = re.escape(_PART.sub("", label)).replace(r"\.", r"\s?\.?\s?")
    name = rf"(?i:{_CAPTIONS[kind]}[ \t~\u00a0]{{0,2}}{number})(?![\d\w])(?!\.\d)"
    match = next(filter(None, (_caption(paper.text, name, rest) for rest in _CAPTION_RESTS)), None)
    if match is None:
        return None
    start = match.start()
    if match.group().lstrip().startswith("|"):
        start = paper.text.rfind("\n", 0, start + 1) + 1
        return _with_rows(paper.text, start, start)
    end = _paragraph_end(paper.text, match.end())
    if kind is PlaceKind.ALGORITHM:
        end = algorithm_end(paper.text, start, end)
    if kind is PlaceKind.TABLE:
        return _with_rows(paper.text, start, end)
    if kind in _STATEMENTS:
        end = statement_end(paper.text, start, end)
    return start, min(end, start + _LONGEST)


def _caption(text: str, name: str, around: tuple[str, str]) -> re.Match[str] | None:
    before, after = around
    return re.compile(rf"{before}{name}{after}", re.MULTILINE).search(text)


def _paragraph_end(text: str, start: int) -> int:
    match = _PARAGRAPH_END.search(text, start)
    return len(text) if match is None else match.start()


def _with_rows(text: str, start: int, end: int) -> tuple[int, int]:
    """A caption with the rows of a Markdown table just after it, or else just before it."""
    after = end
    while after < len(text) and text[after] in " \t\n":
        after += 1
    line = text.rfind("\n", 0, after) + 1
    rows = line
    while match := _ROW.match(text, rows):
        if match.end() == rows:
            break
        rows = match.end()
    if rows > line:
        return start, rows
    above = len(text[:start].rstrip())
    first = above
    while first > 0:
        begin = text.rfind("\n", 0, first) + 1
        if not text[begin:first].lstrip().startswith("|"):
            break
        first = begin - 1
    first = max(first + 1, 0) if first < above else start
    return (first, end) if first < start else (start, min(end, start + _LONGEST))


def _equation(paper: Paper, label: str) -> tuple[int, int] | None:
    """The line that ends in the equation's number in brackets, and the one before it."""
    pattern = re.compile(rf"^[^\n]*\({re.escape(label)}\)[ \t]*(?:$|\|)", re.MULTILINE)
    for match in pattern.finditer(paper.text):
        words = match.group()[: match.group().rfind("(")]
        if re.search(r"(?:eqs?|eqn|equations?|in|by|of|and|see)[.~ ]*\Z", words.rstrip(), re.I):
            continue  # a sentence that ends in a reference to it
        if words.lstrip().startswith("|") and not words.rstrip().endswith("|"):
            continue  # a cell that names it, such as the head of a column
        start = match.start()
        if not words.strip():  # the number stands alone, after its formula
            start = paper.text.rfind("\n", 0, max(0, len(paper.text[:start].rstrip()))) + 1
        return start, match.end()
    return None


def _footnote(paper: Paper, label: str) -> tuple[int, int] | None:
    pattern = re.compile(
        rf"^[ \t]*(?:\[\^{label}\]:|\^?{label}[.)]?)[ \t]*(?=[A-Z\"“(h])[^\n]+", re.MULTILINE
    )
    headings = {section.start for section in paper.sections}
    found = [match for match in pattern.finditer(paper.text) if match.start() not in headings]
    return found[0].span() if len(found) == 1 else None
