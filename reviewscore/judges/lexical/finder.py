"""Does the paper hold a passage about what a review point asks or says is missing?

The finder finds evidence; it does not judge truth. It calls a point addressed only when the paper
has a dedicated passage that matches everything the point names, and it says so in careful words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from reviewscore.judges.lexical.concessions import marked
from reviewscore.judges.lexical.content import wanted_content
from reviewscore.judges.lexical.forms import OPINIONS, Clause, QuestionForm, clauses_of, main_clause
from reviewscore.judges.lexical.support import Support, answerable_by_quote, support_for
from reviewscore.papers.parts import parts_read
from reviewscore.papers.quotes import evidence_at
from reviewscore.retrieval.encoder import SentenceEncoder
from reviewscore.retrieval.index import PaperIndex, Passage, index_of
from reviewscore.retrieval.ranking import ranked_passages, shown_passages
from reviewscore.schema.paper import Evidence, Paper
from reviewscore.schema.place import Place, PlaceKind
from reviewscore.schema.verdict import Finding
from reviewscore.text.stems import content_stems

_MOST_OTHERS = 2
"""Sentences beside the one looked up; a longer point does not hang on one sentence."""
_LONGEST = 6000
"""Characters of a point that are read; what it is about stands at its beginning."""
SHOWN = 10
"""Passages of a point that is not addressed; pages show three, and the others on demand."""
_NEAR = 40
"""Passages among which those of a place must be that the point names: others do not bear on it."""
_NEAR_WIDE = 10
"""The same for a place of many passages, such as a section, and no more than one in ten."""
_WIDE = frozenset({PlaceKind.SECTION, PlaceKind.APPENDIX, PlaceKind.PAGE})
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
            reading order, else the nearest first, at most `SHOWN`.
        form: Form of the sentence that was looked up.
    """

    finding: Finding
    rationale: str
    passages: tuple[Evidence, ...]
    form: QuestionForm


