"""What the ranking of flags is worth: the first three of a paper, against an order by chance.

    python -m benchmarks.flag_ranking [--half open] [--judged FOLDER]

The labelled submissions (`annotations/points-dev`): two readers labelled every point, and other
readers judged the same points by the protocol of presuppositions (`presuppositions_data`). Of each
paper the three points that rank first are taken; measured is the share of them that both readers of
labels call misinformed. Chance is no draw: it is what a random order gives on average. All readers
are capable models, no people. The factors of the weights were set before this was measured.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.local import point_of
from benchmarks.measure import SHARED, head, row, skip
from benchmarks.points_measured import HALVES, LABELS, reviews_of, sources_of
from benchmarks.presuppositions import (
    ASKED,
    JUDGED,
    LEVELS,
    REAL,
    Judgment,
    Place,
    Truth,
    judged,
    truths,
)
from benchmarks.readers_asked import CUT_BY
from reviewscore import __version__
from reviewscore.period.ranking import RankedFlag, rank_flags
from reviewscore.points.split import split_review
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import PointKind, Review, ReviewPoint
from reviewscore.sources.point_labels import read_point_labels, reviews_named
from reviewscore.stats.estimates import Estimate
from reviewscore.stats.resampling import Resampling
from reviewscore.stats.shares import paired_difference, plan_of_papers, share
from reviewscore.stats.tables import shown

FIRST = 3
"""Points of a paper that are looked at."""
HOW = Resampling(resamples=2000, scheme="papers")
ORDERS = {
    "probability x weight": lambda flag: -flag.worth,
    "probability": lambda flag: -flag.probability,
    "standing, then probability": lambda flag: (flag.point.standing, -flag.probability),
    "weight": lambda flag: -flag.weight,
}
"""Orders of a paper's points. Closeness of the decision orders papers, and no points of one."""


@cache
def points_of(half: str) -> dict[Place, ReviewPoint]:
    """The points as they were cut, with their places among those of their review."""
    file = LABELS / half / f"submissions-{CUT_BY}.jsonl"
    reviews = reviews_of(reviews_named([file]), sources_of([file]).values(), SHARED)
    labels = read_point_labels([file], reviews, name=CUT_BY).labels if reviews else ()
    by_review: dict[str, list[ReviewPoint]] = defaultdict(list)
    for label in labels:
        if label.is_point:
            by_review[label.review_id].append(_placed(point_of(label, reviews[label.review_id]),
                                                      reviews[label.review_id]))  # fmt: skip
    made: dict[Place, ReviewPoint] = {}
    for name, own in by_review.items():
        fields = list(reviews[name].fields)
        own.sort(key=lambda point: (fields.index(point.span.field), point.span.start))
        for number, point in enumerate(own, 1):
            place = (name, point.span.field, point.span.start)
            made[place] = point.model_copy(update={"number": number})
    return made


def _placed(point: ReviewPoint, review: Review) -> ReviewPoint:
    """A point with the heading, role and surroundings that the splitter gives to its words."""
    near = [
        other
        for other in split_review(review)
        if other.span.field == point.span.field
        and other.span.start < point.span.end
        and point.span.start < other.span.end
    ]
    if not near:
        return point
    kept = {name: getattr(near[0], name) for name in ("section", "role", "context", "neighbours")}
    return point.model_copy(update=kept)


def scored(point: ReviewPoint, line: Judgment) -> PointScore:
    """A point as its judge left it, as far as a rank needs it."""
    return PointScore(
        point_id=point.point_id, review_id=point.review_id, paper_id=point.paper_id,
        number=point.number, section=point.section, role=point.role, text=point.text,
        context=point.context, span=point.span, neighbours=point.neighbours,
        kind=PointKind(line["kind"]),
        status=Status.SCORED if line["misinformed"] is not None else Status.UNKNOWN,
        base=line["base"], standing=line["base"], probability=line["probability"],
        misinformed=line["misinformed"], judge="reader", reviewscore_version=__version__,
    )  # fmt: skip


Sample = list[tuple[RankedFlag, bool]]
"""A paper's points that both readers of labels agree on, and whether they call it misinformed."""


def samples(
    points: Mapping[Place, ReviewPoint],
    lines: Mapping[Place, Judgment],
    known: Mapping[Place, Truth],
    level: str,
) -> dict[str, Sample]:
    """By paper what can be ranked and measured."""
    there = [place for place in lines if place in points]
    made = {points[place].point_id: place for place in there}
    ranked = rank_flags((scored(points[place], lines[place]) for place in there), every=True)
    papers: dict[str, Sample] = defaultdict(list)
    for flag in ranked:
        truth = known.get(made[flag.point.point_id])
        meant = None if truth is None else LEVELS[level](truth)
        if meant is not None:
            papers[flag.point.paper_id].append((flag, meant))
    return papers


def measured(papers: Sequence[Sample], order: str) -> tuple[Estimate, Estimate, Estimate]:
    """The share among the first three, that by chance, and their difference; draws papers."""
    first, chance, base = (np.zeros(len(papers)) for _ in range(3))
    for number, sample in enumerate(papers):
        best = sorted(sample, key=lambda one: ORDERS[order](one[0]))[:FIRST]
        base[number] = len(best)
        first[number] = sum(meant for _, meant in best)
        chance[number] = len(best) * sum(meant for _, meant in sample) / len(sample)
    plan = plan_of_papers(len(papers), HOW)
    asked = [plan.ask(share("first three", first, base)), plan.ask(share("chance", chance, base))]
    asked.append(plan.ask(paired_difference("difference", chance, first, base)))
    plan.run()
    return asked[0].answer, asked[1].answer, asked[2].answer


def best_possible(papers: Iterable[Sample]) -> float:
    """The share among the first three if all that are misinformed came first."""
    kept = list(papers)
    base = sum(min(FIRST, len(sample)) for sample in kept)
    return sum(min(FIRST, sum(meant for _, meant in sample)) for sample in kept) / base


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "both"), default="open")
    parser.add_argument("--judged", type=Path, default=JUDGED)
    arguments = parser.parse_args()
    halves = HALVES if arguments.half == "both" else (arguments.half,)
    points = {place: point for half in halves for place, point in points_of(half).items()}
    if not points:
        skip("the reviews of the labelled submissions are not at hand")
        return
    known, _ = truths(halves)
    for level, reader in ((level, reader) for level in LEVELS for reader in ASKED):
        lines = judged(arguments.judged, f"{REAL}-{reader}")
        papers = samples(points, lines, known, level)
        every = list(papers.values())
        flags = [[one for one in sample if one[0].point.misinformed] for sample in every]
        sets = {"all points": every, "flags": [sample for sample in flags if sample]}
        for what, chosen in sets.items():
            count = sum(map(len, chosen))
            wrong = sum(meant for sample in chosen for _, meant in sample)
            head(f"{what}, reader {reader}, label {level}: {wrong} of {count} misinformed, "
                 f"{len(chosen)} papers, at best {best_possible(chosen):.3f}")  # fmt: skip
            orders = list(ORDERS)
            # Of so few flags all are among the first three of most papers, whatever the order.
            for order in orders if chosen is every else orders[:1]:
                first, chance, gain = measured(chosen, order)
                ratio = first.value / chance.value if first.value and chance.value else None
                name = f"{what}, reader {reader}, {level}: first three by {order}"
                words = f"{shown(first)}; difference {shown(gain)}"
                goal = "> 1" if chosen is every and order == orders[0] else ""
                row(name, words, f"chance {shown(chance)}", ratio, goal, better="higher")


if __name__ == "__main__":
    main()
