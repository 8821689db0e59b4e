"""Is a claimed quote really in the paper, and where? Only the paper's own characters are stored."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from reviewscore.papers.clean import clean, plain_characters
from reviewscore.papers.hidden import WIDTHLESS
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.paper import Evidence, Paper, Zone
from reviewscore.text.language import UNSPACED

MIN_WORDS = 3
MIN_CHARACTERS = 12
"""Shorter quotes occur in any paper by chance, so they prove nothing. Of scripts without spaces
between words each letter counts as a word, and as two characters."""

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SAME = plain_characters({"'": "`´", '"': "«»", "—": "―"}) | _FULL_WIDTH
# Page rules first; emphasis, soft hyphens and invisible characters vanish.
_UNWANTED = re.compile(
    r"(?P<rule>(?<!\S)-{3,}(?!\S))|(?P<ligature>[ﬀ-ﬆ…])"
    r"|(?P<accented>[^\W\d_][\u0300-\u036f]+)"
    rf"|[*_]+|{WIDTHLESS.pattern}|''"
)
_SPACING = re.compile(
    r"(?P<hyphen>(?<=[^\W\d])-\s*(?=[^\W\d]))"  # co-operate, co-\noperate, cooperate: one word
    r"|(?P<dash>\s+-\s+|\s*(?:--+|—)\s*)"
    rf"|(?P<unspaced>(?<=[{UNSPACED}])\s+|\s+(?=[{UNSPACED}]))"
    r"|(?P<gap>(?<=\w)(?:\s\s+|[^\S ])(?=\w)|(?<=\d[.,])\s+(?=\d))"
    r"|\s+(?!\w)|(?<!\w)\s+"
)
_OPENING = " \t\r\n\"'“”‘’„«»`*_"
_ELLIPSIS_BEFORE = re.compile(r"\A[\s\"'“”‘’`*_]*(?:\[\s*(?:\.{2,}|…)\s*\]|\.{2,}|…)")
_ELLIPSIS_AFTER = re.compile(r"(?:\[\s*(?:\.{2,}|…)\s*\]|\.{2,}|…)[\s\"'“”‘’`*_]*\Z")
_LOOSE_ENDS = re.compile(r"\A[-–—−•]\s+|[\s.,;:–—−。、，；：-]+\Z")
_COUNTED = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def _without(match: re.Match[str]) -> str:
    if match.lastgroup == "rule":
        return ""
    if match.lastgroup == "ligature":
        return unicodedata.normalize("NFKC", match.group())
    if match.lastgroup == "accented":
        return unicodedata.normalize("NFC", match.group())
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
    document = paper.document_at(start)
    if document in paper.documents[1:] and section is not None and not section.title:
        label = None
    return Evidence(
        quote=paper.text[start:end],
        start=start,
        end=end,
        section=label,
        page=paper.page_at(start),
        verified=True,
        document=None if document is None else document.kind,
        doubt=paper.doubt_at(start, end),
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
    place = levelled_span(paper.read_text, quote)
    span = None if place is None else paper.span_in_text(*place)
    if span is None and paper.venue_text:
        span = levelled_span(paper.text, quote)
        if span is not None and not paper.is_venue_text(*span):
            span = None
    if span is None:
        return Evidence(quote=quote, verified=False)
    if paper.is_venue_text(*span):
        return Evidence(quote=quote, verified=False, of_venue=True)
    return evidence_at(paper, *span)


def levelled_span(text: str, quote: str) -> tuple[int, int] | None:
    """Where a claimed quote stands in a text, looked up as `find_quote` does; None if nowhere."""
    core, open_start, open_end = _core(quote)
    characters = len(core) + len(_UNSPACED.findall(core))
    if characters < MIN_CHARACTERS or len(_COUNTED.findall(core)) < MIN_WORDS:
        return None
    pair = _occurrence(text, MappedText(text), core, open_start, open_end)
    for wanted in (core, _LOOSE_ENDS.sub("", core)):
        levelled = normal_form(wanted)
        for index in (_normal_raw, _normal_clean):
            if pair is None and levelled:
                pair = _occurrence(text, index(text), levelled, open_start, open_end)
    return pair


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
    around = text[max(0, offset - 1) : offset + 1]
    return 0 < offset < len(text) and around.isalnum() and _UNSPACED.search(around) is None


_WORD = re.compile(r"[^\W_]+")
_CITATION = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,12}\]|\\(?=[_%&#{}$])")
_SPACES = re.compile(r"\s+|…|\.{2,}")
_LONG_WORDS = 4
_LONG_CHARACTERS = 20
"""Shorter words are a place only where they stand in the paper hardly more than once."""
_MOST_OCCURRENCES = {1: 1, 2: 2, 3: 2}
_RUN_WORDS = 6
_RUN_LETTERS = 25
_RUN_SHARE = 0.4
_SURE_RUN = 10
"""So many words of a quote in a row are the paper's, however long the quote is."""


