"""The workspace as a web application, served on this machine alone until it is stopped."""

from __future__ import annotations

import functools
import logging
import socket
import sqlite3
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from reviewscore.annotate import form_actions, pages
from reviewscore.annotate.guard import (
    RULES,
    cookie_name,
    has_cookie,
    has_form_secret,
    home,
    person_of_token,
)
from reviewscore.annotate.pages import Notice
from reviewscore.annotate.workspace import COORDINATOR, Workspace
from reviewscore.errors import ReviewScoreError
from reviewscore.pages.http_guard import Guard, answer_until_stopped

Form = dict[str, str]
Doer = Callable[[Workspace, str, Request, Form], Response]
_FULL = 507
_log = logging.getLogger("reviewscore")


def build_app(workspace: Workspace) -> Starlette:
    """The application of one set."""
    routes = [
        Route("/", _closed),
        Route("/static/{name}", _asset),
        Route("/enter/{token}", functools.partial(_enter, workspace)),
        Route("/coordinator", _for(workspace, _overview)),
        Route("/coordinator/numbers", _for(workspace, _numbers)),
        Route("/coordinator/disagreements", _for(workspace, _adjudication)),
        Route("/coordinator/decide", _for(workspace, form_actions.decide), methods=["POST"]),
        Route("/coordinator/export", _for(workspace, form_actions.export_set), methods=["POST"]),
        Route("/by/{who}", _for(workspace, _list)),
        Route("/by/{who}/about", _for(workspace, form_actions.about), methods=["POST"]),
        Route("/by/{who}/point/{point:path}", _for(workspace, form_actions.look)),
        Route(
            "/by/{who}/label/{point:path}", _for(workspace, form_actions.label), methods=["POST"]
        ),
        Route(
            "/by/{who}/state/{point:path}", _for(workspace, form_actions.state), methods=["POST"]
        ),
        Route("/by/{who}/review/{review:path}", _for(workspace, form_actions.read)),
        Route("/by/{who}/act/{point:path}", _for(workspace, form_actions.act), methods=["POST"]),
        Route(
            "/by/{who}/near/{point:path}", _for(workspace, form_actions.relate), methods=["POST"]
        ),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, rules=RULES)],
        exception_handlers={HTTPException: _told},
    )


def _for(workspace: Workspace, doer: Doer) -> Callable[[Request], Awaitable[Response]]:
    """A page of one person: admitted by cookie, its forms believed by their secret."""

    async def endpoint(request: Request) -> Response:
        who = request.path_params.get("who", COORDINATOR)
        if not await run_in_threadpool(has_cookie, workspace, request, who):
            raise HTTPException(403, "Open the address that you were given.")
        form: Form = {}
        if request.method == "POST":
            read = await request.form(max_fields=30, max_files=0)
            if not has_form_secret(workspace, read, who):
                raise HTTPException(403, "This form is out of date; load the page anew.")
            form = {name: str(value) for name, value in read.items()}
        try:
            return await run_in_threadpool(doer, workspace, who, request, form)
        except (sqlite3.Error, ReviewScoreError) as error:
            _log.warning("not saved: %s", error)
            raise HTTPException(507, f"Not saved: {error}. What was saved is safe.") from error

    return endpoint


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = "Not saved" if error.status_code == _FULL else "Not here"
    page = pages.message_page(error.detail, title=title)
    return HTMLResponse(page, status_code=error.status_code)


async def _closed(request: Request) -> Response:
    raise HTTPException(403, "Open the address that you were given.")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in pages.ASSETS:
        raise HTTPException(404, "There is no such file.")
    return Response(pages.asset(name), media_type=pages.ASSETS[name])


async def _enter(workspace: Workspace, request: Request) -> Response:
    """Change the token in the address for a cookie, so that it stays in no history."""
    who = await run_in_threadpool(person_of_token, workspace, request.path_params["token"])
    if who is None:
        raise HTTPException(403, "This address is not one of this workspace.")
    response = RedirectResponse(home(who), status_code=303)
    response.set_cookie(
        cookie_name(workspace, who),
        workspace.token(who),
        max_age=90 * 24 * 3600,
        path=home(who),
        httponly=True,
        samesite="lax",
    )
    return response


def _overview(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    return HTMLResponse(pages.overview(workspace, request.headers["host"]))


def _numbers(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    return HTMLResponse(pages.numbers_part(workspace, request.headers["host"]))


def _adjudication(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    return HTMLResponse(pages.adjudication(workspace))


def _list(workspace: Workspace, who: str, request: Request, form: Form) -> Response:
    if workspace.store.annotators().get(who) is None:
        return HTMLResponse(pages.welcome_page(workspace, who, None))
    text = request.query_params.get("told")
    notice = Notice("Saved.", "good") if text == "saved" else None
    return HTMLResponse(pages.list_page(workspace, who, notice))


PORT = 8791


def serve(workspace: Workspace, door: socket.socket) -> None:
    """Answer until stopped; labels are on the disk whenever that is."""
    answer_until_stopped(build_app(workspace), door)
