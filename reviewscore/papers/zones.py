"""What each section of a paper is for, from its title and its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewscore.papers.headings import Candidate
from reviewscore.schema.paper import Zone

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
_FIRST_LETTER = ord("A")


def zones(headings: Sequence[Candidate]) -> Iterator[Zone]:
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
            lettered = top >= _FIRST_LETTER and place > 0
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
