"""The two servers of OpenReview: logged in by openreview-py, asked politely, refusals in words."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from reviewscore import __version__
from reviewscore.bounds import ACCEPTED, in_force
from reviewscore.errors import InputError, ReviewScoreError, SettingsError, StopError

if TYPE_CHECKING:
    from reviewscore.sources.openreview.transport import BoundedAdapter

HOSTS = {1: "https://api.openreview.net", 2: "https://api2.openreview.net"}
_ADDRESS = {1: "OPENREVIEW_API_BASEURL", 2: "OPENREVIEW_API_BASEURL_V2"}
_AGENT = f"reviewscore/{__version__} (review audits; one request at a time)"
_PATIENCE = 120.0
"""Seconds that a refusal is waited out without asking the user to come back."""
_TRIES = 5
_SECONDS = (10.0, 120.0)
"""To connect, and between bytes."""
_PASSING = (500, 502, 503, 504)
LOG_IN = (
    "OpenReview asks anonymous callers to log in: set OPENREVIEW_USERNAME and "
    "OPENREVIEW_PASSWORD (or OPENREVIEW_TOKEN), or use --from-export"
)


_PIECE = 65_536


@dataclass(frozen=True)
class ServerAnswer:
    """What a server answered.

    Attributes:
        status: The HTTP status.
        headers: Its headers, whose names are looked up in any case.
        reason: The status in the server's words.
        body: The body, decompressed; empty where it was given to somebody as it came.
    """

    status: int
    headers: Mapping[str, str]
    reason: str
    body: bytes


Keep = Callable[[Iterator[bytes]], None]
"""Takes a body as it comes."""


def check_installed() -> None:
    """Say what to type where the package that logs in is missing.

    Raises:
        SettingsError: It is.
    """
    if find_spec("openreview") is None:
        raise SettingsError(
            "fetching from OpenReview needs openreview-py: type pip install '.[openreview]' in a "
            "checkout of reviewscore, or use --from-export; a table of reviews needs no network: "
            "--from-table"
        )


@dataclass
class Server:
    """One API host.

    Args:
        api: 1 or 2.
        say: Told of waits.
        pace: Seconds between the beginnings of two requests.
        sleep: Waits; replaced in tests.

    Raises:
        SettingsError: The extra is missing, or the login was refused.
    """

    api: int
    say: Callable[[str], None]
    pace: float = 0.5
    sleep: Callable[[float], None] = time.sleep
    asked: int = 0
    _client: Any = field(default=None, repr=False)
    _adapter: Any = field(default=None, repr=False)
    _last: float = field(default=0.0, repr=False)

    @property
    def address(self) -> str:
        """Where it is: the environment's address, or OpenReview's own."""
        return (os.environ.get(_ADDRESS[self.api]) or HOSTS[self.api]).rstrip("/")

    def get(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        """The JSON object that an address answers with.

        Raises:
            StopError: The server refuses, or is not there; the message says how to go on.
            InputError: There is no such thing on this host, or it is too large.
        """
        from reviewscore.sources.openreview.transport import UnusableError

        try:
            answer = self._answer(path, query)
        except UnusableError as error:
            raise StopError(str(error)) from error
        kind = answer.headers.get("Content-Type", "")
        try:
            value = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            what = "a web page" if "html" in kind else "no JSON"
            raise StopError(f"{self.address} answered with {what}. {LOG_IN}") from error
        if not isinstance(value, dict):
            raise StopError(f"{self.address}{path} answered with {type(value).__name__}")
        return value

    def file(self, path: str, query: Mapping[str, str], keep: Keep) -> None:
        """Hand the bytes that an address answers with to `keep`, again if they broke off.

        Raises:
            StopError, InputError: As `get`, and what `keep` raises.
        """
        self._answer(path, query, keep)

    def _answer(
        self, path: str, query: Mapping[str, str], keep: Keep | None = None
    ) -> ServerAnswer:
        for attempt in range(1, _TRIES + 1):
            self._wait_for_turn()
            answer = self._once(path, query, keep)
            if answer is not None and answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                self._limited(answer)
            elif answer is not None and answer.status not in _PASSING:
                return _checked(answer, path, query)
            elif attempt < _TRIES:
                seconds = min(2.0**attempt, 60.0)
                self.say(f"{self.address} does not answer; again in {seconds:.0f} s")
                self.sleep(seconds)
        raise StopError(
            f"{self.address} has not answered {_TRIES} times; run the same command again later, "
            "it goes on where it stopped"
        )

    def _once(self, path: str, query: Mapping[str, str], keep: Keep | None) -> ServerAnswer | None:
        """An answer; None if none came."""
        client = self._connected()
        import requests

        self.asked += 1
        self._adapter.limit = lambda: in_force().page if keep is None else in_force().pdf
        try:
            answer = client.session.get(
                f"{self.address}{path}",
                params=dict(query),
                headers={**client.headers, "User-Agent": _AGENT, "Accept-Encoding": ACCEPTED},
                timeout=_SECONDS,
                stream=True,
            )
            with answer:
                pieces, body = answer.iter_content(_PIECE), b""
                if keep is not None and answer.status_code == HTTPStatus.OK:
                    keep(pieces)
                else:
                    body = b"".join(pieces)
        except requests.exceptions.RequestException:
            return None
        return ServerAnswer(answer.status_code, answer.headers, str(answer.reason), body)

    def _limited(self, answer: ServerAnswer) -> None:
        """Wait until the limit is lifted, if that is soon.

        Raises:
            StopError: It is not; says when.
        """
        seconds, until = _reset(answer)
        if seconds > _PATIENCE:
            raise StopError(
                f"OpenReview's limit of requests is reached until {until}; run the same command "
                "again then, it goes on where it stopped"
            )
        self.say(f"OpenReview's limit of requests is reached; waiting {seconds:.0f} s")
        self.sleep(seconds)

    def _wait_for_turn(self) -> None:
        rest = self._last + self.pace - time.monotonic()
        if rest > 0:
            self.sleep(rest)
        self._last = time.monotonic()

    def _connected(self) -> Any:
        """openreview-py's client: it knows how to log in; its retries are ours instead."""
        if self._client is None:
            check_installed()
            self._client, self._adapter = _client(self.api, self.address)
        return self._client


