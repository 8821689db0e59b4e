"""The folder of one run: opened, resumed, refused, written and read."""

from __future__ import annotations

import shlex
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal, Self, TypeVar, overload

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from reviewscore.arguments.aggregate import with_failure
from reviewscore.bounds import in_force
from reviewscore.errors import InputError, RunFolderError
from reviewscore.files import (
    JsonLines,
    hash_start,
    opened,
    own_file,
    read_lines,
    read_whole,
    unwritable,
    write_whole,
)
from reviewscore.notices import notice
from reviewscore.runs.manifest import Digest, Manifest, first_difference
from reviewscore.schema.point_id import short_name
from reviewscore.schema.point_score import PointScore, Status, read_point
from reviewscore.schema.record import Record, storable

T = TypeVar("T")
RecordT = TypeVar("RecordT", bound=Record)

MANIFEST = "manifest.json"
POINTS = "points.jsonl"
ERRORS = "errors.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
FOCUS = "focus"
"""Folder of what its reviews look at, where that was computed."""
DIGEST = "focus-digest.json"
"""That in short, for the report."""
SIMILARITY = "similarity-digest.json"
"""How near its reviewers' own papers are, where that was computed, for the report."""
REFERENCES = "references.jsonl"
"""Works that its reviews name."""
CANARIES = "canaries.jsonl"
"""Reviews that repeat a canary of the venue's, for the program chairs alone."""
VIEW_INDEX = "view.sqlite"
"""Table of its points for the app, which can be made anew at any time."""
JUDGMENTS = "judgments.jsonl"
"""What people say of its points; see `runs.judgments`."""
BLIND_DRAW = "blind.json"
"""Points that were drawn at random, to be judged without their verdicts."""
LOCK = ".lock"
"""Held by whoever writes."""


_OWN = frozenset({MANIFEST, POINTS, ERRORS, DIGEST, SIMILARITY, REFERENCES, CANARIES, JUDGMENTS,
                  BLIND_DRAW})  # fmt: skip
"""Files that a run cannot do without, or that it is taken up again by."""
_GROWING = (POINTS, ERRORS)
"""Files of records that a session adds to."""
RECORDS = (*_GROWING, REFERENCES)
"""Files whose digests the manifest holds, as far as they are there."""


def check_destination(output: Path) -> None:
    """Refuse to write over what a run folder is read by.

    Args:
        output: The file to write.

    Raises:
        RunFolderError: It is a file of a run's own.
    """
    target = output.resolve()
    if target.name in _OWN and (target.parent / MANIFEST).is_file():
        raise RunFolderError(
            f"{output} is what its run folder is read by; name another file, such as "
            f"{target.parent.name}{target.suffix}"
        )


class ErrorRecord(Record):
    """What failed: a point, a whole review, a line of the input, or a file of reviews.

    Attributes:
        what: What failed.
        review_id: The review, if it is known.
        point_id: The point, if it is known.
        number: Its place among the points of its review, where that is known.
        kind: Name of the error.
        message: What happened, and what to do.
    """

    schema_id: Literal["reviewscore.error/1"] = Field(default="reviewscore.error/1", alias="schema")
    what: Literal["point", "review", "line", "file"]
    review_id: str | None = None
    point_id: str | None = None
    number: int | None = None
    kind: str
    message: str

    @property
    def about(self) -> str:
        """What people call that which failed."""
        if self.review_id is not None and self.number is not None:
            return short_name(self.review_id, self.number)
        return self.point_id or self.review_id or self.what

    @classmethod
    def of_input(cls, what: Literal["line", "file"], fault: InputError) -> ErrorRecord:
        """What is wrong with a line or file of the input."""
        return cls(what=what, kind=type(fault).__name__, message=storable(str(fault)))


