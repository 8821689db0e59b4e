"""Flags and other points drawn at random, judged without verdicts in sight, and what comes of it.

Only points that were drawn, and taken in the order of the draw by somebody who had not seen their
verdicts, give a precision and a share of missed points; both draw papers for their intervals.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.files import read_whole, write_whole
from reviewscore.period.stop_rule import FlagPrecision, FlagSample, Said, precision_of
from reviewscore.runs.folder import BLIND_DRAW, read_points
from reviewscore.runs.judgments import Judgments, judgments_held, replies_to
from reviewscore.schema.judgment import FlagJudgment, FlagOpinion, FlagQuestion, PointSampling
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.record import Record
from reviewscore.stats.tables import shown
from reviewscore.view.run_index import is_flag

SAID = {True: Said.RIGHT, False: Said.WRONG, None: Said.UNSURE}
"""What a sheet of judged flags calls that a person takes a flag for misinformed."""
DRAWN = 100
"""Flags, and other points, that are drawn, at most."""
_DRAWING = threading.Lock()


class DrawnPoint(Record):
    """A point of a draw.

    Attributes:
        paper_id: Its paper.
        flag: Whether it was a flag when it was drawn.
    """

    paper_id: str
    flag: bool


class BlindDraw(Record):
    """Points drawn at random, as written to ``blind.json``.

    Attributes:
        seed: Of the draw and of its order.
        flags: From how many flags it was drawn.
        others: From how many points that a judge looked at and did not flag.
        points: The drawn points, in the order in which they are judged.
    """

    schema_id: Literal["reviewscore.blind_draw/1"] = Field(
        default="reviewscore.blind_draw/1", alias="schema"
    )
    seed: int
    flags: int = Field(ge=0)
    others: int = Field(ge=0)
    points: dict[str, DrawnPoint]

    def weight(self, point_id: str) -> float:
        """For how many points of the run a drawn one stands."""
        flag = self.points[point_id].flag
        drawn = sum(one.flag is flag for one in self.points.values())
        return (self.flags if flag else self.others) / drawn

    def next_for(self, judgments: Judgments, who: str) -> str | None:
        """The first point that a person has not judged yet; None after the last one."""
        return next((name for name in self.points if not judged_by(judgments, name, who)), None)


def judged_by(judgments: Judgments, point_id: str, who: str) -> bool:
    """Whether a person judged a point without its verdict in sight, and stands by it."""
    own = replies_to(FlagQuestion.MISINFORMED, judgments.standing(point_id))
    return any(one.who == who for one in own)


def had_seen(judgments: Judgments, point_id: str, who: str) -> bool:
    """Whether a person had said something of a point with its verdict in sight."""
    return any(one.who == who and one.saw_verdict for one in judgments.history(point_id))


def drawn_points(run: Path, folder: Path, *, seed: int | None = None) -> BlindDraw:
    """The draw of a run; it is made once and kept.

    Args:
        run: The run folder.
        folder: Where judgments of the run are kept.
        seed: Of a new draw; any if not given.

    Raises:
        RunFolderError: The run or the draw cannot be read, or the draw cannot be kept.
        SettingsError: The run has nothing to draw from.
    """
    if (found := kept_draw(folder, run)) is not None:
        return found
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: {error.strerror}") from error
    with _DRAWING:
        if (found := _kept(folder / BLIND_DRAW)) is not None:
            return found
        found = draw(run, secrets.randbits(32) if seed is None else seed)
        with judgments_held(folder):  # and not while the run is read, which may take long
            if (faster := _kept(folder / BLIND_DRAW)) is not None:
                return faster
            write_whole(folder / BLIND_DRAW, found.model_dump_json() + "\n")
    return found


def kept_draw(*folders: Path) -> BlindDraw | None:
    """The draw that one of some folders holds; None if none was made.

    Raises:
        RunFolderError: It cannot be read.
    """
    return next(filter(None, (_kept(folder / BLIND_DRAW) for folder in folders)), None)


def _kept(file: Path) -> BlindDraw | None:
    raw = read_whole(file)
    try:
        return None if raw is None else BlindDraw.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(
            f"{file}: not a draw of this version of reviewscore; move it away"
        ) from error


def draw(run: Path, seed: int) -> BlindDraw:
    """Draw flags and other points of a run, each flag as likely as any other, likewise the others.

    Points without a verdict, and what is no point, are in neither.

    Raises:
        RunFolderError: The run cannot be read.
        SettingsError: It has nothing to draw from.
    """
    pools: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for score in read_points(run):
        if _judged(score):
            pools[is_flag(score)].append((score.point_id, score.paper_id))
    if not any(pools.values()):
        raise SettingsError(f"{run} has no point with a verdict yet; finish its audit first")
    chance = random.Random(seed)
    chosen = [
        (name, DrawnPoint(paper_id=paper, flag=flag))
        for flag, pool in pools.items()
        for name, paper in chance.sample(sorted(pool), min(DRAWN, len(pool)))
    ]
    chance.shuffle(chosen)
    return BlindDraw(
        seed=seed, flags=len(pools[True]), others=len(pools[False]), points=dict(chosen)
    )


def _judged(score: PointScore) -> bool:
    known = score.misinformed is not None or score.finding is not None
    return score.is_point and known and score.status is not Status.ERROR


@dataclass(frozen=True)
class BlindFigures:
    """What people's blind judgments of a draw come to.

    Attributes:
        precision: Of drawn flags.
        missed: Of drawn points that are no flags: its "right" ones are called misinformed.
    """

    precision: FlagPrecision
    missed: FlagPrecision

    def rows(self, *, lexical: bool) -> tuple[tuple[str, str, int, int, str], ...]:
        """Name, share with its interval, points, papers, and what else came of it.

        Args:
            lexical: Whether the embedded judge found them, which flags nothing.
        """
        kinds = (
            ("of points that the paper was found to speak to", "of the other points")
            if lexical
            else ("precision: of flags", "missed: of points that were judged and not flagged")
        )
        return tuple(
            (name, shown(one.precision, "share"), one.precision.n, one.papers,
             f"drawn from {one.of:,}; {one.unsure:,} unsure, {one.left:,} not judged, "
             f"people differ on {len(one.differing):,}")
            for name, one in (
                (f"{kinds[0]}, those that people call misinformed", self.precision),
                (f"{kinds[1]}, those that people call misinformed", self.missed),
            )
        )  # fmt: skip


def blind_figures(draw: BlindDraw, judgments: Judgments) -> BlindFigures:
    """What people who judged without verdicts in sight say of a draw."""
    verdicts: dict[str, dict[str, Said]] = {
        name: {one.who: SAID[one.thinks_misinformed] for one in blind_only(judgments, name)}
        for name in draw.points
    }

    def share(flag: bool, of: int) -> FlagPrecision:
        papers = {name: one.paper_id for name, one in draw.points.items() if one.flag is flag}
        sample = FlagSample(seed=draw.seed, wanted=max(1, len(papers)), of=of, flags=papers)
        said: Mapping[str, Mapping[str, Said]] = {
            name: verdicts[name] for name in papers if verdicts[name]
        }
        return precision_of(sample, said)

    return BlindFigures(share(True, draw.flags), share(False, draw.others))


def blind_only(judgments: Judgments, point_id: str) -> list[FlagJudgment]:
    """Judgments of a drawn point that count: in the order of the draw, no verdict seen before.

    Of each who stands by one the first: once it is given, they see what others said.
    """
    asked = FlagQuestion.MISINFORMED
    standing = {one.who for one in replies_to(asked, judgments.standing(point_id))}
    first: dict[str, FlagJudgment] = {}
    for one in replies_to(asked, judgments.history(point_id)):
        if one.who in standing and one.verdict is not FlagOpinion.RETRACTED:
            first.setdefault(one.who, one)
    return [
        one
        for one in first.values()
        if one.sampling is PointSampling.RANDOM and not one.saw_verdict
    ]
