"""The child's side of a pool: tasks in, one line each, and answers out; see `pool`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

NOTICE = "!"
"""First sign of a line that says something before the answer; no answer in JSON has it."""


def serve(answer: Callable[[str, Callable[[str], None]], str]) -> None:
    """Answer tasks from standard input until it ends.

    Args:
        answer: Called with a task, and with what takes a notice: a word that the pool gets to
            know even if the process dies over the task.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reply, sys.stdout = sys.stdout, sys.stderr  # a library's own words are no answer

    def say(line: str) -> None:
        reply.write(f"{line}\n")
        reply.flush()

    for line in sys.stdin:
        say(answer(line, lambda word: say(f"{NOTICE}{word}")))
        end_after(0)


def limit_memory(megabytes: int, kind: str) -> None:
    """Let the system refuse more than so much memory, where it can.

    Args:
        megabytes: The limit.
        kind: Name of the limit in `resource`: ``RLIMIT_DATA`` or ``RLIMIT_AS``.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit: time must do
        return
    limit = getattr(resource, kind)
    _, hard = resource.getrlimit(limit)
    wanted = megabytes * 1024 * 1024
    if hard in (resource.RLIM_INFINITY, -1) or wanted <= hard:
        try:
            resource.setrlimit(limit, (wanted, hard))
        except (OSError, ValueError):  # macOS knows some and refuses them
            return


def end_after(seconds: float) -> None:
    """End this process after so long, whatever it is doing; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
