"""An app on an empty folder, and a browser of its owner's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import People
from reviewscore.view.shelf import Shelf
from tests.conftest import PAPER, ROOT

HERE = "http://127.0.0.1:8793"
REVIEW = """Weaknesses:
- There is no ablation of the network's layers or of the window overlap.

Questions:
- Which learning rate do you use to train with Adam?
"""
EXAMPLE = ROOT / "examples" / "paper.pdf"
Files = list[tuple[str, tuple[str, bytes]]]


class App:
    """An app on an empty folder, and a browser of its owner's."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.runs = OpenRuns(Shelf(folder))
        self.view = View(self.runs, People(folder), cache)
        self.client = TestClient(build_app(self.view), base_url=HERE)
        self.client.headers["origin"] = HERE
        self.client.get(f"/enter/{self.view.people.secret}")

    def post(self, path: str, files: Files = [], **fields: str) -> Any:  # noqa: B006 - not changed
        csrf = self.view.form_secret(self.view.people.of_key(self.view.people.secret) or _no())
        return self.client.post(path, data={"csrf": csrf, **fields}, files=files or None)

    def send(self, files: Files, **fields: str) -> Any:
        return self.post("/new", files, **fields)

    def until(self, name: str, *phases: str) -> str:
        """The phase of an audit, once it is one of these."""
        for _ in range(3_000):
            phase = self.view.jobs.get(name).phase
            if phase in phases:
                return phase
            time.sleep(0.02)
        raise AssertionError(f"{phase}: {self.view.jobs.get(name).said('audit')}")

    def close(self) -> None:
        self.view.jobs.close()
        self.runs.close()


def _no() -> Any:
    raise AssertionError("the owner's key opens the app")


def paper(name: str = "frogs.txt", text: str = PAPER) -> tuple[str, tuple[str, bytes]]:
    return "papers", (name, text.encode())


def review(name: str = "R1.txt", data: bytes = REVIEW.encode()) -> tuple[str, tuple[str, bytes]]:
    return "reviews", (name, data)
