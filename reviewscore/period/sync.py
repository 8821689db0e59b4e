"""Keep a venue folder in step with its source: find by content what changed, and write that down.

Nothing is judged here. Rows that did not change are copied as they are; each row that is replaced
or gone is kept with the syncs between which it held, so that every sync can be looked at again.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from reviewscore.config import Plain
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import JsonLines, read_lines, write_whole
from reviewscore.period import log
from reviewscore.period.removed_ids import RemovedIds, take_out
from reviewscore.period.source_rows import (
    JUDGED,
    Source,
    SourceRow,
    SourceTable,
    Stamp,
    boxes_of,
    is_late,
    open_source,
)
from reviewscore.period.taken_back import TakenBack, taken_back
from reviewscore.period.venue import (
    CHANGES,
    DATA,
    INDEX,
    PAST,
    SOURCE,
    SYNC,
    SYNCS,
    TAKEN_BACK,
    VENUE,
    Change,
    ChangeKind,
    IndexRow,
    PastRow,
    SyncRecord,
    VenueFolder,
    VenueRecord,
    What,
    is_venue,
    jsonl,
    line_of,
    lines_of,
    recover,
    removed_ids,
    staged,
)
from reviewscore.period.verify import DIFFERED, watched
from reviewscore.printable import counted
from reviewscore.runs.folder import LOCK, LockedFolder
from reviewscore.schema.confidentiality import Consent
from reviewscore.schema.paper import base_paper_id, version_id, version_number
from reviewscore.sources.data_folder import PAPERS, REVIEWS
from reviewscore.sources.records import RecordRow
from reviewscore.sources.reviews import ReviewRow, build_review, with_boxes

Kind = Literal["openreview", "export", "folder"]
_OF_PAPERS = {"decision": ChangeKind.DECIDED, "general_response": ChangeKind.ANSWERED}
_OF_REVIEWS = {
    "author_response": ChangeKind.ANSWERED,
    "rating": ChangeKind.RATED,
    "confidence": ChangeKind.RATED,
    "scores": ChangeKind.RATED,
}
"""Fields whose change has a name of its own."""


@dataclass(frozen=True)
class SyncSource:
    """Where a venue's papers and reviews come from.

    Attributes:
        folder: A folder, or a file of papers or reviews, as `read_collection` reads it.
        name: What it is called in the venue's record; its path if not given.
        kind: What kind of source it is.
        fetch: Brings the folder up to date before it is read.
    """

    folder: Path
    name: str | None = None
    kind: Kind = "folder"
    fetch: Callable[[], object] | None = None


def sync(
    source: Path | SyncSource,
    venue_path: Path,
    *,
    now: datetime | None = None,
    consent: Consent | None = None,
    yes: bool = False,
    skip_bad_lines: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> SyncRecord:
    """Bring a venue folder to the state of its source.

    Args:
        source: A folder, or a file of papers or reviews, as `read_collection` reads it; or another
            source.
        venue_path: The venue folder; made if it is not there.
        now: The time of this sync; it is now if not given.
        consent: What the venue allows where papers and reviews do not say; kept if not given.
        yes: Go on where less than half of the reviews is left.
        skip_bad_lines: Go on with lines that cannot be used; what they held stays as it was.
        say: Told what was left out.

    Returns:
        What changed.

    Raises:
        InputError: The source cannot be used, or has lost most of its reviews.
        RunFolderError: The folder holds something else, or another process writes to it.
    """
    source = SyncSource(Path(source)) if isinstance(source, str | Path) else source
    at = (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    written = (DATA, INDEX, VENUE, TAKEN_BACK)
    with (
        LockedFolder(venue_path, what="this venue") as folder,
        watched(venue_path, *written) as differed,
    ):
        recover(venue_path)
        place = source.folder.resolve()
        name = source.name or str(place)
        record = _record(folder, VenueRecord(source=name, kind=source.kind, made=at))
        if place.is_relative_to((venue_path / DATA).resolve()):
            raise InputError("is the venue's own data", file=place, cure="name its source")
        removed = removed_ids(venue_path)
        if source.fetch is not None:
            try:
                source.fetch()
            finally:  # what was removed for good stays out of the fetched data, too
                take_out(venue_path / SOURCE, RemovedIds(removed["paper"], removed["review"]))
        before = _Before.read(venue_path, record)
        known = {base: rows[-1].files for base, rows in before.papers.items()}
        awaits = source.kind != "folder"
        with open_source(source.folder, known, removed, awaits_texts=awaits) as read:
            if waiting := read.papers.awaited:
                say(
                    f"{counted(waiting, 'paper')} without a text yet: left out with the reviews, "
                    "until a sync finds the text"
                    + (" (PDFs beside the notes, FORUM.pdf)" if source.kind == "export" else "")
                )
            if read.faults and not skip_bad_lines:
                raise _first_of(read.faults)
            for fault in read.faults:
                say(f"left out: {fault}")
            if not yes:
                _check_loss(read.reviews, before, source.folder)
            with staged(venue_path) as out:
                done = _Step(venue_path, out, before, read, record.syncs + 1, at).write()
                later = {"source": name, "syncs": done.number, "consent": consent or record.consent}
                record = record.model_copy(update=later)
                write_whole(out / VENUE, record.model_dump_json(indent=1) + "\n")
        _note(venue_path, done, differed)
    return done


def _note(venue: Path, done: SyncRecord, differed: list[str]) -> None:
    """Write the sync into the venue's log."""
    counts: dict[str, Plain] = {
        f"{what} {change}": count
        for what, changes in (("papers", done.papers), ("reviews", done.reviews))
        for change, count in changes.items()
    }
    if differed:
        counts[DIFFERED] = [*differed]
    names = (f"{DATA}/{PAPERS}", f"{DATA}/{REVIEWS}", INDEX, VENUE, TAKEN_BACK)
    files = [venue / name for name in names if (venue / name).is_file()]
    files += sorted((venue / SYNCS / f"{done.number:04d}").iterdir())
    log.append(venue, "synced", details={"number": done.number, **counts}, files=files)


