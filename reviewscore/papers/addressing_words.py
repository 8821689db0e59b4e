"""What words mean to a text that addresses a model: `addressing.toml`, found in sentences."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

SHIPPED = Path(__file__).with_name("addressing.toml")
TOKEN = re.compile(r"\d+(?:[./]\d+)*(?![^\W\d_])|[^\W_]+(?:'[a-z]{1,2}(?![^\W_]))?")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_KNOWN_WORDS = 50_000
"""Words that are looked up once and then remembered, for each language."""
_SHORTEST_STEM, _LONGEST_STEM = 2, 24

MEANINGS = (
    "override", "orders", "task", "earlier", "praise", "score", "deem", "say", "hide", "not",
    "fault", "work", "part", "this", "machine", "machine_named", "assessor", "automatic", "you",
    "duty", "please", "role", "secret", "only", "power", "if", "self", "others", "common",
    "stop", "laud", "human", "sound", "deemed", "shun", "forbid", "may", "ifyou", "reads",
    "rate", "tell", "det", "yours", "verdict_for_you", "judge", "called", "hailed", "addressed",
    "dear", "so", "considered", "command", "must", "granted", "judging", "asked", "left", "act",
    "judge_named", "program", "last", "erase", "ten", "kept", "asa", "noted", "void",
    "own", "check", "whoever", "as", "counts", "proper", "will", "need", "yourmaker", "settle",
    "meant", "gains", "toward", "best", "top", "countsas", "look", "goesover", "virtue", "labels",
    "nolonger", "affects", "mine", "arrives", "such", "letrecord", "purpose", "accepting", "by",
    "exempt", "infavour", "finished", "is", "studied", "attack", "writers", "here",
    "obeyed", "nohuman", "pasted", "greet", "notehead", "urge", "against", "nogrounds",
)  # fmt: skip
BIT = {meaning: 1 << place for place, meaning in enumerate(MEANINGS)}


def mask(*meanings: str) -> int:
    """Meanings, or lists of them with spaces between, as bits of a number."""
    return sum(BIT[meaning] for words in meanings for meaning in words.split())


class Words:
    """The words of a sentence.

    Args:
        sentence: The sentence.
        texts: The words in their order.
        means: Their meanings, as bits.
        spans: Their offsets in the sentence; looked up when they are asked for, if not given.
    """

    def __init__(
        self,
        sentence: str,
        texts: Sequence[str],
        means: list[int],
        spans: list[tuple[int, int]] | None = None,
    ) -> None:
        self._sentence, self.texts, self.means, self._spans = sentence, texts, means, spans

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Offsets of the words in the sentence."""
        if self._spans is None:
            self._spans, end = [], 0
            for text in self.texts:
                start = self._sentence.find(text, end)
                end = start + len(text)
                self._spans.append((start, end))
        return self._spans


class LanguageGuess(NamedTuple):
    """What a look at the little words of a sentence tells.

    Attributes:
        languages: The languages that it may be in, likeliest first.
        little: How many of its words are little ones, of any language.
        words: Its words, where words are written apart.
    """

    languages: tuple[str, ...]
    little: int
    words: list[str]


@lru_cache(maxsize=1)
def _plain_letters() -> dict[int, str]:
    """Letters with accents as those without, one for one; spellings of one Arabic letter as one."""
    table = {}
    for block in (range(0xC0, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000)):
        for code in block:
            plain = unicodedata.normalize("NFD", chr(code))[0].lower()
            if plain != chr(code):
                table[code] = plain
    table |= {ord(char): plain for char, plain in zip("łøđıßæœħ’‘ʼ", "lodisaoh'''", strict=True)}
    table |= {ord(char): plain for char, plain in zip("أإآٱىئیؤةۀكں", "اااايييوههکن", strict=True)}
    return table | {0x0407: "ї", 0x0457: "ї"}


def fold(text: str) -> str:
    """A text in small letters without accents, as long as it was."""
    lowered = text.lower()
    if len(lowered) != len(text):  # one capital alone becomes two letters
        lowered = text.replace("\u0130", "I").lower()
    if lowered.isascii():
        return lowered
    table = _plain_letters()
    return _FOREIGN.sub(lambda match: match.group().translate(table), lowered)


Phrase = tuple[tuple[str, ...], int]
"""The words that follow the first two, and what the phrase means."""


