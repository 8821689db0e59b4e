"""The folder of a venue in its review period: what is in it, read and written a step at a time.

What a step changes is written to ``.next``; the mark `READY` says that all of it is there, and only
then is it moved into place, file by file. Whoever opens the folder next finishes a move that was
killed, and throws away what was never ready.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from reviewscore.config import Resolved
from reviewscore.errors import RunFolderError
from reviewscore.files import read_whole, unwritable, write_whole
from reviewscore.runs.consent import LOCAL
from reviewscore.runs.folder import MANIFEST, LockedFolder, parsed_lines
from reviewscore.schema.confidentiality import Consent, strictest
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.record import Record

VENUE, SYNC, CHANGES, PAST = "venue.json", "sync.json", "changes.jsonl", "past.jsonl"
INDEX, WITHDRAWN, TAKEN_BACK = "index.jsonl", "withdrawn.jsonl", "taken_back.jsonl"
RETIRED = "retired.jsonl"
DATA, RUN, SYNCS, SOURCE = "data", "run", "syncs", "source"
_NEXT, _READY = ".next", "READY"
_SCHEMA: Literal["reviewscore.venue_folder/1"] = "reviewscore.venue_folder/1"
_HEAD = 4096
"""Bytes of a record in which its schema stands."""

What = Literal["paper", "review"]
Line = TypeVar("Line", bound=Record)


class ChangeKind(StrEnum):
    """How a paper or review differs from what it was."""

    NEW = "new"
    EDITED = "edited"  # the words of a review that are judged
    WITHDRAWN = "withdrawn"
    RETURNED = "returned"  # after it was withdrawn
    ANSWERED = "answered"  # by the authors
    REVISED = "revised"  # the text of a paper
    DECIDED = "decided"
    RATED = "rated"  # rating, confidence or other scores
    REMARKED = "remarked"  # final remarks of a reviewer, which are never judged
    UPDATED = "updated"  # anything else, such as a title


class Change(Record):
    """What a sync found to differ of one paper or review; there may be several of one.

    Attributes:
        sync: Number of the sync.
        change: How it differs.
        what: Of what it is.
        id: The review, or the paper whatever its version.
        paper_id: The version of the paper: the one that a review was written on, or that now holds.
        before: SHA-256 of what is judged of it, as it was; None if it was not there.
        after: The same as it is now; None if it is gone.
    """

    schema_id: Literal["reviewscore.change/1"] = Field(
        default="reviewscore.change/1", alias="schema"
    )
    sync: int = Field(ge=1)
    change: ChangeKind = Field(strict=False)
    what: What
    id: str
    paper_id: str
    before: str | None
    after: str | None


class SyncRecord(Record):
    """One sync of a venue, which is a snapshot of it.

    Attributes:
        number: Counted from 1.
        at: When, UTC, ISO 8601.
        papers: How many papers changed in which way.
        reviews: How many reviews did.
        bad_lines: Lines of the source that could not be used.
        kept: Rows that stay as they were because of such lines.
    """

    schema_id: Literal["reviewscore.sync/1"] = Field(default="reviewscore.sync/1", alias="schema")
    number: int = Field(ge=1)
    at: str
    papers: dict[str, int] = Field(default_factory=dict)
    reviews: dict[str, int] = Field(default_factory=dict)
    bad_lines: int = Field(default=0, ge=0)
    kept: int = Field(default=0, ge=0)

    @property
    def counts(self) -> dict[str, int]:
        """How often which change was found, of papers and reviews together."""
        return dict(Counter(self.papers) + Counter(self.reviews))


class VenueRecord(Record):
    """What a venue folder is of.

    Attributes:
        source: Where its papers and reviews last came from: a folder, or a venue's identifier.
        kind: What kind of source that is.
        made: When the folder was made, UTC, ISO 8601.
        consent: What the venue allows for papers and reviews that do not say it themselves.
        syncs: Number of the last sync; 0 before the first.
        judged: Number of the sync whose papers and reviews the run knows; 0 before the first audit.
    """

    schema_id: Literal["reviewscore.venue_folder/1"] = Field(default=_SCHEMA, alias="schema")
    source: str
    kind: Literal["openreview", "export", "folder"]
    made: str
    consent: Consent | None = None
    syncs: int = Field(default=0, ge=0)
    judged: int = Field(default=0, ge=0)


class IndexRow(Record):
    """A row of the current data, by its sums.

    Attributes:
        what: What it is of.
        id: The review, or the version of a paper, as the row has it.
        sha: SHA-256 of what is judged: a review's words but late ones; a paper's text.
        rest: SHA-256 of the whole row as the source has it; where it alone differs, nothing is to
            be judged anew.
        since: Number of the sync that put the row as it is.
        judged_since: Number of the sync since which `sha` holds.
        version: Which version of its paper it is, or the review was written on.
        files: Files of a paper in the source, with their places in the data and, to see whether
            they changed, size and time of the last change in nanoseconds.
    """

    what: What
    id: str
    sha: str
    rest: str
    since: int = Field(ge=1)
    judged_since: int = Field(ge=1)
    version: int = Field(default=1, ge=1)
    files: dict[str, tuple[str, int, int]] = Field(default_factory=dict, strict=False)


class PastRow(Record):
    """A row that was replaced or is gone.

    Attributes:
        what: What it is of.
        id: As the row had it; of a paper with its version.
        since: Number of the sync that put it.
        until: Number of the sync that replaced it or took it away.
        sha: SHA-256 of what is judged of it, as of `IndexRow`.
        row: The row as it stood in the data.
    """

    what: What
    id: str
    sha: str
    since: int = Field(ge=1)
    until: int = Field(ge=1)
    row: dict[str, Any]


class RemovedRow(Record):
    """A paper or review that was removed for good; later syncs leave it out.

    Attributes:
        what: What it is.
        id: The review, or the paper without a version.
        at: When, UTC, ISO 8601.
    """

    what: What
    id: str
    at: str


class VenueFolder:
    """A venue folder; opening it finishes a step that was killed while it was put into place.

    Args:
        path: The folder, as `sync` made it.

    Raises:
        RunFolderError: It is no venue folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        if (self.path / _NEXT / _READY).is_file():
            with suppress(RunFolderError), LockedFolder(self.path):  # else its writer is at work
                recover(self.path)
        if not is_venue(self.path):
            raise RunFolderError(
                f"{path} is no venue folder: it has no {VENUE} of one; "
                "name the folder that `reviewscore sync SOURCE -o VENUE` wrote"
            )

    @property
    def record(self) -> VenueRecord:
        """What it is of, as it is written now.

        Raises:
            RunFolderError: It cannot be read.
        """
        file = self.path / VENUE
        try:
            return VenueRecord.model_validate_json(read_whole(file) or b"")
        except ValidationError as error:
            raise RunFolderError(
                f"{file}: not the record of a venue of this version of reviewscore; put back what "
                "`sync` wrote"
            ) from error

    @property
    def data(self) -> Path:
        """The folder of papers and reviews as they are now, in the ordinary format."""
        return self.path / DATA

    @property
    def run(self) -> Path:
        """The run folder of its audit."""
        return self.path / RUN

    @contextmanager
    def open_for_writing(self) -> Iterator[VenueFolder]:
        """The folder, locked; what a killed step left is finished or thrown away.

        Raises:
            RunFolderError: Another process writes to it.
        """
        with LockedFolder(self.path, what="this venue"):
            recover(self.path)
            yield self

    def with_consent(self, resolved: Resolved) -> Resolved:
        """Settings with the venue's consent, where that is stricter than what they say."""
        settings = resolved.settings
        consent = strictest(settings.consent, self.record.consent)
        if consent == settings.consent:
            return resolved
        origins = {**resolved.origins, "consent": str(self.path / VENUE)}
        return Resolved(settings.model_copy(update={"consent": consent}), origins)

    @property
    def behind(self) -> str | None:
        """That the run does not know the last syncs, in words; None if it does."""
        record = self.record
        if record.judged == record.syncs:
            return None
        return (
            f"the run knows sync {record.judged} of {record.syncs}, and nothing of what came "
            f"later; type reviewscore audit {self.path}"
        )

    def sync_folder(self, number: int) -> Path:
        """The folder of a sync."""
        return self.path / SYNCS / f"{number:04d}"

    def syncs(self) -> list[SyncRecord]:
        """All syncs, the first first."""
        folders = [self.sync_folder(number) for number in range(1, self.record.syncs + 1)]
        return [_record_in(folder / SYNC, SyncRecord) for folder in folders]

    def sync_at(self, when: date | datetime | str) -> SyncRecord:
        """The last sync at or before a time.

        Args:
            when: A day, which is taken as a whole, or a time; UTC unless it says otherwise.

        Raises:
            RunFolderError: It is no date, or before the first sync.
        """
        moment, syncs = _moment(when), self.syncs()
        before = [sync for sync in syncs if datetime.fromisoformat(sync.at) <= moment]
        if not before:
            first = f"the first sync was at {syncs[0].at}" if syncs else "it was never synced"
            raise RunFolderError(f"{self.path}: there is nothing as of {when}: {first}")
        return before[-1]

    def changes(self, since: int = 0) -> Iterator[Change]:
        """What the syncs after a number found, in their order."""
        yield from self._of_syncs(CHANGES, Change, since)

    def past(self, since: int = 0) -> Iterator[PastRow]:
        """The rows that the syncs after a number replaced or took away."""
        yield from self._of_syncs(PAST, PastRow, since)

    def _of_syncs(self, name: str, kind: type[Line], since: int) -> Iterator[Line]:
        for number in range(since + 1, self.record.syncs + 1):
            yield from lines_of(self.sync_folder(number) / name, kind)

    def index(self) -> Iterator[IndexRow]:
        """The current rows by their sums; papers first."""
        return lines_of(self.path / INDEX, IndexRow)


