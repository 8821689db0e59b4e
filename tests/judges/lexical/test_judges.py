"""The protocol `Judges` as the embedded judge answers it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reviewscore.judges.judge import Judges
from reviewscore.judges.lexical.judges import LexicalJudges
from reviewscore.pipeline import score_point
from reviewscore.points.places import with_places
from reviewscore.schema.argument import Extraction, Premise
from reviewscore.schema.paper import Paper
from reviewscore.schema.point_score import Status
from reviewscore.schema.review import PointType, Review
from reviewscore.schema.verdict import Finding
from tests.conftest import make_point

ARGUMENT = "The counts cannot be trusted because only two biologists checked them."


@pytest.fixture
def judges() -> Judges:
    return LexicalJudges()


async def test_records_name_the_judge_its_version_and_the_stage(judges: Judges) -> None:
    verdict = await judges.point_type(make_point("Which optimizer is used?"))

    (origin,) = verdict.provenance
    assert verdict.type is PointType.QUESTION
    assert (origin.stage, origin.judge, origin.judge_version) == ("point_type", "lexical", "6")


async def test_reviews_are_split_by_the_rules(judges: Judges) -> None:
    review = Review(review_id="r1", paper_id="frogs", fields={"weaknesses": ARGUMENT})

    assert await judges.propose_points(review, ("weaknesses",)) is None


async def test_an_answered_question_is_addressed_and_has_no_score(
    judges: Judges, paper: Paper
) -> None:
    point = make_point("Which optimizer and learning rate are used?", section="questions")

    verdict = await judges.question_answerability(point, paper, response=None)

    assert verdict.scale == "unanswerability"
    assert verdict.score is None
    assert verdict.finding is Finding.ADDRESSED
    assert "learning rate of 0.001" in " ".join(verdict.evidence[0].quote.split())


async def test_a_denial_of_what_is_there_is_not_called_false(judges: Judges, paper: Paper) -> None:
    verdict = await judges.claim_factuality(
        make_point("There is no ablation study."), paper, response=None
    )

    assert verdict.finding is Finding.ADDRESSED
    assert verdict.score is None
    assert verdict.misinformed is None


@pytest.mark.parametrize(
    "said",
    [
        "There is no ablation study; see Section 4.",
        "There is no ablation study (see Table 1 and Section 4).",
        "There is no ablation study (Section 4).",
        "Section 4: There is no ablation study.",
        "There is no ablation study, cf. Sec. 4.",
    ],
)
async def test_where_to_look_is_no_part_of_what_is_denied(
    judges: Judges, paper: Paper, said: str
) -> None:
    point = with_places(make_point(said), paper)

    verdict = await judges.claim_factuality(point, paper, response=None)

    assert point.places
    assert verdict.finding is Finding.ADDRESSED


async def test_a_judgement_of_quality_gets_no_score(judges: Judges, paper: Paper) -> None:
    verdict = await judges.claim_factuality(
        make_point("The paper is hard to follow."), paper, response=None
    )

    assert verdict.score is None
    assert verdict.finding is Finding.CANNOT_JUDGE


async def test_a_draft_states_each_reason_and_one_conditional(judges: Judges, paper: Paper) -> None:
    point = make_point(ARGUMENT)

    extraction = await judges.extract_argument(point)
    draft = await judges.draft_argument(point, paper, extraction, last=None)

    assert extraction.conclusion == "The counts cannot be trusted"
    assert extraction.reasons == ("only two biologists checked them",)
    assert [(p.premise_id, p.formula, p.explicit) for p in draft.premises] == [
        ("P1", "R1", True),
        ("P2", "R1 -> C", False),
    ]
    assert draft.conclusion_formula == "C"
    assert draft.keys == {"R1": extraction.reasons[0], "C": extraction.conclusion}
    assert draft.premises[1].text == (
        "If only two biologists checked them, then the counts cannot be trusted."
    )


async def test_several_reasons_are_joined_in_the_conditional(judges: Judges, paper: Paper) -> None:
    extraction = Extraction(conclusion="It fails", reasons=("It is slow", "GPUs are rare"))

    draft = await judges.draft_argument(make_point(ARGUMENT), paper, extraction, last=None)

    assert draft.premises[2].formula == "(R1 & R2) -> C"
    assert draft.premises[2].text == "If it is slow, and GPUs are rare, then it fails."


async def test_streamlining_keeps_the_reviewers_words(judges: Judges, paper: Paper) -> None:
    point = make_point(ARGUMENT)
    draft = await judges.draft_argument(
        point, paper, await judges.extract_argument(point), last=None
    )

    streamlined = await judges.streamline(draft, draft.premises[:1])

    assert streamlined.premises == (draft.premises[0].text,)
    assert streamlined.conclusion == draft.conclusion


async def test_faithfulness_is_not_judged(judges: Judges) -> None:
    verdict = await judges.faithfulness(make_point(ARGUMENT), ("a",), "b")

    assert verdict.faithful is None
    assert "not judged" in verdict.rationale


@pytest.mark.parametrize("explicit", [True, False])
async def test_premises_of_a_template_are_never_judged(
    judges: Judges, paper: Paper, explicit: bool
) -> None:
    premise = Premise(
        premise_id="P1", text="there is no ablation study", formula="R1", explicit=explicit
    )

    (verdict,) = await judges.premises_factuality(
        (premise,), make_point(ARGUMENT), paper, response=None
    )

    assert verdict.factuality is verdict.untrivialness is None
    assert verdict.evidence == ()
    assert verdict.rationale


async def test_a_record_of_an_argument_holds_a_finding_and_no_template(
    judges: Judges, paper: Paper
) -> None:
    text = "There is no ablation study, therefore the gain of the overlap cannot be trusted."

    score = await score_point(make_point(text), paper, judges, score="both")

    assert score.type is PointType.ARGUMENT
    assert score.status is Status.UNSCORED
    assert score.finding is Finding.ADDRESSED
    assert score.passages
    assert score.rationale
    assert (score.base, score.advanced, score.misinformed, score.verdict, score.argument) == (
        None, None, None, None, None,
    )  # fmt: skip
    assert score.evidence == ()
    assert {one.stage for one in score.origins} == {"point_type", "claim_factuality"}


def test_importing_the_judge_loads_no_heavy_package() -> None:
    code = (
        "import sys; import reviewscore.judges.lexical; "
        "print(sorted({'bm25s', 'numpy', 'sentencex', 'snowballstemmer'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
