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
    Func,
    Iff,
    Implies,
    Not,
    Or,
    Var,
    Xor,
)
from reviewscore.logic.lenient import NOTES
from reviewscore.logic.parser import parse, read
from reviewscore.logic.printer import Spelling, to_text, write
from tests.logic.formulas import closed

P, Q, R = Atom("P"), Atom("Q"), Atom("R")
PX, QX = Atom("P", (Var("x"),)), Atom("Q", (Var("x"),))
A, B = Const("a"), Const("b")


def error(text: str) -> FormulaError:
    with pytest.raises(FormulaError) as raised:
        parse(text)
    return raised.value


@pytest.mark.parametrize("spelling", list(Spelling))
@given(closed())
def test_printing_and_parsing_give_the_same_tree_in_every_notation(
    spelling: Spelling, formula: Formula
) -> None:
    assert parse(write(formula, spelling)) == formula


def test_a_denied_comparison_of_numbers_is_not_printed_as_a_negative_number() -> None:
    assert to_text(Not(Not(Equal(Const("0"), A)))) == "-(0 != a)"


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
        ("P implies Q", Implies(P, Q)),
        ("P iff Q", Iff(P, Q)),
        ("all x y. (R(x, y))", ForAll("x", ForAll("y", Atom("R", (Var("x"), Var("y")))))),
        ("all A B. R(A, B)", ForAll("A", ForAll("B", Atom("R", (Var("A"), Var("B")))))),
        ("![X, Y]: r(X, Y)", ForAll("X", ForAll("Y", Atom("r", (Var("X"), Var("Y")))))),
        ("?[X]: p(X)", Exists("X", Atom("p", (Var("X"),)))),
        ("? x. P(x)", Exists("x", PX)),
        ("P <~> Q", Xor(P, Q)),
        ("(∃x)(P(x))", Exists("x", PX)),
        ("[P & Q] | R", Or((And((P, Q)), R))),
        (r"\forall x\, \left(P(x) \to \lnot Q(x)\right)", ForAll("x", Implies(PX, Not(QX)))),
        (r"$\exists x. \text{P}(x) \land \mathrm{Q}(x)$", Exists("x", And((PX, QX)))),
        (r"P \oplus Q", Xor(P, Q)),
        ("ForAll([x], Implies(P(x), Not(Q(x))))", ForAll("x", Implies(PX, Not(QX)))),
        ("Exists(x, And([P(x), Q(x)]))", Exists("x", And((PX, QX)))),
        ("Or(P, Q, R)", Or((P, Q, R))),
        ("Xor(P, Iff(Q, R))", Xor(P, Iff(Q, R))),
        ("And(P)", P),
        ("(P) == (Q)", Iff(P, Q)),
        ("P(a) == Q", Iff(Atom("P", (A,)), Q)),
        ("exists x, y. R(x, y)", Exists("x", Exists("y", Atom("R", (Var("x"), Var("y")))))),
    ],
)
def test_operators_have_several_spellings(text: str, expected: Formula) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("P & Q", []),
        ("P1: P & Q", ["label"]),
        ("C: P & Q", ["label"]),
        ("3. P & Q", ["label"]),
        ("(2) P & Q", ["label"]),
        ("Premise 2: P & Q.", ["label", "full-stop"]),
        ("P & Q ::: both (it is said", ["comment"]),
        ("P & Q # both", ["comment"]),
        ("P & Q % both", ["comment"]),
        ("\nP\n& Q\t.", ["full-stop"]),
        ("```\nP & Q\n```", ["fence"]),
        ('"(P & Q)"', ["quotes"]),
        ("`P & (Q)`", ["quotes"]),
        ("$P & Q$", ["math", "math"]),
        ("P() & Q", ["no-arguments"]),
        ('"P" & Q', ["quotes"]),
    ],
)
def test_what_cannot_change_the_meaning_is_left_out_and_noted(text: str, notes: list[str]) -> None:
    reading = read(text)

    assert reading.formula == And((P, Q))
    assert [note.code for note in reading.notes] == notes
    assert not any(note.assumed for note in reading.notes)
    assert set(notes) <= set(NOTES)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("P(tower-a)", "tower_a"),
        ("P(O'Hara)", "O_Hara"),
        ("P(mr.smith)", "mr_smith"),
        ('P("8 pm")', "n8_pm"),
        ("P('Black Mirror')", "Black_Mirror"),
        (r"P(\text{deep net})", "deep_net"),
        (r"P(deep\_net)", "deep_net"),
        ("P(_a)", "a"),
        ("P(3.0)", "3"),
        ("P(007)", "7"),
        ("P(-0.50)", "-0.5"),
        ("P(-0)", "0"),
        ("P(y1976)", "y1976"),
    ],
)
def test_names_and_numbers_get_their_plain_form(text: str, name: str) -> None:
    assert parse(text) == Atom("P", (Const(name),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", Atom("<", (A, B))),
        ("a > b", Atom("<", (B, A))),
        ("a <= b", Not(Atom("<", (B, A)))),
        ("a ≥ b", Not(Atom("<", (A, B)))),
        (r"a \leq b", Not(Atom("<", (B, A)))),
        ("9 < size(a)", Atom("<", (Const("9"), Func("size", (A,))))),
        ("size(a) = size(b)", Equal(Func("size", (A,)), Func("size", (B,)))),
        ("-5 < a", Atom("<", (Const("-5"), A))),
        ("- 5 < a", Not(Atom("<", (Const("5"), A)))),
        ("P(f(g(a), 3))", Atom("P", (Func("f", (Func("g", (A,)), Const("3"))),))),
    ],
)
def test_comparisons_numbers_and_functions_are_read(text: str, expected: Formula) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "meant", "note"),
    [
        ("forall x (P(x)) -> Q(x)", "forall x (P(x) -> Q(x))", "wide-scope"),
        ("all x. P(x) -> Q(a)", "(forall x (P(x))) -> Q(a)", "narrow-scope"),
        ("P(x) -> Q(x)", "forall x (P(x) -> Q(x))", "closed"),
        ("P(x) & Q(y)", "forall x forall y (P(x) & Q(y))", "closed"),
        ("forall x exists x (P(x))", None, "shadowed"),
        ("P(a) = -Q(a)", "P(a) <-> -Q(a)", "equals-as-iff"),
        ("P ^ Q", "P & Q", "caret"),
        ("P & Q | R", "(P & Q) | R", "precedence"),
        ("P | Q & R", "P | (Q & R)", "precedence"),
        ("P & Q xor R", "(P & Q) xor R", "precedence"),
        ("P -> Q -> R", "P -> (Q -> R)", "chain"),
        ("There is an x such that (P(x) & Q(x))", "exists x (P(x) & Q(x))", "english"),
        ("If P(a) -> Q(a)", "P(a) -> Q(a)", "english"),
        ("((P(x) | Q(x)) for all x)", "forall x (P(x) | Q(x))", "english"),
        ("P(x) for x", "forall x (P(x))", "english"),
        ("(P & Q", "P & Q", "bracket-added"),
        ("P) & Q", "P & Q", "bracket-added"),
        ("P & Q))", "P & Q", "bracket-dropped"),
        ("P(1992 du Maurier)", "P(n1992_du_Maurier)", "several-words"),
        ("Snow Island(a)", "Snow_Island(a)", "several-words"),
        ("P(café)", "P(cafe)", "renamed"),
        ("P(c++)", "P(c_plus_plus)", "renamed"),
        ("P(2021model)", "P(n2021model)", "renamed"),
        ("Output(a) = Text", "output(a) = Text", None),
        ("P(Q(a))", "P(q(a))", None),
    ],
)
def test_lenient_reading_makes_and_notes_assumptions(
    text: str, meant: str | None, note: str | None
) -> None:
    reading = read(text, lenient=True)

    if meant is not None and note is not None:
        assert reading.formula == parse(meant)
    if note is not None:
        assert note in [one.code for one in reading.notes if one.assumed]
        assert note in NOTES
    error(text)


