"""What holds of the numbers and comparisons of an argument, beside its premises.

Numbers that differ are different individuals. Where a comparison occurs, it is a strict total
order of all individuals, in which the numbers stand as usual.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from reviewscore.logic.fol import (
    LESS,
    And,
    Atom,
    Const,
    Equal,
    ForAll,
    Formula,
    Implies,
    Not,
    Or,
    Term,
    Var,
    is_numeral,
    symbols,
    walk,
)


def background(formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    """The laws of the numbers and comparisons that occur in formulas; few if none do."""
    everything = tuple(formulas)
    names = set[str]().union(*[symbols(one).constants for one in everything])
    numerals = [Const(name) for name in sorted(filter(is_numeral, names), key=Decimal)]
    comparisons = [
        one
        for formula in everything
        for one in walk(formula)
        if isinstance(one, Atom) and one.name == LESS
    ]
    if not comparisons:
        pairs = [(a, b) for n, a in enumerate(numerals) for b in numerals[n + 1 :]]
        return tuple(Not(Equal(a, b)) for a, b in pairs)
    ordered = tuple(_less(a, b) for a, b in pairwise(numerals))
    if all(any(term in numerals for term in one.terms) for one in comparisons):
        return (*ordered, *_intervals(numerals))
    return (*_ORDER, *ordered)


def _less(a: Term, b: Term) -> Formula:
    return Atom(LESS, (a, b))


_X, _Y, _Z = Var("x"), Var("y"), Var("z")


def _all(*variables: Var, body: Formula) -> Formula:
    for variable in reversed(variables):
        body = ForAll(variable.name, body)
    return body


_ORDER = (
    _all(_X, body=Not(_less(_X, _X))),
    _all(_X, _Y, _Z, body=Implies(And((_less(_X, _Y), _less(_Y, _Z))), _less(_X, _Z))),
    _all(_X, _Y, body=Or((_less(_X, _Y), Equal(_X, _Y), _less(_Y, _X)))),
)


def _intervals(numerals: list[Const]) -> tuple[Formula, ...]:
    """The order where it is only ever spoken of numbers: each individual is in one interval.

    Nothing is said of the order inside an interval, so any will do; and these laws are far easier
    on a prover than transitivity.
    """
    laws: list[Formula] = []
    for one in numerals:
        below, same, above = _less(_X, one), Equal(_X, one), _less(one, _X)
        laws.append(_all(_X, body=Or((below, same, above))))
        laws += [
            _all(_X, body=Not(And(pair))) for pair in ((below, same), (below, above), (same, above))
        ]
    for a, b in pairwise(numerals):
        laws.append(_all(_X, body=Implies(_less(_X, a), _less(_X, b))))
        laws.append(_all(_X, body=Implies(_less(b, _X), _less(a, _X))))
    return tuple(laws)
