"""Which passages of a paper may be quoted: plain statements of its own that are not taken back."""

from __future__ import annotations

import re

from reviewscore.judges.lexical.index import Passage
from reviewscore.judges.lexical.lexicon import Aspect
from reviewscore.papers.sentences import SentenceKind
from reviewscore.schema.paper import Zone

_WEAK = frozenset({Zone.RELATED_WORK, Zone.REFERENCES, Zone.FRONT, Zone.CHECKLIST})
_UNFIT = frozenset({SentenceKind.HEADING, SentenceKind.ROW})
"""What states nothing by itself."""
_END = re.compile(r"[.!][\"'”’)\]]*$")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_MIN_PLAIN = 0.6
"""Share of words among the tokens of a sentence; with fewer it is formulas or table cells."""
_DANGLING = re.compile(
    r"^(?:\([a-z]\)|\(\d{4}\)|\W*(?:and|or|which|where|whose|et al)\b)|^[a-z]|^\d+,|-----"
    r"|\((?:Appendix|Section)\W*$"
)

_CONCESSION = re.compile(
    r"\b(?:we|is|are|be|it) (?:\w+ )?(?:leave|left|defer)\w*\b"
    r"|\bleav(?:e|es|ing) (?:it|this|that|these|the|a|an)\b"
    r"|\bfuture (?:work|research|stud\w+|directions?|investigat\w+|version)\b|\bin the future\b"
    r"|\b(?:beyond|out of|outside) (?:the |our )?scope\b"
    r"|\bwe (?:do|did|could|can|have|will|are|were) ?(?:not|n't|n’t|never)\b|\bwe cannot\b"
    r"|\bwe (?:omit|skip|exclude|ignore|neglect)\b"
    r"|\bnot (?:yet )?(?:been )?(?:considered|addressed|included|discussed|reported|explored"
    r"|studied|investigated|provided|available|compared|evaluated|tested|known|clear)\b"
    r"|\bremains? (?:open|to be|unclear|unknown|an?\b)|\bopen (?:question|problem)s?\b"
    r"|\black(?:s|ing)? (?:of|a|an|any|theoretical)\b|\bno (?:theoretical|guarantees?|experiments?)"
    r"|\binteresting (?:direction|to)\b|\bnot (?:the|our) focus\b|\bwould be interesting\b"
    r"|\bno (?:open|public|publicly|code|official)\b|\bnot (?:public|open|release)\w*"
    r"|\bunfortunately\b|\bwe (?:hope|plan|intend) to\b",
    re.IGNORECASE,
)
"""Words by which a passage takes back what it seems to offer."""


_OF_OTHERS = re.compile(
    r"\b(?:previous|prior|existing|other|their|these|those|traditional"
    r"|classical) (?:\w+ )?(?:works?|methods?"
    r"|approaches|models|algorithms|techniques|strateg\w+)\b|\(\d{4}\)",
    re.IGNORECASE,
)
"""Words by which a limitation is somebody else's."""


def fit(passage: Passage, aspect: Aspect | None) -> bool:
    """Whether a passage may be quoted as holding something: a plain statement of this paper.

    Args:
        passage: The passage.
        aspect: What it is to be quoted for; a limitation may be put as a concession.
    """
    if passage.zone in _WEAK or passage.kind in _UNFIT or not passage.quotable:
        return False
    if passage.kind is SentenceKind.SENTENCE and _broken(passage.text):
        return False
    if aspect is not None and aspect.may_concede:
        return not _OF_OTHERS.search(passage.text)
    return not _CONCESSION.search(passage.text)


def _broken(text: str) -> bool:
    """Whether a passage is no full sentence, or mostly formulas or table cells."""
    if not _END.search(text.rstrip()) or _DANGLING.search(text):
        return True
    tokens = text.split()
    plain = sum(1 for token in tokens if _LETTERS.search(token))
    return plain < _MIN_PLAIN * len(tokens)
