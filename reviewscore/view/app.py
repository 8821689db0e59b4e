"""The app as a web application: its addresses, and who may ask what of it."""

from __future__ import annotations

import logging
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from reviewscore.errors import ReviewScoreError
from reviewscore.pages.environment import content_security_policy, inline_source
from reviewscore.pages.http_guard import Guard, GuardRules, answer_until_stopped, same_secret
from reviewscore.report.html import page_environment
from reviewscore.view import (
    blind_pages,
    compare_pages,
    judgment_pages,
    new_audit,
    own_pages,
    pages,
    pdf_handlers,
    private,
    run_pages,
)
from reviewscore.view.context import NOT_SAVED, Form, Handler, View
from reviewscore.view.live import Live
from reviewscore.view.people import Visitor
from reviewscore.view.uploads import MOST_BYTES, MOST_FILES

PORT = 8793
_SECONDS = 300.0
"""Time in which what is sent has to be here."""
_POLICY = content_security_policy(
    style=f"'self' {inline_source(str(page_environment().globals['style']))}",  # of a draft's page
    script="'self'",
    img_src="'self'",
    form_action="'self'",
    connect_src="'self'",
    frame_ancestors="'none'",
)
_MOST_FIELDS = 300
_MONTH = 30 * 24 * 3600
_log = logging.getLogger("reviewscore")


def build_app(view: View, more: Sequence[BaseRoute] = ()) -> Starlette:
    """The application.

    Args:
        view: What it shows.
        more: Further addresses.
    """
    rules = GuardRules(
        place="this app",
        policy=_POLICY,
        longest=view.longest,
        longer={"/new": MOST_BYTES, private.PLACE: private.LONGEST},
        seconds=_SECONDS,
        public=view.public,
    )
    routes = [
        Route("/static/{name}", _asset),
        Route("/favicon.ico", _no_icon),
        Route("/enter/{key}", _entering(view)),
        Route("/", answer(view, run_pages.shelf_page)),
        Route("/people", answer(view, run_pages.people_page)),
        Route("/people", answer(view, run_pages.change_people), methods=["POST"]),
        Route("/run/{key}/pane/{paper:path}", answer(view, pdf_handlers.pane_page)),
        Route("/run/{key}/page/{paper:path}", answer(view, pdf_handlers.page_picture)),
        *(_blind(view) if view.blind else (*_in_sight(view), *_new(view), *more)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, rules=rules)],
        exception_handlers={HTTPException: _refused},
    )


def _in_sight(view: View) -> list[BaseRoute]:
    """Addresses at which verdicts stand."""
    paper = "/run/{key}/paper/{paper:path}"
    return [
        Route("/run/{key}", answer(view, run_pages.run_page)),
        Route(paper, answer(view, run_pages.paper_page)),
        Route(paper, answer(view, judgment_pages.judge), methods=["POST"]),
        Route("/run/{key}/next", answer(view, run_pages.next_point)),
        Route("/run/{key}/judgments", answer(view, judgment_pages.judgments_page)),
        Route("/run/{key}/judgments.csv", answer(view, judgment_pages.export)),
        Route("/run/{key}/mine", answer(view, own_pages.own_page)),
        Route("/run/{key}/mine", answer(view, own_pages.answer_flag), methods=["POST"]),
        Route("/run/{key}/live", Live(view).endpoint),
        Route("/compare", answer(view, compare_pages.compare_page)),
    ]


def _new(view: View) -> list[BaseRoute]:
    """Addresses at which drafts are looked at and, unless runs are copies, audits are begun."""
    drafts = private.PrivateDrafts(view)
    own: list[BaseRoute] = [
        Route(private.PLACE, drafts.form, methods=["GET"]),
        Route(private.PLACE, drafts.page, methods=["POST"]),
    ]
    if view.runs.mirrored:
        return own
    making = answer(view, new_audit.make_audit, files=MOST_FILES, owner=True)
    return [
        *own,
        Route("/new", answer(view, new_audit.new_page)),
        Route("/new", making, methods=["POST"]),
        Route("/new/{name}", answer(view, new_audit.audit_page)),
        Route("/new/{name}", answer(view, new_audit.change_audit), methods=["POST"]),
    ]


