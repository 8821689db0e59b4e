"""A table of a run's points that can be asked at once, also while the run is being written.

It is kept beside the run (`INDEX`), holds words of points, and may be taken away at any time.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reviewscore.errors import RunFolderError
from reviewscore.files import opened
from reviewscore.pages import wording
from reviewscore.pages.paper_list import PaperLine
from reviewscore.pages.point_card import anchor_of
from reviewscore.runs.folder import POINTS, VIEW_INDEX, points_by_offset
from reviewscore.schema.point_score import PointScore, read_point
from reviewscore.schema.record import storable
from reviewscore.schema.verdict import Finding

_VERSION = "1"
_BATCH = 500
"""Points that are entered at once."""
PER_PAGE = 100
"""Papers or points on a page of a list."""
_TEXT = 240
_MOST_WORDS = 40
"""Words of a search."""
NEED = "need"
_PAPER_ORDERS = {
    NEED: "unseen DESC, flags DESC, possible DESC, p.id",
    "title": "title = '', title COLLATE NOCASE, p.id",
    "id": "length(paper_id), paper_id",
}
_POINT_ORDERS = {
    NEED: "flag DESC, seen, need, offset",
    "title": "title = '', title COLLATE NOCASE, paper, review, ordinal, offset",
    "id": "length(paper_id), paper_id, review, ordinal, offset",
}
ORDERS = tuple(_PAPER_ORDERS)
"""Orders of a list: what needs a person first, or by the papers' titles or ids."""
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE papers (
  id INTEGER PRIMARY KEY, paper_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL DEFAULT '',
  reviews INTEGER NOT NULL DEFAULT 0, points INTEGER NOT NULL DEFAULT 0,
  flags INTEGER NOT NULL DEFAULT 0, possible INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0, unseen INTEGER NOT NULL DEFAULT 0);
CREATE INDEX papers_by_need ON papers (unseen DESC, flags DESC, id);
CREATE TABLE points (
  offset INTEGER PRIMARY KEY, point_id TEXT NOT NULL, paper INTEGER NOT NULL,
  review TEXT NOT NULL, ordinal INTEGER NOT NULL, type TEXT NOT NULL, verdict TEXT NOT NULL,
  tone TEXT NOT NULL, short TEXT NOT NULL, need REAL NOT NULL, flag INTEGER NOT NULL,
  seen INTEGER NOT NULL DEFAULT 0, text TEXT NOT NULL);