def _configured() -> tuple[str, ...]:
    """The addresses of both hosts as they are set."""
    return tuple(os.environ.get(_ADDRESS[api]) or HOSTS[api] for api in HOSTS)


def _client(api: int, address: str) -> tuple[Any, BoundedAdapter]:
    from openreview import Client
    from openreview.api import OpenReviewClient
    from requests.exceptions import RequestException

    from reviewscore.sources.openreview.transport import BoundedAdapter, PunctualAdapter

    def bounded(client: Any, *, retries: Any = 0) -> BoundedAdapter:
        """Bound all that the client's session gets, from now on."""
        inner = PunctualAdapter(pool_maxsize=2, max_retries=retries)
        adapter = BoundedAdapter(inner, _configured())
        for prefix in list(client.session.adapters):
            client.session.mount(prefix, adapter)
        return adapter

    made = Client if api == 1 else OpenReviewClient

    def login_user(self: Any, *args: Any, **how: Any) -> Any:
        """The client logs in while it is made: this is the first that it sends."""
        bounded(self, retries=self.session.get_adapter(address).max_retries)
        return made.login_user(self, *args, **how)

    kind = type(made.__name__, (made,), {"login_user": login_user})
    try:
        with redirect_stdout(sys.stderr):  # it prints what it tries again
            client = kind(baseurl=address)
    except ReviewScoreError as error:
        raise StopError(f"{address} cannot be logged in to: {error}") from error
    except RequestException as error:
        raise StopError(
            f"{address} does not answer to the login ({type(error).__name__}); "
            "run the same command again later"
        ) from error
    except Exception as error:
        raise SettingsError(
            f"OpenReview refused the login: {error}; check OPENREVIEW_USERNAME and "
            "OPENREVIEW_PASSWORD, or set OPENREVIEW_TOKEN"
        ) from error
    token = os.environ.get("OPENREVIEW_TOKEN")
    if token:  # given to the client itself, it would ask for the user's profile
        client.headers["Authorization"] = f"Bearer {token.strip().removeprefix('Bearer ')}"
    return client, bounded(client)


def _checked(answer: ServerAnswer, path: str, query: Mapping[str, str]) -> ServerAnswer:
    asked = ", ".join(f"{name}={value}" for name, value in query.items())
    if answer.status == HTTPStatus.FORBIDDEN:
        if _field(answer, "name") == "ForbiddenError":  # of this one thing; others may be open
            raise InputError(
                f"OpenReview does not show you {path} ({asked}): {_told(answer)}",
                cure="log in as somebody who may see it",
            )
        raise StopError(LOG_IN if _challenged(answer) else f"OpenReview refuses: {_told(answer)}")
    if answer.status == HTTPStatus.UNAUTHORIZED:
        raise StopError(
            "OpenReview says that the login has run out; run the command again, "
            "with a new OPENREVIEW_TOKEN if you gave one"
        )
    if answer.status >= HTTPStatus.BAD_REQUEST:
        raise InputError(
            f"OpenReview answers {path} ({asked}) with {answer.status}: {_told(answer)}",
            cure="check the id; things that are not public look as if they were not there",
        )
    return answer


def _challenged(answer: ServerAnswer) -> bool:
    return "html" in answer.headers.get("Content-Type", "") or "Challenge" in _field(answer, "name")


def _told(answer: ServerAnswer) -> str:
    return _field(answer, "message") or answer.reason


def _field(answer: ServerAnswer, name: str) -> str:
    try:
        record = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    value = record.get(name) if isinstance(record, dict) else None
    return value[:300] if isinstance(value, str) else ""


def _reset(answer: ServerAnswer) -> tuple[float, str]:
    """Seconds until the limit is lifted, and when that is.

    By the server's own clock where it tells the time, so that a wrong clock here does no harm.
    """
    from email.utils import parsedate_to_datetime

    after = answer.headers.get("Retry-After", "")
    if after.isdecimal():
        return float(after), f"in {int(after):,} s"
    try:
        value = json.loads(answer.body)["details"]["resetTime"]
        until = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
        until = until.replace(tzinfo=until.tzinfo or UTC).astimezone(UTC)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 60.0, "in a minute"
    try:
        now = parsedate_to_datetime(answer.headers["Date"]).astimezone(UTC)
    except (KeyError, TypeError, ValueError, OverflowError):
        now = datetime.now(UTC)
    return max(1.0, (until - now).total_seconds()), until.isoformat(timespec="minutes")
