"""What a server sent, kept so that a fetch goes on where it was: forums, versions, PDFs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from reviewscore.errors import InputError, RunFolderError, StopError
from reviewscore.files import JsonLines, read_lines, read_whole, write_whole
from reviewscore.papers.hygiene import without_surrogates
from reviewscore.sources.data_folder import PDFS, copied
from reviewscore.sources.openreview.notes import (
    PEOPLE,
    ForumNote,
    anonymous,
    may_differ,
    nameless,
    read_note,
)
from reviewscore.sources.openreview.server import LOG_IN, Server
from reviewscore.sources.openreview.threads import Thread, thread

_KEPT = (
    "id", "forum", "replyto", "invitation", "invitations", "number", "cdate", "mdate", "tcdate",
    "tmdate", "ddate", "license",
)  # fmt: skip
_COMPLETE = "complete"
_OF_AUTHORS = re.compile("author|email", re.IGNORECASE)
"""Fields of a submission that tell who wrote it; its text has none."""


class ThreadStore:
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

    def renew(self, api: int, records: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Replace forums by what they are now; None of one that is not visible any more.

        Args:
            api: The server's, 1 or 2.
            records: Submissions with their replies, by their ids.
        """
        texts = {
            name: json.dumps(without_surrogates({"api": api, "note": scrubbed(note)}),
                             ensure_ascii=False).encode() + b"\n"
            for name, note in records.items()
            if note is not None
        }  # fmt: skip
        self._lines.close()

        def lines() -> Iterator[bytes]:
            for name, (_, line) in zip([*self.known], read_lines(self._path), strict=True):
                yield texts.get(name, b"" if name in records else line)
            yield from (text for name, text in texts.items() if name not in self.known)

        write_whole(self._path, lines())
        self._lines = JsonLines(self._path)
        self.known = {name: kind for name, kind in self.known.items() if name not in records or
                      name in texts} | dict.fromkeys(texts, api)  # fmt: skip

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
        self, limit: int | None = None, versions: VersionStore | None = None
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
                yield thread(note, [_with_first(reply, versions) for reply in note.replies])
            except InputError as error:
                self.left_out[f"left out: {error}"] += 1

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def _with_first(record: Mapping[str, Any], versions: VersionStore | None) -> Mapping[str, Any]:
    first = None if versions is None else versions.first(str(record.get("id")))
    return record if first is None else {**record, "content": first, "served": record["content"]}


def scrubbed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A note without what tells who people are.

    Of a signature its last part stays, and of a person's own name that it was one; fields about
    authors, readers and writers go, and profiles' names in any text.
    """
    content = record.get("content")
    heading = not isinstance(record.get("replyto"), str)
    entry: dict[str, Any] = {name: record[name] for name in _KEPT if name in record}
    if isinstance(content, Mapping):
        entry["content"] = {
            name: nameless(value)
            for name, value in content.items()
            if name.lower() not in PEOPLE and not (heading and _OF_AUTHORS.search(name))
        }
    names = record.get("signatures")
    entry["signatures"] = [
        anonymous(value) or "~"
        for value in (names if isinstance(names, list) else [])
        if isinstance(value, str)
    ]
    details = record.get("details")
    replies = details.get("replies") if isinstance(details, Mapping) else None
    if isinstance(replies, list):
        entry["details"] = {
            "replies": [scrubbed(reply) for reply in replies if isinstance(reply, Mapping)]
        }
    return entry


_SLACK_MS = 120_000
"""A version this much younger than its note is not the first."""
_TELL = 20


class VersionStore:
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
            record: Mapping[str, Any] | None = json.loads(file.readline())["content"]
        return record

    def keep(self, lines: JsonLines, name: str, content: Mapping[str, Any] | None) -> None:
        """Write a first version, or that it may not be seen."""
        line = without_surrogates({"id": name, "content": content})
        self._take(line, lines.append(json.dumps(line, ensure_ascii=False)))

    def _take(self, record: Any, offset: int) -> None:
        self._places[str(record["id"])] = offset
        self.hidden += record["content"] is None


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
        path: The file of `VersionStore`.
        say: Told how far it is.
        server: Opens a host, 1 or 2.

    Returns:
        What refused, in words; None if all was asked.
    """
    known = VersionStore(path)
    lines = JsonLines(path)
    asked = 0
    try:
        for review in (review for thread in threads for review in thread.reviews):
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


