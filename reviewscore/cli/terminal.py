"""All that the command line prints: lines, texts, progress, and the streams they go through."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedWriter
from typing import TYPE_CHECKING, TextIO

import click

from reviewscore.errors import StopError
from reviewscore.printable import printable, without_escapes

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID
    from rich.status import Status

    from reviewscore.llm.client import Traffic
    from reviewscore.schema.point_score import PointScore


class ReaderGoneError(Exception):
    """Whoever read standard output, such as ``head``, has closed it."""


def print_line(line: str, *, err: bool = False) -> None:
    """Print one line; a line feed in it is shown and does not make two of it."""
    _Wait.end_current()
    click.echo(printable(line), err=err)


def say(sentence: str) -> None:
    """Tell the user something beside the results, as one line on standard error."""
    print_line(sentence, err=True)


def warn(warnings: Iterable[str]) -> None:
    """Tell the user of each."""
    for warning in warnings:
        say(f"warning: {warning}")


def print_text(text: str, *, newline: bool = True, markdown: bool = False) -> None:
    """Print a result of many lines, such as a table or a JSON record.

    Args:
        text: The result.
        newline: Whether a line end follows.
        markdown: Whether it is Markdown, whose escapes nobody needs who reads it at a terminal.
    """
    _Wait.end_current()
    shown = without_escapes(text) if markdown and sys.stdout.isatty() else text
    click.echo(printable(shown, lines=True), nl=newline)


class SafeStream(io.TextIOBase):
    """A stream on which no text acts on a terminal, whoever writes it.

    It has no ``buffer``, so that nothing goes around it.

    Args:
        stream: What it writes to.
        needed: Whether a text that cannot be written ends the command. Talk beside the results
            need not be heard, and the work goes on.
    """

    def __init__(self, stream: TextIO, *, needed: bool) -> None:
        self.stream, self.needed = stream, needed
        self._failure: OSError | None = None

    def write(self, text: str | bytes) -> int:
        """Write text, made safe; click gives what a shell completes in bytes.

        Raises:
            ReaderGoneError: Nobody reads it any more.
            StopError: It cannot be written, such as on a full disk.
        """
        words = text if isinstance(text, str) else text.decode("utf-8", "replace")
        safe = printable(words, lines=True)
        self._attempt(lambda: self.stream.write(safe))
        return len(text)

    def flush(self) -> None:
        """Hand everything over; raises as `write` does."""
        self._attempt(self.stream.flush)

    def _attempt(self, act: Callable[[], object]) -> None:
        if self._failure is None:
            try:
                act()
            except OSError as error:
                self._failure = error
                _discard(self.stream)
        if self._failure is None or not self.needed:
            return
        if isinstance(self._failure, BrokenPipeError):
            raise ReaderGoneError from self._failure
        raise StopError(f"standard output: {self._failure.strerror}") from self._failure

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of what it writes to."""
        return self.stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What becomes of characters that it cannot encode."""
        return self.stream.errors

    def writable(self) -> bool:
        """It is there to be written to."""
        return True

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """The number of the file that it writes to."""
        return self.stream.fileno()


def _discard(stream: TextIO) -> None:
    """Let what could not be written go nowhere, or the interpreter tries again as it ends."""
    with suppress(OSError, ValueError):  # a stream in memory has no number
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


class _Closed(io.TextIOWrapper):
    """Stands for a stream that whoever started the command had closed: nothing can be written."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "it is closed")


@contextmanager
def safe_streams() -> Iterator[None]:
    """Make standard output and error safe until the command exits.

    Those that were closed, and a closed standard input, lead nowhere: no file that is opened later
    gets their number, and what is written to them is lost, which ends a command only if it wants
    its output (`want_output`).

    After an unforeseen error they stay so: its traceback may hold foreign text.
    """
    before = sys.stdout, sys.stderr
    for number in range(3):
        _occupy(number)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.stdout = _safe(sys.stdout or _Closed(_sink(1)), needed=sys.stdout is not None)
    sys.stderr = _safe(sys.stderr or _Closed(_sink(2)), needed=False)
    try:
        yield
    except SystemExit:
        sys.stdout, sys.stderr = before
        raise


def _occupy(number: int) -> None:
    """Let a standard stream's number lead nowhere if it is free."""
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        os.set_inheritable(number, True)


def _sink(number: int) -> BufferedWriter:
    return open(number, "wb", closefd=False)


def want_output() -> None:
    """Let the command end where what it prints is lost, as it writes nothing else."""
    if isinstance(sys.stdout, SafeStream):
        sys.stdout.needed = True


def _safe(stream: TextIO, *, needed: bool) -> TextIO:
    if isinstance(stream, SafeStream):
        return stream
    if isinstance(stream, io.TextIOWrapper):  # text from reviews must not crash a narrow terminal
        narrowest = codecs.lookup(stream.encoding).name == "ascii"
        stream.reconfigure(encoding="utf-8" if narrowest else None, errors="replace")
    return SafeStream(stream, needed=needed)  # type: ignore[return-value]


