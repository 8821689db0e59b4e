"""Politeness, decisions, empty boxes and pointers to other places: what is never a point."""

from __future__ import annotations

import re

SHORT = 260
"""Longest sentence in characters that can be only a remark."""

LOOKED_AT = 1000
"""Characters of a sentence that are looked at."""


def cue(*patterns: str) -> re.Pattern[str]:
    """A pattern that finds any of the cues at the start of a word."""
    return re.compile(r"\b(?:" + "|".join(patterns) + ")", re.IGNORECASE)


_POLITE = cue(
    r"look(?:ing)? forward to",
    r"thank(?:s| you| the authors)",
    r"(?:i|we) (?:\w+ )?hope (?:that )?(?:(?:the )?authors? (?:can|could|will) (?:address|"
    r"respond)|my|"
    r"these|this|the (?:comments|feedback|rebuttal|review))",
    r"hopefully (?:\w+ ){0,3}(?:author|address)",
    r"(?:happy|willing|open|glad|inclined|ready|consider|would like|likely) (?:\w+ ){0,3}(?:to )?"
    r"(?:\w+ )?(?:rais|increas|updat|chang|revis|re-?consider|re-?evaluat|improv|adjust|upgrad|"
    r"reassess)\w* (?:\w+ ){0,4}(?:score|rating|review|assessment|recommendation|evaluation|"
    r"opinion|mind|vote|grade|decision)",
    r"(?:(?:rais|increas|updat|chang|revis|lower|adjust|keep|maintain|chang)\w*) (?:\w+ )?(?:my|"
    r"the|this) (?:\w+ )?(?:score|rating|recommendation|evaluation|assessment|decision|vote)",
    r"apolog\w+",
    r"(?:no|(?:n[o'’]t|not) (?:find|see|have|notice|spot|identify) (?:any )?)\W?(?:major |"
    r"significant |"
    r"serious |obvious |particular |other |further )*(?:weakness(?:es)?|concerns?|flaws?)\W*$",
    r"good luck",
    r"congratulat\w+",
)
_POINTER = re.compile(
    r"\W*(?:please|kindly|also|and)?,? ?(?:also )?(?:see|refer(?: back)? to|check|read|address|"
    r"respond "
    r"to|answer|clarify) (?:\w+ ){0,5}(?:(?:weakness\w*|strengths?|cons|concerns?|questions?|"
    r"comments?|"
    r"points?|issues?|sections?|box(?:es)?|summary)\b(?: \w+){0,4}|(?:the )?(?:above|"
    r"below)(?: \w+){0,4}|"
    r"suggestions)\W*$",
    re.IGNORECASE,
)
_DECISION = cue(
    r"(?:i|we|my|therefore|thus|hence|overall|so|reviewer|in (?:summary|conclusion|"
    r"total))\b.{0,120}"
    r"\b(?:recommend\w*|vot(?:e|ing)|lean(?:s|ing)?|inclin\w+|scor\w+|rat(?:e|ed|ing)|tend\w*|"
    r"suggest\w*|give|giving|favou?r|support\w*|advocat\w*|opt|decid\w*|argue|side|think|believe|"
    r"consider|recommendation)\b"
    r".{0,80}\b(?:accept(?:ance|ed|ing)?|reject(?:ion|ed|ing)?|borderline|threshold|publi(?:cation|"
    r"shed)|score|rating|[1-9]/10)\b",
    r"(?:above|below|under|meets?|reach\w*) (?:\w+ )?(?:the )?(?:acceptance|accept) "
    r"(?:threshold|bar)",
    r"(?:weak|strong|clear|borderline|marginal\w*|leaning) (?:accept|reject|acceptance|"
    r"rejection)\b",
    r"ready (?:for|to be) publi\w+",
    r"(?:warrants?|worth|merits?|deserves?|worthy of|in favou?r of|justify) (?:\w+ ){0,2}"
    r"(?:accept\w*|publi\w*|reject\w*)",
    r"not (?:\w+ ){0,3}(?:ready|suitable|fit|meet)\b.{0,40}(?:accept|publi|bar|standard)",
    r"should be (?:accepted|rejected|published)",
    r"i (?:am|'m) not (?:an expert|very familiar|familiar|too familiar)",
    r"i (?:did not|didn't|have not|haven't) (?:\w+ )?(?:check|verif|read|"
    r"go through)\w* (?:\w+ ){0,3}"
    r"(?:proof|derivation|appendi|detail|math|supplement|code)\w*",
)
_REMARK = cue(
    r"(?:as follows|(?:listed|detailed|outlined|described|given) below)\W*$",
    r"reproducib\w+ is not (?:an?|applicable|relevant|the)\b",
    r"aspects of the contributions exist in prior work",
    r"the contributions are (?:only )?(?:marginally |somewhat )?(?:significant|new|"
    r"novel)\b.{0,40}$",
    r"strengths? and (?:the )?weakness(?:es)?",
    r"(?:i am|i'm|im) not (?:\w+ ){0,4}(?:in|of|from) (?:this|the|that) (?:area|field|topic|"
    r"subfield)",
    r"(?:several|some|following|many|few|multiple|number of|list of) (?:\w+ ){0,2}(?:concerns|"
    r"questions|"
    r"issues|weaknesses|comments|suggestions|problems|points)(?: (?:about|with|on|for|in|of|"
    r"regarding|"
    r"to|that|below|here)(?: \w+){0,5})?\s*[.:]?\W*$",
    r"(?:after|having) (?:\w+ )?(?:read|see)\w* (?:\w+ ){0,4}(?:rebuttal|responses?|repl(?:y|ies))",
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


def is_aside(sentence: str) -> bool:
    """Whether a sentence is politeness, a decision, or a pointer to another box."""
    text = sentence[:LOOKED_AT]
    if is_empty(text) or _DECISION.search(text):
        return True
    if len(text) <= SHORT and _REMARK.search(text):
        return True
    polite = _POINTER.match(text) is not None or _POLITE.search(text) is not None
    return polite and not is_question(text)


def is_pointer(sentence: str) -> bool:
    """Whether a sentence only sends the reader to another place of the review."""
    return _POINTER.match(sentence) is not None and not is_question(sentence)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence holds words of politeness, or of a score that may change."""
    return _POLITE.search(sentence) is not None


def is_decision(sentence: str) -> bool:
    """Whether a sentence recommends acceptance or rejection, or says what was not checked."""
    return _DECISION.search(sentence) is not None
