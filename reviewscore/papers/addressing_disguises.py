"""Disguises undone: what a text says to a model in letters that people do not read as words.

Two kinds. What only looks otherwise (full-width, look-alike or spaced letters, zero-width
characters, entities, hyphens at line ends) is levelled in place, so that its offsets are known.
What is coded (base64, hex, ROT13, reversed, tag characters) is decoded and read by itself: nobody
writes words so in a paper, so that words are enough.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from reviewscore.papers.addressing_words import (
    TOKEN,
    LanguageGuess,
    codes,
    familiar,
    fold,
    language,
    little_words,
    scripts,
)
from reviewscore.papers.hidden import WIDTHLESS as SHAPELESS
from reviewscore.papers.offsets import MappedText

_FOREIGN = re.compile(r"[^\x00-\x7f]")
_LOOKALIKES = {
    "a": "аαɑ", "b": "ЬвЬ", "c": "сϲ", "d": "ԁ", "e": "еҽ", "f": "ғ", "g": "ɡց", "h": "һн",
    "i": "іıιɩ", "j": "јʝ", "k": "кκ", "l": "ӏⅼ", "m": "мϻ", "n": "пηո", "o": "оοօ", "p": "рρ",
    "q": "ԛզ", "r": "г", "s": "ѕꜱ", "t": "тτ", "u": "υսц", "v": "νѵ", "w": "ѡԝω", "x": "хχ",
    "y": "уүγ", "z": "ᴢ",
}  # fmt: skip
_CAPITALS = dict(zip("АВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABCEHIJKMOPSTXYABEZHIKMNOPTYX", strict=True))
_PLAIN = {
    **{ord(char): plain for plain, many in _LOOKALIKES.items() for char in many},
    **{ord(char): plain for char, plain in _CAPITALS.items()},
}
_MIXED = re.compile(
    r"[A-Za-z][\u0400-\u052f\u0370-\u03ff]{1,4}(?=[A-Za-z])|[\u0400-\u052f][A-Za-z]"
    r"|[A-Za-z][\u0400-\u052f]"
)
"""Letters of two alphabets within a word."""
_LEAST_MIXED = 3
_TO_CYRILLIC = str.maketrans("aceopxyABCEHKMOPTXkmtrbnu", "асеорхуАВСЕНКМОРТХкмтгьпи")
_CYRILLIC = re.compile("[\u0430-\u044f]")
_LEAST_CYRILLIC = 12
"""Small letters from which on a sentence with both alphabets may be in a Slavic language."""


@dataclass(frozen=True, slots=True)
class DisguisedSpan:
    """A disguised stretch of a text.

    Attributes:
        start: Offset of its first character.
        end: Offset just after its last character.
        spelling: How it is disguised.
        said: What it says, where it was decoded; empty where it was levelled in place.
    """

    start: int
    end: int
    spelling: str
    said: str = ""


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


_WIDER = re.compile(
    "[\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9\u2000-\u200a\u00a0\u202f\u3000\u2100-\u214f]+"
)
_VOWELS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u05b0-\u05c7]+")
"""Signs for vowels that Arabic and Hebrew texts may have or not."""
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_BROKEN = re.compile(r"(?<=[^\W\d_])[-\u00ad‐]\n[ \t]*(?=[^\W\d_])")
_PIECES = re.compile(r"(?:(?<=\n)|\A)(?:[^\n]{1,24}[^\W\d_][-\u00ad‐]\n){4,}[^\n]{1,60}")
"""Lines in a row that are too short for words to need hyphens at their ends."""
_HIDDEN_MARKUP = re.compile(
    r"<!--(?s:.{4,2000}?)-->|^\[(?://|comment)\]: # [(\"'][^\n]{4,500}"
    r"|<(\w+)[^<>]{0,80}(?:display:\s*none|visibility:\s*hidden|font-size:\s*0)[^<>]{0,80}>[^<]{4,800}"
    r"|\\(?:h|v)?phantom\{[^{}]{4,500}"
    r"|\\(?:text)?color\{white\}\{?(?:[^{}]|\{[^{}]{0,80}\}){4,500}"
    r"|\\begin\{comment\}(?s:.{4,2000}?)\\end\{comment\}|\\iffalse\b(?s:.{4,2000}?)\\fi\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What a page or a printed text does not show."""
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,24});")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
SPACED = re.compile(r"[^\w](\w(?:[ .\-*·|/]{1,3}\w\b){5,})")
"""Letters that stand alone, in a row; a sign goes before the first."""
_WIDE = re.compile(r"(?:[\uff01-\uff5e][\u3000\s]*){20,}")
_SPLIT = re.compile(rf"(?:[^\W_]{SHAPELESS.pattern}[^\W_]?\s?){{4,}}")
_ENTITIES = re.compile(r"(?:&#[xX]?[0-9a-fA-F]{1,6};[\s\w]{0,2}){6,}")
_PERCENTS = re.compile(r"[^\s\"'<>()]*(?:%[0-9A-Fa-f]{2}[^\s\"'<>()%]*){3,}")


