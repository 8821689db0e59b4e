"""An app on the run of the examples, and people who open it."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from reviewscore.cli.main import main
from reviewscore.period.assignments import Assignments
from reviewscore.period.deliver import Release
from reviewscore.runs.folder import read_points
from reviewscore.schema.point_score import PointScore
from reviewscore.view.app import build_app
from reviewscore.view.context import View
from reviewscore.view.open_run import OpenRuns
from reviewscore.view.people import OWNER, People
from reviewscore.view.shelf import Shelf
from tests.conftest import ROOT

HERE = "http://127.0.0.1:8793"


def audited(folder: Path) -> Path:
    """The run of the examples by the embedded judge."""
    with pytest.raises(SystemExit) as ended:
        main(["audit", str(ROOT / "examples"), "-o", str(folder), "-q"])
    assert not ended.value.code
    return folder


def copied(run: Path, folder: Path) -> Path:
    """A copy of a run."""
    shutil.copytree(run, folder)
    return folder


def flags_of(run: Path) -> list[PointScore]:
    """The points to which the paper speaks."""
    return [score for score in read_points(run) if score.finding == "addressed"]


@dataclass
class JudgedApp:
    """An app on one run."""

    run: Path
    rights: Assignments | None = None
    blind: bool = False
    released: Release | None = None
    kept: Path = Path("judgments")

    def __post_init__(self) -> None:
        shelf = Shelf(self.run)
        self.people = People(shelf.folder, self.rights, released=self.released)
        self.runs = OpenRuns(shelf, kept=self.kept)
        self.view = View(self.runs, self.people, self.run.parent / "cache", blind=self.blind)
        self.key = shelf.runs()[0].key

    def opened_by(self, name: str = OWNER) -> Reader:
        """The browser of a person."""
        key = self.people.secret if name == OWNER else self.people.invite(name)
        client = TestClient(build_app(self.view), base_url=HERE)
        client.headers["origin"] = HERE
        client.get(f"/enter/{key}")
        visitor = self.people.of_key(key)
        assert visitor is not None
        return Reader(self, client, self.view.form_secret(visitor))


@dataclass
class Reader:
    """A person with the app open."""

    app: JudgedApp
    client: TestClient
    csrf: str

    def get(self, place: str, **query: str) -> Any:
        """A page of the run."""
        return self.client.get(f"/run/{self.app.key}{place}", params=query)

    def say(self, score: PointScore, verdict: str, note: str = "", **more: str) -> Any:
        """Say something of a point."""
        fields = {"csrf": self.csrf, "point": score.point_id, "verdict": verdict, "note": note}
        place = f"/run/{self.app.key}/paper/{score.paper_id}"
        return self.client.post(place, data=fields | more)

    def answer(self, score: PointScore, note: str) -> Any:
        """Answer a flag."""
        fields = {"csrf": self.csrf, "point": score.point_id, "note": note}
        return self.client.post(f"/run/{self.app.key}/mine", data=fields)


def shown_panel(page: str, score: PointScore) -> str:
    """What a page shows of what people say of a point."""
    found = re.search(
        rf'<section class="judge" aria-label="[^"]*{re.escape(score.short_name)}">.*?</section>',
        page,
        re.DOTALL,
    )
    assert found is not None
    return unescape(found[0])
