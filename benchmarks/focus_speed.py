"""100,000 points through the whole of `reviewscore focus`: labels, tables, intervals, plots.

Judgments of people's reviews, repeated as reviews of further papers until there are enough, and
the same lines again as a second system's. The baseline counts the words of the same points with
scikit-learn's CountVectorizer, which reads every text once and does nothing else.
"""

from __future__ import annotations

import json
import tempfile
import time
from itertools import count
from pathlib import Path

import pandas as pd

from benchmarks.measure import QUICK, SHARED, head, row, run, skip

POINTS = 3_000 if QUICK else 100_000
REVIEWS = SHARED / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet"
_STANCES = ("the reviewer appreciates", "the reviewer criticizes")


def write(file: Path) -> list[str]:
    """Write reviews with at least so many points; returns the points."""
    reviews = pd.read_parquet(REVIEWS)
    points: list[str] = []
    with file.open("w", encoding="utf-8") as out:
        for again in count():
            for number, one in enumerate(reviews.itertuples()):
                if len(points) >= POINTS:
                    return points
                lines = str(one.review_summary).split("\n")
                points += [line for line in lines if line.strip().lower().startswith(_STANCES)]
                record = {
                    "paper_id": f"{one.paper_id}-{again // 2}",
                    "review_id": f"{again}-{number}",
                    "judgments": lines,
                    **({"system": "again"} if again % 2 else {}),
                }
                out.write(f"{json.dumps(record)}\n")
    return points


def main() -> None:
    """Print the table."""
    from sklearn.feature_extraction.text import CountVectorizer

    if not REVIEWS.is_file():
        skip(f"no reviews at {REVIEWS}")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reviews.jsonl"
        points = write(file)
        began = time.perf_counter()
        CountVectorizer().fit_transform(points)
        plain = time.perf_counter() - began
        size = file.stat().st_size / 1e6
        told = run("-m", "reviewscore", "focus", str(file), "-o", str(Path(folder) / "out"))
    head(f"Focus of {len(points):,} points, embedded annotator")
    base = f"CountVectorizer {plain:.1f} s"
    row("the whole command", f"{told.seconds:.1f} s", base, told.seconds / plain, "<= 60 s")
    row(
        "peak memory",
        f"{told.peak_mb:.0f} MB",
        f"the file of reviews {size:.0f} MB",
        told.peak_mb / size,
        "<= 1,000 MB",
    )


if __name__ == "__main__":
    main()
