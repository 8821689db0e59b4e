"""Answers of gateways, proxies and small servers, which keep to the protocol in their own way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError, ReviewScoreError, SettingsError, StopError
from reviewscore.llm.budget import Budget
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.http import broken
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.prices import Price, worst_case
from reviewscore.llm.provider import check_model, open_provider
from reviewscore.llm.providers.anthropic import completion_of
from reviewscore.schema.call import Completion
from tests import sessions
from tests.loopback import Body, Loopback, completion
from tests.quirks import RESPONSES_ONLY
from tests.sessions import answer

SERVE = Callable[..., Loopback]
PRICE = Price(input=1e4, cached=1e4, output=1e4)


request = partial(sessions.request, model="openai/tiny", prefix="paper")


async def send(server: Loopback) -> Completion:
    return await answer(request(), server.url)


async def failure(server: Loopback) -> ReviewScoreError:
    with pytest.raises(ReviewScoreError) as caught:
        await send(server)
    return caught.value


def whole(**changes: object) -> Body:
    return {**completion("{}", key="k" * 16, size=40), **changes}


async def test_all_calls_that_start_together_find_the_other_endpoint(
    serve: SERVE,
) -> None:
    provider = open_provider("openai/tiny", base_url=serve(RESPONSES_ONLY).url, timeout=5)

    replies = await asyncio.gather(*(provider.complete(request(one)) for one in range(4)))
    await provider.close()

    assert [reply.parameters.get("endpoint") for reply in replies] == ["responses"] * 4


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (402, StopError, "Insufficient credits"),
        ("insufficient_quota", StopError, "no credit left"),
        (429, ProviderError, "status 429: Insufficient credits"),
        (None, ProviderError, "Insufficient credits"),
    ],
)
async def test_an_error_inside_an_answer_that_claims_to_be_well_is_told(
    serve: SERVE, code: object, kind: type[Exception], words: str
) -> None:
    body = {"error": {"code": code, "message": "Insufficient credits"}}
    error = await failure(serve(lambda *_: web.json_response(body)))

    assert isinstance(error, kind)
    assert words in str(error)


@pytest.mark.parametrize("reason", ["error", "abort"])
async def test_a_reply_that_broke_off_is_no_reply(serve: SERVE, reason: str) -> None:
    body = whole()
    body["choices"][0].update(finish_reason=reason, error={"message": "upstream died"})  # type: ignore[index]
    error = await failure(serve(lambda *_: web.json_response(body)))

    assert isinstance(error, ProviderError)
    assert error.retryable
    assert "upstream died" in str(error)


@pytest.mark.parametrize(
    ("reason", "finish"), [(None, "stop"), ("eos", "stop"), ("model_length", "length")]
)
async def test_servers_have_many_names_for_how_a_reply_ended(
    serve: SERVE, reason: object, finish: str
) -> None:
    body = whole()
    body["choices"][0]["finish_reason"] = reason  # type: ignore[index]

    assert (await send(serve(lambda *_: web.json_response(body)))).finish == finish


async def test_a_reply_without_the_models_name_is_a_reply(serve: SERVE) -> None:
    body = whole()
    del body["model"]

    assert (await send(serve(lambda *_: web.json_response(body)))).model == "tiny"


async def test_an_input_that_is_flagged_stops_no_run(serve: SERVE) -> None:
    words = "Your chosen model requires moderation and your input was flagged"
    body = {"error": {"code": 403, "message": words}}
    error = await failure(serve(lambda *_: web.json_response(body, status=403)))

    assert isinstance(error, ProviderError)
    assert not error.retryable


async def test_a_field_that_is_refused_with_a_422_is_left_out(
    serve: SERVE,
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        if "prompt_cache_key" in body:
            problem = {"loc": ["body", "prompt_cache_key"], "msg": "Extra inputs are not permitted"}
            return web.json_response({"detail": [problem]}, status=422)
        return web.json_response(whole())

    reply = await send(serve(quirk))

    assert "prompt_cache_key" not in reply.parameters


async def test_a_complaint_in_another_form_is_shown(serve: SERVE) -> None:
    body = {"detail": "the prompt is too long"}
    error = await failure(serve(lambda *_: web.json_response(body, status=422)))

    assert "the prompt is too long" in str(error)


@pytest.mark.parametrize(("status", "in_doubt"), [(504, True), (524, True), (503, False)])
async def test_a_gateway_that_gave_up_leaves_a_doubt(
    serve: SERVE, status: int, in_doubt: bool
) -> None:
    error = await failure(serve(lambda *_: web.Response(status=status, text="<html>gone</html>")))

    assert isinstance(error, ProviderError)
    assert error.in_doubt is in_doubt


async def test_a_reply_without_usage_has_no_known_cost_and_counts_at_its_worst(
    serve: SERVE,
) -> None:
    server = serve(lambda *_: web.json_response(whole(usage=None)))
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)
    book, budget = CallsInMemory(), Budget()
    client = Client(lambda _: provider, book, budget=budget, price=lambda _: PRICE)

    await client.complete(request(), stage="s")
    await client.close()

    worst = worst_case(request(), PRICE)
    paid = await book.paid()
    assert (paid.unpriced, paid.usd) == (1, 0.0)
    assert paid.doubtful == budget.spent == worst


@pytest.mark.parametrize("address", ["http://[::1", "http://host:port/v1", "http://host:99999"])
def test_what_is_no_address_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    with pytest.raises(SettingsError, match="the address of the server is no address"):
        check_model("openai/x", base_url=address)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    with pytest.raises(SettingsError, match="ANTHROPIC_BASE_URL is no address"):
        check_model("anthropic/x", base_url=None)


ABSURD = [
    {"prompt_tokens": -5, "completion_tokens": 3},
    {"prompt_tokens": 50, "completion_tokens": -3},
    {"prompt_tokens": 1e30, "completion_tokens": 3},
    {"prompt_tokens": 50, "completion_tokens": 10**12},
    {"prompt_tokens": 50, "completion_tokens": 2.5},
    {"prompt_tokens": "50", "completion_tokens": 3},
    {"prompt_tokens": None, "completion_tokens": 3},
    {"prompt_tokens": 50, "completion_tokens": {"a": 1}},
    {"prompt_tokens": 50, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 999}},
    {"prompt_tokens": 50, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": -9}},
    {"prompt_tokens": 50, "completion_tokens": 3, "prompt_tokens_details": [1]},
    "many",
    [3],
]


@pytest.mark.parametrize("usage", ABSURD, ids=json.dumps)
async def test_counts_that_cannot_be_are_unknown_and_said_once(serve: SERVE, usage: object) -> None:
    server, said = serve(lambda *_: web.json_response(whole(usage=usage))), list[str]()
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)
    book, budget = CallsInMemory(), Budget()
    client = Client(lambda _: provider, book, budget=budget, price=lambda _: PRICE, say=said.append)

    for number in range(2):
        reply, _ = await client.complete(request(number), stage="s")
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (0, 0)
    await client.close()

    worst = sum(worst_case(request(number), PRICE) or 0.0 for number in range(2))
    paid = await book.paid()
    assert (paid.unpriced, paid.usd) == (2, 0.0)
    assert paid.doubtful == budget.spent == pytest.approx(worst)
    (words,) = said
    assert words.startswith(f"{server.url}: its counts of tokens cannot be right")


@pytest.mark.parametrize("counts", [(0, 3), (50, 0)])
async def test_counts_of_nothing_do_not_make_a_call_cheaper(
    serve: SERVE, counts: tuple[int, int]
) -> None:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
    server = serve(lambda *_: web.json_response(whole(usage=usage)))
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)
    book = CallsInMemory()
    client = Client(lambda _: provider, book, price=lambda _: PRICE)

    await client.complete(request(), stage="s")
    await client.close()

    assert (await book.paid()).doubtful == worst_case(request(), PRICE)


@pytest.mark.parametrize("counts", [(50, 3), (50.0, 3)])
async def test_whole_counts_are_taken(serve: SERVE, counts: tuple[float, int]) -> None:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))

    reply = await send(serve(lambda *_: web.json_response(whole(usage=usage))))

    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (50, 3)


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": -5, "output_tokens": 3},
        {"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": -5},
        {"input_tokens": 5, "output_tokens": 1e30},
    ],
)
def test_counts_of_messages_are_read_as_strictly(usage: dict[str, object]) -> None:
    from anthropic.types import Message as Answer

    made: dict[str, object] = {"id": "1", "model": "x", "content": [], "usage": usage}
    answer = Answer.construct(None, **made)  # type: ignore[arg-type]

    found = completion_of(answer, {}).usage

    assert (found.input_tokens, found.cached_tokens, found.output_tokens) == (0, 0, 0)
    assert json.loads(found.raw) == usage


@pytest.mark.parametrize("key", ["sk-1234567890\n", "sk-12345\u202667890", "sk-12345 67890"])
@pytest.mark.parametrize("model", ["openai/x", "anthropic/x"])
def test_a_key_that_was_badly_copied_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, model: str, key: str
) -> None:
    name = f"{model.partition('/')[0].upper()}_API_KEY"
    monkeypatch.setenv(name, key)

    with pytest.raises(SettingsError, match=f"{name} holds") as caught:
        check_model(model, base_url=None)
    assert "12345" not in str(caught.value)


@pytest.mark.parametrize("model", ["openai/x", "anthropic/x"])
def test_an_address_with_a_password_in_it_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    address = "http://me:hunter2pass@127.0.0.1:9/v1"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)

    with pytest.raises(SettingsError, match="name or password") as caught:
        check_model(model, base_url=address)
    assert "hunter2pass" not in str(caught.value)


async def test_text_that_cannot_be_sent_was_never_billed(serve: SERVE) -> None:
    server = serve(lambda *_: web.json_response(whole()))
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)
    book = CallsInMemory()
    limits = CallLimits(max_retries=0)
    client = Client(lambda _: provider, book, limits=limits, price=lambda _: PRICE)

    with pytest.raises(ProviderError, match="cannot be sent") as caught:
        await client.complete(request().model_copy(update={"system": "\ud800"}), stage="s")
    await client.close()

    assert not caught.value.retryable
    assert (await book.paid()).doubtful == 0.0


def test_a_connection_that_was_never_made_leaves_no_doubt() -> None:
    error = RuntimeError("Request timed out.")
    error.__cause__ = type("PoolTimeout", (Exception,), {})()

    assert not broken("here", error).in_doubt


async def test_a_server_that_hangs_up_after_it_was_asked_leaves_a_doubt() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = open_provider("openai/tiny", base_url=f"http://127.0.0.1:{port}/v1", timeout=5)

    with pytest.raises(ProviderError) as caught:
        await provider.complete(request())
    await provider.close()
    server.close()
    await server.wait_closed()

    assert caught.value.in_doubt
    assert caught.value.retryable


async def test_a_server_that_refuses_connections_leaves_no_doubt() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    provider = open_provider("openai/tiny", base_url=f"http://127.0.0.1:{port}/v1", timeout=5)

    with pytest.raises(ProviderError) as caught:
        await provider.complete(request())
    await provider.close()

    assert not caught.value.in_doubt
