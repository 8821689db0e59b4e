"""Text that addresses a model: instructions in a paper, review or response to who judges it.

Sentences are read in 25 languages by what their words mean (`addressing_words`,
`addressing_rules`), forged turns, examples and ready answers by their form, after disguises are
undone (`addressing_disguises`); what is quoted, cited or recounted is told apart. Findings stay
data: they are shown to people, and judges get them as part of the fenced text they judge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from reviewscore.papers.addressing_disguises import (
    LEET,
    SPACED,
    DisguisedSpan,
    beside,
    decoded,
    leet,
    levelled,
    may_be_turned,
    spaced,
    turned,
    unmixed,
)
from reviewscore.papers.addressing_rules import WISHED, Aim, Wish, wish_of
from reviewscore.papers.addressing_words import (
    BIT,
    Language,
    LanguageGuess,
    fold,
    guess_language,
    language,
    languages,
    latin,
    marks,
    mask,
    scripts,
)
from reviewscore.papers.offsets import MappedText
from reviewscore.schema.record import Record

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
        look = guess_language(said, stretch.said)
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
            look = guess_language(said, stretch.said)
            wish, code = _read(said, look, disguised=True)
            if wish is not None and wish.means & WISHED:
                span = plain.original_span(stretch.start, stretch.end)
                yield _addressing(text, span, wish.aim, code, stretch.spelling)
                break


def _said(text: str, plain: MappedText, stretches: Sequence[DisguisedSpan]) -> Iterator[Addressing]:
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
        look = guess_language(sentence, plain.text[start:end])
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


def _read(
    sentence: str, look: LanguageGuess, *, disguised: bool = False
) -> tuple[Wish | None, str]:
    """What a sentence wants, and its language; also where it only names a program."""
    named = ""
    unsure = disguised and not look.little and not scripts(sentence)
    for code in dict.fromkeys((*look.languages, *(latin() if unsure else ()))):
        wish, names = wish_of(sentence, code, look.words, disguised=disguised)
        if wish is not None:
            return wish, code
        named = named or (code if names else "")
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
            wish, code = _read(said, guess_language(said), disguised=sure)
            if wish is None and spelling == "spaced letters" and len(said.split()) >= _PHRASE:
                wish = Wish(Aim.ROLE, 0, len(said), 0) if guess_language(said).little else None
            if wish is not None:
                return wish, code or "en", spelling
    return None, "", "plain"


_PHRASE = 5
"""Words in spaced letters that are more than a heading."""


_ASKED = mask("praise", "best", "hide", "laud")
"""What is asked of a program that the sentence before names."""


FormMatch = tuple[int, int, Aim, str]
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
_KINDLY = mask("praise sound deem laud hide work fault score rate you orders")
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


def forged(text: str) -> Iterator[FormMatch]:
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


def answers(text: str) -> Iterator[FormMatch]:
    """Ready answers in JSON, with the wish that they be given."""
    for match in _OBJECT.finditer(text):
        pairs = list(_PAIR.finditer(match.group()))
        if not pairs:
            continue
        before = text[max(0, match.start() - _BESIDE) : match.start()].rpartition("\n\n")[2]
        after = text[match.end() : match.end() + _BESIDE].partition("\n\n")[0]
        around = fold(f"{before} {after}")
        look = guess_language(around)
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
                or (
                    judged >= _JUDGEMENTS and bits & _SAYING and (code != "en" or bits & BIT["own"])
                )
            ):
                yield *match.span(), Aim.VERDICT, code
                break


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


def examples(text: str) -> Iterator[FormMatch]:
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
            _SOME_WORD.search(answer)
            and any(language(code).meaning(answer) & _FAVOURABLE for code in codes)
        )
        for answer in said
    )


_FAVOURABLE = mask("praise", "sound")


def _same(head: str, said: Sequence[str]) -> bool:
    """Whether the same answer is given each time under a head such as "Score"."""
    bits = language("en").means(head)
    return len(set(said)) == 1 < len(said) and bool(bits & mask("score"))


_SOME_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u9fff]")


_AROUND = 300
"""Characters before and after a phrase in which a paper may say that it is about such phrases."""

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


def talk_of_prompts(text: str) -> int:
    """In how many places a text speaks of prompts, and of attacks by them."""
    return sum(1 for _ in _TALK.finditer(text))


_KIND = mask("praise", "sound", "work", "hide", "verdict_for_you")
_LEAST_LEAD = 2


def talked_about(text: str, offset: int, end: int, wish: Wish, code: str) -> bool:
    """Whether a plain sentence is probably talked about rather than said."""
    first, last = offset + wish.start, offset + wish.end
    if any(_led_in(text, place, code) for place in (first, last - 1)):
        return True
    if _cited(text, first) or (code == "en" and _recounted(text, offset, end, wish)):
        return True
    aimed = bool(wish.means & _KIND and wish.aim is not Aim.SECRET)
    if code == "en" and _is_title(text[offset:end], wish, aimed=aimed):
        return True
    return not aimed and spoken_near(text, first, end)


_OWN_PAPER = re.compile(r"(?<!\w)(?:this|our|these|my)(?!\w)", re.IGNORECASE)
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
    if _OWN_PAPER.search(sentence) or sentence.isupper():
        return False
    if not aimed and _SUBTITLE.match(sentence, wish.end):
        return True
    words = _LONG_WORD.findall(sentence)
    capitals = sum(word[0].isupper() for word in words)
    return capitals >= len(words) * _CAPITALS and bool(_PARTED.search(sentence))


def spoken_near(text: str, start: int, end: int) -> bool:
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


# Titles of works that are cited

_CAPITAL = "A-ZÀ-ÖØ-ÞА-ЯЁІЇЄΑ-Ω"
_YEAR = r"(?:19|20)\d{2}[a-z]?"
_NAME = (
    rf"(?:et al\.?|(?:[{_CAPITAL}]\.[\s-]?){{1,3}}(?:[a-z]{{2,3}}\s)?[{_CAPITAL}][\w'’-]+"
    rf"|[{_CAPITAL}][\w'’-]+,?\s(?:[{_CAPITAL}]\.[\s-]?){{1,3}}"
    rf"|(?<!\w)(?:and|&|und|et|y|e|i|и)\s[{_CAPITAL}][\w'’-]+|[\u4e00-\u9fff]{{2,4}}"
    rf"|[{_CAPITAL}][\w'’-]+ [{_CAPITAL}]{{1,3}}(?=[\s,.(]))"
)
_TITLE_BEFORE = re.compile(
    rf"{_NAME}(?:[,.:;，：]?\s*[\"“„«*_'‘《「『]{{1,2}}|[,.:;]?\s*(?:\({_YEAR}\)|{_YEAR}[.,:])[.,:]*\s*[\"“„«*_'‘]?"
    r"|(?:(?<=\.)|[.．])\s*)(?P<begun>[^.!?\n\"”»]{0,60})\Z"
)
"""Names of authors and what may stand between them and a place in the title of their work."""
_TITLE_AFTER = re.compile(
    r"[^\n.?!。\"”»*_》]{0,160}?(?:[.?!,]?[\"”»*_'’》」』]{1,2}[,.]?|[.?!]|\[[A-Z](?:/OL)?\][.．]?)"
    rf"\s*(?://)?\s*[*_]?(?P<venue>(?:in:?\s)?[{_CAPITAL}\u3040-\u9fff][^\n?!]{{2,110}})",
    re.IGNORECASE,
)
_VOLUME = re.compile(
    rf"(?:[,.，(]|\s\d{{1,4}}[.,]?)\s*\(?{_YEAR}(?!\w)|\d\s?\(\d+\)|(?<![\w.])\d+\s?[-–]\s?\d+(?!\w)"
)
_SERIES = re.compile(
    r"(?<!\w)(?:journal|proc|conference|workshop|trans|transactions|symposium|meeting|arxiv|press"
    r"|proceedings|zeitschrift|revue|revista|rivista|letters|neurips|icml|iclr|acl|emnlp)(?!\w)",
    re.IGNORECASE,
)


def _cited(text: str, first: int) -> bool:
    """Whether a place is in the title of an entry: authors before it, place and year around it."""
    before = _TITLE_BEFORE.search(text, max(0, first - 160), first)
    if before is None:
        return False
    after = _TITLE_AFTER.match(text, first, min(len(text), first + _AROUND))
    if after is None:
        return False
    venue = after["venue"]
    dated = re.search(_YEAR, before.group()) is not None
    return bool(_VOLUME.search(venue) or (dated and _SERIES.search(venue)))


# What somebody is said to have told a model

_TOLD = re.compile(
    r"(?<!\w)(?:(?:tell|ask|order|instruct|request|command|caus|forc|trick|persuad|lead|direct|urg)"
    r"(?:s|es|ed|ing)|makes?|made|making|told|led)"
    r" (?:\w+[ -]){0,4}?(?:models?|assistants?|agents?|llms?|systems?|judges?|graders?|reviewers?"
    r"|students?|annotators?|chatbots?|bots?)(?: \w+)? (?:to|into)(?!\w)",
    re.IGNORECASE,
)
_SAID_BY = re.compile(
    r"(?<!\w)(?:authors?|papers?|work|study|studies|they|section|table|results?|experiments?|al\.?"
    r"|analys[ei]s|framework|it)(?:\s+\w+){0,2}?\s+(?:claim|argue|say|examine|show|demonstrate|introduce"
    r"|suggest|report|find|found|observe|consider|study|investigate|propose|explore|assume|mention"
    r"|hypothesi[sz]e|prove|analy[sz]e|evaluate|use)(?:s|d|ed)?(?!\w)",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"(?<!\w)(?:(?:this|our|these|my|the present|the) (?:\w+ ){0,2}?(?:paper|work|submission"
    r"|manuscript|article|review|rebuttal|reply|response|study|results?|claims?|report|text|document"
    r"|pages?|authors?|reviewer|thread|sections?)|us|our|ours|mine|you|your|here)(?!\w)",
    re.IGNORECASE,
)


_ACCOUNT = re.compile(
    r"(?<!\w)(?:tend(?:s|ed)? to|often|rarely|usually|typically|on average|whether"
    r"|(?:must|may|should|shall|can)(?: not|not)? be used"
    r"|of (?:the |all )?(?:cases|runs|calls|trials|items|pairs|prompts)|json|xml|yaml"
    r"|(?:one|single) (?:letter|word|number))(?!\w)",
    re.IGNORECASE,
)
"""What sentences about a studied model, or about the use of models, have."""
_NEW_CLAUSE = re.compile(r"[;:!—]")


def _recounted(text: str, offset: int, end: int, wish: Wish) -> bool:
    """Whether a sentence tells what somebody said or a model does, and is about no own work."""
    first = offset + wish.start
    if _TOLD.search(text, offset, end) or _ACCOUNT.search(text, offset, end):
        return not _OURS.search(text, first, end)
    said = _SAID_BY.search(text, offset, first)
    return bool(
        said
        and not _NEW_CLAUSE.search(text, said.end(), first)
        and not _OURS.search(text, said.end(), end)
    )
