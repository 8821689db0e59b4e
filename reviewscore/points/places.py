"""Places of the paper that a reviewer names, such as ``l. 212-215`` or ``Tab. 3b``."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from reviewscore.papers.places import target, whole_range
from reviewscore.points.mentions import (
    Mention,
    equations_by_number,
    lines_in_brackets,
    named_sections,
    names_lines,
    ordinals,
    own_numbers,
    quoted_words,
)
from reviewscore.schema.paper import Paper
from reviewscore.schema.place import Place, PlaceKind, Target
from reviewscore.schema.review import Review, ReviewPoint
from reviewscore.schema.span import Span

_WORDS: dict[PlaceKind, str] = {
    PlaceKind.LINE: r"(?i:lines?(?:\s+(?:numbers?|nos?\.?|nr\.?))?|lns?\.?|ll?\.)|L|l(?=\s?\d{2})",
    PlaceKind.PAGE: r"(?i:pages?|pgs?\.?)|pp?\.",
    PlaceKind.SECTION: r"(?i:(?:sub)*sections?|secs?\.?|sects?\.?|chapters?|§{1,8})",
    PlaceKind.APPENDIX: r"(?i:appendix|appendices|appx?\.?|suppl(?:ement(?:ary)?)?\.? sections?)",
    PlaceKind.TABLE: r"(?i:tables?|tabs?\.?|tbls?\.?)",
    PlaceKind.FIGURE: r"(?i:(?:sub)?figures?|figs?\.?)",
    PlaceKind.EQUATION: r"(?i:equations?|eqs?\.?|eqns?\.?|formulas?|formulae|inequality)",
    PlaceKind.THEOREM: r"(?i:theorems?|thms?\.?|ths?\.)",
    PlaceKind.LEMMA: r"(?i:lemmas?|lemmata|lems?\.)",
    PlaceKind.PROPOSITION: r"(?i:propositions?|props?\.?)",
    PlaceKind.COROLLARY: r"(?i:corollary|corollaries|cors?\.)",
    PlaceKind.DEFINITION: r"(?i:definitions?|defs?\.?|defns?\.?)",
    PlaceKind.ASSUMPTION: r"(?i:assumptions?|assump?\.|assmp\.)",
    PlaceKind.ALGORITHM: r"(?i:algorithms?|algs?\.?|algos?\.?)",
    PlaceKind.FOOTNOTE: r"(?i:footnotes?|fns?\.)",
}
_ROMAN = r"[IVX]{2,5}|[IVX](?=[.,:;)]|\Z)"
_NUMBERED = r"\d{1,2}(?:\.\d{1,2}){0,2}|[A-HS](?:\.?\d{1,2}){1,3}"
_PART = r"(?:[a-hA-H](?![A-Za-z])|\s?\([a-hA-H]\))?"
_LABELS: dict[PlaceKind, str] = {
    PlaceKind.LINE: r"[lL]?\d{1,4}(?:ff?\b)?",
    PlaceKind.PAGE: r"\d{1,3}",
    PlaceKind.SECTION: (
        r"\d{1,2}(?:\.\d{1,2}){0,3}|[A-HJ-Z](?:\.?\d{1,2}){0,3}"
        rf"|(?:{_ROMAN})(?:-[A-Z])?"
    ),
    PlaceKind.APPENDIX: r"[A-Z](?:\.?\d{1,2}){0,3}|\d{1,2}(?:\.\d{1,2}){0,3}",
    PlaceKind.TABLE: rf"(?:{_NUMBERED}|{_ROMAN}){_PART}",
    PlaceKind.FIGURE: rf"(?:{_NUMBERED}){_PART}",
    PlaceKind.EQUATION: r"(?:\d{1,3}(?:\.\d{1,3})?|[A-Z]\.?\d{1,3})[a-e]?",
    PlaceKind.PROPOSITION: rf"(?:{_NUMBERED})",
}
_OTHER_LABEL = rf"(?:{_NUMBERED}|[A-H](?![a-z]))(?:\s?\([ivx]{{1,4}}\)|\.[a-h](?![a-z])|{_PART})?"
_TO_WORD = r"(?:-{1,2}|–|—|~|‐|‑|−|\bto\b|\bthrough\b|\buntil\b)"
_TO = rf"\s*{_TO_WORD}\s*"
_BEYOND = re.compile(rf"{_TO}\d{{10}}")
"""The end of a range that is too long for any paper's lines."""
_AND = r"\s*(?:,\s*(?:and|or)\b|/|&|\band(?:/or)?\b|\bor\b)\s*"
_COMMA = r"\s*,\s*"
_LIST_ENDS = r"(?=\s*(?:[,.;:)\]?!/&-]|and\b|or\b|\Z))"
"""What follows the last of labels that only commas part; in ``Fig. 1, 3 curves`` no list does."""
_LAST_LINE = r"[lL]?\d{1,9}(?:ff?\b)?"
"""The last line of a range, which may be beyond every paper: then the range is no place."""
_OPEN, _SHUT = r"\$?\(?\s?", r"\s?\)?\$?"
_GAP = r"(?:[ \t~\u00a0]{0,2}|\.(?=\d)|:?[ ]?\#(?=\d)|:[ ](?=\d))"
"""Between the word and its label; in ``Lines: 5`` and ``Fig.3`` marks stand there too."""

