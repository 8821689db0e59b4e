"""A paper's list of references: its entries, and which of them is meant by a cited work."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rapidfuzz import fuzz

from reviewscore.schema.cited_work import CitedWork, ListedWork, Listing
from reviewscore.schema.paper import Paper, Zone
from reviewscore.schema.place import Target


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """An entry of a list of references.

    Attributes:
        words: The entry on one line, without its number.
        start: Offset of its first character in the text that it was read from.
        end: Offset just after its last one.
        number: Its number, where the list is numbered.
        surnames: Surnames of its authors, the first author first; with forenames among them where
            the layout does not tell the two apart.
        year: Year of publication.
        letter: Letter after the year.
        title: Its title, as far as the layout shows it.
        name: What stands before the colon of its title, if that is one or two words.
        arxiv: Identifier at arXiv, without a version.
        doi: Digital object identifier, in lower case.
        url: The first address in it.
    """

    words: str
    start: int = 0
    end: int = 0
    number: int | None = None
    surnames: tuple[str, ...] = ()
    year: int | None = None
    letter: str = ""
    title: str = ""
    name: str = ""
    arxiv: str = ""
    doi: str = ""
    url: str = ""


CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-Ž]"
ARXIV = re.compile(
    r"(?:arxiv(?:\.org)?\s?(?:/\s?(?:abs|pdf|html)/|:|\s)\s?(?:arxiv[.:]\s?)?"
    r"|10\.48550/arxiv\.|\babs/|(?<![\w./-]))((?:\d{2}(?:0[1-9]|1[0-2]))\.\s?\d{4,5})(?:v\d+)?(?![\d/])",
    re.I,
)
"""An identifier at arXiv, with or without what says so; without, it has five digits in its end."""
DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>,;?\])}]+)", re.I)
URL = re.compile(r"https?://[^\s<>\"'\])}]+")
_PARTICLES = (
    "[Vv]an|[Vv]on|[Dd]e[rnl]?|[Dd]ella|[Dd][aiu]|[Dd]os|[LlDd]a|[Ll]e|[EeAa]l|[Tt]e[nr]|bin"
)
SURNAME = rf"(?<![\w’'-])(?:(?:{_PARTICLES})[ -]){{0,3}}{CAPITAL}[\w’'-]{{0,30}}\w"
_AND_MORE = r"(?:\s*,?\s+(?:and|&)\s+|\s*&\s*|,\s+)"
_GIVEN = rf"(?:(?<![\w’'-])(?:{CAPITAL}\.-?\s?|{CAPITAL}[a-zß-ÿ’'-]*\s)){{0,3}}"
_SOMEBODY = rf"{_GIVEN}{SURNAME}"
ET_AL = r"[Ee]t\.?[\s-]?[Aa]l\b\.?"
PEOPLE_ET_AL = (
    rf"(?:{_SOMEBODY}(?:,\s+{_SOMEBODY}){{0,5}},\s*{ET_AL}|"
    rf"{_SOMEBODY}(?:\s+(?:and|&)\s+{_SOMEBODY})?\s+{ET_AL})"
)
PEOPLE = rf"{_SOMEBODY}(?:{_AND_MORE}{_SOMEBODY}){{0,6}}"
"""Patterns of people in running text."""
YEAR = r"(?:19[3-9]\d|20[0-4]\d)"
VENUES = """
    neurips nips icml iclr cvpr iccv eccv acl emnlp naacl eacl aaai ijcai kdd interspeech icassp
    aistats colt uai wacv bmvc corl icra iros rss jmlr tmlr tacl tpami ijcv siggraph miccai sigir
    wsdm www usenix osdi mlsys arxiv corr ieee stoc focs soda coling acm
    """.split()  # noqa: SIM905 - a list of so many words is not easier to read
VENUE = rf"(?i:{'|'.join(VENUES)}|neural information processing systems)"
NOBODY = frozenset(
    """
    table tables figure figures section sections equation eq eqs fig theorem lemma appendix line
    algorithm lines page step corollary proposition definition imagenet coco voc pascal cifar
    mnist python pytorch tensorflow cuda wmt semeval glue squad kitti ljspeech wikipedia january
    february march april may june july august september october november december spring summer
    fall autumn winter the this these that in on at as since after before until from by for with
    and but also see e.g i.e however although while when where recent early late year years
    version rebuttal review reviewer is are does did both like unlike following similarly why
    how
    """.split()  # noqa: SIM905
) | frozenset(VENUES)
"""Words that stand before a year and are no people."""
_YEAR = re.compile(rf"(?<![\d.:/–-])(\(?)(?<!\d)({YEAR})([a-z]?)(?![\d/]|[–-]\d|\.\d)")
_QUOTED = re.compile(
    r"[\"“”„](?P<double>[^\"“”]{6,300}?)[,.]?[\"“”]|(?<!\w)[‘'`*_]{1,2}(?P<single>\w.{8,250}?)[,.]?"
    r"(?<![\s(])['’*_]{1,2}(?![\w])"
)
_INITIALS = re.compile(rf"(?:{CAPITAL}{{1,3}}|{CAPITAL}[.’'-]+(?:-?{CAPITAL}\.?)*)\Z")
_AUTHORS_END = re.compile(
    rf"(?<![\s.(]{CAPITAL})(?<!\bet al)(?<!\bJr)(?<!\bSt)(?<!^{CAPITAL})\.(?:\s+|\Z)"
    r"|\b[Ee]t\.? [Aa]l\.?[,:.]*\s+"
)
_SURNAME_FIRST = re.compile(rf"(?:[a-z]{{2,3}}\s)?{CAPITAL}[\w’' -]+,\s{CAPITAL}\s?\.")
_AFTER_INITIAL = re.compile(
    rf"(?<=[\s.-]{CAPITAL})\s?\.\s+(?!{CAPITAL}\s?\.|and\b|&|\(|et\b)|\b[Ee]t\.? [Aa]l\.?[,:.]*\s+"
)
_BARE_INITIALS = re.compile(
    rf"{CAPITAL}[\w’'-]+ {CAPITAL}{{1,3}}(?:, {CAPITAL}[\w’' -]+ {CAPITAL}{{1,3}})*(?:\.|, et al)"
)
_FULL_STOP = re.compile(r"\.\s+")
"""Where authors end whose initials follow their surnames."""
_BETWEEN = re.compile(r"\s*(?:[,;&]|\b(?:and|[Ee]t\.? [Aa]l|und)\b)\.?\s*")
_NAMED = re.compile(
    rf"(?:\A|[.,)\]]\s+|[\"“'‘*]\s?)({CAPITAL}[\w+.*-]{{1,24}}(?:[- ][\w+.-]{{1,15}})?):\s+\w"
)
_NO_NAMES = frozenset(
    ("in", "url", "doi", "arxiv", "available", "vol", "isbn", "accessed", "source")
)


def folded(text: str) -> str:
    """A text in lower case without accents and marks, its words parted by single blanks."""
    plain = unicodedata.normalize("NFKD", text.replace("ł", "l").replace("ø", "o"))
    return " ".join(re.findall(r"[^\W_]+", "".join(
        sign for sign in plain if not unicodedata.combining(sign)
    ).casefold()))  # fmt: skip


def arxiv_in(text: str) -> str:
    """The first identifier at arXiv in a text; empty if there is none."""
    for match in ARXIV.finditer(text):
        identifier = re.sub(r"\s", "", match[1])
        if len(identifier) == 10 or "arxiv" in match[0].lower():  # noqa: PLR2004 - NNNN.NNNNN
            return identifier
    return ""


PUBLISHERS = re.compile(
    r"openreview\.net/(?:forum|pdf)|aclanthology|n(?:eur)?ips\.cc|mlr\.press|thecvf|ieee|acm\.org|"
    r"springer|sciencedirect|nature\.com|science\.org|jmlr|aps\.org|eprints|biorxiv|medrxiv|"
    r"semanticscholar|hal\.|ssrn|pnas|aaai\.org|ijcai|ecva\.net|isca|wiley|oup\.com|mdpi|plos|"
    r"doi\.org|arxiv|\.pdf\Z",
    re.I,
)
"""Addresses of works; others are of programs, data and companies."""


def identified_in(text: str) -> Iterator[tuple[int, int, ReferenceEntry]]:
    """Start, end and identifier of each work that a text names by address, at arXiv or by DOI."""
    for match in chain(URL.finditer(text), ARXIV.finditer(text), DOI.finditer(text)):
        words = match[0].rstrip(".,;:*_?")
        arxiv, doi = arxiv_in(words), DOI.search(words)
        url = words if match.re is URL and PUBLISHERS.search(words) else ""
        if url or (match.re is not URL and (arxiv or doi)):
            yield match.start(), match.start() + len(words), ReferenceEntry(
                words="", arxiv=arxiv, url="" if arxiv or doi else url,
                doi=doi[1].lower() if doi and not arxiv else "",
            )  # fmt: skip


def read_reference(
    words: str, *, number: int | None = None, at: tuple[int, int] = (0, 0)
) -> ReferenceEntry:
    """What an entry of any layout says.

    Args:
        words: The entry, without its number.
        number: Its number.
        at: Where it stands.
    """
    words = " ".join(words[:_LONGEST].split())
    doi, url = DOI.search(words), URL.search(words)
    bare = words.replace("&amp;", "&")
    for pattern in (URL, DOI, ARXIV, _OMITTED):
        bare = pattern.sub(" ", bare)
    years = list(_YEAR.finditer(bare))
    dated = (match for match in years if match[1] or _ALONE.match(bare, match.start() - 2))
    year = next(dated, years[-1] if years else None)
    authors, title = _parts(bare, year)
    named = _NAMED.search(f"{title}" if title else bare)
    name = "" if named is None or named[1].lower().split()[0] in _NO_NAMES else named[1]
    return ReferenceEntry(
        words=words, start=at[0], end=at[1], number=number,
        surnames=tuple(surnames_of(authors)),
        year=None if year is None else int(year[2]),
        letter="" if year is None else year[3],
        title=title, name=name, arxiv=arxiv_in(words),
        doi="" if doi is None else doi[1].rstrip(".").lower(),
        url="" if url is None else url[0].rstrip(".,"),
    )  # fmt: skip


_OMITTED = re.compile(r"(?:\. ?){3}|…|(?<=\.)\.(?= \()")
_ALONE = re.compile(r"[.,] \d{4}[a-z]?\. ")
"""A year between the authors and the title."""


def _parts(entry: str, year: re.Match[str] | None) -> tuple[str, str]:
    """The authors and the title of an entry without its identifiers, as far as they show."""
    quoted = _QUOTED.search(entry)
    before = "" if quoted is None else entry[: quoted.start()]
    if quoted is not None and quoted[0][0] in "*_" and before.strip(" .,:*_"):
        quoted = quoted if looks_like_authors(before) else None  # else a journal
    if quoted is not None and len((quoted["double"] or quoted["single"]).split()) > 1:
        authors = before if before.strip(" ,.*_") else entry[quoted.end() :]
        return authors, (quoted["double"] or quoted["single"]).strip(" *_,.")
    after = None if year is None else _AFTER_AUTHORS.match(entry, year.end())
    if year is not None and after is not None:
        rest = entry[after.end() :].lstrip(" ).,:;]")
        if len(rest.split()) > 2 and looks_like_authors(entry[: year.start()]):  # noqa: PLR2004
            return entry[: year.start()].rstrip(" (,"), _sentence(rest)
    last = _AFTER_INITIAL if _SURNAME_FIRST.match(entry) else _AUTHORS_END
    last = _FULL_STOP if _BARE_INITIALS.match(entry) else last
    end = last.search(entry)
    first = entry if end is None else entry[: end.start()]
    rest = "" if end is None else entry[end.end() :]
    listed = len(rest.split()) > 1 and not _SURNAME_FIRST.match(rest)
    if end is not None and listed and looks_like_authors(first):
        return first, _sentence(entry[end.end() :])
    return _title_first(entry)


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:\s\d{1,2})?"
_AFTER_AUTHORS = re.compile(rf"(?:,?\s*{_MONTH})?[).,:;\]]+(?:\s*{_MONTH}[).,])?", re.I)
_TITLE_END = re.compile(
    r"[.?!](?:\s|\Z)|,\s+(?=(?:in\s+)?(?:proc|arxiv|neurips|nips|icml|iclr|cvpr|acl|emnlp|aaai|eccv|iccv|corr|\(?(?:19|20)\d\d)\b)",
    re.I,
)
_NAME = rf"{CAPITAL}[\w.’'-]*+"
_PERSON = re.compile(
    rf"(?:[a-z’'-]{{1,4}}\s+){{0,2}}{_NAME}(?:\s++{_NAME}){{0,3}}+"
    rf"(?:\s++(?:[a-z]{{2,3}}\s++){{0,2}}{CAPITAL}[\w’'-]+)?\s*\Z"
)
"""It matches a name in one way alone, so that what is no name is seen at once."""
_WORDS_OF_NAME = 5


_NO_TITLE = re.compile(
    r"(?:also|ha[sd]|have|is|are|was|were|who|which|that|propose|show|use|study|[a-z]+s)\b"
)


def _sentence(text: str) -> str:
    """A title from its first word on; empty where a sentence goes on instead."""
    text = text.lstrip(" \"“'.,:*_")
    if _NO_TITLE.match(text):
        return ""
    end = _TITLE_END.search(text, 4)
    return (text if end is None else text[: end.start()]).strip(" \"”',*_.")[:300]


def looks_like_authors(text: str) -> bool:
    """Whether a text is names of people and nothing else."""
    chunks = [chunk for chunk in _BETWEEN.split(text.strip(" .,:;*_-")) if chunk]
    return (
        bool(chunks)
        and all(
            len(chunk.split()) <= _WORDS_OF_NAME
            and _PERSON.match(chunk.strip())
            and not re.search(r"[a-z]{4}\.\s", chunk)
            for chunk in chunks
        )
        and (len(chunks) > 1 or "et al" in text or len(text.split()) < _WORDS_OF_NAME)
    )


_FIRST_PEOPLE = re.compile(
    r"(?:[A-Z][\w’'-]+, (?:[A-Z]\.? ?-?){1,3}(?:[,;.&(]| and)|[A-Z][\w’'-]+ [A-Z]{1,3}(?:,|\. )|"
    r"(?:[A-Z]\. ?){1,3}[A-Z][\w’'-]+(?:,| and)|[A-Z][\w’'-]+, [A-Z][\w’'-]+, |"
    r"(?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+(?:,| and) (?:[A-Z][\w.’'-]+ ){1,2}[A-Z][\w’'-]+"
    r"(?:,| and|\. )|"
    r"[A-Z][\w’'-]+,? [Ee]t\.? ?[Aa]l\.?,? *(?:\(?[12]\d{3}[a-z]?\)?)?[.,:]? *[\"“*_]*[A-Z])"
)
_WITH_INITIALS = re.compile(r"(?<![\w’'-])[A-Z][\w’'-]+, (?:[A-Z]\.-?){1,4}(?:,| and| &)")


def begins_with_people(words: str) -> bool:
    """Whether a line begins as the entry of a list does that has its authors first."""
    first = _FIRST_PEOPLE.match(words.lstrip("*_ "))
    return first is not None or len(_WITH_INITIALS.findall(words)) > 1


def looks_like_title(words: str) -> bool:
    """Whether most longer words of a text begin with a capital, as those of titles do."""
    found = [word for word in re.findall(r"[\w’'/+-]+", words) if word.lower() not in _SMALL]
    capitals = sum(not word[0].islower() for word in found)
    return (
        len(words.split()) >= _FEWEST
        and not words[:1].islower()
        and capitals > _MOSTLY * len(found)
    )


_MOSTLY = 0.6
_SMALL = frozenset(
    """
    a an and as at but by does do for from how in into is it its not of on or over than that the to
    through towards under using via vs what when why with without you your
    """.split()  # noqa: SIM905
)


def _title_first(entry: str) -> tuple[str, str]:
    """Authors and title of ``Title, Lee et al.`` or ``Title. Lee, Kim``."""
    last = re.search(r"\s\(([^()]{3,60}?),?\s+[Ee]t\.? [Aa]l\b[^()]*\)?[\s.]*\Z", entry)
    if last is not None and looks_like_authors(f"{last[1]} et al"):
        return last[1], entry[: last.start()].strip(" *_.")
    title = _sentence(entry)
    last = re.search(rf",\s+((?:[\w’'-]+\s+){{0,2}}{CAPITAL}[\w’'-]+),?\s+et\.?\s?al", entry)
    if last is not None:
        return last[1], entry[: last.start()].strip(" *_")
    rest = entry[entry.find(title) + len(title) :].strip(" ,.")
    end = _AUTHORS_END.search(rest)
    people = rest if end is None else rest[: end.start()]
    if _SURNAME_FIRST.match(rest):
        people = re.sub(rf",?\s*{YEAR}.*", "", people)
    return (people if looks_like_authors(people) else ""), title


def surnames_of(authors: str) -> Iterator[str]:
    """Surnames in a list of people, ``A. Lee and B. Kim``, ``Lee, A., Kim, B.`` or ``Ann Lee``."""
    for chunk in _BETWEEN.split(re.sub(r"\(.*?\)", " ", authors))[:60]:
        names = [name.strip(".,*_’'\"“()[]") for name in chunk.split() if not _INITIALS.match(name)]
        names = [name for name in names if name and not name.isdigit()]
        if names and len(names) <= _WORDS_OF_NAME:
            yield names[-1]


_MARKER = re.compile(
    r"(?:(?<=\n)|(?<=\A)|(?<=[.)\d] ))[ \t]*(?:[-*•]\s+)?\\?\[(\d{1,3})\\?\][ \t.:]*(?=\S)"
)
_DOTTED = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?(\d{1,3})[.)][ \t]+(?=\S)", re.M)
_ALPHA = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+)?\\?\[([A-Z][A-Za-z+’' .&-]{1,40}\d{2,4}[a-z]?)\\?\][ \t]*", re.M
)
_LINE_NUMBER = re.compile(r"\n\s*\d{1,4}\s*(?=\n|\Z)|\s(?!19|20)\d{2,4}(?=\n|\Z)")
_FEWEST = 3
_LONGEST = 1500
_GAP = 5
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"[ \t]*[-*•][ \t]+")
_END = re.compile(r"[.)\]\d/]")
_BEGINS = re.compile(
    rf"(?:[a-z]{{2,3}}\s){{0,2}}{CAPITAL}[\w’'.-]*(?:,| {CAPITAL}| [a-z]{{2,3}} {CAPITAL}|\s?\()"
)


def references_of(paper: Paper) -> tuple[ReferenceEntry, ...]:
    """The entries of a paper's list of references, in order; none if its text has no list."""
    found: list[ReferenceEntry] = []
    for section in paper.sections:
        if section.zone is Zone.REFERENCES:
            for number, start, end in _entries(paper.text, section.heading_end, section.end):
                words = _LINE_NUMBER.sub("\n", paper.text[start:end])
                words = re.sub(r"(?<=[a-z])-\n\s*(?=[a-z])", "", words)
                words = re.sub(r"\n[-*•]\s+", "\n", words)  # entries cut in two by a converter
                found.append(read_reference(words, number=number, at=(start, end)))
    return tuple(entry for entry in found if len(entry.words.split()) >= _FEWEST)


