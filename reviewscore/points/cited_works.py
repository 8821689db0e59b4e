"""Works that a review names: by authors and year, number, title, identifier or address."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz

from reviewscore.papers.references import (
    ARXIV,
    CAPITAL,
    DOI,
    URL,
    YEAR,
    ReferenceEntry,
    arxiv_in,
    folded,
    read_reference,
    surnames_of,
)
from reviewscore.schema.cited_work import CitedWork
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span

_NOTHING = ReferenceEntry(words="")


@dataclass(frozen=True, slots=True)
class _Naming:
    """One place that names a work, and what is said there of it.

    Attributes:
        box: Number of the review's field.
        start: Offset of its first character there.
        end: Offset just after its last one.
        reference: What is said of the work.
        entry: Whether it is an entry of a list of the review's own.
    """

    box: int
    start: int
    end: int
    reference: ReferenceEntry
    entry: bool = False


def cited_works(
    review: Review, *, references: Sequence[ReferenceEntry] = (), title: str = ""
) -> tuple[CitedWork, ...]:
    """The works that a review names, in the order in which it first names them.

    Namings of one work are one: an entry of the review's own list and its ``[1]``, the same people
    and year, title, identifier or name of a method.

    Args:
        review: The review; all its fields are read.
        references: The paper's list. What stands there before the colon of a title, such as
            ``LoRA``, names that work.
        title: The paper's title, which is none of them.
    """
    texts = [text[:_LONGEST] for text in review.fields.values()]
    labels = Counter(label for text in texts for label in _OPENED.findall(text))
    entries = [_own_entries(text, box, labels) for box, text in enumerate(texts)]
    lists = [{label: one.reference for label, one in held if label} for held in entries]
    known = {one.name for one in references if _is_name(one.name)} - set(title.split(":")[:1])
    groups: list[tuple[ReferenceEntry, list[_Naming]]] = []
    found = [one for held in entries for _, one in held]
    for box, text in enumerate(texts):
        namings = islice(_in_text(text, box, lists, known), max(0, _MOST - len(found)))
        found += _apart(namings, [one for _, one in entries[box]], text)
    found.sort(key=lambda one: (not one.entry, one.box, one.start))
    for naming in found[:_MOST]:
        if title and _folded(naming.reference.title) == _folded(title):
            continue
        held = (n for n, (one, _) in enumerate(groups) if _same(one, naming.reference))
        place = next(held, len(groups))
        if place == len(groups):
            groups.append((naming.reference, []))
        groups[place] = _together(groups[place][0], naming.reference), [*groups[place][1], naming]
    ordered = sorted(groups, key=lambda group: min((one.box, one.start) for one in group[1]))
    return tuple(_work(review, *group) for group in ordered)


def _work(review: Review, reference: ReferenceEntry, namings: Sequence[_Naming]) -> CitedWork:
    names = list(review.fields)
    spans = [
        Span(field=names[one.box], start=one.start, end=one.end)
        for one in sorted(namings, key=lambda one: (one.box, one.start))
    ]
    return CitedWork(
        words=review.fields[spans[0].field][spans[0].start : spans[0].end],
        mentions=tuple(dict.fromkeys(spans)),
        authors=reference.surnames,
        **{key: getattr(reference, key) for key in _KEYS},
    )


_KEYS = ("number", "year", "letter", "title", "name", "arxiv", "doi", "url")
_ALIKE = 90
_LONGEST, _MOST = 100_000, 1_000
"""Characters of a field that are read, and namings in a review that are looked at."""
_SHORTEST = 3


_folded = lru_cache(maxsize=4_096)(folded)


def _same(first: ReferenceEntry, second: ReferenceEntry) -> bool:
    """Whether two namings in one review mean one work."""
    for key in ("number", "arxiv", "doi", "url"):
        values = getattr(first, key), getattr(second, key)
        if all(values):
            return bool(values[0] == values[1])
    titles = _folded(first.title), _folded(second.title)
    if all(titles):
        return fuzz.ratio(*titles) >= _ALIKE
    if first.surnames and second.surnames:
        return _same_people(first, second)
    return len(first.name) >= _SHORTEST and first.name == second.name


def _same_people(first: ReferenceEntry, second: ReferenceEntry) -> bool:
    """Whether two namings by people mean one work, as far as both say who and when."""
    people, others = (
        [_folded(name).split()[-1:] for name in one.surnames] for one in (first, second)
    )
    return (
        people[0] == others[0]
        and (not (first.year and second.year) or first.year == second.year)
        and (not (first.letter and second.letter) or first.letter == second.letter)
        and (len(others) == 1 or len(people) == 1 or people[1] in others or others[1] in people)
    )


def _together(first: ReferenceEntry, second: ReferenceEntry) -> ReferenceEntry:
    """What two namings of one work say of it."""
    keys = [key for key in ("surnames", *_KEYS) if not getattr(first, key)]
    return replace(first, **{key: getattr(second, key) for key in keys})


def _apart(namings: Iterator[_Naming], entries: list[_Naming], text: str) -> list[_Naming]:
    """Namings that do not overlap; an address just after a naming belongs to its work."""
    kept: list[_Naming] = []
    for naming in namings:
        said = naming.reference
        over = [one for one in (*entries, *kept) if one.start < naming.end > naming.start < one.end]
        if over and (over[0].entry or (over[0].start, over[0].end) != (naming.start, naming.end)):
            continue
        if (said.arxiv or said.doi or said.url) and not (said.title or said.surnames):
            near = (one for one in kept if text[one.end : naming.start].strip(_BETWEEN) == "")
            before = next((one for one in near if 0 <= naming.start - one.end < _NEAR), None)
            said = said if before is None else _together(before.reference, said)
            if before is not None:
                kept[kept.index(before)] = replace(before, reference=said)
        kept.append(replace(naming, reference=said))
    return list(_with_people(sorted(kept, key=lambda one: one.start), text))


def _title_and_people(first: _Naming, second: _Naming, text: str) -> bool:
    """Whether one of two namings says a title and the other, just beside it, whose it is."""
    one, other = first.reference, second.reference
    beside = first.end <= second.start and not text[first.end : second.start].strip(_BESIDE_TITLE)
    plain = not (one.words or other.words)  # of the review's own list all is known
    return (
        beside
        and plain
        and bool(one.title) != bool(other.title)
        and bool(one.surnames) != bool(other.surnames)
        and bool(one.title) != bool(one.surnames)
    )


def _with_people(namings: Sequence[_Naming], text: str) -> Iterator[_Naming]:
    """Namings in order; people in brackets just after a title, or before it, are its authors."""
    last: _Naming | None = None
    for naming in namings:
        if last is not None and _title_and_people(last, naming, text):
            together = _together(last.reference, naming.reference)
            last = replace(last, end=naming.end, reference=together)
            continue
        if last is not None:
            yield last
        last = naming
    if last is not None:
        yield last


_BETWEEN = " \t.,:;()[]<>–-"
_NEAR = 8
_BESIDE_TITLE = ' ,("“”*_:'

_LABEL = r"\\?\[(\d{1,3}|[A-Za-z]\d{0,2}|R\d+|[A-Z][A-Za-z]{1,9}\+?\d{2}(?:\d{2})?[a-z]?)\\?\]"
_OPENED = re.compile(r"\[([\w+]+)")
_HEADING = re.compile(
    r"^[\W_]{0,9}(?:\w{1,20}\s+)?(?:references?|refs?|bibliography|citations?)[\W_]{0,9}$",
    re.I | re.M,
)
_LINE = re.compile(
    r"^[ \t>]*(?:[-*•–][ \t]+)?[*_]{0,2}(?:(?i:references?|refs?)[*_: \t]{1,5})?"
    r"(?P<words>\S[^\n]*)",
    re.M,
)
_HEAD = re.compile(
    rf"(?:^|(?<=[.\d)”\"] ))(?:{_LABEL}|\{{(\d{{1,2}})\}})[*_:.,]{{0,3}}\s*[-–:]?\s*(?=\S)"
)
_COUNT = re.compile(r"(?:(\d{1,2})[.)]|\((\d{1,2})\))[*_]{0,2}\s+|(?=\S)")
_SIGNS = re.compile(
    rf"\b{YEAR}[a-z]?\b|\bet\.? al|arxiv|\bdoi\b|https?://|[\"“][^\"”]{{15,}}[\"”]|\b(?:proceedings|"
    r"proc\.|journal|neurips|nips|icml|iclr|cvpr|iccv|eccv|acl|emnlp|naacl|aaai|ieee|transactions|"
    r"conference|preprint|press)\b",
    re.I,
)
_PEOPLE = re.compile(
    r"(?:[A-Z][\w’'-]+, (?:[A-Z]\.? ?-?){1,3}(?:[,;.&(]| and)|[A-Z][\w’'-]+ [A-Z]{1,3}(?:,|\. )|"
    r"(?:[A-Z]\. ?){1,3}[A-Z][\w’'-]+(?:,| and)|[A-Z][\w’'-]+, [A-Z][\w’'-]+, |"
    r"(?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+, (?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+(?:,| and))"
)
_INITIALS = re.compile(r"(?<![\w’'-])[A-Z][\w’'-]+, (?:[A-Z]\.-?){1,4}(?:,| and| &)")
_REMARK = re.compile(
    r"\?[\s*_]*\Z|\b(?:I(?!\.)|we|the authors?|this paper|the paper|this work|please|should|"
    r"could you|my|your)\b"
)
_LED_IN = re.compile(r"[^:\n]{3,90}:\s+")
_LONG = 60
"""Characters of a line that may be an entry although nothing announces it."""


def _own_entries(text: str, box: int, labels: Mapping[str, int]) -> list[tuple[str, _Naming]]:
    """Entries of a list of references that a review has of its own, each with its label."""
    heading = _HEADING.search(text)
    after = len(text) if heading is None else heading.end()
    entries: list[tuple[str, _Naming]] = []
    for line in _LINE.finditer(text):
        words, begin = line["words"], line.start("words")
        heads = list(_HEAD.finditer(words))
        if heads and heads[0].start() == 0:
            ends = [*(head.start() for head in heads[1:]), len(words)]
            pieces = [
                (head[head.lastindex or 1], head.span(), end)
                for head, end in zip(heads, ends, strict=True)
            ]
        else:
            count = _COUNT.match(words)
            number = count and (count[1] or count[2])
            first = count.end() if count and begin >= after else 0
            led_in = _LED_IN.match(words)
            if led_in is not None and _PEOPLE.match(words, led_in.end()):
                first = led_in.end()
            pieces = [("", (first, first), len(words))]
        for label, (start, first), last in pieces:
            entry = words[first:last].rstrip()
            if _is_entry(entry, label, labels, listed=begin >= after):
                counted = number or str(len(entries) + 1) if not label and begin >= after else label
                edges = begin + start, begin + first + len(entry)
                naming = _Naming(box, *edges, read_reference(entry), entry=True)
                entries.append((counted, naming))
        if len(entries) >= _MOST:
            break
    return entries


def _is_entry(words: str, label: str, labels: Mapping[str, int], *, listed: bool) -> bool:
    """Whether a line is an entry of a list, and not a remark of the reviewer's own."""
    people = _PEOPLE.match(words.lstrip("*_ ")) is not None or len(_INITIALS.findall(words)) > 1
    if (len(words.split()) < _SHORTEST and not URL.match(words)) or (
        _REMARK.search(words) and not people
    ):
        return False
    signs = _SIGNS.search(words) is not None
    if label:
        return signs or labels[label] > 1
    return signs and (listed or (people and len(words) > _LONG))


