"""The lexical judge on real papers and reviews, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewscore.judges.lexical.finder import find
from reviewscore.papers.load import PaperRow, build_paper
from reviewscore.points import split_review
from reviewscore.schema.review import Review
from reviewscore.schema.verdict import Finding


def _records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


@pytest.mark.shared
def test_passages_are_verbatim_and_answers_are_rare_on_real_papers(shared: Path) -> None:
    folder = shared / "iclr2022" / "sample12"
    rows = _records(folder / "papers.jsonl")
    papers = {
        row["paper_id"]: build_paper(
            PaperRow(paper_id=row["paper_id"], title=row["title"], text=row["text"])
        )
        for row in rows
    }
    outcomes = []
    for row in _records(folder / "reviews.jsonl"):
        fields = {name: text for name, text in row["sections"].items() if text}
        review = Review(review_id=row["review_id"], paper_id=row["paper_id"], fields=fields)
        for point in split_review(review, include_limitations=True):
            outcomes.append((papers[row["paper_id"]], find(point.text, papers[row["paper_id"]])))

    assert len(outcomes) > 300
    for paper, found in outcomes:
        for passage in found.passages:
            assert paper.text[passage.start : passage.end] == passage.quote
    addressed = sum(found.finding is Finding.ADDRESSED for _, found in outcomes)
    assert addressed < 0.02 * len(outcomes)
