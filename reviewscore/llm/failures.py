"""Failures of the vendors' SDKs as ours; the SDKs are built alike."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from reviewscore.errors import ProviderError, StopError
from reviewscore.llm.waiting_time import seconds_to_wait
from reviewscore.papers.hygiene import without_surrogates

_NO_ACCESS = (401, 403)
_NO_CREDIT = 402
_RETRY = (408, 409, 425, 429)
_SERVER_ERROR = 500
_NO_CREDIT_WORDS = ("insufficient_quota", "credit balance", "billing hard limit")
_NEVER = {
    *("ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError"),
    *("gaierror", "ConnectionRefusedError"),
}
"""Errors of a connection that never came about."""


STRANGE = (AttributeError, TypeError, IndexError, KeyError, ValueError)
"""What reading an answer raises that is not in its protocol's form (a proxy's page, say)."""


_SECRET = ("_API_KEY", "_TOKEN", "_PASSWORD", "_SECRET_KEY", "_SECRET_ACCESS_KEY")
_SHORTEST_SECRET = 8


def without_secrets(text: str) -> str:
    """A message of a server as it may be shown and stored: servers may repeat the key they got."""
    for name, value in os.environ.items():
        if name.endswith(_SECRET) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, f"[{name}]")
    return str(without_surrogates(text))


class _Answer(Protocol):
    @property
    def headers(self) -> Mapping[str, str]: ...


class _StatusError(Protocol):
    """What the SDKs' status errors have in common."""

    @property
    def status_code(self) -> int: ...

    @property
    def message(self) -> str: ...

    @property
    def response(self) -> _Answer: ...


def refused(error: _StatusError) -> ProviderError | StopError:
    """An answer with an error status.

    Without access or credit no other call would fare better, so the run stops.
    """
    status, message = error.status_code, without_secrets(error.message)
    if status in _NO_ACCESS:
        return StopError(f"the provider refused access ({status}: {message}); check the key")
    told = f"{message} {getattr(error, 'code', '')}".lower()
    if status == _NO_CREDIT or any(words in told for words in _NO_CREDIT_WORDS):
        return StopError(f"the account has no credit left ({message}); run again later")
    return ProviderError(
        f"status {status}: {message}",
        retryable=status in _RETRY or status >= _SERVER_ERROR,
        retry_after=seconds_to_wait(error.response.headers),
        status=status,
    )


def strange(place: str, error: Exception) -> ProviderError:
    """An answer that cannot be read; the server may do better next time, and may have billed."""
    return ProviderError(
        without_secrets(f"{place}: the answer cannot be read ({error})"),
        retryable=True,
        in_doubt=True,
    )


def broken(place: str, error: Exception) -> ProviderError:
    """A connection that broke or timed out, told apart from one that never came about."""
    cause: BaseException | None = error
    kinds = set()
    while cause is not None:
        kinds.add(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    reason = error.__cause__ or error
    return ProviderError(
        without_secrets(f"{place}: {str(error).rstrip('.')} ({reason})"),
        retryable=True,
        in_doubt=not kinds & _NEVER,
    )
