"""The same run for three readers: a meta-reviewer, a reviewer, an author (ReviewScore, app. A).

Each gets what they can act on, and nothing without the paper's own words behind it. Notes to a
reviewer are written from a few patterns, never by a model, and checked by rules: a note is polite,
specific, holds an exact quote, gives no score, and says nothing twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from reviewscore.arguments.aggregate import false_premises
from reviewscore.config import EMBEDDED
from reviewscore.pages import presuppositions, wording
from reviewscore.pages.author_answers import ShownAnswer, draft_paragraph, shown_answers
from reviewscore.pages.finder import recall_sentence
from reviewscore.pages.point_card import (
    SheetQuote,
    ShownPlace,
    deciding_premises,
    quotes,
    shown_places,
)
from reviewscore.pages.presuppositions import level_passages, own_words, words_for_reviewer
from reviewscore.papers.versions import doubt_words
from reviewscore.printable import counted
from reviewscore.report.lines import excerpt_words, paper_unread_words
from reviewscore.report.summary import LEXICAL_NOTE
from reviewscore.schema.argument import Premise
from reviewscore.schema.author_answer import AnswerStance
from reviewscore.schema.paper import Evidence, Paper, Unread
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType
from reviewscore.schema.scale import PREMISE_FACTUALITY
from reviewscore.schema.verdict import Finding
from reviewscore.text.language import language_name


@dataclass(frozen=True)
class Entry:
    """One thing to read.

    Attributes:
        said: The reviewer's own words.
        own: What we say about them, as paragraphs.
        quotes: What the paper says.
        further: What else it says that comes near, for pages that unfold it.
        closing: A last paragraph of ours, below the quotes.
        point: Short name of the point that it comes from.
        kind: The point's kind, where its type lets expect another one.
        also: Where else in the review it is said.
        places: Places of the paper that it names.
        answers: What the authors answer to it.
        draft: A paragraph of exact quotes to copy; empty for none.
        later: What came later than the point, in words.
    """

    said: str
    own: tuple[str, ...] = ()
    quotes: tuple[SheetQuote, ...] = ()
    closing: str = ""
    point: str = ""
    kind: str = ""
    also: str = ""
    places: tuple[ShownPlace, ...] = ()
    answers: tuple[ShownAnswer, ...] = ()
    draft: str = ""
    further: tuple[SheetQuote, ...] = ()
    later: tuple[str, ...] = ()

    @property
    def only_asks(self) -> bool:
        """Whether it is a question to its reader; the point stands elsewhere on the page."""
        return bool(self.closing) and not self.quotes


@dataclass(frozen=True)
class UnalignedParagraph:
    """A paragraph of the authors' response, and its offsets there."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Part:
    """Entries under one heading; a lead and a table may stand before them.

    `to_read` is whether the reader can act on the entries, `nearest` whether their passages were
    only ranked: nothing is said of whether they bear on the points; `folded` hides the entries.
    """

    heading: str
    lead: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    entries: tuple[Entry, ...] = ()
    to_read: bool = True
    nearest: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Sheet:
    """The page of one paper, or of one review of it, for one reader.

    Attributes:
        name: Id of the paper or review that it is about.
        title: Its heading; may hold the paper's title, which is foreign text.
        lead: What it is, and how to read it.
        parts: Its parts.
        banners: What a reader must know before anything else.
        foot: A last line.
        about: The paper's title alone.
        ids: The paper's id and, if it is about one, the review's.
        judge: Who judged its points.
        day: The day of the budget, where there is one, as ``2026-05-03``.
        today: Flags that the day's budget shows openly; None where there is no budget.
        on_demand: Flags that it folds.
    """

    name: str
    title: str
    lead: str
    parts: tuple[Part, ...] = ()
    banners: tuple[str, ...] = ()
    foot: str = (
        "Scores judge statements, not people, and can be mistaken. "
        "Read the quoted passages before you act."
    )
    about: str = ""
    ids: tuple[str, ...] = ()
    judge: str = ""
    day: str = ""
    today: int | None = None
    on_demand: int = 0

    @property
    def with_passages(self) -> int:
        """Points that a passage of the paper stands beside."""
        return self._quoted(self.parts)

    @property
    def to_read(self) -> int:
        """Points that the reader can act on; a page without any has nothing to read."""
        return len({entry.point for part in self.parts if part.to_read for entry in part.entries})

    @property
    def rank(self) -> tuple[bool, int, int, int, int]:
        """A sort key: the most flags of the day, then passages, first; nothing to read last."""
        spoken_to = self._quoted(part for part in self.parts if not (part.nearest or part.folded))
        today = -(self.today or 0)
        return not self.to_read, today, -spoken_to, -self.with_passages, -self.to_read

    @staticmethod
    def _quoted(parts: Iterable[Part]) -> int:
        return len({entry.point for part in parts for entry in part.entries if entry.quotes})


