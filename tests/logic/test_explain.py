"""Formulas in English, and whether English says a formula."""

from __future__ import annotations

import pytest
from hypothesis import given

from reviewscore.logic.explain import clause, sentence, unsaid
from reviewscore.logic.fol import LESS, Formula, is_numeral, symbols
from reviewscore.logic.parser import parse
from reviewscore.logic.vocabulary import Key, read_keys
from tests.logic.formulas import closed

KEYS, _ = read_keys(
    {
        "Baseline(x)": "x is a baseline.",
        "Recent(x)": "x is recent",
        "Beats(x, y)": "x beats y",
        "Ablation": "The paper has an ablation study.",
        "Novel": "BERT is new",
        "ours": "The proposed method",
        "bert": "BERT",
        "size(x)": "the size of x",
    }
)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("Ablation", "The paper has an ablation study."),
        ("-Ablation", "It is not the case that the paper has an ablation study."),
        ("Ablation & Novel", "The paper has an ablation study and BERT is new."),
        (
            "Ablation | -Novel",
            "The paper has an ablation study or it is not the case that BERT is new.",
        ),
        ("Ablation -> Novel", "If the paper has an ablation study, then BERT is new."),
        ("Ablation <-> Novel", "The paper has an ablation study exactly if BERT is new."),
        (
            "Ablation xor Novel",
            "Either the paper has an ablation study or BERT is new, but not both.",
        ),
        ("Beats(ours, bert)", "The proposed method beats BERT."),
        ("ours = bert", "The proposed method is the same as BERT."),
        ("ours != bert", "The proposed method is not the same as BERT."),
        ("size(ours) < 9", "The size of the proposed method is less than 9."),
        ("size(ours) >= 9", "The size of the proposed method is at least 9."),
        (
            "forall x (Baseline(x) -> -Recent(x))",
            "For every x, if x is a baseline, then it is not the case that x is recent.",
        ),
        ("-exists x (Recent(x))", "There is no x such that x is recent."),
        (
            "forall x forall y (Beats(x, y) -> -Beats(y, x))",
            "For every x and y, if x beats y, then it is not the case that y beats x.",
        ),
        (
            "exists x (Baseline(x) & (Recent(x) | Beats(x, ours)))",
            "There is some x such that x is a baseline and (x is recent or x beats the proposed "
            "method).",
        ),
    ],
)
def test_every_connective_and_quantifier_has_its_words(formula: str, expected: str) -> None:
    assert sentence(parse(formula), KEYS) == expected


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"P(x)": "no place for it", "c": "a thing"},
        {"P(a)": "a is so", "c": "a thing"},
        {"P(x, y)": "x and y are so", "c": "a thing"},
        {"P(x)": "x is so"},
        {"P(x)": " . ", "c": "a thing"},
    ],
)
def test_without_a_fitting_key_there_is_no_template(keys: dict[str, str]) -> None:
    assert sentence(parse("P(c)"), read_keys(keys)[0]) is None


def test_words_that_are_put_in_are_not_looked_through_for_variables() -> None:
    keys, _ = read_keys({"R(x, y)": "x likes y", "c": "the point y", "d": "the point x"})

    assert clause(parse("R(c, d)"), keys) == "the point y likes the point x"


@given(closed(depth=3))
def test_a_sentence_by_template_says_every_name_of_its_formula(formula: Formula) -> None:
    vocabulary = symbols(formula)
    keys = {}
    for number, (name, arity) in enumerate(
        sorted({*vocabulary.predicates, *vocabulary.functions} - {(LESS, 2)})
    ):
        slots = tuple(f"slot{place}" for place in range(arity))
        keys[name] = Key(name, slots, f"word{number}qq meaning{number}zz {' '.join(slots)}")
    for number, name in enumerate(sorted(vocabulary.constants)):
        if not is_numeral(name):
            keys.setdefault(name, Key(name, (), f"thing{number}qq"))
    text = sentence(formula, keys)

    if text is not None:
        assert unsaid(text, formula, keys) == ()


def test_english_that_leaves_out_a_name_is_noticed() -> None:
    formula = parse("forall x (Baseline(x) -> -Recent(x))")

    assert unsaid("No baseline is recent.", formula, KEYS) == ()
    assert unsaid("Old baselines only.", formula, KEYS) == ("Recent",)
    assert unsaid("Nothing at all.", formula, {}) == ()


@pytest.mark.parametrize(
    ("keys", "formula"),
    [
        ({"f(x)": "x of x of x", "P(x)": "x is so", "a": "it"}, f"P({'f(' * 60}a{')' * 60})"),
        ({"A": "m" * 1_000}, " & ".join(["A"] * 300)),
        ({"A": "m" * 1_000}, f"({' | '.join(['A'] * 300)}) -> A"),
    ],
)
def test_a_sentence_without_end_is_none(keys: dict[str, str], formula: str) -> None:
    known, problems = read_keys(keys)

    assert not problems
    assert sentence(parse(formula), known) is None
