"""Who may ask and from where: host, origin, cookie, form secret, and the headers of every page."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reviewscore.annotate.workspace import COORDINATOR, Workspace

LONGEST_FORM = 200_000
"""Bytes of a form."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would send forms with `Origin: null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets through what comes from this machine's own pages, and adds headers to every answer.

    The host must be the loopback's, so that no other name can be made to point here; a form must
    come from the same origin. No header allows another origin to read anything.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        why = _refusal(scope["method"], Headers(scope=scope))
        if why:
            await PlainTextResponse(why, status_code=403)(scope, receive, dressed)
        else:
            await self.app(scope, receive, dressed)


def _refusal(method: str, headers: Headers) -> str:
    host = headers.get("host", "")
    if urlsplit(f"//{host}").hostname not in _LOOPBACK:
        return "this workspace answers on 127.0.0.1 only"
    if method in ("GET", "HEAD"):
        return ""
    if method != "POST":
        return "only GET and POST are answered"
    if headers.get("origin") != f"http://{host}":
        return "this form does not come from the workspace's own pages"
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > LONGEST_FORM:
        return f"a form has at most {LONGEST_FORM:,} bytes"
    return ""


def cookie_name(workspace: Workspace, who: str) -> str:
    """Name of the cookie of one person in one set; sets on other ports have others."""
    return f"rs_{workspace.csrf('cookie')[:8]}_{who}"


def home(who: str) -> str:
    """The path under which a person works; the cookie goes nowhere else."""
    return "/coordinator" if who == COORDINATOR else f"/by/{who}"


def whose_token(workspace: Workspace, token: str) -> str | None:
    """The person a token belongs to."""
    found = None
    for who in (COORDINATOR, *workspace.notebook.annotators()):
        if hmac.compare_digest(workspace.token(who).encode(), token.encode()):
            found = who
    return found


def admitted(workspace: Workspace, request: Request, who: str) -> bool:
    """Whether a request carries the person's cookie."""
    given = request.cookies.get(cookie_name(workspace, who), "")
    known = who == COORDINATOR or who in workspace.notebook.annotators()
    return known and hmac.compare_digest(workspace.token(who).encode(), given.encode())


def believed(workspace: Workspace, form: FormData, who: str) -> bool:
    """Whether a form carries the secret that only our own page knows."""
    given = str(form.get("csrf", ""))
    return hmac.compare_digest(workspace.csrf(who).encode(), given.encode())