_MOST_QUOTES = 2
_OPENINGS = {
    PointType.QUESTION: (
        "You ask something that the paper may answer.",
        "There is a passage that may hold the answer to this question.",
        "Perhaps this passage is what you are looking for.",
    ),
    PointType.CLAIM: (
        "A passage seems to bear on this point.",
        "The paper says something about this.",
        "It may be worth another look at the paper here.",
    ),
    PointType.ARGUMENT: (
        "This point builds on something that a passage seems to see otherwise.",
        "One of the reasons given here touches a passage of the paper.",
        "A passage may change what this point rests on.",
    ),
}
_CLOSINGS = {
    PointType.QUESTION: (
        "Does it answer your question, or is there something it leaves open?",
        "Would you say that this settles it, or do you mean something else?",
        "Is this enough of an answer, or would you like to ask for more?",
    ),
    PointType.CLAIM: (
        "Does it address your concern, or would you put the point differently in view of it?",
        "Do you see your concern met by it, wholly or in part?",
        "Would you keep the point as it is, or say what is still missing?",
    ),
    PointType.ARGUMENT: (
        "Does your point still hold in view of it, or would you word it differently?",
        "Would you draw the same conclusion with this in mind?",
        "Does it touch the heart of your point, or only a detail?",
    ),
}
_UNKIND = re.compile(
    r"\b(?:wrong|false|misinformed|mistake\w*|error\w*|careless\w*|ignor\w+|fail\w*|incorrect\w*"
    r"|overlook\w*|missed|obvious\w*|clearly|should have|must|never|bad|poor\w*|\d(?:\.\d)?/5"
    r"|score\w*)\b",
    re.IGNORECASE,
)
"""Words that have no place in our own sentences of a note."""


def notes(points: Sequence[tuple[PointScore, tuple[SheetQuote, ...]]]) -> tuple[Entry, ...]:
    """A note for each point that has a verified quote; those that break a rule are left out.

    Args:
        points: Flagged points of one review with their verified quotes.
    """
    made: list[Entry] = []
    seen: set[str] = set()
    for point, verified in points:
        fresh = tuple(quote for quote in verified if quote.text not in seen)[:_MOST_QUOTES]
        if not fresh:
            continue
        entry = _note(point, fresh, len(made))
        if not faults(entry):
            made.append(entry)
            seen |= {quote.text for quote in fresh}
    return tuple(made)


