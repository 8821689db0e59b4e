"""Works that a review names: by authors and year, number, title, identifier or address."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from reviewscore.papers.references import (
    ARXIV,
    DOI,
    URL,
    YEAR,
    Reference,
    arxiv_in,
    folded,
    read_reference,
    surnames_of,
)
from reviewscore.schema.cited_work import CitedWork
from reviewscore.schema.review import Review
from reviewscore.schema.span import Span


@dataclass(frozen=True, slots=True)
class _Naming:
    """One place that names a work, and what is said there of it."""

    box: int
    start: int
    end: int
    reference: Reference = field(default_factory=lambda: Reference(words=""))
    entry: bool = False


def cited_works(
    review: Review, *, references: Sequence[Reference] = (), title: str = ""
) -> tuple[CitedWork, ...]:
    """The works that a review names, in the order in which it first names them.

    Namings of one work are one: an entry of the review's own list and its ``[1]``, the same people
    and year, title, identifier or name of a method.

    Args:
        review: The review; its `late` remarks are read too.
        references: The paper's list, whose names of methods count as works, as in ``LoRA: ..``.
        title: The paper's title, which is none of them.
    """
    own = folded(title)
    namings: list[_Naming] = []
    lists: dict[int, dict[str, Reference]] = {}
    for box, text in enumerate(review.fields.values()):
        entries = list(_own_entries(text, box, "\n".join(review.fields.values())))
        lists[box] = {label: one.reference for label, one in entries if label}
        namings += [one for _, one in entries]
    known = {one.name for one in references if _is_name(one.name)} - set(title.split(":")[:1])
    for box, text in enumerate(review.fields.values()):
        taken = [(one.start, one.end) for one in namings if one.box == box and one.entry]
        for naming in _in_text(text, box, lists, known):
            if not any(start < naming.end and naming.start < end for start, end in taken):
                namings.append(naming)
                taken.append((naming.start, naming.end))
    groups: list[tuple[Reference, list[_Naming]]] = []
    for naming in sorted(namings, key=lambda one: (not one.entry, one.box, one.start)):
        if own and folded(naming.reference.title) == own:
            continue
        place = next((n for n, (one, _) in enumerate(groups) if _same(one, naming.reference)), None)
        if place is None:
            groups.append((naming.reference, [naming]))
        else:
            one, held = groups[place]
            groups[place] = _together(one, naming.reference), [*held, naming]
    works = [_work(review, reference, held) for reference, held in groups]
    names = list(review.fields)
    return tuple(
        sorted(
            works, key=lambda work: (names.index(work.mentions[0].field), work.mentions[0].start)
        )
    )


def _work(review: Review, reference: Reference, namings: Sequence[_Naming]) -> CitedWork:
    names = list(review.fields)
    spans = [
        Span(field=names[one.box], start=one.start, end=one.end)
        for one in sorted(namings, key=lambda one: (one.box, one.start))
    ]
    return CitedWork(
        words=review.fields[spans[0].field][spans[0].start : spans[0].end],
        mentions=tuple(spans), authors=reference.surnames, year=reference.year,
        letter=reference.letter, title=reference.title, name=reference.name,
        arxiv=reference.arxiv, doi=reference.doi, url=reference.url, number=reference.number,
    )  # fmt: skip


_ALIKE = 90


def _same(first: Reference, second: Reference) -> bool:
    """Whether two namings in one review mean one work."""
    for key in ("number", "arxiv", "doi", "url"):
        values = getattr(first, key), getattr(second, key)
        if all(values):
            return bool(values[0] == values[1])
    titles = folded(first.title), folded(second.title)
    if all(titles):
        return (
            fuzz.ratio(*titles) >= _ALIKE
            or min(titles, key=len) in max(titles, key=len)[: len(min(titles)) + 9]
        )
    if first.surnames and second.surnames:
        people = [[folded(name).split()[-1:] for name in one.surnames] for one in (first, second)]
        if people[0][0] != people[1][0] or (
            first.letter and second.letter and first.letter != second.letter
        ):
            return False
        if first.year and second.year:
            return first.year == second.year and (
                len(people[1]) == 1 or all(name in people[0] for name in people[1])
            )
        return not first.title or not second.title
    return bool(first.name) and first.name == second.name


def _together(first: Reference, second: Reference) -> Reference:
    """What two namings of one work say of it."""
    given = {
        key: getattr(second, key)
        for key in ("number", "surnames", "year", "letter", "title", "name", "arxiv", "doi", "url")
        if not getattr(first, key)
    }
    return replace(first, **given)


_HEADING = re.compile(
    r"^[\W_]*(?:(?:key|additional|relevant|suggested|missing)\s+)?(?:references?|refs?|bibliography|citations?)[\W_]*$",
    re.I | re.M,
)
_LABEL = r"\\?\[(\d{1,3}|[A-Za-z]\d{0,2}|R\d+)\\?\]"
_LINE = re.compile(
    r"^[ \t>]*(?:[-*•–][ \t]+)?[*_]{0,2}(?:(?:references?|refs?)\W{1,5})?(?=\S)(?P<words>[^\n]+)",
    re.M | re.I,
)
_HEAD = re.compile(rf"(?:^|(?<=[.\d)”\"] )){_LABEL}[*_:.]{{0,3}}\s*[-–:]?\s*(?=\S)")
_COUNT = re.compile(r"(?:\d{1,2}[.)]|\(\d{1,2}\))[*_]{0,2}\s+")
_SIGNS = re.compile(
    rf"\b{YEAR}[a-z]?\b|\bet\.? al|arxiv|\bdoi\b|https?://|[\"“][^\"”]{{15,}}[\"”]|\b(?:proceedings|proc\.|journal|neurips|nips|icml|iclr|"
    r"cvpr|iccv|eccv|acl|emnlp|naacl|aaai|ieee|transactions|conference|preprint|press)\b",
    re.I,
)
_PEOPLE = re.compile(
    r"(?:[A-Z][\w’'-]+, (?:[A-Z]\.? ?-?){1,3}(?:[,;.&(]| and)|[A-Z][\w’'-]+ [A-Z]{1,3}(?:,|\. )|"
    r"(?:[A-Z]\. ?){1,3}[A-Z][\w’'-]+(?:,| and)|(?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+, (?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+(?:,| and)|"
    r"[A-Z][\w’'-]+,? et\.? al)"
)
_OPINION = re.compile(
    r"\b(?:I|we|the authors?|this paper|the paper|please|should|could you|my|your)\b"
)
_SHORTEST = 3


def _own_entries(text: str, box: int, whole: str) -> Iterator[tuple[str, _Naming]]:
    """Entries of a list of references that a review has of its own, each with its label."""
    heading = _HEADING.search(text)
    after = len(text) if heading is None else heading.end()
    for line in _LINE.finditer(text):
        words, begin = line["words"], line.start("words")
        heads = list(_HEAD.finditer(words))
        if not heads or heads[0].start():
            count = _COUNT.match(words)
            pieces = [("", 0 if count is None else count.end(), len(words))]
        else:
            ends = [head.start() for head in heads[1:]] + [len(words)]
            pieces = [(head[1], head.end(), end) for head, end in zip(heads, ends, strict=True)]
        for label, first, last in pieces:
            entry = words[first:last].rstrip()
            if _is_entry(entry, label, whole, listed=begin >= after):
                start = begin + first
                yield (
                    label,
                    _Naming(box, start, start + len(entry), read_reference(entry), entry=True),
                )


def _is_entry(words: str, label: str, whole: str, *, listed: bool) -> bool:
    """Whether a line is an entry of a list, and not a remark of the reviewer's own."""
    long = len(words.split()) >= _SHORTEST or URL.match(words) is not None
    if not long or words.rstrip(" *").endswith("?") or (words.startswith(("http",)) and not label):
        return False
    signs = _SIGNS.search(words) is not None
    if label:
        return (
            signs and not (_OPINION.search(words) and not _PEOPLE.match(words.lstrip("*_ ")))
        ) or (whole.count(f"[{label}]") > 1 and not _OPINION.search(words))
    return (
        signs
        and (listed or _PEOPLE.match(words) is not None)
        and not _OPINION.search(words)
        and (
            listed or len(words) > 60  # noqa: PLR2004 - shorter ones are sentences
        )
    )


_CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
_SURNAME = rf"(?:(?:[Vv]an|[Vv]on|[Dd]e|[Dd]er|[Dd]en|[Dd]el|[Dd]ella|[Dd]i|[Dd]a|[Dd]os|[Dd]u|[Ll]a|[Ll]e|[Ee]l|[Aa]l|[Tt]en|[Tt]er|bin)[ -]){{0,3}}{_CAPITAL}[\w’'-]*\w"
_AND = r"(?:\s*,?\s+(?:and|&)\s+|\s*&\s*|,\s+)"
_AL = r",?\s+et\.?\s?al\b\.?"
_AUTHORS = rf"{_SURNAME}(?:{_AND}{_SURNAME}){{0,6}}(?:{_AL})?"
_WHEN = rf"(?:[\w’']{{2,10}},?\s+)?{YEAR}[a-z]?"
_WHENS = rf"(?P<years>{_WHEN}(?:\s*[,;&/]\s*(?:{YEAR})?[a-z]?\b(?!\s*[A-Z])){{0,3}})"
_NARRATIVE = re.compile(
    rf"(?P<authors>{_AUTHORS})(?:['’]s?)?(?:\s+(?:work|paper|method))?\s*[(\[]\s*{_WHENS}\s*[^()\[\]]{{0,30}}[)\]]"
)
_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{4,400})[)\]]")
_INSIDE = re.compile(rf"(?P<authors>{_AUTHORS}),?\s+{_WHENS}")
_LOOSE = re.compile(
    rf"(?P<authors>{_SURNAME}(?:(?:{_AND}{_SURNAME}){{0,5}}{_AL}|\s+(?:and|&)\s+{_SURNAME})),?\s+(?:in\s+)?{_WHENS}"
)
_UNDATED = re.compile(rf"(?P<authors>{_SURNAME}(?:{_AND}{_SURNAME}){{0,5}}{_AL})")
_NUMBERS = re.compile(
    r"(?<![\w$\]\\]\b)(?<!\w\()(?P<lead>\w*)\\?\[(?P<labels>(?:\d{1,3}|[A-Za-z]\d{0,2}|R\d+)(?:\s*[-–,;]\s*(?:\d{1,3}|[a-z]\d{0,2}|R\d+)){0,12})\\?\](?!\()"
)
_BY_WORD = re.compile(r"\b[Rr]ef(?:erence)?s?\.?\s*#?(?P<labels>\d{1,3})\b(?!\s*(?:\.\d|[%\w]))")
_IN_PAPER = re.compile(
    r"\s*(?:\(?(?:in|of|from)\s+(?:the|your|this)\s+(?:paper|manuscript|submission|main text|references)|by the authors)"
)
_NO_NUMBER = re.compile(
    r"(?:\b(?:sections?|tables?|fig(?:ure)?s?\.?|eqs?\.?|equations?|lines?|pages?|steps?|appendix|algorithm|theorem|range|interval|between|scale|in|from|values?|∈|\\in|weakness|question|point|comment|W|Q)\s*|[=^_{,]\s*)\Z",
    re.I,
)
_TITLE = re.compile(r"[\"“*_]{1,3}(?P<title>[A-Z0-9][^\"“”*_\n]{14,200}?)[.,]?[\"”*_]{1,3}")
_TITLED = re.compile(
    r"(?:\b(?:paper|papers|work|works|article|study|survey|book|thesis|reference|titled|entitled|called|cite|citing|see|by)\s*[:,(]?\s*)\Z",
    re.I,
)
_DATED = re.compile(
    rf"\s*[(\[,]\s*(?:[\w’'.& -]{{2,40}},?\s+)?{YEAR}|\s*,?\s*(?:by|from)\s+{_SURNAME}"
)
_HOSTS = re.compile(
    r"openreview\.net/(?:forum|pdf)|aclanthology|nips\.cc|neurips\.cc|mlr\.press|thecvf|ieee|acm\.org|springer|sciencedirect|nature\.com|science\.org|jmlr|aps\.org|eprints|biorxiv|medrxiv|semanticscholar|hal\.|ssrn|pnas|aaai\.org|ijcai|ecva\.net|isca|wiley|oup\.com|mdpi|plos|doi\.org|arxiv|\.pdf\Z",
    re.I,
)
_NOBODY = frozenset(
    ["table", "tables", "figure", "figures", "section", "sections", "equation", "eq", "eqs", "fig", "theorem", "lemma", "appendix", "algorithm", "line", "lines", "page", "step", "corollary", "proposition", "definition", "neurips", "nips", "icml", "iclr", "cvpr", "iccv", "eccv", "acl", "emnlp", "naacl", "aaai", "ijcai", "kdd", "interspeech", "icassp", "aistats", "colt", "uai", "wacv", "corl", "icra", "iros", "jmlr", "tmlr", "tacl", "siggraph", "miccai", "sigir", "www", "usenix", "osdi", "mlsys", "arxiv", "corr", "ieee", "imagenet", "coco", "voc", "pascal", "cifar", "mnist", "python", "pytorch", "tensorflow", "cuda", "wmt", "semeval", "glue", "squad", "kitti", "ljspeech", "wikipedia", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "spring", "summer", "fall", "autumn", "winter", "the", "this", "these", "that", "in", "on", "at", "as", "since", "after", "before", "until", "from", "by", "for", "with", "and", "but", "also", "see", "e.g", "i.e", "however", "although", "while", "when", "where", "recent", "early", "late", "year", "years", "version", "rebuttal", "review", "reviewer"]
)  # fmt: skip
"""Words that stand before a year and are no people."""
_INNER = re.compile(r"(?:Mc|Mac|De|Di|La|Le|Van|Von|Du|O['’])[A-Z]")


