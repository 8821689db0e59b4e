"""Points of runs counted by review, type and outcome: all that the report of a venue keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from reviewscore.config import PRESUPPOSING
from reviewscore.runs.manifest import Manifest
from reviewscore.runs.parts import PointsOnce, RunPart, by_presuppositions
from reviewscore.schema.argument import Failure
from reviewscore.schema.paper import base_paper_id
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import PAPERS, plan_of_papers, share
from reviewscore.stats.statistic import Floats, Ints

UNTYPED = "untyped"
TYPES = (*(kind.value for kind in PointType), UNTYPED)
"""Types of points by code; the last is of points that failed before theirs was known."""
MISINFORMED, NOT_MISINFORMED, UNKNOWN, FAILED = range(4)
"""Outcomes of a verdict, by code."""
VERDICTS = ("misinformed", "not misinformed", "unknown", "error")
INFERENCE, SUPPLIED, NOT_SUPPLIED, STATED = range(len(VERDICTS), len(VERDICTS) + 4)
"""Marks that a point may have beside its outcome, by code: misinformed by the inference of an
argument alone; the paper speaks to it, or not; not misinformed, and the authors state it too."""
MARKS = STATED + 1
"""How many codes there are, outcomes and others."""
_AT_ONCE = 40
"""Cells that are resampled together: it bounds memory, and the draws of each are the same."""


@dataclass(frozen=True)
class OutcomeMeasure:
    """A share of points that have one mark among those that have any of several.

    Attributes:
        name: Such as ``misinformed``.
        title: What it is called in a table.
        meaning: Its definition.
        hit: Code of the mark.
        of: Codes of the marks among which it is counted, of which no point has two.
    """

    name: str
    title: str
    meaning: str
    hit: int
    of: tuple[int, ...]


_KNOWN, _ALL = (MISINFORMED, NOT_MISINFORMED), (MISINFORMED, NOT_MISINFORMED, UNKNOWN, FAILED)
MEASURES = (
    OutcomeMeasure("misinformed", "Judged misinformed",
            "points judged misinformed (score 1 or 2; of an argument, a premise with 1 or 2), of "
            "those where this is known; unknown and failed points are in neither part "
            "(ReviewScore, arXiv 2509.21679, sec. 3.1)", MISINFORMED, _KNOWN),
    OutcomeMeasure("unknown", "Unknown", "points on which no verdict was reached, of all", UNKNOWN,
                   _ALL),
    OutcomeMeasure("error", "Failed", "points on which something failed, of all", FAILED, _ALL),
)  # fmt: skip
"""What is measured of the verdicts of every run."""
_OF_ARGUMENTS = OutcomeMeasure(
    "inference", "Misinformed by inference alone",
    "those of the points judged misinformed that are arguments whose facts hold and whose "
    "conclusion does not follow: no premise fails but one that the reviewer did not write and that "
    "links reasons to the conclusion; of the same points", INFERENCE, _KNOWN,
)  # fmt: skip
_LEVELS = (
    OutcomeMeasure("misinformed", "Judged misinformed",
            "points whose standing is 1 or 2 beside passages that speak to them, or that are about "
            "something that is not in the paper, in all looks; of those where this is known",
            MISINFORMED, _KNOWN),
    OutcomeMeasure("supplied", "The paper speaks to it (no flag)",
            "points to which the paper speaks in a verified passage, misinformed or not, of those "
            "where this is known; a level of its own, never added to misinformed points",
            SUPPLIED, (SUPPLIED, NOT_SUPPLIED)),
    OutcomeMeasure("acknowledged", "The authors state it too",
            "points that are not misinformed and criticise what the authors state themselves, of "
            "those where it is known whether they are misinformed; no word on their worth",
            STATED, _KNOWN),
)  # fmt: skip


FALSE_ALARM = OutcomeMeasure(
    "false_alarm", "False alarms",
    "flags that people call wrong, of those of a random sample that they call right or wrong",
    NOT_MISINFORMED, _KNOWN,
)  # fmt: skip
"""What is measured of flags that people judged: `count_judged` counts them by what people say."""


def measures_of(manifest: Manifest) -> tuple[OutcomeMeasure, ...]:
    """What is measured of a run's points, the share of misinformed ones first."""
    if by_presuppositions(manifest):
        return (*_LEVELS, *MEASURES[1:])
    if manifest.decisive.get("score") == "base":
        return MEASURES
    return (MEASURES[0], _OF_ARGUMENTS, *MEASURES[1:])


def outcome(score: PointScore) -> int:
    """The code of a point's outcome.

    What has no status of its own is told by `PointScore.misinformed`, as in the report of a run:
    an argument with a score and without a verdict on its premises is unknown.
    """
    if score.status is Status.ERROR:
        return FAILED
    if score.misinformed is None:
        return UNKNOWN
    return MISINFORMED if score.misinformed else NOT_MISINFORMED


