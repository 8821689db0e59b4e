"""Valid, invalid, inconsistent premises, unknown or ill-formed; and which premises are needed.

Order of the findings, the first one decides: a formula does not parse; a name is used in two
ways or has no key; the premises contradict each other (settled before anything else, so that a
limit reached there never becomes a verdict); the conclusion follows, or does not; if it follows,
whether it is true by logic alone, repeats a premise or is equivalent to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from reviewscore.errors import FormulaError
from reviewscore.logic.countermodel import countermodel
from reviewscore.logic.explain import missing_link, story
from reviewscore.logic.fol import LESS, Atom, Formula, Not, background, canonical, symbols
from reviewscore.logic.parser import ParsedFormula, read
from reviewscore.logic.vocabulary import Key, conflicts, read_keys, undeclared, unused
from reviewscore.logic.z3_backend import (
    CheckOutcome,
    ProofLimits,
    ProofSession,
    irreducible,
    smallest,
)
from reviewscore.schema.proof import Normalisation, Problem, Proof, Validity

CONCLUSION = "C"
"""How the conclusion is named among premises."""

LIMITS = ProofLimits()
MAX_CHARACTERS = 400_000
"""Most characters of all formulas of one argument."""

_DENIED = "\0denied"
_CONCLUSION = "\0conclusion"
# Ids of premises are the user's own: no other label may be one of them.


def prove(
    premises: Mapping[str, str],
    conclusion: str,
    *,
    keys: Mapping[str, str] | None = None,
    lenient: bool = False,
    explain: bool = True,
    limits: ProofLimits = LIMITS,
) -> Proof:
    """Find out whether the conclusion follows from the premises.

    Different constants are not taken to be different individuals; different numbers are. Bad
    formulas are a finding, not an exception, and the limits end every search.

    Args:
        premises: Formulas in our grammar (see `parser`) by premise id, in order.
        conclusion: A formula in our grammar.
        keys: What the names mean, as ``Name(x)`` to a sentence with x. If there are any, every
            name needs one.
        lenient: Read what the strict grammar refuses, under assumptions that are listed.
        explain: Where it does not follow, look for a counter-model, a missing link and premises
            that are true by logic alone, which takes about as long as all the rest.
        limits: How much work this may be.
    """
    too_much = _too_much(premises, conclusion, limits)
    if too_much is not None:
        return Proof(validity=Validity.ILL_FORMED, problems=(too_much,))
    declared, unread = read_keys(keys or {})
    readings, problems = _read(premises, conclusion, lenient=lenient)
    problems += [_problem(label, error, typing=True) for label, error in conflicts(readings)]
    if keys:
        problems += _key_problems(readings, declared, unread)
    if keys and len(readings) > len(premises):  # else a name may be used where nothing was read
        problems += _unused_keys(readings, declared)
    notes = tuple(
        _normalisation(label, reading, code, offset, assumed=assumed)
        for label, reading in readings
        for code, offset, assumed in reading.notes
    )
    if any(not problem.warning for problem in problems):
        return Proof(validity=Validity.ILL_FORMED, problems=tuple(problems), normalised=notes)
    trees = {label: reading.formula for label, reading in readings[:-1]}
    proof = _Search(trees, readings[-1][1].formula, ProofSession(limits)).proof(
        declared if explain else None
    )
    return proof.model_copy(update={"problems": tuple(problems), "normalised": notes})


def _too_much(premises: Mapping[str, str], conclusion: str, limits: ProofLimits) -> Problem | None:
    if len(premises) > limits.premises:
        message = f"There are {len(premises)} premises; at most {limits.premises} are allowed."
        return Problem(where=CONCLUSION, code="too-many-premises", message=message)
    total = sum(map(len, premises.values())) + len(conclusion)
    if total > MAX_CHARACTERS:
        message = f"The formulas have {total} characters; at most {MAX_CHARACTERS} are allowed."
        return Problem(where=CONCLUSION, code="too-long", message=message)
    return None


def _read(
    premises: Mapping[str, str], conclusion: str, *, lenient: bool
) -> tuple[list[tuple[str, ParsedFormula]], list[Problem]]:
    """Read all formulas; what is wrong with one does not keep the others from being read."""
    problems: list[Problem] = []
    readings: list[tuple[str, ParsedFormula]] = []
    for label, text in (*premises.items(), (CONCLUSION, conclusion)):
        try:
            readings.append((label, read(text, lenient=lenient)))
        except FormulaError as error:
            problems.append(_problem(label, error))
    return readings, problems


def _key_problems(
    readings: list[tuple[str, ParsedFormula]], keys: Mapping[str, Key], unread: tuple[str, ...]
) -> list[Problem]:
    problems = [_problem(label, error, typing=True) for label, error in undeclared(readings, keys)]
    problems += [
        Problem(
            where="keys",
            code="bad-key",
            message=f"'{text}' is not a key; write Name, or Name(x, y) with one variable each.",
            typing=True,
        )
        for text in unread
    ]
    return problems


def _unused_keys(
    readings: list[tuple[str, ParsedFormula]], keys: Mapping[str, Key]
) -> list[Problem]:
    return [
        Problem(
            where="keys",
            code="unused-key",
            message=f"'{text}' has a key but occurs in no formula; use it or leave it out.",
            typing=True,
            warning=True,
        )
        for text in unused(readings, keys)
    ]


def _problem(where: str, error: FormulaError, *, typing: bool = False) -> Problem:
    return Problem(
        where=where,
        code=error.code,
        message=error.message,
        line=error.line,
        column=error.column,
        typing=typing,
    )


def _normalisation(
    where: str, reading: ParsedFormula, code: str, offset: int, *, assumed: bool
) -> Normalisation:
    line, column = reading.source.place(offset)
    return Normalisation(where=where, code=code, line=line, column=column, assumed=assumed)


class _Search:
    """The findings about one well-formed argument, in their order."""

    def __init__(
        self, premises: Mapping[str, Formula], conclusion: Formula, session: ProofSession
    ) -> None:
        self._premises, self._conclusion, self._session = premises, conclusion, session
        self._denials: set[str] = set()
        session.assume(background((*premises.values(), conclusion)))
        for label, formula in premises.items():
            session.add(label, formula)
        session.add(_CONCLUSION, conclusion)
        session.add(_DENIED, Not(conclusion))

    def proof(self, keys: Mapping[str, Key] | None) -> Proof:
        """All findings; without keys no explanation of what is invalid."""
        labels = tuple(self._premises)
        answer = self._session.check((*labels, _DENIED))
        if answer.outcome is CheckOutcome.SATISFIABLE:
            return self._invalid(keys)
        # Nothing is concluded before the premises alone are known to be consistent.
        consistent = self._session.check(labels)
        if consistent.outcome is CheckOutcome.UNSATISFIABLE:
            core = irreducible(self._session, consistent.core)
            return Proof(validity=Validity.INCONSISTENT_PREMISES, inconsistent_core=core)
        for result in (consistent, answer):
            if result.outcome is CheckOutcome.UNKNOWN:
                return Proof(validity=Validity.UNKNOWN, reason=result.reason)
        return self._valid(answer.core)

    def _valid(self, core: tuple[str, ...]) -> Proof:
        minimum = smallest(self._session, tuple(self._premises), _DENIED)
        if minimum == () or (minimum is None and self._session.impossible(_DENIED)):
            return Proof(
                validity=Validity.VALID,
                tautological_conclusion=True,
                minimum=(),
                unused=tuple(self._premises),
                trivial=self._trivial(self._premises),
            )
        # Where one premise does not suffice, none is equivalent to the conclusion.
        alone = minimum is None or len(minimum) == 1
        repeated = self._repeated() if alone else None
        if repeated is not None:
            needed: tuple[str, ...] = (repeated,)
        elif minimum is not None:
            needed = minimum
        else:
            kept = irreducible(self._session, core, fixed=[_DENIED])
            needed = tuple(text for text in kept if text != _DENIED)
        unused = tuple(premise for premise in self._premises if premise not in needed)
        return Proof(
            validity=Validity.VALID,
            circular=repeated is not None,
            circular_premise=repeated,
            needed=needed,
            minimum=minimum,
            unused=unused,
            trivial=self._trivial(unused),
        )

    def _trivial(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Premises that are true by logic alone; facts and denials of facts cannot be."""
        compound = [label for label in labels if not _is_literal(self._premises[label])]
        return tuple([text for text in compound if self._session.impossible(self._denial(text))])

    def _denial(self, label: str) -> str:
        """The label of what a premise denies."""
        denied = f"\0denied {label}"
        if denied not in self._denials:
            self._denials.add(denied)
            self._session.add(denied, Not(self._premises[label]))
        return denied

    def _repeated(self) -> str | None:
        """The first premise that is the conclusion, else the first that is equivalent to it."""
        same = canonical(self._conclusion)
        for label, premise in self._premises.items():
            if canonical(premise) == same:
                return label
        for label in self._premises:
            if self._session.impossible(label, _DENIED) and self._session.impossible(
                _CONCLUSION, self._denial(label)
            ):
                return label
        return None

    def _invalid(self, keys: Mapping[str, Key] | None) -> Proof:
        trivial = () if keys is None else self._trivial(self._premises)
        # The premises are consistent, so nothing impossible follows from them.
        refuted = self._session.impossible(*self._premises, _CONCLUSION)
        if refuted and self._session.impossible(_CONCLUSION):
            return Proof(validity=Validity.INVALID, contradictory_conclusion=True, trivial=trivial)
        used = {
            name for premise in self._premises.values() for name, _ in symbols(premise).predicates
        }
        wanted = {name for name, _ in symbols(self._conclusion).predicates}
        missing = sorted(wanted - used - {LESS})
        lowered = {name.lower(): name for name in sorted(used)}
        near = [(name, get_close_matches(name.lower(), lowered, n=1)) for name in missing]
        proof = Proof(
            validity=Validity.INVALID,
            trivial=trivial,
            refuted=refuted,
            unproved_predicates=tuple(missing),
            similar_predicates=tuple((name, lowered[ones[0]]) for name, ones in near if ones),
        )
        return proof if keys is None else self._explained(proof, keys)

    def _explained(self, proof: Proof, keys: Mapping[str, Key]) -> Proof:
        premises = tuple(self._premises.values())
        model = countermodel(premises, self._conclusion, self._session)
        text = None if model is None else story(model, self._conclusion, keys)
        link = None if proof.refuted else missing_link(premises, self._conclusion, keys)
        return proof.model_copy(update={"countermodel": text, "missing_link": link})


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula.body if isinstance(formula, Not) else formula, Atom)