def _in_text(
    text: str, box: int, lists: Mapping[int, Mapping[str, Reference]], known: Collection[str]
) -> Iterator[_Naming]:
    """All namings in running text; of those that overlap, the earlier one counts."""
    yield from _by_people(text, box)
    yield from _by_number(text, box, lists)
    yield from _by_address(text, box)
    for match in _TITLE.finditer(text):
        words = match["title"].split()
        capitals = sum(word[0].isupper() for word in words if len(word) > 3)  # noqa: PLR2004
        titled = ":" in match["title"] or 2 * capitals > sum(len(word) > 3 for word in words)  # noqa: PLR2004
        before = _TITLED.search(text[: match.start()][-20:])
        if len(words) >= _SHORTEST and titled and (before or _DATED.match(text, match.end())):
            yield _Naming(
                box,
                match.start("title"),
                match.end("title"),
                Reference(words="", title=match["title"]),
            )
    for name in sorted(known):
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            yield _Naming(box, *match.span(), Reference(words="", name=name))


def _is_name(name: str) -> bool:
    """Whether a word is the name of a method and hardly anything else."""
    return len(re.findall(r"[A-Z\d]", name)) > 1 and " " not in name


def _by_people(text: str, box: int) -> Iterator[_Naming]:
    for match in _NARRATIVE.finditer(text):
        yield from _dated(match, 0, text, box)
    for bracket in _BRACKET.finditer(text):
        for match in _INSIDE.finditer(bracket[1]):
            yield from _dated(match, bracket.start(1), text, box)
    for match in _LOOSE.finditer(text):
        yield from _dated(match, 0, text, box)
    for match in _UNDATED.finditer(text):
        surnames = tuple(surnames_of(re.sub(_AL, "", match["authors"])))
        if surnames and surnames[0].lower() not in _NOBODY:
            yield _Naming(box, *match.span(), Reference(words="", surnames=surnames))


