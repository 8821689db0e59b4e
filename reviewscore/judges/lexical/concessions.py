"""Whether a passage concedes something, and whether it concedes what a point criticises."""

from __future__ import annotations

import re
from functools import lru_cache

from reviewscore.judges.lexical.content import wanted_content
from reviewscore.judges.lexical.forms import Clause, is_interrogative
from reviewscore.schema.paper import Evidence
from reviewscore.text.stems import stems

_CONCESSION = re.compile(
    r"\b(?:we|is|are|be|it) (?:\w+ )?(?:leave|left|defer)\w*\b|\bleav(?:e|es|ing) (?:it|this|that"
    r"|these|the|a|an)\b|\bfuture (?:work|research|stud\w+|directions?|investigat\w+|version)\b"
    r"|\bin the future\b|\b(?:beyond|out of|outside) (?:the |our )?scope\b|\bwe (?:do|did|could|can"
    r"|have|will|are|were) ?(?:not|n't|n’t|never)\b|\bwe cannot\b|\bwe (?:omit|skip|exclude|ignore"
    r"|neglect)\b|\bnot (?:yet )?(?:been )?(?:considered|addressed|included|discussed|reported"
    r"|explored|studied|investigated|provided|available|compared|evaluated|tested|known|clear)\b"
    r"|\bremains? (?:open|to be|unclear|unknown|an?\b)|\bopen (?:question|problem)s?\b|\black(?:s"
    r"|ing)? (?:of|a|an|any|theoretical)\b|\bno (?:theoretical|guarantees?|experiments?)"
    r"|\binteresting (?:direction|to)\b|\bnot (?:the|our) focus\b|\bwould be interesting\b"
    r"|\bno (?:open|public|publicly|code|official)\b|\bnot (?:public|open|release)\w*"
    r"|\bunfortunately\b|\bwe (?:hope|plan|intend) to\b",
    re.IGNORECASE,
)
"""Words by which a passage takes back what it seems to offer."""
_LIMITATION = re.compile(
    r"\blimitations?\b|\b(?:we|our) [^.]{0,80}(?<!not )(?:limited|restricted|confined) to\b"
    r"|\bwe (?:\w+ )?(?:acknowledge|recogni[sz]e|admit|concede|restrict|limit)\b"
    r"|\b(?:paper|work|study|analysis|evaluation) (?:\w+ )?(?:does|did|can)(?:n't|n’t| ?not)\b"
    r"|\bnot (?:yet )?(?:fully|explicitly|formally|systematically) (?:understood"
    r"|(?:report|model|evaluat|explor|address|test|quantifi)\w*)"
    r"|\bunderdeveloped\b|\bthis excludes\b|\bmanually (?:select|tun|chos|set|adjust)\w*"
    r"|\bdue to (?:the )?(?:\w+ ){0,3}(?:limit\w*|constraints?|budgets?)\b",
    re.IGNORECASE,
)
"""Further words by which authors state a limit of their work."""
_OVERCOME = re.compile(
    r"\b(?:overc[ao]m|address|alleviat|mitigat|resolv|remov|circumvent|tackl)\w* "
    r"(?:\w+ ){0,3}limitations?\b",
    re.IGNORECASE,
)
"""Words that say that a limitation is none any more."""
_ELSEWHERE = re.compile(
    r"\b(?:leav|left|defer)\w*\b[^.]{0,120}\b(?:appendi\w+|supplement\w*|sections?|sec\.)",
    re.IGNORECASE,
)
"""Words that leave something to another part of the paper, which then holds it."""
_OF_OTHERS = re.compile(
    r"\b(?:previous|prior|existing|other|their|these|those|traditional"
    r"|classical) (?:\w+ )?(?:works?|methods?"
    r"|approaches|models|algorithms|techniques|strateg\w+)\b|\(\d{4}\)",
    re.IGNORECASE,
)
"""Words by which a limitation is somebody else's."""
_FEWEST = 2
"""Content words that a point and a passage must share to speak of the same thing."""
_SHARE = 0.2
"""Share of the point's content words that the passage must hold, 0..1."""
_KEPT_TEXTS = 16_384
"""Passages whose text was judged that are remembered: those of the papers that are at hand."""


@lru_cache(maxsize=_KEPT_TEXTS)
def concedes(text: str) -> bool:
    """Whether a passage concedes that something is not done, not known, or limited in its work."""
    if _CONCESSION.search(text):
        return True
    return _LIMITATION.search(_OVERCOME.sub(" ", text)) is not None and not speaks_of_others(text)


@lru_cache(maxsize=_KEPT_TEXTS)
def speaks_of_others(text: str) -> bool:
    """Whether what a passage says is of other people's work."""
    return _OF_OTHERS.search(text) is not None


def acknowledges(passage_text: str, clause: Clause) -> bool:
    """Whether a passage confirms what a point criticises: the authors state it too.

    The point denies or criticises something, and the passage concedes a limit in the same words.
    A point that asks is not confirmed by anything, and one that misses a discussion of limitations
    is answered by a limitation. `support.fit` takes no such passage for an answer.

    Args:
        passage_text: A passage of the paper.
        clause: The sentence of the point that is looked up.
    """
    if is_interrogative(clause.text) or not concedes(passage_text):
        return False
    if _ELSEWHERE.search(passage_text):
        return False
    wanted = wanted_content(clause.text)
    if any(aspect.may_concede for aspect in wanted.aspects):
        return False
    shared = frozenset(wanted.query) & frozenset(stems(passage_text))
    return len(shared) >= max(_FEWEST, _SHARE * len(wanted.query))


def marked(passages: tuple[Evidence, ...], clause: Clause) -> tuple[Evidence, ...]:
    """Passages of a finding, those marked that confirm what the point criticises.

    Args:
        passages: The passages.
        clause: The sentence of the point that was looked up.
    """
    return tuple(
        passage.model_copy(update={"acknowledges": True})
        if acknowledges(passage.quote, clause)
        else passage
        for passage in passages
    )
