"""What people say of a run's points: the files, read as they grow, and written line by line.

A run may have several files: its own, and those of other places that wrote beside it. What is read
is merged by identifier, in the order of time. The last thing that a person says counts.
"""

from __future__ import annotations

import os
import re
import threading
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import ValidationError

from reviewscore.bounds import bounded_lines, in_force
from reviewscore.errors import RunFolderError
from reviewscore.files import JsonLines, opened
from reviewscore.printable import counted
from reviewscore.schema.judgment import FlagJudgment, FlagQuestion, JudgmentKind, SpeakerRole
from reviewscore.schema.later_remark import LaterKind, LaterRemark
from reviewscore.schema.point_score import PointScore

JUDGMENTS_LOCK = ".judgments.lock"
"""Held while a line is written or the file is written anew, and never longer."""
JUDGMENT_FILES = r"judgments(?:-[A-Za-z0-9][A-Za-z0-9-]{0,80})?\.jsonl"
"""Names of files of judgments, as a pattern: the run's own, and those of other places."""
_NAMES = re.compile(JUDGMENT_FILES)
_SECONDS = 30
_OWN_TURN = threading.Lock()
_KINDS = {
    SpeakerRole.REVIEWER: LaterKind.REVIEWER_ANSWERS,
    SpeakerRole.AUTHOR: LaterKind.AUTHORS_ANSWER,
}


