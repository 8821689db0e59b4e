"""A folder of papers, reviews and meta-reviews as other verbs read it, written whole or not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from reviewscore.bounds import in_force, read_bounded
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import JsonLines, results_folder, write_whole
from reviewscore.papers.hygiene import without_surrogates

PAPERS, REVIEWS, METAREVIEWS = "papers.jsonl", "reviews.jsonl", "metareviews.jsonl"
ACCOUNT = "fetch.json"
"""Account of how the data came there; every such folder has one."""
PDFS = "pdfs"
_SCHEMA = "reviewscore.fetch/1"
_LONGEST = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
_RESERVED = re.compile(r"(?i)[.-].*|.*[.]|(con|prn|aux|nul|com\d|lpt\d)([.].*)?")
"""Names that some systems hide or refuse, or that commands take for an option."""


def read_account(out: Path) -> dict[str, Any]:
    """The account of how the data came there; empty if there is none.

    Raises:
        RunFolderError: It cannot be read.
    """
    file = out / ACCOUNT
    if not file.is_file():
        return {}
    try:
        value: object = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise RunFolderError(f"{file} is no account of a fetch; choose another folder") from error
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        raise RunFolderError(f"{file} is no account of a fetch; choose another folder")
    return value


def write_account(out: Path, made: Mapping[str, Any]) -> None:
    """Write how the data came there."""
    value = without_surrogates({"schema": _SCHEMA, **made})
    write_whole(out / ACCOUNT, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def copied(file: Path, out: Path, name: str) -> Path:
    """Copy a PDF into the folder; its place in it.

    Names that differ give files that differ, whatever a file system makes of their characters.

    Args:
        file: The PDF.
        out: The folder.
        name: The paper's id.

    Raises:
        InputError: It cannot be read.
        StopError: The disk is full.
        RunFolderError: The folder cannot be written.
    """
    data = read_bounded(file, in_force().pdf)
    place = Path(PDFS) / f"{file_name(name)}.pdf"
    write_whole(out / place, data)
    return place


def file_name(name: str) -> str:
    """A paper's id as a file name that all systems allow, with a sum where it had to change."""
    plain = _UNSAFE.sub("-", name)
    if plain == name and len(name) <= _LONGEST and not _RESERVED.fullmatch(name):
        return name
    return digest_name(name)


def digest_name(name: str) -> str:
    """A paper's id as a file name with a sum, which differs where ids do, if only in case."""
    suffix = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    made = f"{_UNSAFE.sub('-', name)[:_LONGEST]}-{suffix}"
    return f"_{made[1:]}" if made.startswith("-") else made


class DataFolder:
    """Writes records into drafts that replace the files when all are written.

    Records go out one by one, so that a venue need not fit into memory.

    Args:
        out: The folder; made if it is not there.

    Raises:
        RunFolderError: It holds other things, or cannot be written.
    """

    def __init__(self, out: Path) -> None:
        results_folder(out, verb="fetch", marker=ACCOUNT, inside=(PDFS,), allow_foreign=None)
        self._out = out
        self._drafts = {name: out / f".{name}.new" for name in (PAPERS, REVIEWS, METAREVIEWS)}
        self._files: dict[str, JsonLines] = {}
        self.written = dict.fromkeys(self._drafts, 0)

    def account(self, made: Mapping[str, Any]) -> None:
        """Write how the data came there.

        Raises:
            RunFolderError: What is there came from another kind of source.
        """
        old = read_account(self._out)
        if old and old.get("source") != made["source"]:
            raise RunFolderError(
                f"{self._out} holds data of another source ({old.get('source')}); "
                "choose another folder"
            )
        write_account(self._out, made)

    def check(self, faults: Sequence[InputError], source: Path) -> None:
        """Refuse to replace what is there by nothing.

        Raises:
            InputError: No review was written; the first fault, or that there are none.
        """
        if not self.written[REVIEWS]:
            nothing = InputError("holds no review that can be used", file=source)
            raise faults[0] if faults else nothing

    def add(self, name: str, record: Mapping[str, Any]) -> None:
        """Write a record into one of the three files; fields without a value are left out."""
        known = {key: value for key, value in record.items() if value not in (None, "", {}, [])}
        self._files[name].append(json.dumps(without_surrogates(known), ensure_ascii=False))
        self.written[name] += 1

    def __enter__(self) -> DataFolder:
        for name, draft in self._drafts.items():
            draft.unlink(missing_ok=True)
            self._files[name] = JsonLines(draft)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for name, draft in self._drafts.items():
            self._files[name].close()
            if kind is None:
                draft.replace(self._out / name)
            draft.unlink(missing_ok=True)
