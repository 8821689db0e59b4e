"""OpenReview's answers on their way: bounded while they come, and from its own hosts alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from reviewscore.bounds import Bound, Decompressor, EncodingError, in_force
from reviewscore.errors import InputError, TooLargeError

_PIECE = 65_536
_LONGEST = 1800.0
"""Seconds for one answer: a server that sends a byte now and then passes the time-outs."""
_OWN = re.compile(r"(?:[a-z0-9-]+\.)*openreview\.net")


class UnusableError(InputError):
    """An answer that cannot be taken, whatever is asked for again."""


@dataclass
class BoundedAdapter:
    """Stands for an adapter of requests; a session takes it for one.

    Args:
        inner: The adapter that does the sending.
        hosts: Addresses that count as OpenReview's own beside those of its domain.

    Attributes:
        limit: Finds the most bytes of a body.
    """

    inner: Any
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
            target = urljoin(request.url, answer.headers["Location"])
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
    if any((parts.scheme, parts.netloc) == urlsplit(one)[:2] for one in hosts):
        return True
    return (
        _OWN.fullmatch(parts.hostname or "") is not None
        and parts.scheme == "https"
        and port in (None, 443)
        and "@" not in parts.netloc
    )


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
        limit, seen, until = self._limit, 0, time.monotonic() + _LONGEST
        declared = self._raw.headers.get("Content-Length") or ""
        if declared.isdecimal() and int(declared) > limit.size:
            raise self._too_large(int(declared), whole=True)
        try:
            decompressor = Decompressor(self._raw.headers.get("Content-Encoding") or "")
            while data := self._raw.read1(_PIECE, decode_content=False):
                for piece in decompressor.pieces(data):
                    seen += len(piece)
                    if seen > limit.size:
                        raise self._too_large(seen)
                    yield piece
                if time.monotonic() > until:
                    raise UnusableError(
                        f"the answer of {self._place} had not come whole after {_LONGEST:g} s",
                        cure="try again later",
                    )
        except EncodingError as error:
            raise UnusableError(
                f"the answer of {self._place} cannot be read: {error}", cure="try again later"
            ) from error

    def _too_large(self, seen: int, *, whole: bool = False) -> TooLargeError:
        self._raw.close()
        problem = f"the answer of {self._place} {self._limit.problem(seen, whole=whole)}"
        return TooLargeError(problem, cure=self._limit.cure)
