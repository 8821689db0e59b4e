"""A table of a run's points that can be asked at once, also while the run is being written.

It is kept beside the run (`VIEW_INDEX`), holds words of points, and may be taken away at any time.
What lists are sorted, counted and filtered by is narrow and in indexes that hold all of it; what a
line shows besides is fetched for the lines of one page.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import tempfile
import threading
import time
from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from pydantic import ValidationError

from reviewscore.bounds import in_force
from reviewscore.errors import RunFolderError
from reviewscore.files import opened
from reviewscore.pages import wording
from reviewscore.pages.paper_list import PaperLine
from reviewscore.pages.point_card import anchor_of
from reviewscore.runs.folder import POINTS, VIEW_INDEX, points_by_offset
from reviewscore.schema.point_score import PointScore, read_point
from reviewscore.schema.record import storable
from reviewscore.schema.verdict import Finding
from reviewscore.view.index_file import IndexFile, Row

_VERSION = "2"
_BATCH = 2_000
"""Points that are entered at once."""
PER_PAGE = 100
"""Papers or points on a page of a list."""
_TEXT = 240
_MOST_WORDS = 40
"""Words of a search."""
NEED = "need"
_PAPER_ORDERS = {
    NEED: "unseen DESC, flags DESC, possible DESC, id",
    "title": "title = '', title COLLATE NOCASE, id",
    "id": "length(paper_id), paper_id",
}
ORDERS = tuple(_PAPER_ORDERS)
"""Orders of a list: what needs a person first, or by the papers' titles or ids."""
_COUNTS_KEPT = 4
"""Filters of which it is kept which papers have how many points that fit."""
_TAIL = 4_096
"""Bytes before the place read up to, by which a file that was written anew is told."""
_LONGEST_PLACE = 18
"""Digits of a place in a file."""
_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE papers (id INTEGER PRIMARY KEY, paper_id TEXT NOT NULL UNIQUE, "
    "title TEXT NOT NULL DEFAULT '', "
    "reviews INTEGER NOT NULL DEFAULT 0, points INTEGER NOT NULL DEFAULT 0, "
    "flags INTEGER NOT NULL DEFAULT 0, possible INTEGER NOT NULL DEFAULT 0, "
    "failed INTEGER NOT NULL DEFAULT 0, unseen INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX papers_by_need ON papers (unseen DESC, flags DESC, possible DESC, id)",
    "CREATE INDEX papers_untitled ON papers (id) WHERE title = ''",
    "CREATE TABLE reviews (paper INTEGER, review TEXT, PRIMARY KEY (paper, review)) WITHOUT ROWID",
    "CREATE TABLE points (offset INTEGER PRIMARY KEY, paper INTEGER NOT NULL, "
    "flag INTEGER NOT NULL, seen INTEGER NOT NULL, need REAL NOT NULL, verdict TEXT NOT NULL, "
    "type TEXT NOT NULL)",
    "CREATE INDEX points_by_need ON points (flag DESC, seen, need, offset, verdict, type, paper)",
    "CREATE INDEX points_by_paper ON points (paper, flag, seen, verdict, type)",
    "CREATE TABLE details (offset INTEGER PRIMARY KEY, point_id TEXT NOT NULL, "
    "review TEXT NOT NULL, ordinal INTEGER NOT NULL, tone TEXT NOT NULL, short TEXT NOT NULL, "
    "text TEXT NOT NULL)",
    "CREATE INDEX details_by_id ON details (point_id)",
    "CREATE TABLE seen (point_id TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE searched USING fts5 (words, content='', tokenize='unicode61')",
)


