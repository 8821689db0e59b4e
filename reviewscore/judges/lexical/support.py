"""What in a paper would settle a point: dedicated headings and sentences that match all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewscore.judges.lexical.content import Wanted
from reviewscore.judges.lexical.index import Heading, PaperIndex, Passage
from reviewscore.judges.lexical.lexicon import (
    COMPARATIVE,
    CONCESSION,
    SENSITIVITY_HEADING,
    Aspect,
)
from reviewscore.papers.sentences import SentenceKind
from reviewscore.schema.paper import Section, Zone

_SOFT = frozenset(
    {
        "comparison",
        "baselines",
        "datasets",
        "metrics",
        "assumptions",
        "qualitative results",
        "noise robustness",
        "scalability",
        "experiments",
        "related work",
    }
)
_AND = re.compile(r"^\W*(?:and/or|and|or|nor|as well as|,|/|&)?\W*$", re.IGNORECASE)
_MAX_PARTS = 6
_VALUE = re.compile(
    r"\b(?:hyper-?\s?parameters?|parameters?|values?|weights?|sizes?|numbers? of|rates?"
    r"|coefficients?|temperatures?"
    r"|thresholds?|ratios?|choices?|steps?|dimensions?|strength|portion|depth|width|length"
    r"|initiali[sz]ation|[αβγλτηκσε])\b|[αβγδελτηκσε]|=",
    re.IGNORECASE,
)
"""What results can be sensitive to, as a quoted sentence must name it."""
_VAGUE = re.compile(
    r"\b(?:other|another|recent\w*|newer|latest|state-of-the-art|state of the art|sota"
    r"|not (?:mentioned|included|covered)"
    r"|alternative|modern|advanced|very)\b",
    re.IGNORECASE,
)
"""Things to compare with that are not named, so that nothing quoted can be known to be them."""
_COMPOUND = re.compile(
    r"(?:,|;|:)? (?:and|or) (?:how|why|what|which|is|are|do|does|can|could|would|if|whether|where"
    r"|when)\b",
    re.IGNORECASE,
)
"""A second question in the same sentence."""
_WEAK = frozenset({Zone.RELATED_WORK, Zone.REFERENCES, Zone.FRONT})


@dataclass(frozen=True)
class Support:
    """Passages that together hold everything a point asks for or denies.

    Attributes:
        section: The dedicated section, or None when a caption or sentence stands alone.
        passages: The sentences or captions, in reading order.
    """

    section: Section | None
    passages: tuple[Passage, ...]


def demanded(wanted: Wanted) -> tuple[Aspect, ...]:
    """The aspects of a point that need a dedicated passage each.

    Comparisons, data sets and the like only qualify another aspect when there is one.
    """
    hard = [aspect for aspect in wanted.aspects if aspect.name not in _SOFT]
    names = {aspect.name for aspect in hard}
    if "sensitivity" in names:
        hard = [aspect for aspect in hard if aspect.name != "hyper-parameters"]
    if "hyper-parameters" in names:
        hard = [aspect for aspect in hard if aspect.name != "implementation details"]
    if hard:
        return tuple(hard)
    soft = [aspect for aspect in wanted.aspects if aspect.name != "comparison"]
    return tuple(soft[:1])


def fit(passage: Passage, aspect: Aspect | None) -> bool:
    """Whether a passage may be quoted as holding something: a plain statement of this paper."""
    if passage.zone in _WEAK or passage.kind is SentenceKind.HEADING or not passage.quotable:
        return False
    if passage.kind is SentenceKind.SENTENCE and _broken(passage.text):
        return False
    return (aspect is not None and aspect.may_concede) or not CONCESSION.search(passage.text)


_END = re.compile(r"[.!][\"'”’)\]]*$")
_LETTERS = re.compile(r"[A-Za-z]{2,}")


def _broken(text: str) -> bool:
    """Whether a passage is no full sentence, or mostly formulas or table cells."""
    tokens = text.split()
    if not _END.search(text.rstrip()):
        return True
    plain = sum(1 for token in tokens if _LETTERS.search(token))
    return plain < 0.6 * len(tokens)


def answerable_by_quote(sentence: str, wanted: Wanted) -> bool:
    """Whether a quote could settle a sentence: a single question that names what it compares."""
    vague = wanted.comparison and _VAGUE.search(sentence) is not None
    return not vague and _COMPOUND.search(sentence) is None


def support_for(wanted: Wanted, index: PaperIndex) -> tuple[Support, ...]:
    """Support for everything that is wanted; empty unless nothing is left unmatched."""
    parts = frozenset(wanted.parts) - (index.own if wanted.aspects else frozenset())
    aspects = demanded(wanted)
    if len(parts) > _MAX_PARTS or any(not aspect.flaggable for aspect in aspects):
        return ()
    if not aspects:
        found = _named_support(wanted, parts, index)
        return () if found is None else (found,)
    supports: list[Support] = []
    for aspect in aspects:
        found = _aspect_support(aspect, wanted, parts, index)
        if found is None:
            return ()
        if found not in supports:
            supports.append(found)
    return tuple(supports)


def _qualified(passages: tuple[Passage, ...], title: str, wanted: Wanted) -> bool:
    """Whether the quotes meet what a comparison, a sensitivity or a number demands."""
    text = " ".join(passage.text for passage in passages)
    if wanted.comparison and not COMPARATIVE.search(text):
        return False
    if wanted.number and not re.search(r"\d|\b(?:two|three|four|five|six|eight|ten)\b", text):
        return False
    if wanted.sensitivity and not SENSITIVITY_HEADING.search(title):
        captions = [p.text for p in passages if p.kind is SentenceKind.CAPTION]
        if not any(SENSITIVITY_HEADING.search(caption) for caption in captions):
            return False
    if wanted.sensitivity and not _VALUE.search(text):
        return False
    for aspect in wanted.aspects:
        if aspect.name in _SOFT and not (aspect.said.search(text) or aspect.heading.search(title)):
            return False
    return True


def _aspect_support(
    aspect: Aspect, wanted: Wanted, parts: frozenset[str], index: PaperIndex
) -> Support | None:
    """A dedicated section, caption or sentence on one aspect that matches all named parts."""
    for heading in index.headings:
        if heading.of_others or not aspect.heading.search(heading.section.title):
            continue
        chosen = _cover(heading, parts, aspect, index)
        if chosen and _qualified(chosen, heading.section.title, wanted):
            return Support(heading.section, chosen)
    for passage in index.passages:
        if not fit(passage, aspect) or not parts <= passage.stems:
            continue
        dedicated = (
            aspect.heading.search(passage.text[:120]) is not None
            if passage.kind is SentenceKind.CAPTION
            else aspect.alone is not None and aspect.alone.search(passage.text) is not None
        )
        said = dedicated and aspect.said.search(passage.text)
        if said and _qualified((passage,), "", wanted):
            return Support(None, (passage,))
    return None


def _cover(
    heading: Heading, parts: frozenset[str], aspect: Aspect, index: PaperIndex
) -> tuple[Passage, ...]:
    """At most two sentences under a heading that say the aspect and match the named parts.

    The first one says it; the second may add parts the first and the heading do not name.
    """
    under = [p for p in index.passages[heading.first : heading.last] if fit(p, aspect)]
    missing = parts - heading.stems
    saying = [p for p in under if aspect.said.search(p.text)]
    saying.sort(key=lambda p: (-len(missing & p.stems), -_telling(p, aspect), p.start))
    for first in saying[:5]:
        left = missing - first.stems
        if not left:
            return (first,)
        for second in under:
            if left <= second.stems:
                return tuple(sorted((first, second), key=lambda p: p.start))
    return ()


def _telling(passage: Passage, aspect: Aspect) -> int:
    """How plainly a sentence speaks of an aspect: distinct words of it, and standing alone."""
    hits = len({match.group().lower() for match in aspect.said.finditer(passage.text)})
    alone = aspect.alone is not None and aspect.alone.search(passage.text) is not None
    return min(hits, 4) + 3 * alone


def _named_support(wanted: Wanted, parts: frozenset[str], index: PaperIndex) -> Support | None:
    """A section or caption named after what is wanted, with a sentence that matches all of it."""
    if not parts:
        return None
    for heading in index.headings:
        named = parts & heading.stems
        if heading.of_others or len(named) < max(1, 0.5 * len(parts)):
            continue
        for passage in index.passages[heading.first : heading.last]:
            if not fit(passage, None) or not parts <= passage.stems | named:
                continue
            if len(parts & passage.stems) >= max(1, 0.5 * len(parts)) and _qualified(
                (passage,), heading.section.title, wanted
            ):
                return Support(heading.section, (passage,))
    for passage in index.passages:
        if passage.kind is not SentenceKind.CAPTION or not fit(passage, None):
            continue
        whole = len(parts) > 1 and parts <= passage.stems
        if whole and _qualified((passage,), "", wanted):
            return Support(None, (passage,))
    return None
