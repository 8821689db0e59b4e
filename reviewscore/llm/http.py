"""Servers behind the vendors' SDKs: their failures as ours, bounded answers, token counts, files.

The SDKs speak through httpx, or through its successor under another name. Our client of theirs
gives up an answer that has not come whole in time: their own time-outs begin anew with every byte.
It has a hook that puts a stream of ours in the place of an answer's body: it decompresses piece by
piece, counts what comes in and out, and gives up at the bound. So it holds for whole answers, for
streamed ones and for those with an error status alike.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from types import ModuleType
from typing import Any, BinaryIO, TypeVar

from reviewscore.addresses import host_of, is_loopback
from reviewscore.bounds import (
    ACCEPTED,
    Bound,
    Decompressor,
    EncodingError,
    PassedError,
    bounded_lines,
    in_force,
)
from reviewscore.errors import ModelError, ProviderError, StopError
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.schema.call import Completion, Usage

SentT = TypeVar("SentT")

_YEAR = 365 * 86_400.0


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for; None if it is not there or makes no sense.

    A year and more makes no sense.

    A date is taken relative to the server's own clock, so that a wrong clock here does no harm.
    """
    text = headers.get("retry-after")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            then, now = parsedate_to_datetime(text), parsedate_to_datetime(headers.get("date", ""))
            seconds = (then - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds < _YEAR else None


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


@contextmanager
def sdk_errors(place: str, sdk: ModuleType) -> Iterator[None]:
    """Failures of a vendor's SDK as ours; the SDKs are built alike.

    Args:
        place: The server.
        sdk: The SDK; LiteLLM's errors are of OpenAI's kinds.

    Raises:
        ProviderError, StopError: Whatever failed.
    """
    import aiohttp

    try:
        yield
    except sdk.APIStatusError as error:
        raise _ended_by_us(error) or refused(error) from error
    except sdk.APIConnectionError as error:  # time-outs are connection errors too
        raise broken(place, error) from error
    except aiohttp.ClientError as error:  # of a client of LiteLLM's own
        raise no_http(place, error) from error
    except (sdk.APIError.__base__, *STRANGE) as error:
        raise strange(place, error) from error


def refused(error: Any) -> ProviderError | StopError:
    """A status error of an SDK.

    Without access or credit no other call would fare better, so the run stops.
    """
    value, body = error.message, getattr(error, "body", None)
    if body and " - " not in value:  # some say it elsewhere than where the SDKs look
        value = f"{value} - {body}"[:_MOST_TOLD]
    wait = seconds_to_wait(error.response.headers)
    words = f"{value} {getattr(error, 'code', None) or ''}".lower()
    return _refusal(error.status_code, value, words, retry_after=wait)


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
    status: int, message: str, text: str, *, retry_after: float | None
) -> ProviderError | StopError:
    """A refusal by its status and by the words in all that was told."""
    message = without_secrets(message)
    flagged = any(words in text for words in _FLAGGED_WORDS)
    if status in _NO_ACCESS and not flagged:
        return StopError(f"the provider refused access ({status}: {message}); check the key")
    if status == _NO_CREDIT or any(words in text for words in _NO_CREDIT_WORDS):
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
        text = without_secrets(f"{place}: the request cannot be sent ({error})")
        return ProviderError(text, retryable=False)
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


def _ended_by_us(error: Exception) -> ProviderError | None:
    """What we raised while an answer came in, whatever an SDK made of it; None if we did not."""
    return next(
        (exception for exception in _chain(error) if isinstance(exception, ProviderError)), None
    )


def broken(place: str, error: Exception) -> ProviderError:
    """A connection that broke or timed out, told apart from one that never came about.

    What we ended ourselves comes back as it was raised: an SDK may take it for a broken connection.
    """
    if (ended := _ended_by_us(error)) is not None:
        return ended
    chain = _chain(error)
    reason = error.__cause__ or error
    text = f"{place}: {str(error).rstrip('.')} ({reason})"
    kinds = {type(exception).__name__ for exception in chain}
    never = bool(kinds & _NEVER) and not kinds & _LOST
    if never:
        text = f"{place} cannot be reached ({_why(chain)})"
    return ProviderError(without_secrets(text), retryable=True, in_doubt=not never)


