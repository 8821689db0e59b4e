"""A run that the app has open: its index, its papers and reviews, and what people said of it."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.config import EMBEDDED
from reviewscore.errors import ReviewScoreError
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.paper_offsets import RunByPaper
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review
from reviewscore.view.judgments import JudgmentStore, kept_of
from reviewscore.view.people import Visitor
from reviewscore.view.run_index import RunIndex
from reviewscore.view.shelf import Shelf, ShelvedRun

_MOST_OPEN = 8
_PAPERS_HELD = 4
_AT_ONCE = 0.3
"""Seconds in which a page waits for points that were written since; the rest is read behind it."""
_TITLES = 200
"""Papers whose titles are entered together."""
_TEXTS = 300
"""Papers that are read for their titles behind the pages, where nothing else names these."""
_log = logging.getLogger("reviewscore")


@dataclass
class OpenRun:
    """A run that people look at.

    Attributes:
        shelved: Which.
        index: Its points.
        judgments: What people say of them.
        data: Folder of its papers and reviews, where it was named.
        trouble: Why not all of its points can be read; empty if they can.
    """

    shelved: ShelvedRun
    index: RunIndex
    judgments: JudgmentStore
    data: Path | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _by_paper: RunByPaper | None = None
    _looked: bool = False
    _papers: OrderedDict[str, Paper | None] = field(default_factory=OrderedDict, repr=False)
    _reader: threading.Thread | None = None
    _titled: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _visible: dict[str, tuple[int, int, frozenset[str]]] = field(default_factory=dict, repr=False)
    trouble: str = ""

    @property
    def key(self) -> str:
        """What links call it."""
        return self.shelved.key

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.shelved.path

    @property
    def manifest(self) -> Manifest:
        """What it was made with, as it stands now."""
        return self.shelved.manifest

    @property
    def lexical(self) -> bool:
        """Whether the embedded judge made it, which gives no score."""
        return self.manifest.judge == EMBEDDED

    def refresh(self) -> None:
        """Enter what was written since; what takes longer is read behind the page."""
        with self._turn:
            if self._reader is not None and self._reader.is_alive():
                return
            reader = self._reader = threading.Thread(target=self._read_on, daemon=True)
            reader.start()
        reader.join(_AT_ONCE)
        self.judgments.mark_seen(self.index)

    def _read_on(self) -> None:
        try:
            before, share = -1.0, 0.0
            while before < share < 1.0:
                before, share = share, self.index.read(_AT_ONCE)
            self.trouble = ""
            texts = _TEXTS
            while missing := self.index.untitled(_TITLES, self._titled):
                texts -= self._enter_titles([name for _, name in missing], texts)
                self._titled = missing[-1][0]
        except (ReviewScoreError, OSError, sqlite3.Error) as error:  # it may have been closed
            self.trouble = str(error)
            _log.warning("%s: %s", self.shelved.name, error)

    def visible(self, visitor: Visitor) -> frozenset[str] | None:
        """The papers that somebody may see; None for all of them."""
        if visitor.sees_all:
            return None
        papers = self.index.paper_ids()
        with self._turn:
            count, state, allowed = self._visible.get(visitor.name, (0, hash(()), frozenset()))
            if hash(tuple(papers[:count])) != state:  # they were entered anew
                count, allowed = 0, frozenset()
            if len(papers) > count:
                allowed |= {name for name in papers[count:] if visitor.may_see(name)}
            self._visible[visitor.name] = len(papers), hash(tuple(papers)), allowed
        return allowed

    @property
    def has_known_data(self) -> bool:
        """Whether papers and reviews may be looked for where the run says that they lie.

        A run that comes from elsewhere could name any file of this machine. What is opened without
        being named is what has the sums that the run holds.
        """
        return self.data is not None or bool(self.manifest.inputs_sha256)

    @property
    def by_paper(self) -> RunByPaper | None:
        """Its papers and reviews; None where they cannot be found."""
        with self._lock:
            if not self._looked:
                try:
                    if self.has_known_data:
                        self._by_paper = RunByPaper(self.path, self.data, accept_changed=True)
                except ReviewScoreError as error:
                    _log.warning("%s: %s", self.shelved.name, error)
                self._looked = True
            return self._by_paper

    def titles(self, paper_ids: list[str]) -> None:
        """Enter the titles of papers that have none yet, where they are soon known."""
        if not self._looked:
            return  # where papers lie is still being found
        self._enter_titles(paper_ids, _TEXTS, time.monotonic() + _AT_ONCE)

    def _enter_titles(self, names: list[str], texts: int, end: float = float("inf")) -> int:
        """Enter titles, of which so many may be read from the papers' texts until a time.

        Returns:
            How many were.
        """
        source, found, read = self.by_paper, [], 0
        for name in names if source is not None else ():
            with self._lock:
                try:
                    title = (source.title(name) if source else "") or ""
                except (KeyError, OSError, ReviewScoreError):
                    continue
                if not title and read < texts and time.monotonic() < end:
                    read += 1
                    paper = self.paper(name)
                    title = "" if paper is None else paper.title
            found.append((name, " ".join(title.split())))
        self.index.set_titles((name, title) for name, title in found if title)
        return read

    def paper(self, paper_id: str) -> Paper | None:
        """A paper; None if it is not at hand. The last few stay in memory."""
        source = self.by_paper
        with self._lock:
            if paper_id in self._papers:
                self._papers.move_to_end(paper_id)
                return self._papers[paper_id]
            found = None
            if source is not None:
                try:
                    found = source.paper(paper_id)
                except (KeyError, OSError, ReviewScoreError) as error:
                    _log.warning("%s: %s", self.shelved.name, error)
            self._papers[paper_id] = found
            while len(self._papers) > _PAPERS_HELD:
                self._papers.popitem(last=False)
            return found

    def review(self, review_id: str) -> Review | None:
        """A review; None if it is not at hand."""
        source = self.by_paper
        if source is None:
            return None
        with self._lock:
            try:
                return source.review(review_id)
            except (KeyError, OSError, ReviewScoreError):
                return None

    def close(self) -> None:
        """Close its index."""
        self.index.close()


class OpenRuns:
    """The runs of a shelf that somebody looked at lately.

    Args:
        shelf: The runs.
        data: Folder of papers and reviews, where it was named.
        kept: Where judgments are kept if nothing can be written beside a run.
        mirrored: Whether the runs are copies, so that nothing is written beside them.
        cache: A private folder for what can be made anew.
    """

    def __init__(
        self,
        shelf: Shelf,
        data: Path | None = None,
        *,
        kept: Path = Path("judgments"),
        mirrored: bool = False,
        cache: Path | None = None,
    ) -> None:
        self.shelf, self.data, self.kept, self.mirrored = shelf, data, kept, mirrored
        self._cache = cache
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenRun] = OrderedDict()

    def get(self, key: str) -> OpenRun:
        """A run by its key, with what was written of it until now.

        Raises:
            KeyError: There is none.
            RunFolderError: It cannot be read.
        """
        with self._lock:
            found = self._open.get(key)
            if found is None:
                shelved = self.shelf.run(key)
                kept = kept_of(self.kept, shelved.path)
                store = JudgmentStore(shelved.path, kept, mirrored=self.mirrored)
                found = OpenRun(shelved, RunIndex(shelved.path, self._cache), store, self.data)
                self._open[key] = found
            self._open.move_to_end(key)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        found.refresh()
        return found

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for one in self._open.values():
                one.close()
            self._open.clear()
