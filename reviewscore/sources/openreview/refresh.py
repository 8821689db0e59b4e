"""Bring a fetched venue up to date: only what was modified since is asked for.

Once a day its lists are read anew as a whole, which takes a request for a thousand papers: what was
deleted, or hidden from us, is then seen for certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError, StopError
from reviewscore.files import read_lines, read_whole, write_whole
from reviewscore.sources.data_folder import PDFS
from reviewscore.sources.openreview.fetch import PAGE, RAW, FetchTargets, fetch
from reviewscore.sources.openreview.server import Server
from reviewscore.sources.openreview.thread_store import ThreadStore, fetch_pdfs, is_forum_id
from reviewscore.sources.openreview.threads import build

_MODIFIED = re.compile(rb'"tmdate": (\d{10,16})')
_PDF_NAMES = Path("raw") / "pdfs.json"
_MOST_ALONE = 200
"""Forums that are asked for one by one; the lists as a whole take fewer requests than more."""
_MOST_PAGES = 100
"""Pages of what was modified, after which the lists are read as a whole."""

Say = Callable[[str], None]
Servers = Callable[[int], Server]


def refresh(venue: str, out: Path, *, say: Say, server: Servers) -> dict[str, str]:
    """Fetch a venue, or what changed of it since the last time, and write its data anew.

    Args:
        venue: Its id.
        out: The folder of an earlier fetch of it, or a new one.
        say: Told how far it is.
        server: Opens a host, 1 or 2.

    Returns:
        Papers whose PDF could not be had, with the reason.

    Raises:
        InputError: Nothing of the venue is visible.
        StopError: The server refuses; the message says how to go on.
        SettingsError: The extra is missing, or the login was refused.
    """
    if not _changed_only(venue, out, server):
        fetched = fetch(FetchTargets(venue=venue, pdfs=False), out, say=say, server=server)
        if fetched.stopped is not None:
            raise StopError(fetched.stopped)
        if fetched.empty:
            raise InputError(
                f"nothing of '{venue}' is visible to you",
                cure="check its id to the letter (ICLR.cc/2017/conference), or log in",
            )
    store = ThreadStore(out / RAW)
    store.close()
    named = _forget_old_pdfs(store, out)
    pdfs = fetch_pdfs(store.known, out / PDFS, say=say, server=server)
    there = {path.stem: Path(PDFS) / path.name for path in (out / PDFS).glob("*.pdf")}
    write_whole(out / _PDF_NAMES, json.dumps({name: named.get(name) for name in there}))
    build(store.threads(), out, pdfs=there)
    if pdfs.stopped is not None:
        say(pdfs.stopped)
    return pdfs.without


def _changed_only(venue: str, out: Path, server: Servers) -> bool:
    """Fetch the forums that were modified; False if the lists are to be read as a whole."""
    if not (out / RAW).is_file():
        return False
    store = ThreadStore(out / RAW)
    try:
        today = datetime.now(UTC).date().isoformat()
        modified = _modified(venue, out, server) if store.complete == today else None
        if modified is not None and len(modified) <= _MOST_ALONE:
            if modified:
                store.renew(2, {name: _forum(name, server) for name in sorted(modified)})
            return True
        if store.complete is not None:  # else an earlier listing goes on where it stopped
            (out / RAW).unlink()
            (out / RAW).with_name("places.json").unlink()
        return False
    finally:
        store.close()


def _modified(venue: str, out: Path, server: Servers) -> set[str] | None:
    """Forums with a note that was modified after all that are known; None if nobody can say."""
    if not all(store_line.startswith(b'{"api": 2') for _, store_line in read_lines(out / RAW)):
        return None  # the first API does not tell
    times = (int(time) for _, line in read_lines(out / RAW) for time in _MODIFIED.findall(line))
    since = max(times, default=0) + 1
    forums: set[str] = set()
    for _ in range(_MOST_PAGES):
        query = {
            "domain": venue,
            "mintmdate": str(since),
            "sort": "tmdate:asc",
            "limit": str(PAGE),
            "trash": "true",
        }
        try:
            page = server(2).get("/notes", query).get("notes")
        except InputError:
            return None
        notes = [note for note in page if isinstance(note, dict)] if isinstance(page, list) else []
        last = max((_time(note) for note in notes), default=since)
        if last < since or not isinstance(page, list):
            return None  # it does not look at the time
        named = {str(note.get("forum", "")) for note in notes if _time(note) >= since}
        forums |= {name for name in named if is_forum_id(name)}
        if len(notes) < PAGE or len(forums) > _MOST_ALONE:
            return forums
        since = max(last, since + 1)
    return None


def _time(note: dict[str, Any]) -> int:
    time = note.get("tmdate")
    return time if isinstance(time, int) else 0


def _forum(name: str, server: Servers) -> dict[str, Any] | None:
    """A forum with its replies as it is now; None if it is not visible any more."""
    try:
        notes = server(2).get("/notes", {"id": name, "details": "replies"}).get("notes")
    except InputError:
        return None
    known = [note for note in notes if isinstance(note, dict)] if isinstance(notes, list) else []
    return next((note for note in known if note.get("id") == name), None)


def _forget_old_pdfs(store: ThreadStore, out: Path) -> dict[str, object]:
    """Take away PDFs whose paper names another file by now; the names that papers give."""
    known: dict[str, object] = json.loads(read_whole(out / _PDF_NAMES) or b"{}")
    named: dict[str, object] = {}
    for thread in store.threads():
        note = thread.submission
        named[note.note_id] = note.content.get("pdf")
        if known.get(note.note_id) not in (None, named[note.note_id]):
            (out / PDFS / f"{note.note_id}.pdf").unlink(missing_ok=True)
    return named
