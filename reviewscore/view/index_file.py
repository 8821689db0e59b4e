"""A file of tables that can be made anew: one connection writes, others read beside it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

_LONGEST = 100_000_000
"""Bytes of a value or of a row."""
_IDLE = 4
"""Connections that are kept for readers."""
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CHANGED = (
    "INSERT INTO meta VALUES ('changes', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
)
_BESIDE = ("", "-wal", "-shm")
Row = tuple[object, ...]


class IndexFile:
    """Tables in a file (SQLite), which is replaced if it is damaged or of another version.

    Readers wait for no writer. The file may come from elsewhere: links are not followed.

    Args:
        path: The file.
        tables: Statements that make the tables. One is ``meta``, of names and values: it holds
            their version, and how often anything was changed (``changes``).
        version: Of these.

    Attributes:
        generation: Counts how often it was made anew.

    Raises:
        sqlite3.Error: It cannot be written.
        OSError: Likewise.
    """

    def __init__(self, path: Path, tables: Sequence[str], version: str) -> None:
        self.path, self._tables, self._version = path.absolute(), tuple(tables), version
        self.generation = 0
        self._lock, self._pool = threading.RLock(), threading.Lock()
        self._idle: list[tuple[int, sqlite3.Connection]] = []
        self._closed = False
        self._inode = 0
        self._writer = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
            self._discard()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        for suffix in _BESIDE:
            beside = self.path.with_name(self.path.name + suffix)
            if beside.is_symlink():
                beside.unlink()
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        base = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        try:
            _bound(base)
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = OFF")  # it can be made anew at any time
            base.execute("PRAGMA cache_size = -32000")
            base.execute("BEGIN IMMEDIATE")
            if not _schema(base):
                for statement in self._tables:
                    base.execute(statement)
                base.execute("INSERT INTO meta VALUES ('version', ?)", (self._version,))
            # Views and triggers of others could do anything.
            same = _schema(base) == _made_by(self._tables) and _version(base) == self._version
            base.execute("COMMIT")
        except BaseException:
            base.close()
            raise
        if same:
            self._inode = self.path.stat().st_ino
            return base
        base.close()
        self._discard()
        return self._connect()

    def _discard(self) -> None:
        for suffix in _BESIDE:
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def make_anew(self) -> None:
        """Replace the file by an empty one."""
        with self._lock:
            self._writer.close()
            self._discard()
            self._open_again()

    def _open_again(self) -> None:
        self._writer = self._open()
        self.generation += 1

    def _is_there(self) -> bool:
        """Whether the writer's file is the one that readers open: others may have replaced it."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    @contextmanager
    def turn(self) -> Iterator[sqlite3.Connection]:
        """Write: all of it is kept, or nothing.

        Raises:
            sqlite3.Error: It was not written; a damaged file has then been replaced.
        """
        with self._lock:
            if not self._is_there():
                self._writer.close()
                self._open_again()
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute(_CHANGED)
                except BaseException:
                    self._writer.execute("ROLLBACK")
                    raise
                self._writer.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                if _is_broken(error):
                    self.make_anew()
                raise

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """What a statement finds; of a damaged file, which is replaced, nothing."""
        try:
            with self._reader() as base, closing(base.execute(statement, values)) as found:
                return found.fetchall()
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise
        self.make_anew()
        with self._reader() as base, closing(base.execute(statement, values)) as found:
            return found.fetchall()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else has, of today's file."""
        generation, base = self.generation, None
        with self._pool:
            while self._idle and base is None:
                made, idle = self._idle.pop()
                if made == generation:
                    base = idle
                else:
                    idle.close()
        if base is None:
            address = f"{self.path.as_uri()}?mode=rw"
            base = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)
            with suppress(sqlite3.DatabaseError):
                _bound(base)
                base.execute("PRAGMA query_only = ON")
                base.execute("PRAGMA cache_size = -16000")
        try:
            yield base
        finally:
            with self._pool:
                kept = not self._closed and len(self._idle) < _IDLE
                if kept:
                    self._idle.append((generation, base))
            if not kept:
                base.close()

    def close(self) -> None:
        """Let go of the file; whoever still reads ends in peace."""
        with self._lock, self._pool:
            self._closed = True
            for _, base in self._idle:
                base.close()
            self._idle.clear()
            self._writer.close()


def _bound(base: sqlite3.Connection) -> None:
    """Have a connection believe little of its file."""
    base.execute("PRAGMA trusted_schema = OFF")
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _BROKEN


def _schema(base: sqlite3.Connection) -> frozenset[tuple[object, ...]]:
    """What a file holds, by the statements that make it; none of them is run."""
    return frozenset(base.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


@cache
def _made_by(tables: tuple[str, ...]) -> frozenset[tuple[object, ...]]:
    """The schema of a file that these statements made."""
    with closing(sqlite3.connect(":memory:")) as base:
        for statement in tables:
            base.execute(statement)
        return _schema(base)


def _version(base: sqlite3.Connection) -> str:
    """The version of its tables."""
    row = base.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
    return str(row[0]) if row else "none"