_OPINION = {
    QuestionForm.QUALITY: "By its wording the point is about worth, novelty or writing, which no"
    " passage can settle.",
    QuestionForm.SUGGESTION: "By its wording the point suggests what the authors should do, which"
    " no passage can settle.",
    QuestionForm.DEGREE: "By its wording the point asks for more or calls something too little,"
    " which is a judgement.",
    QuestionForm.HYPOTHETICAL: "By its wording the point is about what could be or may happen, not"
    " what the paper says.",
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
        encoder: A sentence encoder for the ranking; None to go by words alone.

    Returns:
        The outcome. The same text, paper and encoder always give the same outcome.
    """
    clauses = clauses_of(text[:_LONGEST])
    clause = main_clause(clauses)
    if clause is None:
        return _cannot_judge(_EMPTY, QuestionForm.ASSERTION)
    index = index_of(paper)
    if clause.form in _ADDRESSABLE and _single(clauses, clause):
        wanted = wanted_content(clause.text)
        answerable = not wanted.empty and answerable_by_quote(clause.text, wanted)
        supports = support_for(wanted, index) if answerable else ()
        if supports:
            return _addressed(supports, clause, index)
    if not content_stems(text[:_LONGEST]):
        return _cannot_judge(_EMPTY, clause.form)
    return _closest(text, clause, index, places, encoder)


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
    text: str,
    clause: Clause,
    index: PaperIndex,
    places: Sequence[Place],
    encoder: SentenceEncoder | None,
) -> Found:
    """The passages nearest to the point; without any, the finder cannot judge."""
    near = nearest(text, index, places, encoder=encoder, sharing=True)
    chosen = _first_apart(near or _at_places(places, index), index)
    read, unread = parts_read(index.paper)
    if not chosen:
        return _cannot_judge(
            f"No passage was found in the parts read: {', '.join(read)}{_unread(unread)}. The "
            "finder looks for words, so the paper may still say it in other ones.",
            clause.form,
        )
    evidence = tuple(_evidence(index, index.passages[number]) for number in chosen)
    evidence = marked(evidence, clause)
    opinion = f"{_OPINION[clause.form]} " if clause.form in OPINIONS else ""
    rationale = (
        f"{opinion}{_why(list(chosen.values()))} Whether they bear on it was not "
        f"judged. Looked for in: {', '.join(read)}{_unread(unread)}."
    )
    return Found(Finding.PASSAGES, rationale, evidence, clause.form)


def _at_places(places: Sequence[Place], index: PaperIndex) -> dict[int, Place | None]:
    """What stands at the narrow places that a point names, though it shares no word with it."""
    shown = shown_passages(index)
    return {
        number: place
        for place in places
        if place.kind not in _WIDE
        for number in _inside(place, index)
        if shown[number]
    }


def _first_apart(near: Mapping[int, Place | None], index: PaperIndex) -> dict[int, Place | None]:
    """The first passages of a ranking, none in the words of one before."""
    chosen: dict[int, Place | None] = {}
    said: set[str] = set()
    for number, place in near.items():
        words = index.passages[number].words
        if words not in said:
            said.add(words)
            chosen[number] = place
        if len(chosen) == SHOWN:
            break
    return chosen


def _why(named: Sequence[Place | None]) -> str:
    """Why these passages, by the place of each that the point names; these come first."""
    inside = [place for place in named if place is not None]
    if not inside:
        return "These passages are the nearest to the point."
    labels = list(dict.fromkeys(p.label for p in inside if p.kind is not PlaceKind.QUOTE))
    several = len(inside) > 1
    which = f"The first {len(inside)} passages" if several else "The first passage"
    which = "These passages" if len(inside) == len(named) > 1 else which
    rest = "" if len(inside) == len(named) else "; the others are the nearest to it elsewhere"
    if not labels:
        return f"{which} hold{'' if several else 's'} words that the point quotes{rest}."
    quoted = any(place.kind is PlaceKind.QUOTE for place in inside)
    names = [*labels, "the words it quotes"] if quoted else labels
    where = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{which} stand{'' if several else 's'} in {where}, which the point names{rest}."


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


def passages_near(
    text: str, paper: Paper, *, encoder: SentenceEncoder | None = None
) -> tuple[Evidence, ...]:
    """The passages of a paper nearest to a text, at most `SHOWN`, the nearest first.

    Args:
        text: What is looked for, in anybody's words.
        paper: The paper, with its sections.
        encoder: As of `ranked_passages`.
    """
    index = index_of(paper)
    near = ranked_passages(index, text, encoder=encoder, sharing=True)[:SHOWN]
    return tuple(_evidence(index, index.passages[number]) for number in near)


def nearest(
    text: str,
    index: PaperIndex,
    places: Sequence[Place] = (),
    *,
    encoder: SentenceEncoder | None = None,
    weights: Mapping[str, float] | None = None,
    sharing: bool = False,
) -> dict[int, Place | None]:
    """The passages of a paper by how near they are to a point, the nearest first.

    Those of a place that the point names and that bear on it come before all others.

    Args:
        text: The point in the reviewer's words.
        index: The paper.
        places: Places of the paper that the point names.
        encoder: As of `ranked_passages`.
        weights: As of `ranked_passages`.
        sharing: As of `ranked_passages`.

    Returns:
        Numbers of ``index.passages``, each with the place of the point that it stands in.
    """
    ranked = ranked_passages(index, text, encoder=encoder, weights=weights, sharing=sharing)
    if not places:
        return dict.fromkeys(ranked)
    ranks = {number: rank for rank, number in enumerate(ranked)}
    chosen: dict[int, Place | None] = {}
    for place in places:
        last = min(_NEAR_WIDE, 1 + len(ranked) // 10) if place.kind in _WIDE else _NEAR
        inside = [number for number in _inside(place, index) if ranks.get(number, last) < last]
        for number in sorted(inside, key=ranks.__getitem__):
            chosen.setdefault(number, place)
    for number in ranked:
        chosen.setdefault(number, None)
    return chosen


def _inside(place: Place, index: PaperIndex) -> range:
    """The numbers of the passages that a named place holds, wholly or in part."""
    where = place.target
    if where is None:
        return range(0)
    first = bisect_right(index.passages, where.start, key=lambda passage: passage.end)
    return range(first, bisect_left(index.passages, where.end, key=lambda passage: passage.start))
