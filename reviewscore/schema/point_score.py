"""The score of one review point: one line of ``points.jsonl``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from reviewscore.schema.argument import Argument, Extraction, Failure, Premise
from reviewscore.schema.author_answer import AnswerStance, AuthorAnswer
from reviewscore.schema.calibration import Calibrated
from reviewscore.schema.paper import Doubt, Evidence, Scope, Seen
from reviewscore.schema.place import Place
from reviewscore.schema.point_id import place_of, short_name
from reviewscore.schema.presupposition import Look, Presupposition, RemarkPart, Share
from reviewscore.schema.record import Record, Word, shortened
from reviewscore.schema.review import Neighbours, Occurrence, PointKind, PointType, Role
from reviewscore.schema.scale import FIVE_POINTS, MeanScore, Score
from reviewscore.schema.span import Span
from reviewscore.schema.verdict import Finding, Provenance, UnknownReason, Verdict, panel_split


class Status(StrEnum):
    """How scoring a point ended."""

    SCORED = "scored"
    UNKNOWN = "unknown"  # an honest absence of a verdict
    UNSCORED = "unscored"  # a finding of the embedded judge, which gives no score
    ERROR = "error"  # something failed; `error` says what


class Advanced(Record):
    """ADVANCED ReviewScore (ReviewScore, def. 4 and sec. 3.1 "Aggregation methods").

    Attributes:
        score: 1..5. For questions and claims the BASE score, for arguments the weighted average
            of the premises' factuality; None is unknown. Not rounded.
        conjunction: For arguments: whether every premise has factuality >= 3; None is unknown.
        all_trivial: For arguments: all weights were 0, so `score` is the plain mean.
    """

    score: MeanScore | None = None
    conjunction: bool | None = None
    all_trivial: bool = False


class WithoutResponse(Record):
    """What the same judges say of a point when they do not see the authors' response.

    Attributes:
        base: BASE ReviewScore 1..5; None is unknown.
        advanced: ADVANCED ReviewScore 1..5, not rounded; None is unknown or was not asked for.
        misinformed: As in `PointScore`; None is unknown.
    """

    base: Score | None = None
    advanced: MeanScore | None = None
    misinformed: bool | None = None


class PointScore(Record):
    """One review point with everything that was found out about it.

    Attributes:
        point_id: As in `ReviewPoint`; ``<review_id>#<n>`` in records of before.
        review_id: The review it stands in.
        paper_id: The paper that is reviewed.
        number: Place among the points of its review in reading order, counted from 1; None in
            records of before, whose identifier says it (`ordinal`).
        section: Heading or field of the form that it stands under.
        role: What that section is for.
        text: The point's own words, verbatim from the review.
        context: Words just before it that it needs to be understood; empty for most points.
        span: Where it stands in the review.
        places: Places of the paper that it names, each with what stands there; None in records of
            before, where they were not read.
        language: ISO 639 code of the language that it is written in, such as ``de``; None for
            English, where too little text tells, and in records of before.
        kind: ``criticism``, ``request`` or ``question``, beside the type; ``none`` for what is no
            point, which is not judged and counts in no rate; None where nobody said.
        neighbours: The sentences of the review around it; None where they were not looked up.
        occurrences: Other places of the review that repeat it, in reading order.
        type: ``question``, ``claim`` or ``argument``; None if it failed before this was
            known, or is written in a language that the embedded judge does not read.
        status: ``scored``, ``unknown`` or ``error``; ``unscored`` for the embedded judge.
        reason: Why it is unknown, where a judge had an answer that does not count, or was not
            asked since it is no point.
        seen: How much of the paper its judge saw, where that was excerpts or pages as images, and
            always for looks at presuppositions; None for all of what is shown to judges.
        doubts: Why reviewers may not have read what is at hand: the paper's, and those that keep
            this point from a flag.
        base: BASE ReviewScore 1..5 (unanswerability or factuality of the whole, or `standing`);
            None is unknown.
        advanced: ADVANCED ReviewScore; None if it was not asked for.
        misinformed: For arguments the negated conjunction, else whether the score is 1 or 2; of
            looks at presuppositions what their rule says. None is unknown.
        supplied: Whether the paper speaks to the point, which is no flag; None is unknown, or was
            not asked. With the following ones of looks at presuppositions alone.
        standing: 1..5, as in `presupposition.RemarkPart`. `base` is the same, and None where
            excerpts cannot show it.
        probability: That an expert would call the point wrong about this paper, 0..1.
        acknowledged: Whether the authors state what the point takes for granted themselves, and it
            is not misinformed.
        looks: All that judges said of its presuppositions.
        protocol: ``presupposition``; None of other protocols.
        finding: What the embedded judge says instead of a score: ``addressed``, ``passages`` or
            ``cannot_judge``; None for models. `base`, `advanced`, `misinformed`, `verdict`,
            `evidence` and `argument` are empty then.
        passages: The verified passages of the finding; for ``passages`` those in a place that the
            point names first, then the closest; empty for models.
        rationale: Why the finding is what it is; empty for models, whose verdicts say why.
        verdict: The BASE verdict with its rationale and quotes.
        evidence: All verified passages, of the verdict and of the premises.
        argument: The reconstruction, for arguments when ADVANCED was asked for; with `looks` it
            stands beside the verdict, which does not rest on it.
        extraction: Of an argument beside whose `looks` none was rebuilt, as it gives fewer than two
            reasons and states no step: its conclusion and reasons, verbatim.
        error: What failed. Of a point that is scored all the same, a part without a verdict that
            could not have changed whether it is misinformed.
        calibrated: The score corrected by human labels of other papers, where that was asked for;
            `base`, `advanced` and `misinformed` stay the judge's own.
        without_response: What is said of the point without the authors' response, where judges saw
            one; None otherwise.
        author_answers: What of the authors' response answers the point, in the response's order;
            empty if nothing does, None without a response and in records of before.
            It is shown and is no evidence.
        judge: ``lexical``, or the model asked for; of a panel all of them.
        judge_version: Version of the embedded judge; None for models.
        reviewscore_version: Version of reviewscore that wrote it.
        provenance: Where the point and its type came from.
    """

    schema_id: Annotated[
        Literal["reviewscore.point/2", "reviewscore.point/1"],
        AfterValidator(lambda _: "reviewscore.point/2"),  # what is read is written as of today
    ] = Field(default="reviewscore.point/2", alias="schema")
    point_id: str
    review_id: str
    paper_id: str
    number: int | None = Field(default=None, ge=1)
    section: str
    role: Role
    text: str
    context: str = ""
    span: Span
    places: tuple[Place, ...] | None = None
    language: str | None = None
    kind: PointKind | None = Field(default=None, exclude_if=lambda value: value is None)
    neighbours: Neighbours | None = Field(default=None, exclude_if=lambda value: value is None)
    occurrences: tuple[Occurrence, ...] = Field(default=(), exclude_if=lambda value: not value)
    type: PointType | None = None
    status: Status
    reason: UnknownReason | None = Field(default=None, exclude_if=lambda value: value is None)
    seen: Seen | None = Field(default=None, exclude_if=lambda value: value is None)
    doubts: tuple[Doubt, ...] = Field(default=(), exclude_if=lambda value: not value)
    base: Score | None = None
    advanced: Advanced | None = None
    misinformed: bool | None = None
    supplied: bool | None = Field(default=None, exclude_if=lambda value: value is None)
    standing: Score | None = Field(default=None, exclude_if=lambda value: value is None)
    probability: Share | None = Field(default=None, exclude_if=lambda value: value is None)
    acknowledged: bool | None = Field(default=None, exclude_if=lambda value: value is None)
    looks: tuple[Look, ...] = Field(default=(), exclude_if=lambda value: not value)
    protocol: Literal["presupposition"] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    finding: Finding | None = None
    passages: tuple[Evidence, ...] = ()
    rationale: str = ""
    verdict: Verdict | None = None
    evidence: tuple[Evidence, ...] = ()
    argument: Argument | None = None
    extraction: Extraction | None = Field(default=None, exclude_if=lambda value: value is None)
    error: str | None = None
    calibrated: Calibrated | None = None
    without_response: WithoutResponse | None = None
    author_answers: tuple[AuthorAnswer, ...] | None = None
    judge: str
    judge_version: str | None = None
    reviewscore_version: str
    provenance: tuple[Provenance, ...] = ()

    @model_validator(mode="after")
    def _a_finding_is_no_score(self) -> PointScore:
        scores = (self.base, self.advanced, self.misinformed, self.verdict, self.argument)
        unscored = self.status is Status.UNSCORED
        judged = bool(self.evidence) or any(value is not None for value in scores)
        if (self.finding is not None) != unscored or (unscored and judged):
            raise ValueError("a point with a finding, and no other, is unscored and has no verdict")
        if bool(self.passages) != (self.finding in (Finding.ADDRESSED, Finding.PASSAGES)):
            raise ValueError("passages stand with the findings 'addressed' and 'passages' alone")
        return self

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, shortened(self.text)
        yield None, Word(self.type.value if self.type else "type unknown")
        if self.misinformed is not None:
            yield None, Word("misinformed" if self.misinformed else "not misinformed")
        else:
            yield None, shortened(self.finding or self.status)

    def _repr_html_(self) -> str:
        """The point as a report shows it, for notebooks."""
        from reviewscore.pages.notebook import point_html

        return point_html(self)

    @property
    def is_point(self) -> bool:
        """Whether it is a review point; what is none is listed apart and counts nowhere."""
        return self.kind is not PointKind.NONE

    @property
    def excerpts(self) -> Seen | None:
        """How much its judge saw, where that was excerpts of the paper; else None."""
        return self.seen if self.seen is not None and self.seen.kind is Scope.EXCERPTS else None

    @property
    def ordinal(self) -> int:
        """Place among the points of its review, counted from 1; 0 if it is not known."""
        return self.number or place_of(self.point_id) or 0

    @property
    def short_name(self) -> str:
        """What people call it, such as ``R1#3``; its identifier if its place is not known."""
        return short_name(self.review_id, self.ordinal) if self.ordinal else self.point_id

    @property
    def parts(self) -> tuple[RemarkPart, ...]:
        """Its parts, the main one first, of the earliest look whose standing is the point's."""
        return next((look.parts for look in self.looks if look.standing == self.standing), ())

    @property
    def presuppositions(self) -> tuple[Presupposition, ...]:
        """What its main part takes for granted."""
        return self.parts[0].presuppositions if self.parts else ()

    @property
    def deciding_argument(self) -> Argument | None:
        """The reconstruction that the verdict rests on; None where it rests on looks."""
        return None if self.looks else self.argument

    @property
    def panel_split(self) -> bool | None:
        """Whether judges of a panel disagree on which side of "misinformed" something lies.

        For an argument, any of its premises; else the point as a whole. None without a panel.
        """
        judged = [
            premise.verdict
            for premise in _premises(self.deciding_argument)
            if premise.verdict is not None
        ]
        ratings = [verdict.ratings for verdict in judged] or (
            [self.verdict.ratings] if self.verdict is not None else []
        )
        return any(panel_split(rating) for rating in ratings) if any(ratings) else None

    @property
    def min_score(self) -> int | None:
        """Of an argument the lowest factuality of a premise, else the BASE score; 1..5.

        None if a premise has no score. Up to 2 it says what the conjunction says.
        """
        premises = _premises(self.deciding_argument)
        if self.type is not PointType.ARGUMENT or not premises:
            return self.base
        known = [premise.verdict.factuality for premise in premises if premise.verdict is not None]
        scores = [number for number in known if number is not None]
        return min(scores) if len(scores) == len(premises) else None

    @property
    def failure(self) -> Failure | None:
        """By what an argument fails whose premises decide; None is not known, or nothing fails."""
        return None if self.argument is None or self.looks else self.argument.failure

    @property
    def unquoted(self) -> bool:
        """Whether the point is judged misinformed and no verdict that says so has a real quote.

        For an argument whose premises were judged, those say so that have a score of 1 or 2. What
        reviewers could not see is no such quote, nor, of looks, is a passage that is merely near.
        """
        if self.looks:
            mains = [look.main for look in self.looks if look.main is not None]
            return self.misinformed is True and not any(main.supplied for main in mains)
        judged = [premise.verdict for premise in _premises(self.deciding_argument)]
        false = [
            verdict
            for verdict in judged
            if verdict and verdict.factuality and FIVE_POINTS.misinformed(verdict.factuality)
        ]
        quotes = [quote for verdict in false for quote in verdict.evidence]
        if not false and self.verdict is not None:
            quotes = list(self.verdict.evidence)
        return self.misinformed is True and not any(
            quote.verified and quote.doubt is None for quote in quotes
        )

    @property
    def leading_answer(self) -> AuthorAnswer | None:
        """Of what the authors answer, what says most: that they contest, then that they changed."""
        order = list(AnswerStance)
        answers = self.author_answers or ()
        return min(answers, key=lambda answer: order.index(answer.stance), default=None)

    @property
    def origins(self) -> tuple[Provenance, ...]:
        """Where all that the record says came from: point, verdict, premises and rounds."""
        provenances = [*self.provenance, *(self.verdict.provenance if self.verdict else ())]
        for premise in _premises(self.argument):
            provenances += premise.verdict.provenance if premise.verdict else ()
        for attempt in self.argument.rounds if self.argument else ():
            provenances += attempt.provenance
        provenances += self.extraction.provenance if self.extraction else ()
        for look in self.looks:
            provenances += look.provenance
        return tuple(provenances)


