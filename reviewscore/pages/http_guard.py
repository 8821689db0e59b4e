"""Who may ask a server of pages and how: host, origin, size and time of a request, and headers.

The server of labels and that of drafts are behind the same guard. It knows neither people nor
pages.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reviewscore.errors import SettingsError

HOST = "127.0.0.1"
LOOPBACK = frozenset({HOST, "localhost", "::1"})
"""Names by which this machine reaches itself."""
_CHUNKS = "transfer-encoding"
_MALFORMED, _FORBIDDEN, _SLOW, _TOO_LARGE, _UNKNOWN_KIND = 400, 403, 408, 413, 415
_UTF_8 = re.compile(r"charset=(\"?)utf-?8\1\s*(?:;|\Z)", re.IGNORECASE)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would send forms with `Origin: null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def _in_text(path: str, status: int, reason: str) -> Response:
    return PlainTextResponse(reason, status_code=status)


@dataclass(frozen=True)
class GuardRules:
    """What a server answers.

    Attributes:
        place: What it is called in refusals, such as ``this workspace``.
        policy: Content security policy of its pages.
        longest: Most bytes that a request sends.
        longer: The same of paths that take files.
        seconds: Time in which they have to be there.
        public: The address by which people reach it, such as ``https://drafts.example.org``; None
            if it is reached from this machine alone.
        programs: Paths that programs call, which send no ``Origin``.
        refusal: Makes the answer to what is refused, of its path, status and reason.
    """

    place: str
    policy: str
    longest: int
    seconds: float = 30.0
    public: str | None = None
    programs: frozenset[str] = frozenset()
    longer: Mapping[str, int] = field(default_factory=dict)
    refusal: Callable[[str, int, str], Response] = _in_text


class Guard:
    """Lets through what comes from the server's own pages, and adds headers to every answer.

    The host must be the loopback's or the public one, so that no other name can be made to point
    here; a form must come from the same origin. No header allows another origin to read anything.
    """

    def __init__(self, app: ASGIApp, rules: GuardRules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        method, path = scope["method"], scope["path"]

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(raw=message["headers"])
                kept = answer.get("Cache-Control", "")
                answer.update({**_HEADERS, "Content-Security-Policy": self.rules.policy})
                if kept.startswith("private,"):  # a picture that the same person sees again
                    answer["Cache-Control"] = kept
            await send(message)

        refused = self._refusal(method, path, headers)
        if _CHUNKS in headers and (await receive())["type"] == "http.disconnect":
            return  # the server has refused its chunks already
        if refused is not None:
            await self.rules.refusal(path, *refused)(scope, receive, dressed)
        else:
            await self.app(scope, _timely(receive, self.rules.seconds), dressed)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        """Status and reason of a request that is not answered."""
        host = headers.get("host", "")
        refused = self._host_refusal(host)
        if refused is not None:
            return refused
        if _CHUNKS in headers:  # browsers do not send so, and what comes in chunks may never end
            return _MALFORMED, "a request says how long it is"
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return _FORBIDDEN, "only GET and POST are answered"
        if not self._has_origin(path, headers, host):
            return _FORBIDDEN, f"this form does not come from the pages of {self.rules.place}"
        return self._body_refusal(path, headers)

    def _host_refusal(self, host: str) -> tuple[int, str] | None:
        public = self.rules.public
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return _MALFORMED, "the Host header is no address"
        if name is None or name not in LOOPBACK | {urlsplit(public or "").hostname}:
            return _FORBIDDEN, f"{self.rules.place} answers on {public or f'{HOST} only'}"
        return None

    def _has_origin(self, path: str, headers: Headers, host: str) -> bool:
        given = headers.get("origin")
        if given is None:
            return path in self.rules.programs
        here = urlsplit(f"//{host}").hostname in LOOPBACK
        return given == self.rules.public or (here and given == origin(host))

    def _body_refusal(self, path: str, headers: Headers) -> tuple[int, str] | None:
        longest = self.rules.longer.get(path, self.rules.longest)
        length = headers.get("content-length", "")
        kind = headers.get("content-type", "")
        if "charset" in _UTF_8.sub("", kind).lower():  # some take hours to read, such as punycode
            return _UNKNOWN_KIND, "a form is in UTF-8"
        if not (length.isascii() and length.isdecimal()):
            return _MALFORMED, "a form says how long it is"
        if len(length) > len(str(longest)) or int(length) > longest:
            return _TOO_LARGE, f"a form has at most {longest:,} bytes"
        return None


def _timely(receive: Receive, seconds: float) -> Receive:
    """What is sent, if all of it comes in time; what follows it, such as the end, is waited for."""
    end, whole = asyncio.get_running_loop().time() + seconds, False

    async def timely() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(_SLOW, "What was sent took too long to come.") from error
        whole = not message.get("more_body", False)
        return message

    return timely


def origin(host: str) -> str:
    """What addresses of a server on this machine begin with, at a host and port."""
    return f"http://{host}"


def same_secret(known: str, given: str) -> bool:
    """Whether a secret is the known one; it takes as long whichever letter differs."""
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))


def check_reach(public: str | None, *, reachable: bool) -> None:
    """Refuse to be reached from elsewhere without TLS.

    Args:
        public: The address by which people reach a server; None for this machine alone. Without
            TLS it is one of the machine itself, such as that of a container's published port.
        reachable: Whether it listens for other machines.

    Raises:
        SettingsError: It would be.
    """
    if public is not None:
        parts = urlsplit(public)
        plain = parts.scheme == "http" and parts.hostname in LOOPBACK
        if f"{'http' if plain else 'https'}://{parts.netloc}" != public:
            raise SettingsError(
                f"--public-url is https://NAME or https://NAME:PORT, not {public}; without TLS "
                "it is an address of the machine itself, such as http://127.0.0.1:8793"
            )
    if reachable and public is None:
        raise SettingsError(
            "other machines would reach it without TLS: leave --host away, and name the address "
            "of a proxy with TLS before it (--public-url https://..)"
        )


def listen(port: int, host: str = HOST) -> socket.socket:
    """A socket on the loopback, or another address of this machine; port 0 takes a free one.

    Raises:
        SettingsError: The port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Of a named protocol, or the event loop leaves Nagle's algorithm on: 40 ms an answer.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(512)  # so that whoever opens an address at once waits and is not refused
    except OSError as error:
        found.close()
        raise SettingsError(
            f"port {port} cannot be used ({error.strerror}); name another with --port"
        ) from error
    return found


def answer_until_stopped(app: ASGIApp, door: socket.socket, **options: Any) -> None:
    """Serve an application on a socket until it is told to stop, and log no request.

    Args:
        app: The application.
        door: As `listen` gives it.
        **options: Further ones of `uvicorn.Config`.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses hold tokens
        server_header=False,
        use_colors=False,  # its log is printed as text, and what is no text as escapes
        lifespan="off",
        timeout_graceful_shutdown=3,
        **options,
    )
    uvicorn.Server(config).run(sockets=[door])
