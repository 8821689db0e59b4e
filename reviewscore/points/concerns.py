"""Where in an entry or paragraph one concern ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from reviewscore.points.blocks import Block
from reviewscore.points.sentences import Stretch, sentences
from reviewscore.points.stance import (
    Stance,
    has_criticism,
    is_aside,
    is_bare_rating,
    is_empty,
    is_polite,
    is_question,
    stance_of,
)


class Concern(NamedTuple):
    """A stretch that is a point, and the words before it that it needs."""

    start: int
    end: int
    context: Stretch | None


_NEW = re.compile(
    r"\W*(?:(?:another|one (?:more|other)|(?:my|the) (?:other|second|third|next|last|final|main|major|"
    r"biggest|primary|first|only)) (?:\w+ ){0,3}(?:concern|weakness|issue|point|question|problem|"
    r"limitation|drawback|comment|suggestion|worry|confusion|thing|downside|shortcoming)|"
    r"(?:first|second|third|fourth|fifth|last|final)(?:ly)?,|lastly|finally|secondly|thirdly|"
    r"(?:regarding|as for|with regards? to|concerning|on the (?:experimental|theoretical|empirical|"
    r"writing|presentation|other) \w+),? |in terms of|[(\[]?\d{1,2}[)\].](?!\d)|[(\[][a-hivx]{1,3}[)\]]|"
    r"minor(?: \w+)?:|typos?:|(?:additionally|in addition|also|besides|moreover|furthermore|apart "
    r"from (?:this|that)|aside from)[, ])",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\W*(?:also|moreover|furthermore|besides|additionally|in addition)\b", re.IGNORECASE
)
_BACK = re.compile(
    r"\W*(?:it|its|they|their|them|this|that|these|those|such|he|she|so|or|and|but|if so|if not|if yes|"
    r"otherwise|why\?|how\?|how so|why not|what if not|for example|for instance|e\.g|i\.e|in other "
    r"words|in this case|in that case|is (?:it|this|that)|are (?:they|these|those)|does (?:it|this|"
    r"that)|do (?:they|these|those)|did (?:it|this|that|they)|was (?:it|this|that)|would (?:it|this|"
    r"that|they)|could (?:it|this|that)|can (?:it|this|that|they)|will (?:it|this|that)|should (?:it|"
    r"this|that)|has (?:it|this|that)|what (?:is|are|about) (?:this|that|it|they|these)|why (?:is|are|"
    r"does|do|did|was) (?:it|this|that|they|these)|how (?:is|are|does|do|did|was|can) (?:it|this|that|"
    r"they|these)|then|therefore|thus|hence|specifically|in particular|which|because|since|same|"
    r"however|i (?:mean|ask)|what about|any\b|or\b)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 5
_LONG_CONTEXT = 400


def _stands_alone(question: str) -> bool:
    return len(question.split()) >= _LEAST_WORDS and _BACK.match(question) is None


def _text_of(text: str, part: Stretch) -> str:
    return text[part.start : part.end]


def _question_starts(text: str, parts: list[Stretch]) -> set[int]:
    """Indices of sentences that are a further question, able to stand alone, in a row of them."""
    asked = [is_question(_text_of(text, part)) for part in parts]
    return {
        index
        for index in range(1, len(parts))
        if asked[index] and asked[index - 1] and _stands_alone(_text_of(text, parts[index]))
    }


def _concern_starts(text: str, parts: list[Stretch]) -> set[int]:
    """Indices of sentences that open a new concern in a paragraph."""
    starts: set[int] = set()
    for index in range(1, len(parts)):
        sentence = _text_of(text, parts[index])
        if _NEW.match(sentence) is None:
            continue
        if _SOFT.match(sentence) is None or has_criticism(sentence):
            starts.add(index)
    return starts


def _without_asides(text: str, parts: list[Stretch]) -> list[Stretch]:
    """Sentences without the politeness around them; what stands in the middle is kept."""
    first, last = 0, len(parts)
    while first < last and is_polite(_text_of(text, parts[first])):
        first += 1
    while last > first and is_polite(_text_of(text, parts[last - 1])):
        last -= 1
    return parts[first:last]


def _grouped(
    text: str, parts: list[Stretch], starts: set[int], context: Stretch | None
) -> Iterator[Concern]:
    """Sentences from one start to the next as one concern each."""
    edges = [0, *sorted(starts - {0}), len(parts)]
    for first, after in zip(edges, edges[1:], strict=False):
        lead = context
        if first and lead is None and is_question(_text_of(text, parts[first])):
            before = parts[first - 1]
            lead = before if before.end - before.start <= _LONG_CONTEXT else None
        yield Concern(parts[first].start, parts[after - 1].end, lead)


def all_concerns(text: str, block: Block) -> Iterator[Concern]:
    """The concerns of a block in a section that holds nothing else: nothing but politeness is lost."""
    if is_empty(text[block.start : block.end]):
        return
    parts = _without_asides(text, sentences(text, block.start, block.end))
    if not parts:
        return
    starts = _question_starts(text, parts)
    if not block.entry:
        if all(stance_of(_text_of(text, part)) is Stance.PRAISE for part in parts):
            return
        starts |= _concern_starts(text, parts)
    yield from _grouped(text, parts, starts, block.context)


def _critical_runs(text: str, parts: list[Stretch]) -> Iterator[list[Stretch]]:
    """Runs of sentences that begin with a criticism or question, with what supports it."""
    run: list[Stretch] = []
    neutral: Stretch | None = None
    for part in parts:
        sentence = _text_of(text, part)
        stance = stance_of(sentence)
        if stance in (Stance.CRITICAL, Stance.QUESTION):
            linked = not run and neutral is not None and _BACK.match(sentence) is not None
            run += [neutral, part] if linked and neutral is not None else [part]
        elif run and stance is Stance.NEUTRAL:
            run.append(part)
        elif run:
            yield run
            run = []
        neutral = part if stance is Stance.NEUTRAL else None
    if run:
        yield run


def sifted_concerns(text: str, block: Block) -> Iterator[Concern]:
    """The concerns of a block that may also hold praise, description and decisions."""
    own = text[block.start : block.end]
    if is_empty(own) or is_bare_rating(own):
        return
    parts = sentences(text, block.start, block.end)
    parts = [part for part in parts if not is_aside(_text_of(text, part))]
    for run in _critical_runs(text, parts):
        starts = _question_starts(text, run)
        if not block.entry:
            starts |= _concern_starts(text, run)
        yield from _grouped(text, run, starts, block.context)
