"""Proofs in worker processes that are reused, stopped at their limit and replaced.

The first proof of a worker costs its start, about half a second; later ones a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from reviewscore.logic.worker import ProofTask
from reviewscore.logic.z3_backend import ProofLimits
from reviewscore.processes.pool import ChildPool
from reviewscore.schema.proof import Proof, Validity

LIMITS = ProofLimits()
_GRACE = 0.3
"""Seconds beyond its limit after which a worker is stopped from outside."""


class Provers:
    """A fixed number of worker processes, started when first needed; safe to use from threads.

    Args:
        workers: How many; as many as there are cores, at most 8, if not given.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.pool = ChildPool(
            "reviewscore.logic.worker",
            workers,
            grace=_GRACE,
            settings={"PYTHONHASHSEED": "0"},  # the same argument has the same proof every time
        )

    @property
    def workers(self) -> int:
        """How many arguments are proved at once."""
        return self.pool.size

    @property
    def busy(self) -> bool:
        """Whether a proof is under way."""
        return self.pool.under_way > 0

    def prove(
        self,
        premises: Mapping[str, str],
        conclusion: str,
        *,
        keys: Mapping[str, str] | None = None,
        lenient: bool = False,
        explain: bool = True,
        limits: ProofLimits = LIMITS,
    ) -> Proof:
        """Like `validity.prove`, in a worker; waits while all are busy.

        A worker that crashes or outlives its limit is replaced; its argument is unknown.
        """
        task = ProofTask(
            premises={_whole(name): _whole(text) for name, text in premises.items()},
            conclusion=_whole(conclusion),
            keys={_whole(name): _whole(text) for name, text in (keys or {}).items()},
            lenient=lenient,
            explain=explain,
            rlimit=limits.rlimit,
            seconds=limits.seconds,
            max_premises=limits.premises,
            memory=limits.memory,
        )
        answer = self.pool.ask(task.model_dump_json(), task.seconds)
        if not answer.line:
            return Proof(validity=Validity.UNKNOWN, reason="time" if answer.late else "memory")
        return Proof.model_validate_json(answer.line)

    def close(self) -> None:
        """Stop the workers that are idle."""
        self.pool.close()


def _whole(text: str) -> str:
    """The text without halves of characters, which cannot be sent; no formula holds a '?' alone."""
    return text.encode("utf-8", "replace").decode()


_SHARED = Provers()


def shared() -> Provers:
    """The workers of this process, started when first needed and stopped at its end."""
    return _SHARED
