"""What reviewers could not see: sections that answer reviews, revised text, published versions.

A sign counts only where it is unlikely to be anything else: a doubt that is not there costs a flag.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import takewhile

from reviewscore.schema.paper import Doubt, DoubtKind, RevisedSpan, Section, VenueSpan, Zone

_REVIEWERS = r"(?:(?:all|the|our|anonymous|other)\s){0,3}(?:reviewers?|referees?)\b['’]?s?"
_AFTER = (
    r"(?:author[ -])?(?:rebuttals?|discussion|response|revision)(?:\s(?:period|phase|stage))?\b"
)
_TITLE = re.compile(
    rf"(?:(?:for|during|in|since)\s(?:the\s)?(?:author\s)?rebuttals?(?:\s(?:period|phase))?"
    rf"[.:]?$"
    rf"|^(?:author\s)?rebuttals?(?:\s(?:experiments?|results?|materials?|additions?))?[.:]?$"
    rf"|\b(?:responses?|repl(?:y|ies)|answers?|answering|responding)\sto\s(?:the\s)?"
    rf"(?:comments?\s(?:of|by|from)\s)?{_REVIEWERS}"
    rf"|\b(?:requested|suggested|asked\sfor|raised)\sby\s{_REVIEWERS}"
    rf"|^(?:summary\sof\s|list\sof\s)(?:the\s)?(?:changes|revisions)\b"
    rf"|\b(?:added|new)\s(?:in|during|for)\s(?:the\s)?{_AFTER})",
    re.IGNORECASE,
)
"""A heading of a section that answers reviews."""
_LONE_LINE = re.compile(
    r"(?:\A|\n)[ \t]*\n[ \t#*_]*(?P<line>(?:(?P<number>[A-Z\d](?:\.\d{1,2}){0,2})[.:]?[ \t]+)?"
    r"(?P<title>[A-Z][^\n.,;]{5,90}?))[*_: \t]*(?=\n)"
)
"""A line after an empty one that may be a heading, whatever else is taken for one."""
_ABOUT_REVIEWING = re.compile(
    r"\b(?:peer[- ]review\w*|rebuttals?|meta-?reviews?|reviewers?)\b", re.IGNORECASE
)
_MANY = 8
"""Times that a paper speaks of reviewing from which on this is what it is about: of papers, or of
things that are sold. What says that a passage was revised is not counted."""

_MARK = re.compile(
    rf"\[\s?(?:revised|revision)\s?\]"
    rf"|[\[(]\s?(?:newly\sadded|(?:newly\s)?(?:added|new|revised|updated|changed)\s"
    rf"(?:text\s|material\s|results?\s)?(?:in|during|for|after)\s(?:the\s|this\s)?"
    rf"(?:{_AFTER}|revised\sversion|(?:new|current|present)\sversion|version|reviews?))\s?[\])]"
    rf"|^[ \t#*_]*(?:newly\sadded|revised|added\s(?:in|during|for)\s(?:the\s)?{_AFTER}|"
    rf"new\sin\s(?:this|the\s(?:revised|new))\sversion)[*_]*:"
    rf"|\b(?:we|is|was|were|been|have|newly)\s(?:\w+\s)?(?:added|included|conducted|updated|ran|"
    rf"run|revised)\s(?:\w+\s){{0,6}}(?:in|during|for)\s(?:the|this)\s(?:author\s)?"
    rf"(?:rebuttals?(?:\s(?:period|phase))?|revision|revised\sversion)\b"
    rf"|\b(?:suggested|requested|recommended|asked\sfor|raised|pointed\sout)\sby\s"
    rf"(?:(?:one|some|several|two|many)\sof\s|an?\s)?{_REVIEWERS}"
    rf"|\b(?:following|per|in\sresponse\sto|to\saddress|addressing|based\son)\s(?:\w+\s)?"
    rf"(?:the\s)?(?:(?:suggestions?|comments?|requests?|concerns?|questions?)\s(?:of|by|from)\s"
    rf"{_REVIEWERS}|(?:the\s|our\s|anonymous\s)*(?:reviewers?['’]?s?|referees?['’]?s?)\s"
    rf"(?:suggestions?|comments?|requests?|concerns?|questions?|feedback))",
    re.IGNORECASE | re.MULTILINE,
)
"""Words in a paragraph that say that it came after the reviews."""
_BREAK = re.compile(r"\n[ \t]*\n")
_COLOURS = r"(?:blue|red|green|orange|purple|magenta|cyan|brown|teal|violet|yellow|colou?r)"
_COLOURED = re.compile(
    rf"\b(?:changes|revisions|edits|modifications|additions|(?:revised|changed|added|updated|new)"
    rf"\s(?:text|parts?|passages?|content|material|sections?))\s(?:\w+\s){{0,8}}"
    rf"(?:are|is|were|was)\s(?:\w+\s){{0,2}}(?:marked|highlighted|shown|written|colou?red|"
    rf"typeset|given|indicated)\sin\s(?:\w+\s)?{_COLOURS}\b",
    re.IGNORECASE,
)
_OF_A_VERSION = re.compile(
    r"\b(?:revis\w+|rebuttal|reviewers?|manuscript|version)\b", re.IGNORECASE
)
_NEAR = 120
"""Characters around what is said of colours in which it must be said of a version: figures have
coloured parts too."""
_THANKING_REVIEWERS = re.compile(
    r"\b(?:thank|grateful to|indebted to|acknowledge)\b[^.\n]{0,80}?"
    r"\b(?:reviewers|referees|area chairs?|program chairs?)\b",
    re.IGNORECASE,
)

_HEAD = 4000
"""Characters in which the head of a paper stands."""
_ANONYMOUS = re.compile(
    r"\banonymous(?:ly)?[ ](?:author|submission|authors|\w{2,12}[ ]submission|affiliation)"
    r"|under[ ](?:double-blind[ ])?review\b|do[ ]not[ ]distribute|^[^\w\n]*submitted[ ]to\b"
    r"|\banonymous(?:ed)?@|paper[ -]id[ ]?:?[ ]?#?\d+",
    re.IGNORECASE | re.MULTILINE,
)
_PUBLISHED = re.compile(
    r"^[^\w\n]{0,6}(?:"
    r"published[ ](?:as[ ]an?[ ][\w ]{0,30}paper[ ]at|in[ ]transactions[ ]on)\b[^\n]{0,80}"
    r"|accepted[ ](?:as[ ]an?[ ][\w ]{0,30}paper[ ])?(?:at|to|by|for)[ ][^\n]{2,80}"
    r"|(?:proceedings|findings)[ ]of[ ]the[ ][^\n]{10,160}"
    r"|(?:©|\(c\)|copyright)[ ]?(?:©|\(c\))?[ ]?(?:19|20)\d\d[^\n]{0,100}"
    r"|\d{2}(?:st|nd|rd|th)[ ]conference[ ]on[ ]neural[ ]information[ ]processing[ ]systems[^\n]*"
    r"|this[ ](?:\w+[ ])?paper[ ]is[ ]the[ ]open[ ]access[ ]version[^\n]*"
    r")[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that a venue puts into papers that it has accepted."""
