"""Labels in SQLite: each one durable before the page says so, each change kept."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from reviewscore.annotate.rules import Key, Mark, Value
from reviewscore.errors import RunFolderError
from reviewscore.schema.annotation import AnnotatorKind, LabelField, Unit

LABELS_FILE = "workspace.sqlite"
_VERSION = "1"
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units (
  unit_id TEXT PRIMARY KEY, place INTEGER NOT NULL, sha256 TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS annotators (
  annotator TEXT PRIMARY KEY, place INTEGER NOT NULL, publications INTEGER, kind TEXT);
CREATE TABLE IF NOT EXISTS relevance (
  annotator TEXT, paper_id TEXT, value INTEGER NOT NULL, PRIMARY KEY (annotator, paper_id));
CREATE TABLE IF NOT EXISTS assigned (
  annotator TEXT, paper_id TEXT, PRIMARY KEY (annotator, paper_id));
CREATE TABLE IF NOT EXISTS labels (
  annotator TEXT, point_id TEXT, unit_id TEXT, field TEXT, value TEXT NOT NULL, reason TEXT,
  saw_scores INTEGER NOT NULL, seconds REAL NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (annotator, point_id, unit_id, field)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS marks (
  annotator TEXT, point_id TEXT, mark TEXT, at TEXT NOT NULL,
  PRIMARY KEY (annotator, point_id, mark)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  event INTEGER PRIMARY KEY, annotator TEXT, point_id TEXT, what TEXT NOT NULL,
  seconds REAL NOT NULL, at TEXT NOT NULL, changes TEXT NOT NULL, undone TEXT);
CREATE INDEX IF NOT EXISTS events_of ON events (annotator, point_id, event);
CREATE TABLE IF NOT EXISTS decisions (
  unit_id TEXT, field TEXT, value TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (unit_id, field));
"""


@dataclass(frozen=True)
class LabelEntry:
    """One label as it is kept.

    Attributes:
        value: One of the field's scale.
        reason: The annotator's justification.
        saw_scores: Whether the model's scores of the point had been shown before.
        seconds: Time spent on the point for this label.
        at: When it was saved, UTC, ISO 8601.
    """

    value: Value
    reason: str | None = None
    saw_scores: bool = False
    seconds: float = 0.0
    at: str = ""


@dataclass(frozen=True)
class Given:
    """A label with who gave it to what."""

    annotator: str
    point_id: str
    unit_id: str
    field: LabelField
    entry: LabelEntry


@dataclass(frozen=True)
class LabelPage:
    """All that one annotator did with one point.

    Attributes:
        version: Number of the last event; a page that shows an older one is out of date.
        labels: The labels of the point and its premises.
        marks: What else was done.
    """

    version: int
    labels: Mapping[Key, LabelEntry]
    marks: frozenset[Mark]

    @property
    def values(self) -> dict[Key, Value]:
        """The labels' values alone."""
        return {key: entry.value for key, entry in self.labels.items()}


@dataclass(frozen=True)
class LabelChange:
    """A label before and after an event; None where there was or is none."""

    key: Key
    before: LabelEntry | None
    after: LabelEntry | None


@dataclass(frozen=True)
class Decision:
    """What was settled about a unit on which annotators disagree."""

    unit_id: str
    field: LabelField
    value: Value
    note: str
    at: str


