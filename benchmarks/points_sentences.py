"""What a linear model sees of a sentence of a review: cues, form, place, neighbours, the rules.

Features are named and there or not. None is a word of the review: with words, alone and in pairs,
the model did no better in cross-validation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from reviewscore.points import stance, turns
from reviewscore.points.blocks import Block
from reviewscore.points.concerns import Concern
from reviewscore.points.sections import OpenSection
from reviewscore.text.sentences import sentences
from reviewscore.text.stems import FUNCTION_WORDS

LOOKED_AT = 400
"""Characters of a sentence that are looked at."""
_HEAD = 50
"""Characters at the head of a sentence that tie it to what stands before."""


class Sentence(NamedTuple):
    """A sentence of a block.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last.
        block: The entry or paragraph it stands in.
        position: Its place in the block, from 0.
        among: Sentences of the block, itself included.
        rule: What the rules make of it: ``out``, ``begins`` or ``goes on``.
    """

    start: int
    end: int
    block: Block
    position: int
    among: int
    rule: str


def sentences_of(text: str, ruled: Iterable[tuple[Block, Sequence[Concern]]]) -> Iterator[Sentence]:
    """The sentences of a section's blocks in reading order, with the outcome of the rules.

    Args:
        text: The text of the section's field.
        ruled: Its entries and paragraphs, each with the concerns that the rules see in it.
    """
    for block, concerns in ruled:
        spans = sentences(text, block.start, block.end)
        at, before = 0, -1
        for position, span in enumerate(spans):
            middle = (span.start + span.end) // 2
            while at < len(concerns) and concerns[at].end <= middle:
                at += 1
            inside = at < len(concerns) and concerns[at].start <= middle
            rule = "out" if not inside else "goes on" if at == before else "begins"
            before = at if inside else -1
            yield Sentence(*span, block, position, len(spans), rule)


def _any(words: str) -> Callable[[str], bool]:
    pattern = re.compile(words, re.IGNORECASE)
    return lambda sentence: pattern.search(sentence) is not None


_CUES: dict[str, Callable[[str], bool]] = {
    "adds on": turns.adds_on,
    "joins on": turns.joins_on,
    "names concern": turns.names_concern,
    "takes up": turns.takes_up,
    "counts on": turns.counts_on,
    "numbered": turns.is_numbered,
    "leans back": turns.leans_back,
    "points back": turns.points_back,
    "asks anew": turns.asks_anew,
    "summary": stance.is_summary,
    "polite": stance.is_polite,
    "aside": stance.is_aside,
    "empty": stance.is_empty,
    "repair": stance.is_repair,
    "turns": stance.turns_or_denies,
    "place": _any(
        r"\b(?:lines?|l\.|page|pg?\.|eqs?\.?|equation|fig(?:ure|\.)?s?|sec(?:tion|\.)?|tab(?:le|\.)?s?"
        r"|alg(?:orithm|\.)?|theorem|appendix|footnote|paragraph|lemma|definition)\s*[\d(A-Z]"
    ),
    "request": _any(
        r"\b(?:please|should|suggest|recommend|would (?:be|like|help|benefit|strengthen|improve|"
        r"appreciate)|could (?:be|you|the authors)|can (?:you|the authors)|need(?:s|ed)? to|must|"
        r"encourage|consider (?:adding|including|using))\b"
    ),
    "lack": _any(
        r"\b(?:no|not|lacks?|lacking|missing|without|never|neither|nor|only|unclear|cannot|limited|"
        r"insufficient|absent)\b|n['’]t\b"
    ),
    "adds": _any(
        r"\b(?:also|further|furthermore|moreover|besides|additional(?:ly)?|in addition|another|"
        r"other|similarly|likewise|second(?:ly)?|third(?:ly)?|final(?:ly)?|last(?:ly)?|as well|too|"
        r"nor)\b"
    ),
    "literature": _any(r"et al|arxiv|http"),
    "digits": _any(r"\d"),
}
"""What is looked for in a sentence, by name."""
_POINTS = _any(r"\b(?:it|its|they|their|them|this|that|these|those|such|here|so|same|then|there)\b")
_THING = re.compile(
    r"\[\d+\]|\b[A-Za-z]*[A-Z][A-Za-z]*[A-Z\d][\w-]*\b|\$[^$]{1,40}\$|\b\d+(?:\.\d+)?\b"
)
"""A citation, an acronym, a formula or a number: names of what a sentence speaks of."""
_CONTENT = re.compile(r"[a-z]{4,}")
_STEM = 6
_LENGTHS = (3, 6, 10, 16, 25, 40)


class Seen(NamedTuple):
    """What is seen of a sentence alone.

    Attributes:
        names: Names of its own features.
        stance: What it does, by the rules.
        tie: Whether its head ``adds``, ``points`` back, or is ``free``.
        short: Features that its neighbours see too.
        content: Its content words, cut to their first letters.
        things: Citations, acronyms, formulas and numbers.
        topics: Qualities of the paper that it speaks of.
    """

    names: tuple[str, ...]
    stance: str
    tie: str
    short: tuple[str, ...]
    content: frozenset[str]
    things: frozenset[str]
    topics: frozenset[int]


def _bucket(number: int, ends: Sequence[int]) -> int:
    return sum(number > end for end in ends)


def seen_in(sentence: str) -> Seen:
    """What is seen of a sentence without its neighbours."""
    looked, head = sentence[:LOOKED_AT], sentence[:_HEAD]
    kind = stance.stance_of(sentence).value
    cues = [name for name, cue in _CUES.items() if cue(looked)]
    tie = "adds" if _CUES["adds"](head) else "points" if _POINTS(head) else "free"
    topics = turns.topics_of(looked)
    length = f"length {_bucket(len(sentence.split()), _LENGTHS)}"
    names = [
        f"stance {kind}",
        length,
        f"tie {tie}",
        f"tie {tie} {kind}",
        *(f"cue {cue}" for cue in cues),
        *(f"topic {topic}" for topic in sorted(topics)),
        *_form(sentence),
    ]
    words = _CONTENT.findall(looked.lower())
    content = frozenset(word[:_STEM] for word in words if word not in FUNCTION_WORDS)
    things = frozenset(_THING.findall(looked))
    short = (kind, length, tie, *cues)
    return Seen(tuple(names), kind, tie, short, content, things, topics)


def _form(sentence: str) -> Iterator[str]:
    first, last = sentence.lstrip("*_#[( \"'“")[:1], sentence.rstrip("*_ ")[-1:]
    yield "form lower" if first.islower() else "form upper" if first.isupper() else "form other"
    yield f"form ends {'letter' if last.isalnum() else last}"
    if sentence.startswith(("**", "__", "#")):
        yield "form bold"
    if ":" in sentence[:60]:
        yield "form colon early"
    if sentence[:1] in "\"“'>":
        yield "form quoted"


def features(
    text: str, section: OpenSection, parts: Sequence[Sentence]
) -> Iterator[tuple[str, ...]]:
    """Names of the features of each sentence of a section, in order.

    Args:
        text: The text of the section's field.
        section: The section.
        parts: Its sentences in reading order.
    """
    role = section.role.value + (" sifted" if section.sifted else "")
    older: Seen | None = None
    before: Seen | None = None
    after = seen_in(text[parts[0].start : parts[0].end]) if parts else None
    said = 0  # criticisms and questions before the sentence in its block
    for index, part in enumerate(parts):
        seen, after = after, None
        assert seen is not None
        last = parts[index - 1] if index else None
        following = parts[index + 1] if index + 1 < len(parts) else None
        if following is not None:
            after = seen_in(text[following.start : following.end])
        said = said if part.position else 0
        yield (
            *seen.names,
            *_so_far(said, seen, part),
            *_place(part, last, following, role, seen),
            *_before(part, seen, before, older),
            *_after(following, seen, after),
        )
        said += seen.stance in (stance.Stance.CRITICAL.value, stance.Stance.QUESTION.value)
        older, before = before, seen


def _so_far(said: int, seen: Seen, part: Sentence) -> Iterator[str]:
    many = _bucket(said, (0, 1, 3))
    yield f"so far {many}"
    yield f"so far {many} {seen.stance}"
    yield f"so far {many} {seen.stance} {seen.tie}"
    if part.position:
        yield f"so far {many} of {_bucket(part.position, (1, 2, 4))} {seen.stance}"


def _place(
    part: Sentence, last: Sentence | None, following: Sentence | None, role: str, seen: Seen
) -> Iterator[str]:
    block, rule = part.block, part.rule
    where = "entry" if block.entry else "paragraph"
    opens = "opens" if part.position == 0 else "inside"
    yield f"section {role}"
    yield f"section {role} {where} {opens}"
    yield f"section {role} {seen.stance}"
    yield f"block {where} {block.role.value if block.role is not None else 'none'}"
    yield f"block {where} {opens}"
    yield f"block {where} {opens} {seen.stance}"
    yield f"block sentences {_bucket(part.among, (1, 2, 4, 7))} {where}"
    yield f"block position {_bucket(part.position, (0, 1, 2, 4))} {where}"
    if part.position + 1 == part.among:
        yield f"block ends {where}"
    if block.context is not None:
        yield f"block led {opens}"
    yield f"rule {rule}"
    yield f"rule {rule} {role}"
    yield f"rule {rule} {where} {opens}"
    yield f"rule {rule} {seen.stance}"
    yield f"rule before {last.rule if last else 'none'} {rule}"
    yield f"rule after {following.rule if following else 'none'} {rule}"
    if last is not None and part.position == 0:
        same = "same" if last.block.style == block.style else "other"
        yield f"opens after {same} {where} {'gap' if block.gap else 'close'}"
    if last is None:
        yield "section opens"
    if following is None:
        yield "section ends"


def _before(part: Sentence, seen: Seen, before: Seen | None, older: Seen | None) -> Iterator[str]:
    if before is None:
        return
    opens = "opens" if part.position == 0 else "inside"
    for name in before.short:
        yield f"before {name}"
        yield f"before {name} {opens}"
    yield f"stances {before.stance} {seen.stance} {opens}"
    yield f"tied {before.stance} {seen.stance} {seen.tie}"
    yield f"tied {before.stance} {seen.stance} {seen.tie} {opens}"
    for cue in ("repair", "place"):
        yield f"both {cue} {cue in before.short} {cue in seen.short} {opens}"
    shared, things = len(seen.content & before.content), len(seen.things & before.things)
    yield f"shared {_bucket(shared, (0, 1, 3))} {opens}"
    yield f"shared things {_bucket(things, (0, 1))} {opens}"
    yield f"shared near {shared > 1 or things > 0} {seen.tie} {seen.stance}"
    both = bool(seen.topics and before.topics)
    topics = "same" if seen.topics & before.topics else "turned" if both else "free"
    yield f"topics {topics} {opens}"
    yield f"topics {topics} {seen.stance}"
    if older is not None:
        yield f"older {older.stance}"
        yield f"older shared {_bucket(len(seen.content & older.content), (0, 1, 3))}"


def _after(following: Sentence | None, seen: Seen, after: Seen | None) -> Iterator[str]:
    if following is None or after is None:
        return
    edge = "edge" if following.position == 0 else "inside"
    yield f"stances after {seen.stance} {after.stance} {edge}"
    for name in after.short:
        yield f"after {name} {edge}"
