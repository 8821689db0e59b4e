"""Three hundred arguments with a planted fault: none is missed, none passes for a proof."""

from __future__ import annotations

import pytest

from reviewscore.logic.validity import prove
from reviewscore.schema.proof import Proof, Validity
from tests.logic.planted import Planted, planted


def found(proof: Proof) -> str:
    if proof.validity is Validity.ILL_FORMED:
        return {"two-arities": "arity", "two-roles": "role"}[proof.problems[0].code]
    if proof.validity is Validity.INCONSISTENT_PREMISES:
        return "inconsistent"
    if proof.tautological_conclusion:
        return "tautological"
    return "circular" if proof.circular else proof.validity.value


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_planted_fault_is_found_and_none_shows_anything(seed: int) -> None:
    missed: list[tuple[Planted, str]] = []
    for one in planted(100, seed):
        proof = prove(one.premises, one.conclusion)
        assert not proof.shows
        if found(proof) != one.fault:
            missed.append((one, found(proof)))

    assert missed == []
