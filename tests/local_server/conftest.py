"""Model servers that really run, compiled by `make local`, which names their environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.llama_servers import KINDS, Kind, LlamaServer, serving

PLACE = os.environ.get("LOCAL_SERVERS")
MODEL = "gemma-3-270m"
CONTEXT = 12_288
"""Tokens into which the example goes whole."""


@pytest.fixture(scope="session")
def place() -> Path:
    """The environment with the servers and the model."""
    if PLACE is None:
        pytest.skip("this needs the model servers that `make local` compiles")
    return Path(PLACE)


@pytest.fixture(scope="session", params=KINDS)
def served(
    request: pytest.FixtureRequest, place: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LlamaServer]:
    """A server that reads the example whole, one of each kind after the other."""
    log = tmp_path_factory.mktemp("server") / "log"
    with serving(request.param, place, MODEL, context=CONTEXT, log=log) as server:
        yield server


@pytest.fixture
def serve(place: Path, tmp_path: Path) -> Iterator[Callable[[Kind, int], LlamaServer]]:
    """Starts a server of a kind with so long a context."""
    with ExitStack() as stack:

        def start(kind: Kind, context: int) -> LlamaServer:
            log = tmp_path / f"{kind}.log"
            return stack.enter_context(serving(kind, place, MODEL, context=context, log=log))

        yield start
