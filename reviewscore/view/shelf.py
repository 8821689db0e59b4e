"""The runs below a folder: what each is, how far it is, and the name by which links call it."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reviewscore.errors import RunFolderError
from reviewscore.runs.folder import MANIFEST, POINTS, manifest_of
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.progress_file import PROGRESS, progress_of

_DEEPEST = 5
_MOST_FOLDERS = 20_000
"""Folders that are looked into; a whole disk is not searched."""
_MOST_RUNS = 1_000
_FRESH = 2.0
"""Seconds for which what was found is taken for what is there."""
_DIGEST = 12
"""Characters of a key that no other name can be made to have."""
_QUIET = 120.0
"""Seconds without a new point after which a run that has not ended is taken for stopped."""


@dataclass(frozen=True)
class ShelvedRun:
    """A run folder.

    Attributes:
        key: What links call it; it tells nothing about paths outside of the folder.
        name: Its path from the folder on.
        path: Where it lies.
    """

    key: str
    name: str
    path: Path

    @property
    def manifest(self) -> Manifest:
        """What it was made with.

        Raises:
            RunFolderError: It cannot be read.
        """
        return _manifest_now(self.path)


def _manifest_now(run: Path) -> Manifest:
    """A run's manifest; one that did not change is not read again."""
    try:
        state = (run / MANIFEST).stat()
    except OSError:
        return manifest_of(run)  # which says what is wrong
    return _manifest(run, (state.st_ino, state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=_MOST_RUNS)
def _manifest(run: Path, state: tuple[int, int, int]) -> Manifest:
    return manifest_of(run)


def state_of(run: Path, manifest: Manifest) -> str:
    """``finished``, ``being written`` or ``stopped``."""
    if manifest.complete and not manifest.growing:
        return "finished"
    if (run / PROGRESS).is_file():
        return "stopped" if progress_of(run) is None else "being written"
    try:
        quiet = time.time() - (run / POINTS).stat().st_mtime
    except OSError:
        quiet = time.time() - (run / MANIFEST).stat().st_mtime
    return "being written" if manifest.growing and quiet < _QUIET else "stopped"


class Shelf:
    """The runs in a folder and the folders in it.

    Args:
        folder: A run folder, or one that holds some.

    Raises:
        RunFolderError: There is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise RunFolderError(f"{folder} is no folder; name one that holds runs")
        self.folder = folder.resolve()
        self._found: dict[str, ShelvedRun] = {}
        self._looked = float("-inf")

    def runs(self) -> list[ShelvedRun]:
        """All runs, by name."""
        if time.monotonic() - self._looked > _FRESH:
            self._found = {run.key: run for run in self._search()}
            self._looked = time.monotonic()
        return list(self._found.values())

    def at(self, folder: Path) -> ShelvedRun | None:
        """The run in a folder, although it has only just been made; None if there is none."""
        known = any(run.path == folder for run in self.runs())
        if not known and (folder / MANIFEST).is_file():
            self._looked = float("-inf")
        return next((run for run in self.runs() if run.path == folder), None)

    def run(self, key: str) -> ShelvedRun:
        """A run by its key.

        Raises:
            KeyError: There is none.
        """
        if key not in self._found:
            self.runs()
        return self._found[key]

    def _search(self) -> Iterator[ShelvedRun]:
        found = 0
        for looked, (place, folders, files) in enumerate(os.walk(self.folder)):
            if looked >= _MOST_FOLDERS or found >= _MOST_RUNS:
                return
            here = Path(place)
            depth = len(here.relative_to(self.folder).parts)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            if depth >= _DEEPEST:
                folders.clear()
            if MANIFEST in files and _is_run(here):
                found += 1
                yield _shelved(self.folder, here)


def _is_run(folder: Path) -> bool:
    try:
        _manifest_now(folder)
    except RunFolderError:  # a run of another verb, or one that cannot be read
        return False
    return True


def _shelved(folder: Path, run: Path) -> ShelvedRun:
    name = run.relative_to(folder).as_posix()
    name = folder.name if name == "." else name
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST]
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[-60:] or "run"
    return ShelvedRun(f"{plain}-{digest}", name, run)
