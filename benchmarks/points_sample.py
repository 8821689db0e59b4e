"""Print the review points that were labelled by hand, and count how many are usable.

`points_cases.csv` names 100 points of ICLR 2023 reviews by row and span: reviews drawn at random,
one point at random from each, every point read against its review. `usable` is ``yes`` when the
point is a self-contained weakness or question as it stands; `failure` is the kind of fault
otherwise. The texts are not part of this repository:

    python benchmarks/points_sample.py REVIEWS.parquet             # print the labelled cases
    python benchmarks/points_sample.py REVIEWS.parquet --draw 7    # draw 100 new ones to label
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter
from pathlib import Path

import pandas as pd

from reviewscore.points.split import split_review
from reviewscore.schema.review import Review

CASES = Path(__file__).with_name("points_cases.csv")


def review_at(reviews: list[str], row: int) -> Review:
    """The review of one row, as a single text."""
    return Review(review_id=str(row), paper_id=str(row), fields={"text": reviews[row]})


def drawn(reviews: list[str], seed: int, wanted: int) -> list[tuple[int, int, int]]:
    """Row, start and end of one random point from each of `wanted` random reviews."""
    chance = random.Random(seed)
    rows = list(range(len(reviews)))
    chance.shuffle(rows)
    cases: list[tuple[int, int, int]] = []
    for row in rows:
        points = split_review(review_at(reviews, row))
        if points:
            span = chance.choice(points).span
            cases.append((row, span.start, span.end))
        if len(cases) == wanted:
            break
    return cases


def main() -> None:
    """Print labelled cases with their counts, or new cases without labels."""
    parser = argparse.ArgumentParser(description="Review points labelled by hand.")
    parser.add_argument("reviews", type=Path, help="Parquet file with a column 'review'")
    parser.add_argument("--draw", type=int, metavar="SEED", help="draw new cases instead")
    options = parser.parse_args()
    reviews = pd.read_parquet(options.reviews)["review"].tolist()
    if options.draw is not None:
        for row, start, end in drawn(reviews, options.draw, 100):
            print(f"row {row} [{start}:{end}]\n{reviews[row][start:end]}\n")
        return
    labels: Counter[str] = Counter()
    same = 0
    with CASES.open(encoding="utf-8", newline="") as file:
        for case in csv.DictReader(file):
            row, start, end = int(case["row"]), int(case["start"]), int(case["end"])
            spans = {(p.span.start, p.span.end) for p in split_review(review_at(reviews, row))}
            same += (start, end) in spans
            label = case["failure"] or "usable"
            labels[label] += 1
            print(f"row {row} [{start}:{end}] {label}\n{reviews[row][start:end]}\n")
    total = sum(labels.values())
    print(f"usable {labels['usable']} of {total}; faults: {dict(labels - Counter(usable=total))}")
    print(f"spans the splitter gives today: {same} of {total}")


if __name__ == "__main__":
    main()
