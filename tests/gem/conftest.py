"""A loopback server, papers and reviews for the model-based parts of GEM."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import PAPER

REVIEWS = [
    {"paper_id": "frogs", "review_id": "f1", "reviewer": 1, "text": "Too few ponds. Why frogs?"},
    {"paper_id": "frogs", "review_id": "f2", "reviewer": 2, "text": "The nights are too few."},
    {"paper_id": "toads", "review_id": "t1", "reviewer": 1, "text": "No toads are heard."},
]


def write_lines(path: Path, records: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two papers with three reviews."""
    folder = tmp_path / "data"
    papers = [
        {"paper_id": "frogs", "title": "Counting Frogs", "text": PAPER},
        {"paper_id": "toads", "title": "Counting Toads", "text": PAPER.replace("frog", "toad")},
    ]
    write_lines(folder / "papers.jsonl", [dict(one) for one in papers])
    write_lines(folder / "reviews.jsonl", [dict(one) for one in REVIEWS])
    return folder
