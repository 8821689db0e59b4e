"""A paper in sentences, each with its place, its section, and whether it may be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewscore.papers.clean import clean
from reviewscore.schema.paper import Paper, Section, Zone
from reviewscore.text.sentences import sentence_spans


class SentenceKind(StrEnum):
    """What a unit of text is; only sentences, captions and rows are worth quoting."""

    HEADING = "heading"
    SENTENCE = "sentence"
    CAPTION = "caption"
    ROW = "row"  # a row of a table with a header
    TABLE = "table"  # other rows
    NOISE = "noise"  # formulas, axis labels, author and algorithm lines, a venue's text


@dataclass(frozen=True, slots=True)
class Sentence:
    """One unit of a paper's text.

    Attributes:
        start: Offset of its first character in ``paper.text``.
        end: Offset just after its last character.
        text: The unit as reading text (joined lines, no emphasis, no hyphens at line ends).
        section: The section that holds it; None in a paper without sections.
        kind: What it is.
        context: Of a row: the caption of its table, if there is one, and the header.
    """

    start: int
    end: int
    text: str
    section: Section | None
    kind: SentenceKind
    context: str = ""


_UNIT = re.compile(r"[^\n]+")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Algorithm|Listing) [A-Z]?\.?\d{1,2}(?:\.\d+)?[a-z]? ?[:.|]"
)
_RULE = re.compile(r"\|[ :|-]+\|?")
_TABLE = re.compile(r"\|.*\||\S+(?: +[-+±]?\d[\d.,%±x×/()]*){3,}")
_WORD = re.compile(r"[A-Za-z]{2,}")
FUNCTION_WORDS = re.compile(
    r"\b(?:the|a|an|of|to|in|is|are|was|were|be|we|our|and|or|that|this|these|those|for|with|on|by"
    r"|as|it|its|from|at|not|can|which|has|have|do|does|also|than|their|they|all|each|if|when|where"
    r"|then|let|show|shows|use|using|used|such|no|there|but|only|both|how|more|most|will|may)\b",
    re.IGNORECASE,
)
_MIN_WORDS = 4
_MIN_LETTER_SHARE = 0.6
_MAX_DEBRIS = 0.12
_DEBRIS = re.compile(r"[=∑∏∫√∀∃→←∞≤≥∈∇∥_{}\\^|<>\x00-\x08\x0e-\x1f\ue000-\uf8ff]|\]\[|\[\(|\)\]")


def sentences(paper: Paper) -> tuple[Sentence, ...]:
    """The units of a paper in reading order.

    Units never cross a section border or a paragraph; captions are units of their own, and
    whatever is not running text is marked as table or noise. Linear in the length of the text.
    """
    if not paper.sections:
        return tuple(_with_headers(list(_units(paper.text, None, 0, len(paper.text)))))
    found: list[Sentence] = []
    for section in paper.sections:
        if section.heading_end > section.start:
            text = clean(paper.text[section.start : section.heading_end]).text.strip()
            venue = paper.is_venue_text(section.start, section.heading_end)
            kind = SentenceKind.NOISE if venue else SentenceKind.HEADING
            found.append(Sentence(section.start, section.heading_end, text, section, kind))
        for start, end, of_venue in _stretches(paper, section.heading_end, section.end):
            units = _units(paper.text, section, start, end)
            found.extend(
                replace(unit, kind=SentenceKind.NOISE) if of_venue else unit for unit in units
            )
    return tuple(_with_headers(found))


def _with_headers(units: Sequence[Sentence]) -> Iterator[Sentence]:
    """The units, rows below a header with what they belong to; a table's rule is noise."""
    place = 0
    while place < len(units):
        if not _is_row(units[place]):
            yield units[place]
            place += 1
            continue
        end = place
        while end < len(units) and _is_row(units[end]):
            end += 1
        around = (
            [*units[place - 1 : place], *units[end : end + 1]] if place else units[end : end + 1]
        )
        captions = [sentence.text for sentence in around if sentence.kind is SentenceKind.CAPTION]
        yield from _rows(
            units[place:end], [caption for caption in captions if caption.startswith("Tab")]
        )
        place = end


def _is_row(unit: Sentence) -> bool:
    return unit.kind is SentenceKind.TABLE and unit.text.startswith("|")


def _rows(table: Sequence[Sentence], captions: Sequence[str]) -> Iterator[Sentence]:
    ruled = [place for place, row in enumerate(table) if _RULE.fullmatch(row.text)]
    head = ruled[0] if ruled else 0
    context = "\n".join([*captions[:1], *(row.text for row in table[:head])])
    for place, row in enumerate(table):
        if place in ruled:
            yield replace(row, kind=SentenceKind.NOISE)
        elif place > head > 0:
            yield replace(row, kind=SentenceKind.ROW, context=context)
        else:
            yield row


def _stretches(paper: Paper, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """A stretch of the text in pieces, each wholly the authors' or the venue's."""
    for span in paper.venue_text:
        if span.end <= start or span.start >= end:
            continue
        if start < span.start:
            yield start, span.start, False
        start, stop = min(span.end, end), max(span.start, start)
        yield stop, start, True
    if start < end:
        yield start, end, False


def _units(text: str, section: Section | None, start: int, end: int) -> Iterator[Sentence]:
    cleaned = clean(text[start:end])
    for paragraph in _UNIT.finditer(cleaned.text):
        for low, high in _split(paragraph.group()):
            unit = paragraph.group()[low:high]
            offset = paragraph.start()
            first, last = cleaned.original_span(offset + low, offset + high)
            yield Sentence(start + first, start + last, unit, section, _kind(unit, section))


def _split(paragraph: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a paragraph; a row and a short paragraph are one unit."""
    if _TABLE.fullmatch(paragraph) or len(paragraph) <= _SHORT:
        start = len(paragraph) - len(paragraph.lstrip())
        return iter([(start, len(paragraph.rstrip()))] if paragraph.strip() else [])
    return sentence_spans(paragraph)


_SHORT = 40


def _kind(unit: str, section: Section | None) -> SentenceKind:
    if _CAPTION.match(unit):
        return SentenceKind.CAPTION
    if unit.startswith("|") or _TABLE.fullmatch(unit):
        return SentenceKind.TABLE
    if section is not None and section.zone is Zone.REFERENCES:
        return SentenceKind.NOISE
    return SentenceKind.SENTENCE if _is_prose(unit) else SentenceKind.NOISE


def _is_prose(unit: str) -> bool:
    """Whether a unit reads as a sentence: enough words, among them small ones, little debris."""
    words = _WORD.findall(unit)
    if len(words) < _MIN_WORDS or not FUNCTION_WORDS.search(unit):
        return False
    solid = len(unit) - unit.count(" ")
    letters = sum(map(len, words))
    return (
        letters >= _MIN_LETTER_SHARE * solid
        and len(_DEBRIS.findall(unit)) <= _MAX_DEBRIS * len(words) + 2
    )
