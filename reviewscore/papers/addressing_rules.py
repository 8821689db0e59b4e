"""When a sentence addresses a model: which meanings come together in it, in which order and place.

The rules are in `addressing.toml`. English is told by order: an instruction begins a clause, or
somebody must do something. Reviews and papers are in English for the most part, full of advice to
people, so that these rules are narrow. Those of other languages are wider.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, reduce
from operator import or_

from reviewscore.papers.addressing_words import BIT, Words, language, mask, rules_of


class Aim(StrEnum):
    """What an instruction wants of the model."""

    OVERRIDE = "set its instructions aside"
    VERDICT = "judge kindly"
    ROLE = "speak to it as a model"
    SECRET = "give away what it was told"
    FORGED = "pass for a part of the conversation"


_LOOK_BACK = 40
_BESIDE = 2
_ORDER = re.compile(
    r"(?:^|[:;!?.(\[{>|=—–*`}]|[\"“«„「『]|\\[a-z]+\s|[\s_]-|(?<!\w)(?:please|must|kindly|hereby|therefore|then|just"
    r"|instead))[\s*_#%/<>!,'\"“”„«‘’\-]*\Z"
)
_LOOSE = re.compile(
    r"(?:,|(?<!\w)(?:and|or|to|shall|should|will|strongly|first|second|third|fourth|finally|also|so))"
    r"[\s*_#%/<>!'\"“”„«‘’\-]*\Z"
)
_OPENING = re.compile(
    r"[\W\d_]*(?:(?:please|now|so|and|then|just|kindly|therefore|always|instead)[\s,]+)*\Z"
)
_GOES_ON = re.compile(r"[_(+]|[:\s]+(?![-–—=|:])|\W*\Z")
_FIRST = re.compile(
    r"[\W_]*(?:\d{1,2}[.):]\s*)?(?:(?:now|so|and|then|always|first|second|third|fourth|fifth|finally|next)[\s,]+)?\Z"
)
_HEADED = re.compile(r"(?:[:;—]\s+|<!--|(?:\A|\n)\s*%)[\s*_'\"“”„«]*\Z")
_CALLED = re.compile(
    r"[\s*_'\"”’)]{0,3}(?:(?P<hailed>[:!：！]|\s[-—–]|[—–])|[,，、]|(?P<last>[.;!?]?\W*\Z))"
)
_AFTER_NAME = re.compile(
    r"(?:[:,!：，！—–]|\s-)[\s*_'\"”’]*(?:(?:please|kindly|then|now|you must|just|always)\s+)?\Z"
)
_PARTED = re.compile(r"[,:—–][\s*_'\"“”]*(?:(?:dear|kind|gentle|you|the)\s+)*\Z")
_ALONE = re.compile(
    r"(?:^|[.!?:;,\n(\[{>\"“”«'‘*=—–%\\}#|/]|(?<!\w)(?:dear|hey|hello|hi|you|gentle|kind|esteemed))"
    r"[\s*_#%/<>\-\[\]()\"“”'={}\\]*\Z"
)
_TO = re.compile(
    r"\W*(?:(?:a|an|one|some|important|humble|short|last|final|further|special|in|friendly|small|kind|quick|brief)\s+){0,3}"
    r"(?P<kind>notes? to|notes?|messages?|comments?|remarks?|requests?|guidance|instructions?"
    r"|for the attention of|attention|reminder|hint|memo|notice|information|summary|overview"
    r"|p\.\s?s\.|postscript|addendum|advice|appeal|word|tip|greetings|heads-up|disclaimer|briefing"
    r"|for|to|dear)(?!\w)[^.:;!?,]{0,90}?(?:[:!：！]|\s[-—–]\s|[—–])"
)
"""The head of a sentence that names to whom it is said."""
_ALSO_SAID = re.compile(
    r"(?:for|to|comments?|remarks?|requests?|notes?|information|guidance|instructions?)\Z"
)
"""Words that head much else."""


@dataclass(frozen=True, slots=True)
class RuleStep:
    """A word that a rule asks for.

    Attributes:
        means: The meanings of which it must have one.
        reach: How many words after the step before it may come.
        place: ``^`` if it must open the sentence, ``!`` if it must begin a clause as an order does,
            ``~`` if it may also follow a comma, "and" or "to", ``#`` if it must open the sentence
            or follow a colon or quotation mark, ``,`` if it must follow a name and a comma or
            colon; else empty.
    """

    means: int
    reach: int
    place: str


@dataclass(frozen=True, slots=True)
class Rule:
    """When a sentence has an aim.

    Attributes:
        aim: What it wants.
        steps: Words in their order.
        needs: Groups of meanings, of each of which one must occur; those of rare words first.
        bars: Meanings that must not occur.
        signs: The places that its steps ask for.
    """

    aim: Aim
    steps: tuple[RuleStep, ...]
    needs: tuple[int, ...]
    bars: int
    signs: frozenset[str]

    @classmethod
    def read(cls, aim: Aim, text: str) -> Rule:
        """A rule as `addressing.toml` writes it."""
        steps: list[RuleStep] = []
        needs: list[int] = []
        reach = bars = 0
        for part in text.split():
            if part.isdigit():
                reach = int(part)
                continue
            meanings = mask(*(word.lstrip("!^~#,+-") for word in part.split("|")))
            if part.startswith("-"):
                bars |= meanings
                continue
            needs.append(meanings)
            if not part.startswith("+"):
                place = next((sign for sign in "^!~#," if sign in part), "")
                steps.append(RuleStep(meanings, reach, place))
        signs = frozenset(step.place for step in steps if step.place)
        needs.sort(key=lambda need: (bool(need & _EVERYWHERE), bool(need & _FREQUENT)))
        return cls(aim, tuple(steps), tuple(needs), bars, signs)


_EVERYWHERE = mask(
    "det this own whoever will toward as by counts say part work may only is mine act goesover"
)
_FREQUENT = mask(
    "deem score sound task duty machine not if rate tell command earlier assessor fault "
    "praise hide override best check labels look proper need affects automatic reads top "
    "deemed please must"
)
"""Meanings that are no sign, since many sentences have them; the first are in nearly all."""
_SOMEBODY = mask("machine", "machine_named", "judge_named", "assessor")
_MACHINES = mask("machine", "automatic", "machine_named")
_ADDRESSEES = mask("program", "machine", "assessor", "automatic")
_PROGRAMMED = mask("program", "machine", "automatic")
_OF_JUDGES = mask("assessor", "judging", "dear")
_NAMING = mask("machine machine_named judge_named automatic assessor work judging")


class AddressedSentence:
    """A folded sentence as the rules see it.

    Args:
        text: Its text.
        words: Its words.
    """

    def __init__(self, text: str, words: Words) -> None:
        self.text, self.words, self.means = text, words, list(words.means)
        self.all = reduce(or_, self.means, 0)
        if self.all & _SOMEBODY:
            for place, means in enumerate(self.means):
                if means & _SOMEBODY:
                    self._mark(place)
            self._mark_head()
            self.all = reduce(or_, self.means, 0)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Offsets of its words."""
        return self.words.spans

    def _mark(self, place: int) -> None:
        """Mark who judges automatically, and who is spoken to by name."""
        own, before = self.means[place], 0
        if "learning" not in self.words.texts[max(0, place - _BESIDE) : place]:
            before = reduce(or_, self.means[max(0, place - _BESIDE) : place], 0)
        if (
            own & BIT["judge_named"]
            or (own & BIT["assessor"] and before & _MACHINES)
            or (own & BIT["machine"] and before & _OF_JUDGES)
        ):
            self.means[place] |= mask("judge", "program")
        elif own & BIT["machine_named"]:
            self.means[place] |= BIT["program"]
        match = _CALLED.match(self.text, self.spans[place][1])
        if match:
            self.means[place] |= self._spoken_to(place, match)

    def _spoken_to(self, place: int, match: re.Match[str]) -> int:
        """Whether a word before a colon or comma names who is spoken to."""
        first = self._first(place)
        head = self.text[max(0, first - _LOOK_BACK) : first]
        if match["last"] is not None:
            return BIT["last"] if _PARTED.search(head) else 0
        program = self.means[place] & BIT["program"]
        bits = 0
        if _ALONE.search(head):
            bits = BIT["called"] | (BIT["hailed"] if program and match["hailed"] else 0)
        return bits

    def _mark_head(self) -> None:
        """Mark the programs in the head of a sentence that names to whom it is said."""
        head = _TO.match(self.text)
        if head is None:
            return
        said = not _ALSO_SAID.match(head["kind"])
        if not said and not self._names_program(head.end()):
            return
        wanted = BIT["program"] if head["kind"] == "for" else _ADDRESSEES
        for place, means in enumerate(self.means):
            if means & wanted and self.spans[place][1] <= head.end():
                sure = said and means & BIT["program"]
                self.means[place] |= mask("called", "hailed", "noted", *["addressed"] * bool(sure))

    def _names_program(self, end: int) -> bool:
        """Whether a program is named before an offset."""
        spans = zip(self.means, self.spans, strict=True)
        return any(means & _PROGRAMMED for means, span in spans if span[1] <= end)

    def _first(self, place: int) -> int:
        """Where the name begins of which a word is the last: in "AI area chair" with "AI"."""
        while place and self.means[place - 1] & _NAMING:
            between = self.text[self.spans[place - 1][1] : self.spans[place][0]]
            if between.strip() not in ("", "-"):
                break
            place -= 1
        return self.spans[place][0]

    def signs(self) -> frozenset[str]:
        """In which of the places that rules ask for words of a kind that they ask for stand."""
        signs: set[str] = set()
        if not self.all & _ORDERED:
            return _NO_SIGNS
        for place, means in enumerate(self.means):
            if means & _ORDERED and self._may_order(place):
                signs.update(
                    sign for sign in _SIGNS if sign not in signs and self._stands(place, sign)
                )
        return frozenset(signs)

    def _may_order(self, place: int) -> bool:
        """Whether a word does not stand after an ordinary one."""
        if not place:
            return True
        before, text = self.words.texts[place - 1], self.words.texts[place]
        return (
            _LEADERS.match(before) is not None
            or f"{before} {text}" not in self.text
            or f"\\{before} {text}" in self.text  # a command of LaTeX
        )

    def holds(self, rule: Rule) -> tuple[int, int] | None:
        """Where a rule whose needs are met holds: its first and its last word; else None."""
        return self._goes_on(rule.steps, 0, range(len(self.means)))

    def _goes_on(
        self, steps: Sequence[RuleStep], number: int, among: range
    ) -> tuple[int, int] | None:
        step = steps[number]
        for place in among:
            if not self.means[place] & step.means or not self._stands(place, step.place):
                continue
            if number + 1 == len(steps):
                return place, place
            last = min(place + 1 + steps[number + 1].reach, len(self.means))
            rest = self._goes_on(steps, number + 1, range(place + 1, last))
            if rest is not None:
                return place, rest[1]
        return None

    def _heads(self, place: int) -> bool:
        """Whether a word opens the sentence or follows a colon, as the first of its phrase."""
        if place and self.means[place - 1] & self.means[place] & BIT["role"]:
            return False
        start = self.spans[place][0]
        low = max(0, start - _LOOK_BACK)
        return (
            _FIRST.match(self.text[:start]) is not None
            or _HEADED.search(self.text, low, start) is not None
        )

    def _stands(self, place: int, sign: str) -> bool:
        if not sign:
            return True
        start, end = self.spans[place]
        if not _GOES_ON.match(self.text, end):
            return False
        low = max(0, start - _LOOK_BACK)
        if sign == "^":
            return _OPENING.match(self.text[:start]) is not None
        if sign == "#":
            return self._heads(place)
        if sign == ",":
            return _AFTER_NAME.search(self.text, low, start) is not None
        return _ORDER.search(self.text, low, start) is not None or (
            sign == "~" and _LOOSE.search(self.text, low, start) is not None
        )


