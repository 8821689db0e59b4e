"""The worker process: proofs in, one line of JSON each, and out; see `pool`.

A separate process because a solver may eat memory, ignore its timer or crash, and none of that
may reach the program. It never sees anything but formulas, keys and limits.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from reviewscore.processes.serve import end_after, limit_memory, serve
from reviewscore.schema.proof import Proof, Validity
from reviewscore.schema.record import Record

_GRACE = 1.0
"""Seconds after its limit at which a worker that nobody stopped ends itself."""

_OVERHEAD = 192
"""Megabytes that Python, Z3's code and our own trees take beside Z3's memory limit."""


class ProofTask(Record):
    """One argument to prove, with its limits (see ``z3_backend.ProofLimits``)."""

    premises: dict[str, str]
    conclusion: str
    keys: dict[str, str] = Field(default_factory=dict)
    lenient: bool = False
    explain: bool = True
    rlimit: int
    seconds: float
    max_premises: int
    memory: int


def main() -> None:
    """Prove tasks from standard input until it ends."""
    from reviewscore.logic import validity  # noqa: F401 - so that the first proof is quick
    from reviewscore.logic.z3_backend import load_z3

    load_z3()
    serve(_answer)


def _answer(line: str, _: Callable[[str], None]) -> str:
    import z3

    from reviewscore.logic.validity import prove
    from reviewscore.logic.z3_backend import ProofLimits

    task = ProofTask.model_validate_json(line)
    z3.set_param("memory_max_size", task.memory)
    limit_memory(task.memory + _OVERHEAD, "RLIMIT_DATA")
    end_after(task.seconds + _GRACE)
    limits = ProofLimits(task.rlimit, task.seconds, task.max_premises, task.memory)
    try:
        proof = prove(
            task.premises,
            task.conclusion,
            keys=task.keys,
            lenient=task.lenient,
            explain=task.explain,
            limits=limits,
        )
    except MemoryError:
        proof = Proof(validity=Validity.UNKNOWN, reason="memory")
    return proof.model_dump_json()
