"""Premises (explicit or implicit), conclusion, their first-order form, and the loop's history."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pydantic import Field

from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.record import Record, shortened
from reviewscore.schema.verdict import PremiseVerdict, Provenance


class ArgumentState(StrEnum):
    """How a reconstruction ended."""

    ACCEPTED = "accepted"  # valid and judged faithful
    VALID_UNJUDGED = "valid_unjudged"  # valid; no judge of faithfulness was asked
    UNFAITHFUL = "unfaithful"
    CIRCULAR = "circular"  # a premise says the same as the conclusion
    TAUTOLOGICAL = "tautological"  # the conclusion is true by logic alone
    INVALID = "invalid"
    INCONSISTENT = "inconsistent"
    ILL_FORMED = "ill_formed"  # a formula does not parse
    ILL_TYPED = "ill_typed"  # all parse, but a name is used in two ways or has no key
    UNKNOWN = "unknown"

    @property
    def passed(self) -> bool:
        """Whether it is proved and was not found unfaithful: only then are premises judged."""
        return self in (ArgumentState.ACCEPTED, ArgumentState.VALID_UNJUDGED)


class Failure(StrEnum):
    """By what the conjunction of an argument's premises fails.

    A link is an implicit conditional premise, which carries reasons to the conclusion; every other
    premise is a fact.
    """

    FACT = "fact"
    LINK = "link"  # all facts hold; the conclusion does not follow from them
    MIXED = "mixed"  # a fact, and a link besides


class Premise(Record):
    """One premise of an argument.

    Attributes:
        premise_id: ``P1``, ``P2``, ...
        text: English, streamlined from the formula once the argument is proved.
        formula: First-order text in our grammar.
        explicit: Whether the reviewer wrote it (otherwise it is presumed).
        needed: Whether the proof found needs it; None until proved.
        verdict: Factuality and untrivialness; None if it was not judged.
    """

    premise_id: str
    text: str
    formula: str
    explicit: bool
    needed: bool | None = None
    verdict: PremiseVerdict | None = None


class Extraction(Record):
    """The reviewer's own words for what is concluded and why, before any reconstruction.

    Attributes:
        conclusion: The reviewer's words for what the reader is to accept.
        reasons: Those for each thing that is said in its support.
        provenance: Where it came from.
    """

    conclusion: str
    reasons: tuple[str, ...]
    provenance: tuple[Provenance, ...] = ()


class Draft(Record):
    """A reconstruction with formulas, before it is proved."""

    premises: tuple[Premise, ...]
    intermediate_conclusions: tuple[str, ...] = ()
    conclusion: str
    conclusion_formula: str
    keys: dict[str, str] = Field(default_factory=dict)
    proof: str = ""
    provenance: tuple[Provenance, ...] = ()


class Streamlined(Record):
    """Formulas put back into English: one text per premise, in order, and the conclusion."""

    premises: tuple[str, ...]
    conclusion: str
    provenance: tuple[Provenance, ...] = ()


class Faithfulness(Record):
    """Whether a reconstruction says what the reviewer said; None if no judge was asked.

    Attributes:
        votes: What each judge of a panel said; empty for one judge.
    """

    faithful: bool | None
    rationale: str = ""
    votes: tuple[bool, ...] = ()
    provenance: tuple[Provenance, ...] = ()


class Round(Record):
    """One attempt of the loop, and what was told to the model about it.

    Attributes:
        number: 1 for the first attempt.
        premises: The premises of this attempt.
        intermediate_conclusions: Steps between premises and conclusion.
        conclusion: Its conclusion in English.
        conclusion_formula: The same in our grammar.
        keys: What each predicate and constant means.
        proof: The model's own words for the proof.
        state: How the loop would end if this were its last round.
        finding: What the prover found.
        faithful: Whether it was judged faithful; None if nobody was asked.
        faithfulness_rationale: Why, in the judge's words.
        votes: What each judge of a panel said of its faithfulness; empty for one judge.
        feedback: What was told to the model; empty if nothing was wrong.
        provenance: Where it came from: what was asked of whom, with which prompt.
    """

    number: int = Field(ge=1)
    premises: tuple[Premise, ...]
    intermediate_conclusions: tuple[str, ...] = ()
    conclusion: str
    conclusion_formula: str
    keys: dict[str, str] = Field(default_factory=dict)
    proof: str = ""
    state: ArgumentState
    finding: Proof
    faithful: bool | None = None
    faithfulness_rationale: str = ""
    votes: tuple[bool, ...] = ()
    feedback: str = ""
    provenance: tuple[Provenance, ...] = ()


class Argument(Record):
    """A reconstruction (ReviewScore, sec. 3.2): the last attempt, its state, and every round.

    Attributes:
        verbatim_conclusion: The reviewer's own words for the conclusion.
        verbatim_reasons: The reviewer's own words for the reasons.
        premises: Premises the proof needs when the argument is valid; all of them otherwise.
        intermediate_conclusions: Steps between premises and conclusion, in English.
        conclusion: English, streamlined from the formula once the argument is proved.
        conclusion_formula: First-order text in our grammar.
        keys: What each predicate and constant means, as ``Name(x)`` to a sentence.
        proof: The model's own words for the proof; nothing rests on them.
        state: How the loop ended; only ``accepted`` arguments have all premises judged.
        validity: What the prover found of the last attempt.
        faithful: Whether it was judged to say what the reviewer said; None if nobody was asked.
        failure: By what the conjunction of the premises fails; None if it does not fail, or only
            links are known to be false and a fact has no verdict.
        rounds: Every attempt, in order.
    """

    verbatim_conclusion: str
    verbatim_reasons: tuple[str, ...]
    premises: tuple[Premise, ...]
    intermediate_conclusions: tuple[str, ...] = ()
    conclusion: str
    conclusion_formula: str
    keys: dict[str, str] = Field(default_factory=dict)
    proof: str = ""
    state: ArgumentState
    validity: Validity
    faithful: bool | None = None
    failure: Failure | None = Field(default=None, exclude_if=lambda value: value is None)
    rounds: tuple[Round, ...]

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield None, shortened(self.conclusion)
        yield None, shortened(self.state)
        yield "premises", len(self.premises)
        yield "rounds", len(self.rounds)

    def _repr_html_(self) -> str:
        """The reconstruction as a report shows it, for notebooks."""
        from reviewscore.pages.notebook import argument_html

        return argument_html(self)
