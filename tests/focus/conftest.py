"""A loopback server, and reviews with strengths and weaknesses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TEXT = "Strengths:\n\n- {}.\n- The paper is well written.\n\nWeaknesses:\n\n- {}.\n"
REVIEWS = [
    {"paper_id": "frogs", "review_id": "f1", "text": TEXT.format("A novel idea", "No baselines")},
    {
        "paper_id": "frogs",
        "review_id": "f2",
        "system": "m",
        "text": TEXT.format("A good idea", "No proof"),
    },
    {"paper_id": "toads", "review_id": "t1", "text": TEXT.format("A new task", "Unclear notation")},
    {
        "paper_id": "toads",
        "review_id": "t2",
        "system": "m",
        "text": TEXT.format("A fine idea", "Too few ponds"),
    },
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two papers, each with a review by people and one by a model, of three points each."""
    file = tmp_path / "data" / "reviews.jsonl"
    file.parent.mkdir()
    file.write_text("".join(f"{json.dumps(one)}\n" for one in REVIEWS))
    return file.parent
