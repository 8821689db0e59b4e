"""What servers refuse is found out once for all calls, by their words, and kept for the run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from reviewscore.config import resolve
from reviewscore.errors import ProviderError, StopError
from reviewscore.llm import parameters, retry
from reviewscore.llm.client import CallLimits, Client
from reviewscore.llm.ledger.store import CallsInMemory
from reviewscore.llm.parameters import Negotiation, Refusals
from reviewscore.llm.provider import open_provider
from reviewscore.llm.providers import openai
from reviewscore.llm.providers.openai import LIMIT_NAMES, limit_names
from reviewscore.runs.audit import audit
from reviewscore.runs.folder import read_points
from reviewscore.runs.session import Outcome
from reviewscore.schema.call import Completion, Parameters, Request, Structured
from reviewscore.sources.collection import read_collection
from tests import sessions
from tests.conftest import ROOT
from tests.loopback import Body, Loopback, completion
from tests.quirks import NO_TEMPERATURE, Quirk, complaint

SERVE = Callable[..., Loopback]
FORMS = ("json_schema", "json_object+schema", "json_object", "")


def llama_cpp_python(form: object) -> dict[str, object]:
    """The validation error that this server gives with status 500."""
    told = [
        {
            "type": "literal_error",
            "loc": ("body", "response_format", "type"),
            "msg": "Input should be 'text' or 'json_object'",
            "input": form,
            "ctx": {"expected": "'text' or 'json_object'"},
        }
    ]
    return {"message": str(told), "type": "internal_server_error", "param": None, "code": None}


def said(words: str) -> Callable[[object], dict[str, object]]:
    return lambda _: {"message": words, "type": "invalid_request_error", "param": None}


SERVERS: list[tuple[str, int, Callable[[object], object], tuple[str, ...]]] = [
    ("llama-cpp-python", 500, llama_cpp_python, ("json_schema",)),
    (
        "llama.cpp, old",
        500,
        said('response_format type must be one of "text" or "json_object", but got: json_schema'),
        ("json_schema",),
    ),
    (
        "llama.cpp",
        400,
        said("Failed to initialize samplers: failed to parse grammar"),
        ("json_schema", "json_object+schema"),
    ),
    ("llama.cpp, broken", 500, said("failed to parse grammar"), FORMS[:3]),
    (
        "vLLM",
        400,
        said("The provided JSON schema contains features not supported by guided decoding."),
        ("json_schema",),
    ),
    ("Ollama", 400, said("invalid format: response_format is not implemented"), FORMS[:3]),
    ("DeepSeek", 400, said("This response_format type is unavailable now"), ("json_schema",)),
    (
        "DeepSeek, later",
        422,
        said(
            "Failed to deserialize the JSON body into the target type: response_format: "
            "response_format.type `json_schema` is unavailable now at line 1 column 1193"
        ),
        ("json_schema",),
    ),
    (
        "OpenAI",
        400,
        said(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
            "this model. Learn more about supported models at the Structured Outputs guide"
        ),
        ("json_schema", "json_object+schema"),
    ),
    (
        "another",
        400,
        said(
            "The parameter `response_format.type` specified in the request are not valid: invalid "
            "value: `json_schema`, supported values are: `json_object` and `text`."
        ),
        ("json_schema",),
    ),
    (
        "xAI",
        400,
        said("The response_format parameter is unsupported at the moment. Leave it unset."),
        FORMS[:3],
    ),
    ("LM Studio", 400, lambda _: "'response_format.type' must be 'json_schema' or 'text'", ()),
]


def form_of(body: Body) -> str:
    """How a request asks for its reply's form."""
    form = body.get("response_format")
    if not isinstance(form, dict):
        return ""
    return f"{form['type']}{'+schema' if 'schema' in form else ''}"


def refusing(status: int, error: Callable[[object], object], forms: tuple[str, ...]) -> Quirk:
    """A server that takes no such forms; LM Studio's only no object without a schema."""

    def quirk(body: Body, _: int) -> web.Response:
        form = form_of(body)
        if form in forms or (not forms and form.startswith("json_object")):
            return web.json_response({"error": error(form)}, status=status)
        return web.json_response(completion("{}", key="k" * 16, size=4))

    return quirk


def request(number: int = 0, structured: Structured = "schema") -> Request:
    return sessions.request(number, model="openai/tiny", structured=structured)


async def send(
    server: Loopback, *asked: Request, refusals: Refusals | None = None, retries: int = 0
) -> list[Completion]:
    """Ask together; the first failure is raised."""
    provider = open_provider("openai/tiny", base_url=server.url, timeout=5, refusals=refusals)
    limits = CallLimits(connections=64, max_retries=retries)
    client = Client(lambda _: provider, CallsInMemory(), limits=limits)
    try:
        found = await asyncio.gather(*(client.complete(one, stage="s") for one in asked))
    finally:
        await client.close()
    return [one for one, _ in found]


