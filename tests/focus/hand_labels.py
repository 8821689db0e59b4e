"""The points of ``annotations/focus-dev``, whose words are in the development data alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SET = ROOT / "annotations" / "focus-dev"


class Unit(NamedTuple):
    """A labelled point with its words."""

    unit_id: str
    source: str
    polarity: str
    sha256: str
    text: str


def texts_of_units(shared: Path) -> tuple[list[Unit], dict[str, dict[str, str]]]:
    """The points with their words, and the labels of the first annotator."""
    import pandas as pd

    from reviewscore.points.split import split_review
    from reviewscore.sources.files import read_collection

    reviews = pd.read_parquet(shared / "iclr2023_reviews" / "iclr2023_reviews_dev.parquet")
    lines = {
        f"{one.paper_id}/people/{one.reviewer}": [
            line.strip() for line in str(one.review_summary).split("\n") if line.strip()
        ]
        for one in reviews.itertuples()
    }
    points = {
        point.point_id: point.text
        for review in read_collection(shared / "iclr2022" / "batch100").reviews
        for point in split_review(review, include_strengths=True)
    }
    units = []
    for line in (SET / "units.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        review_id, _, number = record["unit_id"].rpartition("#")
        by_people = record["source"] == "iclr2023_reviews_dev"
        text = lines[review_id][int(number) - 1] if by_people else points[record["unit_id"]]
        units.append(Unit(**record, text=text))
    labels: dict[str, dict[str, str]] = {}
    for line in (SET / "labels.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["annotator"] == "A1":
            labels.setdefault(record["unit_id"], {})[record["field"]] = record["value"]
    return units, labels
