"""Servers' answers are read up to a bound; beyond it they are a failure of their own call."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewscore.bounds import Bounds, put_in_force
from reviewscore.errors import ProviderError
from reviewscore.llm import client as clients
from reviewscore.llm import http, retry
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.provider import Provider, open_jobs, open_provider
from reviewscore.llm.providers.completions import CompletionsProvider
from reviewscore.llm.providers.openai import OpenAIProvider, ServersProvider
from reviewscore.schema.call import Completion
from tests.endless import LINGERING, NO_HTTP, Endless, Verbatim, bomb
from tests.loopback import Loopback
from tests.sessions import MODELS, Session, failures, request, three

SMALL = Bounds(max_reply_mb=1, max_results_mb=2)
SLACK = 12_000_000
"""Bytes that may wait in the buffers of both sides of a connection."""
Serve = Callable[[Endless], Endless]


@pytest.fixture
def serve_endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    put_in_force(SMALL)
    started: list[Endless] = []

    def start(server: Endless) -> Endless:
        started.append(server.start())
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        return server

    yield start
    for server in started:
        server.stop()


async def failure(provider: Provider, *, model: str = "openai/x") -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.complete(request(0, model=model))
    await provider.close()
    return caught.value


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("status", [200, 429, 500])
async def test_an_answer_without_an_end_is_given_up_at_the_bound(
    serve_endless: Serve, model: str, status: int
) -> None:
    server = serve_endless(Endless(status=status))

    error = await failure(open_provider(model, base_url=server.url, timeout=5), model=model)

    assert "larger than the 1 MB that max_reply_mb allows" in str(error)
    assert (error.retryable, error.status, error.in_doubt) == (False, status, status == 200)
    assert server.sent[0] < SLACK
    assert server.asked == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("status", [200, 500])
async def test_a_small_body_that_grows_is_given_up_at_the_bound(
    serve_endless: Serve, model: str, status: int
) -> None:
    small = bomb(60_000_000)
    server = serve_endless(Endless(small, status=status, headers={"Content-Encoding": "gzip"}))
    assert len(small) < 100_000
    provider = open_provider(model, base_url=server.url, timeout=5)
    tracemalloc.start()

    error = await failure(provider, model=model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "given up after 1." in str(error)
    assert peak < 12_000_000  # the SDK's modules are loaded in it too


async def test_an_answer_that_says_how_large_it_is_is_not_read_at_all(serve_endless: Serve) -> None:
    server = serve_endless(
        Endless(headers={"Content-Length": "900000000", "Transfer-Encoding": ""})
    )

    error = await failure(open_provider("openai/x", base_url=server.url, timeout=5))

    assert "it has 900.0 MB" in str(error)
    assert server.sent[0] < SLACK


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip"])
async def test_a_coding_that_was_not_asked_for_is_named(serve_endless: Serve, coding: str) -> None:
    server = serve_endless(Endless(b"{}", headers={"Content-Encoding": coding}))

    error = await failure(open_provider("openai/x", base_url=server.url, timeout=5))

    assert f"its encoding is '{coding}'" in str(error)


async def test_a_packed_answer_is_read_as_before() -> None:
    import gzip

    put_in_force(SMALL)
    answer = {"id": "1", "model": "x", "choices": [{"index": 0, "finish_reason": "stop",
              "message": {"role": "assistant", "content": "yes"}}]}  # fmt: skip
    body = gzip.compress(json.dumps(answer).encode())
    server = Endless(body, headers={"Content-Encoding": "gzip"}).start()
    provider = open_provider("openai/x", base_url=server.url, timeout=5)

    completion = await provider.complete(request(0))
    await provider.close()
    server.stop()

    assert completion.text == "yes"


async def test_log_probabilities_are_bounded_too(serve_endless: Serve) -> None:
    server = serve_endless(Endless())

    error = await failure(CompletionsProvider(base_url=server.url, timeout=5))

    assert "max_reply_mb" in str(error)
    assert server.sent[0] < SLACK


async def test_a_server_that_answers_too_much_is_not_one_that_is_down(serve_endless: Serve) -> None:
    server = serve_endless(Endless())
    provider = OpenAIProvider(base_url=server.url, timeout=5)
    servers = ServersProvider((provider, provider))

    await failure(servers)

    assert all(one.down_until == 0.0 for one in servers._servers)


async def test_such_a_call_is_not_tried_again(serve_endless: Serve) -> None:
    server = serve_endless(Endless())
    asking = Client(
        lambda _: open_provider("openai/x", base_url=server.url, timeout=5), CallsInMemory()
    )

    with pytest.raises(ProviderError, match="max_reply_mb"):
        await asking.complete(request(0), stage="split_points")
    await asking.close()

    assert server.asked == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("how", LINGERING)
async def test_an_answer_that_has_not_come_whole_in_time_is_given_up(
    serve_endless: Serve, model: str, how: str
) -> None:
    said, again, drip = LINGERING[how]
    server = serve_endless(Verbatim(said=said, again=again, drip=drip))
    provider = open_provider(model, base_url=server.url, timeout=0.3)

    async with asyncio.timeout(10):
        error = await failure(provider, model=model)

    assert "no whole reply after 0.3 s" in str(error)
    assert server.url in str(error)
    assert (error.retryable, error.in_doubt) == (True, True)


async def test_bodies_of_nothing_are_bounded_too(serve_endless: Serve) -> None:
    said, again, _ = LINGERING["empty members without an end"]
    server = serve_endless(Verbatim(said=said, again=again))

    error = await failure(open_provider("openai/x", base_url=server.url, timeout=30))

    assert "larger than the 1 MB that max_reply_mb allows" in str(error)
    assert server.sent[0] < SLACK


@pytest.mark.parametrize("model", MODELS)
async def test_what_is_asked_about_jobs_is_given_up_in_time_too(
    serve_endless: Serve, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr(http, "LONGEST_FILE", 0.2)
    said, again, drip = LINGERING["a body that drips"]
    server = serve_endless(Verbatim(said=said, again=again, drip=drip))
    jobs = open_jobs(model, base_url=server.url, timeout=0.2)

    async with asyncio.timeout(10):
        with pytest.raises(ProviderError, match=r"no whole reply after 0\.2 s"):
            await jobs.state("job-1")
        file = jobs._files  # type: ignore[attr-defined]
        with pytest.raises(ProviderError, match=r"no whole reply after 0\.2 s"):
            async with file._client.stream("GET", f"{server.url}/file") as answer:
                await answer.aread()
    await jobs.close()


async def test_an_attempt_of_several_requests_ends_when_a_call_must_have_ended(
    serve_endless: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_MARGIN", 0.1)
    server = serve_endless(Endless(drip=0.05, most=400))
    asking = Client(
        lambda _: open_provider("openai/x", base_url=server.url, timeout=60),
        CallsInMemory(),
        limits=CallLimits(timeout=0.2, max_retries=0),
    )

    with pytest.raises(ProviderError, match=r"no whole reply after 0\.3 s") as caught:
        await asking.complete(request(0), stage="split_points")
    await asking.close()

    assert caught.value.retryable
    assert caught.value.in_doubt


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("how", NO_HTTP)
async def test_an_answer_that_is_no_http_is_a_failure_of_the_server(
    serve_endless: Serve, model: str, how: str
) -> None:
    server = serve_endless(Verbatim(said=NO_HTTP[how]))

    error = await failure(open_provider(model, base_url=server.url, timeout=5), model=model)

    assert (error.retryable, error.status, error.in_doubt) == (True, None, True)
    assert str(error).startswith(f"{server.url}: its answer is not HTTP")
    assert "check that the address" in str(error)


async def test_an_answer_that_is_no_http_is_asked_for_again(
    serve_endless: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.001)
    server = serve_endless(Verbatim(said=NO_HTTP["two lengths"]))
    asking = Client(
        lambda _: open_provider("openai/x", base_url=server.url, timeout=5),
        CallsInMemory(),
        limits=CallLimits(max_retries=2),
    )

    with pytest.raises(ProviderError, match="not HTTP"):
        await asking.complete(request(0), stage="split_points")
    await asking.close()

    assert server.asked == 3


@pytest.mark.parametrize("model", MODELS)
async def test_a_reply_of_a_job_that_is_too_large_spoils_its_own_request_only(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    put_in_force(SMALL)
    server.jobs.rewrite = lambda lines: "\n".join(
        line[:-1] + f', "more": "{"a" * 1_100_000}"}}' if number == 1 else line
        for number, line in enumerate(lines.split("\n"))
    )
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    await session.close()

    (failed,) = failures(replies)
    assert "max_reply_mb" in str(failed)
    assert sum(isinstance(one, Completion) for one in replies) == 2


@pytest.mark.parametrize("model", MODELS)
async def test_results_of_a_job_that_are_too_large_are_not_held_and_stay_written_down(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    put_in_force(SMALL)
    server.jobs.rewrite = lambda lines: lines + ("\n" + "a" * 900_000) * 5
    session = Session(tmp_path, server, model)

    replies = await session.ask(*three(model))
    left = await session.book.open()
    await session.close()

    assert all("max_results_mb" in str(one) for one in failures(replies))
    assert "run the same command again to collect it" in str(failures(replies)[0])
    assert [len(job.sent) for job in left] == [3]