@dataclass
class Language:
    """What the words of a language mean.

    Attributes:
        code: Its code, such as ``en``.
        words: Meanings of whole words; of all entries, where words are written together.
        stems: Meanings of the beginnings of words.
        phrases: By their first two words; ``*`` ends the beginning of a word.
        joined: Pattern of all entries, where words are written together; else None.
    """

    code: str
    words: dict[str, int] = field(default_factory=dict)
    stems: dict[str, int] = field(default_factory=dict)
    phrases: dict[tuple[str, str], list[Phrase]] = field(default_factory=dict)
    joined: re.Pattern[str] | None = None
    _begun: set[str] = field(default_factory=set)
    _known: dict[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, sentence: str, texts: Sequence[str] = ()) -> Words:
        """The words of a folded sentence; where words are written together, only known ones.

        Args:
            sentence: The sentence.
            texts: Its words, if they are known already.
        """
        if self.joined is not None:
            matches = list(self.joined.finditer(sentence))
            texts = [match.group() for match in matches]
            means = [self.words[text] for text in texts]
            return Words(sentence, texts, means, [match.span() for match in matches])
        texts = texts or TOKEN.findall(sentence)
        known = [self._known.get(text) or self._look_up(text) for text in texts]
        means = [meaning for meaning, _ in known]
        starts = [place for place, (_, forms) in enumerate(known) if forms]
        for place, following in pairwise(starts):
            if following == place + 1:
                self._find_phrases(texts, place, known[place][1], known[place + 1][1], means)
        return Words(sentence, texts, means)

    def meaning(self, sentence: str) -> int:
        """All that the words of a folded sentence mean."""
        bits = 0
        for means in self.read(sentence).means:
            bits |= means
        return bits

    def _find_phrases(
        self,
        texts: Sequence[str],
        place: int,
        firsts: Sequence[str],
        seconds: Sequence[str],
        means: list[int],
    ) -> None:
        """Add what the phrases that begin at a place mean to their words."""
        for first in firsts:
            for second in seconds:
                for rest, meaning in self.phrases.get((first, second), ()):
                    if not rest or _follows(texts, place + 2, rest):
                        for at in range(place, place + len(rest) + 2):
                            means[at] |= meaning

    def means(self, text: str) -> int:
        """What a single word means."""
        return (self._known.get(text) or self._look_up(text))[0]

    def _look_up(self, text: str) -> tuple[int, tuple[str, ...]]:
        """What a word means, and how it may stand in a phrase."""
        means = self.words.get(text, 0) | self.words.get(text.removesuffix("'s"), 0)
        forms = [text] if text in self._begun else []
        longest = min(len(text), _LONGEST_STEM) if self.stems else 0
        for length in range(_SHORTEST_STEM, longest + 1):
            means |= self.stems.get(text[:length], 0)
            if f"{text[:length]}*" in self._begun:
                forms.append(f"{text[:length]}*")
        if len(self._known) > _KNOWN_WORDS:
            self._known.clear()
        self._known[text] = means, tuple(forms)
        return self._known[text]

    def add_phrase(self, parts: Sequence[str], means: int) -> None:
        """Take up a phrase of two words or more."""
        first, second, *rest = parts
        self._begun |= {first, second}
        self.phrases.setdefault((first, second), []).append((tuple(rest), means))


def _follows(texts: Sequence[str], place: int, rest: Sequence[str]) -> bool:
    if place + len(rest) > len(texts):
        return False
    for word, text in zip(rest, texts[place : place + len(rest)], strict=True):
        if not (text.startswith(word[:-1]) if word[-1] == "*" else text == word):
            return False
    return True


def _language(code: str, table: Mapping[str, str | bool]) -> Language:
    language = Language(code)
    entries: dict[str, int] = {}
    for meaning, listed in table.items():
        if isinstance(listed, str):
            for entry in listed.split():
                plain = fold(entry.replace("_", " "))
                entries[plain] = entries.get(plain, 0) | BIT[meaning]
    if table.get("joined"):
        language.words = _nested(entries)
        longest = sorted(entries, key=len, reverse=True)
        language.joined = re.compile("|".join(map(re.escape, longest)))
        return language
    for entry, means in entries.items():
        first, *rest = _parts(entry)
        if rest:
            language.add_phrase((first, *rest), means)
        elif first.endswith("*"):
            language.stems[first[:-1]] = language.stems.get(first[:-1], 0) | means
        else:
            language.words[first] = language.words.get(first, 0) | means
    return language


