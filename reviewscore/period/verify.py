"""Whether the log, the records and the pages of a venue folder are what was written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reviewscore.errors import InputError, ReviewScoreError, RunFolderError
from reviewscore.files import hash_file, read_lines, read_whole, write_whole
from reviewscore.period.log import FIRST, LOG, Head, LogEntry, append, parsed
from reviewscore.period.venue import RETIRED, RUN, is_venue, runs_in
from reviewscore.runs.folder import changed_records, manifest_of
from reviewscore.schema.record import Record, storable

PAGES = "pages"
PAGE_SUMS = "pages.sha256"
"""Sums of the delivered pages, as ``sha256sum -c`` reads them in the venue folder."""
DIFFERED = "differed"
"""Detail of an entry: files that were not as written before what it tells of changed them."""
BEGUN = ".begun.json"
"""In the venue folder while a command writes to it, and after one was killed."""


class Begun(Record):
    """A command that writes to a venue folder, and has not told the log of it yet.

    Attributes:
        places: Files and folders that it may write, from the venue folder on.
        differed: Files in them that something else had changed before it began.
    """

    places: tuple[str, ...] = ()
    differed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One kind of things that were looked at.

    Attributes:
        what: What they are.
        count: How many there are.
        faults: Those that are not what was written, with file and entry, in words.
    """

    what: str
    count: int
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verification:
    """What a venue folder was found to be.

    Attributes:
        checks: What was looked at.
        head: The last entry of the log, to be kept elsewhere.
        torn: Bytes of a half-written entry at the end, which the next entry notes.
    """

    checks: tuple[Check, ...]
    head: Head
    torn: int = 0

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not any(check.faults for check in self.checks)


def verify(venue: Path, kept: Head | None = None) -> Verification:
    """Compare a venue folder with its log, its records' sums and those of its pages.

    Args:
        venue: The folder; it is only read.
        kept: The head of the log as it was once, kept elsewhere.

    Raises:
        RunFolderError: There is no log, or a file cannot be read.
    """
    if not (venue / LOG).is_file():
        raise RunFolderError(
            f"{venue} has no {LOG}; name a folder that `reviewscore sync -o` wrote, or put the "
            "log back"
        )
    chain = Chain(venue / LOG)
    faults = (*chain.faults, *(chain.against(kept) if kept is not None else ()))
    return Verification(
        checks=(
            Check("entries of the log", chain.count, faults),
            Check("files that entries name", len(chain.files), tuple(_changed(venue, chain))),
            *(_records(venue, run) for run in runs_in(venue / RUN)),
            _pages(venue, chain),
        ),
        head=chain.head,
        torn=chain.torn,
    )


