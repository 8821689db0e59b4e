"""No verb makes a value of a prompt that its server cut, whatever the server says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reviewscore.cli.main import group
from reviewscore.config import Settings
from reviewscore.errors import PromptCutError
from reviewscore.focus.annotator import annotate
from reviewscore.focus.facets import DEFAULT, UNKNOWN, FacetPoint, Polarity
from reviewscore.gem.baselines import examine
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.runs.generation import open_asker
from tests.conftest import ROOT
from tests.local_models import LocalModel, text_of, tokens
from tests.loopback import ANSWERS

EXAMPLES = ROOT / "examples"
GRADES = ("understanding", "coverage", "substantiation", "constructiveness", "overall_assessment")
GRANTED = 1500
"""Tokens that the servers of these tests read."""
LONG = "Nobody had counted the herons of the upper lake before in so wet a year. " * 120


def lengthened(source: Path, target: Path, name: str, field: str, rows: int) -> None:
    """Copy the first rows of a table with a long text in front of one of their fields."""
    lines = (source / name).read_text("utf-8").splitlines()[:rows]
    records = [json.loads(line) for line in lines]
    for record in records:
        record[field] = f"{LONG}{record[field]}"
    target.mkdir(exist_ok=True)
    text = "".join(f"{json.dumps(record)}\n" for record in records)
    (target / name).write_text(text, "utf-8")


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs in the current folder whose prompts are longer than the servers read."""
    monkeypatch.setenv("REVIEWSCORE_CONFIRM_ABOVE", "1000")
    monkeypatch.setenv("REVIEWSCORE_MAX_RETRIES", "0")
    lengthened(EXAMPLES / "similarity", Path("similarity"), "papers.jsonl", "abstract", 20)
    for name in ("profiles.jsonl", "evaluations.csv"):
        Path("similarity", name).write_bytes((EXAMPLES / "similarity" / name).read_bytes())
    meta = {"paper_id": "sparse-replay", "meta_review": f"{LONG}One seed is too few."}
    Path("metareviews.jsonl").write_text(json.dumps(meta) + "\n")


VERBS: dict[str, tuple[object, ...]] = {
    "reconstruct": (
        *("reconstruct", "No ablation, so the gain is unexplained.", "--json"),
        *("--paper", EXAMPLES / "paper.txt"),
    ),
    "gem prepare": ("gem", "prepare", EXAMPLES, "-o", "out"),
    "gem generate": ("gem", "generate", EXAMPLES, "-o", "out"),
    "focus references": (
        *("focus", "references", EXAMPLES / "gem", "-o", "out"),
        *("--metareviews", "metareviews.jsonl"),
    ),
    "similarity judge": ("similarity", "judge", "similarity", "-o", "out"),
}


CUTS = [("front", "read"), ("middle", "read"), ("end", "read"), ("front", "nothing"),
        ("end", "nothing")]  # fmt: skip
"""Where a server cuts, and what it says that it has read."""


def written() -> list[dict[str, Any]]:
    """The rows in the folder; those of gem's short questions about single reviews left out."""
    rows = [
        json.loads(line)
        for file in Path("out").rglob("*.jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    return [row for row in rows if (row["provenance"] or {}).get("stage") != "gem_judgments"]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("cuts", "counts"), CUTS)
def test_a_prompt_that_was_cut_gives_no_value(
    local: Callable[..., LocalModel], verb: str, cuts: str, counts: str
) -> None:
    server = local("lmstudio", granted=GRANTED, cuts=cuts, counts=counts)
    model = ("--model", "openai/small", "--base-url", server.url)

    words = [str(word) for word in (*VERBS[verb], *model)]
    result = CliRunner().invoke(group, words, standalone_mode=False)

    assert any(tokens(text_of(body)) > GRANTED for body in server.judged)
    if verb == "reconstruct":
        assert isinstance(result.exception, PromptCutError)
        return
    assert result.return_value == 3  # done in part
    rows = written()
    assert rows
    assert {row["state"] for row in rows} == {"failed"}
    assert all("PromptCutError" in row["reason"] for row in rows)


# The script of the test makes no usable points of so long a meta-review.
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "focus references"])
@pytest.mark.parametrize("counts", ["read", "nothing"])
def test_a_prompt_that_was_read_gives_one(
    local: Callable[..., LocalModel], verb: str, counts: str
) -> None:
    server = local("lmstudio", window=60_000, counts=counts)
    model = ("--model", "openai/small", "--base-url", server.url)

    words = [str(word) for word in (*VERBS[verb], *model)]
    result = CliRunner().invoke(group, words, standalone_mode=False)

    assert (result.exception, result.return_value) == (None, 0)
    assert all(row["state"] == "made" for row in written())
    longest = max(tokens(text_of(body)) for body in server.judged)
    tried = [tokens(text_of(body)) for body in server.asked if body not in server.judged]
    # A server that does not count is tried with a prompt as long as the longest.
    assert bool(tried) is (counts == "nothing")
    assert not tried or max(tried) > 0.75 * longest


@pytest.mark.parametrize(("cuts", "counts"), CUTS)
async def test_a_cut_prompt_gives_no_facet_and_no_grade(
    local: Callable[..., LocalModel], monkeypatch: pytest.MonkeyPatch, cuts: str, counts: str
) -> None:
    grade = {"overall_score": 7, **dict.fromkeys(GRADES, "-")}
    monkeypatch.setitem(ANSWERS, "ExaminerReply", lambda _: grade)
    server = local("lmstudio", granted=GRANTED, cuts=cuts, counts=counts)
    settings = Settings(model="openai/small", base_url=server.url, max_retries=0)
    points = [FacetPoint("a", "p", "r", "people", Polarity.WEAKNESS, f"{LONG}")]

    async with open_asker(settings, CallsInMemory()) as asker:
        annotated = await annotate(asker, points, DEFAULT)
    async with open_asker(settings, CallsInMemory()) as asker:
        with pytest.raises(PromptCutError):
            await examine(asker, "p", f"{LONG}", "Too few herons.")

    assert [type(error) for error in annotated.errors] == [PromptCutError, PromptCutError]
    assert {(point.target, point.aspect) for point in annotated.points} == {(UNKNOWN, UNKNOWN)}
