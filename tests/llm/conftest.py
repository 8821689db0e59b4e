"""A loopback server that both vendors' SDKs reach, and a ledger of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewscore.llm.ledger.store import Location
from tests.loopback import Loopback
from tests.postgres import running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    started = Loopback().start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", started.url.removesuffix("/v1") + "/anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    yield started
    started.stop()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """An empty ledger in a file, and one in a database."""
    return tmp_path if request.param == "SQLite" else running().empty()
