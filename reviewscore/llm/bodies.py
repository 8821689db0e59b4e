"""Bodies of servers' answers, bounded while they come in, whatever SDK and transport brings them.

The SDKs speak through httpx, or through its successor under another name; both call a hook when
the head of an answer is there. Ours puts a stream of its own in the place of the body's: it
decompresses piece by piece, counts what comes out, and gives up at the bound. So it holds for
whole answers, for streamed ones and for those with an error status alike.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from typing import Any

from reviewscore.bounds import ACCEPTED, Bound, Decompressor, EncodingError, in_force
from reviewscore.errors import ProviderError
from reviewscore.llm.failures import broken, without_secrets

_ERROR = 400
HEADERS = {"Accept-Encoding": ACCEPTED}
"""Headers of all requests, so that no server sends what cannot be bounded."""

Hook = Callable[[Any], Awaitable[None]]


def hooks(place: str, *, results: bool = False) -> dict[str, list[Hook]]:
    """Event hooks for a client of httpx that bound the bodies of its answers.

    Args:
        place: The server, for messages.
        results: Whether answers are files of many replies, read as a stream.
    """

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
            response.stream, place, response.status_code, limit, coding, streamed=results
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
        self, body: Any, place: str, status: int, limit: Bound, coding: str, *, streamed: bool
    ) -> None:
        self._body, self._place, self._status, self._limit = body, place, status, limit
        self._coding, self._streamed = coding, streamed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        broke = sys.modules[type(self._body).__module__.partition(".")[0]].HTTPError
        try:
            decompressor = Decompressor(self._coding)
            async for data in self._body:
                for piece in decompressor.pieces(data):
                    seen += len(piece)
                    if seen > self._limit.size:
                        raise _too_large(self._place, self._status, self._limit, seen)
                    yield piece
        except EncodingError as error:
            told = f"{self._place}: the reply cannot be read: {error}"
            raise ProviderError(
                told, retryable=True, status=self._status, in_doubt=self._status < _ERROR
            ) from error
        except broke as error:
            if not self._streamed:  # the SDK makes its own of it
                raise
            raise broken(self._place, error) from error

    async def aclose(self) -> None:
        """Close the connection, or give it back if the body was read to its end."""
        await self._body.aclose()


@cache
def _stream_class(module: str) -> Any:
    """Our stream as one that the module takes for its own kind."""
    return type("BoundedStream", (_Bounded, sys.modules[module].AsyncByteStream), {})
