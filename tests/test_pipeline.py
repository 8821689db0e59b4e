"""The decision table of the pipeline: type x verdicts x failures x unknown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import pytest

from reviewscore import prompts
from reviewscore.errors import ModelError, RefusalError, StopError
from reviewscore.judges.judge import Judges
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.pipeline import Score, make_record, score_point, score_with_response
from reviewscore.schema.answer import FivePoints, Untrivialness
from reviewscore.schema.argument import (
    Draft,
    Extraction,
    Failure,
    Faithfulness,
    Premise,
    Round,
    Streamlined,
)
from reviewscore.schema.paper import Doubt, DoubtKind, Evidence, Paper
from reviewscore.schema.point_score import PointScore, Status, UnknownReason, WithoutResponse
from reviewscore.schema.review import PointKind, PointType, Review, ReviewPoint
from reviewscore.schema.scale import FIVE_POINTS, UNTRIVIALNESS
from reviewscore.schema.verdict import Finding, PremiseVerdict, TypeVerdict, Verdict
from tests.conftest import make_point

QUESTION, CLAIM, ARGUMENT = PointType
SCORED, UNKNOWN, UNSCORED, ERROR = Status
REFUSED = RefusalError("declined")
POINT = make_point("Weak, because rain was left out.")
PAPER = Paper(paper_id="frogs", title="Frogs", text="Rain fell.")
SEEN = Evidence(quote="Rain fell.", start=0, end=10, verified=True)
MADE_UP = Evidence(quote="Snow fell.", verified=False)
Outcome = int | ModelError | StopError | None
DRAFT = Draft(
    premises=tuple(
        Premise(premise_id=f"P{number}", text="-", formula=formula, explicit=True)
        for number, formula in enumerate(("Rain", "Rain -> Weak"), start=1)
    ),
    conclusion="-",
    conclusion_formula="Weak",
    keys={"Rain": "rain was left out", "Weak": "the counts are weak"},
)


@dataclass
class Fake:
    """Judges whose outcomes are given; an error is raised, of a premise noted."""

    type: PointType = CLAIM
    base: Outcome | Finding = 4
    premises: tuple[Outcome, ...] = (4, 5)
    faithful: bool | ModelError | StopError | None = True
    with_response: Outcome = 4
    gives_scores: bool = True
    reads_responses: bool = True
    repeats_itself: bool = True
    name: str = "fake"
    version: str | None = None
    silent: str | None = None
    asked: list[str] = field(default_factory=list)

    async def propose_points(self, review: Review, sections: tuple[str, ...]) -> None:
        return None

    def abstention(self, point: ReviewPoint, paper: Paper) -> str | None:
        return self.silent

    async def point_type(self, point: ReviewPoint) -> TypeVerdict:
        return TypeVerdict(type=self.type)

    def _whole(
        self, scale: Literal["unanswerability", "factuality"], response: str | None
    ) -> Verdict:
        self.asked.append(scale)
        outcome = self.base if response is None else self.with_response
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, Finding):
            quotes = () if outcome is Finding.CANNOT_JUDGE else (SEEN,)
            return Verdict(scale=scale, finding=outcome, rationale="why", evidence=quotes)
        return Verdict(scale=scale, score=outcome, evidence=(SEEN, MADE_UP, SEEN))

    async def question_answerability(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        return self._whole("unanswerability", response)

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        return self._whole("factuality", response)

    async def extract_argument(self, point: ReviewPoint) -> Extraction:
        return Extraction(conclusion="Weak", reasons=("rain was left out",))

    async def draft_argument(
        self, point: ReviewPoint, paper: Paper, extraction: Extraction, *, last: Round | None
    ) -> Draft:
        return DRAFT

    async def streamline(self, draft: Draft, needed: tuple[Premise, ...]) -> Streamlined:
        raise AssertionError("templates suffice")

    async def faithfulness(
        self, point: ReviewPoint, premises: tuple[Premise, ...], conclusion: str
    ) -> Faithfulness:
        if isinstance(self.faithful, Exception):
            raise self.faithful
        return Faithfulness(faithful=self.faithful)

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        self.asked.append("premises")
        return tuple(
            PremiseVerdict(error=str(outcome))
            if isinstance(outcome, Exception)
            else PremiseVerdict(factuality=outcome, untrivialness=2)
            for outcome in self.premises
        )


async def scored(judges: Judges, score: Score = "both") -> PointScore:
    return await score_point(POINT, PAPER, judges, score=score)


@pytest.mark.parametrize("kind", PointType)
@pytest.mark.parametrize(
    ("outcome", "status", "misinformed"),
    [
        (1, SCORED, True),
        (2, SCORED, True),
        (3, SCORED, False),
        (5, SCORED, False),
        (None, UNKNOWN, None),
        (REFUSED, ERROR, None),
    ],
)
async def test_a_point_judged_as_a_whole_has_the_score_of_its_own_scale(
    kind: PointType, outcome: Outcome, status: Status, misinformed: bool | None
) -> None:
    judges = Fake(kind, outcome)

    record = await scored(judges, "base")

    assert (record.type, record.status, record.misinformed) == (kind, status, misinformed)
    assert judges.asked == [kind.scale.name]
    assert record.base == (outcome if isinstance(outcome, int) else None)
    assert (record.advanced, record.argument) == (None, None)
    assert record.evidence == (() if status is ERROR else (SEEN,))
    assert (record.error == "RefusalError: declined") is (status is ERROR)


@pytest.mark.parametrize("kind", [QUESTION, CLAIM])
@pytest.mark.parametrize("outcome", [2, None])
async def test_advanced_is_base_where_there_is_no_argument(
    kind: PointType, outcome: int | None
) -> None:
    record = await scored(Fake(kind, outcome))

    assert record.advanced is not None
    assert (record.advanced.score, record.advanced.conjunction) == (outcome, None)


@pytest.mark.parametrize("kind", PointType)
@pytest.mark.parametrize("finding", Finding)
async def test_judges_without_scores_look_every_type_up_whole(
    kind: PointType, finding: Finding
) -> None:
    judges = Fake(kind, finding, gives_scores=False)

    record = await scored(judges)

    assert (record.status, record.finding, record.rationale) == (UNSCORED, finding, "why")
    assert judges.asked == [kind.scale.name]
    assert bool(record.passages) is (finding is not Finding.CANNOT_JUDGE)
    assert (record.verdict, record.argument, record.misinformed) == (None, None, None)


@pytest.mark.parametrize(
    ("base", "faithful", "premises", "status", "misinformed", "errors"),
    [
        (4, True, (4, 5), SCORED, False, 0),
        (4, None, (4, 5), SCORED, False, 0),  # nobody was asked whether it is faithful
        (1, True, (3, 5), SCORED, False, 0),  # the premises decide
        (5, True, (2, 5), SCORED, True, 0),
        (4, True, (None, 5), UNKNOWN, None, 0),
        (4, True, (2, None), SCORED, True, 0),
        (4, True, (4, REFUSED), ERROR, None, 1),
        (4, True, (2, REFUSED), SCORED, True, 1),
        (4, True, (REFUSED, REFUSED), ERROR, None, 2),
        (4, False, (4, 5), UNKNOWN, None, 0),
        (4, REFUSED, (4, 5), ERROR, None, 1),
        (None, True, (4, 5), SCORED, False, 0),
        (REFUSED, True, (4, 5), SCORED, False, 1),
        (REFUSED, True, (None, 5), ERROR, None, 1),
        (REFUSED, False, (4, 5), ERROR, None, 1),
        (REFUSED, REFUSED, (4, 5), ERROR, None, 2),
    ],
)
async def test_of_an_argument_the_premises_decide_and_failures_only_where_they_do_not(
    base: Outcome,
    faithful: bool | ModelError | None,
    premises: tuple[Outcome, ...],
    status: Status,
    misinformed: bool | None,
    errors: int,
) -> None:
    judges = Fake(ARGUMENT, base, premises, faithful)

    record = await scored(judges)

    assert (record.status, record.misinformed) == (status, misinformed)
    assert (record.error or "").count("declined") == errors
    assert record.base == (base if isinstance(base, int) else None)
    assert (record.argument is None) is isinstance(faithful, ModelError)
    assert record.failure is (Failure.FACT if misinformed else None)
    assert ("premises" in judges.asked) is (faithful in (True, None))


async def test_only_the_score_that_is_asked_for_is_judged() -> None:
    judges = Fake(ARGUMENT)

    record = await scored(judges, "advanced")

    assert judges.asked == ["premises"]
    assert (record.base, record.verdict, record.misinformed) == (None, None, False)


@pytest.mark.parametrize(
    "judges",
    [
        Fake(QUESTION, StopError("no credit")),
        Fake(ARGUMENT, StopError("no credit")),
        Fake(ARGUMENT, 4, faithful=StopError("no credit")),
    ],
)
async def test_nothing_more_to_ask_ends_the_point(judges: Fake) -> None:
    with pytest.raises(StopError, match="no credit"):
        await scored(judges)


@pytest.mark.parametrize(
    ("judges", "without"),
    [
        (Fake(base=2), WithoutResponse(base=2, advanced=2, misinformed=True)),
        (Fake(base=REFUSED), WithoutResponse()),
        (Fake(base=2, reads_responses=False), None),
    ],
)
async def test_what_is_said_without_the_response_stands_beside_the_score(
    judges: Fake, without: WithoutResponse | None
) -> None:
    record = await score_with_response(POINT, PAPER, judges, response="It rained.")

    assert record.without_response == without
    assert record.misinformed is (without is None)


@pytest.mark.parametrize("kind", PointType)
def test_every_type_says_what_belongs_to_it(kind: PointType) -> None:
    assert kind.scale.values == FIVE_POINTS.values
    assert len(kind.scale.labels) == len(kind.scale.values)
    assert kind.judge in {name for name in dir(Judges) if not name.startswith("_")}
    assert prompts.latest(kind.judge).prompt_id.startswith(f"{kind.judge}/")


def test_scales_and_the_replies_that_models_give_agree() -> None:
    for scale, reply in ((FIVE_POINTS, FivePoints), (UNTRIVIALNESS, Untrivialness)):
        assert get_args(get_args(reply)[0]) == tuple(scale.values)
    assert (FIVE_POINTS.middle, FIVE_POINTS.misinformed_up_to) == (3, 2)
    assert [score for score in range(-1, 8) if score in FIVE_POINTS] == [1, 2, 3, 4, 5]
    assert [score for score in FIVE_POINTS.values if FIVE_POINTS.misinformed(score)] == [1, 2]


def test_a_record_has_the_points_own_fields_and_who_judged() -> None:
    record = make_record(POINT, LexicalJudges(), status=ERROR, error="e")

    own = {**dict(POINT)}
    del own["consent"]  # of the review, whose record says it
    assert {name: getattr(record, name) for name in own} == own
    assert (record.judge, record.judge_version) == ("lexical", LexicalJudges.version)


LATER = Doubt(kind=DoubtKind.REBUTTAL_SECTION, sign="D Answers")
AFTER = Evidence(quote="Hail fell.", start=10, end=20, verified=True, doubt=LATER)


@dataclass
class Quoting(Fake):
    """Judges whose verdicts quote what is given: of the whole, and of each premise."""

    quotes: tuple[Evidence, ...] = ()
    of_premises: tuple[tuple[Evidence, ...], ...] = ()

    def _whole(
        self, scale: Literal["unanswerability", "factuality"], response: str | None
    ) -> Verdict:
        return super()._whole(scale, response).model_copy(update={"evidence": self.quotes})

    async def premises_factuality(
        self,
        premises: tuple[Premise, ...],
        point: ReviewPoint,
        paper: Paper,
        *,
        response: str | None,
    ) -> tuple[PremiseVerdict, ...]:
        verdicts = await super().premises_factuality(premises, point, paper, response=response)
        return tuple(
            verdict.model_copy(update={"evidence": quotes})
            for verdict, quotes in zip(verdicts, self.of_premises, strict=True)
        )


@pytest.mark.parametrize("kind", PointType)
@pytest.mark.parametrize(
    ("quotes", "base", "flagged"),
    [
        ((AFTER,), 1, None),
        ((AFTER, MADE_UP), 2, None),
        ((AFTER, SEEN), 1, True),  # independent evidence carries the flag alone
        ((MADE_UP,), 1, True),  # without any real quote it is marked as that, as ever
        ((AFTER,), 4, False),  # what is no flag needs no proof
        ((), 2, True),
    ],
)
async def test_what_reviewers_could_not_see_carries_no_flag(
    kind: PointType, quotes: tuple[Evidence, ...], base: int, flagged: bool | None
) -> None:
    record = await scored(Quoting(kind, base, quotes=quotes), "base")

    assert record.misinformed is flagged
    assert record.verdict is not None
    if flagged is None:
        assert (record.status, record.reason) == (UNKNOWN, UnknownReason.AFTER_REVIEW)
        assert (record.base, record.verdict.score) == (None, None)
        assert record.doubts == (LATER.model_copy(update={"score": base}),)
        assert record.evidence == (AFTER,)
    else:
        assert (record.status, record.reason, record.doubts) == (SCORED, None, ())
        assert record.base == base


@pytest.mark.parametrize(
    ("premises", "quotes", "status", "flagged"),
    [
        ((1, 5), ((AFTER,), ()), UNKNOWN, None),
        ((1, 2), ((AFTER,), (SEEN,)), SCORED, True),
        ((1, 2), ((AFTER,), (AFTER,)), UNKNOWN, None),
        ((4, 5), ((AFTER,), (AFTER,)), SCORED, False),
        ((1, REFUSED), ((AFTER,), ()), ERROR, None),
    ],
)
async def test_a_premise_that_only_later_text_contradicts_is_unknown(
    premises: tuple[Outcome, ...],
    quotes: tuple[tuple[Evidence, ...], ...],
    status: Status,
    flagged: bool | None,
) -> None:
    record = await scored(Quoting(ARGUMENT, 4, premises, of_premises=quotes))

    assert (record.status, record.misinformed) == (status, flagged)
    assert (record.reason is UnknownReason.AFTER_REVIEW) is (status is UNKNOWN)
    assert bool(record.doubts) is (premises[0] == 1)
    assert not (record.unquoted and flagged)


class Looking(Fake):
    """Looks up what it is shown: the first of its passages that is there."""

    async def claim_factuality(
        self, point: ReviewPoint, paper: Paper, *, response: str | None
    ) -> Verdict:
        there = [one for one in (AFTER, SEEN) if one.quote in paper.read_text]
        finding = Finding.ADDRESSED if there else Finding.CANNOT_JUDGE
        quotes = tuple(there[:1])
        return Verdict(scale="factuality", finding=finding, rationale="why", evidence=quotes)


@pytest.mark.parametrize(
    ("seen", "finding", "passages"),
    [("Rain fell.", Finding.ADDRESSED, (SEEN,)), ("Sun shone.", Finding.PASSAGES, (AFTER,))],
)
async def test_a_finding_rests_on_what_reviewers_could_see(
    seen: str, finding: Finding, passages: tuple[Evidence, ...]
) -> None:
    paper = build_paper(PaperRow(paper_id="p", text=f"1 Frogs\n{seen}\n\n2 Rebuttal\nHail fell."))

    record = await score_point(POINT, paper, Looking(gives_scores=False))

    assert (record.finding, record.passages) == (finding, passages)
    assert record.doubts == (() if finding is Finding.ADDRESSED else (LATER,))


async def test_a_doubt_about_a_paper_stands_in_each_record_and_takes_no_flag() -> None:
    doubt = Doubt(kind=DoubtKind.CAMERA_READY, sign="a line")
    paper = PAPER.model_copy(update={"doubts": (doubt,)})

    flagged = await score_point(POINT, paper, Fake(CLAIM, 1))
    failed = await score_point(POINT, paper, Fake(CLAIM, REFUSED))

    assert (flagged.misinformed, flagged.doubts) == (True, (doubt,))
    assert failed.doubts == (doubt,)


async def test_a_record_without_doubts_is_written_as_before() -> None:
    written = (await scored(Fake(CLAIM, 1))).model_dump_json()

    assert not any(name in written for name in ('"doubt', '"reason"', '"document"'))
    assert PointScore.model_validate_json(written).doubts == ()


@pytest.mark.parametrize("scores", [True, False])
async def test_what_is_no_point_is_not_judged(scores: bool) -> None:
    judges = Fake(gives_scores=scores)
    point = POINT.model_copy(update={"kind": PointKind.NONE, "type": CLAIM})

    record = await score_with_response(point, PAPER, judges, response="Rain was not left out.")

    assert judges.asked == []
    assert record.status is (UNKNOWN if scores else UNSCORED)
    assert (record.kind, record.type, record.reason) == (
        PointKind.NONE,
        None,
        UnknownReason.NO_POINT,
    )
    assert record.without_response is None


async def test_the_type_of_a_record_is_the_judges_and_not_the_splits() -> None:
    point = POINT.model_copy(update={"kind": PointKind.REQUEST, "type": QUESTION})

    record = await score_point(point, PAPER, Fake(type=CLAIM))

    assert (record.kind, record.type) == (PointKind.REQUEST, CLAIM)
