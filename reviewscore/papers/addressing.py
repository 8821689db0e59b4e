"""Text that addresses a model: instructions in a paper, review or response to who judges it by machine.

Sentences are read in 25 languages by what their words mean (`addressing_words`, `addressing_rules`),
forged turns, examples and ready answers by their form (`addressing_forms`), after disguises are undone
(`addressing_disguises`). What is found stays data: it is shown to people, and judges get it as part of
the fenced text they judge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from reviewscore.papers.addressing_disguises import (
    LEET,
    SPACED,
    Stretch,
    decoded,
    leet,
    levelled,
    may_be_turned,
    spaced,
    turned,
    unmixed,
)
from reviewscore.papers.addressing_forms import answers, examples, forged
from reviewscore.papers.addressing_rules import Aim, Wish, wish_of
from reviewscore.papers.addressing_words import Glance, fold, glance, languages, mask, scripts
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.record import Record

__all__ = ["Addressing", "Aim", "addressing"]

_AROUND = 300
"""Characters before and after a phrase in which a paper may say that it is about such phrases."""
_SHOWN = 160
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
        text: The stretch as it stands there, with a little around it; decoded if it was coded.
        aim: What it wants of the model.
        language: Code of its language, such as ``en``.
        spelling: ``plain``, or how it is disguised.
        start: Offset of its first character.
        end: Offset just after its last character.
        page: 1-based page, where known.
        quoted: Whether it is probably talked about rather than said: in quotation marks that a
            sentence leads in, or in a text about prompts without asking for a kind verdict.
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
    found = [
        Addressing(
            text=_cut(stretch.said),
            aim=_aim(fold(stretch.said)),
            language=languages(fold(stretch.said))[0],
            spelling=stretch.spelling,
            start=stretch.start,
            end=stretch.end,
        )
        for stretch in decoded(text)
    ]
    plain, stretches = levelled(text)
    found += _said(text, plain, stretches)
    for form in (forged, answers, examples):
        for start, end, aim, code in form(plain.text):
            start, end = plain.original_span(start, end)
            found.append(_plain(text, start, end, aim, code))
    return _apart(found)


def _apart(found: list[Addressing]) -> tuple[Addressing, ...]:
    """What was found, in order; of what overlaps, what is said rather than quoted, and the longest."""
    kept: list[Addressing] = []
    for one in sorted(found, key=lambda one: (one.start, one.quoted, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif kept[-1].quoted and not one.quoted:
            kept[-1] = one
    return tuple(kept)


def _aim(said: str) -> Aim:
    """What decoded words want; that they were coded is enough to suspect them."""
    wish, _ = _read(said[:_LONGEST], glance(said), disguised=True)
    return Aim.ROLE if wish is None else wish.aim


def _said(text: str, plain: MappedText, stretches: Sequence[Stretch]) -> Iterator[Addressing]:
    """Sentences in words, plain or disguised."""
    whole = fold(plain.text)
    starts = [stretch.start for stretch in stretches]
    digits = [match.start() for match in LEET.finditer(whole)]
    gaps = [match.start() for match in SPACED.finditer(whole)]
    for start, end in _sentences(whole):
        sentence, spelling = whole[start:end], "plain"
        if stretches:
            low, high = plain.original_span(start, end)
            place = bisect_right(starts, high - 1)
            if place and stretches[place - 1].end > low:
                spelling = stretches[place - 1].spelling
        look = glance(sentence, plain.text[start:end])
        wish, code = _read(sentence, look, disguised=spelling not in ("plain", "URL encoding"))
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
        low, high = plain.original_span(start, end)
        quoted = spelling == "plain" and _about(plain.text, start, wish, code)
        yield Addressing(
            text=_cut(text[low:high]),
            aim=wish.aim,
            language=code,
            spelling=spelling,
            start=low,
            end=high,
            quoted=quoted,
        )


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text):
        start, last = match.span()
        if last - start > _LONGEST:
            for piece in range(start, last, _LONGEST):
                yield piece, min(last, piece + _LONGEST)
        elif _LETTER.search(text, start, last):
            yield start, last


def _read(sentence: str, look: Glance, *, disguised: bool = False) -> tuple[Wish | None, str]:
    for code in look.languages:
        wish = wish_of(sentence, code, look.words, disguised=disguised)
        if wish is not None:
            return wish, code
    return None, ""


def _within(starts: Sequence[int], start: int, end: int) -> int:
    """How many of some places lie in a span."""
    return bisect_right(starts, end - 1) - bisect_right(starts, start - 1)


def _undone(ways: Iterable[Iterable[tuple[str, str]]]) -> tuple[Wish | None, str, str]:
    """What a sentence wants once a disguise is undone, its language, and the disguise."""
    for readings in ways:
        for spelling, said in readings:
            said = fold(said)
            wish, code = _read(said, glance(said), disguised=spelling != "reversed" or not scripts(said))
            if wish is not None:
                return wish, code, spelling
    return None, "", "plain"


_OPENED = re.compile(r"[\"“„«‘「『《]|(?<![^\W_])'|``")
_CLOSED = re.compile(r"[\"”“»’」』》]|'(?![^\W_])|''")
_LED_IN = re.compile(
    r"(?<!\w)(?:prompt\w*|templates?|attack\w*|adversar\w+|inject\w*|instruct\w*|quer(?:y|ies|ied)|input"
    r"|strings?|commands?|sentences?|phrases?|orders|messages?|wr[io]tes?|written|text|asked|asks?|told"
    r"|role-?play|jailbreak\w*|examples?|e\.g|such as|says?|reads?)(?!\w)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"prompt[- ]?inject|injection attack|jailbreak|adversarial(?:ly)?[- ]prompt|indirect(?:ly)? inject"
    r"|system prompt|prompt templates?|prompt[- ](?:leak|hack|attack|engineer|template|used)|hidden (?:prompt|instruct)"
    r"|instruction[- ](?:tun|follow|hierarch)|few-shot prompt|the following prompt|red[- ]team|attacker"
    r"|adversary|prompts? (?:used|for|we|is|are)|llm-as-a-judge|(?:we|then) prompt|prompted|user prompt",
    re.IGNORECASE,
)


def _about(text: str, offset: int, wish: Wish, code: str) -> bool:
    """Whether a plain sentence is probably talked about rather than said."""
    start, end = offset + wish.start, offset + wish.end
    line = text[max(0, text.rfind("\n\n", 0, start) + 1, start - _AROUND) : start]
    for place in (start, end - 1):
        if _led_in(text[max(0, text.rfind("\n\n", 0, place) + 1, place - _AROUND) : place], text[place : place + _AROUND], code):
            return True
    aimed = wish.means & _KIND and wish.aim is not Aim.SECRET
    talk = _TALK.search(text, max(0, start - _AROUND), start) or _TALK.search(
        text, end, min(len(text), end + _AROUND)
    )
    return talk is not None and not aimed


_KIND = mask("praise", "sound", "work", "hide", "verdict_for_you")


def _led_in(before: str, after: str, code: str) -> bool:
    """Whether a place stands in quotation marks that a sentence leads in."""
    opened = None
    for opened in _OPENED.finditer(before):
        pass
    if opened is None or not _CLOSED.search(after):
        return False
    lead, inside = before[: opened.start()], before[opened.end() :]
    if _CLOSED.search(inside) or len(lead.split()) < _LEAST_LEAD and lead.isascii():
        return False
    return bool(_LED_IN.search(lead)) if code == "en" else bool(lead.strip())


_LEAST_LEAD = 2


def _plain(text: str, start: int, end: int, aim: Aim, code: str) -> Addressing:
    talk = _TALK.search(text, max(0, start - _AROUND), min(len(text), end + _AROUND))
    return Addressing(
        text=_cut(text[start:end]),
        aim=aim,
        language=code,
        spelling="plain",
        start=start,
        end=end,
        quoted=talk is not None,
    )


def _cut(said: str) -> str:
    return " ".join(said.split())[: 2 * _SHOWN]
