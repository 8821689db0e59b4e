"""Text that addresses a model: instructions in a paper, review or response to who judges it.

Sentences are read in 25 languages by what their words mean (`addressing_words`,
`addressing_rules`), forged turns, examples and ready answers by their form (`addressing_forms`),
after disguises are undone (`addressing_disguises`). What is found stays data: it is shown to
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
from reviewscore.papers.addressing_rules import WISHED, Aim, Named, Wish, wish_of
from reviewscore.papers.addressing_words import Glance, fold, glance, latin, marks, mask, scripts
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.record import Record

__all__ = ["Addressing", "Aim", "addressing", "talk_of_prompts"]

_AROUND = 300
"""Characters before and after a phrase in which a paper may say that it is about such phrases."""
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
            quoted = _talked_of(plain.text, low, high)
            passages.append(_addressing(text, (start, end), aim, code, "plain", quoted=quoted))
    return _apart(passages)


def talk_of_prompts(text: str) -> int:
    """In how many places a text speaks of prompts, and of attacks by them."""
    return sum(1 for _ in _TALK.finditer(text))


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
        quoted = spelling == "plain" and _about(plain.text, start, end, wish, code)
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

# Said, or talked about?

_OPENED = re.compile(r"[\"“„«‘「『《]|(?<![^\W_])'|``")
_CLOSED = re.compile(r"[\"”“»’」』》]|'(?![^\W_])|''")
_LED_IN = re.compile(
    r"(?<!\w)(?:prompt\w*|templates?|attack\w*|adversar\w+|inject\w*|instruct\w*|quer(?:y|ies|ied)"
    r"|input|strings?|commands?|sentences?|phrases?|orders|messages?|wr[io]tes?|written|text|asked"
    r"|asks?|told|role-?play|jailbreak\w*|examples?|e\.g|such as|says?|reads?)(?!\w)",
    re.IGNORECASE,
)
_OBEY = re.compile(marks("obey"), re.IGNORECASE)
_TALK = re.compile(marks("talk"), re.IGNORECASE)
_KIND = mask("praise", "sound", "work", "hide", "verdict_for_you")
_LEAST_LEAD = 2


def _about(text: str, offset: int, end: int, wish: Wish, code: str) -> bool:
    """Whether a plain sentence is probably talked about rather than said."""
    first, last = offset + wish.start, offset + wish.end
    if any(_led_in(text, place, code) for place in (first, last - 1)):
        return True
    aimed = bool(wish.means & _KIND and wish.aim is not Aim.SECRET)
    if code == "en" and _is_title(text[offset:end], wish, aimed=aimed):
        return True
    return not aimed and _talked_of(text, first, end)


_OWN = re.compile(r"(?<!\w)(?:this|our|these|my)(?!\w)", re.IGNORECASE)
_PARTED = re.compile(r"\w:\s|\s[-–—]\s|[!?]\s")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_CAPITALS = 0.6
_SUBTITLE = re.compile(
    r"\s*(?::|[-–—]|\?)\s*[^:!?]*(?<!\w)(?:attacks?|survey|benchmark\w*|stud(?:y|ies)|towards?|evaluat\w+"
    r"|language models?|llms?|framework|datasets?|analysis|investigation|exposing|understanding"
    r"|methods?|defen[cs]es?|learning|agents?)(?!\w)",
    re.IGNORECASE,
)


def _is_title(sentence: str, wish: Wish, *, aimed: bool) -> bool:
    """Whether a sentence is the title of a work: in capitals, in two parts, about no own paper."""
    if _OWN.search(sentence) or sentence.isupper():
        return False
    if not aimed and _SUBTITLE.match(sentence, wish.end):
        return True
    words = _LONG_WORD.findall(sentence)
    capitals = sum(word[0].isupper() for word in words)
    return capitals >= len(words) * _CAPITALS and bool(_PARTED.search(sentence))


def _talked_of(text: str, start: int, end: int) -> bool:
    """Whether prompts are spoken of near a span."""
    return bool(
        _TALK.search(text, max(0, start - _AROUND), start)
        or _TALK.search(text, end, min(len(text), end + _AROUND))
    )


def _led_in(text: str, place: int, code: str) -> bool:
    """Whether a place stands in quotation marks that a sentence leads in."""
    begin = max(0, text.rfind("\n\n", 0, place) + 1, place - _AROUND)
    before = text[begin:place]
    opened = None
    for mark in _OPENED.finditer(before):
        opened = mark
    if opened is None or not _CLOSED.search(text, place, min(len(text), place + _AROUND)):
        return False
    lead = before[: opened.start()]
    if _CLOSED.search(before, opened.end()) or _OBEY.search(lead):
        return False
    if len(lead.split()) < _LEAST_LEAD and lead.isascii():
        return False
    return bool(_LED_IN.search(lead)) if code == "en" else bool(lead.strip())