def _entries(text: str, start: int, end: int) -> Iterator[tuple[int | None, int, int]]:
    """Number, start and end of each entry between two offsets."""
    body = text[start:end]
    marks = _increasing(_MARKER, body) or _increasing(_DOTTED, body)
    plain = [(None, match.end(), match.start()) for match in _ALPHA.finditer(body)]
    heads = marks or (plain if len(plain) >= _FEWEST else [])
    if heads:
        ends = [head[2] for head in heads[1:]] + [len(body)]
        for (number, first, _), last in zip(heads, ends, strict=True):
            yield number, start + first, start + min(last, first + _LONGEST)
        return
    for first, last in _paragraphs(body):
        yield None, start + first, start + min(last, first + _LONGEST)


def _increasing(pattern: re.Pattern[str], body: str) -> list[tuple[int | None, int, int]]:
    """Numbers of a list that go up: number, start of the entry, start of the number."""
    heads: list[tuple[int | None, int, int]] = []
    last = 0
    for match in pattern.finditer(body):
        if last < int(match[1]) <= last + _GAP:
            last = int(match[1])
            heads.append((last, match.end(), match.start()))
    return heads if len(heads) >= _FEWEST else []


def _paragraphs(body: str) -> Iterator[tuple[int, int]]:
    """Entries of a list without numbers: items, paragraphs or lines that begin with people."""
    begun, ended, blank = -1, -1, True
    for line in _LINE.finditer(body):
        words = line[0].strip()
        if not words or words.isdigit():
            continue
        gap = "\n\n" in body[max(0, ended) : line.start() + 1] or blank
        if begun >= 0 and _goes_on(body[max(begun, ended - _LONGEST) : ended], line[0], apart=gap):
            ended = line.end()
            continue
        if begun >= 0:
            yield begun, ended
        bullet = _BULLET.match(line[0])
        begun, ended, blank = line.start() + (bullet.end() if bullet else 0), line.end(), False
    if begun >= 0:
        yield begun, ended


