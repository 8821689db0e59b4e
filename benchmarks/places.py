"""Places that people's reviews name, and how many of them are resolved in the reviewed version.

The development data beside the checkout (`../shared/data/neurips`): 61 submissions as texts of a
converter, which lost most formulas and some floats, and their 245 reviews. Whether a resolved place
is the right one is read by people, not measured here.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from benchmarks.measure import SHARED, head, row, skip
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points.places import with_places
from reviewscore.points.split import split_review
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review

NEURIPS = SHARED / "neurips"


@dataclass
class Counts:
    """Places of some reviews.

    Attributes:
        points: Points of the reviews.
        naming: Those that name a place.
        seconds: Time to read the places and look them up.
        named: Places by kind, each mention counted.
        resolved: Those of them whose text is at hand.
    """

    points: int = 0
    naming: int = 0
    seconds: float = 0.0
    named: Counter[str] = field(default_factory=Counter)
    resolved: Counter[str] = field(default_factory=Counter)


def papers(folder: Path = NEURIPS, most: int | None = None) -> dict[str, Paper]:
    """The submissions by their identifiers, in the order of the file; the first few if `most`."""
    table = pd.read_parquet(folder / "submissions_papers.parquet")
    return {
        one.paper_id: build_paper(PaperRow(paper_id=one.paper_id, title=one.title, text=one.text))
        for one in table.head(most or len(table)).itertuples()
    }


def counts(texts: dict[str, Paper], folder: Path = NEURIPS) -> Counts:
    """The places that the points of these papers' reviews name, and how many are resolved."""
    found = Counts()
    for one in pd.read_parquet(folder / "submissions_reviews.parquet").itertuples():
        if one.paper_id not in texts:
            continue
        boxes = {name: text for name, text in json.loads(one.sections).items() if text}
        review = Review(review_id=one.review_id, paper_id=one.paper_id, fields=boxes)
        points = split_review(review, include_limitations=True)
        began = time.perf_counter()
        named = [with_places(point, texts[one.paper_id], review).places or () for point in points]
        found.seconds += time.perf_counter() - began
        found.points += len(points)
        found.naming += sum(map(bool, named))
        for place in (place for places in named for place in places):
            found.named[place.kind.value] += 1
            found.resolved[place.kind.value] += place.target is not None
    return found


def main() -> None:
    """Print the shares."""
    if not (NEURIPS / "submissions_papers.parquet").is_file():
        skip(f"this needs the submissions in {NEURIPS}")
        return
    found = counts(papers())
    head("Places that 245 reviews name, in the texts of the 61 submissions")
    share = found.naming / found.points
    row("points that name a place", f"{found.naming} of {found.points} ({share:.0%})", "", None, "")
    for kind, named in found.named.most_common():
        value = f"{found.resolved[kind]} of {named} ({found.resolved[kind] / named:.0%})"
        row(f"resolved: {kind}", value, "", None, "")
    milliseconds = 1000 * found.seconds / found.points
    row("time to read and look up the places of a point", f"{milliseconds:.1f} ms", "", None, "")


if __name__ == "__main__":
    main()
