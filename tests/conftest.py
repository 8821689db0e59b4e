"""Fixtures for all tests: no network beyond loopback, a small paper, points, the shared data."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from reviewscore.bounds import put_in_force
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import ReviewPoint, Role
from reviewscore.schema.span import Span

if TYPE_CHECKING:
    from tests.local_models import Kind, LocalModel
    from tests.loopback import Loopback

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"

PAPER = """Counting Frogs with Microphones

Abstract
We count frogs in ponds from sound alone and compare with manual counts.

1 Introduction
Counting animals by hand is slow. We place microphones at ponds and count calls automatically.

2 Method
Our counter splits the recording into windows of two seconds. Each window is classified by a small
convolutional network with three layers. We train with Adam and a learning rate of 0.001.

3 Experiments
We record at four ponds during twelve nights and compare with manual counts by two biologists.

3.1 Ablation
We remove the network's third layer and the window overlap in turn. Accuracy drops by four points
without the overlap and by one point without the third layer.

4 Limitations
Our counter fails in heavy rain, and we have tested it in one country only.

References
A. Frogman. Listening to ponds. 2019.
"""


THOROUGH = bool(os.environ.get("THOROUGH"))
"""Whether tests draw many more examples (``make thorough``)."""
only_thorough = pytest.mark.skipif(not THOROUGH, reason="takes long: part of make thorough")

# Ray reads them once, when it is imported: for clusters that tests start, and for their users.
os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))

# A busy machine is no fault of the code: examples are counted, not timed.
settings.register_profile(
    "tests",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=400 if THOROUGH else 40,
)
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def _closed_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No network beyond this machine, no settings from the environment, an empty folder."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
    for name in list(os.environ):
        if name.startswith(("REVIEWSCORE_", "OPENAI_", "ANTHROPIC_", "OLLAMA_", "LLAMA_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("REVIEWSCORE_CACHE_DIR", str(tmp_path / "ledger"))
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "no-encoders"))
    # Nor from the user's own settings file.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-settings"))
    monkeypatch.chdir(tmp_path)
    # What is said of waits depends on how busy the machine is.
    monkeypatch.setattr("reviewscore.cli.terminal.SILENCE", 3600.0)
    yield
    put_in_force(None)


@pytest.fixture
def local() -> Iterator[Callable[..., LocalModel]]:
    """Starts model servers of one's own."""
    from tests.local_models import LocalModel

    started: list[LocalModel] = []

    def start(kind: Kind = "ollama", **how: Any) -> LocalModel:
        started.append(LocalModel(kind=kind, **how).start())
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def paper() -> Paper:
    """A short invented paper."""
    from reviewscore.papers.load import PaperRow, build_paper

    return build_paper(PaperRow(paper_id="frogs", title="Counting Frogs", text=PAPER, year=2021))


def make_point(text: str, *, number: int = 1, section: str = "weaknesses") -> ReviewPoint:
    """A point that is its whole field."""
    role = Role.QUESTIONS if section == "questions" else Role.WEAKNESSES
    return ReviewPoint(
        point_id=f"r1#{number}",
        review_id="r1",
        paper_id="frogs",
        section=section,
        role=role,
        text=text,
        span=Span(field=section, start=0, end=len(text)),
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The development data beside the checkout; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"the development data is not here ({SHARED})")
    return SHARED


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """The scripted model, served on loopback."""
    from tests.loopback import Loopback

    started = Loopback().start()
    yield started
    started.stop()


@pytest.fixture
def server(loopback: Loopback) -> Loopback:
    """The same, for tests in which it is one server of several."""
    return loopback