_PARTICLES = (
    "[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd]ella|[Dd][aiu]|[Dd]os|[LlDd]a|[Ll]e|[EeAa]l|[Tt]e[nr]|bin"
)
_SURNAME = rf"(?<![\w’'-])(?:(?:{_PARTICLES})[ -]){{0,3}}{CAPITAL}[\w’'-]{{0,30}}\w"
_AND = r"(?:(?:\s*+,)?+\s++and\s++|\s*+(?:,\s++&\s++|&\s*+)|,\s++)"  # one way to match a text
_AL = r",?\s++[Ee]t\.?\s?[Aa]l\b\.?"
_WHEN = rf"(?:[\w’']{{2,10}},?\s+)?{YEAR}[a-z]?"
_WHENS = rf"(?P<years>{_WHEN}(?:\s*[,;&/]\s*(?:{YEAR}[a-z]?|[a-z])\b){{0,3}})"
_AUTHORS = rf"(?P<authors>{_SURNAME}(?:{_AND}{_SURNAME}){{0,6}}(?:{_AL})?)"
_NARRATIVE = re.compile(
    rf"{_AUTHORS}(?:['’]s?)?(?:\s+(?:work|paper|method))?\s*[(\[]\s*{_WHENS}\s*[^()\[\]]{{0,30}}[)\]]"
)
_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{4,400})[)\]]")
_BEFORE = re.compile(
    r"(?:\A|[;,&]|e\.g\.|i\.e\.|cf\.?|\b(?:see|and|also|by|of|in|from|to))\s*\Z", re.I
)
_INSIDE = re.compile(rf"{_AUTHORS}(?:,?\s+|,|(?<=\.)){_WHENS}")
_SEVERAL = rf"(?P<authors>{_SURNAME}(?:(?:{_AND}{_SURNAME}){{0,5}}{_AL}|\s+(?:and|&)\s+{_SURNAME}))"
_LOOSE = re.compile(rf"{_SEVERAL}(?:,?\s+|,|(?<=\.))(?:in\s+)?{_WHENS}")
_UNDATED = re.compile(rf"(?P<authors>{_SURNAME}(?:{_AND}{_SURNAME}){{0,5}}{_AL})")
_YEARS = re.compile(rf"(?:({YEAR})([a-z]?)|(?<=[,;&/ ])([a-z]))(?=\s*(?:[,;&/]|\Z))")
_METHOD = re.compile(r"([\w+-]+)\s*[(\[]?\s?\Z")
_INNER = re.compile(r"(?:Mc|Mac|De|Di|La|Le|Van|Von|Du|O['’])[A-Z]")
_ODD = re.compile(r"\d|[a-z][A-Z]|\A[A-Z]{2,}\Z")
"""Signs that a word is the name of a method, a data set or a venue."""
_NOBODY = frozenset(
    """
    table tables figure figures section sections equation eq eqs fig theorem lemma appendix line
    algorithm lines page step corollary proposition definition neurips nips icml iclr cvpr iccv eccv
    acl emnlp naacl aaai ijcai kdd interspeech icassp aistats colt uai wacv corl icra iros jmlr tmlr
    tacl siggraph miccai sigir www usenix osdi mlsys arxiv corr ieee imagenet coco voc pascal cifar
    mnist python pytorch tensorflow cuda wmt semeval glue squad kitti ljspeech wikipedia january
    february march april may june july august september october november december spring summer
    fall autumn winter the this these that in on at as since after before until from by for with and
    but also see e.g i.e however although while when where recent early late year years version
    rebuttal review reviewer
    """.split()  # noqa: SIM905 - a list of so many words is not easier to read
)
"""Words that stand before a year and are no people."""