def _record(folder: LockedFolder, new: VenueRecord) -> VenueRecord:
    """What the folder is of.

    Raises:
        RunFolderError: Of something else.
    """
    path = folder.path
    if not is_venue(path):
        others = {file.name for file in path.iterdir()} - {LOCK, SOURCE}
        if others:
            raise RunFolderError(
                f"{path} holds {min(others)!r} and is no venue folder; choose another with -o"
            )
        return new
    old = VenueFolder(path).record
    if old.kind != new.kind or (old.kind == "openreview" and old.source != new.source):
        raise RunFolderError(
            f"{path} is kept in step with another source ({old.kind}: {old.source}); "
            "name that one, or another folder with -o"
        )
    return old


def _first_of(faults: Sequence[InputError]) -> InputError:
    """The first of the lines that cannot be used, and what to type."""
    fault, rest = faults[0], len(faults) - 1
    return InputError(
        fault.problem + (f" (and {rest:,} more such lines)" if rest else ""),
        file=fault.file,
        line=fault.line,
        field=fault.field,
        cure=f"{fault.cure or 'correct it'}; or say --skip-bad-lines: what such lines held stays",
    )


def _check_loss(reviews: SourceTable, before: _Before, path: Path) -> None:
    """Refuse a source that lost most reviews: a broken export must not withdraw them.

    Raises:
        InputError: It is one.
    """
    held, kept = len(before.reviews), reviews.kept & before.reviews.keys()
    left = held if reviews.nameless else len(reviews.rows) + len(kept)
    if 2 * left < held:
        raise InputError(
            f"holds {left:,} reviews of {held:,}: more than half would be withdrawn",
            file=path,
            cure="is it whole? if they were all withdrawn, say --yes",
        )


