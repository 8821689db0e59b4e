"""One line that moves on a terminal; plain lines, now and then, elsewhere."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from reviewscore.cli.terminal import drawing_stream, say
from reviewscore.llm.client import Traffic
from reviewscore.printable import printable
from reviewscore.schema.point_score import PointScore, Status

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PLAIN_SECONDS = 30.0
PLAIN_SHARE = 0.05


class TerminalProgress:
    """Shows how a run goes on, on stderr.

    Args:
        quiet: Say nothing at all.
        noun: What is counted.
    """

    def __init__(self, *, quiet: bool, noun: str = "points") -> None:
        self._quiet, self._noun = quiet, noun
        self._total = self._done = self._failed = 0
        self._last_share, self._last_time = 0.0, time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, points: int) -> None:
        """How many there will be; of points, by the splitting rules."""
        self._total = points
        if self._quiet or not sys.stderr.isatty() or os.environ.get("CI"):
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
