"""Ctrl-C once finishes the calls under way; twice stops at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Protocol

from reviewscore.papers.pdf import abandon


class Stoppable(Protocol):
    """A session that can be told to begin nothing new.

    Attributes:
        interrupted: Whether Ctrl-C ended it.
    """

    interrupted: bool

    def stop(self, reason: str | None) -> None:
        """Begin nothing new; calls under way finish."""


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


@contextmanager
def interruptible(
    session: Stoppable, say: Callable[[str], None], interruption: Interruption | None = None
) -> Iterator[None]:
    """Let Ctrl-C stop a session within the block.

    Args:
        session: Told to stop at the first Ctrl-C; its task is cancelled at the second.
        say: Told that it is stopping.
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
        say("stopping: calls under way finish; press Ctrl-C again to stop now")

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