@dataclass
class _Before:
    """A venue as the last sync left it.

    Attributes:
        rows: What the data hold, in the order of their lines.
        papers: Versions by paper, the newest last.
        reviews: Reviews by identifier.
        gone: What was withdrawn and is not there, with its withdrawal.
    """

    rows: dict[What, list[IndexRow]] = field(default_factory=lambda: {"paper": [], "review": []})
    papers: dict[str, list[IndexRow]] = field(default_factory=dict)
    reviews: dict[str, IndexRow] = field(default_factory=dict)
    gone: dict[tuple[What, str], Change] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, record: VenueRecord) -> _Before:
        """What is there; nothing before the first sync."""
        before = cls()
        for row in lines_of(path / INDEX, IndexRow):
            before.rows[row.what].append(row)
            if row.what == "paper":
                before.papers.setdefault(base_paper_id(row.id), []).append(row)
            else:
                before.reviews[row.id] = row
        for versions in before.papers.values():
            versions.sort(key=lambda row: row.version)
        for number in range(1, record.syncs + 1):
            for _, raw in read_lines(path / SYNCS / f"{number:04d}" / CHANGES):
                if b'"withdrawn"' in raw:
                    change = Change.model_validate_json(raw)
                    before.gone[change.what, change.id] = change
        return before


