"""What in a paper would settle a point: dedicated headings and quotable sentences that match it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

from reviewscore.judges.lexical.concessions import concedes, speaks_of_others
from reviewscore.judges.lexical.content import WantedContent
from reviewscore.judges.lexical.lexicon import Aspect
from reviewscore.papers.sentences import SentenceKind
from reviewscore.retrieval.index import IndexedHeading, PaperIndex, Passage
from reviewscore.schema.paper import Section, Zone
from reviewscore.text.stems import stems

_WEAK = frozenset({Zone.RELATED_WORK, Zone.REFERENCES, Zone.FRONT, Zone.CHECKLIST})
_UNFIT = frozenset({SentenceKind.HEADING, SentenceKind.ROW})
"""What states nothing by itself."""
_END = re.compile(r"[.!][\"'”’)\]]*$")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_MIN_PLAIN = 0.6
"""Share of words among the tokens of a sentence; with fewer it is formulas or table cells."""
_DANGLING = re.compile(
    r"^(?:\([a-z]\)|\(\d{4}\)|\W*(?:and|or|which|where|whose|et al)\b)|^[a-z]|^\d+,|-----"
    r"|\((?:Appendix|Section)\W*$"
)

_KEPT_TEXTS = 16_384
"""Passages whose text was judged that are remembered: those of the papers that are at hand."""


def fit(passage: Passage, aspect: Aspect | None) -> bool:
    """Whether a passage may be quoted as holding something: a plain statement of this paper.

    Args:
        passage: The passage.
        aspect: What it is to be quoted for; a limitation may be put as a concession.
    """
    if passage.zone in _WEAK or passage.kind in _UNFIT or not passage.quotable:
        return False
    if passage.kind is SentenceKind.SENTENCE and _broken(passage.text):
        return False
    if aspect is not None and aspect.may_concede:
        return not speaks_of_others(passage.text)
    return not concedes(passage.text)


@lru_cache(maxsize=_KEPT_TEXTS)
def _broken(text: str) -> bool:
    """Whether a passage is no full sentence, or mostly formulas or table cells."""
    if not _END.search(text.rstrip()) or _DANGLING.search(text):
        return True
    tokens = text.split()
    plain = sum(1 for token in tokens if _LETTERS.search(token))
    return plain < _MIN_PLAIN * len(tokens)


_MAX_NAME_PARTS = 3
"""Named parts of what is defined; longer descriptions are no name of anything."""
_DEFINED = re.compile(
    r"(?P<before>[^.;:,]{1,60}?)\s(?:is|are) (?:then |formally |thus )?defined (?:as|by|to be)\b"
    r"|(?P<denoting>[^.;:,]{1,40}?)\s(?:denotes?|stands? for|refers? to)\s|\b[Ww]e (?:formally "
    r"|first )?(?:define|call) (?:the |a |an )?(?P<called>[^.;:,]{1,60}?)\s(?:as|by|to be)\b"
    r"|\b[Ll]et (?P<let>[^.;:,]{1,30}?)\s(?:be|denote)\b"
)


def definition_of(parts: frozenset[str], index: PaperIndex) -> Passage | None:
    """The first sentence that defines what has these stems; None if there is none.

    Args:
        parts: Stems of the name of what is defined, at least one and at most three.
        index: The paper.
    """
    if not 0 < len(parts) <= _MAX_NAME_PARTS:
        return None
    for passage in index.passages:
        if not parts <= passage.stems or passage.kind is not SentenceKind.SENTENCE:
            continue
        if fit(passage, None) and any(
            parts <= frozenset(stems(" ".join(filter(None, match.groups()))))
            for match in _DEFINED.finditer(passage.text)
        ):
            return passage
    return None


_MAX_PARTS = 6
"""Named parts of a point; with more it is too particular for words to settle."""
_CAPTION_START = 120
"""Characters of a caption that say what it is about."""
_TRIED = 8
"""Sentences of a section that are tried, most telling first."""
_VALUE = re.compile(
    r"\b(?:hyper-?\s?parameters?|(?<!objective )values? (?:of|for)|weights? of|sizes?\b|numbers? of"
    r"|rates?\b|coefficients?|temperatures?|thresholds?|ratios?|dimensions?|portion|depth|width"
    r"|length|initiali[sz]ation|[A-Za-z] ?= ?\d)|[αβγδελτηκσεφμλ]|\b(?:larger|smaller|higher"
    r"|lower) [A-Z]\b",
    re.IGNORECASE,
)
"""What results can be sensitive to, as a quoted sentence must name it."""
_VARIED = re.compile(
    r"\b(?:sensitiv\w*|insensitiv\w*|robust\b|var(?:y|ied|ies|ying)\b|different|increas\w+"
    r"|decreas\w+|reduc\w+|larger|smaller|higher|lower|when|rang(?:e|es|ing)|choice|effects? of"
    r"|influence of|impact of)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][\w-]*[A-Z\d][\w-]*|(?<=[a-z,] )[A-Z][a-z]+")
_FEW_NAMES, _MANY_NAMES = 2, 5
_DIGITS = re.compile(r"\d|\b(?:two|three|four|five|six|eight|ten)\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\b(?:appendix|sections?|sec\.|tables?|tab\.|figures?|figs?\.|eqs?\.|equations?|algorithm)"
    r" ?\(?[A-Z]?[\d.]+|\(\d{4}\)|, \d{4}\b",
    re.IGNORECASE,
)
"""Numbers that are no answers: of parts of the paper, and years of citations."""
_DEFINING = re.compile(
    r"\b(?:defin\w+ (?:as|by|to be|the)|we define|denotes?|refers? to|stands? for|given by|let \w"
    r"|comput\w+|calculat\w+|measur\w+ (?:by|as|the|using)|obtain\w+ (?:by|from|via)"
    r"|estimat\w+ (?:by|using|from|with)|select\w+|chosen|choose|determin\w+ by|set to|we set"
    r"|sampl\w+ from|initiali\w+ (?:with|as|by|to|from)|train\w+ (?:by|with|using|to|on)"
    r"|consists? of|updat\w+ (?:by|as|using|with|via))\b|:?=",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    r"\b(?:than|compar\w+|outperform\w*|versus|vs|better|worse|faster|slower|higher|lower|superior"
    r"|inferior|improv\w+|on par|similar to|against|baselines?)\b",
    re.IGNORECASE,
)
_RESULTS = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|results?|evaluation|experiments?|performance|benchmark\w*)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b(?:than|outperform\w*|compared (?:to|with)|surpass\w*|superior|inferior|on par|comparable"
    r"|better|worse|faster|slower|higher|lower|improv\w+|competitive|similar (?:to|performance))\b",
    re.IGNORECASE,
)
"""How a comparison came out."""
_SENSITIVITY_HEADING = re.compile(
    r"\b(?:sensitiv\w*|ablat\w*|(?:effects?|impact|influence|role) (?:of|on)|robustness|varying"
    r"|(?:hyper-?)?parameters? (?:stud\w+|analys\w+|sensitiv\w+))",
    re.IGNORECASE,
)
"""Headings and captions of parts that vary something and report what changes."""
_SENSITIVITY_CAPTION = re.compile(
    r"\b(?:sensitiv\w*|ablat\w*|hyper-?\s?parameters?|(?:effects?|impact|influence) of)\b",
    re.IGNORECASE,
)
_OF_RIVALS = re.compile(r"\b(?:baselines?|background|preliminar\w+|existing)\b", re.IGNORECASE)
"""Headings of parts about other people's methods."""
_BEYOND = re.compile(
    r"\b(?:rather than|instead of|beyond|besides|other than|apart from|not (?:only|just|covered"
    r"|mentioned|included)|any further|non-\w+)\b",
    re.IGNORECASE,
)
"""Words that ask for something else than what the named words would find."""
_PLACE = re.compile(
    r"\b(?:fig(?:ure|s)?\.?|tables?|tab\.|eqs?\.?|equations?|lines?|pages?|sections?|sec\.|theorems?"
    r"|lemmas?|appendix|footnote|algorithm) ?\(?[A-Z]?\d",
    re.IGNORECASE,
)
"""A place in the paper: what is asked or denied is asked of that place only."""
_COMPOUND = re.compile(
    r"(?:,|;|:)? (?:and|or) (?:how|why|what|which|is|are|do|does|can|could|would|if|whether|where"
    r"|when)\b",
    re.IGNORECASE,
)
"""A second question in the same sentence."""
_ELSEWHERE = re.compile(
    r"\b(?:these|those|aforementioned)\b|\[\d+\]"
    r"|\bthis\b(?! (?:paper|work|study|manuscript|submission|article)\b)",
    re.IGNORECASE,
)
"""Words for what is named in another sentence, or in a list of references."""
_FULL_NAME = re.compile(r"\b(?:full name|stands? for|abbreviat\w+|acronyms?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Support:
    """Passages that together hold everything a point asks for or denies.

    Attributes:
        section: The dedicated section, or None when a caption or sentence stands alone.
        passages: The sentences or captions, in reading order.
    """

    section: Section | None
    passages: tuple[Passage, ...]


def demanded(wanted: WantedContent) -> tuple[Aspect, ...]:
    """The aspects of a point that need a dedicated passage each.

    Comparisons, data sets and the like only qualify another aspect when there is one.
    """
    hard = [aspect for aspect in wanted.aspects if not aspect.qualifies]
    names = {aspect.name for aspect in hard}
    if "sensitivity" in names:
        hard = [aspect for aspect in hard if aspect.name != "hyper-parameters"]
    if "hyper-parameters" in names:
        hard = [aspect for aspect in hard if aspect.name != "implementation details"]
    if hard:
        return tuple(hard)
    soft = [aspect for aspect in wanted.aspects if aspect.name != "comparison"]
    soft.sort(key=lambda aspect: aspect.name == "experiments")  # the least particular one last
    return tuple(soft[:1])


def answerable_by_quote(sentence: str, wanted: WantedContent) -> bool:
    """Whether a quote could settle a sentence: a single question that names what it compares."""
    unnamed = wanted.vague and not wanted.rivals
    unsettled = (_PLACE, _BEYOND, _COMPOUND, _ELSEWHERE, _FULL_NAME)
    return not unnamed and not any(pattern.search(sentence) for pattern in unsettled)


def support_for(wanted: WantedContent, index: PaperIndex) -> tuple[Support, ...]:
    """Support for everything that is wanted; empty unless nothing is left unmatched."""
    kept = wanted.sensitivity or not wanted.aspects
    parts = frozenset(wanted.parts) - (frozenset() if kept else index.own)
    aspects = demanded(wanted)
    if len(parts) > _MAX_PARTS or any(not aspect.flaggable for aspect in aspects):
        return ()
    if len(aspects) > 1:
        return _joint_support(aspects, wanted, parts, index) if wanted.joined else ()
    if aspects:
        support = _aspect_support(aspects[0], wanted, parts, index)
    elif wanted.rivals:
        support = _rival_support(wanted, index)
    else:
        support = _named_support(wanted, parts, index)
    if support is None and wanted.name:
        passage = definition_of(parts, index)
        support = None if passage is None else Support(None, (passage,))
    return () if support is None else (support,)


def _joint_support(
    aspects: tuple[Aspect, ...], wanted: WantedContent, parts: frozenset[str], index: PaperIndex
) -> tuple[Support, ...]:
    """Support for each of several listed aspects; together they must match the named parts."""
    supports: list[Support] = []
    for aspect in aspects:
        found = _aspect_support(aspect, wanted, frozenset(), index)
        if found is None:
            return ()
        if found not in supports:
            supports.append(found)
    held = frozenset().union(*(p.stems for support in supports for p in support.passages))
    return tuple(supports) if parts <= held else ()


def _qualified(passages: tuple[Passage, ...], title: str, wanted: WantedContent) -> bool:
    """Whether the quotes meet what a comparison, a sensitivity or a number demands."""
    text = " ".join(passage.text for passage in passages)
    if wanted.sensitivity and not _reports_sensitivity(wanted, passages, text, title):
        return False
    if wanted.comparison and not _COMPARATIVE.search(text):
        return False
    if wanted.number and not _DIGITS.search(_REFERENCE.sub("", text)):
        return False
    captions = all(passage.kind is SentenceKind.CAPTION for passage in passages)
    few = wanted.listing and len(_NAME.findall(text)) < _FEW_NAMES
    if few or (captions and (wanted.listing or wanted.manner)):
        return False
    if wanted.definition and not _DEFINING.search(text):
        return False
    return all(
        aspect.said.search(text) or aspect.heading.search(title)
        for aspect in wanted.aspects
        if aspect.qualifies
    )


def _reports_sensitivity(
    wanted: WantedContent, passages: tuple[Passage, ...], text: str, title: str
) -> bool:
    """Whether quotes from a part that varies something name what was varied and how."""
    captions = [p.text for p in passages if p.kind is SentenceKind.CAPTION]
    pattern = _SENSITIVITY_HEADING if wanted.parts else _SENSITIVITY_CAPTION
    captioned = any(pattern.search(caption) for caption in captions)
    headed = captioned or _SENSITIVITY_HEADING.search(title) is not None
    varied = _VARIED.search(f"{text} {title}")
    return headed and varied is not None and _VALUE.search(text) is not None


def _aspect_support(
    aspect: Aspect, wanted: WantedContent, parts: frozenset[str], index: PaperIndex
) -> Support | None:
    """The best dedicated section on one aspect, else a caption or sentence that stands alone."""
    best: tuple[tuple[int, int, int], Support] | None = None
    for heading in _headed(aspect, index):
        for chosen in _covers(heading, parts, aspect, index):
            if _qualified(chosen, heading.section.title, wanted):
                telling = max(_telling(passage.text, aspect) for passage in chosen)
                telling += _names(chosen) if wanted.listing else 0
                rank = (len(chosen), -telling, chosen[0].start)
                if best is None or rank < best[0]:
                    best = (rank, Support(heading.section, chosen))
                break
    return best[1] if best else _alone(aspect, wanted, parts, index)


def _alone(
    aspect: Aspect, wanted: WantedContent, parts: frozenset[str], index: PaperIndex
) -> Support | None:
    """The first caption or sentence so plainly on one aspect that it needs no heading."""
    for passage in _dedicated(aspect, index):
        if parts <= passage.stems and _qualified((passage,), "", wanted):
            return Support(None, (passage,))
    return None


_HEADED: WeakKeyDictionary[PaperIndex, dict[Aspect, tuple[IndexedHeading, ...]]] = (
    WeakKeyDictionary()
)


def _headed(aspect: Aspect, index: PaperIndex) -> tuple[IndexedHeading, ...]:
    """The headings of a paper's own work on one aspect, in reading order."""
    known = _HEADED.setdefault(index, {})
    if aspect not in known:
        known[aspect] = tuple(
            heading
            for heading in index.headings
            if not heading.of_others and aspect.heading.search(heading.section.title)
        )
    return known[aspect]


_DEDICATED: WeakKeyDictionary[PaperIndex, dict[Aspect, tuple[Passage, ...]]] = WeakKeyDictionary()
"""What is plainly on each aspect in the papers at hand: the same for all points about them."""


def _dedicated(aspect: Aspect, index: PaperIndex) -> tuple[Passage, ...]:
    """The captions and sentences that are plainly on one aspect, in reading order."""
    known = _DEDICATED.setdefault(index, {})
    if aspect not in known:
        known[aspect] = tuple(
            passage
            for passage in index.passages
            if fit(passage, aspect)
            and not _OF_RIVALS.search(index.title_of(passage))
            and _is_dedicated(passage, aspect)
            and says(passage.text, aspect)
        )
    return known[aspect]


def _is_dedicated(passage: Passage, aspect: Aspect) -> bool:
    if passage.kind is SentenceKind.CAPTION:
        return aspect.heading.search(passage.text[:_CAPTION_START]) is not None
    return aspect.stands_alone(passage.text)


def _covers(
    heading: IndexedHeading, parts: frozenset[str], aspect: Aspect, index: PaperIndex
) -> Iterator[tuple[Passage, ...]]:
    """Choices of at most two sentences under a heading that match the named parts, best first.

    The first sentence says the aspect; the second only adds parts that it and the heading lack.
    """
    under = [p for p in index.passages[heading.first : heading.last] if fit(p, aspect)]
    missing = parts - heading.stems
    saying = [p for p in under if says(p.text, aspect)]
    saying.sort(key=lambda p: (-len(missing & p.stems), -_telling(p.text, aspect), p.start))
    for first in saying[:_TRIED]:
        left = missing - first.stems
        if not left:
            yield (first,)
            continue
        for second in under:
            if left <= second.stems:
                yield (first, second) if first.start < second.start else (second, first)
                break


def _names(passages: tuple[Passage, ...]) -> int:
    """How many names the passages hold, at most enough for a list."""
    return min(_MANY_NAMES, sum(len(_NAME.findall(passage.text)) for passage in passages))


@lru_cache(maxsize=_KEPT_TEXTS)
def says(text: str, aspect: Aspect) -> bool:
    """Whether a text says something about an aspect."""
    return aspect.said.search(text) is not None


@lru_cache(maxsize=_KEPT_TEXTS)
def _is_alone(text: str, aspect: Aspect) -> bool:
    return aspect.stands_alone(text)


@lru_cache(maxsize=_KEPT_TEXTS)
def _telling(text: str, aspect: Aspect) -> int:
    """How plainly a sentence speaks of an aspect: distinct words of it, and standing alone."""
    hits = len({match.group().lower() for match in aspect.said.finditer(text)})
    alone = _is_alone(text, aspect)
    pointer = re.search(r"\b(?:appendix|supplement\w*)\b", text, re.IGNORECASE) is not None
    numbers = re.search(r"\d", text) is not None
    return min(hits, 4) + 3 * alone + numbers - 2 * pointer


def _rival_support(wanted: WantedContent, index: PaperIndex) -> Support | None:
    """The first sentence, under a heading of results, that compares with all the named rivals."""
    rivals = frozenset(wanted.rivals)
    for heading in index.headings:
        if heading.of_others or not _RESULTS.search(heading.section.title):
            continue
        for passage in index.passages[heading.first : heading.last]:
            held = rivals <= passage.stems and fit(passage, None)
            if held and _OUTCOME.search(passage.text):
                return Support(heading.section, (passage,))
    return None


def _named_support(
    wanted: WantedContent, parts: frozenset[str], index: PaperIndex
) -> Support | None:
    """A section or caption named after what is wanted, with a sentence that matches all of it."""
    if not parts:
        return None
    for heading in index.headings:
        named = parts & heading.stems
        if heading.of_others or len(named) < max(1, 0.5 * len(parts)):
            continue
        under = [p for p in index.passages[heading.first : heading.last] if fit(p, None)]
        under.sort(key=lambda p: (-len(parts & p.stems), p.start))
        for passage in under[:_TRIED]:
            most = len(parts & passage.stems) >= max(1, 0.5 * len(parts))
            whole = most and parts <= passage.stems | named
            if whole and _qualified((passage,), heading.section.title, wanted):
                return Support(heading.section, (passage,))
    for passage in index.passages:
        if passage.kind is not SentenceKind.CAPTION or not fit(passage, None):
            continue
        whole = len(parts) > 1 and parts <= passage.stems
        if whole and _qualified((passage,), "", wanted):
            return Support(None, (passage,))
    return None
