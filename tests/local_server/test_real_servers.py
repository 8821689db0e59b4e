"""Audits by a small model at llama.cpp's servers: real tokens, real counts, real grammars."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from benchmarks.llama_servers import KINDS, Kind, LlamaServer
from reviewscore.errors import ModelError
from reviewscore.judges.asker import Reply
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.context import ReadingCheck, least_of
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.parameters import Refusals
from reviewscore.llm.provider import Provider, open_provider
from reviewscore.llm.structured import ask, reply_schema
from reviewscore.runs.folder import read_manifest, read_points
from reviewscore.schema.call import Message, Request, Structured
from reviewscore.schema.point_score import Status
from tests.conftest import PAPER, ROOT
from tests.ledgers import column, wait_for_calls
from tests.validation.invented import set_of_two_papers

SMALL = {
    "REVIEWSCORE_MAX_TOKENS": "96",
    "REVIEWSCORE_POINTS": "rules",
    "REVIEWSCORE_MAX_RETRIES": "0",
}
"""A model this small says little in more words, and splits no review."""
ONE = ("--limit", "1", "--score", "base", "--protocol", "economy")


class Colour(Reply):
    """What a constrained model can say."""

    colour: Literal["green", "brown"]
    ponds: Literal[1, 2, 3, 4, 5]


def command(server: LlamaServer, out: Path, *more: str) -> list[str]:
    audit = [sys.executable, "-m", "reviewscore", "audit", str(ROOT / "examples"), "-o", str(out)]
    return [*audit, *server.flags, "--max-connections", "1", "--no-cache", *more]


def test_a_judge_is_validated_to_its_page(served: LlamaServer, tmp_path: Path) -> None:
    papers, items = set_of_two_papers(tmp_path)
    out = tmp_path / "trust"
    words = ["validate", str(papers), "--items", str(items), "-o", str(out)]

    ended = subprocess.run(
        [sys.executable, "-m", "reviewscore", *words, *served.flags, "--max-connections", "1",
         "--score", "base", "--protocol", "economy"],
        env={**os.environ, **SMALL}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode in (0, 3), ended.stderr  # replies of such a model may be unusable
    numbers = json.loads((out / "validate.json").read_text("utf-8"))
    assert numbers["complete"]
    assert sum(map(sum, numbers["states"].values())) == 12
    assert "Can this judge be trusted here?" in (out / "validate.html").read_text("utf-8")


def audited(
    server: LlamaServer, out: Path, *more: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(server, out, *more),
        env={**os.environ, **SMALL, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def opened(server: LlamaServer) -> Provider:
    _, model, _, address = server.flags
    return open_provider(model, base_url=address, timeout=600, refusals=Refusals())


def request(server: LlamaServer, text: str, structured: Structured, **more: object) -> Request:
    given: dict[str, object] = {
        "model": server.flags[1],
        "system": "You answer in JSON.",
        "messages": (Message(role="user", content=text),),
        "schema_name": Colour.__name__,
        "reply_schema": reply_schema(Colour),
        "structured": structured,
        "temperature": 0.0,
        "max_tokens": 64,
    }
    return Request.model_validate({**given, **more})


def test_the_whole_example_is_audited(served: LlamaServer, tmp_path: Path) -> None:
    out = tmp_path / "run"

    ended = audited(served, out, "--score", "base", "--protocol", "economy")

    points, manifest = list(read_points(out)), read_manifest(out)
    assert ended.returncode in (0, 3), ended.stderr
    assert manifest.complete
    assert len(points) == 27
    scored = [point for point in points if point.status is Status.SCORED]
    assert {point.base for point in scored} <= {1, 2, 3, 4, 5}
    assert len(scored) > len(points) // 2, ended.stdout
    assert all(point.error for point in points if point.status is Status.ERROR)
    assert manifest.models_answered == (served.name,)
    (check,) = manifest.prompt_checks.values()
    assert check.read is not None
    assert check.read > 4000  # the paper, by the server's own count
    assert manifest.spending.input_tokens > 27 * check.read * 0.7
    assert "no validation of" in ended.stderr
    assert "no validation of" in ended.stdout


@pytest.mark.parametrize("more", [("--score", "both", "--rounds", "2", "--protocol", "economy")])
def test_arguments_are_rebuilt(served: LlamaServer, tmp_path: Path, more: tuple[str, ...]) -> None:
    ended = audited(served, tmp_path / "run", "--limit", "1", *more)

    points = list(read_points(tmp_path / "run"))
    assert ended.returncode in (0, 3), ended.stderr
    assert len(points) == 8
    assert {point.status for point in points} <= {Status.SCORED, Status.UNKNOWN, Status.ERROR}


@pytest.mark.parametrize("text", ["Which frogs?", "Write a poem about seven red frogs, in prose."])
async def test_replies_are_held_to_their_schema(served: LlamaServer, text: str) -> None:
    provider = opened(served)
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(max_retries=0))
    try:
        answer = await ask(
            client,
            request(served, text, "schema"),
            Colour,
            stage="judge",
            again=lambda error: error,
        )
    finally:
        await client.close()

    assert answer.value.colour in ("green", "brown")
    assert client.traffic.unusable == 0
    form = {"llama-server": "json_schema", "llama-cpp-python": "json_object+schema"}[served.kind]
    assert answer.completion.parameters["response_format"] == form


async def test_a_prompt_is_counted_whole_from_the_cache_too(served: LlamaServer) -> None:
    provider, check = opened(served), ReadingCheck(pytest.fail)
    asked = request(served, "Which frogs?", "schema", prefix=PAPER * 3)
    try:
        replies = [await provider.complete(asked) for _ in range(2)]
        for reply in replies:
            await check.check(provider, asked, reply)
    finally:
        await provider.close()

    first, second = (reply.usage.input_tokens for reply in replies)
    assert first == second >= least_of(asked)


@pytest.mark.parametrize("kind", KINDS)
def test_a_context_that_is_too_small_is_refused_before_the_run(
    serve: Callable[[Kind, int], LlamaServer], tmp_path: Path, kind: Kind
) -> None:
    server = serve(kind, 2048)

    ended = audited(server, tmp_path / "run", *ONE)

    assert ended.returncode == 2, ended.stderr
    assert "2,048 tokens" in ended.stderr
    assert "Nothing was asked" in ended.stderr
    assert "--context excerpts" in ended.stderr
    assert not (tmp_path / "run").exists()
    if kind == "llama-server":
        assert "--ctx-size" in ended.stderr


@pytest.mark.parametrize("kind", KINDS)
async def test_a_prompt_that_does_not_fit_gets_no_reply(
    serve: Callable[[Kind, int], LlamaServer], kind: Kind
) -> None:
    server = serve(kind, 1024)
    provider = opened(server)
    client = Client(lambda _: provider, CallsInMemory(), limits=CallLimits(max_retries=0))
    asked = request(server, "Which frogs?", "schema", prefix=PAPER * 6)

    with pytest.raises(ModelError, match=r"context"):
        await client.complete(asked, stage="judge")

    await client.close()


def test_a_killed_run_goes_on_without_asking_anything_twice(
    served: LlamaServer, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with subprocess.Popen(command(served, out, *ONE), env={**os.environ, **SMALL}) as process:
        try:
            wait_for_calls(out, 4, seconds=1200)  # a busy machine takes minutes for a reply
        finally:
            process.kill()
    before = column(out, "key")
    kept = {point.point_id: point for point in read_points(out)}

    ended = audited(served, out, *ONE)

    keys = column(out, "key")
    after = {point.point_id: point for point in read_points(out)}
    assert ended.returncode in (0, 3), ended.stderr
    assert len(keys) == len(set(keys)) > len(before) >= 4
    assert keys[: len(before)] == before
    assert {name: after[name] for name in kept} == kept
    assert read_manifest(out).spending.calls == len(keys)


def test_replies_without_a_form_are_counted_as_unusable(
    served: LlamaServer, tmp_path: Path
) -> None:
    out = tmp_path / "run"

    ended = audited(served, out, *ONE, REVIEWSCORE_STRUCTURED="text")

    replies = json.loads((out / "summary.json").read_text("utf-8"))["replies"]
    failed = [point for point in read_points(out) if point.status is Status.ERROR]
    assert ended.returncode == 3, ended.stderr
    assert replies["unusable"] >= 3 * len(failed) > 0
    assert f"replies that could not be used: {replies['unusable']:,} of" in ended.stdout