def no_http(place: str, error: Exception) -> ProviderError:
    """An answer that is not HTTP, or a kind of it that says two things at once."""
    reason = str(getattr(error, "message", "") or error or type(error).__name__)
    reason = " ".join(reason.split()).rstrip(" ^")[:_MOST_TOLD]  # a mark below shows the place
    text = f"{place}: its answer is not HTTP as it has to be ({reason})"
    return ProviderError(
        without_secrets(f"{text}; check that the address is that of a model's server"),
        retryable=True,
        in_doubt=True,
    )


def _why(chain: list[BaseException]) -> str:
    """Why a connection never came about, in plain words; the SDKs call most of it a time-out."""
    kinds = {type(exception).__name__ for exception in chain}
    if any(
        isinstance(exception, OSError) and exception.errno == errno.ECONNREFUSED
        for exception in chain
    ):
        return "connection refused: nothing listens there"
    if kinds & {"gaierror", "ClientConnectorDNSError"}:
        return "there is no server of that name, or no network"
    if kinds & {"SSLCertVerificationError", "ClientConnectorCertificateError"}:
        return f"its certificate is not trusted: {chain[-1]}"
    if kinds & {"ConnectTimeout"} and not any(
        isinstance(exception, OSError) for exception in chain
    ):
        return "no answer to the attempt to connect"
    return str(chain[-1]) or type(chain[-1]).__name__


_ERROR = 400
_HEADERS = {"Accept-Encoding": ACCEPTED}
"""Headers of all requests, so that no server sends what cannot be bounded."""
LONGEST_FILE = 1800.0
"""Seconds that a file of many replies may take, if a reply may not take longer."""
_UNTIL = "reviewscore_until"
"""Name under which a request carries the time at which its answer must be whole."""

_NO_PROXY = dict.fromkeys(("all://", "http://", "https://"))
"""In place of what HTTP_PROXY, HTTPS_PROXY and ALL_PROXY say."""

_PAST_PROXIES = ("NO_PROXY", "no_proxy")

Hook = Callable[[Any], Awaitable[None]]


def open_http(
    kind: Any,
    place: str,
    *,
    timeout: float,
    results: bool = False,
    follow_redirects: bool = False,
) -> Any:
    """A client of httpx whose answers are bounded in size and time.

    What goes to this machine goes there, and to no proxy that the environment names.

    Args:
        kind: Its class.
        place: The server, for messages.
        timeout: Seconds for one answer, from sending the request to the last byte.
        results: Whether answers are files of many replies, read as a stream.
        follow_redirects: Whether redirects are followed.
    """
    client = _client_class(kind)(
        timeout=timeout,
        follow_redirects=follow_redirects,
        headers=_HEADERS,
        event_hooks=_hooks(place, results=results),
        mounts=_NO_PROXY if is_loopback(place) else None,
    )
    client.place, client.longest = place, max(timeout, LONGEST_FILE) if results else timeout
    return client


def past_proxies(addresses: Iterable[str]) -> None:
    """Take servers of this machine out of what clients that are not ours send through proxies."""
    hosts = [host_of(address) for address in addresses if is_loopback(address)]
    known = ",".join(os.environ.get(name, "") for name in _PAST_PROXIES).split(",")
    for name in _PAST_PROXIES if hosts else ():  # the second hides the first
        os.environ[name] = ",".join(dict.fromkeys(host for host in (*known, *hosts) if host))


@cache
def _client_class(kind: Any) -> Any:
    """Our client as one of the SDK's own kind."""
    return type("BoundedClient", (_Punctual, kind), {})


class _Punctual:
    """A client of httpx that waits for whole answers, and no longer than is allowed."""

    place: str
    longest: float

    async def send(self, request: Any, **how: Any) -> Any:
        """Send a request; a body that is read as a stream has to come in the same time."""
        until = asyncio.get_running_loop().time() + self.longest
        request.extensions = {**request.extensions, _UNTIL: (until, self.longest)}
        with _in_words(self.place, self.longest):
            async with asyncio.timeout_at(until):
                return await super().send(request, **how)  # type: ignore[misc]


