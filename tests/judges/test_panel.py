"""Panels: the median counts, votes are settled by majority, disagreement is recorded."""

from __future__ import annotations

import json
from statistics import median_low
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.config import Settings, resolve
from reviewscore.errors import ProviderError, RefusalError, SettingsError, StopError
from reviewscore.judges.asker import Asker, SamplingParams
from reviewscore.judges.by_review import ReviewPoints
from reviewscore.judges.model_judges import ModelJudges, judges_of
from reviewscore.judges.panel import Panel
from reviewscore.llm.client import Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.providers.scripted import ScriptedProvider
from reviewscore.schema.argument import Premise
from reviewscore.schema.call import Completion, Request
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import PointType, Review
from reviewscore.schema.verdict import KnowledgeSource, Rating, panel_split, spread
from tests.conftest import make_point

Answer = dict[str, object] | Exception
PREMISES = (
    Premise(premise_id="P1", text="Frogs sing.", formula="A", explicit=True),
    Premise(premise_id="P2", text="If frogs sing, so be it.", formula="A -> B", explicit=False),
)


def panel(*answers: Answer, economy: bool = False) -> tuple[Panel, ScriptedProvider]:
    """A panel whose members answer in order, each every question alike."""
    by_model = {f"scripted/{number}": answer for number, answer in enumerate(answers)}

    def script(request: Request) -> str | Completion | Exception:
        answer = by_model[request.model]
        return answer if isinstance(answer, Exception) else json.dumps(answer)

    provider = ScriptedProvider(script)
    client = Client(lambda _: provider, CallsInMemory())
    members = [ModelJudges(Asker(client, model=name), economy=economy) for name in by_model]
    return Panel(members), provider


def asker(provider: ScriptedProvider, model: str = "scripted/x", **how: Any) -> Asker:
    return Asker(Client(lambda _: provider, CallsInMemory()), model=model, **how)


def factuality(score: int, words: str = "so") -> Answer:
    return {"reasoning": words, "factuality": score, "quotes": []}


def premise(score: int, *, untrivial: int = 0, source: str = "annotator_knowledge") -> Answer:
    return {
        "reasoning": f"it is {score}",
        "source": source,
        "factuality": score,
        "settled_by_general_knowledge": False,
        "untrivialness": untrivial,
        "quotes": [],
    }


async def test_the_lower_median_of_an_even_panel_counts_with_its_own_reasons(paper: Paper) -> None:
    judges, _ = panel(factuality(5), factuality(2, "low"), factuality(4), factuality(1))

    verdict = await judges.claim_factuality(make_point("x"), paper, response=None)

    assert (verdict.score, verdict.rationale) == (2, "low")
    assert [one.score for one in verdict.ratings] == [5, 2, 4, 1]
    assert len(verdict.provenance) == 4
    assert spread(verdict.ratings) == 4
    assert panel_split(verdict.ratings)


async def test_a_judge_without_a_usable_reply_is_left_out_and_noted(paper: Paper) -> None:
    judges, _ = panel(factuality(4), ProviderError("broken", retryable=False), factuality(5))

    verdict = await judges.claim_factuality(make_point("x"), paper, response=None)

    assert verdict.score == 4
    assert [one.score for one in verdict.ratings] == [4, None, 5]
    assert "broken" in (verdict.ratings[1].error or "")


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ((RefusalError("no"), RefusalError("neither")), RefusalError),
        ((factuality(4), StopError("no credit")), StopError),  # stops the whole panel
    ],
)
async def test_a_panel_without_any_usable_reply_or_with_nothing_to_ask_has_no_verdict(
    paper: Paper, answers: tuple[Answer, ...], error: type[Exception]
) -> None:
    judges, _ = panel(*answers)

    with pytest.raises(error, match="no"):
        await judges.claim_factuality(make_point("x"), paper, response=None)


