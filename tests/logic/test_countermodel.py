"""Counter-models: true to the formulas, small, and told in plain words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.logic.countermodel import UNNAMED, Model, countermodel, holds
from reviewscore.logic.explain import story
from reviewscore.logic.fol import Formula, Not, background
from reviewscore.logic.parser import parse
from reviewscore.logic.vocabulary import read_keys
from reviewscore.logic.z3_backend import CheckOutcome, ProofLimits, ProofSession
from tests.logic.formulas import closed

START = "All premises can be true while the conclusion is false. "
END = "; and yet the conclusion is false."


def found(premises: list[str], conclusion: str) -> Model | None:
    trees = [parse(one) for one in premises]
    return countermodel(trees, parse(conclusion), ProofSession(ProofLimits()))


def told(premises: list[str], conclusion: str, **keys: str) -> str | None:
    model = found(premises, conclusion)
    assert model is not None
    words = story(model, parse(conclusion), read_keys(keys)[0])
    return words and words.removeprefix(START).removesuffix(END)


def test_propositions_need_no_individuals() -> None:
    assert told(["A", "A -> B"], "C") == "It could be that only this holds: A; B"
    assert told([], "C") == "Suppose nothing holds"


def test_an_unnamed_individual_appears_only_where_it_is_needed() -> None:
    assert told(["P(a)"], "Q(a)") == (
        "Suppose there is only a. It could be that only this holds: P(a)"
    )
    assert told(["exists x (P(x))"], "P(a)") == (
        f"Suppose there is only a and {UNNAMED[0]}. "
        f"It could be that only this holds: P({UNNAMED[0]})"
    )


def test_two_unnamed_individuals_are_found_where_one_is_too_few() -> None:
    model = found(["exists x exists y (P(x) & -P(y) & x != a & y != a)"], "Q")

    assert model is not None
    assert model.domain == ("a", *UNNAMED)


def test_no_more_facts_than_needed_are_told() -> None:
    model = found(["P(a) | P(b) | P(c)"], "Q(a)")

    assert model is not None
    assert len(model.facts) == 1


def test_keys_put_the_facts_and_the_conclusion_into_words() -> None:
    keys = {"Beats(x, y)": "x beats y in table 2.", "ours": "the new method", "old": "BM25"}

    assert told(["Beats(ours, old)"], "Beats(old, ours)", **keys) == (
        "Suppose there is only BM25 and the new method. It could be that only this holds: the new "
        "method beats BM25 in table 2; and yet it is not the case that BM25 beats the new method "
        "in table 2."
    )


def test_names_share_an_individual_only_where_nothing_else_is_possible() -> None:
    model = found(["a = b", "P(a)"], "Q(b)")

    assert model is not None
    assert model.values["a", ()] == model.values["b", ()]


def test_functions_and_numbers_are_told() -> None:
    keys = {"size(x)": "the size of x", "a": "model A"}

    words = told(["size(a) <= 9"], "size(a) < 9", **keys)

    assert words is not None
    assert "the size of model A is 9" in words
    assert words.endswith("and yet the size of model A is at least 9.")
    model = found(["size(a) <= 9"], "size(a) < 9")
    assert model is not None
    assert model.values["size", ("a",)] == "9"


def test_where_the_time_is_used_up_nothing_is_found() -> None:
    spent = ProofSession(ProofLimits(seconds=0.0))

    assert countermodel([parse("A")], parse("B"), spent) is None


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [
        (["forall x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11 (P(x1) & P(x11))"], "Q(a) & P(b)"),
        (["R(a, b, c, d, e, f)"], "Q(g)"),
        ([f"P{n}(a1, a2, a3, a4, a5)" for n in range(20)] + ["forall x, y, z (R(x, y, z))"], "R"),
    ],
)
def test_searches_that_would_be_large_are_not_begun_or_stay_small(
    premises: list[str], conclusion: str
) -> None:
    trees = [parse(one) for one in premises]
    model = countermodel(trees, parse(conclusion), ProofSession(ProofLimits()))

    assert model is None or all(holds(one, model) for one in trees)


def test_stories_that_would_be_long_are_not_told() -> None:
    assert told([f"A{number}" for number in range(13)], "B") is None


@settings(max_examples=80, deadline=None)
@given(st.lists(closed(depth=2), max_size=2), closed(depth=2))
def test_a_counter_model_satisfies_the_premises_and_refutes_the_conclusion(
    premises: list[Formula], conclusion: Formula
) -> None:
    model = countermodel(premises, conclusion, ProofSession(ProofLimits(rlimit=300_000)))

    if model is not None:
        assert all(holds(one, model) for one in premises)
        assert not holds(conclusion, model)
        assert all(holds(one, model) for one in background([*premises, conclusion]))


@settings(max_examples=60, deadline=None)
@given(closed(depth=3))
def test_z3_and_the_evaluator_agree_on_what_is_impossible(formula: Formula) -> None:
    session = ProofSession(ProofLimits(rlimit=300_000))
    session.assume(background([formula]))
    session.add("it", formula)

    if session.check(["it"]).outcome is CheckOutcome.UNSATISFIABLE:
        assert countermodel([], Not(formula), ProofSession(ProofLimits())) is None


def test_evaluation_follows_the_meaning_of_each_connective() -> None:
    model = Model(
        ("a", "b"),
        frozenset({("P", ("a",)), ("T", ())}),
        {("f", ("a",)): "b", ("f", ("b",)): "b", ("c", ()): "a"},
    )

    for text, expected in {
        "P(a)": True,
        "P(b)": False,
        "P(c)": True,
        "P(f(a))": False,
        "f(f(c)) = b": True,
        "a = b": False,
        "a != b": True,
        "forall x (P(x))": False,
        "exists x (P(x) & x = a)": True,
        "T & P(b)": False,
        "T xor P(b)": True,
        "T <-> P(b)": False,
        "P(b) -> T": True,
        "P(b) | T": True,
        "-T": False,
    }.items():
        assert holds(parse(text), model) is expected, text