_EMAIL = re.compile(r"[\w.}+-]{1,60}[ ]?@[ ]?[A-Za-z][\w-]*(?:\.[\w-]+)+")
_ACKNOWLEDGED = re.compile(r"^[ \t#*_\d.]{0,9}acknowledge?ments?\b", re.IGNORECASE | re.MULTILINE)
_THANKED = 600
"""Characters of acknowledgements that are looked at."""
_LINE = 120
"""Characters of a sign that are repeated."""
_SUPPORTED = re.compile(
    r"\b(?:thank|grateful|supported[ ]by|funded[ ]by|funding[ ]from|grants?[ ]|fellowship)\b", re.I
)
_WITHHELD = re.compile(r"\b(?:anonymi[sz]\w+|withheld|omitted|left[ ]out|blind)\b", re.I)


def with_rebuttals(sections: Sequence[Section], text: str) -> tuple[Section, ...]:
    """The sections, those that answer reviews and what stands below them in a zone of their own.

    In a paper about reviewing no heading counts.
    """
    sections = _with_unseen_headings(sections, text)
    if not any(_TITLE.search(section.title) for section in sections):
        return tuple(sections)
    if _about_reviewing(text, sections):
        return tuple(sections)
    marked: list[Section] = []
    level: int | None = None
    for section in sections:
        if level is not None and section.level <= level:
            level = None
        if level is None and _TITLE.search(section.title) and section.zone is not Zone.CHECKLIST:
            level = section.level
        within = level is not None and section.zone is not Zone.REFERENCES
        marked.append(section.model_copy(update={"zone": Zone.REBUTTAL}) if within else section)
    return tuple(marked)