def levelled(text: str) -> tuple[MappedText, tuple[DisguisedSpan, ...]]:
    """A text with what only looks otherwise as plain letters, and where it was disguised so."""
    plain, stretches = MappedText(text), []
    if not text.isascii():
        plain = MappedText(_WIDER.sub(lambda match: match.group().translate(_narrow()), text))
        if plain.text != text:
            stretches += [
                DisguisedSpan(*m.span(), "full-width letters") for m in _WIDE.finditer(text)
            ]
        if _LIGATURE.search(text):
            plain = plain.rewrite(
                _LIGATURE, lambda match: unicodedata.normalize("NFKC", match.group())
            )
        if _VOWELS.search(text):
            plain = plain.rewrite(_VOWELS, lambda _: "")
        if SHAPELESS.search(text):
            split = _SPLIT.finditer(text)
            stretches += [DisguisedSpan(*m.span(), "zero-width characters") for m in split]
            plain = plain.rewrite(SHAPELESS, lambda _: "")
    if "<" in text or "\\" in text or "]: #" in text:
        hidden = _HIDDEN_MARKUP.finditer(text)
        stretches += [DisguisedSpan(*match.span(), "hidden markup") for match in hidden]
    if "-\n" in text or "\u00ad\n" in text or "‐\n" in text:
        stretches += [
            DisguisedSpan(*match.span(), "words in pieces") for match in _PIECES.finditer(text)
        ]
        plain = plain.rewrite(_BROKEN, lambda _: "")
    if "&" in text and _ENTITY.search(text):
        stretches += [DisguisedSpan(*m.span(), "HTML entities") for m in _ENTITIES.finditer(text)]
        plain = plain.rewrite(_ENTITY, lambda match: html.unescape(match.group()))
    if "%" in text and _ESCAPED.search(text):
        stretches += [DisguisedSpan(*m.span(), "URL encoding") for m in _PERCENTS.finditer(text)]
        plain = plain.rewrite(
            _ESCAPED, lambda match: urllib.parse.unquote(match.group(), errors="replace")
        )
    return plain, tuple(sorted(stretches, key=lambda stretch: stretch.start))


Reading = tuple[str, str]
"""A disguise, and what a sentence says without it."""


def unmixed(sentence: str) -> Iterator[Reading]:
    """A sentence with look-alike letters as Latin ones, if words of it mix two alphabets."""
    if not sentence.isascii() and len(_MIXED.findall(sentence)) >= _LEAST_MIXED:
        said = _FOREIGN.sub(lambda match: _PLAIN.get(ord(match.group()), match.group()), sentence)
        yield "look-alike letters", said
        if len(_CYRILLIC.findall(sentence)) >= _LEAST_CYRILLIC:
            yield "look-alike letters", sentence.translate(_TO_CYRILLIC)


