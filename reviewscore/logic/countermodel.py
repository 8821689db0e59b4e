"""A small situation in which all premises hold and the conclusion does not.

The individuals are those that are named, first with each name for a different one, and one or two
more without a name where that is needed; names share an individual only where nothing else is
possible. Over so few, quantifiers are written out and Z3 finds which facts hold; facts are then
dropped one by one while the premises stay true and the conclusion false. The model is evaluated
once more, apart from Z3, before it is given.

Evaluation of a model follows the meaning of each connective directly and shares no code with the
prover, so that it can check what the prover found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from reviewscore.logic import fol
from reviewscore.logic.z3_backend import CheckOutcome, ProofSession


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


def holds(formula: fol.Formula, model: Model, bound: Mapping[str, str] | None = None) -> bool:
    """Whether a formula is true in a model.

    Args:
        formula: The formula.
        model: Gives a value to each function and constant of the formula.
        bound: The individual that each free variable stands for.
    """
    names = bound or {}
    match formula:
        case fol.Atom(name, terms):
            return (name, tuple([_value(term, model, names) for term in terms])) in model.facts
        case fol.Equal(left, right):
            return _value(left, model, names) == _value(right, model, names)
        case fol.ForAll(variable, body) | fol.Exists(variable, body):
            each = [holds(body, model, {**names, variable: text}) for text in model.domain]
            return all(each) if isinstance(formula, fol.ForAll) else any(each)
    return _joined(formula, [holds(part, model, names) for part in fol.parts_of(formula)])


def _joined(formula: fol.Formula, parts: list[bool]) -> bool:
    match formula:
        case fol.Not():
            return not parts[0]
        case fol.And():
            return all(parts)
        case fol.Or():
            return any(parts)
        case fol.Implies():
            return parts[1] or not parts[0]
        case fol.Xor():
            return parts[0] != parts[1]
        case _:  # Iff
            return parts[0] == parts[1]


def _value(term: fol.Term, model: Model, bound: Mapping[str, str]) -> str:
    match term:
        case fol.Var(name):
            return bound[name]
        case fol.Const(name):
            return model.values.get((name, ()), name)
        case fol.Func(name, terms):
            return model.values[name, tuple([_value(term, model, bound) for term in terms])]


UNNAMED = ("someone or something unnamed", "someone or something else unnamed")
_MAX_NODES = 20_000
"""Most nodes that writing out the quantifiers may give."""

_MAX_ATOMS = 400
"""Most facts to decide about."""

_MAX_TRIALS = 60
"""Most facts that are tried to be dropped."""


def countermodel(
    premises: Sequence[fol.Formula], conclusion: fol.Formula, session: ProofSession
) -> Model | None:
    """Individuals and facts of which the premises are true and the conclusion is false.

    Args:
        premises: Closed formulas.
        conclusion: Closed formula that does not follow from them.
        session: Gives the limits; searched in a session of its own.

    Returns:
        The model; None if none was found with the named individuals and at most two more.
    """
    formulas = (*premises, fol.Not(conclusion))
    formulas = (*formulas, *fol.background(formulas))
    names = sorted(set[str]().union(*[fol.symbols(formula).constants for formula in formulas]))
    tries = [(tuple(names), True)] if names else []
    tries += [((*names, *UNNAMED[:more]), True) for more in (1, 2)]
    tries += [(tuple(names), False), ((*names, UNNAMED[0]), False)] if names else []
    for domain, distinct in tries:
        model = _Search(formulas, domain, session, distinct=distinct).model()
        if model is not None and all(holds(formula, model) for formula in formulas):
            return model
    return None


class _Search:
    """The search over one choice of individuals."""

    def __init__(
        self,
        formulas: Sequence[fol.Formula],
        domain: tuple[str, ...],
        session: ProofSession,
        *,
        distinct: bool,
    ) -> None:
        self._formulas, self._domain, self._distinct = formulas, domain, distinct
        self._session = session.another()
        self._values: dict[tuple[str, tuple[str, ...]], None] = {}
        self._atoms: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._facts: dict[tuple[str, tuple[str, ...]], fol.Atom] = {}

    def model(self) -> Model | None:
        many = len(self._domain)
        nodes = [_size(formula, many, distinct=self._distinct) for formula in self._formulas]
        if sum(nodes) > _MAX_NODES:
            return None
        grounded = [self._ground(formula, {}) for formula in self._formulas]
        if len(self._atoms) > _MAX_ATOMS or len(self._values) > _MAX_ATOMS:
            return None
        self._session.assume(grounded)
        self._session.assume(map(self._one_value, self._values))
        answer = self._session.check([], facts=True)
        if answer.outcome is not CheckOutcome.SATISFIABLE:
            return None
        facts = self._fewest(answer.facts)
        if facts is None:
            return None
        return Model(self._domain, *self._read(facts))

    def _fewest(self, true: frozenset[str]) -> frozenset[str] | None:
        """The names of propositions in a model of which no fact can be dropped."""
        for name in self._atoms:
            self._session.add(name, fol.Not(fol.Atom(name)))
        denied = [name for name in self._atoms if name not in true]
        trials = 0
        for name in sorted(true & self._atoms.keys()):
            if name in denied or trials == _MAX_TRIALS:
                continue
            trials += 1
            trial = self._session.check([*denied, name], facts=True)
            if trial.outcome is CheckOutcome.SATISFIABLE:
                denied = [atom for atom in self._atoms if atom not in trial.facts]
        last = self._session.check(denied, facts=True)
        return last.facts if last.outcome is CheckOutcome.SATISFIABLE else None

    def _read(
        self, true: frozenset[str]
    ) -> tuple[frozenset[tuple[str, tuple[str, ...]]], Mapping[tuple[str, tuple[str, ...]], str]]:
        facts = frozenset(atom for name, atom in self._atoms.items() if name in true)
        values = {
            key: next(text for text in self._domain if _value_name(key, text) in true)
            for key in self._values
        }
        return facts, values

    def _one_value(self, key: tuple[str, tuple[str, ...]]) -> fol.Formula:
        """A function gives exactly one individual; a name may be given a shared one last."""
        each = [fol.Atom(_value_name(key, text)) for text in self._domain]
        pairs = [fol.Not(fol.And((a, b))) for n, a in enumerate(each) for b in each[n + 1 :]]
        return fol.And((fol.Or(tuple(each)), *pairs))

    def _ground(self, formula: fol.Formula, bound: Mapping[str, str]) -> fol.Formula:
        """The formula without quantifiers and terms: each ground atom is a proposition."""
        match formula:
            case fol.Atom(name, terms):
                return self._cases(terms, bound, lambda values: self._fact(name, values))
            case fol.Equal(left, right):
                return self._cases(
                    (left, right),
                    bound,
                    lambda values: fol.And(()) if values[0] == values[1] else fol.Or(()),
                )
            case fol.ForAll(variable, body):
                each = [self._ground(body, {**bound, variable: text}) for text in self._domain]
                return fol.And(tuple(each))
            case fol.Exists(variable, body):
                each = [self._ground(body, {**bound, variable: text}) for text in self._domain]
                return fol.Or(tuple(each))
        return fol.with_parts(
            formula, tuple([self._ground(part, bound) for part in fol.parts_of(formula)])
        )

    def _fact(self, name: str, individuals: tuple[str, ...]) -> fol.Formula:
        known = self._facts.get((name, individuals))
        if known is None:
            text = f"{name}({', '.join(individuals)})" if individuals else name
            self._atoms[text] = (name, individuals)
            known = self._facts[name, individuals] = fol.Atom(text)
        return known

    def _cases(
        self,
        terms: Sequence[fol.Term],
        bound: Mapping[str, str],
        said: Callable[[tuple[str, ...]], fol.Formula],
    ) -> fol.Formula:
        """What is said of terms, for each choice of individuals that they may stand for."""
        if self._distinct and not any(isinstance(term, fol.Func) for term in terms):
            return said(tuple([bound.get(_name(term), _name(term)) for term in terms]))
        choices = [list(self._denoted(term, bound)) for term in terms]
        cases = [
            (
                tuple([condition for _, conditions in choice for condition in conditions]),
                said(tuple([individual for individual, _ in choice])),
            )
            for choice in product(*choices)
        ]
        if len(cases) == 1 and not cases[0][0]:
            return cases[0][1]
        return fol.Or(tuple([fol.And((*conditions, what)) for conditions, what in cases]))

    def _denoted(
        self, term: fol.Term, bound: Mapping[str, str]
    ) -> Iterator[tuple[str, tuple[fol.Formula, ...]]]:
        """Each individual that a term may stand for, and under which conditions it does."""
        match term:
            case fol.Var(name):
                yield bound[name], ()
            case fol.Const(name) if self._distinct or fol.is_numeral(name):
                yield name, ()
            case fol.Const(name):
                yield from self._valued((name, ()), ())
            case fol.Func(name, terms):
                for choice in product(*[list(self._denoted(term, bound)) for term in terms]):
                    conditions = tuple([formula for _, several in choice for formula in several])
                    key = (name, tuple([individual for individual, _ in choice]))
                    yield from self._valued(key, conditions)

    def _valued(
        self, key: tuple[str, tuple[str, ...]], conditions: tuple[fol.Formula, ...]
    ) -> Iterator[tuple[str, tuple[fol.Formula, ...]]]:
        self._values[key] = None
        for text in self._domain:
            yield text, (*conditions, fol.Atom(_value_name(key, text)))


def _value_name(key: tuple[str, tuple[str, ...]], individual: str) -> str:
    name, individuals = key
    return f"{name}({', '.join(individuals)}) is {individual}"


def _name(term: fol.Term) -> str:
    assert not isinstance(term, fol.Func)
    return term.name


def _size(formula: fol.Formula, individuals: int, *, distinct: bool) -> int:
    """How many nodes the formula has once its quantifiers are written out, or more."""
    terms = fol.terms_of(formula)
    if terms:
        return 1 + int(individuals ** sum([_open(term, distinct) for term in terms]))
    parts = [_size(part, individuals, distinct=distinct) for part in fol.parts_of(formula)]
    return (1 + sum(parts)) * (individuals if isinstance(formula, fol.ForAll | fol.Exists) else 1)


def _open(term: fol.Term, distinct: bool) -> int:
    """How many terms are inside that may have any value."""
    match term:
        case fol.Func(_, terms):
            return 1 + sum([_open(term, distinct) for term in terms])
        case fol.Const(name):
            return 0 if distinct or fol.is_numeral(name) else 1
    return 0
