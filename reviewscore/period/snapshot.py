"""A venue as it was in a sync: its papers and reviews, and the scores of the points of then."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import TEMPORARY, read_lines, write_whole
from reviewscore.period.history import (
    Splitting,
    anchored,
    retired_by,
    review_of_row,
    with_inputs,
    write_run,
)
from reviewscore.period.later import LaterOf, later_of
from reviewscore.period.venue import (
    RETIRED,
    SyncRecord,
    VenueFolder,
    What,
    is_venue,
    line_of,
    run_of,
)
from reviewscore.runs.folder import read_lines_of_points, read_manifest
from reviewscore.runs.input_data import noted_data
from reviewscore.schema.point_score import PointScore
from reviewscore.sources.collection import read_collection
from reviewscore.sources.data_folder import PAPERS, REVIEWS

_NUMBER = re.compile(r"\d{1,4}")


def sync_named(venue: VenueFolder, when: str | date) -> SyncRecord:
    """The sync that is meant: by its number, or the last one at or before a time.

    Raises:
        RunFolderError: There is none, or it is neither a number nor a time.
    """
    if not (isinstance(when, str) and _NUMBER.fullmatch(when)):
        return venue.sync_at(when)
    syncs = venue.syncs()
    if not 1 <= int(when) <= len(syncs):
        raise RunFolderError(f"{venue.path} has no sync {when}; name one of 1 to {len(syncs)}")
    return syncs[int(when) - 1]


def as_of_words(venue: VenueFolder, sync: SyncRecord) -> str:
    """What a report of a sync says at its head."""
    return (
        f"As of {sync.at} (sync {sync.number} of {venue.record.syncs}): papers, reviews and their "
        "points are those of then. Verdicts on them that were given later are shown too."
    )


@dataclass(frozen=True)
class ShownRun:
    """A run that is to be shown: that of a venue, perhaps as of a sync, or any other.

    Attributes:
        run: Its folder.
        data: What it was made of, where that is another folder than its manifest says.
        venue: The venue, where the run is shown as it is now.
        notes: What a reader must know first.
        place: Where pages go without their ending, unless somebody says where; None for the run's
            own place.
    """

    run: Path
    data: Path | None = None
    venue: VenueFolder | None = None
    notes: tuple[str, ...] = ()
    place: Path | None = None

    @property
    def later(self) -> LaterOf | None:
        """What gives what came later than a point; None where nothing is to be told."""
        return None if self.venue is None else later_of(self.venue)

    def output(self, *, folder: bool) -> Path | None:
        """Where a page goes, or a folder of pages, unless somebody says where."""
        if self.place is None or folder:
            return self.place
        return self.place.with_name(f"{self.place.name}.html")


@contextmanager
def shown_run(
    path: Path, as_of: str | None = None, *, accept_changed: bool = False
) -> Iterator[ShownRun]:
    """The run that is meant by a folder: its own, a venue's, or a venue's as of a sync.

    Args:
        path: A run folder or a venue folder.
        as_of: A day, a time, or the number of a sync; None for now. What is written for it is gone
            afterwards.
        accept_changed: Go on with records that something else has changed.

    Raises:
        RunFolderError: There is no run, or nothing as of then.
        SettingsError: It is no venue folder, and was to be shown as of some time.
    """
    if not is_venue(path):
        if as_of is not None:
            raise SettingsError("--as-of is of venue folders, which `reviewscore sync` keeps")
        yield ShownRun(path)
        return
    run, venue = run_of(path), VenueFolder(path)
    if as_of is None:
        notes = () if venue.behind is None else (f"{venue.behind[0].upper()}{venue.behind[1:]}.",)
        yield ShownRun(run, venue=venue, notes=notes)
        return
    sync = sync_named(venue, as_of)
    with TemporaryDirectory(dir=path, prefix=f".{TEMPORARY}") as folder:  # files can be linked
        then = write_snapshot(venue, sync, Path(folder), accept_changed=accept_changed)
        name = re.sub(r"[^0-9A-Za-z-]+", "-", as_of)
        place, notes = path / f"as-of-{name}", (as_of_words(venue, sync),)
        yield ShownRun(then, Path(folder) / "data", notes=notes, place=place)


def write_snapshot(
    venue: VenueFolder, sync: SyncRecord, out: Path, *, accept_changed: bool = False
) -> Path:
    """Write the data and the run of a venue as of a sync, each in a folder of its own.

    Texts are those of then. So are scores: of a point whose score has changed since the one of
    then, else the one that it has, whenever it was given.

    Args:
        venue: The venue.
        sync: The sync.
        out: The folder for ``data`` and ``run``; files of papers are linked into it where they lie
            on the same disk, else copied.
        accept_changed: Go on with records that something else has changed.

    Returns:
        The run folder.

    Raises:
        RunFolderError: The venue was not audited, its records were changed, or it cannot be
            written.
        InputError: There was no review.
    """
    data, run = out / "data", out / "run"
    for folder in (data, run):
        folder.mkdir(parents=True, exist_ok=True)
    manifest = read_manifest(venue.run, accept_changed=accept_changed)
    rows = _Rows(venue, sync.number)
    write_whole(data / PAPERS, rows.of("paper", PAPERS, link_to=data))
    write_whole(data / REVIEWS, rows.of("review", REVIEWS))
    scores = _scores(venue, sync.number, rows, Splitting.of(manifest))
    update = {
        "complete": manifest.complete and venue.record.judged >= sync.number,
        "digests": {},
        "growing": False,
        **noted_data(run, data, None),
    }
    then = with_inputs(manifest, read_collection(data, skip_bad_lines=True))
    write_run(run, then.model_copy(update=update), scores)
    return run


class _Rows:
    """The rows of a venue as of a sync.

    Attributes:
        replaced: Reviews of then that have another row now, or none.
        same: Reviews of then that still have the same row.
    """

    def __init__(self, venue: VenueFolder, sync: int) -> None:
        self._data = venue.data
        self._now = {(row.what, row.id) for row in venue.index() if row.since <= sync}
        self._past = [row for row in venue.past(sync) if row.since <= sync]
        self.same = {name for what, name in self._now if what == "review"}
        self.replaced = {
            row.id: review_of_row(row.row) for row in self._past if row.what == "review"
        }

    def of(self, what: What, table: str, *, link_to: Path | None = None) -> Iterator[bytes]:
        """The lines of a table as of then; files of papers are linked into a folder."""
        rows = (
            (line, row)
            for _, line in read_lines(self._data / table)
            if (what, str((row := json.loads(line))[f"{what}_id"])) in self._now
        )
        past = ((line_of(row.row), row.row) for row in self._past if row.what == what)
        for line, row in chain(rows, past):
            if link_to is not None:
                _link_files(row, self._data, link_to)
            yield line


def _link_files(row: Mapping[str, Any], data: Path, target: Path) -> None:
    """Put the files that a paper's row names beside its row; what is gone is left out."""
    documents = row.get("documents") or ()
    listed = json.loads(documents) if isinstance(documents, str) else documents
    for record in (row, *listed):
        for name in filter(None, (record.get("file"), record.get("pdf"))):
            source, copy = data / name, target / name
            if source.is_file() and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(source, copy)
                except OSError:  # on another disk
                    shutil.copyfile(source, copy)


def _scores(
    venue: VenueFolder, sync: int, rows: _Rows, splitting: Splitting
) -> Iterator[tuple[PointScore, bytes | None]]:
    """The scores of the points of then, each with its line where it is as it is now."""
    then = {
        each.point_id: each.score
        for each in retired_by(venue, sync, names=[RETIRED])
        if each.since <= sync < each.until
    }
    pool: dict[str, dict[str, PointScore]] = defaultdict(dict)
    for line, score in read_lines_of_points(venue.run):
        if score.review_id in rows.same:
            old = then.get(score.point_id)
            yield (score, line) if old is None else (old, None)
        elif score.review_id in rows.replaced:
            pool[score.review_id][score.point_id] = score
    for score in then.values():
        pool[score.review_id][score.point_id] = score
    for review_id, review in rows.replaced.items():
        held = pool[review_id]
        for name, point in splitting.standing(review, held.values()).items():
            if name in held:
                yield anchored(held[name], point), None