_BIBLIOGRAPHY = re.compile(
    r"(?:\b(?:proceedings|proc\.|conference|journal|volume|vol\.|press|transactions|arxiv|"
    r"springer|workshop|association|acm|ieee|aaai|neurips|icml|iclr|acl|cvpr|lncs|pmlr)\b"
    r"|\d{1,4}\(\d{1,3}\)[:,]\s*\Z|\(\d{4}\)|(?:19|20)\d\d[a-z]?[.,:]\s*\Z)",
    re.I,
)
_REACH = 120
_OTHERS = re.compile(
    r"[^.;\n]{0,12}?\s*[,(]?\s*\b(?:of|in|from|by)\s+(?:the\s+)?\(?(?:\[\s?(?:\d|[A-Z])|(?:papers?|"
    r"works?)\s*\[\d|ref(?:erence)?s?\.?\s*\[?\d|[A-Z][\w'’-]+\s+et\s+al|[A-Z][\w'’-]+\s+(?:and|"
    r"&)\s+[A-Z][\w'’-]+,?\s+\(?\d{4}|[A-Z][\w'’-]+\s+\(\d{4}|arxiv:|(?:\w+\s+){0,2}?(?i:original|"
    r"previous|prior|earlier|cited|first|old|arxiv|seminal|companion|published|camera.ready|"
    r"other)\s+(?:\w+\s+){0,2}?(?:papers?|works?|versions?|articles?|submissions?|references?)\b|"
    r"(?!this\b|the\b|your\b|our\b|their\b|main\b|current\b|present\b|whole\b|"
    r"entire\b)(?:[A-Z]\w*[A-Z0-9]\w*|[A-Z][a-z]+)['’]?s?\s+paper\b|their\s+paper\b)"
)
"""What follows a place that is in another paper, or in another version of this one."""
_FURTHER = re.compile(
    r"(?:\s+(?!(?:is|are|was|were|has|have|does|do|shows?|than|that|those|these|which|where|as|and|or|"
    r"but|with|like|similar|to|for|we|the|compar\w*|report\w*|us(?:es|ed|ing)|ha[ds])\b)[\w@%./-]+)"
    r"{1,3}\s+(?:(?:of|in|from)\s+(?:the\s+)?(?:papers?|ref(?:erence)?s?\.?)\s*\[?\d|in\s+\[\d)"
)
"""As `_OTHERS`, after words that say what of the place is meant: ``Tab. 2 R@50 of paper [1]``."""
_JOINED = re.compile(r"\s*+[,(]?\s*+(?:(?:and|or|&|in|of|from)\s+(?:the\s+|their\s+)?)?\Z")
_LISTED = re.compile(r"\s*+(?:,|,?\s*+(?:and|or|&))\s*\Z")
"""What stands between a place and the next that is in the same other paper."""
_SUPPLEMENT_AFTER = re.compile(
    r"\s*\)?,?\s*(?:of|in|from)\s+(?:the\s+|your\s+|their\s+)?suppl", re.I
)
_SUPPLEMENT_BEFORE = re.compile(r"\bsuppl\w*\.?(?:\s+\w+)?\s*[,:(]\s*(?:on\s+|at\s+)?\Z", re.I)
"""Lines and pages of a supplement, which have numbers of their own."""
_OF_THEM = re.compile(r"(?:\[\d+\]|\bet al\.?|\(\d{4}\))[^.;\n]*\btheir\s+\Z")
"""What stands before a place in another paper, which was cited just before."""
_NOT_LINES = re.compile(
    r"\s*(?:-|‐)?\s*(?:norm|loss|regulari|distance|penalt|error|ball|metric|space|convergence|"
    r"cache|lines? of|of (?:code|alg))",
    re.I,
)
_LAYER = 10
"""Lines below this are not meant by ``L2``, which is a norm or a layer."""
_LONGEST_ALGORITHM = 40
_IN_ALGORITHM = re.compile(r"\s*(?:\)|,)?\s*(?:of|in|from)\s+(?:the\s+)?(?:pseudo|alg)", re.I)
_ALGORITHM_BEFORE = re.compile(
    r"alg(?:orithm|o)?s?\.?\s*\d{1,2}\W{0,3}\s*(?:,|\(|at|in|:)?\s*\Z", re.I
)
_PAGE_BEFORE = re.compile(r"\b(?:pages?|pp?\.|pg\.?)\s?(\d{1,3})\W{1,4}(?:at|on|in)?\s*\Z", re.I)
_PAGE_AFTER = re.compile(
    r"\W{0,3}\s*(?:(?:on|of|in|at)\s*)?(?:the\s+)?\b(?:pages?|pp?\.|pg\.?)\s?(\d{1,3})\b", re.I
)
_BARE_LINES = re.compile(r"\blines(?:\s+\w+){1,3}\s+\((\d{1,4})\s*[-–]\s*(\d{1,4})\)")
"""``ten lines of text (229-239)``."""
_NO_LABEL = re.compile(r"[lL](?=\d)|[\s()]|(?<=\d)f+\Z")
_PART_AT_END = re.compile(r"\d[A-H]\Z")
_IN_RUNNING_TEXT = (PlaceKind.LINE, PlaceKind.PAGE, PlaceKind.FOOTNOTE)
"""Kinds that are written without a capital."""


