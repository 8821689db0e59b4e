"""Works that a review names: by authors and year, number, title, identifier or address."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rapidfuzz import fuzz

from reviewscore.papers.references import (
    CAPITAL,
    ET_AL,
    NOBODY,
    PEOPLE,
    PEOPLE_ET_AL,
    PUBLISHERS,
    SURNAME,
    URL,
    VENUE,
    YEAR,
    ReferenceEntry,
    begins_with_people,
    folded,
    identified_in,
    looks_like_authors,
    looks_like_title,
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
    texts = [_BLANKS.sub(_broken, text[:_LONGEST]) for text in review.fields.values()]
    mentioned = _mentioned("\n".join(texts))
    entries = [_own_entries(text, box, mentioned) for box, text in enumerate(texts)]
    lists = [{label: one.reference for label, one in held if label} for held in entries]
    names = {one.name for one in references if " " not in one.name}
    known = {name for name in names if _is_name(name)} - set(title.split(":")[:1])
    groups: list[tuple[ReferenceEntry, list[_Naming]]] = []
    found = [one for held in entries for _, one in held if one.reference is not _NOTHING]
    for box, text in enumerate(texts):
        namings = islice(_in_text(text, box, lists, known), _MOST)
        found += _apart(namings, [one for _, one in entries[box]], text)
    for naming in sorted(found, key=lambda one: (not one.entry, one.box, one.start)):
        if title and folded(naming.reference.title) == folded(title):
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
_ALIKE, _SHORTEST, _NEAR = 90, 3, 60
_BLANKS = re.compile(r"\s{20,}")
_LONGEST, _MOST = 100_000, 1_000
"""Characters of a field that are read, and namings in it that are looked at."""


def _broken(blanks: re.Match[str]) -> str:
    """A long run of blanks, as long as before, of which no pattern tries every part."""
    return f"{blanks[0][:9]}{chr(0) * (len(blanks[0]) - 18)}{blanks[0][-9:]}"


def _same(first: ReferenceEntry, second: ReferenceEntry) -> bool:
    """Whether two namings in one review mean one work."""
    for key in ("number", "arxiv", "doi", "url"):
        values = getattr(first, key), getattr(second, key)
        if all(values):
            return bool(values[0] == values[1])
    titles = folded(first.title), folded(second.title)
    if all(titles):
        return fuzz.ratio(*titles) >= _ALIKE
    if first.surnames and second.surnames:
        return _same_people(first, second)
    return len(first.name) >= _SHORTEST and first.name == second.name


def _same_people(first: ReferenceEntry, second: ReferenceEntry) -> bool:
    """Whether two namings by people mean one work, as far as both say who and when."""
    people, others = (
        [folded(name).split()[-1:] for name in one.surnames] for one in (first, second)
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
    """Namings that do not overlap, those that complete one another made one."""
    kept: list[_Naming] = []
    for naming in namings:
        over = [
            one for one in (*entries, *kept) if one.start < naming.end and naming.start < one.end
        ]
        same = over and (over[0].start, over[0].end) == (naming.start, naming.end)
        if not over or (same and not over[0].entry):
            kept.append(naming)
    joined: list[_Naming] = []
    for naming in sorted(kept, key=lambda one: one.start):
        if joined and _completes(joined[-1], naming, text):
            together = _together(joined[-1].reference, naming.reference)
            joined[-1] = replace(joined[-1], end=naming.end, reference=together)
        else:
            joined.append(naming)
    return joined


def _completes(first: _Naming, second: _Naming, text: str) -> bool:
    """Whether a naming just after another one says more of the same work."""
    one, other = first.reference, second.reference
    gap = text[first.end : second.start]
    if first.end > second.start or len(gap) > _NEAR or one.words or other.words:
        return False  # of the review's own list all is known
    if not (one.surnames or one.title or (one.name and gap == "](")) or any(
        getattr(one, key) and getattr(other, key) for key in ("surnames", "title", "number")
    ):
        return False
    if other.number is not None:
        single = text[second.start : second.end].strip("\\[]").isdigit()
        return single and _ASIDE.fullmatch(gap) is not None
    if other.name and not other.surnames:
        return False
    addressed = one.arxiv or one.doi or one.url
    return not addressed and gap.count("\n") <= 1 and _GAP.fullmatch(gap) is not None


_GAP = re.compile(
    rf"(?:[\s.,:()\[\]\"“”*_<>–-]|(?:by|from|in|at|see|preprint|link|url|{VENUE}|{YEAR})\b)*"
)
_ASIDE = re.compile(r"[ \"”*_’']*(?:\([^()]{1,15}\))? ?")
"""What may stand between two namings that are one; and between one and its number."""

_SIGN = (
    r"\d{1,3}\*?|[A-Za-z]\d{0,2}|R\d+|[Rr]ef\.? ?\d{1,2}|[A-Z][A-Za-z]{1,9}\+?\d{2}(?:\d{2})?[a-z]?"
)
_LABEL = rf"\\?\[\^?({_SIGN})\\?\]"
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
    r"(?![,;)]|(?!https?:)(?:also|ha[sd]|have|is|are|was|were|and|or|which|that|can|do|did|[a-z]+(?:s|ed))\b)"
)
_COUNT = re.compile(r"(?:(\d{1,2})[.)]|\((\d{1,2})\))[*_]{0,2}\s+|(?=\S)")
_SIGNS = re.compile(
    rf"\b{YEAR}[a-z]?\b|\bet\.? al|\bdoi\b|https?://|[\"“][^\"“”]{{15,}}[\"”]|\b(?:proceedings|"
    rf"proc\.|journal|transactions|conference|preprint|press|{VENUE})(?:\b|\d)",
    re.I,
)
_REMARK = re.compile(
    r"\?[\s*_]*\Z|\b(?:I(?!\.)|we|the authors?|this paper|the paper|this work|please|should|"
    r"could you|my|your|[Oo]urs)\b"
)
_ENDS = re.compile(rf"(?:{YEAR}[a-z]?|{URL.pattern})[\W_]*\Z")
_LONG = 60
"""Characters of a line that may be an entry although nothing announces it."""


def _mentioned(text: str) -> frozenset[str]:
    """Labels that a text has in brackets elsewhere than at the beginning of a line."""
    rest = re.sub(rf"^[ \t>*_•–-]*{_LABEL}", "", text, flags=re.M)
    return frozenset(one for match in _NUMBERS.finditer(rest) for one in _labels(match["labels"]))


def _own_entries(text: str, box: int, mentioned: Collection[str]) -> list[tuple[str, _Naming]]:
    """Entries of a list of references that a review has of its own, each with its label.

    Lines of another list, such as ``[1] On speed:``, are entries without a reference.
    """
    heading = _HEADING.search(text)
    after = len(text) if heading is None else heading.end()
    labelled: list[tuple[str, tuple[int, int], str]] = []
    entries: list[tuple[str, _Naming]] = []
    for line in _LINE.finditer(text):
        words, begin = line["words"], line.start("words")
        heads = list(_HEAD.finditer(words))
        if heads and heads[0].start() == 0:
            ends = [*(head.start() for head in heads[1:]), len(words)]
            for head, end in zip(heads, ends, strict=True):
                entry = words[head.end() : end].rstrip()
                edges = begin + head.start(), begin + head.end() + len(entry)
                labelled.append((head[head.lastindex or 1].lower(), edges, entry))
            continue
        count = _COUNT.match(words)
        number = (count[1] or count[2]) if count else None
        first = count.end() if count and number else 0
        entry = words[first:].rstrip()
        if _is_entry(entry, listed=begin >= after):
            label = number or (str(len(entries) + 1) if begin >= after else "")
            edges = begin + first, begin + first + len(entry)
            entries.append((label, _Naming(box, *edges, read_reference(entry), entry=True)))
    sure = [
        _is_entry(words, listed=True, mentioned=label in mentioned) for label, _, words in labelled
    ]
    for (label, edges, words), good in zip(labelled, sure, strict=True):
        listed = good or (2 * sum(sure) > len(sure) and not _is_remark(words))
        said = read_reference(words) if listed else _NOTHING
        entries.append((label if listed else "", _Naming(box, *edges, said, entry=True)))
    return entries


def _is_remark(words: str) -> bool:
    """Whether a line is a remark of the reviewer's own."""
    remark = words.endswith(":") or _REMARK.search(words) is not None
    return remark and not begins_with_people(words)


