"""Trees to Z3, in a context of their own, under limits that make the answer repeatable.

Never through SMT-LIB text. Each argument gets a fresh context: the shared default one crashes
under threads. `SimpleSolver` with its defaults is two to three times as quick as `Solver`.

Which premises a proof needs: an irreducible set, and a smallest one. The smallest comes from
implicit hitting sets (Ignatiev et al., "Smallest MUS extraction with minimal hitting set
dualization", 2015): every set that suffices must hit, for each set that does not, the premises
left out of it. Candidates grow from the bottom, so few subsets are ever tried.
"""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from reviewscore.logic import fol

if TYPE_CHECKING:
    import z3


def load_z3() -> None:
    """Import Z3 with the library that it was installed with.

    Left to itself it takes one of that name from the current folder, which may be a stranger's.
    """
    if "z3" in sys.modules:
        return
    spec = find_spec("z3")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        places = [str(folder / "lib"), str(folder), str(Path(sys.prefix) / "lib")]
        builtins.Z3_LIB_DIRS = places  # type: ignore[attr-defined]
    import z3  # noqa: F401


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """How much work one argument may be.

    Attributes:
        rlimit: Steps of one check, in Z3's own count; repeatable, so this one decides. Real
            arguments need up to 100,000.
        seconds: Wall-clock time for all checks of one argument; only a backstop.
        premises: Most premises of one argument.
        memory: Most memory of Z3, in megabytes; holds for a whole process.
    """

    rlimit: int = 1_500_000
    seconds: float = 20.0
    premises: int = 500
    memory: int = 256


class CheckOutcome(StrEnum):
    """What a check found."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"  # a limit was reached


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Outcome of a check.

    Attributes:
        core: Labels of formulas that cannot all hold, in the order asked; empty unless
            unsatisfiable.
        facts: Names of the propositions that hold in the model found, if they were asked for.
        reason: Which limit was reached: ``work``, ``time`` or ``memory``; empty unless unknown.
    """

    outcome: CheckOutcome
    core: tuple[str, ...] = ()
    facts: frozenset[str] = frozenset()
    reason: str = ""


