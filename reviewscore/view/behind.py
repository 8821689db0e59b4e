"""What takes long is made behind the pages, once for each state of what it is made of."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST = 12
"""Values that are kept, and that are waited for at once."""


@dataclass(frozen=True)
class Made(Generic[T]):
    """What there is of a value.

    Attributes:
        value: The latest that was made; None if there is none yet.
        fresh: Whether it is of the state that was asked for.
    """

    value: T | None
    fresh: bool


class Behind(Generic[T]):
    """Values by key, each made in a thread, one at a time; few wait for their turn.

    Args:
        drop: Called with a value that is no longer kept.
    """

    def __init__(self, drop: Callable[[T], None] = lambda _: None) -> None:
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._made: OrderedDict[object, tuple[object, T]] = OrderedDict()
        self._jobs: dict[object, threading.Thread] = {}
        self._drop = drop

    def get(self, key: object, state: object, make: Callable[[], T], *, wait: float) -> Made[T]:
        """A value, for which a page waits so many seconds.

        Args:
            key: What it is of.
            state: What changes when it has to be made anew.
            make: Makes it.
            wait: Seconds.
        """
        with self._lock:
            found = self._found(key, state)
            if found.fresh:
                self._made.move_to_end(key)
                return found
            job = self._jobs.get(key)
            if job is None or not job.is_alive():
                if len(self._jobs) >= _MOST:  # whoever asks again finds room
                    return found
                job = threading.Thread(target=self._make, args=(key, state, make), daemon=True)
                self._jobs[key] = job
                job.start()
        job.join(wait)
        with self._lock:
            return self._found(key, state)

    def _found(self, key: object, state: object) -> Made[T]:
        known = self._made.get(key)
        return Made(None, fresh=False) if known is None else Made(known[1], known[0] == state)

    def _make(self, key: object, state: object, make: Callable[[], T]) -> None:
        try:
            with self._turn:
                value = make()
            with self._lock:
                old = [self._made.pop(key)[1]] if key in self._made else []
                self._made[key] = (state, value)
                while len(self._made) > _MOST:
                    old.append(self._made.popitem(last=False)[1][1])
            for one in old:
                self._drop(one)
        finally:
            with self._lock:
                self._jobs.pop(key, None)