@contextmanager
def _in_words(place: str, longest: float) -> Iterator[None]:
    """What the transport raises as it is, since no httpx has a name for it."""
    import aiohttp

    try:
        yield
    except TimeoutError as error:
        text = f"{place}: no whole reply after {longest:g} s"
        raise ProviderError(text, retryable=True, in_doubt=True) from error
    except (aiohttp.ClientError, UnicodeError) as error:
        raise no_http(place, error) from error


def _hooks(place: str, *, results: bool) -> dict[str, list[Hook]]:
    """Event hooks for a client of httpx that bound the bodies of its answers."""

    async def bound(response: Any) -> None:
        wide = results and response.status_code < _ERROR
        limit = in_force().results if wide else in_force().reply
        declared = response.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit.size:
            raise _too_large(place, response.status_code, limit, int(declared), whole=True)
        coding = response.headers.get("content-encoding", "")
        for name in ("content-encoding", "content-length"):
            if name in response.headers:
                del response.headers[name]
        module = type(response.stream).__module__.partition(".")[0]
        response.stream = _stream_class(module)(
            response.stream,
            place,
            response.status_code,
            limit,
            coding,
            streamed=results,
            time=response.request.extensions[_UNTIL],
        )

    return {"response": [bound]}


def _too_large(
    place: str, status: int, limit: Bound, seen: int, *, whole: bool = False
) -> ProviderError:
    """The same request would fare no better, and its answer may have been billed."""
    text = without_secrets(f"{place}: the reply {limit.problem(seen, whole=whole)}; {limit.cure}")
    return ProviderError(text, retryable=False, status=status, in_doubt=status < _ERROR)


class _Bounded:
    """The body of an answer, decompressed."""

    def __init__(
        self,
        body: Any,
        place: str,
        status: int,
        limit: Bound,
        coding: str,
        *,
        streamed: bool,
        time: tuple[float, float],
    ) -> None:
        self._body, self._place, self._status, self._limit = body, place, status, limit
        self._coding, self._streamed = coding, streamed
        self._until, self._longest = time

    async def __aiter__(self) -> AsyncIterator[bytes]:
        broke = sys.modules[type(self._body).__module__.partition(".")[0]].HTTPError
        try:
            decompressor = Decompressor(self._coding, self._limit.size)
            async for data in self._in_time():
                for piece in decompressor.pieces(data):
                    yield piece
        except PassedError as error:
            raise _too_large(self._place, self._status, self._limit, error.seen) from error
        except EncodingError as error:
            text = f"{self._place}: the reply cannot be read: {error}"
            raise ProviderError(
                text, retryable=True, status=self._status, in_doubt=self._status < _ERROR
            ) from error
        except broke as error:
            if not self._streamed:  # the SDK makes its own of it
                raise
            raise broken(self._place, error) from error

    async def _in_time(self) -> AsyncIterator[bytes]:
        """The body as it comes, while there is time."""
        pieces = aiter(self._body)
        while True:
            with _in_words(self._place, self._longest):
                try:
                    async with asyncio.timeout_at(self._until):
                        data = await anext(pieces)
                except StopAsyncIteration:
                    return
            yield data

    async def aclose(self) -> None:
        """Close the connection, or give it back if the body was read to its end."""
        await self._body.aclose()


@cache
def _stream_class(module: str) -> Any:
    """Our stream as one that the module takes for its own kind."""
    return type("BoundedStream", (_Bounded, sys.modules[module].AsyncByteStream), {})


MOST_TOKENS = 100_000_000
"""Tokens of one call, far beyond what any model reads or writes."""
_LONGEST = 10_000
"""Characters of a server's usage object that is kept."""


@dataclass(frozen=True)
class Names:
    """Where a protocol has its counts; dots lead into objects.

    Attributes:
        read: Input.
        output: The reply.
        cached: Input read from the cache.
        written: Input written to the cache.
        apart: Whether `read` leaves out what `cached` and `written` count.
    """

    read: str
    output: str
    cached: str = ""
    written: str = ""
    apart: bool = False