class ProofSession:
    """The checks of one argument, in one Z3 context and one solver; to be used by one thread.

    A formula is added once under a label and then asked about as often as needed.
    """

    def __init__(self, limits: ProofLimits, *, like: ProofSession | None = None) -> None:
        load_z3()
        import z3

        self._limits = limits
        self._deadline: float = like._deadline if like else time.monotonic() + limits.seconds
        self._context: z3.Context = like._context if like else z3.Context()
        self._sort = z3.DeclareSort("Individual", self._context)
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("rlimit", limits.rlimit)
        self._marks: dict[str, z3.BoolRef] = {}
        self._labels: dict[int, str] = {}
        self._truth = z3.BoolSort(self._context)
        self._propositions: dict[str, z3.BoolRef] = {}
        self._constants: dict[str, z3.ExprRef] = {}
        self._declared: dict[tuple[str, int, bool], z3.FuncDeclRef] = {}
        self._broken = False

    def another(self) -> ProofSession:
        """An empty session in the same context, with what is left of the time."""
        return ProofSession(self._limits, like=self)

    def add(self, label: str, formula: fol.Formula) -> None:
        """Keep a closed formula under a label that is not used yet."""
        import z3

        # The marks hold a '#', which no name of our grammar does.
        mark = z3.Bool(f"#{len(self._marks)}", self._context)
        self._marks[label] = mark
        self._labels[mark.get_id()] = label
        try:
            self._solver.add(self._joined(_GUARD, [mark, self._translated(formula, {})]))
        except z3.Z3Exception:
            self._broken = True

    def assume(self, formulas: Iterable[fol.Formula]) -> None:
        """Let formulas hold in every check."""
        import z3

        try:
            for formula in formulas:
                self._solver.add(self._translated(formula, {}))
        except z3.Z3Exception:
            self._broken = True

    def check(self, labels: Sequence[str], *, facts: bool = False) -> CheckResult:
        """Whether the formulas under these labels can all hold at once.

        Args:
            labels: Labels of formulas that were added.
            facts: Whether to tell which propositions hold in the model, if there is one.
        """
        import z3

        left = self._deadline - time.monotonic()
        if left <= 0:
            return CheckResult(CheckOutcome.UNKNOWN, reason="time")
        if self._broken:
            return CheckResult(CheckOutcome.UNKNOWN, reason="memory")
        self._solver.set("timeout", max(1, int(left * 1000)))
        try:
            result = self._solver.check([self._marks[label] for label in labels])
            if result == z3.unsat:
                texts = {self._labels[mark.get_id()] for mark in self._solver.unsat_core()}
                core = tuple(label for label in labels if label in texts)
                return CheckResult(CheckOutcome.UNSATISFIABLE, core=core)
            if result == z3.sat:
                true = _true_propositions(self._solver.model()) if facts else frozenset()
                return CheckResult(CheckOutcome.SATISFIABLE, facts=true)
            reason = self._reason()
        except z3.Z3Exception:
            # Out of memory: the solver must not be asked again.
            self._broken, reason = True, "memory"
        return CheckResult(CheckOutcome.UNKNOWN, reason=reason)

    def impossible(self, *labels: str) -> bool:
        """Whether these formulas are known not to hold at once."""
        return self.check(labels).outcome is CheckOutcome.UNSATISFIABLE

    def _reason(self) -> str:
        """Which limit was reached; Z3 says "canceled" of work and time alike."""
        if "memory" in self._solver.reason_unknown():
            return "memory"
        return "time" if time.monotonic() >= self._deadline else "work"

    def _translated(self, formula: fol.Formula, bound: dict[str, z3.ExprRef]) -> z3.BoolRef:
        import z3

        match formula:
            case fol.Atom() | fol.Equal():
                return self._atomic(formula, bound)
            case fol.ForAll(variable, body) | fol.Exists(variable, body):
                # Fresh by depth: a constant of the same name may stand in another formula.
                name = z3.Const(f"{variable}#{len(bound)}", self._sort)
                inner = self._translated(body, {**bound, variable: name})
                return (z3.ForAll if isinstance(formula, fol.ForAll) else z3.Exists)([name], inner)
        return self._joined(
            formula, [self._translated(part, bound) for part in fol.parts_of(formula)]
        )

    def _joined(self, formula: fol.Formula, parts: list[z3.BoolRef]) -> z3.BoolRef:
        """By the functions beneath `z3.And` and its kin, which spend most time on coercions."""
        import z3

        context, asts = self._context.ref(), [part.as_ast() for part in parts]
        match formula:
            case fol.Not():
                made = z3.Z3_mk_not(context, *asts)
            case fol.And() | fol.Or():
                several = (z3.Ast * len(asts))(*asts)
                make = z3.Z3_mk_and if isinstance(formula, fol.And) else z3.Z3_mk_or
                made = make(context, len(asts), several)
            case fol.Implies():
                made = z3.Z3_mk_implies(context, *asts)
            case fol.Xor():
                made = z3.Z3_mk_xor(context, *asts)
            case _:
                made = z3.Z3_mk_iff(context, *asts)
        return z3.BoolRef(made, self._context)

    def _atomic(self, formula: fol.Atom | fol.Equal, bound: dict[str, z3.ExprRef]) -> z3.BoolRef:
        import z3

        match formula:
            case fol.Equal(left, right):
                a, b = self._term(left, bound), self._term(right, bound)
                made = z3.Z3_mk_eq(self._context.ref(), a.as_ast(), b.as_ast())
                return z3.BoolRef(made, self._context)
            case fol.Atom(name, ()):
                if name not in self._propositions:
                    self._propositions[name] = z3.Bool(name, self._context)
                return self._propositions[name]
            case fol.Atom(name, terms):
                return z3.BoolRef(self._applied(name, terms, bound, self._truth), self._context)

    def _term(self, term: fol.Term, bound: dict[str, z3.ExprRef]) -> z3.ExprRef:
        import z3

        match term:
            case fol.Var(name):
                return bound[name]
            case fol.Const(name):
                if name not in self._constants:
                    self._constants[name] = z3.Const(name, self._sort)
                return self._constants[name]
            case fol.Func(name, terms):
                return z3.ExprRef(self._applied(name, terms, bound, self._sort), self._context)

    def _applied(
        self,
        name: str,
        terms: tuple[fol.Term, ...],
        bound: dict[str, z3.ExprRef],
        to: z3.SortRef,
    ) -> z3.Ast:
        """A predicate or function applied to terms."""
        import z3

        key = (name, len(terms), to is self._truth)
        declared = self._declared.get(key)
        if declared is None:
            declared = z3.Function(name, *[self._sort] * len(terms), to)
            self._declared[key] = declared
        inner = [self._term(term, bound) for term in terms]
        array = (z3.Ast * len(inner))(*[value.as_ast() for value in inner])
        return z3.Z3_mk_app(self._context.ref(), declared.ast, len(inner), array)


