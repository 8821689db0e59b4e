"""The worker process: PDFs in, one line of JSON each, and out; see `pdf`.

A separate process because a PDF may eat memory and time or crash its reader, and none of that may
reach the program. It reads the file it is told to read and nothing else.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.pdf_reading import PdfReading, Refusal, Task

_GRACE = 2.0
"""Seconds after its limit at which a worker that nobody stopped ends itself."""


def main() -> None:
    """Read PDFs from standard input, one task a line, until it ends."""
    from reviewscore.papers import pdf_sight  # noqa: F401 - so that the first PDF is quick

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reply, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        task = Task.model_validate_json(line)
        _limit_memory(task.limits.megabytes)
        _end_after(task.limits.seconds + _GRACE)
        reply.write(answer(task).model_dump_json() + "\n")
        reply.flush()
        _end_after(0)


def answer(task: Task) -> PdfReading | Refusal:
    """The reading of one PDF, or why there is none."""
    from reviewscore.papers.pdf_pages import read_pages

    try:
        return read_pages(Path(task.path), task.limits, look=task.look)
    except InputError as error:
        return Refusal(problem=error.problem, cure=error.cure or "")
    except MemoryError:
        return Refusal(
            problem=f"needs more than {task.limits.megabytes:,} MB of memory to read",
            cure="print it to a new PDF, or give the paper's text",
        )


def _limit_memory(megabytes: int) -> None:
    """Let the system refuse more than so much memory, where it can."""
    try:
        import resource
    except ImportError:  # Windows has no such limit: time must do
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * 1024 * 1024
    if hard in (resource.RLIM_INFINITY, -1) or wanted <= hard:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _end_after(seconds: float) -> None:
    """End this process after so long, whatever it is doing; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
