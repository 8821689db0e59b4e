"""Requests go to the configured host, by a connection that was verified, or not at all."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from aiohttp import web

from reviewscore.errors import ProviderError
from reviewscore.llm.provider import open_provider
from tests.loopback import Body, Loopback
from tests.sessions import MODELS, request


async def ask(model: str, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url.removesuffix("/v1"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key")
    provider = open_provider(model, base_url=url, timeout=5)
    try:
        await provider.complete(request(model=model, text="a secret paper"))
    finally:
        await provider.close()


@pytest.fixture
def elsewhere() -> Iterator[Loopback]:
    server = Loopback().start()
    yield server
    server.stop()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("status", [302, 307, 308])
async def test_a_redirect_to_another_host_is_not_followed(
    model: str, status: int, elsewhere: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quirk(body: Body, _: int) -> web.Response:
        target = f"{elsewhere.url}/chat/completions"
        return web.Response(status=status, headers={"location": target})

    server = Loopback(quirk=quirk).start()
    url = server.url if model.startswith("openai") else server.url.replace("/v1", "/anthropic/v1")
    try:
        with pytest.raises(ProviderError):
            await ask(model, url, monkeypatch)
    finally:
        server.stop()

    assert server.bodies or model.startswith("anthropic")
    assert elsewhere.bodies == []


class _Quiet(BaseHTTPRequestHandler):
    seen: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.seen.append(self.path)
        self.send_response(500)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def impostor(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """A server with a certificate that nobody vouches for."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not here to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    line = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    line += ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(line, check=True, capture_output=True)
    server = HTTPServer(("127.0.0.1", 0), _Quiet)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield lambda: f"https://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_server_with_a_false_certificate_gets_nothing(
    model: str, impostor: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _Quiet.seen.clear()

    with pytest.raises(ProviderError, match=r"(?i)certificate|ssl"):
        await ask(model, impostor(), monkeypatch)

    assert _Quiet.seen == []
