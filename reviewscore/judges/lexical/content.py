"""What a review point asks for or says is missing, as words that a passage would have to hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewscore.judges.lexical.lexicon import Aspect, aspects_in
from reviewscore.judges.lexical.stems import stem, words
from reviewscore.judges.lexical.stopwords import stop_stems


@dataclass(frozen=True)
class Wanted:
    """The wanted or denied content of one sentence of a point.

    Attributes:
        aspects: Review aspects it names, in lexicon order.
        parts: Stems of the other content words: each must be found for a flag.
        query: Stems to retrieve passages by: the parts and the words that named the aspects.
        comparison: Whether it asks for a comparison.
        sensitivity: Whether it asks how results change with something.
        number: Whether the answer is a number.
    """

    aspects: tuple[Aspect, ...]
    parts: tuple[str, ...]
    query: tuple[str, ...]
    comparison: bool
    sensitivity: bool
    number: bool

    @property
    def empty(self) -> bool:
        """Whether nothing is named that could be looked up."""
        return not self.aspects and not self.parts


_KEPT_SINGLE = re.compile(r"^[A-HJ-Zα-ωΑ-ΩλμσβγδεθτL]$")


_LEAD = re.compile(
    r"^(?:(?:lack of (?:empirical |clear )?[\w ]{0,30}:)|[A-Z][\w /-]{2,40}:)\s+", re.UNICODE
)
_TAIL = re.compile(
    r",? (?:which|making|raising|leading to|limiting|thus|therefore|hence|so that|although|though"
    r"|even though|despite"
    r"|because|since|and this|but (?:it|this|the)|as this|as it|given|especially|in order to"
    r"|to (?:validate|support|demonstrate|justify|show|verify|understand|isolate|assess|prove"
    r"|substantiate"
    r"|confirm|better|help|make|strengthen|evaluate|allow|quantify|determine|ensure|facilitate"
    r"|contextualize))\b.*$",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|(?:better|worse|faster|slower|higher|lower|different"
    r"|differ\w*) (?:than|from)"
    r"|relative to|outperform\w*|benchmark(?:ed|ing))\b",
    re.IGNORECASE,
)
_SENSITIVITY = re.compile(
    r"\bsensitiv\w*|\bhow (?:does|do|is|are|did) [^?]{0,80}\b(?:vary|varies|change[sd]?"
    r"|affect(?:s|ed)?|depend(?:s|ed)?"
    r"|influence[sd]?|impact(?:s|ed)?|degrade[sd]?)\b|\b(?:effects?|impact|influence|role) of\b"
    r"|\brobust\w* (?:is|are) "
    r"[^?]{0,60} to\b|\brobust to\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow (?:many|much|long|large|big|often|fast|slow|deep|small|high|low)\b|\bwhat (?:is|was"
    r"|are|were) the "
    r"(?:\w+ ){0,2}(?:number|size|value|dimension\w*|rate|length|percentage|fraction|ratio|amount"
    r"|accuracy|cost"
    r"|time|run-?time|overhead)\b",
    re.IGNORECASE,
)


_MIN_CORE = 12
"""Characters; what is left of a shorter sentence says too little on its own."""


def _core(sentence: str) -> str:
    """The sentence without a label in front and without clauses that only say why it matters."""
    core = _TAIL.sub("", _LEAD.sub("", sentence))
    return core if len(core) > _MIN_CORE else sentence


def wanted_content(sentence: str) -> Wanted:
    """What one sentence of a point asks for or denies.

    Args:
        sentence: A question or a statement, list marks removed.
    """
    core = _core(sentence)
    named = aspects_in(core)
    rest = core
    spans = [span for _, found in named for span in found]
    for start, end in spans:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    parts = _content_stems(rest)
    words_of_aspects = _content_stems(core)
    lexical = [stem(word) for start, end in spans for word in words(core[start:end])]
    query = tuple(dict.fromkeys([*parts, *lexical, *words_of_aspects]))
    return Wanted(
        aspects=tuple(aspect for aspect, _ in named),
        parts=parts,
        query=query,
        comparison=_COMPARISON.search(core) is not None,
        sensitivity=_SENSITIVITY.search(core) is not None,
        number=_NUMBER.search(core) is not None,
    )


def _content_stems(text: str) -> tuple[str, ...]:
    """Stems of the content words of a text, each once, in order."""
    found: list[str] = []
    for word in words(text):
        if len(word) == 1 and not (word.isdigit() or _KEPT_SINGLE.match(word)):
            continue
        plain = word.lower()
        if plain in stop_stems() or stem(word) in stop_stems():
            continue
        found.append(stem(word))
    return tuple(dict.fromkeys(found))
