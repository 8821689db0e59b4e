"""The tables of the ledger and how a row becomes a call again."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

from filelock import FileLock, Timeout

from reviewscore.errors import RunFolderError
from reviewscore.schema.call import Call, Completion, Request, prefix_key

FILE = "ledger.sqlite"
_LOCK = ".ledger.lock"
VERSION = 2
_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, place TEXT NOT NULL, model TEXT NOT NULL,
  stage TEXT NOT NULL, run TEXT NOT NULL, prefix TEXT NOT NULL, request BLOB NOT NULL,
  reply BLOB NOT NULL, answered TEXT NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL,
  written INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL, batch INTEGER NOT NULL,
  attempts INTEGER NOT NULL, started TEXT NOT NULL, seconds REAL NOT NULL);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls (key);
CREATE INDEX IF NOT EXISTS calls_by_run ON calls (run);
CREATE TABLE IF NOT EXISTS prefixes (prefix TEXT PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS uses (
  run TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
  key TEXT PRIMARY KEY, run TEXT NOT NULL, owner TEXT NOT NULL, usd REAL,
  until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS doubts (run TEXT NOT NULL, key TEXT NOT NULL, usd REAL);
CREATE TABLE IF NOT EXISTS jobs (
  label TEXT PRIMARY KEY, place TEXT NOT NULL, run TEXT NOT NULL, job TEXT, since REAL NOT NULL,
  owner TEXT NOT NULL, seen REAL NOT NULL, open INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_by_id ON jobs (job);
CREATE TABLE IF NOT EXISTS job_requests (
  key TEXT NOT NULL, label TEXT NOT NULL, sent TEXT NOT NULL,
  PRIMARY KEY (key, label)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS estimates (
  run TEXT PRIMARY KEY, model TEXT NOT NULL, calls REAL, usd REAL,
  finished INTEGER NOT NULL DEFAULT 0);
"""
_BUSY_SECONDS = 60.0


def connect(folder: Path) -> sqlite3.Connection:
    """Open the ledger of a folder, made if it is not there; only its owner may read it.

    Raises:
        RunFolderError: It cannot be opened, or is of another version.
    """
    path = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # SQLite waits for nobody when a file is made into one with a write-ahead log.
        with FileLock(folder / _LOCK, timeout=_BUSY_SECONDS):
            path.touch(mode=0o600)
            return _opened(path)
    except (OSError, sqlite3.Error, Timeout) as error:
        raise RunFolderError(
            f"the ledger {path} cannot be used: {error}; name another folder with "
            "REVIEWSCORE_CACHE_DIR"
        ) from error


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # what was paid for survives a power cut
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, VERSION):
        connection.close()
        raise RunFolderError(
            f"{path} was made by another version of reviewscore; name another folder with "
            "REVIEWSCORE_CACHE_DIR, or move it away"
        )
    if version == 0:
        connection.executescript(_TABLES)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


def pack(text: str) -> bytes:
    """Text as it is stored: quick compression halves prompts, which repeat themselves."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(blob: bytes) -> str:
    """The text of a stored blob."""
    return zlib.decompress(blob).decode("utf-8", "surrogatepass")


def row_of(call: Call, run: str) -> tuple[object, ...]:
    """A call as a row, without its prefix, which is stored once for all calls."""
    usage = call.completion.usage
    request = call.request
    return (
        call.key,
        call.place,
        request.model,
        call.stage,
        run,
        prefix_key(request.prefix) if request.prefix else "",
        pack(request.model_dump_json(exclude={"prefix"})),
        pack(call.completion.model_dump_json()),
        call.completion.model,
        usage.input_tokens,
        usage.cached_tokens,
        usage.written_tokens,
        usage.output_tokens,
        call.usd,
        call.completion.batch,
        call.attempts,
        call.started,
        call.seconds,
    )


def call_of(row: sqlite3.Row, prefix: str) -> Call:
    """A row as the call it was."""
    bare = Request.model_validate_json(unpack(row["request"]))
    return Call(
        key=row["key"],
        place=row["place"],
        stage=row["stage"],
        request=bare.model_copy(update={"prefix": prefix}),
        completion=Completion.model_validate_json(unpack(row["reply"])),
        attempts=row["attempts"],
        started=row["started"],
        seconds=row["seconds"],
        usd=row["usd"],
    )
