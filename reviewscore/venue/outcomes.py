"""Points of runs counted by review, type and outcome: all that the report of a venue keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from reviewscore.runs.parts import PointsOnce, RunPart
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
_WIDTH = len(VERDICTS)
_AT_ONCE = 40
"""Cells that are resampled together: it bounds memory, and the draws of each are the same."""


@dataclass(frozen=True)
class OutcomeMeasure:
    """A share of points that have one outcome among those that have any of several.

    Attributes:
        name: Such as ``misinformed``.
        title: What it is called in a table.
        meaning: Its definition.
        hit: Code of the outcome.
        of: Codes of the outcomes among which it is counted.
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
"""What is measured of verdicts."""


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


@dataclass(frozen=True)
class OutcomeCounts:
    """How many points of each review have which type and outcome.

    Attributes:
        reviews: Identifiers of the reviews that have points, sorted.
        papers: Identifiers of the papers, sorted.
        paper_of: Shape (reviews,); number of the paper of each review.
        points: Shape (reviews, types, outcomes); the codes are those of `TYPES` and of `outcome`.
        repeated: Points met twice, word for word, and counted once.
    """

    reviews: tuple[str, ...]
    papers: tuple[str, ...]
    paper_of: Ints
    points: Ints
    repeated: int = 0


def count_points(parts: Sequence[RunPart]) -> OutcomeCounts:
    """Count the points of runs, one at a time; the order of runs is of no account.

    Args:
        parts: Runs of one judge that gives scores.

    Raises:
        RunFolderError: A record cannot be read, or a point is there twice with other content.
    """
    once = PointsOnce(parts)
    rows: dict[tuple[str, str], list[int]] = {}
    for part in parts:
        for _, score in once.read(part):
            if not score.is_point:
                continue
            kind = TYPES.index(score.type.value if score.type else UNTYPED)
            row = rows.setdefault((score.review_id, score.paper_id), [0] * len(TYPES) * _WIDTH)
            row[kind * _WIDTH + outcome(score)] += 1
    keys = sorted(rows)
    papers = sorted({paper for _, paper in keys})
    number = {paper: n for n, paper in enumerate(papers)}
    return OutcomeCounts(
        reviews=tuple(review for review, _ in keys),
        papers=tuple(papers),
        paper_of=np.array([number[paper] for _, paper in keys], dtype=np.int64),
        points=np.array([rows[key] for key in keys], dtype=np.int64).reshape(
            -1, len(TYPES), _WIDTH
        ),
        repeated=once.repeated,
    )


def rates(cells: Iterable[Floats], how: Resampling = PAPERS) -> list[dict[str, Estimate]]:
    """All measures of each cell of a table.

    Args:
        cells: For each cell, shape (papers, outcomes): its points by paper and outcome. All have
            the same papers.
        how: How intervals are made; `Resampling.scheme` is of no account: papers are drawn whole.

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
                for measure in MEASURES
            ]
            for cell in chunk
        ]
        plan.run()
        estimates += [{slot.statistic.name: slot.answer for slot in row} for row in slots]
    return estimates
