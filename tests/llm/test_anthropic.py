"""Anthropic's messages through the real SDK, against a server on loopback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError, SettingsError, StopError
from reviewscore.llm.provider import check_model, open_provider
from tests import sessions
from tests.llm.conftest import KEY
from tests.loopback import Loopback, completion
from tests.quirks import complains
from tests.sessions import answer

SERVE = Callable[..., Loopback]


request = partial(
    sessions.request, model="anthropic/claude-x", prefix="the paper", structured="schema"
)


async def test_the_paper_and_the_task_end_with_a_marker_and_the_item_has_none(serve: SERVE) -> None:
    server = serve()

    reply = await answer(request(structured="object"))

    assert server.bodies[0]["marks"] == [{"type": "ephemeral"}, {"type": "ephemeral"}]
    assert "output_config" not in server.bodies[0]
    assert reply.model == "loopback-1"
    assert '"question"' in reply.text


async def test_a_call_without_a_paper_has_no_marker_and_an_enforced_schema(serve: SERVE) -> None:
    server = serve()

    await answer(request(prefix="", structured="schema"))

    assert server.bodies[0]["marks"] == []
    assert server.bodies[0]["output_config"] == {
        "format": {
            "type": "json_schema",
            "schema": {"title": "QuestionReply", "type": "object"},
        }
    }


async def test_input_holds_what_was_read_from_and_written_to_the_cache(serve: SERVE) -> None:
    serve()

    usage = (await answer(request(prefix="a longer paper " * 20))).usage

    assert (usage.cached_tokens, usage.written_tokens) == (20, 10)
    assert usage.input_tokens > 30
    assert '"cache_read_input_tokens":20' in usage.raw


async def test_thinking_is_not_part_of_the_reply(serve: SERVE) -> None:
    serve()

    assert "hm" not in (await answer(request())).text


async def test_how_hard_to_think_is_sent_when_it_is_set(serve: SERVE) -> None:
    server = serve()

    await answer(request(effort="low", structured="text"))

    assert server.bodies[0]["output_config"] == {"effort": "low"}


@pytest.mark.parametrize("name", ["temperature", "output_config"])
async def test_what_a_model_refuses_is_learned_from_its_first_400(serve: SERVE, name: str) -> None:
    words = f"{name}: json_schema or temperature is not supported by this model"
    server = serve(complains(words, about=name))
    provider = open_provider("anthropic/claude-x", base_url=None, timeout=5)
    asked = request(temperature=0.0 if name == "temperature" else None)

    first = await provider.complete(asked)
    await provider.complete(asked)
    await provider.close()

    assert name not in first.parameters
    assert [name in body for body in server.bodies] == [True, False, False]


@pytest.mark.parametrize(
    ("finish", "expected"), [("length", "length"), ("content_filter", "refusal"), ("stop", "stop")]
)
async def test_how_a_reply_ended_is_kept(serve: SERVE, finish: str, expected: str) -> None:
    serve(lambda *_: web.json_response(completion("{}", key="k" * 16, size=200, finish=finish)))

    assert (await answer(request())).finish == expected


@pytest.mark.parametrize(
    ("status", "retryable"), [(429, True), (500, True), (529, True), (400, False), (404, False)]
)
async def test_statuses_say_whether_to_try_again(
    serve: SERVE, status: int, retryable: bool
) -> None:
    serve(complains("no", status))

    with pytest.raises(ProviderError, match="no") as caught:
        await answer(request())

    assert caught.value.retryable is retryable
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("status", "words"), [(401, "check the key"), (403, "check the key"), (402, "no credit")]
)
async def test_no_access_and_no_credit_stop_the_run_without_naming_the_key(
    serve: SERVE, status: int, words: str
) -> None:
    serve(complains("go away", status))

    with pytest.raises(StopError, match=words) as caught:
        await answer(request())

    assert KEY not in str(caught.value)


async def test_a_server_that_is_not_there_was_not_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    with pytest.raises(ProviderError) as caught:
        await answer(request())

    assert caught.value.retryable
    assert not caught.value.in_doubt


def test_without_a_key_anthropic_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
        check_model("anthropic/claude-x", base_url="http://127.0.0.1:1")
