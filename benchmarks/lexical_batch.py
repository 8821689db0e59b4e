"""The papers and reviews that the benchmarks of the lexical judge run on.

They are the development data beside the checkout (`../shared/data/iclr2022/batch100`): 100 papers
of ICLR 2022 and 300 reviews of them written by models. None of it is part of this repository.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from reviewscore.papers.sections import find_sections
from reviewscore.points.split import split_review
from reviewscore.schema.paper import Paper
from reviewscore.schema.review import Review, ReviewPoint

BATCH = Path(__file__).resolve().parents[2] / "shared/data/iclr2022/batch100"


def papers(folder: Path = BATCH) -> dict[str, Paper]:
    """The papers by id, with their sections, in the order of the file."""
    if not (folder / "papers.parquet").is_file():
        raise SystemExit(
            f"this needs papers.parquet and reviews.parquet in {folder}: see benchmarks/README.md"
        )
    table = pd.read_parquet(folder / "papers.parquet")
    return {
        row.paper_id: Paper(
            paper_id=row.paper_id,
            title=row.title,
            text=row.text,
            sections=find_sections(row.text),
            source="parquet",
        )
        for row in table.itertuples()
    }


def points(folder: Path = BATCH) -> list[ReviewPoint]:
    """The points of all reviews, limitations included, in the order of the file."""
    table = pd.read_parquet(folder / "reviews.parquet")
    found: list[ReviewPoint] = []
    for row in table.itertuples():
        fields = {name: text for name, text in json.loads(row.sections).items() if text}
        review = Review(review_id=row.review_id, paper_id=row.paper_id, fields=fields)
        found.extend(split_review(review, include_limitations=True))
    return found