def _pattern(kind: PlaceKind, *, plural: bool) -> re.Pattern[str]:
    """A place or a list of them, from its word on."""
    word, label = _WORDS[kind], _LABELS.get(kind, _OTHER_LABEL)
    label = rf"(?:{_OPEN}(?:{label}){_SHUT})(?![\w%]|\.\d)"
    again = rf"(?:(?:{word})[ \t~\u00a0]*)?"
    ends = "" if plural else _LIST_ENDS
    to = label if kind is not PlaceKind.LINE else rf"(?:{_OPEN}{_LAST_LINE}{_SHUT})(?![\w%]|\.\d)"
    more = rf"(?:{_TO}{again}{to}|{_AND}{again}{label}|{_COMMA}{again}{label}{ends})"
    return re.compile(rf"(?P<word>{word})(?P<gap>{_GAP}){label}{more}{{0,12}}")


_PATTERNS = {
    (kind, plural): _pattern(kind, plural=plural) for kind in _WORDS for plural in (True, False)
}
_PLURAL = re.compile(r"(?:s|ll|pp|ae|ices|mata|§§)\.?\Z", re.I)
_LABEL = {
    kind: re.compile(rf"(?<![A-KM-Za-km-z\d])(?:{label})(?![A-Za-z\d])")
    for kind in _WORDS
    for label in [_LAST_LINE if kind is PlaceKind.LINE else _LABELS.get(kind, _OTHER_LABEL)]
}
_ANY = re.compile(
    r"(?<![\w$\\])(?:"
    + "|".join(f"(?P<{kind.name}>{word})" for kind, word in _WORDS.items())
    + rf")(?={_GAP}\$?\(?\s?[\dA-ZlL])"
)
_RANGE = re.compile(_TO_WORD)
_SERIAL = re.compile(r"(.*?)(\d+)\Z")
_LONGEST = 20
"""Labels of a range, at most: more are a misprint."""


