"""An app on a folder of runs, and the browsers of its people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

from starlette.testclient import TestClient

from reviewscore.period.assignments import read_assignments
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import OWNER, People
from reviewscore.view.shelf import Shelf

HERE = "http://127.0.0.1:8793"


class App:
    """An app, and browsers that enter it.

    Args:
        folder: Of the runs.
        cache: A private folder.
        assignments: The lines of a table of assignments, if there is one.
    """

    def __init__(self, folder: Path, cache: Path, assignments: str = "") -> None:
        table = cache / "assignments.csv"
        table.write_text(f"person,role,paper\n{assignments}", "utf-8")
        rights = read_assignments(table) if assignments else None
        self.view = View(OpenRuns(Shelf(folder)), People(folder, rights), cache)
        self.app = build_app(self.view)
        self.clients: list[TestClient] = []

    def browser(self) -> TestClient:
        """A browser of nobody's."""
        made = TestClient(self.app, base_url=HERE, raise_server_exceptions=False)
        made.headers["origin"] = HERE
        self.clients.append(made)
        return made

    def enter(self, name: str = OWNER) -> TestClient:
        """A browser of somebody's."""
        people, made = self.view.people, self.browser()
        key = people.secret if name == OWNER else people.invite(name)
        reply = made.get(f"/enter/{key}", follow_redirects=False)
        assert reply.status_code == 303
        return made

    def run(self, name: str = "run") -> str:
        """The address of a run."""
        return next(f"/run/{one.key}" for one in self.view.runs.shelf.runs() if one.name == name)


@contextmanager
def opened(folder: Path, assignments: str = "") -> Iterator[App]:
    """An app on the runs of a folder."""
    cache = folder.parent / f"{folder.name}-cache"
    cache.mkdir(exist_ok=True)
    made = App(folder, cache, assignments)
    try:
        yield made
    finally:
        for client in made.clients:
            client.close()
        made.view.jobs.close()
        made.view.runs.close()


def csrf(page: str) -> str:
    """The secret that a page's form carries."""
    found = re.search(r'name="csrf" value="([^"]*)"', page)
    assert found is not None
    return found[1]


class Elements(HTMLParser):
    """The elements of a page, their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        """Where its links lead."""
        return [found["href"] or "" for _, found in self.found if "href" in found]