def now() -> str:
    """The time as UTC in ISO 8601, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class LabelStore:
    """The labels of one set, open for one process; threads take turns.

    Args:
        folder: The folder of the set; made if it is not there.
        alone: Hold the set, so that no second workspace writes to it. An export reads beside it.

    Raises:
        RunFolderError: Another workspace is open on it, or it cannot be read or written.
    """

    def __init__(self, folder: Path, *, alone: bool = True) -> None:
        self.path = folder / LABELS_FILE
        self._turn = threading.RLock()
        self._lock = FileLock(folder / ".workspace.lock", blocking=False) if alone else None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._lock is not None:
                self._lock.acquire()
            # Whoever reads this file can label under any name in it.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(
                self.path, timeout=10, isolation_level=None, check_same_thread=False
            )
            try:
                self._open()
            except BaseException:
                self._base.close()
                raise
        except Timeout as error:
            raise RunFolderError(f"{folder}: another workspace is open on this set") from error
        except (OSError, sqlite3.Error) as error:
            self._release()
            raise RunFolderError(f"{self.path}: {error}") from error

    def _open(self) -> None:
        self._base.execute("PRAGMA journal_mode = WAL")
        # A label is on the disk, not only with the operating system, before the page says so.
        self._base.execute("PRAGMA synchronous = FULL")
        with self.turn() as base:
            for statement in _TABLES.split(";\n"):
                base.execute(statement)
            if not base.execute("SELECT 1 FROM pragma_table_info('annotators') "
                                "WHERE name = 'kind'").fetchone():  # fmt: skip
                # Begun before kinds were kept: they are not known until somebody says them.
                base.execute("ALTER TABLE annotators ADD COLUMN kind TEXT")
            for key, value in (("version", _VERSION), ("secret", secrets.token_urlsafe(32))):
                base.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, value))
        if self.meta("version") != _VERSION:
            raise sqlite3.DatabaseError("made by another version of reviewscore")

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def close(self) -> None:
        """Close the file and let others at it."""
        with self._turn:
            self._base.close()
        self._release()

    @contextmanager
    def turn(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is on the disk when this ends, or none of it.

        Raises:
            sqlite3.Error: It could not be written; nothing has changed.
        """
        with self._turn:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """The rows of a query."""
        with self._turn:
            return self._base.execute(statement, values).fetchall()

    def meta(self, key: str) -> str:
        """A fact about the set, such as its secret; empty if it is not known."""
        value_groups = self.rows("SELECT value FROM meta WHERE key = ?", key)
        return str(value_groups[0][0]) if value_groups else ""

    def page(self, annotator: str, point_id: str) -> LabelPage:
        """What one annotator did with one point."""
        with self._turn:
            who = (annotator, point_id)
            last = "SELECT max(event) FROM events WHERE annotator = ? AND point_id = ?"
            marks = "SELECT mark FROM marks WHERE annotator = ? AND point_id = ?"
            return LabelPage(
                version=int(str(self.rows(last, *who)[0][0] or 0)),
                labels={(g.unit_id, g.field): g.entry for g in self.given(annotator, point_id)},
                marks=frozenset(Mark(str(row[0])) for row in self.rows(marks, *who)),
            )

    def versions(self, annotator: str) -> dict[str, int]:
        """Number of the last event at each of an annotator's points; none where none happened."""
        query = "SELECT point_id, max(event) FROM events WHERE annotator = ? GROUP BY point_id"
        return {str(point): int(str(event)) for point, event in self.rows(query, annotator)}

    def given(self, annotator: str | None = None, point_id: str | None = None) -> list[Given]:
        """Labels; of one annotator, or of one point, if these are named."""
        query = (
            "SELECT annotator, point_id, unit_id, field, value, reason, saw_scores, seconds, at "
            "FROM labels"
        )
        named = {"annotator": annotator, "point_id": point_id}
        wanted = {name: value for name, value in named.items() if value is not None}
        if wanted:
            query += " WHERE " + " AND ".join(f"{name} = ?" for name in wanted)
        rows = self.rows(query, *wanted.values())
        return [
            Given(
                annotator=str(who),
                point_id=str(point),
                unit_id=str(unit),
                field=LabelField(str(name)),
                entry=LabelEntry(
                    value=json.loads(str(value)),
                    reason=None if reason is None else str(reason),
                    saw_scores=bool(saw),
                    seconds=float(str(seconds)),
                    at=str(at),
                ),
            )
            for who, point, unit, name, value, reason, saw, seconds, at in rows
        ]

    def marked(self) -> list[tuple[str, str, Mark]]:
        """Annotator, point and mark of all marks."""
        rows = self.rows("SELECT annotator, point_id, mark FROM marks")
        return [(str(who), str(point), Mark(str(mark))) for who, point, mark in rows]

    def units(self) -> list[Unit]:
        """All units of the set, in the order they are labelled."""
        rows = self.rows("SELECT record FROM units ORDER BY place")
        return [Unit.model_validate_json(str(row[0])) for row in rows]

    def annotators(self) -> dict[str, int | None]:
        """Publications of each annotator, in order; None where not asked yet."""
        rows = self.rows("SELECT annotator, publications FROM annotators ORDER BY place")
        return {str(name): None if n is None else int(str(n)) for name, n in rows}

    def kinds(self) -> dict[str, AnnotatorKind | None]:
        """Who is a person and who a model, in order; None where a set begun long ago lacks it."""
        rows = self.rows("SELECT annotator, kind FROM annotators ORDER BY place")
        return {str(n): None if kind is None else AnnotatorKind(str(kind)) for n, kind in rows}

    def relevance(self) -> dict[tuple[str, str], int]:
        """How near papers are to annotators, 1..5, by annotator and paper."""
        rows = self.rows("SELECT annotator, paper_id, value FROM relevance")
        return {(str(who), str(paper)): int(str(value)) for who, paper, value in rows}

    def assigned(self) -> dict[str, list[str]]:
        """The annotators of each paper."""
        text_groups: dict[str, list[str]] = {}
        query = (
            "SELECT paper_id, a.annotator FROM assigned a "
            "JOIN annotators n ON n.annotator = a.annotator ORDER BY n.place"
        )
        for paper, name in self.rows(query):
            text_groups.setdefault(str(paper), []).append(str(name))
        return text_groups

    def decisions(self) -> dict[Key, Decision]:
        """What was settled, by unit and field."""
        rows = self.rows("SELECT unit_id, field, value, note, at FROM decisions ORDER BY at")
        return {
            (str(unit), LabelField(str(name))): Decision(
                str(unit), LabelField(str(name)), json.loads(str(value)), str(note), str(at)
            )
            for unit, name, value, note, at in rows
        }

    def decide(self, key: Key, value: Value, note: str) -> None:
        """Settle a unit on which annotators disagree."""
        row = (key[0], key[1].value, json.dumps(value), note, now())
        with self.turn() as base:
            base.execute("INSERT OR REPLACE INTO decisions VALUES (?, ?, ?, ?, ?)", row)

    def introduce(self, annotator: str, publications: int) -> None:
        """Note how many publications an annotator has."""
        with self.turn() as base:
            base.execute(
                "UPDATE annotators SET publications = ? WHERE annotator = ?",
                (publications, annotator),
            )

    def relate(self, annotator: str, paper_id: str, value: int) -> None:
        """Note how near a paper is to an annotator."""
        with self.turn() as base:
            row = (annotator, paper_id, value)
            base.execute("INSERT OR REPLACE INTO relevance VALUES (?, ?, ?)", row)