@dataclass(frozen=True)
class Filter:
    """Which points are wanted; an empty value asks for all.

    Attributes:
        words: Beginnings of words of the point or its evidence, all of which it has; of a list of
            papers also words of a paper's title.
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
        spare: A private folder for the table where nothing can be written beside the run; it is
            removed from there at the end.
    """

    def __init__(self, run: Path, spare: Path | None = None) -> None:
        self._run = run
        self._kept = True
        self._whole = -1
        self._counting = threading.Lock()
        self._counted: OrderedDict[_Counted, _Hits] = OrderedDict()
        try:
            self._file = IndexFile(run / VIEW_INDEX, _TABLES, _VERSION)
        except (sqlite3.Error, OSError):
            handle, name = tempfile.mkstemp(prefix="reviewscore-view-", suffix=".sqlite", dir=spare)
            os.close(handle)
            self._file, self._kept = IndexFile(Path(name), _TABLES, _VERSION), False

    @property
    def file(self) -> Path:
        """Where the table lies."""
        return self._file.path

    def close(self) -> None:
        """Close the table."""
        self._file.close()
        if not self._kept:
            self._file.path.unlink(missing_ok=True)

    def read(self, seconds: float = float("inf")) -> float:
        """Enter what was written since, for at most so long.

        Returns:
            The share of the file that is entered.

        Raises:
            RunFolderError: The points cannot be read.
        """
        end = time.monotonic() + seconds
        at = self._same_file()
        while time.monotonic() <= end:
            size = self._size()
            after, points = self._next(at) if at < size else (at, [])
            if not points:
                self._whole = size  # but for a line that is being written
                break
            at = self._enter(points, at, after)
        return self._share(at)

    def _share(self, at: int) -> float:
        size = self._size()
        return 1.0 if size in (0, self._whole) else min(1.0, at / size)

    def _size(self) -> int:
        try:
            return (self._run / POINTS).stat().st_size
        except OSError:
            return 0

    def _same_file(self) -> int:
        """Where to read on; points that were written anew are entered from their beginning."""
        known = {str(name): str(value) for name, value in self._file.rows(_META)}
        read = known.get("read", "0")
        at = int(read) if read.isascii() and read.isdecimal() and len(read) < _LONGEST_PLACE else -1
        if at >= 0 and known.get("file", _state(self._run, 0)) == _state(self._run, at):
            return at
        seen = self._file.rows("SELECT point_id FROM seen")
        self._file.make_anew()
        with self._file.turn() as base:
            base.executemany("INSERT OR IGNORE INTO seen VALUES (?)", seen)
        return 0

    def _next(self, at: int) -> tuple[int, list[tuple[int, PointScore]]]:
        points: list[tuple[int, PointScore]] = []
        longest = in_force().text.size
        with opened(self._run / POINTS) as file:
            file.seek(at)
            while len(points) < _BATCH:
                line = file.readline(longest + 1)
                if not line.endswith(b"\n") and len(line) <= longest:
                    break
                try:
                    points.append((at, read_point(line)))
                except ValidationError as error:
                    if points:
                        break  # those before it are entered first
                    raise RunFolderError(
                        f"{self._run / POINTS}: no record of a point at byte {at:,}; was the file "
                        "changed by something else?"
                    ) from error
                at += len(line)
        return at, points

    def _enter(self, points: Sequence[tuple[int, PointScore]], at: int, after: int) -> int:
        """Enter points that lie from a place to another; returns where to read on."""
        state = _state(self._run, after)
        with self._file.turn() as base:
            now = dict(base.execute(_META)).get("read", "0")
            if int(now) != at:
                return int(now)  # another process was faster
            names = json.dumps([_stored(score.point_id) for _, score in points])
            seen = {row[0] for row in base.execute(_SEEN_OF, (names,))}
            numbers = _paper_numbers(base, {score.paper_id for _, score in points})
            rows = [_Row.of(offset, score) for offset, score in points]
            base.executemany(
                "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?)",
                [row.narrow(numbers[row.paper_id], row.point_id in seen) for row in rows],
            )
            base.executemany(
                "INSERT INTO details VALUES (?, ?, ?, ?, ?, ?, ?)", [row.wide for row in rows]
            )
            base.executemany(
                "INSERT INTO searched (rowid, words) VALUES (?, ?)",
                [(row.offset, row.words) for row in rows],
            )
            base.executemany(
                "INSERT OR IGNORE INTO reviews VALUES (?, ?)",
                {(numbers[row.paper_id], row.review_id) for row in rows},
            )
            _count(base, rows, numbers, seen)
            base.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                [("read", str(after)), ("file", state)],
            )
        return after

    def mark_seen(self, point_ids: Iterable[str]) -> None:
        """Note that somebody has looked at points; that is kept when the rest is made anew."""
        names = [(_stored(name),) for name in point_ids]
        with self._file.turn() as base:
            base.executemany("INSERT OR IGNORE INTO seen VALUES (?)", names)
            base.executemany(
                "UPDATE points SET seen = 1 "
                "WHERE offset IN (SELECT offset FROM details WHERE point_id = ?)",
                names,
            )
            base.executemany(
                "UPDATE papers SET unseen = (SELECT count(*) FROM points "
                "WHERE paper = papers.id AND flag = 1 AND seen = 0) WHERE id IN (SELECT paper "
                "FROM points JOIN details USING (offset) WHERE point_id = ?)",
                names,
            )

    def set_titles(self, titles: Iterable[tuple[str, str]]) -> None:
        """Enter titles of papers, given as identifier and title."""
        with self._file.turn() as base:
            base.executemany(
                "UPDATE papers SET title = ? WHERE paper_id = ?",
                [(_stored(title), _stored(name)) for name, title in titles],
            )

    def untitled(self, most: int, after: int = 0) -> list[tuple[int, str]]:
        """Number and identifier of papers of which no title was entered yet.

        Args:
            most: How many at most.
            after: Only those with a greater number.
        """
        found = self._file.rows(
            "SELECT id, paper_id FROM papers WHERE title = '' AND id > ? ORDER BY id LIMIT ?",
            (after, most),
        )
        return [(int(str(number)), str(name)) for number, name in found]

    def paper_ids(self) -> list[str]:
        """All papers, in the order in which they came."""
        return [str(row[0]) for row in self._file.rows("SELECT paper_id FROM papers ORDER BY id")]

    def totals(self, among: Collection[str] | None = None) -> Totals:
        """What it holds.

        Args:
            among: Of these papers alone.
        """
        condition, values = _among("p.id", among)
        row = self._file.rows(
            "SELECT count(*), total(reviews), total(points), total(flags), total(unseen), "
            f"total(failed) FROM papers p WHERE {condition}",
            values,
        )[0]
        known = {str(name): str(value) for name, value in self._file.rows(_META)}
        papers, reviews, points, flags, unseen, failed = (int(float(str(value))) for value in row)
        share = self._share(int(known.get("read", "0")))
        return Totals(papers, reviews, points, flags, unseen, failed, share)

    def has_paper(self, paper_id: str) -> bool:
        """Whether the run has points of a paper."""
        statement = "SELECT 1 FROM papers WHERE paper_id = ?"
        return bool(self._file.rows(statement, (_stored(paper_id),)))

    def papers(
        self,
        wanted: Filter,
        page: int = 1,
        order: str = NEED,
        *,
        among: Collection[str] | None = None,
    ) -> tuple[list[PaperLine], int]:
        """A page of the papers with such points, and how many there are.

        Args:
            wanted: Which points they have.
            page: From 1.
            order: One of `ORDERS`.
            among: Of these papers alone.
        """
        hits = self._paper_hits(wanted, among)
        first = (max(1, page) - 1) * PER_PAGE
        shown = [paper for paper in self._ranked(order) if paper in hits][first : first + PER_PAGE]
        rows = self._file.rows(
            f"SELECT id, {_PAPER_COLUMNS} FROM papers WHERE id IN ({_LISTED})", (json.dumps(shown),)
        )
        lines = {row[0]: row[1:] for row in rows}
        return [_paper_line(lines[n], hits[n]) for n in shown if n in lines], len(hits)

    def points(
        self,
        wanted: Filter,
        page: int = 1,
        order: str = NEED,
        *,
        among: Collection[str] | None = None,
    ) -> tuple[list[PointLine], int]:
        """A page of points, and how many there are.

        Args:
            wanted: Which.
            page: From 1.
            order: One of `ORDERS`.
            among: Of these papers alone.
        """
        hits = self._hits(wanted, among)
        first = (max(1, page) - 1) * PER_PAGE
        if order == NEED:
            source, condition, values = _condition(wanted, among)
            rows = self._file.rows(
                f"SELECT offset FROM {source} WHERE {condition} "
                "ORDER BY flag DESC, seen, need, offset LIMIT ? OFFSET ?",
                (*values, PER_PAGE, first),
            )
        else:
            rows = self._by_paper(
                wanted, [n for n in self._ranked(order) if n in hits], hits, first
            )
        return self._lines([row[0] for row in rows]), sum(hits.values())

    def _by_paper(
        self, wanted: Filter, ranked: list[int], hits: dict[int, int], first: int
    ) -> list[Row]:
        """Offsets of points paper by paper; those of the other papers are not looked at."""
        ends = list(accumulate(hits[paper] for paper in ranked))
        start = bisect_right(ends, first)
        span = ranked[start : bisect_left(ends, first + PER_PAGE) + 1]
        source, condition, values = _condition(wanted)
        rows = self._file.rows(
            f"SELECT points.offset, paper, review, ordinal FROM {source} "
            "JOIN details ON details.offset = points.offset "
            f"WHERE {condition} AND paper IN ({_LISTED})",
            (*values, json.dumps(span)),
        )
        rank = {paper: number for number, paper in enumerate(span)}
        rows.sort(key=lambda row: (rank[int(str(row[1]))], str(row[2]), row[3], row[0]))
        skipped = first - (ends[start - 1] if start else 0)
        return rows[skipped : skipped + PER_PAGE]

    def counts(self, wanted: Filter, among: Collection[str] | None = None) -> tuple[int, int, int]:
        """How many papers, flags (whatever the verdict) and points are listed for a filter."""
        flags = self._hits(replace(wanted, verdict="flag"), among).values()
        points = self._hits(wanted, among).values()
        return len(self._paper_hits(wanted, among)), sum(flags), sum(points)

    def _ranked(self, order: str) -> list[int]:
        """Numbers of all papers in an order."""
        return [int(str(row[0])) for row in self._whole_rows(
            f"SELECT id FROM papers ORDER BY {_PAPER_ORDERS[order]}", "id"
        )]  # fmt: skip

    def _whole_rows(
        self, statement: str, columns: str, values: Sequence[object] = ()
    ) -> list[list[object]]:
        """What a statement finds, in one piece: each row by itself waits for other threads."""
        packed = f"SELECT json_group_array(json_array({columns})) FROM ({statement})"
        found: list[list[object]] = json.loads(str(self._file.rows(packed, values)[0][0]))
        return found

    def _paper_hits(self, wanted: Filter, among: Collection[str] | None) -> dict[int, int]:
        """Points by paper; a paper whose title has all words counts with all its points."""
        hits = self._hits(wanted, among)
        words = [word for word in wanted.words.split() if word.strip("\0")][:_MOST_WORDS]
        if not words:
            return hits
        named = " AND ".join(["instr(lower(title), lower(?))"] * len(words))
        titled = self._file.rows(
            f"SELECT id FROM papers WHERE {named}", [_stored(word) for word in words]
        )
        every = self._hits(replace(wanted, words=""), among) if titled else {}
        numbers = [int(str(row[0])) for row in titled]
        return hits | {number: every[number] for number in numbers if number in every}

    def _hits(self, wanted: Filter, among: Collection[str] | None) -> dict[int, int]:
        """How many points fit, by the numbers of their papers; flags among them are told apart."""
        plain = wanted if wanted.verdict != "flag" else replace(wanted, verdict="")
        known = {str(name): str(value) for name, value in self._file.rows(_META)}
        key = (plain, among if among is None else frozenset(among))
        state = (self._file.generation, known.get("changes"))
        with self._counting:
            found = self._counted.get(key)
        if found is None or found[0] != state:
            found = (state, *self._count_hits(plain, among))
            with self._counting:
                self._counted[key] = found
                self._counted.move_to_end(key)
                while len(self._counted) > _COUNTS_KEPT:
                    self._counted.popitem(last=False)
        return found[2] if wanted.verdict == "flag" else found[1]

    def _count_hits(
        self, wanted: Filter, among: Collection[str] | None
    ) -> tuple[dict[int, int], dict[int, int]]:
        if wanted.empty:
            condition, values = _among("id", among)
            statement = f"SELECT id AS paper, points, flags FROM papers WHERE {condition}"
        else:
            source, condition, values = _condition(wanted, among)
            statement = (
                f"SELECT paper, count(*) AS points, sum(flag) AS flags FROM {source} "
                f"WHERE {condition} GROUP BY paper"
            )
        rows = [
            (int(str(paper)), int(str(points)), int(str(flags)))
            for paper, points, flags in self._whole_rows(statement, "paper, points, flags", values)
        ]
        return {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows if row[2]}

    def _lines(self, offsets: Sequence[object]) -> list[PointLine]:
        rows = self._file.rows(f"{_POINT_LINES} WHERE p.offset IN ({_LISTED})",
                               (json.dumps(offsets),))  # fmt: skip
        by_offset = {row[0]: _point_line(row) for row in rows}
        return [by_offset[offset] for offset in offsets if offset in by_offset]

    def of_paper(self, paper_id: str) -> list[PointLine]:
        """All points of a paper, review by review."""
        rows = self._file.rows(
            f"{_POINT_LINES} WHERE p.paper = (SELECT id FROM papers WHERE paper_id = ?) "
            "ORDER BY review, ordinal, p.offset",
            (_stored(paper_id),),
        )
        return [_point_line(row) for row in rows]

    def newest(self, most: int) -> list[PointLine]:
        """The points that were written last, the last one first."""
        rows = self._file.rows("SELECT offset FROM points ORDER BY offset DESC LIMIT ?", (most,))
        return self._lines([row[0] for row in rows])

    def find(self, point_id: str) -> PointLine | None:
        """A point by its identifier."""
        rows = self._file.rows(f"{_POINT_LINES} WHERE d.point_id = ?", (_stored(point_id),))
        return _point_line(rows[0]) if rows else None

    def after(
        self, offset: int | None, wanted: Filter, *, among: Collection[str] | None = None
    ) -> PointLine | None:
        """The next point: flags first, then by verdict. Looking at points changes no place.

        Args:
            offset: Of the point before it; None for the first one.
            wanted: Which points count.
            among: Of these papers alone.
        """
        source, condition, values = _condition(wanted, among)
        start = self._file.rows("SELECT flag, need, offset FROM points WHERE offset = ?", (offset,))
        last, past = (int(str(start[0][0])), start[0][1:]) if start else (1, (-1.0, -1))
        for flag in range(last, -1, -1):  # within both, and whether seen, an index holds the order
            bounds = past if flag == last else (-1.0, -1)
            rows = [
                row
                for seen in (0, 1)
                for row in self._file.rows(
                    f"SELECT need, offset FROM {source} WHERE {condition} AND flag = ? "
                    "AND seen = ? AND (need, offset) > (?, ?) ORDER BY need, offset LIMIT 1",
                    (*values, flag, seen, *bounds),
                )
            ]
            if rows:
                found = min((float(str(need)), int(str(at))) for need, at in rows)[1]
                return next(iter(self._lines([found])), None)
        return None

    def scores(self, lines: Sequence[PointLine]) -> list[PointScore]:
        """The records of points.

        Raises:
            RunFolderError: They are not where they were.
        """
        stale = RunFolderError(f"{self._run / POINTS} was written anew; load again")
        try:
            with points_by_offset(self._run) as read:
                found = [read(line.offset) for line in lines]
        except ValidationError as error:
            raise stale from error
        if any(
            (_stored(score.paper_id), _stored(score.point_id)) != (line.paper_id, line.point_id)
            for score, line in zip(found, lines, strict=True)
        ):
            raise stale
        return found