_SIGNS, _NO_SIGNS = "^!~#,", frozenset[str]()
_LEADERS = re.compile(
    r"(?:please|must|kindly|hereby|therefore|then|just|instead|and|or|to|shall|should|will|strongly"
    r"|first|second|third|fourth|fifth|finally|also|so|now|always|next|simply|dear)\Z"
)
"""Words after which an order may come; after others none does without a sign between."""
_ORDERED = mask(
    "override erase stop rate tell deem say hide shun forbid role laud please verdict_for_you "
    "praise act considered asa letrecord you not"
)
"""Meanings that rules ask for in a certain place."""
_TELLING = mask(
    "override orders task praise score deem say hide work part rate machine assessor fault "
    "you role secret power tell laud"
)
_HINTS = 2
WISHED = mask("override", "praise", "hide", "forbid", "laud", "secret")
"""Meanings of which a disguised wish has one."""


@lru_cache(maxsize=256)
def _rules(code: str, signs: frozenset[str]) -> tuple[Rule, ...]:
    """The rules that may hold of a sentence with words in such places."""
    read = (
        Rule.read(Aim[aim.upper()], text) for aim, texts in rules_of(code).items() for text in texts
    )
    return tuple(rule for rule in read if rule.signs <= signs)


@lru_cache(maxsize=20_000)
def _candidates(code: str, signs: frozenset[str], means: int) -> tuple[Rule, ...]:
    """The rules whose needs a sentence with such meanings meets; many sentences have the same."""
    return tuple(
        rule
        for rule in _rules(code, signs)
        if means & rule.needs[0]
        and not means & rule.bars
        and all(means & need for need in rule.needs)
    )