CREATE INDEX points_by_paper ON points (paper, review, ordinal);
CREATE INDEX points_by_id ON points (point_id);
CREATE INDEX points_by_need ON points (flag DESC, seen, need, offset);
CREATE INDEX points_by_verdict ON points (verdict, type, paper);
CREATE TABLE seen (point_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE searched USING fts5 (words, content='', tokenize='unicode61');
"""


@dataclass(frozen=True)
class Filter:
    """Which points are wanted; an empty value asks for all.

    Attributes:
        words: Words of the point or its evidence, all of which it has; of a list of papers also
            those of a paper's title.
        verdict: ``flag``, ``yes``, ``no``, ``unknown``, ``failed``, or a finding.
        type: ``question``, ``claim``, ``argument`` or ``untyped``.
        seen: ``no`` for those that nobody has looked at, ``yes`` for the others.
    """

    words: str = ""
    verdict: str = ""
    type: str = ""
    seen: str = ""

    @property
    def empty(self) -> bool:
        """Whether everything is wanted."""
        return self == Filter()


@dataclass(frozen=True, slots=True)
class PointLine:
    """A point in a list.

    Attributes:
        offset: Where its record lies in the run's points.
        point_id: Its identifier.
        paper_id: Its paper.
        title: The paper's title; empty where it is not known.
        review_id: Its review.
        type: Its type.
        tone: The name of its verdict's colour.
        short: Its verdict in few words.
        text: The beginning of its own words.
        seen: Whether somebody has looked at it.
    """

    offset: int
    point_id: str
    paper_id: str
    title: str
    review_id: str
    type: str
    tone: str
    short: str
    text: str
    seen: bool

    @property
    def anchor(self) -> str:
        """Its name in links."""
        return anchor_of(self.point_id)


@dataclass(frozen=True)
class Totals:
    """What a run's index holds; `read` is the share of its file that was entered."""

    papers: int
    reviews: int
    points: int
    flags: int
    unseen: int
    failed: int
    read: float


class RunIndex:
    """The points of a run.

    Args:
        run: The run folder.
        file: Where the table is kept; beside the run if not given, or, where nothing can be
            written there, in a file that is removed at the end.
    """

    def __init__(self, run: Path, file: Path | None = None) -> None:
        self._run = run
        self._lock = threading.RLock()
        self._file = file or run / VIEW_INDEX
        self._kept = True
        try:
            self._base = self._open()
        except (sqlite3.Error, OSError):
            handle, name = tempfile.mkstemp(prefix="reviewscore-view-", suffix=".sqlite")
            os.close(handle)
            self._file, self._kept = Path(name), False
            self._base = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._file.is_symlink():
            self._file.unlink()
        base = sqlite3.connect(self._file, check_same_thread=False, isolation_level=None)
        try:
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = OFF")  # it can be made anew at any time
            known = dict(_meta(base))
            if known.get("version") != _VERSION or known.get("state") != self._state():
                _make_anew(base)
                base.executemany(
                    "INSERT INTO meta VALUES (?, ?)",
                    [("version", _VERSION), ("state", self._state()), ("read", "0")],
                )
        except BaseException:
            base.close()
            raise
        with suppress(OSError):
            self._file.chmod(0o600)
        return base

    def _state(self) -> str:
        """What changes when the run's points are written anew and not only added to."""
        try:
            return str((self._run / POINTS).stat().st_ino)
        except OSError:
            return ""

    def close(self) -> None:
        """Close the table."""
        with self._lock:
            self._base.close()
            if not self._kept:
                self._file.unlink(missing_ok=True)

    def read(self, seconds: float = float("inf")) -> float:
        """Enter what was written since, for at most so long.

        Returns:
            The share of the file that is entered.

        Raises:
            RunFolderError: The points cannot be read.
        """
        end = time.monotonic() + seconds
        with self._lock:
            size = self._size()
            at = int(self._meta("read"))
            if self._meta("state") != self._state() or at > size:
                self._base.close()
                self._base, at = self._open(), 0
            while at < size:
                at, points = self._next(at)
                if not points:
                    break  # a line that is being written
                self._enter(points, at)
                if time.monotonic() > end:
                    break
            return 1.0 if size == 0 else at / size

    def _size(self) -> int:
        try:
            return (self._run / POINTS).stat().st_size
        except OSError:
            return 0

    def _next(self, at: int) -> tuple[int, list[tuple[int, PointScore]]]:
        points: list[tuple[int, PointScore]] = []
        with opened(self._run / POINTS) as file:
            file.seek(at)
            while len(points) < _BATCH:
                line = file.readline()
                if not line.endswith(b"\n"):
                    break
                try:
                    points.append((at, read_point(line)))
                except ValidationError as error:
                    raise RunFolderError(
                        f"{self._run / POINTS}: no record of a point at byte {at:,}; was the file "
                        "changed by something else?"
                    ) from error
                at += len(line)
        return at, points

    def _enter(self, points: Sequence[tuple[int, PointScore]], at: int) -> None:
        with self._turn() as base:
            names = {score.paper_id for _, score in points}
            base.executemany(
                "INSERT OR IGNORE INTO papers (paper_id) VALUES (?)", [(name,) for name in names]
            )
            numbers = {name: self._paper_number(name) for name in names}
            base.executemany(
                "INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                "EXISTS (SELECT 1 FROM seen WHERE point_id = ?2), ?)",
                [_row(offset, score, numbers[score.paper_id]) for offset, score in points],
            )
            base.executemany(
                "INSERT INTO searched (rowid, words) VALUES (?, ?)",
                [(offset, _words(score)) for offset, score in points],
            )
            base.execute("UPDATE meta SET value = ? WHERE name = 'read'", (str(at),))
            self._count(numbers.values())

    def _paper_number(self, paper_id: str) -> int:
        found = self._base.execute("SELECT id FROM papers WHERE paper_id = ?", (paper_id,))
        return int(found.fetchone()[0])

    def _count(self, papers: Iterable[int]) -> None:
        self._base.executemany(
            "UPDATE papers SET (reviews, points, flags, possible, failed, unseen) = (SELECT "
            "count(DISTINCT review), count(*), sum(flag), sum(verdict = 'passages'), "
            "sum(verdict = 'failed'), sum(flag AND NOT seen) FROM points WHERE paper = papers.id) "
            "WHERE id = ?",
            [(number,) for number in papers],
        )

    @contextmanager
    def _turn(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")

    def _meta(self, name: str) -> str:
        found = self._base.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._lock, closing(self._base.execute(statement, values)) as found:
            return found.fetchall()

    def mark_seen(self, point_ids: Iterable[str]) -> None:
        """Note that somebody has looked at points."""
        names = [(name,) for name in point_ids]
        with self._turn() as base:
            base.executemany("INSERT OR IGNORE INTO seen VALUES (?)", names)
            base.executemany("UPDATE points SET seen = 1 WHERE point_id = ?", names)
            papers = {
                row[0]
                for name in names
                for row in base.execute("SELECT paper FROM points WHERE point_id = ?", name)
            }
            self._count(papers)

    def set_titles(self, titles: Iterable[tuple[str, str]]) -> None:
        """Enter titles of papers, given as identifier and title."""
        with self._turn() as base:
            base.executemany(
                "UPDATE papers SET title = ? WHERE paper_id = ?",
                [(storable(title), name) for name, title in titles],
            )

    def untitled(self, most: int, after: int = 0) -> list[tuple[int, str]]:
        """Number and identifier of papers of which no title was entered yet.

        Args:
            most: How many at most.
            after: Only those with a greater number.
        """
        found = self._rows(
            "SELECT id, paper_id FROM papers WHERE title = '' AND id > ? ORDER BY id LIMIT ?",
            (after, most),
        )
        return [(int(str(number)), str(name)) for number, name in found]

    def totals(self) -> Totals:
        """What it holds."""
        row = self._rows(
            "SELECT count(*), coalesce(sum(reviews), 0), coalesce(sum(points), 0), "
            "coalesce(sum(flags), 0), coalesce(sum(unseen), 0), coalesce(sum(failed), 0) "
            "FROM papers"
        )[0]
        size = self._size()
        with self._lock:
            read = 1.0 if size == 0 else int(self._meta("read")) / size
        papers, reviews, points, flags, unseen, failed = (int(str(value)) for value in row)
        return Totals(papers, reviews, points, flags, unseen, failed, read)

    def has_paper(self, paper_id: str) -> bool:
        """Whether the run has points of a paper."""
        return bool(self._rows("SELECT 1 FROM papers WHERE paper_id = ?", (paper_id,)))

    def papers(
        self, wanted: Filter, page: int = 1, order: str = NEED
    ) -> tuple[list[PaperLine], int]:
        """A page of the papers with such points, and how many there are.

        Args:
            wanted: Which points they have.
            page: From 1.
            order: One of `ORDERS`.
        """
        order = f"ORDER BY {_PAPER_ORDERS[order]} LIMIT ? OFFSET ?"
        columns = "paper_id, title, reviews, {}, flags, possible, failed, unseen"
        span = (PER_PAGE, (max(1, page) - 1) * PER_PAGE)
        if wanted.empty:
            rows = self._rows(f"SELECT {columns.format('points')} FROM papers p {order}", span)
            total = self._rows("SELECT count(*) FROM papers")[0][0]
            return [_paper_line(row) for row in rows], int(str(total))
        condition, values = _condition(wanted, titles=True)
        hits = f"(SELECT paper, count(*) AS hits FROM points WHERE {condition} GROUP BY paper)"
        rows = self._rows(
            f"SELECT {columns.format('hits')} FROM {hits} JOIN papers p ON p.id = paper {order}",
            (*values, *span),
        )
        total = self._rows(f"SELECT count(*) FROM {hits}", values)[0][0]
        return [_paper_line(row) for row in rows], int(str(total))

    def points(
        self,
        wanted: Filter,
        page: int = 1,
        order: str = NEED,
        *,
        paper_id: str | None = None,
    ) -> tuple[list[PointLine], int]:
        """A page of points, and how many there are.

        Args:
            wanted: Which.
            page: From 1.
            order: One of `ORDERS`.
            paper_id: Of this paper alone.
        """
        condition, values = _condition(wanted)
        if paper_id is not None:
            condition = f"{condition} AND paper = (SELECT id FROM papers WHERE paper_id = ?)"
            values = (*values, paper_id)
        span = (PER_PAGE, (max(1, page) - 1) * PER_PAGE)
        rows = self._rows(
            f"{_POINT_COLUMNS} WHERE {condition} ORDER BY {_POINT_ORDERS[order]} LIMIT ? OFFSET ?",
            (*values, *span),
        )
        return [_point_line(row) for row in rows], self._number(condition, values)

    def _number(self, condition: str, values: Sequence[object], of: str = "count(*)") -> int:
        found = self._rows(f"SELECT {of} FROM points WHERE {condition}", values)[0][0]
        return int(str(found))

    def counts(self, wanted: Filter) -> tuple[int, int, int]:
        """How many papers are listed for a filter, how many of its points are flags, and all."""
        if wanted.empty:
            known = self.totals()
            return known.papers, known.flags, known.points
        papers = self._number(*_condition(wanted, titles=True), of="count(DISTINCT paper)")
        condition, values = _condition(wanted)
        flags = self._number(f"{condition} AND flag = 1", values)
        return papers, flags, self._number(condition, values)

    def of_paper(self, paper_id: str) -> list[PointLine]:
        """All points of a paper, review by review."""
        rows = self._rows(
            f"{_POINT_COLUMNS} WHERE paper = (SELECT id FROM papers WHERE paper_id = ?) "
            "ORDER BY review, ordinal, offset",
            (paper_id,),
        )
        return [_point_line(row) for row in rows]

    def newest(self, most: int) -> list[PointLine]:
        """The points that were written last, the last one first."""
        rows = self._rows(f"{_POINT_COLUMNS} ORDER BY offset DESC LIMIT ?", (most,))
        return [_point_line(row) for row in rows]

    def find(self, point_id: str) -> PointLine | None:
        """A point by its identifier."""
        rows = self._rows(f"{_POINT_COLUMNS} WHERE point_id = ?", (point_id,))
        return _point_line(rows[0]) if rows else None

    def after(self, offset: int | None, wanted: Filter) -> PointLine | None:
        """The next point in the order of `points`; None after the last one."""
        condition, values = _condition(wanted)
        if offset is not None:
            at = "(SELECT flag, seen, need, offset FROM points WHERE offset = ?)"
            condition = f"{condition} AND (-flag, seen, need, offset) > {_negated(at)}"
            values = (*values, offset)
        rows = self._rows(
            f"{_POINT_COLUMNS} WHERE {condition} ORDER BY flag DESC, seen, need, offset LIMIT 1",
            values,
        )
        return _point_line(rows[0]) if rows else None

    def scores(self, lines: Sequence[PointLine]) -> list[PointScore]:
        """The records of points.

        Raises:
            RunFolderError: They are not where they were.
        """
        try:
            with points_by_offset(self._run) as read:
                return [read(line.offset) for line in lines]
        except ValidationError as error:
            raise RunFolderError(f"{self._run / POINTS} was written anew; load again") from error


_POINT_COLUMNS = (
    "SELECT offset, point_id, paper_id, title, review, type, tone, short, text, seen "
    "FROM points JOIN papers ON papers.id = paper"
)


def _negated(select: str) -> str:
    """The same row with its first column negated, as it is sorted downwards."""
    return select.replace("SELECT flag", "SELECT -flag", 1)


def _meta(base: sqlite3.Connection) -> list[tuple[str, str]]:
    try:
        return base.execute("SELECT name, value FROM meta").fetchall()
    except sqlite3.DatabaseError:
        return []


def _make_anew(base: sqlite3.Connection) -> None:
    for kind, name in base.execute(
        "SELECT type, name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'searched_%' "
        "AND name NOT LIKE 'sqlite_%'"
    ).fetchall():
        base.execute(f"DROP {kind} IF EXISTS {name}")
    base.executescript(_TABLES)


def verdict_of(score: PointScore) -> str:
    """The verdict by which points are filtered."""
    known = wording.headline(score)
    if known.tone == "error":
        return "failed"
    return score.finding.value if score.finding else known.misinformed


def is_flag(score: PointScore) -> bool:
    """Whether a point asks for attention: misinformed, or one that the paper speaks to."""
    if score.finding is not None:
        return score.finding is Finding.ADDRESSED
    return wording.headline(score).misinformed == "yes"


def _row(offset: int, score: PointScore, paper: int) -> tuple[object, ...]:
    known = wording.headline(score)
    text = " ".join(score.text.split())
    return (
        offset,
        storable(score.point_id),
        paper,
        storable(score.review_id),
        score.ordinal,
        score.type.value if score.type else "untyped",
        verdict_of(score),
        known.tone,
        known.short,
        known.order,
        is_flag(score),
        storable(text if len(text) <= _TEXT else text[:_TEXT].rsplit(" ", 1)[0] + " …"),
    )


def _words(score: PointScore) -> str:
    quoted = (quote.quote for quote in (*score.evidence, *score.passages))
    return storable(" ".join((score.text, *quoted)))


def _condition(wanted: Filter, *, titles: bool = False) -> tuple[str, tuple[object, ...]]:
    """What points have to fulfil, as SQL; values stay values.

    Args:
        wanted: Which points.
        titles: Whether a paper whose title has all words fits with all its points.
    """
    parts: list[str] = ["1"]
    values: list[object] = []
    if wanted.verdict == "flag":
        parts.append("flag = 1")
    elif wanted.verdict:
        parts.append("verdict = ?")
        values.append(wanted.verdict)
    if wanted.type:
        parts.append("type = ?")
        values.append(wanted.type)
    if wanted.seen:
        parts.append("seen = ?")
        values.append(int(wanted.seen == "yes"))
    words = re.findall(r"\w+", wanted.words)[:_MOST_WORDS]
    if words:
        found = "offset IN (SELECT rowid FROM searched WHERE searched MATCH ?)"
        values.append(" ".join(f'"{word}"*' for word in words))
        if titles:
            named = " AND ".join(["instr(lower(title), lower(?))"] * len(words))
            found = f"({found} OR paper IN (SELECT id FROM papers WHERE {named}))"
            values += words
        parts.append(found)
    return " AND ".join(parts), tuple(values)


def _paper_line(row: tuple[object, ...]) -> PaperLine:
    paper_id, title, *counts = row
    reviews, points, flags, possible, failed, unseen = (int(str(value)) for value in counts)
    return PaperLine(
        str(paper_id), str(title), "", reviews, points, flags, possible, failed, unseen
    )


def _point_line(row: tuple[object, ...]) -> PointLine:
    offset, point_id, paper_id, title, review_id, kind, tone, short, text, seen = row
    return PointLine(
        int(str(offset)),
        str(point_id),
        str(paper_id),
        str(title),
        str(review_id),
        str(kind),
        str(tone),
        str(short),
        str(text),
        bool(seen),
    )
