"""Other providers through the real LiteLLM, against a server on loopback, off the network."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError, SettingsError, StopError
from reviewscore.llm.provider import check_model, open_provider
from tests import sessions
from tests.conftest import ROOT
from tests.llm.conftest import KEY
from tests.loopback import Body, Loopback, completion
from tests.quirks import NO_TEMPERATURE, complains
from tests.sessions import answer

SERVE = Callable[..., Loopback]
installed = pytest.mark.skipif(
    find_spec("litellm") is None, reason="LiteLLM is an extra; `make litellm` runs these"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM warns of its own making


request = partial(
    sessions.request, model="litellm/openai/tiny", prefix="the paper", structured="object"
)


@installed
async def test_a_call_says_all_and_brings_back_usage(serve: SERVE) -> None:
    server = serve()

    reply = await answer(request())

    assert server.bodies[0]["model"] == "tiny"
    assert server.bodies[0]["response_format"] == {"type": "json_object"}
    assert '"question"' in reply.text
    assert reply.usage.input_tokens > 0
    assert reply.parameters["max_tokens"] == 4096


@installed
async def test_cached_input_is_part_of_the_input(serve: SERVE) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        answer = completion("{}", key="k" * 16, size=400)
        usage = answer["usage"]
        assert isinstance(usage, dict)
        usage["prompt_tokens_details"] = {"cached_tokens": 60}
        return web.json_response(answer)

    serve(quirk)

    usage = (await answer(request())).usage

    assert (usage.input_tokens, usage.cached_tokens) == (100, 60)


@installed
async def test_what_a_model_refuses_is_learned(serve: SERVE) -> None:
    server = serve(NO_TEMPERATURE)

    reply = await answer(request())

    assert "temperature" not in reply.parameters
    assert ["temperature" in body for body in server.bodies] == [True, False]


@installed
@pytest.mark.parametrize(("status", "retryable"), [(429, True), (500, True), (404, False)])
async def test_statuses_say_whether_to_try_again_and_it_tries_but_once(
    serve: SERVE, status: int, retryable: bool
) -> None:
    server = serve(complains("no", status))

    with pytest.raises(ProviderError) as caught:
        await answer(request())

    assert caught.value.retryable is retryable
    assert len(server.bodies) == 1


@installed
async def test_a_refused_key_stops_the_run_and_is_not_named(serve: SERVE) -> None:
    serve(complains(f"bad key {KEY}", 401))

    with pytest.raises(StopError) as caught:
        await answer(request())

    assert "planted" not in str(caught.value)


@installed
def test_importing_it_looks_nothing_up() -> None:
    script = (
        "import socket\n"
        "def no(*a): raise SystemExit('it tried to reach ' + str(a[1:]))\n"
        "socket.socket.connect = no\n"
        "socket.getaddrinfo = no\n"
        "from reviewscore.llm.providers.litellm import quiet_litellm\n"
        "found = quiet_litellm()\n"
        "assert found.telemetry is False and found.model_cost\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_without_the_extra_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewscore.llm.providers.litellm.find_spec", lambda _: None)

    with pytest.raises(SettingsError, match=r"pip install '\.\[litellm\]' in a checkout"):
        check_model("litellm/gemini/x", base_url=None)


@installed
def test_servers_of_one_provider_share_no_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    for address in ("http://me:secret@one:11434", "http://two:11434"):
        monkeypatch.setenv("OLLAMA_API_BASE", address)
        places.append(open_provider("litellm/ollama/x", base_url=None, timeout=5).place)

    assert places == ["litellm http://one:11434", "litellm http://two:11434"]
    assert open_provider("litellm/gemini/x", base_url=None, timeout=5).place == "litellm"
