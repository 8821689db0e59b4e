"""How much of what comes from outside is held: the bounds, and the readers that keep to them.

What passes a bound is a named failure with the size that was seen, before more of it is held. The
bounds are settings (the table ``[bounds]``). They are of a whole process, since the readers that
keep to them lie in every layer: `in_force` gives them, `put_in_force` sets them.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from reviewscore.errors import InputError, TooLargeError

MEGABYTE = 1_000_000
_PIECE = 65_536
"""Bytes that are read or decompressed at once."""
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that nobody writes to is opened at once, not waited for; on Windows bytes stay as they
are."""
_HEAD = 2
"""Bytes that tell a zlib stream from a bare one (RFC 1950, section 2.2)."""


_OF_FILES = ("max_text_mb", "max_pdf_mb", "max_table_mb")
"""Bounds of what users name."""


@dataclass(frozen=True)
class Bound:
    """The most bytes of one thing.

    Attributes:
        setting: Name of the setting that says so.
        megabytes: Its value.
        of: What is bounded, where no setting says how large it may be.
    """

    setting: str
    megabytes: float
    of: str | None = None

    @property
    def size(self) -> int:
        """The bound in bytes."""
        return int(self.megabytes * MEGABYTE)

    def problem(self, seen: int, *, whole: bool = False) -> str:
        """What is wrong with something that passes the bound.

        Args:
            seen: Bytes of it that are known of.
            whole: Whether these are all, or only those that came before it was given up.
        """
        who = f"{self.of} may have" if self.of else f"{self.setting} allows"
        allowed = f"the {self.megabytes:g} MB that {who}"
        if whole:
            return f"is larger than {allowed}: it has {in_megabytes(seen)}"
        return f"is larger than {allowed}: it was given up after {in_megabytes(seen)}"

    @property
    def cure(self) -> str:
        """How the bound is raised."""
        if self.of:
            return "make it smaller"
        variable = f"REVIEWSCORE_{self.setting.upper()}"
        right = "is it the right file? " if self.setting in _OF_FILES else ""
        return (
            f"{right}if it is meant to be so large, raise {self.setting} in [bounds] of the "
            f"settings, or type {variable}=MEGABYTES before the command"
        )


def in_megabytes(size: int) -> str:
    """A size in words."""
    return f"{size / MEGABYTE:,.1f} MB" if size >= MEGABYTE / 10 else f"{size:,} bytes"


class _BoundOf:
    """The bound that a setting gives."""

    def __init__(self, setting: str) -> None:
        self._setting = setting

    def __get__(self, bounds: Bounds, _: type[Bounds]) -> Bound:
        return Bound(self._setting, getattr(bounds, self._setting))


@dataclass(frozen=True)
class Bounds:
    """The bounds; one field for each setting of the same name.

    Attributes:
        max_reply_mb: One answer of a model's server, decompressed.
        max_results_mb: The results of one batch job, or the replies in one exchange folder.
        max_page_mb: One answer of OpenReview that is no PDF, decompressed.
        max_pdf_mb: One PDF.
        max_text_mb: One text file, or one record of a JSONL or Parquet file.
        max_table_mb: One file that is read as a whole and holds many records (CSV, spreadsheet,
            JSON export), and one such file of data that lies on a remote store.
        max_review_mb: The texts of one review.
        max_reviews_per_paper: Reviews of one paper.
    """

    max_reply_mb: float = 32.0
    max_results_mb: float = 1000.0
    max_page_mb: float = 64.0
    max_pdf_mb: float = 200.0
    max_text_mb: float = 20.0
    max_table_mb: float = 500.0
    max_review_mb: float = 1.0
    max_reviews_per_paper: int = 500

    reply = _BoundOf("max_reply_mb")
    """Of one answer of a model's server."""
    results = _BoundOf("max_results_mb")
    """Of many replies in one file."""
    page = _BoundOf("max_page_mb")
    """Of one answer of OpenReview."""
    pdf = _BoundOf("max_pdf_mb")
    """Of one PDF."""
    text = _BoundOf("max_text_mb")
    """Of one text."""
    table = _BoundOf("max_table_mb")
    """Of one file of many records that is read as a whole."""
    review = _BoundOf("max_review_mb")
    """Of one review."""

    def of_file(self, name: str) -> Bound:
        """The bound of a file, by its ending."""
        ending = Path(name).suffix.lower()
        return self.pdf if ending == ".pdf" else self.table if ending in _TABLES else self.text


_TABLES = (".jsonl", ".parquet", ".csv", ".tsv", ".json", ".xlsx", ".xlsm", ".xls", ".ods")


class _Process:
    """The bounds of this process, and where they come from when they are first asked for."""

    bounds: Bounds | None = None
    source: Callable[[], Bounds] = Bounds


def in_force() -> Bounds:
    """The bounds of this process.

    Raises:
        SettingsError: They are to come from settings, which are wrong.
    """
    if _Process.bounds is None:
        _Process.bounds = _Process.source()
    return _Process.bounds


def put_in_force(bounds: Bounds | None, *, source: Callable[[], Bounds] = Bounds) -> None:
    """Set the bounds of this process.

    Args:
        bounds: The bounds; None to take those of `source` when they are first asked for.
        source: Finds them; the defaults if not given.
    """
    _Process.bounds, _Process.source = bounds, source


