"""Trees of formulas: symbols, free variables, renaming."""

from __future__ import annotations

from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Not,
    Or,
    Symbols,
    Var,
    canonical,
    free,
    symbols,
    to_text,
    variables,
    walk,
    with_parts,
)
from reviewscore.logic.parser import parse

X, Y, A = Var("x"), Var("y"), Const("a")


def test_symbols_hold_predicates_with_their_arity_and_constants() -> None:
    formula = parse("forall x (P(x, a) -> (Q | b = x))")

    assert symbols(formula) == Symbols(frozenset({("P", 2), ("Q", 0)}), frozenset({"a", "b"}))


def test_free_variables_are_those_outside_of_their_quantifier() -> None:
    formula = And((Atom("P", (X,)), ForAll("x", Atom("Q", (X, Y)))))

    assert free(formula) == {"x", "y"}
    assert variables(formula) == {"x", "y"}


def test_a_quantified_variable_counts_even_if_it_is_not_used() -> None:
    assert variables(Exists("y", Atom("P", (A,)))) == {"y"}
    assert free(Exists("y", Atom("P", (A,)))) == frozenset()


def test_renaming_bound_variables_does_not_change_the_canonical_form() -> None:
    one = parse("forall x (P(x) -> exists y (R(x, y) & x != a))")
    other = parse("forall z (P(z) -> exists x (R(z, x) & z != a))")

    assert canonical(one) == canonical(other)


def test_swapped_quantifiers_and_variables_have_different_canonical_forms() -> None:
    forms = {
        canonical(parse(text))
        for text in (
            "forall x exists y (R(x, y))",
            "forall x exists y (R(y, x))",
            "exists x forall y (R(x, y))",
            "forall x exists x (R(x, x))",
        )
    }

    assert len(forms) == 4


def test_a_name_of_a_bound_variable_elsewhere_stays_what_it_is() -> None:
    assert canonical(Atom("P", (X,))) == Atom("P", (X,))


def test_an_inner_quantifier_hides_the_outer_one() -> None:
    one, other = parse("forall x exists x (P(x))"), parse("forall y exists x (P(x))")

    assert canonical(one) == canonical(other)


def test_walking_goes_outermost_first_and_left_to_right() -> None:
    texts = [to_text(one) for one in walk(parse("(A & -B) -> C"))]

    assert texts == ["(A & -B) -> C", "A & -B", "A", "-B", "B", "C"]


def test_parts_can_be_replaced_in_any_formula() -> None:
    p, q = Atom("P"), Atom("Q")

    assert with_parts(p, ()) == p
    assert with_parts(Equal(A, A), ()) == Equal(A, A)
    assert with_parts(Not(p), (q,)) == Not(q)
    assert with_parts(Or((p, q)), (q, p)) == Or((q, p))
    assert with_parts(Exists("x", p), (q,)) == Exists("x", q)
    assert with_parts(parse("P <-> Q"), (q, p)) == parse("Q <-> P")
