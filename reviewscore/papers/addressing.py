"""Text that addresses a model: instructions in a paper, review or response to who judges it.

Sentences are read in 25 languages by what their words mean (`addressing_words`,
`addressing_rules`), forged turns, examples and ready answers by their form (`addressing_forms`),
after disguises are undone (`addressing_disguises`); what is only talked about is told apart
(`addressing_quoted`). What is found stays data: it is shown to
people, and judges get it as part of the fenced text they judge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from reviewscore.papers.addressing_disguises import (
    LEET,
    SPACED,
    Stretch,
    beside,
    decoded,
    leet,
    levelled,
    may_be_turned,
    spaced,
    turned,
    unmixed,
)
from reviewscore.papers.addressing_forms import answers, examples, forged
from reviewscore.papers.addressing_quoted import spoken_near, talk_of_prompts, talked_about
from reviewscore.papers.addressing_rules import WISHED, Aim, Named, Wish, wish_of
from reviewscore.papers.addressing_words import Glance, fold, glance, latin, mask, scripts
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.record import Record

__all__ = ["Addressing", "Aim", "addressing", "talk_of_prompts"]

_SHOWN = 320
_SENTENCE = re.compile(
    r"[^\s.!?。！？।؟](?:[^.!?。！？।؟\n]|[.!?](?=[^\s\"'”’)\]])"
    r"|\n(?!\s*(?:\n|[-*•#>%<{|`]|[^\W\d_]+:)))*[.!?。！？।؟]*"
)
_LONGEST = 700
"""Longer sentences are read in pieces."""
_LETTER = re.compile(r"[^\W\d_]")


class Addressing(Record):
    """A stretch of text that addresses a model.

    Attributes:
        text: The sentence as it stands there, or the rest of it where it is quoted; decoded if it
            was coded.
        aim: What it wants of the model.
        language: Code of its language, such as ``en``.
        spelling: ``plain``, or how it is disguised.
        start: Offset of its first character.
        end: Offset just after its last character.
        page: 1-based page, where known.
        quoted: Whether it is probably talked about rather than said: in quotation marks that a
            sentence leads in, or in a text about prompts without a wish for a kind verdict.
            Disguised ones never are.
    """

    text: str
    aim: Aim
    language: str
    spelling: str
    start: int
    end: int
    page: int | None = None
    quoted: bool = False


def addressing(text: str) -> tuple[Addressing, ...]:
    """All stretches of a text that address a model, in order; overlapping ones once.

    Linear in the length of the text.
    """
    plain, stretches = levelled(text)
    passages = [*_coded(text), *_beside(text, plain), *_said(text, plain, stretches)]
    for form in (forged, answers, examples):
        for low, high, aim, code in form(plain.text):
            start, end = plain.original_span(low, high)
            quoted = spoken_near(plain.text, low, high)
            passages.append(_addressing(text, (start, end), aim, code, "plain", quoted=quoted))
    return _apart(passages)


def _addressing(
    text: str, span: tuple[int, int], aim: Aim, code: str, spelling: str, *, quoted: bool = False
) -> Addressing:
    start, end = span
    return Addressing(
        text=_cut(text[start:end]),
        aim=aim,
        language=code,
        spelling=spelling,
        start=start,
        end=end,
        quoted=quoted,
    )


def _cut(said: str) -> str:
    return " ".join(said.split())[:_SHOWN]


def _apart(passages: list[Addressing]) -> tuple[Addressing, ...]:
    """What was found, in order; of what overlaps, what is said, not quoted, and the longest."""
    kept: list[Addressing] = []
    for passage in sorted(
        passages, key=lambda passage: (passage.start, passage.quoted, -passage.end)
    ):
        if not kept or passage.start >= kept[-1].end:
            kept.append(passage)
        elif kept[-1].quoted and not passage.quoted:
            kept[-1] = passage
    return tuple(kept)


def _coded(text: str) -> Iterator[Addressing]:
    """Words in codes; that they were coded is enough to suspect them."""
    for stretch in decoded(text):
        said = fold(stretch.said)[:_LONGEST]
        look = glance(said, stretch.said)
        wish, code = _read(said, look, disguised=True)
        yield Addressing(
            text=_cut(stretch.said),
            aim=Aim.ROLE if wish is None else wish.aim,
            language=code or look.languages[0],
            spelling=stretch.spelling,
            start=stretch.start,
            end=stretch.end,
        )


def _beside(text: str, plain: MappedText) -> Iterator[Addressing]:
    """Words in addresses and for pictures; less is enough, for nobody speaks to people there."""
    for stretch in beside(plain.text):
        for start, end in _sentences(stretch.said):
            said = fold(stretch.said[start:end])
            look = glance(said, stretch.said)
            wish, code = _read(said, look, disguised=True)
            if wish is not None and wish.means & WISHED:
                span = plain.original_span(stretch.start, stretch.end)
                yield _addressing(text, span, wish.aim, code, stretch.spelling)
                break


def _said(text: str, plain: MappedText, stretches: Sequence[Stretch]) -> Iterator[Addressing]:
    """Sentences in words, plain or disguised."""
    whole = fold(plain.text)
    starts = [stretch.start for stretch in stretches]
    digits = [match.start() for match in LEET.finditer(whole)]
    gaps = [match.start() for match in SPACED.finditer(f"\n{whole}")]
    named = -1
    for start, end in _sentences(whole):
        sentence, spelling = whole[start:end], "plain"
        asked = named >= 0 and "\n\n" not in whole[named:start]
        if stretches:
            low, high = plain.original_span(start, end)
            place = bisect_right(starts, high - 1)
            if place and stretches[place - 1].end > low:
                spelling = stretches[place - 1].spelling
        look = glance(sentence, plain.text[start:end])
        wish, code = _read(sentence, look, disguised=spelling not in ("plain", "URL encoding"))
        named = end if wish is None and code else -1
        if wish is None and asked:
            wish, code = _read(sentence, look, disguised=True)
            wish = wish if wish and wish.means & _ASKED else None
        if wish is None and spelling == "full-width letters":
            wish, code = Wish(Aim.ROLE, 0, end - start, 0), look.languages[0]
        if wish is None:
            wish, code, spelling = _undone(
                (
                    unmixed(plain.text[start:end]),
                    spaced(sentence) if _within(gaps, start, end) else (),
                    leet(sentence) if _within(digits, start, end) > 1 else (),
                    turned(sentence) if may_be_turned(look) else (),
                )
            )
        if wish is None:
            continue
        quoted = spelling == "plain" and talked_about(plain.text, start, end, wish, code)
        first = start + wish.start if quoted else start
        span = plain.original_span(first, end)
        yield _addressing(text, span, wish.aim, code, spelling, quoted=quoted)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text):
        start, last = match.span()
        if last - start > _LONGEST:
            for piece in range(start, last, _LONGEST):
                yield piece, min(last, piece + _LONGEST)
        elif _LETTER.search(text, start, last):
            yield start, last


def _read(sentence: str, look: Glance, *, disguised: bool = False) -> tuple[Wish | None, str]:
    """What a sentence wants, and its language; also where it only names a program."""
    named = ""
    unsure = disguised and not look.little and not scripts(sentence)
    for code in dict.fromkeys((*look.languages, *(latin() if unsure else ()))):
        wish = wish_of(sentence, code, look.words, disguised=disguised)
        if isinstance(wish, Wish):
            return wish, code
        named = named or (wish.code if isinstance(wish, Named) else "")
    return None, named


def _within(starts: Sequence[int], start: int, end: int) -> int:
    """How many of some places lie in a span."""
    return bisect_right(starts, end - 1) - bisect_right(starts, start - 1)


def _undone(ways: Iterable[Iterable[tuple[str, str]]]) -> tuple[Wish | None, str, str]:
    """What a sentence wants once a disguise is undone, its language, and the disguise."""
    for readings in ways:
        for spelling, words in readings:
            said = fold(words)
            sure = spelling != "reversed" or not scripts(said)
            wish, code = _read(said, glance(said), disguised=sure)
            if wish is None and spelling == "spaced letters" and len(said.split()) >= _PHRASE:
                wish = Wish(Aim.ROLE, 0, len(said), 0) if glance(said).little else None
            if wish is not None:
                return wish, code or "en", spelling
    return None, "", "plain"


_PHRASE = 5
"""Words in spaced letters that are more than a heading."""


_ASKED = mask("praise", "best", "hide", "laud")
"""What is asked of a program that the sentence before names."""