def rename_units(base: sqlite3.Connection, names: Mapping[str, str]) -> None:
    """Give units of a set, and all that was done with them, other identifiers.

    Args:
        base: The set, within a transaction.
        names: New identifiers by old ones, of points and of their premises; none is taken.
    """
    for old, new in names.items():
        base.execute("UPDATE units SET unit_id = ? WHERE unit_id = ?", (new, old))
        base.execute("UPDATE decisions SET unit_id = ? WHERE unit_id = ?", (new, old))
        base.execute("UPDATE labels SET unit_id = ? WHERE unit_id = ?", (new, old))
        for table in ("labels", "marks", "events"):
            base.execute(f"UPDATE {table} SET point_id = ? WHERE point_id = ?", (new, old))
    for event, text in base.execute("SELECT event, changes FROM events").fetchall():
        changes = json.loads(text)
        for change in changes:
            change["key"][0] = names.get(change["key"][0], change["key"][0])
        if (renamed := json.dumps(changes)) != text:
            base.execute("UPDATE events SET changes = ? WHERE event = ?", (renamed, event))


def give_out(
    base: sqlite3.Connection,
    annotators: Mapping[str, AnnotatorKind],
    papers: Mapping[str, Sequence[str]],
) -> None:
    """Write down annotators and the papers given to each; those known already stay."""
    for place, (name, kind) in enumerate(annotators.items()):
        base.execute(
            "INSERT INTO annotators (annotator, place, kind) VALUES (?, ?, ?) "
            "ON CONFLICT (annotator) DO UPDATE SET kind = excluded.kind",
            (name, place, kind.value),
        )
    for paper, names in papers.items():
        for name in names:
            base.execute("INSERT OR IGNORE INTO assigned VALUES (?, ?)", (name, paper))
