"""Ctrl-C once finishes the calls under way; twice stops at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def interruptible(session: Stoppable, say: Callable[[str], None]) -> Iterator[None]:
    """Let Ctrl-C stop a session within the block.

    Args:
        session: Told to stop at the first Ctrl-C; its task is cancelled at the second.
        say: Told that it is stopping.
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

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield
        return
    try:
        yield
    except asyncio.CancelledError:
        if not session.interrupted:
            raise
    finally:
        loop.remove_signal_handler(signal.SIGINT)
