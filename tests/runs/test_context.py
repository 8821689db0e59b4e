"""Papers that are longer than models read are refused, or judged on excerpts; and all say so."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import reviewscore as rs
from reviewscore.cli.main import group
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.report.markdown import markdown_report
from reviewscore.report.roles import Reader, sheet
from reviewscore.runs.export import export
from reviewscore.schema.point_score import Status, UnknownReason
from tests.conftest import ROOT
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
SMALL = {"context_tokens": 5400, "max_tokens": 700, "points": "rules", "score": "base"}
"""Leaves 700 tokens, or 2,100 characters, for the paper."""


def small(server: Loopback, **more: object) -> dict[str, object]:
    return {"model": "openai/loop", "base_url": server.url, **SMALL, **more}


def test_papers_that_do_not_fit_are_refused_before_anything_is_asked(server: Loopback) -> None:
    with pytest.raises(SettingsError, match=r"papers? do not fit.*--context excerpts") as refused:
        rs.audit(EXAMPLES, "run", **small(server))

    assert "Nothing was asked" in str(refused.value)
    assert server.served.total() == 0
    assert not Path("run").exists()


def test_papers_that_fit_are_judged_whole(server: Loopback) -> None:
    run = rs.audit(EXAMPLES, "run", **small(server, context_tokens=100_000))

    assert all(point.seen is None for point in run.points)


def test_records_pages_exports_and_the_summary_say_that_excerpts_were_seen(
    server: Loopback,
) -> None:
    run = rs.audit(EXAMPLES, "run", **small(server, context="excerpts"))

    points = list(run.points)
    shares = [point.seen.share for point in points if point.seen is not None]
    assert len(shares) == len(points) > 0
    assert all(0 < share < 1 for share in shares)
    # The server of the test sees no paper in these prompts and quotes nothing: nothing counts.
    assert {point.status for point in points} == {Status.UNKNOWN}
    assert {point.reason for point in points} == {UnknownReason.EXCERPTS}
    assert {point.misinformed for point in points} == {None}
    summary = run.summary
    assert summary.excerpts is not None
    assert summary.judged is not None
    assert summary.judged.overall.share is None
    assert summary.excerpts.points == summary.excerpts.undecidable == len(points)
    page = run.report().read_text("utf-8")
    assert "Judged on excerpts (" in page
    assert f"{100 * shares[0]:.0f} % of the paper" in page
    assert "judged on excerpts (a median of" in markdown_report(run.path).lower()
    role = sheet(Reader.META_REVIEWER, "p", "A paper", points)
    assert any(banner.startswith("Judged on excerpts") for banner in role.banners)
    export([run.path], Path("points.csv"))
    rows = list(csv.DictReader(Path("points.csv").read_text("utf-8-sig").splitlines()))
    assert {row["seen"] for row in rows} == {"excerpts"}
    assert {float(row["seen_share"]) for row in rows} == set(shares)
    assert any(name.startswith("excerpts/") for name in run.manifest.prompts)


def test_a_run_on_excerpts_goes_on_only_on_excerpts(server: Loopback) -> None:
    rs.audit(EXAMPLES, "run", **small(server, context="excerpts", limit=1))

    with pytest.raises(RunFolderError, match="context"):
        rs.audit(EXAMPLES, "run", **small(server, context_tokens=100_000))


@pytest.mark.parametrize("line", [("venue", "run"), ("compare", "run", "copy")])
def test_no_rate_is_made_of_verdicts_on_excerpts(server: Loopback, line: tuple[str, ...]) -> None:
    rs.audit(EXAMPLES, "run", **small(server, context="excerpts", limit=1))
    shutil.copytree("run", "copy")

    result = CliRunner().invoke(group, list(line), standalone_mode=False)

    assert isinstance(result.exception, SettingsError)
    assert "judged on excerpts" in str(result.exception)


def test_the_embedded_judge_reads_whole_papers_whatever_models_read() -> None:
    run = rs.audit(EXAMPLES, "run", model="lexical", context="excerpts", context_tokens=2048)

    assert all(point.seen is None for point in run.points)


def test_an_estimate_counts_excerpts_and_no_cached_papers() -> None:
    def estimated(*more: str) -> dict[str, object]:
        line = ["audit", str(EXAMPLES), "--dry-run", "--json", "--model", "openai/gpt-4o", *more]
        result = CliRunner().invoke(group, line, standalone_mode=False)
        ways = json.loads(result.stdout)["ways"]
        return next(way for way in ways if way["this_command"])

    whole = estimated()
    excerpts = estimated("--context", "excerpts", "--context-tokens", "9000")

    assert excerpts["input_tokens"] < whole["input_tokens"]
    assert excerpts["cached_tokens"] == 0
    assert excerpts["calls"] == whole["calls"]
