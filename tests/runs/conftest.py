"""What tests of runs share: a model on loopback, and data to audit."""

from __future__ import annotations

import csv
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reviewscore.config import resolve
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.runs.session import Outcome
from reviewscore.schema.point_score import PointScore, Status
from reviewscore.schema.review import Role
from reviewscore.schema.span import Span
from reviewscore.sources.collection import read_collection
from tests.conftest import PAPER, ROOT
from tests.loopback import Loopback

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


def examples(folder: Path, count: int) -> Path:
    """Papers like the example's, named paper/0 and so on, each with the example's reviews."""
    folder.mkdir()
    for name in ("papers", "reviews"):
        lines = (ROOT / "examples" / f"{name}.jsonl").read_text("utf-8").splitlines()
        rows = []
        for number in range(count):
            for row in map(json.loads, lines):
                if name == "reviews":
                    row["review_id"] = f"{number}-{row['review_id']}"
                rows.append({**row, "paper_id": f"paper/{number}"})
        write_lines(folder / f"{name}.jsonl", rows)
    return folder


def audited(
    data: Path, out: Path, server: Loopback | None = None, *,
    retry_errors: bool = False, accept_changed: bool = False, **flags: object,
) -> Outcome:  # fmt: skip
    """Audit a folder, by the embedded judge or by the scripted model."""
    if server is not None:
        flags = {"model": "openai/loopback", "base_url": server.url, **flags}
    collection, resolved = read_collection(data), resolve(flags)
    return audit(
        collection, out, resolved, retry_errors=retry_errors, accept_changed=accept_changed
    )


def run(data: Path, out: Path, server: Loopback | None = None, **flags: object) -> list[PointScore]:
    """Audit a folder; its points in the order of the reviews."""
    audited(data, out, server, **flags)
    return sorted(read_points(out), key=lambda score: (score.review_id, score.ordinal))


def command(data: Path, out: Path, url: str, *more: str) -> list[str]:
    """The same as a user starts it."""
    flags = ["--model", "openai/loopback", "--base-url", url, "-q", *more]
    return [sys.executable, "-m", "reviewscore", "audit", str(data), "-o", str(out), *flags]


def environment(**own: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "REVIEWSCORE_CACHE": "no", **own}


def small_disk(size: int) -> Callable[[], None]:
    """What limits the files of a process that begins."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def unscored(name: str, **changes: object) -> PointScore:
    """The record of a point that nobody could judge."""
    values: dict[str, object] = {
        "point_id": name,
        "review_id": name.partition("#")[0],
        "paper_id": "p",
        "section": "weaknesses",
        "role": Role.WEAKNESSES,
        "text": "x",
        "span": Span(field="weaknesses", start=0, end=1),
        "status": Status.UNKNOWN,
        "judge": "lexical",
        "reviewscore_version": "0",
    }
    return PointScore.model_validate(values | changes)


def read_csv(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text("utf-8"), newline="")))


def points(out: Path) -> list[bytes]:
    """The records of a run, whatever their order."""
    return sorted((out / "points.jsonl").read_bytes().splitlines())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one paper and two reviews."""
    sections = {"summary": "It counts frogs.", "strengths": "- Nice.", "weaknesses": WEAKNESSES}
    first = {"sections": {**sections, "questions": QUESTIONS}}
    return frogs(tmp_path / "data", [first, {"sections": {"weaknesses": "- Too short."}}])