def _goes_on(entry: str, line: str, *, apart: bool) -> bool:
    """Whether a line belongs to the entry before it."""
    if not _END.match(entry.rstrip()[-1:]):
        return True
    bullet = _BULLET.match(line)
    if bullet:
        return False
    people = _BEGINS.match(line.strip())
    return not people or not (apart or _YEAR.search(entry) or URL.search(entry))


_SURE = 90
_LEAST = 12
_NEAR = 1
_FIVE = 5


def in_references(
    work: CitedWork, references: Sequence[ReferenceEntry], paper: Paper
) -> ListedWork:
    """Whether a paper's list of references has a work.

    A number, an identifier, and a title decide, in this order; authors and year only where none of
    these is known.

    Args:
        work: The work, as a review names it.
        references: The entries of `references_of`.
        paper: The paper, for pages.
    """
    if not references:
        return ListedWork(listing=Listing.NO_LIST)
    fitting, sure = _fitting(work, references)
    spans = tuple(
        Target(start=one.start, end=one.end, page=paper.page_at(one.start)) for one in fitting
    )
    if not fitting:
        said = work.number is not None or work.authors or work.title or work.name
        return ListedWork(listing=Listing.NOT_FOUND if said else Listing.UNKNOWN)
    alike = {folded(one.title) for one in fitting}
    single = len(fitting) == 1 or (len(alike) == 1 and "" not in alike)
    return ListedWork(
        listing=Listing.FOUND if single and sure else Listing.AMBIGUOUS, entries=spans
    )