_DIGITS = ("0134578@$!|9", "oieastbasiig", "oleastbasllg")
LEET = re.compile(
    r"[013457@$!](?:(?<=[^\W\d_][013457@$!])(?=[013457@$!]*[^\W\d_])"
    r"|(?<=[\s\"'(][013457@$!])(?=[^\W\d_]{2}))"
)
"""Where a digit stands within a word."""
_LEAST_LEET = 3


def leet(sentence: str) -> Iterator[Reading]:
    """The words of a sentence that have digits for letters, with letters, in two ways."""
    digits, *ways = _DIGITS
    if len(sentence.split()) < _LEAST_LEET:  # an identifier and no sentence
        return
    for letters in ways:
        table = str.maketrans(digits, letters)
        changed = (
            word.translate(table)
            for word in sentence.split()
            if word != word.translate(table) and any(letter.isalpha() for letter in word)
        )
        said = " ".join(changed)
        known, words = familiar(fold(said))
        if known >= _LEAST_LEET and known * 2 >= words:
            yield "digits for letters", said


def spaced(sentence: str) -> Iterator[Reading]:
    """The stretches of a sentence in spaced letters, as words."""
    for match in SPACED.finditer(f"\n{sentence}"):
        said = unspaced(match[1])
        yield "spaced letters", said if " " in said else " ".join(_within(said))


def _within(run: str) -> Iterator[str]:
    """Long words that are known, in letters without blanks."""
    known = _long_words()
    start = 0
    while start < len(run) - _SHORTEST:
        for end in range(min(len(run), start + _LONGEST), start + _SHORTEST - 1, -1):
            if run[start:end] in known:
                yield run[start:end]
                start = end - 1
                break
        start += 1


_SHORTEST, _LONGEST = 5, 16


@lru_cache(maxsize=1)
def _long_words() -> frozenset[str]:
    words: set[str] = set()
    for code in codes():
        known = language(code)
        if known.joined is None:
            words |= {word for word in (*known.words, *known.stems) if len(word) >= _SHORTEST}
    return frozenset(words)


def unspaced(run: str) -> str:
    """Spaced letters as words; where blanks part words and other signs letters, the words."""
    if re.search(r"[^\W_][.\-_*·|/][^\W_]", run) and " " in run:
        return re.sub(r"[.\-_*·|/]", "", run)
    if re.search(r" {2,}", run):
        return re.sub(r" {2,}|( )", lambda match: "" if match[1] else " ", run)
    return re.sub(r"[ .\-_*·|/]", "", run)


# Words beside the text: in addresses, and instead of pictures

_ADDRESS = re.compile(r"https?://[^\s<>]{24,2000}|(?<=\]\()[^\s()]{24,500}(?=\))")
_INSTEAD = re.compile(
    r"(?<![^\s\"'])(?:alt|title|aria-label|longdesc|content)\s?=\s?(?:\"([^\"<>]{12,400})\"|'([^'<>]{12,400})')"
    r"|!\[([^\]\n]{12,400})\]",
    re.IGNORECASE,
)
_NAMES_OF_WORDS = ("alt=", "title=", "label=", "longdesc=", "content=", "ALT=", "TITLE=", "alt =")
_PARTS_OF_ADDRESS = re.compile(r"[^\W\d_]+(?:(?:[-_+=&:,]|%20)+[^\W_]+){3,}")
_NO_WORD = re.compile(r"(?:[\W_]|%20)+")


def beside(text: str) -> Iterator[DisguisedSpan]:
    """What a text says in the parts of addresses, and in words that stand for pictures."""
    if "://" in text or "](" in text:
        for address in _ADDRESS.finditer(text):
            for match in _PARTS_OF_ADDRESS.finditer(text, *address.span()):
                said = _NO_WORD.sub(" ", match.group())
                yield DisguisedSpan(*match.span(), "words in an address", said)
    if "![" in text or any(name in text for name in _NAMES_OF_WORDS):
        for match in _INSTEAD.finditer(text):
            group = match.lastindex or 0
            yield DisguisedSpan(*match.span(group), "words for a picture", match[group])