def _dated(match: re.Match[str], offset: int, text: str, box: int) -> Iterator[_Naming]:
    """The works of people with one year or several."""
    authors = re.sub(rf"{_AL}|['’]s?\Z", "", match["authors"])
    surnames = tuple(re.sub(r"['’]s?\Z", "", name) for name in surnames_of(authors))
    start, end = offset + match.start(), offset + match.end()
    method = re.search(r"([\w+-]+)\s*\(?\s*\Z", text[max(0, start - 40) : start])
    name = (
        method[1]
        if method is not None and text[start - 1 : start] in "([" and _is_name(method[1])
        else ""
    )
    while surnames and surnames[0].lower().strip(".") in _NOBODY:
        surnames = surnames[1:]
    if not surnames:
        return
    alone = len(surnames) == 1 and " al" not in match["authors"]
    odd = re.search(r"\d|[a-z][A-Z]|\A[A-Z]{2,}\Z", surnames[0])
    if alone and odd and not _INNER.match(surnames[0]):
        name, surnames = surnames[0], ()
    last = ""
    for year in re.finditer(rf"({YEAR})?([a-z]?)(?=\s*(?:[,;&/]|\Z))", match["years"]):
        if not (year[1] or (year[2] and last)):
            continue
        last = year[1] or last
        if year.start():
            start, end = (offset + match.start("years") + at for at in year.span())
        reference = Reference(
            words="", surnames=surnames, year=int(last), letter=year[2], name=name
        )
        yield _Naming(box, start, end, reference)


