"""Lines of a review and the list markers they begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviewscore.schema.review import Role


class Line(NamedTuple):
    """One line with its marker, if it begins an entry of a list.

    Attributes:
        start: Offset of the first character that is not white space.
        end: Offset just after the last one; equal to `start` for a blank line.
        body: Offset just after the marker; equal to `start` without one.
        indent: Width of the white space before the line.
        style: Kind of marker, such as ``-`` or ``1.``; empty without one.
        number: Number or letter of the marker as a count from 1, else 0.
        role: Role that the marker names (``W1``, ``Q2``, ``(+)``), else None.
    """

    start: int
    end: int
    body: int
    indent: int
    style: str
    number: int
    role: Role | None

    @property
    def blank(self) -> bool:
        """Whether nothing stands on the line."""
        return self.start == self.end


_BULLET = re.compile(
    r"(?P<sign>[-*+•‣▪◦●·–—→>o])[ \t]+(?=\S)|(?P<tight>[•●▪‣◦])|(?P<dash>[-+–—])(?=[A-Za-z\"'(\[])"
    r"|[(\[](?P<side>[+\-–])[)\]]:?[ \t]*|(?P<double>-{2,3}|\*-|\+\+)[ \t]*(?=\w)"
)
_NUMBER = re.compile(
    r"[*_]{0,2}(?:(?P<open>[(\[])?(?P<digits>\d{1,2})(?P<sub>\.\d{1,2}){0,2}(?P<close>[.)\]]+|"
    r":(?!\d)|[-,](?=[ \t])|(?<=\d\.\d)(?=[ \t]))(?!\d)"
    r"|#(?P<hash>\d{1,2})[.:)]?)[*_]{0,2}[:\-]?[ \t]*(?=\S|$)"
)
_LETTER = re.compile(
    r"[*_]{0,2}(?P<open>[(\[]?)(?P<letter>[a-hA-H]|[a-h]\d|i{1,3}|iv|v|vi{1,3}|ix|"
    r"x)(?P<close>[.)\]])"
    r"[*_]{0,2}[ \t]+(?=\S)"
)
_LABEL = re.compile(
    r"[*_\[($]{0,3}(?:(?:major|minor|main|key|other)[ \t]+)?(?:(?P<word>weakness|concern|question|"
    r"comment|issue|point|strength|limitation|remark|suggestion|con|pro|drawback|problem)[ \t]*#?|"
    r"(?P<short>[WQSCRPMLDT])[ \t]?)(?P<count>\d{1,2})(?:\.\d{1,2})?[*_\])$]{0,3}"
    r"(?:[ \t]*[:.)\-–—]+[*_]{0,2}(?=\s|[A-Z*_]|$)|(?=[ \t]+[A-Z]))[ \t]*",
    re.IGNORECASE,
)
_LABEL_ROLE = {
    "w": Role.WEAKNESSES,
    "weakness": Role.WEAKNESSES,
    "con": Role.WEAKNESSES,
    "concern": Role.WEAKNESSES,
    "drawback": Role.WEAKNESSES,
    "problem": Role.WEAKNESSES,
    "issue": Role.WEAKNESSES,
    "q": Role.QUESTIONS,
    "question": Role.QUESTIONS,
    "s": Role.STRENGTHS,
    "strength": Role.STRENGTHS,
    "pro": Role.STRENGTHS,
    "limitation": Role.WEAKNESSES,
}
_SIDE_ROLE = {"+": Role.STRENGTHS, "-": Role.WEAKNESSES, "–": Role.WEAKNESSES}
_ROMAN = {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
    "vi": 6,
    "vii": 7,
    "viii": 8,
    "ix": 9,
    "x": 10,
}


class _Mark(NamedTuple):
    style: str
    number: int
    role: Role | None
    end: int


def _bullet(text: str, at: int, end: int) -> _Mark | None:
    found = _BULLET.match(text, at, end)
    if found is None:
        return None
    sign = found["sign"] or found["tight"] or found["dash"] or found["double"] or found["side"]
    role = _SIDE_ROLE[found["side"]] if found["side"] else None
    if sign == "+" and role is None:
        role = Role.STRENGTHS
    return _Mark(f"({sign})" if found["side"] else sign, 0, role, found.end())


def _number(text: str, at: int, end: int) -> _Mark | None:
    found = _NUMBER.match(text, at, end)
    if found is None:
        return None
    deeper = "1." if found["sub"] else ""
    style = "#" if found["hash"] else f"{found['open'] or ''}{deeper}1{found['close'][:1]}"
    return _Mark(style, int(found["hash"] or found["digits"]), None, found.end())


def _letter(text: str, at: int, end: int) -> _Mark | None:
    found = _LETTER.match(text, at, end)
    if found is None:
        return None
    letter = found["letter"]
    number = _ROMAN.get(letter) or ord(letter[0].lower()) - ord("a") + 1
    kind = "i" if letter in _ROMAN else "A" if letter.isupper() else "a"
    if len(letter) == 2 and letter[1].isdigit():  # noqa: PLR2004 - a letter and a digit
        number, kind = int(letter[1]), "a1"
    return _Mark(f"{found['open']}{kind}{found['close']}", number, None, found.end())


def _label(text: str, at: int, end: int) -> _Mark | None:
    found = _LABEL.match(text, at, end)
    if found is None or (found["short"] or "W").islower():
        return None
    name = (found["word"] or found["short"]).lower()
    return _Mark(name, int(found["count"]), _LABEL_ROLE.get(name), found.end())


def _marks(text: str, at: int, end: int) -> Iterator[_Mark]:
    """The markers at the start of a line: at most a bullet, then a label or number."""
    first = _label(text, at, end) or _bullet(text, at, end)
    if first is not None:
        yield first
        at = first.end
    second = _label(text, at, end) or _number(text, at, end) or _letter(text, at, end)
    if second is not None and (first is None or first.number == 0):
        yield second


def lines_of(text: str, start: int, end: int) -> Iterator[Line]:
    """The lines of ``text[start:end]`` with their markers."""
    position = start
    for raw in text[start:end].split("\n"):
        stripped = raw.strip()
        first = position + len(raw) - len(raw.lstrip())
        indent = len(raw[: first - position].expandtabs(4))
        position += len(raw) + 1
        if not stripped:
            yield Line(first, first, first, indent, "", 0, None)
            continue
        last = first + len(stripped)
        marks = list(_marks(text, first, last))
        if not marks:
            yield Line(first, last, first, indent, "", 0, None)
            continue
        role = next((mark.role for mark in reversed(marks) if mark.role is not None), None)
        body = min(marks[-1].end, last)
        number = marks[-1].number
        yield Line(first, last, body, indent, marks[0].style, number, role)
