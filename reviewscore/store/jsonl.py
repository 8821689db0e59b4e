"""Append-only files of one JSON record a line that survive a kill and a full disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from reviewscore.bounds import (
    Bound,
    bounded_lines,
    in_force,
    not_regular,
    open_regular,
    read_regular,
)
from reviewscore.errors import InputError, RunFolderError, StopError

_LONGEST_NAME = 60
"""Characters of a file's name that its draft has too: a name is of at most 255 bytes."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class JsonLines:
    """A file of whole lines.

    A half-written last line, left by a kill, is cut off when the file is opened, and a line that
    cannot be written whole is taken back, so that every line in the file can be read.

    Args:
        path: The file; made if it is not there.

    Raises:
        RunFolderError: The file cannot be opened, or is not the folder's own (`own_file`).
    """

    def __init__(self, path: Path) -> None:
        self.path = own_file(path)
        try:
            self._file = path.open("ab", buffering=0)
            self._size = _whole_lines(path)
            self._file.truncate(self._size)
        except OSError as error:
            raise RunFolderError(f"{path}: {error.strerror}") from error

    def append(self, line: str) -> int:
        """Write one line to the operating system and return its offset.

        Raises:
            StopError: The disk is full; the file is left as it was.
            RunFolderError: The file cannot be written.
        """
        raw = line.encode() + b"\n"
        offset = self._size
        try:
            written = 0
            while written < len(raw):
                written += self._file.write(raw[written:])
        except OSError as error:
            self._file.truncate(offset)
            raise _failure(self.path, error) from error
        self._size += len(raw)
        return offset

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _failure(path: Path, error: OSError) -> StopError | RunFolderError:
    if error.errno not in _FULL:
        return RunFolderError(f"{path}: {error.strerror}")
    return StopError(
        f"{path}: {error.strerror}; what is finished is kept: "
        "free some space and run the same command again"
    )


def _whole_lines(path: Path) -> int:
    """Size in bytes up to and including the last line end."""
    with path.open("rb") as file:
        position = file.seek(0, os.SEEK_END)
        while position > 0:
            step = min(65536, position)
            file.seek(position - step)
            found = file.read(step).rfind(b"\n")
            if found >= 0:
                return position - step + found + 1
            position -= step
    return 0


def read_lines(path: Path, bound: Bound | None = None) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each whole line; nothing if there is no such file.

    Args:
        path: The file.
        bound: How large a line may be; that of a text if not given.

    Raises:
        RunFolderError: It is no ordinary file, cannot be read, or a line is too large.
    """
    if not path.exists():
        return
    offset, bound = 0, bound or in_force().text
    with opened(path) as file:
        for number, line in enumerate(bounded_lines(file, bound), start=1):
            if line.cut:
                problem = bound.problem(line.size, whole=True)
                raise RunFolderError(f"{path}:{number}: {problem}; {bound.cure}")
            if line.data.endswith(b"\n"):
                yield offset, line.data
            offset += line.size


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file of a folder that may come from elsewhere, to read.

    Raises:
        RunFolderError: It is no ordinary file, or cannot be read.
    """
    try:
        with open_regular(path) as file:
            yield file
    except InputError as error:
        raise RunFolderError(str(error)) from error
    except OSError as error:
        raise RunFolderError(f"{path}: {error.strerror}") from error


def read_whole(path: Path) -> bytes | None:
    """A small file of such a folder; None if there is none.

    Raises:
        RunFolderError: It is no ordinary file, too large, or cannot be read.
    """
    if not path.exists():
        return None
    try:
        return read_regular(path, in_force().text)
    except InputError as error:
        raise RunFolderError(str(error)) from error


def own_file(path: Path) -> Path:
    """A file of a folder that may come from elsewhere, to be written; it need not be there.

    Raises:
        RunFolderError: It is a link that leads out of its folder, where nothing may be written
            for the folder's sake, or no ordinary file.
    """
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(path.parent.resolve()):
            raise RunFolderError(f"{path} is a link out of its folder; take it away")
        if path.exists() and not path.is_file():
            raise RunFolderError(str(not_regular(path)))
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle; a NUL in the name
        raise RunFolderError(f"{path}: {error}") from error
    return path


@contextmanager
def drafted(path: Path, *, named: bool = False) -> Iterator[Path]:
    """The draft of a file, which takes its place when all is written.

    A kill, a fault or a full disk leaves the old file.

    Args:
        path: The file.
        named: Whether the user named this very file. Then a link is followed, and what is no
            ordinary file, such as a pipe, is written to and never replaced; in a folder that was
            named, both are refused (`own_file`).

    Raises:
        StopError: The disk is full.
        RunFolderError: The file cannot be written.
    """
    target = _target(path if named else own_file(path))
    ordinary = target.is_file() or not target.exists()
    draft = target.with_name(f".{target.name[:_LONGEST_NAME]}.new") if ordinary else target
    try:
        if ordinary:
            draft.unlink(missing_ok=True)  # left by a kill
        yield draft
        if ordinary:
            draft.replace(target)
    except OSError as error:
        raise _failure(path, error) from error
    finally:
        if ordinary:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _target(path: Path) -> Path:
    try:
        target = path.resolve()
        folder = target.is_dir()
    except OSError as error:
        raise _failure(path, error) from error
    except (ValueError, RuntimeError) as error:  # a NUL in the name; links in a circle
        raise RunFolderError(f"{path}: {error}") from error
    if folder:
        raise RunFolderError(f"{path} is a folder; name a file")
    return target


def write_whole(path: Path, text: str, *, named: bool = False) -> None:
    """Replace a file in one step, so that a kill leaves the old one or the new one.

    Args:
        path: The file.
        text: What it is to hold.
        named: As of `drafted`.

    Raises:
        StopError: The disk is full.
        RunFolderError: The file cannot be written.
    """
    write_bytes_whole(path, text.encode(), named=named)


def write_bytes_whole(path: Path, data: bytes, *, named: bool = False) -> None:
    """As `write_whole`, for a file that is no text.

    Raises:
        StopError, RunFolderError: As `write_whole`.
    """
    write_pieces_whole(path, (data,), named=named)


def write_pieces_whole(path: Path, pieces: Iterable[bytes], *, named: bool = False) -> None:
    """As `write_bytes_whole`, of what comes piece by piece; what its source raises goes on.

    Raises:
        StopError, RunFolderError: As `write_whole`.
    """
    try:
        with drafted(path, named=named) as draft, draft.open("wb") as file:
            for piece in _told_apart(pieces):
                file.write(piece)
    except _SourceError as failed:
        assert failed.__cause__ is not None
        raise failed.__cause__ from None


class _SourceError(Exception):
    """The source of what is written failed, such as a connection; its cause is the error."""


def _told_apart(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces; errors of their source, such as a broken connection, are not the file's."""
    try:
        yield from pieces
    except Exception as error:
        raise _SourceError from error