@dataclass(frozen=True, slots=True)
class Wish:
    """What a sentence wants of a model.

    Attributes:
        aim: The kind.
        start: Offset in the sentence of the first word that tells.
        end: Offset just after the last one.
        means: All that the sentence's words mean, as bits.
    """

    aim: Aim
    start: int
    end: int
    means: int


_PERCENT = re.compile(r"\d\s?[%٪％]")
_STUDIED, _ATTACK = BIT["studied"], BIT["attack"]
_PRAISE, _PROPER = BIT["praise"], BIT["proper"]
_SAID_HERE = mask("own", "please", "override", "called")
_SAID_TO_YOU = mask("you", "please", "called")
_MORE_THAN_PROPER = mask("own please override called role duty hide only you")


def _described(sentence: AddressedSentence) -> bool:
    """Whether a sentence describes a study, an attack or a right formula, and addresses nobody."""
    means = sentence.all
    if means & _ATTACK:
        return not means & _SAID_TO_YOU
    if means & _STUDIED or _PERCENT.search(sentence.text):
        return not means & _SAID_HERE
    return (
        bool(means & _PROPER)
        and not means & _MORE_THAN_PROPER
        and all(word & _PROPER for word in sentence.means if word & _PRAISE)
    )


_SPOKEN_TO, _PROGRAMS = mask("hailed", "noted"), mask("program", "judge")


