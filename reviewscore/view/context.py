"""What the app's addresses share: the runs, the people, and the links between its pages."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from reviewscore.view.audit_jobs import AuditJobs
from reviewscore.view.open_run import OpenRun, OpenRuns
from reviewscore.view.page_store import PageStore
from reviewscore.view.people import People, Visitor
from reviewscore.view.run_notes import RunNotes
from reviewscore.view.side_by_side import SideBySide

_LONGEST_FORM = 200_000
"""Bytes of a form without a file."""

NOT_SAVED = 507
"""Status of an answer to what could not be done, such as on a full disk."""
Form = dict[str, str]


@dataclass
class View:
    """What an app shows, and to whom.

    Attributes:
        runs: The runs.
        people: Who may see them.
        public: The address by which others reach it; None for this machine alone.
        cache: A private folder for what can be made anew.
        longest: Bytes of the largest request without a file.
        jobs: Audits that were begun in the browser.
        pages: Pages of PDFs, drawn.
        notes: What must be known of runs before any number.
        side_by_side: Pairs of runs that are compared.
        blind: Whether points are judged without their verdicts in sight.
        given: How often each person has said something since the start.
        cookies: Names of the cookies of whoever started the app and of people with an invitation:
            theirs is of the folder, so that it is known when the app is started again.
    """

    runs: OpenRuns
    people: People
    cache: Path
    public: str | None = None
    longest: int = _LONGEST_FORM
    notes: RunNotes = field(default_factory=RunNotes)
    side_by_side: SideBySide = field(default_factory=SideBySide)
    blind: bool = False
    given: Counter[str] = field(default_factory=Counter)
    cookies: tuple[str, str] = field(init=False)
    jobs: AuditJobs = field(init=False)
    pages: PageStore = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = AuditJobs(self.runs.shelf.folder)
        of = (self.people.secret, str(self.people.folder.resolve()))
        own, guests = (hashlib.sha256(one.encode("utf-8", "replace")).hexdigest() for one in of)
        self.cookies = f"rs_view_{own[:8]}", f"rs_view_{guests[:8]}"
        self.pages = PageStore(self.cache / "pages")

    def form_secret(self, visitor: Visitor) -> str:
        """What a form of a person must carry to be believed."""
        words = f"form {visitor.name}".encode()
        return hmac.new(self.people.secret.encode(), words, hashlib.sha256).hexdigest()[:32]

    async def visitor(self, request: Request) -> Visitor:
        """Who asks.

        Raises:
            HTTPException: Nobody who may.
        """
        found = await run_in_threadpool(self.people.of_request, request, *self.cookies)
        if found is None:
            raise HTTPException(403, "Open the address that you were given.")
        return found

    def run(self, key: str) -> OpenRun:
        """A run.

        Raises:
            HTTPException: There is none of that key.
        """
        try:
            return self.runs.get(key)
        except KeyError as error:
            raise HTTPException(404, "There is no such run in this folder.") from error

    def paper(self, visitor: Visitor, key: str, paper_id: str) -> OpenRun:
        """A run of which somebody may see a paper.

        Raises:
            HTTPException: There is no such paper, or it is not for them; both look the same.
        """
        opened = self.run(key)
        if not (visitor.may_see(paper_id) and opened.index.has_paper(paper_id)):
            raise HTTPException(404, "There is no such paper in this run.")
        return opened


Handler = Callable[[View, Visitor, Request, Form], Response]


def paper_link(key: str, paper_id: str, anchor: str = "", query: str = "") -> str:
    """Where a paper is shown, or a point of it; it holds no token, and can be sent.

    Args:
        key: The run.
        paper_id: The paper.
        anchor: The point.
        query: The list from which one comes, as a part of an address.
    """
    parts = "&".join(part for part in (f"point={anchor}" if anchor else "", query) if part)
    return f"/run/{key}/paper/{quote(paper_id, safe='')}{'?' if parts else ''}{parts}"