@contextmanager
def judgments_held(folder: Path) -> Iterator[None]:
    """Keep everybody else from writing to the judgments of a folder.

    Raises:
        RunFolderError: Somebody else holds them for too long, or the folder cannot be written.
    """
    with _OWN_TURN:  # threads of one process take turns without asking the disk again and again
        lock = FileLock(folder / JUDGMENTS_LOCK, timeout=_SECONDS, poll_interval=0.01)
        try:
            lock.acquire()
        except Timeout as error:
            raise RunFolderError(f"{folder}: another process holds its judgments") from error
        except OSError as error:
            raise RunFolderError(f"{folder}: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()


def append_judgment(file: Path, judgment: FlagJudgment) -> None:
    """Write one judgment; when this returns it is on the disk.

    Raises:
        StopError: The disk is full.
        RunFolderError: It cannot be written.
    """
    with judgments_held(file.parent):
        new = not file.exists()
        lines = JsonLines(file)
        try:
            lines.append(judgment.model_dump_json())
            lines.sync()
        finally:
            lines.close()
        if new and hasattr(os, "O_DIRECTORY"):
            folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


@dataclass
class _Read:
    """How far a file was read, and which file that was."""

    inode: int = -1
    at: int = 0
    bad: int = 0


@dataclass
class Judgments:
    """What people say of a run's points, as it stands; threads take turns.

    Attributes:
        folders: Where its files lie; the run folder first.
        generation: How often all was read anew, as a file was written anew.
        judged: Points that were judged, in the order in which that was read.
    """

    folders: Sequence[Path]
    generation: int = 0
    judged: list[str] = field(default_factory=list, repr=False)
    _files: dict[Path, _Read] = field(default_factory=dict, repr=False)
    _of: dict[str, list[FlagJudgment]] = field(default_factory=dict, repr=False)
    _known: set[str] = field(default_factory=set, repr=False)
    _latest: str = ""
    _turn: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def read(self) -> None:
        """Read what was written since.

        Raises:
            RunFolderError: A file is no ordinary one, or cannot be read.
        """
        with self._turn:
            now = {path: path.stat() for path in self._paths()}
            if self._files.keys() - now.keys() or any(
                self._files[path].inode != state.st_ino or state.st_size < self._files[path].at
                for path, state in now.items()
                if path in self._files
            ):
                for held in (self._files, self._of, self._known, self.judged):
                    held.clear()  # one was written anew: what is gone there is gone
                self.generation += 1
            for path, state in now.items():
                known = self._files.setdefault(path, _Read(state.st_ino))
                if state.st_size > known.at:
                    self._read(path, known)

    def _paths(self) -> Iterator[Path]:
        for folder in self.folders:
            if folder.is_dir():
                paths = (path for path in folder.iterdir() if _NAMES.fullmatch(path.name))
                yield from sorted(path for path in paths if path.is_file())

    def _read(self, path: Path, known: _Read) -> None:
        with opened(path) as file:
            file.seek(known.at)
            for line in bounded_lines(file, in_force().text):
                if not line.cut and not line.data.endswith(b"\n"):
                    return  # half-written, or being written
                known.at += line.size
                try:
                    self._add(FlagJudgment.model_validate_json(line.data))
                except ValidationError:
                    known.bad += 1

    def _add(self, judgment: FlagJudgment) -> None:
        if judgment.judgment_id not in self._known:
            self._known.add(judgment.judgment_id)
            insort(self._of.setdefault(judgment.point_id, []), judgment, key=lambda one: one.at)
            self._latest = max(self._latest, judgment.at)
            if judgment.kind is JudgmentKind.JUDGMENT:
                self.judged.append(judgment.point_id)

    @property
    def unreadable(self) -> int:
        """Lines that are no judgments of this version."""
        with self._turn:
            return sum(known.bad for known in self._files.values())

    @property
    def latest(self) -> str:
        """The time of the last one; empty if there is none."""
        return self._latest

    def history(self, point_id: str) -> tuple[FlagJudgment, ...]:
        """Everything that was ever said of a point, in the order of time."""
        with self._turn:
            return tuple(self._of.get(point_id, ()))

    def standing(self, point_id: str) -> tuple[FlagJudgment, ...]:
        """The last thing that each person says of a point, as far as they did not take it back."""
        last = {(one.who, one.kind, one.asked): one for one in self.history(point_id)}
        return tuple(one for one in last.values() if one.stands)

    def points(self) -> tuple[str, ...]:
        """The points of which anything was ever said."""
        with self._turn:
            return tuple(self._of)

    def all_standing(self) -> Iterator[FlagJudgment]:
        """What stands of all points."""
        for point_id in self.points():
            yield from self.standing(point_id)


def read_judgments(run: Path) -> Judgments:
    """What people say of a run's points, from its folder.

    Raises:
        RunFolderError: A file cannot be read.
    """
    found = Judgments([run])
    found.read()
    return found


Beside = Callable[[PointScore], Sequence[LaterRemark]]


def with_flag_answers(
    run: Path, later: Beside | None = None, *, by: SpeakerRole | None = None
) -> Beside | None:
    """What gives what stands beside a point, with what its reviewer and authors answer to it.

    Args:
        run: The run folder.
        later: What gives the rest.
        by: Answers of this role alone, and nothing else; those of all if None.

    Returns:
        None where there is nothing of either.

    Raises:
        RunFolderError: A file cannot be read.
    """
    answers = {
        point_id: found
        for point_id, found in _answers(read_judgments(run).all_standing())
        if by is None or by in {one.by for one in found}
    }
    if by is not None:
        later = None
    if not answers:
        return later

    def beside(score: PointScore) -> Sequence[LaterRemark]:
        own = [one for one in answers.get(score.point_id, ()) if by in (None, one.by)]
        before = () if later is None else later(score)
        return (*before, *map(remark_of_answer, own))

    return beside


def _answers(said: Iterable[FlagJudgment]) -> Iterator[tuple[str, list[FlagJudgment]]]:
    grouped: dict[str, list[FlagJudgment]] = {}
    for one in said:
        if one.kind is JudgmentKind.ANSWER and one.by in _KINDS:
            grouped.setdefault(one.point_id, []).append(one)
    yield from grouped.items()


def remark_of_answer(answer: FlagJudgment) -> LaterRemark:
    """An answer as what came later than its point."""
    return LaterRemark(kind=_KINDS[answer.by], at=answer.at[:10], text=answer.note)


def settled_opinion(said: Iterable[FlagJudgment]) -> bool | str:
    """What people together think of a flag: True if it is right, False if not.

    Whoever is unsure leaves it to the others. ``unsure`` if all are, ``differ`` if people do.
    """
    sure = {one.thinks_misinformed for one in said} - {None}
    if len(sure) > 1:
        return "differ"
    return next((one for one in sure if one is not None), "unsure")


def looked_at_words(run: Path, flags: int, is_flag: Callable[[str], bool]) -> str:
    """How many of a run's flags people looked at, and what they say; empty if nobody did.

    What they say of points whose verdicts they had not seen is not in it.

    Args:
        run: The run folder.
        flags: How many flags it has.
        is_flag: Whether a point is one, by its identifier.

    Raises:
        RunFolderError: A file cannot be read.
    """
    found = read_judgments(run)
    said: Mapping[str, list[FlagJudgment]] = {
        point_id: own
        for point_id in found.points()
        if is_flag(point_id) and (own := replies_to(FlagQuestion.FLAG, found.standing(point_id)))
    }
    if not said:
        return ""
    counts = Counter(settled_opinion(own) for own in said.values())
    people = len({one.who for own in said.values() for one in own})
    words = [f"agreed {counts[True]}", f"disagreed {counts[False]}", f"unsure {counts['unsure']}"]
    if counts["differ"]:
        words.append(f"people differ on {counts['differ']}")
    were = "was" if len(said) == 1 else "were"
    return (
        f"{len(said):,} of {counted(flags, 'flag')} {were} looked at by "
        f"{people} {'person' if people == 1 else 'people'}: {', '.join(words)}. This is a review "
        "of flags and no rate."
    )


def replies_to(asked: FlagQuestion, said: Iterable[FlagJudgment]) -> list[FlagJudgment]:
    """Judgments, and no answers, in reply to one question."""
    return [one for one in said if one.kind is JudgmentKind.JUDGMENT and one.asked is asked]
