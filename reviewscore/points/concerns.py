"""Where in an entry or paragraph one concern ends and the next begins."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from reviewscore.points.blocks import Block
from reviewscore.points.stance import (
    Stance,
    has_criticism,
    is_announcement,
    is_aside,
    is_bare_rating,
    is_empty,
    is_grade,
    is_polite,
    is_question,
    is_repair,
    is_summary,
    is_verdict,
    stance_of,
    tells_limits,
)
from reviewscore.points.turns import (
    adds_on,
    asks_anew,
    asks_apart,
    asks_else,
    content,
    counts_first,
    counts_on,
    is_numbered,
    is_title,
    joins_on,
    leans_back,
    names_concern,
    points_back,
    requests,
    takes_up,
    topics_of,
)
from reviewscore.schema.review import Role
from reviewscore.text.sentences import TextSpan, sentences


class Concern(NamedTuple):
    """A stretch that is a point, and the words before it that it needs."""

    start: int
    end: int
    context: TextSpan | None


_Placed = tuple[Concern, Role]

_COUNT = re.compile(r"[(\[]?(?P<digits>\d{1,2})[).\]]\s+")
_LONG_CONTEXT = 400
_FEW_BEFORE = 2
"""Most neutral sentences before a criticism in prose that set it up; more are description."""
_CLOSING_SENTENCES = 4
_CLOSES = re.compile(
    r"\W*(?:overall|in (?:summary|conclusion|short|sum|general)|"
    r"to (?:summari[sz]e|conclude|sum up)|"
    r"while (?:this|the) (?:\w+ )?(?:paper|work|study|submission)|"
    r"summari[sz]ing|all in all|taken together|given (?:the above|all|these|my)|"
    r"based on (?:the above|these|my)|with that (?:being )?said|due to (?:the above|these))\b",
    re.IGNORECASE,
)


def _text_of(text: str, part: TextSpan) -> str:
    return text[part.start : part.end]


def _question_starts(text: str, parts: list[TextSpan]) -> set[int]:
    """Indices of sentences that ask something else than the question before them.

    An argument that ends in questions stays whole: only where at least a quarter of the sentences
    ask are the questions points of their own. A question of yes or no refines the one before it,
    unless it shares no word with it.
    """
    owned = [_text_of(text, part) for part in parts]
    asked = [is_question(sentence) for sentence in owned]
    if not any(asked[1:]) or 4 * sum(asked) < len(parts):
        return set()
    starts: set[int] = set()
    said = set(content(owned[0]))
    last = max(index for index, asks in enumerate(asked) if asks)
    for index in range(1, last + 1):
        if asked[index] and _asks_anew(owned, asked, index, said):
            starts.add(index)
        said |= content(owned[index])
    return starts


def _asks_anew(owned: list[str], asked: list[bool], index: int, said: set[str]) -> bool:
    """Whether the question at `index` is no part of what was asked or wished for before it."""
    question, before = owned[index], owned[index - 1]
    if any(asked[:index]):
        apart = asked[index - 1] and asks_apart(question, before)
        return apart or asks_anew(question) or asks_else(question, said)
    return requests(before) and asks_else(question, said)


def _concern_starts(text: str, parts: list[TextSpan], *, entry: bool) -> set[int]:
    """Indices of sentences that say themselves that another concern begins."""
    title = is_title(_text_of(text, parts[0]))
    return {
        index
        for index in range(2 if title else 1, len(parts))
        if _says_new(_text_of(text, parts[index]), entry=entry)
        or _opens_paragraph(text, parts, index)
        or _turns_from_repair(text, parts, index)
    }


def _says_new(sentence: str, *, entry: bool) -> bool:
    """Whether a sentence announces another concern by its first words."""
    if adds_on(sentence):
        return has_criticism(sentence) or not points_back(sentence)
    if joins_on(sentence):
        return has_criticism(sentence) and not is_question(sentence)
    if entry:
        named = takes_up(sentence) or (counts_on(sentence) and not counts_first(sentence))
        return names_concern(sentence) or (named and has_criticism(sentence))
    return (
        names_concern(sentence)
        or takes_up(sentence)
        or counts_on(sentence)
        or is_numbered(sentence)
    )


def _turns_from_repair(text: str, parts: list[TextSpan], index: int) -> bool:
    """Whether a sentence criticises the matter after one that mends words, or the reverse."""
    sentence, before = _text_of(text, parts[index]), _text_of(text, parts[index - 1])
    mends = is_repair(sentence)
    if mends == is_repair(before) or leans_back(sentence):
        return False
    return has_criticism(before if mends else sentence)


def _opens_paragraph(text: str, parts: list[TextSpan], index: int) -> bool:
    """Whether a sentence criticises anew after a blank line."""
    gap = text[parts[index - 1].end : parts[index].start]
    sentence = _text_of(text, parts[index])
    return gap.count("\n") > 1 and has_criticism(sentence) and not leans_back(sentence)


def _counted_starts(text: str, parts: list[TextSpan]) -> set[int]:
    """Indices of sentences that carry a count of concerns on: ``(1) ... (2) ...`` on one line."""
    starts: list[int] = []
    wanted = {1, 2}
    for index, part in enumerate(parts):
        hit = _COUNT.match(text, part.start, part.end)
        if hit is not None and int(hit["digits"]) in wanted:
            starts.append(index)
            wanted = {int(hit["digits"]) + 1}
    ends = [*starts[1:], len(parts)]
    # A count of steps or cases within one argument is no count of concerns.
    concerns = all(
        any(has_criticism(_text_of(text, part)) for part in parts[start:end])
        for start, end in zip(starts, ends, strict=False)
    )
    return set(starts) if concerns else set()


def _topic_starts(text: str, parts: list[TextSpan]) -> set[int]:
    """Indices of critical sentences that turn to another quality of the paper."""
    starts: set[int] = set()
    current = topics_of(_text_of(text, parts[0]))
    for index in range(1, len(parts)):
        sentence = _text_of(text, parts[index])
        topics = topics_of(sentence)
        turned = bool(topics and current) and not topics & current
        if turned and not leans_back(sentence) and has_criticism(sentence):
            starts.add(index)
            current = topics
        else:
            current |= topics
    return starts


def _is_closing(text: str, parts: list[TextSpan]) -> bool:
    """Whether a paragraph sums up and says what becomes of the paper: no concern of its own."""
    if not 0 < len(parts) <= _CLOSING_SENTENCES or _CLOSES.match(_text_of(text, parts[0])) is None:
        return False
    return any(is_verdict(_text_of(text, part)) for part in parts)


def _says_nothing(sentence: str) -> bool:
    """Whether a sentence is polite or tells the authors' own limits back."""
    return is_polite(sentence) or tells_limits(sentence)