def _is_entry(words: str, *, listed: bool = True, mentioned: bool | None = None) -> bool:
    """Whether a line is an entry of a list of works; `mentioned` where it has a label."""
    people, title = begins_with_people(words), looks_like_title(words.rstrip("?"))
    signs = _SIGNS.search(words) is not None
    if _is_remark(words):
        return bool(mentioned and title)
    if mentioned is not None:
        return mentioned or title or people or signs
    if not signs or (len(words.split()) < _SHORTEST and not (listed and URL.match(words))):
        return False
    ended = _ENDS.search(words) is not None
    if not listed:
        return people and (ended or len(words) > _LONG)
    quoted = not words[0].islower() and ('"' in words or "“" in words)
    return people or ended or quoted or title or words.startswith("http")


_WHEN = rf"(?:[\w’']{{2,10}},?\s+)?(?:{YEAR}[a-z]?|['’](?:[0-2]\d|9\d)\b)"
_WHENS = rf"(?P<years>{_WHEN}(?:\s*[,;&/]\s*(?:{YEAR}[a-z]?|[a-z])\b){{0,3}})"
_PEOPLE_NAMED = re.compile(
    rf"(?P<authors>{PEOPLE_ET_AL}|{PEOPLE})(?:['’]s?)?(?:\s(?:work|paper|method))?"
    rf"(?:(?P<open>\s{{0,9}}[(\[]\s{{0,9}}){_WHENS}[^()\[\]\n]{{0,40}}[)\]]"
    rf"|(?:,?\s{{1,9}}(?:in\s)?|,|(?<=\.)){_WHENS.replace('years', 'after')}"
    rf"(?P<quoted>(?=[.,:]?\s*[\"“]{CAPITAL}))?)"
)
_UNDATED = re.compile(rf"(?P<authors>{PEOPLE_ET_AL})")
_IN_BRACKET = re.compile(
    r"[(\[](?:[^()\[\]\n]{0,300}(?:[;,&]|e\.g\.|i\.e\.|cf\.?|\b(?:see|and|also|by|of|in|from|to)))?\s*\Z",
    re.I,
)
_YEARS = re.compile(rf"(?:({YEAR}|['’]\d\d)([a-z]?)|(?<=[,;&/ ])([a-z]))(?=\s*(?:[,;&/]|\Z))")
_METHOD = re.compile(
    r"([\w+-]+)(?:\s?[(\[]\s?(?:[^()\[\];\d]{0,60},\s)?|\s(?:(?:paper|method|model|work)\s)?(?:by|of)\s)\Z"
)
_INNER = re.compile(r"(?:Mc|Mac|De|Di|La|Le|Van|Von|Du|O['’])[A-Z]")
_ODD = re.compile(r"\d|[a-z][A-Z]|\A[A-Z]{2,}\Z")
"""Signs that a word is the name of a method, a data set or a venue."""