def _is_name(name: str) -> bool:
    """Whether a word is the name of a method and hardly anything else."""
    return len(re.findall(r"[A-Z\d]", name)) > 1 and any(map(str.isupper, name)) and " " not in name


def _in_text(
    text: str, box: int, lists: Sequence[Mapping[str, ReferenceEntry]], known: Collection[str]
) -> Iterator[_Naming]:
    """All namings in running text, the surest first."""
    for pattern in (_NARRATIVE, _LOOSE):
        for match in pattern.finditer(text):
            yield from _by_people(match, 0, text, box)
    for bracket in _BRACKET.finditer(text):
        for match in _INSIDE.finditer(bracket[1]):
            if not _BEFORE.search(bracket[1][: match.start()]):
                continue
            yield from _by_people(match, bracket.start(1), text, box)
    yield from _by_number(text, box, lists)
    yield from _by_title(text, box)
    yield from _by_address(text, box)
    for match in _UNDATED.finditer(text):
        if surnames := _people(match["authors"]):
            yield _Naming(box, *match.span(), replace(_NOTHING, surnames=surnames))
    named = [(name, start) for start, name in _names(text) if name in known]
    for name, start in sorted(named):
        yield _Naming(box, start, start + len(name), replace(_NOTHING, name=name))


_WORD_OF_NAME = re.compile(rf"(?<![\w-])(?=({CAPITAL}[\w+.*-]{{1,60}}))")
_WITHIN_NAME = re.compile(r"(?<=[\w+.*-])(?![\w-])")