def _premises(argument: Argument | None) -> tuple[Premise, ...]:
    return () if argument is None else argument.premises


_OF_AN_OLD_FINDER = re.compile(rb'"judge"\s*:\s*"lexical"')
_FINDINGS = {
    "flagged": Finding.ADDRESSED,
    "possibly_addressed": Finding.PASSAGES,
    "nothing_found": Finding.CANNOT_JUDGE,
    "cannot_judge": Finding.CANNOT_JUDGE,
}
"""Findings of ``point/1`` as they are called today."""
_NOTHING_NEAR = (
    "An earlier version of the embedded judge found no passage in what it read of the paper, which "
    "may have been the main text alone."
)


def read_point(line: bytes | str) -> PointScore:
    """A line of ``points.jsonl``, of this form or of ``reviewscore.point/1``.

    What the embedded judge wrote then as a score is left out: a flag is a finding, "nothing found"
    says nothing, and what a template made of a point is nobody's argument.

    Raises:
        ValidationError: The line is no such record.
    """
    line = line.encode() if isinstance(line, str) else line
    if b'"reviewscore.point/1"' in line and _OF_AN_OLD_FINDER.search(line):
        line = json.dumps(_without_score(json.loads(line))).encode()
    return PointScore.model_validate_json(line)


def _without_score(old: dict[str, Any]) -> dict[str, Any]:
    """A record that an embedded judge of before wrote as a score, as a finding."""
    gone = ("base", "advanced", "misinformed", "verdict", "evidence", "argument")
    kept = {name: value for name, value in old.items() if name not in gone}
    verdict = old.get("verdict")
    if old.get("status") == Status.ERROR or not isinstance(verdict, dict):
        return kept
    was = verdict.get("finding")
    passages = [passage for passage in verdict.get("evidence", ()) if passage.get("verified")]
    finding = _FINDINGS.get(str(was), Finding.PASSAGES) if passages else Finding.CANNOT_JUDGE
    return kept | {
        "status": Status.UNSCORED,
        "finding": finding,
        "passages": passages if finding is not Finding.CANNOT_JUDGE else [],
        "rationale": _NOTHING_NEAR if was == "nothing_found" else verdict.get("rationale", ""),
        "provenance": [*old.get("provenance", ()), *verdict.get("provenance", ())],
    }
