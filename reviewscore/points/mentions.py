"""Places that the words of a review name, before anybody has looked for them in a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewscore.schema.place import PlaceKind


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that a text names.

    Attributes:
        kind: What kind of place.
        first: Its label, such as ``212``, ``3b``, ``D.7``; quoted words as they stand there.
        last: The last label of a range; the first one otherwise.
        start: Offset of its first character in the text.
        end: Offset just after its last character.
        page: Page that is named with a line.
        sure: Whether a place is meant even if the paper lacks it; quoted words and names of
            sections may be anybody's.
    """

    kind: PlaceKind
    first: str
    last: str
    start: int
    end: int
    page: int | None = None
    sure: bool = True


_NUMBER = r"\((?:[A-Z]\.)?\d{1,3}(?:\.\d{1,2})?[a-e]?\)"
_BARE = re.compile(rf"(?<=[\s(\[,/–-]){_NUMBER}(?![\w(\[$^]|-\w)")
_AGAIN = re.compile(r"\s*(?:,\s*(?:and|or)\b|,|and\b|or\b|&|/|to\b|through\b|-{1,2}|–|—)\s*\Z")
_TO = re.compile(r"\s*(?:to\b|through\b|-{1,2}|–|—)\s*\Z")
_NOUN = re.compile(
    r"\b(?:(?:in)?equalit(?:y|ies)|bounds?|objectives?|problems?|program(?:me)?s?|loss(?:es)?|"
    r"constraints?|conditions?|updates?|(?:update |learning |chain )rules?|recursions?|"
    r"expressions?|formulas?|formulae|identit(?:y|ies)|estimates?|estimators?|relations?|"
    r"integrals?|sums?|systems?|regulari[sz]ers?|approximations?|optimi[sz]ations?|formulations?|"
    r"criteri(?:on|a)|decompositions?|likelihoods?|functionals?|dynamics|minimi[sz]ations?|"
    r"[OSP]DEs?|the ones?|ratios?|gradients?|penalt(?:y|ies)|iterations?|schemes?)\s\Z",
    re.I,
)
_LINK = re.compile(
    r"\b(?:in|into|from|by|of|via|using|see|cf\.|with|than|between|under|to|both|why|that|whether|"
    r"combin(?:e|es|ing)|plug(?:s|ging)?|compar(?:e|es|ing)|deriv(?:e|es|ing)|insert(?:s|ing)?|"
    r"solv(?:e|es|ing)|minimi[sz](?:e|es|ing)|maximi[sz](?:e|es|ing)|optimi[sz](?:e|es|ing)|"
    r"satisf(?:y|ies|ying)|prov(?:e|es|ing)|rearrang(?:e|es|ing)|does|do|is|are)\s\Z",
    re.I,
)
_COUNTED = re.compile(
    r"(?:\b(?:sizes?|numbers?|values?|ratings?|scores?|totals?|sets?|averages?|means?|maximum|"
    r"minimum|rates?|lengths?|dimensions?|depths?|versions?|accurac(?:y|ies)|factors?|orders?|"
    r"years?|grades?|groups?|(?:dis)?advantages?|benefits?|drawbacks?|cases?)\s+of|\b(?:mention|"
    r"discuss|rais|not|said|ask|point|explain|not|address|answer|stat|describ|respon|comment|"
    r"question|weakness|concern|issue|item|strength|continu|relat|connect|"
    r"assign)\w*\s+(?:out\s+)?(?:in|of|to|from)|\b(?:said|above|below)\s+in)\s\Z",
    re.I,
)
_GOES_ON = re.compile(
    r"\s*(?:[.,;:?!)\]'’]|\Z|-{2}|–|—|->)|\s+(?:and|or|is|are|was|were|to|for|with|in|of|on|by|the|"
    r"that|which|does|do|did|can|cannot|could|should|would|will|may|might|must|not|have|when|if|"
    r"where|as|at|from|than|then|into|instead|only|also|because|since|after|before|under|itself|"
    r"alone|hold|follow|need|w\.r\.t|\w+(?:s|ed|ly))\b",
    re.I,
)
"""What goes on after an equation's number; after a count of the reviewer's the item begins."""
_LOOSE = re.compile(r"\b(?:in|into|from|of|using|between|than)\s\Z", re.I)
_ITEM = re.compile(r"\s+(?:an?\s|[\w-]+ing\b|[A-Z])")
"""Links after which hardly an item of a count stands, and how it would begin."""
_ELSEWHERE = re.compile(
    r"\s*(?:above|below|(?:in|of|under|from)\s+(?:the\s+|my\s+)?(?:weakness|question|strength|concern|"
    r"limitation|comment|first|above))",
    re.I,
)
_FORMULA = re.compile(r"\$\$[^$]*\$\$|\$[^$\n]*\$")
_COUNT = re.compile(r"(?:(?<=\s)|\A|(?<=[\n:;,.]))\((\d{1,2})\)")
_MARKER = re.compile(
    r"(?:\A|^|[.:;?!]\s++)[ \t]*+(?:[-*•][ \t]*+)?[*_]{0,2}\((\d{1,2}[a-e]?)\)(?=[*_\s])", re.M
)
_LABEL = re.compile(r"[A-Z]?\.?\d[\d.]*[a-e]?")


