"""What models are told about formulas is what the parser reads."""

from __future__ import annotations

import re

from reviewscore import prompts
from reviewscore.logic.operators import SPELLINGS, WORDS, Kind
from reviewscore.logic.parser import parse

OPERATORS = {
    "-": "-P(a)",
    "&": "P(a) & Q(a)",
    "|": "P(a) | Q(a)",
    "xor": "P(a) xor Q(a)",
    "->": "P(a) -> Q(a)",
    "<->": "P(a) <-> Q(a)",
    "=": "a = b",
    "!=": "a != b",
    "<": "a < b",
    "<=": "a <= 9",
    ">": "a > b",
    ">=": "size(a) >= 0.5",
    "forall x (...)": "forall x (P(x))",
    "exists x (...)": "exists x (P(x))",
}


def section(name: str) -> str:
    text = prompts.render("formulas").text
    return text.partition(f"{name}:\n")[2] if name == "Examples" else text.partition("Rules:")[0]


def test_every_example_parses() -> None:
    examples = re.findall(r"^- `(.+)`$", section("Examples"), re.MULTILINE)

    assert 4 <= len(examples) <= 8
    for example in examples:
        parse(example)


def test_every_operator_that_is_named_is_accepted_and_none_is_kept_back() -> None:
    named = re.findall(r"`([^`]+)`", section("Operators"))

    assert set(named) == set(OPERATORS)
    for formula in OPERATORS.values():
        parse(formula)
    told = {word.split()[0] for word in named}
    brackets = (Kind.OPEN, Kind.CLOSE, Kind.OPEN_LIST, Kind.CLOSE_LIST)
    for kind in (*SPELLINGS, *WORDS):
        if kind not in (*brackets, Kind.COMMA, Kind.DOT, Kind.COLON):
            assert told & {*SPELLINGS.get(kind, ()), *WORDS.get(kind, ())}, kind