async def test_premises_have_medians_of_both_scales_and_the_commonest_source(paper: Paper) -> None:
    judges, _ = panel(
        premise(1, untrivial=2), premise(5, untrivial=1), premise(3, source="given_paper")
    )

    first, _ = await judges.premises_factuality(PREMISES, make_point("x"), paper, response=None)

    assert (first.factuality, first.untrivialness) == (3, 2)  # given_paper is never trivial
    assert first.source is KnowledgeSource.ANNOTATOR_KNOWLEDGE
    assert first.rationale == "it is 3"
    assert [one.untrivialness for one in first.ratings] == [2, 1, 2]


@pytest.mark.parametrize("economy", [True, False])  # in one call or in one for each premise
async def test_premises_nobody_could_judge_keep_their_error(paper: Paper, economy: bool) -> None:
    judges, _ = panel(RefusalError("no"), RefusalError("no"), economy=economy)

    found = await judges.premises_factuality(PREMISES, make_point("x"), paper, response=None)

    assert [one.factuality for one in found] == [None, None]
    assert all("no" in (one.error or "") for one in found)


@pytest.mark.parametrize(
    ("votes", "outcome"), [([True, False, True], True), ([True, False], False), ([False], False)]
)
async def test_faithfulness_is_settled_by_majority_and_a_tie_is_not_faithful(
    votes: list[bool], outcome: bool
) -> None:
    judges, _ = panel(*({"reasoning": str(vote), "faithful": vote} for vote in votes))

    verdict = await judges.faithfulness(make_point("x"), PREMISES, "so")

    assert verdict.faithful is outcome
    assert verdict.votes == tuple(votes)
    assert verdict.rationale == str(outcome)


async def test_only_the_first_judge_types_points() -> None:
    judges, provider = panel({"reasoning": "", "is_argument": True}, {"reasoning": "unasked"})

    verdict = await judges.point_type(make_point("x"))

    assert verdict.type is PointType.ARGUMENT
    assert [one.model for one in provider.requests] == ["scripted/0"]


async def test_repeats_are_calls_of_their_own(paper: Paper) -> None:
    scores = iter([2, 5, 3])
    provider = ScriptedProvider(lambda _: json.dumps(factuality(next(scores))))
    client = Client(lambda _: provider, CallsInMemory())
    judges = judges_of(Settings(model="scripted/x", repeats=3), client)

    verdict = await judges.claim_factuality(make_point("x"), paper, response=None)

    assert judges.name == "scripted/x x3"
    assert verdict.score == 3
    assert [(one.judge, one.repeat) for one in verdict.ratings] == [
        ("scripted/x", 0),
        ("scripted/x", 1),
        ("scripted/x", 2),
    ]


@pytest.mark.parametrize("tries", [1, 2])
async def test_all_premises_of_an_argument_in_one_call_that_is_repeated_for_other_premises(
    paper: Paper, tries: int
) -> None:
    wrong = [{"premise": "P2", **premise(2)}]  # type: ignore[dict-item]
    right = [{"premise": "P1", **premise(2)}, {"premise": "P2", **premise(5)}]  # type: ignore[dict-item]
    provider = ScriptedProvider([json.dumps({"verdicts": one}) for one in (wrong, right)[-tries:]])
    judges = ModelJudges(asker(provider), economy=True)

    found = await judges.premises_factuality(PREMISES, make_point("x"), paper, response=None)

    assert [one.factuality for one in found] == [2, 5]
    assert len(provider.requests) == tries
    assert found[0].provenance[0].prompt_id == "premises_factuality/v2"


async def test_the_type_of_a_point_in_one_call() -> None:
    provider = ScriptedProvider([json.dumps({"reasoning": "why", "kind": "argument"})])
    judges = ModelJudges(asker(provider), economy=True)

    verdict = await judges.point_type(make_point("x"))

    assert verdict.type is PointType.ARGUMENT
    assert verdict.provenance[0].prompt_id == "point_type/v2"


