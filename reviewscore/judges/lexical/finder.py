"""Does the paper hold a passage about what a review point asks or says is missing?

The finder finds evidence; it does not judge truth. It calls a point addressed only when the paper
has a dedicated passage that matches everything the point names, and it says so in careful words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from reviewscore.judges.lexical.content import WantedContent, wanted_content
from reviewscore.judges.lexical.forms import OPINIONS, Clause, QuestionForm, clauses_of, main_clause
from reviewscore.judges.lexical.lexicon import Aspect
from reviewscore.judges.lexical.support import (
    Support,
    answerable_by_quote,
    is_plain,
    says,
    support_for,
)
from reviewscore.papers.parts import parts_read
from reviewscore.papers.quotes import evidence_at
from reviewscore.papers.sentences import SentenceKind
from reviewscore.retrieval.index import IndexedHeading, PaperIndex, Passage, index_of
from reviewscore.schema.paper import Evidence, Paper, Zone
from reviewscore.schema.place import Place, PlaceKind
from reviewscore.schema.verdict import Finding

if TYPE_CHECKING:
    from reviewscore.retrieval.encoder import SentenceEncoder

_PLAINLY, _NOT_PLAINLY = 0.3, 0.15
"""What a passage gains that speaks of an aspect under its heading, and loses that does not."""
_FEW_PARTS = 2
_MOST_OTHERS = 2
"""Sentences beside the one looked up; a longer point does not hang on one sentence."""
_LONGEST = 6000
"""Characters of a point that are read; what it is about stands at its beginning."""
_OPENING = 0.85
"""Weight of the abstract and the introduction, which announce rather than show."""
_BY_RANK = 0.02
_CANDIDATES = 40
_TELLING = 3.0
"""Weight from which on a single word is worth looking up: in about one passage of twenty."""
_QUOTES = 3
_WIDE = frozenset({PlaceKind.SECTION, PlaceKind.APPENDIX, PlaceKind.PAGE})
"""Places of so many passages that sharing a word with the point tells little."""
_NEARLY = 0.5
"""Share of the best coverage that a passage of a wide place must have to stand before others."""
_LABEL = 120
"""Characters of a caption and of a header beside a row."""
_ADDRESSABLE = frozenset({QuestionForm.CATEGORICAL_DENIAL, QuestionForm.FACTUAL_QUESTION})


@dataclass(frozen=True)
class Found:
    """What the finder found for one point.

    Attributes:
        finding: The kind of outcome.
        rationale: One or two plain sentences.
        passages: Verified passages, empty where the finder cannot judge: of an addressed point in
            reading order, else the closest first.
        form: Form of the sentence that was looked up.
    """

    finding: Finding
    rationale: str
    passages: tuple[Evidence, ...]
    form: QuestionForm


_CANNOT = {
    QuestionForm.QUALITY: "The point is about worth, novelty or writing, which no passage can"
    " settle.",
    QuestionForm.SUGGESTION: "The point suggests what the authors should do; nothing in it to"
    " look up.",
    QuestionForm.DEGREE: "The point asks for more or calls something too little, which is a"
    " judgement.",
    QuestionForm.HYPOTHETICAL: "The point is about what could be or may happen, not what the"
    " paper says.",
}
_EMPTY = "The point names nothing specific enough to be looked up in the paper."


def find(
    text: str,
    paper: Paper,
    places: Sequence[Place] = (),
    *,
    encoder: SentenceEncoder | None = None,
) -> Found:
    """Look up one review point, question or premise in a paper.

    Args:
        text: The point in the reviewer's words.
        paper: The paper, with its sections.
        places: Places of the paper that the point names; what stands there and bears on the point
            comes first.
        encoder: Ranks passages beside the rules.

    Returns:
        The outcome. The same text and paper always give the same outcome.
    """
    clauses = clauses_of(text[:_LONGEST])
    clause = main_clause(clauses)
    if clause is None:
        return _cannot_judge(_EMPTY, QuestionForm.ASSERTION)
    if clause.form in OPINIONS:
        return _cannot_judge(_CANNOT[clause.form], clause.form)
    wanted = wanted_content(clause.text)
    if wanted.empty:
        return _cannot_judge(_EMPTY, clause.form)
    index = index_of(paper)
    if len(wanted.query) == 1 and index.weight(wanted.query[0]) < _TELLING and not wanted.aspects:
        return _cannot_judge(_EMPTY, clause.form)
    if clause.form in _ADDRESSABLE and _single(clauses, clause):
        supports = support_for(wanted, index) if answerable_by_quote(clause.text, wanted) else ()
        if supports:
            return _addressed(supports, clause, index)
    return _closest(wanted, clause, index, places)


def _cannot_judge(rationale: str, form: QuestionForm) -> Found:
    return Found(Finding.CANNOT_JUDGE, rationale, (), form)


def _single(clauses: tuple[Clause, ...], main: Clause) -> bool:
    """Whether the point stands or falls with its main sentence: nothing else is asked or denied."""
    others = [clause for clause in clauses if clause is not main]
    return len(others) <= _MOST_OTHERS and not any(
        clause.form in _ADDRESSABLE
        or clause.form in (QuestionForm.REQUEST, QuestionForm.HEDGED_DENIAL, QuestionForm.DEGREE)
        for clause in others
    )


def _addressed(supports: tuple[Support, ...], clause: Clause, index: PaperIndex) -> Found:
    """The outcome of a point that the paper speaks to, with its passages in reading order."""
    paper = index.paper
    spans = {(p.start, p.end) for support in supports for p in support.passages}
    evidence = tuple(evidence_at(paper, start, end) for start, end in sorted(spans))
    labels = [support.section.label for support in supports if support.section is not None]
    wish = "asks for" if clause.form is QuestionForm.FACTUAL_QUESTION else "says is missing"
    quoted = "the quoted sentence" if len(evidence) == 1 else "the quoted sentences"
    if labels:
        headed = " and ".join(f"'{label}'" for label in dict.fromkeys(labels))
        kind = "a section headed" if len(set(labels)) == 1 else "sections headed"
        rationale = (
            f"The paper has {kind} {headed}, and {quoted} speak{'s' * (len(evidence) == 1)} of "
            f"what the point {wish}. Whether that is enough is for the reader to judge."
        )
    else:
        rationale = (
            f"The paper has a passage of its own on what the point {wish}; read {quoted}. "
            "Whether that is enough is for the reader to judge."
        )
    return Found(Finding.ADDRESSED, rationale, evidence, clause.form)


def _closest(
    wanted: WantedContent, clause: Clause, index: PaperIndex, places: Sequence[Place]
) -> Found:
    """The passages that hold most of what is named; without any, the finder cannot judge."""
    chosen = _best_passages(wanted, index, places)
    read, unread = parts_read(index.paper)
    if not chosen:
        return _cannot_judge(
            f"No passage was found in the parts read: {', '.join(read)}{_unread(unread)}. The "
            "finder looks for words, so the paper may still say it in other ones.",
            clause.form,
        )
    evidence = tuple(_evidence(index, passage) for passage, _ in chosen)
    rationale = (
        f"{_why([place for _, place in chosen])} Whether they bear on it was not "
        f"judged. Looked for in: {', '.join(read)}{_unread(unread)}."
    )
    return Found(Finding.PASSAGES, rationale, evidence, clause.form)


def _why(named: Sequence[Place | None]) -> str:
    """Why these passages, by the place of each that the point names; these come first."""
    labels = list(dict.fromkeys(_called(place) for place in named if place is not None))
    if not labels:
        return "These passages share the most words with the point."
    count = sum(place is not None for place in named)
    places = " and ".join([", ".join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)
    which = "The first passage stands" if count == 1 else f"The first {count} passages stand"
    which = "These passages stand" if count == len(named) > 1 else which
    rest = "" if count == len(named) else "; the others share the most words with it"
    return f"{which} in {places}, which the point names{rest}."


def _called(place: Place) -> str:
    return "the quoted words" if place.kind is PlaceKind.QUOTE else place.label


_EVIDENCE: WeakKeyDictionary[PaperIndex, dict[tuple[int, int], Evidence]] = WeakKeyDictionary()
"""The passages of the papers at hand as evidence: many points have some in common."""


def _evidence(index: PaperIndex, passage: Passage) -> Evidence:
    known = _EVIDENCE.setdefault(index, {})
    span = passage.start, passage.end
    if span not in known:
        known[span] = _as_evidence(index.paper, passage)
    return known[span]


def _as_evidence(paper: Paper, passage: Passage) -> Evidence:
    """A passage as evidence; a row says of which table it is, and what its columns are."""
    evidence = evidence_at(paper, passage.start, passage.end)
    if not passage.context:
        return evidence
    *captions, header = passage.context.split("\n")
    columns = ", ".join(filter(None, (cell.strip() for cell in header.split("|"))))
    caption = f" '{captions[0][:_LABEL]}'" if captions else ""
    label = f"{evidence.section + ', ' if evidence.section else ''}row of a table{caption}"
    return evidence.model_copy(update={"section": f"{label}, columns {columns[:_LABEL]}"})


def _unread(parts: list[str]) -> str:
    """What of the paper was not read, as the end of a sentence; empty if nothing was left out."""
    if not parts:
        return ""
    return f"; the {' and the '.join(parts)} {'was' if parts == ['appendix'] else 'were'} not read"


def _best_passages(
    wanted: WantedContent, index: PaperIndex, places: Sequence[Place]
) -> list[tuple[Passage, Place | None]]:
    """Up to three passages, each with the place of the point that it stands in, if any.

    Those in a named place come first, then those that hold most of what is wanted.
    """
    ranked = {number: score for score, number in index.ranked(wanted.query)}
    sought = _sought(wanted, index)
    scored: list[tuple[float, int]] = []
    for number in list(ranked)[:_CANDIDATES]:
        coverage = _held(sought, index.passages[number], index)
        if coverage > 0:
            scored.append((round(coverage + _BY_RANK * ranked[number], 4), number))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    best = scored[0][0] if scored else 0.0
    chosen: dict[int, Place | None] = {}
    for place in places:
        wide = place.kind in _WIDE
        inside = []
        for number in _inside(place, index):
            if number not in ranked:
                continue
            coverage = _held(sought, index.passages[number], index)
            score = round(coverage + _BY_RANK * ranked[number], 4)
            if score > 0 and not (wide and (coverage <= 0 or score < _NEARLY * best)):
                inside.append((score, number))
        inside.sort(key=lambda pair: (-pair[0], pair[1]))
        chosen |= {number: place for _, number in inside if number not in chosen}
    chosen |= {number: None for _, number in scored if number not in chosen}
    return [(index.passages[number], chosen[number]) for number in list(chosen)[:_QUOTES]]


def _inside(place: Place, index: PaperIndex) -> range:
    """The numbers of the passages that a named place holds, wholly or in part."""
    where = place.target
    if where is None:
        return range(0)
    first = bisect_right(index.passages, where.start, key=lambda passage: passage.end)
    return range(first, bisect_left(index.passages, where.end, key=lambda passage: passage.start))


@dataclass(frozen=True)
class _Sought:
    """What is wanted, with the weights that its stems have in a paper.

    Attributes:
        aspects: Those that a passage must speak of.
        hard: Whether they stand on their own.
        needed: Whether parts are too few for a passage that does not speak plainly.
        query: Weights of all stems that are looked for.
        parts: Weights of the named parts.
    """

    aspects: tuple[Aspect, ...]
    hard: bool
    needed: bool
    query: dict[str, float]
    parts: dict[str, float]


def _sought(wanted: WantedContent, index: PaperIndex) -> _Sought:
    hard = tuple(aspect for aspect in wanted.aspects if not aspect.qualifies)
    return _Sought(
        aspects=hard or wanted.aspects,
        hard=bool(hard),
        needed=len(wanted.parts) < _FEW_PARTS,
        query={word: index.weight(word) for word in wanted.query},
        parts={word: index.weight(word) for word in wanted.parts},
    )


def _held(sought: _Sought, passage: Passage, index: PaperIndex) -> float:
    """What of the wanted a passage holds with its heading; nothing for a heading itself."""
    if passage.kind is SentenceKind.HEADING:
        return 0.0
    section = index.paper.sections[passage.section] if passage.section >= 0 else None
    return _coverage(sought, passage, index.heading_of.get(section.start) if section else None)


def _coverage(sought: _Sought, passage: Passage, heading: IndexedHeading | None) -> float:
    """Share of what is wanted that a passage and its heading hold, 0..1 and a bonus.

    A passage must speak of the wanted aspects: plainly, or else it must hold named parts too.
    """
    title = heading.section.title if heading else ""
    said = [aspect for aspect in sought.aspects if says(passage.text, aspect)]
    plain = any(is_plain(passage.text, title, aspect) for aspect in said)
    if sought.aspects and not plain and (not said or sought.needed):
        return 0.0
    weights = sought.query if plain or not sought.hard else sought.parts
    total = sum(weights.values())
    texts = passage.stems | heading.stems if heading else passage.stems
    held = sum(weight for word, weight in weights.items() if word in texts)
    coverage = held / total if total else 0.0
    if passage.zone is Zone.ABSTRACT or title.lower() == "introduction":
        coverage *= _OPENING
    if sought.hard:
        coverage += _PLAINLY if plain else -_NOT_PLAINLY
    return coverage