_Counted = tuple[Filter, frozenset[str] | None]
_Hits = tuple[tuple[int, str | None], dict[int, int], dict[int, int]]
_META = "SELECT name, value FROM meta"
_LISTED = "SELECT value FROM json_each(?)"
_SEEN_OF = f"SELECT point_id FROM seen WHERE point_id IN ({_LISTED})"
_PAPER_COLUMNS = "paper_id, title, reviews, flags, possible, failed, unseen"
_POINT_LINES = (
    "SELECT p.offset, point_id, paper_id, title, review, type, tone, short, text, seen "
    "FROM points p JOIN details d USING (offset) JOIN papers ON papers.id = paper"
)


def _state(run: Path, at: int) -> str:
    """What changes when points are written anew, and not when some are added after a place."""
    try:
        with (run / POINTS).open("rb") as file:
            file.seek(max(0, at - _TAIL))
            tail = hashlib.sha256(file.read(min(at, _TAIL))).hexdigest()
            return f"{os.fstat(file.fileno()).st_ino} {tail}"
    except OSError:
        return ""


def _paper_numbers(base: sqlite3.Connection, names: Collection[str]) -> dict[str, int]:
    stored = [(_stored(name),) for name in sorted(names)]
    base.executemany("INSERT OR IGNORE INTO papers (paper_id) VALUES (?)", stored)
    statement = f"SELECT paper_id, id FROM papers WHERE paper_id IN ({_LISTED})"
    return dict(base.execute(statement, (json.dumps([name for (name,) in stored]),)).fetchall())


