"""The server of a venue for drafts: a form for people, and an address that programs call."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from reviewscore import __version__
from reviewscore.bounds import MEGABYTE
from reviewscore.pages.access_keys import AccessKeys
from reviewscore.pages.environment import environment, file_policy, render
from reviewscore.pages.http_guard import Guard, GuardRules, same_secret
from reviewscore.period.drafts import (
    SCHEMAS,
    DraftAnswer,
    DraftError,
    DraftFault,
    DraftPaper,
    DraftRequest,
    Drafts,
)
from reviewscore.report.html import page_environment
from reviewscore.report.roles import Sheet

T = TypeVar("T")
PROGRAMS = "/v1/draft"
"""The path that programs call."""
_COOKIE = "rs_drafts"
_GONE = 499
"""Status of an answer that nobody waits for any more, as web servers note it."""
_SECONDS = 120.0
"""Time in which a PDF has to be here."""


@dataclass(frozen=True)
class DraftPages:
    """The form for a draft, and the page that answers it, wherever they are served.

    Attributes:
        drafts: Looks at drafts.
        keyed: Whether the form asks for a key.
        place: The address of the form.
        home: The address of what the form belongs to; empty if it stands alone.
        home_words: What that is called.
    """

    drafts: Drafts
    keyed: bool = False
    place: str = "/"
    home: str = ""
    home_words: str = ""

    @property
    def longest(self) -> int:
        """Bytes of the largest request."""
        return int(self.drafts.limits.megabytes * MEGABYTE)

    def form(
        self,
        csrf: str,
        typed: Mapping[str, str | bytes],
        fault: DraftError | None = None,
        choices: Sequence[tuple[str, str]] = (),
    ) -> HTMLResponse:
        """The form, with what was typed into it.

        Args:
            csrf: What it has to carry to be believed.
            typed: What was typed.
            fault: Why nothing was looked at.
            choices: Judges among which to choose, each with its words.
        """
        page = render(
            environment("reviewscore.period").get_template("drafts.html"),
            csrf=csrf,
            judge=self.drafts.settings.model,
            limits=self.drafts.limits,
            keyed=self.keyed,
            typed=typed,
            fault=None if fault is None else fault.fault,
            place=self.place,
            home=self.home,
            home_words=self.home_words,
            choices=choices,
        )
        status, headers = (200, {}) if fault is None else (fault.status, fault.headers)
        return HTMLResponse(page, status, headers)

    async def sent(self, request: Request) -> dict[str, str | bytes]:
        """The fields of a form; that of a file holds bytes."""
        async with request.form(max_files=1, max_fields=9, max_part_size=self.longest) as form:
            return {
                name: value if isinstance(value, str) else await value.read()
                for name, value in form.items()
            }

    async def answered(
        self, request: Request, person: str, sent: bytes | dict[str, str | bytes]
    ) -> tuple[Sheet, DraftAnswer]:
        """What the paper may say to what was sent, while whoever sent it waits.

        Raises:
            DraftError, ValidationError: It is not looked at, or could not be.
        """
        review, paper = _asked(sent)
        return await _while_there(request, self.drafts.suggest(person, review, paper))

    def page(self, sheet: Sheet) -> HTMLResponse:
        """The page that answers a draft."""
        shown: dict[str, Any] = {"title": sheet.title, "sheets": [sheet], "contents": None}
        shown |= {"drafts": False, "judged_by": "", "version": __version__}
        shown |= {"back": self.place, "back_words": "Send another draft"}
        return HTMLResponse(render(page_environment().get_template("role.html"), **shown))


@dataclass(frozen=True)
class DraftServer:
    """The server.

    Attributes:
        drafts: Looks at drafts.
        keys: Who may ask; None where only this machine can.
        public: The address by which people reach it; None for this machine alone.
    """

    drafts: Drafts
    keys: AccessKeys | None = None
    public: str | None = None
    secret: str = field(default_factory=secrets.token_hex, repr=False)

    @property
    def pages(self) -> DraftPages:
        """Its form and its answers."""
        return DraftPages(self.drafts, self.keys is not None)

    def app(self) -> Starlette:
        """The application."""
        style = str(page_environment().globals["style"])
        rules = GuardRules(
            place="this server",
            policy=file_policy(style, form_action="'self'", frame_ancestors="'none'"),
            longest=self.pages.longest,
            seconds=_SECONDS,
            public=self.public,
            programs=frozenset({PROGRAMS}),
            refusal=_refusal,
        )
        routes = [
            Route("/", self._form, methods=["GET"]),
            Route("/", self._page, methods=["POST"]),
            Route(PROGRAMS, self._answer, methods=["POST"]),
            Route(SCHEMAS, _schemas),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Guard, rules=rules)],
            exception_handlers={HTTPException: _http_refusal},
        )

    async def _form(self, request: Request) -> Response:
        return self._written(request, {})

    def _written(
        self, request: Request, typed: dict[str, str | bytes], fault: DraftError | None = None
    ) -> Response:
        """The form, with what was typed into it."""
        cookie = request.cookies.get(_COOKIE) or secrets.token_urlsafe(24)
        response = self.pages.form(self._csrf(cookie), typed, fault)
        secure = (self.public or "").startswith("https:")
        response.set_cookie(_COOKIE, cookie, httponly=True, samesite="strict", secure=secure)
        return response

    def _csrf(self, cookie: str) -> str:
        words = cookie.encode("utf-8", "replace")
        return hmac.new(self.secret.encode(), words, hashlib.sha256).hexdigest()

    async def _page(self, request: Request) -> Response:
        form: dict[str, str | bytes] = {}
        try:
            form = await self.pages.sent(request)
            cookie, given = request.cookies.get(_COOKIE, ""), str(form.get("csrf", ""))
            if not (cookie and same_secret(self._csrf(cookie), given)):
                raise DraftError(403, "this form is out of date", "send it again as it is here")
            person = self._person(str(form.get("key", "")))
            sheet, _ = await self.pages.answered(request, person, form)
        except Exception as error:  # the outer loop: one bad draft never ends the server
            return self._written(request, form, DraftError.of(error))
        return self.pages.page(sheet)

    async def _answer(self, request: Request) -> Response:
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        key = key if scheme.lower() == "bearer" else ""
        try:
            person = self._person(key)  # before anything large is read
            kind = request.headers.get("content-type", "")
            in_json = kind.partition(";")[0].strip().lower() == "application/json"
            sent = await (request.body() if in_json else self.pages.sent(request))
            _, answer = await self.pages.answered(request, person, sent)
        except Exception as error:  # as above
            return _in_json(DraftError.of(error))
        return JSONResponse(answer.model_dump(mode="json"))

    def _person(self, key: str) -> str:
        """Whose key it is.

        Raises:
            DraftError: Nobody's.
        """
        person = "this machine" if self.keys is None else self.keys.person(key.strip())
        if person is None:
            raise DraftError(401, "this key is not known here", "use the key that you were given")
        return person


def _asked(
    sent: bytes | dict[str, str | bytes],
) -> tuple[str | dict[str, str], DraftPaper | bytes]:
    """The draft and the paper that were sent, as JSON or as a form.

    Raises:
        DraftError, ValidationError: Something is missing, or is not what it should be.
    """
    pdf = None
    if isinstance(sent, bytes):
        asked = DraftRequest.model_validate_json(sent)
    else:
        pdf = sent.get("pdf")
        given = {"review": sent.get("review", ""), "paper": {"text": sent.get("paper", "")}}
        asked = DraftRequest.model_validate(given)
    texts = [asked.review] if isinstance(asked.review, str) else asked.review.values()
    if not any(text.strip() for text in texts):
        raise DraftError(422, "there is no draft", "write it or paste it, and send it again")
    pdf = pdf if isinstance(pdf, bytes) and pdf else None
    if pdf is not None and asked.paper.text.strip():
        raise DraftError(422, "there are both a PDF and a text of the paper", "send only one")
    if pdf is None and not asked.paper.text.strip():
        raise DraftError(422, "there is no paper", "choose its PDF, or give its text")
    if pdf is not None and b"%PDF" not in pdf[:1024]:
        raise DraftError(422, "the file is no PDF", "choose the paper's PDF, or give its text")
    return asked.review, pdf or asked.paper


async def _while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Work that ends when whoever waits for it goes away.

    Raises:
        DraftError: Nobody waits any more, or as the work does.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())  # after all that was sent, only the end comes
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise DraftError(_GONE, "nobody waits for it any more", "send it again")
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


def _in_json(fault: DraftError) -> Response:
    return JSONResponse(fault.fault.model_dump(), fault.status, fault.headers)


def _refusal(path: str, status: int, reason: str) -> Response:
    """What is not let through: of pages as text."""
    fault = DraftError.of(HTTPException(status, reason))
    return _in_json(fault) if path == PROGRAMS else Response(reason, status)


async def _http_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _refusal(request.url.path, error.status_code, error.detail)


async def _schemas(request: Request) -> Response:
    """The JSON schemas of what `PROGRAMS` takes and gives."""
    known = (DraftRequest, DraftAnswer, DraftFault)
    return JSONResponse({model.__name__: model.model_json_schema() for model in known})