_GUARD = fol.Implies(fol.Atom("mark"), fol.Atom("formula"))
"""The form of a formula that holds where its mark does."""


def _true_propositions(model: z3.ModelRef) -> frozenset[str]:
    import z3

    return frozenset(
        decl.name() for decl in model.decls() if decl.arity() == 0 and z3.is_true(model[decl])
    )


MAX_PREMISES = 20
"""Most premises among which a smallest set is looked for."""


def irreducible(
    session: ProofSession, core: Sequence[str], *, fixed: Sequence[str] = ()
) -> tuple[str, ...]:
    """A core from which no formula can be left out, by trying each in turn.

    Others may exist. A formula stays in where a limit keeps it from being tested.

    Args:
        session: Holds the formulas.
        core: Labels of formulas that cannot all hold.
        fixed: Labels of formulas without which the others are known to be able to hold.
    """
    kept = list(core)
    for label in core:
        if label not in kept or label in fixed:
            continue
        answer = session.check([text for text in kept if text != label])
        if answer.outcome is CheckOutcome.UNSATISFIABLE:
            kept = [text for text in kept if text in answer.core]
    return tuple(kept)


def smallest(session: ProofSession, labels: Sequence[str], denied: str) -> tuple[str, ...] | None:
    """A smallest set of labels that cannot hold together with `denied`.

    Args:
        session: Holds the formulas.
        labels: All premises, which cannot hold together with `denied`.
        denied: Label of the denied conclusion.

    Returns:
        Of several smallest sets the first in the order of `labels`; None if there are more than
        20 labels, or a limit was reached on the way.
    """
    if len(labels) > MAX_PREMISES:
        return None
    missing: list[int] = []
    for n, label in enumerate(labels):
        answer = session.check([*[text for text in labels if text != label], denied])
        if answer.outcome is CheckOutcome.UNKNOWN:
            return None
        if answer.outcome is CheckOutcome.SATISFIABLE:
            missing.append(1 << n)
    size = len(missing)
    while size <= len(labels):
        candidate = _first_hitting(missing, len(labels), size)
        if candidate is None:
            size += 1
            continue
        chosen = [label for n, label in enumerate(labels) if candidate >> n & 1]
        answer = session.check([*chosen, denied])
        if answer.outcome is CheckOutcome.UNSATISFIABLE:
            return tuple(chosen)
        if answer.outcome is CheckOutcome.UNKNOWN:
            return None
        grown = _grown(session, labels, candidate, denied)
        if grown is None:
            return None
        missing.append(_above(0, len(labels)) & ~grown)
    return None


def _grown(session: ProofSession, labels: Sequence[str], chosen: int, denied: str) -> int | None:
    """A largest set around one that does not suffice; None if a limit was reached."""
    for n, label in enumerate(labels):
        if chosen >> n & 1:
            continue
        inside = [text for m, text in enumerate(labels) if chosen >> m & 1]
        answer = session.check([*inside, label, denied])
        if answer.outcome is CheckOutcome.UNKNOWN:
            return None
        if answer.outcome is CheckOutcome.SATISFIABLE:
            chosen |= 1 << n
    return chosen


def _first_hitting(sets: Sequence[int], elements: int, size: int, start: int = 0) -> int | None:
    """The first set of that size, as bits, that has an element in each of the sets; else None."""
    if size == 0:
        return None if sets else 0
    if _disjoint(sets) > size:
        return None
    for n in range(start, elements - size + 1):
        if any(not integer & _above(n, elements) for integer in sets):
            return None
        left = [integer for integer in sets if not integer >> n & 1]
        number = _first_hitting(left, elements, size - 1, n + 1)
        if number is not None:
            return number | 1 << n
    return None


def _above(start: int, elements: int) -> int:
    """The elements from `start` on, as bits."""
    return (1 << elements) - (1 << start)


def _disjoint(sets: Sequence[int]) -> int:
    """How many of the sets have no element in common, by taking the smallest first."""
    seen = count = 0
    for number in sorted(sets, key=int.bit_count):
        if not number & seen:
            seen |= number
            count += 1
    return count