def _count(
    base: sqlite3.Connection, rows: Sequence[_Row], numbers: dict[str, int], seen: set[str]
) -> None:
    """Add new points to the counts of their papers."""
    counts = {name: Counter[str]() for name in numbers}
    for row in rows:
        counts[row.paper_id].update(
            points=1,
            flags=row.flag,
            possible=row.verdict == Finding.PASSAGES.value,
            failed=row.verdict == _FAILED,
            unseen=row.flag and row.point_id not in seen,
        )
    added = ("points", "flags", "possible", "failed", "unseen")
    base.executemany(
        "UPDATE papers SET reviews = (SELECT count(*) FROM reviews WHERE paper = papers.id), "
        f"{', '.join(f'{name} = {name} + ?' for name in added)} WHERE id = ?",
        [(*(count[one] for one in added), numbers[name]) for name, count in counts.items()],
    )


def verdict_of(score: PointScore) -> str:
    """The verdict by which points are filtered."""
    return _verdict(score, wording.headline(score))


def _verdict(score: PointScore, known: wording.Headline) -> str:
    if known.tone == "error":
        return _FAILED
    return score.finding.value if score.finding else known.misinformed


def is_flag(score: PointScore) -> bool:
    """Whether a point asks for attention: misinformed, or one that the paper speaks to."""
    return _verdict(score, wording.headline(score)) in _FLAGS