def check_size(path: Path, bound: Bound) -> None:
    """Refuse a file that is too large, without reading it.

    Raises:
        TooLargeError: It is.
        InputError: It is not there.
    """
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if size > bound.size:
        raise TooLargeError(bound.problem(size, whole=True), file=path, cure=bound.cure)


def read_bounded(path: Path, bound: Bound) -> bytes:
    """The bytes of a file.

    Raises:
        TooLargeError: It is too large; no more than the bound was held.
        InputError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            check_size(path, bound)
            data = file.read(bound.size + 1)  # devices and pipes have no size
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if len(data) > bound.size:
        raise TooLargeError(bound.problem(len(data)), file=path, cure=bound.cure)
    return data


def open_regular(path: Path) -> BufferedReader:
    """Open an ordinary file to read; for files that nobody named, such as those of a run folder.

    A device gives bytes without end, and a pipe may give none for ever. Links are followed.

    Raises:
        InputError: It is something else.
        OSError: It cannot be opened.
    """
    number = os.open(path, os.O_RDONLY | _AT_ONCE)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise not_regular(path)
    return os.fdopen(number, "rb")


def not_regular(path: Path) -> InputError:
    """What is wrong with a pipe, device, socket or folder where a file should be."""
    return InputError(
        "is no ordinary file (but a pipe, a device or a folder)",
        file=path,
        cure="take it away, or put the file there",
    )


def read_regular(path: Path, bound: Bound) -> bytes:
    """As `read_bounded`, of an ordinary file.

    Raises:
        TooLargeError, InputError: As `read_bounded`, or it is no ordinary file.
    """
    try:
        with open_regular(path) as file:
            check_size(path, bound)
            data = file.read(bound.size + 1)  # it may be growing
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if len(data) > bound.size:
        raise TooLargeError(bound.problem(len(data)), file=path, cure=bound.cure)
    return data


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(f"cannot be read: {reason}", file=path, cure="check the path")


@dataclass(frozen=True, slots=True)
class BoundedLine:
    """One line of a file.

    Attributes:
        data: Its bytes, with its end; of a line that passes the bound no more than that.
        size: How many bytes it has in the file.
    """

    data: bytes
    size: int

    @property
    def cut(self) -> bool:
        """Whether the line passes the bound."""
        return self.size > len(self.data)


def bounded_lines(file: BinaryIO, bound: Bound) -> Iterator[BoundedLine]:
    """The lines of a file, ended by line feeds, none held beyond the bound."""
    while data := file.readline(bound.size + 1):
        size = len(data)
        if size <= bound.size:
            yield BoundedLine(data, size)
            continue
        rest = data
        while not rest.endswith(b"\n") and (rest := file.readline(_PIECE)):
            size += len(rest)
        yield BoundedLine(data[: bound.size], size)


class EncodingError(Exception):
    """A body that is not what its Content-Encoding says; never leaves its reader."""


class PassedError(Exception):
    """A body that passes its bound; never leaves its reader.

    Attributes:
        seen: Bytes after which it was given up.
    """

    def __init__(self, seen: int) -> None:
        self.seen = seen
        super().__init__(f"given up after {seen} bytes")


class Decompressor:
    """Decompresses a body piece by piece, so that a small body cannot fill the memory.

    Args:
        coding: Value of the header Content-Encoding: gzip, deflate, or none.
        most: Most bytes of the body, as it comes and as it is decompressed: what comes without an
            end may hold nothing.

    Raises:
        EncodingError: It is another coding, which nobody asked for, or several.
    """

    def __init__(self, coding: str, most: int) -> None:
        self._most, self._taken, self._given = most, 0, 0
        self._coding = coding.strip().lower()
        if self._coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise EncodingError(f"its encoding is '{coding[:40]}'; {ACCEPTED} was asked for")
        self._plain = self._coding in ("", "identity")
        self._made: zlib._Decompress | None = None
        self._head = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What becomes of some more bytes of the body, in small pieces.

        Raises:
            EncodingError: They are damaged.
            PassedError: There are too many.
        """
        self._taken += len(data)
        self._check(self._taken)
        if self._plain:
            yield data
            return
        for piece in self._unpacked(data):
            self._given += len(piece)
            self._check(self._given)
            yield piece

    def _check(self, seen: int) -> None:
        if seen > self._most:
            raise PassedError(seen)

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        if self._made is None:  # two bytes tell which of the two forms of deflate it is
            self._head = data = self._head + data
            if len(data) < _HEAD:
                return
            self._made = self._new(data)
        while data:
            if self._made.eof:  # of several members, the next
                self._made = self._new(data)
            try:
                piece = self._made.decompress(data, _PIECE)
            except zlib.error as error:
                raise EncodingError(f"its {self._coding} is damaged: {error}") from error
            if piece:
                yield piece
            data = self._made.unused_data if self._made.eof else self._made.unconsumed_tail
            if self._made.eof and not data.strip(b"\0"):
                return

    def _new(self, head: bytes) -> zlib._Decompress:
        if self._coding != "deflate":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        packed = head[0] & 15 == zlib.DEFLATED and int.from_bytes(head[:_HEAD], "big") % 31 == 0
        return zlib.decompressobj(zlib.MAX_WBITS if packed else -zlib.MAX_WBITS)


ACCEPTED = "gzip, deflate"
"""What requests say in Accept-Encoding: what `Decompressor` reads."""
