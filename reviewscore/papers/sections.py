"""Where a paper's sections start and what each is for: plain text, Markdown, or text from a PDF.

Lines that look like headings are collected with a weight; of the numbered ones the heaviest
sequence whose numbers go up as a table of contents does is kept, so that list items, table rows and
reference entries drop out. What each section is for follows from its title and place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reviewscore.schema.paper import Section, Zone

Number = tuple[int, ...]
"""``3.1`` is (3, 1), ``B.2`` is (66, 2), an unnumbered heading is ()."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may be a heading.

    Attributes:
        start: Offset of the line's first character that is not a space.
        end: Offset just after the heading (before the line end).
        number: The number as integers; empty for an unnumbered heading.
        printed: The number as printed.
        title: The heading without number and marks.
        level: 1 for sections, 2 for subsections, ...
        weight: How much speaks for it; numbered candidates compete by it.
        capitals: Whether the title is set in capitals.
    """

    start: int
    end: int
    title: str
    level: int = 1
    number: Number = ()
    printed: str = ""
    weight: float = 1.0
    capitals: bool = False


_MAX_TITLE = 110
_HALF_LINE = 40
_MIN_LETTERS = 3
_LETTER_SHARE = 0.65
_MOSTLY = 0.8
_PARTLY = 0.35
"""Share of capitals in a heading with a name in its own spelling, such as a method's."""
_PROSE = 50
"""Characters of a line that is text rather than a table cell or an axis label."""
_STYLE = 3
"""Headings of a kind in capitals from which on capitals are the style of that kind."""
_LINE = re.compile(
    r"^[ \t]{0,80}(?P<line>(?:(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3}[ \t\r]{0,9}\n[ \t]{0,9}"
    r"(?=[A-Z]{2}[^a-z\n]{2,90}$)(?!ABSTRACT|REFER|APPENDI|ACKNOW|BIBLIO))?"
    r"\S[^\n]{0,159}?)[ \t\r]{0,80}$",
    re.MULTILINE,
)
"""Lines short enough for a heading; a number may stand on the line before its capitals."""
_HEADING = re.compile(
    r"(?P<marks>#{1,6}[ \t]*)?(?P<bold>\*\*|__|_|\*)?[ \t]*"
    r"(?:(?P<word>Appendix|APPENDIX|Section|SECTION|Supplement|SUPPLEMENT)[ \t]+(?=[\dA-Z]))?"
    r"(?:(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z](?:\.\d{1,2}){0,3}|[IVX]{1,5}(?=\.))"
    r"(?P<stop>[.:)]|[ \t]*[—–-](?=[ \t]))?(?P<inner>\*\*|__|_)?\s+)?"
    r"(?P<bold2>\*\*|_)?(?P<title>[^\n]*?)(?:\*\*|__|_|\*)?[ \t]*#*$"
)
_NAMED = re.compile(
    r"(?:abstract|introduction|references?|bibliography|conclusions?(?: and \w+(?: \w+)?)?"
    r"|conclud(?:ing)? remarks|discussions?|limitations?(?: and \w+(?: \w+)?)?|future works?"
    r"|background|preliminar(?:y|ies)|related works?|methods?|methodology|experiments?|results?"
    r"|experimental (?:setup|settings?|results)|evaluation|analysis"
    r"|(?:technical )?appendi(?:x|ces)(?: ?[:—–-] ?.{3,60})?"
    r"|supplement(?:ary|al)?(?: materials?| information)?(?: ?[:—–-] ?.{3,60}| (?:for|to) .{3,60})?"
    r"|acknowledge?ments?(?: and .{3,40})?|reproducibility(?: (?:statement|checklist))?"
    r"|(?:code of )?ethic(?:s|al)(?: (?:statement|considerations?|concerns?))?"
    r"|(?:ethics?|reproducibility)(?: and | & )(?:ethics?|reproducibility)(?: statements?)?"
    r"|author contributions?(?: statement)?|contributions of (?:the )?authors"
    r"|(?:broader |societal )?impact(?: statement)?|(?:broader|societal) impacts?|checklist"
    r"|funding|competing interests?|conflicts? of interests?"
    r"|(?:data|code)(?: and (?:data|code))? availability(?: statement)?)[.:]?$",
    re.IGNORECASE,
)
_BODY_NAMES = re.compile(
    r"(?:background|preliminar|method|experiment|result|evaluation|analysis|discussion|limitation"
    r"|future|funding|impact)",
    re.IGNORECASE,
)
_REFERENCE_LIST = re.compile(r"[^\S\n]*+\n\s*+(?:\[1\]|1\.)\s")
_RUN_IN_ABSTRACT = re.compile(
    r"(?:\*\*|_)?(?:Abstract|ABSTRACT)(?:\*\*|_)?[ \t]*(?:[.:—–]|-)[ \t]*"
)
_KNOWN = re.compile(
    r"\b(?:introduction|related works?|background|preliminar|method|approach|model|experiment"
    r"|result|evaluation|conclusion|discussion|analysis|setup|proof|appendix|ablation|dataset"
    r"|implementation|training|details|limitations|problem|theory|algorithm)",
    re.IGNORECASE,
)
_NOISE = re.compile(r"[=|<>≤≥∈∑∏∫√∀∃→←∞~\\{}$^]|\[\d|\d{2,}\.\d|_\w*_ _|@|https?:|\x00|#")
_SMALL_WORDS = re.compile(
    r"(?:a|an|and|as|at|by|for|from|in|into|is|of|on|or|the|their|to|under|via|vs|with|without)\Z"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BLANK_BEFORE = re.compile(r"(?:\A|\n)[ \t\r\f]*\n[ \t\r\f]*\Z|\A\s*\Z|\f[ \t]*\Z")
_BLANK_REACH = 12
_BLANK_AFTER = re.compile(r"[ \t\r]*(?:\Z|\n[ \t\r]*(?:\n|\Z))")
_NEXT_LINE = re.compile(r"[ \t\r]*\n[ \t]*(?P<more>[^\n]{3,90}?)[ \t\r]*(?=\n|\Z)")
_FOLLOWING = re.compile(r"\s*(?P<line>\S[^\n]*)")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_MARKDOWN_HEADINGS = 3
"""Plausible `#` headings from which on a text counts as written in Markdown."""


def candidates(text: str) -> list[Candidate]:
    """The lines of a text that look like headings, in reading order.

    Numbered candidates are only proposals (see `sections`); unnumbered ones stand for good.
    """
    lines = list(_plausible_lines(text))
    numbered = [c for match in lines if (c := _numbered(text, match))]
    markdown = _markdown_lines(lines)
    is_markdown = len(markdown) >= _MARKDOWN_HEADINGS and len(markdown) > sum(
        1 for c in numbered if text[c.start] != "#" and c.weight >= _STRONG
    )
    numbered = _in_one_style(numbered)
    sections = {
        c.number: c.capitals
        for c in numbered
        if c.level == 1 and c.printed.isdigit() and c.weight >= _STRONG
    }
    in_capitals = sum(sections.values()) >= _STYLE
    taken = {c.start for c in numbered}
    named = [
        c
        for match in lines
        if match.start("line") not in taken and (c := _named(text, match, in_capitals))
    ]
    if is_markdown:
        taken |= {c.start for c in named}
        named += _markdown(markdown, taken)
    elif len(sections) < _STYLE:
        first = min((c.start for c in named if _OPENING.match(c.title)), default=len(text))
        taken |= {c.start for c in named}
        named += [c for c in _capital_lines(text, lines, taken) if c.start > first]
    return sorted([*numbered, *named], key=lambda c: c.start)


_STRONG = 3.0
_OPENING = re.compile(r"abstract|introduction", re.IGNORECASE)


def _plausible_lines(text: str) -> Iterator[re.Match[str]]:
    """Lines short enough for a heading, those in code fences left out."""
    fenced = False
    for match in _LINE.finditer(text):
        line = match["line"]
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and "|" not in line:
            yield match


def number_of(printed: str) -> Number:
    """A heading's number from what is printed, such as ``3.1``, ``B.2`` or ``IV``."""
    if not printed:
        return ()
    head, *parts = printed.split(".")
    if head.isdigit():
        first = int(head)
    elif parts or len(head) == 1:
        first = ord(head[0])
    else:
        values = [_ROMAN[letter] for letter in head]
        first = sum(
            -value if index + 1 < len(values) and value < values[index + 1] else value
            for index, value in enumerate(values)
        )
    return (first, *map(int, parts))


def _numbered(text: str, match: re.Match[str]) -> Candidate | None:
    parts = _HEADING.match(match["line"])
    if parts is None or not parts["number"]:
        return None
    title = _title(parts["title"])
    weight = _weight(text, match, parts, title)
    if weight <= 0:
        return None
    number = number_of(parts["number"])
    capitals = _is_capitals(title)
    end = match.end("line")
    if capitals:
        end, title = _continued(text, end, title)
    level, printed = len(number), parts["number"]
    return Candidate(match.start("line"), end, title, level, number, printed, weight, capitals)


def _title(raw: str) -> str:
    plain = re.sub(r"\*\*|(?<!\w)_|_(?!\w)|\[[∗†‡*\d]{1,2}\]$", "", raw)
    return re.sub(r"\s+", " ", plain).strip().rstrip(":").strip()


def _continued(text: str, end: int, title: str) -> tuple[int, str]:
    """Adds a second line of capitals to a heading in capitals."""
    following = _NEXT_LINE.match(text, end)
    if following is None:
        return end, title
    more = following["more"]
    words = _WORD.findall(more)
    if not _is_capitals(more) or _NOISE.search(more) or re.match(r"[\dA-Z](?:\.\d+)* |\*\*", more):
        return end, title
    if _NAMED.match(more) or len("".join(words)) < _LETTER_SHARE * len(more.replace(" ", "")):
        return end, title
    if len(words) == 1 and len(title) < _HALF_LINE:
        return end, title
    joined = title[:-1] if title.endswith("-") else f"{title} "
    return following.end("more"), joined + _title(more)


def _capital_share(title: str) -> float:
    """Share of the letters of the longer words that stand in words set in capitals."""
    words = [word for word in _WORD.findall(title) if len(word) > 1]
    if not words:
        return 0.0
    # Greek letters in names of methods stay small among capitals.
    upper = sum(len(word) for word in words if not re.search("[a-z]", word))
    return upper / sum(len(word) for word in words)


def _is_capitals(title: str) -> bool:
    """Whether the longer words are in capitals (small capitals are extracted that way)."""
    return _capital_share(title) >= _MOSTLY


def _weight(text: str, line: re.Match[str], parts: re.Match[str], title: str) -> float:
    """How much speaks for a numbered line being a heading; <= 0 is not one."""
    words = _WORD.findall(title)
    letters = sum(map(len, words))
    if not _fit_for_title(title, words, letters):
        return 0.0
    lone_letter = parts["number"].isalpha()
    capitals = _is_capitals(title)
    marked = bool(parts["marks"] or (parts["bold"] and line["line"].endswith(parts["bold"])))
    if lone_letter and not (capitals or marked or parts["word"] or _spaced(text, line)):
        return 0.0
    if parts["stop"] == ")" or (parts["stop"] and lone_letter and not (marked or parts["word"])):
        return 0.0
    weight = 1.0
    weight += 2.5 if capitals else _title_case(words)
    weight += 1.0 if marked or parts["word"] else 0.0
    weight += 1.0 if _KNOWN.search(title) else 0.0
    weight += 0.5 * _blank_before(text, line.start()) + 0.5 * _blank_after(text, line.end())
    weight += 0.5 if "." in parts["number"] else 0.0
    weight -= 2.5 if title[-1] in ".,;" else 0.0
    weight -= 2.0 if title[0].islower() else 0.0
    weight -= 1.0 if parts["stop"] and "." not in parts["number"] and not capitals else 0.0
    weight -= 1.5 if re.search(r"\d", title) and not capitals else 0.0
    return weight


def _fit_for_title(title: str, words: Sequence[str], letters: int) -> bool:
    if not words or letters < _MIN_LETTERS or len(title) > _MAX_TITLE or _NOISE.search(title):
        return False
    if max(map(len, words)) < _MIN_LETTERS or not (title[0].isalnum() or title[0] in "\"'“‘("):
        return False
    singles = sum(1 for word in words if len(word) == 1)
    allowed = len(words) // (2 if _is_capitals(title) else 3)
    solid = len(re.sub(r"\s", "", title))
    return letters >= _LETTER_SHARE * solid and singles <= max(1, allowed)


def _title_case(words: Sequence[str]) -> float:
    long = [word for word in words if not _SMALL_WORDS.match(word.lower())]
    capital = sum(1 for word in long if word[0].isupper())
    if long and capital == len(long):
        return 1.0
    return 0.0 if words[0][0].isupper() else -1.0


def _spaced(text: str, line: re.Match[str]) -> bool:
    return _blank_before(text, line.start()) and _blank_after(text, line.end())


def _blank_before(text: str, start: int) -> bool:
    return _BLANK_BEFORE.search(text, max(0, start - _BLANK_REACH), start) is not None


def _blank_after(text: str, end: int) -> bool:
    return _BLANK_AFTER.match(text, end) is not None


def _in_one_style(numbered: Sequence[Candidate]) -> list[Candidate]:
    """Drops mixed-case candidates of a kind whose headings are set in capitals."""
    groups: dict[tuple[bool, int], list[Candidate]] = {}
    for candidate in numbered:
        groups.setdefault((candidate.printed[0].isalpha(), candidate.level), []).append(candidate)
    in_capitals = {
        kind
        for kind, group in groups.items()
        if len({c.number for c in group if c.capitals}) >= _STYLE
    }
    if (False, 1) in in_capitals:  # an appendix is set as the body is
        in_capitals.add((True, 1))
    kept = [
        candidate
        for kind, group in groups.items()
        for candidate in group
        if kind not in in_capitals or _capital_share(candidate.title) >= _PARTLY
    ]
    return sorted(kept, key=lambda c: c.start)


def _named(text: str, match: re.Match[str], in_capitals: bool) -> Candidate | None:
    """An unnumbered heading that papers share, alone on its line; or `Abstract.` before text."""
    line = match["line"]
    run_in = _RUN_IN_ABSTRACT.match(line)
    parts = _HEADING.match(line)
    title = _title(parts["title"]) if parts and not parts["number"] else ""
    if parts and title and _NAMED.match(title):
        end = match.end("line")
    elif run_in:
        title, end = "Abstract", match.start("line") + run_in.end()
    else:
        return None
    marked = parts is not None and bool(parts["marks"] or parts["bold"])
    capitals = _is_capitals(title)
    listed = title == "References" and _REFERENCE_LIST.match(text, match.end("line")) is not None
    if not (capitals or marked or run_in or listed or _blank_before(text, match.start())):
        return None
    if title[0].islower():
        return None
    # Such words head table columns too.
    wrong = in_capitals if marked else (in_capitals or not _before_prose(text, end))
    if _BODY_NAMES.match(title) and not capitals and wrong:
        return None
    return Candidate(match.start("line"), end, title.rstrip(".:"))


def _is_named(title: str) -> bool:
    """Whether a title is a section's that papers share, such as ``References``."""
    return _NAMED.match(title) is not None


def _before_prose(text: str, end: int) -> bool:
    """Whether the next line that is not empty is text (or a numbered subheading)."""
    following = _FOLLOWING.match(text, end)
    return following is not None and (
        len(following["line"]) >= _PROSE or re.match(r"\d\.\d", following["line"]) is not None
    )


def _capital_lines(text: str, lines: Sequence[re.Match[str]], taken: set[int]) -> list[Candidate]:
    """Unnumbered headings in capitals, for papers that number none."""
    found: list[Candidate] = []
    for match in lines:
        title = _title(match["line"].lstrip("# "))
        words = _WORD.findall(title)
        if match.start("line") in taken or not _is_capitals(title):
            continue
        enough = len(words) > 1 or _KNOWN.search(title) is not None
        if (
            enough
            and _fit_for_title(title, words, sum(map(len, words)))
            and _spaced(text, match)
            and _before_prose(text, match.end("line"))
        ):
            found.append(Candidate(*match.span("line"), title, capitals=True))
    return found


def _markdown_lines(lines: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    matches: list[re.Match[str]] = []
    for match in lines:
        parts = re.match(r"(#{1,6})[ \t]+(\S.*)", match["line"])
        if parts:
            title = _title(parts[2].rstrip("# "))
            words = _WORD.findall(title)
            if title and _fit_for_title(title, words, sum(map(len, words))):
                matches.append(match)
    return matches


def _markdown(lines: Sequence[re.Match[str]], taken: set[int]) -> list[Candidate]:
    """All `#` headings but the paper's title, levels counted from the highest one used."""
    depth = {m.start("line"): len(m["line"]) - len(m["line"].lstrip("#")) for m in lines}
    first = lines[0].start("line")
    others = [level for start, level in depth.items() if start != first]
    top = min(others)
    result: list[Candidate] = []
    for match in lines:
        start = match.start("line")
        if start in taken or (start == first and depth[start] <= top):
            continue
        title = _title(match["line"].strip("# "))
        level = depth[start] - top + 1
        result.append(Candidate(start, match.end("line"), title, max(1, level)))
    return result


_REFERENCES = re.compile(
    r"(?:references?|bibliography|literature cited|works cited)\b[\s.:]*$", re.I
)
_RELATED = re.compile(
    r"\b(?:related (?:works?|literature|research|studies)|(?:prior|previous) (?:works?|literature|"
    r"research)|literature (?:review|survey)|state of the art)\b",
    re.I,
)
_CHECKLIST = re.compile(r"(?:[\w-]+ ){0,5}checklist\b(?: \w+)?\W*$", re.I)
_BACK = re.compile(
    r"acknowledge?ments?\b|reproducibility\b|(?:code of )?ethic(?:s|al)\b(?! experiments)|"
    r"author (?:contributions?|information|statement)|contributions? of (?:the )?authors|"
    r"(?:broader |societal )impacts?(?: statement)?$|funding\b|"
    r"(?:declaration of )?(?:competing|conflicts? of) interests?|disclosure|"
    r"(?:data|code)(?: and (?:data|code))? availability|impact statement",
    re.I,
)
_APPENDIX = re.compile(
    r"(?:appendix|appendices|supplement(?:ary|al)?(?: materials?| information)?)\b", re.I
)


def _zones(headings: Sequence[Candidate]) -> Iterator[Zone]:
    """The zone of each heading, in reading order.

    Subsections share their section's zone. After the references everything is appendix, except
    back matter and further reference lists.
    """
    after_references = in_appendix = False
    parent: Zone = Zone.BODY
    parent_number, parent_level = 0, 1
    for place, heading in enumerate(headings):
        top = heading.number[0] if heading.number else 0
        is_child = (
            top == parent_number and len(heading.number) > 1
            if heading.number
            else heading.level > parent_level
        )
        zone: Zone
        if is_child and parent not in {Zone.ABSTRACT, Zone.REFERENCES}:
            zone = parent
            if zone is Zone.BODY and _RELATED.search(heading.title):
                zone = Zone.RELATED_WORK
        else:
            # The first heading with a letter is a title that begins with "A".
            lettered = top >= FIRST_LETTER and place > 0
            in_appendix = in_appendix or after_references or lettered
            in_appendix = in_appendix or bool(_APPENDIX.match(heading.title))
            zone = _own_zone(heading, in_appendix)
            after_references = after_references or zone is Zone.REFERENCES
            parent, parent_number, parent_level = zone, top, heading.level
        yield zone


def _own_zone(heading: Candidate, in_appendix: bool) -> Zone:
    title = heading.title.strip()
    if _REFERENCES.match(title):
        return Zone.REFERENCES
    if title.lower().rstrip(".:") in {"abstract", "summary"} and not heading.number:
        return Zone.ABSTRACT
    if _CHECKLIST.match(title):
        return Zone.CHECKLIST
    if _BACK.match(title) and not (heading.number and in_appendix):
        return Zone.BACK
    if in_appendix:
        return Zone.APPENDIX
    return Zone.RELATED_WORK if _RELATED.search(title) else Zone.BODY


_MAX_GAP = 2
"""Headings that may be missing in a row (lost in extraction) before a sequence breaks."""
_GAP_COST = 1.5
_MAX_CANDIDATES = 2000
FIRST_LETTER = ord("A")
_MARKS = re.compile("#+")
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_SHORTEST_APPENDIX = 40
"""Characters; on 116 papers all that follows a list of references and is longer is no reference."""


def find_sections(text: str) -> tuple[Section, ...]:
    """The sections of a paper, contiguous and covering the whole text.

    Args:
        text: Plain text, Markdown, or text extracted from a PDF.

    Returns:
        Sections in reading order, the first one being the front matter (without a title) unless
        the text starts with a heading; empty for an empty text, one section when there is no
        heading at all.
    """
    if not text:
        return ()
    found = candidates(text)
    kept = sorted(
        [*_sequence([c for c in found if c.number]), *(c for c in found if not c.number)],
        key=lambda c: c.start,
    )
    kept = _levels_by_number(text, _without_early_names(kept))
    if not kept:
        return (untitled(0, len(text), Zone.BODY),)
    return tuple(part for section in tiled(text, kept) for part in _without_appendix(text, section))


def untitled(start: int, end: int, zone: Zone) -> Section:
    """A section without a heading."""
    return Section(title="", level=1, start=start, heading_end=start, end=end, zone=zone)


def tiled(text: str, headings: Sequence[Candidate]) -> list[Section]:
    """The sections that headings part a text into, front matter first."""
    ends = [heading.start for heading in headings[1:]] + [len(text)]
    sections = [
        Section(
            title=heading.title,
            number=heading.printed or None,
            level=heading.level,
            start=heading.start,
            heading_end=min(heading.end, end),
            end=end,
            zone=zone,
        )
        for heading, end, zone in zip(headings, ends, _zones(headings), strict=True)
    ]
    if sections and sections[0].start > 0:
        sections.insert(0, untitled(0, sections[0].start, Zone.FRONT))
    return sections


def _without_appendix(text: str, section: Section) -> tuple[Section, ...]:
    """A list of references, apart from what follows it under a heading that was not recognised.

    The list ends with the paragraph that holds its last year.
    """
    years = list(_YEAR.finditer(text, section.heading_end, section.end))
    if section.zone is not Zone.REFERENCES or not years:
        return (section,)
    end = text.find("\n\n", years[-1].end(), section.end)
    if end < 0 or len(text[end : section.end].strip()) < _SHORTEST_APPENDIX:
        return (section,)
    start = end + len("\n\n")
    after = untitled(start, section.end, Zone.APPENDIX)
    return section.model_copy(update={"end": start}), after


def _levels_by_number(text: str, kept: Sequence[Candidate]) -> list[Candidate]:
    """Headings whose marks are all of one level (``##``): numbers decide.

    One without a number belongs to the numbered one before it.
    """
    marks = {_MARKS.match(text, one.start)[0] for one in kept[1:] if text[one.start] == "#"}  # type: ignore[index]
    if len(marks) != 1:
        return list(kept)
    result: list[Candidate] = []
    level = 0
    for candidate in kept:
        marked = not candidate.number and text[candidate.start] == "#"
        if marked and level and not _is_named(candidate.title):
            candidate = replace(candidate, level=level + 1)  # noqa: PLW2901
        else:
            level = len(candidate.number)
        result.append(candidate)
    return result


def _without_early_names(kept: Sequence[Candidate]) -> list[Candidate]:
    """Drops a second abstract; only the first one is the paper's own."""
    firsts = (
        at
        for at, candidate in enumerate(kept)
        if candidate.number or candidate.title.lower() == "abstract"
    )
    first = next(firsts, len(kept))
    return [
        candidate
        for at, candidate in enumerate(kept)
        if at <= first or candidate.number or candidate.title.lower() != "abstract"
    ]


def _sequence(numbered: Sequence[Candidate]) -> list[Candidate]:
    """The heaviest sequence of candidates whose numbers follow each other.

    The best sequence so far is kept for each number it can end with, which bounds the work by the
    candidates times the distinct numbers.
    """
    if len(numbered) > _MAX_CANDIDATES:  # a text made of numbers; only strong ones count
        strong = sorted(numbered, key=lambda c: -c.weight)[:_MAX_CANDIDATES]
        numbered = sorted(strong, key=lambda c: c.start)
    best: dict[Number, tuple[float, int]] = {}
    previous: list[int] = [-1] * len(numbered)
    total: list[float] = [0.0] * len(numbered)
    for index, candidate in enumerate(numbered):
        number = candidate.number
        score, link = _opening(number), -1
        for other, (weight, place) in best.items():
            cost = _step(other, number)
            if cost is not None and weight - cost > score:
                score, link = weight - cost, place
        total[index] = score + candidate.weight
        previous[index] = link
        if number not in best or total[index] > best[number][0]:
            best[number] = (total[index], index)
    if not total:
        return []
    index = max(range(len(total)), key=total.__getitem__)
    if total[index] <= 0:
        return []
    chosen: list[Candidate] = []
    while index >= 0:
        chosen.append(numbered[index])
        index = previous[index]
    return chosen[::-1]


def _opening(number: Number) -> float:
    """What it costs to begin a sequence with this number (as a negative weight)."""
    if number in {(1,), (0,), (FIRST_LETTER,)}:
        return 0.0
    if number[0] <= _MAX_GAP and len(number) == 1:
        return -_GAP_COST
    return -2 * _GAP_COST


def _step(last: Number, number: Number) -> float | None:
    """The cost of `number` coming right after `last`; None if it cannot."""
    shared = 0
    for left, right in zip(last, number, strict=False):
        if left != right:
            break
        shared += 1
    if shared == len(number):
        return None  # the same number again, or a parent after its child
    rest = number[shared + 1 :]
    if shared == len(last):  # a child of the last heading
        missing = number[shared] - 1
    elif last[0] < FIRST_LETTER <= number[0]:  # from the body to the appendix
        missing = number[shared] - FIRST_LETTER
    else:
        missing = number[shared] - last[shared] - 1
    if missing < 0 or missing > _MAX_GAP or len(rest) > 1:
        return None
    missing += sum(part for part in rest)  # 4 directly to 5.1 lacks the heading of 5
    return None if missing > _MAX_GAP + 1 else missing * _GAP_COST
