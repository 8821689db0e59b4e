"""A finite model: individuals, what holds of them, and what names and functions give.

Evaluation follows the meaning of each connective directly and shares no code with the prover, so
that it can check what the prover found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Formula,
    Func,
    Implies,
    Not,
    Or,
    Term,
    Var,
    Xor,
    parts_of,
)


@dataclass(frozen=True, slots=True)
class Model:
    """Finitely many individuals and all that is said of them.

    Attributes:
        domain: Names of the individuals; at least one.
        facts: Each predicate with the individuals that it holds of; all else does not hold.
        values: What a function gives for individuals; what a constant names, if it is not the
            individual of the same name (a constant is a function of no arguments).
    """

    domain: tuple[str, ...]
    facts: frozenset[tuple[str, tuple[str, ...]]]
    values: Mapping[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)


def holds(formula: Formula, model: Model, bound: Mapping[str, str] | None = None) -> bool:
    """Whether a formula is true in a model.

    Args:
        formula: The formula.
        model: Gives a value to each function and constant of the formula.
        bound: The individual that each free variable stands for.
    """
    names = bound or {}
    match formula:
        case Atom(name, terms):
            return (name, tuple([_value(term, model, names) for term in terms])) in model.facts
        case Equal(left, right):
            return _value(left, model, names) == _value(right, model, names)
        case ForAll(variable, body) | Exists(variable, body):
            each = [holds(body, model, {**names, variable: one}) for one in model.domain]
            return all(each) if isinstance(formula, ForAll) else any(each)
    return _joined(formula, [holds(part, model, names) for part in parts_of(formula)])


def _joined(formula: Formula, parts: list[bool]) -> bool:
    match formula:
        case Not():
            return not parts[0]
        case And():
            return all(parts)
        case Or():
            return any(parts)
        case Implies():
            return parts[1] or not parts[0]
        case Xor():
            return parts[0] != parts[1]
        case _:  # Iff
            return parts[0] == parts[1]


def _value(term: Term, model: Model, bound: Mapping[str, str]) -> str:
    match term:
        case Var(name):
            return bound[name]
        case Const(name):
            return model.values.get((name, ()), name)
        case Func(name, terms):
            return model.values[name, tuple([_value(one, model, bound) for one in terms])]