def own_numbers(text: str) -> frozenset[str]:
    """Numbers in brackets that begin sentences or items of a review, which count its own."""
    return frozenset(_MARKER.findall(text))


def equations_by_number(
    text: str, taken: Iterable[tuple[int, int]], own: frozenset[str] = frozenset()
) -> Iterator[Mention]:
    """Equations that are named by their number in brackets alone: ``in (1), (3) and (4)``.

    The first of a list stands after a word that leads to it, such as ``from`` or ``bound``; the
    others follow it. A count of the reviewer's own, ``(1) .. (2) ..``, is none.

    Args:
        text: Any text.
        taken: Spans of other places.
        own: Numbers that the review counts its own items by; only a word for an equation makes
            them an equation's.
    """
    own |= own_numbers(text)
    covered = [*taken, *(match.span() for match in _FORMULA.finditer(text)), *_counts(text)]
    last: tuple[int, str] | None = None
    for match in _BARE.finditer(text):
        start, end = match.span()
        if any(begin < end and start < stop for begin, stop in covered):
            last = None
            continue
        before = text[max(0, start - 60) : start]
        follows = last is not None and _AGAIN.fullmatch(text[last[0] : start])
        label = _label(match.group())
        if not follows and not _leads(before, text[end : end + 40], counted=label in own):
            last = None
            continue
        if last is not None and follows and _TO.fullmatch(text[last[0] : start]):
            for between in _between(last[1], label):
                yield Mention(PlaceKind.EQUATION, between, between, start, end)
        yield Mention(PlaceKind.EQUATION, label, label, start, end)
        last = end, label


def _label(number: str) -> str:
    match = _LABEL.search(number)
    return number.strip("()") if match is None else match.group()


def _between(first: str, last: str) -> list[str]:
    if not (first.isdigit() and last.isdigit()) or int(last) - int(first) > 20:  # noqa: PLR2004
        return []
    return [str(number) for number in range(int(first) + 1, int(last))]


def _leads(before: str, after: str, *, counted: bool) -> bool:
    """Whether the words before a number in brackets make it an equation's."""
    if _NOUN.search(before):
        return True
    link = _LINK.search(before)
    if link is None or counted or _COUNTED.search(before) or _ELSEWHERE.match(after):
        return False
    if _LOOSE.search(before):
        return _ITEM.match(after) is None
    return _GOES_ON.match(after) is not None


def _counts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers that count the reviewer's own items, each with words after it."""
    run: list[re.Match[str]] = []
    for match in _COUNT.finditer(text):
        if run and int(match[1]) == int(run[-1][1]) + 1:
            between = text[run[-1].end() : match.start()]
            words = re.sub(r"\b(?:and|or|to)\b", " ", between)
            if re.search(r"[^\W\d_]{2}", words) and re.search(
                r"(?:[,;.:?!]|\n|,?\s(?:and|or))\s*\Z", between
            ):
                run.append(match)
                continue
        if len(run) > 1:
            yield from (match.span() for match in run)
        run = [match] if match[1] == "1" else []
    if len(run) > 1:
        yield from (match.span() for match in run)


