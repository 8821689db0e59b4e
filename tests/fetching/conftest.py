"""OpenReview on loopback, and the verb that fetches from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reviewscore.sources.openreview import server as servers
from tests.commands import Invoke, invoker
from tests.fetching.server import Replay, replaying


@pytest.fixture
def openreview(monkeypatch: pytest.MonkeyPatch) -> Iterator[Replay]:
    """Both servers on loopback, and no waiting."""
    with replaying() as replay:
        monkeypatch.setenv("OPENREVIEW_API_BASEURL", f"{replay.url}/v1")
        monkeypatch.setenv("OPENREVIEW_API_BASEURL_V2", f"{replay.url}/v2")
        for name in ("USERNAME", "PASSWORD", "TOKEN"):
            monkeypatch.delenv(f"OPENREVIEW_{name}", raising=False)
        monkeypatch.setattr(servers.Server, "pace", 0.0)
        monkeypatch.setattr(servers.Server.__init__, "__defaults__", _quick())
        yield replay


def _quick() -> tuple[Any, ...]:
    defaults = servers.Server.__init__.__defaults__
    assert defaults is not None
    return (0.0, lambda _: None, *defaults[2:])


@pytest.fixture
def fetch(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("fetch", capsys)