@pytest.mark.parametrize(("status", "error", "forms"), [one[1:] for one in SERVERS],
                         ids=[one[0] for one in SERVERS])  # fmt: skip
async def test_a_server_is_asked_in_the_best_form_that_it_takes(
    serve: SERVE,
    status: int,
    error: Callable[[object], object],
    forms: tuple[str, ...],
) -> None:
    server, said_so = serve(refusing(status, error, forms)), list[str]()

    refusals = Refusals(say=said_so.append)
    replies = await send(server, *map(request, range(64)), refusals=refusals)

    taken = next(one for one in FORMS if one not in forms)
    assert {one.parameters.get("response_format", "") for one in replies} == {taken}
    asked = [form_of(body) for body in server.bodies]
    assert asked == [*forms, *[taken] * 64]  # no call stumbled a second time, or by itself
    assert refusals.known == ({f"openai/tiny at {server.url}": forms} if forms else {})
    assert len(said_so) == len(forms)


async def test_a_server_of_schemas_alone_gets_one_where_any_object_would_do(
    serve: SERVE,
) -> None:
    server = serve(refusing(*SERVERS[-1][1:]))

    (reply,) = await send(server, request(structured="object"))

    assert reply.parameters["response_format"] == "json_schema"
    assert [form_of(body) for body in server.bodies] == ["json_object", "json_schema"]


async def test_an_error_of_the_server_that_is_about_something_else_is_tried_again(
    serve: SERVE, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quirk(body: Body, seen: int) -> web.Response | None:
        words = "CUDA out of memory" if seen else "the temperature of the GPU is unknown"
        return complaint(words, 500) if seen < 2 else None

    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.001)
    server = serve(quirk)

    (reply,) = await send(server, request(), retries=2)

    assert [form_of(body) for body in server.bodies] == ["json_schema"] * 3
    assert reply.parameters["temperature"] == 0.0


@pytest.mark.parametrize(
    ("status", "message", "learned"),
    [
        (500, "got an unexpected keyword argument 'max_completion_tokens'",
         "max_completion_tokens"),
        (500, "{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs "
              "are not permitted', 'input': {'response_format': 'json_schema'}}", "temperature"),
        (400, "Unknown field 'prompt_cache_key'; known: messages, response_format, temperature",
         "prompt_cache_key"),
        (500, "[{'type': 'missing', 'loc': ('body', 'stop'), 'msg': 'Field required', 'input': "
              "{'temperature': 0.0, 'response_format': {'type': 'json_schema'}}}]", None),
        (429, "too many requests with response_format json_schema: not allowed", None),
        (403, "response_format json_schema is not allowed for this key", None),
        (503, "json_schema grammar backend unavailable, loading", None),
        (400, "response_format: the maximum context length is 8192 tokens", None),
        (500, "Internal Server Error", None),
        (0, "response_format is not supported", None),
    ],
)  # fmt: skip
def test_what_a_complaint_is_about_is_told_by_its_words(
    status: int, message: str, learned: str | None
) -> None:
    refused = Negotiation(("max_completion_tokens", "max_tokens"))
    sent: Parameters = {
        "temperature": 0.0,
        "max_completion_tokens": 100,
        "prompt_cache_key": "k",
        "response_format": "json_schema",
    }

    error = ProviderError(message, retryable=False, status=status)

    assert refused.learn("m", error, sent) is (learned is not None)
    assert refused.refused_by("m") == ({learned} if learned else frozenset())


def limited(body: Body) -> list[str]:
    """Names of the reply limit in a request."""
    return [name for name in body if name in LIMIT_NAMES]


@pytest.mark.parametrize(
    ("place", "first"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("http://localhost:8000/v1", "max_tokens"),
        ("https://api.openai.com.evil.org/v1", "max_tokens"),
        ("https://notapi.openai.com.org/v1", "max_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_tokens"),
    ],
)
def test_servers_other_than_openais_get_the_older_name_of_the_limit_first(
    place: str, first: str
) -> None:
    assert limit_names(place)[0] == first
    assert sorted(limit_names(place)) == sorted(LIMIT_NAMES)


