"""Reviews as they were first written, where their history may be read: one request a review."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError, RunFolderError, StopError
from reviewscore.files import JsonLines, read_lines
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.sources.openreview.notes import Note, nameless
from reviewscore.sources.openreview.server import Server
from reviewscore.sources.openreview.threads import Thread

_SLACK_MS = 120_000
"""A version this much younger than its note is not the first."""
_TELL = 20


class Versions:
    """First versions by note, one a line as they come, so that asking goes on where it was.

    Args:
        path: The file; made when the first is kept.

    Raises:
        RunFolderError: It is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        self.hidden = 0
        try:
            for offset, line in read_lines(path):
                self._take(json.loads(line), offset)
        except (ValueError, KeyError, TypeError) as error:
            raise RunFolderError(
                f"{path} was changed by hand or damaged ({error}); delete it to ask anew"
            ) from error

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __len__(self) -> int:
        """How many first versions there are."""
        return len(self._places) - self.hidden

    def first(self, name: str) -> Mapping[str, Any] | None:
        """The fields of a note as they were at first; None if that is not known."""
        if name not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[name])
            found: Mapping[str, Any] | None = json.loads(file.readline())["content"]
        return found

    def keep(self, lines: JsonLines, name: str, content: Mapping[str, Any] | None) -> None:
        """Write a first version, or that it may not be seen."""
        line = without_surrogates({"id": name, "content": content})
        self._take(line, lines.append(json.dumps(line, ensure_ascii=False)))

    def _take(self, record: Any, offset: int) -> None:
        self._places[str(record["id"])] = offset
        self.hidden += record["content"] is None


def may_differ(note: Note) -> bool:
    """Whether what is served may be another text than the first."""
    if note.created is None or note.modified is None:
        return True
    return note.modified > note.created or bool(note.edited)


def fetch_versions(
    threads: Iterable[Thread],
    path: Path,
    *,
    say: Callable[[str], None],
    server: Callable[[int], Server],
) -> str | None:
    """Ask for the first version of each review that may have been changed, once.

    Args:
        threads: The forums.
        path: The file of `Versions`.
        say: Told how far it is.
        server: Opens a host, 1 or 2.

    Returns:
        What refused, in words; None if all was asked.
    """
    known = Versions(path)
    lines = JsonLines(path)
    asked = 0
    try:
        for review in (one for thread in threads for one in thread.reviews):
            note = review.note
            if note.note_id in known or not may_differ(note):
                continue
            known.keep(lines, note.note_id, _first(note, server(note.api)))
            asked += 1
            if asked % _TELL == 0:
                say(f"{asked:,} first versions asked for")
    except StopError as error:
        return f"{error} ({asked:,} first versions asked for)"
    finally:
        lines.close()
    return None


def _first(note: Note, host: Server) -> Mapping[str, Any] | None:
    """The fields of the oldest version that is as old as the note; None if it may not be seen."""
    path, name, query = (
        ("/references", "references", "referent")
        if note.api == 1
        else ("/notes/edits", "edits", "note.id")
    )
    try:
        found = host.get(path, {query: note.note_id}).get(name)
    except InputError:
        return None
    versions = []
    for one in found if isinstance(found, list) else ():
        if isinstance(one, Mapping):
            held = one if note.api == 1 else one.get("note")
            content = held.get("content") if isinstance(held, Mapping) else None
            made = one.get("tcdate") or one.get("cdate")
            if isinstance(content, Mapping) and isinstance(made, int | float):
                versions.append((made, one.get("invitation"), content))
    if not versions or note.created_ms is None:
        return None
    made, invitation, content = min(versions, key=lambda one: one[0])
    later = made > note.created_ms + _SLACK_MS
    other = note.api != 1 and invitation != note.invitation
    return None if later or other else {str(key): nameless(one) for key, one in content.items()}
