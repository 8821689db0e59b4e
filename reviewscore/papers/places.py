"""Where in a paper a named place is: a line, a section, a table, words in quotation marks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from reviewscore.papers.converted import FORMULA
from reviewscore.papers.quotes import quoted_span
from reviewscore.schema.paper import Box, Paper, Section, TextLine, Zone, around
from reviewscore.schema.place import PlaceKind, Target

_EXPERIMENTS = (
    r"(?:(?:main|our|numerical|empirical) )?(?:experiments?|experimentations?|"
    r"experimental (?:results?|evaluations?|studies)|(?:empirical |experimental )?evaluations?|"
    r"experiments? results?)"
)
_METHOD = r"(?:(?:our|the|proposed) )*(?:methods?|methodology|methodologies|approach)"
_CONVENTIONAL = (
    (r"abstract", r"abstract"),
    (r"intro(?:duction)?", r"introduction"),
    (
        r"related works?|(?:literature review|prior works?)",
        r"related (?:works?|literature)|literature review",
    ),
    (r"backgrounds?", r"background"),
    (r"preliminar(?:y|ies)", r"preliminar(?:y|ies)"),
    (rf"{_METHOD}", _METHOD),
    (rf"{_EXPERIMENTS}|experimental|empirical", _EXPERIMENTS),
    (r"(?:main )?results?", r"(?:main )?results?"),
    (r"discussions?", r"discussions?"),
    (r"conclusions?|concluding", r"conclusions?|concluding remarks"),
    (r"limitations?", r"limitations?"),
)
"""Names that reviewers use, and the titles that papers have for them."""
_NAMES = tuple(
    (
        re.compile(name),
        re.compile(rf"(?:{title})(?:,? (?:and|&) .+)?|(?:[a-z]+,? )?[a-z]+ (?:and|&) (?:{title})"),
    )
    for name, title in _CONVENTIONAL
)
_NO_WORD = re.compile(r"[^a-z0-9&,]+")


def section_named(sections: Sequence[Section], name: str) -> int | None:
    """Place of the section that a name means; None unless there is exactly one.

    Conventional names mean the title that the paper has for them, alone or with another; all other
    names must be the title itself. Of conventional names the main text's section counts where the
    appendix has one too.
    """
    wanted = _level(name)
    title = next((title for known, title in _NAMES if known.fullmatch(wanted)), None)
    places = [
        place
        for place, section in enumerate(sections)
        if section.zone not in (Zone.REFERENCES, Zone.CHECKLIST, Zone.BOILERPLATE)
        and _is_named(_level(section.title), wanted, title)
    ]
    if title is None:
        return places[0] if len(places) == 1 else None
    for fewer in (
        places,
        [place for place in places if sections[place].zone is not Zone.APPENDIX],
        [place for place in places if sections[place].level == 1],
        [place for place in places if _level(sections[place].title) == wanted],
    ):
        if len(fewer) == 1:
            return fewer[0]
    return None


def _is_named(title: str, wanted: str, conventional: re.Pattern[str] | None) -> bool:
    if title == wanted and len(wanted) > 3:  # noqa: PLR2004 - shorter titles are scraps
        return True
    return conventional is not None and conventional.fullmatch(title) is not None


def _level(title: str) -> str:
    return _NO_WORD.sub(" ", title.casefold()).strip()


_PARAGRAPH = re.compile(r"[^\n]+(?:\n(?![ \t]*\n)[^\n]*)*")
_STOPS = re.compile(
    r"[ \t]*(?:#{1,6} |[*_]{0,3}(?:(?:Supplementary |Extended Data )?"
    r"(?:Table|Figure|Fig\.|Tab\.)\s?\d|"
    r"(?:Theorem|Lemma|Proposition|Corollary|Definition|Assumption|Algorithm|Remark|Example|Condition|"
    r"Property|Claim|Conjecture)s?\s?(?:[A-Z]\.?)?\d[\d.]*\s*[.:(*]|Proof\b|Remark\b)|\|)"
)
"""What is never part of a statement: a heading, a caption, another statement, a proof, a table."""
_DISPLAY = re.compile(
    r"[ \t]*(?:<!--|\$\$|\\\[|\\begin|```|[-*•]\s|\(?(?:[ivx]{1,4}|[a-h]|\d{1,2})[.)]\s|"
    r"\(\d{1,2}\.[a-h]\)|glyph\[|[a-z])"
)
"""How a formula, an entry of a list, or a sentence that goes on after one begins."""
_GOES_ON = re.compile(
    r"[ \t]*(?:Then|Here,? |(?:Moreover|Furthermore), (?:if|for)|In particular, if)\b"
)
_STEP = re.compile(
    r"[ \t]*(?:```|<!--|[-*]? ?\d{1,2}\s?[:.]|[-*]?\s?\**(?:Input|Require|Ensure|Data|Result|"
    r"Output|Return|Initiali[sz]e|Parameters?)\b)"
    r"|.*\b(?:end (?:for|if|while)|until)\b|.*\s\d{1,2}: ",
    re.S,
)
_ENDS = re.compile(r"[.!?][)\]\"”*_\s]*\Z")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_FEW_LETTERS = 3
_SHORT_STEP = 60
MOST_OF_A_STATEMENT = 1500
MOST_OF_AN_ALGORITHM = 4000
"""Characters of one, its name included."""


def statement_end(text: str, start: int, end: int) -> int:
    """Where a statement ends that begins at `start` and whose first paragraph ends at `end`.

    The formulas and lists after ``the following holds:`` belong to it, and the sentences that go on
    after them; the next paragraph of prose does not.
    """
    limit = start + MOST_OF_A_STATEMENT
    unfinished = _ENDS.search(text[start:end]) is None
    displayed = False
    for match in _PARAGRAPH.finditer(text, end):
        own = match.group()
        if _STOPS.match(own):
            break
        display = _DISPLAY.match(own) is not None or _is_scrap(own)
        if (
            not (unfinished and not displayed)
            and not display
            and not (displayed and _GOES_ON.match(own))
        ):
            break
        if match.end() > limit:
            return _cut(text, end, limit) if display or unfinished else end
        end = match.end()
        displayed = displayed or display
        if not display:
            unfinished = _ENDS.search(own) is None
    return end


def algorithm_end(text: str, start: int, end: int) -> int:
    """Where an algorithm ends whose name's paragraph ends at `end`: after the last of its steps.

    Scraps of formulas that a converter left between the steps belong to it.
    """
    last, limit = end, start + MOST_OF_AN_ALGORITHM
    for match in _PARAGRAPH.finditer(text, end):
        own = match.group()
        if _STOPS.match(own) or match.start() > limit:
            break
        short = len(own) < _SHORT_STEP and _ENDS.search(own) is None
        if short or _STEP.match(own) or _is_scrap(own):
            last = min(match.end(), limit)
            continue
        break
    return last


def _is_scrap(paragraph: str) -> bool:
    """Whether a paragraph is a piece of a formula: symbols and hardly a word."""
    return len(_LETTERS.findall(paragraph)) < _FEW_LETTERS


def _cut(text: str, end: int, limit: int) -> int:
    """The end of the last line before a limit."""
    return max(end, text.rfind("\n", end, limit))


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

    Of a paper of several documents its own text is looked at first, then what else reviewers had;
    lines and pages are those of its own.
    """
    place = _target(paper.submission, kind, first, last, page)
    if place is None and paper.documents and kind not in (PlaceKind.LINE, PlaceKind.PAGE):
        place = _target(paper.as_reviewed, kind, first, last, page)
    return place