def _by_number(
    text: str, box: int, lists: Mapping[int, Mapping[str, Reference]]
) -> Iterator[_Naming]:
    """Numbers in brackets: of the review's own list, nearest first, else of the paper's."""
    order = [box, *range(box - 1, -1, -1), *range(box + 1, len(lists))]
    for match in (*_NUMBERS.finditer(text), *_BY_WORD.finditer(text)):
        labels = match["labels"]
        paper = _IN_PAPER.match(text, match.end()) is not None
        by_word = match.re is _BY_WORD or re.search(
            r"\b[Rr]ef(?:erence)?s?\.?\s*\Z", text[max(0, match.start() - 12) : match.start()]
        )
        excluded = _NO_NUMBER.search(text[max(0, match.start() - 20) : match.start()])
        named = re.search(
            r"([\w+-]+)\s?\Z",
            text[max(0, match.start() - 30) : match.start("labels") - 1].rstrip("\\["),
        )
        for label in _labels(labels):
            held = (lists[place].get(label) for place in order) if not paper else iter(())
            reference = next((one for one in held if one is not None), None)
            if reference is None and (
                not label.isdigit() or label == "0" or (excluded and not by_word)
            ):
                continue
            name = named[1] if named and _is_name(named[1]) and labels == label else ""
            made = reference or Reference(words="", number=int(label))
            yield _Naming(
                box,
                match.start("labels"),
                match.end("labels"),
                replace(made, name=made.name or name),
            )


def _labels(labels: str) -> list[str]:
    """Each label of a list, ranges spelled out."""
    found: list[str] = []
    for part in re.split(r"\s*[,;]\s*", labels):
        first, *last = re.split(r"\s*[-–]\s*", part)
        if (
            last
            and first.isdigit()
            and last[-1].isdigit()
            and 0 < int(last[-1]) - int(first) <= _LONGEST_RANGE
        ):
            found += map(str, range(int(first), int(last[-1]) + 1))
        else:
            found += [first, *last]
    return found


_LONGEST_RANGE = 12


def _by_address(text: str, box: int) -> Iterator[_Naming]:
    for match in URL.finditer(text):
        url = match[0].rstrip(".,;:*_")
        if _HOSTS.search(url):
            doi = DOI.search(url)
            arxiv = arxiv_in(url)
            reference = Reference(
                words="", arxiv=arxiv, doi=doi[1].lower() if doi and not arxiv else "",
                url="" if arxiv or doi else url,
            )  # fmt: skip
            yield _Naming(box, match.start(), match.start() + len(url), reference)
    for pattern, key in ((ARXIV, "arxiv"), (DOI, "doi")):
        for match in pattern.finditer(text):
            value = arxiv_in(match[0]) if key == "arxiv" else match[1].rstrip(".").lower()
            if value:
                yield _Naming(box, *match.span(), replace(Reference(words=""), **{key: value}))
