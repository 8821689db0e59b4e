"""A second prover, fed with our trees, agrees on every argument that both decide."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from reviewscore.logic.fol import Formula, Not, background
from reviewscore.logic.parser import parse, read
from reviewscore.logic.validity import prove
from reviewscore.schema.proof import Validity
from tests.logic.planted import planted
from tests.logic.test_shared_formulas import formulas, records
from tests.logic.tptp import problem

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def eprover() -> str:
    found = shutil.which("eprover")
    if found is None:
        pytest.skip("eprover is not installed (apt-get install eprover)")
    return found


def entails(eprover: str, premises: list[Formula], conclusion: Formula | None) -> bool | None:
    """What the second prover says: a proof, a model, or neither within its time."""
    run = subprocess.run(
        [eprover, "--auto", "--silent", "--cpu-limit=5", "--tstp-format", "-"],
        input=problem(premises, conclusion),
        capture_output=True,
        text=True,
        check=False,
    )
    for status, answer in (
        ("Theorem", True),
        ("ContradictoryAxioms", True),
        ("Unsatisfiable", True),
        ("CounterSatisfiable", False),
        ("Satisfiable", False),
    ):
        if f"SZS status {status}" in run.stdout:
            return answer
    return None


def compare(eprover: str, premises: dict[str, str], conclusion: str, *, lenient: bool) -> bool:
    """Whether both decided; fails the test if they disagree."""
    proof = prove(premises, conclusion, lenient=lenient, explain=False)
    if proof.validity in (Validity.ILL_FORMED, Validity.UNKNOWN):
        return False
    trees = [read(one, lenient=lenient).formula for one in premises.values()]
    goal = read(conclusion, lenient=lenient).formula
    trees += background([*trees, goal])
    contradictory = entails(eprover, trees, None)
    follows = entails(eprover, trees, goal)
    if contradictory is None or follows is None:
        return False
    inconsistent = proof.validity is Validity.INCONSISTENT_PREMISES
    assert contradictory == inconsistent, (premises, conclusion)
    assert follows == (inconsistent or proof.validity is Validity.VALID), (premises, conclusion)
    return True


def test_both_provers_agree_on_planted_arguments(eprover: str) -> None:
    decided = [
        compare(eprover, one.premises, one.conclusion, lenient=False) for one in planted(60, seed=7)
    ]

    assert sum(decided) >= 35


def test_both_provers_agree_on_comparisons(eprover: str) -> None:
    for texts, conclusion, expected in [
        (["size(a) > 9"], "size(a) > 3", True),
        (["size(a) > 3"], "size(a) > 9", False),
        (["a < b", "b < c"], "a < c", True),
        (["a <= b", "b <= a"], "a = b", True),
        (["size(a) = 3", "size(b) = 4"], "a != b", True),
    ]:
        named = {f"P{n}": one for n, one in enumerate(texts)}
        trees = [parse(one) for one in texts]
        laws = background([*trees, parse(conclusion)])

        assert prove(named, conclusion).shows is expected
        assert entails(eprover, [*trees, *laws], parse(conclusion)) is expected


@pytest.mark.shared
def test_both_provers_agree_on_formalisations_by_models(eprover: str, shared: Path) -> None:
    rows = [
        row
        for name in ("linc_gpt-3.5_folio", "logiclm_gpt-3.5-turbo")
        for row in records(shared, name)
    ]
    decided = 0
    for row in random.Random(5).sample(rows, 150):
        *premises, conclusion = formulas(row)
        named = {f"P{n}": one for n, one in enumerate(premises)}
        decided += compare(eprover, named, conclusion, lenient=True)

    assert decided >= 90


def test_the_second_prover_is_asked_in_its_own_notation(eprover: str) -> None:
    trees = [parse("forall x (P(x) xor Q(x))"), parse("P(a) <-> -R")]

    assert entails(eprover, trees, Not(parse("P(a) & Q(a)"))) is True
    assert entails(eprover, trees, parse("R")) is False
