"""The sections of a review: its boxes, and the headings written inside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reviewscore.schema.review import Review, Role
from reviewscore.sources.section_roles import (
    POINT_ROLES,
    Level,
    field_role,
    heading_kind,
    is_closing,
    is_sifted,
    plain_name,
)


class OpenSection(NamedTuple):
    """A stretch of a review under one heading: ``review.fields[field][start:end]``.

    Attributes:
        field: Name of the text box.
        name: Heading as the reviewer wrote it, else the name of the box.
        role: What the section is for.
        start: Offset just after the heading.
        end: Offset of the next heading, or the end of the box.
    """

    field: str
    name: str
    role: Role
    start: int
    end: int

    @property
    def sifted(self) -> bool:
        """Whether praise and description may stand in it, so that not every sentence counts."""
        return self.role in (Role.MIXED, Role.LIMITATIONS) or is_sifted(self.name)


class Heading(NamedTuple):
    """A heading in a box: its line starts at `start`, its section's text at `body`."""

    start: int
    body: int
    name: str
    role: Role
    level: Level


_WHOLE = frozenset({"text", "review", "main review", "comments", "full review"})
_INSIDE = POINT_ROLES | {Role.STRENGTHS, Role.LIMITATIONS, Role.LATE, Role.IGNORE}
_ORNAMENT = " \t\r\f\v#*_=[]{}$~>()|<`\u200b\u00a0\ufeff"
_NUMBER = re.compile(r"^(?:\d{1,2}|[IVX]{1,4}|[A-Fa-f])[.)]\s+")
_BULLET = re.compile(r"^[-+•*]\s+(?=\S)")
_TEX = re.compile(r"\\(?:textbf|textit|underline|text|bf|section\*?|subsection\*?)\b\s*")
_LONGEST = 80


def _bare(head: str) -> str:
    """A would-be heading without its ornaments."""
    head = _TEX.sub("", head.replace("&nbsp;", " ")).strip(_ORNAMENT + "-–—+•:.,;!")
    return _NUMBER.sub("", head).strip(_ORNAMENT + "-–—:.")


def _full_line(line: str, *, mixed: bool) -> tuple[str, Role, Level] | None:
    if len(line) > _LONGEST:
        return None
    name = _bare(line)
    kind = heading_kind(name, announces=mixed and line.rstrip(" \t\r*_").endswith(":"))
    if kind is None:
        return None
    bulleted = _BULLET.match(line.strip()) is not None and not line.strip().startswith("**")
    plain = line.rstrip(" \t\r*_]").endswith((":", "-"))
    if bulleted and not plain and kind[1] is not Level.SIDE:
        return None
    return (name, *kind)


_SEPARATOR = re.compile(r":|\s[-–—]\s|[.\])*_}]+(?=\s)|\](?=\S)|\*\*")


def _inline(line: str) -> tuple[str, Role, Level, int] | None:
    """A heading with its text on the same line: name, role, level, offset of the text."""
    for match in _SEPARATOR.finditer(line, 0, _LONGEST):
        head, rest = line[: match.start()], line[match.end() :]
        if not any(char.isalnum() for char in head):
            continue
        kind = heading_kind(_bare(head))
        if kind is None or not rest.strip(_ORNAMENT):
            continue
        colon = ":" in match.group() or rest.lstrip(_ORNAMENT).startswith(":")
        begun = _NUMBER.sub("", head.strip(" \t*_-+•")).startswith("(")
        closed = ")" in match.group() and (colon or begun)
        if head.count("(") > head.count(")") and not closed:
            continue  # inside a remark in brackets
        if not colon and kind[1] is not Level.SIDE:
            continue
        if kind[0] is Role.SCORES and len(rest) > _LONGEST:
            continue
        if kind[0] is Role.IGNORE and rest.lstrip(_ORNAMENT)[:1].islower():
            continue  # a remark on the references
        skipped = len(rest) - len(rest.lstrip(_ORNAMENT.replace("$", "") + ":"))
        return (_bare(head), *kind, match.end() + skipped)
    return None