def _is_name(name: str) -> bool:
    """Whether a word is the name of a method and hardly anything else."""
    plain = name.rstrip("0123456789-'’").lower() not in NOBODY
    return plain and len(re.findall(r"[A-Z\d]", name)) > 1 and re.search("[A-Z]", name) is not None


def _in_text(
    text: str, box: int, lists: Sequence[Mapping[str, ReferenceEntry]], known: Collection[str]
) -> Iterator[_Naming]:
    """All namings in running text, the surest first."""
    yield from _by_title(text, box)
    for pattern in (_PEOPLE_NAMED, _UNDATED):
        for match in pattern.finditer(text):
            yield from _by_people(match, text, box)
    yield from _by_number(text, box, lists)
    for start, end, said in identified_in(text):
        yield _Naming(box, start, end, said)
    for name in sorted(name for name in known if name in text):
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield _Naming(box, *match.span(), replace(_NOTHING, name=name))


def _people(authors: str) -> tuple[str, tuple[str, ...]]:
    """The words from the first person on, and the surnames; none if the words are no people."""
    while authors and authors.split(maxsplit=1)[0].lower().strip(".,") in NOBODY:
        authors = (authors.split(maxsplit=1)[1:] or [""])[0]
    if re.match(r"[A-Z\d]{2,}\w*, [^,]+,", authors) and not authors.isupper():
        return authors, ()  # `KNN, Margin, et al.`
    names = surnames_of(re.sub(rf"{ET_AL}|['’]s?\Z", "", authors))
    surnames = [re.sub(r"['’]s?\Z", "", name) for name in names]
    if re.search(rf",\s+{ET_AL}", authors) and not re.search(r" and |&", authors):
        surnames = surnames[:1]  # in `Hui, Ka-Hei, et al.` the forename follows
    if surnames and surnames[-1].lower() in NOBODY:
        return authors, ()
    return authors, tuple(surnames)


