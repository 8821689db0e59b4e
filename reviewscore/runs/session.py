"""One session of a run, whatever it makes: begun, stopped, limited, counted, and how it ended."""

from __future__ import annotations

import asyncio
import contextvars
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from reviewscore.config import Settings
from reviewscore.errors import ReviewScoreError, StopError, StoppedError
from reviewscore.llm.client import Client, Traffic
from reviewscore.llm.ledger.store import Paid
from reviewscore.llm.parameters import merged
from reviewscore.llm.prices import price_list
from reviewscore.papers.pdf import abandon
from reviewscore.runs.manifest import ManifestT, Spending
from reviewscore.runs.ray_pool import WorkerPool
from reviewscore.schema.point_score import PointScore

AHEAD = 2
"""Reviews or texts under way per connection: enough to keep every connection busy."""
IN_A_WAVE = 300
"""The same where replies come in waves: more would need more memory than a wave saves."""

Say = Callable[[str], None]
T = TypeVar("T")


class Progress(Protocol):
    """Told what happens while an audit goes on."""

    def expect(self, points: int) -> None:
        """How many points there will be, by the splitting rules."""
        ...

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """A point is done and on disk."""
        ...

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        ...


class Quiet:
    """Progress that says nothing."""

    def expect(self, points: int) -> None:
        """Say nothing."""

    def finished(self, score: PointScore, traffic: Traffic | None) -> None:
        """Say nothing."""

    def say(self, sentence: str) -> None:
        """Say nothing."""


@dataclass
class Outcome(Generic[ManifestT]):
    """How a session of a run ended.

    Attributes:
        manifest: Of the folder, all sessions together.
        interrupted: Ctrl-C ended it.
        stopped: A limit ended it; the message says how to go on.
        failed: Points and reviews, or texts, that failed, in the whole folder.
        new: Points or texts that this session has done.
        before: Those that were done before it.
        seconds: Time of this session.
    """

    manifest: ManifestT
    interrupted: bool = False
    stopped: str | None = None
    failed: int = 0
    new: int = 0
    before: int = 0
    seconds: float = 0.0


class Clock:
    """When a session began, and how long it has lasted."""

    def __init__(self) -> None:
        self._started, self._since = datetime.now(UTC), time.perf_counter()

    def read(self) -> tuple[str, float]:
        """UTC time of the beginning, ISO 8601, and seconds since then."""
        seconds = round(time.perf_counter() - self._since, 3)
        return self._started.isoformat(timespec="seconds"), seconds


@dataclass(eq=False, kw_only=True)
class Session:
    """What one session works with, on this process or on many.

    Attributes:
        say: Told what the user should know.
        client: Makes calls from this process, if any are made.
        refused: What earlier sessions of the run have found models to refuse.
        pool: Workers, once there are any.
        stopping: Whether nothing new is begun.
        stopped: The limit that ended it, in words.
        interrupted: Whether Ctrl-C ended it.
        worker_traffic: Calls of each worker process so far.
    """

    settings: Settings
    say: Say
    client: Client | None = None
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pool: WorkerPool | None = None
    stopping: bool = False
    stopped: str | None = None
    interrupted: bool = False
    worker_traffic: dict[str, Traffic] = field(default_factory=dict)
    _halting: asyncio.Task[None] | None = None

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""
        self.stopping = True
        self.stopped = self.stopped or reason
        if self.client is not None:
            self.client.stop()
        if self.pool is not None and self._halting is None:
            self._halting = asyncio.ensure_future(self.pool.everywhere(halt))

    def stop_for(self, error: StopError) -> None:
        """Begin nothing new, for an error that says why; none is said of one that was asked for."""
        self.stop(None if isinstance(error, StoppedError) else str(error))

    async def halted(self) -> None:
        """Wait until the workers have been told to stop, if they are."""
        if self._halting is not None:
            await self._halting
        self.pool = None

    @property
    def at_once(self) -> int:
        """Reviews or texts under way at once: many where replies come in waves."""
        if self.client is None:
            return 1
        paced = self.client.provider_of(self.settings.model).traits.paced
        return self.settings.max_connections * AHEAD if paced else IN_A_WAVE

    @property
    def traffic(self) -> Traffic:
        """Calls of this process and of all workers in this session."""
        own = [] if self.client is None else [self.client.traffic]
        each = [*own, *self.worker_traffic.values()]
        names = {one.name for one in fields(Traffic)} - {"refused"}
        total = {name: sum(getattr(traffic, name) for traffic in each) for name in names}
        refused = merged([self.refused, *(traffic.refused for traffic in each)])
        return Traffic(**total, refused=refused)

    async def each(
        self, tasks: Iterable[Callable[[], Awaitable[Any]]], at_once: int | None = None
    ) -> None:
        """Do all tasks, so many at once, until done or stopped.

        Args:
            tasks: Begun in this order; each is made when it is about to be begun.
            at_once: How many; what the settings allow if not given.

        Raises:
            ReviewScoreError: As a task does: nothing can go on.
        """
        slots = asyncio.Semaphore(at_once or self.at_once)

        async def in_slot(task: Callable[[], Awaitable[Any]]) -> None:
            try:
                await task()
            finally:
                slots.release()

        try:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    await slots.acquire()
                    if self.stopping:
                        return
                    group.create_task(in_slot(task))
        except* ReviewScoreError as errors:
            raise errors.exceptions[0] from errors

    def models_update(self, paid: Paid, before: Spending) -> dict[str, object]:
        """What the run's manifest says of its models at the end of the session.

        Args:
            paid: What the run has paid, in all sessions.
            before: The manifest's account of earlier sessions.
        """
        priced, traffic = not paid.unpriced, self.traffic
        spending = Spending(
            calls=paid.calls,
            reused=before.reused + traffic.reused,
            replies=before.replies + traffic.replies,
            unusable=before.unusable + traffic.unusable,
            batched=paid.batched,
            input_tokens=paid.input_tokens,
            cached_tokens=paid.cached_tokens,
            written_tokens=paid.written_tokens,
            output_tokens=paid.output_tokens,
            usd=paid.usd if priced else None,
            doubtful_usd=paid.doubtful,
            prices=price_list(self.settings.prices).source if priced else None,
        )
        return {
            "spending": spending,
            "models_answered": paid.models,
            "refused": traffic.refused,
        }


