"""Who may ask and from where: host, origin, cookie, form secret, and the headers of every page."""

from __future__ import annotations

import hmac
from urllib.parse import quote, urlsplit

from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reviewscore.annotate.workspace import COORDINATOR, Workspace
from reviewscore.pages.environment import content_security_policy

LONGEST_FORM = 200_000
"""Bytes of a form."""
_CHUNKS = "transfer-encoding"
_MALFORMED, _FORBIDDEN = 400, 403
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_HEADERS = {
    "Content-Security-Policy": content_security_policy(
        style="'self'",
        script="'self'",
        form_action="'self'",
        connect_src="'self'",
        frame_ancestors="'none'",
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

        headers = Headers(scope=scope)
        refused = _refusal(scope["method"], headers)
        if _CHUNKS in headers and (await receive())["type"] == "http.disconnect":
            return  # the server has refused its chunks already
        if refused is not None:
            await PlainTextResponse(refused[1], status_code=refused[0])(scope, receive, dressed)
        else:
            await self.app(scope, receive, dressed)


def _refusal(method: str, headers: Headers) -> tuple[int, str] | None:
    """Status and reason of a request that is not answered."""
    host = headers.get("host", "")
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return _MALFORMED, "the Host header is no address"
    if name not in _LOOPBACK:
        return _FORBIDDEN, "this workspace answers on 127.0.0.1 only"
    if _CHUNKS in headers:  # browsers do not send so, and what comes in chunks may never end
        return _MALFORMED, "a request says how long it is"
    if method in ("GET", "HEAD"):
        return None
    return _form_refusal(method, headers, host)


def _form_refusal(method: str, headers: Headers, host: str) -> tuple[int, str] | None:
    if method != "POST":
        return _FORBIDDEN, "only GET and POST are answered"
    if headers.get("origin") != origin(host):
        return _FORBIDDEN, "this form does not come from the workspace's own pages"
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal()):
        return _MALFORMED, "a form says how long it is"
    if len(length) > len(str(LONGEST_FORM)) or int(length) > LONGEST_FORM:
        return _FORBIDDEN, f"a form has at most {LONGEST_FORM:,} bytes"
    return None


def cookie_name(workspace: Workspace, who: str) -> str:
    """Name of the cookie of one person in one set; sets on other ports have others."""
    return f"rs_{workspace.csrf('cookie')[:8]}_{who}"


def origin(host: str) -> str:
    """What addresses of this workspace begin with, at a host and port."""
    return f"http://{host}"


def addresses(workspace: Workspace, host: str) -> dict[str, str]:
    """The address to hand out to each annotator, and the coordinator's."""
    names = [*workspace.store.annotators(), COORDINATOR]
    return {who: f"{origin(host)}/enter/{workspace.token(who)}" for who in names}


def home(who: str) -> str:
    """The path under which a person works; the cookie goes nowhere else."""
    return "/coordinator" if who == COORDINATOR else f"/by/{who}"


def point_path(who: str, point_id: str, act: str = "point") -> str:
    """The path of a point's page, or of what a form of it does.

    That is ``label``, ``state``, ``act`` or ``near``.
    """
    return f"{home(who)}/{act}/{quote(point_id, safe='')}"


def review_path(who: str, review_id: str) -> str:
    """The path of a whole review beside its paper."""
    return f"{home(who)}/review/{quote(review_id, safe='')}"


def person_of_token(workspace: Workspace, token: str) -> str | None:
    """The person a token belongs to."""
    text = None
    for who in (COORDINATOR, *workspace.store.annotators()):
        if hmac.compare_digest(workspace.token(who).encode(), token.encode()):
            text = who
    return text


def has_cookie(workspace: Workspace, request: Request, who: str) -> bool:
    """Whether a request carries the person's cookie."""
    given = request.cookies.get(cookie_name(workspace, who), "")
    known = who == COORDINATOR or who in workspace.store.annotators()
    return known and hmac.compare_digest(workspace.token(who).encode(), given.encode())


def has_form_secret(workspace: Workspace, form: FormData, who: str) -> bool:
    """Whether a form carries the secret that only our own page knows."""
    given = str(form.get("csrf", ""))
    return hmac.compare_digest(workspace.csrf(who).encode(), given.encode())
