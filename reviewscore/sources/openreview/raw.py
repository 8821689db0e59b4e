"""Forums as the server sent them, kept so that a fetch goes on where it was; without names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import JsonLines, read_lines, read_whole, write_whole
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.sources.openreview.notes import PEOPLE, anonymous, nameless, read_note
from reviewscore.sources.openreview.threads import Thread, thread
from reviewscore.sources.openreview.versions import Versions

_KEPT = (
    "id", "forum", "replyto", "invitation", "invitations", "number", "cdate", "mdate", "tcdate",
    "tmdate", "ddate", "license",
)  # fmt: skip
_COMPLETE = "complete"
_OF_AUTHORS = re.compile("author|email", re.IGNORECASE)
"""Fields of a submission that tell who wrote it; its text has none."""


class Raw:
    """The forums as they came, one a line, and how far each list was read.

    Args:
        path: The file of forums; the list of places lies beside it.

    Raises:
        RunFolderError: A file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._places_file = path, path.with_name("places.json")
        self.known: dict[str, int] = {}
        self.left_out: Counter[str] = Counter()
        try:
            for _, line in read_lines(path):
                record = json.loads(line)
                self.known[str(record["note"]["id"])] = int(record["api"])
            self.places: dict[str, str] = dict(json.loads(read_whole(self._places_file) or b"{}"))
        except (ValueError, KeyError, TypeError) as error:
            raise RunFolderError(
                f"{path.parent} was changed by hand or damaged ({error}); delete it to fetch anew"
            ) from error
        self._lines = JsonLines(path)

    def add(self, api: int, records: Sequence[Mapping[str, Any]], limit: int | None) -> int:
        """Write forums that are not there yet, without people's names; returns how many.

        Args:
            api: The server's, 1 or 2.
            records: Submissions with their replies.
            limit: Forums that the file may hold; None for all.
        """
        new = 0
        for record in records:
            if self.full(limit):
                break
            name = record.get("id")
            if not isinstance(name, str) or name in self.known:
                continue
            line = {"api": api, "note": scrubbed(record)}
            self._lines.append(json.dumps(without_surrogates(line), ensure_ascii=False))
            self.known[name] = api
            new += 1
        return new

    def full(self, limit: int | None) -> bool:
        """Whether there are as many forums as are wanted."""
        return limit is not None and len(self.known) >= limit

    @property
    def complete(self) -> str | None:
        """The day on which a venue's lists were read to their end; None before."""
        return self.places.get(_COMPLETE)

    def began(self, api: int, invitation: str = "") -> bool:
        """Whether anything was found in a server's lists, or in one of them."""
        return any(place.startswith(f"{api} {invitation}") for place in self.places)

    def ended(self) -> None:
        """Note that a venue's lists were read to their end."""
        self.reached(_COMPLETE, datetime.now(UTC).date().isoformat())

    def reached(self, place: str, last: str) -> None:
        """Note how far a list was read."""
        self.places[place] = last
        write_whole(self._places_file, json.dumps(self.places, indent=1))

    def threads(
        self, limit: int | None = None, versions: Versions | None = None
    ) -> Iterator[Thread]:
        """All forums, read one by one, as served; what cannot be used is counted.

        Args:
            limit: So many at most, the first that came; None for all.
            versions: First versions of notes, which stand in place of those served.
        """
        self.left_out.clear()
        for _, line in islice(read_lines(self._path), limit):
            try:
                note = read_note(json.loads(line)["note"])
                yield thread(note, [_first(one, versions) for one in note.replies])
            except InputError as error:
                self.left_out[f"left out: {error}"] += 1

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def _first(record: Mapping[str, Any], versions: Versions | None) -> Mapping[str, Any]:
    first = None if versions is None else versions.first(str(record.get("id")))
    return record if first is None else {**record, "content": first, "served": record["content"]}


def scrubbed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A note without what tells who people are.

    Of a signature its last part stays, and of a person's own name that it was one; fields about
    authors, readers and writers go, and profiles' names in any text.
    """
    content = record.get("content")
    heading = not isinstance(record.get("replyto"), str)
    found: dict[str, Any] = {name: record[name] for name in _KEPT if name in record}
    if isinstance(content, Mapping):
        found["content"] = {
            name: nameless(value)
            for name, value in content.items()
            if name.lower() not in PEOPLE and not (heading and _OF_AUTHORS.search(name))
        }
    names = record.get("signatures")
    found["signatures"] = [
        anonymous(one) or "~"
        for one in (names if isinstance(names, list) else [])
        if isinstance(one, str)
    ]
    details = record.get("details")
    replies = details.get("replies") if isinstance(details, Mapping) else None
    if isinstance(replies, list):
        found["details"] = {
            "replies": [scrubbed(one) for one in replies if isinstance(one, Mapping)]
        }
    return found
