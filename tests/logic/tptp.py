"""Our trees in TPTP's first-order form, for provers that know nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence

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
    Term,
    Var,
    Xor,
    parts_of,
)

_JOINS = {And: " & ", Or: " | ", Xor: " <~> ", Implies: " => ", Iff: " <=> "}


def problem(premises: Sequence[Formula], conclusion: Formula | None) -> str:
    """A whole problem; without a conclusion it asks whether the premises contradict."""
    lines = [f"fof(p{n}, axiom, {_text(one)})." for n, one in enumerate(premises)]
    if conclusion is not None:
        lines.append(f"fof(c, conjecture, {_text(conclusion)}).")
    return "\n".join(lines) + "\n"


def _text(formula: Formula) -> str:
    match formula:
        case Atom(name, terms):
            return _applied(f"p{len(terms)}_{_plain(name)}", terms)
        case Equal(left, right):
            return f"({_term(left)} = {_term(right)})"
        case Not(body):
            return f"~({_text(body)})"
        case ForAll(variable, body) | Exists(variable, body):
            sign = "!" if isinstance(formula, ForAll) else "?"
            return f"({sign}[V_{variable}]: {_text(body)})"
    return f"({_JOINS[type(formula)].join(map(_text, parts_of(formula)))})"


def _applied(name: str, terms: Sequence[Term]) -> str:
    return f"{name}({', '.join(map(_term, terms))})" if terms else name


def _term(term: Term) -> str:
    match term:
        case Var(name):
            return f"V_{name}"
        case Const(name):
            return f"c_{_plain(name)}"
        case Func(name, terms):
            return _applied(f"f{len(terms)}_{_plain(name)}", terms)


def _plain(name: str) -> str:
    return name.replace("<", "less").replace("-", "minus").replace(".", "dot")
