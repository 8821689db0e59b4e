"""Runs on a store that fsspec knows, such as ``s3://bucket/runs``: copied here, kept in step.

Nothing of a run is written there. What people say is kept in a folder of this machine, and put into
the store as a file of this place's own name beside the run, as far as that may be written.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reviewscore.addresses import without_credentials
from reviewscore.errors import InputError, RunFolderError
from reviewscore.runs.folder import BLIND_DRAW, MANIFEST, POINTS, manifest_of
from reviewscore.runs.judgments import JUDGMENT_FILES
from reviewscore.view.judgments import kept_of, own_name

_PIECE = 1 << 20
_OF_RUNS = re.compile(
    rf"(?:.*/)?(?:[^/]+\.(?:json|jsonl|csv|parquet)|{JUDGMENT_FILES}|{re.escape(BLIND_DRAW)})"
)
"""Files of runs, and of the papers and reviews beside them, that are copied."""
_SECONDS = 10.0
_log = logging.getLogger("reviewscore")


class RemoteRuns:
    """A copy of the runs of a store.

    Args:
        address: Where they lie.
        copy: A private folder for the copy.
        kept: Where judgments are kept.

    Raises:
        InputError: The store cannot be read, or holds no run there.
    """

    def __init__(self, address: str, copy: Path, kept: Path) -> None:
        self.address, self.copy, self.kept = str(without_credentials(address)), copy, kept
        self._known: dict[str, tuple[str, int]] = {}
        self._put: dict[Path, int] = {}
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._worker = threading.Thread(target=self._keep_in_step, daemon=True)
        try:
            import fsspec.core

            self._store: Any
            self._store, root = fsspec.core.url_to_fs(address)
            self._root = root.rstrip("/")
            self.bring()
        except (ImportError, ValueError, OSError) as error:
            raise InputError(
                f"cannot be read: {error}", file=self.address, cure="check the address and access"
            ) from error
        if not any(self.copy.rglob(MANIFEST)):
            raise InputError("holds no run", file=self.address, cure="name a folder of runs")

    def bring(self) -> None:
        """Copy what changed there since; points that were added are added to the copy.

        Raises:
            OSError: The store cannot be read.
        """
        with self._turn:
            self._store.invalidate_cache()
            found = self._store.find(self._root, detail=True)
            wanted = {
                name: state
                for name, state in found.items()
                if _OF_RUNS.fullmatch(self._inside(name))
            }
            for name, state in wanted.items():
                version = (str(self._store.ukey(name)), int(state.get("size") or 0))
                if self._known.get(name) != version:
                    self._bring(name)
                    self._known[name] = version
            for name in self._known.keys() - wanted.keys():
                self._place(name).unlink(missing_ok=True)
                del self._known[name]

    def _inside(self, name: str) -> str:
        return name.removeprefix(self._root).lstrip("/")

    def _place(self, name: str) -> Path:
        place = self.copy / self._inside(name)
        if not place.resolve().is_relative_to(self.copy.resolve()):
            raise OSError(f"'{self._inside(name)}' would lie outside of its folder")
        return place

    def _bring(self, name: str) -> None:
        place = self._place(name)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = place.with_name(f".{place.name}.new")
        grown = place.name == POINTS and place.is_file()
        with self._store.open(name, "rb") as source:
            before = place.stat().st_size if grown else 0
            with draft.open("wb") as copy:
                while piece := source.read(_PIECE):
                    copy.write(piece)
        if grown and _begins_with(draft, place, before):
            with draft.open("rb") as source, place.open("ab") as copy:
                source.seek(before)  # the index of the run reads on from where it was
                while piece := source.read(_PIECE):
                    copy.write(piece)
            draft.unlink()
        else:
            draft.replace(place)

    def put(self) -> None:
        """Put what was said here beside the runs, as far as the store may be written.

        Raises:
            OSError: It may not.
        """
        with self._turn:
            for run in self._runs():
                file = kept_of(self.kept, run)
                file = file / own_name(file)
                if file.is_file() and self._put.get(file) != file.stat().st_size:
                    raw = file.read_bytes()
                    inside = run.relative_to(self.copy).as_posix()
                    target = f"{self._root}/{inside}" if inside != "." else self._root
                    self._store.pipe_file(f"{target}/{file.name}", raw)
                    self._put[file] = len(raw)

    def _runs(self) -> Iterator[Path]:
        for manifest in sorted(self.copy.rglob(MANIFEST)):
            try:
                manifest_of(manifest.parent)
            except RunFolderError:
                continue
            yield manifest.parent

    def start(self) -> None:
        """Keep both in step from now on."""
        self._worker.start()

    def close(self) -> None:
        """Put what was said last, and stop."""
        self._ended.set()
        if self._worker.is_alive():
            self._worker.join()
        self._attempt()

    def _keep_in_step(self) -> None:
        while not self._ended.wait(_SECONDS):
            self._attempt()

    def _attempt(self) -> None:
        for act in (self.put, self.bring):
            try:
                act()
            except (OSError, NotImplementedError, ValueError) as error:
                _log.warning("%s: %s; what was said is kept here", self.address, error)


def _begins_with(longer: Path, shorter: Path, size: int) -> bool:
    """Whether a file begins with all of another one."""
    with longer.open("rb") as new, shorter.open("rb") as old:
        while size > 0:
            piece = old.read(min(_PIECE, size))
            if not piece or new.read(len(piece)) != piece:
                return False
            size -= len(piece)
    return True
