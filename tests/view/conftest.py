"""An app on an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.view.owned_app import App


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The app, whose audits are ended with the test."""
    for name in ("runs", "cache"):
        (tmp_path / name).mkdir()
    made = App(tmp_path / "runs", tmp_path / "cache")
    yield made
    made.close()
