"""The log of a venue folder: who did what and when, each entry bound to the one before by its sum.

A line of ``log.jsonl`` is an entry as canonical JSON. Its ``hash`` is the SHA-256 of the entry
without it, and its ``before`` the hash of the entry before, so that an entry that is changed, left
out or moved is found. That the last entries were cut off is found only by whoever has kept the
head, its number and hash, elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from reviewscore import __version__, prompts
from reviewscore.config import Plain
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import hash_file, opened, own_file, read_lines, unwritable
from reviewscore.schema.record import Record, storable

LOG = "log.jsonl"
LOG_LOCK = ".log.lock"
FIRST = "0" * 64
"""What the first entry has for the hash of the one before."""
REPAIRED = "repaired"
"""Event of an entry that notes what a kill left half-written."""
_LOCK_SECONDS = 60.0
_WINDOW = 1 << 16
"""Bytes at the end of the log in which the last entry is looked for first."""
_MOST_TORN = 4096
"""Bytes of a half-written entry that are kept."""


class LogEntry(Record):
    """One entry of the log.

    Attributes:
        number: From 1.
        at: When, UTC, ISO 8601.
        event: What was done, such as ``synced``, ``audited``, ``delivered``, ``withdrawn``.
        who: Who did it, by a name that says nothing of the person; None if nobody said.
        version: Version of reviewscore that wrote it.
        prompts: SHA-256 of the list of all prompts and their sums.
        details: What is worth knowing of it; no texts.
        files: SHA-256 of the files that it wrote, by their names from the venue folder on; empty
            for one that it removed.
        before: Hash of the entry before; zeros for the first.
        hash: SHA-256 of the canonical JSON of all other fields.
    """

    schema_id: Literal["reviewscore.log/1"] = Field(default="reviewscore.log/1", alias="schema")
    number: int = Field(ge=1)
    at: str
    event: str
    who: str | None = None
    version: str = __version__
    prompts: str
    details: dict[str, Plain] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    before: str
    hash: str = ""

    def line(self) -> bytes:
        """The entry as it stands in the log, without the end of the line."""
        return _canonical(self.model_dump(mode="json"))

    def own_hash(self) -> str:
        """What its hash has to be."""
        fields = self.model_dump(mode="json", exclude={"hash"})
        return hashlib.sha256(_canonical(fields)).hexdigest()


class Head(NamedTuple):
    """The last entry of a log: to be kept where nobody who can write to the log can change it."""

    number: int
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


def _canonical(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False,
                      separators=(",", ":"))  # fmt: skip
    return text.encode()


def append(
    venue: Path,
    event: str,
    *,
    who: str | None = None,
    details: Mapping[str, Plain] | None = None,
    files: Sequence[Path] = (),
    gone: Sequence[Path] = (),
) -> LogEntry:
    """Write an entry to the log of a venue folder; it is on the disk when this returns.

    What a kill left of an earlier entry is taken away and noted in an entry of its own. Processes
    that write at once wait for each other.

    Args:
        venue: The venue folder.
        event: What was done.
        who: Who did it, by a pseudonym.
        details: Numbers, ids and settings that are worth knowing; no texts.
        files: Files below the folder that were written, whose sums are noted.
        gone: Files below it that were removed.

    Raises:
        InputError: A file is not there, or not below the folder.
        RunFolderError: The log cannot be written, or its last entry cannot be read.
    """
    sums = {_name_in(venue, file): hash_file(file).sha256 for file in files}
    sums |= {_name_in(venue, file): "" for file in gone}
    path = own_file(venue / LOG)
    try:
        with FileLock(venue / LOG_LOCK, timeout=_LOCK_SECONDS):
            size, last, torn = _end_of(path)
            entries = [_entry(REPAIRED, last, details=_noted(torn))] if torn else []
            last = entries[-1] if entries else last
            entries.append(_entry(event, last, who=who, details=dict(details or {}), files=sums))
            _write_at(path, size, b"".join(entry.line() + b"\n" for entry in entries))
            return entries[-1]
    except Timeout as error:
        raise RunFolderError(f"{path}: another process is writing to the log; try again") from error
    except OSError as error:
        raise unwritable(path, error) from error


def _entry(
    event: str,
    last: LogEntry | None,
    *,
    who: str | None = None,
    details: dict[str, Plain],
    files: dict[str, str] | None = None,
) -> LogEntry:
    entry = LogEntry(
        number=1 if last is None else last.number + 1,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        event=event,
        who=None if who is None else storable(who),
        prompts=hash_file(prompts.directory() / prompts.SUMS).sha256,
        details=details,
        files=files or {},
        before=FIRST if last is None else last.hash,
    )
    return entry.model_copy(update={"hash": entry.own_hash()})


def _name_in(venue: Path, file: Path) -> str:
    try:
        return storable(file.resolve().relative_to(venue.resolve()).as_posix())
    except ValueError as error:
        raise InputError(
            "is not in the venue folder", file=file, cure=f"the log names files below {venue}"
        ) from error


def _noted(torn: bytes) -> dict[str, Plain]:
    return {
        "bytes": len(torn),
        "sha256": hashlib.sha256(torn).hexdigest(),
        "text": torn[:_MOST_TORN].decode("utf-8", "backslashreplace"),
    }


def _end_of(path: Path) -> tuple[int, LogEntry | None, bytes]:
    """Bytes of whole entries, the last of them, and what is half-written behind it."""
    if not path.exists():
        return 0, None, b""
    window = _WINDOW
    with opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        while True:
            start = max(0, size - window)
            file.seek(start)
            lines = file.read(size - start).split(b"\n")
            if start == 0 or lines[1:-1]:  # the first of them may have begun before
                break
            window *= 4
    torn = lines.pop()
    last = parsed(path, lines[-1]) if lines else None
    return size - len(torn), last, torn


def _write_at(path: Path, offset: int, raw: bytes) -> None:
    """Write over what is half-written, so that a kill leaves it, or another half, and no gap."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0) as file:
        file.seek(offset)
        written = 0
        while written < len(raw):
            written += file.write(raw[written:])
        file.truncate(offset + len(raw))
        os.fsync(file.fileno())


def parsed(path: Path, raw: bytes, line: int | None = None) -> LogEntry:
    """An entry of a log.

    Raises:
        RunFolderError: The line is none.
    """
    try:
        return LogEntry.model_validate_json(raw)
    except ValidationError as error:
        place = f"{path}:{line}" if line else f"{path}, the last line"
        raise RunFolderError(
            f"{place}: no entry of the log; put back a copy of the file that `verify` passes"
        ) from error


def read(venue: Path) -> Iterator[LogEntry]:
    """The entries of a venue's log as they stand there; `verify` says whether they hold.

    Raises:
        RunFolderError: A line is no entry; names file and line.
    """
    for number, (_, raw) in enumerate(read_lines(venue / LOG), start=1):
        yield parsed(venue / LOG, raw, number)


def head(venue: Path) -> Head:
    """Number and hash of the last whole entry; number 0 where there is none.

    Raises:
        RunFolderError: The last line is no entry.
    """
    _, last, _ = _end_of(venue / LOG)
    return Head(0, FIRST) if last is None else Head(last.number, last.hash)
