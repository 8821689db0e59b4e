"""Each failed check says exactly what was wrong."""

from __future__ import annotations

import pytest

from reviewscore.arguments.reconstruct import feedback
from reviewscore.logic.validity import prove
from reviewscore.schema.argument import Faithfulness
from reviewscore.schema.proof import Proof, Validity


@pytest.mark.parametrize(
    ("premises", "conclusion", "expected"),
    [
        (["A & B | C", "A ->"], "A", ["- P1, column 7: ", "(A & B) | ...", "- P2, column 5: "]),
        (["A", "B\n& (C"], "A &", ["- P2, line 2, column 3: ", "- the conclusion, column 4: "]),
        (["A", "B", "-A"], "C", ["premises P1, P3 contradict each other"]),
        (["A & -A"], "C", ["Premise P1 contradicts itself"]),
        (["A"], "B | -B", ["true by logic alone"]),
        (["A"], "-A", ["prove the opposite", "This is how it can fail"]),
        (["A"], "B & -B", ["conclusion contradicts itself"]),
        (["A", "B"], "B", ["circular: premise P2 says the same"]),
        (["Premiere(a)"], "Premiered(a)", ["in no premise", "Premiered.", "mean Premiere where"]),
        (
            ["A"],
            "B",
            ["does not follow", "This is how it can fail:", "holds: A;", "A -> B\n"],
        ),
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


def test_names_that_do_not_fit_are_told_apart_from_formulas_that_cannot_be_read() -> None:
    keys = {"A": "a thing", "Unused": "another thing", "B(x)": "x is so"}

    words = feedback(prove({"P1": "A", "P2": "Fresh"}, "B", keys=keys), None)

    assert "names do not fit together" in words
    assert "- P2, column 1: 'Fresh' is not among the keys" in words
    assert "- the conclusion, column 1: 'B' has 0 arguments here but 1 in its key" in words
    assert "Also: 'Unused' has a key" in words


def test_the_missing_link_is_told_in_words_and_as_a_formula() -> None:
    keys = {"A": "rain was left out", "B": "the counts are weak"}

    words = feedback(prove({"P1": "A"}, "B", keys=keys), None)

    assert "and yet it is not the case that the counts are weak" in words
    assert "If rain was left out, then the counts are weak.\nA -> B" in words


def test_an_unknown_outcome_asks_for_something_simpler() -> None:
    assert "simpler" in feedback(Proof(validity=Validity.UNKNOWN), None)


def test_an_invalid_argument_without_a_countermodel_still_says_what_to_do() -> None:
    words = feedback(Proof(validity=Validity.INVALID), None)

    assert "This is how it can fail" not in words
    assert "Add the unstated premise" in words


def test_an_unfaithful_verdict_is_told_with_the_judges_reasons_fenced() -> None:
    verdict = Faithfulness(faithful=False, rationale="Premise P2 is stronger than the review.")

    words = feedback(Proof(validity=Validity.VALID, needed=("P1",)), verdict)

    assert "does not say what the reviewer said" in words
    assert "Premise P2 is stronger than the review.\n</reasons-of-the-judge-" in words
    assert "reasons" not in feedback(None, Faithfulness(faithful=False))


@pytest.mark.parametrize("faithful", [True, None])
def test_nothing_is_said_where_nothing_failed(faithful: bool | None) -> None:
    assert feedback(Proof(validity=Validity.VALID), Faithfulness(faithful=faithful)) == ""
    assert feedback(Proof(validity=Validity.VALID), None) == ""
    assert feedback(None, None) == ""
