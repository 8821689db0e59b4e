"""Valid, invalid, inconsistent premises, unknown or ill-formed; and which premises are needed.

Order of the findings, the first one decides: a formula does not parse; a name is used in two
ways; the premises contradict each other (settled before anything else, so that a limit reached
there never becomes a verdict); the conclusion is true or false by logic alone; it repeats a
premise; it is equivalent to one; it follows, and from which premises; it does not follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from reviewscore.errors import FormulaError
from reviewscore.logic.countermodel import countermodel
from reviewscore.logic.fol import Formula, Not, canonical, symbols
from reviewscore.logic.parser import Reading, read
from reviewscore.logic.vocabulary import conflicts
from reviewscore.logic.z3_backend import Limits, Outcome, Session
from reviewscore.schema.argument import Validity

CONCLUSION = "C"
"""How the conclusion is named among premises."""

LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one formula is ill-formed.

    Attributes:
        where: Id of the premise, or ``C`` for the conclusion.
        code: Short stable name of the kind of problem.
        message: A sentence that a person or a model can act on.
        line: 1-based line in the formula's text.
        column: 1-based column in the formula's text.
    """

    where: str
    code: str
    message: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known about whether a conclusion follows from premises. Holds no times.

    Attributes:
        validity: The finding. An argument can be valid and still show nothing: see `shows`.
        circular: Whether the conclusion repeats or is equivalent to one premise, as far as the
            limits allow to tell.
        circular_premise: That premise.
        needed: For valid arguments, premises that suffice and of which none can be left out.
            Others may suffice as well: a premise not listed is not needed in this proof.
        unused: The other premises of a valid argument.
        inconsistent_core: Premises that contradict each other, of which none can be left out.
        problems: Every problem of every ill-formed formula.
        tautological_conclusion: The conclusion is true whatever the premises say.
        contradictory_conclusion: The conclusion is false whatever the premises say.
        unproved_predicates: Predicates of an invalid argument's conclusion that occur in no
            premise: the usual reason; a hint, not a verdict.
        similar_predicates: Pairs of such a predicate and one of the premises with a similar name.
        countermodel: A story of how the premises can be true and the conclusion false.
    """

    validity: Validity
    circular: bool = False
    circular_premise: str | None = None
    needed: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    inconsistent_core: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    tautological_conclusion: bool = False
    contradictory_conclusion: bool = False
    unproved_predicates: tuple[str, ...] = ()
    similar_predicates: tuple[tuple[str, str], ...] = ()
    countermodel: str | None = None

    @property
    def shows(self) -> bool:
        """Whether the premises support the conclusion: valid, not circular, not a tautology."""
        return (
            self.validity is Validity.VALID
            and not self.circular
            and not self.tautological_conclusion
        )


def prove(
    premises: Mapping[str, str],
    conclusion: str,
    *,
    keys: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
) -> Proof:
    """Find out whether the conclusion follows from the premises.

    Different constants are not taken to be different individuals. Bad formulas are a finding, not
    an exception, and the limits end every search.

    Args:
        premises: Formulas in our grammar (see `parser`) by premise id, in order.
        conclusion: A formula in our grammar.
        keys: What the names mean, as ``Name(x)`` to a sentence with x; for the counter-model.
        limits: How much work this may be.
    """
    if len(premises) > limits.premises:
        message = f"There are {len(premises)} premises; at most {limits.premises} are allowed."
        problem = Problem(CONCLUSION, "too-many-premises", message)
        return Proof(Validity.ILL_FORMED, problems=(problem,))
    readings, reading, problems = _read(premises, conclusion)
    if reading is None or problems:
        return Proof(Validity.ILL_FORMED, problems=problems)
    trees = {label: one.formula for label, one in readings.items()}
    return _Search(trees, reading.formula, Session(limits)).proof(keys or {})


def _read(
    premises: Mapping[str, str], conclusion: str
) -> tuple[dict[str, Reading], Reading | None, tuple[Problem, ...]]:
    """Read all formulas; the vocabulary is compared among those that parse."""
    problems: list[Problem] = []
    readings: list[tuple[str, Reading]] = []
    for label, text in (*premises.items(), (CONCLUSION, conclusion)):
        try:
            readings.append((label, read(text)))
        except FormulaError as error:
            problems.append(_problem(label, error))
    problems += [_problem(label, error) for label, error in conflicts(readings)]
    whole = len(readings) == len(premises) + 1
    return dict(readings[:-1]), readings[-1][1] if whole else None, tuple(problems)


def _problem(where: str, error: FormulaError) -> Problem:
    return Problem(where, error.code, error.message, error.line, error.column)


class _Search:
    """The findings about one well-formed argument, in their order."""

    def __init__(
        self, premises: Mapping[str, Formula], conclusion: Formula, session: Session
    ) -> None:
        self._premises, self._conclusion, self._session = premises, conclusion, session

    def proof(self, keys: Mapping[str, str]) -> Proof:
        consistent = self._session.check(self._premises)
        if consistent.outcome is Outcome.UNSATISFIABLE:
            core = self._session.irreducible(self._premises, consistent.core)
            return Proof(Validity.INCONSISTENT_PREMISES, inconsistent_core=core)
        if consistent.outcome is Outcome.UNKNOWN:
            return Proof(Validity.UNKNOWN)
        if self._impossible(Not(self._conclusion)):
            unused = tuple(self._premises)
            return Proof(Validity.VALID, tautological_conclusion=True, unused=unused)
        # The premises are consistent, so nothing impossible follows from them.
        if self._impossible(self._conclusion):
            return Proof(Validity.INVALID, contradictory_conclusion=True)
        repeated = self._repeated()
        if repeated is not None:
            unused = tuple(one for one in self._premises if one != repeated)
            return Proof(
                Validity.VALID,
                circular=True,
                circular_premise=repeated,
                needed=(repeated,),
                unused=unused,
            )
        return self._entailment(keys)

    def _impossible(self, *formulas: Formula) -> bool:
        answer = self._session.check({str(n): one for n, one in enumerate(formulas)})
        return answer.outcome is Outcome.UNSATISFIABLE

    def _repeated(self) -> str | None:
        """The first premise that is the conclusion, else the first that is equivalent to it."""
        same = canonical(self._conclusion)
        for label, premise in self._premises.items():
            if canonical(premise) == same:
                return label
        for label, premise in self._premises.items():
            if self._impossible(premise, Not(self._conclusion)) and self._impossible(
                self._conclusion, Not(premise)
            ):
                return label
        return None

    def _entailment(self, keys: Mapping[str, str]) -> Proof:
        # Ids of premises are the user's own: the mark of the denied conclusion must differ.
        denied = "\0denied"
        formulas = {**self._premises, denied: Not(self._conclusion)}
        answer = self._session.check(formulas)
        if answer.outcome is Outcome.UNKNOWN:
            return Proof(Validity.UNKNOWN)
        if answer.outcome is Outcome.SATISFIABLE:
            return self._invalid(keys)
        core = self._session.irreducible(formulas, answer.core, fixed=denied)
        needed = tuple(one for one in core if one != denied)
        unused = tuple(one for one in self._premises if one not in needed)
        return Proof(Validity.VALID, needed=needed, unused=unused)

    def _invalid(self, keys: Mapping[str, str]) -> Proof:
        used = {name for one in self._premises.values() for name, _ in symbols(one).predicates}
        missing = sorted({name for name, _ in symbols(self._conclusion).predicates} - used)
        lowered = {name.lower(): name for name in sorted(used)}
        near = [(name, get_close_matches(name.lower(), lowered, n=1)) for name in missing]
        premises = tuple(self._premises.values())
        return Proof(
            Validity.INVALID,
            unproved_predicates=tuple(missing),
            similar_predicates=tuple((name, lowered[found[0]]) for name, found in near if found),
            countermodel=countermodel(premises, self._conclusion, self._session, keys),
        )
