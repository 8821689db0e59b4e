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
from reviewscore.schema.call import Parameters
from tests import sessions
from tests.loopback import Loopback, completion
from tests.sessions import answer

Body = dict[str, object]


request = partial(sessions.request, model="openai/tiny", prefix="paper", structured="schema")


async def send(server: Loopback) -> object:
    return await answer(request(), server.url)


async def test_a_call_says_all_and_brings_back_usage(serve: Callable[..., Loopback]) -> None:
    server = serve()

    reply = await send(server)

    sent = server.bodies[0]
    assert sent["model"] == "tiny"
    assert sent["temperature"] == 0.0
    assert sent["response_format"]["type"] == "json_schema"  # type: ignore[index]
    assert reply.model == "loopback-1"  # type: ignore[attr-defined]
    assert '"question"' in reply.text  # type: ignore[attr-defined]
    assert reply.usage.input_tokens > 0  # type: ignore[attr-defined]


def refuse(*names: str) -> Callable[[Body, int], web.Response | None]:
    """Refuse parameters with a 400, as reasoning models and small servers do."""

    def quirk(body: Body, _: int) -> web.Response | None:
        for name in names:
            if name in body:
                problem = {"error": {"message": f"Unsupported parameter: '{name}'", "param": name}}
                return web.json_response(problem, status=400)
        return None

    return quirk


async def test_a_model_that_refuses_temperature_is_asked_without(
    serve: Callable[..., Loopback],
) -> None:
    server = serve(refuse("temperature"))
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)

    first = await provider.complete(request())
    second = await provider.complete(request())
    await provider.close()

    assert "temperature" not in first.parameters
    assert "temperature" not in second.parameters
    assert ["temperature" in body for body in server.bodies] == [True, False, False]


async def test_a_server_without_json_schema_gets_the_schema_as_text_only(
    serve: Callable[..., Loopback],
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if "response_format" in body:
            problem = {"error": {"message": "response_format json_schema is not supported"}}
            return web.json_response(problem, status=400)
        return web.json_response(completion("{}", key="k" * 16, size=4))

    reply = await send(serve(quirk))

    assert "response_format" not in reply.parameters  # type: ignore[attr-defined]


async def test_the_newer_name_of_the_reply_limit_is_learned(
    serve: Callable[..., Loopback],
) -> None:
    reply = await send(serve(refuse("max_tokens")))

    assert reply.parameters["max_completion_tokens"] == 4096  # type: ignore[attr-defined]


async def test_a_400_about_something_else_is_an_error(serve: Callable[..., Loopback]) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        return web.json_response({"error": {"message": "context too long"}}, status=400)

    with pytest.raises(ProviderError, match="context too long") as caught:
        await send(serve(quirk))

    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable"), [(429, True), (500, True), (503, True), (404, False)]
)
async def test_statuses_say_whether_to_try_again(
    serve: Callable[..., Loopback], status: int, retryable: bool
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
async def test_no_access_and_no_credit_stop_the_run(
    serve: Callable[..., Loopback], status: int, code: str
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        return web.json_response({"error": {"message": "no", "code": code}}, status=status)

    with pytest.raises(StopError):
        await send(serve(quirk))


async def test_a_server_that_is_not_there_may_be_there_later() -> None:
    provider = open_provider("openai/x", base_url="http://127.0.0.1:9/v1", timeout=1)

    with pytest.raises(ProviderError) as caught:
        await provider.complete(request())
    await provider.close()

    assert caught.value.retryable


@pytest.mark.parametrize(
    ("finish", "expected"), [("length", "length"), ("content_filter", "filter"), ("stop", "stop")]
)
async def test_how_a_reply_ended_is_kept(
    serve: Callable[..., Loopback], finish: str, expected: str
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        return web.json_response(completion("{}", key="k" * 16, size=4, finish=finish))

    reply = await send(serve(quirk))

    assert reply.finish == expected  # type: ignore[attr-defined]


async def test_a_refusal_is_named(serve: Callable[..., Loopback]) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        answer = completion("", key="k" * 16, size=4)
        answer["choices"][0]["message"]["refusal"] = "I would rather not."  # type: ignore[index]
        return web.json_response(answer)

    reply = await send(serve(quirk))

    assert (reply.finish, reply.text) == ("refusal", "I would rather not.")  # type: ignore[attr-defined]


def test_without_a_key_openai_itself_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not set"):
        open_provider("openai/gpt-5", base_url=None, timeout=5)


@pytest.mark.parametrize("model", ["gpt-5", "openai/", "opanai/gpt-5", "lexcal", ""])
def test_unknown_models_are_refused_with_the_ways_there_are(model: str) -> None:
    with pytest.raises(SettingsError, match="openai/NAME"):
        check_model(model, base_url=None)


async def test_a_model_of_the_responses_endpoint_is_asked_there(
    serve: Callable[..., Loopback],
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if "temperature" in body:  # the responses door brings none of it here
            words = "This model is only supported in v1/responses and not in v1/chat/completions."
            return web.json_response({"error": {"message": words}}, status=404)
        return None

    server = serve(quirk)
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)

    first = await provider.complete(request())
    await provider.complete(request())
    await provider.close()

    assert first.parameters["endpoint"] == "responses"
    assert '"question"' in first.text
    assert first.usage.cached_tokens == first.usage.input_tokens // 2
    assert ["temperature" in body for body in server.bodies] == [True, False, False]


async def test_calls_about_one_paper_share_a_cache_key_and_others_have_none(
    serve: Callable[..., Loopback],
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
    serve: Callable[..., Loopback], structured: str, sent: str | None
) -> None:
    server = serve()
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5)

    update = {"structured": structured, "task": '{"title":"QuestionReply"}'}
    reply = await provider.complete(request().model_copy(update=update))
    await provider.close()

    form = server.bodies[0].get("response_format")
    assert (form["type"] if isinstance(form, dict) else None) == sent
    assert reply.parameters.get("response_format") == sent


async def test_a_server_that_knows_no_schema_is_asked_for_any_object(
    serve: Callable[..., Loopback],
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if "schema" in str(body.get("response_format")):
            words = "response_format with a schema is not supported"
            return web.json_response({"error": {"message": words}}, status=400)
        return web.json_response(completion("{}", key="k" * 16, size=4))

    reply = await send(serve(quirk))

    assert reply.parameters["response_format"] == "json_object"  # type: ignore[attr-defined]


async def test_reasoning_models_get_an_effort_and_no_temperature(
    serve: Callable[..., Loopback],
) -> None:
    server = serve()
    provider = open_provider("openai/o3", base_url=server.url, timeout=5)
    asked = request().model_copy(update={"model": "openai/o3", "effort": "low"})

    await provider.complete(asked)
    await provider.close()

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
