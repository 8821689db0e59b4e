"""A paper as one would read it aloud: flowing paragraphs, with the way back to the original."""

from __future__ import annotations

import re

from reviewscore.papers.offsets import MappedText

CleanText = MappedText
"""Cleaned reading text: `text`, and `original_span(start, end)` for the way back."""

_SAME = {
    ord(character): plain
    for plain, characters in {
        "'": "‘’‚‛′",
        '"': "“”„‟″",
        "-": "‐‑‒–−",
        " ": "\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f",
        "\n": "\f\v\x85\u2028\u2029",
    }.items()
    for character in characters
}
_SPELLED = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")

_FURNITURE = (
    r"(?:Published as a (?:conference|workshop) paper at [^\n]{0,60}"
    r"|(?:Paper )?[Uu]nder (?:double-blind )?review[^\n]{0,60}"
    r"|Preprint\.? ?[^\n]{0,40}|Accepted (?:at|to|for) [^\n]{0,60}|-{3,}|Page \d{1,3}(?: of \d+)?)"
)
_NUMBER = r"\d{1,4}"
# A page break is a rule, a running header or a form feed, with page numbers and blank lines.
_INDENT = "[ ]{0,40}"
_PAGE_BREAK = re.compile(  # everything bounded, so that the search stays linear
    rf"(?:\A|\n)(?:{_INDENT}\n){{0,6}}(?:{_INDENT}{_NUMBER}{_INDENT}\n)?(?:{_INDENT}\n){{0,6}}"
    rf"{_INDENT}{_FURNITURE}"
    rf"{_INDENT}(?=\n|\Z)(?:\n{_INDENT}(?:{_FURNITURE}|{_NUMBER})?{_INDENT}(?=\n|\Z)){{0,8}}\n?"
)
_BLOCK = (
    r"(?:[-•*+▪◦–] |\d{1,2}[.)] |\([ivx\d]{1,4}\) |\||#{1,6} |\*\*|"
    r"(?:Figure|Fig\.|Table|Algorithm|Theorem|Lemma|Proposition|Definition|Corollary) [A-Z]?\d)"
)
_TYPOGRAPHY = re.compile(
    r"(?P<ligature>[ﬀ-ﬆ])"
    r"|(?P<drop>[\u00ad\u200b-\u200d\u2060\ufeff]+|\*\*+|(?<!\w)_{1,3}|_{1,3}(?!\w)"
    r"|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*]))"
)
_SPACING = re.compile(
    r"(?P<hyphen>(?<=[a-z])-[ ]*\n[ ]*(?=[a-z]))"
    rf"|(?P<block>[ ]*\n[ ]*(?={_BLOCK}))"
    r"|(?P<paragraph>[ ]*\n(?:[ ]*\n)+[ ]*)"
    r"|(?P<wrap>[ ]*\n[ ]*)"
    r"|(?P<spaces>[ ]{2,})"
)
_FULL_LINE = 60
"""Characters from which on a line counts as wrapped prose rather than a label."""


def clean(text: str) -> CleanText:
    """The reading text of a paper or of a part of it.

    Page separators, running headers and page numbers beside them, Markdown
    emphasis and hyphens at line ends are removed; wrapped lines are joined, paragraphs are parted
    by an empty line, list items and captions by a line end. Linear in the length of the text.
    """
    mapped = CleanText(text).translate(_SAME)
    mapped = mapped.rewrite(_PAGE_BREAK, _page_break)
    mapped = mapped.rewrite(_TYPOGRAPHY, _typography)
    return mapped.rewrite(_SPACING, _spacing)


def spelled_out(mapped: CleanText) -> CleanText:
    """The text with its ligatures as single letters."""
    return mapped.rewrite(_LIGATURE, lambda match: _SPELLED[match.group()])


def _page_break(match: re.Match[str]) -> str:
    """A line end inside a sentence, otherwise the end of a paragraph."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    return "\n" if before.isalnum() or before in {",", "-", ";", ")"} else "\n\n"


def _typography(match: re.Match[str]) -> str:
    return _SPELLED[match.group()] if match.lastgroup == "ligature" else ""


def _spacing(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "hyphen":
        return ""
    if kind == "block":
        return "\n\n" if match.group().count("\n") > 1 else "\n"
    if kind == "paragraph":
        return " " if _goes_on(match) else "\n\n"
    return " "


def _goes_on(match: re.Match[str]) -> bool:
    """Whether a sentence runs on after an empty line, as it does around displayed formulas."""
    text, start, end = match.string, match.start(), match.end()
    if end >= len(text) or start == 0 or not text[end].islower():
        return False
    line_start = text.rfind("\n", 0, start) + 1
    return start - line_start >= _FULL_LINE and text[start - 1] not in ".!?:|"