def with_places(point: ReviewPoint, paper: Paper, review: Review | None = None) -> ReviewPoint:
    """The point with the places of its paper that it names, each with what stands there.

    Quoted words, names of sections and numbers that may be something else are a place only where
    the paper has them. A point that has its places keeps them.

    Args:
        point: A point.
        paper: Its paper.
        review: Its review. Where that names lines, numbers in brackets may be lines too; what
            stands before a point may make it a block quote.
    """
    if point.places is not None:
        return point
    places: list[Place] = []
    for mention in mentions(point.text, _surroundings(point, review)):
        where = _target(paper, mention)
        if where is None and not mention.sure:
            continue
        if mention.kind is PlaceKind.QUOTE and any(
            place.kind is PlaceKind.SECTION and place.span.start == point.span.start + mention.start
            for place in places
        ):
            continue  # a section's title in quotation marks
        span = Span(
            field=point.span.field,
            start=point.span.start + mention.start,
            end=point.span.start + mention.end,
        )
        label = _spelled(mention)
        if mention.kind is PlaceKind.SECTION and where is not None and not mention.sure:
            section = paper.section_at(where.start)
            label = label if section is None else f'Section "{section.title}"'
        places.append(Place(kind=mention.kind, label=label, span=span, target=where))
    return point.model_copy(update={"places": tuple(_by_quotes(places))})


_Targets = dict[tuple[PlaceKind, str, str, int | None], Target | None]
_KNOWN: deque[tuple[Paper, _Targets]] = deque(maxlen=4)
"""What stands where in the latest papers: many points of a paper name the same few places."""


def _target(paper: Paper, mention: Mention) -> Target | None:
    """Where a mention points to in a paper; looked up once."""
    targets = next((targets for known, targets in _KNOWN if known is paper), None)
    if targets is None:
        targets = {}
        _KNOWN.append((paper, targets))
    key = (mention.kind, mention.first, mention.last, mention.page)
    if key not in targets:
        targets[key] = target(paper, mention.kind, mention.first, mention.last, page=mention.page)
    return targets[key]


_BESIDE = 60
"""Characters between a line and the quotation that says which line is meant, at most."""
_ASTRAY = 3000
"""Characters by which a line that was reckoned may be astray."""


