"""Is a claimed quote really in the paper, and where? Only the paper's own characters are stored."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewscore.papers.clean import clean
from reviewscore.papers.hidden import WIDTHLESS
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.paper import Evidence, Paper, Zone

MIN_WORDS = 3
MIN_CHARACTERS = 12
"""Shorter quotes occur in any paper by chance, so they prove nothing."""

_SAME = {
    ord(character): plain
    for plain, characters in {
        "'": "‘’‚‛′`´",
        '"': "“”„‟″«»",
        "-": "‐‑‒–−",
        "—": "―",
        " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f",
    }.items()
    for character in characters
}
_LIGATURES = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "…": "...",
}
# Page rules first; emphasis, soft hyphens and invisible characters vanish.
_UNWANTED = re.compile(
    r"(?P<rule>(?<!\S)-{3,}(?!\S))|(?P<ligature>[ﬀ-ﬆ…])"
    rf"|[*_]+|{WIDTHLESS.pattern}|''"
)
_SPACING = re.compile(
    r"(?P<hyphen>(?<=[^\W\d])-\s*(?=[^\W\d]))"  # co-operate, co-\noperate, cooperate: one word
    r"|(?P<dash>\s+-\s+|\s*(?:--+|—)\s*)"
    r"|(?P<gap>(?<=\w)(?:\s\s+|[^\S ])(?=\w)|(?<=\d[.,])\s+(?=\d))"
    r"|\s+(?!\w)|(?<!\w)\s+"
)
_OPENING = " \t\r\n\"'“”‘’„«»`*_"
_ELLIPSIS_BEFORE = re.compile(r"\A[\s\"'“”‘’`*_]*(?:\[\s*(?:\.{2,}|…)\s*\]|\.{2,}|…)")
_ELLIPSIS_AFTER = re.compile(r"(?:\[\s*(?:\.{2,}|…)\s*\]|\.{2,}|…)[\s\"'“”‘’`*_]*\Z")
_LOOSE_ENDS = re.compile(r"\A[-–—−•]\s+|[\s.,;:–—−-]+\Z")


def _without(match: re.Match[str]) -> str:
    if match.lastgroup == "rule":
        return ""
    if match.lastgroup == "ligature":
        return _LIGATURES[match.group()]
    return '"' if match.group() == "''" else ""


def _respaced(match: re.Match[str]) -> str:
    return {"gap": " ", "dash": "—"}.get(match.lastgroup or "", "")


def _normal(text: MappedText) -> MappedText:
    """The form in which passages are compared: spacing, hyphens and typography levelled."""
    return text.translate(_SAME).rewrite(_UNWANTED, _without).rewrite(_SPACING, _respaced)


@lru_cache(maxsize=64)
def _normal_raw(text: str) -> MappedText:
    return _normal(MappedText(text))


@lru_cache(maxsize=64)
def _normal_clean(text: str) -> MappedText:
    """As `_normal_raw`, without what page breaks put between two lines of one sentence."""
    return _normal(clean(text))


def normal_form(text: str) -> str:
    """A passage as it is compared: typography, spacing, hyphens and emphasis levelled."""
    return _normal(MappedText(text)).text


def stands_in(text: str, passage: str) -> bool:
    """Whether a passage is in a text, typography and upper and lower case levelled.

    Unlike `find_quote` it takes passages of any length, so that it proves little of short ones.
    """
    wanted = normal_form(_LOOSE_ENDS.sub("", _core(passage)[0])).casefold()
    return bool(wanted) and wanted in _normal_raw(text).text.casefold()


def evidence_at(paper: Paper, start: int, end: int) -> Evidence:
    """The evidence for a span of the paper's own text.

    Raises:
        ValueError: If the span is empty or reaches outside the text.
    """
    if not 0 <= start < end <= len(paper.text):
        raise ValueError(f"no span {start}..{end} in a text of {len(paper.text)} characters")
    section = paper.section_at(start)
    label = section.label if section else None
    if section is not None and section.zone is Zone.CHECKLIST:
        label = f"in the checklist the authors say ({label})"
    return Evidence(
        quote=paper.text[start:end],
        start=start,
        end=end,
        section=label,
        page=paper.page_at(start),
        verified=True,
    )


def find_quote(paper: Paper, quote: str) -> Evidence:
    """The passage of the paper that a claimed quote stands for.

    The quote is looked up exactly, then with white space, hyphenation, ligatures, quotation marks,
    dashes and Markdown emphasis levelled, then across page breaks; upper and lower case count.
    Quotation marks around it, `...` at its ends and its last punctuation mark may be missing in
    the paper. Of several occurrences the first is taken. What judges do not see is not searched.

    Args:
        paper: The paper.
        quote: What is said to be in it.

    Returns:
        Verified evidence made of the paper's own characters, or the quote as claimed with
        ``verified=False`` (also when it has fewer than 3 words or 12 characters, and when it is
        the venue's text and not the authors').
    """
    place = _span(paper.read_text, quote)
    span = None if place is None else paper.span_in_text(*place)
    if span is None and paper.venue_text:
        span = _span(paper.text, quote)
        if span is not None and not paper.is_venue_text(*span):
            span = None
    if span is None:
        return Evidence(quote=quote, verified=False)
    if paper.is_venue_text(*span):
        return Evidence(quote=quote, verified=False, of_venue=True)
    return evidence_at(paper, *span)


def _span(text: str, quote: str) -> tuple[int, int] | None:
    core, open_start, open_end = _core(quote)
    if len(core) < MIN_CHARACTERS or len(re.findall(r"\w+", core)) < MIN_WORDS:
        return None
    found = _occurrence(text, MappedText(text), core, open_start, open_end)
    for wanted in (core, _LOOSE_ENDS.sub("", core)):
        levelled = normal_form(wanted)
        for index in (_normal_raw, _normal_clean):
            if found is None and levelled:
                found = _occurrence(text, index(text), levelled, open_start, open_end)
    return found


def _core(quote: str) -> tuple[str, bool, bool]:
    """The quote without marks and elisions around it, and whether each end was elided."""
    start = end = False
    before = None
    while before != quote:
        before = quote
        quote = quote.strip(_OPENING)
        shorter = _ELLIPSIS_BEFORE.sub("", quote)
        start, quote = start or shorter != quote, shorter
        shorter = _ELLIPSIS_AFTER.sub("", quote)
        end, quote = end or shorter != quote, shorter
    return quote, start, end


def _occurrence(
    text: str, index: MappedText, wanted: str, open_start: bool, open_end: bool
) -> tuple[int, int] | None:
    """The first place of `wanted` that neither starts nor ends inside a word of the paper."""
    place = index.text.find(wanted)
    while place >= 0:
        start, end = index.original_span(place, place + len(wanted))
        if (open_start or not _inside_word(text, start)) and (
            open_end or not _inside_word(text, end)
        ):
            return start, end
        place = index.text.find(wanted, place + 1)
    return None


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
