"""A loopback server that both vendors' SDKs reach."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loopback import Loopback


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    started = Loopback().start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", started.url.removesuffix("/v1") + "/anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    yield started
    started.stop()
