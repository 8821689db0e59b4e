"""Trees of formulas: symbols, free variables, renaming."""

from __future__ import annotations

from reviewscore.logic.fol import (
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Not,
    Or,
    Symbols,
    Var,
    bind,
    canonical,
    subterms,
    symbols,
    walk,
    with_parts,
)
from reviewscore.logic.parser import parse
from reviewscore.logic.printer import term_text, to_text

X, A = Var("x"), Const("a")


def test_symbols_hold_predicates_and_functions_with_their_arity_and_constants() -> None:
    formula = parse("forall x (P(x, a) -> (Q | b = size(x))) & (size(9) < 10)")

    assert symbols(formula) == Symbols(
        frozenset({("P", 2), ("Q", 0), ("<", 2)}),
        frozenset({("size", 1)}),
        frozenset({"a", "b", "9", "10"}),
    )


def test_a_constant_can_be_made_a_variable_everywhere() -> None:
    formula = parse("P(n) & forall y (f(n, y) = n)")

    assert ForAll("n", bind(formula, "n")) == parse("forall n (P(n) & forall y (f(n, y) = n))")
    assert bind(formula, "other") == formula


def test_subterms_come_outermost_first() -> None:
    (atom,) = [parse("P(f(a, g(b)), c)")]

    assert [term_text(one) for one in subterms(atom)] == ["f(a, g(b))", "a", "g(b)", "b", "c"]


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
            "forall x exists y (R(x, x))",
        )
    }

    assert len(forms) == 4


def test_a_name_of_a_bound_variable_elsewhere_stays_what_it_is() -> None:
    assert canonical(Atom("P", (X,))) == Atom("P", (X,))


def test_an_inner_quantifier_hides_the_outer_one() -> None:
    inner = Exists("x", Atom("P", (X,)))

    assert canonical(ForAll("x", inner)) == canonical(parse("forall y exists x (P(x))"))


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
