"""Each failed check says exactly what was wrong."""

from __future__ import annotations

import pytest

from reviewscore.arguments.feedback import feedback
from reviewscore.logic.validity import Proof, prove
from reviewscore.schema.argument import Faithfulness, Validity


@pytest.mark.parametrize(
    ("premises", "conclusion", "expected"),
    [
        (["A & B | C", "A ->"], "A", ["- P1, column 7: ", "(A & B) | ...", "- P2, column 5: "]),
        (["A", "B\n& (C"], "A &", ["- P2, line 2, column 3: ", "- the conclusion, column 4: "]),
        (["A", "B", "-A"], "C", ["premises P1, P3 contradict each other"]),
        (["A & -A"], "C", ["Premise P1 contradicts itself"]),
        (["A"], "B | -B", ["true by logic alone"]),
        (["A"], "B & -B", ["conclusion contradicts itself"]),
        (["A", "B"], "B", ["circular: premise P2 says the same"]),
        (["Premiere(a)"], "Premiered(a)", ["in no premise", "Premiered.", "mean Premiere where"]),
        (["A"], "B", ["does not follow", "This is how it can fail:", "only this holds: A."]),
    ],
)
def test_a_failed_proof_says_where_and_why(
    premises: list[str], conclusion: str, expected: list[str]
) -> None:
    proof = prove({f"P{n}": text for n, text in enumerate(premises, start=1)}, conclusion)

    words = feedback(proof, None)

    for part in expected:
        assert part in words
    assert "\n\n" not in words


def test_an_unknown_outcome_asks_for_something_simpler() -> None:
    assert "simpler" in feedback(Proof(Validity.UNKNOWN), None)


def test_an_invalid_argument_without_a_countermodel_still_says_what_to_do() -> None:
    words = feedback(Proof(Validity.INVALID), None)

    assert "This is how it can fail" not in words
    assert "Add the unstated premise" in words


def test_an_unfaithful_verdict_is_told_with_the_judges_reasons_fenced() -> None:
    verdict = Faithfulness(faithful=False, rationale="Premise P2 is stronger than the review.")

    words = feedback(Proof(Validity.VALID, needed=("P1",)), verdict)

    assert "does not say what the reviewer said" in words
    assert "Premise P2 is stronger than the review.\n</reasons-of-the-judge-" in words
    assert "reasons" not in feedback(None, Faithfulness(faithful=False))


@pytest.mark.parametrize("faithful", [True, None])
def test_nothing_is_said_where_nothing_failed(faithful: bool | None) -> None:
    assert feedback(Proof(Validity.VALID), Faithfulness(faithful=faithful)) == ""
    assert feedback(Proof(Validity.VALID), None) == ""
    assert feedback(None, None) == ""
