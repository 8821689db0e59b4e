"""The OpenAI provider against a server on loopback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError, SettingsError, StopError
from reviewscore.llm.http import seconds_to_wait
from reviewscore.llm.parameters import Negotiation, reasons
from reviewscore.llm.provider import check_model, open_provider
from reviewscore.schema.call import Completion, Parameters
from tests import sessions
from tests.loopback import Body, Loopback, completion
from tests.quirks import NO_TEMPERATURE, RESPONSES_ONLY, complains, complaint, replies
from tests.sessions import answer

SERVE = Callable[..., Loopback]


request = partial(sessions.request, model="openai/tiny", prefix="paper", structured="schema")


async def send(server: Loopback, model: str = "openai/tiny", **changes: object) -> Completion:
    return await answer(request(model=model, **changes), server.url)


async def test_a_call_says_all_and_brings_back_usage(serve: SERVE) -> None:
    server = serve()

    reply = await send(server)

    sent = server.bodies[0]
    assert sent["model"] == "tiny"
    assert sent["temperature"] == 0.0
    assert sent["response_format"]["type"] == "json_schema"  # type: ignore[index]
    assert reply.model == "loopback-1"
    assert '"question"' in reply.text
    assert reply.usage.input_tokens > 0


async def test_a_model_that_refuses_temperature_is_asked_without(serve: SERVE) -> None:
    server = serve(NO_TEMPERATURE)
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)

    first = await provider.complete(request())
    second = await provider.complete(request())
    await provider.close()

    assert "temperature" not in first.parameters
    assert "temperature" not in second.parameters
    assert ["temperature" in body for body in server.bodies] == [True, False, False]


async def test_a_server_without_json_schema_gets_the_schema_as_text_only(serve: SERVE) -> None:
    words = "response_format json_schema is not supported"

    reply = await send(serve(complains(words, about="response_format")))

    assert "response_format" not in reply.parameters


async def test_the_newer_name_of_the_reply_limit_is_learned(serve: SERVE) -> None:
    words = "Unsupported parameter: 'max_tokens'"

    reply = await send(serve(complains(words, about="max_tokens")))

    assert reply.parameters["max_completion_tokens"] == 4096


async def test_a_400_about_something_else_is_an_error(serve: SERVE) -> None:
    with pytest.raises(ProviderError, match="context too long") as caught:
        await send(serve(complains("context too long")))

    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable"), [(429, True), (500, True), (503, True), (404, False)]
)
async def test_statuses_say_whether_to_try_again(
    serve: SERVE, status: int, retryable: bool
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        error = {"error": {"message": "no"}}
        return web.json_response(error, status=status, headers={"retry-after": "7"})

    with pytest.raises(ProviderError) as caught:
        await send(serve(quirk))

    assert caught.value.retryable is retryable
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("status", "code"), [(401, "invalid_api_key"), (403, "forbidden"), (429, "insufficient_quota")]
)
async def test_no_access_and_no_credit_stop_the_run(serve: SERVE, status: int, code: str) -> None:
    with pytest.raises(StopError):
        await send(serve(lambda *_: complaint("no", status, code=code)))


async def test_a_server_that_is_not_there_may_be_there_later() -> None:
    with pytest.raises(ProviderError) as caught:
        await answer(request(model="openai/x"), "http://127.0.0.1:9/v1")

    assert caught.value.retryable


@pytest.mark.parametrize(
    ("finish", "expected"), [("length", "length"), ("content_filter", "filter"), ("stop", "stop")]
)
async def test_how_a_reply_ended_is_kept(serve: SERVE, finish: str, expected: str) -> None:
    body = completion("{}", key="k" * 16, size=4, finish=finish)

    assert (await send(serve(lambda *_: web.json_response(body)))).finish == expected


async def test_a_refusal_is_named(serve: SERVE) -> None:
    reply = await send(serve(replies("", refusal="I would rather not.")))

    assert (reply.finish, reply.text) == ("refusal", "I would rather not.")


def test_without_a_key_openai_itself_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not set"):
        open_provider("openai/gpt-5", base_url=None, timeout=5)


@pytest.mark.parametrize("model", ["gpt-5", "openai/", "opanai/gpt-5", "lexcal", ""])
def test_unknown_models_are_refused_with_the_ways_there_are(model: str) -> None:
    with pytest.raises(SettingsError, match="openai/NAME"):
        check_model(model, base_url=None)


async def test_a_model_of_the_responses_endpoint_is_asked_there(
    serve: SERVE,
) -> None:
    server = serve(RESPONSES_ONLY)
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)

    first = await provider.complete(request())
    await provider.complete(request())
    await provider.close()

    assert first.parameters["endpoint"] == "responses"
    assert '"question"' in first.text
    assert first.usage.cached_tokens == first.usage.input_tokens // 2
    assert ["temperature" in body for body in server.bodies] == [True, False, False]


async def test_calls_about_one_paper_share_a_cache_key_and_others_have_none(
    serve: SERVE,
) -> None:
    server = serve()
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)
    for changed in ({}, {"temperature": None}, {"prefix": "another"}, {"prefix": ""}):
        await provider.complete(request().model_copy(update=changed))
    await provider.close()

    keys = [body.get("prompt_cache_key") for body in server.bodies]
    assert keys[0] == keys[1] != keys[2]
    assert keys[3] is None


@pytest.mark.parametrize(
    ("structured", "sent"), [("schema", "json_schema"), ("object", "json_object"), ("text", None)]
)
async def test_the_form_of_the_reply_is_asked_for_as_wanted(
    serve: SERVE, structured: str, sent: str | None
) -> None:
    server = serve()

    reply = await send(server, structured=structured, task='{"title":"QuestionReply"}')

    form = server.bodies[0].get("response_format")
    assert (form["type"] if isinstance(form, dict) else None) == sent
    assert reply.parameters.get("response_format") == sent


async def test_a_server_that_knows_no_schema_is_asked_for_any_object(serve: SERVE) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if "schema" in str(body.get("response_format")):
            return complaint("response_format with a schema is not supported")
        return None

    reply = await send(serve(quirk), task='{"title":"QuestionReply"}')

    assert reply.parameters["response_format"] == "json_object"


async def test_reasoning_models_get_an_effort_and_no_temperature(serve: SERVE) -> None:
    server = serve()

    await send(server, "openai/o3", effort="low")

    assert "temperature" not in server.bodies[0]
    assert server.bodies[0]["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Fri, 20 Nov 2026 10:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 09:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", 0.0),
    ],
)
def test_a_wait_as_a_date_is_relative_to_the_servers_own_clock(
    header: str, seconds: float | None
) -> None:
    headers = {"retry-after": header, "date": "Fri, 20 Nov 2026 10:00:00 GMT"}

    assert seconds_to_wait(headers) == seconds


@pytest.mark.parametrize(
    ("name", "thinks"),
    [("o3", True), ("gpt-5.6", True), ("gpt-5-chat-latest", False), ("gpt-4o", False),
     ("openai/o4-mini", True), ("olmo-2", False)],
)  # fmt: skip
def test_reasoning_models_are_known_by_their_names(name: str, thinks: bool) -> None:
    assert reasons(name) is thinks


def test_of_a_field_inside_another_one_the_inner_one_is_left_out() -> None:
    refused = Negotiation(())
    sent: Parameters = {"max_tokens": 1, "output_config": "json_schema", "effort": "low"}

    def learns(message: str) -> bool:
        return refused.learn("m", ProviderError(message, retryable=False, status=400), sent)

    assert learns("output_config.effort: not supported by this model")
    assert refused.refused_by("m") == {"effort"}
    assert learns("output_config.format: Extra inputs are not permitted")
    assert refused.refused_by("m") == {"effort", "output_config"}
