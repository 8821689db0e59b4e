"""Counter-models: true to the formulas, small, and told in plain words."""

from __future__ import annotations

from hypothesis import given, settings

from reviewscore.logic.countermodel import UNNAMED, countermodel, holds
from reviewscore.logic.fol import Atom, Const, Formula, symbols
from reviewscore.logic.parser import parse
from reviewscore.logic.z3_backend import Limits, Outcome, Session
from tests.logic.formulas import closed

START = "All premises can be true while the conclusion is false. Suppose that "


def told(premises: list[str], conclusion: str, **keys: str) -> str | None:
    found = countermodel([parse(one) for one in premises], parse(conclusion), session(), keys)
    return found if found is None else found.removeprefix(START)


def session() -> Session:
    return Session(Limits())


def test_propositions_need_no_individuals() -> None:
    assert told(["A", "A -> B"], "C") == "only this holds: A; B."
    assert told([], "C") == "none of the predicates holds."


def test_an_unnamed_individual_appears_only_where_it_is_needed() -> None:
    assert told(["P(a)"], "Q(a)") == "there is only a, and that only this holds: P(a)."
    assert told(["exists x (P(x))"], "P(a)") == (
        f"there is only a and {UNNAMED}, and that only this holds: P({UNNAMED})."
    )
    assert told(["exists x (P(x))"], "exists x (Q(x))") == (
        f"there is only {UNNAMED}, and that only this holds: P({UNNAMED})."
    )


def test_no_more_facts_than_needed_are_told() -> None:
    assert told(["P(a) | P(b) | P(c)"], "Q(a)") in (
        "there is only a, b and c, and that only this holds: P(a).",
        "there is only a, b and c, and that only this holds: P(b).",
        "there is only a, b and c, and that only this holds: P(c).",
    )


def test_keys_put_the_facts_into_words() -> None:
    keys = {"Beats(x, y)": "x beats y in table 2.", "Beats(x)": "never used"}

    assert told(["Beats(ours, theirs)"], "Beats(theirs, ours)", **keys) == (
        "there is only ours and theirs, and that only this holds: ours beats theirs in table 2."
    )


def test_where_names_must_name_the_same_nothing_is_told() -> None:
    assert told(["a = b"], "Q(a)") is None


def test_where_the_time_is_used_up_nothing_is_told() -> None:
    spent = Session(Limits(seconds=0.0))

    assert countermodel([parse("A")], parse("B"), spent, {}) is None


def test_stories_that_would_be_long_are_not_told() -> None:
    many = [f"A{number}" for number in range(13)]

    assert told(many, "B") is None
    assert (
        told(
            ["forall x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11 (P(x1) & P(x11))"],
            "P(a) & P(b) & Q(c)",
        )
        is None
    )
    assert told(["R(a, b, c, d, e, f)"], "Q(g)") is None
    assert told([f"P{n}(a1, a2, a3)" for n in range(16)], "Q(a1)") is None
    assert told([f"P{n}(a1, a2, a3, a4, a5)" for n in range(20)], "Q(a1)") is None


@settings(max_examples=60, deadline=None)
@given(closed(depth=3))
def test_evaluation_agrees_with_z3_on_what_is_impossible(formula: Formula) -> None:
    if session().check({"one": formula}).outcome is Outcome.UNSATISFIABLE:
        assert not holds(formula, sorted(symbols(formula).constants) or ["only"], frozenset())


def test_evaluation_follows_the_meaning_of_each_connective() -> None:
    facts = frozenset({Atom("P", (Const("a"),)), Atom("T")})

    for text, expected in {
        "P(a)": True,
        "P(b)": False,
        "a = a": True,
        "a != b": True,
        "forall x (P(x))": False,
        "exists x (P(x) & x = a)": True,
        "T xor P(b)": True,
        "T <-> P(b)": False,
        "P(b) -> T": True,
        "P(b) | T": True,
    }.items():
        assert holds(parse(text), ["a", "b"], facts) is expected, text