def usage_of(reported: Any, names: Names) -> Usage:
    """The counts in a usage object; all unknown (0) if one is negative, absurd or contradictory.

    Args:
        reported: The object as it was read, of pydantic or of JSON; None if there is none.
        names: Where its counts are.
    """
    if reported is None:
        return Usage()
    raw = _as_json(reported)
    try:
        value = json.loads(raw)
        total, output = _count(value, names.read), _count(value, names.output)
        cached, written = (_count(value, text, 0) for text in (names.cached, names.written))
        if names.apart:
            total += cached + written
        if cached + written > total:
            raise ValueError("more input was cached than there was")
    except STRANGE:
        return Usage(raw=raw[:_LONGEST])
    return Usage(
        input_tokens=total,
        cached_tokens=cached,
        written_tokens=written,
        output_tokens=output,
        raw=raw[:_LONGEST],
    )


def _as_json(reported: Any) -> str:
    if hasattr(reported, "model_dump_json"):
        return str(reported.model_dump_json(exclude_none=True, warnings=False))
    return json.dumps(reported)


def _count(value: object, name: str, default: int | None = None) -> int:
    """A count of tokens.

    Raises:
        ValueError: It is none, or none that can be.
    """
    for part in name.split(".") if name else ():
        if value is not None and not isinstance(value, Mapping):
            raise ValueError("there is no object where one should be")
        value = (value or {}).get(part)
    if (value is None or not name) and default is not None:
        return default
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole or (isinstance(value, float) and value.is_integer())):
        raise ValueError("a count is no whole number")
    if not 0 <= value <= MOST_TOKENS:  # type: ignore[operator]
        raise ValueError("a count cannot be")
    return int(value)  # type: ignore[call-overload,no-any-return]


_KEY = re.compile(rb'"custom_id"\s*:\s*"([0-9a-f]+)"')


async def keep(pieces: AsyncIterator[bytes], file: BinaryIO) -> None:
    """Write results into a file as they come, from its beginning to its end.

    Results are read from there: they are too many for the memory, and a connection that waits
    while replies are recorded may be closed.
    """
    async for piece in pieces:
        file.write(piece)
    file.seek(0)


def read_lines(file: BinaryIO) -> Iterator[tuple[str, dict[str, Any] | ProviderError]]:
    """The key of each result and the line that holds it, which is empty if it cannot be read.

    Lines end with a line feed only: replies may hold other separators of lines as they are. A
    line that is too large to be held is a failure of its own reply.
    """
    limit = in_force().reply
    for line in bounded_lines(file, limit):
        try:
            held = json.loads(line.data)
            key = str(held["custom_id"])
        except STRANGE:
            named = _KEY.search(line.data)
            if named is None:
                continue
            key, held = named[1].decode(), {}
        if line.cut:
            text = f"the reply {limit.problem(line.size, whole=True)}; {limit.cure}"
            yield key, ProviderError(text, retryable=False, in_doubt=True)
        else:
            yield key, held


def results_of(
    file: BinaryIO,
    sent: Mapping[str, SentT],
    read: Callable[[dict[str, Any], SentT], Completion | ModelError],
    *,
    what: str,
) -> Iterator[tuple[str, Completion | ModelError]]:
    """Replies and failures in a file of results; what cannot be read fails alone.

    Args:
        file: The results, from its beginning.
        sent: How each request was sent, by key; other keys are passed over.
        read: Reads a line.
        what: What holds the results, for messages.
    """
    for key, line in read_lines(file):
        if key not in sent:
            continue
        outcome: Completion | ModelError
        try:
            outcome = line if isinstance(line, ProviderError) else read(line, sent[key])
        except ProviderError as problem:
            outcome = problem
        except STRANGE as problem:
            text = without_secrets(f"{what} holds a strange reply ({problem!r})")
            outcome = ProviderError(text, retryable=False)
        yield key, outcome