def wish_of(
    text: str, code: str, texts: Sequence[str] = (), *, disguised: bool = False
) -> tuple[Wish | None, bool]:
    """What a folded sentence wants of a model; None if it wants nothing of any.

    And whether it names a program that is spoken to, so that the next may say what it wants.

    Args:
        text: The sentence.
        code: Its language.
        texts: Its words, if they are known already.
        disguised: Whether it was disguised, so that less is enough.
    """
    sentence = AddressedSentence(text, language(code).read(text, texts))
    means = sentence.all
    if not disguised and code != "en" and _described(sentence):
        return None, False
    for rule in _candidates(code, sentence.signs(), means):
        span = sentence.holds(rule)
        if span is not None:
            first, last = (sentence.spans[place] for place in span)
            return Wish(rule.aim, first[0], last[1], means), False
    aim = _hinted(sentence) if disguised else None
    if aim is not None:
        return Wish(aim, 0, len(text), sentence.all), False
    return None, bool(means & _SPOKEN_TO and means & _PROGRAMS)


def _hinted(sentence: AddressedSentence) -> Aim | None:
    """What a disguised sentence wants: two different telling words are enough."""
    telling = [means & _TELLING for means in sentence.means if means & _TELLING]
    if len(telling) < _HINTS or len(set(telling)) == 1:
        return None
    if sentence.all & BIT["override"] and sentence.all & mask("orders", "task"):
        return Aim.OVERRIDE
    if sentence.all & BIT["secret"] and sentence.all & BIT["say"]:
        return Aim.SECRET
    return Aim.VERDICT if sentence.all & mask("praise", "score", "deem", "hide") else Aim.ROLE
