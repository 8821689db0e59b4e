"""What is known about whether a conclusion follows from premises."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from reviewscore.schema.record import Record


class Validity(StrEnum):
    """Outcome of a proof. Only VALID is a proof; unknown is never read as invalid."""

    VALID = "valid"
    INVALID = "invalid"
    INCONSISTENT_PREMISES = "inconsistent_premises"  # everything follows, so nothing is shown
    UNKNOWN = "unknown"  # the solver gave up within its limits
    ILL_FORMED = "ill_formed"  # a formula does not parse, or a name is used in two ways


class Problem(Record):
    """What is wrong with one formula or name.

    Attributes:
        where: Id of the premise, ``C`` for the conclusion, ``keys`` for the keys.
        code: Short stable name of the kind of problem.
        message: A sentence that a person or a model can act on.
        line: 1-based line in the formula's text.
        column: 1-based column in the formula's text.
        typing: Whether each formula parses but the names do not fit together.
        warning: Whether the formulas can be proved all the same.
    """

    where: str
    code: str
    message: str
    line: int = Field(default=1, ge=1)
    column: int = Field(default=1, ge=1)
    typing: bool = False
    warning: bool = False


class Normalisation(Record):
    """One deviation from the grammar that was read all the same.

    Attributes:
        where: Id of the premise, or ``C`` for the conclusion.
        code: Its name, see ``reviewscore.logic.lenient.NOTES``.
        line: 1-based line in the formula's text.
        column: 1-based column in the formula's text.
        assumed: Whether another meaning is conceivable (lenient reading only).
    """

    where: str
    code: str
    line: int = Field(default=1, ge=1)
    column: int = Field(default=1, ge=1)
    assumed: bool = False


class Link(Record):
    """The weakest conditional that would make an invalid argument valid.

    Attributes:
        formula: In our grammar.
        text: In English.
    """

    formula: str
    text: str


class Proof(Record):
    """What is known about an argument. Holds no times.

    Attributes:
        validity: The finding. An argument can be valid and still show nothing: see `shows`.
        circular: Whether the conclusion repeats or is equivalent to one premise, as far as the
            limits allow to tell.
        circular_premise: That premise.
        needed: For valid arguments, premises that suffice and of which none can be left out
            (irreducible): the repeated premise if circular, else `minimum` where it is known.
            Others may suffice as well: a premise not listed is not needed in this proof.
        minimum: A smallest set of premises that suffices, of several the first in the order of
            the premises; None if there are more than 20 premises or a limit was reached.
        unused: The premises of a valid argument that are not `needed`.
        trivial: Premises that are true by logic alone.
        inconsistent_core: Premises that contradict each other, of which none can be left out.
        problems: Every problem of every formula; warnings too.
        normalised: What was read although it deviates from the grammar.
        tautological_conclusion: The conclusion is true whatever the premises say.
        contradictory_conclusion: The conclusion is false whatever the premises say.
        refuted: The premises of an invalid argument prove the opposite of its conclusion.
        unproved_predicates: Predicates of an invalid argument's conclusion that occur in no
            premise: the usual reason; a hint, not a verdict.
        similar_predicates: Pairs of such a predicate and one of the premises with a similar name.
        countermodel: A story of how the premises can be true and the conclusion false.
        missing_link: What would make an invalid argument valid; None if it is refuted.
        reason: Why the outcome is unknown: ``work``, ``time`` or ``memory``; else empty.
    """

    validity: Validity
    circular: bool = False
    circular_premise: str | None = None
    needed: tuple[str, ...] = ()
    minimum: tuple[str, ...] | None = None
    unused: tuple[str, ...] = ()
    trivial: tuple[str, ...] = ()
    inconsistent_core: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    normalised: tuple[Normalisation, ...] = ()
    tautological_conclusion: bool = False
    contradictory_conclusion: bool = False
    refuted: bool = False
    unproved_predicates: tuple[str, ...] = ()
    similar_predicates: tuple[tuple[str, str], ...] = ()
    countermodel: str | None = None
    missing_link: Link | None = None
    reason: str = ""

    @property
    def shows(self) -> bool:
        """Whether the premises give the conclusion support: valid, and it is not theirs already."""
        return (
            self.validity is Validity.VALID
            and not self.circular
            and not self.tautological_conclusion
        )

    @property
    def ill_typed(self) -> bool:
        """Whether every formula parses, but the names do not fit together."""
        errors = [problem for problem in self.problems if not problem.warning]
        return bool(errors) and all(problem.typing for problem in errors)
