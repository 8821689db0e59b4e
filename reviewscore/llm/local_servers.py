"""Which model servers answer on this machine, at their usual ports; nothing else is contacted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from reviewscore.addresses import is_loopback
from reviewscore.errors import SettingsError
from reviewscore.llm.context_window import field
from reviewscore.llm.provider import model_name, provider_name
from reviewscore.llm.providers import llamacpp, ollama
from reviewscore.printable import first_of, printable

LM_STUDIO, VLLM = "http://127.0.0.1:1234", "http://127.0.0.1:8000"
TIMEOUT = 0.5
"""Seconds that a server has for its answer."""
_MOST_READ = 1_000_000
"""Bytes of an answer that are read."""
_MOST_SHOWN = 8
_LONGEST_NAME = 80


@dataclass(frozen=True)
class LocalServer:
    """A server that answers on this machine.

    Attributes:
        kind: What it is, by its port and the form of its answer.
        address: Its address.
        models: The models that it names.
        model: How a model of it is given to ``--model``, with ``NAME`` for its name.
    """

    kind: str
    address: str
    models: tuple[str, ...]
    model: str

    @property
    def words(self) -> str:
        """The server, its models, and what to type."""
        shown = first_of(self.models, _MOST_SHOWN) or "no model yet"
        first = self.models[0] if self.models else "NAME"
        return f"{self.kind} at {self.address} ({shown}): {self.model.replace('NAME', first)}"


@dataclass(frozen=True)
class _Kind:
    name: str
    address: str
    path: str
    models: str
    key: str
    model: str


def _kinds() -> list[_Kind]:
    try:
        own = ollama.own_address()
    except SettingsError:  # another machine, which is not asked
        own = ollama.ADDRESS
    via = "--model openai/NAME --base-url {}/v1"
    return [
        _Kind("Ollama", own, "/api/tags", "models", "name", "--model ollama/NAME"),
        _Kind("llama.cpp", llamacpp.ADDRESS, "/v1/models", "data", "id", "--model llamacpp/NAME"),
        _Kind("LM Studio", LM_STUDIO, "/v1/models", "data", "id", via.format(LM_STUDIO)),
        _Kind("vLLM", VLLM, "/v1/models", "data", "id", via.format(VLLM)),
    ]


def answering() -> list[LocalServer]:
    """The servers that answer on this machine, with the models that they name."""
    kinds = [kind for kind in _kinds() if is_loopback(kind.address)]
    with ThreadPoolExecutor(len(kinds)) as pool:
        return [server for server in pool.map(_asked, kinds) if server is not None]


def answering_words() -> str:
    """The servers that answer on this machine, in words; empty if none does."""
    servers = answering()
    if not servers:
        return ""
    return "on this machine answer " + "; ".join(server.words for server in servers)


def starter(model: str, place: str) -> Callable[[], str] | None:
    """Says what starts a model's server, and which servers answer; None for other machines'.

    Args:
        model: ``provider/name``.
        place: The server's address.
    """
    if not is_loopback(place):
        return None
    port = urlsplit(place).port

    def words() -> str:
        command = _start_command(model, port)
        cure = f"start it: {command}" if command else "start the model's server there"
        here = answering_words()
        return f"{cure}; {here}" if here else cure

    return words


def _start_command(model: str, port: int | None) -> str:
    """The command that starts the server of a model; empty if nobody can say which it is."""
    kinds = {urlsplit(kind.address).port: kind.name for kind in _kinds()}
    own = {"ollama": "Ollama", "llamacpp": "llama.cpp"}.get(provider_name(model))
    match own or kinds.get(port):
        case "Ollama":
            usual = port == urlsplit(ollama.ADDRESS).port
            return "ollama serve" if usual else f"OLLAMA_HOST=127.0.0.1:{port} ollama serve"
        case "llama.cpp":
            return f"llama-server -m FILE.gguf --ctx-size 49152 --port {port}"
        case "LM Studio":
            return "lms server start"
        case "vLLM":
            return f"vllm serve {model_name(model)} --port {port}"
        case _:
            return ""


def _asked(kind: _Kind) -> LocalServer | None:
    parts = urlsplit(kind.address)
    # No client that knows of proxies: nothing but this machine is contacted.
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT)
    try:
        connection.request("GET", kind.path)
        answer = json.loads(connection.getresponse().read(_MOST_READ))
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()
    listed = field(answer, kind.models)
    if not isinstance(listed, list):
        return None  # something else listens there
    return LocalServer(kind.name, kind.address, tuple(_names(listed, kind.key)), kind.model)


def _names(listed: list[object], key: str) -> Iterator[str]:
    for model in listed:
        name = field(model, key)
        if isinstance(name, str) and name:
            yield printable(name)[:_LONGEST_NAME]
