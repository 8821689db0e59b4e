"""How often the lexical judge tells points that ask something, against labels made by hand.

`lexical_type_cases.csv` names 200 points of ICLR 2023 reviews by row and span (one at random from
each of 200 reviews, drawn with `points_sample.py --draw`); `question` is ``yes`` when the point
asks something. The texts are not part of this repository:

    python -m benchmarks.lexical_types [REVIEWS.parquet]
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import pandas as pd

from benchmarks.measure import SHARED, head, row, skip
from reviewscore.judges.lexical.forms import is_interrogative, sentences_of

CASES = Path(__file__).with_name("lexical_type_cases.csv")
REVIEWS = SHARED / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet"


def main() -> None:
    """Print the share of points typed right and every point typed wrong."""
    parser = argparse.ArgumentParser(description="Questions against labels made by hand.")
    parser.add_argument("reviews", type=Path, nargs="?", default=REVIEWS)
    file = parser.parse_args().reviews
    if not file.is_file():
        skip(f"no reviews at {file}")
        return
    reviews = pd.read_parquet(file)["review"].tolist()
    with CASES.open(encoding="utf-8") as file:
        cases = list(csv.DictReader(file))
    right = 0
    for case in cases:
        text = reviews[int(case["row"])][int(case["start"]) : int(case["end"])]
        asked = any(is_interrogative(sentence) for sentence in sentences_of(text))
        if asked == (case["question"] == "yes"):
            right += 1
        else:
            print(f"row {case['row']} labelled {case['question']}: {' '.join(text.split())[:200]}")
    usual = max(sum(one["question"] == answer for one in cases) for answer in ("yes", "no"))
    head("Questions told from other points, labels by hand")
    row(
        "typed right",
        f"{right / len(cases):.1%} of {len(cases)}",
        f"always the commoner answer {usual / len(cases):.1%}",
        right / usual,
        "-",
        better="higher",
    )


if __name__ == "__main__":
    main()
