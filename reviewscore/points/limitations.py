"""What a box for limitations holds: criticism by the reviewer, and what the authors say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reviewscore.points.blocks import Block
from reviewscore.points.stance import is_aside
from reviewscore.text.sentences import sentences

_TREATS = (
    r"(?:discuss|address|acknowledg|mention|includ|describ|list|not(?:e[sd]?|ing)\b|"
    r"stat(?:e[sd]?|ing)\b|point|cover|report|recogni[sz]|outlin|highlight|"
    r"(?:present|provid|put)\w*(?= (?:\w+ ){0,5}limit)|explain|analy[sz]|consider|"
    r"identif|touch|reflect|upfront|honest|transparent|candid)\w*"
)
_PLAIN = (
    r"(?:(?!(?:not|never|no|neither|nor|only|should|could|would|must|needs?|fail\w*|barely|hardly|"
    r"cannot|might|may|lack\w*|insufficient\w*|poor\w*|recommend|suggest)\b)[\w'’-]+(?<!n[’']t) )"
)
"""A word before the verb that neither denies nor asks for something."""
_LIMITS = r"(?:limitations?|limits|impacts?|weaknesses|concerns|issues|risks|consequences)"
_TOLD = re.compile(
    rf"\W*(?:(?:yes|sure|indeed|overall|in general|i (?:think|believe|feel|find))\b,?\W*"
    rf"(?:that )?)?(?:(?:the |all |both |some |this )?(?:authors?|paper|work|"
    rf"manuscript|they|it|submission|"
    rf"section(?: \d[\d.]*)?|appendix) {_PLAIN}{{0,5}}{_TREATS}"
    rf"|{_PLAIN}{{0,5}}{_LIMITS} {_PLAIN}{{0,8}}(?:is|are|was|were|been|seems?|be) {_PLAIN}{{0,3}}"
    rf"(?:well[- ])?(?:{_TREATS}|stated|adequate|sufficient|fine|okay|ok|reasonable|good|clear)\b"
    rf"|there (?:is|are) (?:an? |some )?{_PLAIN}{{0,5}}(?:{_LIMITS}|section|paragraph|discussion) "
    rf"{_PLAIN}{{0,6}}(?:in|at|on|of)\b"
    rf"|as (?:the )?(?:authors? |paper )?{_PLAIN}{{0,3}}{_TREATS} (?:in|by|at|on)\b"
    rf"|as (?:the )?(?:authors?|paper) {_PLAIN}{{0,3}}{_TREATS}"
    rf"|{_TREATS} (?:in|by|at|adequately|well)\b)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:no\b|not\b|n['’]t\b|without\b|hardly\b|free of\b)[^.;]{0,60}\b(?:(?:societal|social|"
    r"ethical|broader|negative|adverse|harmful)\b[^.;]{0,30}\b(?:impacts?|concerns?|issues?|consequences?|"
    r"implications?|effects?|risks?)|(?:limitations?|concerns|issues) (?:were|was|are|is|that|to|"
    r"i|here|from|on)\b)",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"\b(?:discuss|address|mention|includ|describ|analy[sz]|consider|provid|list|report|elaborat)\w*",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\W*(?:i (?:have |already )*(?:shar|mention|list|discuss|not|describ|stat|rais)\w*|"
    r"(?:my|these|the|those|all)(?: \w+){0,3} (?:are|is|have been|were)(?: \w+){0,3} "
    r"(?:mention|list|discuss|elaborat|describ|stat|explain|rais)\w*)\b.{0,60}\b(?:weakness\w*|above|below|questions?|comments?|"
    r"sections?)\W*$",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:but|however|although|though|yet|except|while|nevertheless)\b", re.IGNORECASE
)


def is_told_back(sentence: str) -> bool:
    """Whether a sentence only says that, or what, the authors say about their limits.

    A sentence that turns ("but", "however") is the reviewer's own, and so is one that asks.
    """
    if sentence.rstrip("\"'”’)*_ ").endswith("?"):
        return False
    if _ELSEWHERE.match(sentence):
        return True
    if _HARMLESS.search(sentence) and not _LACKS.search(sentence):
        return True
    told = _TOLD.match(sentence)
    return told is not None and _TURNS.search(sentence, told.end()) is None


def own_remarks(text: str, block: Block) -> Iterator[Block]:
    """The stretches of an entry or paragraph that are the reviewer's own remarks."""
    start = end = -1
    for part in sentences(text, block.start, block.end):
        sentence = text[part.start : part.end]
        if is_aside(sentence) or is_told_back(sentence):
            if start >= 0:
                yield replace(block, start=start, end=end)
            start = -1
        else:
            start, end = part.start if start < 0 else start, part.end
    if start >= 0:
        yield replace(block, start=start, end=end)