async def test_a_judge_that_types_a_point_otherwise_by_review_is_asked_about_it_alone(
    paper: Paper,
) -> None:
    def by_review(kind: str, score: int) -> Answer:
        said = {"reasoning": "-", "score": score, "quotes": [], "answer": None}
        return {"points": [{"point": 1, "type": kind, **said}]}

    def script(request: Request) -> str:
        if request.schema_name == "FactualityReply":
            return json.dumps(factuality(5))
        first = request.model == "scripted/0"
        return json.dumps(by_review("claim", 2) if first else by_review("question", 1))

    provider = ScriptedProvider(script)
    client = Client(lambda _: provider, CallsInMemory())
    members = [
        ModelJudges(Asker(client, model=f"scripted/{number}"), economy=True) for number in (0, 1)
    ]
    judges, point = Panel(members), make_point("Too dense.")
    review = Review(review_id="r1", paper_id="frogs", fields={"weaknesses": "Too dense."})

    await judges.by_review([ReviewPoints(review, (point,))], paper)
    typed = await judges.point_type(point)
    verdict = await judges.claim_factuality(point, paper, response=None)
    judges.forget([point])

    assert typed.type is PointType.CLAIM
    assert [rating.score for rating in verdict.ratings] == [2, 5]
    assert [request.schema_name for request in provider.requests] == [
        *("BaseReviewReply", "BaseReviewReply", "FactualityReply"),
    ]


async def test_a_judge_without_a_usable_reply_about_a_review_fails_for_each_of_its_points(
    paper: Paper,
) -> None:
    judges, provider = panel(RefusalError("no"), RefusalError("no"), economy=True)
    point = make_point("Too dense.")
    review = Review(review_id="r1", paper_id="frogs", fields={"weaknesses": "Too dense."})

    await judges.by_review([ReviewPoints(review, (point,))], paper)

    with pytest.raises(RefusalError):
        await judges.point_type(point)
    with pytest.raises(RefusalError):
        await judges.claim_factuality(point, paper, response=None)
    assert len(provider.requests) == 2


async def test_a_judge_may_have_a_model_of_its_own() -> None:
    provider = ScriptedProvider([json.dumps({"reasoning": "", "faithful": True})])
    judges = ModelJudges(asker(provider, judges={"faithfulness": "scripted/y"}))

    verdict = await judges.faithfulness(make_point("x"), PREMISES, "so")

    assert provider.requests[0].model == "scripted/y"
    assert verdict.provenance[0].judge == "scripted/y"


@pytest.mark.parametrize(
    ("model", "effort", "limit"),
    [("openai/gpt-4o", None, 4096), ("openai/o3", None, 16384), ("x/y", "high", 16384)],
)
async def test_reasoning_models_have_room_to_think(
    model: str, effort: str | None, limit: int
) -> None:
    provider = ScriptedProvider([json.dumps({"reasoning": "", "faithful": True})])
    judges = ModelJudges(asker(provider, model, sampling=SamplingParams(effort=effort)))

    await judges.faithfulness(make_point("x"), PREMISES, "so")

    assert provider.requests[0].max_tokens == limit


def test_a_misspelt_judge_is_refused_with_the_right_one() -> None:
    with pytest.raises(SettingsError, match="did you mean 'faithfulness'"):
        resolve({"model": "openai/x", "judges": {"faithfullness": "openai/y"}})


@pytest.mark.parametrize("setting", [{"panel": ("openai/x",)}, {"batch": True}])
def test_the_embedded_judge_sits_on_no_panel(setting: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="lexical"):
        resolve({"model": "lexical", **setting})
    with pytest.raises(SettingsError, match="lexical"):
        resolve({"model": "openai/x", "panel": ("lexical",)})


@given(st.lists(st.one_of(st.none(), st.integers(1, 5)), max_size=9))
def test_spread_and_division_follow_from_the_scores(scores: list[int | None]) -> None:
    ratings = tuple(Rating(judge="j", score=score) for score in scores)
    known = [score for score in scores if score is not None]

    assert spread(ratings) == (max(known) - min(known) if len(known) > 1 else None)
    if known and not panel_split(ratings):
        assert (median_low(known) <= 2) == all(score <= 2 for score in known)
