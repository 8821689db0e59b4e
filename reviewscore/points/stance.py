"""Whether a sentence of a review criticises, asks, praises, decides or is only polite."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from reviewscore.text.patterns import load_patterns

SHORT = 260
"""Longest sentence in characters that can be only a remark."""

LOOKED_AT = 1000
"""Characters of a sentence that are looked at."""


_CUES = load_patterns(Path(__file__).with_name("cues.toml"), lower=True)
_POINTER = re.compile(
    r"\W*(?:please|kindly|also|and)?,? ?(?:also )?(?:see|refer(?: back)? to|check|read|address|"
    r"respond to|answer|clarify) (?:\w+ ){0,5}(?:(?:weakness\w*|strengths?|cons|concerns?|"
    r"questions?|comments?|points?|issues?|sections?|box(?:es)?|summary)\b(?: \w+){0,4}|"
    r"(?:the )?(?:above|below)(?: \w+){0,4}|suggestions)\W*$",
    re.IGNORECASE,
)
_LISTED_ELSEWHERE = re.compile(
    r"\W*(?:\w+,? ){0,6}?(?:questions?|concerns?|comments?|weakness(?:es)?|issues?|points?|"
    r"findings|suggestions?|details?|limitations?|strengths?)\b[^.?!]{0,60}\b(?:(?:listed|detailed|given|"
    r"summari[sz]ed|raised|described|outlined|mentioned|written|included|stated|discussed|"
    r"provided|asked|noted|elaborated|specified|put) (?:in |under |as )?|(?:see|refer to|in|are|"
    r"check) )(?:(?:the|my|our) )?(?:above|below|there\b|(?:\w+ )?(?:questions?|weakness(?:es)?|"
    r"strengths?|concerns|comments)\b(?: (?:and \w+|section|box|field|part|above|below))*)"
    r"(?: for (?:more )?details)?\W*$",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"""^\W*(?:
        (?:n\W?a|none|nothing|nil|no|yes|not\ (?:applicable|available|relevant)|tbd|see\ above|
           see\ below|as\ above|ok(?:ay)?|good|fine|same\ as\ above|nope|empty|affirmed|
           nbsp|idem|ditto)
        (?:\ (?:noted|found|that\ i\ (?:know|am\ aware)\ of|to\ report|at\ this\ (?:time|point)|
           specifically|really|in\ particular|applicable|observed))?
      | (?:(?:i\ )?(?:have|see|there\ are|there\ is|i\ do\ not\ have\ any|do\ not\ have)\ )?
        (?:no|any)\ (?:\w+\ ){0,3}(?:questions?|comments?|concerns?|weakness(?:es)?|issues?|
           suggestions?|typos|requests?|changes)(?:\ (?:for|from|to|at|on|in)\b.{0,40})?
      | (?:please\ |kindly\ )?(?:(?:also\ )?(?:see|refer(?:\ to)?|check|cf|look\ at|
           as\ (?:in|mentioned|stated|noted|discussed)|same\ as|mentioned|listed|
           described|covered)\b)
        (?:\ \w+){0,3}\W+(?:above|below|weakness\w*|strengths?|summary|main|review|questions?|
           comments?|box|previous|other|cons)\b.{0,60}
    )\W*$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_empty(text: str) -> bool:
    """Whether a box or entry says nothing: ``-``, ``N/A``, ``None``, ``See above``."""
    if len(text) > SHORT:
        return False
    return not any(char.isalnum() for char in text) or _EMPTY.match(text) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends with a question mark, closing signs aside."""
    tail = sentence[-40:].rstrip(" \t\r\n\"'”’)]}*_.!")
    return tail.endswith("?")


def is_verdict(sentence: str) -> bool:
    """Whether a sentence recommends to take or reject the paper, or speaks of its score."""
    return _CUES["decision"].search(_opening(sentence)) is not None


def _opening(sentence: str) -> str:
    """What is looked at of a sentence, in lower case, as the cues need it."""
    return sentence[:LOOKED_AT].lower()


def is_aside(sentence: str) -> bool:
    """Whether a sentence is politeness, a decision, or a pointer to another box."""
    return _is_aside(_opening(sentence))


@lru_cache(maxsize=2_000)
def _is_aside(text: str) -> bool:
    if is_empty(text) or is_verdict(text) or tells_limits(text) or is_grade(text):
        return True
    if len(text) <= SHORT and _CUES["remark"].search(text):
        return True
    polite = is_pointer(text) or _CUES["polite"].search(text) is not None
    return polite and not is_question(text)


def is_pointer(sentence: str) -> bool:
    """Whether a sentence only sends the reader to another place of the review."""
    if is_question(sentence) or len(sentence) > SHORT:
        return False
    if _POINTER.match(sentence) is not None:
        return True
    listed = _LISTED_ELSEWHERE.match(sentence) is not None
    return listed and not _CUES["weakly_critical"].search(sentence.lower())


def is_announcement(sentence: str) -> bool:
    """Whether a sentence says that remarks follow and none of them."""
    return len(sentence) <= SHORT and (
        _CUES["announces"].search(sentence.lower()) is not None or is_pointer(sentence)
    )


def tells_limits(sentence: str) -> bool:
    """Whether a sentence says that the authors speak of their limits, and asks for no more."""
    text = _opening(sentence)
    return (
        len(text) <= SHORT
        and _CUES["limits_told"].search(text) is not None
        and not turns_or_denies(text)
        and _CUES["critical"].search(_CUES["negated_criticism"].sub(" ", text)) is None
    )


class Stance(StrEnum):
    """What a sentence does."""

    CRITICAL = "critical"  # a weakness or a request for change
    QUESTION = "question"
    PRAISE = "praise"
    NEUTRAL = "neutral"  # description, background, reasons
    ASIDE = "aside"  # politeness, decisions and pointers to other boxes


_CORRECTED = re.compile(
    r"[\"'”’`] ?(?:-{1,2}>|=>|→|⇒) ?(?:[\"'“‘`]|[\w-]+(?: [\w-]+)?[\"'”’`.]?$)|"
    r"^[^\"'”’`]{1,60} (?:-{1,2}>|=>|→|⇒) .{1,30}$|"
    r"[\"“‘`'][^\"“”‘’`]{1,80}[\"”’`'] (?:\W )?(?:should (?:be|read)|instead of) [\"“‘`']|"
    r"\b(\w+) \1\b[\"”’'`]"
)
_REPAIR_LIST = re.compile(
    r"\W*(?:\w+ ){0,4}(?:typos?|typographical|spelling|grammar|nit-?picks?|nits|wording|editorial|"
    r"language)\b[^.?]{0,60}\W*$",
    re.IGNORECASE,
)


def is_repair(text: str, lead: str = "") -> bool:
    """Whether a remark only mends words: a typo, a slip of grammar, a missing comma.

    Args:
        text: The remark.
        lead: The heading or lead-in over it.
    """
    if len(text) > SHORT or is_question(text):
        return False
    return _mends(text, listed=len(lead) <= SHORT and _REPAIR_LIST.match(lead) is not None)


@lru_cache(maxsize=2_000)
def _mends(text: str, *, listed: bool) -> bool:
    if _CUES["repair"].search(text.lower()) is not None:
        return True
    mended = listed or _CORRECTED.search(text) is not None
    return mended and stance_of(text) is not Stance.CRITICAL


_RATED = re.compile(
    r"^\W*(?:[\w/&, ]{3,40}?\s*(?:[:\-–]|is|are|seems|looks)\s*)?(?:very |fairly |quite |overall |"
    r"rather |relatively |generally |pretty )*(?:good|fair|high|medium|not (?:applicable|available|"
    r"relevant)|ok|okay|fine|low|poor|excellent|average|moderate|marginal|acceptable|decent|clear|"
    r"yes|no|n/?a|not sure|unsure|limited|great|solid|strong|weak|significant|novel|reasonable|"
    r"satisfactory|"
    r"sufficient|adequate|easy|hard|below average|above average|\d+/\d+)\W*$",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\W*(?:in |overall,? )?(?:this|the) (?:\w+ )?(?:paper|work|article|manuscript|study|"
    r"submission)s? (?:\w+ly )?(?:aims?|proposes?|presents?|introduces?|stud(?:y|ies)|"
    r"investigates?|addresses|considers?|develops?|describes?|explores?|tackles?|focus(?:es)? on|"
    r"is about|deals with|shows?|provides?|extends?|examines?)\b|\W*the authors? (?:propose|"
    r"present|introduce|study|investigate|develop)s?\b",
    re.IGNORECASE,
)


_OPENS = re.compile(r"^\W*(?:but|however|yet),? ", re.IGNORECASE)
_RESTRICTS = re.compile(r"\b(?:only|merely|simply|just)\b", re.IGNORECASE)


def is_summary(sentence: str) -> bool:
    """Whether a sentence tells what the paper does and no more."""
    if _SUMMARY.match(sentence) is None or has_criticism(sentence):
        return False
    return not turns_or_denies(sentence)


def is_bare_rating(text: str) -> bool:
    """Whether a line only grades a topic, such as ``Novelty: fair``."""
    return len(text) <= SHORT and _RATED.match(text) is not None


_VERB = re.compile(r"\b(?:is|are|seems|looks)\b", re.IGNORECASE)


def is_grade(text: str) -> bool:
    """Whether a line names a topic and grades it without a verb: ``Novelty: fair``."""
    return ":" in text and is_bare_rating(text) and _VERB.search(text) is None


def is_polite(sentence: str) -> bool:
    """Whether a sentence is only politeness or a decision, whatever section it stands in."""
    text = _opening(sentence)
    if is_empty(text) or is_pointer(text):
        return True
    if not is_aside(text):
        return False
    if _CUES["polite"].search(text):
        return _CUES["reasoned"].search(text) is None
    return _CUES["decision"].search(text) is not None and _CUES["critical"].search(text) is None


def stance_of(sentence: str) -> Stance:
    """What a sentence of a mixed section does, by its words alone."""
    return _stance(_opening(sentence))


@lru_cache(maxsize=2_000)
def _stance(text: str) -> Stance:
    if is_aside(text):
        return Stance.ASIDE
    if is_question(text):
        return Stance.QUESTION
    stripped = _CUES["negated_criticism"].sub(" ", text)
    critical = _CUES["critical"].search(stripped) is not None
    praise = _CUES["praise"].search(_CUES["negated_praise"].sub(" ", text)) is not None
    critical = critical or (not praise and _CUES["weakly_critical"].search(stripped) is not None)
    if critical and (_mostly_praise(stripped) or _conceded(stripped)):
        return Stance.PRAISE
    if critical:
        return Stance.CRITICAL
    if praise and not turns_or_denies(stripped):
        return Stance.PRAISE
    return Stance.PRAISE if _CUES["no_concern"].search(text) else Stance.NEUTRAL


def turns_or_denies(sentence: str) -> bool:
    """Whether a sentence holds a contrast or a negation, so that it is no plain praise."""
    text = _opening(sentence)
    return (
        _CUES["contrast"].search(_OPENS.sub("", text)) is not None
        or _CUES["weakly_critical"].search(text) is not None
        or _RESTRICTS.search(text) is not None
    )


def _mostly_praise(text: str) -> bool:
    """A sentence whose only criticism stands before a contrast that praises."""
    cut = None
    for match in _CUES["contrast"].finditer(text):
        cut = match
    if cut is None or cut.group() not in {"but", "however", "yet"}:
        return False
    after = text[cut.end() :]
    return _CUES["critical"].search(after) is None and _CUES["praise"].search(after) is not None


_MAIN_CLAUSE = re.compile(r",\s+(?=(?:the|their|this|these|it|they|i|we|its)\b)", re.IGNORECASE)
_CONCESSION = re.compile(
    r"\W*(?:overall,? |in general,? )?(?:while|although|though|even though|despite|even if|besides|"
    r"apart from|aside from|other than|except(?: for)?)\b",
    re.IGNORECASE,
)


def _conceded(text: str) -> bool:
    """A sentence whose only criticism is what it concedes before its main clause."""
    if _CONCESSION.match(text) is None:
        return False
    for comma in _MAIN_CLAUSE.finditer(text):
        after = text[comma.end() :]
        if _CUES["critical"].search(after) is None and _CUES["praise"].search(after) is not None:
            return True
    return False


def has_criticism(sentence: str) -> bool:
    """Whether a sentence asks or criticises, even if it also praises."""
    return stance_of(sentence) in (Stance.CRITICAL, Stance.QUESTION)
