"""What people say in the app: kept durably beside the run, and as a point's card shows it."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import socket
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.pages import wording
from reviewscore.runs.folder import JUDGMENTS, manifest_of
from reviewscore.runs.judgments import Judgments, append_judgment, remark_of_answer, replies_to
from reviewscore.schema.judgment import (
    LONGEST_NOTE,
    FlagJudgment,
    FlagOpinion,
    FlagQuestion,
    JudgmentKind,
    PointSampling,
    SpeakerRole,
)
from reviewscore.schema.point_score import PointScore
from reviewscore.schema.record import storable
from reviewscore.sources.data_folder import digest_name
from reviewscore.view.run_index import RunIndex, is_flag

CHOICES: Mapping[FlagQuestion, tuple[tuple[FlagOpinion, str, str], ...]] = {
    FlagQuestion.FLAG: (
        (FlagOpinion.AGREE, "Agree", "a"),
        (FlagOpinion.DISAGREE, "Disagree", "d"),
        (FlagOpinion.UNSURE, "Unsure", "u"),
    ),
    FlagQuestion.MISINFORMED: (
        (FlagOpinion.MISINFORMED, "Yes, misinformed", "a"),
        (FlagOpinion.NOT_MISINFORMED, "No", "d"),
        (FlagOpinion.UNSURE, "Unsure", "u"),
    ),
}
"""What may be said to each question, in words, and by which key."""

_log = logging.getLogger("reviewscore")


def own_name(kept: Path) -> str:
    """The name of the file that this place writes where several do."""
    host = re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname()).strip("-")[:40] or "host"
    digest = hashlib.sha256(f"{host}\n{kept.resolve()}".encode("utf-8", "replace")).hexdigest()
    return f"judgments-{host}-{digest[:6]}.jsonl"


def kept_of(kept: Path, run: Path) -> Path:
    """Where judgments of a run are kept if nothing can be written beside it.

    Raises:
        RunFolderError: The run's manifest cannot be read.
    """
    return kept / digest_name(manifest_of(run).run_id)


class JudgmentStore:
    """The judgments of one run.

    Args:
        run: The run folder.
        kept: Where they are kept if nothing can be written there; made when it is needed.
        mirrored: Whether the folder is a copy, so that nothing is written to it.
    """

    def __init__(self, run: Path, kept: Path, *, mirrored: bool = False) -> None:
        self.run, self.kept, self._mirrored = run, kept, mirrored
        self.said = Judgments([run, kept])
        self._turn = threading.Lock()
        self._generation, self._marked, self._probe = 0, 0, ""

    @property
    def file(self) -> Path:
        """Where the next one is written."""
        own = self.run / JUDGMENTS
        writable = os.access(self.run, os.W_OK) and (not own.exists() or os.access(own, os.W_OK))
        return own if writable and not self._mirrored else self.kept / own_name(self.kept)

    def add(self, judgment: FlagJudgment) -> FlagJudgment:
        """Keep one; when this returns it is on the disk.

        Raises:
            StopError: The disk is full.
            RunFolderError: It cannot be written.
        """
        self.said.read()
        # A clock that was set back does not make it older than what was said before.
        judgment = judgment.model_copy(update={"at": max(judgment.at, self.said.latest)})
        file = self.file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{file.parent}: {error.strerror}") from error
        append_judgment(file, judgment)
        self.said.read()
        return judgment

    def mark_seen(self, index: RunIndex) -> None:
        """Tell a run's index which points people have judged since it was told last.

        An index that was made anew is told all of them again. One that cannot be written now is
        told the next time: what was said is kept without it.

        Raises:
            RunFolderError: A file cannot be read.
        """
        with self._turn:
            self.said.read()
            try:
                self._mark(index)
            except sqlite3.Error as error:
                _log.warning("%s: %s", index.file, error)

    def _mark(self, index: RunIndex) -> None:
        known = index.find(self._probe) if self._probe else None
        anew = bool(self._probe) and not (known and known.seen)
        if anew or self._generation != self.said.generation:
            self._generation, self._marked = self.said.generation, 0
        judged = self.said.judged[self._marked :]
        if judged:
            index.mark_seen(dict.fromkeys(judged))
            self._marked += len(judged)
            self._probe = next(filter(index.find, reversed(judged)), "")


@dataclass(frozen=True)
class PointSaid:
    """What people say of a point, as its card shows it to one of them.

    Attributes:
        point_id: The point.
        asked: What is asked.
        flagged: Whether it is a flag.
        mine: What this person says.
        others: What others say.
        answers: What its reviewer and authors answer, in words.
        history: Everything that was said before, and no longer stands.
        changed: The verdict that the person judged, where it is another one now.
        note: The note in the field.
        failure: Why the last one could not be saved; empty if nothing failed.
        sampling: How the point came before them.
    """

    point_id: str
    asked: FlagQuestion
    flagged: bool
    mine: FlagJudgment | None
    others: tuple[FlagJudgment, ...]
    answers: tuple[str, ...]
    history: tuple[FlagJudgment, ...]
    changed: str
    note: str
    failure: str = ""
    sampling: PointSampling = PointSampling.BROWSED

    @property
    def choices(self) -> tuple[tuple[FlagOpinion, str, str], ...]:
        """What may be said."""
        return CHOICES[self.asked]

    @property
    def question(self) -> str:
        """What is asked, in words."""
        if self.asked is FlagQuestion.MISINFORMED:
            return "Is this point misinformed?"
        return "Is this flag right?" if self.flagged else "Is it right that this is no flag?"


def said_of(
    judgments: Judgments,
    score: PointScore,
    who: str,
    *,
    asked: FlagQuestion = FlagQuestion.FLAG,
    typed: Mapping[str, str] | None = None,
    came: str = "",
) -> PointSaid:
    """What people say of a point, as one of them is shown it.

    Without verdicts in sight, what others say is shown to whoever has judged.

    Args:
        judgments: Everything that was said.
        score: The point.
        who: Who looks.
        asked: What is asked.
        typed: What was typed into the form and could not be saved, with the reason as ``failure``.
        came: How the point came before them, as its address says.
    """
    standing = judgments.standing(score.point_id)
    own = replies_to(asked, standing)
    mine = next((one for one in own if one.who == who), None)
    hidden = asked is FlagQuestion.MISINFORMED and mine is None
    others = () if hidden else tuple(one for one in own if one.who != who)
    shown = {one.judgment_id for one in standing}
    before = (one for one in judgments.history(score.point_id) if one.judgment_id not in shown)
    answers = (one for one in standing if one.kind is JudgmentKind.ANSWER)
    blind = asked is FlagQuestion.MISINFORMED
    note = "" if mine is None else mine.note
    failed = typed is not None and typed.get("point") == score.point_id
    return PointSaid(
        point_id=score.point_id,
        asked=asked,
        flagged=is_flag(score) and not blind,
        mine=mine,
        others=others,
        answers=() if blind else tuple(wording.later_words(remark_of_answer(a)) for a in answers),
        history=() if hidden else tuple(one for one in before if one.asked is asked),
        changed=_changed(mine, score) if not blind else "",
        note=typed.get("note", "") if failed and typed is not None else note,
        failure=typed.get("failure", "") if failed and typed is not None else "",
        sampling=sampling_of(came),
    )


def sampling_of(came: str) -> PointSampling:
    """How a point came before somebody who did not get it by a draw, as an address says."""
    known = (PointSampling.FLAGS, PointSampling.SEARCH)
    return PointSampling(came) if came in known else PointSampling.BROWSED


def _changed(mine: FlagJudgment | None, score: PointScore) -> str:
    return "" if mine is None or mine.was == wording.headline(score).short else mine.was


def checked_note(text: str) -> str:
    """A note or an answer as it may be kept.

    Raises:
        SettingsError: It is too long.
    """
    plain = storable(text.replace("\r\n", "\n").strip())
    if len(plain) > LONGEST_NOTE:
        raise SettingsError(
            f"the text has {len(plain):,} characters; at most {LONGEST_NOTE:,} are kept"
        )
    return plain


def new_judgment(
    score: PointScore,
    who: str,
    verdict: FlagOpinion | None,
    note: str,
    *,
    by: SpeakerRole = SpeakerRole.CHAIR,
    kind: JudgmentKind = JudgmentKind.JUDGMENT,
    **more: object,
) -> FlagJudgment:
    """A judgment of a point, or an answer to it, as it is now.

    Raises:
        SettingsError: The note is too long.
    """
    values: dict[str, object] = {
        "who": who, "by": by, "kind": kind, "point_id": score.point_id,
        "paper_id": score.paper_id, "review_id": score.review_id, "verdict": verdict,
        "note": checked_note(note), "flagged": is_flag(score),
        "was": wording.headline(score).short, **more,
    }  # fmt: skip
    return FlagJudgment.model_validate(values)
