"""What users must be told beside results, from wherever in the package it is seen.

A sentence goes to the logger ``reviewscore.notices``; the command line shows each one once, as a
line of its own, and other programs take it as they take any logger's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)


def notice(sentence: str) -> None:
    """Say a sentence to whoever uses the package."""
    _log.warning("%s", sentence)


class _Shown(logging.Handler):
    """Hands each sentence on, once."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__()
        self._show, self._seen = show, set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        sentence = record.getMessage()
        if sentence not in self._seen:
            self._seen.add(sentence)
            self._show(sentence)


@contextmanager
def shown(show: Callable[[str], None]) -> Iterator[None]:
    """Show notices for the while.

    Args:
        show: Called with each sentence, the first time that it is said.
    """
    handler = _Shown(show)
    _log.addHandler(handler)
    try:
        yield
    finally:
        _log.removeHandler(handler)