def _blind(view: View) -> list[BaseRoute]:
    """Addresses of a session in which nothing may tell a verdict."""
    paper = "/run/{key}/paper/{paper:path}"
    return [
        Route("/run/{key}", answer(view, blind_pages.run_page)),
        Route(paper, answer(view, blind_pages.paper_page)),
        Route(paper, answer(view, blind_pages.judge), methods=["POST"]),
        Route("/run/{key}/next", answer(view, blind_pages.next_point)),
    ]


def answer(
    view: View, handler: Handler, *, files: int = 0, owner: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """An address that answers people who may ask; its forms are believed by their secret.

    What it does in a thread. A failure is told, and ends nothing else.

    Args:
        view: The app.
        handler: Makes the answer.
        files: Most files of a form; they are in ``request.state.files``, by their fields' names.
        owner: Whether nothing is read that others send than whoever started the app.
    """

    async def endpoint(request: Request) -> Response:
        visitor = await view.visitor(request)
        if owner:
            run_pages.check_owner(visitor)
        form: Form = {}
        try:
            if request.method == "POST":
                sent = await request.form(max_fields=_MOST_FIELDS, max_files=files)
                form = believed(view, visitor, sent)
                request.state.files = [
                    (name, value)
                    for name, value in sent.multi_items()
                    if isinstance(value, UploadFile)
                ]
            return await run_in_threadpool(handler, view, visitor, request, form)
        except (sqlite3.Error, OSError, ReviewScoreError) as error:
            _log.warning("not done: %s", error)
            # Others need not know the folders of this machine.
            reason = f"Not done: {error}." if visitor.owns else "Not done; tell who started it."
            raise HTTPException(NOT_SAVED, f"{reason} What was saved is safe.") from error
        finally:
            await request.close()  # files that were sent

    return endpoint


def believed(view: View, visitor: Visitor, form: FormData) -> Form:
    """The fields of a form that comes from our own page.

    Raises:
        HTTPException: It does not carry the secret.
    """
    if not same_secret(view.form_secret(visitor), str(form.get("csrf", ""))):
        raise HTTPException(403, "This form is out of date; load the page anew.")
    return {name: value for name, value in form.items() if isinstance(value, str)}


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    page = pages.message_page(
        error.detail, "Not done" if error.status_code == NOT_SAVED else "Not here"
    )
    return HTMLResponse(page, status_code=error.status_code, headers=error.headers)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in pages.ASSETS:
        raise HTTPException(404, "There is no such file.")
    return Response(pages.asset(name), media_type=pages.ASSETS[name])


async def _no_icon(request: Request) -> Response:
    """Browsers ask for one, and would log that there is none."""
    return Response(status_code=204)


def _entering(view: View) -> Callable[[Request], Awaitable[Response]]:
    """Change the key in the address for a cookie, so that it stays in no history."""

    async def enter(request: Request) -> Response:
        key = request.path_params["key"]
        visitor = await run_in_threadpool(view.people.of_key, key)
        if visitor is None:
            raise HTTPException(403, "This address opens nothing here; it may have been revoked.")
        response = RedirectResponse(_place(request.query_params.get("to", "")), status_code=303)
        response.set_cookie(
            view.cookies[0 if visitor.owns else 1],
            key,
            max_age=None if visitor.owns else _MONTH,
            httponly=True,
            samesite="lax",
            secure=(view.public or "").startswith("https:"),
        )
        return response

    return enter


def _place(wanted: str) -> str:
    """An address of this app; the first page for any other."""
    with suppress(ValueError):
        parts = urlsplit(wanted)
        plain = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
        if plain and not (parts.scheme or parts.netloc) and wanted.isprintable():
            return wanted
    return "/"


def serve(view: View, door: socket.socket, more: Sequence[BaseRoute] = ()) -> None:
    """Answer until stopped."""
    # A page does not wait long for what is read behind it.
    sys.setswitchinterval(0.001)
    answer_until_stopped(build_app(view, more), door, limit_concurrency=512)
