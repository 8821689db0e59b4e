"""Sentences that define something: a quote that settles "X is not defined" or "what is X?"."""

from __future__ import annotations

import re

from reviewscore.judges.lexical.fitness import fit
from reviewscore.judges.lexical.index import PaperIndex, Passage
from reviewscore.papers.sentences import SentenceKind
from reviewscore.text.stems import stems

_MAX_PARTS = 3
"""Named parts of what is defined; longer descriptions are no name of anything."""
_DEFINED = re.compile(
    r"(?P<before>[^.;:,]{1,60}?)\s(?:is|are) (?:then |formally |thus )?defined (?:as|by|to be)\b"
    r"|(?P<denoting>[^.;:,]{1,40}?)\s(?:denotes?|stands? for|refers? to)\s"
    r"|\b[Ww]e (?:formally |first )?(?:define|call) (?:the |a |an )?(?P<called>[^.;:,]{1,60}?)"
    r"\s(?:as|by|to be)\b"
    r"|\b[Ll]et (?P<let>[^.;:,]{1,30}?)\s(?:be|denote)\b"
)


def definition_of(parts: frozenset[str], index: PaperIndex) -> Passage | None:
    """The first sentence that defines what has these stems; None if there is none.

    Args:
        parts: Stems of the name of what is defined, at least one and at most three.
        index: The paper.
    """
    if not 0 < len(parts) <= _MAX_PARTS:
        return None
    for passage in index.passages:
        if not parts <= passage.stems or passage.kind is not SentenceKind.SENTENCE:
            continue
        if fit(passage, None) and any(
            parts <= frozenset(stems(" ".join(filter(None, found.groups()))))
            for found in _DEFINED.finditer(passage.text)
        ):
            return passage
    return None
