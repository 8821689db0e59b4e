"""Types and kinds of remarks."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.judges.lexical.remarks import CUES, WEIGHTS, kind_of, remark_features, type_of
from reviewscore.schema.review import PointKind, PointType, Role
from reviewscore.text.linear import load_linear_models
from reviewscore.text.patterns import load_patterns

QUESTION, CLAIM, ARGUMENT = PointType.QUESTION, PointType.CLAIM, PointType.ARGUMENT


@pytest.mark.parametrize(
    "text",
    [
        "The counts cannot be checked, as no recordings are given.",
        "As no recordings are given, the counts cannot be checked.",
        "All ponds lie in a single valley, so the rates say little about others.",
        "Only two nights were recorded, because of which the rates mean little.",
        "The recordings are short, which makes the rates of rare frogs unreliable.",
        "The counter needs a week of recordings, making it useless in the field.",
        "With one seed, the gain may be chance.",
        "The gain is 0.2 points and no deviation is given.",
        "The counter is slow (3 to 10 times, Table 19), which limits its use.",
        "The authors assume that frogs call alone. In most ponds they call in choruses.",
    ],
)
def test_a_reason_a_consequence_or_a_fact_makes_an_argument(text: str) -> None:
    assert type_of(text) is ARGUMENT
    assert kind_of(text) is PointKind.CRITICISM


@pytest.mark.parametrize(
    "text",
    [
        "Several baselines are missing, for example counters of toads.",
        "The paper does not discuss wind, rain, or fog.",
        "The novelty is limited.",
        "It is unclear how the ponds were chosen.",
    ],
)
def test_examples_and_lists_alone_are_no_reasons(text: str) -> None:
    assert type_of(text) is CLAIM
    assert kind_of(text) is PointKind.CRITICISM


@pytest.mark.parametrize(
    ("text", "point_type"),
    [
        ("Please add a second pond.", CLAIM),
        ("It would be good to add a second pond to assess robustness.", CLAIM),
        ("Could you add an ablation?", CLAIM),
        ("Could you fix the axis labels?", CLAIM),
        ("The authors should compare with counters of toads.", CLAIM),
        ("As the gain is small, please add seeds.", ARGUMENT),
        ("Please add seeds, as the gain is small.", ARGUMENT),
    ],
)
def test_what_asks_for_work_is_a_request_and_no_question(text: str, point_type: PointType) -> None:
    assert type_of(text) is point_type
    assert kind_of(text) is PointKind.REQUEST


@pytest.mark.parametrize(
    "text",
    [
        "Please state the learning rate.",
        "Why did the third run fail?",
        "Why is c = 2 good for ponds?",
        "In Section 3 the window is two seconds. How was this chosen?",
        "Are the axes reversed? (Or were the labels swapped?)",
        "What is f in Def. 3",
    ],
)
def test_what_words_would_settle_is_a_question(text: str) -> None:
    assert type_of(text, Role.QUESTIONS) is QUESTION
    assert kind_of(text, Role.QUESTIONS) is PointKind.QUESTION


def test_the_role_of_a_section_is_a_hint() -> None:
    doubtful = "How the ponds were chosen."

    assert kind_of(doubtful, Role.WEAKNESSES) is PointKind.CRITICISM
    assert kind_of(doubtful, Role.QUESTIONS) is not PointKind.CRITICISM


@given(st.text(), st.none() | st.sampled_from(list(Role)))
def test_every_text_has_a_type_and_a_kind(text: str, role: Role | None) -> None:
    features = remark_features(text, role)

    assert type_of(text, role) in PointType
    assert (kind_of(text, role) is PointKind.NONE) == (not any(map(str.isalpha, text)))
    assert features == remark_features(text, role)


def test_every_feature_that_has_weights_can_occur() -> None:
    cues = set(load_patterns(CUES))
    models = load_linear_models(WEIGHTS)

    assert set(models["type"].classes) == {point_type.value for point_type in PointType}
    assert set(models["kind"].classes) < {kind.value for kind in PointKind}
    for model in models.values():
        named = {name.removeprefix("has ") for name in model.weights if name.startswith("has ")}
        assert named <= cues


def test_the_card_says_what_the_weights_were_fitted_on_and_how_well_they_do() -> None:
    card = json.loads(WEIGHTS.read_text("utf-8"))["card"]

    assert card["cues"] == sha256(CUES.read_bytes()).hexdigest(), "fit the weights again"
    assert {"data", "features", "figures", "measured", "licence"} <= set(card)
    assert "models" in card["data"]
