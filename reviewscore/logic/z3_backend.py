"""Trees to Z3, in a context of their own, under limits that make the answer repeatable.

Never through SMT-LIB text. Each argument gets a fresh context: the shared default one crashes
under threads. `SimpleSolver` with its defaults is two to three times as quick as `Solver`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewscore.logic.fol import (
    And,
    Atom,
    Const,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Term,
    Xor,
)

if TYPE_CHECKING:
    import z3


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work one argument may be.

    Attributes:
        rlimit: Steps of one check, in Z3's own count; repeatable, so this one decides. Real
            arguments need up to 100,000.
        seconds: Wall-clock time for all checks of one argument; only a backstop.
        premises: Most premises of one argument.
    """

    rlimit: int = 1_500_000
    seconds: float = 20.0
    premises: int = 500


class Outcome(StrEnum):
    """What a check found."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"  # a limit was reached


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a check.

    Attributes:
        core: Labels of formulas that cannot all hold; empty unless unsatisfiable.
        facts: Names of the propositions that hold in the model found; empty unless satisfiable.
    """

    outcome: Outcome
    core: tuple[str, ...] = ()
    facts: frozenset[str] = frozenset()


class Session:
    """The checks of one argument, in one Z3 context; to be used by one thread."""

    def __init__(self, limits: Limits) -> None:
        import z3

        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._context = z3.Context()
        self._sort = z3.DeclareSort("Individual", self._context)

    def check(self, formulas: Mapping[str, Formula]) -> Answer:
        """Whether the formulas can all hold at once.

        Args:
            formulas: Closed formulas by label.
        """
        import z3

        left = self._deadline - time.monotonic()
        if left <= 0:
            return Answer(Outcome.UNKNOWN)
        labels = list(formulas)
        solver = z3.SimpleSolver(ctx=self._context)
        solver.set("rlimit", self._limits.rlimit)
        solver.set("timeout", max(1, int(left * 1000)))
        try:
            for number, formula in enumerate(formulas.values()):
                # The marks hold a '#', which no name of our grammar does.
                mark = z3.Bool(f"#{number}", self._context)
                solver.assert_and_track(self._translated(formula, {}), mark)
            result = solver.check()
            if result == z3.unsat:
                marks = {str(mark) for mark in solver.unsat_core()}
                core = [label for n, label in enumerate(labels) if f"#{n}" in marks]
                return Answer(Outcome.UNSATISFIABLE, core=tuple(core))
            if result == z3.sat:
                return Answer(Outcome.SATISFIABLE, facts=_true_propositions(solver.model()))
        except z3.Z3Exception:
            # Out of memory, or interrupted by the timer: a limit like the others.
            pass
        return Answer(Outcome.UNKNOWN)

    def irreducible(
        self, formulas: Mapping[str, Formula], core: tuple[str, ...], *, fixed: str | None = None
    ) -> tuple[str, ...]:
        """A core from which no formula can be left out, by trying each in turn.

        Others may exist. A formula stays in where a limit keeps it from being tested.

        Args:
            formulas: All formulas by label.
            core: Labels of formulas that cannot all hold.
            fixed: Label of a formula without which the others are known to be able to hold.
        """
        kept = list(core)
        for label in core:
            if label not in kept or label == fixed:
                continue
            answer = self.check({one: formulas[one] for one in kept if one != label})
            if answer.outcome is Outcome.UNSATISFIABLE:
                kept = [one for one in kept if one in answer.core]
        return tuple(kept)

    def _translated(self, formula: Formula, bound: dict[str, z3.ExprRef]) -> z3.BoolRef:
        import z3

        match formula:
            case Atom() | Equal():
                return self._atomic(formula, bound)
            case Not(body):
                return z3.Not(self._translated(body, bound))
            case And(parts) | Or(parts):
                if not parts:
                    return z3.BoolVal(isinstance(formula, And), self._context)
                join = z3.And if isinstance(formula, And) else z3.Or
                return join([self._translated(part, bound) for part in parts])
            case Xor(left, right) | Implies(left, right) | Iff(left, right):
                a, b = self._translated(left, bound), self._translated(right, bound)
                return z3.Implies(a, b) if isinstance(formula, Implies) else _iff(formula, a, b)
            case ForAll(variable, body) | Exists(variable, body):
                # Fresh by depth: a constant of the same name may stand in another formula.
                name = z3.Const(f"{variable}#{len(bound)}", self._sort)
                inner = self._translated(body, {**bound, variable: name})
                return (z3.ForAll if isinstance(formula, ForAll) else z3.Exists)([name], inner)

    def _atomic(self, formula: Atom | Equal, bound: dict[str, z3.ExprRef]) -> z3.BoolRef:
        import z3

        match formula:
            case Equal(left, right):
                return self._term(left, bound) == self._term(right, bound)
            case Atom(name, ()):
                return z3.Bool(name, self._context)
            case Atom(name, terms):
                sorts = [self._sort] * len(terms)
                predicate = z3.Function(name, *sorts, z3.BoolSort(self._context))
                return predicate(*[self._term(term, bound) for term in terms])

    def _term(self, term: Term, bound: dict[str, z3.ExprRef]) -> z3.ExprRef:
        import z3

        return z3.Const(term.name, self._sort) if isinstance(term, Const) else bound[term.name]


def _iff(formula: Xor | Iff, a: z3.BoolRef, b: z3.BoolRef) -> z3.BoolRef:
    import z3

    return z3.Xor(a, b) if isinstance(formula, Xor) else a == b


def _true_propositions(model: z3.ModelRef) -> frozenset[str]:
    import z3

    return frozenset(
        one.name() for one in model.decls() if one.arity() == 0 and z3.is_true(model[one])
    )
