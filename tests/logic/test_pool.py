"""Proofs in worker processes: limits, replacement, and the same answer every time."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reviewscore.logic.pool import Provers
from reviewscore.logic.validity import prove
from reviewscore.logic.z3_backend import ProofLimits
from reviewscore.schema.proof import Proof, Validity

ENDLESS = {
    "P1": "forall x exists y (R(x, y)) & forall x (-R(x, x))",
    "P2": "forall x forall y forall z ((R(x, y) & R(y, z)) -> R(x, z))",
}
"""True of infinitely many individuals only: Z3 builds ever larger models."""


@pytest.fixture
def provers() -> Provers:
    made = Provers(1)
    yield made
    made.close()


def worker_of(provers: Provers) -> int:
    (worker,) = provers.pool.children
    return worker.process.pid


def kill(provers: Provers) -> None:
    """Kill the worker, and wait until it is dead."""
    (worker,) = provers.pool.children
    worker.process.kill()
    worker.process.wait(60)


def test_a_worker_finds_what_the_prover_finds(provers: Provers) -> None:
    for premises, conclusion in [
        ({"P1": "A", "P2": "A -> B"}, "B"),
        ({"P1": "A"}, "B"),
        ({"P1": "A", "P2": "-A"}, "B"),
        ({"P1": "A &"}, "B"),
        ({}, "A | -A"),
    ]:
        keys = {"A": "it rains", "B": "it pours"}
        assert provers.prove(premises, conclusion, keys=keys) == prove(
            premises, conclusion, keys=keys
        )


def test_a_worker_is_used_again_and_replaced_after_a_crash(provers: Provers) -> None:
    assert provers.prove({"P1": "A"}, "A & B").validity is Validity.INVALID
    first = worker_of(provers)
    assert provers.prove({"P1": "A & B"}, "A").validity is Validity.VALID
    assert worker_of(provers) == first

    kill(provers)

    assert provers.prove({"P1": "A & B"}, "A").validity is Validity.VALID
    assert worker_of(provers) != first


def test_an_interruption_of_the_program_does_not_reach_a_worker(provers: Provers) -> None:
    provers.prove({"P1": "A"}, "B")
    worker = worker_of(provers)
    os.kill(worker, signal.SIGINT)
    time.sleep(0.1)

    assert provers.prove({"P1": "A & B"}, "A").validity is Validity.VALID
    assert worker_of(provers) == worker
    assert os.getpgid(worker) != os.getpgid(0)


def test_a_worker_that_dies_on_an_argument_leaves_it_unknown(provers: Provers) -> None:
    provers.prove({"P1": "A"}, "B")
    with ThreadPoolExecutor(1) as thread:
        limits = ProofLimits(rlimit=2_000_000_000, seconds=30)
        asked = thread.submit(provers.prove, ENDLESS, "Q", limits=limits)
        pid = int(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()[-1])
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)

        assert asked.result(timeout=10) == Proof(validity=Validity.UNKNOWN, reason="memory")
    assert provers.prove({"P1": "A"}, "A & A").validity is Validity.VALID


def test_the_limit_of_work_decides_and_is_the_same_every_time(provers: Provers) -> None:
    for _ in range(3):
        assert provers.prove(ENDLESS, "Q") == Proof(validity=Validity.UNKNOWN, reason="work")


def test_no_proof_outlives_its_limit_by_more_than_half_a_second(provers: Provers) -> None:
    provers.prove({"P1": "A"}, "B")
    start = time.monotonic()

    proof = provers.prove(ENDLESS, "Q", limits=ProofLimits(rlimit=2_000_000_000, seconds=1))

    assert proof == Proof(validity=Validity.UNKNOWN, reason="time")
    assert time.monotonic() - start < 1.5


def test_a_solver_that_ignores_its_timer_is_stopped_from_outside(provers: Provers) -> None:
    provers.pool.grace = -0.7
    provers.prove({"P1": "A"}, "B")
    before = worker_of(provers)

    proof = provers.prove(ENDLESS, "Q", limits=ProofLimits(rlimit=2_000_000_000, seconds=1))

    assert proof == Proof(validity=Validity.UNKNOWN, reason="time")
    assert provers.prove({"P1": "A"}, "A & A").validity is Validity.VALID
    assert worker_of(provers) != before


@pytest.mark.slow
def test_a_formula_that_makes_the_solver_eat_memory_is_unknown(provers: Provers) -> None:
    limits = ProofLimits(rlimit=2_000_000_000, seconds=60, memory=24)

    proof = provers.prove(ENDLESS, "Q", limits=limits)

    assert proof == Proof(validity=Validity.UNKNOWN, reason="memory")


BAD: dict[str, tuple[dict[str, str], str]] = {
    "ten thousand brackets": ({"P1": "(" * 10_000 + "A" + ")" * 10_000}, "A"),
    "a megabyte": ({"P1": "A & " * 250_000 + "A"}, "A"),
    "ten thousand premises": ({f"P{n}": "A" for n in range(10_000)}, "A"),
    "right-to-left mark": ({"P1": "A\u200f"}, "A"),
    "homoglyph": ({"P1": "P\u0430per"}, "A"),
    "zero width": ({"P1": "Pa\u200bper"}, "A"),
    "python": ({"P1": "__import__('os').system('true')"}, "A"),
    "an empty premise": ({"P1": ""}, "A"),
    "an empty conclusion": ({"P1": "A"}, ""),
    "lone surrogate": ({"P1": "A\udc80"}, "A"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_input_has_a_named_outcome(provers: Provers, name: str) -> None:
    premises, conclusion = BAD[name]

    proof = provers.prove(premises, conclusion)

    assert proof.validity is Validity.ILL_FORMED
    assert proof.problems[0].code


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_stays_below_512_megabytes_on_hard_input(provers: Provers) -> None:
    alternating = " ".join(f"forall x{n} exists y{n}" for n in range(6))
    chain = " & ".join(f"R(x{n}, y{n})" for n in range(6))  # each y a function of more xs
    wide = " & ".join(f"(A{n} xor B{n})" for n in range(500))
    peaks = []
    for premises in (
        ENDLESS,
        {"P1": f"{alternating} ({chain} & -R(y5, x0) & -R(x0, x0))"},
        {f"P{n}": wide for n in range(20)},
        {f"P{n}": f"forall x, y (Q{n}(x, y) -> Q{n + 1}(y, x))" for n in range(300)},
    ):
        # The work that is allowed ends a proof; a busy machine only takes longer to do it.
        proof = provers.prove(premises, "exists x (R(x, x))", limits=ProofLimits(seconds=300))
        assert proof.validity in (Validity.UNKNOWN, Validity.INVALID), proof.problems[:1]
        status = Path(f"/proc/{worker_of(provers)}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        peaks.append(int(peak.split()[1]))

    assert max(peaks) < 512 * 1024


@pytest.mark.slow
def test_eight_workers_give_the_same_answers_as_one(provers: Provers) -> None:
    eight = Provers(8)
    arguments = [
        ({"P1": "forall x (P(x) -> Q(x))", "P2": "P(a)", "P3": "R(b)"}, "Q(a)"),
        ({"P1": "P(a) | P(b)", "P2": "-P(a) | R(a, b)"}, "P(b)"),
        ({"P1": "size(a) < 3", "P2": "3 < size(b)"}, "size(a) < size(b)"),
        (ENDLESS, "Q"),
    ]
    expected = [provers.prove(*one) for one in arguments]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda n: eight.prove(*arguments[n % 4]), range(32)))

    eight.close()
    assert found == [expected[n % 4] for n in range(32)]
