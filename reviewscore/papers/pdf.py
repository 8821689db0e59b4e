"""PDFs read in worker processes that are reused, stopped at their limit and replaced.

Front door: `read_pdf` for the text with its pages and what was left out, `pdf_text` for the text.
The first PDF costs the start of a worker, a third of a second; later ones some milliseconds.
"""

from __future__ import annotations

import atexit
import os
import queue
import signal
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

from reviewscore.bounds import check_size, in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.papers.pdf_reading import DRAWING, Limits, PdfReading, Refusal, Task

LIMITS = Limits()
_HEAD = 1024
"""Bytes within which a PDF names itself."""
_HTML = (b"<!doctype html", b"<html", b"<head", b"<script")
_GRACE = 1.0
"""Seconds beyond its limit after which a worker is stopped from outside."""
_START = 30.0
"""Seconds that a new worker may take to begin, beside the limit of its first PDF."""
_MOST_WORKERS = 8
HELD = 256
"""Readings kept in memory, of about 100 kB each."""
_MOST_TASKS = 200
"""PDFs after which a worker is replaced, so that what PDFium keeps does not pile up."""


def pdf_text(path: Path) -> str:
    """The text of a PDF file; see `read_pdf`.

    Raises:
        InputError: As `read_pdf`.
    """
    return read_pdf(path).text


def read_pdf(path: Path, *, limits: Limits = LIMITS) -> PdfReading:
    """The text of a PDF file with its pages, and what did not come into the text.

    Columns are read one after the other; repeated lines at the top and bottom of pages, page
    numbers, margin line numbers and text that people cannot see are left out; words broken at
    line ends are joined, ligatures are spelled out, paragraphs and headings are parted by empty
    lines, table rows are lines. Safe to use from threads.

    Raises:
        InputError: If the file is missing, empty, damaged, encrypted, no PDF, scanned, or costs
            more than its limits; says what to do.
    """
    return shared().read(path, limits=limits)


def check_pdf(path: Path) -> None:
    """Refuse what is plainly no PDF, or too large.

    Raises:
        InputError: If the file is missing, empty, a web page, no PDF, or passes the bound.
    """
    check_size(path, in_force().pdf)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error
    if not head:
        raise InputError("is empty", file=path, cure="save or download the PDF again")
    if b"%PDF-" in head:
        return
    if any(mark in head.lower() for mark in _HTML):
        raise InputError(
            "is a web page saved as a PDF, such as an error or login page",
            file=path,
            cure="open the address in a browser, and download the PDF itself",
        )
    raise InputError("is not a PDF", file=path, cure="give a PDF, or name a text file .txt or .md")


class PdfReaders:
    """A fixed number of worker processes, started when first needed; safe to use from threads.

    Args:
        workers: How many; as many as there are cores, at most 8, if not given.
        held: Readings that are kept for files that do not change: an audit needs a paper for its
            estimate, its verdicts and its report.
    """

    def __init__(self, workers: int | None = None, *, held: int = HELD) -> None:
        count = workers or min(os.cpu_count() or 1, _MOST_WORKERS)
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)
        self.workers = count
        self._busy: set[_Worker] = set()
        self._abandoned = False
        self._read = lru_cache(maxsize=held)(self._fresh)

    def read(self, path: Path, *, limits: Limits = LIMITS) -> PdfReading:
        """Like `read_pdf`; waits while all workers are busy.

        Raises:
            InputError: As `read_pdf`.
        """
        path = Path(path)
        check_pdf(path)
        state = path.stat()
        return self._read(path, (state.st_mtime_ns, state.st_size), limits)

    def _fresh(self, path: Path, _: tuple[int, int], limits: Limits) -> PdfReading:
        bound = in_force().text
        task = Task(path=str(path.resolve()), limits=limits, most=bound.size)
        found = self._answer(task)
        if isinstance(found, Refusal) and found.drawing and not self._abandoned:
            again = self._answer(task.model_copy(update={"look": False}))
            found = again if isinstance(again, PdfReading) else found
        if isinstance(found, Refusal) and found.size:
            raise TooLargeError(
                f"its text {bound.problem(found.size, whole=True)}", file=path, cure=bound.cure
            )
        if isinstance(found, Refusal):
            raise InputError(found.problem, file=path, cure=found.cure)
        return found

    def _answer(self, task: Task) -> PdfReading | Refusal:
        worker = self._idle.get()
        try:
            if self._abandoned:
                return Refusal(problem="was not read: interrupted", cure="start again")
            if worker is not None and not worker.usable:
                worker.stop()
                worker = None
            worker = worker or _Worker()
            self._busy.add(worker)
            return worker.read(task)
        except BaseException:  # Ctrl-C: its late answer must not be taken for that of the next
            if worker is not None:
                worker.stop()
                worker = None
            raise
        finally:
            self._busy.discard(worker)
            self._idle.put(worker)

    def abandon(self) -> None:
        """Stop all workers, those that read as well; nothing is read here any more."""
        self._abandoned = True
        for worker in tuple(self._busy):
            worker.kill()
        self.close()

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


