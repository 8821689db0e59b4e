"""Words in a review that may be the paper's: in quotation marks, or as a block quote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewscore.points.mention import Mention
from reviewscore.schema.place import PlaceKind

_QUOTED = re.compile(
    r"``(?P<tex>[^`\n]{1,600}?)(?:''|``|\"|”)"
    r"|[\"“](?P<double>[^\"“”\n]{1,600})[\"”]"
    r"|(?<![\w'’])[‘'](?P<single>[^\n'’‘`]{4,400})['’](?!\w)"
)
LEAST_WORDS = 4
LEAST_CHARACTERS = 20
"""Shorter quotes are a place only where the review speaks of words."""
_BEFORE = re.compile(
    r"(?:\btypos?\b[^.\n\"“]{0,20}"
    r"|\b(?:terms?|terminology|phrases?|words?|wording|expressions?|notion|sentence|statement|"
    r"meaning|definition|usage)\b(?:\s+(?:of|like|as|such as|is|on line \d+))?(?:\s+the)?"
    r"\s*[:,(]?\s*"
    r"|\buse of\s+(?:the\s+)?(?:terms?\s+)?"
    r"|\bwhat\s+(?:exactly\s+|precisely\s+)?(?:is|are|does|do)\s+(?:exactly\s+)?(?:the\s+)?"
    r"(?:terms?\s+|meant by\s+)?|\bmean(?:t|ing)?\s+(?:by|with)\s+(?:the\s+)?(?:terms?\s+)?"
    r"|\b(?:not|never|n['’]t)\s+(?:formally\s+)?(?:defined?|explain(?:ed)?|introduced?)\s+"
    r"|(?:\A|[\n.;:(]\s*)(?:[-*•\d.]+\s*)?(?:lines?|ll?\.|L|pages?|p\.|abstract|caption|title)"
    r"(?:\s?[\d–-]+)*\s*[:,.)]?\s*)[*_]{0,2}\Z",
    re.I,
)
_AFTER = re.compile(
    r"[*_]{0,2}\)?\s*(?:-+>|→|=>|\(?(?:on|in)?\s*\(?(?:line|ll?\.|L\d|page)"
    r"|should (?:be|read)\b|needs? to be defined|mean\b|refers? to\b|"
    r"(?:is|are|seems?)\s+(?:\w+\s+){0,2}"
    r"(?:unclear|vague|confusing|ambiguous|misleading|undefined|not (?:\w+ )?(?:defined|clear|"
    r"explained|introduced)|never|a typo)\b"
    r"|\s*(?:does ?n[o'’]t|do ?n[o'’]t|makes? no) (?:make )?sense)",
    re.I,
)
_CORRECTION = re.compile(
    r"(?:[\"”'’]\s*(?:to|by|with|into|-+>|→|=>)|\b(?:corrected|changed?|replaced?|reworded|rephrased?)\s+"
    r"(?:to|by|with|as)|\bshould\s+(?:rather\s+)?(?:be|read|say)|-+>|→|=>)\s*\Z",
    re.I,
)
"""What stands before words that the reviewer would rather read."""
_FEWEST_LETTERS = 5
_BLOCK = re.compile(
    r"^[ \t]*(?P<sign>>+[ \t]*)?(?P<lines>[-*•]?[ \t]*\(?(?:lines?|ll?\.|L)\s?\d{1,4}"
    r"(?:\s?[-–]\s?\d{1,4})?\)?[:.,]?[ \t]+)?(?P<words>[^\n]{20,600})$",
    re.M | re.I,
)
_MARKS = re.compile(r"[\"“”]|``")
_ELLIPSIS = re.compile(r"\A(?:\.{2,}|…|\s)+")
_BLOCK_WORDS = 6


def quoted_words(text: str, *, block: bool = False) -> Iterator[Mention]:
    """Words that may be the paper's; who has the paper looks whether they stand there.

    Args:
        text: Text of a point.
        block: Whether the text begins within a block quote.
    """
    for match in _QUOTED.finditer(text):
        words = match[match.lastgroup or 0]
        if _CORRECTION.search(text[max(0, match.start() - 30) : match.start()]):
            continue
        long = len(words) >= LEAST_CHARACTERS and len(words.split()) >= LEAST_WORDS
        if long or _about_words(text, match, words):
            start, end = match.span(match.lastgroup or 0)
            yield Mention(PlaceKind.QUOTE, words, words, start, end, sure=False)
    for match in _BLOCK.finditer(text):
        if not (match["sign"] or match["lines"] or (block and match.start() == 0)):
            continue
        skipped = _ELLIPSIS.match(match["words"])
        start = match.start("words") + (skipped.end() if skipped else 0)
        words = text[start : match.end("words")].rstrip()
        if len(words.split()) >= _BLOCK_WORDS and not _MARKS.search(words):
            end = start + len(words)
            yield Mention(PlaceKind.QUOTE, words, words, start, end, sure=False)


def _about_words(text: str, match: re.Match[str], words: str) -> bool:
    """Whether a review speaks of a few words as words: a typo, a term that is not clear."""
    if sum(map(str.isalnum, words)) < _FEWEST_LETTERS:
        return False
    if match.lastgroup == "single" and " " not in words:
        return False  # emphasis
    before = text[max(0, match.start() - 60) : match.start()]
    return _BEFORE.search(before) is not None or _AFTER.match(text, match.end()) is not None