@pytest.mark.parametrize(
    "text",
    [
        "P | Q xor R",
        "P xor Q xor R",
        "P <-> Q -> R",
        "no x. P(x)",
        "P(a) Q(b)",
        "P(a & b)",
        "a = b = c",
        "P & ...",
        "P{a}",
        "P(a) for all x such that Q(x)",
    ],
)
def test_some_things_are_never_assumed(text: str) -> None:
    with pytest.raises(FormulaError):
        read(text, lenient=True)


@given(closed())
def test_what_is_read_strictly_is_read_the_same_leniently(formula: Formula) -> None:
    reading = read(to_text(formula), lenient=True)

    assert reading.formula == formula
    assert not reading.notes


@given(st.text(alphabet="PQxya(),.&|->=~!<: ∀∃[]\\{}$'\"9+^allforexists\n", max_size=40))
def test_lenient_reading_never_crashes(text: str) -> None:
    try:
        formula = read(text, lenient=True).formula
    except FormulaError as problem:
        assert problem.message.endswith(".")
    else:
        assert isinstance(to_text(formula), str)


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
        ("Size(a) < 9", "capital-function", 1, "size(...)"),
        ("Size(a) = big", "capital-function", 1, "size(...)"),
        ("P(1992 tie)", "two-words", 3, "n1992_tie"),
        ("9", "number-as-formula", 1, "comparison"),
        ("9 & P", "number-as-formula", 1, "comparison"),
        ("a < b < c", "chained-equality", 7, "(a < b) & (b < ...)"),
        ("a < (b)", "equals-between-formulas", 3, "individuals"),
        ("Not(P, Q)", "function-notation", 1, "one formula"),
        ("Implies(P)", "function-notation", 1, "two formulas"),
        ("And(P Q)", "function-notation", 7, "commas"),
        ("And([P, Q)", "function-notation", 10, "commas"),
        ("Or(P, Q", "function-notation", 8, "commas"),
        ("ForAll([x] P(x))", "no-variable", 12, "[x, y]"),
        ("![x P(x)", "no-variable", 5, "]"),
        ("[P & Q)", "extra-bracket", 7, "closes no bracket"),
        ("[P & Q", "unclosed-bracket", 1, "add ']'"),
        ("forall x. P(x) -> Q(a)", "ambiguous-scope", 16, "close the bracket"),
        ("forall x exists x (P(x))", "shadowed-variable", 17, "another variable"),
        (r"\\frac{P}{Q}", "character", 1, "LaTeX"),
        ("If P(a) -> Q(a)", "english", 1, "forall x (...)"),
        ("P(a & b)", "nested-formula", 5, "P(a) & P(b)"),
        ("P(-a)", "nested-formula", 3, "outside"),
        ("P(a b)", "two-words", 3, "a_b"),
        ("P(a", "unclosed-bracket", 4, "')'"),
        ("P(a,)", "argument", 5, "commas"),
        ("(P & Q", "unclosed-bracket", 1, "')'"),
        ("P & Q)", "extra-bracket", 6, "remove"),
        ("(P & Q, R)", "comma", 7, "&"),
        ("x-axis(a)", "hyphen", 2, "x_axis"),
        ("the paper is good", "english", 1, "forall x (...)"),
        ("deep net", "english", 1, "deep_net"),
        ("P(a) Q(b)", "operator-expected", 6, "operator"),
        ("P (a) : Q", "operator-expected", 7, "operator"),
        ("Q : P", "operator-expected", 3, "operator"),
        ("P & ", "formula-expected", 4, "after '&'"),
        ("& P", "formula-expected", 1, "A formula is expected,"),
        ("P(a) = Q(a)", "equals-between-formulas", 6, "<->"),
        ("a = Q(a)", "nested-formula", 5, "q(...)"),
        ("a != (b)", "equals-between-formulas", 3, "xor"),
        ("a = ", "name-expected", 4, "a = b"),
        ("a = b = c", "chained-equality", 7, "(a = b) & (b = ...)"),
        ("P(3d)", "name", 3, "n3d"),
        ("P(_)", "name", 3, "write name"),
        ("P(café)", "name", 6, "write cafe"),
        ("P(日本)", "name", 3, "digits and _ only."),
        ("Pаper", "mixed-script", 2, "CYRILLIC"),
        ("P ∈ Q", "character", 3, "sets"),
        ("P{a}", "character", 2, "sets"),
        ("P ^ Q", "character", 3, "xor"),
        ("P & ...", "character", 5, "in full"),
        ("P @ Q", "character", 3, "operators"),
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
