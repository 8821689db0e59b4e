"""The syntax tree of first-order formulas; its text is in `printer`.

Terms are variables, constants (numerals among them) and functions of terms. `And` and `Or` hold
any number of parts; the empty `And` is true and the empty `Or` is false (both occur only in trees
that the program builds, never in parsed ones). A comparison is an atom named `LESS`: ``a > b`` is
``b < a``, and ``a <= b`` is ``-(b < a)``, since the order is total.

Numbers that differ are different individuals. Where a comparison occurs, it is a strict total
order of all individuals, in which the numbers stand as usual: `background` says so to a prover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

LESS = "<"
"""Name of the atom of all comparisons: its first term is less than its second."""

_NUMERAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Var:
    """A variable bound by a quantifier."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """A name for one individual; two constants may name the same one, two numerals may not."""

    name: str


@dataclass(frozen=True, slots=True)
class Func:
    """A function of one or more terms: the individual it gives for them."""

    name: str
    terms: tuple[Term, ...]


Term = Var | Const | Func


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate with its arguments; without arguments, a proposition."""

    name: str
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Equal:
    """Both terms denote the same individual."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Xor:
    """Exactly one of two holds."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Implies:
    """If left, then right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    """Left exactly if right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class ForAll:
    """The body holds of every individual."""

    variable: str
    body: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    """The body holds of at least one individual."""

    variable: str
    body: Formula


Formula = Atom | Equal | Not | And | Or | Xor | Implies | Iff | ForAll | Exists
Quantified = ForAll | Exists


@dataclass(frozen=True, slots=True)
class Symbols:
    """The vocabulary of a formula.

    Attributes:
        predicates: Name and number of arguments of each predicate (0 for propositions).
        functions: Name and number of arguments of each function (at least 1).
        constants: Names of the constants, numerals among them.
    """

    predicates: frozenset[tuple[str, int]]
    functions: frozenset[tuple[str, int]]
    constants: frozenset[str]


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly inside a formula, left to right."""
    match formula:
        case Atom() | Equal():
            return ()
        case And(parts) | Or(parts):
            return parts
        case Not(body) | ForAll(_, body) | Exists(_, body):
            return (body,)
        case Xor(left, right) | Implies(left, right) | Iff(left, right):
            return (left, right)


def with_parts(formula: Formula, parts: tuple[Formula, ...]) -> Formula:
    """The same compound formula over other parts, as many as it has."""
    match formula:
        case Atom() | Equal():
            return formula
        case And() | Or():
            return type(formula)(parts)
        case Not():
            return Not(parts[0])
        case ForAll(variable, _) | Exists(variable, _):
            return type(formula)(variable, parts[0])
        case Xor() | Implies() | Iff():
            return type(formula)(parts[0], parts[1])


def terms_of(formula: Formula) -> tuple[Term, ...]:
    """The terms directly in an atom or equality; empty for compound formulas."""
    match formula:
        case Atom(_, terms):
            return terms
        case Equal(left, right):
            return (left, right)
        case _:
            return ()


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all formulas inside it, outermost first, left to right."""
    pending = [formula]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(parts_of(part)))


def subterms(formula: Formula) -> Iterator[Term]:
    """The terms of an atom or equality, and the terms inside them; outermost first."""
    pending = list(reversed(terms_of(formula)))
    while pending:
        func = pending.pop()
        yield func
        if isinstance(func, Func):
            pending.extend(reversed(func.terms))


def is_numeral(name: str) -> bool:
    """Whether the name of a constant is a number, such as ``9`` or ``-0.5``."""
    return _NUMERAL.fullmatch(name) is not None


def symbols(formula: Formula) -> Symbols:
    """Predicates and functions (with their number of arguments) and constants of the formula."""
    predicates: set[tuple[str, int]] = set()
    functions: set[tuple[str, int]] = set()
    constants: set[str] = set()
    for atom in walk(formula):
        if isinstance(atom, Atom):
            predicates.add((atom.name, len(atom.terms)))
        for term in subterms(atom):
            if isinstance(term, Const):
                constants.add(term.name)
            elif isinstance(term, Func):
                functions.add((term.name, len(term.terms)))
    return Symbols(frozenset(predicates), frozenset(functions), frozenset(constants))


def canonical(formula: Formula) -> Formula:
    """The formula with bound variables named by their depth.

    Two formulas are the same up to renaming of bound variables exactly if these are equal.
    """
    return _renamed(formula, {}, 0)


def _renamed(formula: Formula, names: dict[str, str], depth: int) -> Formula:
    match formula:
        case Atom(name, terms):
            return Atom(name, tuple([_renamed_term(term, names) for term in terms]))
        case Equal(left, right):
            return Equal(_renamed_term(left, names), _renamed_term(right, names))
        case ForAll(variable, body) | Exists(variable, body):
            fresh = f"#{depth}"  # no name of our grammar holds a '#', so it collides with none
            return type(formula)(fresh, _renamed(body, {**names, variable: fresh}, depth + 1))
    return with_parts(formula, tuple([_renamed(part, names, depth) for part in parts_of(formula)]))


def _renamed_term(term: Term, names: dict[str, str]) -> Term:
    match term:
        case Var(name):
            return Var(names.get(name, name))
        case Func(name, terms):
            return Func(name, tuple([_renamed_term(term, names) for term in terms]))
    return term


def bind(formula: Formula, name: str) -> Formula:
    """The formula with the constant of that name as a variable, to be bound by a quantifier."""
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple([_bound(term, name) for term in terms]))
        case Equal(left, right):
            return Equal(_bound(left, name), _bound(right, name))
    return with_parts(formula, tuple([bind(part, name) for part in parts_of(formula)]))


def _bound(term: Term, name: str) -> Term:
    match term:
        case Const(constant) if constant == name:
            return Var(name)
        case Func(function, terms):
            return Func(function, tuple([_bound(term, name) for term in terms]))
    return term


def background(formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    """The laws of the numbers and comparisons that occur in formulas; few if none do."""
    everything = tuple(formulas)
    names = set[str]().union(*[symbols(formula).constants for formula in everything])
    numerals = [Const(name) for name in sorted(filter(is_numeral, names), key=Decimal)]
    comparisons = [
        atom
        for formula in everything
        for atom in walk(formula)
        if isinstance(atom, Atom) and atom.name == LESS
    ]
    if not comparisons:
        pairs = [(a, b) for n, a in enumerate(numerals) for b in numerals[n + 1 :]]
        return tuple(Not(Equal(a, b)) for a, b in pairs)
    ordered = tuple(_less(a, b) for a, b in pairwise(numerals))
    if all(any(term in numerals for term in comparison.terms) for comparison in comparisons):
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
    for numeral in numerals:
        below, same, above = _less(_X, numeral), Equal(_X, numeral), _less(numeral, _X)
        laws.append(_all(_X, body=Or((below, same, above))))
        laws += [
            _all(_X, body=Not(And(pair))) for pair in ((below, same), (below, above), (same, above))
        ]
    for a, b in pairwise(numerals):
        laws.append(_all(_X, body=Implies(_less(_X, a), _less(_X, b))))
        laws.append(_all(_X, body=Implies(_less(b, _X), _less(a, _X))))
    return tuple(laws)
