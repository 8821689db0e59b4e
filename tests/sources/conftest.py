"""A remote store of files, held in memory."""

from __future__ import annotations

import fsspec
import pytest


@pytest.fixture
def store() -> fsspec.AbstractFileSystem:
    """The store, empty."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    return files
