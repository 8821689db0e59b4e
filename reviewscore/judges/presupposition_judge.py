"""The judge of presuppositions: what each point takes for granted, asked of a model.

The first look is at all points of a review together, or at one point; the second at one point
alone, without the answers of the first, with the passages that the first and the embedded finder
named. What is made of looks is decided in `presuppositions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from reviewscore import prompts
from reviewscore.config import POINT_TOKENS
from reviewscore.errors import ModelError
from reviewscore.judges.asker import Asker, Reply
from reviewscore.judges.by_review import ByReview, PointAnswer, ReviewPoints
from reviewscore.judges.lexical.finder import find
from reviewscore.judges.named_places import named_places
from reviewscore.judges.presuppositions import needs_second_look, passages_of
from reviewscore.papers.quotes import find_quote, levelled_span
from reviewscore.schema.answer import FivePoints, Probability, Sentence, Several, Steps, Text, Whole
from reviewscore.schema.paper import Evidence, Paper, Zone
from reviewscore.schema.presupposition import Look, Presupposition, RemarkPart, Supplies
from reviewscore.schema.review import PointKind, PointType, ReviewPoint
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Provenance

MOST_PASSAGES = 8
"""Passages that a second look is shown, those of the first look first."""
LONGEST_PASSAGE = 1200
"""Characters of one of them."""
_CAPTION = re.compile(r"^[\s*_#>]*Fig(?:ure|\.)?\s*[A-Z]?\.?\d", re.I | re.M)


class NearestPassageReply(Reply):
    """A passage that the model says it copied from the paper, or read off a table or figure."""

    section: Sentence
    sentence: Sentence
    source: Literal["text", "table", "figure"]


class PresuppositionReply(Reply):
    """What a remark takes for granted, and whether it is so."""

    statement: Sentence
    nearest: Several[NearestPassageReply]
    supplies: Literal["fully", "mostly", "partly", "topic_only", "no"] | None
    true: FivePoints | Literal["not_visible"]
    central: bool
    foreign: bool
    acknowledged: bool


class RemarkPartReply(Reply):
    """A part of a remark; most have one."""

    words: Text
    presuppositions: Several[PresuppositionReply]
    standing: FivePoints


class RemarkReply(Reply):
    """What is said of one remark."""

    kind: Literal["criticism", "request", "question", "none"]
    type: Literal["question", "argument", "claim"]
    parts: Steps[RemarkPartReply]
    reason: Text
    probability: Probability


class _Numbered(Reply):
    point: Whole


class NumberedRemarkReply(RemarkReply, _Numbered):
    """What is said of one of several remarks."""


class ReviewRemarksReply(Reply):
    """What is said of the remarks of a review."""

    points: Several[NumberedRemarkReply]


class PresuppositionJudge:
    """One model's looks at points.

    Args:
        asker: Puts the questions.
        second_look: Lowest and highest probability at which a second look is taken; None for no
            second looks at all.
        points_per_call: Most points that one reply is asked about.
    """

    def __init__(
        self,
        asker: Asker,
        *,
        second_look: tuple[float, float] | None = (0.3, 0.7),
        points_per_call: int = 20,
    ) -> None:
        self._asker, self._second_look, self._most = asker, second_look, points_per_call
        self._first: dict[str, PointAnswer[NumberedRemarkReply] | ModelError] = {}

    async def by_review(self, reviews: Sequence[ReviewPoints], paper: Paper) -> None:
        """Take the first look at all points of reviews; `looks` finds it there.

        Raises:
            StopError: Nothing more can be asked.
        """
        question = ByReview(
            asker=self._asker,
            prompt="presuppositions_review",
            output=ReviewRemarksReply,
            points_of=lambda reply: reply.points,
            check=_check,
            most=self._most,
            reply_tokens=POINT_TOKENS["presupposition"],
            variables={"terms": _terms()},
        )
        self._first |= await question.ask(reviews, paper)

    def forget(self, points: Iterable[ReviewPoint]) -> None:
        """Forget first looks at points."""
        for point in points:
            self._first.pop(point.point_id, None)

    async def looks(
        self, point: ReviewPoint, paper: Paper, *, always_second: bool = False
    ) -> tuple[Look, ...]:
        """The first look at a point and, where its outcome calls for it, the second.

        Args:
            point: The point.
            paper: Its paper.
            always_second: Whether the second is taken whatever the first came to.

        Raises:
            ModelError: There is no usable reply to one of them.
            StopError: Nothing more can be asked.
        """
        known = self._first.get(point.point_id)
        if isinstance(known, ModelError):
            raise known
        if known is not None:
            first = self._look(known.reply, point, paper, known.provenance, number=1)
        else:
            first = await self._alone(point, paper)
        if not (always_second or needs_second_look(first, self._second_look)):
            return (first,)
        return first, await self.second_look(point, paper, _passages(point, paper, first))

    async def _alone(self, point: ReviewPoint, paper: Paper) -> Look:
        judged = await self._asker.ask(
            "presuppositions_point",
            RemarkReply,
            paper=paper,
            check=_check,
            terms=_terms(),
            point=point.text,
            context=point.context,
            places=named_places(point, paper),
        )
        return self._look(judged.reply, point, paper, judged.provenance, number=1)

    async def second_look(self, point: ReviewPoint, paper: Paper, passages: Sequence[str]) -> Look:
        """A look at a point alone, with passages that may bear on it.

        Raises:
            ModelError: There is no usable reply.
            StopError: Nothing more can be asked.
        """
        near = point.neighbours
        around = [] if near is None else [near.before, near.after]
        judged = await self._asker.ask(
            "presuppositions_second_look",
            RemarkReply,
            paper=paper,
            check=_check,
            terms=_terms(),
            point=point.text,
            context=point.context,
            neighbours=" [..] ".join(around) if any(around) else "",
            places=named_places(point, paper),
            passages=passages,
        )
        return self._look(judged.reply, point, paper, judged.provenance, number=2)

    def _look(
        self,
        reply: RemarkReply,
        point: ReviewPoint,
        paper: Paper,
        provenance: Provenance,
        *,
        number: int,
    ) -> Look:
        return Look(
            judge=provenance.judge,
            repeat=self._asker.sampling.repeat,
            number=number,
            kind=PointKind(reply.kind),
            type=PointType(reply.type),
            parts=tuple(_part(part, point, paper) for part in reply.parts),
            probability=reply.probability,
            rationale=reply.reason,
            provenance=(provenance,),
        )


def _check(reply: RemarkReply) -> None:
    """Refuse a remark without parts, which has no standing.

    Raises:
        ValueError: It has none.
    """
    if not reply.parts and reply.kind != "none":
        raise ValueError("parts: a remark that is judged has at least one")


def _terms() -> str:
    return prompts.render("presupposition_terms").text


def _part(reply: RemarkPartReply, point: ReviewPoint, paper: Paper) -> RemarkPart:
    return RemarkPart(
        text=reply.words,
        span=_span(reply.words, point),
        presuppositions=tuple(
            _presupposition(presupposition, paper) for presupposition in reply.presuppositions
        ),
        standing=reply.standing,
    )


def _span(words: str, point: ReviewPoint) -> Span | None:
    """Where words stand in a point; None if they do not."""
    start = point.text.find(words) if words.strip() else -1
    place = (start, start + len(words)) if start >= 0 else levelled_span(point.text, words)
    if place is None:
        return None
    start, end = (point.span.start + offset for offset in place)
    return Span(field=point.span.field, start=start, end=end)


def _presupposition(reply: PresuppositionReply, paper: Paper) -> Presupposition:
    given = (_evidence(nearest, paper) for nearest in reply.nearest if nearest.sentence.strip())
    return Presupposition(
        statement=reply.statement,
        nearest=tuple(dict.fromkeys(given)),
        supplies=None if reply.supplies is None else Supplies(reply.supplies),
        true=reply.true,
        central=reply.central,
        foreign=reply.foreign,
        acknowledged=reply.acknowledged,
    )


def _evidence(reply: NearestPassageReply, paper: Paper) -> Evidence:
    """A passage as the paper has it; what stands in a checklist is no evidence.

    The caption that is copied for a reading off a figure keeps that source.
    """
    evidence = find_quote(paper, reply.sentence)
    if not evidence.verified:
        source = None if reply.source == "text" else reply.source
        return evidence.model_copy(update={"source": source})
    section = None if evidence.start is None else paper.section_at(evidence.start)
    if section is not None and section.zone is Zone.CHECKLIST:
        return Evidence(quote=reply.sentence, verified=False, of_venue=True)
    if reply.source == "figure" and _in_caption(evidence, paper):
        return evidence.model_copy(update={"source": "figure"})
    return evidence


def _in_caption(evidence: Evidence, paper: Paper) -> bool:
    """Whether a passage stands in a figure's caption, by a line that begins its paragraph's."""
    assert evidence.start is not None
    earliest = max(evidence.start - LONGEST_PASSAGE, 0)
    paragraph = max(paper.text.rfind("\n\n", earliest, evidence.start), earliest)
    return _CAPTION.search(paper.text, paragraph, evidence.end or evidence.start) is not None


def _passages(point: ReviewPoint, paper: Paper, first: Look) -> tuple[str, ...]:
    """Passages for a second look, as they stand in the paper, in its order."""
    named = passages_of((first,))
    closest = find(point.text, paper, point.places or ()).passages
    spans = dict.fromkeys(
        (passage.start, passage.end)
        for passage in (*named, *closest)
        if passage.start is not None and passage.end is not None and paper.is_read(passage.start)
    )
    chosen = sorted(list(spans)[:MOST_PASSAGES])
    return tuple(paper.text[start : min(end, start + LONGEST_PASSAGE)] for start, end in chosen)