_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)
_KINDS = {
    kind.value: kind
    for kind in PlaceKind
    if kind not in (PlaceKind.LINE, PlaceKind.PAGE, PlaceKind.APPENDIX, PlaceKind.QUOTE)
}
_ORDINAL = re.compile(
    rf"\b(?:the\s+)?(?:(?P<word>{'|'.join(_ORDINALS)})|(?P<digits>\d{{1,2}})-?\s?(?:st|nd|rd|th))\s+"
    rf"(?P<kind>{'|'.join(_KINDS)})\b(?![-–]\w)"
    r"(?!\s+(?:that|to|which|(?:of|in)\s+(?:each|every|both|all|many|its))\b)"
    r"(?!\s*(?:\(?(?:in|on|of|from)\b\s*(?:the\s+)?(?:page|section|sec\b|appendix|app\b|suppl|\[|"
    r"ref|\w+\s+et\s+al|p\.|rebuttal|introduction|left|right|top|bottom|first|second|paper|code)))",
    re.I,
)
_BY_WORD = (PlaceKind.FOOTNOTE, PlaceKind.TABLE, PlaceKind.FIGURE)
"""Kinds that are counted in words; ``the second theorem`` is more often one of several."""


def ordinals(text: str) -> Iterator[Mention]:
    """Places that are counted: ``the 4-th footnote``, ``the second table``.

    Footnotes are surely meant; the others only where the paper numbers them so.
    """
    for match in _ORDINAL.finditer(text):
        kind = _KINDS[match["kind"].lower()]
        if match["word"] and kind not in _BY_WORD:
            continue
        number = (
            int(match["digits"]) if match["digits"] else _ORDINALS.index(match["word"].lower()) + 1
        )
        start = match.start("word") if match["word"] else match.start("digits")
        yield Mention(
            kind, str(number), str(number), start, match.end(), sure=kind is PlaceKind.FOOTNOTE
        )


_LINES = re.compile(
    r"(?<=\w\s)\((\d{2,4})(?:\s*[-–]\s*(\d{2,4}))?(?:\s*,\s*\d{2,4}(?:\s*[-–]\s*\d{2,4})?)*\)(?!\w)"
)
_RANGE = re.compile(r"(\d{2,4})(?:\s*[-–]\s*(\d{2,4}))?")
_LONGEST_RANGE = 40
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_LAST_WORD = re.compile(r"[\w.'’-]+\s\Z")
_CITED = re.compile(
    r"[A-Z]|al\.|[\d.]|(?:sizes?|samples?|numbers?|counts?|epochs?|steps?|examples?|images?|tokens?|"
    r"nodes?|iterations?|seeds?|dimensions?|points?|runs?|hours?|papers?|users?|classes)\s"
)
_BY_LINES = re.compile(r"\b(?:[Ll]ines?|ll?\.|lns?\.?|L)\s?(?:#\s?)?\d{2,4}\b")


def names_lines(text: str) -> bool:
    """Whether a text names lines of a paper, so that bare numbers in it may be lines too."""
    return _BY_LINES.search(text) is not None


def lines_in_brackets(text: str) -> Iterator[Mention]:
    """Lines by their numbers alone, such as ``(141-142)``, for reviews that name lines elsewhere.

    Of single numbers only three and four digits are read; a name before them makes them a year, a
    number makes them its remainder.
    """
    for match in _LINES.finditer(text):
        before = _LAST_WORD.search(text[: match.start()][-40:])
        if before is None or _CITED.match(before.group()):
            continue
        parts = list(_RANGE.finditer(text, match.start() + 1, match.end() - 1))
        if all(_is_lines(part) for part in parts):
            for part in parts:
                last = part[2] or part[1]
                yield Mention(PlaceKind.LINE, part[1], last, *part.span(), sure=False)