def _by_quotes(places: Sequence[Place]) -> Iterator[Place]:
    """The places; a line that was reckoned stands where the words quoted beside it stand."""
    for place, after in zip_longest(places, places[1:]):
        line, quote = place.target, None if after is None else after.target
        if (
            line is not None
            and quote is not None
            and line.reckoned
            and after is not None
            and after.kind is PlaceKind.QUOTE
            and 0 <= after.span.start - place.span.end <= _BESIDE
            and -_ASTRAY <= quote.start - line.start <= _ASTRAY
        ):
            yield place.model_copy(update={"target": quote})
        else:
            yield place


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rest of a review says about the numbers and lines of a point.

    Attributes:
        lines: Whether the review names lines, so that numbers in brackets may be lines too.
        counted: Numbers in brackets by which the review counts its own items.
        block: Whether the point begins within a block quote.
    """

    lines: bool = False
    counted: frozenset[str] = frozenset()
    block: bool = False


@lru_cache(maxsize=1)
def _review_names_lines(texts: tuple[str, ...]) -> bool:
    """Whether a review names lines; that of the latest review is kept, for all of its points."""
    return any(map(names_lines, texts))


_numbers_of_field = lru_cache(maxsize=2)(own_numbers)
"""Kept too: a point asks what the whole field it stands in counts by."""


def _surroundings(point: ReviewPoint, review: Review | None) -> Surroundings:
    if review is None:
        return Surroundings(lines=names_lines(point.text))
    field = review.fields.get(point.span.field, "")
    return Surroundings(
        lines=_review_names_lines(tuple(review.fields.values())),
        counted=_numbers_of_field(field),
        block=_in_block_quote(field, point.span.start),
    )


def _in_block_quote(field: str, start: int) -> bool:
    """Whether the last sign before an offset, spaces aside, is that of a block quote."""
    while start and field[start - 1] in " \t":
        start -= 1
    return start > 0 and field[start - 1] == ">"


def _spelled(mention: Mention) -> str:
    """A place in one spelling, such as ``lines 212-215``, ``Table 3b``, ``line 12 on page 4``."""
    kind, first, last = mention.kind, mention.first, mention.last
    if kind is PlaceKind.QUOTE:
        return f'"{first}"'
    name = kind.value if kind in _IN_RUNNING_TEXT else kind.value.capitalize()
    if kind in (PlaceKind.LINE, PlaceKind.PAGE) and first != last:
        begin, end = whole_range(int(first), int(last))
        label = f"{name}s {begin}-{end}"
    else:
        label = f"{name} {first}"
    return label if mention.page is None else f"{label} on page {mention.page}"


def mentions(text: str, around: Surroundings = Surroundings()) -> tuple[Mention, ...]:
    """The places that a text names, in order; those of other papers are left out.

    A list such as ``Tables 2, 3 and 5`` gives a mention for each, a range such as ``lines 12-15``
    one. Words in quotation marks and names of sections may or may not be the paper's: that is for
    who has the paper (`Mention.sure`).

    Args:
        text: Text of a point.
        around: What the rest of its review says.
    """
    found, taken = _by_kind(text)
    pages = {mention.page for mention in found if mention.kind is PlaceKind.LINE}
    found = [
        mention
        for mention in found
        if mention.kind is not PlaceKind.PAGE or int(mention.first) not in pages
    ]
    found += [
        Mention(PlaceKind.LINE, bare[1], bare[2], bare.start(1), bare.end(2))
        for bare in _BARE_LINES.finditer(text)
    ]
    taken += [(mention.start, mention.end) for mention in found]
    further = [
        ordinal for ordinal in ordinals(text) if _of_this_paper(text, ordinal.start, ordinal.end)
    ]
    if around.lines:
        further += lines_in_brackets(text)
    for place in (*further, *named_sections(text)):
        if not any(start < place.end and place.start < end for start, end in taken):
            found.append(place)
            taken.append((place.start, place.end))
    found += [
        equation
        for equation in equations_by_number(text, taken, around.counted)
        if _of_this_paper(text, equation.start, equation.end)
    ]
    found += quoted_words(text, block=around.block)
    return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))


def _by_kind(text: str) -> tuple[list[Mention], list[tuple[int, int]]]:
    """Places that are named by their kind's word, and the spans of all such words and labels."""
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []
    position = algorithm = 0
    others = -1  # end of the last place of another paper
    listed = 0  # places since the last that does not stand in a list with the next
    while word := _ANY.search(text, position):
        position = word.end()
        kind = PlaceKind[word.lastgroup or ""]
        plural = _PLURAL.search(word.group()) is not None
        match = _PATTERNS[kind, plural].match(text, word.start())
        if match is None:
            continue
        position = match.end()
        before = taken[-1][1] if taken else 0
        if not (taken and _LISTED.fullmatch(text, before, match.start())):
            listed = len(found)
        taken.append(match.span())
        if others >= 0 and _JOINED.fullmatch(text, others, match.start()):
            others = match.end()
        elif not _of_this_paper(text, *match.span()):
            others = match.end()
            del found[listed:]  # "Table 1 and Figure 5 in [3]"
        elif kind is PlaceKind.LINE and _of_algorithm(text, algorithm, match):
            algorithm = match.end()
        elif _meant(text, kind, match):
            page = _page(text, match) if kind is PlaceKind.LINE else None
            found += [Mention(kind, *labels, page) for labels in _labels(text, kind, match)]
            algorithm = match.end() if kind is PlaceKind.ALGORITHM else algorithm
    return found, taken