_FAILED = "failed"
_FLAGS = ("yes", Finding.ADDRESSED.value)


@dataclass(frozen=True, slots=True)
class _Row:
    """A point as it is entered."""

    offset: int
    paper_id: str
    review_id: str
    point_id: str
    flag: bool
    need: float
    verdict: str
    type: str
    wide: tuple[object, ...]
    words: str

    @classmethod
    def of(cls, offset: int, score: PointScore) -> _Row:
        known = wording.headline(score)
        text, verdict = " ".join(score.text.split()), _verdict(score, known)
        cut = text if len(text) <= _TEXT else text[:_TEXT].rsplit(" ", 1)[0] + " …"
        point_id, review_id = _stored(score.point_id), _stored(score.review_id)
        quoted = (quote.quote for quote in (*score.evidence, *score.passages))
        return cls(
            offset,
            _stored(score.paper_id),
            review_id,
            point_id,
            verdict in _FLAGS,
            known.order,
            verdict,
            score.type.value if score.type else "untyped",
            (offset, point_id, review_id, score.ordinal, known.tone, known.short, _stored(cut)),
            _stored(" ".join((score.text, *quoted))),
        )

    def narrow(self, paper: int, seen: bool) -> tuple[object, ...]:
        return (self.offset, paper, self.flag, seen, self.need, self.verdict, self.type)


