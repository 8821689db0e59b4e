"""Text that addresses a model: instructions in a paper or review to whoever judges it by machine.

Plain words are found, and words disguised by look-alike letters, digits for letters, spaces or
dots between letters, characters without a shape, or base64. What is found stays data: it is shown
to people, and judges get it as part of the fenced text they judge.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from reviewscore.papers.addressing_phrases import (
    DISGUISED,
    OTHERS,
    SCRIPTS,
    STEMS,
    Aim,
    english,
    others,
)
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.record import Record

_WORDS_BETWEEN = r"[\s\-_,*]{1,4}"
_NOTHING_BETWEEN = r"[\s\-_,*]{0,4}"
_AROUND = 300
"""Characters before and after a phrase in which a paper may say that it is about such phrases."""
_SHOWN = 160

_SHAPELESS = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_SPACED = re.compile(r"(?<![^\W_])[^\W_](?:[ .\-_*·|/]{1,3}[^\W_]){7,}(?![^\W_])")
_SEPARATOR = re.compile(r"[ .\-_*·|/]")
_BASE64 = re.compile(r"(?<![\w+/=:.-])[A-Za-z0-9+/]{24,2000}={0,2}(?![\w+/])")
_QUOTED = re.compile(r"[\"“”«»„'‘’`「『《]")
_ABOUT = re.compile(
    r"prompt[- ]?inject|jailbreak|adversarial(?:ly)?[- ]prompt|indirect(?:ly)? inject"
    r"|system prompt|prompt template|prompt[- ](?:leak|hack|attack|engineer)"
    r"|hidden (?:prompt|instruct)|instruction[- ](?:tun|follow|hierarch)|few-shot prompt"
    r"|the following prompt",
    re.IGNORECASE,
)

_LOOKALIKES = {
    "a": "аαаɑ", "b": "ЬвЬ", "c": "сϲс", "d": "ԁ", "e": "еεеҽ", "f": "ғ", "g": "ɡց", "h": "һн",
    "i": "іıιɩ", "j": "јʝ", "k": "кκ", "l": "ӏⅼ", "m": "мϻ", "n": "пηո", "o": "оοоօ", "p": "рρр",
    "q": "ԛզ", "r": "гг", "s": "ѕꜱ", "t": "тτ", "u": "υսц", "v": "νѵ", "w": "ѡԝω", "x": "хχ",
    "y": "уүγ", "z": "ᴢ",
}  # fmt: skip
_FOLDED = {
    **{ord(one): plain for plain, many in _LOOKALIKES.items() for one in many},
    **{ord(one.upper()): plain for plain, many in _LOOKALIKES.items() for one in many
       if len(one.upper()) == 1},
}  # fmt: skip
_DIGITS = dict(zip(map(ord, "0134578@$!|"), "oieastbasii", strict=True))


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
        quoted: Whether it is probably talked about rather than said: in quotation marks, or in a
            text about prompts. Disguised ones never are.
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
    found = [*_said(text), *_coded(text)]
    found.sort(key=lambda one: (one.start, one.spelling != "plain", -one.end))
    kept: list[Addressing] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _said(text: str) -> Iterator[Addressing]:
    """Phrases in words, plain or disguised."""
    plain = MappedText(text)
    if not text.isascii():
        plain = _exchanged(plain, _narrow()).rewrite(_SHAPELESS, lambda _: "")
    yield from _english(text, plain, "plain", _WORDS_BETWEEN)
    lowered = _lowered(plain)
    for language in OTHERS:
        if not _worthwhile(language, lowered):
            continue
        for pattern in _others(language):
            for match in pattern.matches(lowered):
                start, end = plain.original_span(*match.span())
                yield _found(text, start, end, pattern.aim, language, "plain")
    yield from _disguised(text, plain)


def _lowered(mapped: MappedText) -> str:
    """The text in small letters, as long as it was: one capital alone becomes two letters."""
    return mapped.text.replace("\u0130", "I").lower()


def _worthwhile(language: str, lowered: str) -> bool:
    if language in SCRIPTS:
        return SCRIPTS[language].search(lowered) is not None
    return any(stem in lowered for stem in STEMS[language])


def _disguised(text: str, plain: MappedText) -> Iterator[Addressing]:
    """Phrases that come to light when one disguise after the other is undone."""
    known = _stems(plain)
    for spelling, gap, undo in _DISGUISES:
        undone = undo(plain)
        stems = _stems(undone)
        if stems > known:
            yield from _english(text, undone, spelling, gap)
        plain, known = undone, stems


def _stems(mapped: MappedText) -> int:
    return sum(map(_lowered(mapped).count, DISGUISED))


def _letters(mapped: MappedText) -> MappedText:
    return _exchanged(mapped, _FOLDED)


def _exchanged(mapped: MappedText, table: dict[int, str]) -> MappedText:
    """The text with foreign letters exchanged, one for one; there are few in most texts."""
    text = _FOREIGN.sub(lambda match: table.get(ord(match.group()), match.group()), mapped.text)
    return MappedText(text, mapped.layers)


def _unspaced(mapped: MappedText) -> MappedText:
    return mapped.rewrite(_SPACED, lambda match: _SEPARATOR.sub("", match.group()))


def _spelled(mapped: MappedText) -> MappedText:
    return mapped.translate(_DIGITS)


_DISGUISES = (
    ("look-alike letters", _WORDS_BETWEEN, _letters),
    ("spaced letters", _NOTHING_BETWEEN, _unspaced),
    ("digits for letters", _NOTHING_BETWEEN, _spelled),
)


def _english(text: str, mapped: MappedText, spelling: str, gap: str) -> Iterator[Addressing]:
    lowered = _lowered(mapped)
    for pattern in _patterns(gap):
        for match in pattern.matches(lowered):
            start, end = mapped.original_span(*match.span())
            yield _found(text, start, end, pattern.aim, "en", spelling)


_patterns = lru_cache(maxsize=4)(english)
_others = lru_cache(maxsize=16)(others)


@lru_cache(maxsize=1)
def _narrow() -> dict[int, str]:
    """Full-width, circled and mathematical letters and spaces as plain ones, one for one."""
    blocks = (range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800), range(0x24B6, 0x24EA),
              range(0x2000, 0x200B), (0xA0, 0x202F, 0x3000), range(0x2100, 0x2150))  # fmt: skip
    table = {}
    for block in blocks:
        for code in block:
            plain = unicodedata.normalize("NFKC", chr(code))
            if len(plain) == 1:
                table[code] = plain
    return table


def _found(text: str, start: int, end: int, aim: Aim, language: str, spelling: str) -> Addressing:
    quoted = spelling == "plain" and _is_quoted(text, start, end)
    return Addressing(
        text=_shown(text, start, end),
        aim=aim,
        language=language,
        spelling=spelling,
        start=start,
        end=end,
        quoted=quoted,
    )


def _shown(text: str, start: int, end: int) -> str:
    """The stretch with what follows it in its line or sentence."""
    rest = re.split(r"(?<=[.!?。])\s|\n\n", text[end : end + _SHOWN], maxsplit=1)[0]
    return " ".join((text[start:end] + rest).split())[: 2 * _SHOWN]


def _is_quoted(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 3) : start + 1], text[end : end + _AROUND]
    if _QUOTED.search(before) and _QUOTED.search(after):
        return True
    return _ABOUT.search(text, max(0, start - _AROUND), min(len(text), end + _AROUND)) is not None


def _coded(text: str) -> Iterator[Addressing]:
    """Phrases in base64."""
    for match in _BASE64.finditer(text):
        whole = match.group().rstrip("=")
        try:
            raw = base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True)
            said = raw.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        for one in (*_said(said),):
            yield one.model_copy(
                update={
                    "text": said[: 2 * _SHOWN],
                    "spelling": "base64",
                    "start": match.start(),
                    "end": match.end(),
                    "quoted": False,
                }
            )
