"""Loopback servers that every provider reaches, and a ledger of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewscore.llm.ledger.store import Location
from tests.loopback import Loopback
from tests.postgres import running
from tests.quirks import Quirk

KEY = "planted-key-123"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Loopback]]:
    """Starts servers; the last one is reached by every provider."""
    started: list[Loopback] = []

    def start(quirk: Quirk | None = None, **how: float) -> Loopback:
        server = Loopback(quirk=quirk, **how).start()  # type: ignore[arg-type]
        started.append(server)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1") + "/anthropic")
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def server(serve: Callable[..., Loopback]) -> Loopback:
    return serve()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """An empty ledger in a file, and one in a database."""
    return tmp_path if request.param == "SQLite" else running().empty()