def _with_unseen_headings(sections: Sequence[Section], text: str) -> tuple[Section, ...]:
    """The sections, cut where a line stands alone that is a heading of answers to reviews."""
    cut = list(sections)
    for match in _LONE_LINE.finditer(text):
        title = " ".join(match["title"].split())
        if not _TITLE.search(title):
            continue
        start, end = match.span("line")
        place = bisect_right(cut, start, key=lambda section: section.start) - 1
        section = cut[place] if place >= 0 else None
        if section is None or start < section.heading_end or section.zone is Zone.CHECKLIST:
            continue
        number = match["number"]
        found = Section(
            title=title,
            number=number,
            level=1 + (number or "").count("."),
            start=start,
            heading_end=end,
            end=section.end,
            zone=Zone.APPENDIX if section.zone is Zone.REFERENCES else section.zone,
        )
        before = section.model_copy(update={"end": start})
        cut[place : place + 1] = [before, found] if before.start < start else [found]
    return tuple(cut)


def _about_reviewing(text: str, sections: Sequence[Section]) -> bool:
    """Whether a paper is about reviewing; what answers reviews in it is not counted."""
    own = [
        (section.heading_end, section.end)
        for section in sections
        if section.zone not in _SILENT and not _TITLE.search(section.title)
    ]
    mentions = marks = 0
    for start, end in own if sections else [(0, len(text))]:
        mentions += sum(1 for _ in _ABOUT_REVIEWING.finditer(text, start, end))
        marks += sum(1 for _ in _MARK.finditer(text, start, end))
    return mentions - marks >= _MANY


_SILENT = (Zone.REFERENCES, Zone.CHECKLIST, Zone.BACK, Zone.REBUTTAL)
"""Where nothing proves anything anyway."""


def revised_spans(
    text: str, sections: Sequence[Section], venue_text: Sequence[VenueSpan]
) -> tuple[RevisedSpan, ...]:
    """The stretches of a text that say that they came after the reviews, ascending.

    A mark in a heading or in the first paragraph below it is one of the section, any other of its
    paragraph. In a paper about reviewing none counts.
    """
    matches = [
        match
        for match in _MARK.finditer(text)
        if not any(span.start <= match.start() < span.end for span in venue_text)
        and _zone_at(sections, match.start()) not in _SILENT
    ]
    if not matches or _about_reviewing(text, sections):
        return ()
    breaks = [match.span() for match in _BREAK.finditer(text)]
    spans: list[RevisedSpan] = []
    for match in matches:
        if spans and match.start() < spans[-1].end:
            continue
        start, end = _extent(text, match.start(), _section_at(sections, match.start()), breaks)
        spans.append(RevisedSpan(start=start, end=end, sign=" ".join(match.group().split())))
    return tuple(spans)


