"""What goes to a server on this machine goes there, whatever proxies the environment names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError
from reviewscore.llm.http import past_proxies
from reviewscore.llm.provider import open_provider
from reviewscore.llm.providers.completions import CompletionsProvider
from tests.local_models import LocalModel
from tests.loopback import Loopback, Served
from tests.sessions import request

PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@dataclass
class Proxy(Served):
    """Notes what it is given, and passes nothing on."""

    seen: list[str] = field(default_factory=list)
    url: str = ""

    def routes(self, app: web.Application) -> None:
        app.router.add_route("*", "/{path:.*}", self.handle)

    async def handle(self, request: web.Request) -> web.Response:
        self.seen.append(await request.text())
        return web.Response(status=502)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy that the environment names for everything."""
    server = Proxy().start()
    for name in PROXIES:
        monkeypatch.setenv(name, server.url.removesuffix("/v1"))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("kind", ["ollama", "llamacpp", "vllm"])
async def test_a_paper_for_a_server_of_this_machine_goes_past_proxies(
    proxy: Proxy, kind: str, host: str
) -> None:
    server = LocalModel(kind=kind).start()  # type: ignore[arg-type]
    model = f"{'openai' if kind == 'vllm' else kind}/small"
    provider = open_provider(model, base_url=server.url.replace("127.0.0.1", host), timeout=5)
    words = "The code word is kiba11. Answer with this code word alone."
    asked = request(model=model).model_copy(update={"system": words})
    try:
        completion = await provider.complete(asked)
        await provider.window(model)
    finally:
        await provider.close()
        server.stop()

    assert "kiba11" in completion.text
    assert proxy.seen == []


async def test_so_do_papers_for_anthropics_protocol_and_for_log_probabilities(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Loopback().start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    scoring = CompletionsProvider(base_url=server.url, timeout=5)
    messages = open_provider("anthropic/claude", base_url=None, timeout=5)
    for provider in (scoring, messages):
        with pytest.raises(ProviderError):  # the server of the test has no such paths
            await provider.complete(request(model="anthropic/claude"))
        await provider.close()
    server.stop()

    assert proxy.seen == []


async def test_what_goes_elsewhere_still_goes_through_the_proxy(proxy: Proxy) -> None:
    provider = open_provider("openai/x", base_url="http://models.example.org/v1", timeout=5)
    with pytest.raises(ProviderError, match="502"):
        await provider.complete(request(model="openai/x", text="a public text"))
    await provider.close()

    assert any("a public text" in body for body in proxy.seen)


def test_clients_that_are_not_ours_are_told_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "intranet.example.org")
    monkeypatch.setenv("no_proxy", "")

    past_proxies(["http://127.0.0.1:11434", "https://api.example.org"])
    past_proxies(["http://localhost:8000/v1"])

    assert os.environ["NO_PROXY"] == "intranet.example.org,127.0.0.1,localhost"
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"]


def test_without_a_server_of_this_machine_the_environment_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)

    past_proxies(["https://api.example.org"])

    assert "NO_PROXY" not in os.environ
