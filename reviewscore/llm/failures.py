"""Failures of the vendors' SDKs as ours; the SDKs are built alike."""

from __future__ import annotations

import errno
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
_GAVE_UP = (504, 524)
"""A gateway waited no longer; the server behind it may have answered and billed."""
BAD_REQUEST = (400, 422)
"""Statuses of a request that is refused for what is in it."""
_FLAGGED_WORDS = ("moderation", "flagged", "content policy")
_MOST_TOLD = 500
"""Characters shown of an answer that is in nobody's form."""
_NO_CREDIT_WORDS = ("insufficient_quota", "credit balance", "billing hard limit")
_NEVER = {
    *("ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError"),
    *("gaierror", "ConnectionRefusedError", "PoolTimeout", "InvalidURL", "UnsupportedProtocol"),
    *("SSLCertVerificationError", "ClientConnectorCertificateError", "ClientConnectorSSLError"),
}
"""Errors of a connection that never came about."""
_LOST = {"ServerDisconnectedError", "SocketTimeoutError", "ClientPayloadError", "ClientOSError"}
"""Errors of a connection that was there; an SDK's transport may call them ConnectTimeout."""


STRANGE = (AttributeError, TypeError, IndexError, KeyError, ValueError, RecursionError)
"""What reading an answer raises that is not in its protocol's form (a proxy's page, say)."""


_SECRET = ("_API_KEY", "_TOKEN", "_PASSWORD", "_SECRET_KEY", "_SECRET_ACCESS_KEY")
_SHORTEST_SECRET = 8


def without_secrets(text: str) -> str:
    """A message of a server as it may be shown and stored: servers may repeat the key they got."""
    for name, value in os.environ.items():
        if name.endswith(_SECRET) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, f"[{name}]")
    return str(without_surrogates(text))


def complaint(error: _StatusError) -> str:
    """What a server says is wrong; some say it elsewhere than where the SDKs look."""
    body = getattr(error, "body", None)
    if not body or " - " in error.message:
        return error.message
    return f"{error.message} - {body}"[:_MOST_TOLD]


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
    told = f"{complaint(error)} {getattr(error, 'code', None) or ''}".strip()
    wait = seconds_to_wait(error.response.headers)
    return _refusal(error.status_code, complaint(error), told.lower(), retry_after=wait)


def refused_inside(error: object) -> ProviderError | StopError:
    """An error in an answer whose own status says that all is well (OpenRouter, proxies)."""
    fields = error if isinstance(error, Mapping) else {"message": error}
    message, code = str(fields.get("message") or error), str(fields.get("code", ""))
    if code.isdecimal() and int(code) >= min(BAD_REQUEST):
        return _refusal(int(code), message, message.lower(), retry_after=None)
    if any(words in f"{message} {code}".lower() for words in _NO_CREDIT_WORDS):
        return _refusal(_NO_CREDIT, message, "", retry_after=None)
    return ProviderError(without_secrets(message), retryable=True, in_doubt=True)


def _refusal(
    status: int, message: str, told: str, *, retry_after: float | None
) -> ProviderError | StopError:
    """A refusal by its status and by the words in all that was told."""
    message = without_secrets(message)
    flagged = any(words in told for words in _FLAGGED_WORDS)
    if status in _NO_ACCESS and not flagged:
        return StopError(f"the provider refused access ({status}: {message}); check the key")
    if status == _NO_CREDIT or any(words in told for words in _NO_CREDIT_WORDS):
        return StopError(f"the account has no credit left ({message}); run again later")
    return ProviderError(
        f"status {status}: {message}",
        retryable=status in _RETRY or status >= _SERVER_ERROR,
        retry_after=retry_after,
        status=status,
        in_doubt=status in _GAVE_UP,
    )


def strange(place: str, error: Exception) -> ProviderError:
    """An answer that cannot be read; the server may do better next time, and may have billed.

    Text that cannot be encoded never left: it is ours, or a setting, and no answer's.
    """
    if isinstance(error, UnicodeEncodeError):
        told = without_secrets(f"{place}: the request cannot be sent ({error})")
        return ProviderError(told, retryable=False)
    return ProviderError(
        without_secrets(f"{place}: the answer cannot be read ({error})"),
        retryable=True,
        in_doubt=True,
    )


def _chain(error: BaseException) -> list[BaseException]:
    """An error and all that led to it."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    return chain


def ended_by_us(error: Exception) -> ProviderError | None:
    """What we raised while an answer came in, whatever an SDK made of it; None if we did not."""
    return next((one for one in _chain(error) if isinstance(one, ProviderError)), None)


def broken(place: str, error: Exception) -> ProviderError:
    """A connection that broke or timed out, told apart from one that never came about.

    What we ended ourselves comes back as it was raised: an SDK may take it for a broken connection.
    """
    if (ended := ended_by_us(error)) is not None:
        return ended
    chain = _chain(error)
    reason = error.__cause__ or error
    told = f"{place}: {str(error).rstrip('.')} ({reason})"
    kinds = {type(one).__name__ for one in chain}
    never = bool(kinds & _NEVER) and not kinds & _LOST
    if never:
        told = f"{place} cannot be reached ({_why(chain)})"
    return ProviderError(without_secrets(told), retryable=True, in_doubt=not never)


def no_http(place: str, error: Exception) -> ProviderError:
    """An answer that is not HTTP, or a kind of it that says two things at once."""
    reason = str(getattr(error, "message", "") or error or type(error).__name__)
    reason = " ".join(reason.split()).rstrip(" ^")[:_MOST_TOLD]  # a mark below shows the place
    told = f"{place}: its answer is not HTTP as it has to be ({reason})"
    return ProviderError(
        without_secrets(f"{told}; check that the address is that of a model's server"),
        retryable=True,
        in_doubt=True,
    )


def _why(chain: list[BaseException]) -> str:
    """Why a connection never came about, in plain words; the SDKs call most of it a time-out."""
    kinds = {type(one).__name__ for one in chain}
    if any(isinstance(one, OSError) and one.errno == errno.ECONNREFUSED for one in chain):
        return "connection refused: nothing listens there"
    if kinds & {"gaierror", "ClientConnectorDNSError"}:
        return "there is no server of that name, or no network"
    if kinds & {"SSLCertVerificationError", "ClientConnectorCertificateError"}:
        return f"its certificate is not trusted: {chain[-1]}"
    if kinds & {"ConnectTimeout"} and not any(isinstance(one, OSError) for one in chain):
        return "no answer to the attempt to connect"
    return str(chain[-1]) or type(chain[-1]).__name__