def _extent(
    text: str, offset: int, section: Section | None, breaks: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """The section of a mark that stands at its beginning, else the mark's paragraph."""
    low, high = (0, len(text)) if section is None else (section.start, section.end)
    place = bisect_right(breaks, (offset, offset))
    start = max(low, breaks[place - 1][1] if place else 0)
    end = min(high, breaks[place][0] if place < len(breaks) else len(text))
    titled = section is not None and section.heading_end > section.start
    if section is not None and titled and not text[section.heading_end : start].strip():
        return section.start, section.end
    return start, end


def _section_at(sections: Sequence[Section], offset: int) -> Section | None:
    place = bisect_right(sections, offset, key=lambda section: section.start) - 1
    return sections[place] if place >= 0 else None


def _zone_at(sections: Sequence[Section], offset: int) -> Zone | None:
    section = _section_at(sections, offset)
    return None if section is None else section.zone


_WORDS = {
    DoubtKind.CAMERA_READY: "is published or names its authors ({sign}): reviewers may have read "
    "another version",
    DoubtKind.REVISED_VERSION: "was changed after the reviews ({sign}): reviewers read another "
    "version",
    DoubtKind.REBUTTAL_SECTION: "stands in a section that answers reviews ({sign})",
    DoubtKind.REVISED_TEXT: "is marked as revised (“{sign}”)",
    DoubtKind.REVISION: "stands in the revision alone ({sign})",
}


def doubt_words(doubt: Doubt) -> str:
    """A doubt in words that follow ``the paper`` or ``the passage``."""
    return _WORDS[doubt.kind].format(sign=doubt.sign)


def version_doubts(
    text: str, sections: Sequence[Section], heads: Iterable[str] = ()
) -> tuple[Doubt, ...]:
    """Why a text as a whole may not be what reviewers read: it is published, or was revised.

    Args:
        text: The paper's text.
        sections: Its sections.
        heads: Running heads that were left out of the text.
    """
    fronts = list(takewhile(lambda section: section.zone is Zone.FRONT, sections))
    end = fronts[-1].end if fronts and len(fronts) < len(sections) else 0
    front = text[: min(end, _HEAD)]
    lines = "\n".join(dict.fromkeys(heads))
    if _ANONYMOUS.search(f"{text[:_HEAD]}\n{lines}"):
        signs, kind = _revised(text, sections), DoubtKind.REVISED_VERSION
    else:
        signs, kind = _published(front, f"{front or text[:_HEAD]}\n{lines}"), DoubtKind.CAMERA_READY
        signs = (*signs, *_thanks(text, sections))
        if not signs:
            signs, kind = _revised(text, sections), DoubtKind.REVISED_VERSION
    return (Doubt(kind=kind, sign="; ".join(signs)),) if signs else ()


def _published(front: str, head: str) -> tuple[str, ...]:
    """What shows that a paper is published or names its authors; addresses are not repeated."""
    venue = _PUBLISHED.search(head)
    signs = [] if venue is None else [f"the line {_in_words(venue)}"]
    if _EMAIL.search(front):
        signs.append("an e-mail address before the abstract")
    return tuple(signs)


def _thanks(text: str, sections: Sequence[Section]) -> tuple[str, ...]:
    """Acknowledgements that thank somebody; none where they only say that they are left out."""
    for match in _ACKNOWLEDGED.finditer(text):
        own = text[match.end() : match.end() + _THANKED]
        zone = _zone_at(sections, match.start())
        if zone is not Zone.CHECKLIST and _SUPPORTED.search(own) and not _WITHHELD.search(own):
            return ("its acknowledgements",)
    return ()


def _revised(text: str, sections: Sequence[Section]) -> tuple[str, ...]:
    """What a text says of having been changed after reviews."""
    coloured = (
        match
        for match in _COLOURED.finditer(text)
        if _OF_A_VERSION.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR)
    )
    pair = (next(coloured, None), _THANKING_REVIEWERS.search(text))
    return tuple(
        f"it says {_in_words(match)}"
        for match in pair
        if match is not None
        and _zone_at(sections, match.start()) not in (Zone.REFERENCES, Zone.CHECKLIST)
    )


def _in_words(match: re.Match[str]) -> str:
    return f"“{' '.join(match.group().split())[:_LINE]}”"