_CRASHES = {
    signal.SIGSEGV: "makes the PDF reader crash (SIGSEGV)",
    None: "makes the PDF reader crash, or needs more memory than it may have",
}
"""What is said of a worker that died by itself, by the signal."""


class _Worker:
    """One process; used by one thread at a time."""

    def __init__(self) -> None:
        root = str(Path(__file__).resolve().parents[2])
        # Not by `multiprocessing`: it would run the user's main script again. And the package
        # must be found as it was here, wherever its folder is.
        start = f"import sys; sys.path.insert(0, {root!r}); "
        start += "from reviewscore.papers.pdf_worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            # One thread for arrays: each would reserve address space, which is limited.
            env={**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C is for the program
        )
        self._tasks = 0

    @property
    def usable(self) -> bool:
        return self._process.poll() is None and self._tasks < _MOST_TASKS

    def read(self, task: Task) -> PdfReading | Refusal:
        """The answer to one task; a refusal if the process is gone before it gives one."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        seconds = task.limits.seconds + _GRACE + (0 if self._tasks else _START)
        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            line, drawing = self._asked(task.model_dump_json())
        finally:
            timer.cancel()
        self._tasks += 1
        if line.endswith("\n"):
            kind = Refusal if line.startswith('{"problem":') else PdfReading
            return kind.model_validate_json(line)
        code = self._process.wait()
        self.stop()
        alarmed = hasattr(signal, "SIGALRM") and code == -signal.SIGALRM
        if late.is_set() or alarmed:
            problem = f"takes longer than {task.limits.seconds:g} seconds to read"
        else:
            problem = _CRASHES[signal.SIGSEGV if code == -signal.SIGSEGV else None]
        return Refusal(problem=problem, cure=_CURE, drawing=drawing)

    def _asked(self, line: str) -> tuple[str, bool]:
        """The worker's reply, cut off if it died, and whether it had begun to draw."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
            if reply == f"{DRAWING}\n":
                return self._process.stdout.readline(), True
            return reply, False
        except OSError:
            return "", False

    def kill(self) -> None:
        """End the process; the thread that waits for its answer gets none."""
        self._process.kill()

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


_CURE = "print it to a new PDF, or give the paper's text"
_SHARED: list[PdfReaders] = []
_LOCK = threading.Lock()


def shared() -> PdfReaders:
    """The workers of this process, started when first needed and stopped at its end."""
    with _LOCK:
        if not _SHARED:
            _SHARED.append(PdfReaders())
            atexit.register(_SHARED[0].close)
        return _SHARED[0]


def abandon() -> None:
    """End what is being read, so that an interrupted program need not wait for it."""
    with _LOCK:
        readers = _SHARED.pop() if _SHARED else None
    if readers is not None:
        atexit.unregister(readers.close)
        readers.abandon()
