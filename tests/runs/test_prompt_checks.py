"""Audits by models on servers of one's own: prompts are checked before and while they are asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviewscore.runs.folder import read_manifest, read_points
from tests.commands import Invoke, invoker
from tests.conftest import ROOT
from tests.local_models import Kind, LocalModel

EXAMPLES = str(ROOT / "examples")
SHORT = ("--limit", "1", "--score", "base")


Audit = Callable[..., tuple[int, str]]


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Audit:
    """Audits the examples by a server: exit code, and all that was printed."""
    invoke: Invoke = invoker("audit", capsys)

    def run(server: LocalModel | str, out: Path, *more: str) -> tuple[int, str]:
        kind, url = ("ollama", server) if isinstance(server, str) else (server.kind, server.url)
        name = kind if kind in ("ollama", "llamacpp") else "openai"
        model = ("--model", f"{name}/small", "--base-url", url)
        ended = invoke(EXAMPLES, "-o", out, *model, "--no-cache", *more)
        return ended.exit_code, ended.stdout + ended.stderr

    return run


@pytest.mark.parametrize("kind", ["ollama", "llamacpp", "vllm", "lmstudio"])
def test_a_paper_is_judged_after_its_prompt_was_tried_once(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path, kind: Kind
) -> None:
    server = local(kind)

    code, words = audit(server, tmp_path / "run", *SHORT)
    tried = len(server.asked) - len(server.judged)
    audit(server, tmp_path / "run", *SHORT[2:], "--limit", "2")

    assert code == 0, words
    (check,) = read_manifest(tmp_path / "run").prompt_checks.values()
    assert (check.recalled, check.window) == (True, server.window)
    assert check.read is not None
    assert check.read > check.longest_prompt * 0.8
    assert tried == len(server.asked) - len(server.judged) == 1
    forms = [body.get("format") or body["response_format"]["json_schema"] for body in server.judged]
    assert all(isinstance(form, dict) for form in forms)  # a schema each, with a paper too
    assert all(point.status == "scored" for point in read_points(tmp_path / "run"))


@pytest.mark.parametrize("kind", ["ollama", "llamacpp", "vllm", "lmstudio"])
def test_a_paper_that_is_too_long_is_refused_before_the_run(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path, kind: Kind
) -> None:
    server = local(kind, window=8000)

    code, words = audit(server, tmp_path / "run")

    assert code == 2
    assert "reads 8,000 tokens at once" in words
    assert "--paper-parts main" in words
    assert not server.asked
    assert not (tmp_path / "run").exists()


def test_a_server_that_tells_its_context_when_it_refuses_is_believed(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    server = local("llama-cpp-python", window=2048)

    code, words = audit(server, tmp_path / "run", *SHORT)

    assert code == 2
    assert "longer than the 2,048 tokens that it reads" in words
    assert "Nothing was asked" in words
    assert not server.judged
    assert not (tmp_path / "run").exists()


def test_a_schema_goes_with_any_object_where_a_server_takes_no_other_form(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    server = local("llama-cpp-python")

    code, words = audit(server, tmp_path / "run", *SHORT)

    assert code == 0, words
    forms = [body["response_format"] for body in server.judged]
    assert {form["type"] for form in forms} == {"json_object"}
    assert all(form["schema"]["type"] == "object" for form in forms)


@pytest.mark.parametrize("cuts", ["front", "middle", "end", "half"])
@pytest.mark.parametrize("kind", ["ollama", "lmstudio"])
def test_a_server_that_cuts_is_found_out_before_the_run(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path, kind: Kind, cuts: str
) -> None:
    server = local(kind, granted=2500, cuts=cuts)

    code, words = audit(server, tmp_path / "run", *SHORT)

    assert code == 2
    assert "longest prompt" in words
    assert not server.judged
    assert not (tmp_path / "run").exists()


def test_a_prompt_that_is_cut_during_the_run_is_a_named_failure(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    server = local("lmstudio", cuts="front")
    read = server._read

    def less_later(body: dict[str, Any], room: int) -> tuple[str | None, int | None]:
        return read(body, room if not server.judged else 2500)

    server._read = less_later  # type: ignore[method-assign]
    code, words = audit(server, tmp_path / "run", *SHORT)

    points = list(read_points(tmp_path / "run"))
    assert code == 3, words
    assert {point.status for point in points} == {"error"}
    assert all("PromptCutError" in (point.error or "") for point in points)


def test_a_true_count_outweighs_a_word_that_was_not_given_back(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    code, words = audit(local(forgets=True), tmp_path / "run", *SHORT)

    assert code == 0
    assert "did not give back the word" in words


def test_a_count_that_lies_is_told_by_the_word_that_is_not_given_back(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    server = local("lmstudio", granted=2500, cuts="front", counts="sent")

    _, words = audit(server, tmp_path / "run", *SHORT)

    assert "or the count is not true" in words
    (check,) = read_manifest(tmp_path / "run").prompt_checks.values()
    assert check.recalled is False


@pytest.mark.parametrize("forgets", [True, False])
def test_without_counts_the_word_decides(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path, forgets: bool
) -> None:
    server = local("lmstudio", counts="nothing", forgets=forgets)

    code, words = audit(server, tmp_path / "run", *SHORT)

    assert code == (2 if forgets else 0)
    assert "does not say how many tokens it reads" in words
    assert bool(server.judged) is not forgets


def test_a_server_that_is_not_there_is_named(
    audit: Audit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVIEWSCORE_MAX_RETRIES", "0")

    code, words = audit("http://127.0.0.1:9", tmp_path / "run", *SHORT)

    assert code == 4
    assert "cannot be reached" in words


def test_replies_that_could_not_be_used_are_counted(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    server = local(spoils=frozenset((0, 3)))

    code, words = audit(server, tmp_path / "run", *SHORT)

    assert code == 0
    assert "replies that could not be used: 2 of" in words
    replies = json.loads((tmp_path / "run" / "summary.json").read_text())["replies"]
    assert (replies["unusable"], replies["n"]) == (2, len(server.judged))
    assert (
        "<p>Replies that could not be used: 2 of" in (tmp_path / "run" / "report.html").read_text()
    )
    # The problem is shown to the model when it is asked again.
    assert any(len(body["messages"]) == 4 for body in server.judged)


def test_a_server_that_is_paid_for_is_not_tried(
    local: Callable[..., LocalModel], audit: Audit, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'source = "own"\ndate = "today"\n[models]\nsmall = {input = 1, cached = 1, output = 1}\n'
    )
    server = local("vllm")

    code, words = audit(server, tmp_path / "run", *SHORT, "--prices", str(prices))

    assert code == 0, words
    assert len(server.asked) == len(server.judged)


def test_a_dry_run_says_context_and_hours(audit: Audit, tmp_path: Path) -> None:
    _, words = audit("http://127.0.0.1:9", tmp_path, "--dry-run")
    _, timed = audit("http://127.0.0.1:9", tmp_path, "--dry-run", "--speed", "500/30")

    assert "no cost: ollama/small on a server of your own" in words
    assert "time: not known" in words
    assert "for the reply a context of" in words
    assert "by 500/30 tokens/s read and written" in timed