class Letters(NamedTuple):
    """Letters and digits of a text alone, in lower case, and the offset of each in the text."""

    text: str
    offsets: array[int]


def quoted_span(paper: Paper, words: str) -> tuple[int, int] | None:
    """Where quoted words stand in what judges see of a paper, its list of references aside.

    Letters and digits count alone; citations may be missing. Of a longer quote that is not there
    as a whole, such as for a formula that is written differently, the longest part of at least six
    words counts. Up to three words must stand there at most twice, a single one once.
    """
    parts = [part for part in map(_plain, _SPACES.split(_CITATION.sub("", words))) if part]
    letters = "".join(parts)
    if not letters:
        return None
    if len(parts) < _LONG_WORDS or len(words) < _LONG_CHARACTERS:
        places = list(_occurrences(paper, letters))
        most = _MOST_OCCURRENCES.get(len(parts), 2)
        return places[0] if 0 < len(places) <= most else None
    whole = next(_occurrences(paper, letters), None)
    return whole if whole is not None else _longest_run(paper, parts)


def _longest_run(paper: Paper, parts: list[str]) -> tuple[int, int] | None:
    """The longest run of a quote's words that stands in the paper."""
    text = letters_of(paper.text).text
    best, least = None, max(_RUN_WORDS, min(_SURE_RUN, _RUN_SHARE * len(parts)))
    start = 0
    while start + least <= len(parts):
        end = start + _RUN_WORDS
        while end <= len(parts) and "".join(parts[start:end]) in text:
            end += 1
        end -= 1
        run = "".join(parts[start:end])
        if end - start >= least and len(run) >= _RUN_LETTERS:
            span = next(_occurrences(paper, run), None)
            if span is not None:
                best, least = span, end - start + 1
        start += 1
    return best


def _occurrences(paper: Paper, letters: str) -> Iterator[tuple[int, int]]:
    """Each place of the authors' text where these letters are whole words."""
    index = letters_of(paper.text)
    place = index.text.find(letters)
    while place >= 0:
        start = index.offsets[place]
        end = index.offsets[place + len(letters) - 1] + 1
        if _whole_words(paper.text, start, end) and _authors(paper, start, end):
            yield start, end
        place = index.text.find(letters, place + 1)


def _whole_words(text: str, start: int, end: int) -> bool:
    return not (_inside_word(text, start) or _inside_word(text, end))


def _authors(paper: Paper, start: int, end: int) -> bool:
    section = paper.section_at(start)
    in_references = section is not None and section.zone is Zone.REFERENCES
    return paper.is_read(start) and not in_references and not paper.is_venue_text(start, end)


def _plain(text: str) -> str:
    """Letters and digits in lower case; ligatures are two letters, accents are none."""
    return "".join(_WORD.findall(unicodedata.normalize("NFKD", text).casefold()))


@lru_cache(maxsize=4)
def letters_of(text: str) -> Letters:
    """Letters and digits of a text, citations in brackets and accents left out.

    Spacing, hyphens and typography, in which two readings of one page differ, do not count.
    """
    shown: list[str] = []
    offsets = array("q")
    cited = [match.span() for match in _CITATION.finditer(text)]
    skipped = iter([*cited, (len(text), len(text))])
    begin, stop = next(skipped)
    for word in _WORD.finditer(text):
        while word.start() >= stop and begin < len(text):
            begin, stop = next(skipped)
        if begin <= word.start() < stop:
            continue
        if word.group().isascii():
            shown.append(word.group().lower())
            offsets.extend(range(*word.span()))
            continue
        for offset, character in enumerate(word.group(), word.start()):
            plain = _plain(character)
            shown.append(plain)
            offsets.extend([offset] * len(plain))
    return Letters("".join(shown), offsets)