class LockedFolder:
    """A folder opened for writing; one process at a time.

    Args:
        path: The folder; made if it is not there.
        what: What is written to it, for the message.

    Raises:
        RunFolderError: Another process writes to it, or it cannot be made.
    """

    def __init__(self, path: Path, *, what: str = "it") -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise RunFolderError(f"{path} is a file; name a folder with -o") from error
        except OSError as error:
            raise unwritable(path, error) from error
        self._lock = FileLock(path / LOCK, blocking=False)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise RunFolderError(f"{path}: another process is writing to {what}") from error
        except OSError as error:
            raise unwritable(path, error) from error

    def foreign(self) -> str | None:
        """Name of something that is in the folder; None if it is empty."""
        return next(
            (file_path.name for file_path in self.path.iterdir() if file_path.name != LOCK), None
        )

    def close(self) -> None:
        """Let others write to it."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RunDir(LockedFolder):
    """A run folder opened for writing; one process at a time.

    Args:
        path: The folder; made if it is not there.
        manifest: What this run is to be made with.
        allow_foreign: Write into a non-empty folder that is no run folder.
        retry_errors: Forget failed points, so that they are tried again.
        accept_changed: Go on with records that something else has changed; it is noted for good.

    Attributes:
        done: How scoring ended for the points that are there.
        findings: How many of them have which finding.

    Raises:
        RunFolderError: Another process writes to it, it was made with other settings, it is not
            a run folder, its records were changed, or it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        *,
        allow_foreign: bool = False,
        retry_errors: bool = False,
        accept_changed: bool = False,
    ) -> None:
        super().__init__(path, what="this run")
        try:
            for name in (MANIFEST, *RECORDS):
                own_file(path / name)
            self.manifest = self._continue(
                manifest, allow_foreign=allow_foreign, accept_changed=accept_changed
            )
            # A kill must not leave digests of what is about to be written anew.
            kept = {} if retry_errors else {POINTS: self.manifest.digests.get(POINTS)}
            self._note(
                {name: digest for name, digest in kept.items() if digest is not None}, growing=True
            )
            if retry_errors:
                _drop_failed_points(path)
            self.done: dict[str, Status] = {}
            self.findings: Counter[str] = Counter()
            failures: list[str] = []
            # Errors describe the present: failed lines and reviews are met again by a new session.
            for score in read_points(path):
                self._count(score)
                if score.status is Status.ERROR:
                    failures.append(f"{_failure(score).model_dump_json()}\n")
            write_whole(path / ERRORS, "".join(failures))
            self._points, self._errors = JsonLines(path / POINTS), JsonLines(path / ERRORS)
            # A session writes the others anew at its end, and may be killed before it says so.
            self._note(digests_of(path, _GROWING), growing=True)
        except BaseException:
            super().close()
            raise

    def _continue(self, new: Manifest, *, allow_foreign: bool, accept_changed: bool) -> Manifest:
        if not (self.path / MANIFEST).is_file():
            foreign = self.foreign()
            if foreign is not None and not allow_foreign:
                raise RunFolderError(
                    f"{self.path} holds {foreign!r} and is no run folder; "
                    "choose another folder, or say --yes"
                )
            return new
        old = read_manifest(self.path, accept_changed=accept_changed)
        difference = first_difference(old.decisive, new.decisive)
        if difference is not None and not self._holds_nothing():
            raise RunFolderError(
                f"{self.path} was made otherwise: {difference}; "
                "use the same settings and input, or another folder"
            )
        kept = new.taken_over(old) | {
            "unread": old.unread,
            "digests": old.digests,
            # Errors are written anew by each session.
            "changed": tuple(name for name in changed_records(self.path, old) if name != ERRORS),
        }
        if difference is None:  # by that sum its shards know the run, whoever wrote them
            kept |= {"decisive": old.decisive, "decisive_sha256": old.decisive_sha256}
        if old.complete and not old.selection and new.selection:
            # The folder holds a whole run already: a selection of it is the whole run still.
            kept |= {"selection": {}, "complete": True, "counts": old.counts}
            kept["consent"] = old.consent
        return new.model_copy(update=kept)

    def _holds_nothing(self) -> bool:
        """Whether no point was written yet; calls are in the ledger, whatever becomes of it."""
        file = self.path / POINTS
        return not (file.is_file() and file.stat().st_size)

    def add(self, score: PointScore) -> None:
        """Write a point's score; it is with the operating system when this returns."""
        self._points.append(score.model_dump_json())
        self._count(score)
        if score.status is Status.ERROR:
            self.add_error(_failure(score))

    def replace(self, score: PointScore) -> None:
        """Put a score into the place of the one that its point has; the others stay as they are."""
        self._note({}, growing=True)  # a kill must not leave digests of what is written anew
        self._points.close()
        new = f"{score.model_dump_json()}\n".encode()
        lines = read_lines_of_points(self.path)
        write_whole(
            self.path / POINTS,
            (new if old.point_id == score.point_id else line for line, old in lines),
        )
        self._points = JsonLines(self.path / POINTS)
        self._count(score)
        self._note(digests_of(self.path), growing=True)

    def _count(self, score: PointScore) -> None:
        self.done[score.point_id] = score.status
        if score.finding is not None:
            self.findings[score.finding.value] += 1

    def add_error(self, error: ErrorRecord) -> None:
        """Write down a failure."""
        self._errors.append(error.model_dump_json())

    def update(self, manifest: Manifest) -> Manifest:
        """Replace the manifest at the end of a session, when all records are written.

        Returns:
            The manifest with their digests.
        """
        self.manifest = manifest
        self._note(digests_of(self.path), growing=False)
        return self.manifest

    def _note(self, digests: dict[str, Digest], *, growing: bool) -> None:
        self.manifest = self.manifest.model_copy(update={"digests": digests, "growing": growing})
        write_whole(self.path / MANIFEST, self.manifest.model_dump_json(indent=2) + "\n")

    def close(self) -> None:
        """Close its files and let others write to it."""
        self._points.close()
        self._errors.close()
        super().close()


