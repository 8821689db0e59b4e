"""The ledger as an SQLite file in a folder: for the processes of one computer."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from filelock import FileLock
from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import OperationalError

from reviewscore.bounds import not_regular
from reviewscore.errors import ReviewScoreError, RunFolderError, StopError
from reviewscore.llm.ledger.connection import Backend, cause_of
from reviewscore.llm.ledger.store import FILE, owner_alive
from reviewscore.llm.ledger.tables import METADATA, check, migrate, newest

_LOCK = ".ledger.lock"
_BUSY_SECONDS = 60.0
LET_GO_SECONDS = 5.0
"""How long others who have the file open are waited for before it is compacted."""
_LOCK_SECONDS = 600.0
"""While one process copies a large ledger and brings it up to date, the others wait."""


class SQLiteFile(Backend):
    """The file of a folder, made if it is not there; only its owner may read it.

    Args:
        folder: Where it lies.
        name: Its name there.
    """

    another = "name another folder with REVIEWSCORE_CACHE_DIR, or move it away"

    def __init__(self, folder: Path, name: str = FILE) -> None:
        self._folder, self._path = folder, folder / name
        self.name = str(self._path)
        # Without a transaction of the driver's own: `begin` says when one begins.
        self._engine = create_engine(
            "sqlite://",
            creator=self._raw,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
        )

    def connect(self, me: str) -> Connection:
        """As `Backend.connect`; whether an owner lives is told from its process."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._path.exists() and not self._path.is_file():
            raise RunFolderError(str(not_regular(self._path)))
        # SQLite waits for nobody when a file is made into one with a write-ahead log.
        with FileLock(self._folder / _LOCK, timeout=_LOCK_SECONDS):
            self._path.touch(mode=0o600)
            connection = self._engine.connect()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _raw(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _prepare(self, db: Connection) -> None:
        db.exec_driver_sql("PRAGMA journal_mode = WAL")
        db.exec_driver_sql("PRAGMA synchronous = FULL")  # what was paid for survives a power cut
        version = self.version(db)
        db.rollback()
        if version == 0:
            with db.begin():
                self.begin(db)
                METADATA.create_all(db)
                self.set_version(db, newest())
            return
        check(self, version)
        if version < newest():
            self._keep_copy(db, version)
            migrate(self, db)

    def version(self, db: Connection) -> int:
        """0 for a file without tables."""
        return int(db.exec_driver_sql("PRAGMA user_version").scalar_one())

    def set_version(self, db: Connection, version: int) -> None:
        """As `Backend.set_version`."""
        db.exec_driver_sql(f"PRAGMA user_version = {version}")

    def begin_step(self, db: Connection) -> None:
        """Lock the file; who takes steps holds the lock beside it, too."""
        self.begin(db)

    def _keep_copy(self, db: Connection, version: int) -> None:
        """Keep the file as it is beside it, for whoever goes back to an earlier program."""
        kept = self._path.with_name(f"{FILE}.v{version}")
        draft = self._path.with_name(f"{FILE}.v{version}.new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        raw = db.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        with closing(sqlite3.connect(draft)) as copy:
            raw.backup(copy)
        draft.replace(kept)

    def begin(self, db: Connection) -> str | None:
        """Lock the file; a commit that fails is known to have failed."""
        db.exec_driver_sql("BEGIN IMMEDIATE")
        return None

    def living(self, db: Connection) -> Callable[[str], bool]:
        """By the processes of this computer; others are taken to live."""
        return owner_alive

    def now(self) -> float:
        """This computer's clock."""
        return time.time()

    def size(self, db: Connection) -> int:
        """Bytes of the file, with SQLite's own side files."""
        return sum(path.stat().st_size for path in self._folder.glob(f"{FILE}*"))

    def clear(self) -> int:
        """Delete the file."""
        files = list(self._folder.glob(f"{FILE}*"))
        size = sum(path.stat().st_size for path in files)
        for file in files:
            file.unlink()
        return size

    def copies(self) -> tuple[Backend, ...]:
        """The files that `_keep_copy` made."""
        kept = sorted(self._folder.glob(f"{FILE}.v*"))
        files = [path for path in kept if path.suffix[2:].isdecimal() and path.is_file()]
        return tuple(_KeptCopy(self._folder, file.name) for file in files if not file.is_symlink())

    def overwrite_deleted(self, db: Connection) -> None:
        """SQLite writes zeros over deleted rows."""
        db.exec_driver_sql("PRAGMA secure_delete = ON")

    def compact(self, db: Connection) -> str:
        """Write the file anew without free pages, and empty its write-ahead log."""
        db.rollback()
        db.exec_driver_sql(f"PRAGMA busy_timeout = {LET_GO_SECONDS * 1000:.0f}")
        try:
            db.exec_driver_sql("VACUUM")
            busy = db.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
        except OperationalError as error:
            busy = getattr(cause_of(error), "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not busy:
                raise
        finally:
            db.exec_driver_sql(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000:.0f}")
        if not busy:
            return ""
        return (
            f"{self._path}: another process has it open, so deleted texts may still be in its "
            "files; run the same command again when it has ended"
        )

    def unusable(self, error: Exception) -> ReviewScoreError:
        """Another folder may do."""
        return RunFolderError(
            f"the ledger {self._path} cannot be used: {cause_of(error)}; name another folder with "
            "REVIEWSCORE_CACHE_DIR"
        )

    def failed(self, error: Exception) -> ReviewScoreError:
        """A full disk stops the run, which can go on; anything else is an error."""
        cause = cause_of(error)
        if getattr(cause, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_WRITE"):
            return StopError(
                f"the ledger cannot grow ({cause}); what is finished is kept: "
                "free some space and run the same command again"
            )
        return RunFolderError(f"the ledger cannot be written: {cause}")


class _KeptCopy(SQLiteFile):
    """A copy of an earlier version, which stays of that version."""

    def _prepare(self, db: Connection) -> None:
        check(self, self.version(db))
        db.rollback()