def _nested(entries: Mapping[str, int]) -> dict[str, int]:
    """Entries with the meanings of those that stand within them."""
    whole = {}
    for entry in entries:
        whole[entry] = 0
        for start in range(len(entry)):
            for end in range(start + 1, len(entry) + 1):
                whole[entry] |= entries.get(entry[start:end], 0)
    return whole


def _parts(entry: str) -> Iterator[str]:
    for match in TOKEN.finditer(entry):
        ends = entry[match.end() : match.end() + 1] == "*"
        yield match.group() + "*" * ends


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    with SHIPPED.open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=64)
def language(code: str) -> Language:
    """The words of a language."""
    return _language(code, _tables()[code])


def rules_of(code: str) -> dict[str, list[str]]:
    """The rules of a language by aim, as they are written."""
    rules: Any = _tables()["rules"]
    return dict(rules["en" if code == "en" else "others"])


def marks(name: str) -> str:
    """Patterns of forged marks, such as ``speakers``, as one."""
    listed: Any = _tables()["marks"]
    return "|".join(str(listed[name]).split("\n")).replace("| ", "|")


def codes() -> tuple[str, ...]:
    """The languages that are known."""
    return tuple(code for code, table in _tables().items() if "common" in table)


_OTHER_LETTERS = ("el", "ru", "uk")
_OTHER_SCRIPT = re.compile(
    "[\u0370-\u0e7f\u3040-\u9fff\uac00-\ud7af]{2}|[\u3040-\u30ff\uac00-\ud7af]"
)
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), ("ja",)),
    (re.compile("[\uac00-\ud7af]"), ("ko",)),
    (re.compile("[\u3400-\u9fff]{2}"), ("zh", "ja")),
    (re.compile("[\u0590-\u05ff]{2}"), ("he",)),
    (re.compile("[\u0600-\u06ff]{2}"), ("ar", "fa")),
    (re.compile("[\u0900-\u097f]{2}"), ("hi",)),
    (re.compile("[\u0e00-\u0e7f]{2}"), ("th",)),
    (re.compile("[\u0370-\u03ff]{3}"), ("el",)),
    (re.compile("[\u0400-\u04ff]{3}"), ("ru", "uk")),
)


_TWO = re.compile(r"[^\W\d_]{2}|[aio]\Z")


@lru_cache(maxsize=1)
def little_words() -> dict[str, tuple[str, ...]]:
    """The languages in Latin letters that have a little word, such as English "the"."""
    known: dict[str, list[str]] = {}
    for code in latin():
        for word in map(fold, str(_tables()[code]["common"]).split()):
            if _TWO.match(word):
                known.setdefault(word.rstrip("'"), []).append(code)
    return {word: tuple(has) for word, has in known.items()}


def scripts(sentence: str) -> tuple[str, ...]:
    """The languages that a sentence may be in, by its letters; none if those are Latin."""
    if not sentence.isascii() and _OTHER_SCRIPT.search(sentence):
        for script, has in _SCRIPTS:
            if script.search(sentence):
                return has
    return ()


def guess_language(sentence: str, raw: str = "") -> LanguageGuess:
    """The languages that a folded sentence may be in, by its letters and little words.

    Args:
        sentence: The sentence, folded.
        raw: The sentence with its accents, where it is at hand.
    """
    by_letters = scripts(sentence)
    if by_letters:
        return LanguageGuess(by_letters, 0, [])
    little = little_words()
    words = TOKEN.findall(sentence)
    english_words = _english_words()
    sure = len([word for word in words if word in english_words])
    if sure > len(words) * _SURELY:
        return LanguageGuess(("en",), sure, words)
    counts: dict[str, int] = {}
    known = [word for word in words if word in little]
    for word in dict.fromkeys(known):
        for code in little[word]:
            counts[code] = counts.get(code, 0) + 1
    accents = [] if raw.isascii() else [codes for sign, codes in _ACCENTS.items() if sign in raw]
    for code in dict.fromkeys(code for codes in accents for code in codes):
        counts[code] = counts.get(code, 0) + 1
    if not counts and _LEAST_FOREIGN <= len(words) <= _FEW and not _NAMES.search(raw):
        return LanguageGuess(_by_telling_words(words), 0, words)
    english = counts.pop("en", 0)
    most = max(counts.values(), default=0)
    codes: tuple[str, ...] = ("en",)
    enough = most >= len(words) * _LEAST_SHARE or (accents and not english)
    if most > english and enough and (most > 1 or len(words) <= _FEW):
        codes = tuple(code for code, count in counts.items() if count == most)
    return LanguageGuess(codes, len(known), words)


