"""Places whose number stands without their kind's word, or before it.

Equations such as ``the bound (4)``, lines such as ``(141-142)``, and ``the 4th footnote``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reviewscore.points.mention import Mention
from reviewscore.schema.place import PlaceKind

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
    r"years?|grades?|groups?|(?:dis)?advantages?|benefits?|drawbacks?|cases?)\s+of"
    r"|\b(?:mention|discuss|rais|not|said|ask|point|explain|not|address|answer|stat|describ|"
    r"respon|comment|question|weakness|concern|issue|item|strength|continu|relat|connect|assign)"
    r"\w*\s+(?:out\s+)?(?:in|of|to|from)"
    r"|\b(?:said|above|below)\s+in)\s\Z",
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
    r"(?:\A|^|[.:;?!]\s+)[ \t]*[-*•]?[ \t]*[*_]{0,2}\((\d{1,2}[a-e]?)\)(?=[*_\s])", re.M
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
    covered = [*taken, *(found.span() for found in _FORMULA.finditer(text)), *_counts(text)]
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
    found = _LABEL.search(number)
    return number.strip("()") if found is None else found.group()


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
            yield from (one.span() for one in run)
        run = [match] if match[1] == "1" else []
    if len(run) > 1:
        yield from (one.span() for one in run)


_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_KINDS = {
    "footnote": PlaceKind.FOOTNOTE,
    "table": PlaceKind.TABLE,
    "figure": PlaceKind.FIGURE,
    "algorithm": PlaceKind.ALGORITHM,
    "theorem": PlaceKind.THEOREM,
    "lemma": PlaceKind.LEMMA,
    "proposition": PlaceKind.PROPOSITION,
    "corollary": PlaceKind.COROLLARY,
    "definition": PlaceKind.DEFINITION,
    "assumption": PlaceKind.ASSUMPTION,
    "equation": PlaceKind.EQUATION,
    "section": PlaceKind.SECTION,
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
