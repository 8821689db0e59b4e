"""The five outcomes, their order, and what a proof says beside them."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewscore.logic.countermodel import Model, holds
from reviewscore.logic.fol import And, Atom, Formula, Implies
from reviewscore.logic.parser import parse
from reviewscore.logic.printer import to_text
from reviewscore.logic.validity import prove
from reviewscore.logic.z3_backend import CheckOutcome, CheckResult, ProofLimits, ProofSession
from reviewscore.schema.proof import Link, Proof, Validity
from tests.logic.formulas import propositional

INFINITE = {
    "P1": "forall x exists y (Less(x, y))",
    "P2": "forall x (-Less(x, x))",
    "P3": "forall x, y, z ((Less(x, y) & Less(y, z)) -> Less(x, z))",
}
"""True of infinitely many individuals only, which Z3 cannot find out."""


def test_a_valid_argument_names_the_premises_it_needs() -> None:
    premises = {
        "P1": "forall x (Frog(x) -> Green(x))",
        "P2": "Frog(kermit)",
        "P3": "Pig(piggy)",
        "P4": "forall x (Green(x) -> Small(x))",
    }

    proof = prove(premises, "Small(kermit)")

    assert proof.validity is Validity.VALID
    assert proof.shows
    assert proof.needed == ("P1", "P2", "P4")
    assert proof.unused == ("P3",)


def test_an_invalid_argument_has_a_countermodel_in_the_words_of_the_keys() -> None:
    keys = {"Frog(x)": "x is a frog.", "Green(x)": "x is green", "kermit": "Kermit"}

    proof = prove({"P1": "Frog(kermit)"}, "Green(kermit)", keys=keys)

    assert proof == Proof(
        validity=Validity.INVALID,
        unproved_predicates=("Green",),
        countermodel="All premises can be true while the conclusion is false. Suppose there is "
        "only Kermit. It could be that only this holds: Kermit is a frog; and yet it is not the "
        "case that Kermit is green.",
        missing_link=Link(
            formula="Frog(kermit) -> Green(kermit)",
            text="If Kermit is a frog, then Kermit is green.",
        ),
    )


def test_without_explanation_an_invalid_argument_is_told_apart_more_quickly() -> None:
    proof = prove({"P1": "Frog(kermit)"}, "Green(kermit)", explain=False)

    assert proof == Proof(validity=Validity.INVALID, unproved_predicates=("Green",))


def test_a_predicate_of_the_conclusion_that_no_premise_has_is_named_with_a_similar_one() -> None:
    proof = prove({"P1": "Premiere(a)"}, "Premiered(a) | Zebra(a)")

    assert proof.unproved_predicates == ("Premiered", "Zebra")
    assert proof.similar_predicates == (("Premiered", "Premiere"),)


def test_vacuous_argument_is_not_valid() -> None:
    premises = {"P1": "A", "P2": "B", "P3": "A -> -B", "P4": "D"}

    proof = prove(premises, "C")

    assert proof.validity is Validity.INCONSISTENT_PREMISES
    assert proof.inconsistent_core == ("P1", "P2", "P3")
    assert not proof.shows


def test_an_inconsistent_core_cannot_be_reduced() -> None:
    premises = {"P1": "A & -A", "P2": "B", "P3": "-B", "P4": "A"}

    core = prove(premises, "C").inconsistent_core

    for left_out in core:
        rest = {label: premises[label] for label in core if label != left_out}
        assert prove(rest, "C").validity is not Validity.INCONSISTENT_PREMISES


@pytest.mark.parametrize("premises", [{}, {"P1": "B"}])
def test_a_tautology_is_not_credited_to_the_premises(premises: dict[str, str]) -> None:
    proof = prove(premises, "A | -A")

    assert (proof.validity, proof.tautological_conclusion) == (Validity.VALID, True)
    assert (proof.needed, proof.unused) == ((), tuple(premises))
    assert not proof.shows


def test_a_conclusion_that_contradicts_itself_does_not_follow() -> None:
    proof = prove({"P1": "A"}, "A & -A")

    assert proof == Proof(validity=Validity.INVALID, contradictory_conclusion=True)


@pytest.mark.parametrize(
    "repeated",
    [
        "forall x (P(x) -> Q(x))",
        "forall y. P(y) -> Q(y)",
        "forall x (-Q(x) -> -P(x))",
        "-exists z (P(z) & -Q(z))",
    ],
)
def test_a_premise_that_repeats_the_conclusion_makes_it_circular(repeated: str) -> None:
    proof = prove({"P1": "P(a)", "P2": repeated, "P3": "R"}, "forall x (P(x) -> Q(x))")

    assert (proof.validity, proof.circular, proof.circular_premise) == (Validity.VALID, True, "P2")
    assert (proof.needed, proof.unused) == (("P2",), ("P1", "P3"))
    assert not proof.shows


def test_a_premise_that_entails_the_conclusion_is_not_circular() -> None:
    assert prove({"P1": "A & B"}, "A").shows


def test_ill_formed_formulas_are_all_reported_at_once() -> None:
    proof = prove({"P1": "A &", "P2": "B", "P3": "no x (B)"}, "A | B & C")

    assert proof.validity is Validity.ILL_FORMED
    assert [(one.where, one.code) for one in proof.problems] == [
        ("P1", "formula-expected"),
        ("P3", "pseudo-quantifier"),
        ("C", "mixed-operators"),
    ]


def test_one_name_in_two_roles_is_ill_formed() -> None:
    proof = prove({"P1": "Koala(bob)", "P2": "Likes(bob,\n Koala)"}, "Likes(bob, bob)")

    (problem,) = proof.problems
    assert (problem.where, problem.code, problem.line, problem.column) == ("P2", "two-roles", 2, 2)
    assert "a predicate with 1 argument in P1" in problem.message


def test_two_arities_of_a_name_are_ill_formed_and_reported_once_each() -> None:
    proof = prove({"P1": "P(a)", "P2": "P(a, b) & P(b, a)"}, "P")

    assert [(one.where, one.code) for one in proof.problems] == [
        ("P2", "two-arities"),
        ("C", "two-arities"),
    ]
    assert "a proposition without arguments here" in proof.problems[1].message


def test_a_name_of_an_individual_cannot_be_a_proposition() -> None:
    (problem,) = prove({"P1": "P(a)"}, "a").problems

    assert "the name of an individual in P1" in problem.message


def test_different_names_may_name_the_same_individual() -> None:
    premises = {"P1": "P(a)", "P2": "-P(b)"}

    assert prove(premises, "a != b").shows
    assert prove({"P1": "P(a)"}, "a != b").validity is Validity.INVALID


def test_where_the_solver_gives_up_it_is_unknown_whether_premises_are_consistent() -> None:
    assert prove(INFINITE, "Green(a)") == Proof(validity=Validity.UNKNOWN, reason="work")


def test_an_exhausted_time_is_unknown_and_not_invalid() -> None:
    proof = prove({"P1": "A"}, "B", limits=ProofLimits(seconds=0.0))

    assert proof == Proof(validity=Validity.UNKNOWN, reason="time")


def test_a_limit_reached_at_the_entailment_is_unknown() -> None:
    # The conclusion's denial has only infinite models; the premises have small ones.
    denial = " & ".join(f"({text})" for text in INFINITE.values())

    proof = prove({"P1": "Less(a, b)"}, f"-({denial})")

    assert proof == Proof(validity=Validity.UNKNOWN, reason="work")


def test_too_many_premises_are_refused() -> None:
    (problem,) = prove({f"P{n}": "A" for n in range(501)}, "A").problems

    assert problem.code == "too-many-premises"


def test_premises_may_be_named_as_the_user_likes() -> None:
    assert prove({"C": "A", "#0": "A -> B"}, "B").needed == ("C", "#0")


def test_the_deepest_formulas_that_parse_are_proved() -> None:
    deep = "A"
    for number in range(118):
        deep = f"(B{number} -> (C & {deep}))" if number % 2 and number < 59 else f"({deep})"
        if deep.count("(") >= 116:
            break

    assert prove({"P1": deep, "P2": "-" * 120 + "A"}, "D").validity is Validity.INVALID


@settings(max_examples=60, deadline=None)
@given(st.lists(propositional(), max_size=3), propositional())
def test_z3_agrees_with_a_truth_table(premises: list[Formula], conclusion: Formula) -> None:
    worlds = [
        Model(("thing",), frozenset((n, ()) for n, true in zip("ABC", values, strict=True) if true))
        for values in product((True, False), repeat=3)
    ]
    possible = [world for world in worlds if all(holds(one, world) for one in premises)]
    follows = all(holds(conclusion, world) for world in possible)

    proof = prove({f"P{n}": to_text(one) for n, one in enumerate(premises)}, to_text(conclusion))

    assert proof.validity is (
        Validity.INCONSISTENT_PREMISES
        if not possible
        else Validity.VALID
        if follows
        else Validity.INVALID
    )
    assert proof.tautological_conclusion == (
        bool(possible) and all(holds(conclusion, world) for world in worlds)
    )
    if proof.circular:
        repeated = parse(to_text(premises[int(str(proof.circular_premise)[1:])]))
        assert all(holds(repeated, w) == holds(conclusion, w) for w in worlds)
    if proof.shows:
        chosen = [premises[int(label[1:])] for label in proof.needed]
        assert proof.minimum == proof.needed
        assert all(holds(Implies(And(tuple(chosen)), conclusion), world) for world in worlds)
        for left_out in chosen:
            rest = And(tuple(one for one in chosen if one is not left_out))
            assert not all(holds(Implies(rest, conclusion), world) for world in worlds)
    if proof.refuted:
        assert not any(holds(conclusion, world) for world in possible)
    if proof.missing_link is not None:
        mended = [*premises, parse(proof.missing_link.formula)]
        named = {f"P{n}": to_text(one) for n, one in enumerate(mended)}
        assert prove(named, to_text(conclusion)).validity is Validity.VALID


ARGUMENT = {
    "P1": "forall x (Method(x) -> (Slow(x) | Costly(x)))",
    "P2": "Method(ours) & -Slow(ours)",
    "P3": "forall x (Costly(x) -> exists y (Cheaper(y, x)))",
    "P4": "Old(baseline)",
}


@settings(max_examples=15, deadline=None)
@given(st.permutations(list(ARGUMENT)), st.randoms(use_true_random=False))
def test_order_and_renaming_do_not_change_the_verdict(
    order: list[str], chance: random.Random
) -> None:
    names = ["Method", "Slow", "Costly", "Cheaper", "Old", "ours", "baseline"]
    fresh = chance.sample([f"{letter}name" for letter in "ABCDEFG"], 7)
    conclusion = "exists y (Cheaper(y, ours))"

    def renamed(text: str) -> str:
        for old, new in zip(names, fresh, strict=True):
            text = text.replace(old, new)
        return text

    proof = prove({label: renamed(ARGUMENT[label]) for label in order}, renamed(conclusion))

    assert proof.validity is Validity.VALID
    assert set(proof.needed) == {"P1", "P2", "P3"}


@pytest.mark.slow
def test_eight_threads_prove_at_once_with_the_same_results() -> None:
    arguments = [
        (ARGUMENT, "exists y (Cheaper(y, ours))"),
        (ARGUMENT, "Old(ours)"),
        ({"P1": "A", "P2": "-A"}, "B"),
        ({"P1": "A"}, "A"),
    ]
    expected = [prove(premises, conclusion) for premises, conclusion in arguments]

    def many(_: int) -> int:
        wrong = 0
        for number in range(40):
            premises, conclusion = arguments[number % 4]
            wrong += prove(premises, conclusion) != expected[number % 4]
        return wrong

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(many, range(8))) == 0


def test_an_error_inside_the_solver_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    def out_of_memory(*_: object) -> None:
        raise z3.Z3Exception("out of memory")

    monkeypatch.setattr(z3.Solver, "check", out_of_memory)
    session = ProofSession(ProofLimits())
    session.add("one", Atom("A"))

    assert session.check(["one"]) == CheckResult(CheckOutcome.UNKNOWN, reason="memory")
    assert session.check([]) == CheckResult(CheckOutcome.UNKNOWN, reason="memory")


def test_premises_that_are_true_by_logic_alone_are_named() -> None:
    valid = prove({"P1": "A", "P2": "A -> B", "P3": "A | -A"}, "B")
    invalid = prove({"P1": "A", "P2": "forall x (P(x) -> P(x))"}, "B")

    assert (valid.needed, valid.trivial) == (("P1", "P2"), ("P3",))
    assert invalid.trivial == ("P2",)


def test_of_several_smallest_sets_the_first_in_order_is_taken() -> None:
    premises = {"P1": "A", "P2": "B", "P3": "A -> C", "P4": "B -> C", "P5": "A & (A -> C)"}

    assert prove({label: premises[label] for label in ("P1", "P2", "P3", "P4")}, "C").minimum == (
        "P1",
        "P3",
    )
    assert prove(premises, "C").needed == ("P5",)


def test_with_more_than_twenty_premises_an_irreducible_set_is_given() -> None:
    premises = {f"P{n}": f"A{n} -> A{n + 1}" for n in range(21)} | {"P21": "A0", "P22": "Other"}

    proof = prove(premises, "A21")

    assert proof.minimum is None
    assert set(proof.needed) == premises.keys() - {"P22"}
    assert proof.unused == ("P22",)
    assert prove({**premises, "P23": "B | -B"}, "B | -B").tautological_conclusion


def test_every_name_needs_a_key_with_the_right_number_of_arguments_if_there_are_keys() -> None:
    keys = {"P(x)": "x is so", "Q": "so it is", "Idle": "never used", "a b": "no name"}

    proof = prove({"P1": "P(a) & Prr", "P2": "Q(b) & (size(a) < 3)"}, "Q(b)", keys=keys)

    found = [(one.where, one.code, one.warning) for one in proof.problems]
    assert found == [
        ("P1", "undeclared", False),
        ("P1", "undeclared", False),
        ("P2", "key-arity", False),
        ("P2", "undeclared", False),
        ("P2", "undeclared", False),
        ("keys", "bad-key", False),
        ("keys", "unused-key", True),
    ]
    assert proof.ill_typed
    assert "did you mean P" not in proof.problems[0].message


def test_an_unused_key_is_a_warning_only() -> None:
    proof = prove({"P1": "A"}, "A & A", keys={"A": "it rains", "B": "it snows"})

    assert proof.validity is Validity.VALID
    assert [one.code for one in proof.problems] == ["unused-key"]


def test_two_names_that_read_as_one_are_ill_typed() -> None:
    proof = prove({"P1": "P(eco-friendly)", "P2": "P(eco_friendly)"}, "P(a)")

    assert [one.code for one in proof.problems] == ["names-collapse"]
    assert proof.ill_typed


def test_a_function_cannot_be_a_predicate_too() -> None:
    proof = prove({"P1": "P(student(a))", "P2": "student(a)"}, "P(a)")

    assert [one.code for one in proof.problems] == ["two-roles"]


def test_normalisations_and_assumptions_are_in_the_record() -> None:
    proof = prove({"P1": "1. A ::: it rains", "P2": "A -> B -> B."}, "B", lenient=True)

    assert [(one.where, one.code, one.assumed) for one in proof.normalised] == [
        ("P1", "label", False),
        ("P1", "comment", False),
        ("P2", "full-stop", False),
        ("P2", "chain", True),
    ]
    assert prove({"P1": "A -> B -> B"}, "B").validity is Validity.ILL_FORMED


def test_formulas_that_are_too_long_together_are_refused() -> None:
    long = " & ".join(f"A{n}" for n in range(3_000))

    assert prove({f"P{n}": long for n in range(40)}, "A").problems[0].code == "too-long"
