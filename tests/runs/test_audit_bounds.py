"""What passes a bound is a record of a run, and the run goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from tests.commands import invoker
from tests.conftest import ROOT
from tests.loopback import Body, Loopback


def records(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("engine", ["lexical", "openai/tiny"])
def test_a_run_goes_on_without_what_passes_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    engine: str, server: Loopback) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    data = tmp_path / "data"
    data.mkdir()
    papers = (ROOT / "examples" / "papers.jsonl").read_text("utf-8").splitlines()
    (review,) = records(ROOT / "examples" / "reviews.jsonl")[:1]
    given = [
        *papers,
        json.dumps({"paper_id": "pdf", "pdf": "large.pdf"}),
        json.dumps({"paper_id": "long", "text": "We light lamps. " * 40_000}),
        json.dumps({"paper_id": "many", "text": "We light lamps. " * 40}),
    ]
    (data / "large.pdf").write_bytes(b"%PDF-1.4\n" + b"a" * 400_000)
    (data / "papers.jsonl").write_text("\n".join(given) + "\n", "utf-8")
    of = [review["paper_id"], "pdf", "long", *["many"] * 4]
    reviews = [{**review, "paper_id": one, "review_id": f"r{n}"} for n, one in enumerate(of)]
    reviews.append({**reviews[0], "review_id": "large", "text": "Dark. " * 60_000, "sections": {}})
    (data / "reviews.jsonl").write_text("\n".join(map(json.dumps, reviews)) + "\n", "utf-8")
    settings = tmp_path / "bounds.toml"
    settings.write_text(
        "[bounds]\nmax_pdf_mb = 0.3\nmax_text_mb = 0.5\nmax_review_mb = 0.2\n"
        "max_reviews_per_paper = 3\n"
    )

    ended = invoker("audit", capsys)(
        data, "-o", tmp_path / "run", "--model", engine, "--config", settings
    )

    assert ended.exit_code == 3, ended.stderr
    points = records(tmp_path / "run" / "points.jsonl")
    assert {one["review_id"] for one in points} == {"r0"}
    told = {
        one.get("review_id") or one["what"]: []
        for one in records(tmp_path / "run" / "errors.jsonl")
    }
    for one in records(tmp_path / "run" / "errors.jsonl"):
        told[one.get("review_id") or one["what"]].append(one["message"])
    assert "max_pdf_mb" in told["r1"][0]
    assert "papers.jsonl" in told["r2"][0]
    assert "field 'text'" in told["r2"][0]
    assert "max_text_mb" in told["r2"][0]
    assert sorted(told) == ["line", "r1", "r2"]
    assert "paper 'many' has 4 reviews" in " ".join(told["line"])
    assert "review 'large'" in " ".join(told["line"])


def test_a_reply_without_measure_fails_its_own_points(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    server: Loopback,
) -> None:
    large = []

    def quirk(body: Body, seen: int) -> web.Response | None:
        if "premise" in json.dumps(body) and len(large) < 2:
            large.append(seen)
            return web.Response(body=b'{"id": "' + b"a" * 600_000, content_type="application/json")
        return None

    server.quirk = quirk
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("REVIEWSCORE_MAX_REPLY_MB", "0.5")

    ended = invoker("audit", capsys)(
        ROOT / "examples", "-o", tmp_path / "run", "--model", "openai/tiny"
    )

    assert ended.exit_code == 3, ended.stderr
    states = [one["status"] for one in records(tmp_path / "run" / "points.jsonl")]
    assert len(large) == 2
    assert states.count("error") in (1, 2)
    assert states.count("scored") > 3
