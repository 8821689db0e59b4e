"""What the prover found, as lines for people."""

from __future__ import annotations

from collections.abc import Sequence

from reviewscore.schema.proof import Proof, Validity

_REASONS = {
    "work": "the limit of work was reached",
    "time": "the time was used up",
    "memory": "the memory was used up",
}


def headline(proof: Proof) -> str:
    """The finding in one line."""
    if proof.validity is Validity.VALID:
        return _valid(proof)
    core = " and ".join(proof.inconsistent_core)
    together = "contradicts itself" if len(proof.inconsistent_core) == 1 else "cannot all hold"
    why = "contradicts itself" if proof.contradictory_conclusion else "does not follow"
    why = "is the opposite of what follows" if proof.refuted else why
    return {
        Validity.INVALID: f"not valid: the conclusion {why}",
        Validity.INCONSISTENT_PREMISES: (
            f"inconsistent premises: {core} {together}, so everything would follow"
        ),
        Validity.UNKNOWN: f"unknown: {_REASONS.get(proof.reason, 'a limit was reached')}",
        Validity.ILL_FORMED: "ill-typed" if proof.ill_typed else "ill-formed",
    }[proof.validity]


def _valid(proof: Proof) -> str:
    if proof.tautological_conclusion:
        return "valid, but shows nothing: the conclusion is true by logic alone"
    if proof.circular:
        return f"valid, but circular: {proof.circular_premise} says the same as the conclusion"
    return "valid"


def details(proof: Proof) -> list[str]:
    """What more there is to say, one line each."""
    told = []
    if proof.validity is Validity.VALID and not proof.tautological_conclusion:
        smallest = ", a smallest set" if proof.minimum == proof.needed else ""
        told.append(f"proof from {_listed(proof.needed)}{smallest}")
    if proof.unused:
        told.append(f"not needed by it: {_listed(proof.unused)}")
    if proof.trivial:
        told.append(f"true by logic alone: {_listed(proof.trivial)}")
    told += [
        f"{'warning' if one.warning else 'error'} {one.code} in {one.where}, line {one.line}, "
        f"column {one.column}: {one.message}"
        for one in proof.problems
    ]
    told += _reasons(proof)
    told += [
        f"{'assumed' if one.assumed else 'normalised'} {one.code} in {one.where}, line {one.line}, "
        f"column {one.column}"
        for one in proof.normalised
    ]
    return told


def _reasons(proof: Proof) -> list[str]:
    told = []
    if proof.unproved_predicates:
        told.append(f"in no premise: {_listed(proof.unproved_predicates)}")
    told += [f"did you mean {near} for {name}?" for name, near in proof.similar_predicates]
    if proof.countermodel:
        told.append(f"how it can fail: {proof.countermodel}")
    if proof.missing_link:
        link = proof.missing_link
        words = "" if link.text == link.formula else f" ({link.text})"
        told.append(f"missing link, at its weakest: {link.formula}{words}")
    return told


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
