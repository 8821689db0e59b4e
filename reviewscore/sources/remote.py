"""Data that lies elsewhere, on any store that fsspec knows, brought here to be read."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from reviewscore.addresses import without_credentials
from reviewscore.bounds import in_force
from reviewscore.errors import InputError, TooLargeError
from reviewscore.files import write_whole

_PIECE = 1_048_576
COPIES = "fetched"
"""Folder of the copies."""
_KNOWN = ".fetched.json"
"""Which version of each file is here."""
_ADDRESS = ".address"
"""Ending of the file beside a copy that names its address, without credentials."""


def at_hand(where: str, kept_in: Path) -> Path:
    """A folder or file as a path on this machine.

    What lies at an address such as ``s3://bucket/iclr24`` is copied once, and again where it has
    changed. A path is returned as it is.

    Args:
        where: A path, or an address that fsspec knows.
        kept_in: Folder for copies.

    Raises:
        InputError: It is not there, or cannot be read.
    """
    if "://" not in where:
        return Path(where)
    shown = str(without_credentials(where))
    name = hashlib.sha256(where.rstrip("/").encode()).hexdigest()[:16]
    folder = kept_in / COPIES / name
    try:
        import fsspec.core

        files, root = fsspec.core.url_to_fs(where)
        path = _copied(files, root.rstrip("/"), folder)
        write_whole(folder.with_suffix(_ADDRESS), shown)
        return path
    except (ImportError, ValueError) as error:
        raise InputError(str(error), file=shown, cure="install its package") from error
    except FileNotFoundError as error:
        raise InputError("there is no such folder", file=shown, cure="check the address") from error
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}", file=shown, cure="check the access"
        ) from error


def address_of(path: Path) -> str | None:
    """The address that a path is the copy of; None if it is no copy of `at_hand`."""
    for folder in (path, path.parent):
        if folder.parent.name == COPIES:
            try:
                return folder.with_suffix(_ADDRESS).read_text("utf-8")
            except (OSError, ValueError):
                return None
    return None


def copies_of(address: str, kept_in: Path) -> tuple[Path, ...]:
    """The folders of copies of what lies at an address.

    Args:
        address: The address without credentials, as `address_of` gives it.
        kept_in: Folder of copies.
    """
    folder = kept_in / COPIES
    paths = sorted(folder.glob(f"*{_ADDRESS}")) if folder.is_dir() else []
    names = [path for path in paths if path.is_file() and not path.is_symlink()]
    return tuple(
        name.with_suffix("") for name in names if address_of(name.with_suffix("")) == address
    )


def remove_copy(folder: Path) -> None:
    """Remove the files of a copy that `at_hand` made; what else lies there stays.

    Raises:
        OSError: One of them cannot be removed.
    """
    if not folder.is_symlink():
        inside = [folder / name for name in _read(folder / _KNOWN)]
        root = folder.resolve()
        kept = [path for path in inside if path.parent.resolve().is_relative_to(root)]
        for file in (*kept, folder / _KNOWN):
            file.unlink(missing_ok=True)
        for place in sorted({path.parent for path in kept} | {folder}, reverse=True):
            with suppress(OSError):  # it holds something else
                place.rmdir()
    folder.with_suffix(_ADDRESS).unlink(missing_ok=True)


def _copied(files: Any, root: str, folder: Path) -> Path:
    if files.isfile(root):
        root, _, only = root.rpartition("/")
        names = [f"{root}/{only}"]
    else:
        only, names = "", files.find(root)
    if not names:
        raise FileNotFoundError(root)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    known = _read(folder / _KNOWN)
    for name in names:
        inside = name.removeprefix(root).lstrip("/")
        target = folder / inside
        version = str(files.ukey(name))
        if known.get(inside) == version and target.is_file():
            continue
        if not target.resolve().is_relative_to(folder.resolve()):
            raise OSError(f"'{inside}' would lie outside of its folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        if _copy(files, name, target):
            known[inside] = version
        write_whole(folder / _KNOWN, json.dumps(known))
    return folder / only if only else folder


def _copy(files: Any, name: str, target: Path) -> bool:
    """Copy a file; whether it is whole.

    In the place of a paper's file that is too large stands one of a size that passes the bound
    too, and takes no room: so it is a failure of that paper, with its name, and of nothing else.

    Raises:
        TooLargeError: The file holds the papers or reviews themselves.
    """
    bound = in_force().of_file(name)
    number, size = int(files.size(name) or 0), 0
    draft = target.with_name(f".{target.name}.new")
    try:
        with draft.open("wb") as copy:
            if number <= bound.size:
                with files.open(name, "rb") as source:
                    while size <= bound.size and (piece := source.read(_PIECE)):
                        size += len(piece)
                        copy.write(piece)
            seen = max(number, size)
            if seen > bound.size:
                if bound == in_force().table:
                    raise TooLargeError(bound.problem(seen), file=name, cure=bound.cure)
                copy.truncate(0)
                copy.truncate(seen)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return seen <= bound.size


def _read(path: Path) -> dict[str, str]:
    try:
        values: dict[str, str] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return values
