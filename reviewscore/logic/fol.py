"""The syntax tree of first-order formulas, and its text in our grammar.

Terms are variables and constants; there are no function terms, since one name has one role.
`And` and `Or` hold any number of parts; the empty `And` is true and the empty `Or` is false (both
occur only in trees that the program builds, never in parsed ones).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Var:
    """A variable bound by a quantifier."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """A name for one individual; two constants may name the same one."""

    name: str


Term = Var | Const


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
        constants: Names of the constants.
    """

    predicates: frozenset[tuple[str, int]]
    constants: frozenset[str]


_SIGNS: dict[type[Formula], str] = {
    And: " & ",
    Or: " | ",
    Xor: " xor ",
    Implies: " -> ",
    Iff: " <-> ",
}


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
        one = pending.pop()
        yield one
        pending.extend(reversed(parts_of(one)))


def to_text(formula: Formula) -> str:
    """The formula in our grammar (ASCII): parsing the text gives the same tree again.

    Bodies of quantifiers and mixed operators are always bracketed.
    """
    match formula:
        case Atom(name, terms):
            return f"{name}({', '.join([term.name for term in terms])})" if terms else name
        case Equal(left, right):
            return f"{left.name} = {right.name}"
        case Not(Equal(left, right)):
            return f"{left.name} != {right.name}"
        case Not(body):
            return f"-{_operand(body)}"
        case ForAll() | Exists():
            return _quantified_text(formula)
    return _SIGNS[type(formula)].join(map(_operand, parts_of(formula)))


def _quantified_text(formula: Quantified) -> str:
    word = "forall" if isinstance(formula, ForAll) else "exists"
    inner = to_text(formula.body)
    body = inner if isinstance(formula.body, Quantified) else f"({inner})"
    return f"{word} {formula.variable} {body}"


def _operand(formula: Formula) -> str:
    text = to_text(formula)
    return f"({text})" if type(formula) in _SIGNS else text


def variables(formula: Formula) -> frozenset[str]:
    """Names of all variables that occur in or are bound by the formula."""
    bound = {one.variable for one in walk(formula) if isinstance(one, Quantified)}
    used = {t.name for one in walk(formula) for t in terms_of(one) if isinstance(t, Var)}
    return frozenset(bound | used)


def free(formula: Formula) -> frozenset[str]:
    """Names of the variables that no quantifier of the formula binds."""
    if isinstance(formula, Quantified):
        return free(formula.body) - {formula.variable}
    here = frozenset(term.name for term in terms_of(formula) if isinstance(term, Var))
    return here.union(*map(free, parts_of(formula)))


def symbols(formula: Formula) -> Symbols:
    """Predicates (with their number of arguments) and constants of the formula."""
    predicates: set[tuple[str, int]] = set()
    constants: set[str] = set()
    for one in walk(formula):
        if isinstance(one, Atom):
            predicates.add((one.name, len(one.terms)))
        constants.update(term.name for term in terms_of(one) if isinstance(term, Const))
    return Symbols(frozenset(predicates), frozenset(constants))


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
    return with_parts(formula, tuple([_renamed(one, names, depth) for one in parts_of(formula)]))


def _renamed_term(term: Term, names: dict[str, str]) -> Term:
    return Var(names[term.name]) if isinstance(term, Var) and term.name in names else term
