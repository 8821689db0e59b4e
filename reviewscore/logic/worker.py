"""The worker process: proofs in, one line of JSON each, and out; see `pool`.

A separate process because a solver may eat memory, ignore its timer or crash, and none of that
may reach the program. It never sees anything but formulas, keys and limits.
"""

from __future__ import annotations

import signal
import sys
from typing import TextIO

from pydantic import Field

from reviewscore.schema.proof import Proof
from reviewscore.schema.record import Record

_GRACE = 1.0
"""Seconds after its limit at which a worker that nobody stopped ends itself."""

_OVERHEAD = 192
"""Megabytes that Python, Z3's code and our own trees take beside Z3's memory limit."""


class Task(Record):
    """One argument to prove, with its limits (see ``z3_backend.Limits``)."""

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
    import z3

    from reviewscore.logic import validity  # noqa: F401 - so that the first proof is quick

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reply, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        task = Task.model_validate_json(line)
        z3.set_param("memory_max_size", task.memory)
        _limit_memory(task.memory + _OVERHEAD)
        _end_after(task.seconds + _GRACE)
        _answer(task, reply)
        _end_after(0)


def _answer(task: Task, reply: TextIO) -> None:
    from reviewscore.logic.validity import prove
    from reviewscore.logic.z3_backend import Limits
    from reviewscore.schema.proof import Validity

    limits = Limits(task.rlimit, task.seconds, task.max_premises, task.memory)
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
    reply.write(proof.model_dump_json() + "\n")
    reply.flush()


def _limit_memory(megabytes: int) -> None:
    """Let the system refuse more than so much memory, where it can."""
    try:
        import resource
    except ImportError:  # Windows: Z3's own limit must do.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 1024 * 1024
    if hard in (resource.RLIM_INFINITY, -1) or wanted <= hard:
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _end_after(seconds: float) -> None:
    """End this process after so long, whatever it is doing; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
