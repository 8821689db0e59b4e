"""What users must be told beside results, from wherever in the package it is seen.

A sentence goes to the logger ``reviewscore.notices``; the command line shows each one once, as a
line of its own, and other programs take it as they take any logger's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

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


@dataclass
class _Conversation:
    """Who can be asked, and what was answered."""

    ask: Callable[[str], str | None]
    answer: str | None = None


_CONVERSATION: ContextVar[_Conversation | None] = ContextVar("_CONVERSATION", default=None)


@contextmanager
def asking(ask: Callable[[str], str | None]) -> Iterator[None]:
    """Let the user be asked for the while.

    Args:
        ask: Given a question; None if nobody answers.
    """
    token = _CONVERSATION.set(_Conversation(ask))
    try:
        yield
    finally:
        _CONVERSATION.reset(token)


def ask_once(question: str) -> str | None:
    """The user's answer, asked for the first time alone; None if nobody can be asked."""
    conversation = _CONVERSATION.get()
    if conversation is None:
        return None
    if conversation.answer is None:
        conversation.answer = conversation.ask(question)
    return conversation.answer


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
