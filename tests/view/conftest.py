"""An app on an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewscore.view import open_run
from tests.view.owned_app import App


@pytest.fixture(autouse=True)
def _pages_wait_for_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page waits until all points are read, however busy the machine is."""
    monkeypatch.setattr(open_run, "_AT_ONCE", 60.0)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The app, whose audits are ended with the test."""
    for name in ("runs", "cache"):
        (tmp_path / name).mkdir()
    made = App(tmp_path / "runs", tmp_path / "cache")
    yield made
    made.close()
