"""The worker process: PDFs in, one line of JSON each, and out; see `pdf`.

A separate process because a PDF may eat memory and time or crash its reader, and none of that may
reach the program. It reads the file it is told to read and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.pdf_reading import DRAWING, PdfReading, Refusal, Task
from reviewscore.processes.serve import end_after, limit_memory, serve

_GRACE = 2.0
"""Seconds after its limit at which a worker that nobody stopped ends itself."""


def main() -> None:
    """Read PDFs from standard input, one task a line, until it ends."""
    from reviewscore.papers import pdf_sight  # noqa: F401 - so that the first PDF is quick

    serve(_answer)


def _answer(line: str, notify: Callable[[str], None]) -> str:
    task = Task.model_validate_json(line)
    limit_memory(task.limits.megabytes, "RLIMIT_AS")
    end_after(task.limits.seconds + _GRACE)
    return answer(task, drawing=lambda: notify(DRAWING)).model_dump_json()


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
            cure="print it to a new PDF, or give its text",
        )
