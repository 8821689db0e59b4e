"""Proofs in worker processes that are reused, stopped at their limit and replaced.

The first proof of a worker costs its start, about half a second; later ones a few milliseconds.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from reviewscore.logic.worker import Task
from reviewscore.logic.z3_backend import Limits
from reviewscore.schema.proof import Proof, Validity

LIMITS = Limits()
_GRACE = 0.3
"""Seconds beyond its limit after which a worker is stopped from outside."""

_START = 30.0
"""Seconds that a new worker may take to begin, beside the limit of its first proof."""

_MOST_WORKERS = 8


class Provers:
    """A fixed number of worker processes, started when first needed; safe to use from threads.

    Args:
        workers: How many; as many as there are cores, at most 8, if not given.
    """

    def __init__(self, workers: int | None = None) -> None:
        count = workers or min(os.cpu_count() or 1, _MOST_WORKERS)
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)
        self.workers = count
        self._under_way = 0
        self._counting = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a proof is under way."""
        return self._under_way > 0

    def prove(
        self,
        premises: Mapping[str, str],
        conclusion: str,
        *,
        keys: Mapping[str, str] | None = None,
        lenient: bool = False,
        explain: bool = True,
        limits: Limits = LIMITS,
    ) -> Proof:
        """Like `validity.prove`, in a worker; waits while all are busy.

        A worker that crashes or outlives its limit is replaced; its argument is unknown.
        """
        task = Task(
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
        with self._counting:
            self._under_way += 1
        worker = self._idle.get()
        try:
            if worker is not None and not worker.alive:
                worker.stop()
                worker = None
            worker = worker or _Worker()
            return worker.prove(task)
        finally:
            self._idle.put(worker)
            with self._counting:
                self._under_way -= 1

    def close(self) -> None:
        """Stop the workers that are idle."""
        idle = []
        while True:
            try:
                idle.append(self._idle.get_nowait())
            except queue.Empty:
                break
        for worker in idle:
            if worker is not None:
                worker.stop()
            self._idle.put(None)


def _whole(text: str) -> str:
    """The text without halves of characters, which cannot be sent; no formula holds a '?' alone."""
    return text.encode("utf-8", "replace").decode()


class _Worker:
    """One process; used by one thread at a time."""

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parents[2])
        # Not by `multiprocessing`: it would run the user's main script again. And the package
        # must be found as it was here, wherever its folder is.
        start = f"import sys; sys.path.insert(0, {root!r}); "
        start += "from reviewscore.logic.worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"},
            # Ctrl-C is for the program: a proof under way must not become an unknown one.
            start_new_session=True,
        )
        self._fresh = True

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def prove(self, task: Task) -> Proof:
        """The answer to one task; unknown if the process is gone before it gives one."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        seconds = task.seconds + _GRACE + (_START if self._fresh else 0)
        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            line = self._asked(task.model_dump_json())
        finally:
            timer.cancel()
        self._fresh = False
        if not line.endswith("\n"):
            self.stop()
            return Proof(validity=Validity.UNKNOWN, reason="time" if late.is_set() else "memory")
        return Proof.model_validate_json(line)

    def _asked(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except OSError:
            return ""

    def stop(self) -> None:
        """End the process and let go of its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


_SHARED: list[Provers] = []
_LOCK = threading.Lock()


def shared() -> Provers:
    """The workers of this process, started when first needed and stopped at its end."""
    with _LOCK:
        if not _SHARED:
            _SHARED.append(Provers())
            atexit.register(_SHARED[0].close)
        return _SHARED[0]