def _is_lines(part: re.Match[str]) -> bool:
    first, last = part[1], part[2]
    if _YEAR.match(first):
        return False
    if last is None:
        return len(first) > 2  # noqa: PLR2004 - (10) is more often a count
    return 0 < int(last) - int(first) <= _LONGEST_RANGE


_ALONE = r"abstract|introduction|intro|related\s+works?|conclusions?"
_OF_PAPER = r"(?:\s+of\s+(?:the|this|your|their)\s+(?:paper|work|manuscript|submission|article))?"
_VERB = (
    r"\s+(?:\w+ly\s+)?(?:is|are|was|seems?|does|do|should|could|would|needs?|lacks?|mentions?|omits?|"
    r"misses|claims?|states?|says?|has|contains?|fails?|reads?|provides?|discuss(?:es)?|covers?|"
    r"focus(?:es)?|overstates?|starts?|promises?|suggests?)\b"
)
_IN = re.compile(
    rf"\b(?:in|from|to|into|throughout|within)\s+(?:(?:the|your|their|its)\s+(?:\w+['’]s?\s+)?"
    rf"(?P<name>{_ALONE})|(?P<cap>(?-i:Abstract|Introduction|Related\s+Works?|Conclusions?)))\b"
    rf"{_OF_PAPER}(?!\s+(?:of|that|drawn|section|\[)|\s*\[\d|[-–]\w"
    rf"|,?\s+(?:\w+\s+){{0,3}}(?:e\.g|such as|like\b))",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:\A|[.!?:;(]\s*|\n[^\S\n]*|\b(?:while|although|though|and|but|that|in general)\s+)"
    r"(?:the|your|their)\s+"
    rf"(?P<name>abstract|introduction|intro|related\s+works?(?:\s+section)?){_OF_PAPER}(?={_VERB})",
    re.I,
)
_CONCLUSION = re.compile(
    r"\b(?:the|your)\s+(?P<name>conclusion)(?=\s+(?:mentions?|discuss(?:es)?|omits?|should|lacks?)\b)",
    re.I,
)
_HEAD = re.compile(
    r"(?:^[ \t]*(?:[-*•\d.)]+[ \t]*)?(?:\*\*)?|\()(?P<name>Abstract|Introduction|Related [Ww]orks?)"
    r"(?:(?:\*\*)?:|\))",
    re.M,
)
_NAME = r"[A-Za-z][\w-]*(?:[ ](?:[A-Za-z][\w-]*|&))"
_TITLED = re.compile(
    rf"\b(?P<lead>the|this|your|their|in|from|see|its|[Tt]he\s+paper['’]s|^)\s+[\"“'‘*]*"
    rf"(?P<name>{_NAME}{{0,4}})[\"”'’*]*\s+(?:sub)?section\b(?!\s*(?:\d|on\b|about\b|of\s+\[|(?:in|of)\s+(?:the\s+)?suppl))",
    re.M,
)
_START = re.compile(
    r"(?:\A|[.!?]\s+|\n[^\S\n]+|^)(?P<name>[A-Z][\w-]*(?:[ ](?:[A-Za-z][\w-]*|&)){0,4})[\"”'’*]*"
    r"\s+(?:sub)?section\b"
    r"(?!\s*(?:\d|on\b|about\b|titles?\b|(?:in|of)\s+(?:the\s+)?suppl))",
    re.M,
)
_CALLED = re.compile(
    r"\b(?:sub)?section\s+(?:called\s+|titled\s+|entitled\s+|named\s+)?[\"“‘'*]+(?P<name>[^\"“”‘’'\n*]{4,80})"
    r"[\"”’'*]+",
    re.I,
)
_INDEFINITE = re.compile(
    r"\b(?:an?|any|no|without|lacks?|lacking|missing|add(?:ing)?|dedicated|separate|new|such|another|"
    r"explicit|every|each|this|that|which|above|previous|next|last|first|second|whole|entire|same|"
    r"following|corresponding|specific|review|weakness(?:es)?|questions?|strengths?)\b",
    re.I,
)
_LONGEST = 60
_PARTS_OF_USUAL = ("tract", "ntro", "related", "conclu")
"""Parts of the usual names, in lower case, without i, s and k, which have foreign forms."""


