"""Data that lies elsewhere, on any store that fsspec knows, brought here to be read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from reviewscore.addresses import without_credentials
from reviewscore.errors import InputError
from reviewscore.store.jsonl import write_whole

_KNOWN = ".fetched.json"
"""Which version of each file is here."""


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
    folder = kept_in / "fetched" / name
    try:
        import fsspec.core

        files, root = fsspec.core.url_to_fs(where)
        return _copied(files, root.rstrip("/"), folder)
    except (ImportError, ValueError) as error:
        raise InputError(str(error), file=shown, cure="install its package") from error
    except FileNotFoundError as error:
        raise InputError("there is no such folder", file=shown, cure="check the address") from error
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror or error}", file=shown, cure="check the access"
        ) from error


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
        files.get_file(name, str(target))
        known[inside] = version
        write_whole(folder / _KNOWN, json.dumps(known))
    return folder / only if only else folder


def _read(path: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found
