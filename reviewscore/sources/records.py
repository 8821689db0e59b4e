"""Records from JSONL and Parquet files, one at a time, each with its place."""

from __future__ import annotations

import json
import os
import re
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import InputError
from reviewscore.papers.hygiene import without_surrogates

_BATCH = 32
"""Rows of a Parquet file held in memory at once."""
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Row:
    """One record as it was read.

    Attributes:
        line: 1-based line (JSONL) or row (Parquet).
        offset: Byte offset of the line in the file that `Shelf.fetch` reads.
        record: The decoded record; None if `error` says why there is none.
        error: What is wrong with the line.
    """

    line: int
    offset: int
    record: dict[str, object] | None
    error: InputError | None = None


def decode(line: bytes, file: Path, number: int) -> dict[str, object]:
    """The record of one JSONL line.

    Raises:
        InputError: If the line is not a JSON object in UTF-8.
    """
    try:
        record: object = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte {error.start} of the line)",
            file=file,
            line=number,
            cure="save the file as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(line.decode("utf-8-sig").rstrip()) or "Unterminated" in error.msg
        problem = "is cut off" if cut else f"is not JSON ({error.msg}, column {error.colno})"
        raise InputError(
            problem, file=file, line=number, cure="write one JSON object per line"
        ) from error
    except RecursionError as error:
        raise InputError("is nested too deeply", file=file, line=number) from error
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"cannot be read ({error})", file=file, line=number) from error
    if not isinstance(record, dict):
        raise InputError(
            f"is {type(record).__name__}, not a JSON object",
            file=file,
            line=number,
            cure='write {"name": value, ...}',
        )
    if _ESCAPED_SURROGATE.search(line):
        try:
            record = without_surrogates(record)
        except RecursionError as error:
            raise InputError("is nested too deeply", file=file, line=number) from error
        assert isinstance(record, dict)
    return record


@dataclass(frozen=True)
class Shelf:
    """A file whose records are read again one by one when they are asked for.

    Rows of a Parquet file are laid out in a temporary JSONL file that goes with this object.

    Attributes:
        file: The user's file.
        lines: The JSONL file to read from.
    """

    file: Path
    lines: Path

    @classmethod
    def of(cls, file: Path) -> Shelf:
        """The shelf of a ``.jsonl`` or ``.parquet`` file."""
        if file.suffix.lower() != ".parquet":
            return cls(file, file)
        handle, name = tempfile.mkstemp(prefix="reviewscore-", suffix=".jsonl")
        shelf = cls(file, Path(name))
        weakref.finalize(shelf, _remove, name)
        with os.fdopen(handle, "wb") as out:
            for record in _parquet(file):
                out.write(json.dumps(record, default=str).encode() + b"\n")
        return shelf

    def rows(self) -> Iterator[Row]:
        """Every record in order; lines that cannot be decoded carry their error."""
        offset = 0
        try:
            with self.lines.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        try:
                            yield Row(number, offset, decode(line, self.file, number))
                        except InputError as error:
                            yield Row(number, offset, None, error)
                    offset += len(line)
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}", file=self.file, cure="check the path"
            ) from error

    def fetch(self, offset: int, number: int) -> dict[str, object]:
        """The record at a byte offset.

        Raises:
            InputError: If the file is gone or has changed.
        """
        try:
            with self.lines.open("rb") as file:
                file.seek(offset)
                return decode(file.readline(), self.file, number)
        except OSError as error:
            raise InputError(
                f"cannot be read any more: {error.strerror}", file=self.file, line=number
            ) from error


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def _parquet(file: Path) -> Iterator[dict[str, object]]:
    import pyarrow
    from pyarrow import parquet

    try:
        # Arrow's own allocator keeps what a large file needed once until the program ends.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        with parquet.ParquetFile(file) as source:
            for batch in source.iter_batches(batch_size=_BATCH):
                for record in batch.to_pylist():
                    yield {name: _plain(value) for name, value in record.items()}
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"is not a readable Parquet file: {error}", file=file, cure="write it again"
        ) from error


def _plain(value: object) -> object:
    """Structs list every name any row has; names without a value are left out."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
