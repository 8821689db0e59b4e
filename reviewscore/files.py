"""Files written whole or not at all, files of JSON lines, sums, and folders of results."""

from __future__ import annotations

import errno
import hashlib
import os
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from pydantic import Field

from reviewscore.bounds import (
    Bound,
    bounded_lines,
    in_force,
    not_regular,
    open_regular,
    read_regular,
)
from reviewscore.errors import InputError, RunFolderError, StopError
from reviewscore.schema.record import Record, storable

_LONGEST_NAME = 60
"""Characters of a file's name that its draft has too: a name is of at most 255 bytes."""
_PIECE = 1 << 20
"""Bytes that are hashed at once."""
TEMPORARY = "reviewscore-"
"""Begins the name of every temporary file, so that those of killed commands are known."""
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
            raise unwritable(path, error) from error

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

    def sync(self) -> None:
        """Have what was appended on the disk, where no kill and no power cut takes it.

        Raises:
            StopError: The disk is full.
            RunFolderError: The file cannot be written.
        """
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _failure(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def unwritable(path: Path, error: OSError) -> RunFolderError:
    """Why a file or folder cannot be written, and what to do, for the user who named it."""
    cure = "name another place with -o"
    if error.errno == errno.ENOENT and not path.parent.exists():
        there = shlex.quote(str(path.parent))
        return RunFolderError(
            f"{path}: there is no folder {path.parent}; make it (mkdir -p {there}), or {cure}"
        )
    if error.errno == errno.ENOTDIR:
        place = next((parent for parent in path.parents if parent.is_file()), path)
        return RunFolderError(f"{path}: {place} is a file and can hold none; {cure}")
    return RunFolderError(f"{path}: cannot be written: {error.strerror}; {cure}")


def check_place(path: Path) -> None:
    """Refuse a place that cannot be written, before any work is done for it.

    Args:
        path: A file or folder to be written; it need not be there, nor its folder.

    Raises:
        RunFolderError: It, or the nearest folder above it that is there, may not be written, or
            that is a file.
    """
    try:
        nearest = next(
            (file_path for file_path in (path, *path.parents) if file_path.exists()), None
        )
        if nearest is None:
            return
        if nearest is not path and not nearest.is_dir():
            raise unwritable(path, NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
        if not os.access(nearest, os.W_OK):
            raise unwritable(nearest, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    except (OSError, ValueError):  # whoever writes will say what is wrong with such a name
        return


def _failure(path: Path, error: OSError) -> StopError | RunFolderError:
    if error.errno not in _FULL:
        return unwritable(path, error)
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
            number = file.read(step).rfind(b"\n")
            if number >= 0:
                return position - step + number + 1
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


def write_whole(
    path: Path,
    content: str | bytes | Iterable[bytes],
    *,
    named: bool = False,
    private: bool = False,
) -> None:
    """Replace a file in one step, so that a kill leaves the old one or the new one.

    Args:
        path: The file.
        content: What it is to hold, perhaps piece by piece; what its source raises goes on.
        named: As of `drafted`.
        private: Whether its owner alone may read it.

    Raises:
        StopError: The disk is full.
        RunFolderError: The file cannot be written.
    """
    content = content.encode() if isinstance(content, str) else content
    pieces = (content,) if isinstance(content, bytes) else content
    try:
        with drafted(path, named=named) as draft:
            if private:
                draft.touch(mode=0o600)
            with draft.open("wb") as file:
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


class InputFile(Record):
    """A file that was read.

    Attributes:
        name: Its name.
        sha256: SHA-256 of its bytes.
    """

    name: str
    sha256: str
    size: int = Field(description="bytes")


def hash_text(name: str, text: str) -> InputFile:
    """Name, SHA-256 and size of what was given as a record and lies in no file."""
    raw = text.encode("utf-8", "surrogatepass")
    sha256 = hashlib.sha256(raw).hexdigest()
    return InputFile(name=storable(name), sha256=sha256, size=len(raw))


def hash_file(path: Path) -> InputFile:
    """Name, SHA-256 and size of a file.

    Raises:
        InputError: It is no ordinary file, or cannot be read.
    """
    try:
        size = path.stat().st_size
        return InputFile(name=storable(path.name), sha256=hash_start(path, size), size=size)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", file=path, cure="check the path"
        ) from error


def hash_start(path: Path, size: int) -> str:
    """SHA-256 of so many bytes from a file's beginning; read again only if the file was changed.

    Raises:
        InputError: It is no ordinary file.
        OSError: It cannot be read.
    """
    now = path.stat()
    if not stat.S_ISREG(now.st_mode):
        raise not_regular(path)
    return _hashed(path.absolute(), size, (now.st_ino, now.st_size, now.st_mtime_ns))


@lru_cache(maxsize=4096)
def _hashed(file: Path, size: int, _: tuple[int, int, int]) -> str:
    hashed = hashlib.sha256()
    with open_regular(file) as source:
        while size > 0 and (piece := source.read(min(size, _PIECE))):
            hashed.update(piece)
            size -= len(piece)
    return hashed.hexdigest()


def results_folder(
    out: Path,
    *,
    verb: str,
    marker: str,
    inside: Sequence[str] = (),
    allow_foreign: bool | None = False,
) -> None:
    """Make a folder of results, or take one that the same verb wrote.

    Args:
        out: The folder.
        verb: Who writes, for the message.
        marker: A file that all folders of this verb have.
        inside: Folders to make in it.
        allow_foreign: Write beside other things too; None if the verb never does.

    Raises:
        RunFolderError: The folder holds other things, or cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        others = sorted(
            path.name for path in out.iterdir() if not _left_by_a_kill(path, marker, inside)
        )
        if others and marker not in others and not allow_foreign:
            cure = "choose another folder" + (", or say --yes" if allow_foreign is False else "")
            raise RunFolderError(f"{out} holds {others[0]!r} and is no folder of `{verb}`; {cure}")
        for name in inside:
            if (out / name).is_symlink():
                raise RunFolderError(f"{out / name} is a link; take it away")
            (out / name).mkdir(exist_ok=True)
    except FileExistsError as error:
        raise RunFolderError(f"{out} is a file; name a folder with -o") from error
    except OSError as error:
        raise unwritable(out, error) from error


def _left_by_a_kill(path: Path, marker: str, inside: Sequence[str]) -> bool:
    """Whether this verb made it and was killed before the marker was there."""
    if path.name in (f".{marker}.new", ".lock"):
        return True
    return path.name in inside and path.is_dir() and not any(path.iterdir())