def _target(
    paper: Paper, kind: PlaceKind, first: str, last: str | None, page: int | None
) -> Target | None:
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
    words = text[start:end].lstrip()
    start = end - len(words)
    return start, start + len(words.rstrip())


def box_of(paper: Paper, start: int, end: int) -> Box | None:
    """The box around the lines of a span that stand on its first page; None where unknown."""
    starts = [line.start for line in paper.lines]
    begin = max(0, bisect_right(starts, start) - 1)
    lines = paper.lines[begin : max(bisect_left(starts, end), begin + 1)]
    placed = [line for line in lines if line.box is not None]
    boxes = [line.box for line in placed if line.page == placed[0].page and line.box is not None]
    return around(boxes) if boxes else None


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
    match = re.search(rf"^#{{1,6}} {re.escape(label)}\.? [^\n]+", paper.text, re.MULTILINE)
    if match is None:
        return None
    after = _MARKED.search(paper.text, match.end())
    return match.start(), len(paper.text) if after is None else after.start()


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
    matches = [match for match in pattern.finditer(paper.text) if match.start() not in headings]
    return matches[0].span() if len(matches) == 1 else None


def rests_on_missing(paper: Paper, kind: PlaceKind, label: str = "") -> str:
    """Why nothing can be said of a named formula or figure; empty if something can.

    A formula is missing whose number is not in the text, or stands beside a placeholder; figures
    are missing as a whole, their captions are not what they show.

    Args:
        paper: The paper.
        kind: What kind of place is named.
        label: Its label, such as ``7``; without one, any place of this kind.
    """
    if kind is PlaceKind.EQUATION and paper.missing.formulas:
        place = target(paper, kind, label) if label else None
        if place is not None and not FORMULA.search(paper.text[place.start : place.end]):
            return ""
        return f"Equation {label}".strip() + " is among what the text of the paper lacks."
    if kind is PlaceKind.FIGURE and paper.missing.figures:
        name = f"Figure {label}".strip()
        return f"The picture of {name} is among what the text of the paper lacks."
    return ""