class _Step:
    """Writes a sync into a staging folder.

    Args:
        venue: The venue folder.
        out: The staging folder.
        before: What the venue was.
        source: What its source is now.
        number: Number of the sync.
        at: When, UTC, ISO 8601.
    """

    def __init__(
        self, venue: Path, out: Path, before: _Before, source: Source, number: int, at: str
    ) -> None:
        self._venue, self._out, self._before, self._source = venue, out, before, source
        self._number, self._at = number, at
        self._counts: dict[What, Counter[str]] = {"paper": Counter(), "review": Counter()}
        self._versions: dict[str, int] = {}
        self._returned: set[str] = set()
        self._removed = removed_ids(venue)
        self._taken: list[TakenBack] = []
        self._kept = 0

    def write(self) -> SyncRecord:
        """Write what changed, the new data and its index."""
        folder = self._out / SYNCS / f"{self._number:04d}"
        folder.mkdir(parents=True)
        (self._out / DATA).mkdir()
        with ExitStack() as stack:
            files = [
                JsonLines(file) for file in (folder / CHANGES, folder / PAST, self._out / INDEX)
            ]
            self._changes, self._past, self._index = files
            for file in files:
                stack.callback(file.close)
            self._papers()
            self._reviews()
        self._take_back()
        done = SyncRecord(
            number=self._number,
            at=self._at,
            papers=_in_order(self._counts["paper"]),
            reviews=_in_order(self._counts["review"]),
            bad_lines=len(self._source.faults),
            kept=self._kept,
        )
        write_whole(folder / SYNC, done.model_dump_json(indent=1) + "\n")
        return done

    def _papers(self) -> None:
        table, papers = self._source.papers, self._before.papers
        restored = [*chain.from_iterable(map(self._restored, table.rows.keys() - papers.keys()))]
        for row, _ in restored:
            papers.setdefault(base_paper_id(row.id), []).append(row)
        self._returned = {base_paper_id(row.id) for row, _ in restored}
        fresh = {
            base: row
            for base, row in table.rows.items()
            if base not in papers or papers[base][-1].sha != row.sha.hex()
        }
        differ = {
            base
            for base, versions in papers.items()
            if base not in table.rows or table.rows[base].rest.hex() != versions[-1].rest
        }
        if not fresh and not differ and self._number > 1:
            for old in self._before.rows["paper"]:
                self._keep(old, table.rows.get(base_paper_id(old.id)))
            return
        with (self._out / DATA / PAPERS).open("wb") as out:
            for old, raw in chain(self._old_lines("paper"), restored):
                base = base_paper_id(old.id)
                new = table.rows.get(base)
                if base not in differ:
                    out.write(self._keep(old, new, raw))
                elif new is not None:
                    out.write(self._renewed_paper(old, raw, new))
                elif self._stays(table, "paper", base):
                    self._kept += 1
                    out.write(self._keep(old, None, raw))
                else:
                    self._go(old, raw, base)
            for base, new in fresh.items():
                out.write(self._added_paper(base, new))

    def _restored(self, base: str) -> Iterator[tuple[IndexRow, bytes]]:
        """The versions of a paper that returns, as they were when it went."""
        change = self._before.gone.get(("paper", base))
        if change is None:
            return
        file = self._venue / SYNCS / f"{change.sync:04d}" / PAST
        went = [
            past
            for past in lines_of(file, PastRow)
            if past.what == "paper" and base_paper_id(past.id) == base
        ]
        for past in sorted(went, key=lambda past: version_number(past.id)):
            yield (
                IndexRow(
                    what="paper",
                    id=past.id,
                    sha=past.sha,
                    rest="",
                    since=self._number,
                    judged_since=self._number,
                    version=version_number(past.id),
                ),
                line_of(past.row),
            )

    def _renewed_paper(self, old: IndexRow, raw: bytes, new: SourceRow) -> bytes:
        """The new row of a version; of any but the newest only what is not its text is new."""
        base, held, record = new.paper_id, json.loads(raw), self._source.paper(new)
        newest, sha = self._before.papers[base][-1], new.sha.hex()
        revised = newest.sha != sha
        if old is newest:
            kinds = _kinds(held, record, _OF_PAPERS)
            if revised:
                kinds = [ChangeKind.REVISED, *(kind for kind in kinds if kind != "updated")]
            if returned := base in self._returned:
                kinds = [ChangeKind.RETURNED]
            paper_id = version_id(base, newest.version + revised)
            self._change(kinds, "paper", base, paper_id, None if returned else old.sha, sha)
        row = {**record, "paper_id": old.id}
        if old is not newest or revised:
            row = {name: value for name, value in row.items() if name not in JUDGED}
            row |= {name: held[name] for name in JUDGED if name in held}
            return self._replace(old, raw, row, old.sha, new.rest, old.files)
        return self._replace(old, raw, row, sha, new.rest, self._copied(new))

    def _added_paper(self, base: str, new: SourceRow) -> bytes:
        versions = self._before.papers.get(base)
        number = versions[-1].version + 1 if versions else 1
        paper_id = version_id(base, number)
        if not versions:
            self._change([ChangeKind.NEW], "paper", base, paper_id, None, new.sha.hex())
        record = {**self._source.paper(new), "paper_id": paper_id}
        return self._add("paper", record, paper_id, new, version=number)

    def _copied(self, new: SourceRow) -> Mapping[str, Stamp]:
        """The files of a paper, which are brought into the data."""
        for name, (place, *_) in new.files.items():
            target = self._out / DATA / place
            if not (self._venue / DATA / place).is_file() and not target.is_file():
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(self._source.folder / name, target)
        return new.files

    def _reviews(self) -> None:
        table, reviews = self._source.reviews, self._before.reviews
        same = table.rows.keys() == reviews.keys() and all(
            row.rest.hex() == reviews[name].rest for name, row in table.rows.items()
        )
        if same and self._number > 1:
            for old in self._before.rows["review"]:
                self._keep(old, None)
            return
        with (self._out / DATA / REVIEWS).open("wb") as out:
            for old, raw in self._old_lines("review"):
                new = table.rows.get(old.id)
                if new is not None and new.rest.hex() == old.rest:
                    out.write(self._keep(old, None, raw))
                elif new is not None:
                    out.write(self._renewed_review(old, raw, new))
                elif self._stays(table, "review", old.id) and self._has_paper(raw):
                    self._kept += 1
                    out.write(self._keep(old, None, raw))
                else:
                    self._go(old, raw, old.id)
            for name, new in table.rows.items():
                if name not in reviews:
                    out.write(self._added_review(name, new))

    def _has_paper(self, raw: bytes) -> bool:
        return base_paper_id(json.loads(raw)["paper_id"]) in self._versions

    def _stays(self, table: SourceTable, what: What, name: str) -> bool:
        """Whether what is not there may be in a line that could not be read."""
        return (name in table.kept or table.nameless) and name not in self._removed[what]

    def _renewed_review(self, old: IndexRow, raw: bytes, new: SourceRow) -> bytes:
        held, sha = json.loads(raw), new.sha.hex()
        paper_id = held["paper_id"]
        if base_paper_id(paper_id) != new.paper_id:
            paper_id = version_id(new.paper_id, self._versions[new.paper_id])
        row = self._review_row(old.id, new, paper_id, held)
        kinds = _kinds(held, row, _OF_REVIEWS)
        if old.sha != sha:
            kinds = [ChangeKind.EDITED, *(kind for kind in kinds if kind != "updated")]
        self._change(kinds, "review", old.id, paper_id, old.sha, sha)
        self._look(old.id, row, held)
        moved = old.model_copy(update={"version": version_number(paper_id)})
        return self._replace(moved, raw, row, sha, new.rest, {})

    def _added_review(self, name: str, new: SourceRow) -> bytes:
        went = self._before.gone.get(("review", name))
        newest = self._versions[new.paper_id]
        paper_id = version_id(new.paper_id, newest)
        if went is not None and base_paper_id(went.paper_id) == new.paper_id:
            paper_id = version_id(new.paper_id, min(newest, version_number(went.paper_id)))
        kind = ChangeKind.NEW if went is None else ChangeKind.RETURNED
        self._change([kind], "review", name, paper_id, None, new.sha.hex())
        row = self._review_row(name, new, paper_id, {})
        self._look(name, row, None)
        return self._add("review", row, name, new, version=version_number(paper_id))

    def _review_row(
        self, name: str, new: SourceRow, paper_id: str, held: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A review's record, of the version that its reviewer read, and dated."""
        record = self._source.reviews.record(new)
        dated = record.get("date") or held.get("date") or self._at[: len("2026-05-03")]
        return {**record, "review_id": name, "paper_id": paper_id, "date": dated}

    def _look(self, name: str, row: dict[str, Any], held: dict[str, Any] | None) -> None:
        """Look for what later text of a review takes back."""
        fields = _boxes(row)
        if any(taken_back(fields, old := None if held is None else _boxes(held))):
            review, _ = build_review(_review(row))  # spans are of its text as it is read
            self._taken += [
                TakenBack(review_id=name, text=text, span=span, at=self._at)
                for text, span in taken_back(review.fields, old)
            ]

    def _take_back(self) -> None:
        file = self._venue / TAKEN_BACK
        known = [*lines_of(file, TakenBack)]
        told = {(row.review_id, row.text) for row in known}
        new = [row for row in self._taken if (row.review_id, row.text) not in told]
        if new:
            write_whole(self._out / TAKEN_BACK, jsonl([*known, *new]))

    def _old_lines(self, what: What) -> Iterator[tuple[IndexRow, bytes]]:
        """The rows of the data with their lines.

        Raises:
            RunFolderError: Something else has changed them.
        """
        file = self._venue / DATA / (PAPERS if what == "paper" else REVIEWS)
        lines = (raw for _, raw in read_lines(file))
        for row in self._before.rows[what]:
            raw = next(lines, b"")
            if json.dumps(row.id, ensure_ascii=False).encode() not in raw:
                raise RunFolderError(
                    f"{file}: was changed by something else than reviewscore; put back what `sync` "
                    "wrote, or sync into another folder"
                )
            yield row, raw

    def _keep(self, row: IndexRow, new: SourceRow | None, raw: bytes = b"") -> bytes:
        """Index a row that stays as it is; of a paper whose files were touched only the stamps."""
        is_newest = new is not None and self._before.papers[new.paper_id][-1] is row
        if new is not None and is_newest and new.files != row.files:
            row = row.model_copy(update={"files": dict(new.files)})
        return self._indexed(row, raw)

    def _replace(
        self,
        old: IndexRow,
        raw: bytes,
        row: dict[str, Any],
        sha: str,
        rest: bytes,
        files: Mapping[str, Stamp],
    ) -> bytes:
        """The line of a row in place of another, which is kept among the past ones."""
        line = line_of(row)
        update: dict[str, object] = {"rest": rest.hex(), "files": dict(files)}
        if line != raw:
            update["since"] = self._number
            self._pass(old, raw)
        if old.sha != sha:
            update |= {"sha": sha, "judged_since": self._number}
        return self._indexed(old.model_copy(update=update), line)

    def _add(
        self, what: What, row: dict[str, Any], name: str, new: SourceRow, *, version: int
    ) -> bytes:
        added = IndexRow(
            what=what,
            id=name,
            sha=new.sha.hex(),
            rest=new.rest.hex(),
            since=self._number,
            judged_since=self._number,
            version=version,
            files=dict(self._copied(new)),
        )
        return self._indexed(added, line_of(row))

    def _indexed(self, row: IndexRow, line: bytes) -> bytes:
        self._index.append(row.model_dump_json())
        if row.what == "paper":
            base = base_paper_id(row.id)
            self._versions[base] = max(row.version, self._versions.get(base, 0))
        return line

    def _go(self, old: IndexRow, raw: bytes, name: str) -> None:
        """Take a row out of the data."""
        self._pass(old, raw)
        if old.what == "review" or self._before.papers[name][-1] is old:
            paper_id = json.loads(raw)["paper_id"]
            self._change([ChangeKind.WITHDRAWN], old.what, name, paper_id, old.sha, None)

    def _pass(self, old: IndexRow, raw: bytes) -> None:
        """Keep a row that held until now; nothing of what was removed for good is kept."""
        base = base_paper_id(old.id) if old.what == "paper" else old.id
        if old.since == self._number or base in self._removed[old.what]:
            return
        past = PastRow(
            what=old.what,
            id=old.id,
            since=old.since,
            until=self._number,
            sha=old.sha,
            row=json.loads(raw),
        )
        self._past.append(past.model_dump_json())

    def _change(
        self,
        kinds: Iterable[ChangeKind],
        what: What,
        name: str,
        paper_id: str,
        before: str | None,
        after: str | None,
    ) -> None:
        for kind in kinds:
            change = Change(
                sync=self._number,
                change=kind,
                what=what,
                id=name,
                paper_id=paper_id,
                before=before,
                after=after,
            )
            self._changes.append(change.model_dump_json())
            self._counts[what][kind] += 1


def _kinds(
    held: Mapping[str, Any], row: Mapping[str, Any], named: Mapping[str, ChangeKind]
) -> list[ChangeKind]:
    """What changed of a row beside what is judged."""
    kinds = {kind for name, kind in named.items() if held.get(name) != row.get(name)}
    if named is _OF_REVIEWS and _late(held) != _late(row):
        kinds.add(ChangeKind.REMARKED)
    return [kind for kind in ChangeKind if kind in kinds] or [ChangeKind.UPDATED]


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {kind.value: counts[kind] for kind in ChangeKind if counts[kind]}


def _review(row: dict[str, Any]) -> ReviewRow:
    return ReviewRow.model_validate(with_boxes(RecordRow(1, 0, row)).value)


def _boxes(row: dict[str, Any]) -> dict[str, str]:
    return boxes_of(_review(row))


def _late(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: text for name, text in _boxes(dict(row)).items() if is_late(name)}
