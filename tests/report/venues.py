"""Invented venues: many reviews whose points have given types and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointType
from tests.report.synthetic import manifest, point, write_run

KINDS = tuple(PointType)


def verdict(
    name: str,
    kind: PointType | None,
    misinformed: bool | None,
    *,
    base: int | None = None,
    failed: bool = False,
    text: str = "The baselines were not tuned.",
) -> PointScore:
    """A point named ``paper/review#number``."""
    review, _, number = name.rpartition("#")
    status = Status.SCORED if misinformed is not None else Status.UNKNOWN
    scored = base if base is not None else {True: 2, False: 4, None: None}[misinformed]
    made = point(
        int(number),
        "The baselines were not tuned.",
        status=Status.ERROR if failed else status,
        type=kind,
        base=None if failed else scored,
        misinformed=None if failed else misinformed,
        error="Timeout: too slow" if failed else None,
    )
    return made.model_copy(update={
        "point_id": name, "review_id": review, "paper_id": review.partition("/")[0], "text": text,
    })  # fmt: skip


def venue_points(
    papers: int,
    *,
    reviews: int = 3,
    points: int = 4,
    rate: float = 0.2,
    seed: int = 0,
    name: str = "p",
) -> list[PointScore]:
    """Points of a venue; papers differ in their rate."""
    random = Random(seed)
    made = []
    for paper in range(papers):
        own = min(1.0, rate * random.uniform(0.2, 1.8))
        for review in range(reviews):
            for number in range(1, points + 1):
                drawn = random.random()
                flag = None if drawn > 0.95 else random.random() < own
                kind = KINDS[random.randrange(3)]
                made.append(verdict(f"{name}{paper}/r{review}#{number}", kind, flag))
    return made


def venue_run(folder: Path, points: Iterable[PointScore], **changes: object) -> Path:
    """A run folder of them."""
    return write_run(folder, points, made=manifest(**changes))  # type: ignore[arg-type]
