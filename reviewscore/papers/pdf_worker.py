"""The worker process: PDFs in, one line of JSON each, and out; see `pdf`.

A separate process because a PDF may eat memory and time or crash its reader, and none of that may
reach the program. It reads the file it is told to read and nothing else.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from reviewscore.errors import InputError
from reviewscore.papers.pdf_reading import DRAWING, PdfReading, Refusal, Task

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
        _say(answer(task, drawing=lambda: _say(DRAWING, reply)).model_dump_json(), reply)
        _end_after(0)


def _say(line: str, reply: TextIO) -> None:
    reply.write(f"{line}\n")
    reply.flush()


def answer(task: Task, drawing: Callable[[], None] = lambda: None) -> PdfReading | Refusal:
    """The reading of one PDF, or why there is none.

    Args:
        task: The PDF and its limits.
        drawing: Told before the first page is drawn.
    """
    from reviewscore.papers.pdf_pages import read_pages

    try:
        reading = read_pages(Path(task.path), task.limits, look=task.look, drawing=drawing)
        texts = (reading.text, *reading.furniture, *(one.text for one in reading.hidden))
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        if task.most is not None and size > task.most:
            return Refusal(problem="holds too much text", cure="", size=size)
        return reading
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
        try:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
        except (OSError, ValueError):  # macOS knows it and refuses it
            return


def _end_after(seconds: float) -> None:
    """End this process after so long, whatever it is doing; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
