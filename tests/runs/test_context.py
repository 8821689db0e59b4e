"""Papers that are longer than models read are refused, or judged on excerpts; and all say so."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import reviewscore as rs
from reviewscore.cli.main import group
from reviewscore.errors import RunFolderError, SettingsError
from reviewscore.report.markdown import markdown_report
from reviewscore.report.roles import Reader, sheet
from reviewscore.runs.export import export
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.point_score import Status, UnknownReason
from tests.commands import Invoke, invoker
from tests.conftest import ROOT
from tests.local_models import Kind, LocalModel, text_of, tokens
from tests.loopback import Loopback

EXAMPLES = ROOT / "examples"
Excerpted = Callable[..., tuple[int, str, Path]]
SMALL = {"context_tokens": 5500, "max_tokens": 700, "points": "rules", "score": "base"}
"""Leaves 800 tokens for a whole paper, 2,590 for excerpts."""


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
    # The server of the test quotes what speaks against a point, and else calls it true.
    assert {(point.status, point.reason) for point in points} == {
        (Status.SCORED, None),
        (Status.UNKNOWN, UnknownReason.EXCERPTS),
    }
    unknown = [point for point in points if point.status is Status.UNKNOWN]
    assert {point.misinformed for point in unknown} == {None}
    scored = [point for point in points if point.status is Status.SCORED]
    assert all(any(quote.verified for quote in point.verdict.evidence) for point in scored)
    summary = run.summary
    assert summary.excerpts is not None
    assert summary.judged is not None
    assert summary.judged.overall.share is None
    assert (summary.excerpts.points, summary.excerpts.undecidable) == (len(points), len(unknown))
    assert summary.judged.overall.misinformed == len(scored)
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


LONG = "--no-cache", "--context", "excerpts", "--score", "base"


@pytest.fixture
def excerpted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Excerpted:
    """Audits the examples on excerpts by a server: exit code, all that was printed, the run."""
    invoke: Invoke = invoker("audit", capsys)

    def run(server: LocalModel, *more: str) -> tuple[int, str, Path]:
        name = server.kind if server.kind in ("ollama", "llamacpp") else "openai"
        model = ("--model", f"{name}/small", "--base-url", server.url)
        ended = invoke(str(EXAMPLES), "-o", tmp_path / "run", *model, *LONG, *more)
        return ended.exit_code, ended.stdout + ended.stderr, tmp_path / "run"

    return run


@pytest.mark.parametrize("kind", ["ollama", "llamacpp", "vllm", "lmstudio"])
def test_the_window_that_a_server_tells_is_the_context_of_excerpts(
    local: Callable[..., LocalModel], excerpted: Excerpted, kind: Kind
) -> None:
    server = local(kind, window=6000)

    code, words, out = excerpted(server)

    assert code == 0, words
    assert "do not go into 6,000 tokens with task and reply are judged on excerpts" in words
    manifest = read_manifest(out)
    assert manifest.decisive["context_tokens"] == 6000
    assert manifest.decisive["max_tokens"] == 1500  # a reply takes a quarter at the most
    (check,) = manifest.prompt_checks.values()
    assert check.window == 6000
    points = list(read_points(out))
    assert all(point.seen is not None for point in points)
    longest = max(tokens(text_of(body)) for body in server.judged)
    assert longest + 1500 < 6000
    # What is tried is as long as what is asked, by the estimate of a token.
    assert 0.8 * longest < check.longest_prompt < 1.6 * longest


def test_a_run_on_excerpts_keeps_its_context_when_the_server_tells_another(
    local: Callable[..., LocalModel], excerpted: Excerpted
) -> None:
    server = local(window=6000)
    excerpted(server, "--limit", "1")
    server.window = 8000

    code, words, out = excerpted(server)

    assert code == 0, words
    assert read_manifest(out).decisive["context_tokens"] == 6000


def test_excerpts_that_are_longer_than_the_window_are_refused_with_the_context_that_does(
    local: Callable[..., LocalModel], excerpted: Excerpted
) -> None:
    server = local("vllm", window=6000)

    code, words, _ = excerpted(server, "--context-tokens", "9000")
    cure = re.search(r"give --context-tokens (\d+)", words)

    assert code == 2
    assert "reads 6,000 tokens at once" in words
    assert not server.asked
    assert cure is not None
    code, words, _ = excerpted(server, "--context-tokens", cure[1])
    assert code == 0, words


def test_excerpts_of_a_tokenizer_that_makes_more_of_them_are_refused_too(
    local: Callable[..., LocalModel], excerpted: Excerpted
) -> None:
    server = local("vllm", window=6000, dense=2)

    code, words, _ = excerpted(server)
    cure = re.search(r"give --context-tokens (\d+)", words)

    assert (code, server.asked) == (2, [])
    assert cure is not None
    assert int(cure[1]) < 6000
    code, words, _ = excerpted(server, "--context-tokens", cure[1])
    assert code == 0, words


def test_a_window_that_shows_nothing_of_a_paper_is_refused_before_anything_is_asked(
    local: Callable[..., LocalModel], excerpted: Excerpted
) -> None:
    server = local(window=2500)

    code, words, _ = excerpted(server)

    assert code == 2
    assert "625 are kept for the reply" in words
    assert not server.asked


def test_excerpts_that_a_server_cuts_are_found_out_before_the_run(
    local: Callable[..., LocalModel], excerpted: Excerpted
) -> None:
    server = local("lmstudio", window=8000, granted=2500, cuts="front")

    code, words, _ = excerpted(server)

    assert code == 2
    assert "longest prompt" in words
    assert not server.judged


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