def _note(point: PointScore, quotes: tuple[SheetQuote, ...], number: int) -> Entry:
    kind = point.type or PointType.CLAIM
    if point.finding is not None and kind is PointType.ARGUMENT:
        kind = PointType.CLAIM  # the embedded judge says nothing of reasons
    opening = wording.INFERENCE_KINDLY if wording.by_inference(point) else ""
    opening = opening or _OPENINGS[kind][number % len(_OPENINGS[kind])]
    # Openings and closings turn at different speeds, so that pairs of them seldom return.
    closing = _CLOSINGS[kind][(number // len(_OPENINGS[kind]) + number) % len(_CLOSINGS[kind])]
    own = (opening, *(one for one in words_for_reviewer(point) if not _UNKIND.search(one)))
    return Entry(point.text, own, quotes, closing, point.short_name)


def faults(note: Entry) -> tuple[str, ...]:
    """Which rules a note breaks; empty for a note that may be sent."""
    ours = " ".join((*note.own, note.closing))
    texts = []
    if not note.quotes:
        texts.append("it has no quote")
    if not note.closing.endswith("?"):
        texts.append("it does not end with a question")
    if _UNKIND.search(ours):
        texts.append("its words are not kind, or tell a score")
    if not note.said.strip():
        texts.append("it does not say what it is about")
    return tuple(texts)


class Reader(StrEnum):
    """Who reads it."""

    META_REVIEWER = "meta-reviewer"
    REVIEWER = "reviewer"
    AUTHOR = "author"


def sheet(
    reader: Reader,
    paper_id: str,
    title: str,
    points: Sequence[PointScore],
    *,
    unread: Unread | None = None,
    paper: Paper | None = None,
) -> Sheet:
    """The page of one paper for a reader.

    Args:
        reader: Who reads it.
        paper_id: The paper.
        title: Its title.
        points: All its points, reviews one after another.
        unread: How much of the paper the judge did not see.
        paper: The paper, if it is at hand, for what stands at the places that points name.
    """
    embedded = any(point.judge == EMBEDDED for point in points)
    make = (_FINDINGS_FOR if embedded else _VERDICTS_FOR)[reader]
    judged = [point for point in points if point.is_point]
    page = _with_marks(make(paper_id, title, judged), judged, paper)
    page = replace(page, parts=(*page.parts, *_no_points(points)))
    cut = () if unread is None else (paper_unread_words(unread),)
    versions = dict.fromkeys(
        f"The text at hand {doubt_words(doubt)}."
        for point in points
        for doubt in point.doubts
        if not doubt.kind.of_passages
    )
    foreign = Counter(point.language for point in points if point.language is not None and embedded)
    unread_points = tuple(
        f"{counted(n, 'point')} {'is' if n == 1 else 'are'} in {language_name(code)} and "
        f"{'was' if n == 1 else 'were'} not looked up: the embedded judge reads English alone."
        for code, n in foreign.items()
    )
    seen = [point.excerpts.share for point in points if point.excerpts is not None]
    excerpts = (excerpt_words(seen, len(points)),) if seen else ()
    banners = ((LEXICAL_NOTE,) if embedded else ()) + unread_points + cut + excerpts
    banners += tuple(versions)
    lead = (
        f"{page.lead} {_recall(judged)}".strip() if embedded and page.with_passages else page.lead
    )
    return replace(page, banners=banners, lead=lead, about=title, ids=(paper_id,))


def _recall(points: Sequence[PointScore]) -> str:
    """How often the passages of such points hold the answer; empty where it was not measured."""
    beside = [point for point in points if point.passages]
    version = beside[0].judge_version if beside else None
    return recall_sentence(version, (point.kind for point in beside))


def _with_marks(page: Sheet, points: Sequence[PointScore], paper: Paper | None) -> Sheet:
    """The page with each point's kind, repeats and places; once, where it is shown itself."""
    by_name = {point.short_name: point for point in points}

    def entry(shown: Entry) -> Entry:
        point = by_name.get(shown.point)
        if point is None or shown.only_asks:
            return shown
        return replace(
            shown,
            kind=wording.kind_beside_type(point),
            also=wording.occurrence_words(point),
            places=shown_places(point, paper) if point.places else (),
        )

    parts = (replace(part, entries=tuple(map(entry, part.entries))) for part in page.parts)
    return replace(page, parts=tuple(parts))


def _no_points(points: Sequence[PointScore]) -> tuple[Part, ...]:
    """What was taken out of reviews and is no review point."""
    entries = tuple(
        Entry(point.text, point=point.short_name) for point in points if not point.is_point
    )
    lead = "These are no criticism, request or question. They count in no number above."
    return (Part("Not judged", lead, entries=entries, to_read=False),) if entries else ()


def with_answers(
    page: Sheet,
    points: Sequence[PointScore],
    rest: Mapping[str, Sequence[UnalignedParagraph] | None],
) -> Sheet:
    """A meta-reviewer's page with what the authors answer beside each point.

    Args:
        page: The page.
        points: All its points, with their answers.
        rest: By review, paragraphs of the response that answer no point; None where the response
            is not at hand.
    """
    answered = {point.short_name: point for point in points if point.author_answers}
    if not answered and not rest:
        return page
    shown: set[str] = set()

    def entry(one: Entry) -> Entry:
        point = answered.get(one.point)
        if point is None or one.only_asks:
            return one
        shown.add(one.point)
        return replace(one, answers=shown_answers(point), draft=_draft(point))

    parts = [replace(part, entries=tuple(map(entry, part.entries))) for part in page.parts]
    tables = [part for part in parts if part.rows]
    parts = [part for part in parts if not part.rows]
    for name, group in by_review(points):
        others = [point for point in group if point.short_name in answered.keys() - shown]
        parts += _other_answers(name, others)
        parts += _unaligned(name, rest[name]) if name in rest else []
    contested = sum(
        point.leading_answer is not None and point.leading_answer.stance is AnswerStance.CONTESTS
        for point in answered.values()
    )
    lead = (
        f"{page.lead} The authors' responses were aligned with {counted(len(answered), 'point')}; "
        f"they contest {contested}, by their own words. That decides nothing here."
    )
    return replace(page, parts=(*parts, *tables), lead=lead)


def _other_answers(name: str, points: Sequence[PointScore]) -> list[Part]:
    """Points that are on the page for their answers alone, those that authors contest first."""
    order = list(AnswerStance)
    ranked = sorted(
        points,
        key=lambda score: order.index(score.leading_answer.stance) if score.leading_answer else 9,
    )
    entries = tuple(
        Entry(score.text, point=score.short_name, answers=shown_answers(score), draft=_draft(score))
        for score in ranked
    )
    lead = "What they contest stands first. Whether they are right was not judged."
    heading = f"Review {name}: other points that the authors answer"
    return [Part(heading, lead, entries=entries)] if entries else []


def _unaligned(name: str, rest: Sequence[UnalignedParagraph] | None) -> list[Part]:
    heading = f"Review {name}: paragraphs of the response that were aligned with no point"
    if rest is None:
        lead = "The response is not at hand, so that they cannot be listed: name its data (--data)."
        return [Part(heading, lead, to_read=False)]
    entries = tuple(
        Entry(paragraph.text, (f"Response, characters {paragraph.start} to {paragraph.end}.",))
        for paragraph in rest
    )
    return [Part(heading, entries=entries, to_read=False)] if entries else []


def _draft(point: PointScore) -> str:
    """The paragraph to copy; passages that are only near, or confirm it, are not quoted in it."""
    if point.looks:
        return draft_paragraph(point, presuppositions.refuting(point))
    judged = [*(one.verdict for one in false_premises(deciding_premises(point))), point.verdict]
    behind = [quote for verdict in judged if verdict for quote in verdict.evidence]
    return draft_paragraph(point, (*behind, *point.evidence, *_answering(point)))


def _answering(point: PointScore) -> tuple[Evidence, ...]:
    """The passages that speak to a point: of an addressed one those that do not confirm it."""
    if point.finding is not Finding.ADDRESSED:
        return ()
    return tuple(passage for passage in point.passages if not passage.acknowledges)


def called(point: PointScore) -> bool:
    """Whether a point is called misinformed."""
    return point.misinformed is True


def proof(point: PointScore) -> tuple[SheetQuote, ...]:
    """The verified quotes behind what makes a point misinformed.

    Of an argument those of its false premises, else those of the point. What reviewers could not
    see is no proof, and of looks at presuppositions only what refutes one.
    """
    if point.looks:
        return quotes(presuppositions.refuting(point))
    evidences: list[Evidence] = []
    for premise in false_premises(deciding_premises(point)):
        evidences += premise.verdict.evidence if premise.verdict else ()
    if not evidences and point.verdict is not None:
        evidences += point.verdict.evidence
    return quotes(evidence for evidence in evidences if evidence.doubt is None)


def by_review(points: Iterable[PointScore]) -> list[tuple[str, list[PointScore]]]:
    """The points of each review, in order."""
    return [(name, list(group)) for name, group in groupby(points, lambda score: score.review_id)]


def _for_meta_reviewer(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    flagged = [point for point in points if called(point) and not wording.by_inference(point)]
    inferred = [*filter(wording.by_inference, points)]
    shown = [point for point in flagged if proof(point)]
    bare = [point for point in flagged if not proof(point)]
    unknown = sum(_unknown(point) for point in points)
    parts = [
        Part(f"Review {name}: misinformed points with proof", entries=tuple(map(_proved, group)))
        for name, group in by_review(shown)
    ]
    if bare:
        behind = "Nothing in the paper's own words stands behind these: do not rely on them."
        own = tuple(Entry(one.text, own_words(one), point=one.short_name) for one in bare)
        parts.append(Part("Called misinformed without a verified quote", behind, entries=own))
    entries = tuple(map(_proved, inferred))
    parts += [Part(wording.INFERRED, wording.INFERRED_LEAD, entries=entries)] if entries else []
    otherwise = "Does the argument hold without the premise that {where} speaks against?"
    parts += [
        *_to_ask(shown, lambda score: _section_of(proof(score)), otherwise),
        *_levels(points, "Nothing is held against these."),
        *_after_review(points),
        _weights(points),
    ]
    lead = (
        f"{len(points)} points of {counted(len(by_review(points)), 'review')}: {len(shown)} called "
        f"misinformed with proof from the paper, {len(bare)} without; {unknown} without a verdict. "
        "A misinformed point asks what the paper answers, or rests on what the paper contradicts."
    )
    lead += wording.inferred_words(len(inferred))
    return Sheet(paper_id, f"For the meta-reviewer: {title}", lead, tuple(parts))


def _after_review(points: Sequence[PointScore]) -> tuple[Part, ...]:
    """Points that are not flagged because what speaks against them came after the reviews."""
    entries = tuple(
        Entry(
            point.text,
            (wording.not_flagged_words(point, doubts),),
            quotes(one for one in (*point.passages, *point.evidence) if one.doubt is not None),
            "",
            point.short_name,
        )
        for point in points
        if (doubts := wording.passage_doubts(point))
    )
    heading = "Not flagged: what speaks against these came after the reviews"
    if any(point.finding is not None for point in points):
        heading = "What the paper says to these came after the reviews"
    lead = "Reviewers could not see these passages, so nothing is held against them."
    return (Part(heading, lead, entries=entries),) if entries else ()


def _levels(points: Sequence[PointScore], lead: str) -> list[Part]:
    """Points that are not misinformed, that the paper speaks to or the authors state too."""
    parts = []
    for level, name in presuppositions.LEVELS.items():
        entries = tuple(
            Entry(point.text, own_words(point), quotes(level_passages(point)), "", point.short_name)
            for point in points
            if presuppositions.level(point) == level
        )
        parts += [Part(f"Not misinformed; {name}", lead, entries=entries)] if entries else []
    return parts


def _weights(points: Sequence[PointScore]) -> Part:
    """How much of each review stands; in the reviews' own order, since this ranks nobody."""
    rows = []
    for name, group in by_review(points):
        known = [score for score in group if not _unknown(score)]
        stands = sum(not called(score) for score in known)
        weight = f"{stands} of {len(known)}" if known else "not known"
        proved = sum(called(score) and bool(proof(score)) for score in group)
        rows.append(
            (name, str(len(group)), str(sum(map(called, group))), str(proved),
             str(len(group) - len(known)), weight)
        )  # fmt: skip
    lead = "Points are counted, not people: a short review has few, and nobody is ranked by them."
    columns = ("review", "points", "misinformed", "with proof", "unknown", "points that stand")
    return Part("What stands of each review", lead, columns, tuple(rows))


def _unknown(point: PointScore) -> bool:
    return point.status is not Status.SCORED or point.misinformed is None


def _proved(point: PointScore) -> Entry:
    verdict = wording.headline(point).words
    own = [f"{verdict[:1].upper()}{verdict[1:]}.", *own_words(point)]
    lead = "It presumes" if wording.by_inference(point) else "It rests on"
    own += [f"{lead}: {premise.text}" for premise in false_premises(deciding_premises(point))]
    if point.verdict is not None and point.verdict.answer:
        own.append(f"Answer: {point.verdict.answer}")
    return Entry(point.text, tuple(own), proof(point), "", point.short_name)


def _to_ask(
    shown: Sequence[PointScore], place_of: Callable[[PointScore], str | None], otherwise: str
) -> list[Part]:
    """What a meta-reviewer may ask about points that a passage speaks to, if there are any.

    Args:
        shown: The points.
        place_of: The section of a point's first passage, where it is known.
        otherwise: Asked of what is neither a question nor a claim.
    """
    asked = {
        PointType.QUESTION: "Does {where} answer this question?",
        PointType.CLAIM: "Does the weakness still hold after reading {where}?",
    }
    entries = []
    for point in shown:
        place = place_of(point)
        words = asked.get(point.type, otherwise) if point.type else otherwise
        closing = words.format(where=f"section {place}" if place else "the quoted passage")
        entries.append(Entry(point.text, closing=closing, point=point.short_name))
    lead = "For the discussion among reviewers."
    return [Part("What to ask", lead, entries=tuple(entries))] if entries else []


_THANKS = "Thank you for the work that went into this review."
_KINDLY = (
    f"{_THANKS} Would you look at the passages below? Each stands in the paper word for word and "
    "may bear on a point of yours; whether it does is for you to say. If you now see a point "
    "differently, reword it in your review; if not, leave it."
)
_LEFT = "All other points are left as they are."
_MISTAKEN = "The passages were found by a program, which can be mistaken about what they mean."


def _for_reviewer(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    nothing = "No passage of the paper was found that would bear on a point of this review."
    flagged = [(point, proof(point)) for point in points if called(point)]
    return _noted(paper_id, title, flagged, nothing)


def _noted(
    paper_id: str,
    title: str,
    flagged: Iterable[tuple[PointScore, tuple[SheetQuote, ...]]],
    nothing: str,
    others: str = _LEFT,
) -> Sheet:
    """The notes on each review's points with quotes.

    `others` says what becomes of the other points; `nothing` stands where there are no notes.
    """
    groups = groupby(flagged, lambda pair: pair[0].review_id)
    noted = ((name, notes(list(group))) for name, group in groups)
    parts = tuple(Part(f"Review {name}", entries=entries) for name, entries in noted if entries)
    lead = f"{_KINDLY} {others}" if parts else nothing
    return Sheet(paper_id, f"For the reviewer: {title}", lead, parts, foot=_MISTAKEN)


def _for_author(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    groups: tuple[tuple[str, str, Callable[[PointScore], bool]], ...] = (
        ("Answered or contradicted by the paper", "Point the reviewer to these passages.",
         lambda score: called(score) and bool(proof(score)) and not wording.by_inference(score)),
        ("Called misinformed, but without a verified quote",
         "Look for the passage yourself before you say so.",
         lambda score: called(score) and not (proof(score) or wording.by_inference(score))),
        (wording.INFERRED, wording.INFERRED_TO_AUTHOR, wording.by_inference),
        ("Not contradicted by the paper", "Answer these on their merits.",
         lambda one: not (called(one) or _unknown(one) or presuppositions.level(one))),
        ("Without a verdict", "",
         lambda score: not called(score) and _unknown(score) and not wording.passage_doubts(score)),
    )  # fmt: skip
    parts = []
    for heading, lead, chosen in groups:
        entries = tuple(_rebuttal(point) for point in points if chosen(point))
        if entries:
            act = bool(lead) or any(entry.own for entry in entries)
            parts.append(Part(heading, lead, entries=entries, to_read=act))
    parts += [*_levels(points, "Point the reviewer to these passages."), *_after_review(points)]
    lead = "Each point of the reviews with what it rests on and what your paper says about it."
    if not all(premise.explicit for point in points for premise in deciding_premises(point)):
        lead += " Premises marked as presumed are not the reviewer's words: are they meant?"
    if not any(part.to_read for part in parts):
        lead = f"No verdict is known for any of the {counted(len(points), 'point')}."
    return Sheet(paper_id, f"Rebuttal sheet: {title}", lead, tuple(parts))


def _rebuttal(point: PointScore) -> Entry:
    own = [*own_words(point)]
    for premise in deciding_premises(point):
        who = "written" if premise.explicit else "presumed"
        own.append(
            f"{premise.premise_id} ({who}, {_holds(premise)}): {premise.text}{_where(premise)}"
        )
    quoted = proof(point) if called(point) else ()
    if quoted and point.verdict is not None and point.verdict.answer:
        own.append(f"Answer: {point.verdict.answer}")
    return Entry(point.text, tuple(own), quoted, "", point.short_name)


def _holds(premise: Premise) -> str:
    verdict = premise.verdict
    if verdict is not None and false_premises([premise]) and quotes(verdict.evidence):
        return "contradicted by the paper"
    if verdict is None or verdict.factuality is None:
        return "not known"
    return f"judged {PREMISE_FACTUALITY[verdict.factuality]}"


def _where(premise: Premise) -> str:
    if not false_premises([premise]) or premise.verdict is None:
        return ""
    places = dict.fromkeys(
        quote.section for quote in quotes(premise.verdict.evidence) if quote.section
    )
    return f" [see {'; '.join(places)}]" if places else ""


_NO_SCORES = (
    "The passages were found by a program that compares words. Read them before you act; nothing "
    "here is about people."
)
_NEAREST = (
    "Those in a place that the point names first, then the closest. Whether they bear on the point "
    "was not judged."
)
_NEAREST_KINDLY = (
    "The passages of the paper that come nearest to each of these points, so that you need not "
    "search for them. Whether one bears on a point is for you to say."
)


def _findings_for_meta_reviewer(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    shown, near = _with(points, Finding.ADDRESSED), _near(points)
    parts = [
        Part(f"Review {name}: points that the paper speaks to", entries=_quoted(group))
        for name, group in by_review(shown)
    ]
    otherwise = "Does the weakness still hold after reading {where}?"
    parts += _to_ask(shown, lambda score: _section_of(score.passages), otherwise)
    parts += [*_passages_to_read(near, _NEAREST), *_after_review(points), _finding_counts(points)]
    lead = (
        f"{len(points)} points of {counted(len(by_review(points)), 'review')}. The paper was found "
        f"to speak to {len(shown)} of them in a passage of its own."
    )
    if shown:
        lead += " Whether that settles them is for you to read."
    if near:
        lead += f" The closest passages to {len(near)} others stand below, to be read, not judged."
    return Sheet(paper_id, f"For the meta-reviewer: {title}", lead, tuple(parts), foot=_NO_SCORES)


def _near(points: Iterable[PointScore]) -> list[PointScore]:
    """Points with closest passages, all of which reviewers could see."""
    return [one for one in _with(points, Finding.PASSAGES) if not wording.passage_doubts(one)]


def _passages_to_read(points: Iterable[PointScore], lead: str) -> list[Part]:
    return [
        Part(f"Review {name}: passages to read", lead, entries=_quoted(group), nearest=True)
        for name, group in by_review(points)
    ]


def _finding_counts(points: Sequence[PointScore]) -> Part:
    """How many points of each review have which finding; in the reviews' own order."""
    rows = tuple(
        (
            name,
            str(len(group)),
            *(str(len(_with(group, finding))) for finding in wording.FINDING_NAMES),
        )
        for name, group in by_review(points)
    )
    columns = ("review", "points", *wording.FINDING_NAMES.values())
    return Part("What was looked up", "Counts, of which no rate is made.", columns, rows)


def _findings_for_reviewer(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    near = _near(points)
    nothing = f"{_THANKS} No passage of the paper stood out as an answer to a point of it."
    if near:
        nothing += " Below are the passages that come nearest, for you to look at."
    elif points and all(point.language is not None for point in points):
        nothing = f"{_THANKS} None of its points could be looked up: nothing is said of them."
    addressed = [(score, quotes(_answering(score))) for score in _with(points, Finding.ADDRESSED)]
    others = "What comes nearest to your other points follows." if near else _LEFT
    page = _noted(paper_id, title, addressed, nothing, others)
    return replace(page, parts=(*page.parts, *_passages_to_read(near, _NEAREST_KINDLY)))


def _findings_for_author(paper_id: str, title: str, points: Sequence[PointScore]) -> Sheet:
    groups = (
        (Finding.ADDRESSED, "The paper speaks to these points",
         "Point the reviewer to these passages, if they say what you would say."),
        (Finding.PASSAGES, "Passages to read", _NEAREST),
        (Finding.CANNOT_JUDGE, "Points without a passage", ""),
    )  # fmt: skip
    others = [point for point in points if not wording.passage_doubts(point)]
    parts = tuple(
        Part(heading, lead, entries=_quoted(chosen), to_read=bool(lead),
             nearest=finding is Finding.PASSAGES)
        for finding, heading, lead in groups
        if (chosen := _with(others, finding))
    )  # fmt: skip
    parts += _after_review(points)
    lead = "Each point of the reviews with the passages of your paper that were found for it."
    if not any(part.to_read for part in parts):
        lead = f"No passage of the paper was found for any of the {counted(len(points), 'point')}."
    return Sheet(paper_id, f"Rebuttal sheet: {title}", lead, parts, foot=_NO_SCORES)


def _with(points: Iterable[PointScore], finding: Finding) -> list[PointScore]:
    return [point for point in points if point.finding is finding]


def _quoted(points: Iterable[PointScore]) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            point.text,
            () if point.language is None else (point.rationale,),
            passages[: wording.PASSAGES_SHOWN],
            point=point.short_name,
            further=passages[wording.PASSAGES_SHOWN :],
        )
        for point in points
        for passages in [quotes(point.passages)]
    )


def _section_of(passages: Iterable[SheetQuote | Evidence]) -> str | None:
    return next((passage.section for passage in passages if passage.section), None)


_VERDICTS_FOR = {
    Reader.META_REVIEWER: _for_meta_reviewer,
    Reader.REVIEWER: _for_reviewer,
    Reader.AUTHOR: _for_author,
}
"""Pages of scores, by reader."""
_FINDINGS_FOR = {
    Reader.META_REVIEWER: _findings_for_meta_reviewer,
    Reader.REVIEWER: _findings_for_reviewer,
    Reader.AUTHOR: _findings_for_author,
}
"""Pages of the embedded judge's findings, which hold no verdict, by reader."""