def _names(text: str) -> Iterator[tuple[int, str]]:
    """Words of a text that may be names of methods, with and without marks after them."""
    for match in _WORD_OF_NAME.finditer(text):
        for end in _WITHIN_NAME.finditer(text, match.start(1) + 1, match.end(1)):
            yield match.start(1), text[match.start(1) : end.start()]


def _people(authors: str) -> tuple[str, ...]:
    """Surnames of the people that a work is named by; none if the words are no people."""
    several = re.search(_AL, authors)
    names = re.sub(rf"{_AL}|['’]s?\Z", "", authors)
    surnames = [re.sub(r"['’]s?\Z", "", name) for name in surnames_of(names)]
    if several is not None and " and " not in names and "&" not in names:
        # In `Hui, Ka-Hei, et al.` the forename follows; in `Variables, Kim et al.` a list goes on.
        surnames = surnames[:1] if several[0].startswith(",") else surnames[-1:]
    while surnames and surnames[0].lower().strip(".") in _NOBODY:
        del surnames[0]
    return tuple(surnames)


def _by_people(match: re.Match[str], offset: int, text: str, box: int) -> Iterator[_Naming]:
    """The works of people with one year or several."""
    surnames, name = _people(match["authors"]), ""
    if not surnames:
        return
    start, end = offset + match.start(), offset + match.end()
    method = _METHOD.search(text[max(0, start - 40) : start])
    if method is not None and text[start - 1] in "([" and _is_name(method[1]):
        name = method[1]
    alone = len(surnames) == 1 and " al" not in match["authors"].lower()
    if alone and _ODD.search(surnames[0]) and not _INNER.match(surnames[0]):
        name, surnames = surnames[0], ()
    years, at, last = list(_YEARS.finditer(match["years"])), offset + match.start("years"), ""
    for number, year in enumerate(years):
        last = year[1] or last
        said = replace(_NOTHING, surnames=surnames, name=name, year=int(last) if last else None)
        first = start if number == 0 else at + year.start()
        span = (start, end) if len(years) == 1 else (first, at + year.end())
        yield _Naming(box, *span, replace(said, letter=year[2] or year[3] or ""))