def _among(column: str, papers: Collection[str] | None) -> tuple[str, tuple[object, ...]]:
    """That a paper is one of these, as SQL."""
    if papers is None:
        return "1", ()
    listed = f"SELECT id FROM papers WHERE paper_id IN ({_LISTED})"
    return f"{column} IN ({listed})", (json.dumps([_stored(name) for name in papers]),)


def _condition(
    wanted: Filter, among: Collection[str] | None = None
) -> tuple[str, str, tuple[object, ...]]:
    """Where points come from and what they have to fulfil, as SQL; values stay values."""
    source = "points"
    condition, values = _among("paper", among)
    parts, given = [condition], [*values]
    match = match_of(wanted.words)
    if match:  # the table of words comes first: it knows the fewest
        source = "searched CROSS JOIN points ON points.offset = searched.rowid"
        parts.append("searched MATCH ?")
        given.append(match)
    if wanted.verdict == "flag":
        parts.append("flag = 1")
    elif wanted.verdict:
        parts.append("verdict = ?")
        given.append(wanted.verdict)
    if wanted.type:
        parts.append("type = ?")
        given.append(wanted.type)
    if wanted.seen:
        parts.append("seen = ?")
        given.append(int(wanted.seen == "yes"))
    return source, " AND ".join(parts), tuple(given)


def _stored(text: str) -> str:
    """A text as the table can hold it, and as it is looked up: SQL ends some at a null."""
    return storable(text).replace("\0", "\\0")


def match_of(words: str) -> str:
    """What is searched for: beginnings of words, all of them; never a language of queries."""
    found = [word for word in words.replace("\0", " ").split() if re.search(r"[^\W_]", word)]
    quoted = []
    for word in found[:_MOST_WORDS]:
        whole = len(word) == 1 and word.isascii()  # with a letter half of all words begin
        text = _stored(word).replace('"', '""')
        quoted.append(f'"{text}"{"" if whole else "*"}')
    return " ".join(quoted)


def _paper_line(row: Row, points: int) -> PaperLine:
    paper_id, title, *counts = row
    reviews, flags, possible, failed, unseen = (int(str(value)) for value in counts)
    name = str(title)
    return PaperLine(str(paper_id), name, "", reviews, points, flags, possible, failed, unseen)


def _point_line(row: Row) -> PointLine:
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