def named_sections(text: str) -> Iterator[Mention]:
    """Sections by their names; a place only where the paper has that section, and only one."""
    lower = text.lower()
    usual = any(part in lower for part in _PARTS_OF_USUAL)
    for pattern in (_IN, _SUBJECT, _CONCLUSION, _HEAD) if usual else ():
        for match in pattern.finditer(text):
            group = "name" if match["name"] else "cap"
            yield _mention(text, *match.span(group))
    for pattern in (_TITLED, _START, _CALLED) if "ect" in lower else ():  # "section"
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if pattern is not _CALLED:
                start = _title_start(text, start, end)
            name = text[start:end]
            if len(name) <= _LONGEST and not _INDEFINITE.search(name):
                yield _mention(text, start, end)


def _title_start(text: str, start: int, end: int) -> int:
    """Where a title begins: after the last article or preposition before ``section``."""
    cuts = re.finditer(r"\b(?:the|your|their|in|from|of|to|see|its|The)\s+", text[start:end])
    return start + max((cut.end() for cut in cuts), default=0)


def _mention(text: str, start: int, end: int) -> Mention:
    name = " ".join(text[start:end].split())
    name = re.sub(r"\s+section\Z", "", name, flags=re.I)
    return Mention(PlaceKind.SECTION, name, name, start, end, sure=False)


_QUOTED = re.compile(
    r"``(?P<tex>[^`\n]{1,600}?)(?:''|``|\"|”)|[\"“](?P<double>[^\"“”\n]{1,600})[\"”]"
    r"|(?<![\w'’])[‘'](?P<single>[^\n'’‘`]{4,400})['’](?!\w)"
)
LEAST_WORDS = 4
LEAST_CHARACTERS = 20
"""Shorter quotes are a place only where the review speaks of words."""
_BEFORE = re.compile(
    r"(?:\btypos?\b[^.\n\"“]{0,20}|\b(?:terms?|terminology|phrases?|words?|wording|expressions?"
    r"|notion|sentence|statement|meaning|definition|usage)\b(?:\s+(?:of|like|as|such as|is"
    r"|on line \d+))?(?:\s+the)?\s*[:,(]?\s*|\buse of\s+(?:the\s+)?(?:terms?\s+)?"
    r"|\bwhat\s+(?:exactly\s+|precisely\s+)?(?:is|are|does"
    r"|do)\s+(?:exactly\s+)?(?:the\s+)?(?:terms?\s+|meant by\s+)?|\bmean(?:t|ing)?\s+(?:by"
    r"|with)\s+(?:the\s+)?(?:terms?\s+)?|\b(?:not|never|n['’]t)\s+(?:formally\s+)?(?:defined?"
    r"|explain(?:ed)?|introduced?)\s+|(?:\A|[\n.;:(]\s*)(?:[-*•\d.]+\s*)?(?:lines?|ll?\.|L|pages?"
    r"|p\.|abstract|caption|title)(?:\s?[\d–-]+)*\s*[:,.)]?\s*)[*_]{0,2}\Z",
    re.I,
)
_AFTER = re.compile(
    r"[*_]{0,2}\)?\s*+(?:-+>|→|=>|\(?(?:on|in)?\s*\(?(?:line|ll?\.|L\d|page)|should (?:be|read)\b"
    r"|needs? to be defined|mean\b|refers? to\b|(?:is|are|seems?)\s+(?:\w+\s+){0,2}(?:unclear|vague"
    r"|confusing|ambiguous|misleading|undefined|not (?:\w+ )?(?:defined|clear|explained|introduced)"
    r"|never|a typo)\b|(?:does ?n[o'’]t|do ?n[o'’]t|makes? no) (?:make )?sense)",
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