def lines_of(file: Path, kind: type[Line]) -> Iterator[Line]:
    """The records of a file of the venue folder; none if there is no such file.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    return (record for _, record in parsed_lines(file, kind.model_validate_json))


def is_venue(path: Path) -> bool:
    """Whether a folder is a venue's; that of a report on a venue has a file of the same name."""
    if (path / _NEXT / _READY).is_file():
        return True
    try:
        with (path / VENUE).open("rb") as record:
            return f'"{_SCHEMA}"'.encode() in record.read(_HEAD)
    except OSError:
        return False


def run_of(path: Path) -> Path:
    """The run folder that is meant: that of a venue's audit, or the folder itself.

    Raises:
        RunFolderError: The venue was not audited yet.
    """
    if not is_venue(path):
        return path
    run = VenueFolder(path).run
    if not (run / MANIFEST).is_file():
        raise RunFolderError(f"{path} was not audited yet; type reviewscore audit {path}")
    return run


def whole_venue(run: Path) -> Path:
    """The venue folder of the audit that a folder is the run of; else the folder itself."""
    for place in (run if run.name else run.absolute(), run.resolve()):  # it may be a link
        if place.name == RUN and is_venue(place.parent):
            return place.parent
    return run


def venue_above(path: Path) -> Path | None:
    """The venue folder that a path is, or lies in; None if there is none."""
    here, meant = path.absolute(), path.resolve()  # a link may lie in one, or lead into one
    return next(filter(is_venue, (here, *here.parents, meant, *meant.parents)), None)


