"""Forms that address a model by their look: forged turns and tags, examples, ready answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from reviewscore.papers.addressing_rules import Aim
from reviewscore.papers.addressing_words import (
    BIT,
    Language,
    fold,
    glance,
    language,
    languages,
    latin,
    marks,
    mask,
    scripts,
)

Found = tuple[int, int, Aim, str]
"""Start, end, aim, and code of the language."""

_MARKERS = re.compile(
    r"<\|?\s?(?:im_start|im_end|system|assistant|user|endoftext|eot_id|start_header_id"
    r"|end_header_id|begin_of_text|start_of_turn|end_of_turn)\s?\|?>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)
"""Control markers of common chat formats."""
_AT_START = re.compile(r"(?:\A|\n)[ \t>*\"'`]*\Z")

_HTML = (
    "sub|sup|br|b|i|p|a|em|strong|ul|ol|li|details|summary|div|span|table|t[rdh]|img|code|pre|h[1-6]"
    "|hr|font|center|u|s|small|big|thead|tbody"
)
_BOUNDARY = re.compile(
    rf"(?im)^[ \t]*(?:</?(?!(?:{_HTML})\b)[^\s<>/]{{2,40}}>"
    rf"|[-=#*_ ]{{0,8}}(?:{marks('ends')})[^\n]{{0,40}}$"
    r"|[-=#*\[(<!_ ]{0,8}(?:(?:trusted|authori[sz]ed|verified) )?"
    rf"(?:{marks('speakers')})(?: (?:message|note|prompt|notice|override|update))?"
    r"[\])>*]{0,3}\s*[:：\])>]"
    rf"|#{{1,6}}[ \t]*(?:{marks('headings')})\s*[:：]?"
    rf"|[\[(]?(?:{marks('headings')})[\])]?\s*[:：])"
)
"""What passes for the end of a text, for a turn of a conversation or for the head of a task."""
_ENDED = re.compile(rf"(?i)(?:</[^\s<>/]{{2,40}}>|\W{{0,8}}(?:{marks('ends')})[^\n]{{0,40}})\s*\Z")
_BEFORE, _AFTER = 60, 260
_KINDLY = mask(
    "praise", "sound", "deem", "laud", "hide", "work", "fault", "score", "rate", "you", "orders"
)
_KINDLIEST = mask("praise", "laud", "hide", "verdict_for_you")
_LEAST = 2
_OVERRIDING = re.compile(
    r"(?<!\w)(?:overrid|supersed|replac|cancel)\w*\s+(?:\w+\s+){0,3}?(?:rubric|instruction|guideline|prompt"
    r"|criteri)"
)
"""What a forged message does to the orders before it."""


def _telling(text: str, least: int, kindest: int) -> str:
    """The language in which a text speaks of judging kindly, with so many words; else empty."""
    folded = fold(text)
    for code in languages(folded):
        means = [means & _KINDLY for means in language(code).read(folded).means]
        telling = [bits for bits in means if bits]
        bits = reduce(or_, telling, 0)
        if code == "en" and _OVERRIDING.search(folded):
            return code
        if len(telling) >= least and (
            bits & kindest
            or (bits & mask("deem", "rate") and bits & mask("work") and bits & mask("you"))
        ):
            return code
    return ""


def forged(text: str) -> Iterator[Found]:
    """Turns of a conversation, tags and headings that pass for those around the text."""
    for match in _MARKERS.finditer(text):
        if _AT_START.search(text, max(0, match.start() - 8), match.start()):
            yield *match.span(), Aim.FORGED, "en"
    for match in _BOUNDARY.finditer(text):
        ended = _ENDED.match(match.group().strip()) or (
            _ENDED.search(text, max(0, match.start() - _BEFORE), match.start())
        )
        kindest = _KINDLIEST | BIT["sound"] * bool(ended)
        least = _LEAST if not ended or match.group().endswith(">") else 1
        code = _telling(text[match.end() : match.end() + _AFTER], least, kindest)
        if code:
            yield match.start(), min(len(text), match.end() + _AFTER // 4), Aim.FORGED, code


_OBJECT = re.compile(r"\{\s*[\"“'][^{}]{3,400}\}")
_PAIR = re.compile(
    r"[\"“'](?P<key>[^\"”'{}]{1,60})[\"”']\s*[:：]\s*(?:\d+(?:\.\d+)?|\[\s*\]|null|true|false|none"
    r"|[\"“'](?P<said>[^\"”']{0,60})[\"”'])",
    re.IGNORECASE,
)
_BESIDE = 110
_ANSWERING = mask("say", "tell", "deem", "rate", "act")
_SAYING = mask("say", "tell")
_ONLY = mask("only", "yours", "must")
_JUDGED = mask("score", "deem", "fault", "praise", "sound", "part", "work")
_JUDGEMENTS = 2
_PRAISED = re.compile(
    r"[\"'](?:\w+ )?(?:excellent|perfect|flawless|outstanding|strong accept)\b", re.I
)


def answers(text: str) -> Iterator[Found]:
    """Ready answers in JSON, with the wish that they be given."""
    for match in _OBJECT.finditer(text):
        pairs = list(_PAIR.finditer(match.group()))
        if not pairs:
            continue
        before = text[max(0, match.start() - _BESIDE) : match.start()].rpartition("\n\n")[2]
        after = text[match.end() : match.end() + _BESIDE].partition("\n\n")[0]
        around = fold(f"{before} {after}")
        look = glance(around)
        codes = (
            look.languages if look.little > 1 or scripts(around) else (*look.languages, *latin())
        )
        for code in dict.fromkeys(codes):
            known = language(code)
            kind = [fold(pair["key"]) for pair in pairs if _kindly(pair, known)]
            bits = known.meaning(around)
            judged = sum(bool(known.meaning(key) & _JUDGED) for key in kind)
            if kind and (
                (bits & _ANSWERING and bits & _ONLY)
                or (bits & BIT["yours"] and judged)
                or (bits & _SAYING and _PRAISED.search(match.group()))
                or (judged >= _JUDGEMENTS and bits & _SAYING and (code != "en" or bits & _OWN))
            ):
                yield *match.span(), Aim.VERDICT, code
                break


_OWN = BIT["own"]


def _kindly(pair: re.Match[str], known: Language) -> bool:
    """Whether a value is a number, a truth, nothing, or a kind word."""
    return not pair["said"] or bool(known.meaning(fold(pair["said"])) & mask("praise", "sound"))


_ANSWER = re.compile(
    r"(?:[:：]|[-=]>)[ \t]*(?P<said>[^\n.;。！!:：>]{1,70}?|(?=\Z))[ \t]*(?=[\n.;。！!]|\Z)"
)
_LONGEST_HEAD = 60
_WITHIN = 600
_TIMES = 3
_YES = re.compile(rf"(?i)(?:(?:{marks('yes_no')})(?:\W+\w+){{0,3}}|\d+\s?/\s?\d+)\W*\Z")


def examples(text: str) -> Iterator[Found]:
    """Examples that answer the same favourable thing under the same head, three times in a row."""
    heads: dict[str, list[re.Match[str]]] = {}
    for match in _ANSWER.finditer(text):
        before = text[max(0, match.start() - _LONGEST_HEAD) : match.start()]
        name = before[max(map(before.rfind, "\n.;!?。？！:：>")) + 1 :]
        head = fold(_NUMBERED.sub("", name)).split() or fold(_DIGITS.sub("", name)).split()
        if not head:
            continue
        key = head[-1] if len(head) < _TIMES else head[0]
        run = heads.setdefault(key, [])
        if run and match.start() - run[-1].end() > _WITHIN:
            run.clear()
        run.append(match)
        if len(run) < _TIMES:
            continue
        start = max(0, run[-_TIMES].start() - _LONGEST_HEAD)
        codes = languages(fold(text[start : match.end()]))
        said = [fold(answer["said"]) for answer in run[-_TIMES:] if answer["said"]]
        if _favourable(said, codes) or _same(key, said):
            yield run[-_TIMES].start(), match.end(), Aim.FORGED, codes[0]
            run.clear()


_NUMBERED = re.compile(r"[\dA-Z]{1,2}\b|\([^)]*\)")
_DIGITS = re.compile(r"\d+")


def _favourable(said: Sequence[str], codes: Sequence[str]) -> bool:
    return len(said) > 1 and all(
        _YES.match(answer)
        or (
            _LETTER.search(answer)
            and any(language(code).meaning(answer) & _FAVOURABLE for code in codes)
        )
        for answer in said
    )


_FAVOURABLE = mask("praise", "sound")


def _same(head: str, said: Sequence[str]) -> bool:
    """Whether the same answer is given each time under a head such as "Score"."""
    bits = language("en").means(head)
    return len(set(said)) == 1 < len(said) and bool(bits & mask("score"))


_LETTER = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff]")