def _by_people(match: re.Match[str], text: str, box: int) -> Iterator[_Naming]:
    """The works of people with one year, with several, or with none."""
    (words, surnames), said = _people(match["authors"]), match.groupdict()
    start = match.end("authors") - len(words)
    alone = len(surnames) == 1 and re.search(ET_AL, words) is None
    dated = said.get("open") or said.get("quoted") is not None
    before = text[max(0, start - 300) : start]
    if not surnames or (alone and not dated and not _IN_BRACKET.search(before)):
        return
    method = _METHOD.search(before[-90:])
    name = method[1] if method is not None and _is_name(method[1]) else ""
    if alone and _ODD.search(surnames[0]) and not _INNER.match(surnames[0]):
        name, surnames = surnames[0], ()
    work = replace(_NOTHING, surnames=surnames, name=name)
    key = "years" if said.get("years") else "after"
    years, last = list(_YEARS.finditer(said.get(key) or "")), ""
    if not years:
        yield _Naming(box, start, match.end(), work)
    for number, year in enumerate(years):
        last, at = year[1] or last, match.start(key)
        if last.strip("'’") != last:
            last = f"{'19' if last[1] == '9' else '20'}{last[1:]}"
        first = start if number == 0 else at + year.start()
        end = match.end() if len(years) == 1 else at + year.end()
        when = replace(work, year=int(last) if last else None, letter=year[2] or year[3] or "")
        yield _Naming(box, first, end, when)


_NUMBERS = re.compile(
    rf"(?<![$\\])\\?\[\^?(?P<labels>(?:{_SIGN})"
    r"(?:\s*[-–,;]\s*(?:\d{1,3}\*?|[a-z]\d{0,2}|R\d+)){0,12})\\?\](?!\(http|\^)"
)
_BY_WORD = re.compile(r"\b[Rr]ef(?:\.|erence)?s?[ \t]*#?(?P<labels>\d{1,3})\b(?!\s*(?:\.\d|[%\w]))")
_IN_PAPER = re.compile(
    r"\s{0,9}\(?(?:(?:in|of|from)\s+(?:the|your|this)\s+(?:paper|manuscript|submission|main|references)|"
    r"by the authors)"
)
_NO_NUMBER = re.compile(
    r"(?:\b(?:(?i:sections?|tables?|fig(?:ure)?s?\.?|eqs?\.?|equations?|lines?|pages?|steps?|appendix)|"
    r"Algorithm|Theorem|Weakness|Question|Point|Comment)\s*|\b[A-Za-z]|[=^_{∈]\s*|\\in\s*)\Z"
)
_INTERVAL = re.compile(r"\b(?:range|interval|between|scale|values?)\s*\Z", re.I)
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
        line = text.rfind("\n", 0, match.start()) + 1
        in_formula = text.count("$", line, match.start()) % 2
        bounds = len(labels) == 2 and labels[0] == "1" and labels[1] not in ("2", "3")  # noqa: PLR2004
        if labels[:1] == ["0"] or ((bounds or in_formula) and not word) or _INTERVAL.search(before):
            continue
        no_number = _NO_NUMBER.search(before) and not word
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
    for part in re.split(r"\s*[,;]\s*", labels.lower()):
        first, *last = re.split(r"\s*[-–]\s*", part)
        if not last:
            found.append(first)
        elif first.isdigit() and last[-1].isdigit():
            numbers = range(int(first), int(last[-1]) + 1)
            found += map(str, numbers if len(numbers) <= _LONGEST_RANGE else ())
    return found


