"""Sections of the paper that a review names by their title: ``the Related Work section``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewscore.points.mention import Mention
from reviewscore.schema.place import PlaceKind

_ALONE = r"abstract|introduction|intro|related\s+works?|conclusions?"
_OF_PAPER = r"(?:\s+of\s+(?:the|this|your|their)\s+(?:paper|work|manuscript|submission|article))?"
_VERB = (
    r"\s+(?:\w+ly\s+)?(?:is|are|was|seems?|does|do|should|could|would|needs?|lacks?|mentions?|omits?|"
    r"misses|claims?|states?|says?|has|contains?|fails?|reads?|provides?|discuss(?:es)?|covers?|"
    r"focus(?:es)?|overstates?|starts?|promises?|suggests?)\b"
)
_IN = re.compile(
    rf"\b(?:in|from|to|into|throughout|within)\s+(?:(?:the|your|their|its)\s+(?:\w+['’]s?\s+)?"
    rf"(?P<name>{_ALONE})|(?P<cap>(?-i:Abstract|Introduction|Related\s+Works?|Conclusions?)))\b"
    rf"{_OF_PAPER}(?!\s+(?:of|that|drawn|section|\[)|\s*\[\d|[-–]\w"
    rf"|,?\s+(?:\w+\s+){{0,3}}(?:e\.g|such as|like\b))",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:\A|[.!?:;\n(]\s*|\b(?:while|although|though|and|but|that|in general)\s+)"
    r"(?:the|your|their)\s+"
    rf"(?P<name>abstract|introduction|intro|related\s+works?(?:\s+section)?){_OF_PAPER}(?={_VERB})",
    re.I,
)
_CONCLUSION = re.compile(
    r"\b(?:the|your)\s+(?P<name>conclusion)(?=\s+(?:mentions?|discuss(?:es)?|omits?|should|lacks?)\b)",
    re.I,
)
_HEAD = re.compile(
    r"(?:^[ \t]*(?:[-*•\d.)]+[ \t]*)?(?:\*\*)?|\()(?P<name>Abstract|Introduction|Related [Ww]orks?)"
    r"(?:(?:\*\*)?:|\))",
    re.M,
)
_NAME = r"[A-Za-z][\w-]*(?:[ ](?:[A-Za-z][\w-]*|&))"
_TITLED = re.compile(
    rf"\b(?P<lead>the|this|your|their|in|from|see|its|[Tt]he\s+paper['’]s|^)\s+[\"“'‘*]*"
    rf"(?P<name>{_NAME}{{0,4}})[\"”'’*]*\s+(?:sub)?section\b(?!\s*(?:\d|on\b|about\b|of\s+\[|(?:in|of)\s+(?:the\s+)?suppl))",
    re.M,
)
_START = re.compile(
    r"(?:\A|[.!?\n]\s+|^)(?P<name>[A-Z][\w-]*(?:[ ](?:[A-Za-z][\w-]*|&)){0,4})[\"”'’*]*"
    r"\s+(?:sub)?section\b"
    r"(?!\s*(?:\d|on\b|about\b|titles?\b|(?:in|of)\s+(?:the\s+)?suppl))",
    re.M,
)
_CALLED = re.compile(
    r"\b(?:sub)?section\s+(?:called\s+|titled\s+|entitled\s+|named\s+)?[\"“‘'*]+(?P<name>[^\"“”‘’'\n*]{4,80})"
    r"[\"”’'*]+",
    re.I,
)
_INDEFINITE = re.compile(
    r"\b(?:an?|any|no|without|lacks?|lacking|missing|add(?:ing)?|dedicated|separate|new|such|another|"
    r"explicit|every|each|this|that|which|above|previous|next|last|first|second|whole|entire|same|"
    r"following|corresponding|specific|review|weakness(?:es)?|questions?|strengths?)\b",
    re.I,
)
_LONGEST = 60


def named_sections(text: str) -> Iterator[Mention]:
    """Sections by their names; a place only where the paper has that section, and only one."""
    for pattern in (_IN, _SUBJECT, _CONCLUSION, _HEAD):
        for match in pattern.finditer(text):
            group = "name" if match["name"] else "cap"
            yield _mention(text, *match.span(group))
    for pattern in (_TITLED, _START, _CALLED):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if pattern is not _CALLED:
                start = _title_start(text, start, end)
            name = text[start:end]
            if len(name) <= _LONGEST and not _INDEFINITE.search(name):
                yield _mention(text, start, end)


def _title_start(text: str, start: int, end: int) -> int:
    """Where a title begins: after the last article or preposition before ``section``."""
    cuts = re.finditer(r"\b(?:the|your|their|in|from|of|to|see|its|The)\s+", text[start:end])
    return start + max((cut.end() for cut in cuts), default=0)


def _mention(text: str, start: int, end: int) -> Mention:
    name = " ".join(text[start:end].split())
    name = re.sub(r"\s+section\Z", "", name, flags=re.I)
    return Mention(PlaceKind.SECTION, name, name, start, end, sure=False)