_LEAST_FOREIGN = 3
_NAMES = re.compile(r"[\d|=_\\$]|\s[A-Z][^\s]*\s+[A-Z]")
"""What sentences without little words mostly are: tables and lists of names."""


def _by_telling_words(words: Sequence[str]) -> tuple[str, ...]:
    """The languages in which most words tell of judging, two at least; else English."""
    counts: dict[str, int] = {}
    for word in words:
        for code in _telling_in(word) if len(word) >= _LEAST_LETTERS else ():
            counts[code] = counts.get(code, 0) + 1
    most = max(counts.values(), default=0)
    if most < max(_LEAST_TELLING, counts.get("en", 0)):
        return ("en",)
    return tuple(code for code, count in counts.items() if count == most)


def _telling_in(word: str) -> dict[str, None]:
    """The languages in which a word tells of setting instructions aside, or of judges."""
    telling = _telling_beginnings()
    lengths = range(_LEAST_LETTERS, min(len(word), _LONGEST_STEM) + 1)
    return dict.fromkeys(code for length in lengths for code in telling.get(word[:length], ()))


@lru_cache(maxsize=1)
def _telling_beginnings() -> dict[str, list[str]]:
    languages_of: dict[str, list[str]] = {}
    for code in latin():
        known = language(code)
        for beginning, means in (*known.stems.items(), *known.words.items()):
            if means & _TELLING:
                languages_of.setdefault(beginning, []).append(code)
    return languages_of


_LEAST_LETTERS = 4
_LEAST_TELLING = 2
_TELLING = mask("override", "orders", "judge_named", "earlier")


@lru_cache(maxsize=1)
def latin() -> tuple[str, ...]:
    """The languages in Latin letters whose words stand apart."""
    return tuple(
        code for code in codes() if not _tables()[code].get("joined") and code not in _OTHER_LETTERS
    )


@lru_cache(maxsize=1)
def _english_words() -> frozenset[str]:
    """Little words of English that no other language has."""
    return frozenset(word for word, has in little_words().items() if has == ("en",))


_SURELY = 0.25
"""Share of English little words from which on a sentence is in English."""
_FEW = 16
"""Words up to which one little word tells a language."""
_LEAST_SHARE = 0.1
_ACCENTS = {
    **dict.fromkeys("ěřůďťň", ("cs",)), **dict.fromkeys("čšžýá", ("cs",)),
    **dict.fromkeys("ąęłńśźż", ("pl",)), **dict.fromkeys("şğı", ("tr",)),
    **dict.fromkeys("ășțşţ", ("ro",)), **dict.fromkeys("ß", ("de",)),
    **dict.fromkeys("äö", ("de", "sv")), **dict.fromkeys("ü", ("de", "tr")),
    **dict.fromkeys("å", ("sv",)), **dict.fromkeys("ñ¿¡", ("es",)),
    **dict.fromkeys("ãõ", ("pt",)), **dict.fromkeys("èêœ", ("fr",)), **dict.fromkeys("ìò", ("it",)),
    **dict.fromkeys("đơưạảấầậẩắằểễếềệọộốồổớờởợụứừửữỷỹị", ("vi",)),
}  # fmt: skip
"""Letters that tell a language."""


def languages(sentence: str) -> tuple[str, ...]:
    """The languages that a folded sentence may be in, likeliest first."""
    return guess_language(sentence).languages


def familiar(text: str) -> tuple[int, int]:
    """How many words of a folded text are known in the language that knows most, and all words."""
    words = TOKEN.findall(text)
    best = 0
    for code in languages(text):
        known = language(code)
        if known.joined is not None:
            hits = len(known.read(text).means)
            return hits, hits
        little = little_words()
        count = sum(1 for word in words if known.means(word) or code in little.get(word, ()))
        best = max(best, count)
    return best, len(words)