def _of_this_paper(text: str, start: int, end: int) -> bool:
    """Whether nothing around a place says that it is in another paper."""
    after = text[end : end + _REACH]
    before = text[max(0, start - _REACH) : start]
    return not (_OTHERS.match(after) or _FURTHER.match(after) or _OF_THEM.search(before))


def _of_algorithm(text: str, algorithm: int, match: re.Match[str]) -> bool:
    """Whether a line is one of the algorithm that was named just before, which has its own."""
    between = text[algorithm : match.start()]
    near = algorithm and len(between) <= _REACH and "\n" not in between
    return bool(near and int(next(_labels(text, PlaceKind.LINE, match))[0]) <= _LONGEST_ALGORITHM)


def _labels(
    text: str, kind: PlaceKind, match: re.Match[str]
) -> Iterator[tuple[str, str, int, int]]:
    """First and last label of each place that a match lists, and where it stands."""
    shift = match.end("gap")  # what stands before the first label is no part of it: "Table1"
    labels = list(_LABEL[kind].finditer(text[shift : match.end()]))
    begin, place = match.start(), 0
    while place < len(labels):
        last = place
        if place + 1 < len(labels):
            between = text[shift + labels[place].end() : shift + labels[place + 1].start()]
            last += _RANGE.search(between) is not None
        end = shift + labels[last].end()
        for opened, shut in ("()", "$$"):
            if text[end : end + 1] == shut and opened in text[begin:end]:
                end += 1
        first_label, last_label = _label(labels[place]), _label(labels[last])
        if kind in (PlaceKind.LINE, PlaceKind.PAGE):
            yield first_label, last_label, begin, end
        else:
            for label in _between(first_label, last_label):
                yield label, label, begin, end
        place = last + 1
        begin = shift + labels[place].start() if place < len(labels) else end


def _between(first: str, last: str) -> list[str]:
    """All labels of a range, such as ``3.1``, ``3.2`` and ``3.3``; its ends if that is unclear."""
    stem, number = _SERIAL.match(first), _SERIAL.match(last)
    if first == last or stem is None or number is None or stem[1] != number[1]:
        return [first] if first == last else [first, last]
    numbers = range(int(stem[2]), int(number[2]) + 1)  # none where it is written backwards
    return [f"{stem[1]}{n}" for n in numbers] if 0 < len(numbers) <= _LONGEST else [first, last]


def _label(match: re.Match[str]) -> str:
    """A label in one spelling: ``3 (B)`` is ``3b``, ``L120ff`` is ``120``."""
    text = _NO_LABEL.sub("", match.group())
    return text[:-1] + text[-1].lower() if _PART_AT_END.search(text) else text


def _meant(text: str, kind: PlaceKind, match: re.Match[str]) -> bool:
    """Whether a place of the paper's main file is named, and not of another or something else."""
    after = text[match.end() : match.end() + _REACH]
    before = text[max(0, match.start() - _REACH) : match.start()]
    if kind not in (PlaceKind.LINE, PlaceKind.PAGE):
        return True
    if _SUPPLEMENT_AFTER.match(after) or _SUPPLEMENT_BEFORE.search(before):
        return False
    if kind is PlaceKind.PAGE:
        return _BIBLIOGRAPHY.search(before) is None
    if _IN_ALGORITHM.match(after) or _ALGORITHM_BEFORE.search(before) or _BEYOND.match(after):
        return False
    if match["word"] in ("L", "l"):
        return (
            not match["gap"]
            and int(next(_labels(text, kind, match))[0]) >= _LAYER
            and not _NOT_LINES.match(after)
        )
    return True


def _page(text: str, match: re.Match[str]) -> int | None:
    """The page that is named beside a line, as where numbers begin anew on each page."""
    before = _PAGE_BEFORE.search(text, max(0, match.start() - 20), match.start())
    after = _PAGE_AFTER.match(text, match.end())
    hit = before or after
    return int(hit[1]) if hit else None