class Chain:
    """The entries of a log, each compared with the one before.

    Args:
        path: The log.

    Attributes:
        files: Sum of each file that entries name, and the line of the last of them.
        faults: What was changed, in words.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count, self.head, self.torn = 0, Head(0, FIRST), path.stat().st_size
        self.faults: list[str] = []
        self.hashes: list[str] = []
        self.files: dict[str, tuple[str, int]] = {}
        for number, (_, raw) in enumerate(read_lines(path), start=1):
            self.count, self.torn = number, self.torn - len(raw)
            try:
                entry = parsed(path, raw, number)
            except RunFolderError as error:
                self.faults.append(str(error))
                self.hashes.append("")
                continue
            self._add(entry, raw, number)

    def _add(self, entry: LogEntry, raw: bytes, line: int) -> None:
        place = f"{self.path}:{line}: entry {entry.number} ({entry.event})"
        if entry.hash != entry.own_hash() or raw != entry.line() + b"\n":
            self.faults.append(f"{place} was changed: its hash is not that of its fields")
        before = self.hashes[-1] if self.hashes else FIRST
        if entry.number != line or entry.before != before:
            self.faults.append(
                f"{place} does not follow on the entry before it: one was changed, taken out, put "
                "in or moved"
            )
        names = entry.details.get(DIFFERED)
        for name in names if isinstance(names, list) else ():
            self.faults.append(f"{place}: {name} had been changed before, by something else")
        self.hashes.append(entry.hash)
        self.head = Head(entry.number, entry.hash)
        self.files.update({name: (sha256, line) for name, sha256 in entry.files.items()})

    def against(self, kept: Head) -> Iterator[str]:
        """What differs from a head that was kept elsewhere."""
        if kept.number > len(self.hashes):
            yield (
                f"{self.path}: entries {len(self.hashes) + 1} to {kept.number} are missing: the "
                "end of the log was cut off"
            )
        elif kept.number > 0 and self.hashes[kept.number - 1] != kept.hash:
            yield f"{self.path}:{kept.number}: entry {kept.number} is not the one that was kept"


def _changed(venue: Path, chain: Chain) -> Iterator[str]:
    for name, words in changed_files(venue, chain).items():
        ending = "; an audit is under way or was cut off: run the same command again, then verify"
        if _within(name, begun(venue).places):
            ending = "; a command is under way or was cut off: run it again, then verify"
        elif not under_way(venue, name):
            ending = ""
        yield f"{venue / name} {words}{ending}"


@contextmanager
def watched(venue: Path, *places: str) -> Iterator[list[str]]:
    """Files in some places that something else changed since the log named them.

    To be noted (`DIFFERED`) in the entry that names their new sums, which is to be written within;
    else that entry would pass such a change off as ours. What a command wrote that was killed
    before its entry is no such change. To be called when locked.

    Args:
        venue: The venue folder.
        places: Files and folders that are about to be written, from the venue folder on.
    """
    left = begun(venue)
    differed = _differing(venue, places, left)
    if (venue / LOG).is_file():
        _write_begun(venue, {*left.places, *places}, {*left.differed, *differed})
    try:
        yield differed
    except ReviewScoreError:
        if _differing(venue, places, left) == differed:  # nothing was written
            _write_begun(venue, left.places, left.differed)
        raise
    rest = [name for name in left.differed if not _within(name, places)]
    _write_begun(venue, {*left.places} - {*places}, rest)


def changed_by_others(venue: Path, names: Iterable[str]) -> list[str]:
    """Those of differing files that no command wrote that was killed before its entry."""
    left = begun(venue)
    return sorted({*(name for name in names if not _within(name, left.places)), *left.differed})


def begun(venue: Path) -> Begun:
    """What a command that has not told the log of it, perhaps a killed one, may have written."""
    try:
        return Begun.model_validate_json(read_whole(venue / BEGUN) or b"{}")
    except ValidationError:
        return Begun()


def _write_begun(venue: Path, places: Iterable[str], differed: Iterable[str]) -> None:
    now = Begun(places=tuple(sorted(places)), differed=tuple(sorted(differed)))
    if now.places:
        write_whole(venue / BEGUN, now.model_dump_json() + "\n")
    else:
        (venue / BEGUN).unlink(missing_ok=True)


def _differing(venue: Path, places: Sequence[str], left: Begun) -> list[str]:
    sums: dict[str, str] = {}
    for _, raw in read_lines(venue / LOG):
        try:
            sums |= {} if b'"files":{}' in raw else json.loads(raw)["files"]
        except (ValueError, KeyError, TypeError):  # `verify` names it
            continue
    found = (
        name
        for name, sha256 in sums.items()
        if _within(name, places)
        and not _within(name, left.places)
        and not under_way(venue, name)
        and _problem(venue / name, sha256)
    )
    return sorted({*found, *(name for name in left.differed if _within(name, places))})


def _within(name: str, places: Iterable[str]) -> bool:
    return any(name == place or name.startswith(f"{place}/") for place in places)


def changed_files(venue: Path, chain: Chain) -> dict[str, str]:
    """Files that are not what the last entry that names them says, with what happened to them."""
    found = {
        name: (_problem(venue / name, sha256), line)
        for name, (sha256, line) in sorted(chain.files.items())
    }
    return {
        name: f"{words} after entry {line} of the log"
        for name, (words, line) in found.items()
        if words
    }


def _problem(file: Path, sha256: str) -> str:
    try:
        now = hash_file(file).sha256
    except InputError:
        return "is gone or cannot be read, which happened" if sha256 else ""
    return "" if now == sha256 else "was changed" if sha256 else "was put back"


def under_way(venue: Path, name: str) -> bool:
    """Whether a file is of an audit that has not come to its end, so that it may differ."""
    of_syncs = name.endswith(RETIRED)
    runs = (run for run in runs_in(venue / RUN) if of_syncs or run == (venue / name).parent)
    return any(manifest_of(run).growing for run in runs)


def _records(venue: Path, run: Path) -> Check:
    """The records of a run against the sums in its manifest."""
    manifest = manifest_of(run)
    faults = tuple(
        f"{run / file} was changed after the run by something else than reviewscore"
        for file in changed_records(run, manifest)
    )
    return Check(
        f"files of records of {run.relative_to(venue).as_posix()}", len(manifest.digests), faults
    )


def _pages(venue: Path, chain: Chain) -> Check:
    """The delivered pages against their sums, and pages that were put beside them."""
    known = dict(_sums(venue))
    faults = [f"{venue / name} {problem}" for name, problem in changed_pages(venue).items()]
    if known and PAGE_SUMS not in chain.files:
        faults.append(f"{venue / PAGE_SUMS} is named by no entry of the log")
    return Check("delivered pages", len(known), tuple(faults))


def changed_pages(venue: Path) -> dict[str, str]:
    """Pages of a venue that are not what was delivered, with what happened to them."""
    known = dict(_sums(venue))
    found = {name: _problem(venue / name, sha256) for name, sha256 in known.items()}
    faults = {name: f"{words} after it was delivered" for name, words in found.items() if words}
    words = f"is in no line of {PAGE_SUMS}: it was not delivered by reviewscore"
    others = (name for name in _files_in(venue, venue / PAGES) if name not in known)
    return {**faults, **dict.fromkeys(others, words)}


def _sums(venue: Path) -> Iterator[tuple[str, str]]:
    for number, (_, raw) in enumerate(read_lines(venue / PAGE_SUMS), start=1):
        sha256, gap, name = raw.decode("utf-8", "replace").rstrip("\n").partition("  ")
        if not gap:
            raise RunFolderError(
                f"{venue / PAGE_SUMS}:{number}: no sum and name; deliver the pages again"
            )
        yield name, sha256


def _files_in(venue: Path, folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield storable(path.relative_to(venue).as_posix())


def note_purged(run: Path) -> None:
    """Write into the log that the run of a venue was removed; nothing of any other run.

    Raises:
        RunFolderError: The log cannot be read or written.
    """
    venue = run.parent
    if run.name != RUN or not is_venue(venue) or not (venue / LOG).is_file():
        return
    named = [venue / name for name in Chain(venue / LOG).files]
    gone = [file for file in named if run in file.parents and not file.exists()]
    append(venue, "purged", gone=gone)


def note_pages(venue: Path, folders: Sequence[Path] | None = None) -> Path:
    """Write down the sums of delivered pages, to be named in the log (`log.append`).

    Args:
        venue: The venue folder.
        folders: Folders or files below its ``pages/`` that were written or removed, whose lines
            are made anew; all if not given.

    Returns:
        The file of sums.

    Raises:
        RunFolderError: It cannot be written.
    """
    roots = [venue / PAGES] if folders is None else folders
    anew = [storable(root.relative_to(venue).as_posix()) for root in roots]
    kept = {
        name: sha256
        for name, sha256 in _sums(venue)
        if not any(name == root or name.startswith(f"{root}/") for root in anew)
    }
    for root in roots:
        names = _files_in(venue, root) if root.is_dir() else iter(anew[:0])
        kept.update({name: hash_file(venue / name).sha256 for name in names})
        if root.is_file():
            kept[storable(root.relative_to(venue).as_posix())] = hash_file(root).sha256
    lines = (f"{sha256}  {name}\n".encode() for name, sha256 in sorted(kept.items()))
    write_whole(venue / PAGE_SUMS, lines)
    return venue / PAGE_SUMS
