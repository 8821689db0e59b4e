"""What a file is that should be text and is none: named, with what to do about it."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path

from reviewscore.errors import InputError

_PDF = "save it as PDF (in Word: File, Save As)"
_WORD = (
    f"{_PDF} and give that; reviews and responses are read from .docx, .pdf and text, papers from "
    ".pdf, .tex, .html, .md and text"
)
_UNPACK = "unpack it, and name the file inside"
_PICTURE = "give the PDF itself or its text: words in pictures are not read"
_READABLE = (
    (b"{\\rtf1", "an RTF file", _WORD),
    (b"%!PS-", "a PostScript file", "turn it into a PDF, as with ps2pdf, and give that"),
)
"""Files whose bytes are UTF-8 although they are no plain text."""
_MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, such as Word's .doc", _WORD),
    (b"%PDF-", "a PDF", "give a text file here"),
    (b"\x89PNG", "a picture (PNG)", _PICTURE),
    (b"\xff\xd8\xff", "a picture (JPEG)", _PICTURE),
    (b"GIF8", "a picture (GIF)", _PICTURE),
    (b"II*\0", "a picture (TIFF)", _PICTURE),
    (b"MM\0*", "a picture (TIFF)", _PICTURE),
    (b"\x1f\x8b", "packed (gzip)", _UNPACK),
    (b"7z\xbc\xaf", "packed (7-Zip)", _UNPACK),
    (b"Rar!", "packed (RAR)", _UNPACK),
    (b"BZh", "packed (bzip2)", _UNPACK),
    (b"\xfd7zXZ", "packed (xz)", _UNPACK),
    (b"PAR1", "a Parquet file", "name it so that it ends in .parquet"),
)
_ZIP = b"PK\x03\x04"
_PACKED = (
    ("word/", "a Word file (.docx)", _WORD),
    ("xl/", "an Excel file", "name it so that it ends in .xlsx"),
    ("ppt/", "slides (.pptx)", _PDF),
    ("content.xml", "an OpenDocument file, such as .odt", _WORD),
)
"""What the archive of a document holds."""
_BOMS = ((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"),
         (b"\xfe\xff", "UTF-16"))  # fmt: skip
_HEAD = 4096
_MOST = 0.8
"""Share of NULs in every other byte, and of other bytes between them, that speaks for UTF-16."""
_FEW = 32
"""Bytes of which no share is told."""
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\x08"))
_BINARY = 0.05
"""Share of control characters from which on bytes that are not UTF-8 are no text at all."""


def check_text(path: Path, data: bytes) -> None:
    """Refuse what only looks as if it were UTF-8 text.

    Args:
        path: The file.
        data: Its bytes.

    Raises:
        InputError: It is a document, an archive, or UTF-16 without a mark; says what to do.
    """
    for mark, what, cure in _READABLE:
        if data.startswith(mark):
            raise _other(path, what, cure)
    if data.startswith(_ZIP):
        raise _other(path, *_packed(data))
    head = data[:_HEAD]
    if len(head) < _FEW:
        return
    high, low = (head[first::2].count(0) / len(head[first::2]) for first in (0, 1))
    if max(high, low) > _MOST > 1 - _MOST > min(high, low):
        encoding = "UTF-16BE" if high > low else "UTF-16LE"
        raise InputError(f"is text in {encoding}", file=path, cure=_as_utf8(path, encoding))


def not_utf8(path: Path, data: bytes, error: UnicodeDecodeError) -> InputError:
    """What a file is that is not UTF-8, as far as its first bytes tell.

    Args:
        path: The file.
        data: Its bytes.
        error: What was met.
    """
    return _binary(path, data) or InputError(
        f"is not UTF-8 text (byte {error.start})", file=path, cure=_as_utf8(path, "WINDOWS-1252")
    )


def check_head(path: Path) -> None:
    """Refuse a file that is no text at all, by its first bytes; single bad bytes are let through.

    Args:
        path: An ordinary file.

    Raises:
        InputError: It is a document, a picture, an archive or in UTF-16.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    check_text(path, head)
    try:
        head.decode()
    except UnicodeDecodeError:
        if (kind := _binary(path, head)) is not None:
            raise kind from None


def _binary(path: Path, data: bytes) -> InputError | None:
    """What bytes are that are not UTF-8; None of text in another encoding of single bytes."""
    for mark, what, cure in _MAGIC:
        if data.startswith(mark):
            return _other(path, what, cure)
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return InputError(f"is text in {encoding}", file=path, cure=_as_utf8(path, encoding))
    head = data[:_HEAD]
    if len(head) - len(head.translate(None, _CONTROLS)) > _BINARY * len(head):
        cure = "give a PDF or a text file"
        return InputError("holds binary data, not text", file=path, cure=cure)
    return None


def _other(path: Path, what: str, cure: str) -> InputError:
    return InputError(f"is {what}, not text", file=path, cure=cure)


def _as_utf8(path: Path, encoding: str) -> str:
    name, new = shlex.quote(str(path)), shlex.quote(str(path.with_suffix(f".utf8{path.suffix}")))
    return f"save it as UTF-8 (type iconv -f {encoding} -t UTF-8 {name} > {new})"


def _packed(data: bytes) -> tuple[str, str]:
    """What a packed file is, and what to do."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        names = []
    for begin, what, cure in _PACKED:
        if any(name.startswith(begin) for name in names):
            return what, cure
    return "packed (ZIP)", _UNPACK