_NUMBERS = re.compile(
    r"(?<![$\\])\\?\[(?P<labels>(?:\d{1,3}|[A-Za-z]\d{0,2}|R\d+|[A-Z][A-Za-z]{1,9}\+?\d{2}(?:\d{2})?[a-z]?)"
    r"(?:\s*[-–,;]\s*(?:\d{1,3}|[a-z]\d{0,2}|R\d+)){0,12})\\?\](?!\()"
)
_BY_WORD = re.compile(r"\b[Rr]ef(?:erence)?s?\.?\s*#?(?P<labels>\d{1,3})\b(?!\s*(?:\.\d|[%\w]))")
_IN_PAPER = re.compile(
    r"\s*\(?(?:(?:in|of|from)\s+(?:the|your|this)\s+(?:paper|manuscript|submission|main|references)|"
    r"by the authors)"
)
_NO_NUMBER = re.compile(
    r"(?:\b(?:sections?|tables?|fig(?:ure)?s?\.?|eqs?\.?|equations?|lines?|pages?|steps?|appendix|"
    r"algorithm|theorem|weakness|question|point|comment|W|Q|[a-z])\s*|[=^_{]\s*)\Z",
    re.I,
)
_INTERVAL = re.compile(
    r"(?:\b(?:range|interval|between|scale|in|from|values?|to)|∈|\\in)\s*\Z", re.I
)
_LONGEST_RANGE = 12


def _by_number(
    text: str, box: int, lists: Sequence[Mapping[str, ReferenceEntry]]
) -> Iterator[_Naming]:
    """Numbers in brackets: of the review's own list, the nearest first, else of the paper's."""
    order = [lists[box], *lists[:box][::-1], *lists[box + 1 :]]
    for match in (*_NUMBERS.finditer(text), *_BY_WORD.finditer(text)):
        before = text[max(0, match.start() - 40) : match.start()]
        word = match.re is _BY_WORD or re.search(r"\b[Rr]ef(?:erence)?s?\.?\s*\Z", before)
        labels = _labels(match["labels"])
        no_number = _NO_NUMBER.search(before) and not word
        if labels[:1] == ["0"] or (labels[:1] == ["1"] and labels[1:] and _INTERVAL.search(before)):
            no_number = True
        method = re.search(r"([\w+-]+)\s?\Z", before)
        name = method[1] if method and len(labels) == 1 and _is_name(method[1]) else ""
        for label in labels:
            own = not _IN_PAPER.match(text, match.end())
            reference = next((one[label] for one in order if own and label in one), None)
            if reference is None and label.isdigit() and not no_number:
                reference = replace(_NOTHING, number=int(label))
            if reference is not None:
                named = replace(reference, name=reference.name or name)
                yield _Naming(box, *match.span(), named)


