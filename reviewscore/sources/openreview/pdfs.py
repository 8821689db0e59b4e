"""Papers' PDFs, from the server or beside an export, each whole or not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reviewscore.errors import InputError, StopError
from reviewscore.sources.data_folder import PDFS, copied
from reviewscore.sources.openreview.server import LOG_IN, Server
from reviewscore.store.jsonl import write_bytes_whole

_MAGIC = b"%PDF-"
_SMALLEST = 1_000
_TELL = 20
_PAGES_IN_A_ROW = 5
"""Web pages in place of PDFs, one after the other, that mean a challenge."""
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass
class Pdfs:
    """How fetching PDFs ended.

    Attributes:
        without: Papers whose PDF could not be had, with the reason.
        stopped: What refused all of them, in words; None if nothing did.
    """

    without: dict[str, str] = field(default_factory=dict)
    stopped: str | None = None


def fetch_pdfs(
    known: Mapping[str, int],
    folder: Path,
    *,
    say: Callable[[str], None],
    server: Callable[[int], Server],
) -> Pdfs:
    """Fetch the papers that are not there.

    Args:
        known: API by forum.
        folder: Where they go, each named by its forum.
        say: Told how far it is.
        server: Opens a host, 1 or 2.
    """
    found = Pdfs()
    missing = [name for name in known if not (folder / f"{name}.pdf").is_file()]
    fetched = pages = 0
    for name in missing:
        if not _SAFE.fullmatch(name):
            found.without[name] = "its id cannot be a file name"
            continue
        try:
            data = server(known[name]).file("/pdf", {"id": name})
            if data.startswith(_MAGIC) and len(data) >= _SMALLEST:
                write_bytes_whole(folder / f"{name}.pdf", data)
                fetched, pages = fetched + 1, 0
            else:
                found.without[name] = "what came is no PDF"
                pages = pages + 1 if b"<html" in data[:1000].lower() else 0
                if pages == _PAGES_IN_A_ROW:
                    raise StopError(f"OpenReview sends web pages in place of PDFs. {LOG_IN}")
        except InputError as error:
            found.without[name] = str(error)
            continue
        except StopError as error:
            found.stopped = f"{error} ({fetched:,} of {len(missing):,} PDFs fetched)"
            break
        if fetched and fetched % _TELL == 0:
            say(f"{fetched:,} of {len(missing):,} PDFs")
    return found


def given_pdfs(path: Path, out: Path, forums: Collection[str]) -> dict[str, Path]:
    """PDFs named by forums: those in the folder, and those beside the export, which are copied."""
    there = (out / PDFS).glob("*.pdf")
    found = {one.stem: Path(PDFS) / one.name for one in sorted(there) if one.stem in forums}
    for file in sorted(path.rglob("*.pdf")) if path.is_dir() else ():
        if file.stem in forums and file.resolve().parent != (out / PDFS).resolve():
            found[file.stem] = copied(file, out, file.stem)
    return found
