"""What reviewers could not see: sections that answer reviews, revised text, published versions.

A sign counts only where it is unlikely to be anything else: a doubt that is not there costs a flag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from reviewscore.schema.paper import Doubt, DoubtKind, RevisedSpan, Section, VenueSpan, Zone

_REVIEWERS = r"(?:(?:all|the|our|anonymous|other)[ ]){0,3}(?:reviewers?|referees?)\b['’]?s?"
_AFTER = (
    r"(?:author[ -])?(?:rebuttals?|discussion|response|revision)(?:[ ](?:period|phase|stage))?\b"
)
_TITLE = re.compile(
    rf"(?:(?:for|during|in|since)[ ](?:the[ ])?(?:author[ ])?rebuttals?(?:[ ](?:period|phase))?"
    rf"[.:]?$"
    rf"|^(?:author[ ])?rebuttals?(?:[ ](?:experiments?|results?|materials?|additions?))?[.:]?$"
    rf"|\b(?:responses?|repl(?:y|ies)|answers?|answering|responding)[ ]to[ ](?:the[ ])?"
    rf"(?:comments?[ ](?:of|by|from)[ ])?{_REVIEWERS}"
    rf"|\b(?:requested|suggested|asked[ ]for|raised)[ ]by[ ]{_REVIEWERS}"
    rf"|^(?:summary[ ]of[ ]|list[ ]of[ ])(?:the[ ])?(?:changes|revisions)\b"
    rf"|\b(?:added|new)[ ](?:in|during|for)[ ](?:the[ ])?{_AFTER})",
    re.IGNORECASE,
)
"""A heading of a section that answers reviews."""
_ABOUT_REVIEWING = re.compile(r"\b(?:peer[- ]review\w*|rebuttals?|meta-?reviews?)\b", re.IGNORECASE)
_MANY = 8
"""Times that a paper speaks of reviewing from which on this is what it is about."""

_MARK = re.compile(
    rf"[\[(][ ]?(?:newly[ ]added|revised|(?:newly[ ])?(?:added|new|revised|updated|changed)[ ]"
    rf"(?:text[ ]|material[ ]|results?[ ])?(?:in|during|for|after)[ ](?:the[ ]|this[ ])?"
    rf"(?:{_AFTER}|revised[ ]version|(?:new|current|present)[ ]version|version|reviews?))[ ]?[\])]"
    rf"|^[ \t#*_]*(?:newly[ ]added|revised|added[ ](?:in|during|for)[ ](?:the[ ])?{_AFTER}|"
    rf"new[ ]in[ ](?:this|the[ ](?:revised|new))[ ]version)[*_]*:"
    rf"|\b(?:we|is|was|were|been|have|newly)[ ](?:\w+[ ])?(?:added|included|conducted|updated|ran|"
    rf"run|revised)[ ](?:\w+[ ]){{0,6}}(?:in|during|for)[ ](?:the|this)[ ](?:author[ ])?"
    rf"(?:rebuttals?(?:[ ](?:period|phase))?|revision|revised[ ]version)\b"
    rf"|\b(?:suggested|requested|recommended|asked[ ]for|raised|pointed[ ]out)[ ]by[ ]"
    rf"(?:(?:one|some|several|two|many)[ ]of[ ]|an?[ ])?{_REVIEWERS}"
    rf"|\b(?:following|per|in[ ]response[ ]to|to[ ]address|addressing|based[ ]on)[ ](?:\w+[ ])?"
    rf"(?:the[ ])?(?:(?:suggestions?|comments?|requests?|concerns?|questions?)[ ](?:of|by|from)[ ]"
    rf"{_REVIEWERS}|(?:the[ ]|our[ ]|anonymous[ ])*(?:reviewers?['’]?s?|referees?['’]?s?)[ ]"
    rf"(?:suggestions?|comments?|requests?|concerns?|questions?|feedback))",
    re.IGNORECASE | re.MULTILINE,
)
"""Words in a paragraph that say that it came after the reviews."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_COLOURS = r"(?:blue|red|green|orange|purple|magenta|cyan|brown|teal|violet|yellow|colou?r)"
_COLOURED = re.compile(
    rf"\b(?:changes|revisions|edits|modifications|additions|(?:revised|changed|added|updated|new)"
    rf"[ ](?:text|parts?|passages?|content|material|sections?))[ ](?:\w+[ ]){{0,8}}"
    rf"(?:are|is|were|was)[ ](?:\w+[ ]){{0,2}}(?:marked|highlighted|shown|written|colou?red|"
    rf"typeset|given|indicated)[ ]in[ ](?:\w+[ ])?{_COLOURS}\b",
    re.IGNORECASE,
)
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


def _about_reviewing(text: str, sections: Iterable[Section]) -> bool:
    own = [one for one in sections if one.zone not in (Zone.REFERENCES, Zone.CHECKLIST)]
    mentions = sum(
        1 for one in own for _ in _ABOUT_REVIEWING.finditer(text, one.heading_end, one.end)
    )
    return mentions >= _MANY


def revised_spans(
    text: str, sections: Sequence[Section], venue_text: Sequence[VenueSpan]
) -> tuple[RevisedSpan, ...]:
    """The stretches of a text that say that they came after the reviews, ascending.

    A mark in a heading or in the first paragraph below it is one of the section, any other of its
    paragraph. Checklists and acknowledgements prove nothing anyway; they are not looked at.
    """
    spans: list[RevisedSpan] = []
    reached = 0
    about: bool | None = None
    for match in _MARK.finditer(text):
        if match.start() < reached or _is_venue(match.start(), venue_text):
            continue
        section = next((one for one in sections if one.start <= match.start() < one.end), None)
        if section is not None and section.zone in _SILENT:
            continue
        about = _about_reviewing(text, sections) if about is None else about
        if about:
            return ()
        start, end = _extent(text, match.start(), section)
        reached = end
        spans.append(RevisedSpan(start=start, end=end, sign=" ".join(match.group().split())))
    return tuple(spans)


_SILENT = (Zone.REFERENCES, Zone.CHECKLIST, Zone.BACK, Zone.REBUTTAL)


def _is_venue(offset: int, venue_text: Sequence[VenueSpan]) -> bool:
    return any(one.start <= offset < one.end for one in venue_text)


def _extent(text: str, offset: int, section: Section | None) -> tuple[int, int]:
    """The section of a mark at its beginning, else its paragraph."""
    low, high = (0, len(text)) if section is None else (section.start, section.end)
    titled = section is not None and section.heading_end > section.start
    breaks = [low, *(one.end() for one in _PARAGRAPH.finditer(text, low, offset))]
    start = breaks[-1]
    after = _PARAGRAPH.search(text, offset, high)
    end = high if after is None else after.start()
    if section is not None and titled and not text[section.heading_end : start].strip():
        return section.start, section.end
    return start, end


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
    fronts = list(takewhile(lambda one: one.zone is Zone.FRONT, sections))
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
    matches = (pattern.search(text) for pattern in (_COLOURED, _THANKING_REVIEWERS))
    return tuple(
        f"it says {_in_words(match)}"
        for match in matches
        if match is not None
        and _zone_at(sections, match.start()) not in (Zone.REFERENCES, Zone.CHECKLIST)
    )


def _zone_at(sections: Sequence[Section], offset: int) -> Zone | None:
    return next((one.zone for one in sections if one.start <= offset < one.end), None)


def _in_words(match: re.Match[str]) -> str:
    return f"“{' '.join(match.group().split())[:_LINE]}”"