# Codes

_RUN = re.compile(r"[A-Za-z0-9+/]{20,}={0,6}")
"""Letters and digits without a blank, as codes have them."""
_BEFORE_NO_CODE = frozenset("=:.-_/+")
"""Signs before the parts of addresses."""
_HEX_APART = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:0x|\\x)[0-9A-Fa-f]{2}[ ,]?|[0-9A-Fa-f]{2}[ ,:]){11,4000}"
    r"[0-9A-Fa-f]{0,2}"
)
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
_OVERRIDDEN = re.compile("\u202e([^\u202c\u2069\n]{4,})")
_ROT47 = re.compile(r"[2-9A-K:-@][:;<=>?@][2-9A-K:-@]")
_ROT47_WORD = re.compile(r"[!-~]*[2-9A-K:-@][!-~]*")
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_WORDS, _LEAST_LETTERS, _LEAST_SIGNS = 3, 10, 4
_WORDS_KNOWN = 0.34


def wordy(text: str) -> bool:
    """Whether a decoded text is words of a language that is known."""
    folded = fold(text)
    if len(text) < (_LEAST_SIGNS if scripts(folded) else _LEAST_LETTERS) or not _printable(text):
        return False
    if scripts(folded):
        return familiar(folded)[0] > 0
    letters = len(_LETTERS.findall(text))
    if letters < len(text) * _SHARE:
        return False
    known, words = familiar(folded)
    if words < _LEAST_WORDS or letters < words * _MEAN_LENGTH or _SIGNS.search(text):
        return False
    if not text.isascii():  # chance makes no letters of several bytes
        return known > 0
    return known > 1 and known >= words * _WORDS_KNOWN


_SHARE = 0.6
_MEAN_LENGTH = 3
_SIGNS = re.compile(r"[|`~^\\]|\][a-z]|[a-z]\[")


def _printable(text: str) -> bool:
    return all(char.isprintable() or char in "\n\t" for char in text)


def _bytes(code: Callable[[str], bytes], coded: str) -> str:
    try:
        return code(coded).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _unhexed(coded: str) -> bytes:
    return bytes.fromhex(re.sub(r"0x|\\x|[ ,:]", "", coded))


def _unbased64(coded: str) -> bytes:
    whole = coded.rstrip("=")
    return base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True)


def _unbased32(coded: str) -> bytes:
    whole = coded.rstrip("=")
    return base64.b32decode(whole + "=" * (-len(whole) % 8))


_ROTATED = {33 + at: 33 + (at + 47) % 94 for at in range(94)}


def rot47(text: str) -> str:
    """A text in ROT47, decoded."""
    return text.translate(_ROTATED)


def rot13(text: str) -> str:
    """A text in ROT13, decoded."""
    return codecs.decode(text, "rot13")


_CODES: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
    (
        "base64",
        re.compile(r"[A-Za-z0-9+/]{20,4000}={0,2}"),
        lambda coded: _bytes(_unbased64, coded),
    ),
    ("base32", re.compile(r"[A-Z2-7]{24,4000}={0,6}"), lambda coded: _bytes(_unbased32, coded)),
    ("hex", re.compile(r"[0-9A-Fa-f]{24,8000}"), lambda coded: _bytes(_unhexed, coded)),
)


def _plain_words(coded: str) -> tuple[str, str]:
    """The code in which a run is words, also if it was coded twice, and the words; else empty."""
    for spelling, pattern, decode in _CODES:
        if pattern.fullmatch(coded):
            said = decode(coded)
            words = next(filter(wordy, filter(None, (said, *_twice(said)))), "")
            if words:
                return spelling, words
    return "", ""