def _without(idle: Callable[[str], bool], text: str, parts: list[TextSpan]) -> list[TextSpan]:
    """Sentences without the idle ones around them; what stands in the middle is kept."""
    first, last = 0, len(parts)
    while first < last and idle(_text_of(text, parts[first])):
        first += 1
    while last - 1 > first and idle(_text_of(text, parts[last - 1])):
        last -= 1
    return parts[first:last]


def _grouped(
    text: str, parts: list[TextSpan], starts: set[int], context: TextSpan | None
) -> Iterator[Concern]:
    """Sentences from one start to the next as one concern each."""
    edges = [0, *sorted(starts - {0}), len(parts)]
    counted = _counted_starts(text, parts)
    for first, after in itertools.pairwise(edges):
        lead = context
        if first and lead is None and is_question(_text_of(text, parts[first])):
            before = parts[first - 1]
            lead = before if before.end - before.start <= _LONG_CONTEXT else None
        start = parts[first].start
        lone = after - first == 1 and is_announcement(_text_of(text, parts[first]))
        if lone or (after in counted and text[parts[after - 1].end - 1] == ":"):
            context = TextSpan(start, parts[after - 1].end)  # a lead-in, not a concern
            continue
        mark = _COUNT.match(text, start, parts[first].end) if first in counted else None
        yield Concern(start if mark is None else mark.end(), parts[after - 1].end, lead)


def all_concerns(text: str, block: Block, *, praise: bool = False) -> Iterator[Concern]:
    """The concerns of a block of a section that holds nothing else: only politeness is lost.

    Args:
        text: The text of the section's field.
        block: An entry or a paragraph of it.
        praise: Whether the section is for strengths, whose paragraphs may be praise alone.
    """
    if is_empty(text[block.start : block.end]):
        return
    parts = sentences(text, block.start, block.end)
    parts = _without(is_polite, text, parts) if praise else _critical_part(text, block, parts)
    if not parts:
        return
    starts = _question_starts(text, parts) | _counted_starts(text, parts)
    if not (praise and block.entry):
        starts |= _concern_starts(text, parts, entry=block.entry)
    yield from _grouped(text, parts, starts, block.context)


