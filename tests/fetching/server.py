"""OpenReview's two servers, replayed on loopback from the threads in ``tests/data/openreview``."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

DATA = Path(__file__).resolve().parents[1] / "data" / "openreview"
Answer = tuple[int, bytes, dict[str, str]]
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}


def load(name: str) -> Any:
    """A file of the fixtures."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def threads() -> list[str]:
    """Names of all threads."""
    return sorted(load("expected"))


@cache
def pdf() -> bytes:
    """A small paper."""
    from io import BytesIO

    from reportlab.pdfgen.canvas import Canvas

    sheet = BytesIO()
    canvas = Canvas(sheet, invariant=True)
    lines = [
        "Routing with Two Experts",
        "1 Introduction",
        *["We train a small router that sends each token to one of two experts."] * 12,
        "2 Experiments",
        *["We compare with a dense model of equal compute on two data sets."] * 12,
    ]
    for number, line in enumerate(lines):
        canvas.drawString(72, 760 - 20 * number, line)
    canvas.showPage()
    canvas.save()
    return sheet.getvalue()


@dataclass
class Replay:
    """Both servers in one: API 2 under ``/v2``, API 1 under ``/v1``.

    Attributes:
        mishaps: Answers that come before the true ones, in order.
        page: Notes of a page at most.
        stuck: Whether ``after`` is ignored, so that a page repeats.
        without_details: Whether notes are bare where no details are asked for.
        prefixes: Whether API 1 gives all notes whose invitation begins as asked, as it does.
        asked: Path and query of each request.
        headers: Of each request.
        extra: Further submissions.
        form: The invitation to review; None if nobody may see it.
        edits: History by note; that of others may not be read.
        pdf: What a request for a paper's PDF is answered with.
    """

    url: str = ""
    mishaps: list[Answer] = field(default_factory=list)
    page: int = 1000
    stuck: bool = False
    without_details: bool = False
    prefixes: bool = False
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    extra: list[dict[str, Any]] = field(default_factory=list)
    form: dict[str, Any] | None = None
    edits: dict[str, list[Any]] = field(default_factory=dict)
    pdf: Callable[[str], Answer] = lambda _: (200, pdf(), {"Content-Type": "application/pdf"})

    def answer(self, path: str, query: dict[str, str]) -> Answer:
        """What a request is answered with."""
        self.asked.append((path, query))
        if self.mishaps:
            return self.mishaps.pop(0)
        _, api, what = path.split("/", 2)
        if what == "pdf":
            return self.pdf(query["id"])
        if what != "notes":
            return self._beside(what, api, query)
        notes = [one for one in self._submissions(api) if _fits(one, query, self.prefixes)]
        notes.sort(key=lambda one: str(one["id"]))
        if "after" in query and not self.stuck:
            notes = [one for one in notes if one["id"] > query["after"]]
        if self.without_details and "details" not in query:
            notes = [{"id": one["id"]} for one in notes]
        return _json(200, {"notes": notes[: min(self.page, int(query.get("limit", "1000")))]})

    def _beside(self, what: str, api: str, query: dict[str, str]) -> Answer:
        if what == "groups":
            group = load("v2_group_iclr2025")
            found = [group] if query["id"] == group["id"] else []
            return _json(200, {"groups": found}) if found else _json(404, {"message": "no group"})
        if what == "invitations" and self.form is not None:
            return _json(200, {"invitations": [self.form]})
        if what in ("notes/edits", "references"):
            asked = query["note.id"] if api == "v2" else query["referent"]
            found = self.edits.get(asked)
            refused = {"name": "ForbiddenError", "message": "not for you"}
            return (
                _json(403, refused)
                if found is None
                else _json(200, {what.rpartition("/")[2]: found})
            )
        return _json(404, {"name": "NotFoundError", "message": f"no {what}"})

    def _submissions(self, api: str) -> list[dict[str, Any]]:
        named = [load(name)["submission"] for name in threads() if name.startswith(api)]
        return [*named, *(one for one in self.extra if ("invitations" in one) == (api == "v2"))]


def _fits(note: dict[str, Any], query: dict[str, str], prefixes: bool) -> bool:
    if "id" in query:
        return bool(note["id"] == query["id"])
    made = note["invitations"][0] if "invitations" in note else note["invitation"]
    asked = query.get("invitation", "?")
    return bool(made == asked or (prefixes and "invitation" in note and made.startswith(asked)))


def _json(status: int, body: object) -> Answer:
    return status, json.dumps(body).encode(), JSON


@contextmanager
def replaying() -> Iterator[Replay]:
    """A server on a free port of loopback."""
    replay = Replay()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            replay.headers.append(dict(self.headers))
            status, body, headers = replay.answer(parts.path, dict(parse_qsl(parts.query)))
            self.send_response_only(status)  # no Date of its own
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    replay.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield replay
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
