"""How far a run is while it is being written: a small file in its folder that others may read.

It is written every few seconds, also while no point is finished, and is gone when the session ends:
one that has grown old was left by a session that was killed.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError

from reviewscore.errors import ReviewScoreError
from reviewscore.files import read_whole, write_whole
from reviewscore.llm.client import Traffic
from reviewscore.runs.session import Progress
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import Record

PROGRESS = "progress.json"
_EVERY = 2.0
"""Seconds between two writings of the file."""
STALE = 30.0
"""Seconds after which a file that is not written again was left by a session that was killed."""


class RunProgress(Record):
    """How far a session of a run is.

    Attributes:
        expected: Points that the run will have, as the splitting rules count them.
        done: Points that this session has finished.
        before: Points that were there before it.
        seconds: How long it has lasted.
        calls: Calls that this session has paid for.
        reused: Those that were found in the ledger.
        usd: Dollars that it has paid.
    """

    schema_id: Literal["reviewscore.progress/1"] = Field(
        default="reviewscore.progress/1", alias="schema"
    )
    expected: int
    done: int = 0
    before: int = 0
    seconds: float = 0.0
    calls: int = 0
    reused: int = 0
    usd: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until its end at the speed so far; None where that cannot be said."""
        left = self.expected - self.before - self.done
        return self.seconds * left / self.done if self.done and left >= 0 else None


class NotedProgress:
    """Tells another of a session's progress, and keeps the file.

    Args:
        told: Who is told.
        run: The run folder.
        before: Points that are there already.
    """

    def __init__(self, told: Progress, run: Path, before: int) -> None:
        self._told, self._file = told, run / PROGRESS
        self._since, self._known = time.monotonic(), RunProgress(expected=0, before=before)
        self._traffic: Traffic | None = None
        self._end = threading.Event()
        self._writer = threading.Thread(target=self._keep_writing, daemon=True)

    def __enter__(self) -> Self:
        self._write()
        self._writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._writer.join()
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def expect(self, points: int) -> None:
        """How many points there will be, by the splitting rules."""
        self._known = self._known.model_copy(update={"expected": points})
        self._write()
        self._told.expect(points)

    def follow(self, traffic: Traffic) -> None:
        """What is spent is read here from now on, also while no point is finished."""
        self._traffic = traffic

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """A point is done and on disk."""
        done = self._known.done + 1
        self._known = self._known.model_copy(update={"done": done, **_spent(traffic)})
        self._told.finished(score, traffic)

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        self._told.say(sentence)

    def _keep_writing(self) -> None:
        while not self._end.wait(_EVERY):
            self._write()

    def _write(self) -> None:
        seconds = round(time.monotonic() - self._since, 1)
        known = self._known.model_copy(update={"seconds": seconds, **_spent(self._traffic)})
        with suppress(ReviewScoreError, OSError):  # a run does not end because nobody can watch it
            write_whole(self._file, known.model_dump_json())


def _spent(traffic: Traffic | None) -> dict[str, float]:
    if traffic is None:
        return {}
    return {"calls": traffic.calls, "reused": traffic.reused, "usd": traffic.usd}


def progress_of(run: Path) -> RunProgress | None:
    """How far the session is that writes a run; None if none does."""
    try:
        if time.time() - (run / PROGRESS).stat().st_mtime > STALE:
            return None
        return RunProgress.model_validate_json(read_whole(run / PROGRESS) or b"")
    except (OSError, ReviewScoreError, ValidationError):
        return None