def decoded(text: str) -> Iterator[DisguisedSpan]:
    """What a text says in codes, as far as it is words."""
    for match in _RUN.finditer(text):
        spelling, words = _plain_words(match.group())
        if words and text[match.start() - 1 : match.start()] not in _BEFORE_NO_CODE:
            yield DisguisedSpan(*match.span(), spelling, words)
    for match in _HEX_APART.finditer(text):
        said = _bytes(_unhexed, match.group())
        if wordy(said):
            yield DisguisedSpan(*match.span(), "hex", said)
    line = -1
    for match in _ROT47.finditer(text):
        if match.start() > line:
            start, line = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
            line = len(text) if line < 0 else line
            yield from _rotated(text, start, line)
    if not text.isascii():
        yield from _unseen(text)


def _unseen(text: str) -> Iterator[DisguisedSpan]:
    """What a text says in characters that are not drawn, or drawn the other way round."""
    for match in _TAGS.finditer(text):
        if text[match.start() - 1 : match.start()] != _FLAG:
            said = "".join(chr(ord(char) - 0xE0000) for char in match.group())
            yield DisguisedSpan(*match.span(), "tag characters", said)
    for match in _OVERRIDDEN.finditer(text):
        said = match[1][::-1]
        if wordy(said) or wordy(match[1]):
            yield DisguisedSpan(*match.span(), "direction override", said)


_FLAG = "\U0001f3f4"
"""Before tag characters, it makes the flag of a region."""


def _twice(said: str) -> Iterator[str]:
    """What a decoded text says if it was coded once more."""
    if said and _printable(said):
        yield rot13(said)
        yield said[::-1]
        for _, pattern, decode in _CODES:
            if pattern.fullmatch(said.strip()):
                yield decode(said.strip())


def _rotated(text: str, low: int, high: int) -> Iterator[DisguisedSpan]:
    """The words in ROT47 of a line, as far as they stand in a row."""
    start = end = low
    for word in re.finditer(r"\S+|\Z", text[low:high]):
        coded = word.group()
        if coded and _ROT47_WORD.fullmatch(coded) and _PLAIN_WORD.fullmatch(rot47(coded)):
            end = low + word.end()
            continue
        said = rot47(text[start:end])
        if end > start and wordy(said):
            yield DisguisedSpan(start, end, "ROT47", said)
        start = low + word.end() + 1
        end = start


_PLAIN_WORD = re.compile(r"[\"'(]?[A-Za-z][A-Za-z'-]*[\"').,;:!?]*|[0-9]+")


@lru_cache(maxsize=1)
def _turned_words() -> frozenset[str]:
    """Little words in ROT13 and backwards, as far as those are no little words."""
    little = little_words()
    words = [word for word in little if len(word) > 1]
    return frozenset({*map(rot13, words), *(word[::-1] for word in words)}) - frozenset(little)


def may_be_turned(look: LanguageGuess) -> bool:
    """Whether a sentence may be in ROT13 or backwards, by its words."""
    if not look.words:
        return True
    return look.little <= len(look.words) * _KNOWN and not _turned_words().isdisjoint(look.words)


_KNOWN = 0.34
"""Share of little words from which on a sentence is in no code."""
_PARTLY, _MOSTLY = 0.4, 0.6
_PARTS = re.compile(r"[^:\"“”«»()\n]+")


def turned(sentence: str) -> Iterator[Reading]:
    """The parts of a folded sentence in ROT13 or backwards: the code's name, and what they say."""
    if scripts(sentence):
        yield "reversed", sentence[::-1]
        return
    little = little_words()
    for match in _PARTS.finditer(sentence):
        own, count = familiar(match.group())
        if count < _LEAST_WORDS or own > count * _PARTLY:
            continue
        for spelling, said in (("ROT13", rot13(match.group())), ("reversed", match.group()[::-1])):
            known, count = familiar(said)
            some = len({word for word in TOKEN.findall(said) if len(word) > 1 and word in little})
            if (
                known > 2 * own
                and known >= _LEAST_WORDS
                and ((some > 1 and known >= count * _PARTLY) or (some and known >= count * _MOSTLY))
            ):
                yield spelling, said
