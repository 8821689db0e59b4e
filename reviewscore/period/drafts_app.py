"""The server of a venue for drafts: a form for people, and an address that programs call."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from reviewscore import __version__
from reviewscore.bounds import MEGABYTE
from reviewscore.json_text import load_json
from reviewscore.pages.environment import environment, file_policy, render
from reviewscore.pages.http_guard import Guard, GuardRules, same_secret
from reviewscore.period.drafts import (
    DraftAnswer,
    DraftError,
    DraftFault,
    DraftKeys,
    DraftPaper,
    DraftRequest,
    Drafts,
)
from reviewscore.report.html import page_environment

T = TypeVar("T")
PROGRAMS = "/v1/draft"
"""The path that programs call."""
_SCHEMAS = "/v1/schema"
_COOKIE = "rs_drafts"
_GONE = 499
"""Status of an answer that nobody waits for any more, as web servers note it."""
_NOBODY = "this machine"
"""Who asks where no keys are given out."""


@dataclass(frozen=True)
class _Sent:
    """What came in a form or as JSON.

    Attributes:
        fields: Its texts by name.
        pdf: The PDF; None without one.
    """

    fields: dict[str, str]
    pdf: bytes | None

    def request(self) -> tuple[DraftRequest, DraftPaper | bytes]:
        """The draft and its paper.

        Raises:
            DraftError: One of them is missing, too long, or not understood.
        """
        review: object = self.fields.get("review", "")
        if str(review).lstrip().startswith("{"):
            try:
                review = load_json(str(review))
            except ValueError:
                review = self.fields["review"]
        given = {"review": review, "paper": {"text": self.fields.get("paper", "")}}
        try:
            asked = DraftRequest.model_validate(given)
        except ValidationError as error:
            raise _not_understood(error) from None
        return asked, asked.paper if self.pdf is None else self.pdf


@dataclass(frozen=True)
class DraftServer:
    """The server.

    Attributes:
        drafts: Looks at drafts.
        keys: Who may ask; None where only this machine can.
        public: The address by which people reach it; None for this machine alone.
        origins: Other sites whose pages may call `PROGRAMS`.
    """

    drafts: Drafts
    keys: DraftKeys | None = None
    public: str | None = None
    origins: frozenset[str] = frozenset()
    secret: str = field(default_factory=secrets.token_hex, repr=False)

    def app(self) -> Starlette:
        """The application."""
        style = str(page_environment().globals["style"])
        rules = GuardRules(
            place="this server",
            policy=file_policy(style, form_action="'self'", frame_ancestors="'none'"),
            longest=self._longest,
            seconds=120.0,
            public=self.public,
            programs=frozenset({PROGRAMS, _SCHEMAS}),
            origins=self.origins,
            refusal=_refusal,
        )
        routes = [
            Route("/", self._form, methods=["GET"]),
            Route("/", self._page, methods=["POST"]),
            Route(PROGRAMS, self._answer, methods=["POST"]),
            Route(_SCHEMAS, _schemas, methods=["GET"]),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Guard, rules=rules)],
            exception_handlers={HTTPException: _http_refusal},
        )

    def _person(self, key: str) -> str:
        """Whose key it is.

        Raises:
            DraftError: Nobody's.
        """
        person = _NOBODY if self.keys is None else self.keys.person(key.strip())
        if person is None:
            raise DraftError(401, "this key is not known here", "use the key that you were given")
        return person

    async def _form(self, request: Request) -> Response:
        return self._written(request, {})

    def _written(
        self, request: Request, fields: dict[str, str], fault: DraftError | None = None
    ) -> Response:
        """The form, with what was typed into it."""
        cookie = request.cookies.get(_COOKIE) or secrets.token_urlsafe(24)
        page = render(
            environment("reviewscore.period").get_template("drafts.html"),
            csrf=self._csrf(cookie),
            judge=self.drafts.settings.model,
            limits=self.drafts.limits,
            keyed=self.keys is not None,
            typed=fields,
            fault=None if fault is None else fault.fault,
        )
        status, headers = (200, {}) if fault is None else (fault.status, fault.headers)
        response = HTMLResponse(page, status_code=status, headers=headers)
        secure = (self.public or "").startswith("https:")
        response.set_cookie(_COOKIE, cookie, httponly=True, samesite="strict", secure=secure)
        return response

    def _csrf(self, cookie: str) -> str:
        words = cookie.encode("utf-8", "replace")
        return hmac.new(self.secret.encode(), words, hashlib.sha256).hexdigest()

    async def _page(self, request: Request) -> Response:
        fields: dict[str, str] = {}
        try:
            sent = await self._parts(request)
            fields = sent.fields
            cookie = request.cookies.get(_COOKIE, "")
            if not (cookie and same_secret(self._csrf(cookie), fields.get("csrf", ""))):
                raise DraftError(403, "this form is out of date", "send it again as it is here")
            person = self._person(fields.get("key", ""))
            asked, paper = sent.request()
            work = self.drafts.suggest(person, asked.review, paper)
            sheet, _ = await _while_there(request, work)
        except DraftError as fault:
            return self._written(request, fields, fault)
        template = page_environment().get_template("role.html")
        shown: dict[str, Any] = {"title": sheet.title, "sheets": [sheet], "contents": None}
        return HTMLResponse(
            render(template, **shown, drafts=False, judged_by="", version=__version__)
        )

    async def _answer(self, request: Request) -> Response:
        try:
            scheme, _, key = request.headers.get("authorization", "").partition(" ")
            person = self._person(key if scheme.lower() == "bearer" else "")
            if _kind(request) == "application/json":
                asked = DraftRequest.model_validate_json(await request.body())
                paper: DraftPaper | bytes = asked.paper
            else:
                asked, paper = (await self._parts(request)).request()
            work = self.drafts.suggest(person, asked.review, paper)
            _, answer = await _while_there(request, work)
        except ValidationError as error:
            return _in_json(_not_understood(error))
        except ClientDisconnect:
            return Response(status_code=_GONE)
        except DraftError as fault:
            return _in_json(fault)
        return JSONResponse(answer.model_dump(mode="json"))

    async def _parts(self, request: Request) -> _Sent:
        """A form in parts, which is held in memory alone.

        Raises:
            DraftError: It is none, or not as it should be.
        """
        most = self._longest
        if _kind(request) != "multipart/form-data":
            cure = "send application/json or multipart/form-data"
            raise DraftError(415, "neither JSON nor a form in parts", cure)
        parser = MultiPartParser(
            request.headers, request.stream(), max_files=1, max_fields=8, max_part_size=most
        )
        parser.spool_max_size = most + 1  # in no file
        try:
            form = await parser.parse()
        except (MultiPartException, KeyError, ValueError):
            cure = "send at most 8 fields and one file"
            raise DraftError(400, "the form cannot be read", cure) from None
        except ClientDisconnect:
            raise DraftError(_GONE, "nobody waits for it", "send it again") from None
        files = [value for value in form.values() if isinstance(value, UploadFile) and value.size]
        pdf = await files[0].read() if files else None
        await form.close()
        return _Sent({name: text for name, text in form.items() if isinstance(text, str)}, pdf)

    @property
    def _longest(self) -> int:
        return int(self.drafts.limits.megabytes * MEGABYTE)


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _not_understood(error: ValidationError) -> DraftError:
    """What is wrong with a field, without what was in it."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"][:2])[:80]
    words = f"{place}: {first['msg']}" if place else first["msg"]
    return DraftError(422, words[:300], f"correct it; GET {_SCHEMAS} says what is understood")


async def _while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Work that ends when whoever waits for it goes away.

    Raises:
        DraftError: Nobody waits any more, or as the work does.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())  # after all that was sent, only the end comes
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))
        if task.cancelled():
            raise DraftError(_GONE, "nobody waits for it", "send it again")
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


def _in_json(fault: DraftError) -> Response:
    return JSONResponse(fault.fault.model_dump(), status_code=fault.status, headers=fault.headers)


def _refusal(path: str, status: int, reason: str) -> Response:
    """What the guard does not let through; of pages as text."""
    fault = DraftError(status, reason, f"GET {_SCHEMAS} says what is understood")
    return _in_json(fault) if path.startswith("/v1/") else Response(reason, status_code=status)


async def _http_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refusal(request.url.path, error.status_code, error.detail)


async def _schemas(request: Request) -> Response:
    """The JSON schemas of what `PROGRAMS` takes and gives."""
    known: dict[str, type[Record]] = {
        "request": DraftRequest,
        "answer": DraftAnswer,
        "fault": DraftFault,
    }
    return JSONResponse({name: model.model_json_schema() for name, model in known.items()})