def drawing_stream() -> TextIO:
    """Standard error for what moves the cursor itself; foreign text goes there made safe only."""
    stream = sys.stderr
    return stream.stream if isinstance(stream, SafeStream) else stream


SILENCE = 0.5
"""Seconds without a word after which it is said what is being done."""


class _Wait:
    """Says what is being done once that has taken a while.

    One at a time: another one, or anything that is printed, ends it.

    Args:
        doing: What is being done.
        plain: Whether it is said where no line can move.
    """

    current: _Wait | None = None

    def __init__(self, doing: str, *, plain: bool) -> None:
        self._doing, self._plain, self._ended = doing, plain, False
        self._status: Status | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(SILENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if self._ended:
                return
            if not _is_drawn_on():
                if self._plain:
                    click.echo(printable(f"{self._doing} .."), err=True)
                return
            from rich.console import Console
            from rich.markup import escape
            from rich.status import Status

            words = escape(printable(self._doing))
            self._status = Status(words, console=Console(file=drawing_stream()))
            self._status.start()

    def end(self) -> None:
        """Say it no more."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._status is not None:
                self._status.stop()
                self._status = None

    @classmethod
    def end_current(cls) -> None:
        """End what is being said, if anything is."""
        if cls.current is not None:
            cls.current.end()
            cls.current = None


def _is_drawn_on() -> bool:
    """Whether standard error is a terminal that a person looks at."""
    return sys.stderr.isatty() and not os.environ.get("CI")


@contextmanager
def waiting(doing: str, *, quiet: bool = False, plain: bool = True) -> Iterator[None]:
    """Say what is being done within the block, if that takes longer than `SILENCE`.

    At a terminal a line that moves, gone at the end; elsewhere a plain line.

    Args:
        doing: What is being done, such as ``reading papers``.
        quiet: Say nothing.
        plain: Whether it is said where there is no terminal.
    """
    _Wait.end_current()
    if not quiet:
        _Wait.current = _Wait(doing, plain=plain)
    try:
        yield
    finally:
        _Wait.end_current()


def ask_rule(question: str) -> str | None:
    """Whether texts may leave this machine, asked at a terminal; None elsewhere.

    Args:
        question: Says where they would go, and what the answers mean.

    Returns:
        ``local`` or ``provider``.
    """
    if not sys.stdin.isatty():
        return None
    say(question)
    choice = click.Choice(["local", "provider"])
    answer: str = click.prompt("local or provider", type=choice, show_choices=False, err=True)
    return answer


PLAIN_SECONDS = 30.0
PLAIN_SHARE = 0.05


class TerminalProgress:
    """Shows how a run goes on, on stderr.

    Args:
        quiet: Say nothing at all.
        noun: What is counted.
        before: What is done before it is known how many there will be.
    """

    def __init__(self, *, quiet: bool, noun: str = "points", before: str = "getting ready") -> None:
        self._quiet, self._noun, self._before = quiet, noun, before
        self._total = self._done = self._failed = 0
        self._last_share, self._last_time = 0.0, time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> TerminalProgress:
        self._waiting = ExitStack()
        self._waiting.enter_context(waiting(self._before, quiet=self._quiet))
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.close()
        if self._bar is not None:
            self._bar.stop()

    def expect(self, points: int) -> None:
        """How many there will be; of points, by the splitting rules."""
        self._total = points
        _Wait.end_current()
        if self._quiet or not _is_drawn_on():
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Left

        self._bar = Progress(
            TextColumn(self._noun),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            Left(),
            console=Console(file=drawing_stream()),
            transient=True,
            redirect_stdout=False,  # rich would let through what the streams keep back
            redirect_stderr=False,
        )
        self._task = self._bar.add_task(self._noun, total=points, note="")
        self._bar.start()

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """A point is done and on disk."""
        from reviewscore.schema.point_score import Status

        self._done += 1
        self._failed += score.status is Status.ERROR
        note = f"{self._failed} failed" if self._failed else ""
        if traffic is not None:
            note += f" {traffic.calls} calls, {traffic.reused} reused"
        self._show(note.strip())

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self._show("")

    def _show(self, note: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=1, note=note)
        elif not self._quiet:
            self._plain(note)

    def _plain(self, note: str) -> None:
        share, now = self._done / max(self._total, 1), time.monotonic()
        late = now - self._last_time >= PLAIN_SECONDS
        if not late and (share - self._last_share < PLAIN_SHARE or self._total < 1 / PLAIN_SHARE):
            return
        self._last_share, self._last_time = share, now
        say(f"{self._done}/{self._total} {self._noun} {note}".rstrip())

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        if self._quiet:
            return
        if self._bar is not None:
            sentence = printable(sentence)
            self._bar.console.print(sentence, markup=False, highlight=False, emoji=False)
        else:
            say(sentence)