def _failure(score: PointScore) -> ErrorRecord:
    reason = score.error or ""
    return ErrorRecord(
        what="point",
        review_id=score.review_id,
        point_id=score.point_id,
        number=score.ordinal or None,
        kind=reason.partition(":")[0],
        message=reason,
    )


def failed_reviews(path: Path) -> bool:
    """Whether whole reviews failed, which the next session tries again."""
    return any(b'"what":"review"' in raw for _, raw in read_lines(path / ERRORS))


def _drop_failed_points(path: Path) -> None:
    kept = [score.model_dump_json() for score in read_points(path) if score.status != Status.ERROR]
    write_whole(path / POINTS, "".join(f"{line}\n" for line in kept))


def read_manifest(path: Path, *, accept_changed: bool = False) -> Manifest:
    """Read a run folder's manifest, and compare its records with their digests.

    Args:
        path: The run folder.
        accept_changed: Go on with records that something else has changed since they were written;
            that they were is said (`notices`).

    Raises:
        RunFolderError: There is none, it is of another version, or records were changed.
    """
    manifest = manifest_of(path)
    changed = changed_records(path, manifest)
    while changed and (newer := manifest_of(path)) != manifest:  # a session has just begun
        manifest, changed = newer, changed_records(path, newer)
    if not changed:
        return manifest
    files = [
        f"{path / name} {'holds records that were' if name in manifest.changed else 'was'} changed"
        for name in changed
    ]
    words = f"{' and '.join(files)} after the run by something else than reviewscore"
    if not accept_changed:
        undo = "" if set(changed) & set(manifest.changed) else "put back what the run wrote, "
        raise RunFolderError(
            f"{words}; {undo}audit into another folder, or read it as it is with --accept-changed"
        )
    notice(f"{words}; the run is read as it is (--accept-changed)")
    return manifest


def manifest_of(path: Path) -> Manifest:
    """Read a run folder's manifest, whatever became of its records.

    Raises:
        RunFolderError: There is none, or it is of another version.
    """
    file = path / MANIFEST
    raw = read_whole(file)
    if raw is None:
        raise RunFolderError(f"{path} is no run folder: {MANIFEST} is missing; {_no_run(path)}")
    try:
        return Manifest.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(f"{file}: not a manifest of this version of reviewscore") from error


def _no_run(path: Path) -> str:
    """What is named instead of a run folder, and what to do."""
    if path.is_file():
        return "it is a file: name the folder that `audit -o` wrote"
    if not path.is_dir():
        return "there is no such folder: check the path"
    if any(path.glob("papers.*")) or any(path.glob("*.pdf")):
        there = shlex.quote(str(path))
        return f"it holds papers: type reviewscore audit {there} -o RUN, and name RUN"
    return "name the folder that `audit -o` wrote"


