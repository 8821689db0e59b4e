"""Papers' PDFs, from the server or beside an export, each whole or not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from reviewscore.errors import InputError, StopError
from reviewscore.files import write_whole
from reviewscore.sources.data_folder import PDFS, copied
from reviewscore.sources.openreview.server import LOG_IN, Server

_MAGIC = b"%PDF-"
_SMALLEST = 1_000
_TELL = 20
_PAGES_IN_A_ROW = 5
"""Web pages in place of PDFs, one after the other, that mean a challenge."""
_FORUM_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NO_NAME = "its id cannot be a file name"
_SHOWN = 40


def is_forum_id(name: str) -> bool:
    """Whether a text can be the id of a forum, and the name of its PDF."""
    return _FORUM_ID.fullmatch(name) is not None


def shown_id(name: str) -> str:
    """An id as it is shown: of one that is no id the beginning."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}.. ({len(name):,} characters)"


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
    usable = {name for name in known if is_forum_id(name)}
    found.without.update({shown_id(name): _NO_NAME for name in known if name not in usable})
    missing = [name for name in known if name in usable and not (folder / f"{name}.pdf").is_file()]
    fetched = pages = 0
    for name in missing:
        try:
            keep = partial(_keep, folder / f"{name}.pdf")
            server(known[name]).file("/pdf", {"id": name}, keep)
            fetched, pages = fetched + 1, 0
        except _NoPdfError as error:
            found.without[name] = str(error)
            pages = pages + 1 if error.page else 0
            if pages == _PAGES_IN_A_ROW:
                found.stopped = f"OpenReview sends web pages in place of PDFs. {LOG_IN}"
                found.stopped += f" ({fetched:,} of {len(missing):,} PDFs fetched)"
                break
        except InputError as error:
            found.without[name] = str(error)
            continue
        except StopError as error:
            found.stopped = f"{error} ({fetched:,} of {len(missing):,} PDFs fetched)"
            break
        if fetched and fetched % _TELL == 0:
            say(f"{fetched:,} of {len(missing):,} PDFs")
    return found


def _keep(place: Path, pieces: Iterator[bytes]) -> None:
    """Write what comes, if it is a PDF."""
    write_whole(place, _checked(pieces))


def _checked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of a PDF; of anything else no more is fetched than tells it.

    Raises:
        _NoPdfError: It is something else.
    """
    head = b""
    for piece in pieces:
        if len(head) < _SMALLEST:
            head += piece
            if len(head) >= _SMALLEST and head.startswith(_MAGIC):
                yield head
            elif len(head) >= _SMALLEST:
                break
        else:
            yield piece
    if len(head) < _SMALLEST or not head.startswith(_MAGIC):
        raise _NoPdfError(page=b"<html" in head[:_SMALLEST].lower())


class _NoPdfError(InputError):
    """What came is no PDF; `page`: but a web page."""

    def __init__(self, *, page: bool) -> None:
        super().__init__("what came is no PDF")
        self.page = page


def given_pdfs(path: Path, out: Path, forums: Collection[str]) -> dict[str, Path]:
    """PDFs named by forums: those in the folder, and those beside the export, which are copied."""
    there = (out / PDFS).glob("*.pdf")
    found = {one.stem: Path(PDFS) / one.name for one in sorted(there) if one.stem in forums}
    for file in sorted(path.rglob("*.pdf")) if path.is_dir() else ():
        if file.stem in forums and file.resolve().parent != (out / PDFS).resolve():
            found[file.stem] = copied(file, out, file.stem)
    return found