@pytest.mark.parametrize("openais", [True, False])
@pytest.mark.parametrize("refused", ["max_tokens", "max_completion_tokens", None])
@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: '{}' is not supported with this model. Use '{}' instead.",
        "[{{'type': 'extra_forbidden', 'loc': ('body', '{}'), 'msg': 'Extra inputs are not "
        "permitted', 'input': 4096}}]",
    ],
)
async def test_a_limit_whose_name_is_refused_is_sent_by_its_other_name(
    serve: SERVE,
    monkeypatch: pytest.MonkeyPatch,
    openais: bool,
    refused: str | None,
    words: str,
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        if refused in body:
            other = next(name for name in LIMIT_NAMES if name != refused)
            error = {"error": {"message": words.format(refused, other)}}
            return web.json_response(error, status=400)
        return web.json_response(completion("{}", key="k" * 16, size=4))

    if openais:
        monkeypatch.setattr(openai, "OPENAI", "http://127.0.0.1/v1")
    server = serve(quirk)

    replies = await send(server, request(0), request(1))

    first, other = LIMIT_NAMES if openais else LIMIT_NAMES[::-1]
    taken = other if refused == first else first
    tried = [[first]] if refused == first else []
    assert [limited(body) for body in server.bodies] == [*tried, [taken], [taken]]
    assert [one.parameters[taken] for one in replies] == [4096, 4096]


@pytest.mark.parametrize("structured", ["schema", "object"])
async def test_a_form_that_was_set_is_not_replaced_by_another(
    serve: SERVE, structured: Structured
) -> None:
    error = said("response_format is not supported")
    server = serve(refusing(500, error, FORMS[:3]))

    with pytest.raises(StopError, match=r"`structured`.*set it to auto"):
        await send(
            server, request(structured=structured), refusals=Refusals(negotiates=False), retries=8
        )

    assert len(server.bodies) == 1


async def test_where_a_form_was_set_other_parameters_are_left_out_all_the_same(
    serve: SERVE,
) -> None:
    (reply,) = await send(serve(NO_TEMPERATURE), request(), refusals=Refusals(negotiates=False))

    assert "temperature" not in reply.parameters


async def test_a_first_call_that_fails_lets_the_next_one_find_out(
    serve: SERVE, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = iter([True, True])

    def quirk(body: Body, _: int) -> web.Response | None:
        if next(fails, False):
            return complaint("overloaded", 503)
        return refusing(500, llama_cpp_python, ("json_schema",))(body, 0)

    monkeypatch.setattr(retry, "_BACKOFF", lambda _: 0.001)
    server = serve(quirk)

    replies = await send(server, *map(request, range(8)), retries=3)

    assert {one.parameters["response_format"] for one in replies} == {"json_object+schema"}
    assert [form_of(body) for body in server.bodies].count("json_schema") == 3


async def test_nobody_waits_long_for_a_first_call_that_takes_its_time(
    serve: SERVE, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parameters, "SETTLED", 0.05)
    server = serve(latency=0.4)

    await send(server, *map(request, range(8)))

    assert server.most == 8


async def test_a_call_that_is_cancelled_holds_nobody_up(serve: SERVE) -> None:
    provider = open_provider("openai/tiny", base_url=serve(latency=0.2).url, timeout=5)

    first = asyncio.create_task(provider.complete(request(0)))
    await asyncio.sleep(0.05)
    others = [asyncio.create_task(provider.complete(request(one))) for one in (1, 2)]
    await asyncio.sleep(0.05)
    first.cancel()
    replies = await asyncio.wait_for(asyncio.gather(*others), timeout=2)
    await provider.close()

    assert len(replies) == 2


async def test_a_refusal_inside_an_answer_that_claims_to_be_well_is_learned(
    serve: SERVE,
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        if "response_format" in body:
            error = {"code": 400, "message": "response_format is not supported by this provider"}
            return web.json_response({"error": error})
        return web.json_response(completion("{}", key="k" * 16, size=4))

    (reply,) = await send(serve(quirk), request())

    assert "response_format" not in reply.parameters


async def test_an_error_that_is_no_refusal_is_raised_as_it_was(
    serve: SERVE,
) -> None:
    error = {"error": {"code": 400, "message": "the prompt is too long"}}

    with pytest.raises(ProviderError, match="too long"):
        await send(serve(lambda *_: web.json_response(error)), request())


def run(out: Path, server: Loopback, **flags: object) -> Outcome:
    flags = {"model": "openai/loop", "base_url": server.url, "cache": False, **flags}
    return audit(read_collection(ROOT / "examples"), out, resolve(flags))


def test_a_small_server_of_ones_own_scores_a_folder_and_is_asked_once_what_it_takes(
    serve: SERVE, tmp_path: Path
) -> None:
    def quirk(body: Body, _: int) -> web.Response | None:
        if form_of(body) != "json_schema":
            return None
        return web.json_response({"error": llama_cpp_python("json_schema")}, status=500)

    server, out = serve(quirk), tmp_path / "run"

    first = run(out, server, limit=1)
    begun = len(server.bodies)
    second = run(out, server)

    refused = {f"openai/loop at {server.url}": ("json_schema",)}
    assert (first.failed, second.failed) == (0, 0)
    assert first.manifest.refused == second.manifest.refused == refused
    forms = [form_of(body) for body in server.bodies]
    assert forms.count("json_schema") == 1
    assert "json_schema" not in forms[begun:]
    kept = [
        one.parameters["response_format"] for point in read_points(out) for one in point.provenance
    ]
    assert set(kept) == {"json_object+schema"}
    assert set(forms) == {"json_schema", "json_object+schema"}
    assert json.loads((out / "manifest.json").read_text())["refused"] == {
        f"openai/loop at {server.url}": ["json_schema"]
    }
