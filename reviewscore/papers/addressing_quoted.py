"""Whether words that address a model are talked about, not said: quoted, cited or recounted."""

from __future__ import annotations

import re

from reviewscore.papers.addressing_rules import Aim, Wish
from reviewscore.papers.addressing_words import marks, mask

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