def _fitting(
    work: CitedWork, references: Sequence[ReferenceEntry]
) -> tuple[list[ReferenceEntry], bool]:
    """The entries that a work may be, and whether a single one of them surely is."""
    if work.number is not None:
        return [one for one in references if one.number == work.number], True
    for value in filter(None, (work.arxiv, work.doi, work.url.partition("://")[2])):
        if same := [one for one in references if value in one.words.replace(" ", "").lower()]:
            return same, True
    if title := folded(work.title):
        return _titled(title, work, references), True
    by_people = [one for one in references if _by_people(work, one)]
    if work.year is not None and by_people:
        exact = [one for one in by_people if one.year == work.year]
        lettered = [one for one in exact if work.letter and one.letter == work.letter]
        near = [one for one in by_people if one.year and abs(one.year - work.year) <= _NEAR]
        by_people = lettered or exact or near
    if work.name and (named := [one for one in by_people or references if _called(work.name, one)]):
        return named, True
    return by_people, bool(work.year or len(by_people) == 1)


def _titled(
    title: str, work: CitedWork, references: Sequence[ReferenceEntry]
) -> list[ReferenceEntry]:
    """Entries that hold a title."""
    found = []
    for one in references:
        words = folded(one.words)
        if len(title) < _LEAST:
            same = f" {title} " in f" {words} " and (not work.authors or _by_people(work, one))
        else:
            same = title in words or (
                len(words) >= len(title) * 0.9
                and fuzz.partial_ratio(title, words, score_cutoff=_SURE) >= _SURE
            )
        if same:
            found.append(one)
    return found


def _by_people(work: CitedWork, entry: ReferenceEntry) -> bool:
    """Whether the people that a work is named by are the authors of an entry, by its words."""
    names = [folded(name).split()[-1] for name in work.authors if folded(name)]
    first, words = folded(_BETWEEN.split(entry.words, maxsplit=1)[0]), folded(entry.words)
    broken = first.replace(" ", "")  # accents that a converter put beside their letters
    return bool(names) and (
        (names[0] in first.split() or (len(names[0]) >= _FIVE and broken.endswith(names[0])))
        and all(name in words for name in names[1:])
    )


def _called(name: str, entry: ReferenceEntry) -> bool:
    return name in (entry.name, *re.findall(r"[\w+-]+", entry.title or entry.words))