def sources(*protocols: str) -> str:
    """Where the scores of runs are defined, as a sentence that follows one; empty for our own."""
    published = not all(protocol in PRESUPPOSING for protocol in protocols)
    return " The scores are defined in arXiv 2509.21679." if published else ""


def marks(score: PointScore) -> tuple[int, ...]:
    """The codes of a point: of its outcome, which comes first, and of what else is counted."""
    codes = [outcome(score)]
    if codes[0] == FAILED:
        return (FAILED,)
    if score.misinformed and score.failure is Failure.LINK:
        codes.append(INFERENCE)
    if score.supplied is not None:
        codes.append(SUPPLIED if score.supplied else NOT_SUPPLIED)
    if score.acknowledged and codes[0] == NOT_MISINFORMED:
        codes.append(STATED)
    return tuple(codes)


@dataclass(frozen=True)
class OutcomeCounts:
    """How many points of each review have which type and which marks.

    Attributes:
        reviews: Identifiers of the reviews that have points, sorted.
        papers: Identifiers of the papers, sorted.
        paper_of: Shape (reviews,); number of the paper of each review.
        points: Shape (reviews, types, marks); the codes are those of `TYPES` and of `marks`, and
            each point has one of the first `VERDICTS`.
        repeated: Points met twice, word for word, and counted once.
        no_points: What is no review point, and is not counted.
    """

    reviews: tuple[str, ...]
    papers: tuple[str, ...]
    paper_of: Ints
    points: Ints
    repeated: int = 0
    no_points: int = 0


def count_points(parts: Sequence[RunPart]) -> OutcomeCounts:
    """Count the points of runs, one at a time; the order of runs is of no account.

    Args:
        parts: Runs of one judge that gives scores.

    Raises:
        RunFolderError: A record cannot be read, or a point is there twice with other content.
    """
    return _counted(parts, marks)


def count_judged(parts: Sequence[RunPart], judged: Mapping[str, bool]) -> OutcomeCounts:
    """Count flags that people judged, as misinformed if they call them right, else as not.

    Args:
        parts: The runs.
        judged: Whether people call a flag right, by point id.
    """

    def said(score: PointScore) -> tuple[int, ...]:
        right = judged.get(score.point_id)
        return () if right is None else (MISINFORMED if right else NOT_MISINFORMED,)

    return _counted(parts, said)


def _counted(
    parts: Sequence[RunPart], codes: Callable[[PointScore], tuple[int, ...]]
) -> OutcomeCounts:
    """Count points by their codes; what has none is not counted."""
    once = PointsOnce(parts)
    rows: dict[tuple[str, str], list[int]] = {}
    no_points = 0
    for part in parts:
        for _, score in once.read(part):
            if not score.is_point:
                no_points += 1
                continue
            kind = TYPES.index(score.type.value if score.type else UNTYPED)
            if not (own := codes(score)):
                continue
            key = score.review_id, base_paper_id(score.paper_id)  # versions are of one paper
            row = rows.setdefault(key, [0] * len(TYPES) * MARKS)
            for mark in own:
                row[kind * MARKS + mark] += 1
    keys = sorted(rows)
    papers = sorted({paper for _, paper in keys})
    number = {paper: n for n, paper in enumerate(papers)}
    return OutcomeCounts(
        reviews=tuple(review for review, _ in keys),
        papers=tuple(papers),
        paper_of=np.array([number[paper] for _, paper in keys], dtype=np.int64),
        points=np.array([rows[key] for key in keys], dtype=np.int64).reshape(-1, len(TYPES), MARKS),
        repeated=once.repeated,
        no_points=no_points,
    )


def rates(
    cells: Iterable[Floats],
    how: Resampling = PAPERS,
    measures: Sequence[OutcomeMeasure] = MEASURES,
) -> list[dict[str, Estimate]]:
    """The measures of each cell of a table.

    Args:
        cells: For each cell, shape (papers, marks): its points by paper and mark. All have the
            same papers.
        how: How intervals are made; `Resampling.scheme` is of no account: papers are drawn whole.
        measures: What is measured.

    Returns:
        For each cell the estimates by name of the measure; ``n`` is the number of points among
        which hits were counted.
    """
    estimates: list[dict[str, Estimate]] = []
    left = iter(cells)
    while chunk := list(islice(left, _AT_ONCE)):
        plan = plan_of_papers(len(chunk[0]), how)
        slots = [
            [
                plan.ask(share(measure.name, cell[:, measure.hit], cell[:, measure.of].sum(axis=1)))
                for measure in measures
            ]
            for cell in chunk
        ]
        plan.run()
        estimates += [{slot.statistic.name: slot.answer for slot in row} for row in slots]
    return estimates
