"""OpenReview's answers on their way: bounded in size and time, and from its own hosts alone."""

from __future__ import annotations

import io
import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urljoin, urlsplit

from requests.adapters import HTTPAdapter

from reviewscore.bounds import Bound, Decompressor, EncodingError, PassedError, in_force
from reviewscore.errors import InputError, TooLargeError

_PIECE = 65_536
_LONGEST = 1800.0
"""Seconds for one answer: a server that sends a byte now and then passes the time-outs."""
_OWN = re.compile(r"(?:[a-z0-9-]+\.)*openreview\.net")


class UnusableError(InputError):
    """An answer that cannot be taken, whatever is asked for again."""


@dataclass
class _Clock:
    """When the answer of the request under way must be whole; there is one at a time.

    Attributes:
        until: That time, as `time.monotonic` counts.
        place: The server, for messages.
    """

    until: float = float("inf")
    place: str = ""

    def start(self, place: str) -> None:
        """A request goes out."""
        self.until, self.place = time.monotonic() + _LONGEST, place

    def left(self) -> float:
        """Seconds that are left.

        Raises:
            UnusableError: There are none.
        """
        left = self.until - time.monotonic()
        if left <= 0:
            raise UnusableError(
                f"the answer of {self.place} had not come whole after {_LONGEST:g} s",
                cure="try again later",
            )
        return left


class _Timed(io.RawIOBase):
    """The bytes of a connection, each wait for some of them no longer than the clock allows."""

    def __init__(self, connection: socket.socket, raw: io.RawIOBase, clock: _Clock) -> None:
        self._connection, self._raw, self._clock = connection, raw, clock
        self._most = connection.gettimeout() or float("inf")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Some bytes.

        Raises:
            UnusableError: The time for the whole answer is over.
        """
        self._connection.settimeout(min(self._most, self._clock.left()))
        try:
            return self._raw.readinto(buffer)
        except TimeoutError:
            self._clock.left()
            raise

    def close(self) -> None:
        """Close the reader, and not the connection."""
        self._raw.close()
        super().close()


def _response_class(clock: _Clock) -> type[HTTPResponse]:
    """Answers that are read by a clock."""

    class Timed(HTTPResponse):
        def __init__(self, connection: Any, *args: Any, **how: Any) -> None:
            super().__init__(connection, *args, **how)
            raw = self.fp.detach()
            self.fp = io.BufferedReader(_Timed(connection, raw, clock))

    return Timed


class PunctualAdapter(HTTPAdapter):
    """An adapter of requests that gives up an answer that takes too long, its head included.

    The time-outs of requests begin anew with every byte, and its parser waits for whole lines. So
    the time is looked at wherever bytes are read.
    """

    def __init__(self, **how: Any) -> None:
        self.clock = _Clock()
        self._response = _response_class(self.clock)
        super().__init__(**how)

    def get_connection_with_tls_context(self, *args: Any, **how: Any) -> Any:
        """The connections for a request."""
        pool = super().get_connection_with_tls_context(*args, **how)
        kind: Any = pool.ConnectionCls
        response = self._response
        if kind.response_class is not response:
            pool.ConnectionCls = type("Punctual", (kind,), {"response_class": response})
        return pool

    def send(self, request: Any, *args: Any, **how: Any) -> Any:
        """Send a request; its answer has to be whole some time after this.

        Raises:
            UnusableError: Its head is not.
        """
        self.clock.start(str(urlsplit(request.url).hostname))
        return super().send(request, *args, **how)


@dataclass
class BoundedAdapter:
    """Stands for an adapter of requests; a session takes it for one.

    Args:
        inner: The adapter that does the sending.
        hosts: Addresses that count as OpenReview's own beside those of its domain.

    Attributes:
        limit: Finds the most bytes of a body.
    """

    inner: PunctualAdapter
    hosts: tuple[str, ...]
    limit: Callable[[], Bound] = lambda: in_force().page

    def send(self, request: Any, **how: Any) -> Any:
        """Send a request; the body of its answer is bounded however it is read.

        Raises:
            UnusableError: The answer leads to somebody else's host.
        """
        answer = self.inner.send(request, **how)
        place = urlsplit(request.url).hostname
        if answer.is_redirect:
            target = _joined(request.url, answer.headers["Location"])
            if not is_own(target, self.hosts):
                answer.close()
                raise UnusableError(
                    f"{place} leads to {_host(target)}, which is none of OpenReview's own hosts",
                    cure="it is not asked; try again later, or use --from-export",
                )
        answer.raw = _Body(answer.raw, str(place), self.limit())
        return answer

    def close(self) -> None:
        """Close the connections."""
        self.inner.close()


def is_own(address: str, hosts: tuple[str, ...]) -> bool:
    """Whether an address is one of OpenReview's own, to any reader of addresses.

    Args:
        address: An address.
        hosts: Configured addresses, which count as own with their scheme and port.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    if any((parts.scheme, parts.netloc) == urlsplit(host)[:2] for host in hosts):
        return True
    return (
        _OWN.fullmatch(parts.hostname or "") is not None
        and parts.scheme == "https"
        and port in (None, 443)
        and "@" not in parts.netloc
    )


def _joined(address: str, location: str) -> str:
    """Where a redirect leads; an address that is none stays as it is."""
    try:
        return urljoin(address, location)
    except ValueError:
        return location


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "another place")[:100]
    except ValueError:
        return "another place"


class _Body:
    """The raw body of an answer; all that reads it goes through `stream`."""

    def __init__(self, raw: Any, place: str, limit: Bound) -> None:
        self._raw, self._place, self._limit = raw, place, limit

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def stream(self, amt: int = _PIECE, decode_content: bool | None = None) -> Iterator[bytes]:
        """The body in pieces, decompressed.

        Raises:
            TooLargeError: It passes the bound.
            UnusableError: It is damaged, or takes too long.
        """
        limit = self._limit
        declared = self._raw.headers.get("Content-Length") or ""
        if declared.isdecimal() and int(declared) > limit.size:
            raise self._too_large(int(declared), whole=True)
        try:
            coding = self._raw.headers.get("Content-Encoding") or ""
            decompressor = Decompressor(coding, limit.size)
            while data := self._raw.read1(_PIECE, decode_content=False):
                yield from decompressor.pieces(data)
        except PassedError as error:
            raise self._too_large(error.seen) from error
        except EncodingError as error:
            raise UnusableError(
                f"the answer of {self._place} cannot be read: {error}", cure="try again later"
            ) from error

    def _too_large(self, seen: int, *, whole: bool = False) -> TooLargeError:
        self._raw.close()
        problem = f"the answer of {self._place} {self._limit.problem(seen, whole=whole)}"
        return TooLargeError(problem, cure=self._limit.cure)
