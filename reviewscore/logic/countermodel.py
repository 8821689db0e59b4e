"""A situation in which all premises hold and the conclusion does not, told with the keys.

The individuals are those that are named, each name a different one, and one more without a name
if that is needed. Over so few, quantifiers are written out, and Z3 finds which facts hold; facts
are then dropped one by one while the premises stay true and the conclusion false. The result is
evaluated once more, apart from Z3, before it is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product

from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Formula,
    Implies,
    Not,
    Or,
    Term,
    Xor,
    parts_of,
    symbols,
    to_text,
    with_parts,
)
from reviewscore.logic.z3_backend import Outcome, Session

UNNAMED = "someone or something unnamed"
_MAX_INSTANCES = 4_000
"""Most nodes that writing out the quantifiers may give."""

_MAX_ATOMS = 400
"""Most facts to decide about; more are left untold."""

_MAX_FACTS = 12
"""A story with more facts is no help to a reader."""


def countermodel(
    premises: Sequence[Formula], conclusion: Formula, session: Session, keys: Mapping[str, str]
) -> str | None:
    """A story of how the premises can be true while the conclusion is false.

    Args:
        premises: Closed formulas.
        conclusion: Closed formula that does not follow from them.
        session: Where to search.
        keys: What names mean, as ``Name(x)`` or ``Name`` to a sentence with x.

    Returns:
        The story; None if none was found with the named individuals and at most one more, or if
        it would be long.
    """
    formulas = (*premises, Not(conclusion))
    vocabulary = [symbols(formula) for formula in formulas]
    named = sorted(set[str]().union(*[one.constants for one in vocabulary]))
    for domain in (named, [*named, UNNAMED]) if named else ([UNNAMED],):
        if sum(_size(formula, len(domain)) for formula in formulas) > _MAX_INSTANCES:
            return None
        facts = _facts(formulas, domain, session)
        if facts is not None and all(holds(one, domain, facts) for one in formulas):
            propositional = all(arity == 0 for one in vocabulary for _, arity in one.predicates)
            return _story(domain if not propositional or named else [], facts, keys)
    return None


def holds(
    formula: Formula,
    domain: Sequence[str],
    facts: frozenset[Atom],
    values: Mapping[str, str] | None = None,
) -> bool:
    """Whether a formula is true of finitely many individuals, each named by itself.

    Args:
        formula: The formula.
        domain: Names of all individuals.
        facts: The atoms that hold, of constants only.
        values: The individual that each free variable stands for.
    """
    bound = values or {}
    match formula:
        case Atom(name, terms):
            return Atom(name, tuple([Const(_value(term, bound)) for term in terms])) in facts
        case Equal(left, right):
            return _value(left, bound) == _value(right, bound)
        case ForAll(variable, body):
            return all([holds(body, domain, facts, {**bound, variable: one}) for one in domain])
        case Exists(variable, body):
            return any([holds(body, domain, facts, {**bound, variable: one}) for one in domain])
    return _joined(formula, [holds(part, domain, facts, bound) for part in parts_of(formula)])


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


def _value(term: Term, values: Mapping[str, str]) -> str:
    return term.name if isinstance(term, Const) else values[term.name]


def _size(formula: Formula, individuals: int) -> int:
    inner = 1 + sum([_size(part, individuals) for part in parts_of(formula)])
    return inner * individuals if isinstance(formula, ForAll | Exists) else inner


def _facts(
    formulas: Sequence[Formula], domain: Sequence[str], session: Session
) -> frozenset[Atom] | None:
    """Facts under which all formulas hold, none of which can be dropped; None without any."""
    written_out = {f"f{n}": _ground(one, domain, {}) for n, one in enumerate(formulas)}
    answer = session.check(written_out)
    if answer.outcome is not Outcome.SATISFIABLE:
        return None
    atoms = {to_text(atom): atom for atom in _atoms(formulas, domain)}
    if len(atoms) > _MAX_ATOMS:
        return None
    denied = {name: Not(Atom(name)) for name in atoms if name not in answer.facts}
    for name in sorted(answer.facts & atoms.keys()):
        if name in denied:
            continue
        trial = session.check({**written_out, **denied, name: Not(Atom(name))})
        if trial.outcome is Outcome.SATISFIABLE:
            denied |= {one: Not(Atom(one)) for one in atoms if one not in trial.facts}
    return frozenset(atom for name, atom in atoms.items() if name not in denied)


def _atoms(formulas: Sequence[Formula], domain: Sequence[str]) -> list[Atom]:
    predicates = {pair for one in formulas for pair in symbols(one).predicates}
    individuals = [Const(name) for name in domain]
    return [
        Atom(name, terms)
        for name, arity in sorted(predicates)
        if len(individuals) ** arity <= _MAX_ATOMS
        for terms in product(individuals, repeat=arity)
    ]


def _ground(formula: Formula, domain: Sequence[str], values: Mapping[str, str]) -> Formula:
    """The formula without quantifiers and terms: each ground atom is a proposition of its own."""
    match formula:
        case Atom(name, terms):
            return Atom(to_text(Atom(name, tuple([Const(_value(t, values)) for t in terms]))))
        case Equal(left, right):
            return And(()) if _value(left, values) == _value(right, values) else Or(())
        case ForAll(variable, body):
            return And(tuple([_ground(body, domain, {**values, variable: d}) for d in domain]))
        case Exists(variable, body):
            return Or(tuple([_ground(body, domain, {**values, variable: d}) for d in domain]))
    return with_parts(formula, tuple([_ground(one, domain, values) for one in parts_of(formula)]))


def _story(domain: Sequence[str], facts: frozenset[Atom], keys: Mapping[str, str]) -> str | None:
    if len(facts) > _MAX_FACTS:
        return None
    told = "; ".join(sorted(_told(fact, keys) for fact in facts))
    things = f"Suppose that there is only {_listed(domain)}" if domain else "Suppose"
    join = ", and that" if domain else " that"
    only = f"{join} only this holds: {told}." if facts else f"{join} none of the predicates holds."
    return f"All premises can be true while the conclusion is false. {things}{only}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _told(fact: Atom, keys: Mapping[str, str]) -> str:
    """A fact in the words of its key, with the individuals in place of the key's variables."""
    for symbol, meaning in keys.items():
        name, _, rest = symbol.partition("(")
        variables = [one.strip() for one in rest.rstrip(") ").split(",")] if rest else []
        if name.strip() == fact.name and len(variables) == len(fact.terms):
            values = dict(zip(variables, [term.name for term in fact.terms], strict=True))
            return _substituted(meaning, values)
    return to_text(fact)


def _substituted(meaning: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), meaning).strip(" .")