_TITLE = re.compile(r"[\"“*_]{1,3}(?P<title>[A-Z0-9][^\"“”*_\n]{9,200}?)[.,]?[\"”*_]{1,3}")
_LINKED = re.compile(rf"\[[*_]*(?P<title>[^\[\]\n]{{2,200}}?)[*_]*\]\((?={URL.pattern})")
_TITLED = re.compile(
    r"(?:\b(?:papers?|works?|articles?|study|survey|book|thesis|reference|(?:en)?titled|"
    rf"cit(?:e|ing)|see|by)\s*[:,(]?|{YEAR}[a-z]?\)?[.,:]?)\s*\Z",
    re.I,
)
_MAYBE = re.compile(
    r"\b(?:such as|like|similar to|compare[ds]? to|with|than|sion o[nf]|[Ee]\.g\.,?)\s*\Z"
)
_PAPERS_OWN = re.compile(r"titl|section|revis|renam|chang|figure|table|caption", re.I)
_DATED = re.compile(
    rf"\s*[(\[,]\s*(?:[\w’'.& -]{{2,40}},?\s+)?{YEAR}|\s*,?\s*(?:by|from)\s+{SURNAME}|\s*\[\d|"
    rf"\s+paper\b"
)
_ANCHOR = re.compile(
    rf"[(\[,.]\s*(?P<where>{VENUE})?[ \t,]{{0,40}}"
    rf"(?P<year>{YEAR}|(?<=[a-zA-Z ])[’']?\d\d)\b\s?[)\]]?|"
    rf"\(\s*(?P<people>(?:{PEOPLE_ET_AL}|{PEOPLE}),?\s+{_WHENS})"
)
_OPENER = re.compile(
    r"(?:\A|[,;]|\b(?:such as|e\.g\.,?|like|includ(?:es?|ing)|example,|see|and|with|to|"
    r"missing:?|references?:?))\s+|\A",
    re.I,
)
_SEPARATE = re.compile(
    r"(?:\A|\n)[\s>]*(?:[-*•–+]\s+|\d{1,2}[.)]\s+)?|[.?!;][ \t]+|[)\]][,;:]?[ \t]+|[\"“”\[]"
)
_NO_TITLE = re.compile(
    r"\b(?:is|are|was|were|have|has|methods?|comparisons?|baselines?|papers?|works?|results?|"
    r"conference|proceedings|journal|transactions|workshop|et al|information processing)\b",
    re.I,
)
_LONG_TITLE, _SHORT_YEAR, _BACK = 5, 2, 200


def _by_title(text: str, box: int) -> Iterator[_Naming]:
    """Titles in quotation marks, italics or links, or before a venue with its year."""
    for match in (*_LINKED.finditer(text), *_TITLE.finditer(text)):
        words, before = match["title"], text[max(0, match.start() - 60) : match.start()]
        linked = match.re is _LINKED and PUBLISHERS.search(text, match.end(), match.end() + 80)
        long = len(words.split()) > _LONG_TITLE and looks_like_title(words)
        after = text[match.end() : match.end() + 30]
        if _REMARK.search(words) or re.search(ET_AL, words) or not words[0].isupper():
            continue
        if linked and _is_name(words):
            yield _Naming(box, *match.span("title"), replace(_NOTHING, name=words))
        elif len(words.split()) >= _SHORTEST and (
            linked
            or re.search(rf"{ET_AL}[,:]?\s*\Z", before)
            or (_DATED.match(text, match.end()) and not _PAPERS_OWN.search(before))
            or (_TITLED.search(before) and (":" in words or looks_like_title(words)))
            or (
                long
                and match[0][0] in '"“'
                and _MAYBE.search(before)
                and not _PAPERS_OWN.search(before + after)
            )
        ):
            yield _Naming(box, *match.span("title"), replace(_NOTHING, title=words))
    for match in _ANCHOR.finditer(text):
        yield from _before_venue(match, text, box)


def _before_venue(match: re.Match[str], text: str, box: int) -> Iterator[_Naming]:
    """A title that stands before ``(ICML 2024)``, ``, ICML 2024`` or ``(Lee et al., 2024)``."""
    begin, whole = max(0, match.start() - _BACK), False
    for end in _SEPARATE.finditer(text, begin, match.start()):
        begin, whole = end.end(), end.start() == 0 or end[0][:1] in "\n)]"
    people, venue, year = match["people"], match["where"], (match["year"] or "").strip("'’")
    bare = text[match.start()] in ",." and not match[0].endswith("]")
    if not people and not venue and (bare or len(year) == _SHORT_YEAR):
        return
    segment = text[begin : match.start()]
    for opener in _OPENER.finditer(segment):
        title = segment[opener.end() :].strip(" ,*_")
        long = len(title.split()) >= _LONG_TITLE
        if not title or title[0].islower() or _NO_TITLE.search(title) or _REMARK.search(title):
            continue
        if looks_like_authors(title) and not (venue and long):
            continue
        titled = looks_like_title(title) and (not people or ":" in title or long)
        first = (whole and opener.end() == 0) or opener[0].endswith(("example, ", "as ", "g., "))
        if titled or (first and venue and long):
            start = segment.index(title, opener.end()) + begin
            when = None if people else int(year if len(year) > _SHORT_YEAR else f"20{year}")
            end_of = start + len(title) if people else match.end()
            yield _Naming(box, start, end_of, replace(_NOTHING, title=title, year=when))
            return
