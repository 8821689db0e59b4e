"""Servers' answers, bounded in size and time while they come in, whatever SDK brings them.

The SDKs speak through httpx, or through its successor under another name. Our client of theirs
gives up an answer that has not come whole in time: their own time-outs begin anew with every byte.
It has a hook that puts a stream of ours in the place of an answer's body: it decompresses piece by
piece, counts what comes in and out, and gives up at the bound. So it holds for whole answers, for
streamed ones and for those with an error status alike.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import aiohttp

from reviewscore.bounds import ACCEPTED, Bound, Decompressor, EncodingError, PassedError, in_force
from reviewscore.errors import ProviderError
from reviewscore.llm.failures import broken, no_http, without_secrets

_ERROR = 400
_HEADERS = {"Accept-Encoding": ACCEPTED}
"""Headers of all requests, so that no server sends what cannot be bounded."""
LONGEST_FILE = 1800.0
"""Seconds that a file of many replies may take, if a reply may not take longer."""
_UNTIL = "reviewscore_until"
"""Name under which a request carries the time at which its answer must be whole."""

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
    )
    client.place, client.longest = place, max(timeout, LONGEST_FILE) if results else timeout
    return client


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
    try:
        yield
    except TimeoutError as error:
        told = f"{place}: no whole reply after {longest:g} s"
        raise ProviderError(told, retryable=True, in_doubt=True) from error
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
    told = without_secrets(f"{place}: the reply {limit.problem(seen, whole=whole)}; {limit.cure}")
    return ProviderError(told, retryable=False, status=status, in_doubt=status < _ERROR)


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
            told = f"{self._place}: the reply cannot be read: {error}"
            raise ProviderError(
                told, retryable=True, status=self._status, in_doubt=self._status < _ERROR
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
