"""Our trees in TPTP's first-order form, for provers that know nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.logic import fol

_JOINS = {fol.And: " & ", fol.Or: " | ", fol.Xor: " <~> ", fol.Implies: " => ", fol.Iff: " <=> "}


def problem(premises: Sequence[fol.Formula], conclusion: fol.Formula | None) -> str:
    """A whole problem; without a conclusion it asks whether the premises contradict."""
    lines = [f"fof(p{n}, axiom, {_text(one)})." for n, one in enumerate(premises)]
    if conclusion is not None:
        lines.append(f"fof(c, conjecture, {_text(conclusion)}).")
    return "\n".join(lines) + "\n"


def _text(formula: fol.Formula) -> str:
    match formula:
        case fol.Atom(name, terms):
            return _applied(f"p{len(terms)}_{_plain(name)}", terms)
        case fol.Equal(left, right):
            return f"({_term(left)} = {_term(right)})"
        case fol.Not(body):
            return f"~({_text(body)})"
        case fol.ForAll(variable, body) | fol.Exists(variable, body):
            sign = "!" if isinstance(formula, fol.ForAll) else "?"
            return f"({sign}[V_{variable}]: {_text(body)})"
    return f"({_JOINS[type(formula)].join(map(_text, fol.parts_of(formula)))})"


def _applied(name: str, terms: Sequence[fol.Term]) -> str:
    return f"{name}({', '.join(map(_term, terms))})" if terms else name


def _term(term: fol.Term) -> str:
    match term:
        case fol.Var(name):
            return f"V_{name}"
        case fol.Const(name):
            return f"c_{_plain(name)}"
        case fol.Func(name, terms):
            return _applied(f"f{len(terms)}_{_plain(name)}", terms)


def _plain(name: str) -> str:
    return name.replace("<", "less").replace("-", "minus").replace(".", "dot")