def _labels(labels: str) -> list[str]:
    """Each label of a list, ranges spelled out; a long range is none, but lines or an interval."""
    found: list[str] = []
    for part in re.split(r"\s*[,;]\s*", labels):
        first, *last = re.split(r"\s*[-–]\s*", part)
        if not last:
            found.append(first)
        elif first.isdigit() and last[-1].isdigit():
            numbers = range(int(first), int(last[-1]) + 1)
            found += map(str, numbers if len(numbers) <= _LONGEST_RANGE else ())
    return found


_TITLE = re.compile(r"[\"“*_]{1,3}(?P<title>[A-Z0-9][^\"“”*_\n]{14,200}?)[.,]?[\"”*_]{1,3}")
_LINKED = re.compile(rf"\[(?P<title>[^\[\]\n]{{15,200}})\]\((?={URL.pattern})")
_TITLED = re.compile(
    r"\b(?:papers?|works?|articles?|study|survey|book|thesis|reference|(?:en)?titled|called|cit(?:e|ing)|"
    r"see|by)\s*[:,(]?\s*\Z",
    re.I,
)
_DATED = re.compile(
    rf"\s*[(\[,]\s*(?:[\w’'.& -]{{2,40}},?\s+)?{YEAR}|\s*,?\s*(?:by|from)\s+{_SURNAME}"
)
_SHORT_WORD = 3


def _by_title(text: str, box: int) -> Iterator[_Naming]:
    """Titles in quotation marks or italics with a word for a work before, or a year after them."""
    for match in (*_LINKED.finditer(text), *_TITLE.finditer(text)):
        words = [word for word in match["title"].split() if len(word) > _SHORT_WORD]
        titled = ":" in match["title"] or 2 * sum(word[0].isupper() for word in words) > len(words)
        before = _TITLED.search(text[max(0, match.start() - 20) : match.start()])
        cited = match.re is _LINKED or before or _DATED.match(text, match.end())
        if len(match["title"].split()) >= _SHORTEST and titled and cited:
            yield _Naming(box, *match.span("title"), replace(_NOTHING, title=match["title"]))


_HOSTS = re.compile(
    r"openreview\.net/(?:forum|pdf)|aclanthology|n(?:eur)?ips\.cc|mlr\.press|thecvf|ieee|acm\.org|"
    r"springer|sciencedirect|nature\.com|science\.org|jmlr|aps\.org|eprints|biorxiv|medrxiv|"
    r"semanticscholar|hal\.|ssrn|pnas|aaai\.org|ijcai|ecva\.net|isca|wiley|oup\.com|mdpi|plos|"
    r"doi\.org|arxiv|\.pdf\Z",
    re.I,
)
"""Addresses of works; others are of programs, data and companies."""


def _by_address(text: str, box: int) -> Iterator[_Naming]:
    """Works by their address, their identifier at arXiv, or their DOI."""
    for match in URL.finditer(text):
        url = match[0].rstrip(".,;:*_")
        if _HOSTS.search(url):
            doi, arxiv = DOI.search(url), arxiv_in(url)
            said = replace(_NOTHING, arxiv=arxiv, url="" if arxiv or doi else url)
            if doi is not None and not arxiv:
                said = replace(said, doi=doi[1].lower())
            yield _Naming(box, match.start(), match.start() + len(url), said)
    for match in ARXIV.finditer(text):
        if arxiv := arxiv_in(match[0]):
            yield _Naming(box, *match.span(), replace(_NOTHING, arxiv=arxiv))
    for match in DOI.finditer(text):
        doi_of = match[1].rstrip(".").lower()
        yield _Naming(box, *match.span(), replace(_NOTHING, doi=doi_of))