def ruled_by_venues(resolved: Resolved, places: Iterable[Path]) -> Resolved:
    """Settings with the consent of the venue folders in which what is read lies, if stricter."""
    for folder in filter(None, map(venue_above, places)):
        resolved = VenueFolder(folder).with_consent(resolved)
    return resolved


def runs_in(run: Path) -> list[Path]:
    """A run, and beside it that of a judge on this machine, as far as they are there."""
    return [path for path in (run, run / LOCAL) if (path / MANIFEST).is_file()]


def removed_ids(path: Path) -> dict[What, set[str]]:
    """Papers (without a version) and reviews of a venue folder that were removed for good."""
    ids: dict[What, set[str]] = {"paper": set(), "review": set()}
    for row in lines_of(path / WITHDRAWN, RemovedRow):
        ids[row.what].add(base_paper_id(row.id) if row.what == "paper" else row.id)
    return ids


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """A folder for files that are put into the venue folder together, when all are written.

    A kill or a fault leaves all the old files or, once all new ones are written, brings these:
    whoever opens the folder next finishes the move. To be called when locked.

    Raises:
        RunFolderError: A file cannot be written.
    """
    following = path / _NEXT
    try:
        recover(path)
        following.mkdir(parents=True)
        yield following
        write_whole(following / _READY, "")
        recover(path)
    except OSError as error:
        raise unwritable(path, error) from error


def recover(path: Path) -> None:
    """Finish a step that was ready, or throw away one that was not; to be called when locked."""
    following = path / _NEXT
    if not following.is_dir():
        return
    if (following / _READY).is_file():
        for file in sorted(following.rglob("*")):
            if file.is_file() and file != following / _READY:
                target = path / file.relative_to(following)
                target.parent.mkdir(parents=True, exist_ok=True)
                file.replace(target)
        (following / _READY).unlink()
    shutil.rmtree(following)


def line_of(row: object) -> bytes:
    """A row of the data as a line of JSON."""
    return json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n"


def jsonl(records: Sequence[Record]) -> str:
    """Records as lines of JSON."""
    return "".join(f"{record.model_dump_json()}\n" for record in records)


def _record_in(file: Path, kind: type[Line]) -> Line:
    try:
        return kind.model_validate_json(read_whole(file) or b"")
    except ValidationError as error:
        raise RunFolderError(f"{file}: cannot be read; put back what `sync` wrote") from error


def _moment(when: date | datetime | str) -> datetime:
    """The moment that is meant; of a day its end.

    Raises:
        RunFolderError: It is no date.
    """
    if isinstance(when, str):
        try:
            day = len(when.strip()) <= len("2026-05-03")
            when = date.fromisoformat(when) if day else datetime.fromisoformat(when)
        except ValueError as error:
            raise RunFolderError(f"'{when}' is no date; write it as 2026-05-03") from error
    if not isinstance(when, datetime):
        when = datetime.combine(when, time.max)
    return when if when.tzinfo else when.replace(tzinfo=UTC)
