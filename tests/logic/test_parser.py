"""Text to tree: spellings, scope, strictness, positions, guards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewscore.errors import FormulaError
from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Var,
    Xor,
    to_text,
)
from reviewscore.logic.parser import parse
from tests.logic.formulas import closed

P, Q, R = Atom("P"), Atom("Q"), Atom("R")
PX, QX = Atom("P", (Var("x"),)), Atom("Q", (Var("x"),))
A, B = Const("a"), Const("b")


def error(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as raised:
        parse(text)
    return raised.value


@given(closed())
def test_printing_and_parsing_give_the_same_tree(formula: Formula) -> None:
    assert parse(to_text(formula)) == formula


@given(st.text())
def test_any_text_is_a_formula_or_a_formula_error(text: str) -> None:
    try:
        formula = parse(text)
    except FormulaError as problem:
        assert problem.message.endswith((".", "!"))
        assert problem.line >= 1
        assert problem.column >= 1
    else:
        assert parse(to_text(formula)) == formula


@given(st.text(alphabet="PQxya(),.&|->=~!<: ∀∃allforexists\n", max_size=40))
def test_text_of_the_grammars_letters_never_crashes(text: str) -> None:
    test_any_text_is_a_formula_or_a_formula_error.hypothesis.inner_test(text)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P & Q", And((P, Q))),
        ("P && Q and R", And((P, Q, R))),
        ("P ∧ Q /\\ R", And((P, Q, R))),
        ("P | Q || R or P ∨ Q \\/ R", Or((P, Q, R, P, Q, R))),
        ("P xor Q", Xor(P, Q)),
        ("P ⊕ Q", Xor(P, Q)),
        ("-P", Not(P)),
        ("~!¬not P", Not(Not(Not(Not(P))))),
        ("NOT P AND Q", And((Not(P), Q))),
        ("P -> Q", Implies(P, Q)),
        ("P => Q", Implies(P, Q)),
        ("P → Q", Implies(P, Q)),
        ("P ⇒ Q", Implies(P, Q)),
        ("P <-> Q", Iff(P, Q)),
        ("P <=> Q", Iff(P, Q)),
        ("P ↔ Q", Iff(P, Q)),
        ("a = b", Equal(A, B)),
        ("a == b", Equal(A, B)),
        ("a != b", Not(Equal(A, B))),
        ("a ≠ b", Not(Equal(A, B))),
        ("-a = b", Not(Equal(A, B))),
        ("∀x P(x)", ForAll("x", PX)),
        ("forall x. P(x)", ForAll("x", PX)),
        ("Forall x: P(x)", ForAll("x", PX)),
        ("all x (P(x))", ForAll("x", PX)),
        ("∃x.(P(x))", Exists("x", PX)),
        ("exists x, y. R(x, y)", Exists("x", Exists("y", Atom("R", (Var("x"), Var("y")))))),
    ],
)
def test_operators_have_several_spellings(text: str, expected: Formula) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    ["P1: P & Q", "C: P & Q", "Premise2: P & Q.", "P & Q ::: both (it is said", "\nP\n& Q\t."],
)
def test_labels_english_and_the_final_full_stop_are_dropped(text: str) -> None:
    assert parse(text) == And((P, Q))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forall x. P(x) -> Q(x)", ForAll("x", Implies(PX, QX))),
        ("forall x (P(x)) -> Q", Implies(ForAll("x", PX), Q)),
        ("Q & forall x. P(x) -> Q(x)", And((Q, ForAll("x", Implies(PX, QX))))),
        ("-exists x. P(x) & Q(x)", Not(Exists("x", And((PX, QX))))),
        ("forall y exists x (P(x)) & Q", And((ForAll("y", Exists("x", PX)), Q))),
        ("P & Q -> P | Q", Implies(And((P, Q)), Or((P, Q)))),
        ("-P & Q", And((Not(P), Q))),
        ("P & (Q & R)", And((P, And((Q, R))))),
        ("P -> (Q -> R)", Implies(P, Implies(Q, R))),
    ],
)
def test_scope_and_precedence_are_as_written_down(text: str, expected: Formula) -> None:
    assert parse(text) == expected


def test_quantifier_words_are_names_where_no_variable_follows() -> None:
    assert parse("Exists(a) & All") == And((Atom("Exists", (A,)), Atom("All")))


@pytest.mark.parametrize(
    ("text", "code", "column", "hint"),
    [
        ("", "empty", 1, "P(a)"),
        ("::: only English", "empty", 1, "P(a)"),
        ("P & Q | R", "mixed-operators", 7, "(P & Q) | ..."),
        ("P | Q xor R", "mixed-operators", 7, "(P | Q) xor ..."),
        ("P xor Q xor R", "chained-xor", 9, "(P xor Q) xor ..."),
        ("P -> Q -> R", "chained-arrows", 8, "(P) -> ((Q) -> ...)"),
        ("P <-> Q -> R", "chained-arrows", 9, "((P) <-> (Q)) -> ..."),
        ("P(x) -> Q(x)", "free-variable", 3, "forall x (P(x) -> Q(x))"),
        ("forall x (P(x)) -> Q(x)", "free-variable", 22, "forall x (P(x) -> Q(x))"),
        (
            "forall x forall y (R(x, y)) <-> Q(y)",
            "free-variable",
            35,
            "forall x forall y (R(x, y) <-> Q(y))",
        ),
        ("exists x (P(x)) -> Q(y)", "free-variable", 22, "forall y"),
        ("forall m (P(m)) & Q(m)", "free-variable", 21, "one bracket after the quantifier"),
        ("forall x (x)", "variable-as-formula", 11, "P(x)"),
        ("forall x (x(a))", "variable-as-formula", 11, "P(x)"),
        ("no x. P(x)", "pseudo-quantifier", 1, "-exists x"),
        ("forall (P)", "no-variable", 8, "forall x (...)"),
        ("∀ (P)", "no-variable", 3, "forall x (...)"),
        ("P(a, Q(b))", "nested-formula", 6, "P_Q(a)"),
        ("P(a & b)", "nested-formula", 5, "P(a) & P(b)"),
        ("P(-a)", "nested-formula", 3, "outside"),
        ("P(a b)", "two-words", 3, "a_b"),
        ("P(tower-a)", "two-words", 3, "tower_a"),
        ("P(a", "unclosed-bracket", 4, "')'"),
        ("P(a,)", "argument", 5, "commas"),
        ("P()", "no-arguments", 3, "without brackets"),
        ("(P & Q", "unclosed-bracket", 1, "')'"),
        ("P & Q)", "extra-bracket", 6, "remove"),
        ("(P & Q, R)", "comma", 7, "&"),
        ("Low-cost(a)", "hyphen", 4, "Low_cost"),
        ("the paper is good", "english", 1, "the_paper"),
        ("P(a) Q(b)", "operator-expected", 6, "operator"),
        ("P (a) : Q", "operator-expected", 7, "operator"),
        ("Q : P", "operator-expected", 3, "operator"),
        ("P & ", "formula-expected", 4, "after '&'"),
        ("& P", "formula-expected", 1, "A formula is expected,"),
        ("P(a) = Q(a)", "equals-between-formulas", 6, "<->"),
        ("a = Q(a)", "equals-between-formulas", 3, "<->"),
        ("a != (b)", "equals-between-formulas", 3, "xor"),
        ("a = ", "name-expected", 4, "a = a"),
        ("a = b = c", "chained-equality", 7, "(a = b) & (b = ...)"),
        ("P(3)", "name", 3, "n3"),
        ("_P", "name", 1, "write P"),
        ("P(café)", "name", 6, "write cafe"),
        ("P(日本)", "name", 3, "digits and _ only."),
        ("Pаper", "mixed-script", 2, "CYRILLIC"),
        ("P > Q", "character", 3, "comparisons"),
        ("P{a}", "character", 2, "sets"),
        ("P ^ Q", "character", 3, "xor"),
        ("P & ...", "character", 5, "in full"),
        ("P # Q", "character", 3, "operators"),
        ("P\u200b & Q", "hidden-character", 2, "U+200B"),
        ("P \u202e& Q", "hidden-character", 3, "U+202E"),
        ("P\x00", "hidden-character", 2, "U+0000"),
        ("P\x0b& Q", "hidden-character", 2, "U+000B"),
    ],
)
def test_each_error_has_a_code_a_place_and_a_cure(
    text: str, code: str, column: int, hint: str
) -> None:
    found = error(text)

    assert (code, column) == (found.code, found.column)
    assert hint in found.message


def test_an_error_on_a_later_line_says_which() -> None:
    found = error("P &\n  (Q | R & P)")

    assert (found.line, found.column) == (2, 10)


def test_rewrites_that_are_too_long_to_help_are_left_out() -> None:
    found = error(" & ".join(f"Proposition{n}" for n in range(60)) + " | Q")

    assert "add brackets" in found.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("P" * 20_001, "too-long"),
        ("-" * 4_001 + "P", "too-many-tokens"),
        ("(" * 121 + "P" + ")" * 121, "too-deep"),
        ("-" * 121 + "P", "too-deep"),
        ("-(" * 61 + "P" + ")" * 61, "too-deep"),
        ("".join(f"forall x{n} " for n in range(13)) + "(P)", "too-many-quantifiers"),
    ],
)
def test_guards_stand_before_deep_and_long_formulas(text: str, code: str) -> None:
    assert code == error(text).code


def test_formulas_just_inside_the_guards_are_read_and_printed() -> None:
    deep = "P"
    for _ in range(119):
        deep = f"(P -> (Q & {deep}))" if len(deep) % 2 else f"(P -> {deep})"
        if deep.count("(") > 117:
            break

    assert to_text(parse(deep))
    assert parse("-" * 120 + "P")
    assert parse("".join(f"forall x{n} " for n in range(12)) + "(P(x11))")
