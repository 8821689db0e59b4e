"""The command and an invented corpus with ratings, for tests of similarity."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Invoke, invoker
from tests.similarity.invented import write_corpus, write_ratings


@pytest.fixture
def similarity(capsys: pytest.CaptureFixture[str]) -> Invoke:
    return invoker("similarity", capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = write_corpus(tmp_path / "data")
    write_ratings(found)
    return found
