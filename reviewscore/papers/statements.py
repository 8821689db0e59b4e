"""Where a theorem, definition or algorithm ends: with its displays, lists and steps."""

from __future__ import annotations

import re

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
