"""Child processes that are reused, stopped at their limit and replaced; see `serve`.

The first task of a child costs its start; later ones do not.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from dataclasses import dataclass

from reviewscore.processes.child import start_child
from reviewscore.processes.serve import NOTICE

_START = 30.0
"""Seconds that a new child may take to begin, beside the limit of its first task."""
_MOST_CHILDREN = 8


@dataclass(frozen=True)
class ChildAnswer:
    """What came of a task.

    Attributes:
        line: The answer; empty if the child ended before it gave one.
        notices: What the child said before.
        late: Whether it was stopped at its limit.
        code: Exit code of the child if it ended, negative for a signal.
    """

    line: str
    notices: tuple[str, ...] = ()
    late: bool = False
    code: int | None = None


class AbandonedError(Exception):
    """The pool was abandoned: nothing is answered any more."""


class ChildPool:
    """A fixed number of child processes, started when first needed; safe to use from threads.

    Args:
        module: Module of this package whose ``main()`` serves tasks.
        children: How many; as many as there are cores, at most 8, if not given.
        grace: Seconds beyond its limit after which a child is stopped from outside.
        most_tasks: Tasks after which a child is replaced; None for no such limit.
        settings: Variables of the children's environment.

    Attributes:
        size: How many tasks are answered at once.
        busy: The children that have a task.
        abandoned: Whether nothing is answered any more.
    """

    def __init__(
        self,
        module: str,
        children: int | None = None,
        *,
        grace: float,
        most_tasks: int | None = None,
        settings: dict[str, str] | None = None,
    ) -> None:
        self.size = children or min(os.cpu_count() or 1, _MOST_CHILDREN)
        self.grace = grace
        self._module, self._settings, self._most_tasks = module, settings, most_tasks
        self._idle: queue.LifoQueue[Child | None] = queue.LifoQueue()
        for _ in range(self.size):
            self._idle.put(None)
        self._lock = threading.Lock()
        self._under_way = 0
        self.busy: set[Child] = set()
        self.abandoned = False

    @property
    def under_way(self) -> int:
        """How many tasks are under way, or wait for a child."""
        return self._under_way

    @property
    def children(self) -> tuple[Child, ...]:
        """The children that there are now."""
        with self._lock:
            return (*self.busy, *(child for child in self._idle.queue if child is not None))

    def ask(self, task: str, seconds: float) -> ChildAnswer:
        """Have a child answer a task; waits while all are busy.

        A child that dies over it or outlives the limit is replaced.

        Args:
            task: One line.
            seconds: Its limit.

        Raises:
            AbandonedError: The pool was abandoned before the task had a child.
        """
        with self._lock:
            self._under_way += 1
        child = self._idle.get()
        try:
            if self.abandoned:
                raise AbandonedError
            if child is not None and not self._usable(child):
                child.stop()
                child = None
            child = child or self._started()
            with self._lock:
                self.busy.add(child)
            answer = child.ask(task, seconds + self.grace)
            if not answer.line:
                child.stop()
            return answer
        except BaseException:  # Ctrl-C: its late answer must not be taken for that of the next
            if child is not None:
                child.stop()
            raise
        finally:
            with self._lock:
                self.busy -= {child}
                self._under_way -= 1
            self._idle.put(child)

    def _started(self) -> Child:
        atexit.unregister(self.close)  # once is enough
        atexit.register(self.close)
        return Child(self._module, self._settings)

    def _usable(self, child: Child) -> bool:
        worn_out = self._most_tasks is not None and child.tasks >= self._most_tasks
        return child.alive and not worn_out

    def abandon(self) -> None:
        """Stop all children, those that are busy as well; nothing is answered here any more."""
        self.abandoned = True
        with self._lock:
            busy = tuple(self.busy)
        for child in busy:
            child.kill()
        self.close()

    def close(self) -> None:
        """Stop the children that are idle."""
        atexit.unregister(self.close)
        idle = []
        while True:
            try:
                idle.append(self._idle.get_nowait())
            except queue.Empty:
                break
        for child in idle:
            if child is not None:
                child.stop()
            self._idle.put(None)


class Child:
    """One process; used by one thread at a time.

    Attributes:
        process: The process.
        tasks: How many tasks it has had.
    """

    def __init__(self, module: str, settings: dict[str, str] | None = None) -> None:
        self.process = start_child(module, settings=settings)
        self.tasks = 0

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self.process.poll() is None

    def ask(self, task: str, seconds: float) -> ChildAnswer:
        """The answer to one task; it is killed if there is none after so many seconds."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            self.process.kill()

        timer = threading.Timer(seconds + (0 if self.tasks else _START), kill)
        timer.daemon = True
        timer.start()
        notices: list[str] = []
        try:
            line = self._answered(task, notices)
        finally:
            timer.cancel()
        self.tasks += 1
        if line.endswith("\n"):
            return ChildAnswer(line.removesuffix("\n"), tuple(notices))
        # It has closed its pipe, so it is dead or dying.
        return ChildAnswer("", tuple(notices), late.is_set(), self.process.wait())

    def _answered(self, task: str, notices: list[str]) -> str:
        """The line that is the answer, cut off if the process died."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(task + "\n")
            self.process.stdin.flush()
            while (line := self.process.stdout.readline()).startswith(NOTICE):
                notices.append(line.removeprefix(NOTICE).removesuffix("\n"))
            return line
        except OSError:
            return ""

    def kill(self) -> None:
        """End the process; the thread that waits for its answer gets none."""
        self.process.kill()

    def stop(self) -> None:
        """End the process and let go of its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue
