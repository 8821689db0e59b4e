"""Pages of PDFs as pictures, and where passages stand on them: kept in memory and on disk.

A page is drawn once, in a process that can be killed. What is kept is known by the content of its
file, so that it holds wherever the file lies, and never outlives a change of it.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from reviewscore.errors import InputError, ReviewScoreError
from reviewscore.files import hash_file, read_whole, write_whole
from reviewscore.papers.hidden import Hidden
from reviewscore.papers.page_images import Resolution, drawn_page
from reviewscore.papers.page_places import PagePlaces, SoughtPassage, page_places
from reviewscore.papers.pdf import PdfLimits, check_pdf, read_pdf

RESOLUTIONS = {1: Resolution(), 2: Resolution(dpi=190, longest=2600, pixels=3_600_000)}
"""How finely pages are drawn, by the number in their addresses: the second for fine screens."""
_LIMITS = PdfLimits(seconds=20.0)
_MEMORY = 64_000_000
"""Bytes that are held in memory."""
_DISK = 1_000_000_000
"""Bytes that are held on disk; what was used least lately goes first."""
_TIDY_EVERY = 100
"""Files that are written between two looks at how much is held."""
_REFUSED_FOR = 60.0
"""Seconds in which a file that could not be drawn is not tried again."""
_MOST_NAMED = 2000
"""Files whose content is known, and those that were refused."""
_LOCKS = 16
_HIDDEN = TypeAdapter(tuple[Hidden, ...])


class PageStore:
    """What is kept of the pages of PDFs; safe to use from threads.

    Args:
        folder: Where files are kept, which is its owner's alone; None for memory alone.
        memory: Bytes that are held in memory, at most.
        disk: Bytes that are held on disk, about.
    """

    def __init__(self, folder: Path | None, *, memory: int = _MEMORY, disk: int = _DISK) -> None:
        self._folder, self._most, self._most_on_disk = folder, memory, disk
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._size = self._written = 0
        self._names: OrderedDict[tuple[object, ...], str] = OrderedDict()
        self._refused: OrderedDict[str, tuple[float, InputError]] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(_LOCKS)]

    @property
    def size(self) -> int:
        """Bytes that are held in memory."""
        return self._size

    def name(self, pdf: Path) -> str:
        """What the content of a file is known by.

        Raises:
            InputError: It is no PDF, or too large.
        """
        check_pdf(pdf)
        state = pdf.stat()
        key = (pdf.resolve(), state.st_size, state.st_mtime_ns, state.st_ino)
        with self._lock:
            if key in self._names:
                return self._names[key]
        name = hash_file(pdf).sha256[:40]
        with self._lock:
            self._names[key] = name
            while len(self._names) > _MOST_NAMED:
                self._names.popitem(last=False)
        return name

    def page(self, pdf: Path, number: int, size: int = 1) -> bytes:
        """A page as a PNG.

        Args:
            pdf: The file.
            number: The page's 1-based number.
            size: One of `RESOLUTIONS`.

        Raises:
            InputError: It cannot be drawn, or there is no such page.
        """
        sizes = self.places(pdf).sizes
        if not 1 <= number <= len(sizes):
            raise InputError(f"has no page {number:,}; it has {len(sizes):,}", file=pdf)
        resolution = RESOLUTIONS[size]
        return self._kept(
            f"{self.name(pdf)}-{number}-{resolution.dpi}.png",
            lambda: drawn_page(pdf, number, resolution, limits=_LIMITS).png,
        )

    def places(self, pdf: Path, passages: Sequence[SoughtPassage] = ()) -> PagePlaces:
        """The sizes of a PDF's pages, and where passages stand on them.

        Raises:
            InputError: As `page_places`.
        """
        task = "\n".join(passage.model_dump_json() for passage in passages)
        digest = hashlib.sha256(task.encode("utf-8", "replace")).hexdigest()[:24]
        text = self._kept(
            f"{self.name(pdf)}-places-{digest}.json",
            lambda: page_places(pdf, passages, limits=_LIMITS).model_dump_json().encode(),
        )
        return PagePlaces.model_validate_json(text)

    def hidden(self, pdf: Path, *, wait: bool = True) -> tuple[Hidden, ...] | None:
        """Text of a PDF that people cannot see; None where nobody looked and one does not wait.

        Raises:
            InputError: The file cannot be read.
        """
        name = f"{self.name(pdf)}-hidden.json"
        if not wait and (kept := self._get(name)) is None:
            return None
        text = kept if not wait else self._kept(name, lambda: _hidden_json(pdf))
        try:
            return _HIDDEN.validate_json(text or b"[]")
        except ValidationError:
            return None

    def _kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        """What is kept by a name, made first if it is not there; by one thread at a time."""
        kept = self._get(name)
        if kept is not None:
            return kept
        with self._turns[hash(name) % _LOCKS]:
            kept = self._get(name)
            if kept is not None:
                return kept
            self._check_refused(name)
            try:
                made = make()
            except InputError as error:
                with self._lock:
                    self._refused[name] = time.monotonic(), error
                    while len(self._refused) > _MOST_NAMED:
                        self._refused.popitem(last=False)
                raise
            self._hold(name, made)
            self._write(name, made)
            return made

    def _check_refused(self, name: str) -> None:
        with self._lock:
            at, error = self._refused.get(name, (0.0, None))
            if error is not None and time.monotonic() - at < _REFUSED_FOR:
                raise error
            self._refused.pop(name, None)

    def _get(self, name: str) -> bytes | None:
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
                return self._held[name]
        if self._folder is None:
            return None
        try:
            found = read_whole(self._folder / name)
        except ReviewScoreError:
            return None
        if found:
            self._hold(name, found)
            with suppress(OSError):
                (self._folder / name).touch()  # it was used
        return found or None

    def _hold(self, name: str, content: bytes) -> None:
        with self._lock:
            self._size += len(content) - len(self._held.pop(name, b""))
            self._held[name] = content
            while self._size > self._most:
                self._size -= len(self._held.popitem(last=False)[1])

    def _write(self, name: str, content: bytes) -> None:
        """Keep something on disk; what cannot be written is made anew the next time."""
        if self._folder is None:
            return
        with suppress(ReviewScoreError, OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._folder / name, content, private=True)
        with self._lock:
            self._written += 1
            full = self._written % _TIDY_EVERY == 1
        if full:
            with suppress(OSError):
                self._tidy(self._folder)

    def _tidy(self, folder: Path) -> None:
        """Take away what was used least lately, if more is held than should be."""
        files = [(path, path.stat()) for path in folder.iterdir()]
        held = sum(state.st_size for _, state in files)
        for path, state in sorted(files, key=lambda file: file[1].st_mtime_ns):
            if held <= self._most_on_disk:
                break
            path.unlink(missing_ok=True)
            held -= state.st_size


def _hidden_json(pdf: Path) -> bytes:
    found = (one for one in read_pdf(pdf).hidden if one.page is not None and not one.stray)
    return _HIDDEN.dump_json(tuple(found))
