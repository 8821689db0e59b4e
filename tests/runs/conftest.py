"""What tests of runs share: a model on loopback, and data to audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import PAPER

WEAKNESSES = (
    "- The gain is unexplained because no part of the network is ever removed.\n"
    "- The counter is tested in one country only, so its use elsewhere is open.\n"
    "- The writing is dense."
)
QUESTIONS = (
    "- What learning rate is used to train the convolutional network with Adam?\n- Why frogs?"
)


def write_lines(file: Path, rows: Sequence[object]) -> None:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def frogs(folder: Path, reviews: Sequence[dict[str, object]]) -> Path:
    """A folder with one paper and reviews of it, named r1, r2 and so on."""
    folder.mkdir()
    paper = {"paper_id": "frogs", "title": "Counting Frogs", "text": PAPER, "year": 2021}
    write_lines(folder / "papers.jsonl", [paper])
    named = [
        {"review_id": f"r{number}", "paper_id": "frogs", **review}
        for number, review in enumerate(reviews, start=1)
    ]
    write_lines(folder / "reviews.jsonl", named)
    return folder


def points(out: Path) -> list[bytes]:
    """The records of a run, whatever their order."""
    return sorted((out / "points.jsonl").read_bytes().splitlines())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one paper and two reviews."""
    sections = {"summary": "It counts frogs.", "strengths": "- Nice.", "weaknesses": WEAKNESSES}
    first = {"sections": {**sections, "questions": QUESTIONS}}
    return frogs(tmp_path / "data", [first, {"sections": {"weaknesses": "- Too short."}}])