def digests_of(path: Path, names: Sequence[str] = RECORDS) -> dict[str, Digest]:
    """The files of records of a run folder, as they are now."""
    return {
        name: Digest(sha256=_sha256(path / name, size), size=size)
        for name in names
        if (path / name).exists()
        for size in [(path / name).stat().st_size]
    }


def changed_records(path: Path, manifest: Manifest) -> tuple[str, ...]:
    """Names of the files of records that are not what the run wrote; none where it is not known."""
    names = list(manifest.changed)
    for name, digest in manifest.digests.items():
        file = path / name
        size = file.stat().st_size if file.is_file() else -1
        fits = size >= digest.size if manifest.growing else size == digest.size
        if not (fits and _sha256(file, digest.size) == digest.sha256):
            names.append(name)
    return tuple(dict.fromkeys(names))


def changed_words(names: Sequence[str]) -> str:
    """That files of records were changed, for pages."""
    verb = "was" if len(names) == 1 else "were"
    return f"{' and '.join(names)} {verb} changed after the run by something else than reviewscore"


def _sha256(file: Path, size: int) -> str:
    try:
        return hash_start(file, size)
    except InputError as error:
        raise RunFolderError(str(error)) from error
    except OSError as error:
        raise RunFolderError(f"{file}: {error.strerror}") from error


def read_points(path: Path) -> Iterator[PointScore]:
    """The scores of a run folder, in the order they were finished.

    Raises:
        RunFolderError: A line is no score; names file and line.
    """
    for _, score in read_lines_of_points(path):
        yield score


def read_lines_of_points(path: Path) -> Iterator[tuple[bytes, PointScore]]:
    """As `read_points`, each with the bytes of its line."""
    return parsed_lines(path / POINTS, _score_of)


def _score_of(line: bytes) -> PointScore:
    return with_failure(read_point(line))


def parsed_lines(file: Path, parse: Callable[[bytes], T]) -> Iterator[tuple[bytes, T]]:
    """Lines of a file of records, each with its record.

    Raises:
        RunFolderError: A line is no such record; names file and line.
    """
    for number, (_, raw) in enumerate(read_lines(file), start=1):
        try:
            yield raw, parse(raw)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise RunFolderError(f"{file}:{number}: field '{place}': {problem['msg']}") from error


class Points(Sequence[PointScore]):
    """The scores of a run folder in the order they were finished; each is read when it is used.

    Args:
        path: The run folder.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offsets = array("q", (offset for offset, _ in read_lines(path / POINTS)))

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, number: int) -> PointScore: ...

    @overload
    def __getitem__(self, number: slice) -> list[PointScore]: ...

    def __getitem__(self, number: int | slice) -> PointScore | list[PointScore]:
        with points_by_offset(self._path) as read:
            if isinstance(number, slice):
                return [read(offset) for offset in self._offsets[number]]
            return read(self._offsets[number])

    def __iter__(self) -> Iterator[PointScore]:
        return islice(read_points(self._path), len(self))

    def __repr__(self) -> str:
        return f"<{len(self):,} points of {self._path}>"


@contextmanager
def points_by_offset(path: Path) -> Iterator[Callable[[int], PointScore]]:
    """What reads a single score of a run folder, by the offset of its line (`read_lines`).

    Raises:
        RunFolderError: The file is no ordinary one, or cannot be read.
    """
    most = in_force().text.size
    with opened(path / POINTS) as file:

        def read(offset: int) -> PointScore:
            file.seek(offset)
            return _score_of(file.readline(most + 1))

        yield read


def read_digest(path: Path, kind: type[RecordT], command: str) -> RecordT | None:
    """What another verb computed for a run, as its report reads it; None if nothing was.

    Args:
        path: Its file.
        kind: Its record.
        command: What computes it anew.

    Raises:
        RunFolderError: The file is no digest.
    """
    raw = read_whole(path)
    if raw is None:
        return None
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(
            f"{path}: not a digest of this version of reviewscore; run `{command}`"
        ) from error
