"""A run while it is being written: what its page shows of that, and the events that keep it so.

Whoever started the run, it is watched by its folder alone: points that were added, failures, and
the file in which its session says how far it is.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from reviewscore.errors import ReviewScoreError
from reviewscore.printable import counted
from reviewscore.report.lines import duration_words
from reviewscore.runs.folder import ERRORS, ErrorRecord
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.progress_file import RunProgress, progress_of
from reviewscore.view.context import View, paper_link
from reviewscore.view.open_run import OpenRun
from reviewscore.view.people import Visitor
from reviewscore.view.shelf import state_of

WRITING = "being written"
_EVERY = 1.0
"""Seconds between two looks at a run."""
_BEAT = 15.0
"""Seconds without news after which a sign is sent, so that those who are gone are noticed."""
_PATIENCE = 20.0
"""Seconds that a reader has to take an event; then it is let go."""
_LONGEST = 3600.0
"""Seconds of one stream; the browser opens the next one by itself."""
_MOST_STREAMS, _MOST_EACH = 64, 8
"""Streams at once, of all and of one person."""
_NEWEST, _ERRORS_SHOWN = 6, 5
_TAIL = 65_536
_LONGEST_ERROR = 300


@dataclass(frozen=True)
class NewPoint:
    """A point that was just finished: its words, its verdict, and where it is shown."""

    text: str
    short: str
    tone: str
    link: str


@dataclass(frozen=True)
class LiveState:
    """What is said of a run that is being written.

    Attributes:
        state: ``finished``, ``being written`` or ``stopped``.
        share: How much of it is done, from 0 to 1; None where that is not known.
        lines: How far it is, how fast and what it has cost, in words.
        newest: The points that were finished last.
        errors: What failed last.
    """

    state: str
    share: float | None
    lines: tuple[str, ...]
    newest: tuple[NewPoint, ...] = ()
    errors: tuple[str, ...] = ()


def live_state(opened: OpenRun) -> LiveState:
    """What is said of a run now."""
    manifest = opened.manifest
    state = state_of(opened.path, manifest)
    totals, known = opened.index.totals(), progress_of(opened.path)
    share = 1.0 if state == "finished" else None
    if known is not None and known.expected:
        share = min(1.0, totals.points / known.expected)
    newest = tuple(
        NewPoint(
            line.text, line.short, line.tone, paper_link(opened.key, line.paper_id, line.anchor)
        )
        for line in opened.index.newest(_NEWEST)
    )
    lines = [_done_words(totals.points, known), *_pace_words(known), *_cost_words(manifest, known)]
    if totals.failed:
        lines.append(f"{counted(totals.failed, 'point')} failed")
    return LiveState(state, share, tuple(lines), newest, _errors(opened.path, manifest))


def _done_words(points: int, known: RunProgress | None) -> str:
    if known is None or not known.expected:
        return counted(points, "point")
    share = min(1.0, points / known.expected)
    return f"{points:,} of about {known.expected:,} points ({share:.0%})"


def _pace_words(known: RunProgress | None) -> list[str]:
    if known is None or not (known.done and known.seconds):
        return []
    words = [f"{60 * known.done / known.seconds:,.0f} points a minute"]
    if known.seconds_left:
        words.append(f"about {duration_words(known.seconds_left)} left")
    return [", ".join(words)]


def _cost_words(manifest: Manifest, known: RunProgress | None) -> list[str]:
    if known is None or not (known.calls or known.reused):
        return []
    setting = manifest.settings.get("max_usd")
    cap = setting.value if setting is not None else None
    usd = known.usd + (manifest.spending.usd or 0.0)
    calls = f"{counted(known.calls, 'call')} made, {known.reused:,} found in the ledger"
    if not usd and cap is None:  # free, or of a price that nobody knows, which is not none
        return [calls]
    most = f" of at most ${cap:,.2f}" if isinstance(cap, int | float) else ""
    return [f"${usd:,.2f}{most} spent; {calls}"]


def _errors(run: Path, manifest: Manifest) -> tuple[str, ...]:
    """What failed last, as people may see it."""
    try:
        with (run / ERRORS).open("rb") as file:
            file.seek(max(0, (run / ERRORS).stat().st_size - _TAIL))
            lines = file.read(_TAIL).splitlines()
    except OSError:
        return ()
    found: list[str] = []
    for line in reversed(lines):
        with suppress(ValidationError):  # the first one may be cut, the last one half written
            error = ErrorRecord.model_validate_json(line)
            words = " ".join(manifest.for_others(error.message).split())
            found.append(f"{error.about}: {words[:_LONGEST_ERROR]}")
        if len(found) == _ERRORS_SHOWN:
            break
    return tuple(found)


class _EventStream(StreamingResponse):
    """Events for one reader, who counts while they go on and is let go if they are not taken."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str], watching: Counter[str], name: str) -> None:
        super().__init__(events)
        self._watching, self._name = watching, name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them, if not too many are sent already."""
        if self._watching[self._name] >= _MOST_EACH or self._watching.total() >= _MOST_STREAMS:
            raise HTTPException(503, "Too many pages watch runs; load this one again later.")

        async def timely(message: Message) -> None:
            async with asyncio.timeout(_PATIENCE):
                await send(message)

        self._watching[self._name] += 1
        try:
            with suppress(TimeoutError):
                await super().__call__(scope, receive, timely)
        finally:
            self._watching[self._name] -= 1


@dataclass
class Live:
    """The streams of an app: not too many, and one look at a run for all who watch it.

    Attributes:
        view: The app.
    """

    view: View
    _watching: Counter[str] = field(default_factory=Counter)
    _looked: dict[str, tuple[float, LiveState]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def endpoint(self, request: Request) -> Response:
        """The events of a run, until it ends."""
        visitor = await self._visitor(request)
        key = request.path_params["key"]
        await run_in_threadpool(self.now, key)
        return _EventStream(self._events(key, request), self._watching, visitor.name)

    async def _visitor(self, request: Request) -> Visitor:
        visitor = await self.view.visitor(request)
        if not visitor.sees_all:
            raise HTTPException(403, "This is not shown to you.")
        return visitor

    def now(self, key: str) -> LiveState:
        """What is said of a run, looked at once a second for everybody.

        Raises:
            HTTPException: There is no such run, or it cannot be read now.
        """
        with self._lock:
            at, state = self._looked.get(key, (float("-inf"), None))
            if state is None or time.monotonic() - at >= _EVERY / 2:
                try:
                    state = live_state(self.view.run(key))
                except (sqlite3.Error, OSError, ReviewScoreError) as error:
                    raise HTTPException(503, "This run cannot be looked at now.") from error
                fresh = {name: one for name, one in self._looked.items() if one[0] > at}
                self._looked = {**fresh, key: (time.monotonic(), state)}
            return state

    async def _events(self, key: str, request: Request) -> AsyncIterator[str]:
        last, told = "", time.monotonic()
        asked, end = told, told + _LONGEST
        yield "retry: 5000\n\n"
        while time.monotonic() < end:
            try:
                if time.monotonic() - asked > _BEAT:  # an invitation may have been revoked
                    await self._visitor(request)
                    asked = time.monotonic()
                state = await run_in_threadpool(self.now, key)
            except HTTPException:
                return  # the run was taken away, or is shown to them no more
            text = json.dumps(asdict(state))
            if text != last:
                last, told = text, time.monotonic()
                yield f"data: {text}\n\n"
            elif time.monotonic() - told > _BEAT:
                told = time.monotonic()
                yield ": nothing new\n\n"
            if state.state != WRITING:
                yield "event: end\ndata: {}\n\n"
                return
            await asyncio.sleep(_EVERY)
