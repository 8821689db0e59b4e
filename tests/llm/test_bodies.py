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
from tests.sessions import MODELS, asked_once, failures, request, three

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


async def failure(server: Endless, *, model: str = "openai/x", timeout: float = 5) -> ProviderError:
    return await failure_of(open_provider(model, base_url=server.url, timeout=timeout), model)


async def failure_of(provider: Provider, model: str = "openai/x") -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await provider.complete(request(0, model=model))
    await provider.close()
    return caught.value


async def asked_by_a_client(
    server: Endless, limits: CallLimits | None = None, *, timeout: float = 5
) -> ProviderError:
    """What a client raises, which tries again where that may help."""
    client = Client(
        lambda _: open_provider("openai/x", base_url=server.url, timeout=timeout),
        CallsInMemory(),
        limits=limits or CallLimits(),
    )
    with pytest.raises(ProviderError) as caught:
        await client.complete(request(0), stage="split_points")
    await client.close()
    return caught.value


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("status", [200, 429, 500])
async def test_an_answer_without_an_end_is_given_up_at_the_bound(
    serve_endless: Serve, model: str, status: int
) -> None:
    server = serve_endless(Endless(status=status))

    error = await failure(server, model=model)

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
    tracemalloc.start()

    error = await failure(server, model=model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "given up after 1." in str(error)
    assert peak < 12_000_000  # the SDK's modules are loaded in it too


async def test_an_answer_that_says_how_large_it_is_is_not_read_at_all(serve_endless: Serve) -> None:
    server = serve_endless(
        Endless(headers={"Content-Length": "900000000", "Transfer-Encoding": ""})
    )

    error = await failure(server)

    assert "it has 900.0 MB" in str(error)
    assert server.sent[0] < SLACK


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip"])
async def test_a_coding_that_was_not_asked_for_is_named(serve_endless: Serve, coding: str) -> None:
    server = serve_endless(Endless(b"{}", headers={"Content-Encoding": coding}))

    error = await failure(server)

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

    error = await failure_of(CompletionsProvider(base_url=server.url, timeout=5))

    assert "max_reply_mb" in str(error)
    assert server.sent[0] < SLACK


async def test_a_server_that_answers_too_much_is_not_one_that_is_down(serve_endless: Serve) -> None:
    server = serve_endless(Endless())
    provider = OpenAIProvider(base_url=server.url, timeout=5)
    servers = ServersProvider((provider, provider))

    await failure_of(servers)

    assert all(one.down_until == 0.0 for one in servers._servers)


async def test_such_a_call_is_not_tried_again(serve_endless: Serve) -> None:
    server = serve_endless(Endless())

    assert "max_reply_mb" in str(await asked_by_a_client(server))
    assert server.asked == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("how", LINGERING)
async def test_an_answer_that_has_not_come_whole_in_time_is_given_up(
    serve_endless: Serve, model: str, how: str
) -> None:
    said, again, drip = LINGERING[how]
    server = serve_endless(Verbatim(said=said, again=again, drip=drip))

    async with asyncio.timeout(10):
        error = await failure(server, model=model, timeout=0.3)

    assert "no whole reply after 0.3 s" in str(error)
    assert server.url in str(error)
    assert (error.retryable, error.in_doubt) == (True, True)


async def test_bodies_of_nothing_are_bounded_too(serve_endless: Serve) -> None:
    said, again, _ = LINGERING["empty members without an end"]
    server = serve_endless(Verbatim(said=said, again=again))

    error = await failure(server, timeout=30)

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

    limits = CallLimits(timeout=0.2, max_retries=0)
    error = await asked_by_a_client(server, limits, timeout=60)

    assert "no whole reply after 0.3 s" in str(error)
    assert error.retryable
    assert error.in_doubt


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("how", NO_HTTP)
async def test_an_answer_that_is_no_http_is_a_failure_of_the_server(
    serve_endless: Serve, model: str, how: str
) -> None:
    server = serve_endless(Verbatim(said=NO_HTTP[how]))

    error = await failure(server, model=model)

    assert (error.retryable, error.status, error.in_doubt) == (True, None, True)
    assert str(error).startswith(f"{server.url}: its answer is not HTTP")
    assert "check that the address" in str(error)


async def test_an_answer_that_is_no_http_is_asked_for_again(
    serve_endless: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.001)
    server = serve_endless(Verbatim(said=NO_HTTP["two lengths"]))

    assert "not HTTP" in str(await asked_by_a_client(server, CallLimits(max_retries=2)))
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

    replies, _ = await asked_once(tmp_path, server, *three(model))

    (failed,) = failures(replies)
    assert "max_reply_mb" in str(failed)
    assert sum(isinstance(one, Completion) for one in replies) == 2


@pytest.mark.parametrize("model", MODELS)
async def test_results_of_a_job_that_are_too_large_are_not_held_and_stay_written_down(
    server: Loopback, tmp_path: Path, model: str
) -> None:
    put_in_force(SMALL)
    server.jobs.rewrite = lambda lines: lines + ("\n" + "a" * 900_000) * 5

    replies, session = await asked_once(tmp_path, server, *three(model))

    assert all("max_results_mb" in str(one) for one in failures(replies))
    assert "run the same command again to collect it" in str(failures(replies)[0])
    assert [len(job.sent) for job in session.left] == [3]