def _first(note: ForumNote, host: Server) -> Mapping[str, Any] | None:
    """The fields of the oldest version that is as old as the note; None if it may not be seen."""
    path, name, query = (
        ("/references", "references", "referent")
        if note.api == 1
        else ("/notes/edits", "edits", "note.id")
    )
    try:
        value = host.get(path, {query: note.note_id}).get(name)
    except InputError:
        return None
    versions = []
    for record in value if isinstance(value, list) else ():
        if isinstance(record, Mapping):
            held = record if note.api == 1 else record.get("note")
            content = held.get("content") if isinstance(held, Mapping) else None
            made = record.get("tcdate") or record.get("cdate")
            if isinstance(content, Mapping) and isinstance(made, int | float):
                versions.append((made, record.get("invitation"), content))
    if not versions or note.created_ms is None:
        return None
    made, invitation, content = min(versions, key=lambda row: row[0])
    later = made > note.created_ms + _SLACK_MS
    other = note.api != 1 and invitation != note.invitation
    return None if later or other else {str(key): nameless(item) for key, item in content.items()}


def keep_form(
    threads: Iterable[Thread],
    file: Path,
    *,
    say: Callable[[str], None],
    server: Callable[[int], Server],
) -> None:
    """Keep the definition of the form beside the reviews, once; nothing else waits for it.

    Args:
        threads: Forums of the venue; the first review names its invitation.
        file: Where it is kept.
        say: Told if it cannot be had now.
        server: Opens a host, 1 or 2.
    """
    note = next((review.note for thread in threads for review in thread.reviews), None)
    if note is None or file.is_file():
        return
    of_venue = f"{note.venue}/-/{note.invitation.rpartition('/-/')[2]}"
    record: dict[str, object] = {}
    try:
        for name in dict.fromkeys((note.invitation, of_venue)):
            content = _content(server(note.api), name)
            if content:
                record = {"invitation": name, "content": nameless(content)}
                break
    except StopError as error:
        say(f"the definition of the review form could not be had: {error}")
        return
    write_whole(file, json.dumps(without_surrogates(record), indent=1, ensure_ascii=False) + "\n")


def _content(host: Server, name: str) -> Mapping[str, object] | None:
    """The boxes that an invitation asks for; None if it may not be seen."""
    try:
        some = host.get("/invitations", {"id": name}).get("invitations")
    except InputError:
        return None
    value: object = some[0] if isinstance(some, list) and some else None
    for path in (("edit", "note", "content"), ("reply", "content")):  # of API 2 and 1
        at = value
        for step in path:
            at = at.get(step) if isinstance(at, Mapping) else None
        if isinstance(at, Mapping):
            return at
    return None


_MAGIC = b"%PDF-"
_SMALLEST = 1_000
_TELL_PDFS = 20
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
    pdfs = Pdfs()
    usable = {name for name in known if is_forum_id(name)}
    pdfs.without.update({shown_id(name): _NO_NAME for name in known if name not in usable})
    missing = [name for name in known if name in usable and not (folder / f"{name}.pdf").is_file()]
    fetched = pages = 0
    for name in missing:
        try:
            keep = partial(_keep, folder / f"{name}.pdf")
            server(known[name]).file("/pdf", {"id": name}, keep)
            fetched, pages = fetched + 1, 0
        except _NoPdfError as error:
            pdfs.without[name] = str(error)
            pages = pages + 1 if error.page else 0
            if pages == _PAGES_IN_A_ROW:
                pdfs.stopped = f"OpenReview sends web pages in place of PDFs. {LOG_IN}"
                pdfs.stopped += f" ({fetched:,} of {len(missing):,} PDFs fetched)"
                break
        except InputError as error:
            pdfs.without[name] = str(error)
            continue
        except StopError as error:
            pdfs.stopped = f"{error} ({fetched:,} of {len(missing):,} PDFs fetched)"
            break
        if fetched and fetched % _TELL_PDFS == 0:
            say(f"{fetched:,} of {len(missing):,} PDFs")
    return pdfs


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
    paths = {path.stem: Path(PDFS) / path.name for path in sorted(there) if path.stem in forums}
    for file in sorted(path.rglob("*.pdf")) if path.is_dir() else ():
        if file.stem in forums and file.resolve().parent != (out / PDFS).resolve():
            paths[file.stem] = copied(file, out, file.stem)
    return paths
