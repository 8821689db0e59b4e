"""What a reviewer takes back in later text, such as "the rebuttal resolved my second concern".

It is read off the words by rules that would rather miss one than see one that is not there. What
is found is a label of its own kind and never a verdict: a reviewer may take back a right remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from reviewscore.schema.record import Record
from reviewscore.schema.review import Role
from reviewscore.schema.span import Span
from reviewscore.sources.section_roles import field_role, heading_kind
from reviewscore.text.sentences import sentences

_DONE = (
    r"(?:resolved?|resolves|address(?:ed|es)?|answer(?:ed|s)?|clarif(?:ied|ies|y)|alleviate[sd]?|"
    r"settle[sd]?|clear(?:ed|s)(?: up)?|dispel(?:led|s)?|eliminate[sd]?|lifted)"
)
_THING = (
    r"(?:concerns?|questions?|points?|comments?|weakness(?:es)?|issues?|reservations?|worr(?:y|ies)|"
    r"doubts?|criticisms?|objections?|confusions?|misunderstandings?|[WQ]\d{1,2})"
)
_ANSWER = (
    r"(?:rebuttals?|responses?|repl(?:y|ies)|answers?|authors?|they|revisions?|revised \w+|"
    r"clarifications?|explanations?|discussions?|(?:new|additional|added) [\w-]+(?: \w+)?)"
)
_SAYS = re.compile(
    rf"\b{_ANSWER}\b[^.;]{{0,60}}?\b{_DONE}\b[^.;]{{0,40}}?\b{_THING}\b"
    rf"|\b{_THING}\b[^.;]{{0,80}}?\b(?:is|are|was|were|has|have|had|been|now)\b"
    rf"(?: \w+){{0,3}} {_DONE}\b"
    rf"|\b(?:this|that|it|which)(?: \w+)? {_DONE}\b(?: \w+){{0,3}} my\b[^.;]{{0,40}}?\b{_THING}\b"
    rf"|\b(?:rebuttals?|responses?|repl(?:y|ies)|clarifications?|explanations?)\b[^.;]{{0,30}}?"
    rf"\b(?:resolved|resolves|convinced me|clarified|cleared)\b"
    rf"|\bI\b(?: \w+){{0,2}} (?:withdraw|retract|take back|drop)\b"
    rf"(?! (?:\w+ ){{0,2}}(?:score|rating|support))"
    rf"|\bno longer\b[^.;]{{0,30}}\b(?:{_THING}|holds?|stands?|applies|apply|valid)\b"
    rf"|\b{_THING}\b[^.;]{{0,40}}\bno longer\b"
    rf"|\bI (?:stand corrected|was (?:wrong|mistaken)|misunderstood|misread|had (?:misunderstood|"
    rf"misread|overlooked))\b",
    re.IGNORECASE,
)
"""What says, within a clause, that something is settled."""
_HOLDS_BACK = re.compile(
    r"n['’]t\b|\b(?:not|cannot|never|none|neither|nor|nothing|hardly|barely|scarcely|little|few|"
    r"without|partial(?:ly)?|partly|somewhat|in part|some|unclear|unsure|whether|doubtful|"
    r"fail(?:s|ed)?|unresolved|unaddressed|still|remains?|yet|if|unless|until|once|would|should|"
    r"could|might|may|must|needs?|hopes?|hopefully|please|tries|tried|attempt(?:s|ed)?|claims?|"
    r"claimed|argues?|argued|say|says|assert(?:s|ed)?|to be|will be|(?:prior|previous|earlier|"
    r"related|other|existing) (?:work|papers?|methods?|studies|literature)|et al)\b|\?",
    re.IGNORECASE,
)
"""What keeps a clause from saying it: a negation, a condition, a part, somebody else's word."""
_NO_CONCERN = re.compile(r"\bno longer\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?<=\w)(?:[,;:]| [-–—] |[–—])\s*|\s*\b(?:but|however|although|though|while|whereas|except)\b"
    r"\s*",
    re.IGNORECASE,
)
_QUICK = re.compile(
    rf"\b(?:{_DONE}|withdraw|retract|take back|drop|convinced|longer|corrected|wrong|mistaken|"
    r"misunderstood|misread|overlooked)\b",
    re.IGNORECASE,
)
_OF_DISCUSSION = re.compile("rebuttal|response|discussion|update", re.IGNORECASE)
_ORNAMENTS = " \t\r\n#*_:.-=>"
_LONGEST_HEADING = 100
"""Characters of a line that may announce what was written after the discussion."""


class TakenBack(Record):
    """Later text by which a reviewer takes something back.

    Attributes:
        review_id: The review.
        point_id: The point that it is about; None until that was looked for, or is not known.
        text: ``review.fields[span.field][span.start:span.end]`` when it was found.
        span: Where it stands.
        at: When it was found, UTC, ISO 8601.
    """

    review_id: str
    point_id: str | None = None
    text: str
    span: Span
    at: str


def taken_back(
    fields: Mapping[str, str], before: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Span]]:
    """Sentences of later text that take something back.

    Later text is what stands in boxes for final remarks or below a heading such as "After
    rebuttal", and, where the review was edited, any sentence that was not there before.

    Args:
        fields: The boxes of the review as it is.
        before: The boxes as they were; None of a review that was not there.
    """
    old = None if before is None else " ".join(" ".join(before.values()).split())
    for name, text in fields.items():
        late = _late_from(name, text)
        if not _QUICK.search(text, 0 if old is not None else late):
            continue
        for start, end in ((0, late), (late, len(text))):
            for sentence in sentences(text, start, end):
                words = text[sentence.start : sentence.end]
                is_new = old is not None and " ".join(words.split()) not in old
                if (is_new or start == late) and takes_back(words):
                    yield words, Span(field=name, start=sentence.start, end=sentence.end)


def takes_back(sentence: str) -> bool:
    """Whether a sentence says, in one of its clauses, that something is settled."""
    for clause in _CLAUSE.split(sentence):
        match = _SAYS.search(clause)
        if match and not _HOLDS_BACK.search(_NO_CONCERN.sub("", clause)):
            return True
    return False


def _late_from(name: str, text: str) -> int:
    """Where in a box begins what was written after the discussion; its end if nothing was."""
    if field_role(name) is Role.LATE:
        return 0
    end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        if len(line) > _LONGEST_HEADING or not _OF_DISCUSSION.search(line):
            continue
        kind = heading_kind(line.strip(_ORNAMENTS))
        if kind is not None and kind[0] is Role.LATE:
            break
    return end