class Stoppable(Protocol):
    """What a worker process works with: it can be told to begin nothing new."""

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish and are recorded."""


async def halt(context: Stoppable) -> None:
    """Have a worker begin nothing new."""
    context.stop(None)


class Interruption:
    """Brings Ctrl-C, which only the main thread gets, to work that runs in another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deliver: Callable[[], object] | None = None
        self._early = 0

    def interrupt(self) -> None:
        """Interrupt the work, as Ctrl-C does; before it has begun, it ends as soon as it does."""
        with self._lock:
            if self._deliver is None:
                self._early += 1
            else:
                self._deliver()

    @contextmanager
    def reaching(self, act: Callable[[], object]) -> Iterator[None]:
        """Within the block, interrupting calls `act` in the running event loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._deliver = partial(loop.call_soon_threadsafe, act)
            for _ in range(self._early):
                self._deliver()
        try:
            yield
        finally:
            with self._lock:
                self._deliver = None


Work = Callable[[Interruption], T]
"""What is done in a thread of its own."""


async def stoppable(work: Coroutine[object, object, T], interruption: Interruption) -> T:
    """Work that is cancelled when it is interrupted."""
    task = asyncio.current_task()
    assert task is not None
    with interruption.reaching(task.cancel):
        return await work


def begun(work: Work[T], interruption: Interruption) -> Future[T]:
    """Work in a thread of its own."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result = context.run(work, interruption)
        except BaseException as error:  # whoever waits for it is to have it
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=run, name="reviewscore", daemon=True).start()
    return future


async def done_in_thread(work: Work[T]) -> T:
    """Do the work while the running loop goes on; a cancelled task stops it."""
    interruption = Interruption()
    future = asyncio.wrap_future(begun(work, interruption))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        interruption.interrupt()
        while not future.done():
            try:
                await asyncio.wait((future,))
            except asyncio.CancelledError:  # once more: at once
                interruption.interrupt()
        if not future.cancelled():
            future.exception()  # seen
        raise


@contextmanager
def interruptible(session: Session, interruption: Interruption | None = None) -> Iterator[None]:
    """Within the block, Ctrl-C once finishes the calls under way, twice stops at once.

    Args:
        session: Told to stop at the first Ctrl-C; its task is cancelled at the second.
        interruption: Brings Ctrl-C, where the session does not run in the main thread.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def interrupt() -> None:
        if session.interrupted and task is not None:
            task.cancel()
            abandon()  # a thread that waits for a PDF would hold up the end
            return
        session.interrupted = True
        session.stop(None)
        session.say("stopping: calls under way finish; press Ctrl-C again to stop now")

    with ExitStack() as stack:
        if interruption is not None:
            stack.enter_context(interruption.reaching(interrupt))
        else:
            # There are no signal handlers on Windows, or outside of the main thread.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(signal.SIGINT, interrupt)
                stack.callback(loop.remove_signal_handler, signal.SIGINT)
        try:
            yield
        except asyncio.CancelledError:
            if not session.interrupted:
                raise