def _critical_part(text: str, block: Block, parts: list[TextSpan]) -> list[TextSpan]:
    """The sentences of a block of weaknesses or questions that may be points."""
    if is_grade(text[block.start : block.end]):
        return []
    if not block.entry and _is_closing(text, parts):
        return []
    parts = _without(_says_nothing, text, parts)
    if block.entry:
        return parts
    while parts and is_summary(_text_of(text, parts[0])):
        parts = parts[1:]
    if all(stance_of(_text_of(text, part)) is Stance.PRAISE for part in parts):
        return []
    return parts


def _needs_before(sentence: str) -> bool:
    """Whether a sentence leans on the one before it."""
    return leans_back(sentence) or (is_question(sentence) and points_back(sentence))


def _critical_runs(text: str, parts: list[TextSpan], *, entry: bool) -> Iterator[list[TextSpan]]:
    """Runs of sentences that begin with a criticism or question, with what supports it."""
    run: list[TextSpan] = []
    before: list[TextSpan] = []
    for part in parts:
        sentence = _text_of(text, part)
        stance = stance_of(sentence)
        if stance in (Stance.CRITICAL, Stance.QUESTION):
            if not run and entry:
                run = before
            elif not run and _needs_before(sentence):
                run = before[-1:]
            elif not run and len(before) <= _FEW_BEFORE:
                run = [part for part in before if not is_summary(_text_of(text, part))]
            run.append(part)
            before = []
        elif run and stance is Stance.NEUTRAL:
            run.append(part)
        else:
            if run:
                yield run
            run = []
            before = [*before, part] if stance is Stance.NEUTRAL else []
    if run:
        yield run


def _lead_of(text: str, parts: list[TextSpan], first: TextSpan) -> TextSpan | None:
    """The sentence before a run that leans on it."""
    index = bisect_left(parts, first)
    if not index or not _needs_before(_text_of(text, first)):
        return None
    lead = parts[index - 1]
    return lead if lead.end - lead.start <= _LONG_CONTEXT else None


def sifted_concerns(text: str, block: Block) -> Iterator[Concern]:
    """The concerns of a block that may also hold praise, description and decisions."""
    own = text[block.start : block.end]
    if is_empty(own) or is_bare_rating(own):
        return
    parts = sentences(text, block.start, block.end)
    parts = [part for part in parts if not is_aside(_text_of(text, part))]
    for run in _critical_runs(text, parts, entry=block.entry):
        starts = _question_starts(text, run) | _counted_starts(text, run)
        starts |= _concern_starts(text, run, entry=block.entry)
        starts |= _topic_starts(text, run)
        yield from _grouped(text, run, starts, block.context or _lead_of(text, parts, run[0]))


_MARKS = 4
"""Most letters and digits of the list marks between two entries."""


def joined_repairs(
    text: str, concerns: Iterable[_Placed], *, heading: str = ""
) -> Iterator[_Placed]:
    """Concerns of a section with typos and small repairs that stand side by side as one.

    Args:
        text: The text of the section's field.
        concerns: Concerns in reading order with their roles.
        heading: The heading over them.
    """
    last: _Placed | None = None
    mended = False
    for concern, role in concerns:
        mends = _is_repair(text, concern, heading)
        if last is not None and mended and mends and _adjoin(text, last[0], concern):
            last = (last[0]._replace(end=concern.end), last[1])
            continue
        if last is not None:
            yield last
        last, mended = (concern, role), mends
    if last is not None:
        yield last


def _adjoin(text: str, first: Concern, second: Concern) -> bool:
    """Whether nothing but list marks stands between two concerns."""
    between = text[first.end : second.start]
    return sum(char.isalnum() for char in between) <= _MARKS


def _is_repair(text: str, concern: Concern, heading: str) -> bool:
    lead = "" if concern.context is None else _text_of(text, concern.context)
    own = text[concern.start : concern.end]
    return is_repair(own, heading) or is_repair(own, lead)