_TURN = re.compile(
    r"(?:[-_=*]{3,}\s*$|(?:[-•*]\s+)?"
    r"(?:\*\*)?(?:however,? (?:i|there|some|my)|on the (?:other hand|"
    r"negative side|downside)|i (?:do |still |also )?have (?:\w+ ){0,4}(?:concern|question|issue|"
    r"comment|doubt)|"
    r"(?:my|the|a|one) (?:\w+ ){0,2}(?:concern|weakness|question|issue|"
    r"drawback|limitation|shortcoming|(?:weak|negative) (?:point|aspect|side))s?\b|"
    r"(?:some|several|here are|there are|below are) (?:\w+ ){0,3}(?:concern|weakness|question|"
    r"issue|comment)|"
    r"[*_\[(]{0,3}(?:(?:weakness|concern|con|question|drawback|issue)[ \t]*#?|[WQ])\d|"
    r"(?:\W*(?:specific|detailed|other|minor|"
    r"major|general|additional|further|comments?|remarks?|details?|feedback)\b){1,3}\W*:\W*$))",
    re.IGNORECASE,
)


def _heading_on(line: str, *, mixed: bool) -> tuple[str, Role, Level, int | None] | None:
    """The heading on a line, with the offset of the text that follows it there, if any.

    Where praise and criticism are mixed, a sentence that announces either is a heading too.
    """
    full = _full_line(line, mixed=mixed)
    return (*full, None) if full is not None else _inline(line)


def _headings(text: str, *, whole: bool, mixed: bool) -> Iterator[Heading]:
    """The headings in a box that change what its text is for, in order."""
    offset, role, form = 0, Role.MIXED, ""
    bare = False  # whether nothing but rules and blank lines stands since the last heading
    for line in text.split("\n"):
        start, offset = offset, offset + len(line) + 1
        read = _heading_on(line, mixed=mixed)
        if read is None:
            under_heading = not line.strip().strip("-_=*")
            if (
                role is Role.STRENGTHS
                and not (under_heading and bare)
                and _TURN.match(line.strip())
            ):
                # Many reviewers turn to their criticism without a heading.
                role = Role.MIXED
                yield Heading(start, start, form, role, Level.SIDE)
            bare = bare and under_heading
            continue
        bare = True
        if read[2] is Level.TOPIC or not (whole or read[1] in _INSIDE):
            continue
        name, role, level, body = read
        form = name if level is Level.FORM else form
        yield Heading(start, min(offset, len(text)) if body is None else start + body, *read[:3])


def _two_sided(headings: Iterable[Heading]) -> list[Heading]:
    """Headings of a box, where limitations beside strengths and no weaknesses are the weaknesses.

    Beside weaknesses, a heading for limitations stands for the box that forms give that name.
    """
    read = list(headings)
    roles = {heading.role for heading in read}
    if Role.STRENGTHS not in roles or Role.WEAKNESSES in roles:
        return read
    return [
        heading._replace(role=Role.WEAKNESSES)
        if heading.role is Role.LIMITATIONS and heading.level is Level.SIDE
        else heading
        for heading in read
    ]


def _sticky(section: OpenSection) -> bool:
    """Whether only a heading of the form ends the section: a last summary, or a later update."""
    return section.role is Role.LATE or is_closing(section.name)


def sections_of(review: Review) -> tuple[OpenSection, ...]:
    """All sections of a review in reading order, whether or not points come from them."""
    sections: list[OpenSection] = []
    for field, text in review.fields.items():
        role = field_role(field)
        current = OpenSection(field, field, role, 0, len(text))
        if role in POINT_ROLES or role is Role.LIMITATIONS:
            whole = plain_name(field) in _WHOLE
            for heading in _two_sided(_headings(text, whole=whole, mixed=role is Role.MIXED)):
                if _sticky(current) and heading.level is not Level.FORM:
                    continue
                sections.append(current._replace(end=heading.start))
                name = heading.name or field
                current = OpenSection(field, name, heading.role, heading.body, len(text))
        sections.append(current)
    return tuple(sections)


def open_sections(
    review: Review, *, include_limitations: bool = True, include_strengths: bool = False
) -> tuple[OpenSection, ...]:
    """The sections of a review that may hold points, in reading order, empty ones left out.

    Args:
        review: Any review; one that came as a single text is searched for headings.
        include_limitations: Whether sections for limitations are open.
        include_strengths: Whether sections for strengths are open.
    """
    roles = set(POINT_ROLES)
    roles |= {Role.LIMITATIONS} if include_limitations else set()
    roles |= {Role.STRENGTHS} if include_strengths else set()
    return tuple(
        section
        for section in sections_of(review)
        if section.role in roles
        and review.fields[section.field][section.start : section.end].strip()
    )
